/*
 * The tiles that a command of the monitor is for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "hw/tenstorrent/tensix_tiles.h"
#include "tensix_tile_words.h"

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

GPtrArray *tensix_tiles_named(char ***words, Error **errp)
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

TensixCopState *tensix_tile_named(char ***words, Error **errp)
{
    g_autoptr(GPtrArray) tiles = tensix_tiles_named(words, errp);

    if (tiles && tiles->len > 1) {
        error_setg(errp, "the machine has %u tiles: begin with 'tile N', from "
                   "0 on", tiles->len);
        return NULL;
    }
    return tiles ? TENSIX_COP(g_ptr_array_index(tiles, 0)) : NULL;
}
