/*
 * An unpacker written from the pages in another shape than the core's: first
 * the list of all datums, then where each one goes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef UNPACK_ORACLE_H
#define UNPACK_ORACLE_H

#include "core-fixture.h"

/* Formats by the number that configuration gives them (FormatConversion.md). */
enum {
    O_FP32, O_FP16, O_BFP8A, O_BFP4A, O_TF32, O_BF16, O_BFP8, O_BFP4, O_INT32,
    O_INT16, O_FP8, O_BFP2A, O_INT8 = 14, O_BFP2,
};

/* All that one UNPACR depends on beside L1; plain numbers, no bit fields. */
typedef struct UnpackCase {
    uint32_t thread, unpacker;
    bool multi;                    /* MultiContextMode */
    uint32_t context, context_offset;
    bool use_counter;              /* context = counter, not an operand */
    uint32_t context_adc;
    uint32_t in, out;              /* formats */
    bool override_format;          /* formats from the context's fields */
    bool is_unsigned, e4m3;
    bool compressed, forced, no_exponents;
    uint32_t exponent;
    uint32_t x_dim, y_dim, z_dim, w_dim, digest;
    uint32_t base, offset;         /* units of 16 bytes */
    bool tilize, transpose, zero, to_dst;
    uint32_t stride;               /* units of 16 bytes, when tilizing */
    uint32_t upsample_rate;
    bool interleave;
    uint32_t column_shift;
    uint32_t out_base, y_stride, z_stride, w_stride;  /* bytes */
    uint32_t context_out;
    bool add_context_out, ovrd_address;
    uint32_t src_row, set_base;
    bool row_update, flip;
    uint32_t increments;           /* Ch0Z, Ch0Y, Ch1Z, Ch1Y, two bits each */
    uint32_t state_id;             /* which configuration bank */
} UnpackCase;

/* Bits of a datum of the format in L1. */
uint32_t oracle_datum_bits(uint32_t format);
bool oracle_is_block_float(uint32_t format);

/*
 * One datum: 19 bits for Src, or what Dst16b or Dst32b holds.  exponent: of a
 * block float.
 */
uint32_t oracle_convert(const UnpackCase *k, uint32_t datum, uint32_t exponent);

/* Configuration and counters but ADCs into both states' places; the word. */
uint32_t oracle_setup(CoreFixture *f, const UnpackCase *k);

/*
 * Applies the instruction to a copy of the core's state; false, and nothing
 * done: it would leave the bank, which is undefined.
 */
bool oracle_unpack(TensixState *s, const uint8_t *l1, const UnpackCase *k);

#endif
