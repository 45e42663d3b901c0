/*
 * How a hart is interrupted.  (OLD PIC.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix_cpu.h"
#include "migration/vmstate.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "../trace.h"

void tensix_hart_enter_handler(TensixHart *hart)
{
    hart->irq.pending = false;
    hart->irq.in_handler = true;
    hart->irq.restore_pc = tensix_hart_env_pc(hart);
    hart->csr.intp_restore_pc = hart->irq.restore_pc;
    qatomic_set(&hart->stall.cause, TENSIX_STALL_NONE);
    tensix_hart_set_env_pc(hart, hart->irq.pc);
    tensix_hart_debug_watch_local(hart);
    trace_tensix_hart_interrupt(tensix_hart_name(hart->id),
                                hart->irq.restore_pc, hart->irq.pc);
    tensix_hart_record(hart, TENSIX_HART_INTERRUPTED, hart->irq.pc);
}

bool tensix_hart_interrupt(TensixHart *hart, uint32_t handler_pc)
{
    if (hart->irq.in_handler || hart->irq.pending || hart->reset.held ||
        hart->pause.paused) {
        return false;
    }
    hart->irq.pending = true;
    hart->irq.pc = handler_pc;
    tensix_hart_queue_work(hart);
    return true;
}

void tensix_hart_irq_ready(TensixHart *hart)
{
    tensix_bus_post(hart->bus, TENSIX_ON_IRQ_READY, hart);
}

const VMStateDescription vmstate_tensix_hart_irq = {
    .name = TYPE_TENSIX_HART "/irq",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(in_handler, TensixHartIrq),
        VMSTATE_BOOL(pending, TensixHartIrq),
        VMSTATE_UINT32(pc, TensixHartIrq),
        VMSTATE_UINT32(restore_pc, TensixHartIrq),
        VMSTATE_END_OF_LIST()
    },
};
