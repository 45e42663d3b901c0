/*
 * The packer's conversions of one datum, in whole numbers and reals.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Packers/FormatConversion.md, ReLU.md; BH PACR.md.
 */

#ifndef PACK_ORACLE_H
#define PACK_ORACLE_H

#include "core-fixture.h"

typedef struct Setup {
    unsigned early, late;          /* IntermediateFormat, Out_data_format */
    bool wide, raw, is_unsigned, round_10b, e4m3, accumulate;
    unsigned relu, threshold;
    unsigned downsample;
} Setup;

typedef struct Parts {
    int sign, exponent, fraction, bits;  /* fraction of `bits` bits */
} Parts;

Parts pack_zero(int sign, int bits);

bool pack_is_bfp_a(unsigned format);

bool pack_is_bfp_b(unsigned format);

/* Storage: sign, fraction, exponent; 32-bit numbers have 16 more bits. */
Parts pack_parse(const Setup *s, unsigned high, unsigned low);

/* From Dst's format to the intermediate one. */
Parts pack_early(const Setup *s, Parts p);

/* In order of magnitude; all exponents count as numbers. */
Parts pack_relu(const Setup *s, Parts p);

/* To what is stored, or to what goes into a block of 16. */
Parts pack_late_parts(const Setup *s, Parts p);

/* As the bits that are stored. */
uint32_t pack_late(const Setup *s, Parts p);

/* Sign and magnitude of a block's datum under the block's exponent. */
uint32_t pack_block_magnitude(Parts p, int shared);

/* An INT32 as INT8 or UINT8, divided by 2 to the power of `shift`. */
uint32_t pack_int8(const Setup *s, uint32_t x, unsigned shift);

uint32_t pack_join(Parts p, int exponent_bits, int bits);

#endif
