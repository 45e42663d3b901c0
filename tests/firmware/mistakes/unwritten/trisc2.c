/*
 * A mistake: rows of Dest are packed that nobody has written.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

/* CFG_<field>_WORD and CFG_<field>_LOW of the configuration */
#define CFG(name, word, low, width) \
    CFG_##name##_WORD = word, CFG_##name##_LOW = low,
enum {
#include "../../../../hw/tenstorrent/core/config/cfg_table.h.inc"
};
#undef CFG

#include "tensix.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc2";

enum { BF16 = 5, L1_UNIT = 16, RESULT = 0x30000 };

#define FIELD(name, value) ((uint32_t)(value) << CFG_##name##_LOW)

static void configure_packer(void)
{
    CFG[CFG_ALU_FORMAT_SPEC_REG2_Dstacc_WORD] =
        FIELD(ALU_FORMAT_SPEC_REG2_Dstacc, BF16);
    CFG[CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD] = RESULT / L1_UNIT - 1;
    CFG[CFG_THCON_SEC0_REG1_In_data_format_WORD] =
        FIELD(THCON_SEC0_REG1_In_data_format, BF16) |
        FIELD(THCON_SEC0_REG1_Out_data_format, BF16) |
        FIELD(THCON_SEC0_REG1_Disable_zero_compress, 1);
}

int main(void)
{
    configure_packer();
    TTINSN(PACR, .Last = 1);
    wait_coprocessor();
    return 0;
}
