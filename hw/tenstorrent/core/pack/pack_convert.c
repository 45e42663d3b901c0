/*
 * Packer: format conversions, ReLU, thresholds, shared exponents.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Packers/FormatConversion.md, ReLU.md, ExponentThresholding.md.  The pages
 * name the conversions; how denormals, NaN and overflow come out of each is
 * what the bit-exact vectors show.
 *
 * Each kernel is one plain loop over 64 words or halves, with every choice made
 * outside it, so that each build of the units vectorises it.
 */

#include <string.h>

#include "pack/pack.h"
#include "num/simd.h"

enum {
    BF16_INF = 0x7f80,
    BF16_MANTISSA = 0x7f,
    BF16_NORMAL = 0x80,            /* the least number that is no denormal */
    FP16_MAX = 0x7fff,             /* in place of infinity */
    FP16_NORMAL = 0x400,
    FP32_NORMAL = 0x800000,
    FP32_MAGNITUDE = 0x7fffffff,
    HALF_MAGNITUDE = 0x7fff,
    E5M6_INF = 0x7ff0,
    INT8_MAX_MAGNITUDE = 127,
    UINT8_MAX_VALUE = 255,
    E4M3_MAX = 0x7f,
    E4M3_REBIAS = 8,               /* E5's bias 15, E4's bias 7 */
    E5_ABOVE_E4M3 = 24,
    SHARED_HIDDEN = 0x80,          /* hidden bit of a 7-bit mantissa */
    TF32_CUT = 13,                 /* mantissa bits of FP32 that TF32 lacks */
};

/* Kernels always do all 64, also where fewer are packed: that is quicker. */
#define ALL_DATUMS(j) for (unsigned j = 0; j < PACK_DATUMS; j++)

/* --- early --- */

static inline uint32_t fp32_nan_to_inf(uint32_t x)
{
    return (x & FP32_MAGNITUDE) > NUM_FP32_INF
           ? (x & NUM_FP32_SIGN) | NUM_FP32_INF : x;
}

static inline uint32_t fp32_flush(uint32_t x)
{
    return (x & FP32_MAGNITUDE) < FP32_NORMAL ? 0 : x;
}

/* Half up in magnitude, to a mantissa with `cut` bits fewer. */
static inline uint32_t fp32_round(uint32_t x, unsigned cut)
{
    x = fp32_nan_to_inf(x) + (1u << (cut - 1));
    return fp32_flush(x & -(1u << cut));
}

/* To six bits by way of seven that were cut, not rounded. */
static inline uint32_t fp32_to_e8m6(uint32_t x)
{
    x = (fp32_nan_to_inf(x) & 0xffff0000) + 0x10000;
    return fp32_flush(x & 0xfffe0000);
}

/* A cell of Dst to BF16: NaN becomes infinity, denormals and -0 become 0. */
static inline uint16_t cell_clean(uint16_t cell)
{
    /* sign and mantissa are in place after the sign's shift to the right */
    uint16_t e = cell << 7 & BF16_INF;
    uint16_t m = e == BF16_INF ? NUM_HALF_SIGN : NUM_HALF_SIGN | BF16_MANTISSA;

    return e ? e | ((int16_t)cell >> 8 & m) : 0;
}

static inline uint16_t cell_to_e8m6(uint16_t cell)
{
    return (cell_clean(cell) + 1) & 0xfffe;
}

static inline uint16_t fp16_clean(uint16_t x)
{
    return (x & HALF_MAGNITUDE) < FP16_NORMAL ? 0 : x;
}

static inline uint16_t fp16_to_e5m6(uint16_t x)
{
    x = (x & HALF_MAGNITUDE) > (E5M6_INF | 7) ? (x & NUM_HALF_SIGN) | E5M6_INF
                                              : x;
    return fp16_clean((x + 8) & 0xfff0);
}

