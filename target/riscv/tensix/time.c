/*
 * Estimated cycles of the harts of a Tensix tile: helpers of generated code.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For blocks with RISCV_TENSIX_CF_TIME (translate_time.c.inc).
 */

#include "qemu/osdep.h"
#include "tensix.h"
#include "hw/tenstorrent/qemu_compat_tcg.h"
#include "exec/helper-proto.h"

enum {
    OPCODE_TIMED_LOAD = 0x03,
    OPCODE_TIMED_STORE = 0x23,
    OPCODE_TIMED_AMO = 0x2f,
    DIVIDE_SPECIAL = 2,         /* by 0, by 1, and INT_MIN by -1 */
    DIVIDE_LEAST = 6,
    DIVIDE_BITS = 1,            /* besides one for each bit of the dividend */
};

/*
 * Most accesses: a load from L1 of what was there before.  False: it is another
 * one.  What ops->accesses() does for such a load, without its calls.
 */
static bool loads_l1(RISCVTensixCPU *cpu, uint32_t address, uint32_t op)
{
    uint64_t written;

    if (op != OPCODE_TIMED_LOAD || address >= cpu->ops->l1_end ||
        !cpu->written) {
        return false;
    }
    written = cpu->written[address / sizeof(uint32_t)];
    if (written > cpu->cycles) {
        return false;
    }
    cpu->spin_cycles = MAX(cpu->spin_cycles, written);
    return true;
}

/* Likewise a store to L1: it is there in the next cycle. */
static bool stores_l1(RISCVTensixCPU *cpu, uint32_t address, uint32_t op)
{
    uint32_t word = address / sizeof(uint32_t);

    if (op != OPCODE_TIMED_STORE || address >= cpu->ops->l1_end ||
        !cpu->written) {
        return false;
    }
    if (cpu->written[word] <= cpu->cycles) {
        cpu->written[word] = cpu->cycles + 1;
        cpu->written_by[word] = *cpu->link;
    }
    return true;
}

/* Cycles until what it loads is there. */
static uint32_t access_memory(RISCVTensixCPU *cpu, uint32_t address,
                              uint32_t op)
{
    bool is_atomic = op == OPCODE_TIMED_AMO;
    bool stores = op & 0x20;

    if (loads_l1(cpu, address, op) || stores_l1(cpu, address, op)) {
        return cpu->l1_access;
    }
    return cpu->ops->accesses(cpu->opaque, address, !stores || is_atomic,
                              stores, is_atomic);
}

/* The instruction's address is known, and nothing has been accessed yet. */
void helper_tensix_time_access(CPURISCVState *env, target_ulong address,
                               uint32_t insn)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(env);
    uint32_t op = insn & 0x7f;
    uint32_t latency = access_memory(cpu, address, op);

    cpu->loading = op == OPCODE_TIMED_LOAD || op == OPCODE_TIMED_AMO
                   ? extract32(insn, 7, 5) : 0;
    cpu->latency = latency;
    cpu->ready[cpu->loading] = cpu->cycles + latency;
}

void riscv_tensix_time_join(RISCVTensixCPU *cpu, uint64_t cycle)
{
    if (cycle > cpu->cycles) {
        cpu->cycles = cycle;
        cpu->ready[cpu->loading] = cycle + cpu->latency;
    }
    cpu->spin_cycles = MAX(cpu->spin_cycles, cycle);
}

/*
 * 6 to 33 cycles by the magnitude of the dividend, is all that is published:
 * taken for one more than the dividend has bits.
 */
static uint32_t divide_cycles(uint32_t a, uint32_t b, bool is_unsigned)
{
    uint32_t magnitude = !is_unsigned && (int32_t)a < 0 ? -a : a;

    if (b <= 1 || (!is_unsigned && a == 1u << 31 && b == UINT32_MAX)) {
        return DIVIDE_SPECIAL;
    }
    return MAX(DIVIDE_LEAST, DIVIDE_BITS + 32 - clz32(magnitude));
}

void helper_tensix_time_divide(CPURISCVState *env, target_ulong a,
                               target_ulong b, uint32_t is_unsigned)
{
    riscv_tensix_cpu(env)->cycles += divide_cycles(a, b, is_unsigned);
}

/*
 * The hart is at the end of a loop in which it waits.  Its first iteration takes
 * time, the others none: how many there are depends on whose turn it is.
 */
void riscv_tensix_time_waits(RISCVTensixCPU *cpu, bool only)
{
    uint32_t pc = cpu->parent_obj.env.pc;

    if (only && cpu->spin_pc == pc) {
        cpu->cycles = MIN(cpu->cycles, cpu->spin_cycles);
    } else {
        cpu->spin_pc = pc;
        cpu->spin_cycles = cpu->cycles;
    }
}
