/*
 * Matrix Unit: rows of SrcA and SrcB decoded for matrix multiplication, and
 * cached until their bank is written.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH MVMUL.md and SrcASrcB.md ("Fidelity phases") for what of a cell counts.
 * Kernels multiply the same rows many times, in all phases; so both values of
 * an operand's phase bit are computed at once.
 */

#include "matrix/matrix_arith.h"
#include "num/num_short.h"

/* What a plane was made from and for, as one number. */
enum {
    KEY_EXP8 = 1 << 0,
    KEY_INT8 = 1 << 1,
    KEY_FLUSH = 1 << 2,
    KEY_ROW_LOW = 8,
};

/* The planes of one operand, flat. */
typedef struct Planes {
    int16_t *exponent, *sign;
    int16_t *mantissa[TENSIX_PLANE_PHASES];
} Planes;

/* Cells of both groups of terms, flat; each pair becomes two elements. */
typedef struct Cells {
    const uint32_t *group[TENSIX_GROUPS];
    uint32_t count;                /* in each */
} Cells;

static uint32_t make_key(const MatrixMode *mode, uint32_t row, bool flush)
{
    return (mode->exp_mask == SRC_EXP_MASK ? KEY_EXP8 : 0) |
           (mode->style == MATRIX_INT8 ? KEY_INT8 : 0) |
           (flush ? KEY_FLUSH : 0) | row << KEY_ROW_LOW;
}

static void keep(TensixDerived *d, uint32_t src, uint32_t bank, uint32_t block,
                 uint32_t how)
{
    d->planes.key[src][bank][block] =
        (TensixPlaneKey) { .generation = d->src[src][bank], .how = how };
}

static inline bool is_kept(const TensixDerived *d, uint32_t src, uint32_t bank,
                           uint32_t block, uint32_t how)
{
    const TensixPlaneKey *key = &d->planes.key[src][bank][block];

    return key->generation == d->src[src][bank] && key->how == how;
}

/*
 * The five bits of SrcA's mantissa that a phase multiplies, eight times.  t is
 * S M of a cell, 11 bits: phase 0 takes the hidden one and four bits, phase 1
 * the next five.
 */
SIMD_INLINE SimdI16 mantissa_a(SimdI16 t, uint32_t phase)
{
    if (phase) {
        return t << 2 & 0xf8;
    }
    return (t >> 3 & 0x78) | 0x80;
}

/* SrcB: the hidden one and six bits, or the other four. */
SIMD_INLINE SimdI16 mantissa_b(SimdI16 t, uint32_t phase)
{
    if (phase) {
        return (t & 15) << 3;
    }
    return (t >> 4 & 0x3f) | 0x40;
}

/*
 * The same for floats of the host: SrcA's with 1/256 of its last place more, all
 * of it 256 times (matrix_dot.c says what for).
 */
SIMD_INLINE SimdI value_a(SimdU t, uint32_t phase)
{
    SimdU m = phase ? t >> 1 & 31 : (t >> 6 & 15) | 16;

    return (SimdI)(m << VALUE_PART_LOG | 1);
}

SIMD_INLINE SimdI value_b(SimdU t, uint32_t phase)
{
    return (SimdI)(phase ? (t & 15) << 3 : (t >> 4 & 0x3f) | 0x40);
}

/* The float of m * 2^scale with the cell's sign; 0 if m is, or the cell. */
SIMD_INLINE SimdU scaled(SimdU cell, SimdI m, SimdI scale, SimdMask some)
{
    SimdU f = (SimdU)__builtin_convertvector(m, SimdF) +
              ((SimdU)scale << FLOAT_MAN_BITS);

    f |= cell << (31 - SRC_SIGN_LOW) & 1u << 31;
    return simd_keep(some & simd_test((SimdU)m, (SimdU)m), f);
}

/* How decode_values() does so. */
typedef struct ValueMode {
    int32_t exp_mask, scale;
    bool flush, is_b;
} ValueMode;

