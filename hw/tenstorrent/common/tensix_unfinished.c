/*
 * What a program has left unfinished: rows of query-tensix-unfinished.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_unfinished.h"
#include "qapi/util.h"

void tensix_unfinished_add(TensixUnfinishedList ***tail,
                           TensixUnfinishedKind kind, const char *fmt, ...)
{
    TensixUnfinished *row = g_new0(TensixUnfinished, 1);
    va_list ap;

    va_start(ap, fmt);
    row->kind = kind;
    row->text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    QAPI_LIST_APPEND(*tail, row);
}

static void list_object(Object *obj, TensixUnfinishedList ***tail)
{
    if (object_dynamic_cast(obj, TYPE_TENSIX_UNFINISHED)) {
        TENSIX_UNFINISHED_GET_CLASS(obj)->list(obj, tail);
    }
}

static int list_device(Object *obj, void *opaque)
{
    if (!object_dynamic_cast(obj, TYPE_TENSIX_INSTRUMENT)) {
        list_object(obj, opaque);
    }
    return 0;
}

/* Instruments that users create are not below their tile. */
void tensix_unfinished_list(Object *tile, TensixUnfinishedList ***tail)
{
    TensixBus *bus = TENSIX_BUS(object_resolve_path_component(tile, "bus"));
    TensixInstrument *i;

    object_child_foreach_recursive(tile, list_device, tail);
    QLIST_FOREACH(i, &bus->instruments, next) {
        list_object(OBJECT(i), tail);
    }
}

static const TypeInfo tensix_unfinished_types[] = {
    {
        .name = TYPE_TENSIX_UNFINISHED,
        .parent = TYPE_INTERFACE,
        .class_size = sizeof(TensixUnfinishedClass),
    },
};

DEFINE_TYPES(tensix_unfinished_types)
