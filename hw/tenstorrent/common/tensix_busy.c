/*
 * Interface "tensix-busy": a device that may have work under way.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_busy.h"

static int ask(Object *obj, void *opaque)
{
    return object_dynamic_cast(obj, TYPE_TENSIX_BUSY) &&
           TENSIX_BUSY_GET_CLASS(obj)->busy(obj);
}

bool tensix_busy(Object *root)
{
    return ask(root, NULL) || object_child_foreach_recursive(root, ask, NULL);
}

Object *tensix_busy_machine(Object *obj)
{
    while (obj->parent && obj->parent != object_get_root()) {
        obj = obj->parent;
    }
    return obj;
}

static const TypeInfo tensix_busy_types[] = {
    {
        .name = TYPE_TENSIX_BUSY,
        .parent = TYPE_INTERFACE,
        .class_size = sizeof(TensixBusyClass),
    },
};

DEFINE_TYPES(tensix_busy_types)
