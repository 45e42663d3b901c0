/*
 * Soft reset of a hart.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix_cpu.h"
#include "hw/tenstorrent/tensix_count.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "hw/tenstorrent/tensix_turns.h"
#include "migration/vmstate.h"
#include "../trace.h"

void tensix_hart_restart(TensixHart *hart)
{
    hart->reset.restart = false;
    hart->reset.boot_pc = hart->reset.pc;
    qatomic_set(&hart->stall.cause, TENSIX_STALL_NONE);
    tensix_once_forget(&hart->unaligned);
    cpu_reset(hart->cpu);
    trace_tensix_hart_start(tensix_hart_name(hart->id), hart->reset.boot_pc);
    tensix_hart_record(hart, TENSIX_HART_STARTS, hart->reset.boot_pc);
}

static void clear_local_ram(TensixHart *hart)
{
    MemoryRegion *ram = &hart->local_ram;

    memset(memory_region_get_ram_ptr(ram), 0, memory_region_size(ram));
    memory_region_set_dirty(ram, 0, memory_region_size(ram));
}

static void hold(TensixHart *hart)
{
    hart->irq.in_handler = false;
    hart->irq.pending = false;
    hart->pause.paused = false;
    hart->pause.gdb_knows = false;
    tensix_hart_debug_discard(hart);
    qatomic_set(&hart->stall.cause, TENSIX_STALL_NONE);
    tensix_hart_end_count(hart);
}

/* The RAM that an image filled before power-on is not cleared at once again. */
static void release(TensixHart *hart)
{
    hart->reset.restart = true;
    if (!hart->reset.keep_ram && !hart->reset.image_ram) {
        clear_local_ram(hart);
    }
    hart->reset.image_ram = false;
}

void tensix_hart_hold_reset(TensixHart *hart, bool held)
{
    if (hart->reset.held == held) {
        return;
    }
    trace_tensix_hart_reset(tensix_hart_name(hart->id),
                            held ? "held" : "released");
    tensix_hart_record(hart, held ? TENSIX_HART_HELD : TENSIX_HART_RELEASED,
                       tensix_hart_env_pc(hart));
    qatomic_set(&hart->reset.held, held);
    if (held) {
        hold(hart);
        tensix_hart_debug_reset(hart);
        tensix_hart_post_idle(hart);
    } else {
        release(hart);
        tensix_turns_released(hart);
        tensix_bus_post(hart->bus, TENSIX_ON_RELEASE, hart);
    }
    tensix_hart_queue_work(hart);
}

void tensix_hart_set_reset_pc(TensixHart *hart, uint32_t pc)
{
    hart->reset.pc = pc;
}

void tensix_hart_set_keep_ram(TensixHart *hart, bool keep)
{
    hart->reset.keep_ram = keep;
}

void tensix_hart_set_keep_debug(TensixHart *hart, bool keep)
{
    hart->debug.keep = keep;
}

uint32_t tensix_hart_reset_pc(const TensixHart *hart)
{
    return hart->reset.pc;
}

bool tensix_hart_is_held(const TensixHart *hart)
{
    return hart->reset.held;
}

uint32_t tensix_hart_shown_pc(TensixHart *hart)
{
    return hart->reset.restart ? hart->reset.pc : tensix_hart_pc(hart, 0);
}

/* --- power-on --- */

void tensix_hart_set_image(TensixHart *hart, uint32_t pc)
{
    hart->reset.has_image = true;
    hart->reset.image_pc = pc;
}

bool tensix_hart_has_image(const TensixHart *hart)
{
    return hart->reset.has_image;
}

void tensix_hart_set_start_held(TensixHart *hart, bool held)
{
    hart->reset.start_held = held;
}

void tensix_hart_power_on(TensixHart *hart)
{
    TensixHartReset *r = &hart->reset;

    hold(hart);
    r->held = r->start_held;
    r->restart = false;
    r->keep_ram = false;
    hart->debug.keep = false;
    tensix_hart_debug_reset(hart);
    r->image_ram = r->has_image && r->start_held;
    r->pc = tensix_hart_fixed_reset_pc(hart->id);
    r->boot_pc = r->start_held ? r->pc : r->image_pc;
    clear_local_ram(hart);
}

const VMStateDescription vmstate_tensix_hart_reset = {
    .name = TYPE_TENSIX_HART "/reset",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(held, TensixHartReset),
        VMSTATE_BOOL(restart, TensixHartReset),
        VMSTATE_BOOL(keep_ram, TensixHartReset),
        VMSTATE_BOOL(image_ram, TensixHartReset),
        VMSTATE_UINT32(pc, TensixHartReset),
        VMSTATE_UINT32(boot_pc, TensixHartReset),
        VMSTATE_END_OF_LIST()
    },
};
