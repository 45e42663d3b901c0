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

#include "matrix/matrix_arith.h"

enum { GROUPS = TENSIX_GROUPS, TERMS = TENSIX_GROUP_TERMS };

/* Both groups' sums of all rows, as elements 2j and 2j + 1 for column j. */
typedef struct Sums {
    int16_t s[MATRIX_ROWS][GROUPS * TENSIX_COLUMNS];
    int16_t e[MATRIX_ROWS][GROUPS * TENSIX_COLUMNS];
} Sums;

/*
 * Rows of SrcB for one phase: element 2q + g of one is term q of group g.  With
 * values the groups are apart, and there is neither mantissa nor sign.
 */
typedef struct RowsB {
    const int16_t *exponent, *mantissa, *sign;
    const float *value[GROUPS];
    uint32_t step;                 /* from one row to the next, in elements */
    uint32_t count;
    TensixPlanePair *pair;         /* if they are all rows of a plane */
} RowsB;

/* Each row's largest exponents of products, without what the phase adds. */
typedef int16_t Largest[MATRIX_ROWS][GROUPS * TENSIX_COLUMNS];

static RowsB rows_of_b(const TensixPlanesB *b, const MatrixRowsB *rows,
                       uint32_t count, uint32_t phase, TensixPlanePair *pair)
{
    uint32_t row = rows->first % MATRIX_ROWS;
    uint32_t half = phase / TENSIX_PLANE_PHASES;

    return (RowsB) { b->exponent[row], b->mantissa[half][row], b->sign[row],
                     { b->value[half][0][row], b->value[half][1][row] },
                     rows->step * TENSIX_COLUMNS, count,
                     rows->step && count == MATRIX_ROWS ? pair : NULL };
}

/* The largest of eight; in a tree, which is short. */
SIMD_INLINE SimdI16 max_of_terms(const SimdI16 e[TERMS])
{
    return simd_max16(simd_max16(simd_max16(e[0], e[1]),
                                 simd_max16(e[2], e[3])),
                      simd_max16(simd_max16(e[4], e[5]),
                                 simd_max16(e[6], e[7])));
}

/* Each term's exponents of both groups in one row, and the groups' largest. */
SIMD_INLINE SimdI16 product_exponents(SimdI16 e[TERMS], const SimdI16 e_a[TERMS],
                                      const int16_t *e_b)
{
    for (uint32_t q = 0; q < TERMS; q++) {
        e[q] = e_a[q] + simd_splat_pair(&e_b[2 * q]);
    }
    return max_of_terms(e);
}

/* --- by numbers of the host --- */

/* 3 * 2^22 of its last places: what is added to it is rounded to whole ones. */
SIMD_INLINE SimdF rounder(SimdU exponent)
{
    return (SimdF)((exponent & (uint32_t)EXP8_INF << FLOAT_MAN_BITS) |
                   1u << (FLOAT_MAN_BITS - 1));
}

/*
 * Products, each rounded to a whole number of start's last places, ties away from
 * zero: the low 16 bits are their sum in such places.  A product p of 12 bits comes
 * as p + b / 256, of 20 bits: exactly, and with less than 1/2 more.  So ties of p
 * are above the middle between two such numbers, and nothing else gets past it.
 */
SIMD_INLINE SimdI sum_of_rounded(const SimdF a[TERMS], const float *b, SimdF start)
{
    SimdF sum = start;

    for (uint32_t q = 0; q < TERMS; q++) {
        sum = simd_multiply_add(a[q], simd_splat_float(b[q]), sum);
    }
    return (SimdI)sum;
}

static void find_largest(Largest largest, const TensixPlanesA *a,
                         const RowsB *b)
{
    SIMD_EACH_COLUMN(j) {
        SimdI16 e_a[TERMS], e[TERMS];

        for (uint32_t q = 0; q < TERMS; q++) {
            e_a[q] = simd_load16(&a->exponent[q][2 * j]);
        }
        for (uint32_t k = 0; k < b->count; k++) {
            simd_store16(&largest[k][2 * j],
                         product_exponents(e, e_a, &b->exponent[k * b->step]));
        }
    }
}

