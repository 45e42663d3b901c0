/*
 * Turns with a thread for each hart (thread=multi).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Harts that wait for each other would wake a thread on another CPU of the host
 * each time, and move the core's state there.  So a hart is *parked*: its thread
 * is in tensix_turns_exec(), and one of the threads there, the *leader* of the
 * tile, executes all parked harts in turn, its own among them.  An exit that
 * QEMU's loop handles (a request, a debugger's stop, ...) is passed to the hart's
 * own thread, which returns it.
 *
 * A hart that computes is executed by its own thread.  The *watcher*, one of the
 * threads that sleep, sends a hart there which the leader executes for long; if
 * that hart is the leader's own, the watcher takes the lead.
 * So a thread that executes another one's hart leads, and its own is parked.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/processor.h"
#include "qemu/timer.h"
#include "accel/tcg/tcg-accel-ops.h"
#include "tensix_cpu.h"
#include "tensix_turns_internal.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_count.h"

enum {
    /* How long a thread stays awake, alone and giving way */
    AWAKE_NS = 5 * SCALE_US,
    GIVE_WAY_NS = 40 * SCALE_US,
    /* ... while all parked harts are stalled */
    STALL_AWAKE_NS = 200 * SCALE_US,
    PAUSES = 48,                   /* of the CPU between two polls */
    /* Longest turn of a parked hart, or twice that */
    WATCH_NS = 400 * SCALE_US,
    FOREVER = -1,
};

static TensixLead *lead_of(const TensixHart *hart)
{
    return &hart->turn.first->turn.lead;
}

/* For TensixLead.leader (negative: it executes its own hart) and .watcher. */
static int name_of(const TensixHart *hart)
{
    return hart->turn.number + 1;
}

/* The n-th hart of its tile; those of a tile were added one after the other. */
static TensixHart *beside(const TensixHart *hart, unsigned n)
{
    return tensix_turns_hart(hart->turn.turns, hart->turn.first->turn.number +
                             n % TENSIX_NUM_HARTS);
}

static TensixHartSeat seat_of(const TensixHart *hart)
{
    return qatomic_load_acquire(&hart->turn.seat);
}

static bool take_seat(TensixHart *hart, TensixHartSeat from, TensixHartSeat to)
{
    return qatomic_cmpxchg(&hart->turn.seat, from, to) == from;
}

static bool is_ready(const TensixHart *hart)
{
    return seat_of(hart) == TENSIX_SEAT_PARKED && tensix_hart_can_run(hart);
}

static unsigned count_ready(const TensixHart *hart)
{
    unsigned count = 0;

    for (unsigned n = 0; n < TENSIX_NUM_HARTS; n++) {
        count += is_ready(beside(hart, n));
    }
    return count;
}

/* --- sleeps --- */

/* After a change that is_needed() sees. */
static void wake_thread(TensixHart *hart)
{
    smp_mb();                      /* as in sleep_until_needed(), crosswise */
    if (qatomic_read(&hart->turn.sleeps)) {
        event_notifier_set(&hart->turn.wake);
    }
}

/* A parked hart may be ready.  If none leads, the next leader will check. */
static void wake_leader(TensixHart *hart)
{
    int leader = qatomic_read(&lead_of(hart)->leader);

    if (leader > 0) {
        wake_thread(tensix_turns_hart(hart->turn.turns, leader - 1));
    }
}

static void wake_others(TensixHart *hart)
{
    for (unsigned n = 0; n < TENSIX_NUM_HARTS; n++) {
        if (beside(hart, n) != hart) {
            wake_thread(beside(hart, n));
        }
    }
}

static bool is_recalled(const TensixHart *hart)
{
    return qatomic_read(&hart->cpu->exit_request) &&
           seat_of(hart) == TENSIX_SEAT_PARKED;
}

/*
 * Has the thread of that hart something to do?  The leader has polled `ready`
 * harts that can run: they only waited.
 */
static bool is_needed(const TensixHart *own, unsigned ready)
{
    const TensixLead *lead = lead_of(own);
    int leader = qatomic_read(&lead->leader);

    if (seat_of(own) == TENSIX_SEAT_BACK || is_recalled(own)) {
        return true;
    }
    if (leader == name_of(own)) {
        return count_ready(own) != ready ||
               (ready && tensix_turns_events(own->turn.turns) != lead->events);
    }
    return !leader || !qatomic_read(&lead->watcher) ||
           (own->turn.watches_rest && !qatomic_read(&lead->rests));
}

static void sleep_until_needed(TensixHart *own, unsigned ready, int64_t ns)
{
    qatomic_set(&own->turn.sleeps, true);
    qatomic_set(&own->turn.resting, ready > 0);
    smp_mb();                      /* one of the two sees the other's change */
    if (!is_needed(own, ready)) {
        tensix_turns_sleep(own, ns);
    }
    qatomic_set(&own->turn.resting, false);
    qatomic_set(&own->turn.sleeps, false);
}

