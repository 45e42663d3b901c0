/*
 * Circular, TRISC2: packs into pages.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "circular.h"

int main(void)
{
    uint32_t tiles = SHARED->tiles;

    set_up_packer();
    for (uint32_t tile = 0; tile < tiles; tile++) {
        reserve_page(OUT_STREAM, tile);
        pack_tile(page(OUT_BASE, tile), tile % DEST_HALVES);
        COUNT_PAGES(PAGES_RECEIVED(OUT_STREAM), tile + 1,
                    UNTIL_PACKED | UNTIL_SCALAR_DONE);
    }
    return 0;
}
