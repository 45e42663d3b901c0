/*
 * How often a hart executes each instruction.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * As for counts (tensix_count.c), blocks that tally have a flag in their
 * cflags.  Only the hart's own thread writes the counts.
 */

#include "qemu/osdep.h"
#include "tensix_cpu.h"
#include "hw/tenstorrent/tensix_tally.h"

static RISCVTensixCPU *tally_cpu(TensixHart *hart)
{
    return riscv_tensix_cpu(cpu_env(hart->cpu));
}

static void begin_tally(CPUState *cs, run_on_cpu_data data)
{
    cs->tcg_cflags |= RISCV_TENSIX_CF_TALLY;
}

static void end_tally(CPUState *cs, run_on_cpu_data data)
{
    cs->tcg_cflags &= ~RISCV_TENSIX_CF_TALLY;
}

const uint64_t *tensix_hart_tally(TensixHart *hart, bool on)
{
    RISCVTensixCPU *cpu = tally_cpu(hart);

    if (!cpu->tally) {
        cpu->tally = g_new0(uint64_t, TENSIX_TALLY_WORDS);
    }
    async_run_on_cpu(hart->cpu, on ? begin_tally : end_tally,
                     RUN_ON_CPU_NULL);
    return cpu->tally;
}

void tensix_hart_untally(TensixHart *hart, uint32_t pc)
{
    if ((hart->cpu->tcg_cflags & RISCV_TENSIX_CF_TALLY) &&
        pc < TENSIX_L1_SIZE) {
        tally_cpu(hart)->tally[pc / TENSIX_TALLY_INSN]--;
    }
}
