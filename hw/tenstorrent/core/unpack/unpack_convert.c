/*
 * Format conversion of the unpackers: one kernel per conversion.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH UNPACR_Regular.md, FormatConversion() and below, and the Blackhole
 * special cases of 8-bit floats.  A Src cell is S[18] M[17:8] E[7:0]; formats
 * with 16 bits or fewer keep their 8 bits of sign and mantissa at the top of
 * the upper eleven bits, or use all of these with an exponent of 5 bits.
 */

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "num/num_unpack.h"

/* As wide as the vectors of this build; whole numbers of them make a row. */
#if defined(__AVX512F__)
#define LANE_BYTES 64
#elif defined(__AVX2__)
#define LANE_BYTES 32
#else
#define LANE_BYTES 16
#endif

#define INLINE static inline __attribute__((always_inline))

enum {
    CELL_SIGN = 1 << 18,
    CELL_HIGH = 8,                 /* where sign and mantissa begin */
    CELL_SIGN_MANTISSA8 = 11,      /* where sign and seven bits begin */
    LANES = LANE_BYTES / 4,
};

typedef uint32_t Cells __attribute__((vector_size(LANE_BYTES)));
typedef int32_t Mask __attribute__((vector_size(LANE_BYTES)));
/* As many cells as in Cells, narrower; and half as many bytes as in Bytes. */
typedef uint16_t Cells16 __attribute__((vector_size(LANE_BYTES / 2)));
typedef uint8_t Cells8 __attribute__((vector_size(LANE_BYTES / 4)));
typedef uint8_t HalfBytes __attribute__((vector_size(LANE_BYTES / 2)));

/* Where the mask is all ones a, else b. */
INLINE Cells choose(Mask mask, Cells a, Cells b)
{
    return ((Cells)mask & a) | (~(Cells)mask & b);
}

/* --- formats whose datums stand alone --- */

typedef Cells Convert(Cells datums);

INLINE Cells from_bf16(Cells x)
{
    return (x << 3 & CELL_SIGN) | (x & 0x7f) << CELL_SIGN_MANTISSA8 |
           (x >> 7 & 0xff);
}

INLINE Cells from_fp16(Cells x)
{
    return (x << 3 & CELL_SIGN) | (x & 0x3ff) << CELL_HIGH | (x >> 10 & 0x1f);
}

/* Opaque bits: laid out so that Dst16b gets them back as they were. */
INLINE Cells from_int16(Cells x)
{
    return (x & 0xff00) << 3 | (x & 0xff);
}

/* TF32 truncates. */
INLINE Cells from_fp32_to_tf32(Cells x)
{
    return (x >> 13 & CELL_SIGN) | (x >> 13 & 0x3ff) << CELL_HIGH |
           (x >> 23 & 0xff);
}

/* BF16 truncates, with denormals made signed zeroes. */
INLINE Cells from_fp32_to_bf16(Cells x)
{
    Mask denormal = (x & (uint32_t)NUM_FP32_INF) == 0;

    return from_bf16(choose(denormal, x & (uint32_t)NUM_FP32_SIGN, x) >> 16);
}

/*
 * FP16 truncates; below its exponents is a signed zero, above them its largest
 * magnitude.  An exponent that becomes 0 keeps its mantissa.
 */
INLINE Cells from_fp32_to_fp16(Cells x)
{
    Cells sign = x >> 13 & CELL_SIGN;
    Mask exponent = (Mask)(x >> 23 & 0xff) - NUM_FP16_REBIAS;
    Cells value = (x >> 13 & 0x3ff) << CELL_HIGH | (Cells)exponent;
    Cells largest = (x & 0) + (0x3ff << CELL_HIGH | NUM_FP16_EXP_MAX);

    value = choose(exponent > NUM_FP16_EXP_MAX, largest, value);
    return sign | (value & ~(Cells)(exponent < 0));
}

INLINE Cells from_bits32_to_dst(Cells x)
{
    return (x & 0x8000ffff) | (x & 0x7f0000) << 8 | (x >> 7 & 0xff0000);
}

