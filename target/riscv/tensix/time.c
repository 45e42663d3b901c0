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
    OPCODE_TIMED_AMO = 0x2f,
    DIVIDE_SPECIAL = 2,         /* by 0, by 1, and INT_MIN by -1 */
    DIVIDE_LEAST = 6,
    DIVIDE_BITS = 1,            /* besides one for each bit of the dividend */
};

/* Of any access: cycles until what it loads is there. */
static __attribute__((noinline))
void access_memory(RISCVTensixCPU *cpu, uint32_t address, uint32_t insn)
{
    uint32_t op = insn & 0x7f;
    bool is_atomic = op == OPCODE_TIMED_AMO;
    bool stores = op & 0x20;
    uint32_t latency = cpu->ops->accesses(cpu->opaque, address,
                                          !stores || is_atomic, stores,
                                          is_atomic);

    cpu->loading = op == OPCODE_TIMED_LOAD || op == OPCODE_TIMED_AMO
                   ? extract32(insn, 7, 5) : 0;
    cpu->latency = latency;
    cpu->ready[cpu->loading] = cpu->cycles + latency;
}

/* The instruction's address is known, and nothing has been accessed yet. */
void helper_tensix_time_access(CPURISCVState *env, target_ulong address,
                               uint32_t insn)
{
    access_memory(riscv_tensix_cpu(env), address, insn);
}

/*
 * Each access pays for registers that are zeroed after it.  Where the guest's
 * address serves as an index, it is below l1_end.
 */
#define LEAVES_REGISTERS __attribute__((zero_call_used_regs("skip")))

/* Nothing is waited for. */
static inline void load_at_once(RISCVTensixCPU *cpu, uint32_t insn,
                                uint32_t latency)
{
    uint32_t rd = extract32(insn, 7, 5);

    cpu->loading = rd;
    cpu->latency = latency;
    cpu->ready[rd] = cpu->cycles + latency;
}

/*
 * What ops->accesses() comes to for most accesses, without its calls: here, a
 * load from L1 of what was there before, and any from the hart's own memory.
 */
LEAVES_REGISTERS
void helper_tensix_time_load(CPURISCVState *env, target_ulong extended,
                             uint32_t insn)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(env);
    uint32_t address = extended;

    if (address < cpu->l1_end) {
        uint64_t written = cpu->written[address / sizeof(uint32_t)].at;

        if (likely(written <= cpu->cycles)) {
            cpu->spin_cycles = MAX(cpu->spin_cycles, written);
            load_at_once(cpu, insn, cpu->l1_access);
            return;
        }
    } else if (address - cpu->local_base < cpu->local_size) {
        load_at_once(cpu, insn, cpu->local_access);
        return;
    }
    access_memory(cpu, address, insn);
}

/* Likewise: what is stored in L1 is there in the next cycle. */
LEAVES_REGISTERS
void helper_tensix_time_store(CPURISCVState *env, target_ulong extended,
                              uint32_t insn)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(env);
    uint32_t address = extended;

    if (address < cpu->l1_end) {
        RISCVTensixStamp *written = &cpu->written[address / sizeof(uint32_t)];

        if (written->at <= cpu->cycles) {
            written->at = cpu->cycles + 1;
            written->link = *cpu->link;
        }
    } else if (address - cpu->local_base >= cpu->local_size) {
        access_memory(cpu, address, insn);
        return;
    }
    cpu->loading = 0;          /* nor does it matter when x0 is */
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
