/*
 * What test-simd.c compares: the functions of simd.h, by name.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef SIMD_FORMS_H
#define SIMD_FORMS_H

#include <stdint.h>

/* Every function of simd.h and simd_narrow.h that computes something. */
#define SIMD_FORMS(X) \
    X(choose) X(eq) X(lt) X(unless) X(test) X(test_where) X(lt16) X(eq8) \
    X(below8) X(xor_where) X(add_where8) X(sub_where8) \
    X(negate_by) X(select_by) X(select) X(select8) X(keep) X(keep_sum) \
    X(keep_nonzero) X(nonzero) \
    X(keep16) X(keep8) X(negative) X(negative8) X(bits) X(mask) X(expand) X(any) \
    X(abnormal) X(irregular) X(splat) X(splat_signed) X(splat16) X(splat8) X(splat_pair) \
    X(splat_float) X(multiply_add) X(splat_part) \
    X(load) X(put32) X(load_half) X(load_quarter) \
    X(load_half16) X(load_twice) X(load_twice_two) X(store_half) X(max) \
    X(min) X(min_unsigned) X(shr) X(shl) X(sar) X(abs) X(shl_where) \
    X(shr_where) X(mul_even) X(mul_odd) X(shift) X(shr_sticky) \
    X(upper_halves) X(lower_halves) X(max16) X(min16) \
    X(min_unsigned16) X(abs16) \
    X(zip) X(unzip_a) X(unzip_b) X(blend) X(swap) X(both_a) X(both_b) \
    X(first_of_pairs) X(second_of_pairs) X(load_two) X(store_two) X(narrow16) \
    X(interleave16) X(shl16) X(sar16) X(weight) X(dot_pairs) X(mul_round) \
    X(mul_high16) X(min8) X(shuffle8) X(look_up) X(zip_first8) X(zip_last8) \
    X(arrange8) X(narrow8) X(least8) X(store_firsts8)

/* A vector of any width; narrower ones use its beginning. */
typedef union SimdVector {
    uint8_t u8[64];
    int8_t i8[64];
    uint16_t u16[32];
    int16_t i16[32];
    uint32_t u32[16];
    int32_t i32[16];
    uint64_t u64[8];
} SimdVector;

/* out: two vectors, one after the other in memory; in: three. */
typedef void SimdForm(SimdVector *out, const SimdVector *in);

#define SIMD_FORM_INDEX(name) SIMD_FORM_##name,
enum { SIMD_FORMS(SIMD_FORM_INDEX) SIMD_FORM_COUNT };

/* One build of simd.h. */
typedef struct SimdBuild {
    unsigned bytes;
    SimdForm *form[SIMD_FORM_COUNT];
} SimdBuild;

/* With every level, and with the portable forms alone. */
extern const SimdBuild simd_build, simd_build_plain;
extern const SimdBuild simd_build_avx2, simd_build_avx512;

/* Places of shifts that are constants where they are used. */
enum { SIMD_FORM_SHIFT = 13 };

/* A float, -0 among them; and a factor, of which the product of two is exact. */
#define SIMD_FORM_FLOAT(x) ((x) % 2 ? (float)(x) : -0.0f)
#define SIMD_FORM_FACTOR(x) ((x) & 0xfff)

#endif
