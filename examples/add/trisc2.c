/*
 * C = A + B, TRISC2: from Dest to L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH PACR.md, WH ZEROACC.md.
 */

#include "add.h"

enum {
    THREAD_CFG_ADDR_MOD_PACK_0 = 37,
    FOUR_ROWS_ON = 0,              /* address modifiers */
    FIRST_ROW = 1,
    FOUR_ROWS = 4,
    CLEAR_ROW = 1 << 5,
    TILE_PACKS = 16,               /* PACR of four rows each */
    HALF_OF_DEST = 2,              /* clear_mode of ZEROACC */
};

static void set_up_counters(void)
{
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_PACK_0 + FOUR_ROWS_ON,
           .setc16_value = FOUR_ROWS);
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_PACK_0 + FIRST_ROW,
           .setc16_value = CLEAR_ROW);
    TTINSN(SETADCXX, .CntSetMask = PACKER, .x_end2 = ROW_DATUMS - 1);
    TTINSN(SETADCXY, .CntSetMask = PACKER, .BitMask = CH0_Y | CH1_Y);
    TTINSN(SETADCZW, .CntSetMask = PACKER, .BitMask = ALL_COUNTERS);
}

static void point_packer(uint32_t tile, uint32_t half)
{
    CFG[CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD] = tile_base(C_BASE, tile);
    CFG[CFG_DEST_TARGET_REG_CFG_PACK_SEC0_Offset_WORD] =
        half * DEST_HALF_ROWS;
    TTINSN(STALLWAIT, .stall_res = BLOCK_PACK, .wait_res = UNTIL_CFG_STORED);
}

static void pack(uint32_t tile, uint32_t half)
{
    point_packer(tile, half);
    TTINSN(SEMWAIT, .stall_res = BLOCK_PACK, .wait_sem_cond = WHILE_ZERO,
           .sem_sel = SEM_MASK(SEM_MATH_PACK));
    TTINSN(MOP, .mop_type = 1);
    /* the half is zero again before TRISC1 may have it back */
    TTINSN(STALLWAIT, .stall_res = BLOCK_MATH | BLOCK_SYNC,
           .wait_res = UNTIL_PACKED);
    PUSH_OWN = TT(ZEROACC, .clear_mode = HALF_OF_DEST, .where = half);
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_MATH_DONE);
    TTINSN(SEMGET, .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

int main(void)
{
    set_up_counters();
    set_up_mop(TILE_PACKS, TT(PACR, .AddrMode = FOUR_ROWS_ON),
               TT(PACR, .AddrMode = FIRST_ROW, .Last = 1));
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        pack(tile, tile % DEST_HALVES);
        wait_coprocessor();
        SHARED->finished = tile + 1;
    }
    return 0;
}
