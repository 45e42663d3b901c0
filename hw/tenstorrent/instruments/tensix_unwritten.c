/*
 * Reads of what was never written since reset, reported: tensix-unwritten.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + -object tensix-unwritten,id=ID[,tile=PATH]
 *
 * The core keeps account of what instructions read and write (observe.h), and
 * L1's events have the other agents; harts' loads and stores are seen by a
 * watchpoint over all of L1 that never fires.  An object that is created at run
 * time reports from the next reset on: what was written before it came is not
 * known.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_cop_observe.h"
#include "hw/tenstorrent/tensix_unwritten.h"

enum { MARK_BYTES = TENSIX_L1_SIZE / 8 };

OBJECT_DECLARE_SIMPLE_TYPE(TensixUnwrittenReporter, TENSIX_UNWRITTEN_REPORTER)

struct TensixUnwrittenReporter {
    TensixInstrument parent_obj;

    TensixCopState *cop;
    TensixReporter *reporter;
    TensixUnwritten marks;         /* the observer's while attached */
    Notifier l1, load_store, reset, load;
};

/* --- L1 --- */

/* Out of translated code, mostly without the BQL. */
static void report_load(TensixHart *hart, TensixBytes bytes, uintptr_t ra)
{
    char text[TENSIX_UNWRITTEN_TEXT];

    BQL_LOCK_GUARD();
    tensix_unwritten_l1_text(text, bytes);
    tensix_report_hart(hart, TENSIX_UNWRITTEN, tensix_hart_pc(hart, ra), "%s",
                       text);
}

static void hart_loads_or_stores(Notifier *n, void *data)
{
    TensixUnwrittenReporter *u = container_of(n, TensixUnwrittenReporter,
                                              load_store);
    const TensixLoadStoreEvent *event = data;
    TensixBytes bytes = { 0 };

    if (event->loads) {
        bytes = tensix_unwritten_l1_read(&u->marks, event->address, event->size);
    }
    if (event->stores) {
        tensix_unwritten_l1_written(&u->marks, event->address, event->size);
    }
    if (bytes.count) {
        report_load(event->hart, bytes, event->ra);
    }
}

/* Of agents, only the NoC: a host may read anything, as debuggers may. */
static void report_read(TensixUnwrittenReporter *u, const TensixL1Access *access)
{
    char text[TENSIX_UNWRITTEN_TEXT];
    TensixBytes bytes = tensix_unwritten_l1_read(&u->marks, access->address,
                                                 access->size);

    if (bytes.count) {
        tensix_unwritten_l1_text(text, bytes);
        tensix_report_by(u->reporter, access->by, TENSIX_UNWRITTEN,
                         "the NoC %s", text);
    }
}

static void l1_is_accessed(Notifier *n, void *data)
{
    TensixUnwrittenReporter *u = container_of(n, TensixUnwrittenReporter, l1);
    const TensixL1Access *access = data;

    if (access->accesses & TENSIX_WATCH_WRITE) {
        tensix_unwritten_l1_written(&u->marks, access->address, access->size);
    } else if (access->by->kind == TENSIX_BY_NOC) {
        report_read(u, access);
    }
}

/* --- life cycle --- */

static void reset_begins(Notifier *n, void *data)
{
    tensix_unwritten_reset(
        &container_of(n, TensixUnwrittenReporter, reset)->marks);
}

/* A machine without marks does not know what had been written. */
static void load_begins(Notifier *n, void *data)
{
    tensix_unwritten_clear(
        &container_of(n, TensixUnwrittenReporter, load)->marks);
}

static const TensixSubscription subscriptions[] = {
    { TENSIX_ON_L1, l1_is_accessed, offsetof(TensixUnwrittenReporter, l1) },
    { TENSIX_ON_LOAD_STORE, hart_loads_or_stores,
      offsetof(TensixUnwrittenReporter, load_store) },
    { TENSIX_ON_RESET, reset_begins, offsetof(TensixUnwrittenReporter, reset) },
    { TENSIX_ON_LOAD, load_begins, offsetof(TensixUnwrittenReporter, load) },
    { }
};

static void tensix_unwritten_attach(TensixInstrument *i)
{
    TensixUnwrittenReporter *u = TENSIX_UNWRITTEN_REPORTER(i);

    u->cop = TENSIX_COP(i->cop);
    u->reporter = tensix_cop_reporter(u->cop);
    u->marks.l1_size = TENSIX_L1_SIZE;
    u->marks.l1 = g_malloc0(MARK_BYTES);
    tensix_cop_lock(u->cop);
    tensix_cop_observer(u->cop)->unwritten = &u->marks;
    tensix_bus_subscribe_all(i->bus, subscriptions, u);
    tensix_cop_choose_observer(u->cop);
    tensix_cop_release(u->cop);
}

static void tensix_unwritten_detach(TensixInstrument *i)
{
    TensixUnwrittenReporter *u = TENSIX_UNWRITTEN_REPORTER(i);

    tensix_cop_lock(u->cop);
    tensix_bus_unsubscribe_all(i->bus, subscriptions, u);
    tensix_cop_observer(u->cop)->unwritten = NULL;
    tensix_cop_choose_observer(u->cop);
    tensix_cop_release(u->cop);
    g_free(u->marks.l1);
    u->marks.l1 = NULL;
}

static void tensix_unwritten_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    ic->attach = tensix_unwritten_attach;
    ic->detach = tensix_unwritten_detach;
}

static const TypeInfo tensix_unwritten_types[] = {
    {
        .name = TYPE_TENSIX_UNWRITTEN_REPORTER,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .instance_size = sizeof(TensixUnwrittenReporter),
        .class_init = tensix_unwritten_class_init,
    },
};

DEFINE_TYPES(tensix_unwritten_types)
