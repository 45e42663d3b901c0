/*
 * The second part of simd.h, which includes it: lanes of 16 and of 8 bits.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_SIMD_NARROW_H
#define TENSIX_SIMD_NARROW_H

#ifndef TENSIX_SIMD_H
#error include simd.h
#endif

/* --- lanes of 16 bits; lane j of 32 holds elements 2j and 2j + 1 --- */

SIMD_INLINE SimdI16 simd_load16(const void *p)
{
    return (SimdI16)simd_load(p);
}

SIMD_INLINE void simd_store16(void *p, SimdI16 v)
{
    simd_store(p, (SimdU)v);
}

SIMD_BINARY(simd_max16, SimdI16, SSE2, max_epi16, simd_choose(a > b, a, b))
SIMD_BINARY(simd_min16, SimdI16, SSE2, min_epi16, simd_choose(a < b, a, b))
SIMD_BINARY(simd_min_unsigned16, SimdU16, AVX2, min_epu16,
            simd_choose(a < b, a, b))

/* Without the sign; -2^15 stays. */
SIMD_INLINE SimdI16 simd_abs16(SimdI16 v)
{
    return (SimdI16)SIMD_FROM_AVX2((SimdU16)SIMD_X86(abs_epi16)((SimdX86)v),
                                   (SimdU16)(v ^ v >> 15) - (SimdU16)(v >> 15));
}

/* Lane j: the low 16 bits of a's and of b's; back, 16 bits in lanes. */
SIMD_INLINE SimdI16 simd_zip(SimdU a, SimdU b)
{
    return (SimdI16)((a & 0xffff) | b << 16);
}

SIMD_INLINE SimdI simd_unzip_a(SimdI16 v)
{
    return (SimdI)((SimdU)v & 0xffff);
}

SIMD_INLINE SimdI simd_unzip_b(SimdI16 v)
{
    return (SimdI)((SimdU)v >> 16);
}

/* Element 2j of a, element 2j + 1 of b. */
SIMD_INLINE SimdI16 simd_blend(SimdI16 a, SimdI16 b)
{
#if defined(SIMD_AVX512)
    return (SimdI16)_mm512_mask_blend_epi16(0xaaaaaaaa, (__m512i)a, (__m512i)b);
#elif defined(SIMD_AVX2)
    return (SimdI16)_mm256_blend_epi16((__m256i)a, (__m256i)b, 0xaa);
#else
    return simd_choose(simd_splat(0xffff), a, b);
#endif
}

/* Elements 2j and 2j + 1 exchanged; the first or the second for both. */
SIMD_INLINE SimdI16 simd_swap(SimdI16 v)
{
    return (SimdI16)((SimdU)v >> 16 | (SimdU)v << 16);
}

SIMD_INLINE SimdI16 simd_both_a(SimdI16 v)
{
    return simd_blend(v, (SimdI16)((SimdU)v << 16));
}

SIMD_INLINE SimdI16 simd_both_b(SimdI16 v)
{
    return simd_blend((SimdI16)((SimdU)v >> 16), v);
}

/* The elements 2j, and 2j + 1, with their signs. */
SIMD_INLINE SimdI simd_first_of_pairs(SimdI16 v)
{
    return (SimdI)v << 16 >> 16;
}

SIMD_INLINE SimdI simd_second_of_pairs(SimdI16 v)
{
    return (SimdI)v >> 16;
}

/* SIMD_BYTES / 2 bytes, each extended to 16 bits. */
SIMD_INLINE SimdU16 simd_load_half16(const void *p)
{
    SimdHalfU8 v;

    memcpy(&v, p, sizeof(v));
#if defined(SIMD_AVX512)
    return (SimdU16)_mm512_cvtepu8_epi16((__m256i)v);
#elif defined(SIMD_AVX2)
    return (SimdU16)_mm256_cvtepu8_epi16((__m128i)v);
#else
    return __builtin_convertvector(v, SimdU16);
#endif
}

/* SIMD_LANES halfwords, each twice in its lane. */
SIMD_INLINE SimdU16 simd_load_twice(const void *p)
{
#if defined(SIMD_AVX512)
    static const uint16_t from[32] __attribute__((aligned(64))) = {
        0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7,
        8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15,
    };

    return (SimdU16)_mm512_permutexvar_epi16(
        _mm512_load_si512(from), _mm512_castsi256_si512(_mm256_loadu_si256(p)));
#elif defined(SIMD_AVX2)
    const __m256i from = _mm256_setr_epi8(
        0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7,
        8, 9, 8, 9, 10, 11, 10, 11, 12, 13, 12, 13, 14, 15, 14, 15);

    return (SimdU16)_mm256_shuffle_epi8(
        _mm256_broadcastsi128_si256(_mm_loadu_si128(p)), from);
#else
    return (SimdU16)((SimdU)simd_load_half(p) * 0x10001);
#endif
}

