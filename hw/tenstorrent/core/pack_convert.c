/*
 * Packer: format conversions, ReLU, thresholds, shared exponents, L1 sums.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Packers/FormatConversion.md, ReLU.md, ExponentThresholding.md.  The pages
 * name the conversions; how denormals, NaN and overflow come out of each is
 * what the bit-exact vectors show.
 *
 * Each kernel is one plain loop over up to 64 words, with every choice made
 * outside it, so that each build of the units vectorises it.
 */

#include <string.h>

#include "num_pack.h"

enum {
    BF16_INF = 0x7f80,
    BF16_NORMAL = 0x80,            /* the least number that is no denormal */
    FP16_MAX = 0x7fff,             /* stands for infinity */
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
};

#define EACH_DATUM(j, n) for (unsigned j = 0; j < (n); j++)

/* Kernels always do all 64, also where fewer are packed: that is quicker. */
#define ALL_DATUMS(j) EACH_DATUM(j, PACK_DATUMS)

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

static inline uint32_t bf16_clean(uint32_t x)
{
    return fp32_flush(fp32_nan_to_inf(x));
}

static inline uint32_t fp16_clean(uint32_t x)
{
    return (x & HALF_MAGNITUDE) < FP16_NORMAL ? 0 : x;
}

static inline uint32_t fp16_to_e5m6(uint32_t x)
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

static inline uint32_t dst_bf16(uint16_t stored)
{
    return tensix_num_dst_decode_bf16(stored) << 16;
}

typedef void EarlyFn(uint32_t *restrict v, const uint16_t *restrict high,
                     const uint16_t *restrict low, uint32_t shift);

/* One kernel from an expression in x, a row's cells or their 32-bit form. */
#define EARLY16(name, expression) \
    static void name(uint32_t *restrict v, const uint16_t *restrict high, \
                     const uint16_t *restrict low, uint32_t shift) \
    { \
        ALL_DATUMS(j) { \
            uint32_t x = high[j]; \
            v[j] = (expression); \
        } \
    }
#define EARLY32(name, expression) \
    static void name(uint32_t *restrict v, const uint16_t *restrict high, \
                     const uint16_t *restrict low, uint32_t shift) \
    { \
        ALL_DATUMS(j) { \
            uint32_t x = tensix_num_dst_decode32((uint32_t)high[j] << 16 | \
                                                 low[j]); \
            v[j] = (expression); \
        } \
    }

EARLY32(early_word, x)
EARLY32(early_fp32_tf32, fp32_round(x, 13))
EARLY32(early_fp32_bf16, fp32_round(x, 16))
EARLY32(early_fp32_bf16_cut, x & 0xffff0000)
EARLY32(early_fp32_e8m6, fp32_to_e8m6(x))
EARLY32(early_int32_int8, int32_to_int8(x, shift))
EARLY32(early_int32_uint8, int32_to_uint8(x, shift))
EARLY32(early_int32_int8_cut, (x >> 24 & 0x80) | (x & 0x7f))
EARLY32(early_int32_uint8_cut, x & 0xff)
EARLY16(early_bf16, bf16_clean(dst_bf16(x)))
EARLY16(early_bf16_raw, dst_bf16(x))
EARLY16(early_bf16_e8m6, (bf16_clean(dst_bf16(x)) + 0x10000) & 0xfffe0000)
EARLY16(early_bf16_fp16, e8_to_fp16(dst_bf16(x)))
EARLY16(early_fp16, fp16_clean(tensix_num_dst_decode_fp16(x)))
EARLY16(early_fp16_raw, tensix_num_dst_decode_fp16(x))
EARLY16(early_fp16_e5m6, fp16_to_e5m6(tensix_num_dst_decode_fp16(x)))
EARLY16(early_fp16_e5m7, tensix_num_dst_decode_fp16(x) & 0xfff8)
EARLY16(early_fp16_fp8, tensix_num_dst_decode_fp16(x) & 0xff00)
EARLY16(early_half, x)
EARLY16(early_sign, x >> 8 & 0x80)

