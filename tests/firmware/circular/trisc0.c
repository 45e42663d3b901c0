/*
 * Circular, TRISC0: unpacks pages.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "circular.h"

static void wait_for(uint32_t tile)
{
    if (SHARED->mistake != NO_WAIT) {
        wait_page(IN_STREAM, tile);
    }
}

static void unpack(uint32_t tile)
{
    point_unpackers(page(IN_BASE, tile), page(IN_BASE, tile));
    ttinsn(TT_UNPACK_TILE(UNPACK_SRCA));
    ttinsn(TT_UNPACK_TILE(UNPACK_SRCB));
}

int main(void)
{
    uint32_t tiles = SHARED->tiles;

    set_up_unpackers();
    while (!SHARED->unpack) {
        fence();
    }
    for (uint32_t tile = 0; tile < tiles; tile++) {
        wait_for(tile);
        unpack(tile);
        if (SHARED->mistake == NO_WAIT && !tile) {
            wait_coprocessor();
            SHARED->early = 1;
            wait_page(IN_STREAM, 0);
        }
        COUNT_PAGES(PAGES_ACKED(IN_STREAM), tile + 1, UNTIL_UNPACKED);
    }
    return 0;
}
