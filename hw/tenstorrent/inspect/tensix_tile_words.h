/*
 * The tiles that a command of the monitor is for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_TILE_WORDS_H
#define HW_TENSTORRENT_TENSIX_TILE_WORDS_H

#include "hw/tenstorrent/tensix_cop.h"

/*
 * The coprocessors of the tiles that a command of the monitor is for, in order:
 * all of them, or the one selected by a leading "tile N", which *words is moved
 * past.  To be freed with g_ptr_array_unref().  NULL and errp set: there is no
 * such tile, or none at all.
 */
GPtrArray *tensix_tiles_named(char ***words, Error **errp);

/* The same for a command that is for one tile; several are an error. */
TensixCopState *tensix_tile_named(char ***words, Error **errp);

#endif