/* All ones below the sign: Blackhole fills the mantissa with ones. */
INLINE Cells from_e5m2(Cells x)
{
    return from_fp16(x << 8 | ((Cells)((x & 0x7f) == 0x7f) & 0xff));
}

INLINE Cells from_e4m3(Cells x)
{
    enum { REBIAS = 15 - 7 };
    Cells exponent = x >> 3 & 0xf;
    Cells fill = (Cells)((x & 0x7f) == 0x7f) & 0x7f;

    exponent += (Cells)(exponent != 0) & REBIAS;
    return from_fp16((x & 0x80) << 8 | exponent << 10 | (x & 7) << 7 | fill);
}

/* Integer "8": the magnitude under a dummy exponent, zero under zero. */
INLINE Cells from_uint8(Cells x)
{
    return x << CELL_HIGH | ((Cells)(x != 0) & NUM_INT8_EXPONENT);
}

INLINE Cells from_int8(Cells x)
{
    return (x << 11 & CELL_SIGN) | from_uint8(x & 0x7f);
}

/* LANES datums of L1, little-endian, each in a lane of its own. */

INLINE Cells load32(const uint8_t *p)
{
    Cells x;

    memcpy(&x, p, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
#endif
    return x;
}

/*
 * Compilers widen vectors of this build by way of halves; what they have an
 * instruction for is named.
 */
INLINE Cells load16(const uint8_t *p)
{
#if defined(__AVX512F__)
    return (Cells)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)p));
#elif defined(__AVX2__)
    return (Cells)_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)p));
#else
    Cells16 x;

    memcpy(&x, p, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = x << 8 | x >> 8;
#endif
    return __builtin_convertvector(x, Cells);
#endif
}

INLINE Cells load8(const uint8_t *p)
{
#if defined(__AVX512F__)
    return (Cells)_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)p));
#elif defined(__AVX2__)
    return (Cells)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)p));
#else
    Cells8 x;

    memcpy(&x, p, sizeof(x));
    return __builtin_convertvector(x, Cells);
#endif
}

typedef Cells Load(const uint8_t *p);

/* Inlined with constant functions into each kernel. */
INLINE void convert_rows(TensixUnpackRow *out, const uint8_t *data, uint32_t rows,
                         uint32_t bytes, Load *load, Convert *convert)
{
    uint32_t *cells = out[0];

    for (uint32_t n = 0; n < rows * UNPACK_ROW_DATUMS; n += LANES) {
        Cells x = convert(load(data + n * bytes));

        memcpy(cells + n, &x, sizeof(x));
    }
}

#define SINGLE_KERNEL(name, bits) \
    static uint32_t kernel_##name(TensixUnpackRow *out, const uint8_t *data, \
                                  const uint8_t *exponents, uint32_t rows) \
    { \
        convert_rows(out, data, rows, bits / 8, load##bits, from_##name); \
        return 0; \
    }

#if defined(__AVX2__)
/* LANES halfwords, each twice in its lane. */
INLINE Cells load_twice(const uint8_t *p)
{
#if defined(__AVX512BW__)
    static const uint16_t from[32] __attribute__((aligned(64))) = {
        0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7,
        8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15,
    };
    __m256i x = _mm256_loadu_si256((const void *)p);

    return (Cells)_mm512_permutexvar_epi16(_mm512_load_si512(from),
                                           _mm512_castsi256_si512(x));
#else
    const __m256i from = _mm256_setr_epi8(
        0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7,
        8, 9, 8, 9, 10, 11, 10, 11, 12, 13, 12, 13, 14, 15, 14, 15);
    __m128i x = _mm_loadu_si128((const void *)p);

    return (Cells)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(x), from);
#endif
}

/* Halfword by halfword: the upper half of x * factors. */
INLINE Cells multiply_high(Cells x, uint32_t factors)
{
#if defined(__AVX512BW__)
    return (Cells)_mm512_mulhi_epu16((__m512i)x, _mm512_set1_epi32((int)factors));
#else
    return (Cells)_mm256_mulhi_epu16((__m256i)x, _mm256_set1_epi32((int)factors));
#endif
}

