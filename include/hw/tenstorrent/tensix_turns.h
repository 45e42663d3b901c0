/*
 * Turns of the harts under TCG.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_TURNS_H
#define HW_TENSTORRENT_TENSIX_TURNS_H

#include "hw/tenstorrent/tensix_hart.h"

/*
 * Takes care of the harts that are added, as soon as they exist, of whatever
 * tile; one a machine.
 */
TensixTurns *tensix_turns_new(void);
bool tensix_turns_add(TensixTurns *t, TensixHart *hart, Error **errp);
void tensix_turns_free(TensixTurns *t);

/* TCGCPUOps of the harts' class: icount_slice, rr_period, ... */
int64_t tensix_turns_icount_slice(CPUState *cs);
int64_t tensix_turns_period(CPUState *cs);
void tensix_turns_round_done(CPUState *cs);
void tensix_turns_left(CPUState *cs, int exception);

/*
 * Gives the BQL away until tensix_turns_tell(), a millisecond at most, and ends
 * the turn of whoever has it: the timer that would is the main loop's.  From
 * the main loop's thread.
 */
void tensix_turns_wait(TensixHart *hart);

/* Something has happened that somebody may wait for.  BQL held. */
void tensix_turns_tell(TensixHart *hart);

/*
 * The hart is at the end of a loop in which it waits, or at a FENCE; its next
 * pc is set.  True: it has to leave generated code, its turn is over.  In the
 * hart's thread, BQL not held.
 */
bool tensix_hart_waits(TensixHart *hart, bool fence);

/*
 * The running hart has just been recorded as stalled.  With a thread of its own
 * it stays awake for a moment, without the BQL, because the other one's answer
 * may come sooner than the host could wake a thread.  True: it was woken, and
 * the BQL may be gone.  False: it has to halt; BQL held, as on entry.
 */
bool tensix_hart_await_wake(TensixHart *hart);

#endif
