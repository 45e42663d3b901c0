/*
 * Vector Unit: exchange of registers, rows and lanes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPSWAP.md, SFPSHFT2.md, SFPTRANSP.md.
 */

#include <string.h>

#include "vector/vector_ops.h"

/*
 * SFPSWAP's Mod1; 9 makes VD the maximum in all lanes, and so do those above,
 * which software must not use.
 */
enum { SWAP_ALWAYS = 0, SWAP_MAX = 9, SWAP_MODES = 16 };

/* Lanes in which VD gets the minimum, by Mod1. */
static const uint32_t swap_min_lanes[SWAP_MODES] = {
    [1] = 0xffffffff, [2] = 0x0000ffff, [3] = 0x00ff00ff, [4] = 0xff0000ff,
    [5] = 0x000000ff, [6] = 0x0000ff00, [7] = 0x00ff0000, [8] = 0xff000000,
};

/* SFPSHFT2's Mod1. */
enum {
    SHFT2_COPY4,
    SHFT2_CHAINED_COPY4,
    SHFT2_SHFLROR1_AND_COPY4,
    SHFT2_SHFLROR1,
    SHFT2_SHFLSHR1,
    SHFT2_SHFT_LREG,
    SHFT2_SHFT_IMM,
};

enum { SHUFFLED_LREGS = 4, INDEX_LREGS = 4, SHIFT_MASK = 31 };

/* Bit i: lane i holds the same negative value in both. */
static uint32_t equal_negative(const uint32_t *a, const uint32_t *b)
{
    uint32_t bits = 0;

    SIMD_EACH(l) {
        SimdU x = simd_load(&a[l]);

        bits |= simd_bits(simd_eq(x, simd_load(&b[l])) &
                          simd_negative(x)) << l;
    }
    return bits;
}

/*
 * Lanes whose pair is in the wrong order: lanes to exchange.  Which way equal
 * values go is seen in the indices only (ENABLE_DEST_INDEX): where VD gets the
 * minimum negative ones are exchanged, elsewhere the others (BH SFPSWAP.md at
 * c07a671; ttsim issue 12).
 */
static uint32_t swap_lanes(const TensixVectorUnit *vu, const TensixVectorOp *op)
{
    const uint32_t *c = vu->lreg[op->vc], *d = vu->lreg[op->vd];
    uint32_t ordered, lanes;

    if (op->mod == SWAP_ALWAYS) {
        return VECTOR_ALL_LANES;
    }
    ordered = tensix_vector_smaller(c, d) | equal_negative(c, d);
    lanes = ~(ordered ^ swap_min_lanes[op->mod]);
    return lanes ^ tensix_vector_config_lanes(vu, VECTOR_EXCHANGE_SRCB_SRCC);
}

/* Exchanges VC and VD in `lanes`, as far as each is below `limit`. */
static void exchange(TensixVectorUnit *vu, uint32_t vc, uint32_t vd,
                     uint32_t limit,
                     uint32_t lanes)
{
    uint32_t vc_lanes = vc < limit ? lanes : 0, vd_lanes = vd < limit ? lanes : 0;
    uint32_t *c = vu->lreg[vc], *d = vu->lreg[vd];

    SIMD_EACH(l) {
        SimdU x = simd_load(&c[l]), y = simd_load(&d[l]);

        simd_store(&c[l], simd_select(simd_mask(vc_lanes >> l), y, x));
        if (vc != vd) {
            simd_store(&d[l], simd_select(simd_mask(vd_lanes >> l), x, y));
        }
    }
}

/* With ENABLE_DEST_INDEX, LReg 4..7 follow what happens in LReg 0..3. */
static void swap_with_index(TensixVectorUnit *vu, uint32_t vc, uint32_t vd,
                            uint32_t lanes)
{
    exchange(vu, vc, vd, INDEX_LREGS, lanes);
    exchange(vu, INDEX_LREGS + vc % INDEX_LREGS, INDEX_LREGS + vd % INDEX_LREGS,
             VECTOR_LREG_WRITABLE, lanes);
}

uint32_t tensix_vector_swap_compare(TensixVectorUnit *vu,
                                    const TensixVectorOp *op)
{
    uint32_t lanes = tensix_vector_issue(vu, op);

    return lanes & swap_lanes(vu, op);
}

