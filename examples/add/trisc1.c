/*
 * C = A + B, TRISC1: Dest = SrcA + SrcB.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH ELWADD.md, RWCs.md.
 */

#include "add.h"

enum {
    BLOCKS = 8,                    /* of eight rows in a tile */
    EIGHT_ROWS = 8,
    NEXT_BLOCK = 0,                /* address modifier */
    BANK_A_AND_B = 3,
    ALL_RWCS = 0xF,
    WHOLE_DEST = 3,                /* clear_mode of ZEROACC */
};

/* After each ELWADD, eight rows on in SrcA, SrcB and Dest. */
static void set_up_address_modifier(void)
{
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_AB_0 + NEXT_BLOCK,
           .setc16_value = EIGHT_ROWS | EIGHT_ROWS << 8);
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_DST_0 + NEXT_BLOCK,
           .setc16_value = EIGHT_ROWS);
}

static void add(uint32_t half)
{
    /* a half of Dest that is packed, and a place in it */
    TTINSN(SEMWAIT, .stall_res = BLOCK_MATH, .wait_sem_cond = WHILE_FULL,
           .sem_sel = SEM_MASK(SEM_MATH_PACK));
    PUSH_OWN = TT(SETC16, .setc16_reg = THREAD_CFG_MATH_OFFSET,
                  .setc16_value = half * DEST_HALF_ROWS);
    /* eight ELWADD, each of which waits for both banks */
    TTINSN(MOP, .mop_type = 1);
    /* the banks back to the unpackers, all counters to 0 */
    TTINSN(SETRWC, .clear_ab_vld = BANK_A_AND_B, .BitMask = ALL_RWCS);
    /* the half to TRISC2, once it is written */
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_MATH_DONE);
    TTINSN(SEMPOST, .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

int main(void)
{
    const uint32_t add_block = TT(ELWADD, .addr_mode = NEXT_BLOCK);

    set_up_address_modifier();
    set_up_mop(BLOCKS, add_block, add_block);
    TTINSN(ZEROACC, .clear_mode = WHOLE_DEST);
    TTINSN(SETRWC, .BitMask = ALL_RWCS);
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        add(tile % DEST_HALVES);
    }
    return 0;
}