/* One vector of cells of a group, in both phases; returns their exponents. */
SIMD_INLINE SimdI decode_cells(SimdU x, float *value, uint32_t phase_step,
                               const ValueMode *mode)
{
    SimdU t = x >> SRC_MAN_LOW, e = x & mode->exp_mask;
    SimdMask some = mode->flush ? simd_test(e, e) : simd_mask(SIMD_ALL);

    for (uint32_t phase = 0; phase < TENSIX_PLANE_PHASES; phase++) {
        SimdI m = mode->is_b ? value_b(t, phase) : value_a(t, phase);

        simd_store(&value[phase * phase_step],
                   scaled(x, m, (SimdI)e + mode->scale, some));
    }
    return (SimdI)e;
}

/* False: an exponent is too large for it, and nothing can be used. */
SIMD_INLINE bool decode_values(int16_t *exponent, float *value,
                               const Cells *cells, const ValueMode *mode)
{
    const uint32_t phase_step = TENSIX_GROUPS * cells->count;
    int16_t zero = mode->flush ? EXP_OF_ZERO : 0;
    SimdI highest = {};

    for (uint32_t n = 0; n < cells->count; n += SIMD_LANES) {
        SimdI e_a = decode_cells(simd_load(&cells->group[0][n]), &value[n],
                                 phase_step, mode);
        SimdI e_b = decode_cells(simd_load(&cells->group[1][n]),
                                 &value[cells->count + n], phase_step, mode);
        SimdI16 e = simd_zip((SimdU)e_a, (SimdU)e_b);

        simd_store16(&exponent[2 * n], e | ((e == 0) & zero));
        highest = simd_max(highest, simd_max(e_a, e_b));
    }
    return !simd_any((SimdU)highest & (SimdU)(highest > VALUE_EXP_MAX));
}

SIMD_INLINE void decode_float(const Planes *p, const Cells *cells,
                              int32_t exp_mask, bool flush, bool is_b)
{
    int16_t zero = flush ? EXP_OF_ZERO : 0;

    for (uint32_t n = 0; n < cells->count; n += SIMD_LANES) {
        SimdU x = simd_load(&cells->group[0][n]);
        SimdU y = simd_load(&cells->group[1][n]);
        SimdI16 e = simd_zip(x & exp_mask, y & exp_mask);
        SimdI16 t = simd_zip(x >> SRC_MAN_LOW, y >> SRC_MAN_LOW);

        simd_store16(&p->exponent[2 * n], e | ((e == 0) & zero));
        simd_store16(&p->sign[2 * n], t << 5 >> 15);
        for (uint32_t phase = 0; phase < TENSIX_PLANE_PHASES; phase++) {
            SimdI16 m = is_b ? mantissa_b(t, phase) : mantissa_a(t, phase);

            simd_store16(&p->mantissa[phase][2 * n], m);
        }
    }
}

/* Integer "8": the phases' magnitude bits in place, signed. */
SIMD_INLINE void decode_int8(const Planes *p, const Cells *cells,
                             const int16_t mask[TENSIX_PLANE_PHASES],
                             bool flush)
{
    for (uint32_t n = 0; n < cells->count; n += SIMD_LANES) {
        SimdU x = simd_load(&cells->group[0][n]);
        SimdU y = simd_load(&cells->group[1][n]);
        SimdI16 e = simd_zip(x & SRC_EXP_MASK, y & SRC_EXP_MASK);
        SimdI16 t = simd_zip(x >> SRC_MAN_LOW, y >> SRC_MAN_LOW);
        SimdI16 sign = t << 5 >> 15;

        t &= ~((e == 0) & (int16_t)(flush ? -1 : 0));
        for (uint32_t phase = 0; phase < TENSIX_PLANE_PHASES; phase++) {
            SimdI16 m = ((t & mask[phase]) ^ sign) - sign;

            simd_store16(&p->mantissa[phase][2 * n], m);
        }
    }
}

static int32_t value_scale(const MatrixMode *mode, int32_t scale)
{
    return mode->style == MATRIX_FP16 ? scale + VALUE_SCALE_FP16 : scale;
}