/* From two rows of 16-bit cells, element 2j and 2j + 1 in turn; and back. */
SIMD_INLINE SimdI16 simd_load_two(const uint16_t *a, const uint16_t *b)
{
#if defined(SIMD_AVX512)
    const __m512i alternate = _mm512_set_epi16(
        31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8,
        23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    __m512i both = _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm256_loadu_si256((const void *)a)),
        _mm256_loadu_si256((const void *)b), 1);

    return (SimdI16)_mm512_permutexvar_epi16(alternate, both);
#elif defined(SIMD_AVX2)
    __m128i x = _mm_loadu_si128((const void *)a);
    __m128i y = _mm_loadu_si128((const void *)b);

    return (SimdI16)_mm256_set_m128i(_mm_unpackhi_epi16(x, y),
                                     _mm_unpacklo_epi16(x, y));
#else
    return simd_zip((SimdU)simd_load_half(a), (SimdU)simd_load_half(b));
#endif
}

SIMD_INLINE void simd_store_two(uint16_t *a, uint16_t *b, SimdI16 v)
{
#if defined(SIMD_AVX512)
    const __m512i apart = _mm512_set_epi16(
        31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1,
        30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    __m512i both = _mm512_permutexvar_epi16(apart, (__m512i)v);

    _mm256_storeu_si256((void *)a, _mm512_castsi512_si256(both));
    _mm256_storeu_si256((void *)b, _mm512_extracti64x4_epi64(both, 1));
#elif defined(SIMD_AVX2)
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

/* The lanes of a, then those of b, as 16 bits; they are 0 to 0xffff. */
SIMD_INLINE SimdU16 simd_narrow16(SimdI a, SimdI b)
{
#if defined(SIMD_AVX512)
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);

    return (SimdU16)_mm512_permutexvar_epi64(
        order, _mm512_packus_epi32((__m512i)a, (__m512i)b));
#elif defined(SIMD_AVX2)
    return (SimdU16)_mm256_permute4x64_epi64(
        _mm256_packus_epi32((__m256i)a, (__m256i)b), 0xd8);
#elif defined(SIMD_SSE2)
    /* there it saturates to signed numbers only */
    return (SimdU16)_mm_packs_epi32((__m128i)(a << 16 >> 16),
                                    (__m128i)(b << 16 >> 16));
#else
    SimdU16 v;

    simd_store_half(&v, a);
    simd_store_half((uint16_t *)&v + SIMD_LANES, b);
    return v;
#endif
}

/* Elements of a and b in turn, 2 * SIMD_LANES of each, to two vectors. */
SIMD_INLINE void simd_interleave16(SimdU16 a, SimdU16 b, SimdU16 *first,
                                   SimdU16 *second)
{
#if defined(SIMD_AVX512)
    /* two shuffles of one step each instead of one of three */
    const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    __m512i x = _mm512_permutexvar_epi64(order, (__m512i)a);
    __m512i y = _mm512_permutexvar_epi64(order, (__m512i)b);

    *first = (SimdU16)_mm512_unpacklo_epi16(x, y);
    *second = (SimdU16)_mm512_unpackhi_epi16(x, y);
#elif defined(SIMD_AVX2)
    __m256i x = _mm256_permute4x64_epi64((__m256i)a, 0xd8);
    __m256i y = _mm256_permute4x64_epi64((__m256i)b, 0xd8);

    *first = (SimdU16)_mm256_unpacklo_epi16(x, y);
    *second = (SimdU16)_mm256_unpackhi_epi16(x, y);
#elif defined(SIMD_SSE2)
    *first = (SimdU16)_mm_unpacklo_epi16((__m128i)a, (__m128i)b);
    *second = (SimdU16)_mm_unpackhi_epi16((__m128i)a, (__m128i)b);
#else
    for (int l = 0; l < SIMD_LANES; l++) {
        (*first)[2 * l] = a[l];
        (*first)[2 * l + 1] = b[l];
        (*second)[2 * l] = a[SIMD_LANES + l];
        (*second)[2 * l + 1] = b[SIMD_LANES + l];
    }
#endif
}

/* 2 * SIMD_LANES halfwords, each twice in its lane, to two vectors. */
SIMD_INLINE void simd_load_twice_two(const void *p, SimdU16 *first,
                                     SimdU16 *second)
{
#ifdef SIMD_AVX2
    *first = simd_load_twice(p);
    *second = simd_load_twice((const uint16_t *)p + SIMD_LANES);
#else
    SimdU16 v = (SimdU16)simd_load(p);

    simd_interleave16(v, v, first, second);
#endif
}

/* a shifted by b, an amount each element; 16 and more leave nothing. */
SIMD_INLINE SimdI16 simd_shl16(SimdI16 a, SimdI16 b)
{
#ifdef SIMD_AVX512
    return (SimdI16)_mm512_sllv_epi16((__m512i)a, (__m512i)b);
#else
    return (a << (b & 15)) & ((SimdU16)b < 16);
#endif
}

/* With copies of the sign; 16 and more leave those alone. */
SIMD_INLINE SimdI16 simd_sar16(SimdI16 a, SimdI16 b)
{
#ifdef SIMD_AVX512
    return (SimdI16)_mm512_srav_epi16((__m512i)a, (__m512i)b);
#else
    return a >> ((b & 15) | ((SimdI16)((SimdU16)b > 15) & 15));
#endif
}

/* 4096 >> d in each element; d is 0 to 2047; 0 from 13 on. */
SIMD_INLINE SimdI16 simd_weight(SimdI16 d)
{
#if defined(SIMD_AVX512)
    return (SimdI16)_mm512_srlv_epi16(_mm512_set1_epi16(4096), (__m512i)d);
#elif defined(SIMD_AVX2)
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
    return (SimdI16)_mm256_shuffle_epi8(
        table, _mm256_add_epi16(n, _mm256_set1_epi16(0x7800)));
#else
    /* as floats: compilers would shift 16 bits one after the other */
    enum { EXPONENT_OF_4096 = 127 + 12 };
    SimdI16 n = simd_choose(d < 15, d, simd_splat16(15));
    SimdI a = (EXPONENT_OF_4096 - simd_unzip_a(n)) << 23;
    SimdI b = (EXPONENT_OF_4096 - simd_unzip_b(n)) << 23;

    return simd_zip((SimdU)__builtin_convertvector((SimdF)a, SimdI),
                    (SimdU)__builtin_convertvector((SimdF)b, SimdI));
#endif
}

/* a[2j] * b[2j] + a[2j + 1] * b[2j + 1] in lane j; all four -2^15 give -2^31. */
SIMD_INLINE SimdI simd_dot_pairs(SimdI16 a, SimdI16 b)
{
    return SIMD_FROM_SSE2(
        (SimdI)SIMD_X86(madd_epi16)((SimdX86)a, (SimdX86)b),
        (SimdI)((SimdU)(simd_first_of_pairs(a) * simd_first_of_pairs(b)) +
                (SimdU)(simd_second_of_pairs(a) * simd_second_of_pairs(b))));
}

/* (a * b + 2^14) >> 15, element by element. */
SIMD_BINARY(simd_mul_round, SimdI16, AVX2, mulhrs_epi16,
            simd_zip((SimdU)((simd_first_of_pairs(a) * simd_first_of_pairs(b) +
                              0x4000) >> 15),
                     (SimdU)((simd_second_of_pairs(a) *
                              simd_second_of_pairs(b) + 0x4000) >> 15)))

/* The upper half of a * b, element by element. */
SIMD_BINARY(simd_mul_high16, SimdU16, SSE2, mulhi_epu16,
            (SimdU16)((((SimdU)a & 0xffff) * ((SimdU)b & 0xffff)) >> 16 |
                      (((SimdU)a >> 16) * ((SimdU)b >> 16) & 0xffff0000u)))

/* --- bytes --- */

SIMD_INLINE SimdU8 simd_load8(const void *p)
{
    return (SimdU8)simd_load(p);
}

SIMD_INLINE void simd_store8(void *p, SimdU8 v)
{
    simd_store(p, (SimdU)v);
}

SIMD_BINARY(simd_min8, SimdU8, SSE2, min_epu8, simd_choose(a < b, a, b))

/* In each part, byte b % 16 of a; 0 where b's top bit is set. */
SIMD_INLINE SimdU8 simd_shuffle8(SimdU8 a, SimdU8 b)
{
#ifdef SIMD_AVX
    return (SimdU8)SIMD_X86(shuffle_epi8)((SimdX86)a, (SimdX86)b);
#else
    SimdU8 v;

    for (int n = 0; n < SIMD_BYTES; n++) {
        v[n] = b[n] & 0x80 ? 0 : a[n - n % SIMD_PART + b[n] % SIMD_PART];
    }
    return v;
#endif
}

/* The table's byte for each byte 0 to 15; 0 for one with the top bit set. */
SIMD_INLINE SimdU8 simd_look_up(SimdTable table, SimdU8 index)
{
    return simd_shuffle8(simd_splat_part(table), index);
}

/* In each part, bytes of a and b in turn: their first eight, their last. */
SIMD_INLINE SimdU8 simd_zip_first8(SimdU8 a, SimdU8 b)
{
#if defined(SIMD_AVX) || defined(SIMD_SSE2)
    return (SimdU8)SIMD_X86(unpacklo_epi8)((SimdX86)a, (SimdX86)b);
#else
    SimdU8 v;

    for (int n = 0; n < SIMD_PART; n++) {
        v[n] = n % 2 ? b[n / 2] : a[n / 2];
    }
    return v;
#endif
}

SIMD_INLINE SimdU8 simd_zip_last8(SimdU8 a, SimdU8 b)
{
#if defined(SIMD_AVX) || defined(SIMD_SSE2)
    return (SimdU8)SIMD_X86(unpackhi_epi8)((SimdX86)a, (SimdX86)b);
#else
    SimdU8 v;

    for (int n = 0; n < SIMD_PART; n++) {
        v[n] = n % 2 ? b[SIMD_PART / 2 + n / 2] : a[SIMD_PART / 2 + n / 2];
    }
    return v;
#endif
}

/*
 * For widening, which works on the parts: word t of 32 bits of part p becomes
 * the vector's word SIMD_PARTS * t + p.
 */
SIMD_INLINE SimdU8 simd_arrange8(SimdU8 v)
{
#if defined(SIMD_AVX512)
    const __m512i from = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13,
                                           2, 6, 10, 14, 3, 7, 11, 15);

    return (SimdU8)_mm512_permutexvar_epi32(from, (__m512i)v);
#elif defined(SIMD_AVX2)
    const __m256i from = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);

    return (SimdU8)_mm256_permutevar8x32_epi32((__m256i)v, from);
