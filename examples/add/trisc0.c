/*
 * C = A + B, TRISC0: tiles of A to SrcA, of B to SrcB.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "add.h"

int main(void)
{
    set_up_unpackers();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        point_unpackers(A_BASE + tile * TILE_BYTES, B_BASE + tile * TILE_BYTES);
        ttinsn(TT_UNPACK_TILE(UNPACK_SRCA));
        ttinsn(TT_UNPACK_TILE(UNPACK_SRCB));
    }
    return 0;
}
