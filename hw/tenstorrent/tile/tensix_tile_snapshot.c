/*
 * A Tensix tile: the format of its snapshots.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Docs: docs/snapshots.rst
 *
 * The devices' VMState is the format; this is its number.  It is the first
 * section that is loaded, so that another number is the error, and not what
 * comes of reading one layout as another.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "hw/tenstorrent/tensix_tile.h"
#include "migration/vmstate.h"

/*
 * Goes up with each change that older snapshots do not survive.  Additions
 * can be subsections and keep it.
 */
enum { SNAPSHOT_FORMAT = 1 };

static int save_format(void *opaque)
{
    TensixTile *tile = opaque;

    tile->snapshot_format = SNAPSHOT_FORMAT;
    return 0;
}

static int check_format(void *opaque, int version_id)
{
    TensixTile *tile = opaque;

    if (tile->snapshot_format != SNAPSHOT_FORMAT) {
        error_report("blackhole-tile: the snapshot has format %" PRIu32
                     "; this emulator loads format %d", tile->snapshot_format,
                     SNAPSHOT_FORMAT);
        return -EINVAL;
    }
    return 0;
}

const VMStateDescription vmstate_tensix_tile = {
    .name = "tensix-tile",
    .version_id = 1,
    .minimum_version_id = 1,
    .priority = MIG_PRI_MAX,
    .pre_save = save_format,
    .post_load = check_format,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(snapshot_format, TensixTile),
        VMSTATE_END_OF_LIST()
    },
};
