/*
 * What a program has left unfinished: rows of query-tensix-unfinished.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
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

static int list_device(Object *obj, void *opaque)
{
    if (object_dynamic_cast(obj, TYPE_TENSIX_UNFINISHED)) {
        TENSIX_UNFINISHED_GET_CLASS(obj)->list(obj, opaque);
    }
    return 0;
}

void tensix_unfinished_list(Object *root, TensixUnfinishedList ***tail)
{
    object_child_foreach_recursive(root, list_device, tail);
}

static const TypeInfo tensix_unfinished_types[] = {
    {
        .name = TYPE_TENSIX_UNFINISHED,
        .parent = TYPE_INTERFACE,
        .class_size = sizeof(TensixUnfinishedClass),
    },
};

DEFINE_TYPES(tensix_unfinished_types)