/* Magnitude >> shift with ties up; cannot overflow: 31 bits of magnitude. */
static inline uint32_t int32_scale(uint32_t x, uint32_t shift)
{
    uint32_t half = shift ? 1u << (shift - 1) : 0;

    return ((x & FP32_MAGNITUDE) + half) >> shift;
}

static inline uint32_t int32_to_int8(uint32_t x, uint32_t shift)
{
    uint32_t m = int32_scale(x, shift);

    return (x >> 24 & 0x80) | (m > INT8_MAX_MAGNITUDE ? INT8_MAX_MAGNITUDE : m);
}

static inline uint32_t int32_to_uint8(uint32_t x, uint32_t shift)
{
    uint32_t m = int32_scale(x, shift);

    m = m > UINT8_MAX_VALUE ? UINT8_MAX_VALUE : m;
    return x & NUM_FP32_SIGN ? 0 : m;
}

/* FP32 bits to FP16: cut, exponents out of range to 0 and to the maximum. */
static inline uint32_t e8_to_fp16(uint32_t x)
{
    uint32_t sign = x >> 16 & NUM_HALF_SIGN;
    uint32_t exponent = x >> 23 & 0xff;
    uint32_t value = (x >> 13 & 0x3ffff) - ((uint32_t)NUM_FP16_REBIAS << 10);

    value = exponent > NUM_FP16_REBIAS + NUM_FP16_EXP_MAX ? FP16_MAX : value;
    return exponent < NUM_FP16_REBIAS ? sign : sign | value;
}

/* The two halves of each word: little-endian hosts, as the rest of the core. */
#ifdef SIMD_AVX512
/*
 * tensix_num_dst_decode_bf16() of a vector of cells.  Sign and mantissa are in
 * place after the sign's shift to the right.
 */
static inline SimdU16 decode_cells(SimdU16 x)
{
    return simd_choose(simd_splat16(BF16_INF), x << 7,
                       (SimdU16)((SimdI16)x >> 8));
}

static void early_word(PackDatums *restrict out, const uint16_t *restrict high,
                       const uint16_t *restrict low, uint32_t shift)
{
    for (unsigned j = 0; j < PACK_DATUMS; j += 2 * SIMD_LANES) {
        SimdU16 first, second;

        simd_interleave16((SimdU16)simd_load(&low[j]),
                          decode_cells((SimdU16)simd_load(&high[j])),
                          &first, &second);
        simd_store(&out->word[j], (SimdU)first);
        simd_store(&out->word[j + SIMD_LANES], (SimdU)second);
    }
}
#else
static void early_word(PackDatums *restrict out, const uint16_t *restrict high,
                       const uint16_t *restrict low, uint32_t shift)
{
    ALL_DATUMS(j) {
        out->half[2 * j] = low[j];
        out->half[2 * j + 1] = tensix_num_dst_decode_bf16(high[j]);
    }
}
#endif

/*
 * One kernel from an expression in x, which is a cell's bits (HALF), or the
 * FP32 or integer that two cells hold (to words, or to halves).
 */
#define EARLY_HALF(name, expression) \
    static void name(PackDatums *restrict out, const uint16_t *restrict high, \
                     const uint16_t *restrict low, uint32_t shift) \
    { \
        ALL_DATUMS(j) { \
            uint16_t x = high[j]; \
            out->half[j] = (expression); \
        } \
    }
#define EARLY_WIDE(name, member, expression) \
    static void name(PackDatums *restrict out, const uint16_t *restrict high, \
                     const uint16_t *restrict low, uint32_t shift) \
    { \
        ALL_DATUMS(j) { \
            uint32_t x = tensix_num_dst_decode32((uint32_t)high[j] << 16 | \
                                                 low[j]); \
            out->member[j] = (expression); \
        } \
    }

