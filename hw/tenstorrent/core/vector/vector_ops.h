/*
 * Vector Unit (SFPU): instructions as operations on chosen operands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SFPLOADMACRO executes instructions later and with other register indices
 * than their words name.  So an instruction file defines
 * tensix_vector_<MNEMONIC>(c, op), which takes its operands from op, and only
 * other fields from op->insn; VECTOR_EXEC() makes tensix_exec_<MNEMONIC>() of it.
 */

#ifndef TENSIX_VECTOR_OPS_H
#define TENSIX_VECTOR_OPS_H

#include "vector/vector.h"

typedef void TensixVectorFn(TensixCore *c, const TensixVectorOp *op);

/* tensix_vector_<MNEMONIC>(c, op): the instruction, with op's operands. */
#define VECTOR(mnemonic, ...) \
    TensixVectorFn tensix_vector_##mnemonic TENSIX_ISA_SYMBOL("tensix_vector_" #mnemonic);
#include "decode/vector_table.h.inc"
#undef VECTOR

/* One of these, by the opcode of op's word.  (vector_execute.c) */
void tensix_vector_execute(TensixCore *c, const TensixVectorOp *op)
    TENSIX_ISA_SYMBOL("tensix_vector_execute");

/* An instruction that is not plain: decoded and executed. */
TensixResult tensix_vector_exec_rare(TensixCore *c, const TensixInsn *i)
    TENSIX_ISA_SYMBOL("tensix_vector_exec_rare");

/* The same, and reports its word's bits in that mask as reserved, if any. */
TensixResult tensix_vector_exec_other(TensixCore *c, const TensixInsn *i,
                                      uint32_t empty)
    TENSIX_ISA_SYMBOL("tensix_vector_exec_other");

/*
 * What an instruction leaves to a function that is not inlined.  A plain one is
 * executed once more, as not plain: so op's address is not taken (VECTOR_EXEC()).
 */
static inline void tensix_vector_out_of_line(TensixCore *c,
                                             const TensixVectorOp *op,
                                             TensixVectorFn *execute)
{
    if (op->plain) {
        tensix_vector_exec_rare(c, op->insn);
    } else {
        execute(c, op);
    }
}

/*
 * Bits of Mod1 that select nothing, reported as reserved: non-contractual by
 * WH SFPLZ.md and SFPMOV.md and BH SFPCAST_IntInt.md, without meaning on the
 * others' pages and refused by ttsim 1.10.0.
 */
#define VECTOR_UNUSED_SFPABS , 0xeu
#define VECTOR_UNUSED_SFPCAST , 0xcu
#define VECTOR_UNUSED_SFPDIVP2 , 0xeu
#define VECTOR_UNUSED_SFPEXEXP , 0x4u
#define VECTOR_UNUSED_SFPEXMAN , 0xeu
#define VECTOR_UNUSED_SFPLZ , 0x1u
#define VECTOR_UNUSED_SFPMOV , 0x4u
#define VECTOR_UNUSED_SFPMUL24 , 0x2u
#define VECTOR_UNUSED_SFPSETSGN , 0xeu
#define VECTOR_UNUSED(mnemonic) TENSIX_SECOND(VECTOR_UNUSED_##mnemonic, 0u, 0u)

/* Bits of Mod1 that make an instruction so rare that it is not plain, either. */
#define VECTOR_RARE_SFPMOV , 0x8u
#define VECTOR_RARE_SFPSHFT , 0x8u
#define VECTOR_RARE(mnemonic) TENSIX_SECOND(VECTOR_RARE_##mnemonic, 0u, 0u)

/* Bits of its word that select nothing, and all that a plain one has clear. */
#define VECTOR_EMPTY(mnemonic) \
    (TENSIX_RESERVED(mnemonic) | VECTOR_UNUSED(mnemonic))
