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
    SimdU x = fma_significand(a) << 4, y = b << 8 | simd_splat(NUM_FP32_SIGN);
    SimdU64 even = simd_mul_even(x, y), odd = simd_mul_odd(x, y);
    SimdU lower = simd_lower_halves(even, odd);

    return simd_or_where(simd_test(lower, lower), simd_upper_halves(even, odd),
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
    SimdU ab = a ^ b;
    SimdU xa = a & infinity, xb = b & infinity, xc = c & infinity;
    SimdI ec = (SimdI)(xc >> 23);
    SimdI ep = (SimdI)((xa + xb) >> 23) - FMA_BIAS;
    SimdMask nothing = simd_eq(xa, (SimdU) { 0 }) | simd_eq(xb, (SimdU) { 0 }) |
                       simd_negative((SimdU)ep);
    SimdU p = fma_product(a, b);
    SimdU z = simd_keep(simd_test(c, infinity),
                        fma_significand(c) << FMA_GUARD_BITS);
    SimdMask z_first, special, zero;
    SimdU large, small, sign, bits, distance;
    SimdI e, sum;

    ep = (SimdI)simd_select(nothing, simd_splat(NOWHERE), (SimdU)ep);
    z_first = simd_lt(ep, ec);
    /* exponents have 16 bits, and their differences */
    e = (SimdI)simd_max16((SimdI16)ep, (SimdI16)ec);
    distance = (SimdU)simd_abs(ep - ec);
    large = simd_select(z_first, z, p);
    small = simd_shr_sticky(simd_select(z_first, p, z), distance);
    sum = (SimdI)(large + simd_negate_by(small, ab ^ c));

    sign = simd_select(z_first, c, ab) & sign_bit;
    zero = simd_eq((SimdU)sum, (SimdU) { 0 });
    bits = (SimdU)__builtin_convertvector(sum, SimdF) +
           (((SimdU)e << 23) - ((uint32_t)SCALE << 23));
    *r = simd_select(zero, ab & c & sign_bit, bits ^ sign);
    special = simd_eq((SimdU)simd_max16(simd_max16((SimdI16)xa, (SimdI16)xb),
                                        (SimdI16)xc), infinity);
    special |= ~zero & simd_above((SimdU)e - LOWEST, simd_splat(HIGHEST - LOWEST));
    return NUM_HOST_FLOAT ? special : simd_mask(SIMD_ALL);
}

#endif
