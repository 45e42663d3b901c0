/*
 * The Vector Unit's multiply-add on SIMD_LANES lanes in the host's registers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The same steps as tensix_num_fma() in num_fma.c, which also does again what
 * these leave out: special operands, and results near the exponent's limits.
 */

#ifndef TENSIX_NUM_FMA_SIMD_H
#define TENSIX_NUM_FMA_SIMD_H

#include "num/num_short.h"

enum {
    FMA_HIDDEN = 1 << 23,
    FMA_FRACTION = FMA_HIDDEN - 1,
    FMA_EXP_MAX = 255,
    FMA_BIAS = 127,
    FMA_GUARD_BITS = 3,
};

/* The 24-bit significand of a number that is not zero. */
static inline SimdU fma_significand(SimdU x)
{
    return (x & FMA_FRACTION) | FMA_HIDDEN;
}

/*
 * Of the 48 bits of the significands' product the upper 28 and a sticky one.
 * Multiplied by 2^12 first, they are the halves of a 64-bit product.
 */
static inline SimdU fma_product(SimdU a, SimdU b)
{
    SimdU x = fma_significand(a) << 4, y = fma_significand(b) << 8;
    SimdU64 even = simd_mul_even(x, y), odd = simd_mul_odd(x, y);
    SimdU lower = simd_lower_halves(even, odd);

    return simd_or_where(simd_test(lower, lower), simd_upper_halves(even, odd),
                         simd_splat(1));
}

/* Right shift with a sticky low bit, unless nothing is left at all. */
static inline SimdU fma_align(SimdU magnitude, SimdU distance)
{
    SimdU kept = simd_shr(magnitude, distance);
    SimdU lost = simd_shl(kept, distance) ^ magnitude;

    return simd_or_where(simd_test(lost, lost) & simd_test(kept, kept), kept,
                         simd_splat(1));
}

/*
 * *r = a * b + c in SIMD_LANES lanes.  Returns the lanes in which it is not,
 * and which tensix_num_fma() must do: all, if the host's floats are not IEEE's.
 *
 * The conversion of the sum to float is the model's rounding: it normalises and
 * rounds to nearest even at 24 bits, and where the sum has a sticky bit that
 * matters, two other bits lie between it and those 24.  A result's exponent is
 * between 26 below and 3 above e, the larger one of the terms.  A product that
 * is zero or too small gets an exponent that lets nothing of it remain.
 */
static inline SimdMask tensix_num_fma_simd(SimdU a, SimdU b, SimdU c, SimdU *r)
{
    enum { SCALE = FMA_BIAS + 26, LOWEST = 28, HIGHEST = 250, NOWHERE = -1024 };
    const SimdU infinity = simd_splat(NUM_FP32_INF);
    const SimdU sign_bit = simd_splat(NUM_FP32_SIGN);
    SimdU ab = a ^ b, xa = a & infinity, xb = b & infinity;
    SimdI ec = (SimdI)(c >> 23 & 0xff);
    SimdI ep = (SimdI)((xa + xb) >> 23) - FMA_BIAS;
    SimdMask product = simd_test(a, infinity) & simd_test(b, infinity) &
                       simd_lt((SimdI)simd_splat(-1u), ep);
    SimdU p = fma_product(a, b);
    SimdU z = simd_select(simd_test(c, infinity), fma_significand(c) << FMA_GUARD_BITS,
                          (SimdU) { 0 });
    SimdMask z_first, special, some;
    SimdU large, small, sign, bits, distance;
    SimdI e, sum;

    ep = (SimdI)simd_select(product, (SimdU)ep, simd_splat(NOWHERE));
    z_first = simd_lt(ep, ec);
    e = simd_max(ep, ec);
    distance = (SimdU)simd_max(ep - ec, ec - ep);
    large = simd_select(z_first, z, p);
    small = fma_align(simd_select(z_first, p, z), distance);
    sum = (SimdI)(large + simd_negate_where(simd_negative(ab ^ c), small));

    sign = simd_select(z_first, c, ab) & sign_bit;
    some = simd_test((SimdU)sum, (SimdU)sum);
    bits = (SimdU)__builtin_convertvector(sum, SimdF) +
           (((SimdU)e << 23) - ((uint32_t)SCALE << 23));
    *r = simd_select(some, bits ^ sign, ab & c & sign_bit);
    special = simd_eq(xa, infinity) | simd_eq(xb, infinity) |
              simd_eq((SimdU)ec, simd_splat(FMA_EXP_MAX));
    special |= some & simd_above((SimdU)e - LOWEST, simd_splat(HIGHEST - LOWEST));
    return NUM_HOST_FLOAT ? special : simd_mask(SIMD_ALL);
}

#endif
