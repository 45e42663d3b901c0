/*
 * Code that harts of a Tensix tile execute for the first time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A kernel is loaded, goes straight through most of its code and ends. To
 * translate an instruction takes as long as to interpret it thirty times, so
 * a stretch of code is interpreted until it has been entered some times: up to
 * a jump that is taken, or to an instruction with special rules
 * (atomics, CSRs, floating point, an address that is not aligned, a jump to
 * itself). That one is left to the translator.
 *
 * Each instruction finds the CPU as if the one before had ended a block: an
 * access may stall the hart, raise an exception or leave by a longjmp.
 */

#include "qemu/osdep.h"
#include "tensix.h"
#include "hw/tenstorrent/qemu_compat_tcg.h"
#include "exec/helper-proto.h"
#include "exec/log.h"

enum {
    INSN_SIZE = 4,
    ENTRIES_COLD = 8,           /* of a place; then it is translated */
    FUNCT7_ALT = 0x20,          /* SUB, SRA */
    FUNCT7_MUL = 0x01,
};

/* One instruction; next: where the hart continues after it */
typedef struct ColdInsn {
    CPURISCVState *env;
    bool reports_jumps;
    uint32_t insn, pc, next;
} ColdInsn;

/* False, without any effect: left to the translator */
typedef bool ColdFn(ColdInsn *c);

static uint32_t rs1(const ColdInsn *c)
{
    return c->env->gpr[extract32(c->insn, 15, 5)];
}

static uint32_t rs2(const ColdInsn *c)
{
    return c->env->gpr[extract32(c->insn, 20, 5)];
}

static bool set_rd(ColdInsn *c, uint32_t value)
{
    unsigned rd = extract32(c->insn, 7, 5);

    if (rd) {
        c->env->gpr[rd] = (target_long)(int32_t)value;
    }
    return true;
}

static void set_pc(ColdInsn *c, uint32_t pc)
{
    c->env->pc = (target_long)(int32_t)pc;
}

static unsigned funct3(const ColdInsn *c)
{
    return extract32(c->insn, 12, 3);
}

static unsigned funct7(const ColdInsn *c)
{
    return c->insn >> 25;
}

static int32_t imm_i(const ColdInsn *c)
{
    return sextract32(c->insn, 20, 12);
}

/* --- arithmetic --- */

static uint32_t alu(unsigned op, bool alt, uint32_t a, uint32_t b)
{
    switch (op) {
    case 0:
        return alt ? a - b : a + b;
    case 1:
        return a << (b & 31);
    case 2:
        return (int32_t)a < (int32_t)b;
    case 3:
        return a < b;
    case 4:
        return a ^ b;
    case 5:
        return alt ? (int32_t)a >> (b & 31) : a >> (b & 31);
    case 6:
        return a | b;
    default:
        return a & b;
    }
}

static bool is_shift(unsigned op)
{
    return op == 1 || op == 5;
}

static bool cold_op_imm(ColdInsn *c)
{
    unsigned op = funct3(c);
    bool alt = op == 5 && funct7(c) == FUNCT7_ALT;

    if (is_shift(op) && funct7(c) && !alt) {
        return false;
    }
    return set_rd(c, alu(op, alt, rs1(c), imm_i(c)));
}

static uint32_t multiply(unsigned op, uint32_t a, uint32_t b)
{
    switch (op) {
    case 0:
        return a * b;
    case 1:
        return ((int64_t)(int32_t)a * (int32_t)b) >> 32;
    case 2:
        return ((int64_t)(int32_t)a * b) >> 32;
    default:
        return ((uint64_t)a * b) >> 32;
    }
}

static bool cold_op(ColdInsn *c)
{
    unsigned op = funct3(c);

    switch (funct7(c)) {
    case 0:
        return set_rd(c, alu(op, false, rs1(c), rs2(c)));
    case FUNCT7_ALT:
        return (op == 0 || op == 5) &&
               set_rd(c, alu(op, true, rs1(c), rs2(c)));
    case FUNCT7_MUL:
        return op < 4 && set_rd(c, multiply(op, rs1(c), rs2(c)));
    default:
        return false;
    }
}

static bool cold_lui(ColdInsn *c)
{
    return set_rd(c, c->insn & 0xfffff000);
}