/* Twice as many, to two vectors. */
INLINE void load_twice_two(const uint8_t *p, Cells *first, Cells *second)
{
#if defined(__AVX512BW__)
    const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    __m512i x = _mm512_permutexvar_epi64(order, _mm512_loadu_si512(p));

    *first = (Cells)_mm512_unpacklo_epi16(x, x);
    *second = (Cells)_mm512_unpackhi_epi16(x, x);
#else
    *first = load_twice(p);
    *second = load_twice(p + 2 * LANES);
#endif
}

/* a where the bits are set, else b. */
INLINE Cells choose_bits(uint32_t bits, Cells a, Cells b)
{
#if defined(__AVX512F__)
    enum { FIRST_SELECTS = 0xca };

    return (Cells)_mm512_ternarylogic_epi32(_mm512_set1_epi32((int)bits),
                                            (__m512i)a, (__m512i)b,
                                            FIRST_SELECTS);
#else
    return (a & bits) | (b & ~bits);
#endif
}

/*
 * Floats of 16 bits with `mantissa` bits of mantissa: both copies of a datum
 * are shifted right at once, by multiplication, the low one to leave the
 * exponent and the high one the sign where cells have them; a shift left
 * leaves the mantissa, with zeroes where the sign is below it.
 */
INLINE void store_halves(uint32_t *cells, Cells x, uint32_t mantissa)
{
    uint32_t factors = 1u << (16 + 16 - 13) | 1u << (16 - mantissa);
    uint32_t from_left = CELL_SIGN - (1u << (15 - mantissa));
    Cells y = choose_bits(from_left, x << (CELL_HIGH + 10 - mantissa),
                          multiply_high(x, factors));

    memcpy(cells, &y, sizeof(y));
}

INLINE uint32_t convert_halves(TensixUnpackRow *out, const uint8_t *data,
                               uint32_t rows, uint32_t mantissa)
{
    uint32_t *cells = out[0], count = rows * UNPACK_ROW_DATUMS, n = 0;
    Cells first, second;

    for (; n + 2 * LANES <= count; n += 2 * LANES) {
        load_twice_two(data + n * 2, &first, &second);
        store_halves(cells + n, first, mantissa);
        store_halves(cells + n + LANES, second, mantissa);
    }
    if (n < count) {
        store_halves(cells + n, load_twice(data + n * 2), mantissa);
    }
    return 0;
}

static uint32_t kernel_bf16(TensixUnpackRow *out, const uint8_t *data,
                            const uint8_t *exponents, uint32_t rows)
{
    return convert_halves(out, data, rows, 7);
}

static uint32_t kernel_fp16(TensixUnpackRow *out, const uint8_t *data,
                            const uint8_t *exponents, uint32_t rows)
{
    return convert_halves(out, data, rows, 10);
}
#else
SINGLE_KERNEL(bf16, 16)
SINGLE_KERNEL(fp16, 16)
#endif
SINGLE_KERNEL(int16, 16)
SINGLE_KERNEL(fp32_to_tf32, 32)
SINGLE_KERNEL(fp32_to_bf16, 32)
SINGLE_KERNEL(fp32_to_fp16, 32)
SINGLE_KERNEL(bits32_to_dst, 32)
SINGLE_KERNEL(e5m2, 8)
SINGLE_KERNEL(e4m3, 8)
SINGLE_KERNEL(uint8, 8)
SINGLE_KERNEL(int8, 8)

/* --- block floats: a byte a datum, one to four rows at a time --- */

enum { GROUP_ROWS = LANE_BYTES / UNPACK_ROW_DATUMS };

typedef uint8_t Bytes __attribute__((vector_size(LANE_BYTES)));
typedef uint16_t Pairs __attribute__((vector_size(LANE_BYTES)));

