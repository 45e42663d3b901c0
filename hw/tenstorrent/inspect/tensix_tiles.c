/*
 * The tiles of the machine, for commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "tensix_tiles.h"

static uint32_t number_of(const TensixCopState *cop)
{
    return tensix_cop_hart(cop, 0)->tile_number;
}

static gint by_number(gconstpointer a, gconstpointer b)
{
    const TensixCopState *const *x = a, *const *y = b;

    return (int)number_of(*x) - (int)number_of(*y);
}

static int add_if_tile(Object *obj, void *opaque)
{
    if (object_dynamic_cast(obj, TYPE_TENSIX_COP)) {
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

/* "tile N" */
static bool keep_one(GPtrArray *tiles, const char *number, Error **errp)
{
    unsigned int n;

    if (!number || qemu_strtoui(number, NULL, 0, &n) || n >= tiles->len) {
        error_setg(errp, "there is no tile '%s': the machine has %u",
                   number ?: "", tiles->len);
        return false;
    }
    g_ptr_array_set_size(tiles, n + 1);
    g_ptr_array_remove_range(tiles, 0, n);
    return true;
}

GPtrArray *tensix_tiles_wanted(char ***words, Error **errp)
{
    g_autoptr(GPtrArray) tiles = tensix_tiles_below(object_get_root());

    if (!tiles->len) {
        error_setg(errp, "this machine has no Tensix tile");
        return NULL;
    }
    if (!g_strcmp0(**words, "tile")) {
        if (!keep_one(tiles, (*words)[1], errp)) {
            return NULL;
        }
        *words += 2;
    }
    return g_steal_pointer(&tiles);
}

TensixCopState *tensix_tile_wanted(char ***words, Error **errp)
{
    g_autoptr(GPtrArray) tiles = tensix_tiles_wanted(words, errp);

    if (tiles && tiles->len > 1) {
        error_setg(errp, "the machine has %u tiles: begin with 'tile N', from "
                   "0 on", tiles->len);
        return NULL;
    }
    return tiles ? g_ptr_array_index(tiles, 0) : NULL;
}
