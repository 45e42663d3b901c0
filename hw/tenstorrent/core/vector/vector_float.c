/*
 * Vector Unit: fields of floating-point numbers, and arithmetic with a BF16
 * immediate.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPADDI.md, SFPMULI.md, SFPDIVP2.md, SFPEXEXP.md, SFPEXMAN.md,
 * SFPSETEXP.md, SFPSETMAN.md, SFPSETSGN.md, SFPABS.md.
 */

#include "num/num.h"
#include "vector/vector_ops.h"

enum {
    EXPONENT_LOW = 23,
    EXPONENT_MASK = 0xff,
    MANTISSA = 0x7fffff,
    HIDDEN_ONE = 0x800000,
    BIAS = 127,
    MAGNITUDE = 0x7fffffff,
};

/* Mod1. */
enum {
    MADI_NEGATE_VC = 1 << 1,
    MADI_INDIRECT_VD = 1 << 3,
    DIVP2_ADD = 1 << 0,
    EXEXP_NODEBIAS = 1 << 0,
    EXEXP_SET_CC_SIGN = 1 << 1,
    EXEXP_CC_COMPLEMENT = 1 << 3,
    EXMAN_PAD9 = 1 << 0,           /* no hidden one */
    SET_IMM = 1 << 0,              /* SFPSETEXP, SFPSETMAN, SFPSETSGN */
    SETEXP_EXPONENT = 1 << 1,      /* VB's exponent, not its low bits */
    ABS_FLOAT = 1 << 0,
};

enum { SETMAN_IMM_LOW = 11 };      /* 12 bits at the top of the mantissa */

#define EACH_LANE(expression) \
    for (int l = 0; l < TENSIX_LANES; l++) { \
        uint32_t x = c_reg[l]; \
        r.x[l] = (expression); \
    }

/* VC, negated by Mod1. */
static void madi_operand(const TensixVectorUnit *vu, const TensixVectorOp *op,
                         TensixLanes *r)
{
    uint32_t flip = op->mod & MADI_NEGATE_VC ? NUM_FP32_SIGN : 0;

    for (int l = 0; l < TENSIX_LANES; l++) {
        r->x[l] = vu->lreg[op->vc][l] ^ flip;
    }
}

static void fill_lanes(TensixLanes *r, uint32_t value)
{
    for (int l = 0; l < TENSIX_LANES; l++) {
        r->x[l] = value;
    }
}

void tensix_vector_SFPADDI(TensixCore *c, const TensixVectorOp *op)
{
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    TensixLanes imm, r;

    madi_operand(&c->s.vu, op, &r);
    fill_lanes(&imm, op->imm << 16);
    tensix_num_add_lanes(r.x, imm.x, r.x);
    tensix_vector_mad_result(c, op, &r, lanes, op->mod & MADI_INDIRECT_VD);
}

void tensix_vector_SFPMULI(TensixCore *c, const TensixVectorOp *op)
{
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    TensixLanes imm, r;

    madi_operand(&c->s.vu, op, &r);
    fill_lanes(&imm, op->imm << 16);
    tensix_num_mul_lanes(r.x, imm.x, r.x, 0);
    tensix_vector_mad_result(c, op, &r, lanes, op->mod & MADI_INDIRECT_VD);
}

void tensix_vector_SFPDIVP2(TensixCore *c, const TensixVectorOp *op)
{
    const uint32_t *c_reg = c->s.vu.lreg[op->vc];
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    uint32_t imm = (op->imm & EXPONENT_MASK) << EXPONENT_LOW;
    TensixLanes r;

    if (op->mod & DIVP2_ADD) {
        EACH_LANE((x & NUM_FP32_INF) == NUM_FP32_INF ? x :
                  (x & ~NUM_FP32_INF) | ((x + imm) & NUM_FP32_INF))
    } else {
        EACH_LANE((x & ~NUM_FP32_INF) | imm)
    }
    tensix_vector_result(c, op, &r, lanes);
}

/* The complement inverts LaneFlags even if the sign did not set them. */
static void exexp_flags(TensixVectorUnit *vu, const TensixVectorOp *op,
                        const TensixLanes *r,
                        uint32_t lanes)
{
    uint32_t flags = op->mod & EXEXP_SET_CC_SIGN ? tensix_vector_signs(r->x)
                                                 : vu->lane_flags;

    if (op->mod & EXEXP_CC_COMPLEMENT) {
        flags = ~flags;
    }
    tensix_vector_set_flags(vu, flags, lanes);
}

