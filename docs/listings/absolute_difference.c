/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "add.h"

enum {
    EIGHT_ROWS = 8,                /* of one ELWSUB */
    BLOCKS = TILE_ROWS / EIGHT_ROWS,
    VECTORS = TILE_DATUMS / 32,    /* a vector is 32 numbers */
    VECTOR_STEP = 2,               /* in rows of Dest */
    L_X = 0,                       /* an LReg */
};

/* Address modifiers; set_up_math() has set number 0 */
enum { STAY, NEXT_BLOCK, NEXT_VECTOR };

static void set_up(void)
{
    set_up_math();
    SET_ADDR_MOD(NEXT_BLOCK, .srca = { .incr = EIGHT_ROWS },
                 .srcb = { .incr = EIGHT_ROWS },
                 .dest = { .incr = EIGHT_ROWS });
    SET_ADDR_MOD(NEXT_VECTOR, .dest = { .incr = VECTOR_STEP });
    SET_MOP_LOOP(.outer = 1, .inner = BLOCKS,
                 .op0 = TT(ELWSUB, .addr_mode = NEXT_BLOCK));
    TTINSN(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
           .instr_mod1 = SFPENCC_SET_BOTH);
}

static void absolute_values(void)
{
    /* the Vector Unit starts when the Matrix Unit is done */
    TTINSN(STALLWAIT, .stall_res = BLOCK_SFPU, .wait_res = UNTIL_MATH_DONE);
    for (unsigned i = 0; i < VECTORS; i++) {
        TTINSN(SFPLOAD, .lreg_ind = L_X, .instr_mod0 = SFP_FORMAT_BF16,
               .sfpu_addr_mode = STAY);
        TTINSN(SFPABS, .lreg_dest = L_X, .lreg_c = L_X,
               .instr_mod1 = SFPABS_FLOAT);
        TTINSN(SFPSTORE, .lreg_ind = L_X, .instr_mod0 = SFP_FORMAT_BF16,
               .sfpu_addr_mode = NEXT_VECTOR);
    }
}

static void compute(uint32_t half)
{
    begin_dest_half(half);
    /* eight ELWSUB; then the banks back, and all counters to 0 */
    RUN_MOP_LOOP();
    TTINSN(SETRWC, .clear_ab_vld = RELEASE_SRCA_SRCB, .BitMask = RWC_ALL);
    absolute_values();
    TTINSN(SETRWC, .BitMask = RWC_ALL);
    end_dest_half();
}

int main(void)
{
    set_up();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        compute(tile % DEST_HALVES);
    }
    return 0;
}
