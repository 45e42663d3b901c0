/*
 * Numerics of the coprocessor: bits in, bits out, no state.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_NUM_H
#define TENSIX_NUM_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/isa.h"

/* Data formats as configuration fields number them (4 bits). */
enum {
    TENSIX_FMT_FP32 = 0,
    TENSIX_FMT_FP16 = 1,
    TENSIX_FMT_BFP8A = 2,
    TENSIX_FMT_BFP4A = 3,
    TENSIX_FMT_TF32 = 4,
    TENSIX_FMT_BF16 = 5,
    TENSIX_FMT_BFP8 = 6,
    TENSIX_FMT_BFP4 = 7,
    TENSIX_FMT_INT32 = 8,
    TENSIX_FMT_INT16 = 9,
    TENSIX_FMT_FP8 = 10,
    TENSIX_FMT_BFP2A = 11,
    TENSIX_FMT_INT8 = 14,
    TENSIX_FMT_BFP2 = 15,
};

/* "BF16": the name of a format, of which four bits count. */
const char *tensix_format_name(uint32_t format);

enum {
    NUM_FP32_SIGN = 0x80000000u,
    NUM_FP32_INF = 0x7f800000u,
    NUM_FP32_NAN = 0x7fc00000u,     /* the only NaN that arithmetic makes */
    NUM_FP32_ONE = 0x3f800000u,
    NUM_LANES = 32,
};

/* --- num_fma.c: the multiply-add of the Vector Unit (BH SFPMAD.md) --- */

/* a * b + c on FP32 bits; partially fused, denormals are zero. */
uint32_t tensix_num_fma(uint32_t a, uint32_t b, uint32_t c)
    TENSIX_ISA_SYMBOL("tensix_num_fma");

/* The same on 32 lanes; d may be one of the operands. */
void tensix_num_fma_lanes(uint32_t *d, const uint32_t *a, const uint32_t *b,
                          const uint32_t *c)
    TENSIX_ISA_SYMBOL("tensix_num_fma_lanes");

/* b + c: tensix_num_fma_lanes with a of 1.0 in all lanes, but faster. */
void tensix_num_add_lanes(uint32_t *d, const uint32_t *b, const uint32_t *c)
    TENSIX_ISA_SYMBOL("tensix_num_add_lanes");

/* a * b + zero, where zero is +0 or -0; faster as well. */
void tensix_num_mul_lanes(uint32_t *d, const uint32_t *a, const uint32_t *b,
                          uint32_t zero)
    TENSIX_ISA_SYMBOL("tensix_num_mul_lanes");

/* --- between Dst storage and the rest, one datum; for use in lane loops --- */

/*
 * Dst keeps the exponent at the low end: BF16 is S M7 E8, FP16 is S M10 E5,
 * FP32 is a BF16 and 16 more mantissa bits (BH Dst.md, "Data type bit layout").
 * decode and encode move fields and change nothing else.
 */
enum {
    NUM_HALF_SIGN = 0x8000,
    NUM_FP16_REBIAS = 127 - 15,
    NUM_FP16_EXP_MAX = 31,
    NUM_INT8_EXPONENT = 16,        /* raw exponent under an integer "8" */
};

static inline uint32_t tensix_num_dst_decode_bf16(uint32_t stored)
{
    return (stored & NUM_HALF_SIGN) | (stored & 0xff) << 7 |
           (stored >> 8 & 0x7f);
}

static inline uint32_t tensix_num_dst_encode_bf16(uint32_t bits)
{
    return (bits & NUM_HALF_SIGN) | (bits & 0x7f) << 8 | (bits >> 7 & 0xff);
}

static inline uint32_t tensix_num_dst_decode_fp16(uint32_t stored)
{
    return (stored & NUM_HALF_SIGN) | (stored & 0x1f) << 10 |
           (stored >> 5 & 0x3ff);
}

static inline uint32_t tensix_num_dst_encode_fp16(uint32_t bits)
{
    return (bits & NUM_HALF_SIGN) | (bits & 0x3ff) << 5 | (bits >> 10 & 0x1f);
}

static inline uint32_t tensix_num_dst_decode32(uint32_t stored)
{
    return (stored & 0x8000ffff) | (stored & 0xff0000) << 7 |
           (stored >> 8 & 0x7f0000);
}

static inline uint32_t tensix_num_dst_encode32(uint32_t bits)
{
    return (bits & 0x8000ffff) | (bits & 0x7f0000) << 8 |
           (bits >> 7 & 0xff0000);
}

/* --- num_format.c --- */

/* An FP16 immediate to FP32: rebias only, no special cases (SFPLOADI.md). */
uint32_t tensix_num_imm_fp16(uint32_t imm)
    TENSIX_ISA_SYMBOL("tensix_num_imm_fp16");

/* Bits of a datum in L1, without shared exponents; 0: no such format. */
static inline uint32_t tensix_num_datum_bits(uint32_t format)
{
    static const uint8_t bits[16] = {
        [TENSIX_FMT_FP32] = 32, [TENSIX_FMT_TF32] = 32, [TENSIX_FMT_INT32] = 32,
        [TENSIX_FMT_FP16] = 16, [TENSIX_FMT_BF16] = 16, [TENSIX_FMT_INT16] = 16,
        [TENSIX_FMT_FP8] = 8, [TENSIX_FMT_INT8] = 8,
        [TENSIX_FMT_BFP8] = 8, [TENSIX_FMT_BFP8A] = 8,
        [TENSIX_FMT_BFP4] = 4, [TENSIX_FMT_BFP4A] = 4,
        [TENSIX_FMT_BFP2] = 2, [TENSIX_FMT_BFP2A] = 2,
    };

    return bits[format & 0xf];
}

/* Does a format keep an 8-bit exponent in Dst16b, so is read as BF16? */
static inline bool tensix_num_format_is_bf16(uint32_t format)
{
    const uint32_t formats =
        1u << TENSIX_FMT_FP32 | 1u << TENSIX_FMT_TF32 | 1u << TENSIX_FMT_BF16 |
        1u << TENSIX_FMT_BFP8 | 1u << TENSIX_FMT_BFP4 | 1u << TENSIX_FMT_BFP2 |
        1u << TENSIX_FMT_INT32 | 1u << TENSIX_FMT_INT16;

    return formats >> (format & 0xf) & 1;
}

/* Two's complement and sign-magnitude of `width` bits; the minimum clamps. */
uint32_t tensix_num_to_sign_magnitude(uint32_t value, unsigned width)
    TENSIX_ISA_SYMBOL("tensix_num_to_sign_magnitude");
uint32_t tensix_num_from_sign_magnitude(uint32_t value, unsigned width)
    TENSIX_ISA_SYMBOL("tensix_num_from_sign_magnitude");

#endif
