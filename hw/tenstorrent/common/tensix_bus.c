/*
 * The event bus of a tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_bus.h"
#include "qemu/module.h"

void tensix_bus_subscribe(TensixBus *bus, TensixBusEvent event, Notifier *n)
{
    bool had_listener = tensix_bus_has_listener(bus, event);

    notifier_list_add(&bus->subscribers[event], n);
    if (!had_listener) {
        notifier_list_notify(&bus->first_listener, &event);
    }
}

void tensix_bus_unsubscribe(TensixBus *bus, TensixBusEvent event, Notifier *n)
{
    notifier_remove(n);
    if (!tensix_bus_has_listener(bus, event)) {
        notifier_list_notify(&bus->first_listener, &event);
    }
}

static Notifier *notifier_of(const TensixSubscription *row, void *subscriber)
{
    return (Notifier *)((char *)subscriber + row->notifier);
}

void tensix_bus_subscribe_all(TensixBus *bus, const TensixSubscription *rows,
                              void *subscriber)
{
    for (; rows->handler; rows++) {
        Notifier *n = notifier_of(rows, subscriber);

        n->notify = rows->handler;
        tensix_bus_subscribe(bus, rows->event, n);
    }
}

void tensix_bus_unsubscribe_all(TensixBus *bus, const TensixSubscription *rows,
                                void *subscriber)
{
    for (; rows->handler; rows++) {
        tensix_bus_unsubscribe(bus, rows->event, notifier_of(rows, subscriber));
    }
}

void tensix_bus_on_listener(TensixBus *bus, Notifier *n)
{
    notifier_list_add(&bus->first_listener, n);
}

static void tensix_bus_init(Object *obj)
{
    notifier_list_init(&TENSIX_BUS(obj)->first_listener);
    QLIST_INIT(&TENSIX_BUS(obj)->instruments);
    for (unsigned i = 0; i < TENSIX_BUS_EVENTS; i++) {
        notifier_list_init(&TENSIX_BUS(obj)->subscribers[i]);
    }
}

static const TypeInfo tensix_bus_types[] = {
    {
        .name = TYPE_TENSIX_BUS,
        .parent = TYPE_OBJECT,
        .instance_size = sizeof(TensixBus),
        .instance_init = tensix_bus_init,
    },
};

DEFINE_TYPES(tensix_bus_types)
