/*
 * Tiles, BRISC: configuration, and the start of the three threads.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fields: blackhole-tile/tile.h, WH UNPACR_Regular.md, BH PACR.md.
 */

#include "tiles.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "brisc";

/* Shift_amount_cntx0 to 2 are the row stride's nibbles when tilizing. */
static uint32_t unpack_modes(void)
{
    uint32_t job = SHARED->job;
    uint32_t units = SHARED->row_bytes / L1_UNIT;
    uint32_t modes = FIELD(THCON_SEC0_REG2_Out_data_format,
                           SHARED->src_format);

    if (job == JOB_TRANSPOSE) {
        modes |= FIELD(THCON_SEC0_REG2_Haloize_mode, 1);
    } else if (job == JOB_TILIZE) {
        modes |= FIELD(THCON_SEC0_REG2_Tileize_mode, 1) |
                 units << CFG_THCON_SEC0_REG2_Shift_amount_cntx0_LOW;
    }
    return modes;
}

/* What tile.h does not know of. */
static void configure_job(void)
{
    CFG[CFG_THCON_SEC0_REG2_Out_data_format_WORD] = unpack_modes();
    CFG[CFG_THCON_SEC0_REG2_Disable_zero_compress_cntx0_WORD] =
        FIELD(THCON_SEC0_REG2_Disable_zero_compress_cntx0, 1) |
        FIELD(THCON_SEC0_REG2_Unpack_if_sel_cntx0,
              SHARED->job == JOB_TO_DEST);
    CFG[CFG_THCON_SEC0_REG1_Unp_LF8_4b_exp_WORD] =
        FIELD(THCON_SEC0_REG1_Unp_LF8_4b_exp, SHARED->fp8_e4m3) |
        FIELD(THCON_SEC0_REG1_Pac_LF8_4b_exp, SHARED->fp8_e4m3);
    CFG[CFG_THCON_SEC1_REG1_Unp_LF8_4b_exp_WORD] =
        FIELD(THCON_SEC1_REG1_Unp_LF8_4b_exp, SHARED->fp8_e4m3);
    CFG[CFG_STACC_RELU_ApplyRelu_WORD] =
        FIELD(STACC_RELU_ApplyRelu, SHARED->relu) |
        FIELD(STACC_RELU_ReluThreshold, SHARED->relu_threshold);
}

static void configure(void)
{
    const TileFormats formats = {
        .l1_in = SHARED->in_format,
        .src = SHARED->src_format,
        .dest = SHARED->pack_format,
        .l1_out = SHARED->out_format,
        .exponent_bytes = SHARED->out_exponents,
        .dest_32b = SHARED->dest_32b,
        .integer = SHARED->integer,
        .is_unsigned = SHARED->is_unsigned,
    };

    configure_tiles(&formats);
    configure_job();
}

int main(void)
{
    configure();
    release_harts(SOFT_RESET_TRISCS);
    return 0;
}
