/*
 * C = A + B, TRISC2 for any number of tiles: from Dest to L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "add.h"
#include "../held.h"

int main(void)
{
    set_up_packer();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        uint32_t at = tile % ADD_TILES_HELD * TILE_BYTES;

        pack_tile(C_BASE + at, tile % DEST_HALVES);
        SHARED->finished = tile + 1;
    }
    return 0;
}
