/*
 * Vectors of 32-bit lanes, as wide as the build of the units allows (isa.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * GCC's and Clang's vector types; intrinsics only for what those cannot say,
 * with a portable form beside each.  Even and odd lanes of a 64-bit product
 * are those of a little-endian host, as the rest of the core has it.
 */

#ifndef TENSIX_SIMD_H
#define TENSIX_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define SIMD_AVX512
#define SIMD_BYTES 64
#elif defined(__AVX2__)
#include <immintrin.h>
#define SIMD_AVX2
#define SIMD_BYTES 32
#elif defined(__SSE2__)
#include <emmintrin.h>
#define SIMD_SSE2
#define SIMD_BYTES 16
#else
#define SIMD_BYTES 16
#endif

typedef uint32_t SimdU __attribute__((vector_size(SIMD_BYTES)));
typedef uint64_t SimdU64 __attribute__((vector_size(SIMD_BYTES)));
typedef int32_t SimdI __attribute__((vector_size(SIMD_BYTES)));
typedef float SimdF __attribute__((vector_size(SIMD_BYTES)));

enum { SIMD_LANES = SIMD_BYTES / 4, SIMD_ALL = (1 << SIMD_LANES) - 1 };

/* For loops over the 32 lanes of a vector register. */
#define SIMD_EACH(l) for (int l = 0; l < 32; l += SIMD_LANES)

static inline SimdU simd_load(const uint32_t *p)
{
    SimdU v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static inline void simd_store(uint32_t *p, SimdU v)
{
    memcpy(p, &v, sizeof(v));
}

/* All 32 lanes, for functions that keep them in the host's registers. */
typedef struct Simd32 {
    SimdU v[32 / SIMD_LANES];
} Simd32;

/*
 * A mask, one truth value a lane; & | ~ work on it.  Where the host has mask
 * registers it is one, else all ones or zero in each lane.
 */
#ifdef SIMD_AVX512
/* Zeroing forms: GCC 12 warns of the plain ones' undefined operands (105593). */
#define SIMD_EVERY 0xffff
typedef __mmask16 SimdMask;

static inline SimdMask simd_eq(SimdU a, SimdU b)
{
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
}

/* Signed. */
static inline SimdMask simd_lt(SimdI a, SimdI b)
{
    return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b);
}

/* Unsigned. */
static inline SimdMask simd_above(SimdU a, SimdU b)
{
    return _mm512_cmpgt_epu32_mask((__m512i)a, (__m512i)b);
}

/* a where mask is set, b elsewhere. */
static inline SimdU simd_select(SimdMask mask, SimdU a, SimdU b)
{
    return (SimdU)_mm512_mask_blend_epi32(mask, (__m512i)b, (__m512i)a);
}

static inline SimdI simd_max(SimdI a, SimdI b)
{
    return (SimdI)_mm512_maskz_max_epi32(SIMD_EVERY, (__m512i)a, (__m512i)b);
}

/* Shifts by an amount each lane; 32 and more leave nothing. */
static inline SimdU simd_shr(SimdU v, SimdU by)
{
    return (SimdU)_mm512_maskz_srlv_epi32(SIMD_EVERY, (__m512i)v, (__m512i)by);
}

static inline SimdU simd_shl(SimdU v, SimdU by)
{
    return (SimdU)_mm512_maskz_sllv_epi32(SIMD_EVERY, (__m512i)v, (__m512i)by);
}

/* Bit i: lane i. */
static inline uint32_t simd_bits(SimdMask mask)
{
    return mask;
}

static inline SimdMask simd_mask(uint32_t bits)
{
    return (SimdMask)bits;
}

/* Lanes whose sign bit is set. */
static inline SimdMask simd_negative(SimdU v)
{
    return _mm512_movepi32_mask((__m512i)v);
}

/* Lanes that have one of these bits. */
static inline SimdMask simd_test(SimdU v, SimdU bits)
{
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)bits);
}

/* All ones where mask is set, else zero. */
static inline SimdU simd_expand(SimdMask mask)
{
    return (SimdU)_mm512_movm_epi32(mask);
}

/* v with these bits set, and -v, where mask is set; v elsewhere. */
static inline SimdU simd_or_where(SimdMask mask, SimdU v, SimdU bits)
{
    return (SimdU)_mm512_mask_or_epi32((__m512i)v, mask, (__m512i)v, (__m512i)bits);
}

static inline SimdU simd_negate_where(SimdMask mask, SimdU v)
{
    const __m512i zero = { 0 };

    return (SimdU)_mm512_mask_sub_epi32((__m512i)v, mask, zero, (__m512i)v);
}

/* Right shift of signed numbers by 0..31 each lane. */
static inline SimdU simd_sar(SimdU v, SimdU by)
{
    return (SimdU)_mm512_maskz_srav_epi32(SIMD_EVERY, (__m512i)v, (__m512i)by);
}

/* Lanes that hold no normal float: zero, denormal, infinity, NaN. */
static inline SimdMask simd_abnormal(SimdU v)
{
    enum { ALL_BUT_NORMAL = 0xbf };

    return _mm512_fpclass_ps_mask((__m512)v, ALL_BUT_NORMAL);
}

/* Even lanes of 64-bit products' halves from `even`, odd lanes from `odd`. */
static inline SimdU simd_upper_halves(SimdU64 even, SimdU64 odd)
{
    return (SimdU)_mm512_mask_shuffle_epi32((__m512i)odd, 0x5555, (__m512i)even,
                                            _MM_PERM_DDBB);
}

