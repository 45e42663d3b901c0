/*
 * Tensix coprocessor: its core observed, for instruments.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The core has one observer (core/observe/observe.h) while an instrument wants
 * what only an observer sees; what it sees is posted on the bus.  Accesses of
 * harts to L1 come from watchpoints of QEMU's.  The observer is changed under
 * the core's lock.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "hw/tenstorrent/tensix_l1.h"
#include "hw/tenstorrent/tensix_cop_observe.h"
#include "tensix_cop_internal.h"

/* --- what is seen --- */

static void post_hit(void *opaque, const TensixHit *hit)
{
    TensixCopState *cop = opaque;

    tensix_bus_post(cop->bus, TENSIX_ON_HIT, (void *)hit);
}

static void post_read(void *opaque, const TensixL1Access *access)
{
    TensixCopState *cop = opaque;

    tensix_bus_post(cop->bus, TENSIX_ON_L1, (void *)access);
}

static void post_executed(void *opaque, const TensixExecuted *executed)
{
    TensixCopState *cop = opaque;

    tensix_bus_post(cop->bus, TENSIX_ON_EXECUTE, (void *)executed);
}

static void post_issued(void *opaque, const TensixExecuted *issued)
{
    TensixCopState *cop = opaque;

    tensix_bus_post(cop->bus, TENSIX_ON_ISSUE, (void *)issued);
}

static void post_taken(void *opaque, const TensixInsn *taken)
{
    TensixCopState *cop = opaque;

    tensix_bus_post(cop->bus, TENSIX_ON_TAKE, (void *)taken);
}

/* A hart is past its access to what is watched. */
static void hart_accessed(Notifier *n, void *data)
{
    TensixCopState *cop = container_of(n, TensixCopState, watched);
    const TensixWatchedEvent *event = data;
    const TensixHartAccess *access = event->access;
    const TensixActor by = tensix_hart_actor(event->hart, event->pc);

    tensix_cop_lock(cop);
    tensix_bus_post(cop->bus, TENSIX_ON_L1, &(TensixL1Access) {
        .by = &by,
        .accesses = (access->loads ? TENSIX_WATCH_READ : 0) |
                    (access->stores ? TENSIX_WATCH_WRITE : 0),
        .address = access->address, .size = access->size,
        .old = access->before,
        .new = (uint8_t *)memory_region_get_ram_ptr(cop->l1) + access->address,
    });
    tensix_cop_release(cop);
}

/* --- the holder of the lock --- */

static TensixHart *running_hart(TensixCopState *cop)
{
    for (int n = 0; n < TENSIX_NUM_HARTS; n++) {
        if (tensix_hart_is_running_here(cop->hart[n])) {
            return cop->hart[n];
        }
    }
    return NULL;
}

/* The hart that runs here, if any, or else a debugger. */
static void begin_write(Notifier *n, void *data)
{
    TensixCopState *cop = container_of(n, TensixCopState, entered);
    TensixActor by = tensix_agent(TENSIX_BY_DEBUGGER);
    TensixHart *hart = running_hart(cop);

    if (hart) {
        by.kind = TENSIX_BY_HART;
        by.hart = hart->id;
        by.pc = tensix_hart_access_pc(hart);
    }
    tensix_observe_begin(cop->core, by);
}

static void end_write(Notifier *n, void *data)
{
    tensix_observe_end(container_of(n, TensixCopState, leaving)->core);
}

/* --- whether it is observed --- */

static bool is_observed(const TensixCopState *cop)
{
    const TensixObserver *o = cop->observer;

    return o->unwritten || o->break_count || o->watch_count ||
           cop->all_stores || cop->reads_wanted ||
           tensix_bus_has_listener(cop->bus, TENSIX_ON_EXECUTE);
}

static void begin(TensixCopState *cop)
{
    notifier_list_add(&cop->lock.entered, &cop->entered);
    notifier_list_add(&cop->lock.leaving, &cop->leaving);
    tensix_set_observer(cop->core, cop->observer);
    tensix_l1_observe(cop, true);
}

