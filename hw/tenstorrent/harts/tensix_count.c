/*
 * Counting what a hart executes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks that count are distinguished by a flag in their cflags.  Only the
 * hart's own thread changes the flags of its look-ups of blocks; a chain of
 * blocks ends for that.
 */

#include "qemu/osdep.h"
#include "tensix_cpu.h"
#include "hw/tenstorrent/tensix_count.h"
#include "system/cpus.h"
#include "target/riscv/tensix/tensix.h"
#include "../trace.h"

#define COUNT_MAX (1u << 31)

static void choose_blocks(CPUState *cs, run_on_cpu_data data)
{
    if (tensix_hart_counts(TENSIX_CPU(cs)->hart)) {
        cs->tcg_cflags |= RISCV_TENSIX_CF_COUNT;
    } else {
        cs->tcg_cflags &= ~RISCV_TENSIX_CF_COUNT;
    }
}

bool tensix_hart_can_run(const TensixHart *hart)
{
    return qatomic_read(&hart->stall.cause) == TENSIX_STALL_NONE &&
           !qatomic_read(&hart->reset.held) &&
           !qatomic_read(&hart->pause.paused);
}

/* One more: a count ends when the block after the last one begins. */
void tensix_hart_count(TensixHart *hart, uint64_t insns)
{
    qatomic_set(&hart->count_left, MIN(insns, COUNT_MAX) + 1);
    async_run_on_cpu(hart->cpu, choose_blocks, RUN_ON_CPU_NULL);
}

static void ended(TensixHart *hart)
{
    async_run_on_cpu(hart->cpu, choose_blocks, RUN_ON_CPU_NULL);
    tensix_bus_post(hart->bus, TENSIX_ON_COUNTED, hart);
}

void tensix_hart_end_count(TensixHart *hart)
{
    if (tensix_hart_counts(hart) && qatomic_xchg(&hart->count_left, 0)) {
        ended(hart);
    }
}

/* If two threads end or begin the count at the same time, the last one wins. */
void tensix_hart_begins_block(TensixHart *hart)
{
    uint32_t left = qatomic_read(&hart->count_left);

    if (left && qatomic_cmpxchg(&hart->count_left, left, left - 1) == left &&
        left == 1) {
        ended(hart);
    }
}

static void do_nothing(CPUState *cs, run_on_cpu_data data)
{
}

/* Harts that share a thread settle at the same time. */
void tensix_hart_settle(TensixHart *hart)
{
    if (!cpu_work_list_empty(hart->cpu)) {
        run_on_cpu(hart->cpu, do_nothing, RUN_ON_CPU_NULL);
    }
}

/*
 * The thread carries out what is queued for a hart before it executes that hart
 * again, and may be asleep: the caller waits only for a hart that executes.
 * With -icount the moment of that work could be seen, so it always waits.
 */
void tensix_hart_leave_code(TensixHart *hart)
{
    smp_mb();       /* the thread: `running`, then its request to exit */
    if (icount_enabled() || qatomic_read(&hart->cpu->running)) {
        trace_tensix_hart_settle(tensix_hart_name(hart->id));
        tensix_hart_settle(hart);
    }
}

void tensix_hart_request_stop(TensixHart *hart)
{
    qatomic_set(&hart->cpu->stop, true);
    qemu_cpu_kick(hart->cpu);
}
