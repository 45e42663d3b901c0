/*
 * Matrix multiplication, TRISC2: packs tiles of C from Dest to L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One MOP is a tile, 16 PACR of four rows each.  (BH PACR.md)
 */

#include "matmul.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc2";

enum {
    GPR_OUT = 8,
    GPR_STEP,
    PACKER = 4,
    ALL_COUNTERS = 0xF,
    ROW_DATUMS = 16,
    TILE_PACKS = 16,
    THREAD_CFG_ADDR_MOD_PACK_0 = 37,
    NEXT_ROWS = 0,                 /* address modifiers */
    FIRST_ROW = 1,
    FOUR_ROWS = 4,
    CLEAR_ROW = 1 << 5,
    HALF_OF_DEST = 2,              /* clear_mode of ZEROACC */
    BLOCK_PACK = 1 << 2,
    BLOCK_SCALAR = 1 << 5,
    BLOCK_MATH = 1 << 6,
    UNTIL_PACKED = 1 << 3,
    UNTIL_MATH_DONE = 1 << 4,
    UNTIL_SUM_WRITTEN = 1 << 0,
};

static void set_up_counters(void)
{
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_PACK_0 + NEXT_ROWS,
           .setc16_value = FOUR_ROWS);
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_PACK_0 + FIRST_ROW,
           .setc16_value = CLEAR_ROW);
    TTINSN(SETADCXX, .CntSetMask = PACKER, .x_end2 = ROW_DATUMS - 1);
    TTINSN(SETADCXY, .CntSetMask = PACKER, .BitMask = ALL_COUNTERS & ~5);
    TTINSN(SETADCZW, .CntSetMask = PACKER, .BitMask = ALL_COUNTERS);
}

static void set_up_mop(void)
{
    const uint32_t last = TT(PACR, .AddrMode = FIRST_ROW, .Last = 1);
    const uint32_t words[] = {
        1, TILE_PACKS, TT_NOP, TT_NOP, TT_NOP,
        TT(PACR, .AddrMode = NEXT_ROWS), TT_NOP, last, last,
    };

    write_mop(words);
}

#define SET_HALF(half) \
    TTINSN(RMWCIB1, \
           .CfgRegAddr = CFG_DEST_TARGET_REG_CFG_PACK_SEC0_Offset_WORD, \
           .Mask = DEST_HALF_ROWS >> 8, .Data = (half) * DEST_HALF_ROWS >> 8)

/* Where to read, and where to write; the next tile goes behind this one. */
static void point_packer(uint32_t half)
{
    TTINSN(STALLWAIT, .stall_res = BLOCK_CONFIG,
           .wait_res = UNTIL_SUM_WRITTEN | UNTIL_PACKED);
    TTINSN(WRCFG, .CfgReg = CFG_THCON_SEC0_REG1_L1_Dest_addr_WORD,
           .GprAddress = GPR_OUT);
    if (half) {
        SET_HALF(1);
    } else {
        SET_HALF(0);
    }
}

static void clear_half(uint32_t half)
{
    if (half) {
        TTINSN(ZEROACC, .clear_mode = HALF_OF_DEST, .where = 1);
    } else {
        TTINSN(ZEROACC, .clear_mode = HALF_OF_DEST, .where = 0);
    }
}

static void pack(uint32_t half)
{
    point_packer(half);
    TTINSN(SEMWAIT, .stall_res = BLOCK_PACK, .wait_sem_cond = WHILE_ZERO,
           .sem_sel = SEM_MASK(SEM_MATH_PACK));
    TTINSN(MOP, .mop_type = 1);
    TTINSN(STALLWAIT, .stall_res = BLOCK_MATH | BLOCK_SYNC | BLOCK_SCALAR,
           .wait_res = UNTIL_PACKED);
    clear_half(half);
    ttinsn(TT_ADD_GPR(GPR_OUT, GPR_OUT, GPR_STEP));
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_MATH_DONE);
    TTINSN(SEMGET, .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

int main(void)
{
    uint32_t half = 0;

    set_up_counters();
    set_up_mop();
    write_gpr(GPR_STEP, MAX_TILE_BYTES / L1_UNIT);
    for (;;) {
        uint32_t address = PCBUF_OWN;

        write_gpr(GPR_OUT, tile_base(address));
        for (uint32_t n = PCBUF_OWN; n; n--, half ^= 1) {
            pack(half);
        }
        wait_coprocessor();
        MAILBOX(MAIL_BRISC) = address;
    }
}