static void integers_a(TensixPlanesA *a, const Cells *cells,
                       const MatrixMode *mode)
{
    const Planes p = { a->exponent[0], a->sign[0],
                       { a->mantissa[0][0], a->mantissa[1][0] } };
    const int16_t mask[] = { tensix_matrix_int8_mask_a(0),
                             tensix_matrix_int8_mask_a(1) };

    if (mode->style == MATRIX_INT8) {
        decode_int8(&p, cells, mask, true);
    } else {
        decode_float(&p, cells, mode->exp_mask, true, false);
    }
}

static void make_a(TensixPlanesA *a, const TensixSrcRow *rows, uint32_t row,
                   const MatrixMode *mode, bool values)
{
    const Cells cells = {
        { rows[row], rows[(row + TENSIX_GROUP_TERMS) & SRC_ROW_MASK] },
        TENSIX_GROUP_TERMS * TENSIX_COLUMNS
    };
    const ValueMode how = { mode->exp_mask, value_scale(mode, VALUE_SCALE_A),
                            true, false };

    a->has_values = values && decode_values(a->exponent[0], a->value[0][0][0],
                                            &cells, &how);
    if (!a->has_values) {
        integers_a(a, &cells, mode);
    }
}

static void integers_b(TensixPlanesB *b, const Cells *cells,
                       const MatrixMode *mode)
{
    const Planes p = { b->exponent[0], b->sign[0],
                       { b->mantissa[0][0], b->mantissa[1][0] } };
    const int16_t mask[] = { tensix_matrix_int8_mask_b(0),
                             tensix_matrix_int8_mask_b(2) };

    if (mode->style == MATRIX_INT8) {
        decode_int8(&p, cells, mask, mode->flush_b);
    } else {
        decode_float(&p, cells, mode->exp_mask, mode->flush_b, true);
    }
}

static void make_b(TensixPlanesB *b, const TensixSrcRow *rows,
                   const MatrixMode *mode, bool values)
{
    uint32_t halves[TENSIX_GROUPS][MATRIX_ROWS * TENSIX_GROUP_TERMS];
    const Cells cells = { { halves[0], halves[1] },
                          MATRIX_ROWS * TENSIX_GROUP_TERMS };
    const ValueMode how = { mode->exp_mask, value_scale(mode, VALUE_SCALE_B),
                            mode->flush_b, true };

    for (uint32_t k = 0; k < MATRIX_ROWS; k++) {
        for (uint32_t group = 0; group < TENSIX_GROUPS; group++) {
            memcpy(&halves[group][k * TENSIX_GROUP_TERMS],
                   &rows[k][group * TENSIX_GROUP_TERMS],
                   TENSIX_GROUP_TERMS * sizeof(uint32_t));
        }
    }
    b->has_values = values && decode_values(b->exponent[0], b->value[0][0][0],
                                            &cells, &how);
    if (!b->has_values) {
        integers_b(b, &cells, mode);
    }
}

/* No page says what is read beyond the last row. */
static void check_a(TensixCore *c, const TensixInsn *i, const TensixSrcRow *rows,
                    uint32_t row, const MatrixMode *mode)
{
    uint32_t foreign = 0;

    if (row > TENSIX_SRC_ROWS - MATRIX_K) {
        tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                         "SrcA rows %u to %u: those beyond %u are taken from row "
                         "0 on", (unsigned)row, (unsigned)(row + MATRIX_K - 1),
                         TENSIX_SRC_ROWS - 1);
    }
    for (uint32_t k = 0; mode->style == MATRIX_INT8 && k < MATRIX_K; k++) {
        foreign |= tensix_matrix_foreign(rows[(row + k) & SRC_ROW_MASK],
                                         TENSIX_COLUMNS);
    }
    if (foreign) {
        tensix_matrix_report_foreign(c, i);
    }
}

static void check_b(TensixCore *c, const TensixInsn *i, const uint32_t *row,
                    const MatrixMode *mode)
{
    if (mode->style == MATRIX_INT8 &&
        tensix_matrix_foreign(row, TENSIX_COLUMNS)) {
        tensix_matrix_report_foreign(c, i);
    }
}

