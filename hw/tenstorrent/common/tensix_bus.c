/*
 * The event bus of a tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_bus.h"
#include "qemu/module.h"

static void tensix_bus_init(Object *obj)
{
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
