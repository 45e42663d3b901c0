/*
 * Inspection of what never changes: the tables of instructions and of
 * configuration fields, for clients without a copy of them (gdb's Python).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix_show.h"

/* "13..0", or "13" for one bit. */
static void emit_bits(TensixEmit *e, const char *name, uint32_t low,
                      uint32_t width)
{
    if (width == 1) {
        tensix_emit_string(e, name, "%u", low);
    } else {
        tensix_emit_string(e, name, "%u..%u", low + width - 1, low);
    }
}

/* Operands in the order of assembly text: from the high bit down. */
static void emit_insn(TensixEmit *e, uint32_t opcode, const TensixInsnDef *def)
{
    tensix_emit_open(e, "%s", def->mnemonic);
    tensix_emit_hex(e, "opcode", opcode);
    for (int f = def->nfields - 1; f >= 0; f--) {
        emit_bits(e, def->fields[f].name, def->fields[f].low,
                  def->fields[f].width);
    }
    tensix_emit_close(e);
}

void tensix_show_instructions(TensixEmit *e)
{
    for (uint32_t opcode = 0; opcode < ARRAY_SIZE(tensix_insns); opcode++) {
        if (tensix_insns[opcode].mnemonic) {
            emit_insn(e, opcode, &tensix_insns[opcode]);
        }
    }
}

static void emit_cfg_fields(TensixEmit *e, const TensixCfgTable *table)
{
    tensix_emit_open(e, "%s", table->name);
    for (unsigned i = 0; i < table->field_count; i++) {
        const TensixCfgField *field = &table->fields[i];

        tensix_emit_open(e, "%s", field->name);
        tensix_emit_uint(e, "word", field->word);
        emit_bits(e, "bits", field->low, field->width);
        tensix_emit_close(e);
    }
    tensix_emit_close(e);
}

void tensix_show_fields(TensixEmit *e)
{
    emit_cfg_fields(e, &tensix_cfg_table);
    emit_cfg_fields(e, &tensix_thread_cfg_table);
}
