/*
 * A Blackhole Tensix tile as its own firmware sees it: addresses, instruction
 * words and the few operations every hart needs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Addresses: BlackholeA0/TensixTile README, PCBufs, ManualTTSync, Mailboxes,
 * PushTensixInstruction, SoftReset, Dst and BackendConfiguration pages.
 */

#ifndef FIRMWARE_TENSIX_H
#define FIRMWARE_TENSIX_H

#include <stdbool.h>
#include <stdint.h>

#include "../../hw/tenstorrent/core/decode/tensix_fields.h"

#define REG32(address) (*(volatile uint32_t *)(uintptr_t)(address))

/* --- the map --- */

#define LOCAL_RAM               0xFFB00000u  /* each hart has its own */

#define SOFT_RESET              REG32(0xFFB121B0)
#define SOFT_RESET_BRISC        (1u << 11)
#define SOFT_RESET_TRISC(i)     (1u << (12 + (i)))
#define SOFT_RESET_NCRISC       (1u << 18)
#define SOFT_RESET_ALL_HARTS    0x47800u
#define WALL_CLOCK_LOW          REG32(0xFFB121F0)
#define WALL_CLOCK_HIGH         REG32(0xFFB121F4)
#define TRISC_RESET_PC(i)       REG32(0xFFB12228 + 4 * (i))
#define TRISC_RESET_PC_OVERRIDE REG32(0xFFB12234)
#define NCRISC_RESET_PC         REG32(0xFFB12238)
#define NCRISC_RESET_PC_OVERRIDE REG32(0xFFB1223C)

#define MOP_CFG                 ((volatile uint32_t *)0xFFB80000)
#define DEST_WINDOW             ((volatile uint32_t *)0xFFBD8000)
#define GPRS                    ((volatile uint32_t *)0xFFE00000)
#define CFG                     ((volatile uint32_t *)0xFFEF0000)

/* Pushes: BRISC reaches all three threads, a TRISC only its own. */
#define PUSH_OWN                REG32(0xFFE40000)
#define PUSH_THREAD(i)          REG32(0xFFE40000 + 0x10000 * (i))

/* The PCBuf of thread i as BRISC sees it, and a TRISC's end of its own. */
#define PCBUF(i)                REG32(0xFFE80000 + 0x10000 * (i))
#define PCBUF_OWN               REG32(0xFFE80000)
#define COPROCESSOR_DONE        REG32(0xFFE80004)
#define MOP_EXPANDER_DONE       REG32(0xFFE80008)
#define SEMAPHORE(i)            REG32(0xFFE80020 + 4 * (i))
#define SEMAPHORE_POST          0u
#define SEMAPHORE_GET           1u

/* Mailboxes: store = send to that hart, load = receive from it. */
enum { MAIL_BRISC, MAIL_TRISC0, MAIL_TRISC1, MAIL_TRISC2 };
#define MAILBOX(hart)           REG32(0xFFEC0000 + 0x1000 * (hart))
#define MAILBOX_HAS_DATA(hart)  REG32(0xFFEC0004 + 0x1000 * (hart))

/* Configuration words and thread configuration indices used here. */
enum {
    CFG_RISC_DEST_ACCESS = 3,
    THREAD_CFG_MATH_OFFSET = 1,
    THREAD_CFG_ADDR_MOD_AB_0 = 12,
    THREAD_CFG_ADDR_MOD_DST_0 = 28,
};

/* Block mask of the wait instructions: everything stops at the gate. */
enum { BLOCK_SYNC = 1 << 1, BLOCK_ALL = 0x1FF };
/* STALLWAIT conditions */
enum { UNTIL_SFPU_DONE = 1 << 11 };
/* SEMWAIT conditions */
enum { WHILE_ZERO = 1, WHILE_FULL = 2 };
#define SEM_MASK(i)             (1u << (i))

/* SFPU modes */
enum {
    SFP_FORMAT_FP32 = 3,
    SFPLOADI_BF16 = 0,
    SFPIADD_IMMEDIATE_CC_LT0 = 1,
    SFPIADD_IMMEDIATE_NO_CC = 5,
    SFPENCC_SET_BOTH = 10,         /* EI and RI: both flags from Imm2 */
    SFPENCC_ALL_LANES = 3,         /* flags in use, and all of them true */
};

/* --- instruction words --- */

/* What a 32-bit load/store of the push window takes is TT(...) itself. */

/*
 * Executes one Tensix instruction that is known at compile time: the word,
 * rotated left by two, is an instruction of the hart.
 */
#define TTINSN(...) ttinsn(TT(__VA_ARGS__))
#define ttinsn(word) \
    __asm__ volatile __inline__(TTINSN_LINE ".word %0" \
                     : : "i"((uint32_t)(((word) << 2) | ((word) >> 30))) \
                     : "memory")
/*
 * The assembler gives lines to instructions and labels only; without a label a
 * .word would pass for one of the line before it.
 */
#define TTINSN_LINE ".loc_mark_labels 1\n.Lttinsn%=:\n.loc_mark_labels 0\n"

#define TT_NOP TT(NOP)

/* SETDMAREG of half a GPR, immediate form. */
#define TT_SET_GPR_HALF(half, value) \
    TT(SETDMAREG, .RegIndex16b = (half), \
       .Payload_SigSel = (value) & 0x3FFF, \
       .Payload_SigSelSize = ((value) >> 14) & 3)

/* GPR result = left + right */
#define TT_ADD_GPR(result, left, right) \
    TT(ADDDMAREG, .ResultRegIndex = (result), .OpARegIndex = (left), \
       .OpBRegIndex = (right))

#define TT_SEM_WAIT(i, condition) \
    TT(SEMWAIT, .stall_res = BLOCK_ALL, .sem_sel = SEM_MASK(i), \
       .wait_sem_cond = (condition))

/* --- small operations --- */

/* FENCE is what firmware puts into every loop that polls L1. */
static inline void fence(void)
{
    __asm__ volatile("fence" : : : "memory");
}

/* Waits until the coprocessor has nothing in flight from this thread. */
static inline void wait_coprocessor(void)
{
    COPROCESSOR_DONE = 0;
    (void)COPROCESSOR_DONE;
}

/* Waits until the MOP expander can be configured anew. */
static inline void wait_mop_expander(void)
{
    MOP_EXPANDER_DONE = 0;
    (void)MOP_EXPANDER_DONE;
}

/* For BRISC: waits until TRISC i has done all its work and wants more. */
static inline void pcbuf_barrier(unsigned i)
{
    (void)PCBUF(i);
}

/*
 * Where the images of one program start: 16 KiB of L1 each, 64 KiB in all,
 * what they share above (hart.ld, Makefile).
 */
enum {
    TEXT_BRISC = 0x0000,
    TEXT_NCRISC = 0x4000,
    TEXT_TRISC0 = 0x8000,
    TEXT_TRISC_STEP = 0x4000,
    SHARED_BASE = 0x20000,
};

/* For BRISC: starts the other harts of the mask (SOFT_RESET_* bits). */
static inline void release_harts(uint32_t mask)
{
    for (unsigned i = 0; i < 3; i++) {
        TRISC_RESET_PC(i) = TEXT_TRISC0 + TEXT_TRISC_STEP * i;
    }
    TRISC_RESET_PC_OVERRIDE = 7;
    NCRISC_RESET_PC = TEXT_NCRISC;
    NCRISC_RESET_PC_OVERRIDE = 1;
    SOFT_RESET = SOFT_RESET & ~mask;
}

#endif
