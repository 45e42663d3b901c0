/*
 * Instruction words: operand fields by name, and building words from them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Header-only and free of the rest of the core, so that firmware uses it too:
 *
 *   uint32_t word = TT(SETC16, .setc16_reg = 1, .setc16_value = 512);
 *   uint32_t reg = TENSIX_FIELD(word, SETC16, setc16_reg);
 */

#ifndef TENSIX_FIELDS_H
#define TENSIX_FIELDS_H

#include <stdint.h>

#include "decode/insn_fields.h.inc"

/* TENSIX_OP_<mnemonic>: the opcode, bits 31:24 of the word. */
enum {
#define INSN(op, mnemonic, unit, block, class, page) TENSIX_OP_##mnemonic = op,
#define UNIMP(op, mnemonic, unit, block, class, page) TENSIX_OP_##mnemonic = op,
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP
};

/* struct tt_<mnemonic> and tt_encode_<mnemonic>() for every row */
#define TENSIX_FIELD_ENUM(m, field, low, width) \
    TENSIX_##m##_##field##_LOW = low, TENSIX_##m##_##field##_WIDTH = width,
#define TENSIX_FIELD_MEMBER(m, field, low, width) uint32_t field;
#define TENSIX_FIELD_PLACE(m, field, low, width) \
    | ((f.field & ((1u << (width)) - 1u)) << (low))

#define TENSIX_INSN_TYPES(op, m) \
    enum { TENSIX_FIELDS_##m(TENSIX_FIELD_ENUM) TENSIX_##m##_END }; \
    struct tt_##m { TENSIX_FIELDS_##m(TENSIX_FIELD_MEMBER) char none; }; \
    static inline __attribute__((always_inline, artificial, unused)) \
    uint32_t tt_encode_##m(struct tt_##m f) \
    { \
        (void)f; \
        return ((uint32_t)(op) << 24) TENSIX_FIELDS_##m(TENSIX_FIELD_PLACE); \
    }
#define INSN(op, mnemonic, unit, block, class, page) \
    TENSIX_INSN_TYPES(op, mnemonic)
#define UNIMP(op, mnemonic, unit, block, class, page) \
    TENSIX_INSN_TYPES(op, mnemonic)
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP

#define TENSIX_FIELD(word, m, field) \
    (((word) >> TENSIX_##m##_##field##_LOW) & \
     ((1u << TENSIX_##m##_##field##_WIDTH) - 1u))

/* The word of an instruction; operands not named are 0. */
#define TT(m, ...) tt_encode_##m((struct tt_##m){ __VA_ARGS__ })

#endif
