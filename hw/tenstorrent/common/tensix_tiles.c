/*
 * The Tensix tiles of the machine.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_tiles.h"

/* Coprocessors that exist: a walk of all objects would take longer than a query. */
static GSList *cops;

static uint64_t number_of(Object *cop)
{
    return object_property_get_uint(cop->parent, "number", NULL);
}

static gint by_number(gconstpointer a, gconstpointer b)
{
    Object *const *x = a, *const *y = b;

    return (int)number_of(*x) - (int)number_of(*y);
}

void tensix_tiles_add(Object *cop)
{
    cops = g_slist_prepend(cops, cop);
}

void tensix_tiles_remove(Object *cop)
{
    cops = g_slist_remove(cops, cop);
}

static bool is_below(const Object *obj, const Object *root)
{
    while (obj && obj != root) {
        obj = obj->parent;
    }
    return obj;
}

GPtrArray *tensix_tiles_below(Object *root)
{
    GPtrArray *tiles = g_ptr_array_new();

    for (GSList *cop = cops; cop; cop = cop->next) {
        if (is_below(cop->data, root)) {
            g_ptr_array_add(tiles, cop->data);
        }
    }
    g_ptr_array_sort(tiles, by_number);
    return tiles;
}
