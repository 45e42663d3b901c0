/*
 * The core's one vocabulary of vectors, as wide as the build of the units
 * allows (isa.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * GCC's and Clang's vector types, with + - * & | ^ ~ << >> and comparisons, say
 * most things.  What those cannot say, or what compilers make too little of, is
 * a function here: the host's instructions, with a portable form beside them.
 * No other file of the core names an instruction or asks for one's presence
 * (scripts/lib_static.py); a file whose algorithm depends on the build asks for
 * SIMD_AVX512, SIMD_AVX2, SIMD_AVX (either of the two) or SIMD_SSE2.
 *
 * A name without a width means lanes of 32 bits: SIMD_LANES of them are one
 * vector.  Suffixes 8, 16 and 64 mean lanes of that many bits, "half" and
 * "quarter" that memory has less bits than the lane.  A "part" is 128 bits of
 * a vector.  Lanes and bytes are in the order of a little-endian host, as the
 * rest of the core has it.  Lanes of 16 and 8 bits are in simd_narrow.h, which
 * is included at the end.
 *
 * tests/unit/test-simd.c has a scalar loop for each function, and compares all
 * forms with it.
 */

#ifndef TENSIX_SIMD_H
#define TENSIX_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* --- the build --- */

#if defined(SIMD_PLAIN)            /* tests: the portable forms alone */
#define SIMD_BYTES 16
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define SIMD_AVX512
#define SIMD_AVX
#define SIMD_BYTES 64
#define SIMD_X86(op) _mm512_##op
typedef __m512i SimdX86;
#elif defined(__AVX2__)
#include <immintrin.h>
#define SIMD_AVX2
#define SIMD_AVX
#define SIMD_BYTES 32
#define SIMD_X86(op) _mm256_##op
typedef __m256i SimdX86;
#elif defined(__SSE2__)
#include <emmintrin.h>
#define SIMD_SSE2
#define SIMD_BYTES 16
#define SIMD_X86(op) _mm_##op
typedef __m128i SimdX86;
#else
#define SIMD_BYTES 16
#endif

/* Modes are constants where a kernel is used: each use is a separate loop. */
#define SIMD_INLINE static inline __attribute__((always_inline))

/* --- types: a family for each width --- */

#define SIMD_TYPE(name, element, bytes) \
    typedef element name __attribute__((vector_size(bytes)))

SIMD_TYPE(SimdU8, uint8_t, SIMD_BYTES);
SIMD_TYPE(SimdI8, int8_t, SIMD_BYTES);
SIMD_TYPE(SimdU16, uint16_t, SIMD_BYTES);
SIMD_TYPE(SimdI16, int16_t, SIMD_BYTES);
SIMD_TYPE(SimdU, uint32_t, SIMD_BYTES);
SIMD_TYPE(SimdI, int32_t, SIMD_BYTES);
SIMD_TYPE(SimdF, float, SIMD_BYTES);
SIMD_TYPE(SimdU64, uint64_t, SIMD_BYTES);
/* In memory only: as many lanes as in a wider one. */
SIMD_TYPE(SimdHalfU8, uint8_t, SIMD_BYTES / 2);
SIMD_TYPE(SimdHalfU16, uint16_t, SIMD_BYTES / 2);
SIMD_TYPE(SimdQuarterU8, uint8_t, SIMD_BYTES / 4);
/* One part, and eight lanes of 32 bits, at every level. */
SIMD_TYPE(SimdTable, uint8_t, 16);
SIMD_TYPE(SimdEight, uint32_t, 32);

enum {
    SIMD_LANES = SIMD_BYTES / 4,
    SIMD_ALL = (1 << SIMD_LANES) - 1,
    SIMD_PART = 16,
    SIMD_PARTS = SIMD_BYTES / SIMD_PART,
};

/* For loops over the 32 lanes of a vector register, and a row's 16 columns. */
#define SIMD_EACH(l) for (int l = 0; l < 32; l += SIMD_LANES)
#define SIMD_EACH_COLUMN(j) for (uint32_t j = 0; j < 16; j += SIMD_LANES)

