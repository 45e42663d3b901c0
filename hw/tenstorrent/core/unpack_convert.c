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

#include "num_unpack.h"

enum {
    CELL_SIGN = 1 << 18,
    CELL_HIGH = 8,                 /* where sign and mantissa begin */
    CELL_SIGN_MANTISSA8 = 11,      /* where sign and seven bits begin */
};

/* --- formats whose datums stand alone: one datum, for loops --- */

typedef uint32_t Convert(uint32_t datum);

static inline uint32_t from_bf16(uint32_t x)
{
    return (x << 3 & CELL_SIGN) | (x & 0x7f) << CELL_SIGN_MANTISSA8 |
           (x >> 7 & 0xff);
}

static inline uint32_t from_fp16(uint32_t x)
{
    return (x << 3 & CELL_SIGN) | (x & 0x3ff) << CELL_HIGH | (x >> 10 & 0x1f);
}

/* Opaque bits: laid out so that Dst16b gets them back as they were. */
static inline uint32_t from_int16(uint32_t x)
{
    return (x & 0xff00) << 3 | (x & 0xff);
}

/* TF32 truncates. */
static inline uint32_t from_fp32_to_tf32(uint32_t x)
{
    return (x >> 13 & CELL_SIGN) | (x >> 13 & 0x3ff) << CELL_HIGH |
           (x >> 23 & 0xff);
}

/* BF16 truncates, with denormals made signed zeroes. */
static inline uint32_t from_fp32_to_bf16(uint32_t x)
{
    return from_bf16(tensix_num_flush(x) >> 16);
}

/*
 * FP16 truncates; below its exponents is a signed zero, above them its largest
 * magnitude.  An exponent that becomes 0 keeps its mantissa.
 */
static inline uint32_t from_fp32_to_fp16(uint32_t x)
{
    uint32_t sign = x >> 13 & CELL_SIGN;
    int32_t exponent = (int32_t)(x >> 23 & 0xff) - NUM_FP16_REBIAS;
    uint32_t value = (x >> 13 & 0x3ff) << CELL_HIGH | (uint32_t)exponent;

    value = exponent > NUM_FP16_EXP_MAX ? 0x3ffu << CELL_HIGH | 0x1f : value;
    value = exponent < 0 ? 0 : value;
    return sign | value;
}

static inline uint32_t from_bits32_to_dst(uint32_t x)
{
    return tensix_num_dst_encode32(x);
}

/* All ones below the sign: Blackhole fills the mantissa with ones. */
static inline uint32_t from_e5m2(uint32_t x)
{
    return from_fp16(x << 8 | ((x & 0x7f) == 0x7f ? 0xff : 0));
}

static inline uint32_t from_e4m3(uint32_t x)
{
    enum { REBIAS = 15 - 7 };
    uint32_t exponent = x >> 3 & 0xf;
    uint32_t fill = (x & 0x7f) == 0x7f ? 0x7f : 0;

    exponent += exponent ? REBIAS : 0;
    return from_fp16((x & 0x80) << 8 | exponent << 10 | (x & 7) << 7 | fill);
}

/* Integer "8": the magnitude under a dummy exponent, zero under zero. */
static inline uint32_t from_uint8(uint32_t x)
{
    return x << CELL_HIGH | (x ? NUM_INT8_EXPONENT : 0);
}

static inline uint32_t from_int8(uint32_t x)
{
    return (x << 11 & CELL_SIGN) | from_uint8(x & 0x7f);
}

