/*
 * Programs of three T harts: building and running them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "sync-program.h"

enum { TURNS = 60000, REST = 40 };

/* --- building --- */

static void add_step(SyncRun *r, uint32_t thread, SyncStep step)
{
    SyncHart *h = &r->hart[thread];

    h->step[h->count++] = step;
}

static bool is_sync(uint32_t word)
{
    return tensix_insns[word >> 24].unit == TENSIX_UNIT_SYNC &&
           word >> 24 != TENSIX_OP_SEMINIT;
}

void sync_add(SyncRun *r, uint32_t thread, uint32_t word)
{
    r->unnamed += is_sync(word);
    add_step(r, thread, (SyncStep) { .kind = SYNC_PUSH, .word = word });
}

void sync_hart_site(SyncRun *r, uint32_t thread, int site, SyncStepKind kind,
                    uint32_t at, uint32_t word)
{
    if (site == r->missing) {
        r->used++;
    } else {
        add_step(r, thread, (SyncStep) { kind, word, at });
    }
}

void sync_site(SyncRun *r, uint32_t thread, int site, uint32_t word)
{
    sync_hart_site(r, thread, site, SYNC_PUSH, 0, word);
}

void sync_configure(SyncRun *r, uint32_t thread, uint32_t at, uint32_t word)
{
    add_step(r, thread, (SyncStep) { SYNC_CONFIGURE, word, at });
}

uint32_t sync_bits(SyncRun *r, int site, uint32_t bits)
{
    r->used += site == r->missing;
    return site == r->missing ? 0 : bits;
}

void sync_mop(SyncRun *r, uint32_t thread, const uint32_t *cfg)
{
    for (uint32_t n = 0; n < TENSIX_MOP_CFG_WORDS; n++) {
        r->unnamed += n > 1 && is_sync(cfg[n]);
        fixture_mop_cfg(&r->f, thread, n, cfg[n]);
    }
}

void sync_put(SyncRun *r, unsigned word, unsigned low, uint32_t value)
{
    r->f.core.s.cfg[0][word] |= value << low;
}

/* --- running --- */

/* Does the step, or false: not now. */
static bool do_step(SyncRun *r, uint32_t thread, const SyncStep *step)
{
    TensixCore *c = &r->f.core;
    TensixOrigin origin = { r->hart[thread].next * 4,
                            TENSIX_HART_TRISC0 + thread };

    if (tensix_held_back(c, thread, step->word, origin)) {
        return false;
    }
    switch (step->kind) {
    case SYNC_PUSH:
        return tensix_push(c, thread, step->word, origin);
    case SYNC_POLL_BELOW:
        return tensix_semaphore_read(c, step->at) < step->word;
    case SYNC_POST:
        tensix_semaphore_write(c, step->at, 0, (TensixOrigin) { 0 });
        break;
    case SYNC_CONFIGURE:
        tensix_cfg_write(c, step->at * sizeof(uint32_t), step->word);
        break;
    }
    return true;
}

/* At most so many steps of a hart; how many did it do? */
static unsigned take_steps(SyncRun *r, uint32_t thread, unsigned most)
{
    SyncHart *h = &r->hart[thread];
    unsigned done = 0;

    while (done < most && h->next < h->count &&
           do_step(r, thread, &h->step[h->next])) {
        h->next++;
        done++;
    }
    return done;
}

/* Each hart in turn; did any do anything? */
static bool take_turns(SyncRun *r)
{
    unsigned done = 0;

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        done += take_steps(r, t, r->turn);
    }
    return done;
}

static bool all_done(const SyncRun *r)
{
    bool done = true;

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        done = done && r->hart[t].next == r->hart[t].count &&
               tensix_thread_idle(&r->f.core, t);
    }
    return done;
}

/* Nothing moves any more: no hart, no thread, and no time that passes. */
static bool is_stuck(SyncRun *r, bool any)
{
    uint64_t cycle = r->f.core.s.order.cycle;

    return !tensix_run(&r->f.core, REST) && !any &&
           (!r->f.core.s.order.rng || r->f.core.s.order.cycle == cycle);
}

static bool run(SyncRun *r)
{
    unsigned still = 0;

    for (unsigned turn = 0; turn < TURNS && still < 3; turn++) {
        bool any = take_turns(r);

        if (!any) {
            still = is_stuck(r, any) ? still + 1 : 0;
        } else {
            still = 0;
        }
        if (all_done(r)) {
            return true;
        }
    }
    return false;
}

bool sync_run(SyncRun *r, const SyncKernel *k, int missing, uint64_t seed)
{
    /* harts side by side, in short slices, and in long ones */
    static const unsigned turns[] = { 1, 6, 40 };

    memset(r->hart, 0, sizeof(r->hart));
    r->missing = missing;
    r->turn = turns[seed % (sizeof(turns) / sizeof(turns[0]))];
    r->used = r->unnamed = 0;
    fixture_init(&r->f);
    k->build(r);
    tensix_state_loaded(&r->f.core);
    tensix_set_schedule(&r->f.core, seed);
    return run(r);
}

void sync_outcome(const SyncRun *r, SyncOutcome *o)
{
    const TensixState *s = &r->f.core.s;

    memcpy(o->dst, s->dst, sizeof(o->dst));
    memcpy(o->valid, s->dst_row_valid, sizeof(o->valid));
    memcpy(o->l1, r->f.l1, sizeof(o->l1));
    memcpy(o->src_client, s->src_client, sizeof(o->src_client));
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        o->bank_lag[src] = s->matrix_bank[src] ^ s->unpack_bank[src];
    }
    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        o->semaphore[n] = s->semaphore[n].value;
    }
}
