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

    return simd_upper_halves(even, odd) | simd_nonzero(lower);
}

/*
 * *r = a * b + c in SIMD_LANES lanes.  Returns the lanes in which it is not,
 * and which tensix_num_fma() must do: all, if the host's floats are not IEEE's.
 *
 * The conversion of the sum to float is the model's rounding: it normalises and
 * rounds to nearest even at 24 bits, and where the sum has a sticky bit that
 * matters, two other bits lie between it and those 24.  A result's exponent is
 * between 26 below and 3 above e, the larger one of the terms.  Of a product that
 * is zero, or too small beside an e from LOWEST on, nothing remains: its exponent
 * is negative.
 *
 * The terms change places where the addend is the larger one: their difference is
 * kept in those lanes, and applied to both.  The host's products only move the
 * exponent: by 2^(e - FMA_BIAS), and by 2^-26 for the fixed point of the terms.
 */
static inline SimdMask tensix_num_fma_simd(SimdU a, SimdU b, SimdU c, SimdU *r)
{
    enum { LOWEST = 28, HIGHEST = 250 };
    const SimdU infinity = simd_splat(NUM_FP32_INF);
    const SimdF scale = simd_splat_float(1.0f / (1 << 26));
    /* signs: that of a * b, and whether c's is another */
    SimdU ab = a ^ b, apart = ab ^ c;
    SimdU xa = a & infinity, xb = b & infinity, xc = c & infinity;
    SimdU xab = simd_keep_nonzero((SimdU)simd_min16((SimdI16)xa, (SimdI16)xb),
                                  xa + xb);
    SimdI ec = (SimdI)(xc >> 23), ep = (SimdI)(xab >> 23) - FMA_BIAS;
    SimdU p = fma_product(a, b);
    SimdU z = simd_keep_nonzero(xc, fma_significand(c) << FMA_GUARD_BITS);
    SimdMask z_first = simd_lt(ep, ec), special, zero;
    SimdU exchanged = simd_keep(z_first, p ^ z);
    /* exponents have 16 bits, and their differences */
    SimdU e = (SimdU)simd_max16((SimdI16)ep, (SimdI16)ec);
    SimdU small = simd_shr_sticky(z ^ exchanged, (SimdU)simd_abs(ep - ec));
    SimdI sum = (SimdI)((p ^ exchanged) + simd_negate_by(small, apart));
    SimdF result = __builtin_convertvector(sum, SimdF) * scale * (SimdF)(e << 23);
    SimdU sign = ab ^ simd_keep(z_first, apart);

    /* zeroes of different signs add up to +0 */
    zero = simd_eq((SimdU)sum, (SimdU) { 0 });
    sign &= ~simd_keep(zero, apart) & simd_splat(NUM_FP32_SIGN);
    *r = (SimdU)result ^ sign;
    special = simd_eq((SimdU)simd_max16(simd_max16((SimdI16)xa, (SimdI16)xb),
                                        (SimdI16)xc), infinity);
    /* e < LOWEST or e > HIGHEST, as an unsigned comparison */
    special |= simd_unless(zero, simd_lt(
        simd_splat_signed(INT32_MIN + HIGHEST - LOWEST),
        (SimdI)(e + (NUM_FP32_SIGN - LOWEST))));
    return NUM_HOST_FLOAT ? special : simd_mask(SIMD_ALL);
}

#endif
