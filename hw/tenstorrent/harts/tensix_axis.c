/*
 * The axis: the instructions of all harts in one order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU's round-robin thread asks the axis for the hart to run.  A turn ends
 * when its instructions are used up, when the hart cannot run, or when the hart
 * gives the turn away because it waits, and for no other reason: after a kick
 * the thread continues with the same hart in the same turn.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "tensix_cpu.h"
#include "exec/gdbstub.h"
#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/qemu_compat_tcg.h"
#include "system/cpus.h"
#include "system/runstate.h"

struct TensixAxis {
    TensixTurns *turns;
    const TensixAxisOps *ops;
    void *opaque;
    VMChangeStateEntry *vm_state;

    TensixTurnsPlace *at;          /* of the turns */
    int64_t began;                 /* place where the hart that runs began */
    int64_t limit;
    bool seen;                     /* something was watched, for a hart */
    bool again;                    /* what is known is executed again */
    bool resumed;                  /* the machine, and no turn since */
    bool stopping;                 /* asked for */
    bool in_turn;                  /* a hart executes */
};

static unsigned count(const TensixAxis *a)
{
    return tensix_turns_count(a->turns);
}

static TensixHart *hart_of(const TensixAxis *a, unsigned i)
{
    return tensix_turns_hart(a->turns, i);
}

static TensixAxis *axis_of_hart(const TensixHart *hart)
{
    return hart->turn.turns ? tensix_turns_axis(hart->turn.turns) : NULL;
}

static TensixAxis *axis_of(CPUState *cs)
{
    return axis_of_hart(TENSIX_CPU(cs)->hart);
}

bool tensix_axis_has(const TensixHart *hart)
{
    return axis_of_hart(hart);
}

int64_t tensix_axis_place(void)
{
    return icount_get_raw();
}

void tensix_axis_discard_code(ram_addr_t start, size_t size)
{
    invalidate_code(start, start + size - 1);
}

int64_t tensix_axis_turn(const TensixHart *hart)
{
    const TensixAxis *a = axis_of_hart(hart);

    return a ? a->began : 0;
}

int64_t tensix_axis_last(const TensixHart *hart)
{
    return hart->turn.last;
}

TensixHart *tensix_axis_hart(const TensixAxis *a, const CPUState *cpu)
{
    for (unsigned i = 0; i < count(a); i++) {
        if (hart_of(a, i)->cpu == cpu) {
            return hart_of(a, i);
        }
    }
    return NULL;
}

void tensix_axis_discard(TensixAxis *a)
{
    for (unsigned i = 0; i < count(a); i++) {
        hart_of(a, i)->turn.last = TENSIX_AXIS_NOWHERE;
    }
}

void tensix_axis_set_limit(TensixAxis *a, int64_t place)
{
    a->limit = place;
}

int64_t tensix_axis_limit(const TensixAxis *a)
{
    return a->limit;
}

/* --- what the axis's user says --- */

static bool lets_continue(TensixAxis *a)
{
    return !a->ops->before_turn || a->ops->before_turn(a->opaque);
}

static bool passes_hit(TensixAxis *a, const TensixHart *hart, int64_t place,
                       const CPUWatchpoint *watchpoint)
{
    return a->ops->hit && a->ops->hit(a->opaque, hart, place, watchpoint);
}

/* --- choice of the next turn --- */

/* A request to stop all harts, or work queued for one of them, is pending. */
static bool is_disturbed(void)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        if (qatomic_read(&cs->stop) || !cpu_work_list_empty(cs)) {
            return true;
        }
    }
    return false;
}

/*
 * A hart that gdb resumes has `stopped` clear; here all harts resume.  A step
 * counts as any other instruction: interrupts and time continue.
 */
static void record_stoppable(TensixAxis *a)
{
    for (unsigned i = 0; i < count(a); i++) {
        TensixHart *hart = hart_of(a, i);
        CPUState *cs = hart->cpu;

        hart->turn.may_stop = !cs->stopped;
        cs->stopped = false;
        cpu_single_step(cs, cs->singlestep_enabled & SSTEP_ENABLE);
    }
}

static bool all_stopped(const TensixAxis *a)
{
    for (unsigned i = 0; i < count(a); i++) {
        if (!hart_of(a, i)->cpu->stopped) {
            return false;
        }
    }
    return true;
}

static bool may_run(TensixAxis *a)
{
    if (a->stopping || !runstate_is_running() || is_disturbed() ||
        all_stopped(a)) {
        return false;
    }
    if (a->resumed) {
        a->resumed = false;
        record_stoppable(a);
    }
    return true;
}

static bool runnable(const TensixHart *hart)
{
    return !cpu_thread_is_idle(hart->cpu);
}

