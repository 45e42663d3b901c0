/*
 * A mistake: the Vector Unit reads Dest while the Matrix Unit may still write.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/tile.h"

int main(void)
{
    set_up_math();
    TTINSN(MOVA2D, .instr_mod = MOVA2D_8_ROWS);
    /* forgotten: STALLWAIT of BLOCK_SFPU until UNTIL_MATH_DONE */
    TTINSN(SFPLOAD, .lreg_ind = 0, .instr_mod0 = SFP_FORMAT_BF16);
    wait_coprocessor();
    return 0;
}
