/*
 * Accesses that nothing orders, reported: tensix-races.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + -object tensix-races,id=ID[,tile=PATH]
 *
 * Each event of the tile's bus that orders something or accesses something
 * goes to the file that knows about it.  What is known begins with the object,
 * or with a reset or a snapshot that is loaded.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "races_internal.h"

/* Which state it is that comes is known when something happens in it. */
static void restart(TensixRaces *r)
{
    r->stale = false;
    r->generation++;
    r->events = 0;
    memset(r->thread, 0, sizeof(r->thread));
    memset(r->cell, 0, sizeof(r->cell));
    memset(&r->pending, 0, sizeof(r->pending));
    memset(r->split, 0, sizeof(r->split));
    g_array_set_size(r->bytes, 0);
    race_harts_restart(r);
    race_banks_restart(r);
    race_config_restart(r);
    race_semaphores_restart(r);
    race_mop_restart(r);
    race_l1_restart(r);
    race_places_restart(r);
    race_flights_restart(r);
    race_waits_restart(r);
}

/*
 * Before a count of 32 bits is full all begins anew, for an event counts few; and
 * when a guest has made very many instructions.
 */
static void freshen(TensixRaces *r)
{
    enum { MOST_EVENTS = 1 << 28, MOST_PLACES = 1 << 20, OFTEN = 1 << 10 };

    if (unlikely(r->stale || r->events++ > MOST_EVENTS ||
                 (!(r->events % OFTEN) &&
                  tensix_actors_count(r->places) > MOST_PLACES))) {
        restart(r);
    }
}

/* --- the lock --- */

/* A mutex would take a tenth of the time: it is held for less than its calls. */
static TensixRaces *take_lock(TensixRaces *r)
{
    while (qemu_spin_trylock(&r->lock)) {
        g_thread_yield();
    }
    return r;
}

static void drop_lock(TensixRaces *r)
{
    qemu_spin_unlock(&r->lock);
}

static TensixRaces *begin_event(TensixRaces *r)
{
    take_lock(r);
    freshen(r);
    return r;
}

typedef TensixRaces RaceGuard;

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RaceGuard, drop_lock)

/* --- events --- */

static void executed(Notifier *n, void *data)
{
    TensixRaces *r = container_of(n, TensixRaces, execute);
    g_autoptr(RaceGuard) guard = begin_event(r);

    race_execute(r, data);
}

static void issued(Notifier *n, void *data)
{
    TensixRaces *r = container_of(n, TensixRaces, issue);
    g_autoptr(RaceGuard) guard = begin_event(r);

    race_issue(r, data);
}

static void pushed(Notifier *n, void *data)
{
    TensixRaces *r = container_of(n, TensixRaces, push);
    const TensixPushEvent *push = data;
    g_autoptr(RaceGuard) guard = begin_event(r);

    if (push->origin.hart < TENSIX_HART_NONE) {
        race_push(r, push);
    }
}

/* The access, a part of a tile, continues where that one has ended. */
static bool continues(const RaceBytes *bytes, const RaceBytes *last)
{
    return bytes->writes == last->writes &&
           bytes->address == last->address + last->size &&
           !(bytes->address % RACE_L1_LINE);
}

/* One instruction is executed at a time; one that waits is executed again. */
static void record_bytes(TensixRaces *r, const RaceBytes *bytes)
{
    RaceBytes *last;

    if (r->bytes->len &&
        g_array_index(r->bytes, RaceBytes, 0).event != bytes->event) {
        g_array_set_size(r->bytes, 0);
    }
    last = r->bytes->len
           ? &g_array_index(r->bytes, RaceBytes, r->bytes->len - 1) : NULL;
    if (last && continues(bytes, last)) {
        last->size += bytes->size;
    } else {
        g_array_append_vals(r->bytes, bytes, 1);
    }
}

static void l1_accessed(Notifier *n, void *data)
{
    TensixRaces *r = container_of(n, TensixRaces, l1);
    const TensixL1Access *a = data;
    RaceBytes bytes = {
        .event = a->by->event, .address = a->address, .size = a->size,
        .writes = a->accesses & TENSIX_WATCH_WRITE,
    };
    g_autoptr(RaceGuard) guard = begin_event(r);

    if (a->by->kind == TENSIX_BY_INSTRUCTION) {
        record_bytes(r, &bytes);
    } else {
        race_l1_by_agent(r, a);
    }
}

/* The BQL comes before the lock, and reports of harts' threads need it. */
static void report_hart(TensixRaces *r, const RaceOp *op, uint32_t generation)
{
    BQL_LOCK_GUARD();
    g_autoptr(RaceGuard) guard = take_lock(r);

    if (generation == r->generation) {
        race_report(r, op);
    }
}

static void hart_loads_or_stores(Notifier *n, void *data)
{
    TensixRaces *r = container_of(n, TensixRaces, load_store);
    const TensixLoadStoreEvent *event = data;
    const TensixActor by = tensix_hart_actor(
        event->hart, tensix_hart_pc(event->hart, event->ra));
    uint32_t generation;
    RaceOp op;

    begin_event(r);
    generation = r->generation;
    race_l1_by_hart(r, event, &by, &op);
    drop_lock(r);
    if (op.findings) {
        report_hart(r, &op, generation);
    }
}

