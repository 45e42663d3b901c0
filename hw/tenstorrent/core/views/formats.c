/*
 * Dest, SrcA and SrcB as the math thread sees them just now.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "num/num.h"
#include "regs/regfile.h"

enum { MATH_THREAD = 1 };

const char *tensix_dst_format(const TensixCore *c)
{
    uint32_t bank = c->s.matrix_bank[TENSIX_SRCA];

    if (CFG_GET(c, MATH_THREAD, ALU_ACC_CTRL_INT8_math_enabled)) {
        return "int32";
    }
    if (CFG_GET(c, MATH_THREAD, ALU_ACC_CTRL_Fp32_enabled)) {
        return "fp32";
    }
    return tensix_num_format_is_bf16(c->s.src_format[TENSIX_SRCA][bank])
           ? "bf16" : "fp16";
}

const char *tensix_src_format(const TensixCore *c, uint32_t src, uint32_t bank)
{
    uint32_t format = c->s.src_format[src][bank];

    if (format == TENSIX_FMT_INT8) {
        return "int8";
    }
    return tensix_num_format_is_bf16(format) ? "tf32" : "fp16";
}

bool tensix_dst_row(const TensixCore *c, uint32_t row, bool is_32b,
                    uint32_t *cells)
{
    uint32_t at = is_32b ? tensix_dst_adj32(c, MATH_THREAD, row)
                         : tensix_dst_adj16(c, MATH_THREAD, row);
    uint32_t low = (at + DST_LOW_HALF_ROWS) & DST_ROW_MASK;

    for (uint32_t col = 0; col < TENSIX_COLUMNS; col++) {
        cells[col] = c->s.dst[at][col];
        if (is_32b) {
            cells[col] = cells[col] << 16 | c->s.dst[low][col];
        }
    }
    return c->s.dst_row_valid[at];
}