EARLY_WIDE(early_fp32_tf32, word, fp32_round(x, TF32_CUT))
EARLY_WIDE(early_fp32_bf16, half, fp32_round(x, 16) >> 16)
EARLY_WIDE(early_fp32_e8m6, half, fp32_to_e8m6(x) >> 16)
EARLY_WIDE(early_int32_int8, half, int32_to_int8(x, shift))
EARLY_WIDE(early_int32_uint8, half, int32_to_uint8(x, shift))
EARLY_WIDE(early_int32_int8_cut, half, (x >> 24 & 0x80) | (x & 0x7f))
EARLY_WIDE(early_int32_uint8_cut, half, x & 0xff)
EARLY_HALF(early_bf16, cell_clean(x))
EARLY_HALF(early_bf16_raw, tensix_num_dst_decode_bf16(x))
EARLY_HALF(early_bf16_e8m6, cell_to_e8m6(x))
EARLY_HALF(early_bf16_fp16,
           e8_to_fp16((uint32_t)tensix_num_dst_decode_bf16(x) << 16))
EARLY_HALF(early_fp16, fp16_clean(tensix_num_dst_decode_fp16(x)))
EARLY_HALF(early_fp16_raw, tensix_num_dst_decode_fp16(x))
EARLY_HALF(early_fp16_e5m6, fp16_to_e5m6(tensix_num_dst_decode_fp16(x)))
EARLY_HALF(early_fp16_e5m7, tensix_num_dst_decode_fp16(x) & 0xfff8)
EARLY_HALF(early_fp16_fp8, tensix_num_dst_decode_fp16(x) & 0xff00)
EARLY_HALF(early_half, x)
EARLY_HALF(early_sign, x >> 8 & 0x80)

PackEarlyFn *const tensix_pack_early[] = {
    [EARLY_FP32] = early_word, [EARLY_FP32_TF32] = early_fp32_tf32,
    [EARLY_FP32_BF16] = early_fp32_bf16,
    /* the upper cell is the BF16 */
    [EARLY_FP32_BF16_CUT] = early_bf16_raw,
    [EARLY_FP32_E8M6] = early_fp32_e8m6, [EARLY_INT32] = early_word,
    [EARLY_INT32_HIGH] = early_half, [EARLY_INT32_INT8] = early_int32_int8,
    [EARLY_INT32_UINT8] = early_int32_uint8,
    [EARLY_INT32_INT8_CUT] = early_int32_int8_cut,
    [EARLY_INT32_UINT8_CUT] = early_int32_uint8_cut,
    [EARLY_BF16] = early_bf16, [EARLY_BF16_RAW] = early_bf16_raw,
    [EARLY_BF16_E8M6] = early_bf16_e8m6, [EARLY_BF16_FP16] = early_bf16_fp16,
    [EARLY_FP16] = early_fp16, [EARLY_FP16_RAW] = early_fp16_raw,
    [EARLY_FP16_E5M6] = early_fp16_e5m6, [EARLY_FP16_E5M7] = early_fp16_e5m7,
    [EARLY_FP16_FP8] = early_fp16_fp8, [EARLY_INT16] = early_half,
    [EARLY_SIGN] = early_sign,
};

/* --- ReLU and thresholds --- */

/* As numbers without sign; `coarse` low bits do not count for the ceiling. */
static void relu_words(uint32_t *restrict v, uint32_t sign, uint32_t floor,
                       uint32_t ceiling, unsigned coarse)
{
    ALL_DATUMS(j) {
        uint32_t x = v[j] & sign || v[j] <= floor ? 0 : v[j];

        v[j] = x >> coarse > ceiling >> coarse ? ceiling : x;
    }
}

static void relu_halves(uint16_t *restrict v, uint16_t sign, uint16_t floor,
                        uint16_t ceiling)
{
    ALL_DATUMS(j) {
        uint16_t x = v[j] & sign || v[j] <= floor ? 0 : v[j];

        v[j] = x > ceiling ? ceiling : x;
    }
}

