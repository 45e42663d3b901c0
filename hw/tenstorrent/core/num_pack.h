/*
 * Packer: what happens to datums between Dst and L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Packers/FormatConversion.md, ReLU.md, ExponentThresholding.md; where the
 * pages leave bits open, the bit-exact vectors decide.
 *
 * Between the two conversions a datum is a word of one of five families.  All
 * formats with 8 bits of exponent are FP32 bit patterns with low zeroes, all
 * with 5 bits are FP16 bit patterns with low zeroes.
 */

#ifndef TENSIX_NUM_PACK_H
#define TENSIX_NUM_PACK_H

#include "num.h"

enum {
    PACK_ROWS = 4,                 /* read interfaces */
    PACK_COLUMNS = 16,
    PACK_DATUMS = PACK_ROWS * PACK_COLUMNS,
    PACK_BURST_BYTES = PACK_DATUMS * 4,
};

typedef enum PackFamily {
    PACK_E8,                       /* FP32 bits */
    PACK_E5,                       /* FP16 bits */
    PACK_INT32,
    PACK_INT16,
    PACK_INT8,
    PACK_UINT8,
    PACK_FAMILIES,
} PackFamily;

/* Early conversions, named by what they read from Dst and what they make. */
typedef enum PackEarly {
    EARLY_FP32,                    /* 32 bits as they are */
    EARLY_FP32_TF32,
    EARLY_FP32_BF16,
    EARLY_FP32_BF16_CUT,
    EARLY_FP32_E8M6,
    EARLY_INT32,
    EARLY_INT32_HIGH,              /* the 16 bits of the upper row */
    EARLY_INT32_INT8,
    EARLY_INT32_UINT8,
    EARLY_INT32_INT8_CUT,
    EARLY_INT32_UINT8_CUT,
    EARLY_BF16,                    /* NaN, denormals and -0 replaced */
    EARLY_BF16_RAW,
    EARLY_BF16_E8M6,
    EARLY_BF16_FP16,
    EARLY_FP16,
    EARLY_FP16_RAW,
    EARLY_FP16_E5M6,
    EARLY_FP16_E5M7,
    EARLY_FP16_FP8,
    EARLY_INT16,
    EARLY_SIGN,                    /* INT8: the sign bit alone */
} PackEarly;

/* Late conversions: to what, before a shared exponent is taken out. */
typedef enum PackLate {
    LATE_NONE,                     /* the page gives no such conversion */
    LATE_AS_IS,
    LATE_E8_TF32,
    LATE_E8_BF16,
    LATE_E8_FP16,
    LATE_E8_E5M2,
    LATE_E8_E4M3,
    LATE_E8_E5M7,                  /* S E5 M7 in the places of a BF16 */
    LATE_E5_FP32,
    LATE_E5_BF16,
    LATE_E5_E5M2,
    LATE_E5_E4M3,
    LATE_E5_E5M7,
} PackLate;

/* What ALU_FORMAT_SPEC and PCK_DEST_RD_CTRL ask of the early conversion. */
typedef struct PackEarlySpec {
    uint32_t format;               /* IntermediateFormat, TENSIX_FMT_* */
    bool read_32b, raw, is_unsigned, round_10b;
} PackEarlySpec;

typedef struct PackEarlyChoice {
    PackEarly kernel;
    PackFamily family;
    bool narrow;                   /* its mantissa has at most 7 bits */
    bool defined;                  /* the page gives this conversion */
} PackEarlyChoice;

typedef struct PackLateChoice {
    PackLate kernel;
    uint8_t bits;                  /* of a datum in L1: 32, 16, 8, 4, 2 */
    bool shared_exponent;
    bool defined;
} PackLateChoice;

/* The conversion a specification asks for. */
PackEarlyChoice tensix_pack_choose_early(PackEarlySpec spec)
    TENSIX_ISA_SYMBOL("tensix_pack_choose_early");

/* From a family to Out_data_format; e4m3: Pac_LF8_4b_exp. */
PackLateChoice tensix_pack_choose_late(PackFamily family, uint32_t format,
                                       bool e4m3)
    TENSIX_ISA_SYMBOL("tensix_pack_choose_late");

/*
 * These work on PACK_DATUMS words.  v from Dst storage: high and low are four
 * rows of 16-bit cells, the second used by 32-bit conversions only.
 * shift: right shift of EARLY_INT32_INT8 and _UINT8, 0..31.
 */
void tensix_pack_early(PackEarly kernel, uint32_t *v, const uint16_t *high,
                       const uint16_t *low, uint32_t shift)
    TENSIX_ISA_SYMBOL("tensix_pack_early");

/* ReLU mode 1..3 in place; the threshold as configured, 16 bits. */
void tensix_pack_relu(PackFamily family, uint32_t mode, uint32_t threshold,
                      uint32_t *v)
    TENSIX_ISA_SYMBOL("tensix_pack_relu");

/* Datums whose exponent is below the threshold become 0; integers do not. */
void tensix_pack_exp_threshold(PackFamily family, uint32_t threshold,
                               uint32_t *v)
    TENSIX_ISA_SYMBOL("tensix_pack_exp_threshold");

/* In place; flush: LATE_*_BF16 make denormals 0. */
void tensix_pack_late(PackLate kernel, bool flush, uint32_t *v)
    TENSIX_ISA_SYMBOL("tensix_pack_late");

/*
 * One group of n <= 16 datums S E8 M7 (or S E5 M7 in the same places) to sign
 * and magnitude of 8, 4 or 2 bits, in place; returns the shared exponent.
 */
uint32_t tensix_pack_share_exponent(uint32_t *v, unsigned n, unsigned bits)
    TENSIX_ISA_SYMBOL("tensix_pack_share_exponent");

/* L1 accumulation: old + v in FP32, BF16 or FP16, v in place. */
void tensix_pack_accumulate(uint32_t format, uint32_t *v, const uint8_t *old,
                            unsigned n)
    TENSIX_ISA_SYMBOL("tensix_pack_accumulate");

#endif
