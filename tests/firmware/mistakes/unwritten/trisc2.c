/*
 * A mistake: rows of Dest are packed that were never written.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/tile.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc2";

enum { RESULT = 0x30000 };

static void configure_packer(void)
{
    CFG[CFG_ALU_FORMAT_SPEC_REG2_Dstacc_WORD] =
        FIELD(ALU_FORMAT_SPEC_REG2_Dstacc, FORMAT_BF16);
    CFG[CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD] = tile_base(RESULT);
    CFG[CFG_THCON_SEC0_REG1_In_data_format_WORD] =
        FIELD(THCON_SEC0_REG1_In_data_format, FORMAT_BF16) |
        FIELD(THCON_SEC0_REG1_Out_data_format, FORMAT_BF16) |
        FIELD(THCON_SEC0_REG1_Disable_zero_compress, 1);
}

int main(void)
{
    configure_packer();
    TTINSN(PACR, .Last = 1);
    wait_coprocessor();
    return 0;
}
