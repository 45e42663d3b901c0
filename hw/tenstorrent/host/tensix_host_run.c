/*
 * Runs: the tile executes for as long as a client asks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A run is over once each of its harts has counted to the end
 * (tensix_count.h).  Nothing polls: a hart that ends its count checks whether
 * it was the last one.
 *
 * In lockstep the machine is stopped but for its runs, and those take a part of
 * virtual time as well, so that clocks which harts wait for continue: a
 * nanosecond, which with -icount shift=0 is an instruction's, for each
 * instruction.  What ends such a run is the last hart, or a timer, which
 * -icount calls in the harts' thread; either way no hart executes anything
 * after it.  The main loop then makes an ordinary stop of it.
 */

#include "qemu/osdep.h"
#include "qemu/bitmap.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "hw/tenstorrent/tensix_count.h"
#include "system/runstate.h"
#include "tensix_host_internal.h"

/* Of instructions, and of nanoseconds */
#define RUN_MAX (1u << 31)

enum {
    /* What a hart that is released executes before the write is answered */
    RELEASED_INSNS = 4096,
    RELEASED_NS = 200 * SCALE_MS,  /* one without a program executes slowly */
};

typedef struct HostRun {
    HostWaiter *waiter;
    unsigned long *harts;          /* bitmap; NULL: all */
    uint64_t insns;
    int64_t at_most_ns;            /* or 0 */
} HostRun;

unsigned tensix_host_harts(const TensixHostState *s)
{
    return tensix_turns_count(s->hart->turn.turns);
}

TensixHart *tensix_host_hart(const TensixHostState *s, unsigned i)
{
    return tensix_turns_hart(s->hart->turn.turns, i);
}

void tensix_host_held_harts(const TensixHostState *s, unsigned long *harts)
{
    for (unsigned i = 0; i < tensix_host_harts(s); i++) {
        if (tensix_hart_is_held(tensix_host_hart(s, i))) {
            set_bit(i, harts);
        } else {
            clear_bit(i, harts);
        }
    }
}

/* Harts that are no longer held, to be freed; NULL: none. */
static unsigned long *released_harts(const TensixHostState *s,
                                     const unsigned long *held_before)
{
    unsigned count = tensix_host_harts(s);
    g_autofree unsigned long *held = bitmap_new(count);
    g_autofree unsigned long *released = bitmap_new(count);

    tensix_host_held_harts(s, held);
    return bitmap_andnot(released, held_before, held, count)
           ? g_steal_pointer(&released) : NULL;
}

static bool any_counts(const TensixHostState *s)
{
    for (unsigned i = 0; i < tensix_host_harts(s); i++) {
        if (tensix_hart_counts(tensix_host_hart(s, i))) {
            return true;
        }
    }
    return false;
}

static uint64_t insns_at_once(const HostRun *run)
{
    return MIN(run->insns, RUN_MAX);
}

/* True once: nothing keeps the run that is under way from being over. */
static bool ends(TensixHostState *s)
{
    HostRuns *runs = &s->runs;

    smp_mb();                      /* the end of a count, then the others' */
    return qatomic_read(&runs->under_way) && !qatomic_read(&runs->arming) &&
           qatomic_read(&runs->due) && !any_counts(s) &&
           !qatomic_xchg(&runs->over, true);
}

/* The request before the stop: the main loop finds it first. */
static void end_in_main_loop(TensixHostState *s)
{
    qemu_bh_schedule(s->runs.bh);
    for (unsigned i = 0; s->runs.lockstep && i < tensix_host_harts(s); i++) {
        tensix_hart_request_stop(tensix_host_hart(s, i));
    }
}

/* From any thread. */
static void check_runs(TensixHostState *s)
{
    if (ends(s)) {
        end_in_main_loop(s);
    }
}

static void time_is_due(void *opaque)
{
    TensixHostState *s = opaque;

    qatomic_set(&s->runs.due, true);
    check_runs(s);
}

/* --- beginning --- */

