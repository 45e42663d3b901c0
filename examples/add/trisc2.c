/*
 * C = A + B, TRISC2: from Dest to L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "add.h"

int main(void)
{
    set_up_packer();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        pack_tile(C_BASE + tile * TILE_BYTES, tile % DEST_HALVES);
        SHARED->finished = tile + 1;
    }
    return 0;
}