void tensix_pack_relu(PackFamily family, uint32_t mode, uint32_t threshold,
                      PackDatums *d)
{
    static const uint16_t sign[PACK_FAMILIES] = {
        [PACK_BF16] = NUM_HALF_SIGN, [PACK_E5] = NUM_HALF_SIGN,
        [PACK_INT16] = NUM_HALF_SIGN, [PACK_INT8] = 0x80, [PACK_UINT8] = 0,
    };
    bool is_float = family < PACK_FLOATS;
    uint32_t floor = is_float && mode == 2 ? threshold : 0;
    bool clamp = is_float && mode == 3;

    if (tensix_pack_is_words(family)) {
        /* the clamp of FP32 compares as many bits as TF32 has */
        relu_words(d->word, NUM_FP32_SIGN, floor << 16,
                   clamp ? threshold << 16 : UINT32_MAX, clamp ? TF32_CUT : 0);
    } else {
        relu_halves(d->half, sign[family], floor,
                    clamp ? threshold : UINT16_MAX);
    }
}

void tensix_pack_exp_threshold(PackFamily family, uint32_t threshold,
                               PackDatums *d)
{
    if (family == PACK_E8) {
        ALL_DATUMS(j) {
            d->word[j] = (d->word[j] >> 23 & 0xff) < threshold ? 0 : d->word[j];
        }
    } else if (family == PACK_BF16) {
        ALL_DATUMS(j) {
            d->half[j] = (d->half[j] >> 7 & 0xff) < threshold ? 0 : d->half[j];
        }
    } else if (family == PACK_E5) {
        ALL_DATUMS(j) {
            d->half[j] = (d->half[j] >> 10 & 0x1f) < threshold ? 0 : d->half[j];
        }
    }
}

/* --- late --- */

static inline uint16_t e8_to_bf16(uint32_t x)
{
    x >>= 16;
    return (x & HALF_MAGNITUDE) < BF16_NORMAL ? 0 : x;
}

/* A zero exponent is not rebiased: the mantissa of a denormal stays. */
static inline uint32_t fp16_to_fp32(uint32_t x)
{
    uint32_t rebias = x & 0x7c00 ? (uint32_t)NUM_FP16_REBIAS << 23 : 0;

    return (x & NUM_HALF_SIGN) << 16 |
           (((x & HALF_MAGNITUDE) << 13) + rebias);
}

static inline uint16_t fp16_to_bf16(uint32_t x)
{
    return x & 0x7c00 ? fp16_to_fp32(x) >> 16 : 0;
}

static inline uint32_t fp16_to_e4m3(uint32_t x)
{
    uint32_t sign = x >> 8 & 0x80;
    uint32_t exponent = x >> 10 & 0x1f;
    uint32_t value = (x >> 7 & 0xff) - (E4M3_REBIAS << 3);

    value = exponent >= E5_ABOVE_E4M3 ? E4M3_MAX : value;
    return exponent <= E4M3_REBIAS ? sign : sign | value;
}

/* The exponent's five bits where a BF16 has eight. */
static inline uint32_t fp16_to_e5m7(uint32_t x)
{
    return (x & NUM_HALF_SIGN) | (x & HALF_MAGNITUDE) >> 3;
}

static inline uint32_t bf16_to_fp16(uint32_t x)
{
    return e8_to_fp16(x << 16);
}

/* One kernel from an expression in x, from one member of a burst to another. */
#define LATE(name, to, from, expression) \
    static void name(PackDatums *restrict out, const PackDatums *restrict in) \
    { \
        ALL_DATUMS(j) { \
            uint32_t x = in->from[j]; \
            out->to[j] = (expression); \
        } \
    }

