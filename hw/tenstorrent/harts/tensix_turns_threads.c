/*
 * Turns with a thread for each hart (thread=multi).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart that only waits continues for a moment, then yields to other threads,
 * then sleeps as with one thread.  A hart that a device has stalled keeps its
 * thread awake for a moment as well: the other hart's answer arrives sooner
 * than the host could wake a thread.  Of those that were stalled one continues
 * at a time, the leader of the tile, until it waits.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/processor.h"
#include "qemu/timer.h"
#include "tensix_cpu.h"
#include "tensix_turns_internal.h"
#include "hw/tenstorrent/qemu_compat.h"

enum {
    /* How long a thread stays awake, alone and giving way */
    AWAKE_NS = 5 * SCALE_US,
    GIVE_WAY_NS = 40 * SCALE_US,
    /* ... stalled, and then until the leader waits */
    STALL_AWAKE_NS = 200 * SCALE_US,
    PAUSES = 48,                   /* of the CPU between two polls */
};

static bool still_stalled(const TensixHart *hart)
{
    return qatomic_read(&hart->stall.cause) != TENSIX_STALL_NONE;
}

/*
 * The lead of a tile: harts that use the coprocessor and wait for each other
 * take turns.  A hart that was woken continues when the leader waits, as with
 * thread=single, and not at the first word that has left a FIFO: the core's
 * state would move between two CPUs of the host for each.  A leader that
 * computes for long loses the lead, and both run.
 */
static TensixHart **lead_of(const TensixHart *hart)
{
    return &hart->turn.first->turn.leader;
}

/* The next hart of the tile that waits for nothing but the lead; or NULL. */
static TensixHart *next_leader(const TensixHart *hart)
{
    const TensixTurns *t = hart->turn.turns;
    unsigned count = tensix_turns_count(t);

    for (unsigned n = 1; n < count; n++) {
        TensixHart *next = tensix_turns_hart(t, (hart->turn.number + n) % count);

        if (next->turn.first == hart->turn.first &&
            qatomic_read(&next->turn.awake) && !still_stalled(next)) {
            return next;
        }
    }
    return NULL;
}

static void leave_lead(TensixHart *hart)
{
    if (qatomic_read(lead_of(hart)) == hart) {
        qatomic_cmpxchg(lead_of(hart), hart, next_leader(hart));
    }
}

/* From that hart, or, if it is NULL, where none leads.  Does the hart lead now? */
static bool take_lead(TensixHart *hart, TensixHart *from)
{
    return qatomic_read(lead_of(hart)) == hart ||
           qatomic_cmpxchg(lead_of(hart), from, hart) == from;
}

/* Polls of devices take the BQL, which the answering thread needs as well. */
static void pause_a_little(void)
{
    for (int i = 0; i < PAUSES; i++) {
        cpu_relax();
    }
}

bool tensix_turns_waits_in_thread(TensixHart *hart, bool only)
{
    int64_t time = get_clock(), waited;

    qatomic_set(&hart->turn.waited_at, time);
    if (!only) {
        hart->turn.waits_since = time;
    }
    leave_lead(hart);
    waited = time - hart->turn.waits_since;
    if (waited < AWAKE_NS) {
        pause_a_little();
        return false;
    }
    if (waited < GIVE_WAY_NS) {
        g_thread_yield();
        return false;
    }
    hart->turn.idle_ns = tensix_turns_idle_after(waited);
    return true;
}

void tensix_turns_left(CPUState *cs, int exception)
{
    TensixHart *hart = TENSIX_CPU(cs)->hart;

    if (exception == EXCP_YIELD) {
        tensix_turns_idle(hart, hart->turn.seen_events, hart->turn.idle_ns);
    }
    hart->turn.seen_events = tensix_turns_events(hart->turn.turns);
}

/*
 * A kick is a request for which the hart has to halt.  A thread that only
 * polled would keep the next leader from this CPU of the host.
 */
static void stay_awake(TensixHart *hart)
{
    int64_t start = get_clock();

    leave_lead(hart);
    while (get_clock() - start < STALL_AWAKE_NS &&
           !qatomic_read(&hart->cpu->exit_request)) {
        if (!still_stalled(hart) && take_lead(hart, NULL)) {
            return;
        }
        g_thread_yield();
    }
    if (!still_stalled(hart)) {
        take_lead(hart, qatomic_read(lead_of(hart)));
    }
}

bool tensix_hart_await_wake(TensixHart *hart)
{
    if (!mttcg_enabled()) {
        return false;
    }
    qatomic_set(&hart->turn.awake, true);
    bql_unlock();
    stay_awake(hart);
    if (still_stalled(hart)) {
        bql_lock();
    }
    qatomic_set(&hart->turn.awake, false);
    return !still_stalled(hart);
}
