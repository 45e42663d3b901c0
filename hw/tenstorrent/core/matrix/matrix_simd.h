/*
 * Vectors as wide as this build's level has, and the few operations that C
 * does not spell.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A row of 16 columns is SIMD_CHUNKS vectors of SIMD_LANES 32-bit lanes.  In a
 * vector of 16-bit elements, lane j holds a pair: element 2j and 2j + 1.
 */

#ifndef TENSIX_MATRIX_SIMD_H
#define TENSIX_MATRIX_SIMD_H

#include <string.h>

#include "matrix/matrix.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#define SIMD_BYTES 64
#elif defined(__AVX2__)
#include <immintrin.h>
#define SIMD_BYTES 32
#else
#define SIMD_BYTES 16
#endif

#if defined(__AVX512BW__)
/* Element i of the first half and of the second in turn, and back. */
#define SIMD_ALTERNATE _mm512_set_epi16( \
    31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, \
    23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0)
#define SIMD_PART _mm512_set_epi16( \
    31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1, \
    30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0)
#endif

/* Modes are constants where a kernel is used: each use is a loop of its own. */
#define SIMD_INLINE static inline __attribute__((always_inline))

enum {
    SIMD_LANES = SIMD_BYTES / 4,
    SIMD_CHUNKS = TENSIX_COLUMNS / SIMD_LANES,
};

typedef int32_t VecI32 __attribute__((vector_size(SIMD_BYTES)));
typedef uint32_t VecU32 __attribute__((vector_size(SIMD_BYTES)));
typedef int16_t VecI16 __attribute__((vector_size(SIMD_BYTES)));
typedef uint16_t VecU16 __attribute__((vector_size(SIMD_BYTES)));
typedef float VecF32 __attribute__((vector_size(SIMD_BYTES)));
typedef uint16_t VecHalf __attribute__((vector_size(SIMD_BYTES / 2)));

SIMD_INLINE VecU32 simd_load(const void *p)
{
    VecU32 v;

    memcpy(&v, p, sizeof(v));
    return v;
}

SIMD_INLINE void simd_store(void *p, VecU32 v)
{
    memcpy(p, &v, sizeof(v));
}

/* SIMD_LANES 16-bit cells as 32-bit lanes, and back (low halves). */
SIMD_INLINE VecI32 simd_load_half(const uint16_t *p)
{
    VecHalf v;

    memcpy(&v, p, sizeof(v));
#if defined(__AVX512BW__)
    return (VecI32)_mm512_cvtepu16_epi32((__m256i)v);
#else
    return __builtin_convertvector(v, VecI32);
#endif
}

SIMD_INLINE void simd_store_half(uint16_t *p, VecI32 x)
{
#if defined(__AVX512BW__)
    VecHalf v = (VecHalf)_mm512_cvtepi32_epi16((__m512i)x);
#elif defined(__AVX2__)
    __m256i both = _mm256_shuffle_epi8((__m256i)x, _mm256_setr_epi8(
        0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1,
        0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1));
    VecHalf v = (VecHalf)_mm256_castsi256_si128(
        _mm256_permute4x64_epi64(both, 8));
#else
    VecHalf v = __builtin_convertvector(x, VecHalf);
#endif

    memcpy(p, &v, sizeof(v));
}

/* Lane j: element 2j from a, element 2j + 1 from b; 16 bits of each count. */
SIMD_INLINE VecI16 simd_zip(VecU32 a, VecU32 b)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (VecI16)((b & 0xffff) | a << 16);
#else
    return (VecI16)((a & 0xffff) | b << 16);
#endif
}

/* The elements that simd_zip() took from a and from b, 16 bits in lanes. */
SIMD_INLINE VecI32 simd_unzip_a(VecI16 v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (VecI32)((VecU32)v >> 16);
#else
    return (VecI32)((VecU32)v & 0xffff);
#endif
}

SIMD_INLINE VecI32 simd_unzip_b(VecI16 v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (VecI32)((VecU32)v & 0xffff);
#else
    return (VecI32)((VecU32)v >> 16);
#endif
}