/* Kernels multiply the same planes in each phase, so they are kept for that. */
static const Largest *largest_of_planes(const TensixPlanesA *a, uint64_t made_b,
                                        const RowsB *b)
{
    TensixPlanePair *pair = b->pair;

    if (pair->made_a != a->made || pair->made_b != made_b) {
        find_largest(pair->largest, a, b);
        pair->made_a = a->made;
        pair->made_b = made_b;
    }
    return (const Largest *)&pair->largest;
}

/* Sums of both groups of all rows, for one vector of columns from j on. */
SIMD_INLINE void sum_values(Sums *sums, const TensixPlanesA *a, uint32_t j,
                            const RowsB *b, const MatrixMode *mode,
                            const Largest *largest)
{
    const SimdI16 adjust = simd_splat16(matrix_exponent_adjust(mode));
    const SimdI16 floor = simd_splat16(matrix_exponent_floor(mode));
    const int16_t scale = matrix_value_scale(mode);
    SimdF v_a[GROUPS][TERMS];

    for (uint32_t q = 0; q < TERMS; q++) {
        for (uint32_t g = 0; g < GROUPS; g++) {
            v_a[g][q] = (SimdF)simd_load(&a->value[mode->phase & 1][g][q][j]);
        }
    }
    for (uint32_t k = 0; k < b->count; k++) {
        const float *const *v_b = b->value;
        uint32_t row_v = k * b->step / GROUPS;
        SimdI16 top = simd_max16(simd_load16(&(*largest)[k][2 * j]) + adjust,
                                 floor);
        SimdU places = (SimdU)(top + scale);
        SimdI s_a = sum_of_rounded(v_a[0], &v_b[0][row_v],
                                   rounder(places << FLOAT_MAN_BITS));
        SimdI s_b = sum_of_rounded(v_a[1], &v_b[1][row_v],
                                   rounder(places << (FLOAT_MAN_BITS - 16)));
        SimdI16 sum = simd_blend((SimdI16)s_a, (SimdI16)(s_b << 16));

        simd_store16(&sums->s[k][2 * j], sum & (top > 0));
        simd_store16(&sums->e[k][2 * j], top);
    }
}

/* --- by integers --- */

/* Two products, aligned d places down, each rounded half up, signed. */
SIMD_INLINE SimdI16 aligned_products(SimdI16 a, SimdI16 b, SimdI16 sign,
                                     SimdI16 d)
{
    /*
     * With m = |product|: a * b is 8m, and 8m * (4096 >> d) / 2^15 is m / 2^d.
     * NOT makes it -8m - 1, which rounds to the negative of what m rounds to.
     */
    return simd_mul_round((a * b) ^ sign, simd_weight(d));
}

/* Sums of both groups of all rows, for one vector of columns from j on. */
SIMD_INLINE void sum_integers(Sums *sums, const TensixPlanesA *a, uint32_t j,
                              const RowsB *b, const MatrixMode *mode)
{
    int16_t adjust = matrix_exponent_adjust(mode);
    const SimdI16 floor = simd_splat16(matrix_exponent_floor(mode));
    SimdI16 e_a[TERMS], m_a[TERMS], s_a[TERMS];

    for (uint32_t q = 0; q < TERMS; q++) {
        e_a[q] = simd_load16(&a->exponent[q][2 * j]) + adjust;
        m_a[q] = simd_load16(&a->mantissa[mode->phase & 1][q][2 * j]);
        s_a[q] = simd_load16(&a->sign[q][2 * j]);
    }
    for (uint32_t k = 0; k < b->count; k++) {
        SimdI16 e[TERMS], sum = {};
        SimdI16 top = simd_max16(
            product_exponents(e, e_a, &b->exponent[k * b->step]), floor);

        for (uint32_t q = 0; q < TERMS; q++) {
            SimdI16 m_b = simd_splat_pair(&b->mantissa[k * b->step + 2 * q]);
            SimdI16 s_b = simd_splat_pair(&b->sign[k * b->step + 2 * q]);

            sum += aligned_products(m_a[q], m_b, s_a[q] ^ s_b, top - e[q]);
        }
        simd_store16(&sums->s[k][2 * j], sum & (top > 0));
        simd_store16(&sums->e[k][2 * j], top);
    }
}