static void begin_counts(TensixHostState *s, const HostRun *run)
{
    for (unsigned i = 0; i < tensix_host_harts(s); i++) {
        TensixHart *hart = tensix_host_hart(s, i);

        if ((!run->harts || test_bit(i, run->harts)) &&
            tensix_hart_can_run(hart)) {
            tensix_hart_count(hart, insns_at_once(run));
        }
    }
    tensix_turns_end_idling(s->hart);
}

/* Unless another agent stopped it, for its own reason. */
static void release_machine(void)
{
    if (runstate_check(RUN_STATE_PRELAUNCH) ||
        runstate_check(RUN_STATE_PAUSED) ||
        runstate_check(RUN_STATE_POSTMIGRATE)) {
        vm_start();
    }
}

static void end_run(TensixHostState *s);

/* A timer that is set or deleted for each run would wake the main loop. */
static void limit(HostRuns *runs, int64_t ns)
{
    runs->limit = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL_RT) + ns;
    timer_mod_anticipate(runs->at_most, runs->limit);
}

static void begin(TensixHostState *s, HostRun *run)
{
    HostRuns *runs = &s->runs;

    runs->now = run;
    runs->waiter = run->waiter;
    runs->over = false;
    qatomic_set(&runs->due, !runs->lockstep);
    qatomic_set(&runs->arming, true);
    qatomic_set(&runs->under_way, true);
    begin_counts(s, run);
    if (runs->lockstep) {
        timer_mod(runs->until, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) +
                               insns_at_once(run));
        release_machine();
    } else if (run->at_most_ns) {
        limit(runs, run->at_most_ns);
    }
    qatomic_set_mb(&runs->arming, false);
    if (runs->lockstep) {
        check_runs(s);
    } else if (ends(s)) {
        end_run(s);                /* no hart can run: the main loop may sleep */
    }
}

static void free_run(void *data)
{
    HostRun *run = data;

    g_free(run->harts);
    g_free(run);
}

static void begin_next(TensixHostState *s)
{
    HostRun *run = NULL;

    if (!s->runs.under_way &&
        (!s->runs.lockstep || g_queue_is_empty(&s->dma.asked))) {
        run = g_queue_pop_head(&s->runs.waiting);
    }
    if (run) {
        begin(s, run);
    }
}

void tensix_host_dma_is_done(TensixHostState *s)
{
    begin_next(s);
}

/* --- ending --- */

bool tensix_host_runs_in_lockstep(const TensixHostState *s)
{
    return s->runs.lockstep && s->runs.under_way;
}

/* In lockstep a long run is several.  True: that was not the last of them. */
static bool continues(HostRuns *runs)
{
    HostRun *run = runs->now;

    runs->now = NULL;
    run->insns -= insns_at_once(run);
    if (runs->lockstep && runs->waiter && run->insns) {
        g_queue_push_head(&runs->waiting, run);
        return true;
    }
    free_run(run);
    return false;
}

static void end_run(TensixHostState *s)
{
    HostRuns *runs = &s->runs;
    HostWaiter *waiter = runs->waiter;
    bool over = !continues(runs);

    if (runs->lockstep) {
        vm_stop(RUN_STATE_PAUSED);
    }
    runs->limit = 0;
    qatomic_set(&runs->under_way, false);
    runs->waiter = NULL;
    if (waiter && over) {
        waiter->ran(waiter);
    }
    if (runs->lockstep) {          /* answers were not taken meanwhile */
        qemu_chr_fe_accept_input(&s->dma.chr);
    }
    begin_next(s);
}

static void run_is_over(void *opaque)
{
    end_run(opaque);
}

/*
 * In the thread of the last hart, which has just counted to the end: to wake the
 * main loop takes longer than a short run.  False: the waiter does not take that,
 * or its client has disconnected meanwhile.
 */
static bool end_in_hart(TensixHostState *s, const TensixHart *hart)
{
    BQL_LOCK_GUARD();

    if (s->runs.lockstep || !s->runs.waiter || !s->runs.waiter->any_thread) {
        return false;
    }
    end_run(s);
    tensix_turns_idle_soon(hart);
    return true;
}

/*
 * A count that another thread ends is one of several, maybe: no run may begin
 * among them.
 */
static void counted(Notifier *n, void *data)
{
    TensixHostState *s = container_of(n, HostCounted, notifier)->host;

    if (ends(s) && !(tensix_hart_is_running_here(data) && end_in_hart(s, data))) {
        end_in_main_loop(s);
    }
}