LATE(late_cut, half, word, x)
LATE(late_widen, word, half, x)
LATE(late_e8_tf32, word, word, x & 0xffffe000)
LATE(late_e8_bf16, half, word, e8_to_bf16(x))
LATE(late_e8_fp16, half, word, e8_to_fp16(x))
LATE(late_e8_e5m2, half, word, e8_to_fp16(x) >> 8)
LATE(late_e8_e4m3, half, word, fp16_to_e4m3(e8_to_fp16(x)))
LATE(late_e8_e5m7, half, word, fp16_to_e5m7(e8_to_fp16(x)))
LATE(late_bf16_fp32, word, half, x << 16)
LATE(late_bf16_fp16, half, half, bf16_to_fp16(x))
LATE(late_bf16_e5m2, half, half, bf16_to_fp16(x) >> 8)
LATE(late_bf16_e4m3, half, half, fp16_to_e4m3(bf16_to_fp16(x)))
LATE(late_bf16_e5m7, half, half, fp16_to_e5m7(bf16_to_fp16(x)))
LATE(late_e5_fp32, word, half, fp16_to_fp32(x))
LATE(late_e5_bf16, half, half, fp16_to_bf16(x))
LATE(late_e5_e5m2, half, half, x >> 8)
LATE(late_e5_e4m3, half, half, fp16_to_e4m3(x))
LATE(late_e5_e5m7, half, half, fp16_to_e5m7(x))

PackLateFn *const tensix_pack_late[] = {
    [LATE_CUT] = late_cut, [LATE_WIDEN] = late_widen,
    [LATE_E8_TF32] = late_e8_tf32, [LATE_E8_BF16] = late_e8_bf16,
    [LATE_E8_FP16] = late_e8_fp16, [LATE_E8_E5M2] = late_e8_e5m2,
    [LATE_E8_E4M3] = late_e8_e4m3, [LATE_E8_E5M7] = late_e8_e5m7,
    [LATE_BF16_FP32] = late_bf16_fp32, [LATE_BF16_FP16] = late_bf16_fp16,
    [LATE_BF16_E5M2] = late_bf16_e5m2, [LATE_BF16_E4M3] = late_bf16_e4m3,
    [LATE_BF16_E5M7] = late_bf16_e5m7,
    [LATE_E5_FP32] = late_e5_fp32, [LATE_E5_BF16] = late_e5_bf16,
    [LATE_E5_E5M2] = late_e5_e5m2, [LATE_E5_E4M3] = late_e5_e4m3,
    [LATE_E5_E5M7] = late_e5_e5m7,
};

/*
 * --- shared exponents ---
 *
 * Half up to seven bits, no further than 127; then BFP4 and BFP2 are cut.  A
 * zero has no sign: minus zero would read as minus infinity.
 *
 * They start from cells as Dst has them, S M7 E8: a byte of sign and mantissa
 * above a byte of exponent.
 */

#ifdef SIMD_AVX
/* (m + (1 << shift)) >> (shift + 1), each byte; 0 if shift is 8 or more. */
static inline SimdU8 round_bytes(SimdU8 m, SimdU8 shift)
{
    const SimdTable powers = { 128, 64, 32, 16, 8, 4, 2, 1 };
    /* 128 >> shift */
    SimdU8 p = simd_look_up(powers, simd_min8(shift, simd_splat8(15)));
    SimdU16 even = ((SimdU16)m & 0xff) * ((SimdU16)p & 0xff) + 0x80;
    SimdU16 odd = ((SimdU16)m >> 8) * ((SimdU16)p >> 8) + 0x80;

    return (SimdU8)(even >> 8 | (odd & 0xff00));
}

/* With the hidden bit, from a cell's sign and mantissa, and its exponent. */
static inline SimdU8 whole_mantissa(SimdU8 m, SimdU8 exponent, bool clean)
{
    const SimdU8 hidden = simd_splat8(SHARED_HIDDEN);
    SimdMask8 some = ~simd_eq8(exponent, simd_splat8(0));

    if (clean) {
        m = simd_keep8(~simd_eq8(exponent, simd_splat8(0xff)), m);
        return simd_keep8(some, m | hidden);
    }
    return (m & 0x7f) | simd_keep8(some, hidden);
}

