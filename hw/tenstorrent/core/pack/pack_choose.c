/*
 * Packer: which conversions a configuration asks for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Packers/FormatConversion.md, "Configuring the conversions"; the table is
 * format_table.h.inc.
 */

#include "num/num_formats.h"

static const TensixFormat *format_row(uint32_t format)
{
    return &tensix_formats[format % TENSIX_FORMATS];
}

PackEarlyChoice tensix_pack_choose_early(PackEarlySpec spec)
{
    static const PackEarlyChoice bf16_ungiven = { EARLY_BF16_RAW, PACK_BF16 };
    const TensixFormat *row = format_row(spec.format);
    PackEarlyChoice choice =
        (spec.read_32b ? row->from_32b : row->from_16b)[spec.raw];
    PackEarlyChoice rounded =
        (spec.read_32b ? row->from_32b_10b : row->from_16b_10b)[spec.raw];
    PackEarlyChoice positive = row->from_32b_unsigned[spec.raw];

    if (spec.round_10b && rounded.defined) {
        return rounded;
    }
    if (spec.is_unsigned && spec.read_32b && positive.defined) {
        return positive;
    }
    /* none: EARLY_FP32, which needs 32 bits */
    return !spec.read_32b && choice.kernel == EARLY_FP32 ? bf16_ungiven
                                                         : choice;
}

static PackLate late_kernel(const TensixFormat *row, PackFamily family,
                            bool e4m3)
{
    if (family >= PACK_FLOATS) {
        return row->integers >> family & 1 ? LATE_AS_IS : LATE_NONE;
    }
    return e4m3 && row->to_late_e4m3[family] ? row->to_late_e4m3[family]
                                             : row->to_late[family];
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

PackLateChoice tensix_pack_choose_late(PackEarlyChoice early, uint32_t format,
                                       bool e4m3)
{
    const TensixFormat *row = format_row(format);
    uint8_t bits = row->bits ? row->bits : row->pack_bits;
    PackLate kernel = late_kernel(row, early.family, e4m3);
    bool defined = kernel != LATE_NONE;

    return (PackLateChoice) {
        .kernel = defined ? kernel : fit(early.family, bits),
        .bits = bits,
        .shared_exponent = row->shared_exponent,
        .defined = defined,
    };
}