static EarlyFn *const early_kernels[] = {
    [EARLY_FP32] = early_word, [EARLY_FP32_TF32] = early_fp32_tf32,
    [EARLY_FP32_BF16] = early_fp32_bf16,
    [EARLY_FP32_BF16_CUT] = early_fp32_bf16_cut,
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

void tensix_pack_early(PackEarly kernel, uint32_t *v, const uint16_t *high,
                       const uint16_t *low, uint32_t shift)
{
    early_kernels[kernel](v, high, low, shift);
}

/* --- ReLU and thresholds --- */

static void relu_loop(uint32_t *restrict v, uint32_t sign, uint32_t floor,
                      uint32_t ceiling, unsigned coarse)
{
    ALL_DATUMS(j) {
        uint32_t x = v[j] & sign || v[j] <= floor ? 0 : v[j];

        v[j] = x >> coarse > ceiling >> coarse ? ceiling : x;
    }
}

void tensix_pack_relu(PackFamily family, uint32_t mode, uint32_t threshold,
                      uint32_t *v)
{
    static const uint32_t sign[PACK_FAMILIES] = {
        [PACK_E8] = NUM_FP32_SIGN, [PACK_E5] = NUM_HALF_SIGN,
        [PACK_INT32] = NUM_FP32_SIGN, [PACK_INT16] = NUM_HALF_SIGN,
        [PACK_INT8] = 0x80, [PACK_UINT8] = 0,
    };
    uint32_t limit = family == PACK_E8 ? threshold << 16 : threshold;
    bool is_float = family <= PACK_E5;

    /* the clamp of FP32 looks at as many bits as TF32 has */
    relu_loop(v, sign[family], is_float && mode == 2 ? limit : 0,
              is_float && mode == 3 ? limit : UINT32_MAX,
              family == PACK_E8 && mode == 3 ? 13 : 0);
}

void tensix_pack_exp_threshold(PackFamily family, uint32_t threshold,
                               uint32_t *v)
{
    if (family == PACK_E8) {
        ALL_DATUMS(j) {
            v[j] = (v[j] >> 23 & 0xff) < threshold ? 0 : v[j];
        }
    } else if (family == PACK_E5) {
        ALL_DATUMS(j) {
            v[j] = (v[j] >> 10 & 0x1f) < threshold ? 0 : v[j];
        }
    }
}

/* --- late --- */

static inline uint32_t e8_to_bf16(uint32_t x, bool flush)
{
    x >>= 16;
    return flush && (x & HALF_MAGNITUDE) < BF16_NORMAL ? 0 : x;
}

/* A zero exponent is not rebiased: the mantissa of a denormal stays. */
static inline uint32_t fp16_to_fp32(uint32_t x)
{
    uint32_t rebias = x & 0x7c00 ? (uint32_t)NUM_FP16_REBIAS << 23 : 0;

    return (x & NUM_HALF_SIGN) << 16 |
           (((x & HALF_MAGNITUDE) << 13) + rebias);
}

static inline uint32_t fp16_to_bf16(uint32_t x, bool flush)
{
    return flush && !(x & 0x7c00) ? 0 : fp16_to_fp32(x) >> 16;
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

typedef void LateFn(uint32_t *restrict v, bool flush);

#define LATE(name, expression) \
    static void name(uint32_t *restrict v, bool flush) \
    { \
        ALL_DATUMS(j) { \
            uint32_t x = v[j]; \
            v[j] = (expression); \
        } \
    }

LATE(late_e8_tf32, x & 0xffffe000)
LATE(late_e8_bf16, e8_to_bf16(x, flush))
LATE(late_e8_fp16, e8_to_fp16(x))
LATE(late_e8_e5m2, e8_to_fp16(x) >> 8)
LATE(late_e8_e4m3, fp16_to_e4m3(e8_to_fp16(x)))
LATE(late_e8_e5m7, fp16_to_e5m7(e8_to_fp16(x)))
LATE(late_e5_fp32, fp16_to_fp32(x))
LATE(late_e5_bf16, fp16_to_bf16(x, flush))
LATE(late_e5_e5m2, x >> 8)
LATE(late_e5_e4m3, fp16_to_e4m3(x))
LATE(late_e5_e5m7, fp16_to_e5m7(x))

static LateFn *const late_kernels[] = {
    [LATE_E8_TF32] = late_e8_tf32, [LATE_E8_BF16] = late_e8_bf16,
    [LATE_E8_FP16] = late_e8_fp16, [LATE_E8_E5M2] = late_e8_e5m2,
    [LATE_E8_E4M3] = late_e8_e4m3, [LATE_E8_E5M7] = late_e8_e5m7,
    [LATE_E5_FP32] = late_e5_fp32, [LATE_E5_BF16] = late_e5_bf16,
    [LATE_E5_E5M2] = late_e5_e5m2, [LATE_E5_E4M3] = late_e5_e4m3,
    [LATE_E5_E5M7] = late_e5_e5m7,
};

void tensix_pack_late(PackLate kernel, bool flush, uint32_t *v)
{
    if (kernel != LATE_AS_IS) {
        late_kernels[kernel](v, flush);
    }
}

/* Half up to seven bits, no further than 127; then BFP4 and BFP2 are cut. */
static inline uint32_t share_one(uint32_t x, uint32_t exponent, unsigned bits)
{
    uint32_t e = x >> 7 & 0xff;
    uint32_t m = (x & 0x7f) | (e ? SHARED_HIDDEN : 0);
    uint32_t shift = exponent - e;

    shift = shift > 8 ? 8 : shift;
    m = (m + (1u << shift)) >> (shift + 1);
    m = shift > 7 ? 0 : m > 127 ? 127 : m;
    m >>= 8 - bits;
    /* minus zero would read as minus infinity */
    return m ? m | (x >> 15 & 1) << (bits - 1) : 0;
}

static inline uint32_t share(uint32_t *restrict v, unsigned n, unsigned bits)
{
    uint32_t exponent = 0;

    EACH_DATUM(j, n) {
        uint32_t e = v[j] >> 7 & 0xff;

        exponent = e > exponent ? e : exponent;
    }
    EACH_DATUM(j, n) {
        v[j] = share_one(v[j], exponent, bits);
    }
    return exponent;
}

uint32_t tensix_pack_share_exponent(uint32_t *v, unsigned n, unsigned bits)
{
    return n == PACK_COLUMNS ? share(v, PACK_COLUMNS, bits) : share(v, n, bits);
}

/* --- choices --- */

/*
 * By IntermediateFormat; what Read_raw changes is in the second column.  Other
 * formats give no conversion: their datums pass as FP32 or, from 16 bits, BF16.
 */
typedef struct EarlyRow {
    PackEarlyChoice rounded, raw;
} EarlyRow;

#define FORMATS 16
#define DEFINED(kernel, family, narrow) { kernel, family, narrow, true }
#define UNDEFINED(kernel, family, narrow) { kernel, family, narrow, false }

static const EarlyRow from_32b[FORMATS] = {
    [TENSIX_FMT_FP32] = { DEFINED(EARLY_FP32, PACK_E8, false),
                          DEFINED(EARLY_FP32, PACK_E8, false) },
    [TENSIX_FMT_TF32] = { DEFINED(EARLY_FP32_TF32, PACK_E8, false),
                          DEFINED(EARLY_FP32, PACK_E8, false) },
    [TENSIX_FMT_FP16] = { DEFINED(EARLY_FP32_TF32, PACK_E8, false),
                          UNDEFINED(EARLY_FP32, PACK_E8, false) },
    [TENSIX_FMT_BF16] = { DEFINED(EARLY_FP32_BF16, PACK_E8, true),
                          DEFINED(EARLY_FP32_BF16_CUT, PACK_E8, true) },
    [TENSIX_FMT_BFP8] = { DEFINED(EARLY_FP32_E8M6, PACK_E8, true),
                          DEFINED(EARLY_FP32_BF16_CUT, PACK_E8, true) },
    [TENSIX_FMT_INT32] = { DEFINED(EARLY_INT32, PACK_INT32, false),
                           DEFINED(EARLY_INT32, PACK_INT32, false) },
    [TENSIX_FMT_INT16] = { DEFINED(EARLY_INT32_HIGH, PACK_INT16, false),
                           DEFINED(EARLY_INT32_HIGH, PACK_INT16, false) },
    [TENSIX_FMT_INT8] = { DEFINED(EARLY_INT32_INT8, PACK_INT8, false),
                          DEFINED(EARLY_INT32_INT8_CUT, PACK_INT8, false) },
};

static const EarlyRow from_16b[FORMATS] = {
    [TENSIX_FMT_TF32] = { DEFINED(EARLY_BF16, PACK_E8, true),
                          UNDEFINED(EARLY_BF16_RAW, PACK_E8, true) },
    [TENSIX_FMT_BF16] = { DEFINED(EARLY_BF16, PACK_E8, true),
                          DEFINED(EARLY_BF16_RAW, PACK_E8, true) },
    [TENSIX_FMT_BFP8] = { DEFINED(EARLY_BF16_E8M6, PACK_E8, true),
                          DEFINED(EARLY_BF16_RAW, PACK_E8, true) },
    [TENSIX_FMT_FP16] = { DEFINED(EARLY_FP16, PACK_E5, false),
                          DEFINED(EARLY_FP16_RAW, PACK_E5, false) },
    [TENSIX_FMT_BFP8A] = { DEFINED(EARLY_FP16_E5M6, PACK_E5, true),
                           DEFINED(EARLY_FP16_E5M7, PACK_E5, true) },
    [TENSIX_FMT_FP8] = { UNDEFINED(EARLY_FP16_FP8, PACK_E5, true),
                         DEFINED(EARLY_FP16_FP8, PACK_E5, true) },
    [TENSIX_FMT_INT16] = { DEFINED(EARLY_INT16, PACK_INT16, false),
                           DEFINED(EARLY_INT16, PACK_INT16, false) },
    [TENSIX_FMT_INT8] = { UNDEFINED(EARLY_SIGN, PACK_INT8, false),
                          DEFINED(EARLY_SIGN, PACK_INT8, false) },
};

static const PackEarlyChoice int32_to_unsigned[] = {
    DEFINED(EARLY_INT32_UINT8, PACK_UINT8, false),
    DEFINED(EARLY_INT32_UINT8_CUT, PACK_UINT8, false),
};

static const PackEarlyChoice fp32_to_tf32 =
    DEFINED(EARLY_FP32_TF32, PACK_E8, false);
static const PackEarlyChoice bf16_to_tf32 =
    DEFINED(EARLY_BF16, PACK_E8, true);
static const PackEarlyChoice bf16_to_fp16 =
    DEFINED(EARLY_BF16_FP16, PACK_E5, false);

static const PackEarlyChoice bf16_undefined =
    UNDEFINED(EARLY_BF16_RAW, PACK_E8, true);

static bool rounds_10b(PackEarlySpec spec)
{
    return spec.round_10b && !spec.raw &&
           (spec.format == TENSIX_FMT_FP32 || spec.format == TENSIX_FMT_BF16);
}

static PackEarlyChoice choose_row(PackEarlySpec spec)
{
    const EarlyRow *row =
        &(spec.read_32b ? from_32b : from_16b)[spec.format & (FORMATS - 1)];
    PackEarlyChoice choice = spec.raw ? row->raw : row->rounded;

    /* an empty row: EARLY_FP32, which needs 32 bits */
    return !spec.read_32b && choice.kernel == EARLY_FP32 ? bf16_undefined
                                                         : choice;
}

PackEarlyChoice tensix_pack_choose_early(PackEarlySpec spec)
{
    if (rounds_10b(spec)) {
        return spec.read_32b ? fp32_to_tf32 : bf16_to_tf32;
    }
    if (!spec.read_32b && spec.round_10b && spec.format == TENSIX_FMT_FP16) {
        return bf16_to_fp16;
    }
    if (spec.read_32b && spec.is_unsigned && spec.format == TENSIX_FMT_INT8) {
        return int32_to_unsigned[spec.raw];
    }
    return choose_row(spec);
}

/* Bits of a datum in L1; the low two bits of a format give it for most. */
static const uint8_t format_bits[FORMATS] = {
    32, 16, 8, 4, 32, 16, 8, 4, 32, 16, 8, 2, 32, 16, 8, 2,
};

static const uint8_t late_from_float[2][FORMATS] = {
    [PACK_E8] = {
        [TENSIX_FMT_FP32] = LATE_AS_IS, [TENSIX_FMT_TF32] = LATE_E8_TF32,
        [TENSIX_FMT_BF16] = LATE_E8_BF16, [TENSIX_FMT_FP16] = LATE_E8_FP16,
        [TENSIX_FMT_FP8] = LATE_E8_E5M2, [TENSIX_FMT_BFP8] = LATE_E8_BF16,
        [TENSIX_FMT_BFP4] = LATE_E8_BF16, [TENSIX_FMT_BFP2] = LATE_E8_BF16,
        [TENSIX_FMT_BFP8A] = LATE_E8_E5M7, [TENSIX_FMT_BFP4A] = LATE_E8_E5M7,
        [TENSIX_FMT_BFP2A] = LATE_E8_E5M7,
    },
    [PACK_E5] = {
        [TENSIX_FMT_FP32] = LATE_E5_FP32, [TENSIX_FMT_TF32] = LATE_E5_FP32,
        [TENSIX_FMT_BF16] = LATE_E5_BF16, [TENSIX_FMT_FP16] = LATE_AS_IS,
        [TENSIX_FMT_FP8] = LATE_E5_E5M2, [TENSIX_FMT_BFP8] = LATE_E5_BF16,
        [TENSIX_FMT_BFP4] = LATE_E5_BF16, [TENSIX_FMT_BFP2] = LATE_E5_BF16,
        [TENSIX_FMT_BFP8A] = LATE_E5_E5M7, [TENSIX_FMT_BFP4A] = LATE_E5_E5M7,
        [TENSIX_FMT_BFP2A] = LATE_E5_E5M7,
    },
};

static const uint8_t integer_format[PACK_FAMILIES] = {
    [PACK_INT32] = TENSIX_FMT_INT32, [PACK_INT16] = TENSIX_FMT_INT16,
    [PACK_INT8] = TENSIX_FMT_INT8, [PACK_UINT8] = TENSIX_FMT_INT8,
};

static uint8_t late_kernel(PackFamily family, uint32_t format)
{
    if (family <= PACK_E5) {
        return late_from_float[family][format];
    }
    return format == integer_format[family] ? LATE_AS_IS : LATE_NONE;
}

static bool format_shares_exponent(uint32_t format)
{
    return (format & 3) == 3 || format == TENSIX_FMT_BFP8 ||
           format == TENSIX_FMT_BFP8A;
}

PackLateChoice tensix_pack_choose_late(PackFamily family, uint32_t format,
                                       bool e4m3)
{
    uint32_t f = format & (FORMATS - 1);
    uint8_t kernel = late_kernel(family, f);
    bool defined = kernel != LATE_NONE;

    if (!defined) {
        kernel = LATE_AS_IS;
    } else if (e4m3 && (kernel == LATE_E8_E5M2 || kernel == LATE_E5_E5M2)) {
        kernel++;                  /* its E4M3 form stands next */
    }
    return (PackLateChoice) {
        .kernel = kernel,
        .bits = format_bits[f],
        .shared_exponent = format_shares_exponent(f),
        .defined = defined,
    };
}
