/*
 * The Tensix tiles of the machine.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_TILES_H
#define HW_TENSTORRENT_TENSIX_TILES_H

#include "qom/object.h"

/*
 * The coprocessors of a tile, a machine or a container, each the child "cop" of
 * its tile, in the order of their tiles; none of NULL.  To be freed with
 * g_ptr_array_unref().
 */
GPtrArray *tensix_tiles_below(Object *root);

#endif
