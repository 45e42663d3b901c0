/*
 * How a hart is stalled and woken.  The only file that leaves generated code in
 * the middle of a device's access.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "accel/tcg/cpu-ops.h"
#include "hw/tenstorrent/qemu_compat_tcg.h"
#include "tensix_cpu.h"
#include "hw/tenstorrent/tensix_count.h"
#include "hw/tenstorrent/tensix_tally.h"
#include "hw/tenstorrent/tensix_turns.h"
#include "migration/vmstate.h"
#include "../trace.h"

static const char *const stall_names[TENSIX_STALL_CAUSES] = {
    [TENSIX_STALL_NONE] = "none",
    [TENSIX_STALL_PUSH_FIFO] = "push FIFO full",
    [TENSIX_STALL_PCBUF_FULL] = "PCBuf full",
    [TENSIX_STALL_PCBUF_EMPTY] = "PCBuf empty",
    [TENSIX_STALL_PCBUF_BARRIER] = "PCBuf barrier",
    [TENSIX_STALL_COP_DONE] = "CoprocessorDoneCheck",
    [TENSIX_STALL_MOP_DONE] = "MOPExpanderDoneCheck",
    [TENSIX_STALL_MAILBOX_FULL] = "mailbox full",
    [TENSIX_STALL_MAILBOX_EMPTY] = "mailbox empty",
    [TENSIX_STALL_TTSYNC] = "Auto TTSync",
};

const char *tensix_stall_name(unsigned why)
{
    return why < TENSIX_STALL_CAUSES ? stall_names[why] : "unknown";
}

void tensix_hart_record(TensixHart *hart, TensixHartTurn turn, uint32_t pc)
{
    tensix_bus_post(hart->bus, TENSIX_ON_TURN, &(TensixTurnEvent) {
        hart, turn, hart->stall.cause, hart->stall.detail, pc
    });
}

void tensix_hart_stall(TensixHart *hart, TensixStall why, uint32_t detail,
                       uintptr_t ra)
{
    CPUState *cs = hart->cpu;
    uint32_t pc = tensix_hart_pc(hart, ra);

    trace_tensix_hart_stall(tensix_hart_name(hart->id), stall_names[why],
                            detail);
    hart->stall.detail = detail;
    qatomic_set(&hart->stall.cause, why);
    tensix_hart_record(hart, TENSIX_HART_STALLS, pc);
    tensix_hart_untally(hart, pc);
    tensix_bus_post(hart->bus, TENSIX_ON_WAIT, NULL);
    tensix_hart_post_idle(hart);
    tensix_hart_end_count(hart);
    cs->halted = 1;
    cs->exception_index = EXCP_HLT;
    cpu_loop_exit_restore(cs, ra ?: cs->mem_io_pc);
}

/* The round-robin thread reaches every hart, but not at once. */
static void kick(TensixHart *hart)
{
    if (mttcg_enabled()) {
        tensix_turns_wake(hart);
    } else if (!qemu_cpu_is_self(hart->cpu)) {
        qemu_cpu_kick(hart->cpu);
    } else {
        tcg_rr_cpu_ready();
    }
}

void tensix_hart_wake_slow(TensixHart *hart)
{
    trace_tensix_hart_wake(tensix_hart_name(hart->id),
                           stall_names[hart->stall.cause]);
    tensix_hart_record(hart, TENSIX_HART_WAKES, tensix_hart_env_pc(hart));
    qatomic_set(&hart->stall.cause, TENSIX_STALL_NONE);
    kick(hart);
}

/* Incoming state is not trusted. */
static int stall_post_load(void *opaque, int version_id)
{
    const TensixHartStall *stall = opaque;

    return stall->cause < TENSIX_STALL_CAUSES ? 0 : -EINVAL;
}

const VMStateDescription vmstate_tensix_hart_stall = {
    .name = TYPE_TENSIX_HART "/stall",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = stall_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(cause, TensixHartStall),
        VMSTATE_UINT32(detail, TensixHartStall),
        VMSTATE_END_OF_LIST()
    },
};