/* All 32 lanes, for functions that keep them in the host's registers. */
typedef struct Simd32 {
    SimdU v[32 / SIMD_LANES];
} Simd32;

/*
 * A mask, one truth value a lane; & | ~ work on it.  Where the host has mask
 * registers it is one, else all ones or zero in each lane.
 */
#ifdef SIMD_AVX512
typedef __mmask16 SimdMask;
typedef __mmask32 SimdMask16;
typedef __mmask64 SimdMask8;
#else
typedef SimdI SimdMask;
typedef SimdI16 SimdMask16;
typedef SimdI8 SimdMask8;
#endif

/*
 * Functions of which the host has one instruction: with AVX2 and AVX-512, or
 * (SSE2) at every width.  The portable form is an expression in a and b.
 */
#if defined(SIMD_AVX)
#define SIMD_FROM_AVX2(x86, portable) (x86)
#define SIMD_FROM_SSE2(x86, portable) (x86)
#elif defined(SIMD_SSE2)
#define SIMD_FROM_AVX2(x86, portable) (portable)
#define SIMD_FROM_SSE2(x86, portable) (x86)
#else
#define SIMD_FROM_AVX2(x86, portable) (portable)
#define SIMD_FROM_SSE2(x86, portable) (portable)
#endif

#define SIMD_BINARY(name, type, level, op, portable) \
    SIMD_INLINE type name(type a, type b) \
    { \
        return SIMD_FROM_##level( \
            (type)SIMD_X86(op)((SimdX86)a, (SimdX86)b), portable); \
    }

/* --- masks and choice --- */

/* The bits of a where `bits` has ones, those of b elsewhere, of any width. */
#define simd_choose(bits, a, b) \
    ((__typeof__(a))simd_choose_bits((SimdU)(bits), (SimdU)(a), (SimdU)(b)))

SIMD_INLINE SimdU simd_choose_bits(SimdU bits, SimdU a, SimdU b)
{
#ifdef SIMD_AVX512
    enum { FIRST_CHOOSES = 0xca };

    return (SimdU)_mm512_ternarylogic_epi32((__m512i)bits, (__m512i)a,
                                            (__m512i)b, FIRST_CHOOSES);
#else
    return (a & bits) | (b & ~bits);
#endif
}

#ifdef SIMD_AVX512
#define SIMD_COMPARE(name, mask, type, op, portable) \
    SIMD_INLINE mask name(type a, type b) \
    { \
        return _mm512_##op##_mask((__m512i)a, (__m512i)b); \
    }
/* As an operation that leaves v alone where the mask is not set. */
#define SIMD_WHERE(name, mask, type, op, portable) \
    SIMD_INLINE type name(mask where, type v, type b) \
    { \
        return (type)_mm512_mask_##op((__m512i)v, where, (__m512i)v, \
                                      (__m512i)b); \
    }
#else
#define SIMD_COMPARE(name, mask, type, op, portable) \
    SIMD_INLINE mask name(type a, type b) \
    { \
        return (mask)(portable); \
    }
#define SIMD_WHERE(name, mask, type, op, portable) \
    SIMD_INLINE type name(mask where, type v, type b) \
    { \
        type m = (type)where; \
        \
        return (portable); \
    }
#endif

SIMD_COMPARE(simd_eq, SimdMask, SimdU, cmpeq_epi32, a == b)
/* Signed. */
SIMD_COMPARE(simd_lt, SimdMask, SimdI, cmplt_epi32, a < b)
/* Lanes of a that have one of b's bits. */
SIMD_COMPARE(simd_test, SimdMask, SimdU, test_epi32, (a & b) != 0)
/* Signed. */
SIMD_COMPARE(simd_lt16, SimdMask16, SimdI16, cmplt_epi16, a < b)
SIMD_COMPARE(simd_eq8, SimdMask8, SimdU8, cmpeq_epi8, a == b)
/* Unsigned. */
SIMD_COMPARE(simd_below8, SimdMask8, SimdU8, cmplt_epu8, a < b)

