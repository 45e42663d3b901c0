/*
 * Fills SrcA with zeroes and gives it to the Matrix Unit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/kernel.h"

int main(void)
{
    TTINSN(UNPACR_NOP, .Unpacker_Select = UNPACK_SRCA,
           .Unpack_Pop = UNPACK_NOP_CLEAR_SRC, .Set_Dvalid = 1);
    return 0;
}