/* SIMD_PARTS rows: a byte a datum makes each of them one part. */
static inline void share_vector(uint8_t *out, uint8_t *exponents,
                                const uint16_t *cells, bool clean,
                                unsigned bits)
{
    const unsigned cut = 8 - bits;
    SimdU16 a = (SimdU16)simd_load(cells);
    SimdU16 b = (SimdU16)simd_load(cells + 2 * SIMD_LANES);
    SimdU8 exponent = simd_narrow8(a & 0xff, b & 0xff);
    SimdU8 sign_mantissa = simd_narrow8(a >> 8, b >> 8);
    /* what exponents lack of 255: of that the least is quickly found */
    SimdU8 lack = ~exponent, least = simd_least8(lack), m, sign;

    m = whole_mantissa(sign_mantissa, exponent, clean);
    m = simd_min8(round_bytes(m, lack - least), simd_splat8(127));
    if (cut) {
        m = (SimdU8)((SimdU16)m >> cut) & (uint8_t)(0x7f >> cut);
    }
    sign = simd_keep8(~simd_eq8(m, simd_splat8(0)), sign_mantissa & 0x80);
    if (cut) {
        sign = (SimdU8)((SimdU16)sign >> cut);
    }
    simd_store8(out, m | sign);
    simd_store_firsts8(exponents, ~least);
}

static inline void share_rows(uint8_t *out, uint8_t *exponents,
                              const uint16_t *cells, bool clean, unsigned bits)
{
    for (unsigned k = 0; k < PACK_ROWS; k += SIMD_PARTS) {
        share_vector(&out[k * PACK_COLUMNS], &exponents[k],
                     &cells[k * PACK_COLUMNS], clean, bits);
    }
}
#else
/* v >> by, which is 0 for 8 and more; v is below 2^15. */
static inline uint16_t shift_right(uint16_t v, uint16_t by)
{
    v = by & 1 ? v >> 1 : v;
    v = by & 2 ? v >> 2 : v;
    v = by & 4 ? v >> 4 : v;
    return by < 8 ? v : 0;
}

static inline uint16_t share_one(uint16_t cell, uint16_t exponent, bool clean,
                                 unsigned bits)
{
    uint16_t e = cell & 0xff;
    uint16_t m = clean && (e == 0 || e == 0xff) ? 0 : cell >> 8 & 0x7f;

    m |= e ? SHARED_HIDDEN : 0;
    m = (uint16_t)(shift_right(m << 7, exponent - e) + 0x80) >> 8;
    m = (uint16_t)(m - (m >> 7)) >> (8 - bits);      /* 128 becomes 127 */
    return m ? m | cell >> 15 << (bits - 1) : 0;
}

static inline uint8_t share_row(uint8_t *restrict out,
                                const uint16_t *restrict cells, bool clean,
                                unsigned bits)
{
    int16_t exponent = 0;

    for (unsigned j = 0; j < PACK_COLUMNS; j++) {
        int16_t e = cells[j] & 0xff;

        exponent = e > exponent ? e : exponent;
    }
    for (unsigned j = 0; j < PACK_COLUMNS; j++) {
        out[j] = share_one(cells[j], exponent, clean, bits);
    }
    return exponent;
}

static inline void share_rows(uint8_t *out, uint8_t *exponents,
                              const uint16_t *cells, bool clean, unsigned bits)
{
    for (unsigned k = 0; k < PACK_ROWS; k++) {
        exponents[k] = share_row(&out[k * PACK_COLUMNS],
                                 &cells[k * PACK_COLUMNS], clean, bits);
    }
}
#endif

