/*
 * Matrix multiplication, TRISC0: unpacks tiles of A to SrcB, of B to SrcA.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One REPLAY unpacks a pair of tiles and moves both base addresses on, one MOP
 * plays it for a chunk.  (WH UNPACR_Regular.md, WRCFG.md)
 */

#include "matmul.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc0";

enum { GPR_A = 8, GPR_B, GPR_STEP };
/* The address of SrcA's row counts, not a cursor of 16 rows. */
enum { THREAD_CFG_SRCA_SET = 5, OVERRIDE_WITH_ADDRESS = 1 << 2 };
enum { UNPACKERS = 3, ALL_COUNTERS = 0xF };
enum { UNTIL_UNPACKED = 1 << 0 | 1 << 1 | 1 << 2 };
enum { PAIR_LENGTH = 7 };
enum { TO_SRCA, TO_SRCB };

#define TT_WRITE_BASE(unpacker, gpr) \
    TT(WRCFG, .CfgReg = CFG_THCON_SEC##unpacker##_REG3_Base_address_WORD, \
       .GprAddress = (gpr))

/* Context 0's settings, a whole tile, and the bank to the Matrix Unit. */
#define TT_UNPACK(unpacker) \
    TT(UNPACR, .Unpack_block_selection = (unpacker), .OvrdThreadId = 1, \
       .SetDatValid = 1, .Last = 1)

static uint32_t mop_count = 1;

static void set_up_counters(void)
{
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_SRCA_SET,
           .setc16_value = OVERRIDE_WITH_ADDRESS);
    TTINSN(SETADCXX, .CntSetMask = UNPACKERS, .x_end2 = TILE_DATUMS - 1);
    TTINSN(SETADCXY, .CntSetMask = UNPACKERS, .BitMask = ALL_COUNTERS & ~5);
    TTINSN(SETADCZW, .CntSetMask = UNPACKERS, .BitMask = ALL_COUNTERS);
    write_gpr(GPR_STEP, SHARED->in_bytes / L1_UNIT);
}

static void record_pair(void)
{
    TTINSN(REPLAY, .load_mode = 1, .len = PAIR_LENGTH);
    ttinsn(TT_UNPACK(TO_SRCB));
    ttinsn(TT_UNPACK(TO_SRCA));
    ttinsn(TT_ADD_GPR(GPR_A, GPR_A, GPR_STEP));
    ttinsn(TT_ADD_GPR(GPR_B, GPR_B, GPR_STEP));
    TTINSN(STALLWAIT, .stall_res = BLOCK_CONFIG, .wait_res = UNTIL_UNPACKED);
    ttinsn(TT_WRITE_BASE(1, GPR_A));
    ttinsn(TT_WRITE_BASE(0, GPR_B));
}

static void set_up_mop(void)
{
    const uint32_t play = TT(REPLAY, .len = PAIR_LENGTH);
    const uint32_t words[] = {
        1, 1, TT_NOP, TT_NOP, TT_NOP, play, TT_NOP, play, play,
    };

    write_mop(words);
}

static void unpack(uint32_t a, uint32_t b, uint32_t count)
{
    write_gpr(GPR_A, tile_base(a));
    write_gpr(GPR_B, tile_base(b));
    ttinsn(TT_WRITE_BASE(1, GPR_A));
    ttinsn(TT_WRITE_BASE(0, GPR_B));
    write_mop_count(1, count, &mop_count);
    TTINSN(MOP, .mop_type = 1);
}

int main(void)
{
    set_up_counters();
    record_pair();
    set_up_mop();
    for (;;) {
        uint32_t a = PCBUF_OWN;
        uint32_t b = PCBUF_OWN;

        unpack(a, b, PCBUF_OWN);
        wait_coprocessor();
        MAILBOX(MAIL_BRISC) = a;
    }
}
