/*
 * Matrix Unit: matrix multiplication, the body of MVMUL, DOTPV and GAPOOL.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH MVMUL.md for what is computed; how it is rounded is in docs/numerics.rst.
 *
 * A dot product has 16 terms in two groups of eight.  Terms of both groups lie
 * side by side as 16-bit elements of a 32-bit lane (matrix_planes.c), so that
 * SrcB's two are one word for all columns; eight products fit 16 bits.
 */

#include "matrix/matrix_kernels.h"

enum { GROUPS = TENSIX_GROUPS, TERMS = TENSIX_GROUP_TERMS };

/* Both groups' sums of all rows, as elements 2j and 2j + 1 for column j. */
typedef struct Sums {
    int16_t s[MATRIX_ROWS][GROUPS * TENSIX_COLUMNS];
    int16_t e[MATRIX_ROWS][GROUPS * TENSIX_COLUMNS];
} Sums;

/* Rows of SrcB for one phase: element 2q + g of one is term q of group g. */
typedef struct RowsB {
    const int16_t *exponent, *mantissa, *sign;
    uint32_t step;                 /* from one row to the next, in elements */
} RowsB;

static RowsB rows_of_b(const TensixPlanesB *b, const MatrixRowsB *rows,
                       uint32_t phase)
{
    uint32_t row = rows->first % MATRIX_ROWS;

    return (RowsB) { b->exponent[row],
                     b->mantissa[phase / TENSIX_PLANE_PHASES][row],
                     b->sign[row], rows->step * TENSIX_COLUMNS };
}

/* Two products, aligned d places down, each rounded half up, signed. */
SIMD_INLINE VecI16 aligned_products(VecI16 a, VecI16 b, VecI16 sign, VecI16 d)
{
    /*
     * With m = |product|: a * b is 8m, and 8m * (4096 >> d) / 2^15 is m / 2^d.
     * NOT makes it -8m - 1, which rounds to the negative of what m rounds to.
     */
    return simd_mul_round((a * b) ^ sign, simd_weight(d));
}

/* The largest of eight; in a tree, which is short. */
SIMD_INLINE VecI16 max_of_terms(const VecI16 e[TERMS])
{
    return simd_max16(simd_max16(simd_max16(e[0], e[1]),
                                 simd_max16(e[2], e[3])),
                      simd_max16(simd_max16(e[4], e[5]),
                                 simd_max16(e[6], e[7])));
}

/* Sums of both groups of all rows, for one vector of columns from j on. */
SIMD_INLINE void sum_columns(Sums *sums, const TensixPlanesA *a, uint32_t j,
                             const RowsB *b, uint32_t rows,
                             const MatrixMode *mode)
{
    int16_t adjust = matrix_exponent_adjust(mode);
    const VecI16 floor = (VecI16) {} + (int16_t)matrix_exponent_floor(mode);
    VecI16 e_a[TERMS], m_a[TERMS], s_a[TERMS];

    for (uint32_t q = 0; q < TERMS; q++) {
        e_a[q] = (VecI16)simd_load(&a->exponent[q][2 * j]) + adjust;
        m_a[q] = (VecI16)simd_load(&a->mantissa[mode->phase & 1][q][2 * j]);
        s_a[q] = (VecI16)simd_load(&a->sign[q][2 * j]);
    }
    for (uint32_t k = 0; k < rows; k++) {
        VecI16 e[TERMS], top, sum = {};

        for (uint32_t q = 0; q < TERMS; q++) {
            e[q] = e_a[q] + simd_pair(&b->exponent[k * b->step + 2 * q]);
        }
        top = simd_max16(max_of_terms(e), floor);
        for (uint32_t q = 0; q < TERMS; q++) {
            VecI16 m_b = simd_pair(&b->mantissa[k * b->step + 2 * q]);
            VecI16 s_b = simd_pair(&b->sign[k * b->step + 2 * q]);

            sum += aligned_products(m_a[q], m_b, s_a[q] ^ s_b, top - e[q]);
        }
        simd_store(&sums->s[k][2 * j], (VecU32)(sum & (top > 0)));
        simd_store(&sums->e[k][2 * j], (VecU32)top);
    }
}

/*
 * Both groups' sums S aligned d places down, and added.  S * 2^13 is rounded at
 * its lowest bit and then at bit 13, ties up both times: that is
 * ((S << 14 >> d) + 8193) >> 14, or the floor of (S + 2^(d-1) + 2^(d-14)) / 2^d.
 */
SIMD_INLINE VecI32 align_groups(VecI16 s, VecI16 d)
{
#if defined(__AVX512BW__)
    /*
     * With n = -(S + 2^(d-14)), of which the fraction does not matter, it is
     * n * (-2^15 >> d) + 2^14 >> 15: one multiplication even of d = 0.  From
     * d = 16 on it is 0, since |S| < 2^15 - 4.
     */
    __m512i more = _mm512_sllv_epi16(
        _mm512_set1_epi16(1), _mm512_sub_epi16((__m512i)d, _mm512_set1_epi16(14)));
    __m512i n = _mm512_sub_epi16(
        _mm512_setzero_si512(), _mm512_add_epi16((__m512i)s, more));
    __m512i weight = _mm512_srav_epi16(_mm512_set1_epi16(INT16_MIN), (__m512i)d);

    return simd_dot_pairs(
        (VecI16)_mm512_maskz_mulhrs_epi16(
            _mm512_cmplt_epi16_mask((__m512i)d, _mm512_set1_epi16(16)),
            n, weight),
        (VecI16) {} + 1);
#else
    VecI32 a = (VecI32)simd_unzip_a(s) << 16 >> 2;
    VecI32 b = (VecI32)simd_unzip_b(s) << 16 >> 2;

    return ((simd_shift_right(a, simd_unzip_a(d)) + 8193) >> 14) +
           ((simd_shift_right(b, simd_unzip_b(d)) + 8193) >> 14);
#endif
}

