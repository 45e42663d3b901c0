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

#include "num/num_unpack.h"
#include "num/simd.h"

enum {
    CELL_SIGN = 1 << 18,
    CELL_HIGH = 8,                 /* where sign and mantissa begin */
    CELL_SIGN_MANTISSA8 = 11,      /* where sign and seven bits begin */
};

/* --- formats without shared exponent --- */

typedef SimdU Convert(SimdU datums);

SIMD_INLINE SimdU from_bf16(SimdU x)
{
    return (x << 3 & CELL_SIGN) | (x & 0x7f) << CELL_SIGN_MANTISSA8 |
           (x >> 7 & 0xff);
}

SIMD_INLINE SimdU from_fp16(SimdU x)
{
    return (x << 3 & CELL_SIGN) | (x & 0x3ff) << CELL_HIGH | (x >> 10 & 0x1f);
}

/* Opaque bits: laid out so that Dst16b gets them back as they were. */
SIMD_INLINE SimdU from_int16(SimdU x)
{
    return (x & 0xff00) << 3 | (x & 0xff);
}

/* TF32 truncates. */
SIMD_INLINE SimdU from_fp32_to_tf32(SimdU x)
{
    return (x >> 13 & CELL_SIGN) | (x >> 13 & 0x3ff) << CELL_HIGH |
           (x >> 23 & 0xff);
}

/* BF16 truncates, with denormals made signed zeroes. */
SIMD_INLINE SimdU from_fp32_to_bf16(SimdU x)
{
    SimdMask denormal = ~simd_test(x, simd_splat(NUM_FP32_INF));

    x = simd_select(denormal, x & (uint32_t)NUM_FP32_SIGN, x);
    return from_bf16(x >> 16);
}

/*
 * FP16 truncates; below its exponents is a signed zero, above them its largest
 * magnitude.  An exponent that becomes 0 keeps its mantissa.
 */
SIMD_INLINE SimdU from_fp32_to_fp16(SimdU x)
{
    SimdU sign = x >> 13 & CELL_SIGN;
    SimdI exponent = (SimdI)(x >> 23 & 0xff) - NUM_FP16_REBIAS;
    SimdU value = (x >> 13 & 0x3ff) << CELL_HIGH | (SimdU)exponent;
    SimdU largest = simd_splat(0x3ff << CELL_HIGH | NUM_FP16_EXP_MAX);
    SimdMask large = simd_lt(simd_splat_signed(NUM_FP16_EXP_MAX), exponent);

    value = simd_select(large, largest, value);
    return sign | simd_keep(~simd_negative((SimdU)exponent), value);
}

SIMD_INLINE SimdU from_bits32_to_dst(SimdU x)
{
    return (x & 0x8000ffff) | (x & 0x7f0000) << 8 | (x >> 7 & 0xff0000);
}

/* All ones below the sign: Blackhole fills the mantissa with ones. */
SIMD_INLINE SimdU from_e5m2(SimdU x)
{
    return from_fp16(x << 8 | ((SimdU)((x & 0x7f) == 0x7f) & 0xff));
}

SIMD_INLINE SimdU from_e4m3(SimdU x)
{
    enum { REBIAS = 15 - 7 };
    SimdU exponent = x >> 3 & 0xf;
    SimdU fill = (SimdU)((x & 0x7f) == 0x7f) & 0x7f;

    exponent += (SimdU)(exponent != 0) & REBIAS;
    return from_fp16((x & 0x80) << 8 | exponent << 10 | (x & 7) << 7 | fill);
}

/* Integer "8": the magnitude under a dummy exponent, zero under zero. */
SIMD_INLINE SimdU from_uint8(SimdU x)
{
    return x << CELL_HIGH | ((SimdU)(x != 0) & NUM_INT8_EXPONENT);
}

SIMD_INLINE SimdU from_int8(SimdU x)
{
    return (x << 11 & CELL_SIGN) | from_uint8(x & 0x7f);
}