void tensix_vector_swap_finish(TensixVectorUnit *vu, uint32_t vc, uint32_t vd,
                               uint32_t lanes)
{
    uint32_t indexed = 0;

    if (vu->lane_config_any & VECTOR_ENABLE_DEST_INDEX) {
        indexed = tensix_vector_config_lanes(vu, VECTOR_ENABLE_DEST_INDEX);
        swap_with_index(vu, vc, vd, lanes & indexed);
    }
    exchange(vu, vc, vd, VECTOR_LREG_WRITABLE, lanes & ~indexed);
}

#ifdef SIMD_AVX
/*
 * In each lane the greater one to c, the smaller one to d: the quickest way.  As
 * integers, only two negative ones compare the other way round.
 */
static inline void sort_lanes(uint32_t *c, uint32_t *d)
{
    SIMD_EACH(l) {
        SimdI x = (SimdI)simd_load(&c[l]), y = (SimdI)simd_load(&d[l]);
        SimdU max = (SimdU)simd_max(x, y), min = (SimdU)simd_min(x, y);

        simd_store(&c[l], simd_select_by(min, max, (SimdU)(x & y)));
        simd_store(&d[l], simd_select_by(max, min, (SimdU)(x & y)));
    }
}
#endif

/*
 * The common case: minimum and maximum of two registers.  Two negative numbers
 * compare the other way round; equal ones may go either way.
 */
static inline void swap_plain(TensixVectorUnit *vu, const TensixVectorOp *op,
                              uint32_t lanes)
{
    uint32_t min_lanes = swap_min_lanes[op->mod];
    uint32_t *c = vu->lreg[op->vc], *d = vu->lreg[op->vd];

#ifdef SIMD_AVX
    if (lanes == VECTOR_ALL_LANES && min_lanes == VECTOR_ALL_LANES) {
        sort_lanes(c, d);
        return;
    }
#endif
    SIMD_EACH(l) {
        SimdU x = simd_load(&c[l]), y = simd_load(&d[l]);
        SimdMask keep = simd_lt((SimdI)x, (SimdI)y) ^ simd_negative(x & y) ^
                        simd_mask(min_lanes >> l);

        keep |= simd_mask(~lanes >> l);
        simd_store(&c[l], simd_select(keep, x, y));
        simd_store(&d[l], simd_select(keep, y, x));
    }
}

static void swap_any(TensixCore *c, const TensixVectorOp *op)
{
    uint32_t lanes = tensix_vector_swap_compare(&c->s.vu, op);

    tensix_vector_swap_finish(&c->s.vu, op->vc, op->vd, lanes);
    if (op->mod > SWAP_MAX) {
        tensix_violation(c, op->insn, TENSIX_NON_CONTRACTUAL,
                         "reserved SFPSWAP mode %u", (unsigned)op->mod);
    }
}

void tensix_vector_SFPSWAP(TensixCore *c, const TensixVectorOp *op)
{
    if (op->plain && op->vc < VECTOR_LREG_WRITABLE && op->vc != op->vd &&
        op->mod != SWAP_ALWAYS && op->mod <= SWAP_MAX) {
        swap_plain(&c->s.vu, op, tensix_vector_issue(&c->s.vu, op));
        return;
    }
    tensix_vector_out_of_line(c, op, swap_any);
}

/* LReg 0..2 take the next one's values, LReg 3 takes `last`. */
static void copy4(TensixVectorUnit *vu, const TensixLanes *last, uint32_t lanes)
{
    TensixLanes x;

    for (uint32_t k = 0; k + 1 < SHUFFLED_LREGS; k++) {
        memcpy(x.x, vu->lreg[k + 1], sizeof(x.x));
        tensix_vector_write(vu, k, &x, lanes);
    }
    tensix_vector_write(vu, SHUFFLED_LREGS - 1, last, lanes);
}

/* Lane k of each row from lane k - 1; lane 0 from the last one, or zero. */
static void move_right(const uint32_t *x, bool rotate, TensixLanes *r)
{
    for (int l = 0; l < TENSIX_LANES; l++) {
        uint32_t wrapped = rotate ? x[l | (VECTOR_COLUMNS - 1)] : 0;

        r->x[l] = l % VECTOR_COLUMNS ? x[l - 1] : wrapped;
    }
}