void tensix_vector_SFPEXEXP(TensixCore *c, const TensixVectorOp *op)
{
    const uint32_t *c_reg = c->s.vu.lreg[op->vc];
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    uint32_t bias = op->mod & EXEXP_NODEBIAS ? 0 : BIAS;
    TensixLanes r;

    EACH_LANE((x >> EXPONENT_LOW & EXPONENT_MASK) - bias)
    tensix_vector_result(c, op, &r, lanes);
    if (op->vd < VECTOR_LREG_WRITABLE) {
        exexp_flags(&c->s.vu, op, &r, lanes);
    }
}

void tensix_vector_SFPEXMAN(TensixCore *c, const TensixVectorOp *op)
{
    const uint32_t *c_reg = c->s.vu.lreg[op->vc];
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    uint32_t hidden = op->mod & EXMAN_PAD9 ? 0 : HIDDEN_ONE;
    TensixLanes r;

    EACH_LANE((x & MANTISSA) | hidden)
    tensix_vector_result(c, op, &r, lanes);
}

void tensix_vector_SFPSETEXP(TensixCore *c, const TensixVectorOp *op)
{
    const uint32_t *c_reg = c->s.vu.lreg[op->vc];
    const uint32_t *b = c->s.vu.lreg[op->vb];
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    uint32_t imm = (op->imm & EXPONENT_MASK) << EXPONENT_LOW;
    TensixLanes r;

    if (op->mod & SET_IMM) {
        EACH_LANE((x & ~NUM_FP32_INF) | imm)
    } else if (op->mod & SETEXP_EXPONENT) {
        EACH_LANE((x & ~NUM_FP32_INF) | (b[l] & NUM_FP32_INF))
    } else {
        EACH_LANE((x & ~NUM_FP32_INF) | (b[l] & EXPONENT_MASK) << EXPONENT_LOW)
    }
    tensix_vector_result(c, op, &r, lanes);
}

void tensix_vector_SFPSETMAN(TensixCore *c, const TensixVectorOp *op)
{
    const uint32_t *c_reg = c->s.vu.lreg[op->vc];
    const uint32_t *b = c->s.vu.lreg[op->vb];
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    TensixLanes r;

    if (op->mod & SET_IMM) {
        EACH_LANE((x & ~(uint32_t)MANTISSA) | op->imm << SETMAN_IMM_LOW)
    } else {
        EACH_LANE((x & ~(uint32_t)MANTISSA) | (b[l] & MANTISSA))
    }
    tensix_vector_result(c, op, &r, lanes);
}

void tensix_vector_SFPSETSGN(TensixCore *c, const TensixVectorOp *op)
{
    const uint32_t *c_reg = c->s.vu.lreg[op->vc];
    const uint32_t *b = c->s.vu.lreg[op->vb];
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    TensixLanes r;

    if (op->mod & SET_IMM) {
        EACH_LANE((x & MAGNITUDE) | op->imm << 31)
    } else {
        EACH_LANE((x & MAGNITUDE) | (b[l] & NUM_FP32_SIGN))
    }
    tensix_vector_result(c, op, &r, lanes);
}

/* -NaN stays -NaN, and the integer minimum stays what it is. */
void tensix_vector_SFPABS(TensixCore *c, const TensixVectorOp *op)
{
    const uint32_t *c_reg = c->s.vu.lreg[op->vc];
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    TensixLanes r;

    if (op->mod & ABS_FLOAT) {
        EACH_LANE((x & MAGNITUDE) > NUM_FP32_INF ? x : x & MAGNITUDE)
    } else {
        EACH_LANE((int32_t)x < 0 ? -x : x)
    }
    tensix_vector_result(c, op, &r, lanes);
}

VECTOR_EXEC(SFPADDI)
VECTOR_EXEC(SFPMULI)
VECTOR_EXEC(SFPDIVP2)
VECTOR_EXEC(SFPEXEXP)
VECTOR_EXEC(SFPEXMAN)
VECTOR_EXEC(SFPSETEXP)
VECTOR_EXEC(SFPSETMAN)
VECTOR_EXEC(SFPSETSGN)
VECTOR_EXEC(SFPABS)
