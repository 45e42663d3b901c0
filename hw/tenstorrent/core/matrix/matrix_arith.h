/*
 * Matrix Unit: the arithmetic that all its floating-point results share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A result is Dst + one or two sums of products.  A sum is S * 2^(E + k) with
 * an integer S and the common exponent E of its terms (docs/numerics.rst).
 * What is here works on one vector of columns.
 */

#ifndef TENSIX_MATRIX_ARITH_H
#define TENSIX_MATRIX_ARITH_H

#include "matrix/matrix.h"
#include "num/simd.h"

enum {
    EXP_OF_ZERO = -1024,           /* loses every comparison of exponents */
    BIAS8 = 127,
    BIAS5 = 15,
    PHASE_A_BITS = 5,              /* mantissa bits below phase 0's, SrcA */
    PHASE_B_BITS = 7,
    EXP8_INF = 255,
    DST_HALF_MAX = 0x7fff,         /* FP16 overflows to its largest pattern */
    DST_HALF_INF = 0x7f80,
};

/*
 * What is added to the exponents of the operands, so that the sum is the
 * exponent of the product in Dst's bias.  The pages leave the arithmetic open;
 * this is ttsim's.
 */
static inline int32_t matrix_exponent_adjust(const MatrixMode *mode)
{
    int32_t adjust = -BIAS8;

    if (mode->style == MATRIX_FP16) {
        adjust = mode->wide ? BIAS8 - 2 * BIAS5 : -BIAS5;
    }
    return adjust - (mode->phase & 1 ? PHASE_A_BITS : 0) -
           (mode->phase & 2 ? PHASE_B_BITS : 0);
}

/*
 * Operands as floats of the host (matrix_planes.c, matrix_dot.c): what is added to
 * their exponents, and the largest exponent of an operand that is one.  So 2^23 last
 * places of a group have a float's exponent: 254 at most, by the largest operands,
 * and 47 at least, where all products are small.
 */
enum {
    VALUE_PART_LOG = 8,            /* of SrcA's last place */
    VALUE_SCALE_A = -123,
    VALUE_SCALE_B = -115,
    VALUE_SCALE_FP16 = BIAS8 - BIAS5,  /* more, of either */
    VALUE_EXP_MAX = 167,
    FLOAT_MAN_BITS = 23,
};

/* The lowest common exponent a group of products can have. */
static inline int32_t matrix_exponent_floor(const MatrixMode *mode)
{
    int32_t adjust = matrix_exponent_adjust(mode);

    return adjust > 0 ? adjust : 0;
}

/*
 * What is added to the exponent of a group of values, so that it is the host's
 * of 2^23 times a last place.
 */
static inline int32_t matrix_value_scale(const MatrixMode *mode)
{
    int32_t scale = BIAS8 + FLOAT_MAN_BITS + VALUE_SCALE_A + VALUE_SCALE_B +
                    VALUE_PART_LOG - matrix_exponent_adjust(mode);

    return mode->style == MATRIX_FP16 ? scale + 2 * VALUE_SCALE_FP16 : scale;
}

/*
 * A sum of products: 2^14 times its integer S, |S| < 2^15, and its exponent.  S
 * is 0 where the exponent is.
 */
enum { SUM_SCALE = 14 };

typedef struct MatrixSum {
    SimdI s, e;
} MatrixSum;

/* S * 2^13 aligned d places down, rounded at the lowest bit, ties up. */
SIMD_INLINE SimdI align32(SimdI s, SimdI d)
{
    return (simd_sar(s, d) + 1) >> 1;
}

/* x negated where sign is -1. */
SIMD_INLINE SimdI simd_negate(SimdI x, SimdI sign)
{
    return (x ^ sign) - sign;
}

/*
 * m < 2^30 as a float, of which the lowest bits are rounded, ties up.  The
 * conversion rounds ties to even, but 2m + 1 is never a tie; below 2^24 it has
 * nothing to round.
 */
SIMD_INLINE SimdI simd_float_of_twice(SimdI m)
{
    SimdI odd = m > 0xffffff;

    return (SimdI)__builtin_convertvector(m + m - odd, SimdF);
}

/*
 * Dst32b + sums: high and low halves in storage order, rounded to 24 bits, ties
 * away from zero.  |S| < 2^29 there.
 */
SIMD_INLINE void accumulate32(SimdI *high, SimdI *low, const MatrixSum *a,
                              const MatrixSum *b)
{
    SimdI e_dst = *high & SRC_EXP_MASK;
    SimdI m_dst = ((*high & 0x7f00) << 8 | 0x800000 | *low) & (e_dst != 0);
    SimdI e = simd_max(simd_max(a->e, e_dst), b ? b->e : a->e);
    SimdI sum = simd_negate((simd_sar(m_dst << 1, e - e_dst) + 1) >> 1,
                             -(*high >> 15)) + align32(a->s, e - a->e);
    SimdI f, over, keep;

    if (b) {
        sum += align32(b->s, e - b->e);
    }
    f = simd_float_of_twice(simd_abs(sum));
    e += (f >> 23) - (BIAS8 + 24);
    over = e >= EXP8_INF;
    keep = (sum != 0) & (e > 0);
    f &= ~over & keep;
    e = simd_min(e, simd_splat_signed(EXP8_INF)) & keep;
    *high = (sum >> 16 & keep & 0x8000) | (f >> 8 & 0x7f00) | e;
    *low = f & 0xffff;
}

/*
 * Adds the sums to columns j and on of row k of Dst32b, or puts them there; b
 * may be NULL.
 */