/* Element 2j of a, element 2j + 1 of b. */
SIMD_INLINE VecI16 simd_blend(VecI16 a, VecI16 b)
{
#if defined(__AVX512BW__)
    return (VecI16)_mm512_mask_blend_epi16(0xaaaaaaaa, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (VecI16)_mm256_blend_epi16((__m256i)a, (__m256i)b, 0xaa);
#else
    return (VecI16)(((VecU32)a & 0xffff) | ((VecU32)b & 0xffff0000));
#endif
}

/* Elements 2j and 2j + 1 exchanged; the first or the second for both. */
SIMD_INLINE VecI16 simd_swap(VecI16 v)
{
    return (VecI16)((VecU32)v >> 16 | (VecU32)v << 16);
}

SIMD_INLINE VecI16 simd_both_a(VecI16 v)
{
    return simd_blend(v, (VecI16)((VecU32)v << 16));
}

SIMD_INLINE VecI16 simd_both_b(VecI16 v)
{
    return simd_blend((VecI16)((VecU32)v >> 16), v);
}

/* From two rows of 16-bit cells, element 2j and 2j + 1 in turn; and back. */
SIMD_INLINE VecI16 simd_load_two(const uint16_t *a, const uint16_t *b)
{
#if defined(__AVX512BW__)
    __m512i both = _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm256_loadu_si256((const void *)a)),
        _mm256_loadu_si256((const void *)b), 1);

    return (VecI16)_mm512_permutexvar_epi16(SIMD_ALTERNATE, both);
#elif defined(__AVX2__)
    __m128i x = _mm_loadu_si128((const void *)a);
    __m128i y = _mm_loadu_si128((const void *)b);

    return (VecI16)_mm256_set_m128i(_mm_unpackhi_epi16(x, y),
                                    _mm_unpacklo_epi16(x, y));
#else
    return simd_zip((VecU32)simd_load_half(a), (VecU32)simd_load_half(b));
#endif
}

SIMD_INLINE void simd_store_two(uint16_t *a, uint16_t *b, VecI16 v)
{
#if defined(__AVX512BW__)
    __m512i both = _mm512_permutexvar_epi16(SIMD_PART, (__m512i)v);

    _mm256_storeu_si256((void *)a, _mm512_castsi512_si256(both));
    _mm256_storeu_si256((void *)b, _mm512_extracti64x4_epi64(both, 1));
#elif defined(__AVX2__)
    __m256i both = _mm256_shuffle_epi8((__m256i)v, _mm256_setr_epi8(
        0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
        0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));

    both = _mm256_permute4x64_epi64(both, 0xd8);
    _mm_storeu_si128((void *)a, _mm256_castsi256_si128(both));
    _mm_storeu_si128((void *)b, _mm256_extracti128_si256(both, 1));
#else
    simd_store_half(a, simd_unzip_a(v));
    simd_store_half(b, simd_unzip_b(v));
#endif
}

/* 2 * SIMD_LANES values of 0 to 0xffff as 16-bit cells. */
SIMD_INLINE void simd_store_cells(uint16_t *p, VecI32 a, VecI32 b)
{
#if defined(__AVX512BW__)
    __m512i v = _mm512_packus_epi32((__m512i)a, (__m512i)b);

    v = _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), v);
    simd_store(p, (VecU32)v);
#elif defined(__AVX2__)
    __m256i v = _mm256_packus_epi32((__m256i)a, (__m256i)b);

    simd_store(p, (VecU32)_mm256_permute4x64_epi64(v, 0xd8));
#else
    simd_store_half(p, a);
    simd_store_half(p + SIMD_LANES, b);
#endif
}

SIMD_INLINE VecI32 simd_set(int32_t x)
{
    return (VecI32) {} + x;
}

/* The bits of a where the mask has ones, those of b elsewhere. */
SIMD_INLINE VecI32 simd_select(VecI32 mask, VecI32 a, VecI32 b)
{
#if defined(__AVX512BW__)
    return (VecI32)_mm512_ternarylogic_epi32((__m512i)mask, (__m512i)a,
                                             (__m512i)b, 0xca);
#else
    return (a & mask) | (b & ~mask);
#endif
}

SIMD_INLINE VecI32 simd_max(VecI32 a, VecI32 b)
{
#if defined(__AVX512BW__)
    return (VecI32)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (VecI32)_mm256_max_epi32((__m256i)a, (__m256i)b);
#else
    return simd_select(a > b, a, b);
#endif
}

SIMD_INLINE VecI32 simd_min(VecI32 a, VecI32 b)
{
#if defined(__AVX512BW__)
    return (VecI32)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (VecI32)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
    return simd_select(a < b, a, b);
#endif
}

