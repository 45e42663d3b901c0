/*
 * A hart's turns: what it did in its latest ones, as far as that decides which
 * hart is next (tensix_turns.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For the files of a hart; part of TensixHart.
 */

#ifndef HW_TENSTORRENT_TENSIX_HART_TURNS_H
#define HW_TENSTORRENT_TENSIX_HART_TURNS_H

#include "qemu/event_notifier.h"

/* Whose turn it is (tensix_turns.h). */
typedef struct TensixTurns TensixTurns;

/*
 * What tensix_hart_polls() reads: a number for each register that one hart
 * sees, however many addresses it has.
 */
#define TENSIX_POLLED(model, index) ((uint64_t)(model) << 32 | (index))
enum { TENSIX_POLLED_CSR = 1, TENSIX_POLLED_MAILBOX, TENSIX_POLLED_SEMAPHORE };

/* thread=multi: which thread executes a hart (tensix_turns_threads.c) */
typedef enum TensixHartSeat {
    TENSIX_SEAT_OWN,               /* its own, if it can run */
    TENSIX_SEAT_PARKED,            /* the leader, once it can run */
    TENSIX_SEAT_LED,               /* the leader, now */
    TENSIX_SEAT_BACK,              /* its own, from turn.exception on */
} TensixHartSeat;

/* The threads of a tile that execute each other's harts; in its first hart. */
typedef struct TensixLead {
    int leader, watcher;           /* tensix_turns_threads.c; 0: none */
    struct TensixHart *runs;       /* what the leader executes, or NULL */
    bool rests;                    /* the leader: all harts are stalled */
    unsigned count;                /* of times that it began to */
    /* the leader's */
    unsigned last;                 /* hart that it executed, by its number */
    unsigned waits;                /* in a row that only waited */
    unsigned events;               /* of the host, before these */
    int64_t since;                 /* idle; or 0 */
} TensixLead;

typedef struct TensixHartTurns {
    TensixTurns *turns;            /* NULL: not added (yet) */

    /* saved on an axis */
    bool only_waited;              /* nothing written since the wait before */
    bool turn_given;               /* its last turn ended because it waited */
    bool waited_in_loop;           /* last at a loop's end, not at a FENCE */
    bool wrote;                    /* the CPU's, on its way to or from there */
    uint64_t polled;               /* TENSIX_POLLED() of its last read, or 0 */
    uint32_t polled_value;
    int64_t last;                  /* where its last instruction began */

    /* not saved */
    bool may_stop;                 /* axis: gdb has let it continue */
    bool passing;                  /* axis: steps over a breakpoint */
    bool seen;                     /* axis: something was watched for it */
    EventNotifier wake;            /* ends the rest of its thread */
    bool resting;
    unsigned number;               /* of those that were added */
    struct TensixHart *first;      /* of its tile, which has: */
    TensixLead lead;
    uint32_t seat;                 /* TensixHartSeat */
    int exception;                 /* EXCP_*, with which its thread returns */
    bool computes;                 /* for long: its own thread executes it */
    bool sleeps;                   /* its thread, until it is needed */
    bool watches_rest;             /* its thread sleeps while the leader rests */
    int64_t waits_since, waited_at;
} TensixHartTurns;

#endif
