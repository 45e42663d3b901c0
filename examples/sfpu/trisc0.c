/*
 * Y = f(X), TRISC0: tiles to SrcA.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sfpu.h"

int main(void)
{
    set_up_unpackers();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        point_unpackers(X_BASE + tile * TILE_BYTES, 0);
        ttinsn(TT_UNPACK_TILE(UNPACK_SRCA));
    }
    return 0;
}
