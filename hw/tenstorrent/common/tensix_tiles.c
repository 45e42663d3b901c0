/*
 * The Tensix tiles of the machine.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_tiles.h"

/* A tile is the parent of a coprocessor. */
#define TYPE_OF_A_TILE_S_CHILD "tensix-cop"

static uint64_t number_of(Object *cop)
{
    return object_property_get_uint(cop->parent, "number", NULL);
}

static gint by_number(gconstpointer a, gconstpointer b)
{
    Object *const *x = a, *const *y = b;

    return (int)number_of(*x) - (int)number_of(*y);
}

static int add_if_tile(Object *obj, void *opaque)
{
    if (object_dynamic_cast(obj, TYPE_OF_A_TILE_S_CHILD)) {
        g_ptr_array_add(opaque, obj);
    }
    return 0;
}

GPtrArray *tensix_tiles_below(Object *root)
{
    GPtrArray *tiles = g_ptr_array_new();

    if (root) {
        add_if_tile(root, tiles);
        object_child_foreach_recursive(root, add_if_tile, tiles);
    }
    g_ptr_array_sort(tiles, by_number);
    return tiles;
}
