/*
 * Choice of the next turn: harts that only wait give theirs away, and when all
 * do the host idles.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart *waits* when it goes round a loop that changes nothing (the translator
 * knows those), executes a FENCE, or reads the same from a device again.  It
 * *only waits* if it has written nothing since it waited last.
 *
 * Round-robin (thread=single): waiting ends the turn.  Once all harts that can
 * run have only waited for a whole round, the thread sleeps, longer and longer
 * but never for more than a part of the time that they have waited, so that a
 * hart that waits for the clock is not late by more than that part.
 *
 * -icount: the same, but what ends the wait may be the clock, which only
 * instructions move: a hart that only waits is charged instructions that it
 * does not execute.  How many follows from virtual time, so two runs are the
 * same.  The sleep lasts as long as the clock moved, and decides nothing.
 *
 * thread=multi: tensix_turns_threads.c.
 *
 * All sleeps end when the main loop has done something: qtest, gdb, a monitor
 * or a timer may have written what the harts wait for.  They end when a run of
 * host software begins, too, and after such a run the next one begins at once:
 * another thread is about to serve the client, perhaps on the same processor.
 */

#include "qemu/osdep.h"
#include "qemu/event_notifier.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "tensix_cpu.h"
#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_count.h"
#include "hw/tenstorrent/tensix_hart_time.h"
#include "hw/tenstorrent/tensix_turns.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "tensix_turns_internal.h"
#include "system/cpus.h"
#include "system/runstate.h"
#include "../trace.h"

enum {
    /*
     * Longest turn of a hart while another one could run.  Its end costs the
     * main loop's waking, 10 us of the host, so a hart with work to do keeps it
     * for long; a short one is for a wait that is not recognised
     */
    TURN_NS = 400 * SCALE_US,
    TURN_NS_SPINNING = 50 * SCALE_US,
    /* ... as long as all only wait: the first of them to find work */
    TURN_NS_WAITING = SCALE_MS,
    /* In a longer round a hart computed, or the host was busy */
    LONG_ROUND_NS = 20 * SCALE_US,
    /* How long all harts only wait before the host idles */
    IDLE_AFTER_NS = 20 * SCALE_US,
    IDLE_MAX_NS = 200 * SCALE_US,
    /* Part of the time waited so far that a sleep lasts: 1 / this */
    IDLE_PART = 4,
    /* More after a long wait */
    LONG_IDLE_PART = 64,
    LONG_IDLE_MAX_NS = SCALE_MS,
    CHARGE_PART = 8,
    /*
     * -icount: instructions a hart executes before the next one's turn, and so
     * how long other harts wait for one whose way of waiting is not recognised.
     * While all wait, one turn may be charged more.
     */
    ICOUNT_SLICE = 10000,
    ICOUNT_SLICE_WAITING = 250000,
    /* thread=multi: a hart not seen waiting for longer does something else */
    SEEN_WAITING_NS = 10 * SCALE_MS,
};

struct TensixTurns {
    GPtrArray *harts;
    Notifier main_loop;
    VMChangeStateEntry *vm_state;
    unsigned events;               /* of the main loop */
    QemuCond notified;
    unsigned listeners;            /* that wait for it */

    /* round-robin */
    bool all_wait;                 /* since the last round but one at least */
    bool spins;                    /* a hart had to be kicked, and wrote nothing */
    bool soon;                     /* the next wait of all is no short one */
    unsigned seen_events;
    int64_t since, last;           /* they began to; the last round ended */
    int64_t charge;                /* -icount: instructions for a wait */
    int64_t charged;               /* on an axis: for the one just now */

    TensixAxis *axis;              /* or NULL */
    TensixTurnsPlace at;           /* the axis's */
    bool no_idle;
    int64_t slice;                 /* -icount: of a turn; 0: as usual */
};

static TensixHart *hart_at(const TensixTurns *t, unsigned i)
{
    return g_ptr_array_index(t->harts, i);
}

/* --- what a hart did --- */

