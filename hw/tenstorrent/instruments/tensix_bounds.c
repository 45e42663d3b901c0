/*
 * Accesses beyond declared buffers, reported: tensix-bounds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_bounds.h
 *
 * Loads and stores of harts arrive without the BQL, which a report of theirs
 * needs; so a finding is made with the lock held and reported without it.
 */

#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "qemu/main-loop.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_cop_observe.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/tensix_unfinished.h"
#include "bounds_internal.h"

/* --- events --- */

/* Debuggers, loaders and hosts may access anything. */
static const bool is_checked[TENSIX_AGENTS] = {
    [TENSIX_BY_INSTRUCTION] = true,
    [TENSIX_BY_NOC] = true,
    [TENSIX_BY_TDMA] = true,
};

static char *check(TensixBounds *b, const BoundsAccess *a)
{
    QEMU_LOCK_GUARD(&b->lock);
    return bounds_check_zones(b, a) ?: bounds_check_pages(b, a);
}

static void l1_accessed(Notifier *n, void *data)
{
    TensixBounds *b = container_of(n, TensixBounds, l1);
    const TensixL1Access *access = data;
    g_autofree char *text = NULL;

    if (!is_checked[access->by->kind] || !bounds_is_near(b, access->address)) {
        return;
    }
    text = check(b, &(BoundsAccess) {
        .by = access->by, .address = access->address, .size = access->size,
        .writes = access->accesses & TENSIX_WATCH_WRITE,
    });
    if (text) {
        tensix_report_by(b->reporter, access->by, TENSIX_BOUNDS, "%s", text);
    }
}

static void dram_accessed(Notifier *n, void *data)
{
    TensixBounds *b = container_of(n, TensixBounds, dram);
    const TensixDramEvent *event = data;
    g_autofree char *text = NULL;

    if (!is_checked[event->by->kind]) {
        return;
    }
    text = check(b, &(BoundsAccess) {
        .by = event->by, .address = event->address, .size = event->size,
        .writes = event->writes, .space = BOUNDS_DRAM + event->bank,
        .noc = event->noc, .id = event->id,
    });
    if (text) {
        tensix_report_by(b->reporter, event->by, TENSIX_BOUNDS, "%s", text);
    }
}

static void check_hart(TensixBounds *b, const TensixLoadStoreEvent *event,
                       const TensixActor *by, bool writes)
{
    g_autofree char *text = check(b, &(BoundsAccess) {
        .by = by, .address = event->address, .size = event->size,
        .writes = writes,
    });

    if (text) {
        BQL_LOCK_GUARD();
        tensix_report_by(b->reporter, by, TENSIX_BOUNDS, "%s", text);
    }
}

static void hart_loads_or_stores(Notifier *n, void *data)
{
    TensixBounds *b = container_of(n, TensixBounds, load_store);
    const TensixLoadStoreEvent *event = data;
    TensixActor by;

    if (!bounds_is_near(b, event->address)) {
        return;
    }
    by = tensix_hart_actor(event->hart, tensix_hart_pc(event->hart, event->ra));
    if (event->loads) {
        check_hart(b, event, &by, false);
    }
    if (event->stores) {
        check_hart(b, event, &by, true);
    }
}

static GArray *findings_new(void)
{
    return g_array_new(false, false, sizeof(BoundsFinding));
}

static void report_all(TensixBounds *b, GArray *findings)
{
    for (unsigned n = 0; n < findings->len; n++) {
        BoundsFinding *f = &g_array_index(findings, BoundsFinding, n);

        tensix_report_by(b->reporter, &f->by, TENSIX_BOUNDS, "%s", f->text);
        g_free(f->text);
    }
}

static void register_accessed(Notifier *n, void *data)
{
    enum { STREAMS = 0xFFB40000, STREAM_BYTES = 0x1000 };
    enum { ACKED = 0x20, RECEIVED = 0x28 };
    TensixBounds *b = container_of(n, TensixBounds, store);
    const TensixRegisterEvent *event = data;
    uint64_t offset = event->address - STREAMS;
    uint32_t reg = offset % STREAM_BYTES;
    g_autoptr(GArray) findings = NULL;

    if (!event->store || offset >= TENSIX_STREAMS * STREAM_BYTES ||
        (reg != ACKED && reg != RECEIVED)) {
        return;
    }
    findings = findings_new();
    WITH_QEMU_LOCK_GUARD(&b->lock) {
        bounds_count_pages(b, offset / STREAM_BYTES, reg == ACKED
                           ? BOUNDS_ACKED : BOUNDS_RECEIVED, event->value,
                           &event->by, findings);
    }
    report_all(b, findings);
}

