/*
 * C = A + B, TRISC0: tiles of A to SrcA, of B to SrcB.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH UNPACR_Regular.md.
 */

#include "add.h"

enum {
    THREAD_CFG_SRCA_SET = 5,
    ROWS_BY_ADDRESS = 1 << 2,      /* SRCA_SET_SetOvrdWithAddr */
};

/* A whole tile; the bank is the Matrix Unit's afterwards. */
#define UNPACK(unpacker) \
    TTINSN(UNPACR, .Unpack_block_selection = (unpacker), .OvrdThreadId = 1, \
           .SetDatValid = 1, .Last = 1)

static void set_up_counters(void)
{
    TTINSN(SETADCXX, .CntSetMask = UNPACKER0 | UNPACKER1,
           .x_end2 = TILE_DATUMS - 1);
    TTINSN(SETADCXY, .CntSetMask = UNPACKER0 | UNPACKER1,
           .BitMask = CH0_Y | CH1_Y);
    TTINSN(SETADCZW, .CntSetMask = UNPACKER0 | UNPACKER1,
           .BitMask = ALL_COUNTERS);
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_SRCA_SET,
           .setc16_value = ROWS_BY_ADDRESS);
}

static void unpack(uint32_t tile)
{
    /* UNPACRs under way still use the addresses */
    wait_coprocessor();
    CFG[CFG_THCON_SEC0_REG3_Base_address_WORD] = tile_base(A_BASE, tile);
    CFG[CFG_THCON_SEC1_REG3_Base_address_WORD] = tile_base(B_BASE, tile);
    TTINSN(STALLWAIT, .stall_res = BLOCK_UNPACK,
           .wait_res = UNTIL_CFG_STORED);
    UNPACK(0);
    UNPACK(1);
}

int main(void)
{
    set_up_counters();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        unpack(tile);
    }
    return 0;
}
