/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "add.h"

enum { PHASES = 4, EIGHT_ROWS = 8, BLOCKS = TILE_ROWS / EIGHT_ROWS };
/* Address modifiers; set_up_math() has set number 0 */
enum { STAY, NEXT_BLOCK, NEXT_PHASE };

static void set_up(void)
{
    set_up_math();
    SET_ADDR_MOD(NEXT_BLOCK, .srca = { .incr = EIGHT_ROWS },
                 .srcb = { .incr = EIGHT_ROWS },
                 .dest = { .incr = EIGHT_ROWS });
    SET_ADDR_MOD(NEXT_PHASE, .srca = { .clr = 1 }, .srcb = { .clr = 1 },
                 .dest = { .clr = 1 }, .fidelity = { .incr = 1 });
    SET_MOP_LOOP(.outer = PHASES, .inner = BLOCKS,
                 .op0 = TT(ELWMUL, .addr_mode = NEXT_BLOCK),
                 .last_of_inner = TT(ELWMUL, .addr_mode = NEXT_PHASE),
                 .last_of_all = TT(ELWMUL, .addr_mode = NEXT_PHASE));
}

static void multiply(uint32_t half)
{
    begin_dest_half(half);
    RUN_MOP_LOOP();
    TTINSN(SETRWC, .clear_ab_vld = RELEASE_SRCA_SRCB, .BitMask = RWC_ALL);
    end_dest_half();
}

int main(void)
{
    set_up();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        multiply(tile % DEST_HALVES);
    }
    return 0;
}
