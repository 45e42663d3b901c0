/*
 * Scheduler: which thread runs its next instruction.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * eager: each thread runs until it blocks, in turn, until none can go on.
 * seed=N: single instructions of threads chosen at random, and only some of
 * them at each push, so that orders which the eager schedule never shows
 * happen too.  Units then also finish instructions later than they are issued
 * (flight.c).  The generator is part of the state: runs repeat exactly.
 */

#include "tensix_internal.h"

enum {
    SEEDED_SLICE = 8,              /* at most this many steps at one push */
    FINISH_ODDS = 4,               /* one in so many steps finishes what flies */
};

TensixInsn tensix_pending_insn(uint32_t thread, const TensixPending *p)
{
    return (TensixInsn) {
        .word = p->word, .thread = thread, .origin = p->origin,
        .mop_position = p->mop_position, .replay_slot = p->replay_slot,
    };
}

static bool held_at_gate(TensixCore *c, uint32_t thread, const TensixInsn *insn)
{
    if (!c->s.thread[thread].gate.opcode ||
        !tensix_gate_wait_holds(c, thread) ||
        !tensix_gate_blocks(c, thread, insn->word >> 24)) {
        return false;
    }
    tensix_retry(c, insn, TENSIX_WAIT_LATCHED, 0);
    return true;
}

/* The instruction at the thread's gate, if its latched wait lets it pass. */
static bool next_insn(TensixCore *c, uint32_t thread, TensixInsn *insn)
{
    TensixGate *g = &c->s.thread[thread].gate;

    if (!g->pending.valid && !tensix_replay_pull(c, thread, &g->pending)) {
        tensix_gate_wait_holds(c, thread);
        return false;
    }
    *insn = tensix_pending_insn(thread, &g->pending);
    return !held_at_gate(c, thread, insn);
}

static void pass_gate(TensixCore *c, uint32_t thread)
{
    TensixGate *g = &c->s.thread[thread].gate;

    g->pending.valid = 0;
    g->wait_reason = TENSIX_WAIT_NONE;
    c->changed |= TENSIX_CHANGED_GATE;
}

/* Executes what stands at the gate; false: it must wait there. */
static bool execute_at_gate(TensixCore *c, const TensixInsn *insn)
{
    /* The wait instructions remember who latched them, from pending. */
    if (tensix_execute(c, insn) == TENSIX_RETRY) {
        tensix_trace(c, TENSIX_TRACE_RETRY, insn);
        return false;
    }
    tensix_trace(c, TENSIX_TRACE_EXECUTE, insn);
    pass_gate(c, insn->thread);
    return true;
}

bool tensix_step(TensixCore *c, uint32_t thread)
{
    TensixInsn insn;

    return next_insn(c, thread, &insn) && execute_at_gate(c, &insn);
}

static bool run_eager(TensixCore *c, uint32_t budget)
{
    bool progress;

    do {
        progress = false;
        for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
            while ((c->busy & (1u << t)) && budget && tensix_step(c, t)) {
                progress = true;
                budget--;
            }
        }
    } while (progress && budget);
    return progress;
}

/* xorshift64*: small, reproducible, and never 0. */
static uint32_t random_number(TensixCore *c, uint32_t below)
{
    uint64_t x = c->s.schedule_rng;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    c->s.schedule_rng = x;
    return (uint32_t)((x * 0x2545f4914f6cdd1dull) >> 33) % below;
}

/*
 * A step of a thread with a random schedule: a unit finishes something, or the
 * next instruction passes the gate, to be executed now or later.  False: the
 * thread cannot go on.
 */
static bool seeded_step(TensixCore *c, uint32_t thread)
{
    TensixInsn insn;
    uint32_t first;

    if (!random_number(c, FINISH_ODDS) && tensix_flight_finish(c, thread)) {
        return true;
    }
    if (!next_insn(c, thread, &insn)) {
        return tensix_flight_finish(c, thread);
    }
    if (random_number(c, 2) && tensix_flight_start(c, &insn)) {
        pass_gate(c, thread);
        return true;
    }
    first = tensix_flight_in_the_way(c, &insn);
    if (first < TENSIX_THREADS) {
        return tensix_flight_finish(c, first);
    }
    return execute_at_gate(c, &insn) || tensix_flight_finish(c, thread);
}

static bool run_seeded(TensixCore *c, uint32_t budget)
{
    uint32_t stuck = 0;

    while (budget && stuck != (1u << TENSIX_THREADS) - 1) {
        uint32_t t = random_number(c, TENSIX_THREADS);

        if (stuck & (1u << t)) {
            continue;
        }
        if ((c->busy & (1u << t)) && seeded_step(c, t)) {
            stuck = 0;
            budget--;
        } else {
            stuck |= 1u << t;
        }
    }
    return stuck != (1u << TENSIX_THREADS) - 1;
}

bool tensix_run(TensixCore *c, uint32_t budget)
{
    uint32_t was_busy = c->busy;
    bool more = c->s.schedule_rng ? run_seeded(c, budget)
                                  : run_eager(c, budget);

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        tensix_update_busy(c, t);
    }
    if (was_busy & ~c->busy) {
        c->changed |= TENSIX_CHANGED_IDLE;
    }
    return more;
}

bool tensix_polls(const TensixCore *c)
{
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        const TensixGate *g = &c->s.thread[t].gate;

        if (g->pending.valid && (g->wait_reason == TENSIX_WAIT_L1 ||
                                 g->wait_reason == TENSIX_WAIT_MMIO)) {
            return true;
        }
    }
    return false;
}

uint32_t tensix_schedule_slice(TensixCore *c)
{
    return c->s.schedule_rng ? random_number(c, SEEDED_SLICE) : UINT32_MAX;
}