/* v ^ b, v + b, v - b where the mask is set; v elsewhere. */
SIMD_WHERE(simd_xor_where, SimdMask, SimdU, xor_epi32, v ^ (m & b))
SIMD_WHERE(simd_add_where8, SimdMask8, SimdU8, add_epi8, v + (m & b))
SIMD_WHERE(simd_sub_where8, SimdMask8, SimdU8, sub_epi8, v - (m & b))

/* Lanes of the mask in which a has one of b's bits. */
SIMD_INLINE SimdMask simd_test_where(SimdMask mask, SimdU a, SimdU b)
{
#ifdef SIMD_AVX512
    return _mm512_mask_test_epi32_mask(mask, (__m512i)a, (__m512i)b);
#else
    return mask & simd_test(a, b);
#endif
}

/* Lanes of b that are none of a's. */
SIMD_INLINE SimdMask simd_unless(SimdMask a, SimdMask b)
{
#ifdef SIMD_AVX2
    /* compilers make two comparisons of ~ */
    return (SimdMask)_mm256_andnot_si256((__m256i)a, (__m256i)b);
#else
    return b & ~a;
#endif
}

/* a where mask is set, b elsewhere. */
SIMD_INLINE SimdU simd_select(SimdMask mask, SimdU a, SimdU b)
{
#ifdef SIMD_AVX512
    return (SimdU)_mm512_mask_blend_epi32(mask, (__m512i)b, (__m512i)a);
#elif defined(SIMD_AVX2)
    return (SimdU)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#else
    return simd_choose_bits((SimdU)mask, a, b);
#endif
}

SIMD_INLINE SimdU8 simd_select8(SimdMask8 mask, SimdU8 a, SimdU8 b)
{
#ifdef SIMD_AVX512
    return (SimdU8)_mm512_mask_blend_epi8(mask, (__m512i)b, (__m512i)a);
#else
    return simd_choose(mask, a, b);
#endif
}

/* v where mask is set, else zero. */
SIMD_INLINE SimdU simd_keep(SimdMask mask, SimdU v)
{
#ifdef SIMD_AVX512
    return (SimdU)_mm512_maskz_mov_epi32(mask, (__m512i)v);
#else
    return (SimdU)mask & v;
#endif
}

/* v where `of` is not zero, else zero. */
SIMD_INLINE SimdU simd_keep_nonzero(SimdU of, SimdU v)
{
#ifdef SIMD_AVX512
    return simd_keep(simd_test(of, of), v);
#else
    return v & ~(SimdU)(of == 0);
#endif
}

/* a + b where mask is set, else zero. */
SIMD_INLINE SimdU simd_keep_sum(SimdMask mask, SimdU a, SimdU b)
{
#ifdef SIMD_AVX512
    return (SimdU)_mm512_maskz_add_epi32(mask, (__m512i)a, (__m512i)b);
#else
    return (SimdU)mask & (a + b);
#endif
}

SIMD_INLINE SimdI16 simd_keep16(SimdMask16 mask, SimdI16 v)
{
#ifdef SIMD_AVX512
    return (SimdI16)_mm512_maskz_mov_epi16(mask, (__m512i)v);
#else
    return mask & v;
#endif
}

SIMD_INLINE SimdU8 simd_keep8(SimdMask8 mask, SimdU8 v)
{
#ifdef SIMD_AVX512
    return (SimdU8)_mm512_maskz_mov_epi8(mask, (__m512i)v);
#else
    return (SimdU8)mask & v;
#endif
}

/* Lanes whose sign bit is set. */
SIMD_INLINE SimdMask simd_negative(SimdU v)
{
#ifdef SIMD_AVX512
    return _mm512_movepi32_mask((__m512i)v);
#else
    return (SimdI)v < 0;
#endif
}

SIMD_INLINE SimdMask8 simd_negative8(SimdU8 v)
{
#ifdef SIMD_AVX512
    return _mm512_movepi8_mask((__m512i)v);
#else
    return (SimdI8)v < 0;
#endif
}

