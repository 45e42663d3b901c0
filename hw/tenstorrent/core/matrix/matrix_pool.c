/*
 * Matrix Unit: pooling, GAPOOL and GMPOOL.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH GAPOOL.md, WH GMPOOL.md with its Blackhole part.
 */

#include "matrix/matrix.h"
#include "num/simd.h"
#include "regs/regfile.h"

enum {
    ALIGN_4 = 3,
    ALIGN_8 = 7,
    ALIGN_16 = 15,
    POOL_HALF_MINUS_INF = 0xffff,  /* what GMPOOL reads from undefined rows */
    BIAS8 = 127,
    BIAS5 = 15,
    DATUM_EXP_MASK = 0x1ff,        /* nine bits */
    DATUM_SCALED_OUT = 0x7ffff,    /* all of exponent and mantissa */
    /* of Dst, which GMPOOL writes zeroes to */
    OTHER_ROWS_SIZE = (MATRIX_POOL_ROWS - 1) * sizeof(uint16_t) *
                      TENSIX_COLUMNS,
};

TensixResult tensix_exec_GAPOOL(TensixCore *c, const TensixInsn *i)
{
    const TensixRwc *rwc = &c->s.rwc[i->thread];
    const MatrixRowsB b = { rwc->SrcB & SRC_ROW_MASK & ~ALIGN_8, 1 };
    uint32_t dst = OPERAND(i, GAPOOL, dst) + tensix_dst_base(c, i->thread);
    MatrixMode mode;
    MatrixRows rows;

    if (tensix_matrix_waits(c, i, MATRIX_WAIT_A | MATRIX_WAIT_B)) {
        return TENSIX_RETRY;
    }
    tensix_matrix_mode(c, i, &mode);
    MATRIX_READS_ROWS(c, i->thread, dst & ~ALIGN_4, MATRIX_POOL_ROWS, 1,
                      mode.wide);
    tensix_matrix_rows(c, i->thread, &rows, dst & ~ALIGN_4, MATRIX_POOL_ROWS, 1,
                       mode.wide, 0);
    tensix_matrix_multiply(c, i, &mode, &rows,
                           rwc->SrcA & SRC_ROW_MASK & ~ALIGN_8, &b);
    return tensix_matrix_finish(c, i->thread, OPERAND(i, GAPOOL, clear_dvalid),
                                OPERAND(i, GAPOOL, pool_addr_mode));
}

/* What GMPOOL keeps in Dst. */
typedef enum PoolStyle {
    POOL_BF16,
    POOL_FP16,
    POOL_TF32,
    POOL_INT32,
} PoolStyle;

typedef struct PoolMode {
    MatrixMode matrix;
    PoolStyle dst;
    bool argmax;
} PoolMode;

static PoolStyle pool_style(const MatrixMode *m, bool argmax)
{
    if (m->style == MATRIX_INT8) {
        return POOL_INT32;
    }
    if (m->style == MATRIX_TF32 && argmax) {
        return POOL_INT32;
    }
    if (m->wide && !argmax) {
        return POOL_TF32;
    }
    return m->style == MATRIX_FP16 ? POOL_FP16 : POOL_BF16;
}

/* A datum: sign, and exponent (9 bits) over mantissa or magnitude (10 bits). */
typedef struct Datum {
    uint32_t sign;
    uint32_t magnitude;
} Datum;

static int32_t comparable(Datum x)
{
    return x.sign ? -(int32_t)x.magnitude : (int32_t)x.magnitude;
}

static Datum make_datum(uint32_t sign, uint32_t exponent, uint32_t mantissa)
{
    return (Datum) { sign, (exponent & DATUM_EXP_MASK) << 10 | mantissa };
}

/*
 * From a Dst32b cell in storage order, or a Dst16b one in its high half.  Not
 * for POOL_TF32, whose maxima pool_float() finds.
 */
static Datum read_dst(uint32_t x, PoolStyle style)
{
    uint32_t sign = x >> 31;

    switch (style) {
    case POOL_INT32:
        return make_datum(sign, (x >> 10 & 0x3f) + (x >> 24 & 7) * 64,
                          x & 0x3ff);
    case POOL_FP16:
        return make_datum(sign, (x >> 16 & 0x1f) + BIAS5, x >> 21 & 0x3ff);
    default:
        return make_datum(sign, (x >> 16 & 0xff) + BIAS8,
                          (x >> 24 & 0x7f) << 3);
    }
}

