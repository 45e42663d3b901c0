/*
 * What is made from TensixState and kept beside it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "config/config.h"
#include "derived/update.h"
#include "observe/observe.h"
#include "tensix_internal.h"

/* --- masks --- */

bool tensix_thread_has_work(const TensixCore *c, uint32_t thread)
{
    const TensixThread *t = &c->s.thread[thread];

    return t->gate.pending.valid || t->flight.count || t->fifo.count ||
           t->post_fifo.count ||
           t->mop.phase != TENSIX_MOP_IDLE ||
           t->replay.phase == TENSIX_REPLAY_PLAY ||
           c->s.order.quiet_at[thread] > c->s.order.cycle;
}

/* Busy: a word must take the slow path, through every stage. */
void tensix_update_busy(TensixCore *c, uint32_t thread)
{
    const TensixThread *t = &c->s.thread[thread];
    bool busy = tensix_thread_has_work(c, thread) || t->gate.opcode ||
                t->replay.phase != TENSIX_REPLAY_IDLE;

    c->derived.busy = (c->derived.busy & ~(1u << thread)) |
                      ((uint32_t)busy << thread);
}

/*
 * Must every word take the pipeline: a timeline is made, the order is random,
 * there is a backlog, a unit is held in reset, the debug bus has taken a FIFO, or
 * an observer may stop at a word?
 */
void tensix_update_slow(TensixCore *c)
{
    bool slow = c->record.all || c->s.order.rng || c->signals.backlog ||
                c->s.soft_reset || c->s.debug_bus ||
                (c->observer && tensix_observer_stops(c->observer));

    c->derived.slow = slow ? UINT32_MAX : 0;
    c->derived.settled = 0;
}

/* --- functions --- */

static void update_exec(TensixCore *c)
{
    c->derived.exec = c->tables[c->s.macro.active];
}

void tensix_set_macro_active(TensixCore *c, bool active)
{
    c->s.macro.active = active;
    update_exec(c);
}

void tensix_set_tables(TensixCore *c, TensixExecTable *tables)
{
    c->tables = tables;
    update_exec(c);
}

/* --- summaries --- */

void tensix_vector_summarise(TensixVectorUnit *vu)
{
    vu->lane_config_any = 0;
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        vu->lane_config_any |= vu->lane_config[lane];
    }
}

/* --- everything at once --- */

/* What is used without a comparison of generations. */
static void update_all(TensixCore *c)
{
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        tensix_update_busy(c, t);
        c->derived.repeats[t] = 0;
    }
    tensix_update_slow(c);
    update_exec(c);
    tensix_update_places(c);
    tensix_vector_summarise(&c->s.vu);
}

void tensix_derived_invalidate(TensixCore *c)
{
    TensixDerived *d = &c->derived;

    for (uint32_t bank = 0; bank < TENSIX_CFG_BANKS; bank++) {
        d->config[bank]++;
    }
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        for (uint32_t bank = 0; bank < TENSIX_SRC_BANKS; bank++) {
            d->src[src][bank]++;
        }
    }
    update_all(c);
}
