/*
 * Matrix multiplication, TRISC1: Dest += SrcB x SrcA, tile after tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The MOP plays the fidelity phases of each tile of a chunk, and gives both
 * Src banks back after each.  (blackhole-tile/mvmul.h, WH SrcASrcB.md)
 */

#include "matmul.h"
#include "blackhole-tile/mvmul.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc1";

static void set_up_mop(void)
{
    SET_MOP_LOOP(.outer = 1, .inner = SHARED->phases, .op0 = TT_PLAY_PHASE,
                 .end0 = TT(SETRWC, .clear_ab_vld = RELEASE_SRCA_SRCB,
                            .BitMask = RWC_ALL));
}

/* Waits for a half of Dest and works in it from now on. */
static void begin_tile(uint32_t half)
{
    TTINSN(SEMWAIT, .stall_res = BLOCK_MATH, .wait_sem_cond = WHILE_FULL,
           .sem_sel = SEM_MASK(SEM_MATH_PACK));
    if (half) {
        ttinsn(TT_SET_THREAD_CFG(DEST_TARGET_REG_CFG_MATH_Offset,
                                 DEST_HALF_ROWS));
    } else {
        ttinsn(TT_SET_THREAD_CFG(DEST_TARGET_REG_CFG_MATH_Offset, 0));
    }
}

static void end_tile(void)
{
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_MATH_DONE);
    TTINSN(SEMPOST, .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

static uint32_t half, mop_count = 1;

static void multiply(uint32_t command)
{
    if (command & UNIT_FIRST) {
        begin_tile(half);
    }
    write_mop_count(0, command & UNIT_COUNT, &mop_count);
    RUN_MOP_LOOP();
    if (command & UNIT_LAST) {
        end_tile();
        half ^= 1;
    }
}

int main(void)
{
    set_up_phase_modifiers();
    record_phase();
    set_up_mop();
    TTINSN(ZEROACC, .clear_mode = ZEROACC_ALL);
    TTINSN(SETRWC, .BitMask = RWC_ALL);
    for (;;) {
        uint32_t command = PCBUF_OWN;

        for (uint32_t n = command >> UNIT_REPEAT_LOW; n; n--) {
            multiply(command);
        }
    }
}