#else
    return v;
#endif
}

/* The elements of a, then those of b, as bytes; they are 0 to 255. */
SIMD_INLINE SimdU8 simd_narrow8(SimdU16 a, SimdU16 b)
{
#if defined(SIMD_AVX512)
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);

    return (SimdU8)_mm512_permutexvar_epi64(
        order, _mm512_packus_epi16((__m512i)a, (__m512i)b));
#elif defined(SIMD_AVX2)
    return (SimdU8)_mm256_permute4x64_epi64(
        _mm256_packus_epi16((__m256i)a, (__m256i)b), 0xd8);
#elif defined(SIMD_SSE2)
    return (SimdU8)_mm_packus_epi16((__m128i)a, (__m128i)b);
#else
    SimdHalfU8 both[2] = { __builtin_convertvector(a, SimdHalfU8),
                           __builtin_convertvector(b, SimdHalfU8) };
    SimdU8 v;

    memcpy(&v, both, sizeof(v));
    return v;
#endif
}

/* In each part the least byte, everywhere in the part. */
SIMD_INLINE SimdU8 simd_least8(SimdU8 v)
{
#ifdef SIMD_AVX2
    __m256i pairs = _mm256_min_epu8((__m256i)v, _mm256_srli_epi16((__m256i)v, 8));
    __m128i a = _mm_minpos_epu16(_mm256_castsi256_si128(pairs));
    __m128i b = _mm_minpos_epu16(_mm256_extracti128_si256(pairs, 1));

    return (SimdU8)_mm256_shuffle_epi8(_mm256_set_m128i(b, a),
                                       _mm256_setzero_si256());
#else
    const SimdTable turn[] = {
        { 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7 },
        { 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3 },
        { 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1 },
        { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0 },
    };

    for (int n = 0; n < 4; n++) {
        v = simd_min8(v, simd_shuffle8(v, simd_splat_part(turn[n])));
    }
    return v;
#endif
}

/* The first byte of each part, SIMD_PARTS bytes. */
SIMD_INLINE void simd_store_firsts8(uint8_t *p, SimdU8 v)
{
#ifdef SIMD_AVX512
    /* the parts' first words next to each other, then their lowest bytes */
    const __m512i words = _mm512_castsi128_si512(_mm_setr_epi32(0, 4, 8, 12));
    __m128i firsts = _mm512_castsi512_si128(
        _mm512_permutexvar_epi32(words, (__m512i)v));

    _mm_storeu_si32(p, _mm_shuffle_epi8(firsts, _mm_set1_epi32(0x0c080400)));
#else
    for (unsigned k = 0; k < SIMD_PARTS; k++) {
        p[k] = v[k * SIMD_PART];
    }
#endif
}

#endif
