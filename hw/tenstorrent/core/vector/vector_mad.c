/*
 * Vector Unit: floating-point multiply-add (MAD sub-unit).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPMAD.md; SFPADD and SFPMUL are the same instruction with other
 * opcodes, for a VA that is 1.0 and a VC that is 0.
 */

#include <string.h>

#include "num/num_fma_simd.h"
#include "vector/vector_ops.h"

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
static void record_late(const TensixVectorUnit *vu, TensixVectorLate *late,
                        uint32_t vd,
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

        if ((lanes & tensix_lane_bit[l]) && vd < VECTOR_LREG_WRITABLE) {
            vu->lreg[vd][l] = r->x[l];
        }
    }
}

void tensix_vector_mad_elsewhere(TensixVectorUnit *vu, TensixVectorLate *late,
                                 uint32_t vd,
                                 const TensixLanes *r, uint32_t lanes, bool indirect)
{
    if (late) {
        record_late(vu, late, vd, r, lanes, indirect);
    } else {
        write_indirect(vu, r, lanes);
    }
}

/* Is the register the constant in all lanes?  (The aperture can change it.) */
static inline bool is_constant(const TensixVectorUnit *vu, uint32_t lreg,
                               uint32_t value)
{
    SimdU other = { 0 };

    SIMD_EACH(l) {
        other |= simd_load(&vu->lreg[lreg][l]) ^ value;
    }
    return !simd_any(other);
}

/* The operands, and the bits that Mod1 changes in them. */
typedef struct MadOperands {
    const uint32_t *a, *b, *c;
    uint32_t flip_a, flip_c;
} MadOperands;

static inline MadOperands mad_operands(const TensixVectorUnit *vu,
                                       const TensixVectorOp *op)
{
    return (MadOperands) {
        .a = vu->lreg[op->va], .b = vu->lreg[op->vb], .c = vu->lreg[op->vc],
        .flip_a = op->mod & MAD_NEGATE_VA ? NUM_FP32_SIGN : 0,
        .flip_c = op->mod & MAD_NEGATE_VC ? NUM_FP32_SIGN : 0,
    };
}

/* b + c where the host's float gives it; false: not so, *r is undefined. */
static inline bool mad_sum(const MadOperands *m, Simd32 *r)
{
    SimdMask slow = simd_mask(0);

    SIMD_EACH(l) {
        SimdU x = simd_load(&m->b[l]) ^ m->flip_a, y = simd_load(&m->c[l]) ^ m->flip_c;
        SimdU sum = (SimdU)((SimdF)x + (SimdF)y);

        slow |= tensix_num_not_sum(x, y, sum);
        r->v[l / SIMD_LANES] = sum;
    }
    return NUM_HOST_FLOAT && !simd_bits(slow);
}

/* a * b, likewise. */
static inline bool mad_product(const MadOperands *m, Simd32 *r)
{
    SimdMask slow = simd_mask(0);

    SIMD_EACH(l) {
        SimdU x = simd_load(&m->a[l]) ^ m->flip_a, y = simd_load(&m->b[l]);
        SimdU product = (SimdU)((SimdF)x * (SimdF)y);

        slow |= tensix_num_not_product(x, y, product);
        r->v[l / SIMD_LANES] = product;
    }
    return NUM_HOST_FLOAT && !simd_bits(slow);
}

/* a * b + c, likewise. */
static inline bool mad_full(const MadOperands *m, Simd32 *r)
{
    SimdMask slow = simd_mask(0);

    SIMD_EACH(l) {
        slow |= tensix_num_fma_simd(simd_load(&m->a[l]) ^ m->flip_a,
                                    simd_load(&m->b[l]),
                                    simd_load(&m->c[l]) ^ m->flip_c,
                                    &r->v[l / SIMD_LANES]);
    }
    return !simd_bits(slow);
}

static inline bool is_sum(const TensixVectorUnit *vu, const TensixVectorOp *op)
{
    return op->va == LREG_ONE && is_constant(vu, LREG_ONE, NUM_FP32_ONE);
}

static inline bool is_product(const TensixVectorUnit *vu,
                              const TensixVectorOp *op)
{
    return op->vc == LREG_ZERO && is_constant(vu, LREG_ZERO, 0);
}

/* Is it plain with nothing indirect?  Then mad_sum() and others may do. */
static inline bool mad_is_plain(const TensixVectorOp *op)
{
    return op->plain && !(op->mod & (MAD_INDIRECT_VA | MAD_INDIRECT_VD));
}