/*
 * Both groups' sums S aligned d places down, and added.  S * 2^13 is rounded at
 * its lowest bit and then at bit 13, ties up both times: that is
 * ((S << 14 >> d) + 8193) >> 14, or the floor of (S + 2^(d-1) + 2^(d-14)) / 2^d.
 */
SIMD_INLINE SimdI align_groups(SimdI16 s, SimdI16 d)
{
#ifdef SIMD_AVX512
    /*
     * With n = -(S + 2^(d-14)), of which the fraction does not matter, it is
     * n * (-2^15 >> d) + 2^14 >> 15: one multiplication even of d = 0.  From
     * d = 16 on it is 0, since |S| < 2^15 - 4.
     */
    SimdI16 n = (SimdI16)-((SimdU16)s +
                           (SimdU16)simd_shl16(simd_splat16(1), d - 14));
    SimdI16 weight = simd_sar16(simd_splat16(INT16_MIN), d);
    SimdMask16 some = simd_lt16(d, simd_splat16(16));

    return simd_dot_pairs(simd_keep16(some, simd_mul_round(n, weight)),
                          simd_splat16(1));
#else
    SimdI a = simd_unzip_a(s) << 16 >> 2;
    SimdI b = simd_unzip_b(s) << 16 >> 2;

    return ((simd_sar(a, simd_unzip_a(d)) + 8193) >> 14) +
           ((simd_sar(b, simd_unzip_b(d)) + 8193) >> 14);
#endif
}

/* Dst16b += sums, two rows at a time. */
SIMD_INLINE void add_sums16(const MatrixRows *rows, const Sums *sums, bool fp16)
{
    for (uint32_t k = 0; k < rows->count; k += 2) {
        uint16_t *first = tensix_matrix_high(rows, k);
        uint16_t *second = tensix_matrix_high(rows, k + 1);

        SIMD_EACH_COLUMN(j) {
            Dst16 d = dst16_decode(simd_load_two(&first[j], &second[j]), fp16);
            SimdI16 e_a = simd_load16(&sums->e[k][2 * j]);
            SimdI16 e_b = simd_load16(&sums->e[k + 1][2 * j]);
            SimdI16 s_a = simd_load16(&sums->s[k][2 * j]);
            SimdI16 s_b = simd_load16(&sums->s[k + 1][2 * j]);
            SimdI16 top = simd_max16(
                simd_blend(simd_max16(e_a, simd_swap(e_a)),
                           simd_max16(e_b, simd_swap(e_b))), d.e);
            SimdI16 dst = dst16_align(d, top);
            SimdI a = align_groups(s_a, simd_both_a(top) - e_a) +
                       (simd_first_of_pairs(dst));
            SimdI b = align_groups(s_b, simd_both_b(top) - e_b) +
                       (simd_second_of_pairs(dst));
            SimdI16 sign = simd_blend((SimdI16)((SimdU)a >> 16), (SimdI16)b);

            simd_store_two(&first[j], &second[j],
                           dst16_encode(simd_abs(a), simd_abs(b), top, sign,
                                        false, fp16));
        }
    }
}

static void add_sums32(const MatrixRows *rows, const Sums *sums)
{
    for (uint32_t k = 0; k < rows->count; k++) {
        SIMD_EACH_COLUMN(j) {
            SimdI16 s = simd_load16(&sums->s[k][2 * j]);
            SimdI16 e = simd_load16(&sums->e[k][2 * j]);
            MatrixSum x = { simd_unzip_a(s) << 16 >> (16 - SUM_SCALE),
                            simd_unzip_a(e) };
            MatrixSum y = { simd_unzip_b(s) << 16 >> (16 - SUM_SCALE),
                            simd_unzip_b(e) };

            matrix_accumulate32(rows, k, j, true, &x, &y);
        }
    }
}

