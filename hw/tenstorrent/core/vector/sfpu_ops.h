/*
 * Vector Unit (SFPU): instructions as operations on chosen operands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SFPLOADMACRO executes instructions later and with other register indices
 * than their words name.  So an instruction file defines
 * tensix_vu_<MNEMONIC>(c, i, op), which takes its operands from op and nothing
 * from i->word, and VU_EXEC() makes tensix_exec_<MNEMONIC>() of it and of one
 * of the decoders below.
 */

#ifndef TENSIX_SFPU_OPS_H
#define TENSIX_SFPU_OPS_H

#include "vector/sfpu.h"

/* Sub-units of BH VectorUnit.md; SFPLOADMACRO schedules for the last four. */
typedef enum TensixVuUnit {
    VU_UNIT_SIMPLE,
    VU_UNIT_MAD,
    VU_UNIT_ROUND,
    VU_UNIT_STORE,
    VU_UNIT_LOAD,
} TensixVuUnit;

/* Mod0 of SFPLOAD and SFPSTORE: 32 bits, all lanes, at the stack pointer. */
enum { VU_FMT_INT32_ALL = 10 };

typedef void TensixVuFn(TensixCore *c, const TensixInsn *i, const TensixVuOp *op);
typedef TensixVuOp TensixVuDecodeFn(uint32_t word);

/*
 * Every instruction that SFPLOADMACRO can schedule: mnemonic, sub-unit,
 * decoder.  The table at the top of BH SFPLOADMACRO.md.
 */
#define TENSIX_VU_OPS(X) \
    X(SFPABS, SIMPLE, simple) \
    X(SFPAND, SIMPLE, three_way) \
    X(SFPARECIP, SIMPLE, three) \
    X(SFPCAST, SIMPLE, simple) \
    X(SFPCOMPC, SIMPLE, simple) \
    X(SFPCONFIG, SIMPLE, imm16) \
    X(SFPDIVP2, SIMPLE, simple) \
    X(SFPENCC, SIMPLE, simple) \
    X(SFPEXEXP, SIMPLE, simple) \
    X(SFPEXMAN, SIMPLE, simple) \
    X(SFPGT, SIMPLE, simple) \
    X(SFPIADD, SIMPLE, simple) \
    X(SFPLE, SIMPLE, simple) \
    X(SFPLZ, SIMPLE, simple) \
    X(SFPMOV, SIMPLE, simple) \
    X(SFPNOT, SIMPLE, simple) \
    X(SFPOR, SIMPLE, three_way) \
    X(SFPPOPC, SIMPLE, simple) \
    X(SFPPUSHC, SIMPLE, simple) \
    X(SFPSETCC, SIMPLE, simple) \
    X(SFPSETEXP, SIMPLE, simple) \
    X(SFPSETMAN, SIMPLE, simple) \
    X(SFPSETSGN, SIMPLE, simple) \
    X(SFPSHFT, SIMPLE, simple) \
    X(SFPSWAP, SIMPLE, simple) \
    X(SFPTRANSP, SIMPLE, simple) \
    X(SFPXOR, SIMPLE, simple) \
    X(SFPADD, MAD, three) \
    X(SFPADDI, MAD, imm16) \
    X(SFPLUT, MAD, mod0) \
    X(SFPLUTFP32, MAD, simple) \
    X(SFPMAD, MAD, three) \
    X(SFPMUL, MAD, three) \
    X(SFPMULI, MAD, imm16) \
    X(SFPMUL24, MAD, three) \
    X(SFPSHFT2, ROUND, three) \
    X(SFP_STOCH_RND, ROUND, round) \
    X(SFPSTORE, STORE, mod0)

#define VU_DECLARE(mnemonic, unit, decoder) \
    TensixVuFn tensix_vu_##mnemonic TENSIX_ISA_SYMBOL("tensix_vu_" #mnemonic);
TENSIX_VU_OPS(VU_DECLARE)
#undef VU_DECLARE

/* Bits of a vector instruction's word. */
static inline uint32_t tensix_vu_bits(uint32_t word, unsigned low, unsigned width)
{
    return word >> low & ((1u << width) - 1);
}

/* Mod1, VD, VC and Imm12; VB is VD. */
static inline TensixVuOp tensix_vu_decode_simple(uint32_t word)
{
    return (TensixVuOp) {
        .word = word,
        .mod = tensix_vu_bits(word, 0, 4),
        .vd = tensix_vu_bits(word, 4, 4),
        .vb = tensix_vu_bits(word, 4, 4),
        .vc = tensix_vu_bits(word, 8, 4),
        .imm = tensix_vu_bits(word, 12, 12),
    };
}

