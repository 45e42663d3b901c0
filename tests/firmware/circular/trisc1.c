/*
 * Circular, TRISC1: adds each tile to itself.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "circular.h"

enum { EIGHT_ROWS = 8, NEXT_BLOCK = 1 };

int main(void)
{
    uint32_t tiles = SHARED->tiles;

    set_up_math();
    SET_ADDR_MOD(NEXT_BLOCK, .srca = { .incr = EIGHT_ROWS },
                 .srcb = { .incr = EIGHT_ROWS },
                 .dest = { .incr = EIGHT_ROWS });
    SET_MOP_LOOP(.outer = 1, .inner = TILE_ROWS / EIGHT_ROWS,
                 .op0 = TT(ELWADD, .addr_mode = NEXT_BLOCK));
    for (uint32_t tile = 0; tile < tiles; tile++) {
        begin_dest_half(tile % DEST_HALVES);
        RUN_MOP_LOOP();
        TTINSN(SETRWC, .clear_ab_vld = RELEASE_SRCA_SRCB, .BitMask = RWC_ALL);
        end_dest_half();
    }
    return 0;
}
