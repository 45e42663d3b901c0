/*
 * Matrix Unit: the arithmetic that all its floating-point results share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A result is Dst + one or two sums of products.  A sum is S * 2^(E + k) with
 * an integer S and the common exponent E of its terms (docs/numerics.rst).
 * What is here works on one vector of columns.
 */

#ifndef TENSIX_MATRIX_KERNELS_H
#define TENSIX_MATRIX_KERNELS_H

#include "matrix_simd.h"

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

/* The lowest common exponent a group of products can have. */
static inline int32_t matrix_exponent_floor(const MatrixMode *mode)
{
    int32_t adjust = matrix_exponent_adjust(mode);

    return adjust > 0 ? adjust : 0;
}

/*
 * A sum of products: 2^14 times its integer S, |S| < 2^15, and its exponent.  S
 * is 0 where the exponent is.
 */
enum { SUM_SCALE = 14 };

typedef struct MatrixSum {
    VecI32 s, e;
} MatrixSum;

/* Position of the highest one of 1 <= x < 2^31, in each lane; x = 0: any. */
SIMD_INLINE VecI32 simd_log2(VecI32 x)
{
    /*
     * Without the bit below the highest, x cannot round up to a power of two
     * in the conversion: its exponent is exact.
     */
    VecF32 f = __builtin_convertvector(x & ~(x >> 1), VecF32);

    return ((VecI32)f >> 23) - 127;
}

/*
 * Of s = S * 2^14: S * 2^13 aligned d places down and rounded to a multiple of
 * 2^13, as a number of those.  It is rounded first at the lowest bit and then
 * at bit 13, ties up both times: (x + 1) >> 1 and (y + 4096) >> 13.
 */
SIMD_INLINE VecI32 align16(VecI32 s, VecI32 d)
{
    return (simd_shift_right(s, d) + 8193) >> 14;
}

/* S * 2^13 aligned d places down, rounded at the lowest bit, ties up. */
SIMD_INLINE VecI32 align32(VecI32 s, VecI32 d)
{
    return (simd_shift_right(s, d) + 1) >> 1;
}

/* x negated where sign is -1. */
SIMD_INLINE VecI32 simd_negate(VecI32 x, VecI32 sign)
{
    return (x ^ sign) - sign;
}

/*
 * Dst16b + sums.  Everything is in units of 2^13: S < 2^16 in magnitude, so
 * that conversion to float is exact, and normalises; half an ulp added to its
 * bits rounds it, ties away from zero, with the carry into the exponent.
 */
SIMD_INLINE VecI32 accumulate16(VecI32 dst, const MatrixSum *a,
                                const MatrixSum *b, bool fp16)
{
    const int32_t man_bits = fp16 ? 10 : 7;
    VecI32 e_dst = dst & (fp16 ? SRC_EXP5_MASK : SRC_EXP_MASK);
    VecI32 m_dst = ((dst << 9 & (fp16 ? SRC_MAN_MASK : SRC_MAN7_MASK)
                                    << SUM_SCALE) |
                    SRC_HIDDEN << SUM_SCALE) &
                   (e_dst != 0);
    VecI32 e = simd_max(simd_max(a->e, e_dst), b ? b->e : a->e);
    VecI32 sum = simd_negate(align16(m_dst, e - e_dst), -(dst >> 15)) +
                 align16(a->s, e - a->e);
    VecI32 sign, r;

    if (b) {
        sum += align16(b->s, e - b->e);
    }
    sign = sum >> 31;
    r = (VecI32)__builtin_convertvector(simd_abs(sum), VecF32);
    r = ((r + (1 << (22 - man_bits))) >> (23 - man_bits)) +
        ((e - 137) << man_bits);
    r = simd_min(r, simd_set(fp16 ? DST_HALF_MAX : DST_HALF_INF));
    r &= (sum != 0) & (r >> man_bits > 0);
    sign &= r != 0;
    if (fp16) {
        return (sign & 0x8000) | (r & 0x3ff) << 5 | r >> 10;
    }
    return (sign & 0x8000) | (r & 0x7f) << 8 | r >> 7;
}