static bool cold_auipc(ColdInsn *c)
{
    return set_rd(c, c->pc + (c->insn & 0xfffff000));
}

/* --- memory --- */

static MemOpIdx memop(const ColdInsn *c, MemOp op)
{
    return make_memop_idx(op, riscv_env_mmu_index(c->env, false));
}

static bool cold_load(ColdInsn *c)
{
    uint32_t addr = rs1(c) + imm_i(c);
    unsigned op = funct3(c), size = 1 << (op & 3);

    if (op == 3 || op > 5 || addr % size) {
        return false;
    }
    switch (op) {
    case 0:
        return set_rd(c, (int8_t)cpu_ldb_mmu(c->env, addr, memop(c, MO_UB),
                                             0));
    case 1:
        return set_rd(c, (int16_t)cpu_ldw_mmu(c->env, addr,
                                              memop(c, MO_TEUW), 0));
    case 4:
        return set_rd(c, cpu_ldb_mmu(c->env, addr, memop(c, MO_UB), 0));
    case 5:
        return set_rd(c, cpu_ldw_mmu(c->env, addr, memop(c, MO_TEUW), 0));
    default:
        return set_rd(c, cpu_ldl_mmu(c->env, addr, memop(c, MO_TEUL), 0));
    }
}

static bool cold_store(ColdInsn *c)
{
    uint32_t addr = rs1(c) + (sextract32(c->insn, 25, 7) << 5 |
                              extract32(c->insn, 7, 5));
    unsigned op = funct3(c);

    if (op > 2 || addr % (1 << op)) {
        return false;
    }
    riscv_tensix_cpu(c->env)->wrote = 1;
    if (op == 0) {
        cpu_stb_mmu(c->env, addr, rs2(c), memop(c, MO_UB), 0);
    } else if (op == 1) {
        cpu_stw_mmu(c->env, addr, rs2(c), memop(c, MO_TEUW), 0);
    } else {
        cpu_stl_mmu(c->env, addr, rs2(c), memop(c, MO_TEUL), 0);
    }
    return true;
}

static bool cold_fence(ColdInsn *c)
{
    if (funct3(c)) {
        return false;
    }
    smp_mb();                      /* the FENCE itself */
    set_pc(c, c->next);
    helper_tensix_waits(c->env, true);
    return true;
}

static bool cold_push(ColdInsn *c)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(c->env);

    cpu->wrote = 1;
    cpu->ttinsn_push(cpu->ttinsn_opaque, ror32(c->insn, 2), c->pc, 0);
    return true;
}

/* --- jumps --- */

static uint32_t code_at(void *opaque, uint32_t pc)
{
    const RISCVTensixCPU *cpu = opaque;

    return ldl_le_p(cpu->l1 + pc);
}

/* As the translator sees the end of the loop that goes back by offset */
static bool ends_wait(const ColdInsn *c, int32_t offset)
{
    return offset < 0 && !((c->pc ^ (c->pc + offset)) & TARGET_PAGE_MASK) &&
           riscv_tensix_loop_waits(code_at, riscv_tensix_cpu(c->env), c->pc,
                                   offset);
}

/* A jump to itself is the translator's: caches keep it. */
static bool jump(ColdInsn *c, int32_t offset)
{
    if ((offset & 3) || offset == 0) {
        return false;
    }
    c->next = c->pc + offset;
    return true;
}

/* A jump that leaves no pc behind */
static bool go_to(ColdInsn *c, int32_t offset)
{
    if (!jump(c, offset)) {
        return false;
    }
    if (ends_wait(c, offset)) {
        set_pc(c, c->next);
        helper_tensix_waits(c->env, false);
    }
    return true;
}

static bool is_taken(const ColdInsn *c)
{
    uint32_t a = rs1(c), b = rs2(c);
    unsigned op = funct3(c);
    bool condition = op < 4 ? a == b
                   : op < 6 ? (int32_t)a < (int32_t)b : a < b;

    return condition != (op & 1);
}

static bool cold_branch(ColdInsn *c)
{
    unsigned op = funct3(c);

    if (op == 2 || op == 3) {
        return false;
    }
    return !is_taken(c) || go_to(c, riscv_tensix_branch_offset(c->insn));
}

