/*
 * Snapshot, TRISC1: a MOP that a semaphore stops half way, and more pushes
 * after it than the FIFO takes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "snapshot.h"

enum { GPR_COUNT = 8, GPR_ONE, GPR_HISTORY, GPR_STEP };
enum { PROGRAM_LENGTH = 3 };

#define TT_ADD_LREG0(value) \
    TT(SFPIADD, .lreg_dest = 0, .lreg_c = 0, .imm12_math = (value), \
       .instr_mod1 = SFPIADD_IMMEDIATE_NO_CC)

static void set_gpr(unsigned gpr, uint32_t value)
{
    PUSH_OWN = TT_SET_GPR_HALF(2 * gpr, value & 0xFFFF);
    PUSH_OWN = TT_SET_GPR_HALF(2 * gpr + 1, value >> 16);
}

static void set_up_registers(void)
{
    set_gpr(GPR_COUNT, 0);
    set_gpr(GPR_ONE, 1);
    set_gpr(GPR_HISTORY, 0);
    set_gpr(GPR_STEP, 0x10001);
    SET_ADDR_MOD(0, .dest = { 0 });
    ttinsn(TT_SET_THREAD_CFG(DEST_TARGET_REG_CFG_MATH_Offset, 0));
    TTINSN(SETRWC, .BitMask = RWC_DEST);
    TTINSN(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
           .instr_mod1 = SFPENCC_SET_BOTH);
    TTINSN(SFPLOADI, .lreg_ind = 0, .imm16 = 0);
}

static void record_program(void)
{
    TTINSN(REPLAY, .load_mode = 1, .start_idx = 4, .len = PROGRAM_LENGTH);
    ttinsn(TT_ADD_GPR(GPR_COUNT, GPR_COUNT, GPR_STEP));
    ttinsn(TT_ADD_GPR(GPR_HISTORY, GPR_HISTORY, GPR_COUNT));
    TTINSN(SFPSTORE, .lreg_ind = 0, .instr_mod0 = SFP_FORMAT_FP32);
}

static void set_up_mop(void)
{
    SET_MOP_LOOP(.outer = OUTER, .inner = INNER,
                 .start = TT_SEM_WAIT(SEM_MOP, WHILE_ZERO),
                 .op0 = TT_ADD_LREG0(3),
                 .op1 = TT(REPLAY, .start_idx = 4, .len = PROGRAM_LENGTH),
                 .last_of_inner = TT_ADD_LREG0(100),
                 .last_of_all = TT_ADD_LREG0(1000),
                 .end0 = TT(SEMGET, .sem_sel = SEM_MASK(SEM_MOP)),
                 .end1 = TT(INCRWC, .rwc_d = 2));
}

int main(void)
{
    uint32_t mail = 0;

    set_up_registers();
    record_program();
    set_up_mop();
    RUN_MOP_LOOP();
    for (unsigned i = 0; i < QUEUED; i++) {
        ttinsn(TT_ADD_GPR(GPR_HISTORY, GPR_HISTORY, GPR_ONE));
    }
    wait_coprocessor();
    for (unsigned i = 0; i < 4; i++) {
        SHARED->trisc1_gpr[i] = GPRS[GPR_COUNT + i];
    }
    for (unsigned i = 0; i < MAIL_WORDS; i++) {
        mail = mail * 31 + MAILBOX(MAIL_BRISC);
    }
    SHARED->mail_sum = mail;
    for (unsigned i = 0; i < DEST_VALUES; i++) {
        SHARED->dest[i] = DEST_WINDOW[i];
    }
    (void)PCBUF_OWN;
    return 0;
}
