/*
 * Packer: which conversions a configuration asks for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Packers/FormatConversion.md, "Configuring the conversions".
 */

#include "num/num_pack.h"

/*
 * By IntermediateFormat; what Read_raw changes is in the second column.  Other
 * formats give no conversion: their datums pass as FP32 or, from 16 bits, BF16.
 */
typedef struct EarlyRow {
    PackEarlyChoice rounded, raw;
} EarlyRow;

#define FORMATS 16
#define DEFINED(kernel, family) { kernel, family, true }
#define UNDEFINED(kernel, family) { kernel, family, false }

static const EarlyRow from_32b[FORMATS] = {
    [TENSIX_FMT_FP32] = { DEFINED(EARLY_FP32, PACK_E8),
                          DEFINED(EARLY_FP32, PACK_E8) },
    [TENSIX_FMT_TF32] = { DEFINED(EARLY_FP32_TF32, PACK_E8),
                          DEFINED(EARLY_FP32, PACK_E8) },
    [TENSIX_FMT_FP16] = { DEFINED(EARLY_FP32_TF32, PACK_E8),
                          UNDEFINED(EARLY_FP32, PACK_E8) },
    [TENSIX_FMT_BF16] = { DEFINED(EARLY_FP32_BF16, PACK_BF16),
                          DEFINED(EARLY_FP32_BF16_CUT, PACK_BF16) },
    [TENSIX_FMT_BFP8] = { DEFINED(EARLY_FP32_E8M6, PACK_BF16),
                          DEFINED(EARLY_FP32_BF16_CUT, PACK_BF16) },
    [TENSIX_FMT_INT32] = { DEFINED(EARLY_INT32, PACK_INT32),
                           DEFINED(EARLY_INT32, PACK_INT32) },
    [TENSIX_FMT_INT16] = { DEFINED(EARLY_INT32_HIGH, PACK_INT16),
                           DEFINED(EARLY_INT32_HIGH, PACK_INT16) },
    [TENSIX_FMT_INT8] = { DEFINED(EARLY_INT32_INT8, PACK_INT8),
                          DEFINED(EARLY_INT32_INT8_CUT, PACK_INT8) },
};

static const EarlyRow from_16b[FORMATS] = {
    [TENSIX_FMT_TF32] = { DEFINED(EARLY_BF16, PACK_BF16),
                          UNDEFINED(EARLY_BF16_RAW, PACK_BF16) },
    [TENSIX_FMT_BF16] = { DEFINED(EARLY_BF16, PACK_BF16),
                          DEFINED(EARLY_BF16_RAW, PACK_BF16) },
    [TENSIX_FMT_BFP8] = { DEFINED(EARLY_BF16_E8M6, PACK_BF16),
                          DEFINED(EARLY_BF16_RAW, PACK_BF16) },
    [TENSIX_FMT_FP16] = { DEFINED(EARLY_FP16, PACK_E5),
                          DEFINED(EARLY_FP16_RAW, PACK_E5) },
    [TENSIX_FMT_BFP8A] = { DEFINED(EARLY_FP16_E5M6, PACK_E5),
                           DEFINED(EARLY_FP16_E5M7, PACK_E5) },
    [TENSIX_FMT_FP8] = { UNDEFINED(EARLY_FP16_FP8, PACK_E5),
                         DEFINED(EARLY_FP16_FP8, PACK_E5) },
    [TENSIX_FMT_INT16] = { DEFINED(EARLY_INT16, PACK_INT16),
                           DEFINED(EARLY_INT16, PACK_INT16) },
    [TENSIX_FMT_INT8] = { UNDEFINED(EARLY_SIGN, PACK_INT8),
                          DEFINED(EARLY_SIGN, PACK_INT8) },
};

static const PackEarlyChoice int32_to_unsigned[] = {
    DEFINED(EARLY_INT32_UINT8, PACK_UINT8),
    DEFINED(EARLY_INT32_UINT8_CUT, PACK_UINT8),
};

static const PackEarlyChoice fp32_to_tf32 =
    DEFINED(EARLY_FP32_TF32, PACK_E8);
static const PackEarlyChoice bf16_to_tf32 =
    DEFINED(EARLY_BF16, PACK_BF16);
static const PackEarlyChoice bf16_to_fp16 =
    DEFINED(EARLY_BF16_FP16, PACK_E5);

static const PackEarlyChoice bf16_undefined =
    UNDEFINED(EARLY_BF16_RAW, PACK_BF16);

static bool rounds_10b(PackEarlySpec spec)
{
    return spec.round_10b && !spec.raw &&
           (spec.format == TENSIX_FMT_FP32 || spec.format == TENSIX_FMT_BF16);
}

static PackEarlyChoice choose_row(PackEarlySpec spec)
{
    const EarlyRow *row =
        &(spec.read_32b ? from_32b : from_16b)[spec.format & (FORMATS - 1)];
    PackEarlyChoice choice = spec.raw ? row->raw : row->rounded;

    /* an empty row: EARLY_FP32, which needs 32 bits */
    return !spec.read_32b && choice.kernel == EARLY_FP32 ? bf16_undefined
                                                         : choice;
}