static void report_jump(ColdInsn *c)
{
    if (c->reports_jumps) {
        riscv_tensix_report_jump(c->env, c->insn, c->pc);
    }
}

static bool cold_jal(ColdInsn *c)
{
    int32_t offset = riscv_tensix_jal_offset(c->insn);

    if (!extract32(c->insn, 7, 5)) {
        return go_to(c, offset);
    }
    if (!jump(c, offset)) {
        return false;
    }
    report_jump(c);
    return set_rd(c, c->pc + INSN_SIZE);
}

static bool cold_jalr(ColdInsn *c)
{
    uint32_t target = (rs1(c) + imm_i(c)) & ~1;

    if (funct3(c) || (target & 3)) {
        return false;
    }
    c->next = target;
    report_jump(c);
    return set_rd(c, c->pc + INSN_SIZE);
}

/* --- */

/* By bits 6:2 of an instruction whose low bits are 11 */
static ColdFn *const cold_fns[32] = {
    [0x00] = cold_load,
    [0x03] = cold_fence,
    [0x04] = cold_op_imm,
    [0x05] = cold_auipc,
    [0x08] = cold_store,
    [0x0c] = cold_op,
    [0x0d] = cold_lui,
    [0x18] = cold_branch,
    [0x19] = cold_jalr,
    [0x1b] = cold_jal,
};

static bool interpret(ColdInsn *c)
{
    ColdFn *fn = !c->insn ? NULL   /* no code: an exception */
               : (c->insn & 3) != 3 ? cold_push
                                    : cold_fns[extract32(c->insn, 2, 5)];

    return fn && fn(c);
}

static bool exit_requested(CPUState *cs)
{
    return (int32_t)qatomic_read(&cs->neg.icount_decr.u32) < 0;
}

/*
 * pc is that of the instruction while it is executed, for debuggers and
 * leaves.  True: the code continues after it.
 */
static bool continues(ColdInsn *c)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(c->env);

    c->next = c->pc + INSN_SIZE;
    c->insn = ldl_le_p(cpu->l1 + c->pc);
    if (!interpret(c)) {
        return false;
    }
    set_pc(c, c->next);
    return c->next == c->pc + INSN_SIZE && c->next < cpu->ops->l1_end &&
           !exit_requested(env_cpu(c->env));
}

/* Instruments see instructions in blocks. */
static bool is_watched(CPUState *cs, uint32_t cflags)
{
    return (cflags & ~(CF_CLUSTER_MASK | CF_PARALLEL |
                       RISCV_TENSIX_CF_JUMPS)) ||
           cs->singlestep_enabled || !QTAILQ_EMPTY(&cs->breakpoints) ||
           !QTAILQ_EMPTY(&cs->watchpoints) ||
           qemu_loglevel_mask(CPU_LOG_TB_IN_ASM | CPU_LOG_TB_OUT_ASM |
                              CPU_LOG_TB_OP | CPU_LOG_TB_OP_OPT |
                              CPU_LOG_TB_OP_IND | CPU_LOG_TB_CPU |
                              CPU_LOG_EXEC);
}

static bool is_cold(RISCVTensixCPU *cpu, vaddr pc)
{
    uint8_t *entries = &cpu->entries[pc / INSN_SIZE % RISCV_TENSIX_PLACES];

    if (*entries >= ENTRIES_COLD || !cpu->l1 || pc >= cpu->ops->l1_end ||
        pc % INSN_SIZE) {
        return false;
    }
    ++*entries;
    return true;
}

bool riscv_tensix_run_cold(CPUState *cs, vaddr pc, uint32_t cflags)
{
    ColdInsn c = { .env = cpu_env(cs), .pc = pc,
                   .reports_jumps = cflags & RISCV_TENSIX_CF_JUMPS };

    if (is_watched(cs, cflags) || !is_cold(riscv_tensix_cpu(c.env), pc)) {
        return false;
    }
    cs->mem_io_pc = 0;             /* not in translated code */
    while (continues(&c)) {
        c.pc = c.next;
    }
    /* A stretch that leads back to its beginning is a loop: worth a block */
    return (uint32_t)c.env->pc != pc;
}

void riscv_tensix_all_cold(CPUState *cs)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(cpu_env(cs));

    memset(cpu->entries, 0, sizeof(cpu->entries));
}
