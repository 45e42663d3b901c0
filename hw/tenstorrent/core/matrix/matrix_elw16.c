/*
 * Matrix Unit: element-wise arithmetic into 16-bit Dest, two rows at once.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What matrix_elw32.c does in 32-bit lanes fits 16 bits here: mantissas have
 * 11 bits, sums of two and products 12, and the lowest common exponent is 0.
 * An alignment is one multiplication (README.md here, "Either way");
 * rounding twice, as the 16-bit accumulation does, then is rounding once, since
 * integers below 2^12 shifted by 14 or more are 0 either way.
 */

#include "matrix/matrix_arith.h"

enum {
    T_SIGN = 0x400,                /* S M of a cell in 11 bits */
};

typedef struct Elw16 {
    uint32_t exp_mask;
    int16_t flush_b;               /* all ones: SrcB's exponent 0 is zero */
    int16_t flip_b;                /* T_SIGN: SrcB is subtracted */
    int16_t adjust;                /* of a product's exponent, or a sum's */
    uint32_t phase;
} Elw16;

/* Two rows of one operand: exponents, and S M in 11 bits. */
typedef struct Cells16 {
    SimdI16 e, t;
} Cells16;

/* Sums, |s| < 2^12, and their exponents, 0 or more. */
typedef struct Sum16 {
    SimdI16 s, e;
} Sum16;

SIMD_INLINE Cells16 load_cells(SimdU x, SimdU y, uint32_t exp_mask)
{
    return (Cells16) {
        .e = simd_zip(x & exp_mask, y & exp_mask),
        .t = simd_zip(x >> SRC_MAN_LOW, y >> SRC_MAN_LOW),
    };
}

/* Sign of S M as 0 or -1. */
SIMD_INLINE SimdI16 sign_of(SimdI16 t)
{
    return t << 5 >> 15;
}

SIMD_INLINE Sum16 sum16(Cells16 a, Cells16 b, const Elw16 *f)
{
    SimdI16 e = simd_max16(a.e, b.e);
    SimdI16 zero_b, m_a, m_b, s;

    b.t ^= f->flip_b;
    /* all zeroes are nothing even where exponent 0 counts */
    zero_b = (b.e == 0) &
             (f->flush_b | ((b.t & (T_SIGN | SRC_MAN_MASK)) == 0));
    m_a = (((a.t & SRC_MAN_MASK) << 3) | M8_HIDDEN) & (a.e != 0);
    m_b = (((b.t & SRC_MAN_MASK) << 3) | M8_HIDDEN) & ~zero_b;
    s = simd_mul_round(m_a ^ sign_of(a.t), simd_weight(e - a.e)) +
        simd_mul_round(m_b ^ sign_of(b.t), simd_weight(e - b.e));
    if (f->phase) {
        e += f->adjust;
        s &= e > 0;
        e &= e > 0;
    }
    return (Sum16) { s, e };
}

SIMD_INLINE Sum16 product16(Cells16 a, Cells16 b, const Elw16 *f)
{
    SimdI16 sign = sign_of(a.t ^ b.t);
    SimdI16 e = a.e + b.e + f->adjust;
    SimdI16 keep = (e > 0) & (a.e != 0) & ~((b.e == 0) & f->flush_b);
    SimdI16 m_a = (a.t & SRC_MAN_MASK) | SRC_HIDDEN;
    SimdI16 m_b = (b.t & SRC_MAN_MASK) | SRC_HIDDEN;

    m_a = f->phase & 1 ? m_a >> 1 & 31 : m_a >> 6;
    m_b = f->phase & 2 ? (m_b & 15) << 3 : m_b >> 4;
    return (Sum16) { (((m_a * m_b) ^ sign) - sign) & keep, e & keep };
}

/* Dst + the sum, aligned to the larger exponent, which goes to sum->e. */
SIMD_INLINE SimdI16 add_dst16(Sum16 *sum, SimdI16 dst, bool fp16)
{
    Dst16 d = dst16_decode(dst, fp16);
    SimdI16 top = simd_max16(sum->e, d.e);
    SimdI16 total = simd_mul_round(sum->s << 3, simd_weight(top - sum->e)) +
                   dst16_align(d, top);

    sum->e = top;
    return total;
}

/* total * 2^e in storage order. */
SIMD_INLINE SimdI16 finish16(SimdI16 total, SimdI16 e, bool fp16)
{
    SimdI16 sign = total >> 15;
    SimdI16 x = (total ^ sign) - sign;

    return dst16_encode(simd_unzip_a(x), simd_unzip_b(x), e, sign, fp16);
}

SIMD_INLINE SimdU load_b(const MatrixElwOp *op, uint32_t k, uint32_t j)
{
    return op->b_column0 ? simd_splat(op->b[k][0]) : simd_load(&op->b[k][j]);
}

SIMD_INLINE void rows16(const MatrixRows *rows, const MatrixElwOp *op,
                        const Elw16 *f, bool multiply, bool accumulate,
                        bool fp16)
{
    for (uint32_t k = 0; k < MATRIX_ROWS; k += 2) {
        uint16_t *first = tensix_matrix_high(rows, k);
        uint16_t *second = tensix_matrix_high(rows, k + 1);

        SIMD_EACH_COLUMN(j) {
            Cells16 a = load_cells(simd_load(&op->a[k][j]),
                                   simd_load(&op->a[k + 1][j]), f->exp_mask);
            Cells16 b = load_cells(load_b(op, k, j), load_b(op, k + 1, j),
                                   f->exp_mask);
            Sum16 sum = multiply ? product16(a, b, f) : sum16(a, b, f);
            SimdI16 x = sum.s;

            if (accumulate) {
                x = add_dst16(&sum, simd_load_two(&first[j], &second[j]), fp16);
            }
            if (!multiply) {
                /* exponent 0 gives 0, also where rounding would raise it */
                x &= sum.e != 0;
            }
            x = finish16(x, sum.e, fp16);
            simd_store_two(&first[j], &second[j], x);
        }
    }
}

SIMD_INLINE void rows16_of(const MatrixRows *rows, const MatrixElwOp *op,
                           const Elw16 *f, bool fp16)
{
    if (op->op == MATRIX_ELW_MUL) {
        rows16(rows, op, f, true, true, fp16);
    } else if (op->accumulate) {
        rows16(rows, op, f, false, true, fp16);
    } else {
        rows16(rows, op, f, false, false, fp16);
    }
}

void tensix_matrix_elw_float16(const MatrixMode *mode, const MatrixRows *rows,
                               const MatrixElwOp *op)
{
    int16_t divide = (mode->phase & 1 ? PHASE_A_BITS : 0) +
                     (mode->phase & 2 ? PHASE_B_BITS : 0);
    Elw16 f = {
        .exp_mask = mode->exp_mask,
        .flush_b = mode->flush_b ? -1 : 0,
        .flip_b = op->op == MATRIX_ELW_SUB ? T_SIGN : 0,
        .adjust = op->op == MATRIX_ELW_MUL ? matrix_exponent_adjust(mode)
                                           : -divide,
        .phase = mode->phase,
    };

    if (mode->style == MATRIX_FP16) {
        rows16_of(rows, op, &f, true);
    } else {
        rows16_of(rows, op, &f, false);
    }
}
