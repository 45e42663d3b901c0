/*
 * Vector Unit: piecewise linear functions from tables in LReg.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPLUT.md, SFPLUTFP32.md.  |LReg[3]| is compared as an integer: bits of
 * non-negative floats have their order, and a NaN is above all, where the
 * pages' comparisons put it as well.
 */

#include "num/num.h"
#include "vector/vector_ops.h"

/* Mod0 of SFPLUT, Mod1 of SFPLUTFP32. */
enum {
    LUT_SIGN_RETAIN = 1 << 2,
    LUT_INDIRECT_VD = 1 << 3,
    LUTFP32_FP16 = 1 << 1,
    LUTFP32_3ENTRY = 10,           /* FP16 and, by a bug, indirect VD */
    LUTFP32_6ENTRY_TABLE2 = 3,
};

enum { LREG_INPUT = 3, LREG_OFFSETS = 4 };

/* FP32 bits where the pieces change. */
enum {
    CUT_0_5 = 0x3f000000,
    CUT_1_0 = 0x3f800000,
    CUT_1_5 = 0x3fc00000,
    CUT_2_0 = 0x40000000,
    CUT_3_0 = 0x40400000,
    CUT_4_0 = 0x40800000,
};

/* 8-bit coefficients: sign, 3 bits of -exponent, 4 of mantissa. */
static inline SimdU lut8_to_fp32(SimdU x)
{
    SimdU value = (x & 0x80) << 24 | (127 - (x >> 4 & 7)) << 23 | (x & 0xf) << 19;

    return simd_select(simd_eq(x, simd_splat(0xff)), simd_splat(0), value);
}

/* 16-bit ones: no denormals; the top exponent is zero's. */
static inline SimdU lut16_to_fp32(SimdU x)
{
    const uint32_t exponents = 0x7c00, sign = 0x8000;
    SimdU value = (x & 0x7fff) << 13;
    SimdU rebias = simd_select(simd_eq(x & exponents, simd_splat(exponents)),
                               simd_splat(-(0x1fu << 23)),
                               simd_splat(NUM_FP16_REBIAS << 23));

    return (x & sign) << 16 | (value + rebias);
}

static inline SimdMask below(SimdU x, uint32_t limit)
{
    return simd_lt((SimdI)x, (SimdI)simd_splat(limit));
}

/* One of three registers, by the range of x. */
static inline SimdU pick(const TensixVectorUnit *vu, uint32_t first, int lane,
                         SimdU x)
{
    SimdU low = simd_select(below(x, CUT_1_0),
                            simd_load(&vu->lreg[first][lane]),
                            simd_load(&vu->lreg[first + 1][lane]));

    return simd_select(below(x, CUT_2_0), low,
                       simd_load(&vu->lreg[first + 2][lane]));
}

static void lut_input(const TensixVectorUnit *vu, TensixLanes *b)
{
    for (int l = 0; l < TENSIX_LANES; l++) {
        b->x[l] = vu->lreg[LREG_INPUT][l] & ~NUM_FP32_SIGN;
    }
}

/* a * b + c to the destination, with LReg[3]'s sign if wanted. */
static void lut_finish(TensixCore *c, const TensixVectorOp *op,
                       uint32_t lanes, const TensixLanes *a, const TensixLanes *b,
                       const TensixLanes *addend)
{
    const uint32_t *input = c->s.vu.lreg[LREG_INPUT];
    TensixLanes r;

    tensix_num_fma_lanes(r.x, a->x, b->x, addend->x);
    if (op->mod & LUT_SIGN_RETAIN) {
        for (int l = 0; l < TENSIX_LANES; l++) {
            r.x[l] = (r.x[l] & ~NUM_FP32_SIGN) | (input[l] & NUM_FP32_SIGN);
        }
    }
    tensix_vector_mad_result(c, op, &r, lanes, op->mod & LUT_INDIRECT_VD);
}

void tensix_vector_SFPLUT(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_issue(vu, op);
    TensixLanes a, b, addend;

    lut_input(vu, &b);
    SIMD_EACH(l) {
        SimdU coefficients = pick(vu, 0, l, simd_load(&b.x[l]));

        simd_store(&a.x[l], lut8_to_fp32(coefficients >> 8 & 0xff));
        simd_store(&addend.x[l], lut8_to_fp32(coefficients & 0xff));
    }
    lut_finish(c, op, lanes, &a, &b, &addend);
}

/* Both coefficients in one register. */
static void table_3_entry(const TensixVectorUnit *vu, const TensixLanes *b,
                          TensixLanes *a,
                          TensixLanes *addend)
{
    SIMD_EACH(l) {
        SimdU both = pick(vu, 0, l, simd_load(&b->x[l]));

        simd_store(&a->x[l], lut16_to_fp32(both >> 16));
        simd_store(&addend->x[l], lut16_to_fp32(both & 0xffff));
    }
}

/* Halves of each range: the upper one in the registers' upper bits. */
static void table_6_entry(const TensixVectorUnit *vu, uint32_t cut,
                          const TensixLanes *b,
                          TensixLanes *a, TensixLanes *addend)
{
    SIMD_EACH(l) {
        SimdU x = simd_load(&b->x[l]);
        SimdU middle = simd_select(below(x, CUT_1_0), simd_splat(CUT_0_5),
                                   simd_select(below(x, CUT_2_0),
                                               simd_splat(CUT_1_5),
                                               simd_splat(cut)));
        SimdMask lower = simd_lt((SimdI)x, (SimdI)middle);
        SimdU slope = pick(vu, 0, l, x), offset = pick(vu, LREG_OFFSETS, l, x);

        slope = simd_select(lower, slope & 0xffff, slope >> 16);
        offset = simd_select(lower, offset & 0xffff, offset >> 16);
        simd_store(&a->x[l], lut16_to_fp32(slope));
        simd_store(&addend->x[l], lut16_to_fp32(offset));
    }
}

static void table_fp32(const TensixVectorUnit *vu, const TensixLanes *b,
                       TensixLanes *a,
                       TensixLanes *addend)
{
    SIMD_EACH(l) {
        SimdU x = simd_load(&b->x[l]);

        simd_store(&a->x[l], pick(vu, 0, l, x));
        simd_store(&addend->x[l], pick(vu, LREG_OFFSETS, l, x));
    }
}

void tensix_vector_SFPLUTFP32(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_issue(vu, op);
    bool table2 = (op->mod & LUTFP32_6ENTRY_TABLE2) == LUTFP32_6ENTRY_TABLE2;
    TensixLanes a, b, addend;

    lut_input(vu, &b);
    if (!(op->mod & LUTFP32_FP16)) {
        table_fp32(vu, &b, &a, &addend);
    } else if ((op->mod & LUTFP32_3ENTRY) == LUTFP32_3ENTRY) {
        table_3_entry(vu, &b, &a, &addend);
    } else {
        table_6_entry(vu, table2 ? CUT_4_0 : CUT_3_0, &b, &a, &addend);
    }
    lut_finish(c, op, lanes, &a, &b, &addend);
}

VECTOR_EXEC(SFPLUT)
VECTOR_EXEC(SFPLUTFP32)