/* --- the watcher --- */

static void leave_watch(TensixHart *own)
{
    TensixLead *lead = lead_of(own);

    if (qatomic_read(&lead->watcher) == name_of(own)) {
        qatomic_set(&lead->watcher, 0);
        wake_others(own);
    }
}

/* The leader executes one hart for long: others may need its thread. */
static void relieve_leader(TensixHart *own)
{
    TensixLead *lead = lead_of(own);
    TensixHart *runs = qatomic_read(&lead->runs);
    int leader = qatomic_read(&lead->leader);

    if (!runs) {
        return;
    }
    if (leader > 0) {
        qatomic_set(&runs->turn.computes, true);
        cpu_exit(runs->cpu);
    } else if (qatomic_cmpxchg(&lead->leader, leader, name_of(own)) == leader) {
        qatomic_set(&lead->runs, NULL);
        lead->waits = 0;
        lead->since = 0;
    }
}

static void watch(TensixHart *own)
{
    TensixLead *lead = lead_of(own);
    unsigned count = qatomic_read(&lead->count);
    int watcher = qatomic_cmpxchg(&lead->watcher, 0, name_of(own));
    bool watches = !watcher || watcher == name_of(own);

    own->turn.watches_rest = watches && qatomic_read(&lead->rests);
    sleep_until_needed(own, 0, !watches || own->turn.watches_rest ? FOREVER
                                                                   : WATCH_NS);
    if (watches && qatomic_read(&lead->count) == count) {
        relieve_leader(own);
    }
}

/* All harts are stalled: the thread sleeps until it is woken, and the watcher. */
static void rest(TensixHart *own)
{
    TensixLead *lead = lead_of(own);
    int watcher;

    qatomic_set(&lead->rests, true);
    sleep_until_needed(own, 0, FOREVER);
    qatomic_set_mb(&lead->rests, false);   /* then who watches */
    watcher = qatomic_read(&lead->watcher);
    if (watcher) {
        wake_thread(tensix_turns_hart(own->turn.turns, watcher - 1));
    }
}

/* --- the leader --- */

static bool leads(TensixHart *own)
{
    TensixLead *lead = lead_of(own);

    if (qatomic_read(&lead->leader) != name_of(own) &&
        qatomic_cmpxchg(&lead->leader, 0, name_of(own))) {
        return false;
    }
    leave_watch(own);
    return true;
}

static void leave_lead(TensixHart *own)
{
    TensixLead *lead = lead_of(own);

    if (qatomic_read(&lead->leader) == name_of(own)) {
        qatomic_store_release(&lead->leader, 0);
        wake_others(own);
    }
}

/* The next hart to execute; NULL if all that are ready have only waited. */
static TensixHart *take_next(TensixHart *own)
{
    TensixLead *lead = lead_of(own);
    unsigned ready = count_ready(own);

    if (lead->waits >= ready) {
        lead->waits = ready;
        return NULL;
    }
    for (unsigned n = 1; n <= TENSIX_NUM_HARTS; n++) {
        TensixHart *hart = beside(own, lead->last + n);

        if (is_ready(hart) &&
            take_seat(hart, TENSIX_SEAT_PARKED, TENSIX_SEAT_LED)) {
            lead->last += n;
            return hart;
        }
    }
    return NULL;
}

static bool may_park(const TensixHart *hart, int exception)
{
    return (exception == EXCP_HLT || exception == EXCP_HALTED ||
            exception == EXCP_YIELD) &&
           !tensix_hart_is_held(hart) && !tensix_hart_is_paused(hart);
}

static void put_down(TensixHart *hart, int exception)
{
    bool parks = may_park(hart, exception);

    hart->turn.exception = exception;
    qatomic_store_release(&hart->turn.seat,
                          parks ? TENSIX_SEAT_PARKED : TENSIX_SEAT_BACK);
    smp_mb();                      /* as in tensix_turns_kicked(), crosswise */
    if (parks) {
        wake_leader(hart);
    }
    if (!parks || qatomic_read(&hart->cpu->exit_request)) {
        wake_thread(hart);
    }
}

/*
 * In the thread of `own`, and for qemu_cpu_is_self() the hart's.  Not after a
 * request that `own` return: its thread would be needed meanwhile.
 */
