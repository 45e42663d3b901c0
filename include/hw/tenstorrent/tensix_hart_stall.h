/*
 * How a hart is stalled: what it waits for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Part of TensixHart, for the files of a hart; others ask tensix_hart.h.
 */

#ifndef HW_TENSTORRENT_TENSIX_HART_STALL_H
#define HW_TENSTORRENT_TENSIX_HART_STALL_H

/* What a stalled hart waits for; `detail` of the stall says which one. */
typedef enum TensixStall {
    TENSIX_STALL_NONE,
    TENSIX_STALL_PUSH_FIFO,        /* detail: thread whose FIFO is full */
    TENSIX_STALL_PCBUF_FULL,       /* detail: thread */
    TENSIX_STALL_PCBUF_EMPTY,      /* detail: thread */
    TENSIX_STALL_PCBUF_BARRIER,    /* detail: thread; BRISC's barrier */
    TENSIX_STALL_COP_DONE,         /* detail: thread; CoprocessorDoneCheck */
    TENSIX_STALL_MOP_DONE,         /* detail: thread; MOPExpanderDoneCheck */
    /*
     * detail: reading hart's mailbox index; from TENSIX_STALL_READERS_LOW on a
     * bit for each index whose reader could make room
     */
    TENSIX_STALL_MAILBOX_FULL,
    TENSIX_STALL_MAILBOX_EMPTY,    /* detail: writing hart's mailbox index */
    TENSIX_STALL_TTSYNC,           /* detail: resource mask; Auto TTSync */
    TENSIX_STALL_CAUSES,
} TensixStall;

#define TENSIX_STALL_MASK_ANY (~1u)
#define TENSIX_STALL_READERS_LOW 8

/* Migrated; the cause is read from any thread. */
typedef struct TensixHartStall {
    uint32_t cause;                /* TensixStall */
    uint32_t detail;
} TensixHartStall;

#endif