/* Nothing changes as long as no hart can run. */
static TensixHart *next_turn(TensixAxis *a)
{
    for (unsigned i = 1; i <= count(a); i++) {
        unsigned next = (a->at->current + i) % count(a);
        TensixHart *hart = hart_of(a, next);

        if (runnable(hart)) {
            if (next <= a->at->current) {
                tensix_turns_end_round(a->turns);
            }
            a->at->current = next;
            a->at->left = tensix_turns_icount_slice(hart->cpu);
            return hart;
        }
    }
    return NULL;
}

static TensixHart *current_hart(TensixAxis *a)
{
    TensixHart *hart = hart_of(a, a->at->current);

    if (a->at->left > 0 && runnable(hart) && !hart->turn.turn_given) {
        return hart;
    }
    return next_turn(a);
}

/* --- what the coprocessor has come to --- */

/* The block ends after this instruction, so that the place is known. */
void tensix_axis_seen(TensixHart *hart)
{
    TensixAxis *a = axis_of_hart(hart);

    if (a) {
        CPUState *cs = hart_of(a, a->at->current)->cpu;

        qatomic_set(&hart->turn.seen, true);
        qatomic_set(&a->seen, true);
        if (qemu_cpu_is_self(cs)) {
            cpu_exit(cs);
        }
    }
}

/* One place, and one hart. */
static void report_seen(TensixAxis *a)
{
    TensixHart *first = NULL;

    if (!qatomic_xchg(&a->seen, false)) {
        return;
    }
    for (unsigned i = 0; i < count(a); i++) {
        TensixHart *hart = hart_of(a, i);

        if (qatomic_xchg(&hart->turn.seen, false) && !first) {
            first = hart;
        }
    }
    if (first) {
        passes_hit(a, first, tensix_axis_place() - 1, NULL);
    }
}

/* --- turns --- */

bool tensix_axis_choose(CPUState *first, CPUState **chosen, int64_t *insns)
{
    TensixAxis *a = axis_of(first);
    TensixHart *hart = NULL;

    if (!a) {
        return false;
    }
    report_seen(a);
    if (may_run(a) && lets_continue(a) && !a->stopping &&
        !is_disturbed()) {
        hart = current_hart(a);
    }
    *chosen = hart ? hart->cpu : NULL;
    a->in_turn = hart;
    a->began = tensix_axis_place();
    *insns = MIN(a->at->left, a->limit - a->began);
    return true;
}

/* --- after a turn --- */

/* A wait costs time, but not beyond the next timer. */
static void pass_time(TensixAxis *a)
{
    int64_t ns = icount_to_ns(tensix_turns_take_charge(a->turns));
    int64_t deadline;

    if (ns) {
        deadline = qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL,
                                              QEMU_TIMER_ATTR_ALL);
        icount_pass(deadline < 0 ? ns : MIN(ns, deadline));
    }
}

/* QEMU lets the access of a watchpoint that has been hit pass once. */
static void step_over(TensixHart *hart)
{
    hart->turn.passing = true;
    cpu_single_step(hart->cpu, SSTEP_ENABLE);
}

static void end_passing(TensixHart *hart)
{
    if (hart->turn.passing) {
        hart->turn.passing = false;
        hart->cpu->watchpoint_hit = NULL;
        cpu_reset_interrupt(hart->cpu, CPU_INTERRUPT_DEBUG);
        cpu_single_step(hart->cpu, 0);
    }
}

/*
 * The CPU is not marked as stopped: the main loop would find all harts idle,
 * and move time on, before it comes to the stop.
 */
static void stop_here(TensixAxis *a, CPUState *cs)
{
    a->stopping = true;
    gdb_set_stop_cpu(cs);
    qemu_system_debug_request();
}

void tensix_axis_await_stop(TensixHart *hart)
{
    TensixAxis *a = axis_of_hart(hart);

    if (a) {
        a->stopping = true;
    }
}

bool tensix_axis_holds_time(const TensixHart *hart)
{
    const TensixAxis *a = axis_of_hart(hart);

    return a && (a->stopping || a->in_turn);
}

/* Both stop before the instruction. */
static void debug_hit(TensixAxis *a, TensixHart *hart, int64_t place)
{
    CPUState *cs = hart->cpu;

    if (passes_hit(a, hart, place, cs->watchpoint_hit) ||
        !hart->turn.may_stop) {
        step_over(hart);
    } else {
        stop_here(a, cs);
    }
}

/* A step over a breakpoint may come to a watchpoint; else that was it. */
static bool ends_passing(const TensixHart *hart, bool executed)
{
    return hart->turn.passing &&
           (executed || !hart->cpu->watchpoint_hit);
}

/*
 * A re-execution may have reached its end where no hart can run, after an
 * ebreak for instance, so that no further turn would notice.
 */
