/*
 * How an estimated clock came to what it shows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_time_path.h"

void tensix_time_path_init(TensixTimePath *path)
{
    path->ring = g_new0(TensixPathLink, TENSIX_PATH_LINKS);
}

void tensix_time_path_free(TensixTimePath *path)
{
    g_free(path->ring);
}

bool tensix_time_path_back(const TensixTimePath *path, TensixStamp *stamp,
                           TensixPathLink *link)
{
    const TensixPathLink *found = tensix_time_path_link(path, stamp->link);

    if (!found) {
        return false;
    }
    *link = *found;
    *stamp = (TensixStamp) { found->since, found->before };
    return true;
}
