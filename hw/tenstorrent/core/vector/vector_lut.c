/*
 * Vector Unit: piecewise linear functions from tables in LReg.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPLUT.md, SFPLUTFP32.md.  |LReg[3]| is compared as an integer: bits of
 * non-negative floats have their order, and a NaN is above all, where the
 * pages' comparisons put it as well.
 */

#include "num/num_fma_simd.h"
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

/* What |LReg[3]| is multiplied with, and what is added. */
typedef struct LutLine {
    SimdU slope, offset;
} LutLine;

/* SIMD_LANES of them from `lane` on, by x = |LReg[3]|. */
typedef LutLine LutTable(const TensixVectorUnit *vu, int lane, SimdU x);

SIMD_INLINE LutLine table_8_bit(const TensixVectorUnit *vu, int lane, SimdU x)
{
    SimdU both = pick(vu, 0, lane, x);

    return (LutLine) { lut8_to_fp32(both >> 8 & 0xff), lut8_to_fp32(both & 0xff) };
}

/* Both coefficients in one register. */
SIMD_INLINE LutLine table_3_entry(const TensixVectorUnit *vu, int lane, SimdU x)
{
    SimdU both = pick(vu, 0, lane, x);

    return (LutLine) { lut16_to_fp32(both >> 16), lut16_to_fp32(both & 0xffff) };
}

/* Halves of each range: the upper one in the registers' upper bits. */
SIMD_INLINE LutLine table_6_entry(const TensixVectorUnit *vu, int lane, SimdU x,
                                  uint32_t cut)
{
    SimdU middle = simd_select(below(x, CUT_1_0), simd_splat(CUT_0_5),
                               simd_select(below(x, CUT_2_0),
                                           simd_splat(CUT_1_5),
                                           simd_splat(cut)));
    SimdMask lower = simd_lt((SimdI)x, (SimdI)middle);
    SimdU slope = pick(vu, 0, lane, x), offset = pick(vu, LREG_OFFSETS, lane, x);

    slope = simd_select(lower, slope & 0xffff, slope >> 16);
    offset = simd_select(lower, offset & 0xffff, offset >> 16);
    return (LutLine) { lut16_to_fp32(slope), lut16_to_fp32(offset) };
}

SIMD_INLINE LutLine table_to_3(const TensixVectorUnit *vu, int lane, SimdU x)
{
    return table_6_entry(vu, lane, x, CUT_3_0);
}

SIMD_INLINE LutLine table_to_4(const TensixVectorUnit *vu, int lane, SimdU x)
{
    return table_6_entry(vu, lane, x, CUT_4_0);
}

SIMD_INLINE LutLine table_fp32(const TensixVectorUnit *vu, int lane, SimdU x)
{
    return (LutLine) { pick(vu, 0, lane, x), pick(vu, LREG_OFFSETS, lane, x) };
}

SIMD_INLINE SimdU lut_input(const TensixVectorUnit *vu, int lane)
{
    return simd_load(&vu->lreg[LREG_INPUT][lane]) & ~NUM_FP32_SIGN;
}

/* All lanes' values, where some are not what tensix_num_fma_simd() can do. */
SIMD_INLINE void lut_slow(const TensixVectorUnit *vu, LutTable *table,
                          TensixLanes *r)
{
    TensixLanes slope, x, offset;

    SIMD_EACH(l) {
        LutLine line = table(vu, l, lut_input(vu, l));

        simd_store(&x.x[l], lut_input(vu, l));
        simd_store(&slope.x[l], line.slope);
        simd_store(&offset.x[l], line.offset);
    }
    tensix_num_fma_lanes(r->x, slope.x, x.x, offset.x);
}

/* False: not so, *r is undefined. */
SIMD_INLINE bool lut_fast(const TensixVectorUnit *vu, LutTable *table,
                          TensixLanes *r)
{
    SimdMask slow = simd_mask(0);

    SIMD_EACH(l) {
        SimdU x = lut_input(vu, l), value;
        LutLine line = table(vu, l, x);

        slow |= tensix_num_fma_simd(line.slope, x, line.offset, &value);
        simd_store(&r->x[l], value);
    }
    return !simd_bits(slow);
}

/* lut_<table>(): the values of one table. */
#define LUT(table) \
    static __attribute__((noinline)) void lut_slow_##table( \
        const TensixVectorUnit *vu, TensixLanes *r) \
    { \
        lut_slow(vu, table_##table, r); \
    } \
    \
    static void lut_##table(const TensixVectorUnit *vu, TensixLanes *r) \
    { \
        if (!lut_fast(vu, table_##table, r)) { \
            lut_slow_##table(vu, r); \
        } \
    }

LUT(8_bit)
LUT(3_entry)
LUT(to_3)
LUT(to_4)
LUT(fp32)

/* The values to the destination, with LReg[3]'s sign if wanted. */
static void lut_finish(TensixCore *c, const TensixVectorOp *op, TensixLanes *r)
{
    const uint32_t *input = c->s.vu.lreg[LREG_INPUT];

    if (op->mod & LUT_SIGN_RETAIN) {
        for (int l = 0; l < TENSIX_LANES; l++) {
            r->x[l] = (r->x[l] & ~NUM_FP32_SIGN) | (input[l] & NUM_FP32_SIGN);
        }
    }
    tensix_vector_mad_result(c, op, r, tensix_vector_issue(&c->s.vu, op),
                             op->mod & LUT_INDIRECT_VD);
}

void tensix_vector_SFPLUT(TensixCore *c, const TensixVectorOp *op)
{
    TensixLanes r;

    lut_8_bit(&c->s.vu, &r);
    lut_finish(c, op, &r);
}

void tensix_vector_SFPLUTFP32(TensixCore *c, const TensixVectorOp *op)
{
    const TensixVectorUnit *vu = &c->s.vu;
    TensixLanes r;

    if (!(op->mod & LUTFP32_FP16)) {
        lut_fp32(vu, &r);
    } else if ((op->mod & LUTFP32_3ENTRY) == LUTFP32_3ENTRY) {
        lut_3_entry(vu, &r);
    } else if ((op->mod & LUTFP32_6ENTRY_TABLE2) == LUTFP32_6ENTRY_TABLE2) {
        lut_to_4(vu, &r);
    } else {
        lut_to_3(vu, &r);
    }
    lut_finish(c, op, &r);
}

VECTOR_EXEC(SFPLUT)
VECTOR_EXEC(SFPLUTFP32)
