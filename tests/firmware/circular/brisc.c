/*
 * Circular, BRISC: configuration, and the reader.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "circular.h"

static void set_up(void)
{
    const TileFormats bf16 = {
        .l1_in = FORMAT_BF16,
        .src = FORMAT_BF16,
        .dest = FORMAT_BF16,
        .l1_out = FORMAT_BF16,
    };

    configure_tiles(&bf16);
    PAGES_RECEIVED(IN_STREAM) = PAGES_ACKED(IN_STREAM) = 0;
    PAGES_RECEIVED(OUT_STREAM) = PAGES_ACKED(OUT_STREAM) = 0;
    release_harts(SOFT_RESET_NCRISC | SOFT_RESET_TRISCS);
}

static void fill_page(Noc *noc, uint32_t number)
{
    if (SHARED->mistake != NO_RESERVE) {
        reserve_page(IN_STREAM, number);
    }
    noc_read(noc, NOC_OWN_TILE, FROM + number * PAGE_BYTES,
             page(IN_BASE, number), PAGE_BYTES);
    noc_wait(noc);
}

int main(void)
{
    Noc noc = noc_open(0);
    uint32_t tiles = SHARED->tiles;

    set_up();
    while (!SHARED->read) {
        fence();
    }
    for (uint32_t tile = 0; tile < tiles; tile++) {
        fill_page(&noc, tile);
        PAGES_RECEIVED(IN_STREAM) = tile + 1;
        SHARED->pushed = tile + 1;
    }
    if (SHARED->mistake == NO_PUSH) {
        fill_page(&noc, tiles);
    }
    SHARED->ended = 1;
    return 0;
}
