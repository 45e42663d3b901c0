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

/*
 * Here and below: x is not negative (no sign bit); the table's value is read for
 * any x, before, so that the loop over lanes is one of vectors.
 */
static inline uint32_t reciprocal(uint32_t x, uint32_t mantissa)
{
    uint32_t inverse = (RECIP_EXPONENTS - (x >> 23)) << 23 | mantissa << 16;

    inverse = x < RECIP_LIMIT ? inverse : 0;
    return x < MIN_NORMAL ? NUM_FP32_INF : inverse;
}

static inline uint32_t exponential(uint32_t x, uint32_t mantissa)
{
    uint32_t base = x < EXP_TO_2 ? 0x3f800000 : 0x40000000;
    uint32_t low = x & EXP_LOW_BITS;
    uint32_t e = base | mantissa << 16 | low;

    e = x < EXP_SMALL ? 0x3f810000 | low : e;
    e = x >= EXP_LIMIT ? 0x40800000 | low : e;
    return x < MIN_NORMAL ? NUM_FP32_ONE : e;
}

static void reciprocals(const uint32_t *x, TensixLanes *r)
{
    TensixLanes mantissa;

    for (int l = 0; l < TENSIX_LANES; l++) {
        mantissa.x[l] = recip_mantissa[x[l] >> TABLE_INDEX_LOW & RECIP_INDEX];
    }
    for (int l = 0; l < TENSIX_LANES; l++) {
        r->x[l] = reciprocal(x[l] & ~NUM_FP32_SIGN, mantissa.x[l]);
    }
}

static void exponentials(const uint32_t *x, TensixLanes *r)
{
    TensixLanes mantissa;

    for (int l = 0; l < TENSIX_LANES; l++) {
        uint32_t from = (x[l] & ~NUM_FP32_SIGN) - EXP_SMALL;

        mantissa.x[l] = exp_mantissa[from < EXP_LIMIT - EXP_SMALL
                                     ? from >> TABLE_INDEX_LOW : 0];
    }
    for (int l = 0; l < TENSIX_LANES; l++) {
        r->x[l] = exponential(x[l] & ~NUM_FP32_SIGN, mantissa.x[l]);
    }
}

static void take_signs(const uint32_t *x, TensixLanes *r)
{
    for (int l = 0; l < TENSIX_LANES; l++) {
        r->x[l] |= x[l] & NUM_FP32_SIGN;
    }
}

/* Lanes whose condition is not negative keep x. */
static void take_chosen(const uint32_t *x, const uint32_t *condition,
                        TensixLanes *r)
{
    for (int l = 0; l < TENSIX_LANES; l++) {
        r->x[l] = (int32_t)condition[l] < 0 ? r->x[l] : x[l];
    }
}

void tensix_vector_SFPARECIP(TensixCore *c, const TensixVectorOp *op)
{
    const uint32_t *x = c->s.vu.lreg[op->vc], *condition = c->s.vu.lreg[op->vb];
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    TensixLanes r;

    if (op->mod == ARECIP_RECIP || op->mod == ARECIP_COND_RECIP) {
        reciprocals(x, &r);
    } else {
        exponentials(x, &r);
    }
    if (op->mod == ARECIP_COND_RECIP) {
        take_chosen(x, condition, &r);
    } else {
        take_signs(x, &r);
    }
    tensix_vector_result(c, op, &r, lanes);
}

VECTOR_EXEC(SFPARECIP)
