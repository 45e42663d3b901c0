/*
 * The cycles by which events are ordered: what comes next, and whose turn it is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All of it reads TensixOrder alone; schedule.c says what the cycles mean.
 */

#ifndef TENSIX_ORDER_H
#define TENSIX_ORDER_H

#include "frontend/timing.h"

/* No cycle: a thread is not asked again before something changes. */
#define TENSIX_NEVER UINT64_MAX

/* The first of these cycles that is still to come and before `next`; else that. */
static inline uint64_t tensix_order_earliest(const TensixOrder *o,
                                             const uint64_t *at, uint32_t count,
                                             uint64_t next)
{
    for (uint32_t n = 0; n < count; n++) {
        uint64_t to_come = at[n] > o->cycle ? at[n] : TENSIX_NEVER;

        next = to_come < next ? to_come : next;
    }
    return next;
}

/*
 * The first cycle after this one in which something ends, or TENSIX_NEVER.  A
 * flight ends no later than its unit's time.
 */
static inline uint64_t tensix_order_next(const TensixOrder *o)
{
    uint64_t next = TENSIX_NEVER;
    bool quiet = true;

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        if (o->quiet_at[t] > o->cycle) {
            next = tensix_order_earliest(o, o->idle_at[t], TENSIX_PORTS, next);
            next = tensix_order_earliest(o, &o->issue_at[t], 1, next);
            quiet = false;
        }
    }
    /* a unit that is not free has a thread that is not quiet */
    return quiet ? next
                 : tensix_order_earliest(o, o->free_at, TENSIX_PORTS, next);
}

/* The first cycle in which a bank is handed over, if that is before next. */
static inline uint64_t tensix_order_next_bank(const TensixOrder *o, uint64_t next)
{
    for (uint32_t src = 0; o->handing_over && src < TENSIX_SRCS; src++) {
        next = tensix_order_earliest(o, o->hand_over_at[src], TENSIX_SRC_BANKS,
                                     next);
    }
    return next;
}

/* Do its thread and its unit take this instruction in this cycle? */
static inline bool tensix_order_takes(const TensixOrder *o, const TensixInsn *i)
{
    return o->free_at[tensix_port(i->word)] <= o->cycle &&
           o->issue_at[i->thread] <= o->cycle;
}

/* The order of threads: the one that has been ready longest comes first. */
static inline const uint8_t *tensix_order_turns(const TensixOrder *o)
{
    /* by 1 if thread 1 comes before 0, 2 if 2 before 0, 4 if 2 before 1 */
    static const uint8_t orders[8][TENSIX_THREADS] = {
        { 0, 1, 2 }, { 1, 0, 2 }, { 0, 1, 2 }, { 1, 2, 0 },
        { 0, 2, 1 }, { 0, 1, 2 }, { 2, 0, 1 }, { 2, 1, 0 },
    };
    const uint64_t *at = o->issue_at;

    return orders[(at[1] < at[0]) | (at[2] < at[0]) << 1 |
                  (at[2] < at[1]) << 2];
}

/* Passes time to where all units are idle, or to the cycle `end`: true. */
static inline bool tensix_order_pass(TensixOrder *o, uint64_t end)
{
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        tensix_at_least(&o->cycle, o->quiet_at[t] < end ? o->quiet_at[t] : end);
    }
    return o->cycle == end;
}

#endif
