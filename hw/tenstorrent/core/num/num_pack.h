/*
 * Packer: what happens to datums between Dst and L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Packers/FormatConversion.md, ReLU.md, ExponentThresholding.md; where the
 * pages leave bits open, the bit-exact vectors decide.
 *
 * Between the two conversions a datum is of one of seven families.  Those with
 * 8 bits of exponent are FP32 or BF16 bit patterns, those with 5 bits are FP16
 * bit patterns, each with low zeroes where the format has fewer mantissa bits.
 * FP32 and INT32 are words, all others halves: half as wide vectors do.
 */

#ifndef TENSIX_NUM_PACK_H
#define TENSIX_NUM_PACK_H

#include "num/num.h"

enum {
    PACK_ROWS = 4,                 /* read interfaces */
    PACK_COLUMNS = 16,
    PACK_DATUMS = PACK_ROWS * PACK_COLUMNS,
};

/*
 * A burst on its way.  Which member holds it depends on its family, and in the
 * end on the width of a datum in L1.
 */
typedef union PackDatums {
    uint32_t word[PACK_DATUMS];
    uint16_t half[PACK_DATUMS];
} __attribute__((aligned(64))) PackDatums;

typedef enum PackFamily {
    PACK_E8,                       /* FP32 bits: words */
    PACK_BF16,                     /* BF16 bits */
    PACK_E5,                       /* FP16 bits */
    PACK_FLOATS,
    PACK_INT32 = PACK_FLOATS,      /* words */
    PACK_INT16,
    PACK_INT8,
    PACK_UINT8,
    PACK_FAMILIES,
} PackFamily;

static inline bool tensix_pack_is_words(PackFamily family)
{
    return family == PACK_E8 || family == PACK_INT32;
}

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

/*
 * Late conversions: to what, before a shared exponent is taken out.  They make
 * words of 32-bit formats and halves of all others.
 */
typedef enum PackLate {
    LATE_NONE,                     /* the page gives no such conversion */
    LATE_AS_IS,
    LATE_CUT,                      /* low halves of words */
    LATE_WIDEN,                    /* halves as words */
    LATE_E8_TF32,
    LATE_E8_BF16,
    LATE_E8_FP16,
    LATE_E8_E5M2,
    LATE_E8_E4M3,
    LATE_E8_E5M7,                  /* S E5 M7 in the places of a BF16 */
    LATE_BF16_FP32,
    LATE_BF16_FP16,
    LATE_BF16_E5M2,
    LATE_BF16_E4M3,
    LATE_BF16_E5M7,
    LATE_E5_FP32,
    LATE_E5_BF16,                  /* denormals become 0 */
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

/* From there to Out_data_format; e4m3: Pac_LF8_4b_exp. */
PackLateChoice tensix_pack_choose_late(PackEarlyChoice early, uint32_t format,
                                       bool e4m3)
    TENSIX_ISA_SYMBOL("tensix_pack_choose_late");

/*
 * These work on PACK_DATUMS datums.  From Dst storage: high and low are four
 * rows of 16-bit cells, the second used by 32-bit conversions only.
 * shift: right shift of EARLY_INT32_INT8 and _UINT8, 0..31.  By PackEarly.
 */
typedef void PackEarlyFn(PackDatums *restrict out,
                         const uint16_t *restrict high,
                         const uint16_t *restrict low, uint32_t shift);

extern PackEarlyFn *const tensix_pack_early[]
    TENSIX_ISA_SYMBOL("tensix_pack_early");

/* ReLU mode 1..3 in place; the threshold as configured, 16 bits. */
void tensix_pack_relu(PackFamily family, uint32_t mode, uint32_t threshold,
                      PackDatums *d)
    TENSIX_ISA_SYMBOL("tensix_pack_relu");

/* Datums whose exponent is below the threshold become 0; integers do not. */
void tensix_pack_exp_threshold(PackFamily family, uint32_t threshold,
                               PackDatums *d)
    TENSIX_ISA_SYMBOL("tensix_pack_exp_threshold");

/* By PackLate, without LATE_NONE and LATE_AS_IS. */
typedef void PackLateFn(PackDatums *restrict out,
                        const PackDatums *restrict in);

extern PackLateFn *const tensix_pack_late[]
    TENSIX_ISA_SYMBOL("tensix_pack_late");

/*
 * PACK_ROWS groups of n <= 16 halves S E8 M7 (or S E5 M7 in the same places) to
 * bytes of sign and magnitude with 8, 4 or 2 bits, and a shared exponent each.
 */
void tensix_pack_share_exponents(uint8_t *out, uint8_t *exponents,
                                 const uint16_t *in, unsigned n, unsigned bits)
    TENSIX_ISA_SYMBOL("tensix_pack_share_exponents");

/* The same for whole rows of Dst's cells; clean: after EARLY_BF16. */
void tensix_pack_share_cells(uint8_t *out, uint8_t *exponents,
                             const uint16_t *cells, bool clean, unsigned bits)
    TENSIX_ISA_SYMBOL("tensix_pack_share_cells");

/* L1 accumulation of n datums: old + d in FP32, BF16 or FP16, in place. */
void tensix_pack_accumulate(uint32_t format, PackDatums *d, const uint8_t *old,
                            unsigned n)
    TENSIX_ISA_SYMBOL("tensix_pack_accumulate");

#endif
