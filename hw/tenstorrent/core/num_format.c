/*
 * Data formats: what is not needed once a lane (num.h has the rest).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPLOAD.md, BH SFPLOADI.md, BH Dst.md.
 */

#include "num.h"

uint32_t tensix_num_imm_fp16(uint32_t imm)
{
    return (imm & NUM_HALF_SIGN) << 16 |
           ((imm & 0x7fff) + (NUM_FP16_REBIAS << 10)) << 13;
}

bool tensix_num_format_is_bf16(uint32_t format)
{
    static const uint32_t formats =
        1u << TENSIX_FMT_FP32 | 1u << TENSIX_FMT_TF32 | 1u << TENSIX_FMT_BF16 |
        1u << TENSIX_FMT_BFP8 | 1u << TENSIX_FMT_BFP4 | 1u << TENSIX_FMT_BFP2 |
        1u << TENSIX_FMT_INT32 | 1u << TENSIX_FMT_INT16;

    return formats >> (format & 0xf) & 1;
}

uint32_t tensix_num_to_sign_magnitude(uint32_t value, unsigned width)
{
    uint32_t sign = 1u << (width - 1);

    if (!(value & sign)) {
        return value;
    }
    return sign | (-(value + (value == sign)) & (sign - 1));
}

uint32_t tensix_num_from_sign_magnitude(uint32_t value, unsigned width)
{
    uint32_t sign = 1u << (width - 1);

    return value & sign ? -(value & (sign - 1)) & (sign | (sign - 1)) : value;
}
