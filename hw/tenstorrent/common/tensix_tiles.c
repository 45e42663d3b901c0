/*
 * The Tensix tiles of the machine.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_tiles.h"

static uint64_t number_of(Object *cop)
{
    return object_property_get_uint(cop->parent, "number", NULL);
}

static gint by_number(gconstpointer a, gconstpointer b)
{
    Object *const *x = a, *const *y = b;

    return (int)number_of(*x) - (int)number_of(*y);
}

/* Nowhere else are tiles: a walk of all objects takes longer than a query. */
static bool may_have_tiles(Object *obj)
{
    return object_dynamic_cast(obj, TYPE_CONTAINER) ||
           object_dynamic_cast(obj, "machine") ||
           object_dynamic_cast(obj, "tensix-tile");
}

static int add_tiles(Object *obj, void *tiles)
{
    if (object_dynamic_cast(obj, "tensix-cop")) {
        g_ptr_array_add(tiles, obj);
    } else if (may_have_tiles(obj)) {
        object_child_foreach(obj, add_tiles, tiles);
    }
    return 0;
}

GPtrArray *tensix_tiles_below(Object *root)
{
    GPtrArray *tiles = g_ptr_array_new();

    if (root) {
        add_tiles(root, tiles);
    }
    g_ptr_array_sort(tiles, by_number);
    return tiles;
}
