/*
 * A delay that the host chooses, in place of random ones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_DELAYS_H
#define TENSIX_DELAYS_H

#include "tensix_core_struct.h"
#include "frontend/timing.h"

/* All of these with c->delays. */

/* A hart is about to push: holds it back if the site has a delay for it. */
void tensix_delays_push(TensixCore *c, uint32_t thread, uint32_t word,
                        TensixOrigin origin);

/* The instruction could issue, perhaps again: holds back thread and units. */
void tensix_delays_gate(TensixCore *c, const TensixInsn *i);

/* A delay of the instruction's own unit is part of its time. */
void tensix_delays_stretch(TensixCore *c, const TensixInsn *i,
                           TensixTiming *timing);

/* Does the word take effect at the end of its time: is its unit delayed? */
bool tensix_delays_fly(const TensixCore *c, uint32_t word);

/* Cycles of the delay, if it is of this store. */
uint32_t tensix_delays_of_store(const TensixDelays *d, const TensixHartStore *s);

/* Stores that are due are processed: were there any?  (late.c) */
bool tensix_late_land(TensixCore *c);

/* The cycle of the first such store, if that is before next. */
uint64_t tensix_late_next(const TensixCore *c, uint64_t next);

/* Has the hart stores to be processed (condition C10)? */
bool tensix_late_waits(const TensixCore *c, uint32_t hart);

/* It has issued: the next word at this gate is another one. */
void tensix_delays_issued(TensixCore *c, const TensixInsn *i);

#endif
