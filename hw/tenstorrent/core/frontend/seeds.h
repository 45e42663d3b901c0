/*
 * Random schedules: what hardware may stretch is stretched at random.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_SEEDS_H
#define TENSIX_SEEDS_H

#include "tensix_core_struct.h"
#include "frontend/timing.h"

/* Stretches the times of what may wait for L1 or Dst, if there is a seed. */
void tensix_seeds_stretch(TensixCore *c, const TensixInsn *i,
                          TensixTiming *timing);

/*
 * Does this word take effect at the end of its time instead of at the start?
 * At random: units read and write from start to end.
 */
bool tensix_seeds_fly(TensixCore *c, uint32_t word);

/* The next cycle that matters: `next`, or before it the end of a hold. */
uint64_t tensix_seeds_next(const TensixCore *c, uint64_t next);

/* Is any hart held back? */
bool tensix_seeds_hold(const TensixCore *c);

/* Harts whose time has come may push again. */
void tensix_seeds_release(TensixCore *c);

#endif