#define VECTOR_NOT_PLAIN(mnemonic) \
    (VECTOR_EMPTY(mnemonic) | VECTOR_RARE(mnemonic) | \
     VECTOR_VD_NOT_WRITABLE_##mnemonic)

/*
 * The instruction as it is issued.  It is built three times: for plain operands
 * in all lanes, where there is nothing more to ask, for plain operands, and for
 * everything (vector_execute.c).  flatten: with everything inlined, the operands
 * stay in registers.  For that, nothing outside of the file may get op's address
 * on the way.
 */
#define VECTOR_EXEC(mnemonic) \
    static __attribute__((flatten, noinline)) \
    TensixResult exec_lanes_##mnemonic(TensixCore *c, const TensixInsn *i) \
    { \
        TensixVectorOp op = tensix_vector_decode_##mnemonic(i); \
        \
        op.plain = true; \
        op.mod &= ~VECTOR_RARE(mnemonic); \
        tensix_vector_##mnemonic(c, &op); \
        return TENSIX_DONE; \
    } \
    \
    __attribute__((flatten)) \
    TensixResult tensix_exec_##mnemonic(TensixCore *c, const TensixInsn *i) \
    { \
        uint32_t other = (i->word & VECTOR_NOT_PLAIN(mnemonic)) | \
                         c->s.vu.lane_config_any; \
        TensixVectorOp op; \
        \
        if (__builtin_expect(other | tensix_vector_off(&c->s.vu), false)) { \
            return other ? tensix_vector_exec_other(c, i, VECTOR_EMPTY(mnemonic)) \
                         : exec_lanes_##mnemonic(c, i); \
        } \
        op = tensix_vector_decode_##mnemonic(i); \
        op.plain = op.everywhere = true; \
        op.mod &= ~VECTOR_RARE(mnemonic); \
        tensix_vector_##mnemonic(c, &op); \
        return TENSIX_DONE; \
    }

/* One that is often executed where some lanes are disabled. */
#define VECTOR_EXEC_LANES(mnemonic) \
    __attribute__((flatten)) \
    TensixResult tensix_exec_##mnemonic(TensixCore *c, const TensixInsn *i) \
    { \
        TensixVectorOp op; \
        \
        if (__builtin_expect((i->word & VECTOR_NOT_PLAIN(mnemonic)) | \
                             c->s.vu.lane_config_any, false)) { \
            return tensix_vector_exec_other(c, i, VECTOR_EMPTY(mnemonic)); \
        } \
        op = tensix_vector_decode_##mnemonic(i); \
        op.plain = true; \
        tensix_vector_##mnemonic(c, &op); \
        return TENSIX_DONE; \
    }

/* Can op's VD be written?  Reports the erratum's registers (vector.h). */
static inline bool tensix_vector_can_put(TensixCore *c,
                                         const TensixVectorOp *op)
{
    if (op->plain) {
        return true;
    }
    if (op->vd - 4 < 4) {
        tensix_vector_check_dest_index(c, op);
    }
    return tensix_vector_writable(op->vd);
}

/* The lanes' results go to VD, if it can be written. */
static inline void tensix_vector_result(TensixCore *c, const TensixVectorOp *op,
                                        const TensixLanes *r, uint32_t lanes)
{
    if (tensix_vector_can_put(c, op)) {
        tensix_vector_write(&c->s.vu, op->vd, r, lanes);
    }
}

/* tensix_vector_mad_result() for what is late or indirect.  (vector_mad.c) */
void tensix_vector_mad_elsewhere(TensixVectorUnit *vu, TensixVectorLate *late,
                                 uint32_t vd,
                                 const TensixLanes *r, uint32_t lanes, bool indirect)
    TENSIX_ISA_SYMBOL("tensix_vector_mad_elsewhere");

/*
 * The lanes' results of a MAD sub-unit instruction: to VD or, if `indirect`
 * and VD is not 16, lane by lane to LReg[LReg[7] & 15].  With op->late set they
 * are only noted there.
 */
static inline void tensix_vector_mad_result(TensixCore *c,
                                            const TensixVectorOp *op,
                                            const TensixLanes *r,
                                            uint32_t lanes, bool indirect)
{
    indirect = indirect && op->vd != VECTOR_LREG_MACRO;
    if (op->late || indirect) {
        tensix_vector_mad_elsewhere(&c->s.vu, op->late, op->vd, r, lanes,
                                    indirect);
    } else {
        tensix_vector_result(c, op, r, lanes);
    }
}

/*
 * SFPLOAD with op's operands, and the AddrMod of i's word.  Returns the address
 * in Dst, 10 bits: rows, and in bit 1 whether columns are odd.  (vector_ldst.c)
 */
uint32_t tensix_vector_load(TensixCore *c, const TensixVectorOp *op)
    TENSIX_ISA_SYMBOL("tensix_vector_load");

/*
 * The two halves of SFPSWAP: which lanes are to be exchanged, and their
 * exchange, which reads the operands again.  (vector_lane.c)
 */
uint32_t tensix_vector_swap_compare(TensixVectorUnit *vu,
                                    const TensixVectorOp *op)
    TENSIX_ISA_SYMBOL("tensix_vector_swap_compare");
void tensix_vector_swap_finish(TensixVectorUnit *vu, uint32_t vc, uint32_t vd,
                               uint32_t lanes)
    TENSIX_ISA_SYMBOL("tensix_vector_swap_finish");

/* LReg[vd] takes r in `lanes`; vd has been checked by tensix_vector_can_put(). */
static inline void tensix_vector_put(TensixVectorUnit *vu, uint32_t vd,
                                     const Simd32 *r,
                                     uint32_t lanes)
{
    simd_put32(vu->lreg[vd], r, lanes);
}

/* Bit i: lane i of x is not zero. */
static inline uint32_t tensix_vector_nonzero(const uint32_t *x)
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
static inline SimdI tensix_vector_order(SimdU x)
{
    return (SimdI)(x ^ ((SimdU)((SimdI)x >> 31) & 0x7fffffffu));
}

/* Bit i: a < b in lane i, in that order. */
static inline uint32_t tensix_vector_smaller(const uint32_t *a,
                                             const uint32_t *b)
{
    uint32_t bits = 0;

    SIMD_EACH(l) {
        bits |= simd_bits(simd_lt(tensix_vector_order(simd_load(&a[l])),
                                  tensix_vector_order(simd_load(&b[l])))) << l;
    }
    return bits;
}

/* The numbers that the `lanes` draw, and their generators' next states. */
static inline void tensix_vector_prng(TensixVectorUnit *vu, uint32_t lanes,
                                      TensixLanes *r)
{
    TensixLanes mask;

    tensix_vector_expand(&mask, lanes);
    for (int l = 0; l < TENSIX_LANES; l++) {
        uint32_t x = vu->prng[l];
        uint32_t taps = (x ^ x >> 1 ^ x >> 21 ^ x >> 31) & 1;

        r->x[l] = x;
        vu->prng[l] = ((((taps ^ 1) << 31 | x >> 1) ^ x) & mask.x[l]) ^ x;
    }
}

#endif
