/*
 * Breaks and watches of a tile: what is said of a hit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hw/tenstorrent/core/decode/tensix_fields.h"
#include "tensix_watch_internal.h"

static const TensixRecorded nowhere = {
    { .hart = TENSIX_HART_NONE }, { .hart = TENSIX_HART_NONE },
};

TensixRecorded tensix_watch_recorded(const TensixCopState *cop,
                                     const TensixActor *by)
{
    const TensixInsn insn = tensix_actor_insn(by);

    return by->word ? tensix_recorded(tensix_cop_core(cop), &insn) : nowhere;
}

static void instruction_text(const TensixActor *by,
                             const TensixRecorded *recorded, GString *text)
{
    const TensixInsn insn = tensix_actor_insn(by);
    char words[TENSIX_DISAS_NAMED], expansion[TENSIX_EXPANSION_TEXT];

    tensix_disas_named(words, sizeof(words), by->word);
    tensix_expansion_text(expansion, insn.mop_position, insn.replay_slot,
                          recorded);
    g_string_append_printf(text, "%s pc 0x%08x, thread %u, word 0x%08x (%s), unit %s%s",
                           tensix_hart_names[by->hart], by->pc, by->thread,
                           by->word, words,
                           tensix_unit_names[tensix_insns[by->word >> 24].unit],
                           expansion);
}

/* What started an agent, if that is known. */
static void cause_text(const TensixActor *by, const TensixRecorded *recorded,
                       GString *text)
{
    if (by->word) {
        g_string_append(text, " for ");
        instruction_text(by, recorded, text);
    } else if (by->hart < TENSIX_HART_NONE) {
        g_string_append_printf(text, " for %s pc 0x%08x",
                               tensix_hart_names[by->hart], by->pc);
    }
    tensix_actor_tile_text(by, text);
}

/* The writer, or reader. */
static void actor_text(const TensixActor *by, const TensixRecorded *recorded,
                       bool is_read, GString *text)
{
    switch (by->kind) {
    case TENSIX_BY_INSTRUCTION:
        instruction_text(by, recorded, text);
        break;
    case TENSIX_BY_HART:
        g_string_append_printf(text, "%s pc 0x%08x, %s",
                               tensix_hart_names[by->hart], by->pc,
                               is_read ? "load" : "store");
        break;
    default:
        g_string_append(text, tensix_agent_names[by->kind]);
        cause_text(by, recorded, text);
        break;
    }
}

void tensix_watch_writer_text(const TensixActor *by, GString *text)
{
    actor_text(by, &nowhere, false, text);
}

const TensixCfgField *tensix_watch_changed_field(const TensixHit *hit)
{
    const TensixCfgTable *table = tensix_watch_cfg_table(hit->space);
    uint32_t changed = ldn_le_p(hit->old, hit->size) ^
                       ldn_le_p(hit->new, hit->size);

    for (unsigned n = 0; n < table->field_count; n++) {
        const TensixCfgField *field = &table->fields[n];

        if (field->word == hit->index % table->words &&
            extract32(changed, field->low, field->width)) {
            return field;
        }
    }
    return NULL;
}

static void config_text(const TensixHit *hit, GString *text)
{
    uint32_t words = tensix_watch_cfg_table(hit->space)->words;
    const char *copy = hit->space == TENSIX_SPACE_CONFIG ? "bank" : "thread";
    uint32_t old = ldn_le_p(hit->old, hit->size);
    uint32_t new = ldn_le_p(hit->new, hit->size);
    const TensixCfgField *field = tensix_watch_changed_field(hit);

    g_string_append_printf(text, "%s %u %s %u", tensix_spaces[hit->space].name,
                           hit->index % words, copy, hit->index / words);
    if (field) {
        g_string_append_printf(text, " (%s %u -> %u)", field->name,
                               extract32(old, field->low, field->width),
                               extract32(new, field->low, field->width));
    }
}

void tensix_watch_place_text(const TensixHit *hit, GString *text)
{
    const char *name = tensix_spaces[hit->space].name;

    switch (hit->space) {
    case TENSIX_SPACE_L1:
        g_string_append_printf(text, "l1 0x%x", hit->index);
        break;
    case TENSIX_SPACE_CONFIG:
    case TENSIX_SPACE_THREAD_CONFIG:
        config_text(hit, text);
        break;
    case TENSIX_SPACE_SRCA:
    case TENSIX_SPACE_SRCB:
        g_string_append_printf(text, "%s %u bank %u", name,
                               hit->index % TENSIX_SRC_ROWS,
                               hit->index / TENSIX_SRC_ROWS);
        break;
    case TENSIX_SPACE_GPR:
        g_string_append_printf(text, "gpr %u thread %u", hit->index % TENSIX_GPRS,
                               hit->index / TENSIX_GPRS);
        break;
    default:
        g_string_append_printf(text, "%s %u", name, hit->index);
        break;
    }
}

unsigned tensix_watch_value_bytes(TensixSpace space)
{
    return space == TENSIX_SPACE_DST || space == TENSIX_SPACE_THREAD_CONFIG
           ? sizeof(uint16_t) : sizeof(uint32_t);
}

/* Of a value: bytes of numbers of the width that the space has. */
static void value_text(const TensixHit *hit, const uint8_t *bytes, bool valid,
                       GString *text)
{
    unsigned width = tensix_watch_value_bytes(hit->space);
    unsigned at = 0, n;

    if (!valid) {
        g_string_append(text, hit->space == TENSIX_SPACE_L1 ? " ?" : " undefined");
        return;
    }
    for (; at < hit->size; at += n) {
        n = MIN(width, hit->size - at);
        n = n == 3 ? 1 : n;
        g_string_append_printf(text, " %0*x", (int)(2 * n),
                               (uint32_t)ldn_le_p(bytes + at, n));
    }
}

uint32_t tensix_watch_first(const TensixHit *hit)
{
    return hit->space < TENSIX_READ_SPACES
           ? hit->offset / tensix_watch_value_bytes(hit->space) : 0;
}

static void where_in_cell(const TensixHit *hit, GString *text)
{
    if (hit->space < TENSIX_READ_SPACES) {
        g_string_append_printf(text, ", from %s %u on",
                               hit->space == TENSIX_SPACE_LREG ? "lane"
                                                               : "column",
                               tensix_watch_first(hit));
    }
}

void tensix_watch_hit_text(const TensixHit *hit, const TensixRecorded *recorded,
                           GString *text)
{
    if (hit->is_break) {
        g_string_append_printf(text, "tensix: break %u: before ", hit->id);
        actor_text(&hit->by, recorded, false, text);
        return;
    }
    g_string_append_printf(text, "tensix: watch %u: ", hit->id);
    tensix_watch_place_text(hit, text);
    g_string_append(text, hit->is_read ? " read by " : " written by ");
    actor_text(&hit->by, recorded, hit->is_read, text);
    if (hit->is_read) {
        g_string_append(text, ":");
        value_text(hit, hit->old, hit->was_valid, text);
        return;
    }
    where_in_cell(hit, text);
    g_string_append(text, ": old");
    value_text(hit, hit->old, hit->was_valid, text);
    g_string_append(text, ", new");
    value_text(hit, hit->new, hit->is_valid, text);
}