/*
 * Dst32b + sums: high and low halves in storage order.  |S| < 2^29: it is
 * shifted so that its highest one is bit 29, and rounded to 24 bits, ties away
 * from zero.
 */
SIMD_INLINE void accumulate32(VecI32 *high, VecI32 *low, const MatrixSum *a,
                                const MatrixSum *b)
{
    VecI32 e_dst = *high & SRC_EXP_MASK;
    VecI32 m_dst = ((*high & 0x7f00) << 8 | 0x800000 | *low) & (e_dst != 0);
    VecI32 e = simd_max(simd_max(a->e, e_dst), b ? b->e : a->e);
    VecI32 sum = simd_negate((simd_shift_right(m_dst << 1, e - e_dst) + 1) >> 1,
                             -(*high >> 15)) + align32(a->s, e - a->e);
    VecI32 sign, m, log2, over, keep;

    if (b) {
        sum += align32(b->s, e - b->e);
    }
    sign = sum >> 31;
    m = simd_abs(sum);
    log2 = simd_log2(m) & (m != 0);
    m = ((m << (29 - log2)) + 32) >> 6;
    e += log2 - 23 + (m >> 24);
    over = e >= EXP8_INF;
    keep = (sum != 0) & (e > 0);
    m &= ~over & keep;
    e = simd_min(e, simd_set(EXP8_INF)) & keep;
    *high = (sign & keep & 0x8000) | (m >> 8 & 0x7f00) | e;
    *low = m & 0xffff;
}

/*
 * Adds the sums to columns j and on of row k, or puts them there; b may be
 * NULL.
 */
SIMD_INLINE void matrix_accumulate(const MatrixRows *rows, uint32_t k,
                                   uint32_t j, bool wide, bool fp16,
                                   bool accumulate, const MatrixSum *a,
                                   const MatrixSum *b)
{
    VecI32 high = accumulate ? simd_load_half(&rows->high[k][j]) : simd_set(0);

    if (wide) {
        VecI32 low = accumulate ? simd_load_half(&rows->low[k][j])
                                : simd_set(0);

        accumulate32(&high, &low, a, b);
        simd_store_half(&rows->low[k][j], low);
    } else {
        high = accumulate16(high, a, b, fp16);
    }
    simd_store_half(&rows->high[k][j], high);
}

/*
 * Integer "32", sign and magnitude, in two's complement: adds with saturation
 * to +-(2^31 - 1) (WH MatrixUnit.md, SaturateAddInt32).
 */
SIMD_INLINE VecI32 simd_saturating_add(VecI32 a, VecI32 b)
{
    VecI32 sum = (VecI32)((VecU32)a + (VecU32)b);
    VecI32 limit = (a >> 31) ^ INT32_MAX;       /* -2^31 if a is negative */
    VecI32 over = (~(a ^ b) & (a ^ sum)) >> 31;

    sum = simd_select(over, limit, sum);
    return simd_max(sum, simd_set(-INT32_MAX));
}

/* Adds x to columns j and on of row k of integers, or replaces them. */
SIMD_INLINE void matrix_add_int32(const MatrixRows *rows, uint32_t k,
                                  uint32_t j, VecI32 x, bool accumulate)
{
    VecI32 high = simd_load_half(&rows->high[k][j]);
    VecI32 low = simd_load_half(&rows->low[k][j]);
    VecI32 sign;

    if (accumulate) {
        VecI32 old = (high & 0xff) << 23 | (high & 0x7f00) << 8 | low;

        x = simd_saturating_add(simd_negate(old, -(high >> 15)), x);
    }
    sign = x >> 31;
    x = simd_negate(x, sign);
    simd_store_half(&rows->high[k][j],
                    (sign & 0x8000) | (x >> 8 & 0x7f00) | (x >> 23 & 0xff));
    simd_store_half(&rows->low[k][j], x & 0xffff);
}

#endif
