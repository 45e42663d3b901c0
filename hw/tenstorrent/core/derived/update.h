/*
 * What is derived: functions for whoever changes its sources.
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

/* Makes derived.slow anew: to be called by whoever sets what it is made of. */
void tensix_update_slow(TensixCore *c);

/* Makes the thread's bit of derived.busy anew from its state.  (derived.c) */
void tensix_update_busy(TensixCore *c, uint32_t thread);

#endif