static void mad_indirect(const TensixVectorUnit *vu, const TensixVectorOp *op,
                         TensixLanes *r)
{
    MadOperands m = mad_operands(vu, op);
    TensixLanes tmp_a, tmp_c;

    tensix_num_fma_lanes(r->x, read_indirect(vu, m.flip_a, &tmp_a), m.b,
                         read_lreg(vu, op->vc, m.flip_c, &tmp_c));
}

/* All numbers; VA is not indirect. */
static void mad_lanes(const TensixVectorUnit *vu, const TensixVectorOp *op,
                      TensixLanes *r)
{
    MadOperands m = mad_operands(vu, op);
    TensixLanes flipped, tmp;
    const uint32_t *addend = read_lreg(vu, op->vc, m.flip_c, &tmp);

    if (is_sum(vu, op)) {
        tensix_num_add_lanes(r->x, read_lreg(vu, op->vb, m.flip_a, &flipped),
                             addend);
    } else if (is_product(vu, op)) {
        tensix_num_mul_lanes(r->x, read_lreg(vu, op->va, m.flip_a, &flipped), m.b,
                             m.flip_c);
    } else {
        tensix_num_fma_lanes(r->x, read_lreg(vu, op->va, m.flip_a, &flipped), m.b,
                             addend);
    }
}

/* All operands, all numbers. */
static __attribute__((noinline)) void mad_slow(TensixCore *c,
                                               const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_issue(vu, op);
    TensixLanes r;

    if (op->mod & MAD_INDIRECT_VA) {
        mad_indirect(vu, op, &r);
    } else {
        mad_lanes(vu, op, &r);
    }
    tensix_vector_mad_result(c, op, &r, lanes, op->mod & MAD_INDIRECT_VD);
}

/* The same, where the constant may be missing that makes it fast. */
static __attribute__((noinline)) void add_slow(TensixCore *c,
                                               const TensixVectorOp *op)
{
    mad_slow(c, op);
    if (!(op->mod & MAD_INDIRECT_VA) && op->va != LREG_ONE &&
        op->vb != LREG_ONE) {
        tensix_violation(c, op->insn, TENSIX_NON_CONTRACTUAL,
                         "SFPADD without LReg[10]; use SFPMAD");
    }
}

static __attribute__((noinline)) void mul_slow(TensixCore *c,
                                               const TensixVectorOp *op)
{
    mad_slow(c, op);
    if (op->vc != LREG_ZERO) {
        tensix_violation(c, op->insn, TENSIX_NON_CONTRACTUAL,
                         "SFPMUL without LReg[9]; use SFPMAD");
    }
}

/* The end of all three: the fast result to VD, or the slow way. */
static inline void mad_finish(TensixCore *c, const TensixVectorOp *op,
                              bool fast, const Simd32 *r, TensixVectorFn *slow)
{
    if (__builtin_expect(fast, true)) {
        tensix_vector_put(&c->s.vu, op->vd, r,
                          tensix_vector_issue(&c->s.vu, op));
    } else {
        tensix_vector_out_of_line(c, op, slow);
    }
}

void tensix_vector_SFPMAD(TensixCore *c, const TensixVectorOp *op)
{
    const TensixVectorUnit *vu = &c->s.vu;
    MadOperands m = mad_operands(vu, op);
    bool fast = mad_is_plain(op);
    Simd32 r;

    if (fast && is_sum(vu, op)) {
        fast = mad_sum(&m, &r);
    } else if (fast && is_product(vu, op)) {
        fast = mad_product(&m, &r);
    } else if (fast) {
        fast = mad_full(&m, &r);
    }
    mad_finish(c, op, fast, &r, mad_slow);
}

void tensix_vector_SFPADD(TensixCore *c, const TensixVectorOp *op)
{
    const TensixVectorUnit *vu = &c->s.vu;
    MadOperands m = mad_operands(vu, op);
    Simd32 r;

    mad_finish(c, op, mad_is_plain(op) && is_sum(vu, op) && mad_sum(&m, &r), &r,
               add_slow);
}

void tensix_vector_SFPMUL(TensixCore *c, const TensixVectorOp *op)
{
    const TensixVectorUnit *vu = &c->s.vu;
    MadOperands m = mad_operands(vu, op);
    Simd32 r;

    mad_finish(c, op, mad_is_plain(op) && is_product(vu, op) &&
               mad_product(&m, &r),
               &r, mul_slow);
}

VECTOR_EXEC(SFPMAD)
VECTOR_EXEC(SFPADD)
VECTOR_EXEC(SFPMUL)