#if defined(__AVX2__)
/*
 * Vectors of bytes hold a group in such an order that widening them, which
 * works on 128 bits at a time, brings the datums out in theirs: word t of 32
 * bits of part p is the group's word LANE_PARTS * t + p.
 */
enum { LANE_PARTS = LANE_BYTES / 16 };

INLINE Bytes arrange(Bytes x)
{
#if defined(__AVX512F__)
    const __m512i from = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13,
                                           2, 6, 10, 14, 3, 7, 11, 15);

    return (Bytes)_mm512_permutexvar_epi32(from, (__m512i)x);
#else
    const __m256i from = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);

    return (Bytes)_mm256_permutevar8x32_epi32((__m256i)x, from);
#endif
}

/* The table's byte for each byte 0 to 15; 0 for one with the top bit set. */
INLINE Bytes look_up(__m128i table, Bytes index)
{
#if defined(__AVX512F__)
    return (Bytes)_mm512_shuffle_epi8(_mm512_broadcast_i32x4(table),
                                      (__m512i)index);
#else
    return (Bytes)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table),
                                      (__m256i)index);
#endif
}

/* Sixteen times each of the group's exponents, arranged. */
INLINE Bytes spread_exponents(const uint8_t *exponents)
{
    uint32_t all = 0;
    Bytes from;

    memcpy(&all, exponents, GROUP_ROWS);
    for (unsigned n = 0; n < LANE_BYTES; n++) {
        from[n] = n % 16 / (16 / GROUP_ROWS);
    }
#if defined(__AVX512F__)
    return (Bytes)_mm512_shuffle_epi8(_mm512_set1_epi32((int)all), (__m512i)from);
#else
    return (Bytes)_mm256_shuffle_epi8(_mm256_set1_epi32((int)all), (__m256i)from);
#endif
}
#else
INLINE Bytes arrange(Bytes x)
{
    return x;
}

INLINE Bytes spread_exponents(const uint8_t *exponents)
{
    Bytes spread;

    memset(&spread, *exponents, sizeof(spread));
    return spread;
}
#endif

/*
 * datums: sign, then seven bits of magnitude without a hidden one, of which
 * the first bits - 1 count.  Normalises by conditional shifts; each takes as
 * much from the exponent, which wraps at 8 bits.  A magnitude of zero is +0,
 * or the largest exponent with a negative sign.  *high: sign and mantissa, the
 * hidden one removed.  Returns the exponents.
 */
#if defined(__AVX512BW__)
INLINE __m512i all_bytes(int value)
{
    return _mm512_set1_epi8((char)value);
}

/* m where the mask is, 0 to 15, to the left by four. */
INLINE __m512i shift_nibbles(__m512i m, __mmask64 mask)
{
    const __m512i sixteenfold = _mm512_broadcast_i32x4(_mm_setr_epi8(
        0, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, (char)0x80, (char)0x90,
        (char)0xa0, (char)0xb0, (char)0xc0, (char)0xd0, (char)0xe0, (char)0xf0));

    return _mm512_mask_shuffle_epi8(m, mask, sixteenfold, m);
}

INLINE Bytes normalise(Bytes datums, Bytes exponents, Bytes *high, uint32_t bits,
                       uint8_t max_exponent)
{
    /* all ones for index 0, zero for an index with the top bit set */
    const __m512i largest = all_bytes(max_exponent);
    __m512i d = (__m512i)datums, e = (__m512i)exponents;
    __m512i m = _mm512_add_epi8(d, d);
    __mmask64 zero = _mm512_testn_epi8_mask(m, m), small;

    small = _mm512_cmplt_epu8_mask(m, all_bytes(0x10));
    m = shift_nibbles(m, small);
    e = _mm512_mask_sub_epi8(e, small, e, all_bytes(4));
    small = _mm512_cmplt_epu8_mask(m, all_bytes(0x40));
    m = _mm512_mask_add_epi8(m, small, m, m);
    m = _mm512_mask_add_epi8(m, small, m, m);
    e = _mm512_mask_sub_epi8(e, small, e, all_bytes(2));
    small = _mm512_cmplt_epu8_mask(m, all_bytes(0x80));
    m = _mm512_mask_add_epi8(m, small, m, m);
    e = _mm512_mask_sub_epi8(e, small, e, all_bytes(1));
    *high = (datums & 0x80) | ((Bytes)m & 0x7f);
    return (Bytes)_mm512_mask_shuffle_epi8(e, zero, largest,
                                           _mm512_xor_si512(d, all_bytes(0x80)));
}
#else
/* Bytes to the left by 2 or 4 where that loses nothing; `kept`: of each byte. */
INLINE Bytes shift_bytes(Bytes x, unsigned by, uint8_t kept)
{
    return (Bytes)((Pairs)x << by) & kept;
}

