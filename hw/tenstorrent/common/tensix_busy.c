/*
 * Interface "tensix-busy": a device that may have work under way.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_busy.h"

static int add_if_busy_device(Object *obj, void *opaque)
{
    if (object_dynamic_cast(obj, TYPE_TENSIX_BUSY)) {
        g_ptr_array_add(opaque, object_ref(obj));
    }
    return 0;
}

GPtrArray *tensix_busy_devices(Object *root)
{
    GPtrArray *devices = g_ptr_array_new_with_free_func(object_unref);

    add_if_busy_device(root, devices);
    object_child_foreach_recursive(root, add_if_busy_device, devices);
    return devices;
}

bool tensix_busy_any(const GPtrArray *devices)
{
    for (guint i = 0; i < devices->len; i++) {
        Object *obj = g_ptr_array_index(devices, i);

        if (TENSIX_BUSY_GET_CLASS(obj)->busy(obj)) {
            return true;
        }
    }
    return false;
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
