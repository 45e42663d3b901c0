/*
 * Y = X * X from DRAM to DRAM, TRISC0: a slot to SrcA and SrcB for each order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "orders.h"

int main(void)
{
    uint32_t slot;

    set_up_unpackers();
    /* the load waits until there is mail */
    while ((slot = MAILBOX(MAIL_BRISC)) != NO_MORE) {
        point_unpackers(slot, slot);
        ttinsn(TT_UNPACK_TILE(UNPACK_SRCA));
        ttinsn(TT_UNPACK_TILE(UNPACK_SRCB));
    }
    return 0;
}