/*
 * Records that the hart waits.  Has it done nothing else since the last time?
 */
static bool record_wait(TensixHart *hart)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(cpu_env(hart->cpu));
    bool only = !cpu->wrote;

    cpu->wrote = 0;
    if (only && !hart->turn.only_waited) {
        tensix_hart_post_idle(hart);
    }
    qatomic_set(&hart->turn.only_waited, only);
    return only;
}

/* The same without recording: a loop's end is not the wait's first iteration */
static bool only_waits(const TensixHart *hart)
{
    return !riscv_tensix_cpu(cpu_env(hart->cpu))->wrote;
}

static bool runnable(const TensixHart *hart)
{
    return !cpu_thread_is_idle(hart->cpu);
}

bool tensix_hart_spins(const TensixHart *hart)
{
    const uint8_t *wrote = &riscv_tensix_cpu(cpu_env(hart->cpu))->wrote;

    if (!runnable(hart) || !qatomic_read(&hart->turn.only_waited)) {
        return false;
    }
    return !mttcg_enabled() ||
           (!qatomic_read(wrote) &&
            get_clock() - qatomic_read(&hart->turn.waited_at) < SEEN_WAITING_NS);
}

/* In a loop that waits, its end is soon enough, and the one place. */
static void give_turn_after_read(TensixHart *hart)
{
    bool in_loop = hart->turn.waited_in_loop;

    hart->turn.waited_in_loop = false;
    if (!record_wait(hart) || !in_loop) {
        hart->turn.turn_given = true;
        cpu_exit(hart->cpu);
    }
}

void tensix_hart_polls(TensixHart *hart, uint64_t what, uint32_t value)
{
    if (mttcg_enabled() || !tensix_hart_is_running_here(hart)) {
        return;
    }
    if (hart->turn.polled == what && hart->turn.polled_value == value) {
        give_turn_after_read(hart);
    }
    hart->turn.polled = what;
    hart->turn.polled_value = value;
}

/* --- listeners --- */

void tensix_turns_notify(TensixHart *hart)
{
    if (hart->turn.turns && hart->turn.turns->listeners) {
        qemu_cond_broadcast(&hart->turn.turns->notified);
    }
}

/* --- sleeps --- */

void tensix_turns_sleep(TensixHart *hart, int64_t ns)
{
    GPollFD fd = {
        .fd = event_notifier_get_fd(&hart->turn.wake),
        .events = G_IO_IN,
    };

    trace_tensix_turns_sleep(ns);
    if (qemu_poll_ns(&fd, 1, ns) > 0) {
        event_notifier_test_and_clear(&hart->turn.wake);
    }
}

int64_t tensix_turns_idle_after(int64_t waited)
{
    return MAX(MIN(waited / IDLE_PART, IDLE_MAX_NS),
               MIN(waited / LONG_IDLE_PART, LONG_IDLE_MAX_NS));
}

/* Something has happened that harts may wait for.  How many threads slept? */
static unsigned end_idling(TensixTurns *t)
{
    unsigned sleepers = 0;

    qatomic_set(&t->events, t->events + 1);
    smp_mb();                      /* as in idle_unless_event(), crosswise */
    for (unsigned i = 0; i < t->harts->len; i++) {
        if (qatomic_read(&hart_at(t, i)->turn.resting)) {
            event_notifier_set(&hart_at(t, i)->turn.wake);
            sleepers++;
        }
    }
    return sleepers;
}

void tensix_turns_released(const TensixHart *hart)
{
    if (hart->turn.turns && !icount_enabled()) {
        hart->turn.turns->all_wait = false;
    }
}

void tensix_turns_idle_soon(const TensixHart *hart)
{
    if (hart->turn.turns) {
        hart->turn.turns->soon = !icount_enabled();
    }
}

void tensix_turns_end_idling(const TensixHart *hart)
{
    if (hart->turn.turns) {
        trace_tensix_turns_wake(end_idling(hart->turn.turns));
    }
}

