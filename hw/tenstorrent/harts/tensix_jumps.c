/*
 * Reports of a hart's calls and returns.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * As for counts (tensix_count.c), reporting blocks have a flag in their cflags.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "tensix_cpu.h"
#include "hw/tenstorrent/tensix_jumps.h"

static void choose_reporting_blocks(CPUState *cs, run_on_cpu_data data)
{
    if (tensix_bus_has_listener(TENSIX_CPU(cs)->hart->bus, TENSIX_ON_JUMP)) {
        cs->tcg_cflags |= RISCV_TENSIX_CF_JUMPS;
    } else {
        cs->tcg_cflags &= ~RISCV_TENSIX_CF_JUMPS;
    }
}

void tensix_hart_choose_jumps(TensixHart *hart)
{
    async_run_on_cpu(hart->cpu, choose_reporting_blocks, RUN_ON_CPU_NULL);
}

/* The last reporting block may run after the listener has been removed. */
void tensix_hart_jumps(TensixHart *hart, TensixJump jump, uint32_t pc,
                       uint32_t target)
{
    BQL_LOCK_GUARD();
    tensix_bus_post(hart->bus, TENSIX_ON_JUMP, &(TensixJumpEvent) {
        hart, jump, pc, target
    });
}
