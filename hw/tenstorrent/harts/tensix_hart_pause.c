/*
 * How a hart is paused, as by a breakpoint of the hardware.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "exec/gdbstub.h"
#include "tensix_cpu.h"
#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_count.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "migration/vmstate.h"
#include "system/runstate.h"
#include "../trace.h"

static void stop_in_gdb(TensixHart *hart)
{
    if (gdb_attached_to_cpu(hart->cpu)) {
        hart->pause.gdb_knows = true;
        if (hart->reporter->again == TENSIX_REPORT_SEARCH) {
            return;
        }
        gdb_set_stop_cpu(hart->cpu);
        tensix_axis_await_stop(hart);
        qemu_system_debug_request();
    }
}

void tensix_hart_pause(TensixHart *hart)
{
    trace_tensix_hart_pause(tensix_hart_name(hart->id),
                            tensix_hart_env_pc(hart));
    hart->pause.pc = tensix_hart_env_pc(hart);
    tensix_hart_record(hart, TENSIX_HART_PAUSES, hart->pause.pc);
    qatomic_set(&hart->pause.paused, true);
    tensix_hart_end_count(hart);
    tensix_hart_post_idle(hart);
    cpu_interrupt(hart->cpu, CPU_INTERRUPT_HALT);
    stop_in_gdb(hart);
}

void tensix_hart_resume(TensixHart *hart)
{
    hart->pause.gdb_knows = false;
    tensix_hart_record(hart, TENSIX_HART_RESUMES, tensix_hart_env_pc(hart));
    tensix_hart_debug_discard(hart);
    qatomic_set(&hart->pause.paused, false);
    tensix_hart_irq_ready(hart);
    qemu_cpu_kick(hart->cpu);
}

/*
 * If the pause was reported to gdb, or gdb moved the pc, then gdb resumes the
 * hart when it resumes the machine, by continuing or by detaching.  A hart
 * halted by the debug interface is not gdb's to resume.
 */
void tensix_hart_vm_state_changed(void *opaque, bool running, RunState state)
{
    TensixHart *hart = opaque;

    if (!running) {
        return;
    }
    tensix_hart_debug_vm_runs(hart);
    if (hart->pause.paused && !hart->debug.halted &&
        (hart->pause.gdb_knows || tensix_hart_env_pc(hart) != hart->pause.pc)) {
        tensix_hart_resume(hart);
    }
}

bool tensix_hart_is_paused(const TensixHart *hart)
{
    return hart->pause.paused;
}

uint32_t tensix_hart_paused_pc(const TensixHart *hart)
{
    return hart->pause.pc;
}

const VMStateDescription vmstate_tensix_hart_pause = {
    .name = TYPE_TENSIX_HART "/pause",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(paused, TensixHartPause),
        VMSTATE_BOOL(gdb_knows, TensixHartPause),
        VMSTATE_UINT32(pc, TensixHartPause),
        VMSTATE_END_OF_LIST()
    },
};