static void wake_if_idle(TensixAxis *a)
{
    bool idle = a->again;

    for (unsigned i = 0; idle && i < count(a); i++) {
        idle = !runnable(hart_of(a, i));
    }
    if (idle) {
        tensix_axis_wake(a);
    }
}

void tensix_axis_ran(CPUState *cs, int exception)
{
    TensixAxis *a = axis_of(cs);
    TensixHart *hart = TENSIX_CPU(cs)->hart;
    int64_t place = tensix_axis_place();
    bool executed = place > a->began;

    a->at->left -= place - a->began;
    if (executed) {
        hart->turn.last = place - 1;
    }
    a->in_turn = false;
    pass_time(a);
    wake_if_idle(a);
    if (exception != EXCP_DEBUG) {
        return;
    }
    if (ends_passing(hart, executed)) {
        end_passing(hart);
    } else {
        debug_hit(a, hart, place);
    }
}

/* --- stops --- */

void tensix_axis_stop(TensixAxis *a, const TensixHart *hart,
                      CPUWatchpoint *watchpoint)
{
    hart->cpu->watchpoint_hit = watchpoint;
    stop_here(a, hart->cpu);
}

/* A hart stopped at a breakpoint hits it again, unless it is stepped by gdb. */
static void end_all_passing(TensixAxis *a)
{
    for (unsigned i = 0; i < count(a); i++) {
        end_passing(hart_of(a, i));
    }
}

/* An interrupted search leaves no step pending, neither gdb's nor its own. */
static void cancel_steps(TensixAxis *a)
{
    end_all_passing(a);
    for (unsigned i = 0; i < count(a); i++) {
        if (!hart_of(a, i)->debug.armed) {
            cpu_single_step(hart_of(a, i)->cpu, 0);
        }
    }
}

void tensix_axis_set_again(TensixAxis *a, bool again)
{
    cancel_steps(a);
    a->again = again;
    tensix_turns_set_idle(a->turns, !again);
}

static void nothing(CPUState *cs, run_on_cpu_data data)
{
}

void tensix_axis_wake(TensixAxis *a)
{
    async_run_on_cpu(hart_of(a, 0)->cpu, nothing, RUN_ON_CPU_NULL);
}

void tensix_axis_input(TensixHart *hart, const char *what)
{
    TensixAxis *a = axis_of_hart(hart);

    if (a && a->ops->input) {
        a->ops->input(a->opaque, what);
    }
}

/* A stop for another reason may have come first: then it was not reported. */
static void discard_watchpoint_hits(TensixAxis *a)
{
    for (unsigned i = 0; i < count(a); i++) {
        hart_of(a, i)->cpu->watchpoint_hit = NULL;
    }
}

static void axis_vm_state(void *opaque, bool running, RunState state)
{
    TensixAxis *a = opaque;

    a->stopping = false;
    a->resumed = running;
    if (running) {
        discard_watchpoint_hits(a);
    } else {
        end_all_passing(a);
    }
    if (a->ops->vm_state) {
        a->ops->vm_state(a->opaque, running);
    }
}

/* --- */

bool tensix_axis_is_possible(const TensixTurns *turns, Error **errp)
{
    if (tensix_turns_axis(turns)) {
        error_setg(errp, "delays and a history (rewind=on) exclude each other");
        return false;
    }
    if (icount_enabled() != ICOUNT_PRECISE || icount_sleeps()) {
        error_setg(errp, "to go back the machine needs -icount "
                   "shift=0,sleep=off: without it nothing happens twice in "
                   "the same way");
        return false;
    }
    return true;
}

static void set_steps_take_turns(TensixAxis *a, bool take_turns)
{
    for (unsigned i = 0; i < count(a); i++) {
        riscv_tensix_cpu(cpu_env(hart_of(a, i)->cpu))->steps_take_turns =
            take_turns;
    }
}

/* On a running machine, harts continue as if it had just been resumed. */
TensixAxis *tensix_axis_new(TensixTurns *turns, const TensixAxisOps *ops,
                            void *opaque)
{
    TensixAxis *a = g_new0(TensixAxis, 1);

    a->turns = turns;
    a->ops = ops;
    a->opaque = opaque;
    a->limit = INT64_MAX;
    a->at = tensix_turns_place(turns);
    *a->at = (TensixTurnsPlace) { .current = count(a) - 1 };
    a->resumed = runstate_is_running();
    tensix_axis_discard(a);
    set_steps_take_turns(a, true);
    tensix_turns_put_on_axis(turns, a);
    a->vm_state = qemu_add_vm_change_state_handler(axis_vm_state, a);
    return a;
}

void tensix_axis_free(TensixAxis *a)
{
    tensix_axis_set_again(a, false);
    set_steps_take_turns(a, false);
    tensix_turns_put_on_axis(a->turns, NULL);
    qemu_del_vm_change_state_handler(a->vm_state);
    g_free(a);
}
