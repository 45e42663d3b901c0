/*
 * The origin of an access in a Tensix tile, as state.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_origin.h"
#include "migration/vmstate.h"

bool tensix_actor_valid(const TensixActor *by)
{
    return by->kind < TENSIX_AGENTS && by->hart <= TENSIX_HART_NONE &&
           by->thread < TENSIX_THREADS && by->channel < TENSIX_NOC_CHANNELS;
}

void tensix_actor_tile_text(const TensixActor *by, GString *text)
{
    if (!tensix_actor_is_here(by)) {
        g_string_append_printf(text, " of tile (%u,%u)", by->tile_x, by->tile_y);
    }
}

TensixInsn tensix_actor_insn(const TensixActor *by)
{
    return (TensixInsn) {
        .valid = 1, .word = by->word, .thread = by->thread,
        .mop_position = by->mop_position,
        .replay_slot = by->replay_slot == TENSIX_NO_SLOT ? TENSIX_NO_POSITION
                                                         : by->replay_slot,
        .origin = { by->pc, by->hart },
    };
}

void tensix_actor_text(const TensixActor *by, GString *text)
{
    const TensixInsn insn = tensix_actor_insn(by);
    char words[TENSIX_DISAS_NAMED], expansion[TENSIX_EXPANSION_TEXT];

    g_string_append_printf(text, "%s pc 0x%08x",
                           by->hart < TENSIX_HART_NONE
                               ? tensix_hart_names[by->hart]
                               : tensix_agent_names[by->kind], by->pc);
    if (by->word) {
        tensix_expansion_text(expansion, insn.mop_position, insn.replay_slot,
                              NULL);
        tensix_disas_named(words, sizeof(words), by->word);
        g_string_append_printf(text, "%s (%s)", expansion, words);
    } else if (by->kind == TENSIX_BY_NOC) {
        g_string_append(text, " (its NoC request)");
        tensix_actor_tile_text(by, text);
    }
}

/* Fields of less than a byte. */
typedef struct ActorBits {
    TensixActor *parent;
    uint8_t hart, channel, thread, kind, tile_x, tile_y;
} ActorBits;

static int bits_pre_save(void *opaque)
{
    ActorBits *bits = opaque;

    bits->hart = bits->parent->hart;
    bits->channel = bits->parent->channel;
    bits->thread = bits->parent->thread;
    bits->kind = bits->parent->kind;
    bits->tile_x = bits->parent->tile_x;
    bits->tile_y = bits->parent->tile_y;
    return 0;
}

/* -EINVAL: one of them does not fit. */
static int bits_post_load(void *opaque, int version_id)
{
    const ActorBits *bits = opaque;
    TensixActor *by = bits->parent;

    by->hart = bits->hart;
    by->channel = bits->channel;
    by->thread = bits->thread;
    by->kind = bits->kind;
    by->tile_x = bits->tile_x;
    by->tile_y = bits->tile_y;
    return by->hart == bits->hart && by->channel == bits->channel &&
           by->thread == bits->thread && by->kind == bits->kind &&
           by->tile_x == bits->tile_x && by->tile_y == bits->tile_y
           ? 0 : -EINVAL;
}

static const VMStateDescription vmstate_actor_bits = {
    .name = "tensix-actor/bits",
    .pre_save = bits_pre_save,
    .post_load = bits_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8(hart, ActorBits),
        VMSTATE_UINT8(channel, ActorBits),
        VMSTATE_UINT8(tile_x, ActorBits),
        VMSTATE_UINT8(tile_y, ActorBits),
        VMSTATE_UINT8(thread, ActorBits),
        VMSTATE_UINT8(kind, ActorBits),
        VMSTATE_END_OF_LIST()
    }
};

const VMStateDescription vmstate_tensix_actor = {
    .name = "tensix-actor",
    .version_id = 3,
    .minimum_version_id = 3,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(event, TensixActor),
        VMSTATE_UINT32(word, TensixActor),
        VMSTATE_UINT32(pc, TensixActor),
        VMSTATE_UINT32(mop_position, TensixActor),
        VMSTATE_UINT8(replay_slot, TensixActor),
        VMSTATE_WITH_TMP(TensixActor, ActorBits, vmstate_actor_bits),
        VMSTATE_END_OF_LIST()
    }
};