/* Bit i: lane i. */
SIMD_INLINE uint32_t simd_bits(SimdMask mask)
{
#if defined(SIMD_AVX512)
    return mask;
#elif defined(SIMD_AVX2)
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif defined(SIMD_SSE2)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#else
    uint32_t bits = 0;

    for (int l = 0; l < SIMD_LANES; l++) {
        bits |= (uint32_t)(mask[l] < 0) << l;
    }
    return bits;
#endif
}

/* Of the lowest SIMD_LANES bits. */
SIMD_INLINE SimdMask simd_mask(uint32_t bits)
{
#if defined(SIMD_AVX512)
    return (SimdMask)bits;
#else
#if defined(SIMD_AVX2)
    const SimdI lane = { 1, 2, 4, 8, 16, 32, 64, 128 };
#else
    const SimdI lane = { 1, 2, 4, 8 };
#endif

    return (((SimdI) { 0 } + (int32_t)bits) & lane) == lane;
#endif
}

/* All ones where mask is set, else zero. */
SIMD_INLINE SimdU simd_expand(SimdMask mask)
{
#ifdef SIMD_AVX512
    return (SimdU)_mm512_movm_epi32(mask);
#else
    return (SimdU)mask;
#endif
}

/* Has any lane a bit set? */
SIMD_INLINE bool simd_any(SimdU v)
{
#if defined(SIMD_AVX512)
    return simd_test(v, v) != 0;
#elif defined(SIMD_AVX2)
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#else
    return simd_bits(simd_eq(v, (SimdU) { 0 })) != SIMD_ALL;
#endif
}

/* Is simd_irregular() as fast as simd_abnormal()? */
#ifdef SIMD_AVX512
enum { SIMD_CLASSIFIES = 1 };
#else
enum { SIMD_CLASSIFIES = 0 };
#endif

/* Lanes that hold no normal float: zero, denormal, infinity, NaN. */
SIMD_INLINE SimdMask simd_abnormal(SimdU v)
{
#ifdef SIMD_AVX512
    enum { ALL_BUT_NORMAL = 0xbf };

    return _mm512_fpclass_ps_mask((__m512)v, ALL_BUT_NORMAL);
#else
    /* the exponents 0 and 255 are those that one more makes 0 or 1, mod 256 */
    return (SimdMask)(((v + 0x00800000u) & 0x7f000000u) == 0);
#endif
}

/* --- the same in every lane --- */

SIMD_INLINE SimdU simd_splat(uint32_t x)
{
    return (SimdU) { 0 } + x;
}

SIMD_INLINE SimdI simd_splat_signed(int32_t x)
{
    return (SimdI) { 0 } + x;
}

SIMD_INLINE SimdF simd_splat_float(float x)
{
    return x - (SimdF) { 0 };      /* of which -0 would not be left by + */
}

SIMD_INLINE SimdI16 simd_splat16(int16_t x)
{
    return (SimdI16) { 0 } + x;
}

SIMD_INLINE SimdU8 simd_splat8(uint8_t x)
{
    return (SimdU8) { 0 } + x;
}

/* Two 16-bit elements, in memory one after the other, in every lane. */
SIMD_INLINE SimdI16 simd_splat_pair(const int16_t *p)
{
    uint32_t x;

    memcpy(&x, p, sizeof(x));
    return (SimdI16)simd_splat(x);
}

/* 16 bytes in every part. */
SIMD_INLINE SimdU8 simd_splat_part(SimdTable part)
{
#if defined(SIMD_AVX512)
    return (SimdU8)_mm512_broadcast_i32x4((__m128i)part);
#elif defined(SIMD_AVX2)
    return (SimdU8)_mm256_broadcastsi128_si256((__m128i)part);
#else
    return part;
#endif
}

/* --- memory --- */

SIMD_INLINE SimdU simd_load(const void *p)
{
    SimdU v;

    memcpy(&v, p, sizeof(v));
    return v;
}

SIMD_INLINE void simd_store(void *p, SimdU v)
{
    memcpy(p, &v, sizeof(v));
}

