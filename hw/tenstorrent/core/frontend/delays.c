/*
 * A delay that the host chooses, in place of random ones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * At a site, which is the push of a word, a delay holds back one agent: the
 * hart that is about to push, the thread that is about to issue, or a unit,
 * whose work is over that much later and takes effect only then.  A filler in
 * the program does the same on a card: NOPs of the hart or of the thread,
 * instructions of the unit.  Hardware may take that long, so a correct program
 * gives the same result.
 */

#include <string.h>

#include "frontend/delays.h"
#include "frontend/frontend.h"
#include "frontend/timing.h"

/* Cycles of the delay, if it is of this kind and at this instruction. */
static uint32_t cycles_at(const TensixDelays *d, const TensixInsn *i,
                          uint32_t what)
{
    bool is_here = d->what == what && d->at.pc == i->origin.pc &&
                   d->at.hart == i->origin.hart &&
                   (!d->word || !tensix_insn_is_expanded(i) || d->word == i->word);

    return is_here ? d->cycles : 0;
}

uint32_t tensix_delays_of_store(const TensixDelays *d, const TensixHartStore *s)
{
    return d->what == TENSIX_DELAY_STORE && d->at.pc == s->by.pc &&
                   d->at.hart == s->by.hart
               ? d->cycles : 0;
}

/* --- harts --- */

/* A push that a full FIFO refuses will be made again. */
void tensix_delays_push(TensixCore *c, uint32_t thread, uint32_t word,
                        TensixOrigin origin)
{
    const TensixInsn insn = {
        .word = word, .origin = origin, .mop_position = TENSIX_NO_POSITION,
        .replay_slot = TENSIX_NO_POSITION,
    };
    uint32_t cycles = cycles_at(c->delays, &insn, TENSIX_DELAY_HART);
    bool *done = &c->delays->hart_done[origin.hart];
    TensixOrder *o = &c->s.order;

    if (!cycles || o->held_until[origin.hart] > o->cycle ||
        !tensix_can_push(c, thread, origin.hart)) {
        return;
    }
    if (!*done) {
        o->held_until[origin.hart] = o->cycle + cycles;
    }
    *done = !*done;
}

/* --- units --- */

static bool is_of_unit(const TensixDelays *d)
{
    return d->what >= TENSIX_DELAY_PORT && d->what < TENSIX_DELAY_STORE;
}

static bool is_on(const TensixInsn *i, uint32_t port)
{
    return tensix_port(i->word) == port;
}

/* The thread's instructions that are in the unit. */
static void delay_flights(TensixFlight *f, uint32_t port, uint32_t cycles)
{
    for (uint32_t n = 0; n < f->count; n++) {
        if (is_on(&f->insn[n], port)) {
            f->due[n] += cycles;
        }
    }
}

static void delay_port(TensixCore *c, uint32_t thread, uint32_t port,
                       uint32_t cycles)
{
    TensixOrder *o = &c->s.order;
    uint64_t *idle_at = &o->idle_at[thread][port];

    tensix_at_least(&o->free_at[port], o->cycle);
    tensix_at_least(idle_at, o->cycle);
    o->free_at[port] += cycles;
    *idle_at += cycles;
    tensix_at_least(&o->quiet_at[thread], *idle_at);
    tensix_at_least(&o->quiet_at[thread], o->free_at[port]);
    delay_flights(&c->s.thread[thread].flight, port, cycles);
}

void tensix_delays_stretch(TensixCore *c, const TensixInsn *i,
                           TensixTiming *timing)
{
    uint32_t cycles = 0;

    if (c->delays->at.pc == i->origin.pc) {
        cycles = cycles_at(c->delays, i,
                           TENSIX_DELAY_PORT + tensix_port(i->word));
    }
    timing->latency += cycles;
    timing->occupancy += cycles;
}

/* Instructions on ADCs fly after others, or would end their flights. */
bool tensix_delays_fly(const TensixCore *c, uint32_t word)
{
    uint32_t port = tensix_port(word);

    return c->delays->what == TENSIX_DELAY_PORT + port ||
           (is_of_unit(c->delays) && port == TENSIX_UNIT_MISC);
}

/* --- threads --- */

static void delay_thread(TensixCore *c, uint32_t thread, uint32_t cycles)
{
    TensixOrder *o = &c->s.order;

    tensix_at_least(&o->issue_at[thread], o->cycle);
    o->issue_at[thread] += cycles;
    tensix_at_least(&o->quiet_at[thread], o->issue_at[thread]);
}

void tensix_delays_gate(TensixCore *c, const TensixInsn *i)
{
    TensixDelays *d = c->delays;
    uint32_t cycles = cycles_at(d, i, d->what);

    if (!cycles || d->thread_done[i->thread]) {
        return;
    }
    d->thread_done[i->thread] = true;
    if (d->what == TENSIX_DELAY_THREAD) {
        delay_thread(c, i->thread, cycles);
    } else if (is_of_unit(d) && !is_on(i, d->what - TENSIX_DELAY_PORT)) {
        delay_port(c, i->thread, d->what - TENSIX_DELAY_PORT, cycles);
    }
}

void tensix_delays_issued(TensixCore *c, const TensixInsn *i)
{
    TensixDelays *d = c->delays;

    d->thread_done[i->thread] = false;
    if (d->issued) {
        d->issued(d->opaque, i);
    }
}

/* --- the host's side --- */

void tensix_delays_restart(TensixDelays *d)
{
    memset(d->thread_done, 0, sizeof(d->thread_done));
    memset(d->hart_done, 0, sizeof(d->hart_done));
    memset(d->late, 0, sizeof(d->late));
}

void tensix_set_delays(TensixCore *c, TensixDelays *d)
{
    c->delays = d;
    if (d) {
        tensix_delays_restart(d);
    }
}
