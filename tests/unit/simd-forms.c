/*
 * The functions of simd.h for test-simd.c, built once per level.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "simd-forms.h"
#include "num/simd.h"

/* An expression in vectors a, b, c, and a mask of c's lowest bits. */
#define FORM(name, expression) \
    static void form_##name(SimdVector *out, const SimdVector *in) \
    { \
        SimdU a = simd_load(&in[0]), b = simd_load(&in[1]); \
        SimdU c = simd_load(&in[2]), r; \
        SimdMask mask = simd_mask(in[2].u32[0]); \
        SimdMask8 mask8 = simd_negative8((SimdU8)c); \
        \
        (void)a, (void)b, (void)c, (void)mask, (void)mask8; \
        r = (SimdU)(expression); \
        simd_store(out, r); \
    }

/* A statement with the memory at p and q, to the memory at r and s. */
#define FORM_MEMORY(name, statement) \
    static void form_##name(SimdVector *out, const SimdVector *in) \
    { \
        const void *p = &in[0], *q = &in[1]; \
        void *r = &out[0], *s = &out[1]; \
        \
        (void)p, (void)q, (void)r, (void)s; \
        statement; \
    }

#define FORM_EACH(name, type) FORM(name, simd_##name((type)a, (type)b))
#define FORM_ONE(name, type) FORM(name, simd_##name((type)a))
#define FORM_MASK(name, type) FORM(name, simd_expand(simd_##name((type)a, \
                                                                 (type)b)))
#define FORM_MASK8(name) \
    FORM(name, simd_select8(simd_##name((SimdU8)a, (SimdU8)b), \
                            simd_splat8(0xff), simd_splat8(0)))
#define FORM_WHERE(name) FORM(name, simd_##name(mask, a, b))
#define FORM_WHERE8(name) FORM(name, simd_##name(mask8, (SimdU8)a, (SimdU8)b))

FORM(choose, simd_choose(c, a, b))
FORM(select_by, simd_select_by(a, b, c))
FORM_MASK(eq, SimdU)
FORM_MASK(lt, SimdI)
FORM(unless, simd_expand(simd_unless(mask, simd_negative(a))))
FORM_MASK(test, SimdU)
FORM(test_where, simd_expand(simd_test_where(mask, a, b)))
FORM(lt16, simd_keep16(simd_lt16((SimdI16)a, (SimdI16)b), simd_splat16(-1)))
FORM_MASK8(eq8)
FORM_MASK8(below8)
FORM_WHERE(xor_where)
FORM_WHERE8(add_where8)
FORM_WHERE8(sub_where8)
FORM_EACH(negate_by, SimdU)
FORM_WHERE(select)
FORM_WHERE8(select8)
FORM(keep, simd_keep(mask, a))
FORM(keep_sum, simd_keep_sum(mask, a, b))
FORM(keep_nonzero, simd_keep_nonzero(simd_keep(mask, a), b))
FORM(nonzero, simd_nonzero(simd_keep(mask, a)))
FORM(keep16, simd_keep16(simd_lt16((SimdI16)b, (SimdI16)c), (SimdI16)a))
FORM(keep8, simd_keep8(mask8, (SimdU8)a))
FORM(negative, simd_expand(simd_negative(a)))
FORM(negative8, simd_keep8(simd_negative8((SimdU8)a), simd_splat8(0xff)))
FORM(bits, simd_splat(simd_bits(simd_negative(a))))
FORM(mask, simd_expand(mask))
FORM(expand, simd_expand(simd_negative(b)))
FORM(any, simd_splat(simd_any(a & c)))
FORM(abnormal, simd_expand(simd_abnormal(a)))
FORM(irregular, simd_expand(simd_irregular(a, b, c)))
FORM(splat, simd_splat(in[0].u32[0]))
FORM(splat_signed, simd_splat_signed(in[0].i32[0]))
FORM(splat16, simd_splat16(in[0].i16[0]))
FORM(splat8, simd_splat8(in[0].u8[0]))
FORM(splat_float, simd_splat_float(SIMD_FORM_FLOAT(in[0].i32[0])))
FORM(splat_pair, simd_splat_pair(&in[0].i16[1]))
FORM(load, simd_load(&in[0].u8[1]))
FORM_MEMORY(load_half, simd_store(r, (SimdU)simd_load_half(p)))
FORM_MEMORY(load_quarter, simd_store(r, simd_load_quarter(p)))
FORM_MEMORY(load_half16, simd_store(r, (SimdU)simd_load_half16(p)))
FORM_MEMORY(load_twice, simd_store(r, (SimdU)simd_load_twice(p)))
FORM_MEMORY(store_half, simd_store_half(r, (SimdI)simd_load(p)))
FORM_EACH(max, SimdI)
FORM_EACH(min, SimdI)
FORM_EACH(min_unsigned, SimdU)
FORM_EACH(shr, SimdU)
FORM_EACH(shl, SimdU)
FORM_EACH(sar, SimdI)
FORM_ONE(abs, SimdI)
FORM(shl_where, simd_shl_where(mask, a, SIMD_FORM_SHIFT))
FORM(shr_where, simd_shr_where(mask, a, SIMD_FORM_SHIFT))
FORM(multiply_add, simd_multiply_add(
    __builtin_convertvector((SimdI)SIMD_FORM_FACTOR(a), SimdF),
    __builtin_convertvector((SimdI)SIMD_FORM_FACTOR(b), SimdF),
    __builtin_convertvector((SimdI)c, SimdF)))