/* Mod1, VD, VC, VB and VA; Imm12 overlaps the last two. */
static inline TensixVuOp tensix_vu_decode_three(uint32_t word)
{
    TensixVuOp op = tensix_vu_decode_simple(word);

    op.vb = tensix_vu_bits(word, 12, 4);
    op.va = tensix_vu_bits(word, 16, 4);
    return op;
}

/* SFPAND and SFPOR: VB is a field of its own only if Mod1 bit 0 says so. */
static inline TensixVuOp tensix_vu_decode_three_way(uint32_t word)
{
    return word & 1 ? tensix_vu_decode_three(word) : tensix_vu_decode_simple(word);
}

/* Mod1, VD and Imm16; VC is VD. */
static inline TensixVuOp tensix_vu_decode_imm16(uint32_t word)
{
    return (TensixVuOp) {
        .word = word,
        .mod = tensix_vu_bits(word, 0, 4),
        .vd = tensix_vu_bits(word, 4, 4),
        .vb = tensix_vu_bits(word, 4, 4),
        .vc = tensix_vu_bits(word, 4, 4),
        .imm = tensix_vu_bits(word, 8, 16),
    };
}

/* VD and Mod0 in the high bits, as loads have; imm: all 16 low bits. */
static inline TensixVuOp tensix_vu_decode_mod0(uint32_t word)
{
    return (TensixVuOp) {
        .word = word,
        .imm = tensix_vu_bits(word, 0, 16),
        .mod = tensix_vu_bits(word, 16, 4),
        .vd = tensix_vu_bits(word, 20, 4),
        .vb = tensix_vu_bits(word, 20, 4),
        .vc = tensix_vu_bits(word, 20, 4),
    };
}

/* SFP_STOCH_RND: imm has Imm5 in bits 4:0 and RoundingMode in bits 6:5. */
static inline TensixVuOp tensix_vu_decode_round(uint32_t word)
{
    TensixVuOp op = tensix_vu_decode_three(word);

    op.imm = tensix_vu_bits(word, 16, 7);
    return op;
}

/* An instruction that is not plain: decoded and executed.  (sfpu_cc.c) */
TensixResult tensix_vu_exec_rare(TensixCore *c, const TensixInsn *i,
                                 TensixVuDecodeFn *decode, TensixVuFn *execute)
    TENSIX_ISA_SYMBOL("tensix_vu_exec_rare");

/* The same, and reports those bits of its word as reserved, if any. */
TensixResult tensix_vu_exec_other(TensixCore *c, const TensixInsn *i,
                                  TensixVuDecodeFn *decode, TensixVuFn *execute,
                                  uint32_t reserved)
    TENSIX_ISA_SYMBOL("tensix_vu_exec_other");

/*
 * What a plain instruction leaves to a function that is not inlined: that one
 * decodes again, so that op's address is not taken (VU_EXEC()).
 */
static inline void tensix_vu_out_of_line(TensixCore *c, const TensixInsn *i,
                                         const TensixVuOp *op, TensixVuDecodeFn *decode,
                                         TensixVuFn *execute)
{
    if (op->plain) {
        tensix_vu_exec_rare(c, i, decode, execute);
    } else {
        execute(c, i, op);
    }
}

/*
 * The instruction as it is issued: built once more for plain operands, where
 * most of what it has to ask is known.  flatten: with everything inlined, the
 * operands stay in registers.  For that, nothing outside of the file may get
 * op's address on the way.
 */
#define VU_EXEC(mnemonic, decoder) \
    static __attribute__((noinline)) \
    TensixResult other_##mnemonic(TensixCore *c, const TensixInsn *i) \
    { \
        return tensix_vu_exec_other(c, i, tensix_vu_decode_##decoder, \
                                    tensix_vu_##mnemonic, \
                                    i->word & TENSIX_RESERVED(mnemonic)); \
    } \
    \
    __attribute__((flatten)) \
    TensixResult tensix_exec_##mnemonic(TensixCore *c, const TensixInsn *i) \
    { \
        TensixVuOp op = tensix_vu_decode_##decoder(i->word); \
        \
        if (__builtin_expect(op.vd >= VU_LREG_WRITABLE || \
                             (c->lane_config | \
                              (i->word & TENSIX_RESERVED(mnemonic))), false)) { \
            return other_##mnemonic(c, i); \
        } \
        op.plain = true; \
        tensix_vu_##mnemonic(c, i, &op); \
        return TENSIX_DONE; \
    }

/* Can op's VD be written?  Reports the erratum's registers (sfpu.h). */
static inline bool tensix_vu_can_put(TensixCore *c, const TensixInsn *i,
                                     const TensixVuOp *op)
{
    if (op->plain) {
        return true;
    }
    if (op->vd - 4 < 4) {
        tensix_vu_check_dest_index(c, i, op->vd);
    }
    return tensix_vu_writable(op->vd);
}

