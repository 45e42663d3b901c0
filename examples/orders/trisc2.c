/*
 * Y = X * X from DRAM to DRAM, TRISC2: Dest to a slot, and BRISC is told.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "orders.h"

int main(void)
{
    set_up_packer();
    for (uint32_t tile = 0;; tile++) {
        pack_tile(MAILBOX(MAIL_BRISC), tile % DEST_HALVES);
        /* how many there are: nothing is lost if BRISC misses a number */
        PIC_SW_INT(TILE_DONE) = tile + 1;
    }
}
