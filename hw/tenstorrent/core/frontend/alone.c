/*
 * What nothing keeps from being over at once goes past the runs of schedule.c,
 * with the same result.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "frontend/delays.h"
#include "frontend/frontend.h"
#include "frontend/order.h"
#include "frontend/schedule.h"
#include "frontend/seeds.h"
#include "derived/update.h"
#include "tensix_internal.h"

/* Has the thread no word and no expansion? */
static bool has_no_word(const TensixThread *t)
{
    return !(t->gate.pending.valid | t->replay.phase) &&
           !tensix_has_words(t);
}

/* Does nothing happen beside it: do all other threads wait for a change? */
static bool is_alone(const TensixCore *c, uint32_t thread)
{
    return !(c->derived.busy & ~c->derived.settled & ~(1u << thread)) &&
           !(c->signals.changed & TENSIX_THREAD_CHANGES) &&
           !c->s.order.handing_over && !tensix_flight_any(c) &&
           !tensix_seeds_hold(c);
}

/* --- a wait that is over when it begins --- */

/* A run would ask this thread alone: all time has passed when a run ends. */
bool tensix_end_wait(TensixCore *c, uint32_t thread)
{
    const TensixThread *t = &c->s.thread[thread];

    if (!t->gate.opcode || !has_no_word(t) || !is_alone(c, thread) ||
        tensix_gate_wait_holds(c, thread)) {
        return false;
    }
    c->derived.busy &= ~(1u << thread);
    c->signals.changed |= TENSIX_CHANGED_IDLE;
    return true;
}

/* --- a word for the Vector Unit, with delays --- */

/* From the FIFO to the gate, where its unit and its thread are ready for it. */
static bool comes_through(TensixCore *c, const TensixInsn *i)
{
    TensixThread *t = &c->s.thread[i->thread];

    if (t->gate.opcode || !has_no_word(t) || !is_alone(c, i->thread)) {
        return false;
    }
    tensix_delays_gate(c, i);
    if (!tensix_order_takes(&c->s.order, i)) {
        return false;
    }
    tensix_fifo_push(&t->fifo, i);
    tensix_fifo_pop(&t->fifo, &t->gate.pending);
    c->signals.changed |= TENSIX_CHANGED_FIFO;
    return true;
}

/* To the cycle in which the word's flight ends; one that cannot is tried on. */
static void pass_flight(TensixCore *c, uint64_t end)
{
    c->s.order.cycle = tensix_flight_next(c, end);
    if (c->s.order.cycle < end && !tensix_flight_land(c)) {
        c->s.order.cycle = end;
    }
}

/* The cycles after its own: it changes nothing for other threads. */
static void follow(TensixCore *c, uint32_t thread, uint64_t end)
{
    TensixOrder *o = &c->s.order;

    if (tensix_flight_any(c)) {
        pass_flight(c, end);
    } else {
        o->cycle++;
    }
    o->more = tensix_order_pass(o, end);
    c->hand_over_at = 0;
    tensix_update_busy(c, thread);
    if (!(c->derived.busy >> thread & 1)) {
        c->signals.changed |= TENSIX_CHANGED_IDLE;
    }
}

bool tensix_run_word(TensixCore *c, const TensixInsn *i, uint32_t cycles)
{
    uint64_t end = c->s.order.cycle + cycles;
    TensixTiming timing;

    if (tensix_insns[i->word >> 24].unit != TENSIX_UNIT_VECTOR ||
        !comes_through(c, i)) {
        return false;
    }
    i = &c->s.thread[i->thread].gate.pending;
    tensix_timing(c, i, &timing);
    if (tensix_issue_now(c, i, &timing)) {
        follow(c, i->thread, end);
    } else {
        tensix_mark_busy(c, i->thread);
        tensix_run_some(c, cycles);
    }
    return true;
}
