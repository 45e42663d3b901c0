/*
 * How an estimated clock came to what it shows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_time_path.h"

enum { LINKS = 1 << 20 };          /* that are kept */

void tensix_time_path_init(TensixTimePath *path)
{
    path->ring = g_new0(TensixPathLink, LINKS);
}

void tensix_time_path_free(TensixTimePath *path)
{
    g_free(path->ring);
}

/* NULL: none, or it is kept no longer. */
static TensixPathLink *link_of(const TensixTimePath *path, uint64_t n)
{
    return n && path->count - n < LINKS ? &path->ring[n % LINKS] : NULL;
}

static bool is_same_work(TensixPathWork a, TensixPathWork b)
{
    return a.agent == b.agent && a.hart == b.hart && a.pc == b.pc;
}

TensixStamp tensix_time_path_work(TensixTimePath *path, TensixStamp stamp,
                                  TensixPathWork work)
{
    const TensixPathLink *link = link_of(path, stamp.link);

    if (link && is_same_work(link->work, work)) {
        return stamp;
    }
    path->ring[++path->count % LINKS] = (TensixPathLink) {
        .since = stamp.at, .before = stamp.link, .work = work,
    };
    return (TensixStamp) { stamp.at, path->count };
}

bool tensix_time_path_back(const TensixTimePath *path, TensixStamp *stamp,
                           TensixPathLink *link)
{
    const TensixPathLink *found = link_of(path, stamp->link);

    if (!found) {
        return false;
    }
    *link = *found;
    *stamp = (TensixStamp) { found->since, found->before };
    return true;
}
