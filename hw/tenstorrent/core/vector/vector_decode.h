/*
 * Vector Unit (SFPU): words with their operands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All that is known of the instructions comes from vector_table.h.inc.
 */

#ifndef TENSIX_VECTOR_DECODE_H
#define TENSIX_VECTOR_DECODE_H

#include "tensix_internal.h"

/*
 * Sub-units of BH VectorUnit.md.  SFPLOADMACRO schedules for the first
 * TENSIX_MACRO_UNITS, in this order of the bytes of its sequences.
 */
typedef enum TensixVuUnit {
    VU_UNIT_SIMPLE,
    VU_UNIT_MAD,
    VU_UNIT_ROUND,
    VU_UNIT_STORE,
    VU_UNIT_LOAD,
    VU_UNIT_NONE,                  /* SFPNOP, and what is no vector instruction */
} TensixVuUnit;

/* Column "reads" of the table. */
typedef enum TensixVuReads {
    VU_READS_NOTHING,
    VU_READS_VD,
    VU_READS_VC,
    VU_READS_VD_VC,
    VU_READS_VA_VB_VC,
    VU_READS_VB_BY_MOD,            /* SFPAND, SFPOR */
    VU_READS_ALL,
    VU_READS_LUT,                  /* the rest: each an instruction's own */
    VU_READS_LUTFP32,
    VU_READS_IADD,
    VU_READS_SHFT,
    VU_READS_CONFIG,
    VU_READS_SWAP,
    VU_READS_SHFT2,
} TensixVuReads;

typedef struct TensixVuRow {
    uint8_t is_vector;
    uint8_t unit;                  /* TensixVuUnit */
    uint8_t reads;                 /* TensixVuReads */
} TensixVuRow;

/* By opcode. */
extern const TensixVuRow tensix_vu_rows[256];

/* The sub-unit that executes the word. */
static inline TensixVuUnit tensix_vu_unit(uint32_t word)
{
    const TensixVuRow *row = &tensix_vu_rows[word >> 24];

    return row->is_vector ? row->unit : VU_UNIT_NONE;
}

enum { VU_LREG_FIELD = 15, VU_USE_VB = 1 << 0 };

/*
 * One vector instruction on its way: its word, and the operands.  They are the
 * word's own, unless SFPLOADMACRO scheduled it: then it may have other LRegs,
 * LReg 16 among them, and SFPSTORE another format.
 */
typedef struct TensixVuOp {
    const TensixInsn *insn;        /* the word; what the backdoor stores */
    uint32_t va, vb, vc, vd;       /* LReg indices 0..16 */
    uint32_t mod;
    uint32_t imm;
    bool plain;                    /* VD is 0..7, no lane has a LaneConfig */
    bool scheduled;                /* by SFPLOADMACRO: has no backdoor */
    uint32_t lanes;                /* of a scheduled one: where it is */
    uint32_t address;              /* of a scheduled SFPSTORE */
    TensixVuLate *late;            /* takes a scheduled MAD's result, or NULL */
} TensixVuOp;

/* Fields of no bits, for operands that an instruction does not have. */
enum {
#define VECTOR(m, unit, reads, mod, vd, va, vb, vc, imm) \
    TENSIX_##m##_none_LOW = 0, TENSIX_##m##_none_WIDTH = 0,
#include "vector/vector_table.h.inc"
#undef VECTOR
};

#define VU_LREG(i, m, field) (OPERAND(i, m, field) & VU_LREG_FIELD)

/* tensix_vu_decode_<MNEMONIC>(i): i's word as that instruction. */
#define VECTOR(m, unit, its_reads, mod_field, vd_field, va_field, vb_field, \
               vc_field, imm_field) \
    static inline __attribute__((always_inline, unused)) \
    TensixVuOp tensix_vu_decode_##m(const TensixInsn *i) \
    { \
        uint32_t mod = OPERAND(i, m, mod_field); \
        bool vb_is_vd = VU_READS_##its_reads == VU_READS_VB_BY_MOD && \
                        !(mod & VU_USE_VB); \
        \
        return (TensixVuOp) { \
            .insn = i, \
            .va = VU_LREG(i, m, va_field), \
            .vb = vb_is_vd ? VU_LREG(i, m, vd_field) : VU_LREG(i, m, vb_field), \
            .vc = VU_LREG(i, m, vc_field), \
            .vd = VU_LREG(i, m, vd_field), \
            .mod = mod, \
            .imm = OPERAND(i, m, imm_field), \
        }; \
    }
#include "vector/vector_table.h.inc"
#undef VECTOR

/* i's word, a vector instruction, by its opcode.  (vector_decode.c) */
TensixVuOp tensix_vu_decode(const TensixInsn *i);

#endif