static inline uint32_t little16(const uint8_t *p)
{
    uint16_t x;

    memcpy(&x, p, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap16(x);
#endif
    return x;
}

static inline uint32_t little32(const uint8_t *p)
{
    uint32_t x;

    memcpy(&x, p, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap32(x);
#endif
    return x;
}

/*
 * A loop per width, inlined with a constant `convert` into each kernel.  A row
 * at a time, so that the compiler knows how many lanes there are.
 */
#define INLINE static inline __attribute__((always_inline))

INLINE void rows32(TensixUnpackRow *out, const uint8_t *data, uint32_t rows,
                   Convert *convert)
{
    for (uint32_t r = 0; r < rows; r++) {
        for (unsigned n = 0; n < UNPACK_ROW_DATUMS; n++) {
            out[r][n] = convert(little32(data + (r * UNPACK_ROW_DATUMS + n) * 4));
        }
    }
}

INLINE void rows16(TensixUnpackRow *out, const uint8_t *data, uint32_t rows,
                   Convert *convert)
{
    for (uint32_t r = 0; r < rows; r++) {
        for (unsigned n = 0; n < UNPACK_ROW_DATUMS; n++) {
            out[r][n] = convert(little16(data + (r * UNPACK_ROW_DATUMS + n) * 2));
        }
    }
}

INLINE void rows8(TensixUnpackRow *out, const uint8_t *data, uint32_t rows,
                  Convert *convert)
{
    for (uint32_t r = 0; r < rows; r++) {
        for (unsigned n = 0; n < UNPACK_ROW_DATUMS; n++) {
            out[r][n] = convert(data[r * UNPACK_ROW_DATUMS + n]);
        }
    }
}

#define SINGLE_KERNEL(name, loop) \
    static uint32_t kernel_##name(TensixUnpackRow *restrict out, \
                                  const uint8_t *restrict data, \
                                  const uint8_t *exponents, uint32_t rows) \
    { \
        loop(out, data, rows, from_##name); \
        return 0; \
    }

SINGLE_KERNEL(bf16, rows16)
SINGLE_KERNEL(fp16, rows16)
SINGLE_KERNEL(int16, rows16)
SINGLE_KERNEL(fp32_to_tf32, rows32)
SINGLE_KERNEL(fp32_to_bf16, rows32)
SINGLE_KERNEL(fp32_to_fp16, rows32)
SINGLE_KERNEL(bits32_to_dst, rows32)
SINGLE_KERNEL(e5m2, rows8)
SINGLE_KERNEL(e4m3, rows8)
SINGLE_KERNEL(uint8, rows8)
SINGLE_KERNEL(int8, rows8)

/* --- block floats: four rows at a time, a byte a datum --- */

enum { GROUP_ROWS = 4, GROUP_DATUMS = GROUP_ROWS * UNPACK_ROW_DATUMS };

typedef uint8_t Bytes __attribute__((vector_size(GROUP_DATUMS), may_alias));

/* Sixteen times each of four exponents. */
static inline void spread_exponents(Bytes *spread, const uint8_t *exponents)
{
    uint8_t *bytes = (uint8_t *)spread;

    for (unsigned r = 0; r < GROUP_ROWS; r++) {
        memset(bytes + r * UNPACK_ROW_DATUMS, exponents[r], UNPACK_ROW_DATUMS);
    }
}

/*
 * datums: sign, then seven bits of magnitude without a hidden one.  Normalises
 * by three conditional shifts; each takes as much from the exponent, which
 * wraps at 8 bits.  A magnitude of zero is +0, or the largest exponent with a
 * negative sign.  *exponent out: as the cell's low bits; *high: sign and
 * mantissa, the hidden one removed.
 */
static inline void normalise(const Bytes *datums, Bytes *exponent, Bytes *high,
                             uint8_t max_exponent)
{
    Bytes m = *datums + *datums;
    Bytes zero = (Bytes)(m == 0);
    Bytes negative = (Bytes)(*datums > 0x7f);
    Bytes e = *exponent, shift;

    shift = (Bytes)(m < 0x10);
    m = (shift & (m << 4)) | (~shift & m);
    e -= shift & 4;
    shift = (Bytes)(m < 0x40);
    m = (shift & (m << 2)) | (~shift & m);
    e -= shift & 2;
    shift = (Bytes)(m < 0x80);
    m = (shift & (m + m)) | (~shift & m);
    e += shift;                    /* all ones: minus one */
    *exponent = (zero & negative & max_exponent) | (~zero & e);
    *high = (*datums & 0x80) | (m & 0x7f);
}

static inline void widen(TensixUnpackRow *out, const Bytes *exponent,
                         const Bytes *high)
{
    const uint8_t *e = (const uint8_t *)exponent;
    const uint8_t *h = (const uint8_t *)high;

    for (unsigned r = 0; r < GROUP_ROWS; r++) {
        for (unsigned n = 0; n < UNPACK_ROW_DATUMS; n++) {
            out[r][n] = e[r * UNPACK_ROW_DATUMS + n] |
                        (uint32_t)h[r * UNPACK_ROW_DATUMS + n]
                            << CELL_SIGN_MANTISSA8;
        }
    }
}

/* Datums of 2, 4 or 8 bits, the first at the low end, to the top of bytes. */
INLINE void to_bytes(Bytes *bytes, const uint8_t *data, uint32_t bits)
{
    uint8_t *b = (uint8_t *)bytes;
    uint32_t per_byte = 8 / bits;

    for (unsigned n = 0; n < GROUP_DATUMS / per_byte; n++) {
        for (unsigned k = 0; k < per_byte; k++) {
            b[n * per_byte + k] = data[n] << (8 - bits - k * bits) &
                                  (0xff00 >> bits & 0xff);
        }
    }
}

/* Four rows; returns the bits of exponents of non-zero datums in `forbidden`. */
INLINE uint32_t block_group(TensixUnpackRow *out, const uint8_t *data,
                            const uint8_t *exponents, uint32_t bits,
                            uint8_t max_exponent)
{
    Bytes datums, exponent, high;

    to_bytes(&datums, data, bits);
    spread_exponents(&exponent, exponents);
    normalise(&datums, &exponent, &high, max_exponent);
    if (max_exponent != 0xff) {
        Bytes excess = exponent & (uint8_t)~max_exponent;
        uint8_t bad = 0;

        for (unsigned n = 0; n < GROUP_DATUMS; n++) {
            bad |= ((const uint8_t *)&excess)[n];
        }
        exponent &= max_exponent;
        widen(out, &exponent, &high);
        return bad;
    }
    widen(out, &exponent, &high);
    return 0;
}

/* The last one to three rows, through buffers of four. */
INLINE uint32_t block_rest(TensixUnpackRow *out, const uint8_t *data,
                           const uint8_t *exponents, uint32_t rows,
                           uint32_t bits, uint8_t max_exponent)
{
    uint8_t padded[GROUP_DATUMS] = { 0 }, e[GROUP_ROWS] = { 0 };
    TensixUnpackRow result[GROUP_ROWS];
    uint32_t bad;

    memcpy(padded, data, rows * UNPACK_ROW_DATUMS * bits / 8);
    memcpy(e, exponents, rows);
    bad = block_group(result, padded, e, bits, max_exponent);
    memcpy(out, result, rows * sizeof(result[0]));
    return bad;
}

INLINE uint32_t block_rows(TensixUnpackRow *restrict out,
                           const uint8_t *restrict data,
                           const uint8_t *restrict exponents, uint32_t rows,
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
    static uint32_t kernel_##name(TensixUnpackRow *restrict out, \
                                  const uint8_t *restrict data, \
                                  const uint8_t *restrict exponents, \
                                  uint32_t rows) \
    { \
        return block_rows(out, data, exponents, rows, bits, max_exponent); \
    }

BLOCK_KERNEL(bfp8, 8, 0xff)
BLOCK_KERNEL(bfp4, 4, 0xff)
BLOCK_KERNEL(bfp2, 2, 0xff)
BLOCK_KERNEL(bfp8a, 8, 0x1f)
BLOCK_KERNEL(bfp4a, 4, 0x1f)
BLOCK_KERNEL(bfp2a, 2, 0x1f)

/* --- which conversion --- */

enum { FORMATS = 16 };

static const uint8_t datum_bits[FORMATS] = {
    [TENSIX_FMT_FP32] = 32, [TENSIX_FMT_TF32] = 32, [TENSIX_FMT_INT32] = 32,
    [TENSIX_FMT_FP16] = 16, [TENSIX_FMT_BF16] = 16, [TENSIX_FMT_INT16] = 16,
    [TENSIX_FMT_FP8] = 8, [TENSIX_FMT_INT8] = 8,
    [TENSIX_FMT_BFP8] = 8, [TENSIX_FMT_BFP8A] = 8,
    [TENSIX_FMT_BFP4] = 4, [TENSIX_FMT_BFP4A] = 4,
    [TENSIX_FMT_BFP2] = 2, [TENSIX_FMT_BFP2A] = 2,
};

/* Kernels of the formats that become themselves, and their kind of Dst16b. */
static const struct {
    TensixUnpackKernel *kernel;
    uint8_t dst;
} own_format[FORMATS] = {
    [TENSIX_FMT_FP16] = { kernel_fp16, UNPACK_DST_5BIT_EXPONENT },
    [TENSIX_FMT_BF16] = { kernel_bf16, UNPACK_DST_8BIT_EXPONENT },
    [TENSIX_FMT_INT16] = { kernel_int16, UNPACK_DST_8BIT_EXPONENT },
    [TENSIX_FMT_FP8] = { kernel_e5m2, UNPACK_DST_5BIT_EXPONENT },
    [TENSIX_FMT_INT8] = { kernel_int8, UNPACK_DST_5BIT_EXPONENT },
    [TENSIX_FMT_BFP8] = { kernel_bfp8, UNPACK_DST_8BIT_EXPONENT },
    [TENSIX_FMT_BFP4] = { kernel_bfp4, UNPACK_DST_8BIT_EXPONENT },
    [TENSIX_FMT_BFP2] = { kernel_bfp2, UNPACK_DST_8BIT_EXPONENT },
    [TENSIX_FMT_BFP8A] = { kernel_bfp8a, UNPACK_DST_5BIT_EXPONENT },
    [TENSIX_FMT_BFP4A] = { kernel_bfp4a, UNPACK_DST_5BIT_EXPONENT },
    [TENSIX_FMT_BFP2A] = { kernel_bfp2a, UNPACK_DST_5BIT_EXPONENT },
};

uint32_t tensix_unpack_datum_bits(uint32_t format)
{
    return format < FORMATS ? datum_bits[format] : 0;
}

bool tensix_unpack_is_block_float(uint32_t format)
{
    return format == TENSIX_FMT_BFP8 || format == TENSIX_FMT_BFP8A ||
           format == TENSIX_FMT_BFP4 || format == TENSIX_FMT_BFP4A ||
           format == TENSIX_FMT_BFP2 || format == TENSIX_FMT_BFP2A;
}

/* FP32 in L1: the only format with a choice.  NULL: no such conversion. */
static TensixUnpackKernel *fp32_kernel(uint32_t out, bool to_dst, uint8_t *dst)
{
    switch (out) {
    case TENSIX_FMT_FP16:
        *dst = UNPACK_DST_5BIT_EXPONENT;
        return kernel_fp32_to_fp16;
    case TENSIX_FMT_BF16:
        *dst = UNPACK_DST_8BIT_EXPONENT;
        return kernel_fp32_to_bf16;
    case TENSIX_FMT_TF32:
        *dst = UNPACK_DST_32B;
        return to_dst ? kernel_bits32_to_dst : kernel_fp32_to_tf32;
    case TENSIX_FMT_FP32:
        *dst = UNPACK_DST_32B;
        return to_dst ? kernel_bits32_to_dst : NULL;
    default:
        return NULL;
    }
}

static TensixUnpackKernel *same_format_kernel(uint32_t format, uint32_t modes,
                                              uint8_t *dst)
{
    *dst = own_format[format].dst;
    if (format == TENSIX_FMT_TF32 || format == TENSIX_FMT_INT32) {
        *dst = UNPACK_DST_32B;
        return modes & UNPACK_TO_DST ? kernel_bits32_to_dst : NULL;
    }
    if (format == TENSIX_FMT_FP8 && modes & UNPACK_FP8_E4M3) {
        return kernel_e4m3;
    }
    if (format == TENSIX_FMT_INT8 && modes & UNPACK_INT8_UNSIGNED) {
        return kernel_uint8;
    }
    return own_format[format].kernel;
}

bool tensix_unpack_conversion(uint32_t in, uint32_t out, uint32_t modes,
                              TensixUnpackConversion *conversion)
{
    if (in >= FORMATS || out >= FORMATS || !datum_bits[in]) {
        return false;
    }
    conversion->datum_bits = datum_bits[in];
    conversion->block_float = tensix_unpack_is_block_float(in);
    if (in == TENSIX_FMT_FP32) {
        conversion->kernel =
            fp32_kernel(out, modes & UNPACK_TO_DST, &conversion->dst);
    } else if (in == out) {
        conversion->kernel = same_format_kernel(in, modes, &conversion->dst);
    } else {
        conversion->kernel = NULL;
    }
    return conversion->kernel != NULL;
}
