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
enum { PAIR_LENGTH = 7 };

#define TT_WRITE_BASE(unpacker, gpr) \
    TT(WRCFG, .CfgReg = CFG_THCON_SEC##unpacker##_REG3_Base_address_WORD, \
       .GprAddress = (gpr))

static uint32_t mop_count = 1;

static void record_pair(void)
{
    TTINSN(REPLAY, .load_mode = 1, .len = PAIR_LENGTH);
    ttinsn(TT_UNPACK_TILE(UNPACK_SRCB));
    ttinsn(TT_UNPACK_TILE(UNPACK_SRCA));
    ttinsn(TT_ADD_GPR(GPR_A, GPR_A, GPR_STEP));
    ttinsn(TT_ADD_GPR(GPR_B, GPR_B, GPR_STEP));
    TTINSN(STALLWAIT, .stall_res = BLOCK_CONFIG,
           .wait_res = UNTIL_SCALAR_DONE | UNTIL_UNPACKED);
    ttinsn(TT_WRITE_BASE(1, GPR_A));
    ttinsn(TT_WRITE_BASE(0, GPR_B));
}

static void unpack(uint32_t a, uint32_t b, uint32_t count)
{
    write_gpr(GPR_A, tile_base(a));
    write_gpr(GPR_B, tile_base(b));
    ttinsn(TT_WRITE_BASE(1, GPR_A));
    ttinsn(TT_WRITE_BASE(0, GPR_B));
    write_mop_count(1, count, &mop_count);
    RUN_MOP_LOOP();
}

int main(void)
{
    set_up_unpackers();
    write_gpr(GPR_STEP, SHARED->in_bytes / L1_UNIT);
    record_pair();
    SET_MOP_LOOP(.outer = 1, .inner = 1, .op0 = TT(REPLAY, .len = PAIR_LENGTH));
    for (;;) {
        uint32_t a = PCBUF_OWN;
        uint32_t b = PCBUF_OWN;

        unpack(a, b, PCBUF_OWN);
        wait_coprocessor();
        MAILBOX(MAIL_BRISC) = a;
    }
}