static uint32_t write_dst(Datum d, PoolStyle style)
{
    uint32_t exponent = d.magnitude >> 10, mantissa = d.magnitude & 0x3ff;
    uint32_t sign = d.sign << 31;

    switch (style) {
    case POOL_INT32:
        return sign | (exponent & 7) << 10 | mantissa;
    case POOL_FP16:
        return exponent & 0x3f
                   ? sign | mantissa << 21 | ((exponent - BIAS5) & 0x1f) << 16
                   : 0;
    default:
        if (!exponent) {
            return 0;
        }
        return sign | (mantissa & 0x3f8) << 21 |
               ((exponent - BIAS8) & 0xff) << 16;
    }
}

/* A cell of SrcA, scaled by the exponent of SrcB's. */
static Datum read_src(uint32_t a, uint32_t b, MatrixStyle style)
{
    uint32_t sign = a >> SRC_SIGN_LOW & 1;
    uint32_t mantissa = a >> SRC_MAN_LOW & SRC_MAN_MASK;

    if (!(b & SRC_EXP_MASK)) {
        return (Datum) { 1, DATUM_SCALED_OUT };
    }
    if (!(a & SRC_EXP_MASK)) {
        return (Datum) { 0, 0 };
    }
    switch (style) {
    case MATRIX_INT8:
        return make_datum(sign, 0, mantissa);
    case MATRIX_FP16:
        return make_datum(sign, (a & SRC_EXP5_MASK) + (b & SRC_EXP5_MASK),
                          mantissa);
    default:
        return make_datum(sign, (a & SRC_EXP_MASK) + (b & SRC_EXP_MASK),
                          mantissa);
    }
}

/* Result of a column: 32 bits, of which Dst16b takes the high half. */
static uint32_t pool_column(const PoolMode *m,
                            const uint32_t (*a)[TENSIX_COLUMNS],
                            const uint32_t *b, uint32_t column, uint32_t old)
{
    static const uint8_t index_code[] = { 0, 3, 6, 1, 4, 7, 2, 5 };
    Datum max = read_dst(old, m->dst);
    uint32_t phase = (old + 0x100) & 0xf00;
    uint32_t index = old & 0xff;

    for (uint32_t n = 0; n < MATRIX_K; n++) {
        uint32_t k = n < 8 ? n ^ 4 : n;        /* the order decides ties */
        Datum x = read_src(a[k][column], b[k], m->matrix.style);

        if (comparable(x) >= comparable(max)) {
            max = x;
            index = k < 8 ? (phase >> 4) + index_code[k] : index;
        }
    }
    if (!m->argmax) {
        return write_dst(max, m->dst);
    }
    index = phase | (index & 0xff);
    return m->dst == POOL_INT32 ? index : write_dst(max, m->dst) | index;
}

static uint32_t read_cell(const MatrixRows *rows, uint32_t k, uint32_t j,
                          bool wide)
{
    return (uint32_t)tensix_matrix_high(rows, k)[j] << 16 |
           (wide ? tensix_matrix_low(rows, k)[j] : 0);
}

static void write_cell(const MatrixRows *rows, uint32_t k, uint32_t j,
                       bool wide, uint32_t x)
{
    tensix_matrix_high(rows, k)[j] = x >> 16;
    if (wide) {
        tensix_matrix_low(rows, k)[j] = x;
    }
}

/* Column by column, as the page has it: argmax, and integers. */
static void pool_columns(const PoolMode *m, const MatrixRows *rows,
                         const uint32_t (*a)[TENSIX_COLUMNS], const uint32_t *b)
{
    bool wide = m->matrix.wide;

    for (uint32_t j = 0; j < TENSIX_COLUMNS; j++) {
        write_cell(rows, 0, j, wide,
                   pool_column(m, a, b, j, read_cell(rows, 0, j, wide)));
        for (uint32_t k = 1; k < MATRIX_POOL_ROWS; k++) {
            uint32_t old = read_cell(rows, k, j, wide);

            write_cell(rows, k, j, wide,
                       m->argmax && wide ? (old + 0x100) & 0xf00 : 0);
        }
    }
}

/*
 * Whole rows: a comparable has its exponent from bit COMPARABLE_EXP on, where a
 * cell's comes to lie by moving bytes.  A negative one is the NOT of its
 * magnitude: the order is the same, since no negative datum has magnitude 0.
 */