/* The lanes' results go to VD, if it can be written. */
static inline void tensix_vu_result(TensixCore *c, const TensixInsn *i,
                                    const TensixVuOp *op,
                                    const TensixLanes *r, uint32_t lanes)
{
    if (tensix_vu_can_put(c, i, op)) {
        tensix_vu_write(&c->s.vu, op->vd, r, lanes);
    }
}

/* tensix_vu_mad_result() for what is late or indirect.  (sfpu_mad.c) */
void tensix_vu_mad_elsewhere(TensixVectorUnit *vu, TensixVuLate *late, uint32_t vd,
                             const TensixLanes *r, uint32_t lanes, bool indirect)
    TENSIX_ISA_SYMBOL("tensix_vu_mad_elsewhere");

/*
 * The lanes' results of a MAD sub-unit instruction: to VD or, if `indirect`
 * and VD is not 16, lane by lane to LReg[LReg[7] & 15].  With op->late set they
 * are only noted there.
 */
static inline void tensix_vu_mad_result(TensixCore *c, const TensixInsn *i,
                                        const TensixVuOp *op, const TensixLanes *r,
                                        uint32_t lanes, bool indirect)
{
    indirect = indirect && op->vd != VU_LREG_MACRO;
    if (op->late || indirect) {
        tensix_vu_mad_elsewhere(&c->s.vu, op->late, op->vd, r, lanes, indirect);
    } else {
        tensix_vu_result(c, i, op, r, lanes);
    }
}

/*
 * SFPLOAD with op's operands, and the AddrMod of i's word.  Returns the address
 * in Dst, 10 bits: rows, and in bit 1 whether columns are odd.  (sfpu_ldst.c)
 */
uint32_t tensix_vu_load(TensixCore *c, const TensixInsn *i, const TensixVuOp *op)
    TENSIX_ISA_SYMBOL("tensix_vu_load");

/*
 * The two halves of SFPSWAP: which lanes are to be exchanged, and their
 * exchange, which reads the operands again.  (sfpu_lane.c)
 */
uint32_t tensix_vu_swap_compare(TensixVectorUnit *vu, const TensixVuOp *op)
    TENSIX_ISA_SYMBOL("tensix_vu_swap_compare");
void tensix_vu_swap_finish(TensixVectorUnit *vu, uint32_t vc, uint32_t vd, uint32_t lanes)
    TENSIX_ISA_SYMBOL("tensix_vu_swap_finish");

/* LReg[vd] takes r in `lanes`; vd has been checked by tensix_vu_can_put(). */
static inline void tensix_vu_put(TensixVectorUnit *vu, uint32_t vd, const Simd32 *r,
                                 uint32_t lanes)
{
    simd_put32(vu->lreg[vd], r, lanes);
}

/* Bit i: lane i of x is not zero. */
static inline uint32_t tensix_vu_nonzero(const uint32_t *x)
{
    uint32_t bits = 0;

    SIMD_EACH(l) {
        bits |= simd_bits(simd_eq(simd_load(&x[l]), (SimdU) { 0 })) << l;
    }
    return ~bits;
}

/*
 * Sign-magnitude integers, or FP32 in its total order, as two's complement
 * numbers of the same order (BH SFPSWAP.md, SignMagIsSmaller).
 */
static inline SimdI tensix_vu_order(SimdU x)
{
    return (SimdI)(x ^ (SimdU)((SimdI)x >> 31) >> 1);
}

/* Bit i: a < b in lane i, in that order. */
static inline uint32_t tensix_vu_smaller(const uint32_t *a, const uint32_t *b)
{
    uint32_t bits = 0;

    SIMD_EACH(l) {
        bits |= simd_bits(simd_lt(tensix_vu_order(simd_load(&a[l])),
                                  tensix_vu_order(simd_load(&b[l])))) << l;
    }
    return bits;
}

/* The numbers that the `lanes` draw, and their generators' next states. */
static inline void tensix_vu_prng(TensixVectorUnit *vu, uint32_t lanes, TensixLanes *r)
{
    TensixLanes mask;

    tensix_vu_expand(&mask, lanes);
    for (int l = 0; l < TENSIX_LANES; l++) {
        uint32_t x = vu->prng[l];
        uint32_t taps = (x ^ x >> 1 ^ x >> 21 ^ x >> 31) & 1;

        r->x[l] = x;
        vu->prng[l] = ((((taps ^ 1) << 31 | x >> 1) ^ x) & mask.x[l]) ^ x;
    }
}

#endif
