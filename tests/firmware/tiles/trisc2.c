/*
 * Tiles, TRISC2: from Dest to L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH PACR.md, WH ZEROACC.md.
 */

#include "tiles.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc2";

enum {
    THREAD_CFG_ADDR_MOD_PACK_0 = 37,
    ONE_INTERFACE = 1,             /* one row; 0 is four */
    TILE_PACKS = 16,               /* of four rows */
    HALF_OF_DEST = 2,              /* clear_mode of ZEROACC */
};

/* Fields of ADDR_MOD_PACK. */
enum { Y_ROW = 1 << 0, Y_CLEAR = 1 << 5, Z_FACE = 1 << 12, Z_CLEAR = 1 << 13 };

enum { FOUR_ROWS_ON, TO_FIRST_ROW, RIGHT_FACE, NEXT_ROW };

static void set_up_counters(void)
{
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_PACK_0 + FOUR_ROWS_ON,
           .setc16_value = 4 * Y_ROW);
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_PACK_0 + TO_FIRST_ROW,
           .setc16_value = Y_CLEAR | Z_CLEAR);
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_PACK_0 + RIGHT_FACE,
           .setc16_value = Z_FACE);
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_PACK_0 + NEXT_ROW,
           .setc16_value = Y_ROW | Z_CLEAR);
    TTINSN(SETADCXX, .CntSetMask = PACKER, .x_end2 = ROW_DATUMS - 1);
    TTINSN(SETADCXY, .CntSetMask = PACKER, .BitMask = CH0_Y | CH1_Y);
    TTINSN(SETADCZW, .CntSetMask = PACKER, .BitMask = ALL_COUNTERS);
}

/* A whole tile as Dest has it, or one row of two faces after the other. */
static void set_up_mop(uint32_t job)
{
    const uint32_t last = TT(PACR, .AddrMode = TO_FIRST_ROW, .Last = 1);
    const uint32_t left = TT(PACR, .AddrMode = RIGHT_FACE,
                             .ReadIntfSel = ONE_INTERFACE);
    const uint32_t right = TT(PACR, .AddrMode = NEXT_ROW,
                              .ReadIntfSel = ONE_INTERFACE);
    const uint32_t tile[] = {
        1, TILE_PACKS, TT_NOP, TT_NOP, TT_NOP,
        TT(PACR, .AddrMode = FOUR_ROWS_ON), TT_NOP, last, last,
    };
    const uint32_t rows[] = {
        1, FACE_ROWS, TT_NOP, TT_NOP, TT_NOP, left, right, right, right,
    };

    write_mop(job == JOB_UNTILIZE ? rows : tile);
}

static void point_packer(uint32_t n)
{
    wait_coprocessor();
    CFG[CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD] =
        tile_base(SHARED->out + n * SHARED->out_step);
    CFG[CFG_DEST_TARGET_REG_CFG_PACK_SEC0_Offset_WORD] =
        n % DEST_HALVES * DEST_HALF_ROWS;
    TTINSN(STALLWAIT, .stall_res = BLOCK_PACK, .wait_res = UNTIL_CFG_STORED);
}

/* Two faces side by side, those below them, and the stream's end. */
static void untilize(void)
{
    TTINSN(MOP, .mop_type = 1);
    TTINSN(SETADCXY, .CntSetMask = PACKER, .BitMask = CH0_Y);
    TTINSN(SETADCZW, .CntSetMask = PACKER, .BitMask = CH0_Z | CH0_W,
           .Ch0_Y = 1);
    TTINSN(MOP, .mop_type = 1);
    TTINSN(PACR, .AddrMode = TO_FIRST_ROW, .Flush = 1, .Last = 1);
    TTINSN(SETADCZW, .CntSetMask = PACKER, .BitMask = CH0_Z | CH0_W);
}

static void pack(uint32_t job, uint32_t half)
{
    TTINSN(SEMWAIT, .stall_res = BLOCK_PACK, .wait_sem_cond = WHILE_ZERO,
           .sem_sel = SEM_MASK(SEM_MATH_PACK));
    if (job == JOB_UNTILIZE) {
        untilize();
    } else {
        TTINSN(MOP, .mop_type = 1);
    }
    TTINSN(STALLWAIT, .stall_res = BLOCK_MATH | BLOCK_SYNC,
           .wait_res = UNTIL_PACKED);
    PUSH_OWN = TT(ZEROACC, .clear_mode = HALF_OF_DEST, .where = half);
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_MATH_DONE);
    TTINSN(SEMGET, .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

int main(void)
{
    uint32_t job = SHARED->job;

    set_up_counters();
    set_up_mop(job);
    for (uint32_t n = 0; n < SHARED->tiles; n++) {
        point_packer(n);
        pack(job, n % DEST_HALVES);
        wait_coprocessor();
        SHARED->finished = n + 1;
    }
    return 0;
}