/* Counters are 0 after a reset and not known in a snapshot. */
static void restart(TensixBounds *b, bool reset)
{
    QEMU_LOCK_GUARD(&b->lock);
    bounds_streams_restart(b);
    bounds_circular_restart(b, reset);
}

static void reset_begins(Notifier *n, void *data)
{
    restart(container_of(n, TensixBounds, reset), true);
}

static void load_begins(Notifier *n, void *data)
{
    restart(container_of(n, TensixBounds, load), false);
}

static const TensixSubscription subscriptions[] = {
    { TENSIX_ON_L1, l1_accessed, offsetof(TensixBounds, l1) },
    { TENSIX_ON_DRAM, dram_accessed, offsetof(TensixBounds, dram) },
    { TENSIX_ON_LOAD_STORE, hart_loads_or_stores,
      offsetof(TensixBounds, load_store) },
    { TENSIX_ON_REGISTER, register_accessed, offsetof(TensixBounds, store) },
    { TENSIX_ON_RESET, reset_begins, offsetof(TensixBounds, reset) },
    { TENSIX_ON_LOAD, load_begins, offsetof(TensixBounds, load) },
    { }
};

/* --- what is left --- */

/* "brisc in main(), brisc.c:14", or which tile's hart it was; to be freed */
static char *latest_text(const TensixBounds *b, const TensixActor *by)
{
    GString *text = g_string_new(NULL);

    if (tensix_actor_is_here(by)) {
        g_autofree char *place = tensix_sources_short_location(
            b->reporter->sources, by->hart, by->pc);

        g_string_printf(text, "%s %s", tensix_hart_names[by->hart], place);
    } else {
        tensix_actor_text(by, text);
    }
    return g_string_free(text, false);
}

static void list_left(Object *obj, TensixUnfinishedList ***tail)
{
    TensixBounds *b = TENSIX_BOUNDS_CHECK(obj);
    g_autoptr(GArray) findings = findings_new();

    WITH_QEMU_LOCK_GUARD(&b->lock) {
        bounds_find_left(b, findings);
    }
    for (unsigned n = 0; n < findings->len; n++) {
        BoundsFinding *f = &g_array_index(findings, BoundsFinding, n);
        g_autofree char *latest = latest_text(b, &f->by);

        tensix_unfinished_add(tail, TENSIX_UNFINISHED_KIND_CIRCULAR_BUFFER,
                              "%s, the latest by %s", f->text, latest);
        g_free(f->text);
    }
}

/* --- life cycle --- */

static void tensix_bounds_attach(TensixInstrument *i)
{
    TensixBounds *b = TENSIX_BOUNDS_CHECK(i);

    b->cop = TENSIX_COP(i->cop);
    b->reporter = tensix_cop_reporter(b->cop);
    tensix_cop_lock(b->cop);
    tensix_bus_subscribe_all(i->bus, subscriptions, b);
    tensix_cop_observe_reads(b->cop, true);
    tensix_cop_release(b->cop);
}

static void tensix_bounds_detach(TensixInstrument *i)
{
    TensixBounds *b = TENSIX_BOUNDS_CHECK(i);

    tensix_cop_lock(b->cop);
    tensix_bus_unsubscribe_all(i->bus, subscriptions, b);
    tensix_cop_observe_reads(b->cop, false);
    tensix_cop_release(b->cop);
}

static void free_buffer(gpointer data)
{
    qapi_free_TensixBuffer(data);
}

static void tensix_bounds_init(Object *obj)
{
    TensixBounds *b = TENSIX_BOUNDS_CHECK(obj);

    qemu_mutex_init(&b->lock);
    b->buffers = g_ptr_array_new_with_free_func(free_buffer);
    bounds_streams_init(b);
}

static void tensix_bounds_finalize(Object *obj)
{
    TensixBounds *b = TENSIX_BOUNDS_CHECK(obj);

    bounds_streams_finish(b);
    bounds_circular_restart(b, false);
    g_ptr_array_unref(b->buffers);
    qemu_mutex_destroy(&b->lock);
}

static void tensix_bounds_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    TENSIX_UNFINISHED_CLASS(oc)->list = list_left;
    ic->attach = tensix_bounds_attach;
    ic->detach = tensix_bounds_detach;
}

static const TypeInfo tensix_bounds_types[] = {
    {
        .name = TYPE_TENSIX_BOUNDS_CHECK,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .instance_size = sizeof(TensixBounds),
        .instance_init = tensix_bounds_init,
        .instance_finalize = tensix_bounds_finalize,
        .class_init = tensix_bounds_class_init,
        .interfaces = TENSIX_UNFINISHED_INTERFACES,
    },
};

DEFINE_TYPES(tensix_bounds_types)
