/*
 * Vector Unit (SFPU): words with their operands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All that is known of the instructions comes from decode/vector_table.h.inc.
 */

#ifndef TENSIX_VECTOR_DECODE_H
#define TENSIX_VECTOR_DECODE_H

#include "tensix_internal.h"

/*
 * Sub-units of BH VectorUnit.md.  SFPLOADMACRO schedules for the first
 * TENSIX_MACRO_UNITS, in this order of the bytes of its sequences.
 */
typedef enum TensixVectorSubUnit {
    VECTOR_SUB_SIMPLE,
    VECTOR_SUB_MAD,
    VECTOR_SUB_ROUND,
    VECTOR_SUB_STORE,
    VECTOR_SUB_LOAD,
    VECTOR_SUB_NONE,               /* SFPNOP, and what is no vector instruction */
} TensixVectorSubUnit;

typedef struct TensixVectorRow {
    uint8_t is_vector;
    uint8_t unit;                  /* TensixVectorSubUnit */
} TensixVectorRow;

/* By opcode. */
extern const TensixVectorRow tensix_vector_rows[256];

/* The sub-unit that executes the word. */
static inline TensixVectorSubUnit tensix_vector_sub_unit(uint32_t word)
{
    const TensixVectorRow *row = &tensix_vector_rows[word >> 24];

    return row->is_vector ? row->unit : VECTOR_SUB_NONE;
}

enum { VECTOR_LREG_FIELD = 15, VECTOR_USE_VB = 1 << 0 };

/*
 * One vector instruction on its way: its word, and the operands.  They are the
 * word's own, unless SFPLOADMACRO scheduled it: then it may have other LRegs,
 * LReg 16 among them, and SFPSTORE another format.
 */
typedef struct TensixVectorOp {
    const TensixInsn *insn;        /* the word; what the backdoor stores */
    uint32_t va, vb, vc, vd;       /* LReg indices 0..16 */
    uint32_t mod;
    uint32_t imm;
    bool plain;                    /* VD is 0..7, no lane has a LaneConfig */
    bool everywhere;               /* and none is disabled */
    bool scheduled;                /* by SFPLOADMACRO: has no backdoor */
    uint32_t lanes;                /* of a scheduled one: where it is */
    uint32_t address;              /* of a scheduled SFPSTORE */
    TensixVectorLate *late;        /* takes a scheduled MAD's result, or NULL */
} TensixVectorOp;

/* Fields of no bits, for operands that an instruction does not have. */
enum {
#define VECTOR(m, ...) \
    TENSIX_##m##_none_LOW = 0, TENSIX_##m##_none_WIDTH = 0, \
    TENSIX_##m##_imm12_or_vd_LOW = 12, TENSIX_##m##_imm12_or_vd_WIDTH = 12,
#include "decode/vector_table.h.inc"
#undef VECTOR
};

/* The bit of an instruction's word that makes its VD one of LReg 8 to 15. */
enum {
#define VECTOR(m, unit, mod_field, vd_field, ...) \
    VECTOR_VD_NOT_WRITABLE_##m = TENSIX_##m##_##vd_field##_WIDTH \
                                 ? 8 << TENSIX_##m##_##vd_field##_LOW : 0,
#include "decode/vector_table.h.inc"
#undef VECTOR
};

/* Column VB: is it VD where bit 0 of Mod1 is clear? */
enum {
    VECTOR_VB_none, VECTOR_VB_lreg_dest = 0, VECTOR_VB_lreg_src_b = 0,
    VECTOR_VB_imm12_math = 0, VECTOR_VB_imm12_or_vd = 1,
};

#define VECTOR_LREG(i, m, field) (OPERAND(i, m, field) & VECTOR_LREG_FIELD)

/* tensix_vector_decode_<MNEMONIC>(i): i's word as that instruction. */
#define VECTOR(m, unit, mod_field, vd_field, va_field, vb_field, vc_field, \
               imm_field, ...) \
    static inline __attribute__((always_inline, unused)) \
    TensixVectorOp tensix_vector_decode_##m(const TensixInsn *i) \
    { \
        uint32_t mod = OPERAND(i, m, mod_field); \
        bool vb_is_vd = VECTOR_VB_##vb_field && !(mod & VECTOR_USE_VB); \
        \
        return (TensixVectorOp) { \
            .insn = i, \
            .va = VECTOR_LREG(i, m, va_field), \
            .vb = vb_is_vd ? VECTOR_LREG(i, m, vd_field) : VECTOR_LREG(i, m, vb_field), \
            .vc = VECTOR_LREG(i, m, vc_field), \
            .vd = VECTOR_LREG(i, m, vd_field), \
            .mod = mod, \
            .imm = OPERAND(i, m, imm_field), \
        }; \
    }
#include "decode/vector_table.h.inc"
#undef VECTOR

/* i's word, a vector instruction, by its opcode.  (vector_decode.c) */
TensixVectorOp tensix_vector_decode(const TensixInsn *i);

#endif
