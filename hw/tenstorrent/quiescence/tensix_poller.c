/*
 * Polls a tile for as long as something in it may come to an end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/timer.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_busy.h"
#include "hw/tenstorrent/tensix_poller.h"
#include "migration/vmstate.h"
#include "qom/object_interfaces.h"
#include "system/qtest.h"
#include "system/reset.h"
#include "system/runstate.h"

bool tensix_poller_has_axis(void *poller)
{
    const TensixPoller *p = poller;

    return tensix_axis_has(tensix_cop_hart(p->cop, 0));
}

/* The poller of the first tile is attached before the others exist. */
static GPtrArray *find_devices(const TensixPoller *p)
{
    Object *tile = TENSIX_INSTRUMENT(p)->tile;

    return tensix_busy_devices(TENSIX_POLLER_GET_CLASS(p)->of_machine
                               ? tensix_busy_machine(tile) : tile);
}

bool tensix_poller_finds_busy(TensixPoller *p)
{
    p->devices = p->devices ?: find_devices(p);
    return tensix_busy_any(p->devices);
}

uint64_t tensix_poller_executed(const TensixPoller *p)
{
    uint64_t executed = 0;

    for (int u = 0; u < TENSIX_UNITS; u++) {
        executed += tensix_cop_state(p->cop)->executed[u];
    }
    return executed;
}

void tensix_poller_begin(TensixPoller *p, int64_t ns)
{
    if (!timer_pending(p->timer) &&
        (runstate_is_running() || !tensix_poller_has_axis(p))) {
        timer_mod(p->timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + ns);
    }
}

static void poll(void *opaque)
{
    TensixPoller *p = opaque;
    int64_t ns = TENSIX_POLLER_GET_CLASS(p)->poll(p);

    if (ns) {
        tensix_poller_begin(p, ns);
    }
}

static void event_happened(Notifier *n, void *data)
{
    TensixPoller *p = container_of(n, TensixPoller, event);

    p->begin(p);
}

/* What waited before a stop, or in a state that was loaded, still does. */
static void vm_state_changed(void *opaque, bool running, RunState state)
{
    TensixPoller *p = opaque;
    TensixPollerClass *pc = TENSIX_POLLER_GET_CLASS(p);

    if (running && pc->resumed) {
        pc->resumed(p);
    }
    if (running && !tensix_poller_has_axis(p)) {
        pc->begin(p);
    }
}

/* --- attached or not --- */

/* What waits already when it is created at run time posts nothing more. */
static void start(TensixPoller *p)
{
    TensixPollerClass *pc = TENSIX_POLLER_GET_CLASS(p);

    p->vm_state = qemu_add_vm_change_state_handler(vm_state_changed, p);
    p->begin = pc->begin;
    p->event.notify = event_happened;
    tensix_bus_subscribe(tensix_cop_bus(p->cop), pc->event, &p->event);
    pc->start(p);
    if (runstate_is_running()) {
        pc->begin(p);
    }
}

static void stop(TensixPoller *p)
{
    TensixPollerClass *pc = TENSIX_POLLER_GET_CLASS(p);

    pc->stop(p);
    tensix_bus_unsubscribe(tensix_cop_bus(p->cop), pc->event, &p->event);
    qemu_del_vm_change_state_handler(p->vm_state);
}

static void tensix_poller_attach(TensixInstrument *i)
{
    TensixPoller *p = TENSIX_POLLER(i);

    p->cop = TENSIX_COP(i->cop);
    p->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, poll, p);
    vmstate_register(NULL, object_property_get_uint(i->tile, "number",
                                                    &error_abort),
                     TENSIX_POLLER_GET_CLASS(p)->vmsd, p);
    qemu_register_resettable(OBJECT(p));
    /* snapshots with the sections in another order would not be the same */
    tensix_axis_input(tensix_cop_hart(p->cop, 0), "an instrument was created");
    if (!qtest_enabled()) {
        start(p);
    }
}

static void tensix_poller_detach(TensixInstrument *i)
{
    TensixPoller *p = TENSIX_POLLER(i);

    if (!qtest_enabled()) {
        stop(p);
    }
    qemu_unregister_resettable(OBJECT(p));
    vmstate_unregister(NULL, TENSIX_POLLER_GET_CLASS(p)->vmsd, p);
    timer_free(p->timer);
    g_clear_pointer(&p->devices, g_ptr_array_unref);
}

static bool tensix_poller_can_be_deleted(UserCreatable *uc)
{
    return !TENSIX_INSTRUMENT(uc)->attached ||
           !tensix_poller_has_axis(TENSIX_POLLER(uc));
}

/* --- type --- */

static ResettableState *get_reset_state(Object *obj)
{
    return &TENSIX_POLLER(obj)->reset;
}

static void tensix_poller_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    ic->attach = tensix_poller_attach;
    ic->detach = tensix_poller_detach;
    USER_CREATABLE_CLASS(oc)->can_be_deleted = tensix_poller_can_be_deleted;
    RESETTABLE_CLASS(oc)->get_state = get_reset_state;
}

static const TypeInfo tensix_poller_types[] = {
    {
        .name = TYPE_TENSIX_POLLER,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .abstract = true,
        .instance_size = sizeof(TensixPoller),
        .class_size = sizeof(TensixPollerClass),
        .class_init = tensix_poller_class_init,
        .interfaces = (InterfaceInfo *)(const InterfaceInfo[]) {
            { TYPE_RESETTABLE_INTERFACE }, { }
        },
    },
};

DEFINE_TYPES(tensix_poller_types)
