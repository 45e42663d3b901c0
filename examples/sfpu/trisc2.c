/*
 * Y = f(X), TRISC2: from Dest to L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sfpu.h"

int main(void)
{
    set_up_packer();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        pack_tile(Y_BASE + tile * TILE_BYTES, tile % DEST_HALVES);
        SHARED->finished = tile + 1;
    }
    return 0;
}
