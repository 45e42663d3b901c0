/*
 * Formats of SFPLOAD, SFPSTORE and SFPLOADMACRO: their operand instr_mod0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_SFPU_FORMATS_H
#define TENSIX_SFPU_FORMATS_H

enum {
    FMT_SRCB,                      /* as configured: one of the next three */
    FMT_FP16,
    FMT_BF16,
    FMT_FP32,
    FMT_INT32,
    FMT_INT8,
    FMT_UINT16,
    FMT_HI16,
    FMT_INT16,
    FMT_LO16,
    FMT_INT32_ALL,
    FMT_ZERO,
    FMT_INT32_SM,
    FMT_INT8_COMP,
    FMT_LO16_ONLY,
    FMT_HI16_ONLY,
    FMT_COUNT,
};

#endif
