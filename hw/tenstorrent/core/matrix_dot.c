/*
 * Matrix Unit: matrix multiplication, the body of MVMUL, DOTPV and GAPOOL.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH MVMUL.md for what is computed; how it is rounded is in docs/numerics.rst.
 *
 * A dot product has 16 terms in two groups of eight.  Two terms, a pair, lie
 * side by side as 16-bit elements of a 32-bit lane, so that SrcB's pair is one
 * word for all columns, and eight products fit 16 bits until the pair is added.
 */

#include "matrix_kernels.h"

enum {
    PAIRS = MATRIX_K / 2,
    GROUPS = 2,
    GROUP_PAIRS = PAIRS / GROUPS,
};

/* SrcA by pair of rows: element 2j + p is row 2 * pair + p, column j. */
typedef struct PlanesA {
    int16_t exponent[PAIRS][2 * TENSIX_COLUMNS];
    int16_t mantissa[PAIRS][2 * TENSIX_COLUMNS];    /* eight times */
    int16_t sign[PAIRS][2 * TENSIX_COLUMNS];        /* 0 or -1 */
} PlanesA;

/* SrcB by row of Dst: element k is term k. */
typedef struct PlanesB {
    int16_t exponent[MATRIX_ROWS][MATRIX_K];        /* adjusted */
    int16_t mantissa[MATRIX_ROWS][MATRIX_K];
    int16_t sign[MATRIX_ROWS][MATRIX_K];
} PlanesB;

/* Both groups' sums of all rows. */
typedef struct Sums {
    int32_t s[GROUPS][MATRIX_ROWS][TENSIX_COLUMNS];
    int32_t e[GROUPS][MATRIX_ROWS][TENSIX_COLUMNS];
} Sums;

/*
 * The phase's five bits of SrcA's mantissa.  t is S M of a cell, 11 bits:
 * phase 0 takes the hidden one and four bits, phase 1 the next five.
 */
SIMD_INLINE VecI16 mantissa_a(VecI16 t, uint32_t phase, int16_t mask)
{
    if (phase & 1) {
        return (t << 2) & (int16_t)(mask << 2 & 0xf8);
    }
    return (t >> 3 & 0x78) | 0x80;
}

/* SrcB: the hidden one and six bits, or the other four. */
SIMD_INLINE VecI16 mantissa_b(VecI16 t, uint32_t phase, int16_t mask)
{
    if (phase & 2) {
        return (t & mask & 15) << 3;
    }
    return (t >> 4 & 0x3f) | 0x40;
}

static void decode_a(PlanesA *a, const uint32_t (*cells)[TENSIX_COLUMNS],
                     const MatrixMode *mode)
{
    for (uint32_t q = 0; q < PAIRS; q++) {
        for (uint32_t j = 0; j < TENSIX_COLUMNS; j += SIMD_LANES) {
            VecU32 x = simd_load(&cells[2 * q][j]), y = simd_load(&cells[2 * q + 1][j]);
            VecI16 e = simd_zip(x & mode->exp_mask, y & mode->exp_mask);
            VecI16 t = simd_zip(x >> SRC_MAN_LOW, y >> SRC_MAN_LOW);
            VecI16 m = mantissa_a(t, mode->phase, mode->man_mask_a);

            e |= (e == 0) & EXP_OF_ZERO;
            simd_store(&a->exponent[q][2 * j], (VecU32)e);
            simd_store(&a->mantissa[q][2 * j], (VecU32)m);
            simd_store(&a->sign[q][2 * j], (VecU32)(t << 5 >> 15));
        }
    }
}

