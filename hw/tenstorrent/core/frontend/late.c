/*
 * Stores of harts that a delay puts off.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH MemoryOrdering.md, STALLWAIT.md (C10), OLD AutoTTSync.md.
 */

#include <string.h>

#include "config/config.h"
#include "config/cfg_names.h"
#include "frontend/delays.h"
#include "frontend/frontend.h"
#include "observe/observe.h"

/* The queues of a hart, by region. */
static TensixLateQueue *late_queues(const TensixCore *c, uint32_t hart)
{
    return &c->delays->late[hart * TENSIX_STORE_REGIONS];
}

static void process(TensixCore *c, const TensixHartStore *s)
{
    if (s->region == TENSIX_STORE_CONFIG) {
        tensix_flight_land_all(c);
        tensix_cfg_put(c, s->offset, s->value);
    } else {
        tensix_observe_compare(c, 1 << TENSIX_SPACE_GPR);
        memcpy((uint8_t *)c->s.gpr + s->offset, &s->value, s->size);
    }
}

static void process_oldest(TensixCore *c, TensixLateQueue *q)
{
    TensixHartStore s = q->entry[0].store;

    memmove(q->entry, q->entry + 1, --q->count * sizeof(q->entry[0]));
    process(c, &s);
}

/* With Auto TTSync the thread's instructions wait for its hart's stores. */
static bool has_auto_ttsync(const TensixCore *c, uint32_t hart)
{
    enum { INDEX = THREAD_CFG_TENSIX_TRISC_SYNC_TrackGlobalCfg_INDEX };

    return hart >= TENSIX_HART_TRISC0 &&
           hart < TENSIX_HART_TRISC0 + TENSIX_THREADS &&
           c->s.thread_cfg[hart - TENSIX_HART_TRISC0][INDEX];
}

bool tensix_late_store(TensixCore *c, const TensixHartStore *s)
{
    TensixLateQueue *q = &late_queues(c, s->by.hart)[s->region];
    uint64_t due = c->s.order.cycle + tensix_delays_of_store(c->delays, s);

    if (c->delays->stored) {
        c->delays->stored(c->delays->opaque, s->by);
    }
    if (has_auto_ttsync(c, s->by.hart)) {
        tensix_late_load(c, s->by.hart, s->region);
        return false;
    }
    if (due == c->s.order.cycle && !q->count) {
        return false;
    }
    if (q->count == TENSIX_LATE_STORES) {
        process_oldest(c, q);
    }
    q->entry[q->count].store = *s;
    q->entry[q->count++].due = due;
    return true;
}

void tensix_late_load(TensixCore *c, uint32_t hart, TensixStoreRegion region)
{
    TensixLateQueue *q = &late_queues(c, hart)[region];

    while (q->count) {
        process_oldest(c, q);
    }
}

/* --- all queues --- */

static bool late_process_until(TensixCore *c, uint64_t cycle)
{
    bool any = false;

    for (uint32_t n = 0; n < TENSIX_PUSHERS * TENSIX_STORE_REGIONS; n++) {
        TensixLateQueue *q = &c->delays->late[n];

        while (q->count && q->entry[0].due <= cycle) {
            process_oldest(c, q);
            any = true;
        }
    }
    return any;
}

void tensix_late_finish(TensixCore *c)
{
    if (c->delays) {
        late_process_until(c, UINT64_MAX);
    }
}

/* Only then are there any: their callers ask in each cycle. */
static bool may_be_late(const TensixCore *c)
{
    return c->delays->what == TENSIX_DELAY_STORE;
}

bool tensix_late_land(TensixCore *c)
{
    return may_be_late(c) && late_process_until(c, c->s.order.cycle);
}

uint64_t tensix_late_next(const TensixCore *c, uint64_t next)
{
    for (uint32_t n = 0; may_be_late(c) &&
                         n < TENSIX_PUSHERS * TENSIX_STORE_REGIONS; n++) {
        const TensixLateQueue *q = &c->delays->late[n];

        if (q->count && q->entry[0].due < next) {
            next = q->entry[0].due;
        }
    }
    return next;
}

bool tensix_late_waits(const TensixCore *c, uint32_t hart)
{
    const TensixLateQueue *q = late_queues(c, hart);

    return q[TENSIX_STORE_GPR].count || q[TENSIX_STORE_CONFIG].count;
}