INLINE Bytes normalise(Bytes datums, Bytes e, Bytes *high, uint32_t bits,
                       uint8_t max_exponent)
{
    Bytes m = datums + datums;
    Bytes zero = (Bytes)(m == 0);
    Bytes negative = (Bytes)(datums > 0x7f);
    Bytes shift;

    if (bits > 4) {
        shift = (Bytes)(m < 0x10);
        m = (shift & shift_bytes(m, 4, 0xf0)) | (~shift & m);
        e -= shift & 4;
    }
    if (bits > 2) {
        shift = (Bytes)(m < 0x40);
        m = (shift & shift_bytes(m, 2, 0xfc)) | (~shift & m);
        e -= shift & 2;
        shift = (Bytes)(m < 0x80);
        m += shift & m;
        e += shift;                /* all ones: minus one */
    }
    *high = (datums & 0x80) | (m & 0x7f);
    return (zero & negative & max_exponent) | (~zero & e);
}
#endif

#if defined(__AVX2__)
/* Pairs of bytes, exponent and high, to cells: the first or second four. */
INLINE Cells widen_pairs(Bytes pairs, bool second)
{
    const uint32_t factors = 1 | 1u << (16 + CELL_SIGN_MANTISSA8);
#if defined(__AVX512BW__)
    const __m512i zero = _mm512_setzero_si512();
    __m512i x = second ? _mm512_unpackhi_epi8((__m512i)pairs, zero)
                       : _mm512_unpacklo_epi8((__m512i)pairs, zero);

    return (Cells)_mm512_madd_epi16(x, _mm512_set1_epi32((int)factors));
#else
    const __m256i zero = _mm256_setzero_si256();
    __m256i x = second ? _mm256_unpackhi_epi8((__m256i)pairs, zero)
                       : _mm256_unpacklo_epi8((__m256i)pairs, zero);

    return (Cells)_mm256_madd_epi16(x, _mm256_set1_epi32((int)factors));
#endif
}

INLINE Bytes interleave(Bytes a, Bytes b, bool second)
{
#if defined(__AVX512BW__)
    return second ? (Bytes)_mm512_unpackhi_epi8((__m512i)a, (__m512i)b)
                  : (Bytes)_mm512_unpacklo_epi8((__m512i)a, (__m512i)b);
#else
    return second ? (Bytes)_mm256_unpackhi_epi8((__m256i)a, (__m256i)b)
                  : (Bytes)_mm256_unpacklo_epi8((__m256i)a, (__m256i)b);
#endif
}

INLINE void widen(TensixUnpackRow *out, Bytes exponent, Bytes high)
{
    uint32_t *cells = out[0];

    for (unsigned n = 0; n < 4; n++) {
        Cells x = widen_pairs(interleave(exponent, high, n / 2), n % 2);

        memcpy(cells + n * LANES, &x, sizeof(x));
    }
}
#else
INLINE void widen(TensixUnpackRow *out, Bytes exponent, Bytes high)
{
    uint8_t e[LANE_BYTES], h[LANE_BYTES];

    memcpy(e, &exponent, sizeof(e));
    memcpy(h, &high, sizeof(h));
    for (unsigned n = 0; n < LANE_BYTES; n++) {
        out[0][n] = e[n] | (uint32_t)h[n] << CELL_SIGN_MANTISSA8;
    }
}
#endif

