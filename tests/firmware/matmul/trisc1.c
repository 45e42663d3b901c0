/*
 * Matrix multiplication, TRISC1: Dest += SrcB x SrcA, tile after tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The MOP plays the fidelity phases of each tile of a chunk, and gives both
 * Src banks back after each.  (../mvmul.h, WH SrcASrcB.md)
 */

#include "matmul.h"
#include "../mvmul.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc1";

enum {
    BANK_A_AND_B = 3,
    ALL_RWCS = 0xF,
    WHOLE_DEST = 3,                /* clear_mode of ZEROACC */
    BLOCK_MATH = 1 << 6,
    UNTIL_MATH_DONE = 1 << 4,
};

static void set_up_mop(void)
{
    const uint32_t play = TT_PLAY_PHASE;
    const uint32_t words[] = {
        1, SHARED->phases, TT_NOP,
        TT(SETRWC, .clear_ab_vld = BANK_A_AND_B, .BitMask = ALL_RWCS), TT_NOP,
        play, TT_NOP, play, play,
    };

    write_mop(words);
}

/* Waits for a half of Dest and works in it from now on. */
static void begin_tile(uint32_t half)
{
    TTINSN(SEMWAIT, .stall_res = BLOCK_MATH, .wait_sem_cond = WHILE_FULL,
           .sem_sel = SEM_MASK(SEM_MATH_PACK));
    if (half) {
        TTINSN(SETC16, .setc16_reg = THREAD_CFG_MATH_OFFSET,
               .setc16_value = DEST_HALF_ROWS);
    } else {
        TTINSN(SETC16, .setc16_reg = THREAD_CFG_MATH_OFFSET);
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
    TTINSN(MOP, .mop_type = 1);
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
    TTINSN(ZEROACC, .clear_mode = WHOLE_DEST);
    TTINSN(SETRWC, .BitMask = ALL_RWCS);
    for (;;) {
        uint32_t command = PCBUF_OWN;

        for (uint32_t n = command >> UNIT_REPEAT_LOW; n; n--) {
            multiply(command);
        }
    }
}
