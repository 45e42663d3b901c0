/*
 * Instructions: operands, and the functions that execute them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_DECODE_H
#define TENSIX_DECODE_H

#include "decode/isa.h"
#include "tensix_core_struct.h"
#include "decode/tensix_fields.h"

/* Operand of the instruction at hand: OPERAND(i, SETC16, setc16_reg). */
#define OPERAND(i, mnemonic, field) TENSIX_FIELD((i)->word, mnemonic, field)

/* Is it ADDDMAREG or one of the five that have the same fields? */
static inline bool tensix_is_gpr_arithmetic(uint32_t opcode)
{
    return opcode == TENSIX_OP_ADDDMAREG || opcode == TENSIX_OP_SUBDMAREG ||
           opcode == TENSIX_OP_MULDMAREG || opcode == TENSIX_OP_CMPDMAREG ||
           opcode == TENSIX_OP_BITWOPDMAREG || opcode == TENSIX_OP_SHIFTDMAREG;
}

/*
 * Operand bits that no field of the instruction has and that are reported.  A NOP
 * may hold anything; bit 21 of ZEROACC is in LLK's CLR_HALF_32B and CLR_ALL_32B,
 * that of INCRWC in the rwc_cr that LLK's binary operations give it.
 */
#define TENSIX_FIELD_MASK(m, field, low, width) | ((1u << (width)) - 1u) << (low)
#define TENSIX_RESERVED(m) \
    (0xffffffu & ~(0u TENSIX_FIELDS_##m(TENSIX_FIELD_MASK)) & \
     ~tensix_reserved_exempt(TENSIX_OP_##m))

static inline __attribute__((always_inline, const))
uint32_t tensix_reserved_exempt(uint32_t opcode)
{
    return opcode == TENSIX_OP_NOP || opcode == TENSIX_OP_DMANOP ||
           opcode == TENSIX_OP_SFPNOP ? UINT32_MAX
                                      : (opcode == TENSIX_OP_ZEROACC ||
                                         opcode == TENSIX_OP_INCRWC) << 21;
}

/* One prototype per implemented row of the instruction table. */
#define INSN(op, mnemonic, unit, block, class, page) \
    TensixExecFn tensix_exec_##mnemonic TENSIX_ISA_UNIT_##unit( \
        "tensix_exec_" #mnemonic);
#define UNIMP(op, mnemonic, unit, block, class, page)
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP

/* Where the word is executed: its unit, or TENSIX_PORT_UNPACK1. */
static inline uint32_t tensix_port(uint32_t word)
{
    uint32_t unit = tensix_insns[word >> 24].unit;

    return unit == TENSIX_UNIT_UNPACK &&
                   TENSIX_FIELD(word, UNPACR, Unpack_block_selection)
               ? TENSIX_PORT_UNPACK1 : unit;
}

#endif