static int execute(TensixHart *own, TensixHart *hart)
{
    QemuThread *thread = hart->cpu->thread;
    int exception = EXCP_YIELD;

    qatomic_set(&hart->cpu->thread, own->cpu->thread);
    smp_mb();                      /* as in tensix_turns_kicked(), crosswise */
    if (!qatomic_read(&own->cpu->exit_request)) {
        exception = tcg_cpu_exec(hart->cpu);
    }
    qatomic_set(&hart->cpu->thread, thread);
    return exception;
}

static void run(TensixHart *own, TensixHart *hart)
{
    TensixLead *lead = lead_of(own);
    int name = name_of(own), exception;
    bool waited;

    if (!lead->waits) {
        lead->events = tensix_turns_events(own->turn.turns);
    }
    qatomic_set(&lead->count, lead->count + 1);
    qatomic_set(&lead->runs, hart);
    if (hart == own) {
        qatomic_store_release(&lead->leader, -name);
    }
    exception = execute(own, hart);
    waited = exception == EXCP_YIELD && qatomic_read(&hart->turn.only_waited);
    put_down(hart, exception);
    if (hart == own && qatomic_cmpxchg(&lead->leader, -name, name) != -name) {
        return;                    /* it was relieved */
    }
    qatomic_set(&lead->runs, NULL);
    lead->waits = waited ? lead->waits + 1 : 0;
    lead->since = waited ? lead->since : 0;
}

/* Polls of devices take the BQL, which the answering thread needs as well. */
static void pause_a_little(void)
{
    for (int i = 0; i < PAUSES; i++) {
        cpu_relax();
    }
}

/* No hart has work: all are stalled, or only wait. */
static void idle(TensixHart *own)
{
    TensixLead *lead = lead_of(own);
    unsigned ready = lead->waits;
    int64_t time = get_clock(), waited;

    lead->since = lead->since ?: time;
    lead->waits = 0;
    waited = time - lead->since;
    if (ready && waited < AWAKE_NS) {
        pause_a_little();
    } else if (waited < (ready ? GIVE_WAY_NS : STALL_AWAKE_NS)) {
        g_thread_yield();
    } else if (ready) {
        sleep_until_needed(own, ready, tensix_turns_idle_after(waited));
    } else {
        rest(own);
    }
}

/* --- a hart's thread --- */

bool tensix_turns_waits_in_thread(TensixHart *hart, bool only)
{
    int64_t time = get_clock(), waited;

    qatomic_set(&hart->turn.waited_at, time);
    if (!only) {
        hart->turn.waits_since = time;
    }
    if (qatomic_read(&lead_of(hart)->runs) == hart && count_ready(hart)) {
        return true;
    }
    waited = time - hart->turn.waits_since;
    if (waited < AWAKE_NS) {
        pause_a_little();
    } else if (waited < GIVE_WAY_NS) {
        g_thread_yield();
    }
    return waited >= GIVE_WAY_NS;
}

/* Does the thread return to QEMU's loop, with turn.exception? */
static bool comes_back(TensixHart *own)
{
    if (is_recalled(own) &&
        take_seat(own, TENSIX_SEAT_PARKED, TENSIX_SEAT_OWN)) {
        own->turn.exception = EXCP_INTERRUPT;
        return true;
    }
    return take_seat(own, TENSIX_SEAT_BACK, TENSIX_SEAT_OWN);
}

int tensix_turns_exec(CPUState *cs)
{
    TensixHart *own = TENSIX_CPU(cs)->hart;
    int exception = EXCP_YIELD;

    if (qatomic_read(&own->turn.computes) || !may_park(own, exception)) {
        exception = tcg_cpu_exec(cs);
        if (!may_park(own, exception)) {
            return exception;
        }
        qatomic_set(&own->turn.computes, false);
    }
    put_down(own, exception);
    while (!comes_back(own)) {
        bool lead = leads(own);
        TensixHart *hart = lead ? take_next(own) : NULL;

        if (hart) {
            run(own, hart);
        } else if (lead) {
            idle(own);
        } else {
            watch(own);
        }
    }
    leave_lead(own);
    leave_watch(own);
    return own->turn.exception;
}

void tensix_turns_kicked(CPUState *cs)
{
    TensixHart *hart = TENSIX_CPU(cs)->hart, *runs;

    if (!hart->turn.turns) {
        return;
    }
    smp_mb();                      /* its request, then what its thread does */
    runs = qatomic_read(&lead_of(hart)->runs);
    if (runs && runs != hart &&
        qatomic_read(&lead_of(hart)->leader) == name_of(hart)) {
        cpu_exit(runs->cpu);
    }
    wake_thread(hart);
}

void tensix_turns_wake(TensixHart *hart)
{
    smp_mb();                      /* the cause, then who executes the hart */
    if (seat_of(hart) == TENSIX_SEAT_OWN) {
        qemu_cpu_kick(hart->cpu);
    } else {
        wake_leader(hart);
    }
}
