/*
 * Matrix multiplication, TRISC2: packs tiles of C from Dest to L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One MOP is a tile, 16 PACR of four rows each.  (BH PACR.md)
 */

#include "matmul.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc2";

enum { GPR_OUT = 8, GPR_STEP };

#define SET_HALF(half) \
    TTINSN(RMWCIB1, \
           .CfgRegAddr = CFG_DEST_TARGET_REG_CFG_PACK_SEC0_Offset_WORD, \
           .Mask = DEST_HALF_ROWS >> 8, .Data = (half) * DEST_HALF_ROWS >> 8)

/* Where to read, and where to write; the next tile goes after this one. */
static void point_to_half(uint32_t half)
{
    TTINSN(STALLWAIT, .stall_res = BLOCK_CONFIG,
           .wait_res = UNTIL_SCALAR_DONE | UNTIL_PACKED);
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
        TTINSN(ZEROACC, .clear_mode = ZEROACC_HALF, .where = 1);
    } else {
        TTINSN(ZEROACC, .clear_mode = ZEROACC_HALF, .where = 0);
    }
}

static void pack(uint32_t half)
{
    point_to_half(half);
    begin_pack_half();
    RUN_MOP_LOOP();
    TTINSN(STALLWAIT, .stall_res = BLOCK_MATH | BLOCK_SYNC | BLOCK_SCALAR,
           .wait_res = UNTIL_PACKED | UNTIL_SCALAR_DONE);
    clear_half(half);
    ttinsn(TT_ADD_GPR(GPR_OUT, GPR_OUT, GPR_STEP));
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_MATH_DONE);
    TTINSN(SEMGET, .sem_sel = SEM_MASK(SEM_MATH_PACK));
}

int main(void)
{
    uint32_t half = 0;

    set_up_packer();
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