void tensix_pack_share_cells(uint8_t *out, uint8_t *exponents,
                             const uint16_t *cells, bool clean, unsigned bits)
{
    if (!clean) {
        share_rows(out, exponents, cells, false, bits);
    } else if (bits == 8) {
        share_rows(out, exponents, cells, true, 8);
    } else {
        share_rows(out, exponents, cells, true, bits);
    }
}

/* Groups of n < 16: as if zeroes followed, which change nothing. */
static void share_parts(uint8_t *out, uint8_t *exponents,
                        const uint16_t *cells, unsigned n, unsigned bits)
{
    uint16_t padded[PACK_DATUMS] = { 0 };
    uint8_t bytes[PACK_DATUMS];

    for (unsigned k = 0; k < PACK_ROWS; k++) {
        memcpy(&padded[k * PACK_COLUMNS], &cells[k * n], n * sizeof(cells[0]));
    }
    share_rows(bytes, exponents, padded, false, bits);
    for (unsigned k = 0; k < PACK_ROWS; k++) {
        memcpy(&out[k * n], &bytes[k * PACK_COLUMNS], n);
    }
}

void tensix_pack_share_exponents(uint8_t *out, uint8_t *exponents,
                                 const uint16_t *in, unsigned n, unsigned bits)
{
    uint16_t cells[PACK_DATUMS];

    ALL_DATUMS(j) {
        cells[j] = tensix_num_dst_encode_bf16(in[j]);
    }
    if (n == PACK_COLUMNS) {
        share_rows(out, exponents, cells, false, bits);
    } else {
        share_parts(out, exponents, cells, n, bits);
    }
}

/* --- four whole rows at once: PackGroup --- */

/* flatten: what is converted does not leave the function before it is written. */
#define GROUP(name, convert, size) \
    __attribute__((flatten)) \
    static TensixResult name(TensixCore *c, const TensixInsn *i, \
                             const TensixPackPlan *plan, uint32_t at, \
                             uint32_t address, uint32_t exponents) \
    { \
        const uint16_t *high = c->s.dst[at]; \
        const uint16_t *low = tensix_pack_low_rows(high); \
        PackDatums d; \
        \
        convert(&d, high, low, 0); \
        tensix_pack_burst(c, i, address, &d, size); \
        return TENSIX_DONE; \
    }

GROUP(group_bf16, early_bf16, sizeof(d.half))
GROUP(group_word, early_word, sizeof(d.word))
GROUP(group_early, tensix_pack_early[plan->early], plan->bytes)

static TensixResult group_late(TensixCore *c, const TensixInsn *i,
                               const TensixPackPlan *plan, uint32_t at,
                               uint32_t address, uint32_t exponents)
{
    const uint16_t *high = c->s.dst[at];
    PackDatums early, late;

    tensix_pack_early[plan->early](&early, high, tensix_pack_low_rows(high), 0);
    tensix_pack_late[plan->late](&late, &early);
    tensix_pack_burst(c, i, address, &late, plan->bytes);
    return TENSIX_DONE;
}

static TensixResult group_cells(TensixCore *c, const TensixInsn *i,
                                const TensixPackPlan *plan, uint32_t at,
                                uint32_t address, uint32_t exponents)
{
    uint8_t shared[PACK_ROWS], datums[PACK_DATUMS];

    tensix_pack_share_cells(datums, shared, c->s.dst[at],
                            plan->early == EARLY_BF16, 8);
    tensix_pack_burst(c, i, exponents, shared, sizeof(shared));
    tensix_pack_burst(c, i, address, datums, sizeof(datums));
    return TENSIX_DONE;
}

PackGroupFn *const tensix_pack_groups[] = {
    [PACK_GROUP_ANY] = tensix_pack_group_any,
    [PACK_GROUP_BF16] = group_bf16,
    [PACK_GROUP_WORD] = group_word,
    [PACK_GROUP_EARLY] = group_early,
    [PACK_GROUP_LATE] = group_late,
    [PACK_GROUP_CELLS] = group_cells,
};