void tensix_host_run(TensixHostState *s, HostWaiter *waiter,
                     unsigned long *harts, uint64_t insns, int64_t at_most_ns)
{
    HostRun *run = g_new(HostRun, 1);

    *run = (HostRun) {
        .waiter = waiter, .harts = harts, .insns = insns,
        .at_most_ns = at_most_ns,
    };
    g_queue_push_tail(&s->runs.waiting, run);
    begin_next(s);
}

bool tensix_host_run_released(TensixHostState *s, HostWaiter *waiter,
                              const unsigned long *held_before)
{
    unsigned long *released = released_harts(s, held_before);

    if (released) {
        tensix_host_run(s, waiter, released, RELEASED_INSNS, RELEASED_NS);
    }
    return released;
}

void tensix_host_settle(TensixHostState *s)
{
    for (unsigned i = 0; s->runs.lockstep && i < tensix_host_harts(s); i++) {
        tensix_hart_settle(tensix_host_hart(s, i));
    }
}

static void drop_waiting(HostRuns *runs, const HostWaiter *waiter)
{
    for (GList *link = runs->waiting.head, *next; link; link = next) {
        HostRun *run = link->data;

        next = link->next;
        if (run->waiter == waiter) {
            free_run(run);
            g_queue_delete_link(&runs->waiting, link);
        }
    }
}

static void end_counts(void *opaque)
{
    TensixHostState *s = opaque;

    for (unsigned i = 0; i < tensix_host_harts(s); i++) {
        tensix_hart_end_count(tensix_host_hart(s, i));
    }
}

/* Perhaps that of a run before the one that is under way */
static void limit_is_due(void *opaque)
{
    TensixHostState *s = opaque;
    HostRuns *runs = &s->runs;

    if (runs->limit > qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL_RT)) {
        timer_mod(runs->at_most, runs->limit);
    } else if (runs->limit) {
        end_counts(s);
    }
}

void tensix_host_run_cancel(TensixHostState *s, HostWaiter *waiter)
{
    HostRuns *runs = &s->runs;

    drop_waiting(runs, waiter);
    if (runs->waiter != waiter) {
        return;
    }
    runs->waiter = NULL;
    end_counts(s);
    if (runs->lockstep) {
        timer_del(runs->until);
    }
    time_is_due(s);
}

/* Each tile's bus once: BRISC is its first hart. */
static void subscribe(TensixHostState *s)
{
    s->runs.counted = g_new0(HostCounted, tensix_host_harts(s));
    for (unsigned i = 0; i < tensix_host_harts(s); i++) {
        TensixHart *hart = tensix_host_hart(s, i);
        HostCounted *c = &s->runs.counted[i];

        c->host = s;
        c->notifier.notify = counted;
        if (hart->id == TENSIX_HART_BRISC) {
            tensix_bus_subscribe(hart->bus, TENSIX_ON_COUNTED, &c->notifier);
        }
    }
}

static void unsubscribe(TensixHostState *s)
{
    for (unsigned i = 0; i < tensix_host_harts(s); i++) {
        if (tensix_host_hart(s, i)->id == TENSIX_HART_BRISC) {
            notifier_remove(&s->runs.counted[i].notifier);
        }
    }
    g_free(s->runs.counted);
}

void tensix_host_runs_init(TensixHostState *s)
{
    HostRuns *runs = &s->runs;

    g_queue_init(&runs->waiting);
    runs->bh = qemu_bh_new(run_is_over, s);
    runs->until = timer_new_ns(QEMU_CLOCK_VIRTUAL, time_is_due, s);
    runs->at_most = timer_new_ns(QEMU_CLOCK_VIRTUAL_RT, limit_is_due, s);
    subscribe(s);
}

void tensix_host_runs_finish(TensixHostState *s)
{
    unsubscribe(s);
    g_queue_clear_full(&s->runs.waiting, free_run);
    g_clear_pointer(&s->runs.now, free_run);
    timer_free(s->runs.until);
    timer_free(s->runs.at_most);
    qemu_bh_delete(s->runs.bh);
}
