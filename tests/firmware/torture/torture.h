/*
 * Torture of everything that can stall a hart: what the harts agree on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Word i of every path has one right value, so a lost, doubled or reordered
 * word is an error at the next one.
 */

#ifndef TORTURE_H
#define TORTURE_H

#include "blackhole-tile/kernel.h"

enum { DEFAULT_WORDS = 1000000 };

/* Orders through the PCBuf: order, then the number of words. */
enum { ORDER_PUSH = 1, ORDER_PCBUF, ORDER_MAILBOX };

/* Paths, one report each. */
enum {
    PATH_PUSH,                     /* TRISC0's pushes, counted in GPRs */
    PATH_PCBUF,                    /* + i: BRISC to TRISC i */
    PATH_MAIL_T0_T1 = PATH_PCBUF + 3,
    PATH_MAIL_T1_T2,
    PATH_MAIL_T2_B,
    PATHS,
};

/* The push test: a block is SEMWAIT, SEMGET and ITEMS times three words. */
enum { ITEMS = 16, BLOCK_WORDS = 2 + 3 * ITEMS };
/* TRISC0 waits for the one, BRISC waits with the other while it is full. */
enum { SEM_TICKET = 3, TICKETS = 2, SEM_POSTER_THREAD = 1 };

typedef struct {
    volatile uint32_t words;       /* checked */
    volatile uint32_t errors;
    volatile uint32_t first_bad;   /* index, then what came and what should */
    volatile uint32_t got;
    volatile uint32_t wanted;
    volatile uint32_t clock;       /* wall clock at the end */
} Report;

typedef struct {
    volatile uint32_t words;       /* the host may set it; 0: the default */
    volatile uint32_t stay;        /* the host may set it: do not leave */
    volatile uint32_t finished;    /* 1: all well, 2: not */
    Report report[PATHS];
} TortureShared;

#define SHARED ((TortureShared *)SHARED_BASE)

static inline uint32_t word_value(uint32_t i, uint32_t path)
{
    return (i + 1) * 0x9E3779B1u ^ path << 28;
}

static inline void check(uint32_t path, uint32_t i, uint32_t got,
                         uint32_t wanted)
{
    Report *report = &SHARED->report[path];

    if (got == wanted) {
        return;
    }
    if (report->errors++ == 0) {
        report->first_bad = i;
        report->got = got;
        report->wanted = wanted;
    }
}

/* Receives `count` words of a path at an address and checks each. */
static inline void receive(uint32_t path, volatile uint32_t *from,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        check(path, i, *from, word_value(i, path));
    }
    SHARED->report[path].words = count;
}

#endif
