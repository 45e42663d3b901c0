/*
 * How an estimated clock came to what it shows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/madvise.h"
#include "hw/tenstorrent/tensix_time_path.h"

enum { RING_BYTES = TENSIX_PATH_LINKS * sizeof(TensixKeptLink) };

QEMU_BUILD_BUG_ON(TENSIX_PATH_AGENTS > UINT8_MAX);

/* Pages that cost nothing until they are used, large ones if the host has any. */
void tensix_time_path_init(TensixTimePath *path)
{
    path->ring = qemu_anon_ram_alloc(RING_BYTES, NULL, false, false);
    g_assert(path->ring);
    qemu_madvise(path->ring, RING_BYTES, QEMU_MADV_HUGEPAGE);
}

void tensix_time_path_free(TensixTimePath *path)
{
    if (path->ring) {
        qemu_anon_ram_free(path->ring, RING_BYTES);
    }
}

/* Less than 1 << 48 cycles before the stamp, whose link it is. */
static uint64_t since_of(const TensixKeptLink *link, TensixStamp stamp)
{
    const uint64_t kept = link->since >> TENSIX_KEPT_BY_BITS;

    return stamp.at - ((stamp.at - kept) & UINT64_MAX >> TENSIX_KEPT_BY_BITS);
}

bool tensix_time_path_back(const TensixTimePath *path, TensixStamp *stamp,
                           TensixPathLink *link)
{
    const TensixKeptLink *kept = tensix_time_path_link(path, stamp->link);

    if (!kept) {
        return false;
    }
    *link = (TensixPathLink) {
        .since = since_of(kept, *stamp),
        .work = { (uint8_t)(kept->since >> 8), (uint8_t)kept->since, kept->pc },
    };
    if (kept->back != UINT32_MAX) {
        link->before = stamp->link - kept->back;
    }
    *stamp = (TensixStamp) { link->since, link->before };
    return true;
}