FORM_EACH(shift, SimdU)
FORM_EACH(shr_sticky, SimdU)
FORM_EACH(mul_even, SimdU)
FORM_EACH(mul_odd, SimdU)
FORM_EACH(upper_halves, SimdU64)
FORM_EACH(lower_halves, SimdU64)
FORM_EACH(max16, SimdI16)
FORM_EACH(min16, SimdI16)
FORM_ONE(abs16, SimdI16)
FORM_EACH(min_unsigned16, SimdU16)
FORM_EACH(zip, SimdU)
FORM_ONE(unzip_a, SimdI16)
FORM_ONE(unzip_b, SimdI16)
FORM_EACH(blend, SimdI16)
FORM_ONE(swap, SimdI16)
FORM_ONE(both_a, SimdI16)
FORM_ONE(both_b, SimdI16)
FORM_ONE(first_of_pairs, SimdI16)
FORM_ONE(second_of_pairs, SimdI16)
FORM_MEMORY(load_two, simd_store(r, (SimdU)simd_load_two(p, q)))
FORM_MEMORY(store_two, simd_store_two(r, s, (SimdI16)simd_load(p)))
FORM_EACH(narrow16, SimdI)
FORM_EACH(shl16, SimdI16)
FORM_EACH(sar16, SimdI16)
FORM_ONE(weight, SimdI16)
FORM_EACH(dot_pairs, SimdI16)
FORM_EACH(mul_round, SimdI16)
FORM_EACH(mul_high16, SimdU16)
FORM_EACH(min8, SimdU8)
FORM_EACH(shuffle8, SimdU8)
FORM_EACH(zip_first8, SimdU8)
FORM_EACH(zip_last8, SimdU8)
FORM_ONE(arrange8, SimdU8)
FORM_EACH(narrow8, SimdU16)
FORM_ONE(least8, SimdU8)
FORM_MEMORY(store_firsts8, simd_store_firsts8((uint8_t *)r,
                                              (SimdU8)simd_load(p)))

static void form_splat_part(SimdVector *out, const SimdVector *in)
{
    SimdTable part;

    memcpy(&part, in, sizeof(part));
    simd_store(out, (SimdU)simd_splat_part(part));
}

static void form_look_up(SimdVector *out, const SimdVector *in)
{
    SimdTable table;

    memcpy(&table, in, sizeof(table));
    simd_store(out, (SimdU)simd_look_up(table, (SimdU8)simd_load(&in[1])));
}

static void form_put32(SimdVector *out, const SimdVector *in)
{
    Simd32 r;

    memcpy(&r, in, sizeof(r));
    simd_put32(out[0].u32, &r, in[2].u32[0]);
}

static void form_load_twice_two(SimdVector *out, const SimdVector *in)
{
    SimdU16 first, second;

    simd_load_twice_two(in, &first, &second);
    simd_store(&out[0], (SimdU)first);
    simd_store(&out[1], (SimdU)second);
}

static void form_interleave16(SimdVector *out, const SimdVector *in)
{
    SimdU16 first, second;

    simd_interleave16((SimdU16)simd_load(&in[0]), (SimdU16)simd_load(&in[1]),
                      &first, &second);
    simd_store(&out[0], (SimdU)first);
    simd_store(&out[1], (SimdU)second);
}

#define FORM_ROW(name) form_##name,
const SimdBuild SIMD_BUILD = { SIMD_BYTES, { SIMD_FORMS(FORM_ROW) } };