/* x >> d in each lane, with copies of the sign; d is 0 or more. */
SIMD_INLINE VecI32 simd_shift_right(VecI32 x, VecI32 d)
{
#if defined(__AVX512BW__)
    return (VecI32)_mm512_srav_epi32((__m512i)x, (__m512i)d);
#elif defined(__AVX2__)
    return (VecI32)_mm256_srav_epi32((__m256i)x, (__m256i)d);
#else
    return x >> simd_min(d, simd_set(31));
#endif
}

/* |x| of -2^31 < x. */
SIMD_INLINE VecI32 simd_abs(VecI32 x)
{
#if defined(__AVX512BW__)
    return (VecI32)_mm512_abs_epi32((__m512i)x);
#elif defined(__AVX2__)
    return (VecI32)_mm256_abs_epi32((__m256i)x);
#else
    return (x ^ x >> 31) - (x >> 31);
#endif
}

SIMD_INLINE VecI16 simd_max16(VecI16 a, VecI16 b)
{
#if defined(__AVX512BW__)
    return (VecI16)_mm512_max_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (VecI16)_mm256_max_epi16((__m256i)a, (__m256i)b);
#else
    VecI16 mask = a > b;

    return (a & mask) | (b & ~mask);
#endif
}

/* a[2j] * b[2j] + a[2j + 1] * b[2j + 1] in lane j. */
SIMD_INLINE VecI32 simd_dot_pairs(VecI16 a, VecI16 b)
{
#if defined(__AVX512BW__)
    return (VecI32)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (VecI32)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#else
    VecI32 x = (VecI32)a, y = (VecI32)b;

    return (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16);
#endif
}

/* (a * b + 2^14) >> 15, element by element. */
SIMD_INLINE VecI16 simd_mul_round(VecI16 a, VecI16 b)
{
#if defined(__AVX512BW__)
    return (VecI16)_mm512_mulhrs_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (VecI16)_mm256_mulhrs_epi16((__m256i)a, (__m256i)b);
#else
    VecI32 x = (VecI32)a, y = (VecI32)b;
    VecI32 low = ((x << 16 >> 16) * (y << 16 >> 16) + 0x4000) >> 15;
    VecI32 high = ((x >> 16) * (y >> 16) + 0x4000) >> 15;

    return (VecI16)((low & 0xffff) | high << 16);
#endif
}

/* 4096 >> d in each element; d is 0 to 2047, and 0 comes out from 13 on. */
SIMD_INLINE VecI16 simd_weight(VecI16 d)
{
#if defined(__AVX512BW__)
    return (VecI16)_mm512_srlv_epi16(_mm512_set1_epi16(4096), (__m512i)d);
#elif defined(__AVX2__)
    /*
     * By bytes: the low one is table[d], the high one table[d + 8] for d up to
     * 7, where the table ends, and 0 from 8 on, where bit 7 of the index
     * becomes set.
     */
    const __m256i table = _mm256_setr_epi8(
        0, 0, 0, 0, 0, -128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0,
        0, 0, 0, 0, 0, -128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0);
    __m256i n = _mm256_min_epi16((__m256i)d, _mm256_set1_epi16(15));

    n = _mm256_mullo_epi16(n, _mm256_set1_epi16(0x0101));
    return (VecI16)_mm256_shuffle_epi8(
        table, _mm256_add_epi16(n, _mm256_set1_epi16(0x7800)));
#else
    VecI16 limit = d - 15;
    VecI16 n = (d & (limit >> 15)) | (15 & ~(limit >> 15));

    return 4096 >> n;
#endif
}

/* Two 16-bit elements, in memory one after the other, in every lane. */
SIMD_INLINE VecI16 simd_pair(const int16_t *p)
{
    int32_t x;

    memcpy(&x, p, sizeof(x));
    return (VecI16)simd_set(x);
}

SIMD_INLINE VecU16 simd_min_u16(VecU16 a, VecU16 b)
{
#if defined(__AVX512BW__)
    return (VecU16)_mm512_min_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (VecU16)_mm256_min_epu16((__m256i)a, (__m256i)b);
#else
    VecU16 mask = (VecU16)(a < b);

    return (a & mask) | (b & ~mask);
#endif
}

#endif
