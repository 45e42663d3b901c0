/*
 * Who makes an access in a Tensix tile, as state.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_origin.h"
#include "migration/vmstate.h"

bool tensix_actor_valid(const TensixActor *by)
{
    return by->kind < TENSIX_AGENTS && by->hart <= TENSIX_HART_NONE &&
           by->thread < TENSIX_THREADS;
}

const VMStateDescription vmstate_tensix_actor = {
    .name = "tensix-actor",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(event, TensixActor),
        VMSTATE_UINT32(word, TensixActor),
        VMSTATE_UINT32(pc, TensixActor),
        VMSTATE_UINT32(mop_position, TensixActor),
        VMSTATE_UINT8(replay_slot, TensixActor),
        VMSTATE_UINT8(hart, TensixActor),
        VMSTATE_UINT8(thread, TensixActor),
        VMSTATE_UINT8(kind, TensixActor),
        VMSTATE_END_OF_LIST()
    }
};
