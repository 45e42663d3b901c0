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

/*
 * From now on the axis says whose turn it is (tensix_axis.h), and no stop of the
 * machine makes a difference; NULL: no longer.
 */
struct TensixAxis;
void tensix_turns_put_on_axis(TensixTurns *t, struct TensixAxis *axis);
struct TensixAxis *tensix_turns_axis(const TensixTurns *t);

/*
 * For the axis: whose turn it is, by tensix_turns_hart(), and how many
 * instructions are left of it.  Saved with what is known of the waiters.
 */
typedef struct TensixTurnsPlace {
    uint32_t current;
    int64_t left;
} TensixTurnsPlace;

TensixTurnsPlace *tensix_turns_place(TensixTurns *t);

/* On an axis: the running hart's turn ends after the instruction at hand. */
void tensix_turns_end_turn(TensixHart *hart);

/* For the axis: the i-th of so many harts, in the order of their addition. */
unsigned tensix_turns_count(const TensixTurns *t);
TensixHart *tensix_turns_hart(const TensixTurns *t, unsigned i);

/* For the axis: all harts that can run have had their turn. */
void tensix_turns_end_round(TensixTurns *t);

/* For the axis: instructions that the last turn's wait costs; asked once. */
int64_t tensix_turns_take_charge(TensixTurns *t);

/* Does the host rest while all harts wait?  As a rule it does. */
void tensix_turns_set_idle(TensixTurns *t, bool idle);

/* On an axis: the instructions of a turn, and waits cost none; 0: as usual. */
void tensix_turns_set_slice(TensixTurns *t, int64_t insns);

/* TCGCPUOps of the harts' class: icount_slice, rr_period, ... */
int64_t tensix_turns_icount_slice(CPUState *cs);
int64_t tensix_turns_period(CPUState *cs);
void tensix_turns_round_done(CPUState *cs);
int tensix_turns_exec(CPUState *cs);
void tensix_turns_kicked(CPUState *cs);

/*
 * Gives the BQL away until tensix_turns_notify(), a millisecond at most, and
 * ends the current turn: the timer that would is the main loop's.
 * From the main loop's thread.
 */
void tensix_turns_wait(TensixHart *hart);

/* Harts' threads that sleep because all harts wait wake up; BQL held. */
void tensix_turns_end_idling(const TensixHart *hart);

/* It no longer waits, though no round found it held in reset.  BQL held. */
void tensix_turns_released(const TensixHart *hart);

/* They sleep as soon as all wait: another thread is to run.  BQL held. */
void tensix_turns_idle_soon(const TensixHart *hart);

/* Something has happened that may end a wait.  BQL held. */
void tensix_turns_notify(TensixHart *hart);

/*
 * The hart is at the end of a loop in which it waits, or at a FENCE; its next
 * pc is set.  True: it has to leave generated code, its turn is over.  In the
 * hart's thread, BQL not held.
 */
bool tensix_hart_waits(TensixHart *hart, bool fence);

/* thread=multi: the hart's stall has ended.  BQL held. */
void tensix_turns_wake(TensixHart *hart);

#endif
