/*
 * Leaks, TRISC1: an uninit that restores a value, and one that does not.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/kernel.h"

#define GO (*(volatile uint32_t *)0x30000)
#define DONE (*(volatile uint32_t *)0x30004)

#define SET_BITS(byte, field, mask, value) \
    TTINSN(RMWCIB##byte, .CfgRegAddr = CFG_##field##_WORD, .Mask = mask, \
           .Data = value)

static inline void wide_init(void)
{
    SET_BITS(3, ALU_ACC_CTRL_Fp32_enabled, 0x20, 0x20);
}

static inline void wide_uninit(void)
{
    SET_BITS(3, ALU_ACC_CTRL_Fp32_enabled, 0x20, 0);
}

/* SrcA's is bits 17 to 20. */
static inline void format_init(void)
{
    SET_BITS(2, ALU_FORMAT_SPEC_REG0_SrcA, 0x1e, 3 << 1);
    SET_BITS(2, ALU_FORMAT_SPEC_REG0_SrcA, 0x1e, 5 << 1);
}

static inline void format_uninit(void)
{
    SET_BITS(2, ALU_FORMAT_SPEC_REG0_SrcA, 0x1e, 1 << 1);
}

/* The Matrix Unit reads both fields to clear a row. */
static void clear_row(void)
{
    TTINSN(ZEROACC, .clear_mode = 0, .where = 0);
}

int main(void)
{
    wide_init();
    clear_row();
    wide_uninit();
    format_init();
    clear_row();
    format_uninit();
    clear_row();
    wait_coprocessor();
    DONE = 1;
    while (!GO) {
        fence();
    }
    clear_row();
    wait_coprocessor();
    return 0;
}
