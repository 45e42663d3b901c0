/*
 * Vector Unit: floating-point multiply-add (MAD sub-unit).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPMAD.md; SFPADD and SFPMUL are the same instruction with other
 * opcodes, for a VA that is 1.0 and a VC that is 0.
 */

#include <string.h>

#include "num_short.h"
#include "sfpu_ops.h"

/* Mod1. */
enum {
    MAD_NEGATE_VA = 1 << 0,
    MAD_NEGATE_VC = 1 << 1,
    MAD_INDIRECT_VA = 1 << 2,      /* index from LReg[7], lane by lane */
    MAD_INDIRECT_VD = 1 << 3,
};

enum { LREG_ZERO = 9, LREG_ONE = 10, LREG_INDEX = 7, INDEX_MASK = 15 };

/* LReg[lreg] with `flip` applied to all lanes; in tmp, if that changes it. */
static const uint32_t *read_lreg(const TensixVectorUnit *vu, uint32_t lreg,
                                 uint32_t flip, TensixLanes *tmp)
{
    if (!flip) {
        return vu->lreg[lreg];
    }
    for (int l = 0; l < TENSIX_LANES; l++) {
        tmp->x[l] = vu->lreg[lreg][l] ^ flip;
    }
    return tmp->x;
}

static const uint32_t *read_indirect(const TensixVectorUnit *vu, uint32_t flip,
                                     TensixLanes *tmp)
{
    for (int l = 0; l < TENSIX_LANES; l++) {
        uint32_t lreg = vu->lreg[LREG_INDEX][l] & INDEX_MASK;

        tmp->x[l] = vu->lreg[lreg][l] ^ flip;
    }
    return tmp->x;
}

/* Where each lane's result goes, for a result that comes a cycle later. */
static void note_late(const TensixVectorUnit *vu, TensixVuLate *late, uint32_t vd,
                      const TensixLanes *r, uint32_t lanes, bool indirect)
{
    for (int l = 0; l < TENSIX_LANES; l++) {
        late->vd[l] = indirect ? vu->lreg[LREG_INDEX][l] & INDEX_MASK : vd;
        late->value[l] = r->x[l];
    }
    late->lanes = lanes;
}

static void write_indirect(TensixVectorUnit *vu, const TensixLanes *r,
                           uint32_t lanes)
{
    uint32_t index[TENSIX_LANES];

    memcpy(index, vu->lreg[LREG_INDEX], sizeof(index));   /* may be written */
    for (int l = 0; l < TENSIX_LANES; l++) {
        uint32_t vd = index[l] & INDEX_MASK;

        if ((lanes & tensix_lane_bit[l]) && vd < VU_LREG_WRITABLE) {
            vu->lreg[vd][l] = r->x[l];
        }
    }
}

void tensix_vu_mad_elsewhere(TensixVectorUnit *vu, TensixVuLate *late, uint32_t vd,
                             const TensixLanes *r, uint32_t lanes, bool indirect)
{
    if (late) {
        note_late(vu, late, vd, r, lanes, indirect);
    } else {
        write_indirect(vu, r, lanes);
    }
}

/* Is the register the constant in all lanes?  (The aperture can change it.) */
static bool is_constant(const TensixVectorUnit *vu, uint32_t lreg,
                        uint32_t value)
{
    SimdU other = { 0 };

    SIMD_EACH(l) {
        other |= simd_load(&vu->lreg[lreg][l]) ^ value;
    }
    return simd_bits(simd_eq(other, (SimdU) { 0 })) == SIMD_ALL;
}

/* Operands as they are used; a NULL a is 1.0, a NULL c is zero. */
typedef struct MadOperands {
    const uint32_t *a, *b, *c;
    uint32_t flip_a, flip_c;
} MadOperands;

