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
    /* S M of a cell, eight times: three bits of its exponent are below */
    T8_LOW = SRC_MAN_LOW - 3,
    T8_SIGN = 0x2000,
    T8_MAN = SRC_MAN_MASK << 3,
};

typedef struct Elw16 {
    int16_t exp_mask;
    int16_t counts_b;              /* bits of t8 that make exponent 0 count */
    bool flush_b;                  /* SrcB's exponent 0 is zero */
    int16_t flip_b;                /* T8_SIGN: SrcB is subtracted */
    int16_t adjust;                /* of a product's exponent, or a sum's */
    uint32_t phase;
} Elw16;

/* Two rows of one operand: exponents, and S M from bit 3 on. */
typedef struct Cells16 {
    SimdI16 e, t8;
} Cells16;

/* Sums, |s| < 2^12, and their exponents, 0 or more. */
typedef struct Sum16 {
    SimdI16 s, e;
} Sum16;

SIMD_INLINE Cells16 load_cells(SimdU x, SimdU y, int16_t exp_mask)
{
    return (Cells16) {
        .e = simd_zip(x, y) & exp_mask,
        .t8 = simd_blend((SimdI16)(x >> T8_LOW), (SimdI16)(y << (16 - T8_LOW))),
    };
}

/* Sign of S M as 0 or -1. */
SIMD_INLINE SimdI16 sign_of(SimdI16 t8)
{
    return t8 << 2 >> 15;
}

/* Eight times the mantissas, with their signs as in sign_of(). */
SIMD_INLINE SimdI16 signed_m8(SimdI16 t8)
{
    return ((t8 & T8_MAN) | M8_HIDDEN) ^ sign_of(t8);
}

SIMD_INLINE Sum16 sum16(Cells16 a, Cells16 b, const Elw16 *f)
{
    SimdI16 e = simd_max16(a.e, b.e);
    SimdI16 counts_b, s;

    b.t8 ^= f->flip_b;
    counts_b = (b.e | (b.t8 & f->counts_b)) != 0;
    s = (simd_mul_round(signed_m8(a.t8), simd_weight(e - a.e)) & (a.e != 0)) +
        (simd_mul_round(signed_m8(b.t8), simd_weight(e - b.e)) & counts_b);
    if (f->phase) {
        e += f->adjust;
        s &= e > 0;
        e &= e > 0;
    }
    return (Sum16) { s, e };
}

SIMD_INLINE Sum16 product16(Cells16 a, Cells16 b, const Elw16 *f)
{
    SimdI16 sign = sign_of(a.t8 ^ b.t8);
    SimdI16 e = a.e + b.e + f->adjust;
    SimdI16 keep = (e > 0) & (a.e != 0);
    SimdI16 m_a = (a.t8 & T8_MAN) | M8_HIDDEN;
    SimdI16 m_b = (b.t8 & T8_MAN) | M8_HIDDEN;

    if (f->flush_b) {
        keep &= b.e != 0;
    }
    m_a = f->phase & 1 ? m_a >> 4 & 31 : m_a >> 9;
    m_b = f->phase & 2 ? m_b & 15 << 3 : m_b >> 7;
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

/*
 * total * 2^e in storage order.  flush: a sum's exponent 0 gives 0, also where
 * rounding would raise it.
 */
SIMD_INLINE SimdI16 finish16(SimdI16 total, SimdI16 e, bool flush, bool fp16)
{
    SimdI16 x = simd_abs16(total);

    return dst16_encode(simd_unzip_a(x), simd_unzip_b(x), e, total, flush, fp16);
}

SIMD_INLINE void rows16(const MatrixRows *rows, const MatrixElwOp *op,
                        const Elw16 *f, bool multiply, bool accumulate,
                        bool fp16)
{
    for (uint32_t k = 0; k < MATRIX_ROWS; k += 2) {
        uint16_t *first = rows->block[k / MATRIX_BLOCK][k % MATRIX_BLOCK];
        uint16_t *second = first + TENSIX_COLUMNS;    /* step is 1 */

        SIMD_EACH_COLUMN(j) {
            Cells16 a = load_cells(simd_load(&op->a[k][j]),
                                   simd_load(&op->a[k + 1][j]), f->exp_mask);
            Cells16 b = load_cells(matrix_elw_b(op, k, j), matrix_elw_b(op, k + 1, j),
                                   f->exp_mask);
            Sum16 sum = multiply ? product16(a, b, f) : sum16(a, b, f);
            SimdI16 x = sum.s;

            if (accumulate) {
                x = add_dst16(&sum, simd_load_two(&first[j], &second[j]), fp16);
            }
            simd_store_two(&first[j], &second[j],
                           finish16(x, sum.e, !multiply, fp16));
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
        .counts_b = mode->flush_b ? 0 : T8_SIGN | T8_MAN,
        .flush_b = mode->flush_b,
        .flip_b = op->op == MATRIX_ELW_SUB ? T8_SIGN : 0,
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
