/*
 * A mistake: SrcB is filled, but not given to the Matrix Unit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "tensix.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc0";

enum { TO_SRCA, TO_SRCB, ZEROES = 1 };

int main(void)
{
    TTINSN(UNPACR_NOP, .Unpacker_Select = TO_SRCA, .Unpack_Pop = ZEROES,
           .Set_Dvalid = 1);
    /* wrong: .Set_Dvalid = 1 is missing */
    TTINSN(UNPACR_NOP, .Unpacker_Select = TO_SRCB, .Unpack_Pop = ZEROES);
    return 0;
}
