/*
 * examples/add, TRISC1, with a mistake: SrcA and SrcB are not given back.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH ELWADD.md, RWCs.md.
 */

#include "add.h"

enum {
    EIGHT_ROWS = 8,                /* one ELWADD's */
    BLOCKS = TILE_ROWS / EIGHT_ROWS,
    NEXT_BLOCK = 1,                /* address modifier */
};

static void set_up(void)
{
    set_up_math();
    /* after each ELWADD, eight rows on in SrcA, SrcB and Dest */
    SET_ADDR_MOD(NEXT_BLOCK, .srca = { .incr = EIGHT_ROWS },
                 .srcb = { .incr = EIGHT_ROWS },
                 .dest = { .incr = EIGHT_ROWS });
    SET_MOP_LOOP(.outer = 1, .inner = BLOCKS,
                 .op0 = TT(ELWADD, .addr_mode = NEXT_BLOCK));
}

static void add(uint32_t half)
{
    begin_dest_half(half);
    /* eight ELWADD, each of which waits for both banks */
    RUN_MOP_LOOP();
    /* the banks back to the unpackers, all counters to 0 */
    /* wrong: .clear_ab_vld = RELEASE_SRCA_SRCB is missing */
    TTINSN(SETRWC, .BitMask = RWC_ALL);
    end_dest_half();
}

int main(void)
{
    set_up();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        add(tile % DEST_HALVES);
    }
    return 0;
}
