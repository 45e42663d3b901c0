/*
 * The coprocessor's core observed, for instruments.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A subscriber to TENSIX_ON_EXECUTE makes the core observed, and so do breaks,
 * watches, marks of uninitialised cells, tensix_cop_observe_stores() and
 * tensix_cop_observe_reads().  Then the core takes its slow path, TENSIX_ON_L1
 * has reads as well as writes, each with its actor, and writes past the device;
 * else it has the writes of instructions, whose actor is none, and of agents.
 * Stores and loads of harts are in it as far as tensix_cop_choose_ranges() and
 * tensix_cop_observe_stores() ask for them.
 */

#ifndef HW_TENSTORRENT_TENSIX_COP_OBSERVE_H
#define HW_TENSTORRENT_TENSIX_COP_OBSERVE_H

#include "hw/tenstorrent/tensix_cop.h"

/* All of it: BQL held.  The observer, to be changed inside lock. */
TensixObserver *tensix_cop_observer(TensixCopState *cop);

/*
 * Takes what changed in the observer, or subscribed, into effect; inside lock.
 */
void tensix_cop_choose_observer(TensixCopState *cop);

/*
 * What a subscriber to TENSIX_ON_EXECUTE and TENSIX_ON_PUSH has called instead, as
 * long as it is the only one of the event, for most words of a timed kernel.
 */
typedef struct TensixCopTimer {
    TensixExecutedLregsFn *executed_lregs;     /* see TensixObserver */
    /* A .ttinsn is about to be pushed; false: held (TensixPushEvent). */
    bool (*push)(void *opaque, uint32_t thread, TensixOrigin origin);
    void *opaque;
} TensixCopTimer;

/*
 * One that outlives its subscriptions, or NULL.  Takes effect by
 * tensix_cop_choose_observer(); inside lock.
 */
void tensix_cop_set_timer(TensixCopState *cop, const TensixCopTimer *timer);

/* Watches of L1 have changed: puts them into effect for harts. */
void tensix_cop_choose_ranges(TensixCopState *cop);

/* All stores of harts are posted from now on, or only watched ones; inside lock. */
void tensix_cop_observe_stores(TensixCopState *cop, bool all);

/* Reads of L1 are posted, and all accesses with their actors; inside lock. */
void tensix_cop_observe_reads(TensixCopState *cop, bool reads);

bool tensix_cop_is_observed(const TensixCopState *cop);

#endif
