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

/* TENSIX_FMT_<name>: data formats as configuration fields number them (4 bits). */
enum {
#define FORMAT(number, name, ...) TENSIX_FMT_##name = number,
#define NO_FORMAT(...)
#include "num/format_table.h.inc"
#undef FORMAT
    TENSIX_FORMATS = 16,
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
    static const uint8_t bits_of[TENSIX_FORMATS] = {
#define FORMAT(number, name, bits, ...) [number] = bits,
#include "num/format_table.h.inc"
#undef FORMAT
    };

    return bits_of[format % TENSIX_FORMATS];
}

/* Does a format keep an 8-bit exponent in Dst16b, so is read as BF16? */
static inline bool tensix_num_format_is_bf16(uint32_t format)
{
    enum { E5, E8 };
    const uint32_t formats = 0
#define FORMAT(number, name, bits, cells, ...) | (uint32_t)cells << number
#include "num/format_table.h.inc"
#undef FORMAT
#undef NO_FORMAT
    ;

    return formats >> (format % TENSIX_FORMATS) & 1;
}

/* Two's complement and sign-magnitude of `width` bits; the minimum clamps. */
uint32_t tensix_num_to_sign_magnitude(uint32_t value, unsigned width)
    TENSIX_ISA_SYMBOL("tensix_num_to_sign_magnitude");
uint32_t tensix_num_from_sign_magnitude(uint32_t value, unsigned width)
    TENSIX_ISA_SYMBOL("tensix_num_from_sign_magnitude");

#endif
