/*
 * Matrix Unit: element-wise arithmetic (ELWADD, ELWSUB, ELWMUL) into 32-bit
 * Dest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH ELWADD.md, ELWSUB.md and ELWMUL.md for what is computed; how it is rounded
 * is in docs/numerics.rst.
 */

#include "matrix/matrix_arith.h"

/* One vector of operands, and the modes that the inner loop needs. */
typedef struct ElwFloat {
    int32_t exp_mask;
    int32_t flush_b;               /* all ones: SrcB's exponent 0 is zero */
    int32_t adjust, floor;         /* of a product's exponent */
    int32_t sum_adjust, sum_floor; /* of a sum's, to Dst's bias */
    int32_t flip_b;                /* 1: SrcB is subtracted */
    uint32_t phase;
} ElwFloat;

static ElwFloat elw_modes(const MatrixMode *mode, MatrixElw op)
{
    bool rebias = mode->style == MATRIX_FP16;
    int32_t adjust = matrix_exponent_adjust(mode);

    return (ElwFloat) {
        .exp_mask = mode->exp_mask,
        .flush_b = mode->flush_b ? -1 : 0,
        .adjust = adjust,
        .floor = matrix_exponent_floor(mode),
        /* a phase other than 0 divides by 32, 128 or both */
        .sum_adjust = (rebias ? BIAS8 - BIAS5 : 0) -
                      (mode->phase & 1 ? PHASE_A_BITS : 0) -
                      (mode->phase & 2 ? PHASE_B_BITS : 0),
        .sum_floor = rebias ? BIAS8 - 2 * BIAS5 : 0,
        .flip_b = op == MATRIX_ELW_SUB,
        .phase = mode->phase,
    };
}

/* SrcA * SrcB: one product of the phase's mantissa bits. */
SIMD_INLINE MatrixSum elw_product(SimdI a, SimdI b, const ElwFloat *f)
{
    SimdI e_a = a & f->exp_mask, e_b = b & f->exp_mask;
    SimdI m_a = (a >> SRC_MAN_LOW & SRC_MAN_MASK) | SRC_HIDDEN;
    SimdI m_b = (b >> SRC_MAN_LOW & SRC_MAN_MASK) | SRC_HIDDEN;
    SimdI zero = (e_a == 0) | ((e_b == 0) & f->flush_b);
    SimdI e = e_a + e_b + f->adjust;
    SimdI keep = (e > 0) & ~zero;
    SimdI product;

    m_a = f->phase & 1 ? m_a >> 1 & 31 : m_a >> 6;
    m_b = f->phase & 2 ? (m_b & 15) << 3 : m_b >> 4;
    /* both have 16 bits or less: their pairs' product is one multiplication */
    product = simd_negate(simd_dot_pairs((SimdI16)m_a, (SimdI16)m_b),
                          -((a ^ b) >> SRC_SIGN_LOW & 1));
    return (MatrixSum) {
        .s = (product & keep) << SUM_SCALE,
        .e = simd_choose(keep, e, simd_splat_signed(f->floor)),
    };
}

/* A cell as exponent, mantissa, sign from the top: sorts by magnitude. */
SIMD_INLINE SimdI elw_key(SimdI x, int32_t exp_mask, int32_t flip,
                           int32_t flush)
{
    SimdI e = x & exp_mask;
    SimdI key = e << 11 | (x >> SRC_MAN_LOW & SRC_MAN_MASK) << 1 |
                 ((x >> SRC_SIGN_LOW) ^ flip);

    return key & ~((e == 0) & flush);
}

/*
 * SrcA +- SrcB: the smaller magnitude is aligned to the larger, rounded half
 * up, and the integers are added.
 */
SIMD_INLINE MatrixSum elw_sum(SimdI a, SimdI b, const ElwFloat *f)
{
    SimdI x = elw_key(a, f->exp_mask, 0, -1);
    SimdI y = elw_key(b, f->exp_mask, f->flip_b, f->flush_b);
    SimdI big = simd_max(x, y), small = simd_min(x, y);
    SimdI e = big >> 11;
    SimdI d = e - (small >> 11);
    SimdI m_big = ((big >> 1 & SRC_MAN_MASK) | SRC_HIDDEN) & (big != 0);
    SimdI m_small = ((small >> 1 & SRC_MAN_MASK) | SRC_HIDDEN) & (small != 0);
    SimdI empty = e == 0, s;

    m_small = (simd_sar(m_small << 1, d) + 1) >> 1;
    s = simd_negate(m_big + simd_negate(m_small, -((big ^ small) & 1)),
                    -(big & 1));
    e += f->sum_adjust;
    if (f->phase) {
        s &= e > 0;
        empty |= e <= 0;
    }
    return (MatrixSum){ .s = s << SUM_SCALE,
                        .e = simd_choose(empty,
                                         simd_splat_signed(f->sum_floor), e) };
}

/* All rows; the flags are constants where this is called. */
SIMD_INLINE void elw_rows(const MatrixRows *rows, const MatrixElwOp *op,
                          const ElwFloat *f, bool multiply)
{
    for (uint32_t k = 0; k < MATRIX_ROWS; k++) {
        SIMD_EACH_COLUMN(j) {
            SimdI a = (SimdI)simd_load(&op->a[k][j]);
            SimdI b = (SimdI)matrix_elw_b(op, k, j);
            MatrixSum sum = multiply ? elw_product(a, b, f) : elw_sum(a, b, f);

            matrix_accumulate32(rows, k, j, op->accumulate, &sum, NULL);
        }
    }
}

void tensix_matrix_elw_float(const MatrixMode *mode, const MatrixRows *rows,
                             const MatrixElwOp *op)
{
    ElwFloat f = elw_modes(mode, op->op);

    if (op->op == MATRIX_ELW_MUL) {
        elw_rows(rows, op, &f, true);
    } else {
        elw_rows(rows, op, &f, false);
    }
}

/* Magnitude bits of a phase, in place (WH SrcASrcB.md, "Fidelity phases"). */
SIMD_INLINE SimdI int8_value(SimdI x, int32_t mask, int32_t flush)
{
    SimdI zero = ((x & SRC_EXP_MASK) == 0) & flush;

    return simd_negate((x >> SRC_MAN_LOW & mask) & ~zero,
                       -(x >> SRC_SIGN_LOW & 1));
}

void tensix_matrix_elw_int8(const MatrixMode *mode, const MatrixRows *rows,
                            const MatrixElwOp *op)
{
    bool multiply = op->op == MATRIX_ELW_MUL;
    int32_t mask_a = multiply ? tensix_matrix_int8_mask_a(mode->phase)
                              : SRC_MAN_MASK;
    int32_t mask_b = multiply ? tensix_matrix_int8_mask_b(mode->phase)
                              : SRC_MAN_MASK;
    int32_t flip = op->op == MATRIX_ELW_SUB ? -1 : 0;
    int32_t flush_b = mode->flush_b ? -1 : 0;

    for (uint32_t k = 0; k < MATRIX_ROWS; k++) {
        SIMD_EACH_COLUMN(j) {
            SimdI a = (SimdI)simd_load(&op->a[k][j]);
            SimdI b = (SimdI)matrix_elw_b(op, k, j);
            SimdI x = int8_value(a, mask_a, -1),
                   y = int8_value(b, mask_b, flush_b);

            x = multiply ? x * y : x + simd_negate(y, simd_splat_signed(flip));
            matrix_add_int32(rows, k, j, x, op->accumulate);
        }
    }
}
