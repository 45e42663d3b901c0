/*
 * A mistake: all 32 bits of 1.0 in an operand that takes the upper 16.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/kernel.h"

int main(void)
{
    TTINSN(SFPLOADI, .lreg_ind = 0, .instr_mod0 = SFPLOADI_UPPER,
           .imm16 = 0x3F800000);
    return 0;
}
