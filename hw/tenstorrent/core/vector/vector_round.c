/*
 * Vector Unit: conversions with rounding.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPSTOCHRND_FloatFloat.md, SFPSTOCHRND_FloatInt.md,
 * SFPSTOCHRND_IntInt.md, SFPCAST_IntFloat.md, SFPCAST_IntInt.md,
 * SFPCAST_IntAbs.md.  "Round to zero" and stochastic rounding compare with >=,
 * as the hardware does, and so sometimes round away what needs no rounding.
 */

#include <float.h>

#include "num/num.h"
#include "vector/vector_ops.h"

/* Mod1 of SFP_STOCH_RND, three bits, and the fourth. */
enum {
    RND_FP32_TO_FP16A,
    RND_FP32_TO_FP16B,
    RND_FP32_TO_UINT8,
    RND_FP32_TO_INT8,
    RND_INT32_TO_UINT8,
    RND_INT32_TO_INT8,
    RND_FP32_TO_UINT16,
    RND_FP32_TO_INT16,
    RND_FLAVOUR = 7,
    RND_USE_IMM5 = 1 << 3,
};

enum {
    RND_IMM5 = 0x1f,
    RND_NEAREST = 0,
    RND_ZERO = 2,                  /* 1 and 3: stochastic */
};

enum {
    PRNG_BITS = 23,
    PRNG_MASK = 0x7fffff,
    PRNG_NEAREST = 0x400000,
    PRNG_ZERO = 0x7fffff,
    FP16A_DROPPED = 13,            /* mantissa bits */
    FP16B_DROPPED = 16,
    SIGNIFICAND_BITS = 23,
    BIAS = 127,
    INT_EXPONENT_MAX = 16,         /* 2**16 and above are the maximum */
    MAGNITUDE = 0x7fffffff,
};

/* Mod1 of SFPCAST. */
enum {
    CAST_SM32_TO_FP32_RNE,
    CAST_SM32_TO_FP32_RNS,
    CAST_INT32_ABS,
    CAST_INT32_SM32,
    CAST_MODES = 3,
};

/* What the dropped bits are compared with; steps the PRNG in `lanes`. */
static void thresholds(TensixVectorUnit *vu, uint32_t mode, uint32_t lanes,
                       TensixLanes *r)
{
    tensix_vector_prng(vu, lanes, r);
    for (int l = 0; l < TENSIX_LANES; l++) {
        r->x[l] = mode == RND_NEAREST ? PRNG_NEAREST : mode == RND_ZERO ? PRNG_ZERO
                                                     : r->x[l] & PRNG_MASK;
    }
}

/* FP32 with fewer mantissa bits. */
static void float_to_float(const uint32_t *c, const TensixLanes *threshold,
                           unsigned dropped,
                           TensixLanes *r)
{
    uint32_t mask = (1u << dropped) - 1;

    for (int l = 0; l < TENSIX_LANES; l++) {
        uint32_t x = c[l];
        uint32_t up = (x & mask) >= threshold->x[l] >> (PRNG_BITS - dropped)
            ? 1u << dropped
                                                                             : 0;
        uint32_t value = (x & ~mask) + up;

        value = (x & NUM_FP32_INF) == NUM_FP32_INF ? x & (NUM_FP32_SIGN | NUM_FP32_INF)
                                                   : value;
        r->x[l] = x & NUM_FP32_INF ? value : 0;
    }
}

/* A magnitude in units of 2^-23, rounded; the threshold is in the same units. */
static inline uint32_t round_magnitude(uint64_t scaled, uint32_t threshold,
                                       uint32_t max)
{
    uint32_t m = (uint32_t)(scaled >> PRNG_BITS) + ((scaled & PRNG_MASK) >= threshold);

    return m > max ? max : m;
}

