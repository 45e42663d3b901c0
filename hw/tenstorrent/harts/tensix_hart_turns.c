/*
 * A hart's turns, as state: on an axis (tensix_axis.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix_cpu.h"
#include "hw/tenstorrent/tensix_axis.h"
#include "migration/vmstate.h"

static bool turns_needed(void *opaque)
{
    return tensix_axis_has(opaque);
}

static int turns_pre_save(void *opaque)
{
    TensixHart *hart = opaque;

    hart->turn.wrote = riscv_tensix_cpu(cpu_env(hart->cpu))->wrote;
    return 0;
}

static int turns_post_load(void *opaque, int version_id)
{
    TensixHart *hart = opaque;

    riscv_tensix_cpu(cpu_env(hart->cpu))->wrote = hart->turn.wrote;
    return 0;
}

/* Of TensixHart; any value is one that could have been. */
const VMStateDescription vmstate_tensix_hart_turns = {
    .name = TYPE_TENSIX_HART "/turn",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = turns_needed,
    .pre_save = turns_pre_save,
    .post_load = turns_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(turn.only_waited, TensixHart),
        VMSTATE_BOOL(turn.turn_given, TensixHart),
        VMSTATE_BOOL(turn.waited_in_loop, TensixHart),
        VMSTATE_BOOL(turn.wrote, TensixHart),
        VMSTATE_UINT64(turn.polled, TensixHart),
        VMSTATE_UINT32(turn.polled_value, TensixHart),
        VMSTATE_INT64(turn.last, TensixHart),
        VMSTATE_END_OF_LIST()
    },
};