/* Rows of cells to rows of 16-bit elements, then those as vectors. */
static void decode_b(PlanesB *b, const uint32_t *const *cells, uint32_t rows,
                     const MatrixMode *mode)
{
    int16_t adjust = matrix_exponent_adjust(mode);
    int16_t zero = mode->flush_b ? EXP_OF_ZERO : 0;
    int16_t *exponent = (int16_t *)b->exponent, *sign = (int16_t *)b->sign;

    for (uint32_t k = 0; k < rows; k++) {
        for (uint32_t j = 0; j < MATRIX_K; j += SIMD_LANES) {
            VecI32 x = (VecI32)simd_load(&cells[k][j]);

            simd_store_half((uint16_t *)&b->exponent[k][j], x & (int32_t)mode->exp_mask);
            simd_store_half((uint16_t *)&b->sign[k][j], x >> SRC_MAN_LOW);
        }
    }
    for (uint32_t n = 0; n < rows * MATRIX_K; n += 2 * SIMD_LANES) {
        VecI16 e = (VecI16)simd_load(exponent + n);
        VecI16 t = (VecI16)simd_load(sign + n);

        e |= (e == 0) & zero;
        simd_store(exponent + n, (VecU32)(e + adjust));
        simd_store((int16_t *)b->mantissa + n,
                   (VecU32)mantissa_b(t, mode->phase, mode->man_mask_b));
        simd_store(sign + n, (VecU32)(t << 5 >> 15));
    }
}

/* One pair's products, aligned d places down, each rounded half up, signed. */
SIMD_INLINE VecI16 aligned_products(VecI16 a, VecI16 b, VecI16 sign, VecI16 d)
{
    /*
     * With m = |product|: a * b is 8m, and 8m * (4096 >> d) / 2^15 is m / 2^d.
     * NOT makes it -8m - 1, which rounds to the negative of what m rounds to.
     */
    return simd_mul_round((a * b) ^ sign, simd_weight(d));
}

/* Sums of one group of eight terms, for one vector of columns. */
SIMD_INLINE void sum_group(Sums *sums, const PlanesA *a, const PlanesB *b, uint32_t group,
                             uint32_t rows, uint32_t j, int32_t floor)
{
    uint32_t first = group * GROUP_PAIRS;
    VecI16 e_a[GROUP_PAIRS], m_a[GROUP_PAIRS], s_a[GROUP_PAIRS];
    const VecI16 scale = (VecI16) {} + (1 << SUM_SCALE);
    const VecI16 low_limit = (VecI16) {} + (int16_t)floor;

    for (uint32_t q = 0; q < GROUP_PAIRS; q++) {
        e_a[q] = (VecI16)simd_load(&a->exponent[first + q][2 * j]);
        m_a[q] = (VecI16)simd_load(&a->mantissa[first + q][2 * j]);
        s_a[q] = (VecI16)simd_load(&a->sign[first + q][2 * j]);
    }
    for (uint32_t k = 0; k < rows; k++) {
        VecI16 e[GROUP_PAIRS], top, sum = {};
        VecI32 e32;

        for (uint32_t q = 0; q < GROUP_PAIRS; q++) {
            e[q] = e_a[q] + simd_pair(&b->exponent[k][2 * (first + q)]);
        }
        top = simd_max16(simd_max16(e[0], e[1]), simd_max16(e[2], e[3]));
        top = simd_max16(top, (VecI16)((VecU32)top >> 16 | (VecU32)top << 16));
        top = simd_max16(top, low_limit);
        for (uint32_t q = 0; q < GROUP_PAIRS; q++) {
            VecI16 m_b = simd_pair(&b->mantissa[k][2 * (first + q)]);
            VecI16 s_b = simd_pair(&b->sign[k][2 * (first + q)]);

            sum += aligned_products(m_a[q], m_b, s_a[q] ^ s_b, top - e[q]);
        }
        e32 = (VecI32)top & 0xffff;
        simd_store(&sums->s[group][k][j],
                   (VecU32)(simd_dot_pairs(sum, scale) & (e32 > 0)));
        simd_store(&sums->e[group][k][j], (VecU32)e32);
    }
}

SIMD_INLINE void add_sums(const MatrixRows *rows, const Sums *sums, bool wide, bool fp16)
{
    for (uint32_t k = 0; k < rows->count; k++) {
        for (uint32_t j = 0; j < TENSIX_COLUMNS; j += SIMD_LANES) {
            MatrixSum x = { (VecI32)simd_load(&sums->s[0][k][j]),
                            (VecI32)simd_load(&sums->e[0][k][j]) };
            MatrixSum y = { (VecI32)simd_load(&sums->s[1][k][j]),
                            (VecI32)simd_load(&sums->e[1][k][j]) };

            matrix_accumulate(rows, k, j, wide, fp16, true, &x, &y);
        }
    }
}

