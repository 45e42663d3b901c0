/*
 * Estimated cycles of a tile: the instrument.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Made by timing=published of the machine.  Harts count their own cycles
 * (tensix_hart_time.h); threads and units are estimated from the events of the
 * tile's bus, in the core's lock or with the BQL, and with -icount by one thread.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_cop_observe.h"
#include "migration/blocker.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "time_internal.h"

const char *const tensix_thread_wait_names[TENSIX_THREAD_WAITS] = {
    [TENSIX_THREAD_FOR_PUSH] = "push",
    [TENSIX_THREAD_FOR_UNITS] = "stallwait",
    [TENSIX_THREAD_FOR_SEMAPHORE] = "semaphore",
    [TENSIX_THREAD_FOR_STREAM] = "stream",
    [TENSIX_THREAD_FOR_MUTEX] = "mutex",
    [TENSIX_THREAD_FOR_UNIT] = "unit",
    [TENSIX_THREAD_FOR_OPERAND] = "operand",
    [TENSIX_THREAD_FOR_BANK] = "bank",
};

/* --- events --- */

static void hart_has_acted(TensixTime *t, const TensixExecuted *e)
{
    unsigned hart = tensix_actor_hart(e->by);
    TensixStamp at = hart < TENSIX_NUM_HARTS
                     ? tensix_hart_stamp(tensix_cop_hart(t->cop, hart), 1)
                     : t->stored;

    time_semaphores_written(t, e, at);
}

static void executed(Notifier *n, void *data)
{
    TensixTime *t = container_of(n, TensixTime, execute);
    const TensixExecuted *e = data;

    if (e->insn) {
        time_execute_insn(t, e);
    } else {
        hart_has_acted(t, e);
    }
}

static void pushed(Notifier *n, void *data)
{
    TensixPushEvent *push = data;

    if (push->origin.hart < TENSIX_NUM_HARTS) {
        time_push(container_of(n, TensixTime, push), push);
    }
}

/* An instruction is executed after its accesses, a request before them. */
static TensixStamp written_at(const TensixTime *t, const TensixActor *by,
                              unsigned hart)
{
    return by->kind == TENSIX_BY_NOC && t->landed.at
           ? t->landed
           : tensix_hart_stamp(tensix_cop_hart(t->cop, hart), 1);
}

/* What harts store themselves their blocks record. */
static void l1_accessed(Notifier *n, void *data)
{
    TensixTime *t = container_of(n, TensixTime, l1);
    const TensixL1Access *a = data;
    unsigned hart = tensix_actor_hart(a->by);

    if (!(a->accesses & TENSIX_WATCH_WRITE)) {
        return;
    }
    if (a->by->kind == TENSIX_BY_INSTRUCTION) {
        t->writes -= t->writes == TIME_WRITES;
        t->write[t->writes++] = (TimeWrite) { a->address, a->size };
    } else if (a->by->kind != TENSIX_BY_HART && hart < TENSIX_NUM_HARTS) {
        time_written(t, a->address, a->size, written_at(t, a->by, hart));
    }
}

static void noc_requested(Notifier *n, void *data)
{
    time_noc_request(container_of(n, TensixTime, noc_request), data);
}

static void register_accessed(Notifier *n, void *data)
{
    time_register(container_of(n, TensixTime, access), data);
}

/* By a store of another hart, or when the machine starts. */
static void hart_released(Notifier *n, void *data)
{
    TensixTime *t = container_of(n, TensixTime, release);
    TensixHart *hart = data;

    tensix_hart_time_release(hart, t->stored);
    if (hart->id >= TENSIX_HART_TRISC0) {
        TimeFifo *pcbuf = &t->pcbuf[tensix_hart_thread(hart)];

        pcbuf->popped = pcbuf->pushed.count;
    }
}

/* --- clocks --- */

/* All instructions of the thread so far are over. */
static TensixStamp last_of(const TimeThread *thread)
{
    return thread->last_is_plain ? tensix_later(thread->issued, thread->ended)
                                 : thread->last;
}

static TensixStamp latest(const TensixTime *t)
{
    TensixStamp at = { };

    for (unsigned n = 0; n < TENSIX_NUM_HARTS; n++) {
        at = tensix_later(at,
                          tensix_hart_stamp(tensix_cop_hart(t->cop, n), 0));
    }
    for (unsigned n = 0; n < TENSIX_THREADS; n++) {
        at = tensix_later(at, last_of(&t->thread[n]));
    }
    return at;
}

