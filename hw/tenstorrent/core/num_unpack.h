/*
 * Format conversion of the unpackers: rows of datums of L1 to register cells.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Unpackers/FormatConversion.md and UNPACR_Regular.md (FormatConversion()).
 */

#ifndef TENSIX_NUM_UNPACK_H
#define TENSIX_NUM_UNPACK_H

#include "num.h"

enum {
    UNPACK_ROW_DATUMS = 16,
    UNPACK_MAX_ROWS = 64,          /* that one call of a kernel converts */
    UNPACK_MAX_DATUM_BITS = 32,
};

/* A row of cells: 19 bits of Src, or 32 of Dst32b, right-aligned. */
typedef uint32_t TensixUnpackRow[UNPACK_ROW_DATUMS];

/*
 * Converts `rows` rows of 16 datums, 0..UNPACK_MAX_ROWS, which follow each
 * other in `data`, little-endian as in L1.  exponents: one byte a row, read by
 * block floats only.  Returns whether an exponent had more than the five bits
 * of its format (BFP8a and its kin).
 */
typedef uint32_t TensixUnpackKernel(TensixUnpackRow *out, const uint8_t *data,
                                    const uint8_t *exponents, uint32_t rows);

/* How cells of 19 bits become cells of Dst16b. */
typedef enum TensixUnpackDst {
    UNPACK_DST_8BIT_EXPONENT,      /* BF16, and opaque 16 bits */
    UNPACK_DST_5BIT_EXPONENT,      /* FP16 and what is overlaid on it */
    UNPACK_DST_32B,                /* cells are of Dst32b already */
} TensixUnpackDst;

typedef struct TensixUnpackConversion {
    TensixUnpackKernel *kernel;
    uint8_t datum_bits;            /* in L1: 2, 4, 8, 16 or 32 */
    bool block_float;              /* has exponents of its own in L1 */
    uint8_t dst;                   /* TensixUnpackDst */
} TensixUnpackConversion;

/*
 * Bits of a datum in L1, 0: no such format; a block float's exponent does not
 * count.
 */
uint32_t tensix_unpack_datum_bits(uint32_t format)
    TENSIX_ISA_SYMBOL("tensix_unpack_datum_bits");

/* Is it a format whose datums share exponents? */
bool tensix_unpack_is_block_float(uint32_t format)
    TENSIX_ISA_SYMBOL("tensix_unpack_is_block_float");

/* Modes that choose among conversions of one pair of formats. */
enum {
    UNPACK_TO_DST = 1 << 0,
    UNPACK_INT8_UNSIGNED = 1 << 1, /* ALU_FORMAT_SPEC_REG0_Src?Unsigned */
    UNPACK_FP8_E4M3 = 1 << 2,      /* Unp_LF8_4b_exp, else e5m2 */
};

/*
 * The conversion from `in` to `out`; false if the pages define none.
 */
bool tensix_unpack_conversion(uint32_t in, uint32_t out, uint32_t modes,
                              TensixUnpackConversion *conversion)
    TENSIX_ISA_SYMBOL("tensix_unpack_conversion");

/* One cell of 19 bits as Dst16b stores it. */
static inline uint16_t tensix_unpack_to_dst16(uint32_t cell, uint32_t dst)
{
    return dst == UNPACK_DST_8BIT_EXPONENT
           ? (cell & 0xff) | (cell >> 3 & 0xff00)
           : (cell & 0x1f) | (cell >> 3 & 0xffe0);
}

#endif