enum {
    COMPARABLE_EXP = 16,
    COMPARABLE_SCALED_OUT = DATUM_EXP_MASK << COMPARABLE_EXP | SRC_MAN_MASK,
};

/* A cell's exponent above its mantissa; what else is there is masked. */
SIMD_INLINE SimdI cell_magnitude(SimdI x, int32_t exp_mask)
{
    int32_t mask = exp_mask << COMPARABLE_EXP | SRC_MAN_MASK;

#ifdef SIMD_AVX
    const SimdTable bytes = { 1, 2, 0, 3, 5, 6, 4, 7,
                              9, 10, 8, 11, 13, 14, 12, 15 };

    return (SimdI)simd_shuffle8((SimdU8)x, simd_splat_part(bytes)) & mask;
#else
    return (x << COMPARABLE_EXP | x >> SRC_MAN_LOW) & mask;
#endif
}

/*
 * Of a row of cells; scale is the exponent of SrcB's, in place, not 0.  The
 * mantissa is whole, whatever the format.
 */
SIMD_INLINE SimdI comparable_row(SimdI x, int32_t scale, int32_t exp_mask)
{
    SimdI magnitude = cell_magnitude(x, exp_mask);
#ifdef SIMD_AVX512
    SimdMask some = simd_test((SimdU)x, simd_splat(SRC_EXP_MASK));
    SimdMask minus = simd_test_where(some, (SimdU)x,
                                     simd_splat(1 << SRC_SIGN_LOW));
    SimdU m = simd_keep_sum(some, (SimdU)magnitude, simd_splat(scale));

    return (SimdI)simd_xor_where(minus, m, simd_splat(-1u));
#else
    return ((magnitude + scale) ^ x << (31 - SRC_SIGN_LOW) >> 31) &
           ((x & SRC_EXP_MASK) != 0);
#endif
}

/* Of a row of Dst, and back (read_dst() and write_dst()). */
SIMD_INLINE SimdI comparable_dst(SimdI high, SimdI low, PoolStyle style)
{
    SimdI x;

    if (style == POOL_FP16) {
        x = ((high & 0x1f) + BIAS5) << COMPARABLE_EXP | (high >> 5 & 0x3ff);
    } else {
        x = ((high & 0xff) + BIAS8) << COMPARABLE_EXP | (high >> 5 & 0x3f8);
        x |= style == POOL_TF32 ? low >> 13 : simd_splat_signed(0);
    }
    return x ^ -(high >> 15);
}

SIMD_INLINE SimdI dst_of_comparable(SimdI x, PoolStyle style)
{
    SimdI sign = x >> 31;
    SimdI magnitude = x ^ sign;
    SimdI exponent = magnitude >> COMPARABLE_EXP;

    if (style == POOL_FP16) {
        return ((sign & 0x8000) | (magnitude & 0x3ff) << 5 |
                ((exponent - BIAS5) & 0x1f)) &
               ((exponent & 0x3f) != 0);
    }
    return ((sign & 0x8000) | (magnitude & 0x3f8) << 5 |
            ((exponent - BIAS8) & 0xff)) &
           (exponent != 0);
}

/* The largest of 16 rows for one vector of columns. */
SIMD_INLINE SimdI largest_row(const TensixSrcRow *a, uint32_t j,
                               const uint32_t *b, const int32_t *scale,
                               const MatrixMode *m)
{
    SimdI max = simd_splat_signed(INT32_MIN);
    bool scaled_out = false;

    /* unrolled, GCC keeps neither the scales nor the constants at hand */
    #pragma GCC unroll 1
    for (uint32_t k = 0; k < MATRIX_K; k++) {
        if (b[k] & SRC_EXP_MASK) {
            max = simd_max(max, comparable_row((SimdI)simd_load(&a[k][j]),
                                               scale[k], m->exp_mask));
        } else {
            scaled_out = true;
        }
    }
    return scaled_out
           ? simd_max(max, simd_splat_signed(~COMPARABLE_SCALED_OUT)) : max;
}

/*
 * Floating point: equal comparables are equal data, so the maximum of the
 * comparables is all there is to find.
 */
