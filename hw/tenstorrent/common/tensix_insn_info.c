/*
 * Instructions of the coprocessor as QAPI has them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/util.h"
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

uint32List *tensix_words_list(const uint32_t *words, uint32_t count)
{
    uint32List *list = NULL, **tail = &list;

    for (uint32_t i = 0; i < count; i++) {
        QAPI_LIST_APPEND(tail, words[i]);
    }
    return list;
}