static bool may_have_values(const MatrixMode *mode)
{
    return NUM_HOST_FLOAT && mode->style != MATRIX_INT8;
}

/* Separate functions, so that finding what is kept needs no stack frame. */
static __attribute__((noinline))
const TensixPlanesA *decode_a(TensixCore *c, const TensixInsn *i,
                              const MatrixMode *mode, uint32_t row, uint32_t key)
{
    uint32_t bank = c->s.matrix_bank[TENSIX_SRCA] & SRC_BANK_MASK;
    const TensixSrcRow *rows = tensix_src_rows(c, TENSIX_SRCA, bank);
    TensixPlanesA *a = &c->derived.planes.a[bank][row / MATRIX_K];

    make_a(a, rows, row, mode, may_have_values(mode));
    a->made = ++c->derived.planes.made;
    keep(&c->derived, TENSIX_SRCA, bank, row / MATRIX_K, key);
    check_a(c, i, rows, row, mode);
    return a;
}

static __attribute__((noinline))
const TensixPlanesB *decode_b(TensixCore *c, const TensixInsn *i,
                              const MatrixMode *mode, uint32_t row, uint32_t key)
{
    uint32_t bank = c->s.matrix_bank[TENSIX_SRCB] & SRC_BANK_MASK;
    const TensixSrcRow *rows = tensix_src_rows(c, TENSIX_SRCB, bank);
    uint32_t block = row / MATRIX_ROWS;
    TensixPlanesB *b = &c->derived.planes.b[bank][block];

    make_b(b, rows + block * MATRIX_ROWS, mode, may_have_values(mode));
    b->made = ++c->derived.planes.made;
    keep(&c->derived, TENSIX_SRCB, bank, block, key);
    check_b(c, i, rows[row], mode);
    return b;
}

const TensixPlanesA *tensix_matrix_planes_a(TensixCore *c, const TensixInsn *i,
                                            const MatrixMode *mode,
                                            uint32_t row)
{
    uint32_t bank = c->s.matrix_bank[TENSIX_SRCA] & SRC_BANK_MASK;
    uint32_t block = row / MATRIX_K;
    uint32_t key = make_key(mode, row, true);

    if (!is_kept(&c->derived, TENSIX_SRCA, bank, block, key)) {
        return decode_a(c, i, mode, row, key);
    }
    return &c->derived.planes.a[bank][block];
}

const TensixPlanesB *tensix_matrix_planes_b(TensixCore *c, const TensixInsn *i,
                                            const MatrixMode *mode,
                                            uint32_t row)
{
    uint32_t bank = c->s.matrix_bank[TENSIX_SRCB] & SRC_BANK_MASK;
    uint32_t block = row / MATRIX_ROWS;
    uint32_t key = make_key(mode, block * MATRIX_ROWS, mode->flush_b);

    if (!is_kept(&c->derived, TENSIX_SRCB, bank, block, key)) {
        return decode_b(c, i, mode, row, key);
    }
    return &c->derived.planes.b[bank][block];
}

void tensix_matrix_planes_as_integers(TensixCore *c, const MatrixMode *mode,
                                      uint32_t row_a, uint32_t row_b)
{
    TensixPlanes *p = &c->derived.planes;
    uint32_t bank_a = c->s.matrix_bank[TENSIX_SRCA] & SRC_BANK_MASK;
    uint32_t bank_b = c->s.matrix_bank[TENSIX_SRCB] & SRC_BANK_MASK;
    uint32_t block = row_b / MATRIX_ROWS;
    TensixPlanesA *a = &p->a[bank_a][row_a / MATRIX_K];
    TensixPlanesB *b = &p->b[bank_b][block];

    if (a->has_values) {
        make_a(a, tensix_src_rows(c, TENSIX_SRCA, bank_a), row_a, mode, false);
    }
    if (b->has_values) {
        make_b(b, tensix_src_rows(c, TENSIX_SRCB, bank_b) + block * MATRIX_ROWS,
               mode, false);
    }
}
