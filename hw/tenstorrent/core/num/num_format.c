/*
 * Data formats: what is not needed once a lane (num.h has the rest).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPLOAD.md, BH SFPLOADI.md, BH Dst.md.
 */

#include "num/num.h"

uint32_t tensix_num_imm_fp16(uint32_t imm)
{
    return (imm & NUM_HALF_SIGN) << 16 |
           ((imm & 0x7fff) + (NUM_FP16_REBIAS << 10)) << 13;
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