/* Datums of 2, 4 or 8 bits, the first at the low end, to the top of bytes. */
INLINE Bytes to_bytes(const uint8_t *data, uint32_t bits)
{
    Bytes bytes;

    if (bits == 8) {
        memcpy(&bytes, data, sizeof(bytes));
        return bytes;
    }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (bits == 4) {
        HalfBytes packed;
        Pairs x;

        memcpy(&packed, data, sizeof(packed));
        x = __builtin_convertvector(packed, Pairs);
        return (Bytes)((x << 4 & 0xf0) | (x & 0xf0) << 8);
    } else {
        Cells x = load8(data);

        return (Bytes)((x << 6 & 0xc0) | (x << 4 & 0xc0) << 8 |
                       (x << 2 & 0xc0) << 16 | (x & 0xc0) << 24);
    }
#else
    for (unsigned n = 0; n < LANE_BYTES; n++) {
        bytes[n] = data[n * bits / 8] >> n * bits % 8 << (8 - bits);
    }
    return bytes;
#endif
}

/* Bits of exponents outside the format's. */
INLINE uint32_t any_bits(Bytes x)
{
    uint64_t words[LANE_BYTES / 8], all = 0;

    memcpy(words, &x, sizeof(words));
    for (unsigned n = 0; n < LANE_BYTES / 8; n++) {
        all |= words[n];
    }
    return all != 0;
}

#if defined(__AVX2__)
/* LANE_BYTES / 2 bytes, each in 16 bits of its own. */
INLINE Pairs load8_pairs(const uint8_t *p)
{
#if defined(__AVX512BW__)
    return (Pairs)_mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)p));
#else
    return (Pairs)_mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)p));
#endif
}

/* Datums of 2 or 4 bits, to the top of nibbles, one nibble a byte. */
INLINE Bytes to_nibbles(const uint8_t *data, uint32_t bits)
{
    if (bits == 4) {
        Pairs x = load8_pairs(data);

        return (Bytes)((x | x << 4) & 0x0f0f);
    } else {
        Cells x = load8(data);

        return (Bytes)((x << 2 & 0xc) | (x & 0xc) << 8 |
                       (x & 0x30) << 14 | (x & 0xc0) << 20);
    }
}

/* As normalise(), of nibbles: a table has a byte for each of them. */
INLINE Bytes normalise_nibbles(Bytes nibbles, Bytes exponents, Bytes *high,
                               uint8_t max_exponent)
{
    const char top = (char)max_exponent;
    const __m128i mantissa = _mm_setr_epi8(
        0, 0, 0, 0x40, 0, 0x20, 0x40, 0x60, -128, -128, -128, -64, -128, -96,
        -64, -32);
    const __m128i shift = _mm_setr_epi8(0, 2, 1, 1, 0, 0, 0, 0,
                                        0, 2, 1, 1, 0, 0, 0, 0);
    const __m128i not_zero = _mm_setr_epi8(0, -1, -1, -1, -1, -1, -1, -1,
                                           0, -1, -1, -1, -1, -1, -1, -1);
    const __m128i zero = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0,
                                       top, 0, 0, 0, 0, 0, 0, 0);

    *high = look_up(mantissa, nibbles);
    exponents -= look_up(shift, nibbles);
    return (exponents & look_up(not_zero, nibbles)) | look_up(zero, nibbles);
}
#endif

/* A group's exponents; *high: sign and mantissa.  Both arranged. */
INLINE Bytes convert_group(const uint8_t *data, const uint8_t *exponents,
                           Bytes *high, uint32_t bits, uint8_t max_exponent)
{
    Bytes e = spread_exponents(exponents);

#if defined(__AVX2__)
    if (bits < 8) {
        return normalise_nibbles(arrange(to_nibbles(data, bits)), e, high,
                                 max_exponent);
    }
#endif
    return normalise(arrange(to_bytes(data, bits)), e, high, bits,
                     max_exponent);
}

