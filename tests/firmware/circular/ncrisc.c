/*
 * Circular, NCRISC: the writer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "circular.h"

int main(void)
{
    Noc noc = noc_open(1);
    uint32_t tiles = SHARED->tiles;

    for (uint32_t tile = 0; tile < tiles; tile++) {
        wait_page(OUT_STREAM, tile);
        noc_write(&noc, NOC_OWN_TILE, TO + tile * PAGE_BYTES,
                  page(OUT_BASE, tile), PAGE_BYTES);
        noc_wait(&noc);
        if (SHARED->mistake != NO_POP || tile + 1 < tiles) {
            PAGES_ACKED(OUT_STREAM) = tile + 1;
        }
    }
    SHARED->finished = 1;
    return 0;
}