static inline SimdU simd_lower_halves(SimdU64 even, SimdU64 odd)
{
    return (SimdU)_mm512_mask_shuffle_epi32((__m512i)even, 0xaaaa, (__m512i)odd,
                                            _MM_PERM_CCAA);
}
#else
typedef SimdI SimdMask;

static inline SimdMask simd_eq(SimdU a, SimdU b)
{
    return (SimdMask)(a == b);
}

static inline SimdMask simd_lt(SimdI a, SimdI b)
{
    return a < b;
}

static inline SimdMask simd_above(SimdU a, SimdU b)
{
    return (SimdMask)(a > b);
}

static inline SimdU simd_select(SimdMask mask, SimdU a, SimdU b)
{
    return (a & (SimdU)mask) | (b & ~(SimdU)mask);
}

static inline SimdI simd_max(SimdI a, SimdI b)
{
    return (SimdI)simd_select(a < b, (SimdU)b, (SimdU)a);
}

static inline SimdU simd_shr(SimdU v, SimdU by)
{
#ifdef SIMD_AVX2
    return (SimdU)_mm256_srlv_epi32((__m256i)v, (__m256i)by);
#else
    return (v >> (by & 31)) & (SimdU)(by < 32);
#endif
}

static inline SimdU simd_shl(SimdU v, SimdU by)
{
#ifdef SIMD_AVX2
    return (SimdU)_mm256_sllv_epi32((__m256i)v, (__m256i)by);
#else
    return (v << (by & 31)) & (SimdU)(by < 32);
#endif
}

static inline uint32_t simd_bits(SimdMask mask)
{
#if defined(SIMD_AVX2)
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

static inline SimdMask simd_mask(uint32_t bits)
{
#ifdef SIMD_AVX2
    const SimdI lane = { 1, 2, 4, 8, 16, 32, 64, 128 };
#else
    const SimdI lane = { 1, 2, 4, 8 };
#endif

    return (((SimdI) { 0 } + (int32_t)bits) & lane) == lane;
}

static inline SimdMask simd_negative(SimdU v)
{
    return (SimdI)v < 0;
}

static inline SimdMask simd_test(SimdU v, SimdU bits)
{
    return (SimdMask)((v & bits) != 0);
}

static inline SimdU simd_expand(SimdMask mask)
{
    return (SimdU)mask;
}

static inline SimdU simd_or_where(SimdMask mask, SimdU v, SimdU bits)
{
    return v | ((SimdU)mask & bits);
}

static inline SimdU simd_negate_where(SimdMask mask, SimdU v)
{
    return (v ^ (SimdU)mask) - (SimdU)mask;
}

static inline SimdU simd_sar(SimdU v, SimdU by)
{
#ifdef SIMD_AVX2
    return (SimdU)_mm256_srav_epi32((__m256i)v, (__m256i)by);
#else
    SimdU flip = (SimdU)((SimdI)v >> 31);

    return ((v ^ flip) >> by) ^ flip;
#endif
}

/* The exponents 0 and 255 are those that one more makes 0 or 1, modulo 256. */
static inline SimdMask simd_abnormal(SimdU v)
{
    return (SimdMask)(((v + 0x00800000u) & 0x7f000000u) == 0);
}

static inline SimdU simd_upper_halves(SimdU64 even, SimdU64 odd)
{
    return (SimdU)(even >> 32 | (odd & ~(uint64_t)UINT32_MAX));
}

static inline SimdU simd_lower_halves(SimdU64 even, SimdU64 odd)
{
    return (SimdU)((even & UINT32_MAX) | odd << 32);
}
#endif

/* Has any lane a bit set? */
static inline bool simd_any(SimdU v)
{
#if defined(SIMD_AVX512)
    return simd_test(v, v) != 0;
#elif defined(SIMD_AVX2)
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#else
    return simd_bits(simd_eq(v, (SimdU) { 0 })) != SIMD_ALL;
#endif
}

/* Those of the 32 numbers at d whose bit in `lanes` is set; mostly all. */
static inline void simd_put32(uint32_t *d, const Simd32 *r, uint32_t lanes)
{
    if (__builtin_expect(lanes == UINT32_MAX, true)) {
        SIMD_EACH(l) {
            simd_store(&d[l], r->v[l / SIMD_LANES]);
        }
        return;
    }
    SIMD_EACH(l) {
        simd_store(&d[l], simd_select(simd_mask(lanes >> l), r->v[l / SIMD_LANES],
                                      simd_load(&d[l])));
    }
}

/* The 64-bit products of the lanes: of the even ones, of the odd ones. */
static inline SimdU64 simd_mul_even(SimdU a, SimdU b)
{
#if defined(SIMD_AVX512)
    return (SimdU64)_mm512_maskz_mul_epu32(0xff, (__m512i)a, (__m512i)b);
#elif defined(SIMD_AVX2)
    return (SimdU64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(SIMD_SSE2)
    return (SimdU64)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return ((SimdU64)a & UINT32_MAX) * ((SimdU64)b & UINT32_MAX);
#endif
}

static inline SimdU64 simd_mul_odd(SimdU a, SimdU b)
{
    return simd_mul_even((SimdU)((SimdU64)a >> 32), (SimdU)((SimdU64)b >> 32));
}

#endif