SIMD_INLINE void pool_float(const MatrixMode *m, const MatrixRows *rows,
                            const TensixSrcRow *a, const uint32_t *b,
                            PoolStyle style)
{
    bool wide = style == POOL_TF32;
    uint16_t *high = tensix_matrix_high(rows, 0);
    uint16_t *low = tensix_matrix_low(rows, 0);
    int32_t scale[MATRIX_K];

    for (uint32_t k = 0; k < MATRIX_K; k += SIMD_LANES) {
        simd_store(&scale[k], (simd_load(&b[k]) & m->exp_mask)
                              << COMPARABLE_EXP);
    }
    SIMD_EACH_COLUMN(j) {
        SimdI max = comparable_dst(
            simd_load_half(&high[j]),
            wide ? simd_load_half(&low[j]) : simd_splat_signed(0), style);

        max = simd_max(max, largest_row(a, j, b, scale, m));
        simd_store_half(&high[j], dst_of_comparable(max, style));
        if (wide) {
            SimdI magnitude = max ^ max >> 31;

            simd_store_half(&low[j], (magnitude & 7) << 13 &
                                     (magnitude >> COMPARABLE_EXP != 0));
        }
    }
    memset(tensix_matrix_high(rows, 1), 0, OTHER_ROWS_SIZE);
    if (wide) {
        memset(tensix_matrix_low(rows, 1), 0, OTHER_ROWS_SIZE);
    }
}

static void pool_floats(const PoolMode *m, const MatrixRows *rows,
                        const TensixSrcRow *a, const uint32_t *b)
{
    if (m->dst == POOL_TF32) {
        pool_float(&m->matrix, rows, a, b, POOL_TF32);
    } else if (m->dst == POOL_FP16) {
        pool_float(&m->matrix, rows, a, b, POOL_FP16);
    } else {
        pool_float(&m->matrix, rows, a, b, POOL_BF16);
    }
}

#ifdef TENSIX_OBSERVED
/* Of Dst the row with the maxima; of others argmax keeps something. */
static void record_pool_reads(TensixCore *c, const TensixInsn *i,
                              const PoolMode *m, uint32_t dst)
{
    const TensixRwc *rwc = &c->s.rwc[i->thread];
    bool wide = m->matrix.wide;

    TENSIX_READS_SRC(c, TENSIX_SRCA, c->s.matrix_bank[TENSIX_SRCA],
                     rwc->SrcA & SRC_ROW_MASK & ~ALIGN_16, MATRIX_K);
    TENSIX_READS_SRC(c, TENSIX_SRCB, c->s.matrix_bank[TENSIX_SRCB],
                     rwc->SrcB & SRC_ROW_MASK & ~ALIGN_8, 1);
    MATRIX_READS_ROWS(c, i->thread, dst & ~ALIGN_4,
                      m->argmax && wide ? MATRIX_POOL_ROWS : 1, 1, wide);
}
#endif

TensixResult tensix_exec_GMPOOL(TensixCore *c, const TensixInsn *i)
{
    const TensixRwc *rwc = &c->s.rwc[i->thread];
    uint32_t dst = OPERAND(i, GMPOOL, dst) + tensix_dst_base(c, i->thread);
    PoolMode m = { .argmax = OPERAND(i, GMPOOL, max_pool_index_en) };
    const uint32_t (*a)[TENSIX_COLUMNS];
    const uint32_t *b;
    MatrixRows rows;

    if (tensix_matrix_waits(c, i, MATRIX_WAIT_A | MATRIX_WAIT_B)) {
        return TENSIX_RETRY;
    }
    tensix_matrix_mode(c, i, &m.matrix);
    m.dst = pool_style(&m.matrix, m.argmax);
    TENSIX_NOTE(record_pool_reads(c, i, &m, dst));
    tensix_matrix_rows(c, i->thread, &rows, dst & ~ALIGN_4, MATRIX_POOL_ROWS, 1,
                       m.matrix.wide, POOL_HALF_MINUS_INF);
    a = &tensix_matrix_src(c, TENSIX_SRCA)[rwc->SrcA & SRC_ROW_MASK & ~ALIGN_16];
    b = tensix_matrix_src(c, TENSIX_SRCB)[rwc->SrcB & SRC_ROW_MASK & ~ALIGN_8];
    if (m.argmax || m.dst == POOL_INT32) {
        pool_columns(&m, &rows, a, b);
    } else {
        pool_floats(&m, &rows, a, b);
    }
    return tensix_matrix_finish(c, i->thread, OPERAND(i, GMPOOL, clear_dvalid),
                                OPERAND(i, GMPOOL, pool_addr_mode));
}
