/*
 * Vector Unit: bitwise logic, leading zeroes, register moves.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPAND.md, SFPOR.md, SFPXOR.md, SFPNOT.md, SFPLZ.md, SFPMOV.md.
 */

#include <string.h>

#include "vector/vector_ops.h"

/* Mod1. */
enum {
    LZ_CC_NE0 = 1 << 1,
    LZ_NO_SIGN = 1 << 2,
    LZ_CC_COMPLEMENT = 1 << 3,
    MOV_NEGATE = 1 << 0,
    MOV_ALL_LANES = 2,             /* only as the whole of Mod1 */
    MOV_FROM_SPECIAL = 1 << 3,
};

/* VC of SFPMOV from configuration; SFPCONFIG's VD, and the PRNG. */
enum {
    SPECIAL_SEQUENCE = 4,
    SPECIAL_MISC = 8,
    SPECIAL_PRNG = 9,
    SPECIAL_LANE_CONFIG = 15,
};

enum { SIGN_BIT_LOW = 31, MAGNITUDE = 0x7fffffff, WORD_BITS = 32 };

/* expression of x, lanes of VB, and y, those of VC */
#define LOGIC(mnemonic, expression) \
    void tensix_vector_##mnemonic(TensixCore *c, const TensixVectorOp *op) \
    { \
        const uint32_t *b = c->s.vu.lreg[op->vb], *v = c->s.vu.lreg[op->vc]; \
        uint32_t lanes = tensix_vector_issue(&c->s.vu, op); \
        Simd32 r; \
    \
        SIMD_EACH(l) { \
            SimdU x = simd_load(&b[l]), y = simd_load(&v[l]); \
    \
            r.v[l / SIMD_LANES] = (expression); \
        } \
        if (tensix_vector_can_put(c, op)) { \
            tensix_vector_put(&c->s.vu, op->vd, &r, lanes); \
        } \
    }

LOGIC(SFPAND, x & y)
LOGIC(SFPOR, x | y)
LOGIC(SFPXOR, x ^ y)

void tensix_vector_SFPNOT(TensixCore *c, const TensixVectorOp *op)
{
    const uint32_t *v = c->s.vu.lreg[op->vc];
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    Simd32 r;

    SIMD_EACH(l) {
        r.v[l / SIMD_LANES] = ~simd_load(&v[l]);
    }
    if (tensix_vector_can_put(c, op)) {
        tensix_vector_put(&c->s.vu, op->vd, &r, lanes);
    }
}

/* The complement inverts LaneFlags even if the comparison did not set them. */
static void lz_flags(TensixVectorUnit *vu, const TensixVectorOp *op,
                     const TensixLanes *x,
                     uint32_t lanes)
{
    uint32_t flags = op->mod & LZ_CC_NE0 ? tensix_vector_nonzero(x->x) : vu->lane_flags;

    if (op->mod & LZ_CC_COMPLEMENT) {
        flags = ~flags;
    }
    tensix_vector_set_flags(vu, flags, lanes);
}

void tensix_vector_SFPLZ(TensixCore *c, const TensixVectorOp *op)
{
    const uint32_t *v = c->s.vu.lreg[op->vc];
    uint32_t lanes = tensix_vector_issue(&c->s.vu, op);
    uint32_t mask = op->mod & LZ_NO_SIGN ? MAGNITUDE : ~0u;
    TensixLanes x, r;

    for (int l = 0; l < TENSIX_LANES; l++) {
        x.x[l] = v[l] & mask;
    }
    for (int l = 0; l < TENSIX_LANES; l++) {
        r.x[l] = x.x[l] ? (uint32_t)__builtin_clz(x.x[l]) : WORD_BITS;
    }
    tensix_vector_result(c, op, &r, lanes);
    if (op->vd < VECTOR_LREG_WRITABLE) {
        lz_flags(&c->s.vu, op, &x, lanes);
    }
}

static void mov_special(TensixVectorUnit *vu, const TensixVectorOp *op,
                        uint32_t lanes,
                        TensixLanes *r)
{
    const TensixLoadMacro *m = &vu->load_macro;
    const uint32_t *from = NULL;

    if (op->vc < SPECIAL_SEQUENCE) {
        from = m->instruction_template[op->vc];
    } else if (op->vc < SPECIAL_MISC) {
        from = m->sequence[op->vc - SPECIAL_SEQUENCE];
    } else if (op->vc == SPECIAL_MISC) {
        from = m->misc;
    } else if (op->vc == SPECIAL_LANE_CONFIG) {
        from = vu->lane_config;
    } else if (op->vc == SPECIAL_PRNG) {
        tensix_vector_prng(vu, lanes, r);
        return;
    }
    if (from) {
        memcpy(r->x, from, sizeof(r->x));
    } else {
        memset(r->x, 0, sizeof(r->x));
    }
}

static void mov_from_special(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_issue(vu, op);
    TensixLanes r;

    mov_special(vu, op, lanes, &r);
    tensix_vector_result(c, op, &r, lanes);
}

static inline Simd32 mov_value(const uint32_t *v, uint32_t flip)
{
    Simd32 x;

    SIMD_EACH(l) {
        x.v[l / SIMD_LANES] = simd_load(&v[l]) ^ flip;
    }
    return x;
}

void tensix_vector_SFPMOV(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_backdoor(vu, op);
    Simd32 x;

    if (op->mod != MOV_ALL_LANES) {
        lanes &= tensix_vector_enabled(vu, op);
    }
    if (__builtin_expect(op->mod & MOV_FROM_SPECIAL, false)) {
        tensix_vector_out_of_line(c, op, mov_from_special);
    } else if (tensix_vector_can_put(c, op)) {
        x = __builtin_expect(op->mod & MOV_NEGATE, false)
            ? mov_value(vu->lreg[op->vc], 1u << SIGN_BIT_LOW)
            : mov_value(vu->lreg[op->vc], 0);
        tensix_vector_put(vu, op->vd, &x, lanes);
    }
}

VECTOR_EXEC(SFPAND)
VECTOR_EXEC(SFPOR)
VECTOR_EXEC(SFPXOR)
VECTOR_EXEC(SFPNOT)
VECTOR_EXEC(SFPLZ)
VECTOR_EXEC(SFPMOV)