static MadOperands mad_operands(const TensixVectorUnit *vu, const TensixVuOp *op)
{
    bool indirect = op->mod & MAD_INDIRECT_VA;
    MadOperands m = {
        .a = vu->lreg[op->va], .b = vu->lreg[op->vb], .c = vu->lreg[op->vc],
        .flip_a = op->mod & MAD_NEGATE_VA ? NUM_FP32_SIGN : 0,
        .flip_c = op->mod & MAD_NEGATE_VC ? NUM_FP32_SIGN : 0,
    };

    if (!indirect && op->va == LREG_ONE && is_constant(vu, LREG_ONE, NUM_FP32_ONE)) {
        m.a = NULL;
    } else if (!indirect && op->vc == LREG_ZERO && is_constant(vu, LREG_ZERO, 0)) {
        m.c = NULL;
    }
    return m;
}

/*
 * A sum or a product where the host's float gives it: straight into VD.  False:
 * not so, and nothing was done.
 */
static inline bool mad_short(TensixVectorUnit *vu, const TensixVuOp *op, uint32_t lanes,
                             const MadOperands *m, bool sum)
{
    SimdU r[TENSIX_LANES / SIMD_LANES];
    uint32_t slow = 0;

    SIMD_EACH(l) {
        SimdU x = simd_load(sum ? &m->b[l] : &m->a[l]) ^ m->flip_a;
        SimdU y = sum ? simd_load(&m->c[l]) ^ m->flip_c : simd_load(&m->b[l]);
        SimdU value = sum ? (SimdU)((SimdF)x + (SimdF)y) : (SimdU)((SimdF)x * (SimdF)y);

        slow |= simd_bits(tensix_num_uncovered(x, y, value));
        r[l / SIMD_LANES] = value;
    }
    if (slow || !NUM_HOST_FLOAT) {
        return false;
    }
    SIMD_EACH(l) {
        tensix_vu_put(vu, op->vd, l, r[l / SIMD_LANES], lanes);
    }
    return true;
}

static void mad_result(const TensixVectorUnit *vu, const TensixVuOp *op, TensixLanes *r)
{
    bool indirect = op->mod & MAD_INDIRECT_VA;
    uint32_t flip_a = op->mod & MAD_NEGATE_VA ? NUM_FP32_SIGN : 0;
    uint32_t flip_c = op->mod & MAD_NEGATE_VC ? NUM_FP32_SIGN : 0;
    const uint32_t *a, *c;
    TensixLanes tmp_a, tmp_c;

    a = indirect ? read_indirect(vu, flip_a, &tmp_a)
                 : read_lreg(vu, op->va, flip_a, &tmp_a);
    c = read_lreg(vu, op->vc, flip_c, &tmp_c);
    tensix_num_fma_lanes(r->x, a, vu->lreg[op->vb], c);
}

static void mad(TensixCore *c, const TensixInsn *i, const TensixVuOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vu_issue(vu, op);
    bool direct = !(op->mod & MAD_INDIRECT_VD) && !op->late;
    MadOperands m = mad_operands(vu, op);
    TensixLanes r;

    if (!lanes || (!(op->mod & MAD_INDIRECT_VD) && !tensix_vu_writable(op->vd))) {
        return;
    }
    if (direct && ((!m.a && mad_short(vu, op, lanes, &m, true)) ||
                   (!m.c && mad_short(vu, op, lanes, &m, false)))) {
        tensix_vu_can_put(c, i, op);   /* for its report */
        return;
    }
    mad_result(vu, op, &r);
    tensix_vu_mad_result(c, i, op, &r, lanes, op->mod & MAD_INDIRECT_VD);
}

void tensix_vu_SFPMAD(TensixCore *c, const TensixInsn *i, const TensixVuOp *op)
{
    mad(c, i, op);
}

void tensix_vu_SFPADD(TensixCore *c, const TensixInsn *i, const TensixVuOp *op)
{
    if (!(op->mod & MAD_INDIRECT_VA) && op->va != LREG_ONE &&
        op->vb != LREG_ONE) {
        tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                         "SFPADD without LReg[10]; use SFPMAD");
    }
    mad(c, i, op);
}

void tensix_vu_SFPMUL(TensixCore *c, const TensixInsn *i, const TensixVuOp *op)
{
    if (op->vc != LREG_ZERO) {
        tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                         "SFPMUL without LReg[9]; use SFPMAD");
    }
    mad(c, i, op);
}

VU_EXEC(SFPMAD, three)
VU_EXEC(SFPADD, three)
VU_EXEC(SFPMUL, three)