PackEarlyChoice tensix_pack_choose_early(PackEarlySpec spec)
{
    if (rounds_10b(spec)) {
        return spec.read_32b ? fp32_to_tf32 : bf16_to_tf32;
    }
    if (!spec.read_32b && spec.round_10b && spec.format == TENSIX_FMT_FP16) {
        return bf16_to_fp16;
    }
    if (spec.read_32b && spec.is_unsigned && spec.format == TENSIX_FMT_INT8) {
        return int32_to_unsigned[spec.raw];
    }
    return choose_row(spec);
}

/* Bits of a datum in L1; the low two bits of a format give it for most. */
static const uint8_t format_bits[FORMATS] = {
    32, 16, 8, 4, 32, 16, 8, 4, 32, 16, 8, 2, 32, 16, 8, 2,
};

static const uint8_t late_from_float[PACK_FLOATS][FORMATS] = {
    [PACK_E8] = {
        [TENSIX_FMT_FP32] = LATE_AS_IS, [TENSIX_FMT_TF32] = LATE_E8_TF32,
        [TENSIX_FMT_BF16] = LATE_E8_BF16, [TENSIX_FMT_FP16] = LATE_E8_FP16,
        [TENSIX_FMT_FP8] = LATE_E8_E5M2, [TENSIX_FMT_BFP8] = LATE_E8_BF16,
        [TENSIX_FMT_BFP4] = LATE_E8_BF16, [TENSIX_FMT_BFP2] = LATE_E8_BF16,
        [TENSIX_FMT_BFP8A] = LATE_E8_E5M7, [TENSIX_FMT_BFP4A] = LATE_E8_E5M7,
        [TENSIX_FMT_BFP2A] = LATE_E8_E5M7,
    },
    [PACK_BF16] = {
        [TENSIX_FMT_FP32] = LATE_BF16_FP32, [TENSIX_FMT_TF32] = LATE_BF16_FP32,
        [TENSIX_FMT_BF16] = LATE_AS_IS, [TENSIX_FMT_FP16] = LATE_BF16_FP16,
        [TENSIX_FMT_FP8] = LATE_BF16_E5M2, [TENSIX_FMT_BFP8] = LATE_AS_IS,
        [TENSIX_FMT_BFP4] = LATE_AS_IS, [TENSIX_FMT_BFP2] = LATE_AS_IS,
        [TENSIX_FMT_BFP8A] = LATE_BF16_E5M7,
        [TENSIX_FMT_BFP4A] = LATE_BF16_E5M7,
        [TENSIX_FMT_BFP2A] = LATE_BF16_E5M7,
    },
    [PACK_E5] = {
        [TENSIX_FMT_FP32] = LATE_E5_FP32, [TENSIX_FMT_TF32] = LATE_E5_FP32,
        [TENSIX_FMT_BF16] = LATE_E5_BF16, [TENSIX_FMT_FP16] = LATE_AS_IS,
        [TENSIX_FMT_FP8] = LATE_E5_E5M2, [TENSIX_FMT_BFP8] = LATE_E5_BF16,
        [TENSIX_FMT_BFP4] = LATE_E5_BF16, [TENSIX_FMT_BFP2] = LATE_E5_BF16,
        [TENSIX_FMT_BFP8A] = LATE_E5_E5M7, [TENSIX_FMT_BFP4A] = LATE_E5_E5M7,
        [TENSIX_FMT_BFP2A] = LATE_E5_E5M7,
    },
};

static const uint8_t integer_format[PACK_FAMILIES] = {
    [PACK_INT32] = TENSIX_FMT_INT32, [PACK_INT16] = TENSIX_FMT_INT16,
    [PACK_INT8] = TENSIX_FMT_INT8, [PACK_UINT8] = TENSIX_FMT_INT8,
};

/* Differs from the table by what is not in the format's number. */
static PackLate variant(PackLate kernel, bool e4m3)
{
    switch (kernel) {
    case LATE_E8_E5M2:
        return e4m3 ? LATE_E8_E4M3 : LATE_E8_E5M2;
    case LATE_BF16_E5M2:
        return e4m3 ? LATE_BF16_E4M3 : LATE_BF16_E5M2;
    case LATE_E5_E5M2:
        return e4m3 ? LATE_E5_E4M3 : LATE_E5_E5M2;
    default:
        return kernel;
    }
}

static PackLate late_kernel(PackFamily family, uint32_t format)
{
    if (family < PACK_FLOATS) {
        return late_from_float[family][format];
    }
    return format == integer_format[family] ? LATE_AS_IS : LATE_NONE;
}

/* Without a conversion: the bits as they are, in words or halves. */
static PackLate fit(PackFamily family, unsigned bits)
{
    bool words = bits == 32;

    if (words == tensix_pack_is_words(family)) {
        return LATE_AS_IS;
    }
    return words ? LATE_WIDEN : LATE_CUT;
}

static bool format_shares_exponent(uint32_t format)
{
    return (format & 3) == 3 || format == TENSIX_FMT_BFP8 ||
           format == TENSIX_FMT_BFP8A;
}

PackLateChoice tensix_pack_choose_late(PackEarlyChoice early, uint32_t format,
                                       bool e4m3)
{
    uint32_t f = format & (FORMATS - 1);
    PackLate kernel = late_kernel(early.family, f);
    bool defined = kernel != LATE_NONE;

    return (PackLateChoice) {
        .kernel = defined ? variant(kernel, e4m3)
                          : fit(early.family, format_bits[f]),
        .bits = format_bits[f],
        .shared_exponent = format_shares_exponent(f),
        .defined = defined,
    };
}
