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
#include "decode/traits.h"

/* Operand of the instruction at hand: OPERAND(i, SETC16, setc16_reg). */
#define OPERAND(i, mnemonic, field) TENSIX_FIELD((i)->word, mnemonic, field)

/*
 * Operand bits of no field that are not reported, where there are any.  A NOP may
 * hold anything; bit 21 of ZEROACC is in LLK's CLR_HALF_32B and CLR_ALL_32B, that
 * of INCRWC in the rwc_cr that LLK's binary operations give it.
 */
#define TENSIX_UNREPORTED_NOP , 0xffffffu
#define TENSIX_UNREPORTED_DMANOP , 0xffffffu
#define TENSIX_UNREPORTED_SFPNOP , 0xffffffu
#define TENSIX_UNREPORTED_ZEROACC , 1u << 21
#define TENSIX_UNREPORTED_INCRWC , 1u << 21
#define TENSIX_SECOND(...) TENSIX_SECOND_OF(__VA_ARGS__)
#define TENSIX_SECOND_OF(first, second, ...) second

/*
 * Operand bits that no field of the instruction has and that are reported: a
 * constant, also for an initialiser.
 */
#define TENSIX_FIELD_MASK(m, field, low, width) | ((1u << (width)) - 1u) << (low)
#define TENSIX_RESERVED(m) \
    (0xffffffu & ~(0u TENSIX_FIELDS_##m(TENSIX_FIELD_MASK)) & \
     ~(TENSIX_SECOND(TENSIX_UNREPORTED_##m, 0u, 0u)))

/*
 * One prototype per implemented row of the instruction table; and the row's
 * properties as the compiler knows them, tensix_traits_<mnemonic>().
 */
#define INSN(op, mnemonic, unit, block, class, page, ...) \
    TensixExecFn tensix_exec_##mnemonic TENSIX_ISA_UNIT_##unit( \
        "tensix_exec_" #mnemonic); \
    static inline __attribute__((always_inline, const, unused)) \
    TensixTraits tensix_traits_##mnemonic(void) \
    { \
        return (TensixTraits) { __VA_ARGS__ }; \
    }
#define UNIMP(op, ...)
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP

#endif