static void discard_lines(TensixTime *t)
{
    for (unsigned n = 0; n < TENSIX_NUM_HARTS; n++) {
        g_free(t->spent[n]);
        t->spent[n] = g_new0(uint64_t, TENSIX_TIME_WORDS);
    }
}

/* Each hart's first link. */
static void begin_path(TensixTime *t)
{
    for (unsigned n = 0; n < TENSIX_NUM_HARTS; n++) {
        const TensixPathWork work = { n, TENSIX_HART_NONE };
        TensixStamp at = {
            .at = tensix_hart_cycles(tensix_cop_hart(t->cop, n))
        };

        t->hart[n].link = tensix_time_path_work(&t->path, at, work).link;
    }
}

/* Another state follows: no clock goes back, and nothing is remembered. */
static void restart(TensixTime *t)
{
    TensixStamp at = { .at = latest(t).at };

    discard_lines(t);
    begin_path(t);
    memset(t->written, 0, TENSIX_TIME_WORDS * sizeof(*t->written));
    memset(t->thread, 0, sizeof(t->thread));
    memset(t->lreg, 0, sizeof(t->lreg));
    t->lregs_ready = 0;
    memset(t->dst, 0, sizeof(t->dst));
    memset(t->pcbuf, 0, sizeof(t->pcbuf));
    memset(t->mailbox, 0, sizeof(t->mailbox));
    memset(t->stream, 0, sizeof(t->stream));
    memset(t->noc, 0, sizeof(t->noc));
    t->shared = t->landed = (TensixStamp) { };
    t->stored = at;
    t->writes = 0;
    time_sync_restart(t);
    for (unsigned n = 0; n < TENSIX_THREADS; n++) {
        t->thread[n].next = at;
    }
}

static void reset_begins(Notifier *n, void *data)
{
    restart(container_of(n, TensixTime, reset));
}

static void load_begins(Notifier *n, void *data)
{
    restart(container_of(n, TensixTime, load));
}

bool tensix_time_get(TensixCopState *cop, TensixTimes *times)
{
    Object *found = tensix_instrument_find(tensix_cop_bus(cop),
                                           TYPE_TENSIX_TIME);
    TensixTime *t = found ? TENSIX_TIME(found) : NULL;

    if (!t) {
        return false;
    }
    times->now = latest(t).at;
    times->end = latest(t);
    times->path = &t->path;
    times->of_hart = t->hart;
    times->noc = t->flits;
    times->spent = t->spent;
    for (unsigned n = 0; n < TENSIX_NUM_HARTS; n++) {
        times->hart[n] = tensix_hart_cycles(tensix_cop_hart(cop, n));
    }
    for (unsigned n = 0; n < TENSIX_THREADS; n++) {
        times->thread[n] = t->thread[n].times;
        times->thread[n].last = last_of(&t->thread[n]).at;
    }
    return true;
}

bool tensix_time_is_counted(TensixBus *bus)
{
    return tensix_instrument_find(bus, TYPE_TENSIX_TIME);
}

bool tensix_time_can_go_back(TensixBus *bus, Error **errp)
{
    if (!tensix_time_is_counted(bus)) {
        return true;
    }
    error_setg(errp, "timing=published excludes histories and delays: "
               "estimated cycles are not saved");
    return false;
}

/* --- turns --- */

/*
 * What a hart reads decides what it waits for, and so its cycles: when a host
 * asks may make no difference to whose turn it is.  One axis for all tiles.
 */
static void put_on_axis(TensixTime *t)
{
    static const TensixAxisOps none;
    TensixTurns *turns = tensix_cop_hart(t->cop, 0)->turn.turns;

    if (!tensix_turns_axis(turns)) {
        t->axis = tensix_axis_new(turns, &none, NULL);
    }
}

/* --- life cycle --- */

static const TensixSubscription subscriptions[] = {
    { TENSIX_ON_EXECUTE, executed, offsetof(TensixTime, execute) },
    { TENSIX_ON_PUSH, pushed, offsetof(TensixTime, push) },
    { TENSIX_ON_L1, l1_accessed, offsetof(TensixTime, l1) },
    { TENSIX_ON_REGISTER, register_accessed, offsetof(TensixTime, access) },
    { TENSIX_ON_NOC, noc_requested, offsetof(TensixTime, noc_request) },
    { TENSIX_ON_RELEASE, hart_released, offsetof(TensixTime, release) },
    { TENSIX_ON_RESET, reset_begins, offsetof(TensixTime, reset) },
    { TENSIX_ON_LOAD, load_begins, offsetof(TensixTime, load) },
    { }
};