/* Those of the 32 numbers at d whose bit in `lanes` is set; mostly all. */
SIMD_INLINE void simd_put32(uint32_t *d, const Simd32 *r, uint32_t lanes)
{
    if (__builtin_expect(lanes == UINT32_MAX, true)) {
        SIMD_EACH(l) {
            simd_store(&d[l], r->v[l / SIMD_LANES]);
        }
        return;
    }
    SIMD_EACH(l) {
        simd_store(&d[l], simd_select(simd_mask(lanes >> l),
                                      r->v[l / SIMD_LANES], simd_load(&d[l])));
    }
}

/*
 * Wider lanes from narrower cells; what compilers widen by way of halves has an
 * instruction.  SIMD_LANES of 16 bits, and of 8.
 */
SIMD_INLINE SimdI simd_load_half(const void *p)
{
    SimdHalfU16 v;

    memcpy(&v, p, sizeof(v));
#if defined(SIMD_AVX512)
    return (SimdI)_mm512_cvtepu16_epi32((__m256i)v);
#elif defined(SIMD_AVX2)
    return (SimdI)_mm256_cvtepu16_epi32((__m128i)v);
#else
    return __builtin_convertvector(v, SimdI);
#endif
}

SIMD_INLINE SimdU simd_load_quarter(const void *p)
{
#if defined(SIMD_AVX512)
    return (SimdU)_mm512_cvtepu8_epi32(_mm_loadu_si128(p));
#elif defined(SIMD_AVX2)
    return (SimdU)_mm256_cvtepu8_epi32(_mm_loadl_epi64(p));
#else
    SimdQuarterU8 v;

    memcpy(&v, p, sizeof(v));
    return __builtin_convertvector(v, SimdU);
#endif
}

/* The low halves of SIMD_LANES lanes. */
SIMD_INLINE void simd_store_half(void *p, SimdI x)
{
#if defined(SIMD_AVX512)
    SimdHalfU16 v = (SimdHalfU16)_mm512_cvtepi32_epi16((__m512i)x);
#elif defined(SIMD_AVX2)
    __m256i both = _mm256_shuffle_epi8((__m256i)x, _mm256_setr_epi8(
        0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1,
        0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1));
    SimdHalfU16 v = (SimdHalfU16)_mm256_castsi256_si128(
        _mm256_permute4x64_epi64(both, 8));
#else
    SimdHalfU16 v = __builtin_convertvector(x, SimdHalfU16);
#endif

    memcpy(p, &v, sizeof(v));
}

/* --- lanes of 32 bits --- */

/* Signed. */
SIMD_BINARY(simd_max, SimdI, AVX2, max_epi32, simd_choose(a > b, a, b))
SIMD_BINARY(simd_min, SimdI, AVX2, min_epi32, simd_choose(a < b, a, b))
SIMD_BINARY(simd_min_unsigned, SimdU, AVX2, min_epu32, simd_choose(a < b, a, b))

/*
 * Lanes in which x, y or r is a denormal float, or r is infinite or NaN.  Without
 * the sign and less 1, unsigned, zero is the largest number.
 */
SIMD_INLINE SimdMask simd_irregular(SimdU x, SimdU y, SimdU r)
{
#ifdef SIMD_AVX512
    enum { DENORMAL = 0x20, IRREGULAR = 0xb9 };

    return _mm512_fpclass_ps_mask((__m512)x, DENORMAL) |
           _mm512_fpclass_ps_mask((__m512)y, DENORMAL) |
           _mm512_fpclass_ps_mask((__m512)r, IRREGULAR);
#else
    const SimdU last_denormal = (SimdU) { 0 } + 0x00fffffeu;
    const SimdU infinity = (SimdU) { 0 } + 0xff000000u;
    SimdU least = simd_min_unsigned(simd_min_unsigned((x << 1) - 1, (y << 1) - 1),
                                    (r << 1) - 1);

    return (SimdMask)(simd_min_unsigned(least, last_denormal) == least) |
           (SimdMask)(simd_min_unsigned(r << 1, infinity) == infinity);
#endif
}