static void multiply_float(const MatrixMode *mode, const MatrixRows *rows,
                           const uint32_t (*cells_a)[TENSIX_COLUMNS],
                           const uint32_t *const *cells_b)
{
    int32_t floor = matrix_exponent_floor(mode);
    PlanesA a;
    PlanesB b;
    Sums sums;

    decode_a(&a, cells_a, mode);
    decode_b(&b, cells_b, rows->count, mode);
    for (uint32_t j = 0; j < TENSIX_COLUMNS; j += SIMD_LANES) {
        for (uint32_t group = 0; group < GROUPS; group++) {
            sum_group(&sums, &a, &b, group, rows->count, j, floor);
        }
    }
    if (mode->wide) {
        add_sums(rows, &sums, true, false);
    } else if (mode->style == MATRIX_FP16) {
        add_sums(rows, &sums, false, true);
    } else {
        add_sums(rows, &sums, false, false);
    }
}

/* Integer "8": the phase's magnitude bits in place, signed. */
SIMD_INLINE VecI16 int8_elements(VecI16 e, VecI16 t, int16_t mask, int16_t flush)
{
    VecI16 sign = t << 5 >> 15;

    return (((t & mask) ^ sign) - sign) & ~((e == 0) & flush);
}

static void decode_int8_a(int16_t (*a)[2 * TENSIX_COLUMNS],
                          const uint32_t (*cells)[TENSIX_COLUMNS], const MatrixMode *mode)
{
    int16_t mask = tensix_matrix_int8_mask_a(mode->phase);

    for (uint32_t q = 0; q < PAIRS; q++) {
        for (uint32_t j = 0; j < TENSIX_COLUMNS; j += SIMD_LANES) {
            VecU32 x = simd_load(&cells[2 * q][j]), y = simd_load(&cells[2 * q + 1][j]);
            VecI16 e = simd_zip(x & SRC_EXP_MASK, y & SRC_EXP_MASK);
            VecI16 t = simd_zip(x >> SRC_MAN_LOW, y >> SRC_MAN_LOW);

            simd_store(&a[q][2 * j], (VecU32)int8_elements(e, t, mask, -1));
        }
    }
}

static void decode_int8_b(int16_t (*b)[MATRIX_K], const uint32_t *const *cells,
                          uint32_t rows,
                          const MatrixMode *mode)
{
    int32_t mask = tensix_matrix_int8_mask_b(mode->phase);
    int32_t flush = mode->flush_b ? -1 : 0;

    for (uint32_t k = 0; k < rows; k++) {
        for (uint32_t j = 0; j < MATRIX_K; j += SIMD_LANES) {
            VecI32 x = (VecI32)simd_load(&cells[k][j]);
            VecI32 zero = ((x & SRC_EXP_MASK) == 0) & flush;
            VecI32 m = (x >> SRC_MAN_LOW & mask) & ~zero;

            simd_store_half((uint16_t *)&b[k][j],
                            simd_negate(m, -(x >> SRC_SIGN_LOW & 1)));
        }
    }
}

static void multiply_int8(const MatrixMode *mode, const MatrixRows *rows,
                          const uint32_t (*cells_a)[TENSIX_COLUMNS],
                          const uint32_t *const *cells_b)
{
    int16_t a[PAIRS][2 * TENSIX_COLUMNS];
    int16_t b[MATRIX_ROWS][MATRIX_K];

    decode_int8_a(a, cells_a, mode);
    decode_int8_b(b, cells_b, rows->count, mode);
    for (uint32_t j = 0; j < TENSIX_COLUMNS; j += SIMD_LANES) {
        VecI16 va[PAIRS];

        for (uint32_t q = 0; q < PAIRS; q++) {
            va[q] = (VecI16)simd_load(&a[q][2 * j]);
        }
        for (uint32_t k = 0; k < rows->count; k++) {
            VecI32 sum = {};

            for (uint32_t q = 0; q < PAIRS; q++) {
                sum += simd_dot_pairs(va[q], simd_pair(&b[k][2 * q]));
            }
            matrix_add_int32(rows, k, j, sum, true);
        }
    }
}

void tensix_matrix_multiply(const MatrixMode *mode, const MatrixRows *rows,
                            const uint32_t (*a)[TENSIX_COLUMNS], const uint32_t *const *b)
{
    if (mode->style == MATRIX_INT8) {
        multiply_int8(mode, rows, a, b);
    } else {
        multiply_float(mode, rows, a, b);
    }
}
