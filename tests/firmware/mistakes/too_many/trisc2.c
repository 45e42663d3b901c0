/*
 * examples/add, TRISC2, with a mistake: one tile more is packed than there is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "add.h"

int main(void)
{
    set_up_packer();
    /* wrong: <= */
    for (uint32_t tile = 0; tile <= SHARED->tiles; tile++) {
        pack_tile(C_BASE + tile * TILE_BYTES, tile % DEST_HALVES);
        SHARED->finished = tile + 1;
    }
    return 0;
}