SIMD_INLINE void matrix_accumulate32(const MatrixRows *rows, uint32_t k,
                                     uint32_t j, bool accumulate,
                                     const MatrixSum *a, const MatrixSum *b)
{
    uint16_t *to_high = tensix_matrix_high(rows, k) + j;
    uint16_t *to_low = tensix_matrix_low(rows, k) + j;
    SimdI high = accumulate ? simd_load_half(to_high) : simd_splat_signed(0);
    SimdI low = accumulate ? simd_load_half(to_low) : simd_splat_signed(0);

    accumulate32(&high, &low, a, b);
    simd_store_half(to_low, low);
    simd_store_half(to_high, high);
}

/* SrcB's operands of row k, from column j on. */
SIMD_INLINE SimdU matrix_elw_b(const MatrixElwOp *op, uint32_t k, uint32_t j)
{
    const uint32_t *row = &op->b[k * op->b_step];

    return op->b_column0 ? simd_splat(*row) : simd_load(&row[j]);
}

/* --- Dst16b, two rows at once (simd_load_two()) --- */

enum {
    M8_HIDDEN = SRC_HIDDEN << 3,   /* of eight times a mantissa */
    /* exponents are raised by this to stay positive until they are checked */
    OFFSET_BF16 = 16,
    OFFSET_FP16 = 10,
};

/* Cells of Dst16b: exponent, eight times the mantissa, 0 or -1. */
typedef struct Dst16 {
    SimdI16 e, m8, sign;
} Dst16;

SIMD_INLINE Dst16 dst16_decode(SimdI16 x, bool fp16)
{
    const int16_t exp_mask = fp16 ? SRC_EXP5_MASK : SRC_EXP_MASK;
    const int16_t man_mask = (fp16 ? SRC_MAN_MASK : SRC_MAN7_MASK) << 3;
    SimdI16 e = x & exp_mask;

    return (Dst16) { e, ((x >> 2 & man_mask) | M8_HIDDEN) & (e != 0), x >> 15 };
}

/*
 * Aligned to exponent `top`.  A mantissa has 11 bits, so that rounding once is
 * what rounding at 13 more bits and then again would give.
 */
SIMD_INLINE SimdI16 dst16_align(Dst16 d, SimdI16 top)
{
    return simd_mul_round(d.m8 ^ d.sign, simd_weight(top - d.e));
}

/* a, b < 2^16 as floats, rounded to Dst's mantissa: exponents and mantissas. */
SIMD_INLINE SimdU16 dst16_normalise(SimdI a, SimdI b, bool fp16)
{
    SimdU f_a = (SimdU)__builtin_convertvector(a, SimdF);
    SimdU f_b = (SimdU)__builtin_convertvector(b, SimdF);

    if (fp16) {
        f_a = (f_a + 0x1000 - (BIAS8 << 23)) >> 13;
        f_b = (f_b + 0x1000 - (BIAS8 << 23)) << 3;
    } else {
        f_a = (f_a + 0x8000) >> 16;
        f_b = f_b + 0x8000;
    }
    return (SimdU16)simd_blend((SimdI16)f_a, (SimdI16)f_b);
}

/*
 * Storage order of two rows of magnitudes < 2^16, a and b, times 2^e, with the
 * sign of `sign`, rounded ties away from zero: conversion to float is exact, and
 * normalises; half an ulp added to its bits rounds it, with the carry into the
 * exponent.  flush: e = 0 gives 0.
 */
SIMD_INLINE SimdI16 dst16_encode(SimdI a, SimdI b, SimdI16 e, SimdI16 sign,
                                bool flush, bool fp16)
{
    SimdU16 u = dst16_normalise(a, b, fp16);
    const uint16_t one = fp16 ? (OFFSET_FP16 + 1) << 10
                              : (OFFSET_BF16 + 1) << 7;
    const uint16_t offset = fp16 ? OFFSET_FP16 << 10 : OFFSET_BF16 << 7;
    const uint16_t max = offset + (fp16 ? DST_HALF_MAX : DST_HALF_INF);
    SimdI16 keep, r;

    u += fp16 ? (SimdU16)e << 10 : (SimdU16)(e - 137 + OFFSET_BF16) << 7;
    keep = (SimdI16)(u >= one) & (simd_zip((SimdU)a, (SimdU)b) != 0);
    if (flush) {
        keep &= e != 0;
    }
    u = simd_min_unsigned16(u, (SimdU16)simd_splat16(max));
    r = (SimdI16)(u - offset);
    r = fp16 ? (r << 5 & 0x7fe0) | r >> 10 : (r << 8 & 0x7f00) | r >> 7;
    return ((sign & (int16_t)0x8000) | r) & keep;
}

/*
 * Adds x, |x| < 2^31, to columns j and on of row k, integer "32" in sign and
 * magnitude, or replaces them.  Saturates at +-(2^31 - 1) (WH MatrixUnit.md,
 * SaturateAddInt32).
 */
SIMD_INLINE void matrix_add_int32(const MatrixRows *rows, uint32_t k,
                                  uint32_t j, SimdI x, bool accumulate)
{
    uint16_t *high = tensix_matrix_high(rows, k) + j;
    uint16_t *low = tensix_matrix_low(rows, k) + j;
    SimdI sign = {}, m = {};

    if (accumulate) {
        SimdI h = simd_load_half(high), zero = {};

        m = (h & 0xff) << 23 | (h & 0x7f00) << 8 | simd_load_half(low);
        sign = h << 16 >> 31;
        /* from here on as if what was there were positive */
        x = simd_negate(x, sign);
        m = simd_min(m, INT32_MAX - simd_max(x, zero));
    }
    x += m;
    m = simd_abs(x);
    sign = ((x >> 16) ^ sign) & (m != 0) & 0x8000;
    simd_store_half(high, sign | (m >> 8 & 0x7f00) | m >> 23);
    simd_store_half(low, m & 0xffff);
}

#endif
