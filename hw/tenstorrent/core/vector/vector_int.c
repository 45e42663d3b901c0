/*
 * Vector Unit: integer addition and shifts (simple sub-unit).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPIADD.md, BH SFPSHFT.md.
 */

#include "vector/vector_ops.h"

/* SFPIADD's Mod1. */
enum {
    IADD_IMM = 1 << 0,
    IADD_SUBTRACT = 1 << 1,        /* VC - VB */
    IADD_CC_NONE = 1 << 2,
    IADD_CC_GTE0 = 1 << 3,         /* inverts LaneFlags, after CC_NONE too */
};

/* SFPSHFT's Mod1. */
enum {
    SHFT_IMM = 1 << 0,
    SHFT_ARITHMETIC = 1 << 1,
    SHFT_IMM_USE_VC = 1 << 2,
    SHFT_RESERVED = 1 << 3,
};

/* The 12-bit immediate is signed. */
static uint32_t sign_extend12(uint32_t imm)
{
    return (imm ^ 0x800) - 0x800;
}

/* VC plus b, or minus b, in all lanes; a NULL b is the immediate. */
static inline Simd32 iadd_sum(const TensixVectorUnit *vu,
                              const TensixVectorOp *op,
                              const uint32_t *b, bool subtract)
{
    const uint32_t *c = vu->lreg[op->vc];
    uint32_t imm = sign_extend12(op->imm);
    Simd32 sum;

    SIMD_EACH(l) {
        SimdU x = simd_load(&c[l]), y = b ? simd_load(&b[l]) : (SimdU) { 0 } + imm;

        sum.v[l / SIMD_LANES] = subtract ? x - y : x + y;
    }
    return sum;
}

static inline Simd32 iadd_result(const TensixVectorUnit *vu,
                                 const TensixVectorOp *op)
{
    if (op->mod & IADD_IMM) {
        return iadd_sum(vu, op, NULL, false);
    }
    if (op->mod & IADD_SUBTRACT) {
        return iadd_sum(vu, op, vu->lreg[op->vb], true);
    }
    return iadd_sum(vu, op, vu->lreg[op->vb], false);
}

static void iadd_flags(TensixVectorUnit *vu, uint32_t mod, const Simd32 *sum,
                       uint32_t lanes)
{
    uint32_t flags = 0;

    if (mod & IADD_CC_NONE) {
        flags = vu->lane_flags;
    } else {
        SIMD_EACH(l) {
            flags |= simd_bits(simd_negative(sum->v[l / SIMD_LANES])) << l;
        }
    }
    if (mod & IADD_CC_GTE0) {
        flags = ~flags;
    }
    tensix_vector_set_flags(vu, flags, lanes);
}

void tensix_vector_SFPIADD(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_issue(vu, op);
    Simd32 sum;

    if (!tensix_vector_can_put(c, op)) {
        return;
    }
    sum = iadd_result(vu, op);
    tensix_vector_put(vu, op->vd, &sum, lanes);
    if ((op->mod & (IADD_CC_NONE | IADD_CC_GTE0)) != IADD_CC_NONE &&
        op->vd < VECTOR_LREG_WRITABLE) {
        iadd_flags(vu, op->mod, &sum, lanes);
    }
}

/* By one amount in all lanes: negative to the right. */
static Simd32 shift_uniform(const uint32_t *x, int32_t amount, bool arithmetic)
{
    uint32_t n = (amount >= 0 ? (uint32_t)amount : -(uint32_t)amount) & 31;
    Simd32 r;

    SIMD_EACH(l) {
        SimdU v = simd_load(&x[l]);

        if (amount >= 0) {
            v <<= n;
        } else {
            v = arithmetic ? (SimdU)((SimdI)v >> (int32_t)n) : v >> n;
        }
        r.v[l / SIMD_LANES] = v;
    }
    return r;
}

/* Each lane by its own amount. */
static inline Simd32 shift_lanes(const uint32_t *x, const uint32_t *amount,
                                 bool arithmetic)
{
    Simd32 r;

    SIMD_EACH(l) {
        SimdU v = simd_load(&x[l]), by = simd_load(&amount[l]);
        /* ones instead of zeroes come from the left in these lanes */
        SimdU ones = arithmetic ? (SimdU)((SimdI)(v & by) >> 31) : (SimdU) { 0 };

        r.v[l / SIMD_LANES] = simd_shift(v ^ ones, by) ^ ones;
    }
    return r;
}

static inline Simd32 shift_result(const TensixVectorUnit *vu,
                                  const TensixVectorOp *op)
{
    const uint32_t *b = vu->lreg[op->vb], *v = vu->lreg[op->vc];
    bool arithmetic = op->mod & SHFT_ARITHMETIC;

    if (op->mod & SHFT_IMM) {
        return shift_uniform(op->mod & SHFT_IMM_USE_VC ? v : b,
                             (int32_t)sign_extend12(op->imm), arithmetic);
    }
    return arithmetic ? shift_lanes(b, v, true) : shift_lanes(b, v, false);
}

/* Modes 4, 6 and 8 on. */
static bool shift_is_reserved(uint32_t mod)
{
    return mod & SHFT_RESERVED ||
           (mod & (SHFT_IMM | SHFT_IMM_USE_VC)) == SHFT_IMM_USE_VC;
}

void tensix_vector_SFPSHFT(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_issue(vu, op);
    Simd32 r;

    if (!tensix_vector_can_put(c, op)) {
        return;
    }
    r = shift_result(vu, op);
    tensix_vector_put(vu, op->vd, &r, lanes);
    if (shift_is_reserved(op->mod)) {
        tensix_violation(c, op->insn, TENSIX_NON_CONTRACTUAL,
                         "reserved SFPSHFT mode %u", (unsigned)op->mod);
    }
}

VECTOR_EXEC(SFPIADD)
VECTOR_EXEC(SFPSHFT)
