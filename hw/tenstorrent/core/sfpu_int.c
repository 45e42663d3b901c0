/*
 * Vector Unit: integer arithmetic, logic and shifts (simple sub-unit).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPIADD.md, BH SFPXOR.md, BH SFPSHFT.md.
 */

#include "sfpu_ops.h"

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
    SHFT_MODES = 7,
};

/* The 12-bit immediate is signed. */
static uint32_t sign_extend12(uint32_t imm)
{
    return (imm ^ 0x800) - 0x800;
}

/* One sum or difference for all lanes; returns the results' signs. */
static inline uint32_t iadd_lanes(TensixVectorUnit *vu, const TensixVuOp *op,
                                  uint32_t lanes, const uint32_t *b, uint32_t imm,
                                  uint32_t negate)
{
    const uint32_t *c = vu->lreg[op->vc];
    uint32_t signs = 0;

    SIMD_EACH(l) {
        SimdU addend = b ? (simd_load(&b[l]) ^ negate) - negate : (SimdU) { 0 } + imm;
        SimdU sum = simd_load(&c[l]) + addend;

        tensix_vu_put(vu, op->vd, l, sum, lanes);
        signs |= simd_bits(simd_negative(sum)) << l;
    }
    return signs;
}

static uint32_t iadd_result(TensixVectorUnit *vu, const TensixVuOp *op, uint32_t lanes)
{
    if (op->mod & IADD_IMM) {
        return iadd_lanes(vu, op, lanes, NULL, sign_extend12(op->imm), 0);
    }
    if (op->mod & IADD_SUBTRACT) {
        return iadd_lanes(vu, op, lanes, vu->lreg[op->vb], 0, ~0u);
    }
    return iadd_lanes(vu, op, lanes, vu->lreg[op->vb], 0, 0);
}

static void iadd_flags(TensixVectorUnit *vu, uint32_t mod, uint32_t signs, uint32_t lanes)
{
    uint32_t flags = mod & IADD_CC_NONE ? vu->lane_flags : signs;

    if (mod & IADD_CC_GTE0) {
        flags = ~flags;
    }
    tensix_vu_set_flags(vu, flags, lanes);
}

void tensix_vu_SFPIADD(TensixCore *c, const TensixInsn *i, const TensixVuOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vu_issue(vu, op);
    uint32_t signs;

    if (!tensix_vu_can_put(c, i, op)) {
        return;
    }
    signs = iadd_result(vu, op, lanes);
    if (op->vd < VU_LREG_WRITABLE) {
        iadd_flags(vu, op->mod, signs, lanes);
    }
}

void tensix_vu_SFPXOR(TensixCore *c, const TensixInsn *i, const TensixVuOp *op)
{
    const uint32_t *b = c->s.vu.lreg[op->vb], *v = c->s.vu.lreg[op->vc];
    uint32_t lanes = tensix_vu_issue(&c->s.vu, op);
    TensixLanes r;

    for (int l = 0; l < TENSIX_LANES; l++) {
        r.x[l] = b[l] ^ v[l];
    }
    tensix_vu_result(c, i, op, &r, lanes);
}

/* By one amount in all lanes: negative to the right. */
static void shift_uniform(TensixVectorUnit *vu, const TensixVuOp *op, const uint32_t *x,
                          int32_t amount, uint32_t lanes)
{
    bool arithmetic = op->mod & SHFT_ARITHMETIC;
    uint32_t n = (amount >= 0 ? (uint32_t)amount : -(uint32_t)amount) & 31;

    SIMD_EACH(l) {
        SimdU v = simd_load(&x[l]);

        if (amount >= 0) {
            v <<= n;
        } else {
            v = arithmetic ? (SimdU)((SimdI)v >> (int32_t)n) : v >> n;
        }
        tensix_vu_put(vu, op->vd, l, v, lanes);
    }
}

/* Each lane by its own amount. */
static void shift_lanes(TensixVectorUnit *vu, const TensixVuOp *op, uint32_t lanes)
{
    SIMD_EACH(l) {
        SimdU x = simd_load(&vu->lreg[op->vb][l]), by = simd_load(&vu->lreg[op->vc][l]);
        SimdU flip = op->mod & SHFT_ARITHMETIC ? (SimdU)((SimdI)x >> 31) : (SimdU) { 0 };
        SimdU left = simd_shl(x, by & 31);
        SimdU right = simd_shr(x ^ flip, -by & 31) ^ flip;

        tensix_vu_put(vu, op->vd, l, simd_select(simd_negative(by), right, left), lanes);
    }
}

static void shift_result(TensixVectorUnit *vu, const TensixVuOp *op, uint32_t lanes)
{
    uint32_t x = op->mod & SHFT_IMM_USE_VC ? op->vc : op->vb;

    if (op->mod & SHFT_IMM) {
        shift_uniform(vu, op, vu->lreg[x], (int32_t)sign_extend12(op->imm), lanes);
    } else {
        shift_lanes(vu, op, lanes);
    }
}

void tensix_vu_SFPSHFT(TensixCore *c, const TensixInsn *i, const TensixVuOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vu_issue(vu, op);

    if (!tensix_vu_can_put(c, i, op)) {
        return;
    }
    if (op->mod > SHFT_MODES ||
        (op->mod & (SHFT_IMM | SHFT_IMM_USE_VC)) == SHFT_IMM_USE_VC) {
        tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                         "reserved SFPSHFT mode %u", (unsigned)op->mod);
    }
    shift_result(vu, op, lanes);
}

VU_EXEC(SFPIADD, simple)
VU_EXEC(SFPXOR, simple)
VU_EXEC(SFPSHFT, simple)
