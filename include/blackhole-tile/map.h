/*
 * A Blackhole Tensix tile as its own firmware sees it: addresses, and the few
 * operations every hart needs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Addresses: BlackholeA0/TensixTile README, PCBufs, ManualTTSync, Mailboxes,
 * PushTensixInstruction, SoftReset, Dst and BackendConfiguration pages.
 */

#ifndef BLACKHOLE_TILE_MAP_H
#define BLACKHOLE_TILE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define REG32(address) (*(volatile uint32_t *)(uintptr_t)(address))

/* --- the map --- */

#define LOCAL_RAM               0xFFB00000u  /* each hart has its own */

#define SOFT_RESET              REG32(0xFFB121B0)
#define SOFT_RESET_BRISC        (1u << 11)
#define SOFT_RESET_TRISC(i)     (1u << (12 + (i)))
#define SOFT_RESET_TRISCS       (7u << 12)
#define SOFT_RESET_NCRISC       (1u << 18)
#define SOFT_RESET_ALL_HARTS    0x47800u
#define WALL_CLOCK_LOW          REG32(0xFFB121F0)
#define WALL_CLOCK_HIGH         REG32(0xFFB121F4)
#define TRISC_RESET_PC(i)       REG32(0xFFB12228 + 4 * (i))
#define TRISC_RESET_PC_OVERRIDE REG32(0xFFB12234)
#define NCRISC_RESET_PC         REG32(0xFFB12238)
#define NCRISC_RESET_PC_OVERRIDE REG32(0xFFB1223C)

/* Windows, by words.  No macros: MOP_CFG is an instruction as well. */
#define WINDOW(name, address) \
    static volatile uint32_t *const name __attribute__((unused)) = \
        (volatile uint32_t *)(uintptr_t)(address)
WINDOW(MOP_CFG, 0xFFB80000);
WINDOW(DEST_WINDOW, 0xFFBD8000);
WINDOW(GPRS, 0xFFE00000);          /* of a TRISC: its own 64 */
WINDOW(CFG, 0xFFEF0000);
#undef WINDOW

/* Pushes: BRISC reaches all three threads, a TRISC only its own. */
#define PUSH_OWN                REG32(0xFFE40000)
#define PUSH_THREAD(i)          REG32(0xFFE40000 + 0x10000 * (i))

/* The PCBuf of thread i as BRISC sees it, and a TRISC's end of its PCBuf. */
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

/*
 * Interrupts of BRISC and NCRISC (OLD PIC.md).  A store of what is not 0 to
 * PIC_SW_INT(i), by any hart, raises software interrupt i, 0 to 31; a load
 * takes the value, and with that the interrupt.  A hart that has bit i enabled
 * goes to PIC_SW_INT_PC(i), a function with __attribute__((interrupt)), and
 * has no other interrupt until that returns.
 */
#define PIC_BRISC_SW_INT_EN     REG32(0xFFB13000)
#define PIC_BRISC_INT_NO        REG32(0xFFB13008)  /* the latest one's number */
#define PIC_NCRISC_SW_INT_EN    REG32(0xFFB1300C)
#define PIC_NCRISC_INT_NO       REG32(0xFFB13014)
#define PIC_SW_INT(i)           REG32(0xFFB13018 + 4 * (i))
#define PIC_SW_INT_PC(i)        REG32(0xFFB130A8 + 4 * (i))

/*
 * Where the images of one program start: 16 KiB of L1 each, 80 KiB in all,
 * what they share above (runtime/hart.ld, runtime/harts.mk).
 */
enum {
    TEXT_BRISC = 0x0000,
    TEXT_NCRISC = 0x4000,
    TEXT_TRISC0 = 0x8000,
    TEXT_TRISC_STEP = 0x4000,
    SHARED_BASE = 0x20000,
};

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
