/*
 * Format conversion of the unpackers: rows of datums of L1 to register cells.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Unpackers/FormatConversion.md and UNPACR_Regular.md (FormatConversion()).
 */

#ifndef TENSIX_NUM_UNPACK_H
#define TENSIX_NUM_UNPACK_H

#include "num/num.h"

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

typedef enum TensixUnpackKernelIndex {
    UNPACK_NONE,
    UNPACK_FP32_TO_TF32, UNPACK_FP32_TO_BF16, UNPACK_FP32_TO_FP16,
    UNPACK_BITS32_TO_DST,
    UNPACK_BF16, UNPACK_FP16, UNPACK_INT16,
    UNPACK_E5M2, UNPACK_E4M3, UNPACK_INT8, UNPACK_UINT8,
    UNPACK_BFP8, UNPACK_BFP4, UNPACK_BFP2,
    UNPACK_BFP8A, UNPACK_BFP4A, UNPACK_BFP2A,
    UNPACK_KERNELS,
} TensixUnpackKernelIndex;

extern TensixUnpackKernel *const tensix_unpack_kernels[UNPACK_KERNELS]
    TENSIX_ISA_SYMBOL("tensix_unpack_kernels");

/* One cell of 19 bits as Dst16b stores it. */
static inline uint16_t tensix_unpack_to_dst16(uint32_t cell, uint32_t dst)
{
    return dst == UNPACK_DST_8BIT_EXPONENT
           ? (cell & 0xff) | (cell >> 3 & 0xff00)
           : (cell & 0x1f) | (cell >> 3 & 0xffe0);
}

#endif