/* SIMD_LANES datums of L1, one per lane. */

SIMD_INLINE SimdU load32(const uint8_t *p)
{
    return simd_load(p);
}

SIMD_INLINE SimdU load16(const uint8_t *p)
{
    return (SimdU)simd_load_half(p);
}

SIMD_INLINE SimdU load8(const uint8_t *p)
{
    return simd_load_quarter(p);
}

typedef SimdU Load(const uint8_t *p);

/* Inlined with constant functions into each kernel. */
SIMD_INLINE void convert_rows(TensixUnpackRow *out, const uint8_t *data,
                              uint32_t rows, uint32_t bytes, Load *load,
                              Convert *convert)
{
    uint32_t *cells = out[0];

    for (uint32_t n = 0; n < rows * UNPACK_ROW_DATUMS; n += SIMD_LANES) {
        simd_store(cells + n, convert(load(data + n * bytes)));
    }
}

#define SINGLE_KERNEL(name, bits) \
    static uint32_t kernel_##name(TensixUnpackRow *out, const uint8_t *data, \
                                  const uint8_t *exponents, uint32_t rows) \
    { \
        convert_rows(out, data, rows, bits / 8, load##bits, from_##name); \
        return 0; \
    }

/*
 * Floats of 16 bits with `mantissa` bits of mantissa: both copies of a datum
 * are shifted right at once, by multiplication, the low one to leave the
 * exponent and the high one the sign where cells have them; a shift left
 * leaves the mantissa, with zeroes where the sign is below it.
 */
SIMD_INLINE void store_halves(uint32_t *cells, SimdU16 x, uint32_t mantissa)
{
    uint32_t factors = 1u << (16 + 16 - 13) | 1u << (16 - mantissa);
    uint32_t from_left = CELL_SIGN - (1u << (15 - mantissa));

    simd_store(cells, simd_choose(simd_splat(from_left),
                                  (SimdU)x << (CELL_HIGH + 10 - mantissa),
                                  (SimdU)simd_mul_high16(
                                      x, (SimdU16)simd_splat(factors))));
}

SIMD_INLINE uint32_t convert_halves(TensixUnpackRow *out, const uint8_t *data,
                                    uint32_t rows, uint32_t mantissa)
{
    uint32_t *cells = out[0], count = rows * UNPACK_ROW_DATUMS, n = 0;
    SimdU16 first, second;

    for (; n + 2 * SIMD_LANES <= count; n += 2 * SIMD_LANES) {
        simd_load_twice_two(data + n * 2, &first, &second);
        store_halves(cells + n, first, mantissa);
        store_halves(cells + n + SIMD_LANES, second, mantissa);
    }
    if (n < count) {
        store_halves(cells + n, simd_load_twice(data + n * 2), mantissa);
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

/* A group: a vector of bytes. */
enum { GROUP_ROWS = SIMD_PARTS };

/* Sixteen times each of the group's exponents, arranged (simd_arrange8()). */
SIMD_INLINE SimdU8 spread_exponents(const uint8_t *exponents)
{
#ifdef SIMD_AVX
    uint32_t all = 0;
    SimdU8 from;

    memcpy(&all, exponents, GROUP_ROWS);
    for (unsigned n = 0; n < SIMD_BYTES; n++) {
        from[n] = n % SIMD_PART / (SIMD_PART / GROUP_ROWS);
    }
    return simd_shuffle8((SimdU8)simd_splat(all), from);
#else
    return simd_splat8(*exponents);
#endif
}

/* Bytes to the left by 2 or 4 where that loses nothing. */
SIMD_INLINE SimdU8 shift_where(SimdMask8 where, SimdU8 m, unsigned by)
{
#ifdef SIMD_AVX512
    if (by == 4) {
        /* m, 0 to 15 there, as an index: one instruction */
        const SimdTable times16 = { 0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60,
                                    0x70, 0x80, 0x90, 0xa0, 0xb0, 0xc0, 0xd0,
                                    0xe0, 0xf0 };

        return simd_select8(where, simd_look_up(times16, m), m);
    }
    m = simd_add_where8(where, m, m);
    return simd_add_where8(where, m, m);
#else
    SimdU8 shifted = (SimdU8)((SimdU16)m << by) & (uint8_t)(0xff << by);

    return simd_select8(where, shifted, m);
#endif
}

/* The exponent of a magnitude of zero: that of infinity if it is negative. */
SIMD_INLINE SimdU8 exponent_of_zero(SimdU8 datums, uint8_t max_exponent)
{
#ifdef SIMD_AVX512
    /* all alike for index 0, zero for an index with the top bit set */
    return simd_shuffle8(simd_splat8(max_exponent), datums ^ 0x80);
#else
    return simd_keep8(simd_negative8(datums), simd_splat8(max_exponent));
#endif
}

/*
 * datums: sign, then seven bits of magnitude without a hidden one, of which
 * the first bits - 1 count.  Normalises by conditional shifts; each takes as
 * much from the exponent, which wraps at 8 bits.  A magnitude of zero is +0,
 * or the largest exponent with a negative sign.  *high: sign and mantissa, the
 * hidden one removed.  Returns the exponents.
 */
SIMD_INLINE SimdU8 normalise(SimdU8 datums, SimdU8 e, SimdU8 *high,
                             uint32_t bits, uint8_t max_exponent)
{
    SimdU8 m = datums + datums;
    SimdMask8 zero = simd_eq8(m, simd_splat8(0)), small;

    if (bits > 4) {
        small = simd_below8(m, simd_splat8(0x10));
        m = shift_where(small, m, 4);
        e = simd_sub_where8(small, e, simd_splat8(4));
    }
    if (bits > 2) {
        small = simd_below8(m, simd_splat8(0x40));
        m = shift_where(small, m, 2);
        e = simd_sub_where8(small, e, simd_splat8(2));
        small = simd_below8(m, simd_splat8(0x80));
        m = simd_add_where8(small, m, m);
        e = simd_sub_where8(small, e, simd_splat8(1));
    }
    *high = (datums & 0x80) | (m & 0x7f);
    return simd_select8(zero, exponent_of_zero(datums, max_exponent), e);
}

/* Pairs of bytes, exponent and high, to cells: the first or second four. */
SIMD_INLINE SimdU widen_pairs(SimdU8 pairs, bool second)
{
    const uint32_t factors = 1 | 1u << (16 + CELL_SIGN_MANTISSA8);
    const SimdU8 zero = { 0 };
    SimdU8 x = second ? simd_zip_last8(pairs, zero)
                      : simd_zip_first8(pairs, zero);

    return (SimdU)simd_dot_pairs((SimdI16)x, (SimdI16)simd_splat(factors));
}

SIMD_INLINE void widen(TensixUnpackRow *out, SimdU8 exponent, SimdU8 high)
{
    uint32_t *cells = out[0];

    for (unsigned n = 0; n < 4; n++) {
        SimdU8 pairs = n / 2 ? simd_zip_last8(exponent, high)
                             : simd_zip_first8(exponent, high);

        simd_store(cells + n * SIMD_LANES, widen_pairs(pairs, n % 2));
    }
}

/* Datums of 2, 4 or 8 bits, the first at the low end, to the top of bytes. */
SIMD_INLINE SimdU8 to_bytes(const uint8_t *data, uint32_t bits)
{
    if (bits == 8) {
        return simd_load8(data);
    } else if (bits == 4) {
        SimdU16 x = simd_load_half16(data);

        return (SimdU8)((x << 4 & 0xf0) | (x & 0xf0) << 8);
    } else {
        SimdU x = load8(data);

        return (SimdU8)((x << 6 & 0xc0) | (x << 4 & 0xc0) << 8 |
                        (x << 2 & 0xc0) << 16 | (x & 0xc0) << 24);
    }
}

#ifdef SIMD_AVX
/* Datums of 2 or 4 bits, to the top of nibbles, one nibble a byte. */
SIMD_INLINE SimdU8 to_nibbles(const uint8_t *data, uint32_t bits)
{
    if (bits == 4) {
        SimdU16 x = simd_load_half16(data);

        return (SimdU8)((x | x << 4) & 0x0f0f);
    } else {
        SimdU x = load8(data);

        return (SimdU8)((x << 2 & 0xc) | (x & 0xc) << 8 |
                        (x & 0x30) << 14 | (x & 0xc0) << 20);
    }
}

/* As normalise(), of nibbles: a table has a byte for each of them. */
SIMD_INLINE SimdU8 normalise_nibbles(SimdU8 nibbles, SimdU8 exponents,
                                     SimdU8 *high, uint8_t max_exponent)
{
    const uint8_t top = max_exponent;
    const SimdTable mantissa = { 0, 0, 0, 0x40, 0, 0x20, 0x40, 0x60, 0x80, 0x80,
                                 0x80, 0xc0, 0x80, 0xa0, 0xc0, 0xe0 };
    const SimdTable shift = { 0, 2, 1, 1, 0, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0 };
    const SimdTable not_zero = { 0, 255, 255, 255, 255, 255, 255, 255,
                                 0, 255, 255, 255, 255, 255, 255, 255 };
    const SimdTable zero = { 0, 0, 0, 0, 0, 0, 0, 0, top, 0, 0, 0, 0, 0, 0, 0 };

    *high = simd_look_up(mantissa, nibbles);
    exponents -= simd_look_up(shift, nibbles);
    return (exponents & simd_look_up(not_zero, nibbles)) |
           simd_look_up(zero, nibbles);
}
#endif

/* A group's exponents; *high: sign and mantissa.  Both arranged. */
SIMD_INLINE SimdU8 convert_group(const uint8_t *data, const uint8_t *exponents,
                                 SimdU8 *high, uint32_t bits, uint8_t max_exponent)
{
    SimdU8 e = spread_exponents(exponents);

#ifdef SIMD_AVX
    if (bits < 8) {
        return normalise_nibbles(simd_arrange8(to_nibbles(data, bits)), e, high,
                                 max_exponent);
    }
#endif
    return normalise(simd_arrange8(to_bytes(data, bits)), e, high, bits,
                     max_exponent);
}

/* GROUP_ROWS rows; returns whether an exponent was too large. */
SIMD_INLINE uint32_t block_group(TensixUnpackRow *out, const uint8_t *data,
                                 const uint8_t *exponents, uint32_t bits,
                                 uint8_t max_exponent)
{
    SimdU8 high, exponent = convert_group(data, exponents, &high, bits,
                                         max_exponent);

    widen(out, exponent & max_exponent, high);
    return max_exponent != 0xff &&
           simd_any((SimdU)(exponent & (uint8_t)~max_exponent));
}

/* The last rows, fewer than a group, through buffers of a whole one. */
SIMD_INLINE uint32_t block_rest(TensixUnpackRow *out, const uint8_t *data,
                                const uint8_t *exponents, uint32_t rows,
                                uint32_t bits, uint8_t max_exponent)
{
    uint8_t padded[SIMD_BYTES] = { 0 }, e[GROUP_ROWS] = { 0 };
    TensixUnpackRow result[GROUP_ROWS];
    uint32_t bad;

    memcpy(padded, data, rows * UNPACK_ROW_DATUMS * bits / 8);
    memcpy(e, exponents, rows);
    bad = block_group(result, padded, e, bits, max_exponent);
    memcpy(out, result, rows * sizeof(result[0]));
    return bad;
}

SIMD_INLINE uint32_t block_rows(TensixUnpackRow *out, const uint8_t *data,
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