/* Dst16b += sums, two rows at a time. */
SIMD_INLINE void add_sums16(const MatrixRows *rows, const Sums *sums, bool fp16)
{
    for (uint32_t k = 0; k < rows->count; k += 2) {
        uint16_t *first = tensix_matrix_high(rows, k);
        uint16_t *second = tensix_matrix_high(rows, k + 1);

        for (uint32_t j = 0; j < TENSIX_COLUMNS; j += SIMD_LANES) {
            Dst16 d = dst16_decode(simd_load_two(&first[j], &second[j]), fp16);
            VecI16 e_a = (VecI16)simd_load(&sums->e[k][2 * j]);
            VecI16 e_b = (VecI16)simd_load(&sums->e[k + 1][2 * j]);
            VecI16 s_a = (VecI16)simd_load(&sums->s[k][2 * j]);
            VecI16 s_b = (VecI16)simd_load(&sums->s[k + 1][2 * j]);
            VecI16 top = simd_max16(
                simd_blend(simd_max16(e_a, simd_swap(e_a)),
                           simd_max16(e_b, simd_swap(e_b))), d.e);
            VecI16 dst = dst16_align(d, top);
            VecI32 a = align_groups(s_a, simd_both_a(top) - e_a) +
                       ((VecI32)simd_unzip_a(dst) << 16 >> 16);
            VecI32 b = align_groups(s_b, simd_both_b(top) - e_b) +
                       ((VecI32)simd_unzip_b(dst) << 16 >> 16);
            VecI16 sign = simd_blend((VecI16)((VecU32)a >> 16), (VecI16)b);

            simd_store_two(&first[j], &second[j],
                           dst16_encode(simd_abs(a), simd_abs(b), top,
                                        sign, fp16));
        }
    }
}

static void add_sums32(const MatrixRows *rows, const Sums *sums)
{
    for (uint32_t k = 0; k < rows->count; k++) {
        for (uint32_t j = 0; j < TENSIX_COLUMNS; j += SIMD_LANES) {
            VecI16 s = (VecI16)simd_load(&sums->s[k][2 * j]);
            VecI16 e = (VecI16)simd_load(&sums->e[k][2 * j]);
            MatrixSum x = { (VecI32)simd_unzip_a(s) << 16 >> (16 - SUM_SCALE),
                            (VecI32)simd_unzip_a(e) };
            MatrixSum y = { (VecI32)simd_unzip_b(s) << 16 >> (16 - SUM_SCALE),
                            (VecI32)simd_unzip_b(e) };

            matrix_accumulate32(rows, k, j, true, &x, &y);
        }
    }
}

static void multiply_float(const MatrixMode *mode, const MatrixRows *rows,
                           const TensixPlanesA *a, const RowsB *b)
{
    Sums sums;

    for (uint32_t j = 0; j < TENSIX_COLUMNS; j += SIMD_LANES) {
        sum_columns(&sums, a, j, b, rows->count, mode);
    }
    if (mode->wide) {
        add_sums32(rows, &sums);
    } else if (mode->style == MATRIX_FP16) {
        add_sums16(rows, &sums, true);
    } else {
        add_sums16(rows, &sums, false);
    }
}

/* Here the mantissas are the phase's signed integers; 16 terms fit 32 bits. */
static void multiply_int8(const MatrixMode *mode, const MatrixRows *rows,
                          const TensixPlanesA *a, const RowsB *b)
{
    for (uint32_t j = 0; j < TENSIX_COLUMNS; j += SIMD_LANES) {
        VecI16 m_a[TERMS];

        for (uint32_t q = 0; q < TERMS; q++) {
            m_a[q] = (VecI16)simd_load(&a->mantissa[mode->phase & 1][q][2 * j]);
        }
        for (uint32_t k = 0; k < rows->count; k++) {
            VecI32 sum = {};

            for (uint32_t q = 0; q < TERMS; q++) {
                VecI16 m_b = simd_pair(&b->mantissa[k * b->step + 2 * q]);

                sum += simd_dot_pairs(m_a[q], m_b);
            }
            matrix_add_int32(rows, k, j, sum, true);
        }
    }
}

void tensix_matrix_multiply(TensixCore *c, const TensixInsn *i,
                            const MatrixMode *mode, const MatrixRows *rows,
                            uint32_t row_a, const MatrixRowsB *rows_b)
{
    const TensixPlanesA *a = tensix_matrix_planes_a(c, i, mode, row_a);
    const TensixPlanesB *b = tensix_matrix_planes_b(c, i, mode, rows_b->first);
    RowsB b_rows = rows_of_b(b, rows_b, mode->phase);

    if (mode->style == MATRIX_INT8) {
        multiply_int8(mode, rows, a, &b_rows);
    } else {
        multiply_float(mode, rows, a, &b_rows);
    }
}
