/*
 * Derived state: functions for code that changes its sources.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_UPDATE_H
#define TENSIX_UPDATE_H

#include "tensix_core_struct.h"

/* Has the thread anything queued, expanding, at its gate or under way? */
bool tensix_thread_has_work(const TensixCore *c, uint32_t thread);

/* Sets TensixMacro.active, and derived.exec with it.  (derived.c) */
void tensix_set_macro_active(TensixCore *c, bool active);

/* Sets the functions of instructions, and derived.exec with them. */
void tensix_set_tables(TensixCore *c, TensixExecTable *tables);

/* Recomputes derived.slow: every writer of its sources calls it. */
void tensix_update_slow(TensixCore *c);

/* The thread has work: sets its bit of derived.busy. */
static inline void tensix_mark_busy(TensixCore *c, uint32_t thread)
{
    c->derived.busy |= 1u << thread;
}

/* Recomputes the thread's bit: called when it may have no work left. */
void tensix_update_busy(TensixCore *c, uint32_t thread);

#endif
