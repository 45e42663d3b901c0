/*
 * Y = X * X from DRAM to DRAM, TRISC2: Dest to a slot, and BRISC is notified.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "orders.h"

int main(void)
{
    uint32_t slot, tile = 0;

    set_up_packer();
    for (; (slot = MAILBOX(MAIL_BRISC)) != NO_MORE; tile++) {
        pack_tile(slot, tile % DEST_HALVES);
        /* how many there are: nothing is lost if BRISC misses a number */
        PIC_SW_INT(TILE_DONE) = tile + 1;
    }
    return 0;
}