static void end(TensixCopState *cop)
{
    notifier_remove(&cop->entered);
    notifier_remove(&cop->leaving);
    tensix_set_observer(cop->core, NULL);
    cop->observer->by = (TensixActor) { .kind = TENSIX_BY_NONE };
    tensix_l1_observe(cop, false);
}

static void choose_executed(TensixCopState *cop)
{
    TensixObserver *o = cop->observer;
    bool alone = tensix_bus_has_one_listener(cop->bus, TENSIX_ON_EXECUTE);

    o->executed = tensix_bus_has_listener(cop->bus, TENSIX_ON_EXECUTE)
                  ? post_executed : NULL;
    o->executed_lregs = NULL;
    if (cop->timer && alone && !o->unwritten && !o->watch_count) {
        o->executed_lregs = cop->timer->executed_lregs;
        o->lregs_opaque = cop->timer->opaque;
    }
}

void tensix_cop_set_timer(TensixCopState *cop, const TensixCopTimer *timer)
{
    cop->timer = timer;
}

void tensix_cop_choose_observer(TensixCopState *cop)
{
    bool wanted = is_observed(cop);

    choose_executed(cop);
    if (wanted != cop->observed) {
        cop->observed = wanted;
        cop->way_changes++;
        if (wanted) {
            begin(cop);
        } else {
            end(cop);
        }
    }
    tensix_observer_changed(cop->core);
}

TensixObserver *tensix_cop_observer(TensixCopState *cop)
{
    return cop->observer;
}

bool tensix_cop_is_observed(const TensixCopState *cop)
{
    return cop->observed;
}

/* --- accesses of harts --- */

/* What a watch of L1 is for, of harts; all_stores has the stores anyhow. */
static TensixHartRange range_of(const TensixCopState *cop, const TensixWatch *w)
{
    return (TensixHartRange) {
        .first = w->first, .count = w->count,
        .loads = w->accesses & TENSIX_WATCH_READ,
        .stores = w->accesses & TENSIX_WATCH_WRITE && !cop->all_stores,
    };
}

static void find_ranges(TensixCopState *cop)
{
    const TensixObserver *o = cop->observer;

    cop->range_count = 0;
    if (cop->all_stores) {
        cop->ranges[cop->range_count++] = (TensixHartRange) {
            .count = TENSIX_L1_SIZE, .stores = true,
        };
    }
    for (unsigned n = 0; n < o->watch_count; n++) {
        TensixHartRange range = range_of(cop, &o->watches[n]);

        if (o->watches[n].space == TENSIX_SPACE_L1 &&
            (range.loads || range.stores)) {
            cop->ranges[cop->range_count++] = range;
        }
    }
}

void tensix_cop_choose_ranges(TensixCopState *cop)
{
    find_ranges(cop);
    for (int n = 0; n < TENSIX_NUM_HARTS; n++) {
        tensix_hart_watch_memory(cop->hart[n], cop->ranges, cop->range_count);
    }
}

void tensix_cop_observe_stores(TensixCopState *cop, bool all)
{
    cop->all_stores = all;
    tensix_cop_choose_observer(cop);
    tensix_cop_choose_ranges(cop);
}

void tensix_cop_observe_reads(TensixCopState *cop, bool reads)
{
    cop->reads_wanted = reads;
    tensix_cop_choose_observer(cop);
}

/* --- life cycle --- */

void tensix_cop_observe_init(TensixCopState *cop)
{
    cop->observer = g_new0(TensixObserver, 1);
    cop->observer->hit = post_hit;
    cop->observer->read_l1 = post_read;
    cop->observer->issued = post_issued;
    cop->observer->taken = post_taken;
    cop->observer->opaque = cop;
    cop->entered.notify = begin_write;
    cop->leaving.notify = end_write;
    cop->watched.notify = hart_accessed;
    tensix_bus_subscribe(cop->bus, TENSIX_ON_WATCHED, &cop->watched);
}

void tensix_cop_observe_finish(TensixCopState *cop)
{
    tensix_bus_unsubscribe(cop->bus, TENSIX_ON_WATCHED, &cop->watched);
    g_free(cop->observer);
}
