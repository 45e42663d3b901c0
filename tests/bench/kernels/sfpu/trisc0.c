/*
 * Y = f(X), TRISC0 for any number of tiles: tiles to SrcA.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sfpu.h"
#include "../held.h"

int main(void)
{
    set_up_unpackers();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        uint32_t at = tile % SFPU_TILES_HELD * TILE_BYTES;

        point_unpackers(X_BASE + at, 0);
        ttinsn(TT_UNPACK_TILE(UNPACK_SRCA));
    }
    return 0;
}
