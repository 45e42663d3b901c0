/*
 * Demo, TRISC1: a vector program on Dest, by .ttinsn, REPLAY and MOP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "demo.h"

char hart_name[8] __attribute__((section(".data.first"), used)) = "trisc1";

enum { L_X, L_Y, L_SCRATCH, L_SCALE = 4, L_ONE };
enum { BF16_2_5 = 0x4020, BF16_1_0 = 0x3F80 };

/* A vector is 4 rows, even or odd columns: 8 of them make a face. */
enum { VECTORS = FACE_VALUES / 32, VECTOR_STEP = 2, PROGRAM_LENGTH = 6 };

#define RECORD \
    TT(REPLAY, .load_mode = 1, .start_idx = 0, .len = PROGRAM_LENGTH)
#define PLAY TT(REPLAY, .start_idx = 0, .len = PROGRAM_LENGTH)
#define NEXT_VECTOR TT(INCRWC, .rwc_d = VECTOR_STEP)

static void set_up_registers(void)
{
    SET_ADDR_MOD(0, .dest = { 0 });
    TTINSN(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
           .instr_mod1 = SFPENCC_SET_BOTH);
    TTINSN(SFPLOADI, .lreg_ind = L_SCALE, .instr_mod0 = SFPLOADI_BF16,
           .imm16 = BF16_2_5);
    TTINSN(SFPLOADI, .lreg_ind = L_ONE, .instr_mod0 = SFPLOADI_BF16,
           .imm16 = BF16_1_0);
}

/* Records the program of one vector in the REPLAY buffer. */
static void record_vector_program(void)
{
    ttinsn(RECORD);
    TTINSN(SFPLOAD, .lreg_ind = L_X, .instr_mod0 = SFP_FORMAT_FP32);
    TTINSN(SFPMAD, .lreg_dest = L_Y, .lreg_src_a = L_X,
           .lreg_src_b = L_SCALE, .lreg_src_c = L_ONE);
    /* from here on only the lanes with x < 0 are enabled ... */
    TTINSN(SFPIADD, .lreg_dest = L_SCRATCH, .lreg_c = L_X,
           .imm12_math = 0, .instr_mod1 = SFPIADD_IMMEDIATE_CC_LT0);
    TTINSN(SFPMAD, .lreg_dest = L_Y, .lreg_src_a = L_X,
           .lreg_src_b = L_X, .lreg_src_c = L_ONE);
    /* ... and now all of them again */
    TTINSN(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
           .instr_mod1 = SFPENCC_SET_BOTH);
    TTINSN(SFPSTORE, .lreg_ind = L_Y, .instr_mod0 = SFP_FORMAT_FP32);
}

/* The macro operation of a face: 8 times {play the program, next vector}. */
static void set_up_mop(void)
{
    SET_MOP_LOOP(.outer = 1, .inner = VECTORS, .op0 = PLAY,
                 .op1 = NEXT_VECTOR);
}

__attribute__((noinline)) void compute_face(uint32_t face)
{
    ttinsn(TT_SEM_WAIT(SEM_FILLED, WHILE_ZERO));
    TTINSN(SEMGET, .sem_sel = SEM_MASK(SEM_FILLED));
    PUSH_OWN = TT_SET_THREAD_CFG(DEST_TARGET_REG_CFG_MATH_Offset,
                                 face * ROWS);
    TTINSN(SETRWC, .BitMask = RWC_DEST);
    RUN_MOP_LOOP();
    TTINSN(STALLWAIT, .stall_res = BLOCK_SYNC, .wait_res = UNTIL_SFPU_DONE);
    TTINSN(SEMPOST, .sem_sel = SEM_MASK(SEM_COMPUTED));
}

int main(void)
{
    SHARED->started[3] = (uint32_t)(uintptr_t)main;
    set_up_registers();
    record_vector_program();
    set_up_mop();
    for (;;) {
        if (PCBUF_OWN == COMMAND_COMPUTE) {
            compute_face(PCBUF_OWN);
        }
    }
}