/* The main loop has done what there was to do, and is about to wait. */
static void main_loop_waits(Notifier *notifier, void *data)
{
    MainLoopPoll *poll = data;

    if (poll->state == MAIN_LOOP_POLL_FILL) {
        end_idling(container_of(notifier, TensixTurns, main_loop));
    }
}

unsigned tensix_turns_events(const TensixTurns *t)
{
    return qatomic_read(&t->events);
}

/* Sleeps unless the main loop has done something since `events` was read. */
static void idle_unless_event(TensixHart *hart, unsigned events, int64_t ns)
{
    qatomic_set(&hart->turn.resting, true);
    smp_mb();                      /* one of the two sees the other's flag */
    if (tensix_turns_events(hart->turn.turns) == events) {
        tensix_turns_sleep(hart, ns);
    }
    qatomic_set(&hart->turn.resting, false);
}

void tensix_turns_wait(TensixHart *hart)
{
    TensixTurns *t = hart->turn.turns;

    if (!t) {
        return;
    }
    end_idling(t);
    if (!mttcg_enabled()) {
        qemu_cpu_kick(hart->cpu);  /* the timer that ends turns is not run */
    }
    t->listeners++;
    qemu_cond_timedwait_bql(&t->notified, 1);
    t->listeners--;
}

/* --- round-robin --- */

/* NULL for a hart that has not been added (yet) */
static TensixTurns *turns_of(CPUState *cs)
{
    return TENSIX_CPU(cs)->hart->turn.turns;
}

int64_t tensix_turns_period(CPUState *cs)
{
    const TensixTurns *t = turns_of(cs);
    unsigned ready = 0;

    if (!t || icount_enabled()) {
        return t ? 0 : -1;         /* slices of instructions end a turn */
    }
    for (unsigned i = 0; i < t->harts->len; i++) {
        ready += runnable(hart_at(t, i));
    }
    if (ready < 2) {
        return 0;
    }
    return t->all_wait ? TURN_NS_WAITING
           : t->spins ? TURN_NS_SPINNING : TURN_NS;
}

/*
 * Ends the round for the harts' records.  Did all that can run only wait?  One
 * that neither gave its turn away nor wrote may count its tries, say: that is
 * a wait, too.
 */
static bool all_only_waited(TensixTurns *t)
{
    bool any = false, all = true;

    t->spins = false;
    for (unsigned i = 0; i < t->harts->len; i++) {
        TensixHart *hart = hart_at(t, i);

        t->spins |= runnable(hart) && !hart->turn.turn_given &&
                    only_waits(hart);
        if (!hart->turn.turn_given) {
            qatomic_set(&hart->turn.only_waited, false);
        }
        hart->turn.turn_given = false;
        if (runnable(hart)) {
            any = true;
            all = all && hart->turn.only_waited;
        }
    }
    return any && all;
}

static int64_t now(void)
{
    return icount_enabled() ? qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL)
                            : get_clock();
}

/* The thread has no hart now: it sleeps with the first one's notifier. */
static void idle_after_round(TensixTurns *t, int64_t waited, int64_t moved)
{
    unsigned events = t->seen_events;
    int64_t ns = icount_enabled() ? MIN(moved, LONG_IDLE_MAX_NS)
                                  : tensix_turns_idle_after(waited);

    if (waited >= IDLE_AFTER_NS && !t->no_idle) {
        bql_unlock();
        idle_unless_event(hart_at(t, 0), events, ns);
        bql_lock();
    }
}

static void set_all_wait(TensixTurns *t, bool all_wait, int64_t time)
{
    t->all_wait = all_wait;
    t->since = t->last = time;
    t->charge = 0;
}

static void all_waited_on(TensixTurns *t, int64_t time)
{
    int64_t round = time - t->last;

    if (icount_enabled()) {
        t->charge = (time - t->since) / CHARGE_PART;
        idle_after_round(t, time - t->since, round);
        t->last = time;
    } else if (round > LONG_ROUND_NS) {
        t->since += round;      /* does not count as a wait */
        t->last = time;
    } else {
        idle_after_round(t, time - t->since, round);
        t->last = now();
    }
}