/* 1 where v is not zero, else zero. */
SIMD_INLINE SimdU simd_nonzero(SimdU v)
{
#ifdef SIMD_AVX
    return simd_min_unsigned(v, simd_splat(1));
#else
    return simd_keep_nonzero(v, simd_splat(1));
#endif
}

/* a shifted by b, an amount each lane; 32 and more leave nothing. */
SIMD_BINARY(simd_shr, SimdU, AVX2, srlv_epi32, a >> (b & 31) & (SimdU)(b < 32))
SIMD_BINARY(simd_shl, SimdU, AVX2, sllv_epi32, a << (b & 31) & (SimdU)(b < 32))

/* With copies of the sign; 32 and more leave those alone. */
SIMD_BINARY(simd_sar, SimdI, AVX2, srav_epi32,
            a >> ((b & 31) | ((SimdI)((SimdU)b > 31) & 31)))

/* |x|; -2^31 stays. */
SIMD_INLINE SimdI simd_abs(SimdI x)
{
    return (SimdI)SIMD_FROM_AVX2((SimdI)SIMD_X86(abs_epi32)((SimdX86)x),
                                 (SimdU)(x ^ x >> 31) - (SimdU)(x >> 31));
}

/* -v where the sign of `of` is set; v elsewhere. */
SIMD_INLINE SimdU simd_negate_by(SimdU v, SimdU of)
{
#if defined(SIMD_AVX512)
    return (SimdU)_mm512_mask_sub_epi32((__m512i)v,
                                        _mm512_movepi32_mask((__m512i)of),
                                        _mm512_setzero_si512(), (__m512i)v);
#elif defined(SIMD_AVX2)
    return (SimdU)_mm256_sign_epi32((__m256i)v, (__m256i)(of | 1));
#else
    SimdU ones = (SimdU)((SimdI)of >> 31);

    return (v ^ ones) - ones;
#endif
}

/* a where the sign of `of` is set; b elsewhere. */
SIMD_INLINE SimdU simd_select_by(SimdU a, SimdU b, SimdU of)
{
#ifdef SIMD_AVX2
    return (SimdU)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)of);
#else
    return simd_choose_bits((SimdU)((SimdI)of >> 31), a, b);
#endif
}

/* v to the left, and right, by 0..31 bits where mask is set. */
SIMD_INLINE SimdU simd_shl_where(SimdMask mask, SimdU v, uint32_t by)
{
#ifdef SIMD_AVX2
    return simd_shl(v, simd_expand(mask) & by);
#else
    return simd_select(mask, v << by, v);
#endif
}

SIMD_INLINE SimdU simd_shr_where(SimdMask mask, SimdU v, uint32_t by)
{
#ifdef SIMD_AVX2
    return simd_shr(v, simd_expand(mask) & by);
#else
    return simd_select(mask, v >> by, v);
#endif
}

