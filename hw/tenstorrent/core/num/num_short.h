/*
 * Sums and products of the Vector Unit where the host's floats give them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Floats of the host are used for what is exact by IEEE 754: conversion of
 * integers below 2^31, which rounds once to nearest even, and products with
 * powers of 2 that are normal (both num_fma_simd.h); and the short cuts below.
 */

#ifndef TENSIX_NUM_SHORT_H
#define TENSIX_NUM_SHORT_H

#include <float.h>

#include "num/num.h"
#include "num/simd.h"

#if FLT_EVAL_METHOD == 0 && FLT_MANT_DIG == 24
enum { NUM_HOST_FLOAT = 1 };
#else
enum { NUM_HOST_FLOAT = 0 };
#endif

/*
 * Where both operands and the result are normal numbers, one correctly rounded
 * float operation is what the model computes.
 *
 * A sum: both terms are exact, and three guard bits with a sticky bit round
 * like infinitely many; a term that is shifted out without one is under a
 * quarter of the last place of the other one's neighbour.  A product: 28 bits
 * and sticky round like all 48.  If its exponent, before normalisation, is
 * negative, the model makes it zero: the host's is at most
 * (2 - 2^-23)^2 * 2^-128, which rounds to a denormal.  Infinity is where both
 * round to when it is too large, and with exponents less 1 counts as normal.
 *
 * Zeroes qualify as well, but most hosts take longer to distinguish them from
 * denormals: there only separate functions do it.  A product that is zero, or
 * becomes it, takes its sign from the addend, too, which is zero and so changes
 * no other.  (A fused operation keeps the sign of what becomes zero.)
 */

/* The lanes in which x + y, or x * y, may be something else than r. */
static inline SimdMask tensix_num_not_sum(SimdU x, SimdU y, SimdU r)
{
    return SIMD_CLASSIFIES
           ? simd_irregular(x, y, r)
           : simd_abnormal(x) | simd_abnormal(y) | simd_abnormal(r);
}

static inline SimdMask tensix_num_not_product(SimdU x, SimdU y, SimdU r)
{
    const uint32_t exponent_one = 1u << 23;

    return simd_abnormal(x) | simd_abnormal(y) | simd_abnormal(r - exponent_one);
}

/* r = b + c in all lanes; false: use the model, r is undefined. */
static inline bool tensix_num_add_short(uint32_t *r, const uint32_t *b, const uint32_t *c)
{
    SimdMask slow = simd_mask(0);

    SIMD_EACH(l) {
        SimdU x = simd_load(&b[l]), y = simd_load(&c[l]);
        SimdU sum = (SimdU)((SimdF)x + (SimdF)y);

        slow |= simd_irregular(x, y, sum);
        simd_store(&r[l], sum);
    }
    return NUM_HOST_FLOAT && !simd_bits(slow);
}

/* r = a * b + zero, likewise. */
static inline bool tensix_num_mul_short(uint32_t *r, const uint32_t *a, const uint32_t *b,
                                        uint32_t zero)
{
    SimdMask slow = simd_mask(0);

    SIMD_EACH(l) {
        SimdU x = simd_load(&a[l]), y = simd_load(&b[l]);
        SimdU product = (SimdU)((SimdF)x * (SimdF)y + (SimdF)simd_splat(zero));

        slow |= simd_irregular(x, y, product);
        simd_store(&r[l], product);
    }
    return NUM_HOST_FLOAT && !simd_bits(slow);
}

#endif
