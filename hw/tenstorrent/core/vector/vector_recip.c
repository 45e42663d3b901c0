/*
 * Vector Unit: approximate reciprocal and exponential.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPARECIP.md.
 */

#include "num/num.h"
#include "vector/vector_ops.h"
#include "vector/vector_recip_table.h.inc"

/* Mod1; all other values are the exponential. */
enum {
    ARECIP_RECIP = 0,
    ARECIP_COND_RECIP = 1,
};

enum {
    MIN_NORMAL = 0x00800000,
    RECIP_LIMIT = 0x7e800000,      /* 2^126: the reciprocal is 0 from here on */
    RECIP_EXPONENTS = 253,
    TABLE_INDEX_LOW = 16,
    RECIP_INDEX = 0x7f,
    EXP_SMALL = 0x3c800000,        /* 1/64 */
    EXP_TO_2 = 0x3f320000,         /* 0.6953125: e^x is about 2 */
    EXP_LIMIT = 0x40000000,        /* 2 */
    EXP_LOW_BITS = 0xffff,         /* of the input stay in the result */
};

/* x is not negative: no sign bit. */
static uint32_t reciprocal(uint32_t x)
{
    uint32_t exponent = (RECIP_EXPONENTS - (x >> 23)) << 23;

    if (x < MIN_NORMAL) {
        return NUM_FP32_INF;
    }
    return x < RECIP_LIMIT
           ? exponent | (uint32_t)recip_mantissa[x >> TABLE_INDEX_LOW &
                                                 RECIP_INDEX] << 16 : 0;
}

static uint32_t exponential(uint32_t x)
{
    uint32_t low = x & EXP_LOW_BITS;
    uint32_t mantissa;

    if (x < MIN_NORMAL) {
        return NUM_FP32_ONE;
    }
    if (x < EXP_SMALL) {
        return 0x3f810000 | low;
    }
    if (x >= EXP_LIMIT) {
        return 0x40800000 | low;
    }
    mantissa = exp_mantissa[(x - EXP_SMALL) >> TABLE_INDEX_LOW];
    return (x < EXP_TO_2 ? 0x3f800000 : 0x40000000) | mantissa << 16 | low;
}

static uint32_t one_lane(uint32_t mod, uint32_t x, uint32_t condition)
{
    uint32_t sign = x & NUM_FP32_SIGN;

    switch (mod) {
    case ARECIP_RECIP:
        return sign | reciprocal(x ^ sign);
    case ARECIP_COND_RECIP:
        return (int32_t)condition < 0 ? reciprocal(x ^ sign) : x;
    default:
        return sign | exponential(x ^ sign);
    }
}

void tensix_vector_SFPARECIP(TensixCore *c, const TensixVectorOp *op)
{
    const uint32_t *x = c->s.vu.lreg[op->vc], *condition = c->s.vu.lreg[op->vb];
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    TensixLanes r;

    for (int l = 0; l < TENSIX_LANES; l++) {
        r.x[l] = one_lane(op->mod, x[l], condition[l]);
    }
    tensix_vector_result(c, op, &r, lanes);
}

VECTOR_EXEC(SFPARECIP)