/* a * b + c; a * b must be exact, so that fusing the two changes nothing. */
SIMD_INLINE SimdF simd_multiply_add(SimdF a, SimdF b, SimdF c)
{
#if defined(SIMD_AVX512)
    return (SimdF)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(SIMD_AVX2) && defined(__FMA__)
    return (SimdF)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

/* The 64-bit products of the even lanes, and of the odd ones. */
SIMD_INLINE SimdU64 simd_mul_even(SimdU a, SimdU b)
{
    return SIMD_FROM_SSE2(
        (SimdU64)SIMD_X86(mul_epu32)((SimdX86)a, (SimdX86)b),
        ((SimdU64)a & UINT32_MAX) * ((SimdU64)b & UINT32_MAX));
}

SIMD_INLINE SimdU64 simd_mul_odd(SimdU a, SimdU b)
{
    return simd_mul_even((SimdU)((SimdU64)a >> 32), (SimdU)((SimdU64)b >> 32));
}

/* Even lanes of 64-bit products' halves from `even`, odd lanes from `odd`. */
SIMD_INLINE SimdU simd_upper_halves(SimdU64 even, SimdU64 odd)
{
#ifdef SIMD_AVX512
    return (SimdU)_mm512_mask_shuffle_epi32((__m512i)odd, 0x5555, (__m512i)even,
                                            _MM_PERM_DDBB);
#elif defined(SIMD_AVX2)
    return (SimdU)_mm256_blend_epi32((__m256i)(even >> 32), (__m256i)odd, 0xaa);
#else
    return (SimdU)(even >> 32 | (odd & ~(uint64_t)UINT32_MAX));
#endif
}

SIMD_INLINE SimdU simd_lower_halves(SimdU64 even, SimdU64 odd)
{
#ifdef SIMD_AVX512
    return (SimdU)_mm512_mask_shuffle_epi32((__m512i)even, 0xaaaa, (__m512i)odd,
                                            _MM_PERM_CCAA);
#elif defined(SIMD_AVX2)
    return (SimdU)_mm256_blend_epi32((__m256i)even, (__m256i)(odd << 32), 0xaa);
#else
    return (SimdU)((even & UINT32_MAX) | odd << 32);
#endif
}

#ifdef SIMD_SSE2
/*
 * 2^n, n 0..31, in every lane: SSE2 shifts by one amount for all lanes, but it
 * converts and multiplies.  2^31 is what the conversion gives for "too large".
 */
SIMD_INLINE SimdU power_of_2_by_sse2(SimdU n)
{
    return (SimdU)_mm_cvttps_epi32((__m128)((n << 23) + 0x3f800000u));
}
#endif

/* v to the left by by & 31 bits; to the right by -by & 31 where by is negative. */
SIMD_INLINE SimdU simd_shift(SimdU v, SimdU by)
{
    const SimdI zero = { 0 };
    SimdU left = by & 31;
#ifdef SIMD_SSE2
    SimdU power = power_of_2_by_sse2(left);
    SimdU64 even = simd_mul_even(v, power), odd = simd_mul_odd(v, power);
    SimdMask right = simd_lt((SimdI)by, zero) & ~simd_eq(left, (SimdU)zero);
    /* halves of the lanes 0, 2, 1 and 3 */
    SimdU low = (SimdU)_mm_shuffle_ps((__m128)even, (__m128)odd,
                                       _MM_SHUFFLE(2, 0, 2, 0));
    SimdU high = (SimdU)_mm_shuffle_ps((__m128)even, (__m128)odd,
                                        _MM_SHUFFLE(3, 1, 3, 1));

    right = (SimdMask)_mm_shuffle_epi32((__m128i)right, _MM_SHUFFLE(3, 1, 2, 0));
    low = simd_select(right, high, low);
    return (SimdU)_mm_shuffle_epi32((__m128i)low, _MM_SHUFFLE(3, 1, 2, 0));
#else
    return simd_select(simd_lt((SimdI)by, zero), simd_shr(v, -by & 31),
                       simd_shl(v, left));
#endif
}

/*
 * v to the right by `by` bits; the lowest bit is set if ones are lost, unless all
 * are.
 */
SIMD_INLINE SimdU simd_shr_sticky(SimdU v, SimdU by)
{
#ifdef SIMD_SSE2
    /* 31 bits of each product's 63 are below the point */
    SimdU power = power_of_2_by_sse2(31 - by) & (SimdU)((by & ~31u) == 0);
    SimdU64 even = simd_mul_even(v, power), odd = simd_mul_odd(v, power);
    SimdU kept = (SimdU)((even >> 31 & UINT32_MAX) | odd >> 31 << 32);
    SimdU lost = simd_lower_halves(even, odd) << 1;
    const SimdU zero = { 0 };

    return kept | ((SimdU)~(simd_eq(lost, zero) | simd_eq(kept, zero)) & 1);
#else
    SimdU kept = simd_shr(v, by), lost = simd_shl(kept, by) ^ v;

    return kept | simd_min_unsigned(simd_min_unsigned(lost, kept), simd_splat(1));
#endif
}

#include "num/simd_narrow.h"

#endif
