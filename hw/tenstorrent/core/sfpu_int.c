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

static void iadd_result(const TensixVectorUnit *vu, const TensixVuOp *op,
                        TensixLanes *r)
{
    const uint32_t *b = vu->lreg[op->vb], *c = vu->lreg[op->vc];
    uint32_t imm = sign_extend12(op->imm);

    if (op->mod & IADD_IMM) {
        for (int l = 0; l < TENSIX_LANES; l++) {
            r->x[l] = c[l] + imm;
        }
    } else if (op->mod & IADD_SUBTRACT) {
        for (int l = 0; l < TENSIX_LANES; l++) {
            r->x[l] = c[l] - b[l];
        }
    } else {
        for (int l = 0; l < TENSIX_LANES; l++) {
            r->x[l] = c[l] + b[l];
        }
    }
}

static void iadd_flags(TensixVectorUnit *vu, uint32_t mod, const TensixLanes *r,
                       uint32_t lanes)
{
    uint32_t flags =
        mod & IADD_CC_NONE ? vu->lane_flags : tensix_vu_signs(r->x);

    if (mod & IADD_CC_GTE0) {
        flags = ~flags;
    }
    tensix_vu_set_flags(vu, flags, lanes);
}

void tensix_vu_SFPIADD(TensixCore *c, const TensixInsn *i, const TensixVuOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vu_issue(vu, op);
    TensixLanes r;

    if (!tensix_vu_writable(op->vd)) {
        return;
    }
    iadd_result(vu, op, &r);
    tensix_vu_result(c, i, op, &r, lanes);
    if (op->vd < VU_LREG_WRITABLE) {
        iadd_flags(vu, op->mod, &r, lanes);
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

/* Shift by one amount in all lanes: negative to the right. */
static void shift_uniform(TensixLanes *r, const uint32_t *x, int32_t amount,
                          bool arithmetic)
{
    uint32_t n = (amount >= 0 ? (uint32_t)amount : -(uint32_t)amount) & 31;

    if (amount >= 0) {
        for (int l = 0; l < TENSIX_LANES; l++) {
            r->x[l] = x[l] << n;
        }
    } else if (arithmetic) {
        for (int l = 0; l < TENSIX_LANES; l++) {
            r->x[l] = (int32_t)x[l] >> n;
        }
    } else {
        for (int l = 0; l < TENSIX_LANES; l++) {
            r->x[l] = x[l] >> n;
        }
    }
}

/* Each lane by its own amount. */
static void shift_lanes(TensixLanes *r, const uint32_t *x,
                        const uint32_t *amount, bool arithmetic)
{
    for (int l = 0; l < TENSIX_LANES; l++) {
        uint32_t left = x[l] << (amount[l] & 31);
        uint32_t n = -amount[l] & 31;
        uint32_t right =
            arithmetic ? (uint32_t)((int32_t)x[l] >> n) : x[l] >> n;

        r->x[l] = (int32_t)amount[l] < 0 ? right : left;
    }
}

static void shift_result(const TensixVectorUnit *vu, const TensixVuOp *op,
                         TensixLanes *r)
{
    bool arithmetic = op->mod & SHFT_ARITHMETIC;
    uint32_t x = op->mod & SHFT_IMM_USE_VC ? op->vc : op->vb;

    if (op->mod & SHFT_IMM) {
        shift_uniform(r, vu->lreg[x], (int32_t)sign_extend12(op->imm),
                      arithmetic);
    } else {
        shift_lanes(r, vu->lreg[op->vb], vu->lreg[op->vc], arithmetic);
    }
}

void tensix_vu_SFPSHFT(TensixCore *c, const TensixInsn *i, const TensixVuOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vu_issue(vu, op);
    TensixLanes r;

    if (!tensix_vu_writable(op->vd)) {
        return;
    }
    if (op->mod > SHFT_MODES ||
        (op->mod & (SHFT_IMM | SHFT_IMM_USE_VC)) == SHFT_IMM_USE_VC) {
        tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                         "reserved SFPSHFT mode %u", (unsigned)op->mod);
    }
    shift_result(vu, op, &r);
    tensix_vu_result(c, i, op, &r, lanes);
}

VU_EXEC(SFPIADD, simple)
VU_EXEC(SFPXOR, simple)
VU_EXEC(SFPSHFT, simple)
