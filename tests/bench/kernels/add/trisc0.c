/*
 * C = A + B, TRISC0 for any number of tiles: tiles of A to SrcA, of B to SrcB.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "add.h"
#include "../held.h"

int main(void)
{
    set_up_unpackers();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        uint32_t at = tile % ADD_TILES_HELD * TILE_BYTES;

        point_unpackers(A_BASE + at, B_BASE + at);
        ttinsn(TT_UNPACK_TILE(UNPACK_SRCA));
        ttinsn(TT_UNPACK_TILE(UNPACK_SRCB));
    }
    return 0;
}