static void sum_all_values(Sums *sums, const MatrixMode *mode,
                           const TensixPlanesA *a, uint64_t made_b,
                           const RowsB *b)
{
    Largest here;
    const Largest *largest = (const Largest *)&here;

    if (b->pair) {
        largest = largest_of_planes(a, made_b, b);
    } else {
        find_largest(here, a, b);
    }
    SIMD_EACH_COLUMN(j) {
        sum_values(sums, a, j, b, mode, largest);
    }
}

static void multiply_float(const MatrixMode *mode, const MatrixRows *rows,
                           const TensixPlanesA *a, uint64_t made_b,
                           const RowsB *b)
{
    Sums sums;

    if (a->has_values) {
        sum_all_values(&sums, mode, a, made_b, b);
    } else {
        SIMD_EACH_COLUMN(j) {
            sum_integers(&sums, a, j, b, mode);
        }
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
    SIMD_EACH_COLUMN(j) {
        SimdI16 m_a[TERMS];

        for (uint32_t q = 0; q < TERMS; q++) {
            m_a[q] = simd_load16(&a->mantissa[mode->phase & 1][q][2 * j]);
        }
        for (uint32_t k = 0; k < b->count; k++) {
            SimdI sum = {};

            for (uint32_t q = 0; q < TERMS; q++) {
                const int16_t *m_b = &b->mantissa[k * b->step + 2 * q];

                sum += simd_dot_pairs(m_a[q], simd_splat_pair(m_b));
            }
            matrix_add_int32(rows, k, j, sum, true);
        }
    }
}

#ifdef TENSIX_OBSERVED
/* SrcA's last row is followed by its first. */
static void record_multiply_reads(TensixCore *c, const MatrixRows *rows,
                                  uint32_t row_a, const MatrixRowsB *rows_b)
{
    TENSIX_READS_SRC(c, TENSIX_SRCA, c->s.matrix_bank[TENSIX_SRCA], row_a,
                     TENSIX_GROUP_TERMS);
    TENSIX_READS_SRC(c, TENSIX_SRCA, c->s.matrix_bank[TENSIX_SRCA],
                     (row_a + TENSIX_GROUP_TERMS) & SRC_ROW_MASK,
                     TENSIX_GROUP_TERMS);
    TENSIX_READS_SRC(c, TENSIX_SRCB, c->s.matrix_bank[TENSIX_SRCB],
                     rows_b->first, rows_b->step ? rows->count : 1);
}
#endif

void tensix_matrix_multiply(TensixCore *c, const TensixInsn *i,
                            const MatrixMode *mode, const MatrixRows *rows,
                            uint32_t row_a, const MatrixRowsB *rows_b)
{
    const TensixPlanesA *a = tensix_matrix_planes_a(c, i, mode, row_a);
    const TensixPlanesB *b = tensix_matrix_planes_b(c, i, mode, rows_b->first);
    TensixPlanePair *pair = &c->derived.planes.pair[row_a / MATRIX_K]
                                                   [rows_b->first / MATRIX_ROWS];
    RowsB b_rows = rows_of_b(b, rows_b, rows->count, mode->phase, pair);

    if (__builtin_expect(!mode->flush_b, false)) {
        tensix_matrix_report_kept_zeroes(c, i);
    }
    if (a->has_values != b->has_values) {
        tensix_matrix_planes_as_integers(c, mode, row_a, rows_b->first);
    }
    TENSIX_NOTE(record_multiply_reads(c, rows, row_a, rows_b));
    if (mode->style == MATRIX_INT8) {
        multiply_int8(mode, rows, a, &b_rows);
    } else {
        multiply_float(mode, rows, a, b->made, &b_rows);
    }
}