/* FP32 to an integer of at most `max`; sign_mask is 0 for unsigned. */
static void float_to_int(const uint32_t *c, const TensixLanes *threshold,
                         uint32_t max,
                         uint32_t sign_mask, TensixLanes *r)
{
    for (int l = 0; l < TENSIX_LANES; l++) {
        int32_t exponent = (int32_t)(c[l] >> SIGNIFICAND_BITS & 0xff) - BIAS;
        uint64_t m = (c[l] & PRNG_MASK) | 1u << SIGNIFICAND_BITS;
        uint32_t magnitude;

        if (exponent < -1) {
            magnitude = 0;
        } else if (exponent >= INT_EXPONENT_MAX) {
            magnitude = max;
        } else {
            m = exponent < 0 ? m >> 1 : m << exponent;
            magnitude = round_magnitude(m, threshold->x[l], max);
        }
        r->x[l] = magnitude ? magnitude | (c[l] & sign_mask) : 0;
    }
}

/* Sign-magnitude integers shifted right by shift[l] & 31. */
static void int_to_int(const uint32_t *c, const uint32_t *shift,
                       const TensixLanes *threshold,
                       uint32_t max, uint32_t sign_mask, TensixLanes *r)
{
    for (int l = 0; l < TENSIX_LANES; l++) {
        uint64_t m = (uint64_t)(c[l] & MAGNITUDE) << PRNG_BITS;
        uint32_t magnitude =
            round_magnitude(m >> (shift[l] & RND_IMM5), threshold->x[l], max);

        r->x[l] = magnitude ? magnitude | (c[l] & sign_mask) : 0;
    }
}

static void descale(const TensixVectorUnit *vu, const TensixVectorOp *op,
                    const TensixLanes *threshold, uint32_t max, uint32_t sign_mask,
                    TensixLanes *r)
{
    TensixLanes imm;

    for (int l = 0; l < TENSIX_LANES; l++) {
        imm.x[l] = op->imm;
    }
    int_to_int(vu->lreg[op->vc],
               op->mod & RND_USE_IMM5 ? imm.x : vu->lreg[op->vb], threshold,
               max, sign_mask, r);
}

static void stoch_rnd(const TensixVectorUnit *vu, const TensixVectorOp *op,
                      const TensixLanes *threshold, TensixLanes *r)
{
    const uint32_t *c = vu->lreg[op->vc];

    switch (op->mod & RND_FLAVOUR) {
    case RND_FP32_TO_FP16A:
        float_to_float(c, threshold, FP16A_DROPPED, r);
        break;
    case RND_FP32_TO_FP16B:
        float_to_float(c, threshold, FP16B_DROPPED, r);
        break;
    case RND_FP32_TO_UINT8:
        float_to_int(c, threshold, UINT8_MAX, 0, r);
        break;
    case RND_FP32_TO_INT8:
        float_to_int(c, threshold, INT8_MAX, NUM_FP32_SIGN, r);
        break;
    case RND_FP32_TO_UINT16:
        float_to_int(c, threshold, UINT16_MAX, 0, r);
        break;
    case RND_FP32_TO_INT16:
        float_to_int(c, threshold, INT16_MAX, NUM_FP32_SIGN, r);
        break;
    case RND_INT32_TO_UINT8:
        descale(vu, op, threshold, UINT8_MAX, 0, r);
        break;
    default:
        descale(vu, op, threshold, INT8_MAX, NUM_FP32_SIGN, r);
        break;
    }
}

void tensix_vector_SFP_STOCH_RND(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_issue(vu, op);
    TensixLanes threshold, r;

    thresholds(vu, OPERAND(op->insn, SFP_STOCH_RND, rnd_mode), lanes,
               &threshold);
    stoch_rnd(vu, op, &threshold, &r);
    tensix_vector_result(c, op, &r, lanes);
}

#if FLT_EVAL_METHOD == 0 && FLT_MANT_DIG == 24
/*
 * A magnitude below 2^31 to float rounds once, to nearest even, on every host
 * with IEEE arithmetic in its default mode: what the page describes.
 */
