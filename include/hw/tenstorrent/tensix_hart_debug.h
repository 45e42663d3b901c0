/*
 * The debug interface's hold on a hart: halt, step, continue, registers,
 * watchpoints.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH DebugInterface.md; where Blackhole's client does otherwise (two step
 * commands make one step, DR(3) is the new pc), as that.  README.md of
 * hw/tenstorrent/debug has the choices.
 *
 * A stopped hart is *paused* (tensix_hart_pause()), by ebreak or a violation,
 * until gdb or the interface resumes it, or *halted* by the interface, which
 * alone resumes it.
 */

#ifndef HW_TENSTORRENT_TENSIX_HART_DEBUG_H
#define HW_TENSTORRENT_TENSIX_HART_DEBUG_H

#include "hw/tenstorrent/tensix_hart.h"

/* Bits of the status, DR(0). */
enum {
    TENSIX_DEBUG_PAUSED = 1 << 0,
    TENSIX_DEBUG_PC_HIT = 1 << 1,
    TENSIX_DEBUG_MEMORY_HIT = 1 << 2,
    TENSIX_DEBUG_EBREAK_HIT = 1 << 3,
    TENSIX_DEBUG_WATCHPOINT_SHIFT = 8,
};

/* Number of pc, above x0..x31, for tensix_hart_debug_gpr(). */
#define TENSIX_DEBUG_PC 32

/* DR(0) of the hart as it is now; 0 while soft reset holds it.  BQL held. */
uint32_t tensix_hart_debug_status(const TensixHart *hart);

/*
 * Halts the hart at its next instruction boundary; a hart that is stalled at
 * once, before the instruction that waits.  No effect if it is paused or
 * held.  wait: the caller bears that the BQL is given away until the hart is
 * stopped, 500 ms at most, and the hart executes up to 100 instructions more;
 * not from a hart's own thread, nor while a device is in the middle of
 * something.  BQL held.
 */
void tensix_hart_debug_halt(TensixHart *hart, bool wait);

/*
 * Lets a hart that is paused, by whomever, continue.  wait: until it has
 * executed 2000 instructions, is stopped, stalls or goes round a jump to
 * itself. No effect if it is not paused.  BQL held.
 */
void tensix_hart_debug_continue(TensixHart *hart, bool wait);

/*
 * One of the two commands that make a paused hart execute one instruction.  An
 * instruction that stalls the hart ends its step when it is done.
 * wait: until the step is over or stalls.  BQL held.
 */
void tensix_hart_debug_step(TensixHart *hart, bool wait);

/*
 * Posts TENSIX_ON_WATCHED after each such access of the hart to one of these parts of
 * L1, which stay the caller's; count 0: no longer.  From the hart's next block on.
 * BQL held.
 */
void tensix_hart_watch_memory(TensixHart *hart, const TensixHartRange *ranges,
                              unsigned count);

/* x0..x31 and pc (32) of a paused hart; others read 0.  BQL held. */
uint32_t tensix_hart_debug_gpr(const TensixHart *hart, uint32_t index);

/* x1..x31 of a paused hart; others are left alone.  BQL held. */
void tensix_hart_debug_set_gpr(TensixHart *hart, uint32_t index,
                               uint32_t value);

/* The pc of a paused hart; the cause of the pause is discarded.  BQL held. */
void tensix_hart_debug_set_pc(TensixHart *hart, uint32_t pc);

/*
 * Takes what dr[MODES] and dr[ADDRESS + i] ask for into effect, and whether
 * TENSIX_ON_LOAD_STORE has subscribers, before the hart executes again if it is
 * paused.  BQL held.
 */
void tensix_hart_debug_watch(TensixHart *hart);

/* Its DR(i), for the debug hardware; TENSIX_DR_STATUS is none. */
uint32_t *tensix_hart_debug_dr(TensixHart *hart, uint32_t i);

/* Does soft reset keep them zero? */
bool tensix_hart_debug_is_reset(const TensixHart *hart);

/* "the debug interface (watchpoint 3)" and the like, for info tensix. */
void tensix_hart_debug_holder(const TensixHart *hart, char *buf, size_t size);

/* --- for the files that make up a hart --- */

/*
 * Posts TENSIX_ON_LOCAL from now on, if that has subscribers.  In the hart's thread,
 * BQL held.
 */
void tensix_hart_debug_watch_local(TensixHart *hart);

extern const VMStateDescription vmstate_tensix_hart_debug;

/* The hart is no longer paused, or held: causes and steps end.  BQL held. */
void tensix_hart_debug_discard(TensixHart *hart);

/* Soft reset: the DRs are zero, unless they are kept.  BQL held. */
void tensix_hart_debug_reset(TensixHart *hart);

/* The hart is paused by an ebreak.  In its thread, BQL held. */
void tensix_hart_debug_ebreak(TensixHart *hart);

/* The machine runs again: gdb may have ended single steps, also ours. */
void tensix_hart_debug_vm_runs(TensixHart *hart);

/* The state was loaded: watchpoints and a step are made of it. */
void tensix_hart_debug_loaded(TensixHart *hart);

/* TCGCPUOps of the harts' class */
void tensix_hart_debug_excp(CPUState *cs);
bool tensix_hart_debug_check_breakpoint(CPUState *cs);
bool tensix_hart_debug_check_watchpoint(CPUState *cs, CPUWatchpoint *wp);
void tensix_hart_debug_memory_watched(CPUState *cs, vaddr address, vaddr size,
                                      int flags, uintptr_t ra);

#endif
