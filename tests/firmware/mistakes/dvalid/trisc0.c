/*
 * A mistake: SrcB is filled, but not given to the Matrix Unit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/kernel.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc0";

int main(void)
{
    TTINSN(UNPACR_NOP, .Unpacker_Select = UNPACK_SRCA,
           .Unpack_Pop = UNPACK_NOP_CLEAR_SRC, .Set_Dvalid = 1);
    /* wrong: .Set_Dvalid = 1 is missing */
    TTINSN(UNPACR_NOP, .Unpacker_Select = UNPACK_SRCB,
           .Unpack_Pop = UNPACK_NOP_CLEAR_SRC);
    return 0;
}