static inline SimdU magnitude_to_float(SimdU magnitude)
{
    return (SimdU)__builtin_convertvector((SimdI)magnitude, SimdF);
}
#else
static inline SimdU magnitude_to_float(SimdU magnitude)
{
    SimdU r = { 0 };

    for (int l = 0; l < SIMD_LANES; l++) {
        uint32_t zeroes = magnitude[l] ? __builtin_clz(magnitude[l]) : 0;
        uint32_t norm = magnitude[l] << zeroes;
        uint32_t bits = ((157 - zeroes) << SIGNIFICAND_BITS) + (norm >> 8);

        r[l] = magnitude[l] ? bits + ((norm & 0x80) && (norm & 0x17f)) : 0;
    }
    return r;
}
#endif

static inline SimdU cast_nearest(SimdU x)
{
    return magnitude_to_float(x & MAGNITUDE) | (x & ~(uint32_t)MAGNITUDE);
}

static inline SimdU cast_abs(SimdU x)
{
    return simd_negate_by(x, x);
}

/* One formula, both ways. */
static inline SimdU cast_sign_magnitude(SimdU x)
{
    return cast_abs(x) | (x & ~(uint32_t)MAGNITUDE);
}

/* The seven bits below the mantissa against seven bits of the PRNG. */
static void cast_stochastic(const uint32_t *c, const TensixLanes *random,
                            TensixLanes *r)
{
    enum { EXPONENT_OF_BIT31 = 157, TESTED = 0xfe, RANDOM_LOW = 9,
          DROPPED = 8 };

    for (int l = 0; l < TENSIX_LANES; l++) {
        uint32_t magnitude = c[l] & MAGNITUDE;
        uint32_t zeroes = magnitude ? (uint32_t)__builtin_clz(magnitude)
            : EXPONENT_OF_BIT31;
        uint32_t norm = magnitude << (zeroes & 31);
        uint32_t up = (norm & TESTED) > (random->x[l] >> RANDOM_LOW & TESTED);

        r->x[l] = (c[l] & NUM_FP32_SIGN) +
            ((EXPONENT_OF_BIT31 - zeroes) << SIGNIFICAND_BITS) +
                  (norm >> DROPPED) + up;
    }
}

static __attribute__((noinline)) void cast_random(TensixCore *c,
                                                  const TensixVectorOp *op)
{
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    TensixLanes random, r;

    tensix_vector_prng(&c->s.vu, lanes, &random);
    cast_stochastic(c->s.vu.lreg[op->vc], &random, &r);
    tensix_vector_result(c, op, &r, lanes);
}

static inline Simd32 cast_result(const uint32_t *v, uint32_t mod)
{
    Simd32 r;

    if (__builtin_expect(mod == CAST_SM32_TO_FP32_RNE, true)) {
        SIMD_EACH(l) {
            r.v[l / SIMD_LANES] = cast_nearest(simd_load(&v[l]));
        }
        return r;
    }
    SIMD_EACH(l) {
        SimdU x = simd_load(&v[l]);

        r.v[l / SIMD_LANES] = mod == CAST_INT32_ABS ? cast_abs(x)
                                                    : cast_sign_magnitude(x);
    }
    return r;
}

void tensix_vector_SFPCAST(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t mod = op->mod & CAST_MODES, lanes;
    Simd32 r;

    if (mod == CAST_SM32_TO_FP32_RNS) {
        tensix_vector_out_of_line(c, op, cast_random);
        return;
    }
    lanes = tensix_vector_issue(vu, op);
    if (tensix_vector_can_put(c, op)) {
        r = cast_result(vu->lreg[op->vc], mod);
        tensix_vector_put(vu, op->vd, &r, lanes);
    }
}

VECTOR_EXEC(SFP_STOCH_RND)
VECTOR_EXEC(SFPCAST)