int64_t tensix_turns_icount_slice(CPUState *cs)
{
    const TensixTurns *t = turns_of(cs);

    if (t && t->slice) {
        return t->slice;
    }
    return t && t->all_wait ? ICOUNT_SLICE_WAITING : ICOUNT_SLICE;
}

void tensix_turns_set_slice(TensixTurns *t, int64_t insns)
{
    t->slice = insns;
}

void tensix_turns_end_round(TensixTurns *t)
{
    bool all_wait;
    int64_t time = now();

    all_wait = all_only_waited(t);
    if (!all_wait || !t->all_wait || time < t->last) {
        set_all_wait(t, all_wait, time);  /* loadvm sets the clock back */
        t->soon &= all_wait;
    } else {
        if (t->soon) {
            t->soon = false;
            t->since = MIN(t->since, time - IDLE_AFTER_NS);
        }
        all_waited_on(t, time);
    }
    t->seen_events = tensix_turns_events(t);
}

void tensix_turns_round_done(CPUState *cs)
{
    TensixTurns *t = turns_of(cs);

    if (t && !t->axis) {
        tensix_turns_end_round(t);
    }
}

/*
 * As if the hart had continued to wait for that many instructions.  On an axis
 * instructions are counted, and it is time that passes, after the turn.
 */
static void charge(TensixTurns *t, CPUState *cs)
{
    int64_t insns = t->charge;
    int64_t left;

    if (t->axis) {
        t->charged = t->slice ? 0 : MIN(insns, ICOUNT_SLICE_WAITING);
        return;
    }
    left = cs->neg.icount_decr.u16.low + cs->icount_extra;

    left = MAX(left - insns, 0);
    cs->neg.icount_decr.u16.low = MIN(left, 0xffff);
    cs->icount_extra = left - cs->neg.icount_decr.u16.low;
}

/*
 * A FENCE in a loop that was left off at its end is no second reason: the loop
 * gets as far as its loads.
 */
static bool waits_in_turn(TensixHart *hart, bool fence)
{
    bool after_loop = hart->turn.waited_in_loop;
    bool only = record_wait(hart);

    if (hart->time && !fence) {
        tensix_hart_time_waits(hart, only);
    }
    hart->turn.waited_in_loop = !fence;
    if (fence && only && after_loop) {
        return false;
    }
    hart->turn.turn_given = true;
    if (only && icount_enabled()) {
        charge(hart->turn.turns, hart->cpu);
    }
    return true;
}

/* --- */

bool tensix_hart_waits(TensixHart *hart, bool fence)
{
    if (!fence && tensix_hart_counts(hart) && only_waits(hart)) {
        tensix_hart_end_count(hart);
    }
    return mttcg_enabled() ? tensix_turns_waits_in_thread(hart,
                                                          record_wait(hart))
                           : waits_in_turn(hart, fence);
}

static TensixHart *first_of_tile(const TensixTurns *t, TensixHart *hart)
{
    for (unsigned i = 0; i < t->harts->len; i++) {
        if (hart_at(t, i)->bus == hart->bus) {
            return hart_at(t, i);
        }
    }
    return hart;
}

bool tensix_turns_add(TensixTurns *t, TensixHart *hart, Error **errp)
{
    int error = event_notifier_init(&hart->turn.wake, 0);

    if (error) {
        error_setg_errno(errp, -error, "no event notifier for %s",
                         tensix_hart_name(hart->id));
        return false;
    }
    hart->turn.turns = t;
    hart->turn.first = first_of_tile(t, hart);
    hart->turn.number = t->harts->len;
    g_ptr_array_add(t->harts, hart);
    return true;
}

/*
 * After a stop all is as if no hart had waited yet: how often the thread polled
 * stopped harts must make no difference.
 */
