/*
 * The axis: the instructions of all harts in one order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * With -icount the order of the harts repeats from one run to the next, but a
 * stop of the machine, a step of gdb or a kick by the host changes what
 * follows. On an axis they do not: whose turn it is and for how long depends on
 * the state of the harts alone, and a turn that was interrupted continues.  A
 * place on the axis is the number of instructions that all harts have executed,
 * and what happened between two places happens again if it is executed again.
 *
 * So harts cannot be let continue one by one: when the machine runs all of them
 * do. gdb's choice (schedule-multiple, scheduler-locking) decides only whose
 * breakpoints and steps stop the machine.
 */

#ifndef HW_TENSTORRENT_TENSIX_AXIS_H
#define HW_TENSTORRENT_TENSIX_AXIS_H

#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/tensix_turns.h"

typedef struct TensixAxis TensixAxis;

/*
 * All are called with the BQL held.  NULL: harts continue, a hit stops the
 * machine, and nothing is done.
 */
typedef struct TensixAxisOps {
    /*
     * Before a turn, and wherever one was interrupted; in the harts' thread,
     * none of which runs.  False: no hart continues now.  It may load
     * another state, and says with tensix_axis_set_limit() where it wants
     * to be called next at the latest.
     */
    bool (*before_turn)(void *opaque);
    /*
     * A breakpoint at the hart's instruction at place, or a watchpoint (else
     * NULL) that it is about to hit.  True: the machine continues.  In the
     * harts' thread.
     */
    bool (*hit)(void *opaque, const TensixHart *hart, int64_t place,
                const CPUWatchpoint *watchpoint);
    /* The machine continues, or has stopped; in the main loop. */
    void (*vm_state)(void *opaque, bool running);
    /* Something that does not repeat has happened; in any thread. */
    void (*input)(void *opaque, const char *what);
} TensixAxisOps;

/* No place: that hart has executed nothing that is known. */
#define TENSIX_AXIS_NOWHERE (-1)

/*
 * An axis needs -icount without sleep and with a fixed shift, and to be the only
 * one.  False: errp is set.
 */
bool tensix_axis_is_possible(const TensixTurns *turns, Error **errp);

/*
 * Puts the harts of turns on an axis, where that is possible, until
 * tensix_axis_free(); for both the BQL is held and no hart runs.
 */
TensixAxis *tensix_axis_new(TensixTurns *turns, const TensixAxisOps *ops,
                            void *opaque);
void tensix_axis_free(TensixAxis *a);

/* How many instructions all harts have executed; no hart runs. */
int64_t tensix_axis_place(void);

/* What was translated from that RAM, which changes.  While no hart runs. */
void tensix_axis_discard_code(ram_addr_t start, size_t size);

/* Where the turn began that a hart has, or had last; 0 without an axis. */
int64_t tensix_axis_turn(const TensixHart *hart);

/* Where the hart's last instruction began, or TENSIX_AXIS_NOWHERE. */
int64_t tensix_axis_last(const TensixHart *hart);

/* The hart whose CPU this is. */
TensixHart *tensix_axis_hart(const TensixAxis *a, const CPUState *cpu);

/*
 * What the harts executed so far is no longer known, or was on another axis:
 * another state was loaded.
 */
void tensix_axis_discard(TensixAxis *a);

/* Nothing runs beyond this place without another call of before_turn. */
void tensix_axis_set_limit(TensixAxis *a, int64_t place);
int64_t tensix_axis_limit(const TensixAxis *a);

/*
 * From before_turn: stops the machine here, and shows gdb this hart; as if it
 * had hit the watchpoint, if that is not NULL.
 */
void tensix_axis_stop(TensixAxis *a, const TensixHart *hart,
                      CPUWatchpoint *watchpoint);

/* Calls before_turn once more, even if no hart can run. */
void tensix_axis_wake(TensixAxis *a);

/*
 * Executes again what is known: harts do not rest, and steps of gdb are
 * forgotten.  false: no longer.
 */
void tensix_axis_set_again(TensixAxis *a, bool again);

/*
 * The coprocessor has reached a break or watch, on behalf of this hart:
 * `hit` is called for the last instruction that a hart has executed.  From any
 * thread, from inside the core.  Nothing happens without an axis.
 */
void tensix_axis_seen(TensixHart *hart);

/*
 * The hart has paused and the machine is to stop for that: no hart has a turn
 * before it has.  BQL held.  Nothing happens without an axis.
 */
void tensix_axis_await_stop(TensixHart *hart);

/*
 * Has a turn not ended, or a stop been asked for?  Until then no hart may count
 * as idle: the main loop would move time on.  BQL held; false without an axis.
 */
bool tensix_axis_holds_time(const TensixHart *hart);

/*
 * Is the hart on an axis?  Then what decides, beside the tile's state, what is
 * done and reported next is saved with it, and stops make no difference to it.
 */
bool tensix_axis_has(const TensixHart *hart);

/* TCGCPUOps of the harts' class. */
bool tensix_axis_choose(CPUState *first, CPUState **chosen, int64_t *insns);
void tensix_axis_ran(CPUState *cs, int exception);

/*
 * The hart has just done, or another agent does to it, what differs when its
 * instructions are executed again: what is a few words for messages.
 * Nothing happens without an axis.
 */
void tensix_axis_input(TensixHart *hart, const char *what);

#endif
