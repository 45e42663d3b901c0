/*
 * What the files of the turns share (tensix_turns.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_TURNS_INTERNAL_H
#define HW_TENSTORRENT_TENSIX_TURNS_INTERNAL_H

#include "hw/tenstorrent/tensix_turns.h"

/* ns of a sleep after all harts of a thread have only waited for `waited` ns. */
int64_t tensix_turns_idle_after(int64_t waited);

/* Sleeps ns or until the hart's notifier is set. */
void tensix_turns_sleep(TensixHart *hart, int64_t ns);

/* Counts what harts may have waited for; to be read before they poll. */
unsigned tensix_turns_events(const TensixTurns *t);

/*
 * thread=multi: the hart waits, and has done only that since the last time if
 * `only` is set.  True: it has to leave generated code.
 */
bool tensix_turns_waits_in_thread(TensixHart *hart, bool only);

#endif