static void vm_state_changed(void *opaque, bool running, RunState state)
{
    TensixTurns *t = opaque;

    if (running && !t->axis) {
        set_all_wait(t, false, now());
        for (unsigned i = 0; i < t->harts->len; i++) {
            qatomic_set(&hart_at(t, i)->turn.only_waited, false);
            hart_at(t, i)->turn.turn_given = false;
            hart_at(t, i)->turn.polled = 0;
        }
    }
}

/* --- the axis --- */

void tensix_turns_put_on_axis(TensixTurns *t, TensixAxis *axis)
{
    t->axis = axis;
}

TensixAxis *tensix_turns_axis(const TensixTurns *t)
{
    return t->axis;
}

TensixTurnsPlace *tensix_turns_place(TensixTurns *t)
{
    return &t->at;
}

void tensix_turns_end_turn(TensixHart *hart)
{
    hart->turn.turns->at.left = 0;
    cpu_exit(hart->cpu);
}

unsigned tensix_turns_count(const TensixTurns *t)
{
    return t->harts->len;
}

TensixHart *tensix_turns_hart(const TensixTurns *t, unsigned i)
{
    return hart_at(t, i);
}

int64_t tensix_turns_take_charge(TensixTurns *t)
{
    int64_t insns = t->charged;

    t->charged = 0;
    return insns;
}

void tensix_turns_set_idle(TensixTurns *t, bool idle)
{
    t->no_idle = !idle;
}

/* --- what a snapshot has of it, on an axis --- */

static bool turns_needed(void *opaque)
{
    return ((TensixTurns *)opaque)->axis;
}

/* Time that a wait is charged may not pass backwards, nor a turn last for ever. */
static bool is_place_valid(const TensixTurns *t)
{
    return t->at.current < t->harts->len &&
           t->at.left <= ICOUNT_SLICE_WAITING &&
           t->since >= 0 && t->since <= t->last &&
           t->charge >= 0 && t->charge <= t->last - t->since;
}

/* Without an axis turns are chosen by QEMU. */
static int turns_post_load(void *opaque, int version_id)
{
    TensixTurns *t = opaque;

    t->charged = 0;
    if (!is_place_valid(t)) {
        t->at = (TensixTurnsPlace) { };
        set_all_wait(t, false, 0);
        return -EINVAL;
    }
    return 0;
}

static const VMStateDescription vmstate_turns = {
    .name = "tensix-turns",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = turns_needed,
    .post_load = turns_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(all_wait, TensixTurns),
        VMSTATE_INT64(since, TensixTurns),
        VMSTATE_INT64(last, TensixTurns),
        VMSTATE_INT64(charge, TensixTurns),
        VMSTATE_UINT32(at.current, TensixTurns),
        VMSTATE_INT64(at.left, TensixTurns),
        VMSTATE_END_OF_LIST()
    },
};

/* --- */

TensixTurns *tensix_turns_new(void)
{
    TensixTurns *t = g_new0(TensixTurns, 1);

    t->harts = g_ptr_array_new();
    vmstate_register_any(NULL, &vmstate_turns, t);
    qemu_cond_init(&t->notified);
    set_all_wait(t, false, 0);
    t->main_loop.notify = main_loop_waits;
    main_loop_poll_add_notifier(&t->main_loop);
    t->vm_state = qemu_add_vm_change_state_handler(vm_state_changed, t);
    return t;
}

void tensix_turns_free(TensixTurns *t)
{
    if (!t) {
        return;
    }
    vmstate_unregister(NULL, &vmstate_turns, t);
    main_loop_poll_remove_notifier(&t->main_loop);
    qemu_del_vm_change_state_handler(t->vm_state);
    for (unsigned i = 0; i < t->harts->len; i++) {
        hart_at(t, i)->turn.turns = NULL;
        event_notifier_cleanup(&hart_at(t, i)->turn.wake);
    }
    g_ptr_array_free(t->harts, true);
    qemu_cond_destroy(&t->notified);
    g_free(t);
}
