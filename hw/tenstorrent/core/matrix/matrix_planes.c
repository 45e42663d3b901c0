/*
 * Matrix Unit: rows of SrcA and SrcB decoded for matrix multiplication, and
 * kept as long as nobody writes their bank.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH MVMUL.md and SrcASrcB.md ("Fidelity phases") for what of a cell counts.
 * Kernels multiply the same rows many times, in all phases; so both values of
 * an operand's phase bit are made at once.
 */

#include "matrix/matrix_arith.h"

/* What a plane was made from and for, as one number. */
enum {
    KEY_EXP8 = 1 << 0,
    KEY_INT8 = 1 << 1,
    KEY_FLUSH = 1 << 2,
    KEY_ROW_LOW = 8,
    KEY_MAN_MASK_LOW = 16,
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

static uint32_t make_key(const MatrixMode *mode, uint32_t row,
                         uint32_t man_mask, bool flush)
{
    return (mode->exp_mask == SRC_EXP_MASK ? KEY_EXP8 : 0) |
           (mode->style == MATRIX_INT8 ? KEY_INT8 : 0) |
           (flush ? KEY_FLUSH : 0) | row << KEY_ROW_LOW |
           man_mask << KEY_MAN_MASK_LOW;
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
SIMD_INLINE SimdI16 mantissa_a(SimdI16 t, uint32_t phase, int16_t mask)
{
    if (phase) {
        return (t << 2) & (int16_t)(mask << 2 & 0xf8);
    }
    return (t >> 3 & 0x78) | 0x80;
}

/* SrcB: the hidden one and six bits, or the other four. */
SIMD_INLINE SimdI16 mantissa_b(SimdI16 t, uint32_t phase, int16_t mask)
{
    if (phase) {
        return (t & mask & 15) << 3;
    }
    return (t >> 4 & 0x3f) | 0x40;
}

SIMD_INLINE void decode_float(const Planes *p, const Cells *cells,
                              int32_t exp_mask, int16_t man_mask, bool flush,
                              bool is_b)
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
            SimdI16 m = is_b ? mantissa_b(t, phase, man_mask)
                             : mantissa_a(t, phase, man_mask);

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

static void make_a(TensixPlanesA *a, const TensixSrcRow *rows, uint32_t row,
                   const MatrixMode *mode)
{
    const Planes p = { a->exponent[0], a->sign[0],
                       { a->mantissa[0][0], a->mantissa[1][0] } };
    const Cells cells = {
        { rows[row], rows[(row + TENSIX_GROUP_TERMS) & SRC_ROW_MASK] },
        TENSIX_GROUP_TERMS * TENSIX_COLUMNS
    };
    const int16_t mask[] = { tensix_matrix_int8_mask_a(0),
                             tensix_matrix_int8_mask_a(1) };

    if (mode->style == MATRIX_INT8) {
        decode_int8(&p, &cells, mask, true);
    } else {
        decode_float(&p, &cells, mode->exp_mask, mode->man_mask_a, true, false);
    }
}

static void make_b(TensixPlanesB *b, const TensixSrcRow *rows,
                   const MatrixMode *mode)
{
    const Planes p = { b->exponent[0], b->sign[0],
                       { b->mantissa[0][0], b->mantissa[1][0] } };
    uint32_t halves[TENSIX_GROUPS][MATRIX_ROWS * TENSIX_GROUP_TERMS];
    const Cells cells = { { halves[0], halves[1] },
                          MATRIX_ROWS * TENSIX_GROUP_TERMS };
    const int16_t mask[] = { tensix_matrix_int8_mask_b(0),
                             tensix_matrix_int8_mask_b(2) };

    for (uint32_t k = 0; k < MATRIX_ROWS; k++) {
        for (uint32_t group = 0; group < TENSIX_GROUPS; group++) {
            memcpy(&halves[group][k * TENSIX_GROUP_TERMS],
                   &rows[k][group * TENSIX_GROUP_TERMS],
                   TENSIX_GROUP_TERMS * sizeof(uint32_t));
        }
    }
    if (mode->style == MATRIX_INT8) {
        decode_int8(&p, &cells, mask, mode->flush_b);
    } else {
        decode_float(&p, &cells, mode->exp_mask, mode->man_mask_b,
                     mode->flush_b, true);
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

/* Functions of their own, so that finding what is kept needs no stack frame. */
static __attribute__((noinline))
const TensixPlanesA *decode_a(TensixCore *c, const TensixInsn *i,
                              const MatrixMode *mode, uint32_t row, uint32_t key)
{
    uint32_t bank = c->s.matrix_bank[TENSIX_SRCA] & SRC_BANK_MASK;
    const TensixSrcRow *rows = tensix_src_rows(c, TENSIX_SRCA, bank);
    TensixPlanesA *a = &c->derived.planes.a[bank][row / MATRIX_K];

    make_a(a, rows, row, mode);
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

    make_b(b, rows + block * MATRIX_ROWS, mode);
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
    uint32_t key = make_key(mode, row, mode->man_mask_a, true);

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
    uint32_t key = make_key(mode, block * MATRIX_ROWS, mode->man_mask_b,
                            mode->flush_b);

    if (!is_kept(&c->derived, TENSIX_SRCB, bank, block, key)) {
        return decode_b(c, i, mode, row, key);
    }
    return &c->derived.planes.b[bank][block];
}