static void hart_accesses_local_ram(Notifier *n, void *data)
{
    TensixRaces *r = container_of(n, TensixRaces, local);
    g_autoptr(RaceGuard) guard = begin_event(r);

    race_local_access(r, data);
}

static void hart_turns(Notifier *n, void *data)
{
    TensixRaces *r = container_of(n, TensixRaces, turn);
    const TensixTurnEvent *event = data;

    if (event->turn == TENSIX_HART_INTERRUPTED ||
        event->turn == TENSIX_HART_RETURNS) {
        g_autoptr(RaceGuard) guard = begin_event(r);

        if (event->turn == TENSIX_HART_INTERRUPTED) {
            race_handler_begins(r, event->hart->id);
        } else {
            race_handler_returns(r, event->hart->id);
        }
    }
}

static void register_accessed(Notifier *n, void *data)
{
    TensixRaces *r = container_of(n, TensixRaces, access);
    const TensixRegisterEvent *event = data;
    g_autoptr(RaceGuard) guard = begin_event(r);

    if (event->by.kind == TENSIX_BY_HART && event->by.hart < TENSIX_HART_NONE) {
        race_register(r, event);
    } else if (event->by.kind == TENSIX_BY_INSTRUCTION) {
        race_register_by_insn(r, event);
    }
}

static void hart_released(Notifier *n, void *data)
{
    TensixRaces *r = container_of(n, TensixRaces, release);
    const TensixHart *hart = data;
    g_autoptr(RaceGuard) guard = begin_event(r);

    race_hart_released(r, hart->id);
}

static void reset_begins(Notifier *n, void *data)
{
    container_of(n, TensixRaces, reset)->stale = true;
}

static void load_begins(Notifier *n, void *data)
{
    container_of(n, TensixRaces, load)->stale = true;
}

static void machine_runs(Notifier *n, void *data)
{
    TensixRaces *r = container_of(n, TensixRaces, resume);
    g_autoptr(RaceGuard) guard = begin_event(r);

}

static const TensixSubscription subscriptions[] = {
    { TENSIX_ON_ISSUE, issued, offsetof(TensixRaces, issue) },
    { TENSIX_ON_EXECUTE, executed, offsetof(TensixRaces, execute) },
    { TENSIX_ON_PUSH, pushed, offsetof(TensixRaces, push) },
    { TENSIX_ON_L1, l1_accessed, offsetof(TensixRaces, l1) },
    { TENSIX_ON_LOAD_STORE, hart_loads_or_stores,
      offsetof(TensixRaces, load_store) },
    { TENSIX_ON_LOCAL, hart_accesses_local_ram, offsetof(TensixRaces, local) },
    { TENSIX_ON_TURN, hart_turns, offsetof(TensixRaces, turn) },
    { TENSIX_ON_REGISTER, register_accessed, offsetof(TensixRaces, access) },
    { TENSIX_ON_RELEASE, hart_released, offsetof(TensixRaces, release) },
    { TENSIX_ON_RESET, reset_begins, offsetof(TensixRaces, reset) },
    { TENSIX_ON_LOAD, load_begins, offsetof(TensixRaces, load) },
    { TENSIX_ON_RESUME, machine_runs, offsetof(TensixRaces, resume) },
    { }
};

/* --- life cycle --- */

static void tensix_races_attach(TensixInstrument *i)
{
    TensixRaces *r = TENSIX_RACES(i);

    r->cop = TENSIX_COP(i->cop);
    r->reporter = tensix_cop_reporter(r->cop);
    r->state = tensix_core_state(tensix_cop_lock(r->cop));
    restart(r);
    tensix_bus_subscribe_all(i->bus, subscriptions, r);
    tensix_cop_choose_observer(r->cop);
    tensix_cop_release(r->cop);
}

static void tensix_races_detach(TensixInstrument *i)
{
    TensixRaces *r = TENSIX_RACES(i);

    tensix_cop_lock(r->cop);
    tensix_bus_unsubscribe_all(i->bus, subscriptions, r);
    tensix_cop_choose_observer(r->cop);
    tensix_cop_release(r->cop);
}

static void tensix_races_init(Object *obj)
{
    TensixRaces *r = TENSIX_RACES(obj);

    qemu_spin_init(&r->lock);
    r->bytes = g_array_new(false, false, sizeof(RaceBytes));
}

static void tensix_races_finalize(Object *obj)
{
    TensixRaces *r = TENSIX_RACES(obj);

    race_harts_restart(r);
    race_l1_finish(r);
    race_places_finish(r);
    g_array_unref(r->bytes);
}

static void tensix_races_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    ic->attach = tensix_races_attach;
    ic->detach = tensix_races_detach;
}

static const TypeInfo tensix_races_types[] = {
    {
        .name = TYPE_TENSIX_RACES,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .instance_size = sizeof(TensixRaces),
        .instance_init = tensix_races_init,
        .instance_finalize = tensix_races_finalize,
        .class_init = tensix_races_class_init,
    },
};

DEFINE_TYPES(tensix_races_types)
