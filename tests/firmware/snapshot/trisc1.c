/*
 * Snapshot, TRISC1: a MOP that a semaphore stops half way, and more pushes
 * behind it than the FIFO takes.
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
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_AB_0);
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_ADDR_MOD_DST_0);
    TTINSN(SETC16, .setc16_reg = THREAD_CFG_MATH_OFFSET);
    TTINSN(SETRWC, .BitMask = 4);
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
    const uint32_t loop[] = {
        OUTER, INNER, TT_SEM_WAIT(SEM_MOP, WHILE_ZERO),
        TT(SEMGET, .sem_sel = SEM_MASK(SEM_MOP)), TT(INCRWC, .rwc_d = 2),
        TT_ADD_LREG0(3),
        TT(REPLAY, .start_idx = 4, .len = PROGRAM_LENGTH),
        TT_ADD_LREG0(1000), TT_ADD_LREG0(100),
    };

    for (unsigned i = 0; i < sizeof(loop) / sizeof(loop[0]); i++) {
        MOP_CFG[i] = loop[i];
    }
}

int main(void)
{
    uint32_t mail = 0;

    set_up_registers();
    record_program();
    set_up_mop();
    TTINSN(MOP, .mop_type = 1);
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