static bool tensix_time_prepare(TensixInstrument *i, Error **errp)
{
    TensixTime *t = TENSIX_TIME(i);

    if (icount_enabled() != ICOUNT_PRECISE || icount_sleeps()) {
        error_setg(errp, "timing=published needs -icount shift=0,sleep=off: "
                   "otherwise the host's timing decides in which order harts "
                   "meet, and two runs would differ");
        return false;
    }
    if (!time_read_figures(t, t->file, errp)) {
        return false;
    }
    error_setg(&t->blocker, "timing=published: estimated cycles are not saved");
    return migrate_add_blocker(&t->blocker, errp) == 0;
}

static void set_observed(TensixTime *t, bool observed)
{
    TensixInstrument *i = TENSIX_INSTRUMENT(t);

    if (observed) {
        tensix_bus_subscribe_all(i->bus, subscriptions, t);
    } else {
        tensix_bus_unsubscribe_all(i->bus, subscriptions, t);
    }
    tensix_cop_observer(t->cop)->times = observed;
    tensix_cop_set_timer(t->cop, observed ? &t->timer : NULL);
    tensix_cop_choose_observer(t->cop);
    for (unsigned n = 0; n < TENSIX_NUM_HARTS; n++) {
        tensix_hart_set_time(tensix_cop_hart(t->cop, n),
                             observed ? &t->hart[n] : NULL);
    }
}

static void tensix_time_attach(TensixInstrument *i)
{
    TensixTime *t = TENSIX_TIME(i);

    t->cop = TENSIX_COP(i->cop);
    t->state = tensix_core_state(tensix_cop_lock(t->cop));
    t->recorder = tensix_cop_recorder(t->cop);
    t->written = g_new0(TensixStamp, TENSIX_TIME_WORDS);
    tensix_time_path_init(&t->path);
    time_init_ports(t);
    t->timer = (TensixCopTimer) { time_execute_lregs, time_push_ttinsn, t };
    for (unsigned n = 0; n < TENSIX_NUM_HARTS; n++) {
        t->hart[n].written = t->written;
        t->hart[n].path = &t->path;
        t->hart[n].figure = t->of_harts;
    }
    put_on_axis(t);
    set_observed(t, true);
    restart(t);
    tensix_cop_release(t->cop);
}

static void tensix_time_detach(TensixInstrument *i)
{
    TensixTime *t = TENSIX_TIME(i);

    tensix_cop_lock(t->cop);
    set_observed(t, false);
    tensix_cop_release(t->cop);
    g_clear_pointer(&t->axis, tensix_axis_free);
    migrate_del_blocker(&t->blocker);
}

static char *get_figures(Object *obj, Error **errp)
{
    return g_strdup(TENSIX_TIME(obj)->file ?: "");
}

static void set_figures(Object *obj, const char *value, Error **errp)
{
    tensix_instrument_set_text(obj, &TENSIX_TIME(obj)->file, value,
        "figures: they cannot change while they count", errp);
}

static void tensix_time_finalize(Object *obj)
{
    for (unsigned n = 0; n < TENSIX_NUM_HARTS; n++) {
        g_free(TENSIX_TIME(obj)->spent[n]);
    }
    g_free(TENSIX_TIME(obj)->written);
    tensix_time_path_free(&TENSIX_TIME(obj)->path);
    g_free(TENSIX_TIME(obj)->file);
}

static void tensix_time_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    ic->prepare = tensix_time_prepare;
    ic->attach = tensix_time_attach;
    ic->detach = tensix_time_detach;
    object_class_property_add_str(oc, "figures", get_figures, set_figures);
    object_class_property_set_description(oc, "figures",
        "file of figures that replace published ones; empty: none");
}

static const TypeInfo tensix_time_types[] = {
    {
        .name = TYPE_TENSIX_TIME,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .instance_size = sizeof(TensixTime),
        .instance_finalize = tensix_time_finalize,
        .class_init = tensix_time_class_init,
    },
};

DEFINE_TYPES(tensix_time_types)
