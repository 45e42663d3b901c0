/*
 * Instructions of the coprocessor as QAPI has them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/util.h"
#include "hw/tenstorrent/tensix_origin.h"
#include "tensix_insn_info.h"

static TensixOperandList *operands_of(uint32_t word)
{
    const TensixInsnDef *def = &tensix_insns[word >> 24];
    TensixOperandList *list = NULL, **tail = &list;

    for (int i = 0; def->mnemonic && i < def->nfields; i++) {
        TensixOperand *operand = g_new0(TensixOperand, 1);

        operand->name = g_strdup(def->fields[i].name);
        operand->value = tensix_operand(word, &def->fields[i]);
        QAPI_LIST_APPEND(tail, operand);
    }
    return list;
}

TensixOriginInfo *tensix_origin_info(const TensixOrigin *from)
{
    TensixOriginInfo *info;

    if (from->hart >= TENSIX_HART_NONE) {
        return NULL;
    }
    info = g_new0(TensixOriginInfo, 1);
    info->hart = from->hart;
    info->pc = from->pc;
    return info;
}

TensixInsnInfo *tensix_insn_info(const TensixInsn *insn,
                                 const TensixRecorded *recorded)
{
    TensixInsnInfo *info = g_new0(TensixInsnInfo, 1);
    const char *mnemonic = tensix_insns[insn->word >> 24].mnemonic;
    char text[TENSIX_DISAS_NAMED];

    QEMU_BUILD_BUG_ON((int)TENSIX_HART_NAME_NONE != TENSIX_HART_NONE);
    tensix_disas_named(text, sizeof(text), insn->word);
    info->word = insn->word;
    info->mnemonic = g_strdup(mnemonic ? mnemonic : "");
    info->operands = operands_of(insn->word);
    info->text = g_strdup(text);
    info->thread = insn->thread;
    info->hart = MIN(insn->origin.hart, TENSIX_HART_NONE);
    info->pc = insn->origin.pc;
    info->has_mop_word = insn->mop_position != TENSIX_NO_POSITION;
    info->mop_word = info->has_mop_word ? insn->mop_position : 0;
    info->has_replay_slot = insn->replay_slot != TENSIX_NO_POSITION;
    info->replay_slot = info->has_replay_slot ? insn->replay_slot : 0;
    if (recorded && info->has_mop_word) {
        info->mop_from = tensix_origin_info(&recorded->mop);
    }
    if (recorded && info->has_replay_slot) {
        info->replay_from = tensix_origin_info(&recorded->replay);
    }
    return info;
}

static const TensixWriterSort sorts[TENSIX_AGENTS] = {
    [TENSIX_BY_NONE] = TENSIX_WRITER_SORT_NONE,
    [TENSIX_BY_INSTRUCTION] = TENSIX_WRITER_SORT_INSTRUCTION,
    [TENSIX_BY_HART] = TENSIX_WRITER_SORT_HART,
    [TENSIX_BY_NOC] = TENSIX_WRITER_SORT_NOC,
    [TENSIX_BY_TDMA] = TENSIX_WRITER_SORT_TDMA,
    [TENSIX_BY_RISC_DBG] = TENSIX_WRITER_SORT_RISC_DBG,
    [TENSIX_BY_DEBUG_BUS] = TENSIX_WRITER_SORT_DEBUG_BUS,
    [TENSIX_BY_TIMESTAMPER] = TENSIX_WRITER_SORT_TIMESTAMPER,
    [TENSIX_BY_HOST] = TENSIX_WRITER_SORT_HOST,
    [TENSIX_BY_DEBUGGER] = TENSIX_WRITER_SORT_DEBUGGER,
    [TENSIX_BY_LOADER] = TENSIX_WRITER_SORT_LOADER,
};

void tensix_actor_info(const TensixActor *by, const TensixRecorded *recorded,
                       TensixActorInfo *info)
{
    const TensixInsn insn = tensix_actor_insn(by);

    info->sort = sorts[by->event ? by->kind : TENSIX_BY_NONE];
    if (!by->event) {
        return;
    }
    if (by->word) {
        info->instruction = tensix_insn_info(&insn, recorded);
    } else if (by->hart < TENSIX_HART_NONE) {
        info->has_hart = info->has_pc = true;
        info->hart = (TensixHartName)by->hart;
        info->pc = by->pc;
    }
    if (!tensix_actor_is_here(by)) {
        info->tile = g_new(TensixTilePlace, 1);
        *info->tile = (TensixTilePlace) { by->tile_x, by->tile_y };
    }
}

uint32List *tensix_words_list(const uint32_t *words, uint32_t count)
{
    uint32List *list = NULL, **tail = &list;

    for (uint32_t i = 0; i < count; i++) {
        QAPI_LIST_APPEND(tail, words[i]);
    }
    return list;
}