/* GROUP_ROWS rows; returns whether an exponent was too large. */
INLINE uint32_t block_group(TensixUnpackRow *out, const uint8_t *data,
                            const uint8_t *exponents, uint32_t bits,
                            uint8_t max_exponent)
{
    Bytes high, exponent = convert_group(data, exponents, &high, bits,
                                         max_exponent);

    widen(out, exponent & max_exponent, high);
    return max_exponent == 0xff ? 0
                                : any_bits(exponent & (uint8_t)~max_exponent);
}

/* The last rows, fewer than a group, through buffers of a whole one. */
INLINE uint32_t block_rest(TensixUnpackRow *out, const uint8_t *data,
                           const uint8_t *exponents, uint32_t rows,
                           uint32_t bits, uint8_t max_exponent)
{
    uint8_t padded[LANE_BYTES] = { 0 }, e[GROUP_ROWS] = { 0 };
    TensixUnpackRow result[GROUP_ROWS];
    uint32_t bad;

    memcpy(padded, data, rows * UNPACK_ROW_DATUMS * bits / 8);
    memcpy(e, exponents, rows);
    bad = block_group(result, padded, e, bits, max_exponent);
    memcpy(out, result, rows * sizeof(result[0]));
    return bad;
}

INLINE uint32_t block_rows(TensixUnpackRow *out, const uint8_t *data,
                           const uint8_t *exponents, uint32_t rows,
                           uint32_t bits, uint8_t max_exponent)
{
    uint32_t bad = 0, r = 0;

    for (; r + GROUP_ROWS <= rows; r += GROUP_ROWS) {
        bad |= block_group(out + r, data + r * UNPACK_ROW_DATUMS * bits / 8,
                           exponents + r, bits, max_exponent);
    }
    if (r < rows) {
        bad |= block_rest(out + r, data + r * UNPACK_ROW_DATUMS * bits / 8,
                          exponents + r, rows - r, bits, max_exponent);
    }
    return bad;
}

#define BLOCK_KERNEL(name, bits, max_exponent) \
    static uint32_t kernel_##name(TensixUnpackRow *out, const uint8_t *data, \
                                  const uint8_t *exponents, uint32_t rows) \
    { \
        return block_rows(out, data, exponents, rows, bits, max_exponent); \
    }

BLOCK_KERNEL(bfp8, 8, 0xff)
BLOCK_KERNEL(bfp4, 4, 0xff)
BLOCK_KERNEL(bfp2, 2, 0xff)
BLOCK_KERNEL(bfp8a, 8, 0x1f)
BLOCK_KERNEL(bfp4a, 4, 0x1f)
BLOCK_KERNEL(bfp2a, 2, 0x1f)

TensixUnpackKernel *const tensix_unpack_kernels[UNPACK_KERNELS] = {
    [UNPACK_FP32_TO_TF32] = kernel_fp32_to_tf32,
    [UNPACK_FP32_TO_BF16] = kernel_fp32_to_bf16,
    [UNPACK_FP32_TO_FP16] = kernel_fp32_to_fp16,
    [UNPACK_BITS32_TO_DST] = kernel_bits32_to_dst,
    [UNPACK_BF16] = kernel_bf16,
    [UNPACK_FP16] = kernel_fp16,
    [UNPACK_INT16] = kernel_int16,
    [UNPACK_E5M2] = kernel_e5m2,
    [UNPACK_E4M3] = kernel_e4m3,
    [UNPACK_INT8] = kernel_int8,
    [UNPACK_UINT8] = kernel_uint8,
    [UNPACK_BFP8] = kernel_bfp8,
    [UNPACK_BFP4] = kernel_bfp4,
    [UNPACK_BFP2] = kernel_bfp2,
    [UNPACK_BFP8A] = kernel_bfp8a,
    [UNPACK_BFP4A] = kernel_bfp4a,
    [UNPACK_BFP2A] = kernel_bfp2a,
};