/* LReg 0 one row up, zeroes into the last one. */
static void row_up(const uint32_t *x, TensixLanes *r)
{
    enum { KEPT = TENSIX_LANES - VECTOR_COLUMNS };

    memcpy(r->x, x + VECTOR_COLUMNS, KEPT * sizeof(*x));
    memset(r->x + KEPT, 0, VECTOR_COLUMNS * sizeof(*x));
}

static void shift_each_lane(const uint32_t *x, const uint32_t *amount,
                            TensixLanes *r)
{
    for (int l = 0; l < TENSIX_LANES; l++) {
        uint32_t left = x[l] << (amount[l] & SHIFT_MASK);
        uint32_t right = x[l] >> (-amount[l] & SHIFT_MASK);

        r->x[l] = (int32_t)amount[l] < 0 ? right : left;
    }
}

static void shift_imm(const uint32_t *x, uint32_t imm12, TensixLanes *r)
{
    TensixLanes amount;

    for (int l = 0; l < TENSIX_LANES; l++) {
        amount.x[l] = (imm12 ^ 0x800) - 0x800;
    }
    shift_each_lane(x, amount.x, r);
}

/* The modes that shift four registers. */
static void shuffle4(TensixVectorUnit *vu, const TensixVectorOp *op,
                     uint32_t lanes)
{
    TensixLanes last;

    if (op->mod == SHFT2_CHAINED_COPY4) {
        row_up(vu->lreg[0], &last);
    } else if (op->mod == SHFT2_SHFLROR1_AND_COPY4) {
        move_right(vu->lreg[op->vc], true, &last);
    } else {
        memset(last.x, 0, sizeof(last.x));
    }
    copy4(vu, &last, lanes);
}

/* SHFT_IMM's VB is Imm12 & 15: where the decoder finds VB anyhow. */
void tensix_vector_SFPSHFT2(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_issue(vu, op);
    TensixLanes r;

    switch (op->mod) {
    case SHFT2_COPY4:
    case SHFT2_CHAINED_COPY4:
    case SHFT2_SHFLROR1_AND_COPY4:
        shuffle4(vu, op, lanes);
        return;
    case SHFT2_SHFLROR1:
    case SHFT2_SHFLSHR1:
        move_right(vu->lreg[op->vc], op->mod == SHFT2_SHFLROR1, &r);
        break;
    case SHFT2_SHFT_LREG:
        shift_each_lane(vu->lreg[op->vb], vu->lreg[op->vc], &r);
        break;
    case SHFT2_SHFT_IMM:
        shift_imm(vu->lreg[op->vb], op->imm, &r);
        break;
    default:
        tensix_violation(c, op->insn, TENSIX_NON_CONTRACTUAL,
                         "reserved SFPSHFT2 mode %u",
                         (unsigned)op->mod);
        return;
    }
    tensix_vector_result(c, op, &r, lanes);
}

/* Eight lanes, exchanged where enabled. */
static void exchange_rows(uint32_t *a, uint32_t *b, uint32_t a_lanes,
                          uint32_t b_lanes)
{
    const SimdEight bit = { 1, 2, 4, 8, 16, 32, 64, 128 };
    SimdEight x, y, to_a, to_b;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    to_a = (x ^ y) & (SimdEight)((bit & a_lanes) != 0);
    to_b = (x ^ y) & (SimdEight)((bit & b_lanes) != 0);
    x ^= to_a;
    y ^= to_b;
    memcpy(a, &x, sizeof(x));
    memcpy(b, &y, sizeof(y));
}

/* Row j of register `base + i` and row i of register `base + j` change places. */
static void transpose4(TensixVectorUnit *vu, uint32_t base, uint32_t lanes)
{
    for (uint32_t i = 1; i < SHUFFLED_LREGS; i++) {
        for (uint32_t j = 0; j < i; j++) {
            exchange_rows(&vu->lreg[base + i][j * VECTOR_COLUMNS],
                          &vu->lreg[base + j][i * VECTOR_COLUMNS],
                          lanes >> (j * VECTOR_COLUMNS), lanes >> (i * VECTOR_COLUMNS));
        }
    }
}

void tensix_vector_SFPTRANSP(TensixCore *c, const TensixVectorOp *op)
{
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);

    transpose4(&c->s.vu, 0, lanes);
    transpose4(&c->s.vu, SHUFFLED_LREGS, lanes);
}

VECTOR_EXEC(SFPSWAP)
VECTOR_EXEC(SFPSHFT2)
VECTOR_EXEC(SFPTRANSP)
