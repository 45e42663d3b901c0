/*
 * Helpers of generated code and TCG hooks of the harts of a Tensix tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix.h"
#include "hw/tenstorrent/qemu_compat_tcg.h"
#include "exec/cputlb.h"
#include "exec/helper-proto.h"
#include "exec/page-protection.h"
#include "fpu/softfloat.h"
#include "internals.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "system/cpus.h"
#include "tcg/tcg-gvec-desc.h"
#include "vector_internals.h"

/* --- leaving a block in its middle --- */

/*
 * A CPU that was asked to exit leaves its block in the middle for what has to
 * be done before its next instruction: a stop, an interrupt, a reset.  The end
 * of a turn can wait for the end of the block: the rest of a block that is left
 * in the middle is translated again.
 */
static bool leaves_block(CPUState *cs)
{
    return !icount_enabled() && !cs->singlestep_enabled &&
           (qatomic_read(&cs->stop) ||
            qatomic_read(&cs->interrupt_request) ||
            !cpu_work_list_empty(cs));
}

static G_NORETURN void leave_before(CPUState *cs, target_ulong pc)
{
    cpu_env(cs)->pc = (target_long)(int32_t)pc;
    cpu_loop_exit(cs);
}

static void leave_if_asked(CPUState *cs, target_ulong pc)
{
    if (unlikely((int32_t)qatomic_read(&cs->neg.icount_decr.u32) < 0) &&
        leaves_block(cs)) {
        leave_before(cs, pc);
    }
}

void riscv_tensix_store_done(CPUState *cs, uintptr_t retaddr)
{
    if (leaves_block(cs)) {
        cpu_restore_state(cs, retaddr);
        leave_before(cs, cpu_env(cs)->pc + 4);
    }
}

/*
 * Pushes a Tensix instruction.  No lock is taken here: the callee has its own
 * rules.  It may leave by a longjmp, for the same instruction to be retried.
 * A request to stop the CPU that came meanwhile is served at once, not at the
 * end of the block: the globals are in env, and pc becomes that of the next
 * instruction.
 */
void helper_ttinsn(CPURISCVState *env, uint32_t word, target_ulong pc)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(env);
    CPUState *cs = env_cpu(env);

    cpu->ttinsn_push(cpu->ttinsn_opaque, word, pc, GETPC());
    leave_if_asked(cs, pc + 4);
}

/*
 * One word in the middle of a block, of which only the first one's pc is known
 * there: if it leaves by a longjmp, pc must be right already.
 */
static void push_alone(CPUState *cs, uint32_t word, uint32_t pc)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(cpu_env(cs));

    cpu_env(cs)->pc = (target_long)(int32_t)pc;
    cs->mem_io_pc = 0;
    cpu->ttinsn_push(cpu->ttinsn_opaque, word, pc, 0);
}

/* Pushes `count` words whose first one is at pc, like as many helper_ttinsn(). */
void helper_ttinsn_words(CPURISCVState *env, uint32_t count, target_ulong pc)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(env);
    CPUState *cs = env_cpu(env);
    uint32_t n = 0;

    while (n < count) {
        uint32_t pushed = cpu->ttinsn_push_words(
            cpu->ttinsn_opaque, &cpu->words[n], count - n, pc + 4 * n);

        if (!pushed) {
            push_alone(cs, cpu->words[n], pc + 4 * n);
            pushed = 1;
        }
        n += pushed;
        leave_if_asked(cs, pc + 4 * n);
    }
}

/*
 * A hart waits for others; pc is that of its next instruction.  With a debugger
 * that steps the turn continues: ending it would hide the end of the step.
 * Where steps must make no difference the wait is noted all the same.
 */
void helper_tensix_waits(CPURISCVState *env, uint32_t fence)
{
    CPUState *cs = env_cpu(env);
    RISCVTensixCPU *cpu = riscv_tensix_cpu(env);

    if (cs->singlestep_enabled && !cpu->steps_take_turns) {
        return;
    }
    if (cpu->ops->waits(cpu->opaque, fence) && !cs->singlestep_enabled) {
        cs->exception_index = EXCP_YIELD;
        cpu_loop_exit(cs);
    }
}

/* --- a jump to itself --- */

void riscv_tensix_discard_kept(CPUState *cs)
{
    riscv_tensix_cpu(cpu_env(cs))->kept_pc = RISCV_TENSIX_NOT_KEPT;
    cs->tcg_cflags &= ~RISCV_TENSIX_CF_KEPT;
}

void riscv_tensix_load_kept(CPUState *cs)
{
    if (riscv_tensix_cpu(cpu_env(cs))->kept_pc & 3) {
        riscv_tensix_discard_kept(cs);
    } else {
        cs->tcg_cflags |= RISCV_TENSIX_CF_KEPT;
    }
}

void riscv_tensix_exec_enter(CPUState *cs)
{
    CPURISCVState *env = cpu_env(cs);

    if ((cs->tcg_cflags & RISCV_TENSIX_CF_KEPT) &&
        riscv_tensix_cpu(env)->kept_pc != (uint32_t)env->pc) {
        riscv_tensix_discard_kept(cs);
    }
}

/* A jump to itself; pc is exact.  What comes next is a block with CF_KEPT. */
void helper_tensix_keeps(CPURISCVState *env)
{
    riscv_tensix_cpu(env)->kept_pc = env->pc;
    env_cpu(env)->tcg_cflags |= RISCV_TENSIX_CF_KEPT;
    helper_tensix_waits(env, false);
}

void helper_tensix_begins_block(CPURISCVState *env)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(env);

    cpu->ops->begins_block(cpu->opaque);
}

/* --- jumps between functions --- */

/* ra and t0, by which the psABI's functions and millicode return */
static bool is_link(uint32_t reg)
{
    return reg == 1 || reg == 5;
}

RISCVTensixJump riscv_tensix_jump(uint32_t insn)
{
    bool links = is_link(extract32(insn, 7, 5));

    switch (insn & 0x7f) {
    case 0x6f:                  /* JAL */
        return links ? RISCV_TENSIX_CALL : RISCV_TENSIX_NO_JUMP;
    case 0x67:                  /* JALR */
        return links ? RISCV_TENSIX_CALL
             : is_link(extract32(insn, 15, 5)) ? RISCV_TENSIX_RETURN
             : RISCV_TENSIX_INDIRECT;
    default:
        return RISCV_TENSIX_NO_JUMP;
    }
}

static uint32_t jump_target(CPURISCVState *env, uint32_t insn, uint32_t pc)
{
    return insn & 8 ? pc + riscv_tensix_jal_offset(insn)
                    : (env->gpr[extract32(insn, 15, 5)] +
                       sextract32(insn, 20, 12)) & ~1;
}

void riscv_tensix_report_jump(CPURISCVState *env, uint32_t insn, uint32_t pc)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(env);
    RISCVTensixJump jump = riscv_tensix_jump(insn);

    if (jump) {
        cpu->ops->jumps(cpu->opaque, jump, pc, jump_target(env, insn, pc));
    }
}

void helper_tensix_jumps(CPURISCVState *env, uint32_t insn, target_ulong pc)
{
    riscv_tensix_report_jump(env, insn, pc);
}

/* --- memory --- */

static G_NORETURN void refuse(CPURISCVState *env, RISCVException exception,
                              target_ulong address, uintptr_t ra)
{
    env->badaddr = address;
    riscv_raise_exception(env, exception, ra);
}

void helper_tensix_atomic(CPURISCVState *env, target_ulong addr)
{
    if ((uint32_t)addr >= riscv_tensix_cpu(env)->ops->l1_end) {
        refuse(env, RISCV_EXCP_STORE_AMO_ACCESS_FAULT, addr, GETPC());
    }
}

/*
 * There is no translation and no protection.  Outside L1 a fetch has to be
 * refused before it is made: it could pop a FIFO.
 */
bool riscv_tensix_tlb_fill(CPUState *cs, vaddr address, int size,
                           MMUAccessType access_type, int mmu_idx,
                           bool probe, uintptr_t retaddr)
{
    CPURISCVState *env = cpu_env(cs);
    vaddr page = address & TARGET_PAGE_MASK;
    int prot = PAGE_READ | PAGE_WRITE;

    if ((uint32_t)address < riscv_tensix_cpu(env)->ops->l1_end) {
        prot |= PAGE_EXEC;
    } else if (access_type == MMU_INST_FETCH) {
        if (probe) {
            return false;
        }
        refuse(env, RISCV_EXCP_INST_ACCESS_FAULT, address, retaddr);
    }
    tlb_set_page_with_attrs(cs, page, page, riscv_tensix_cpu(env)->attrs, prot,
                            mmu_idx, TARGET_PAGE_SIZE);
    return true;
}

/* --- accesses that are not aligned --- */

enum {
    OPCODE_LOAD = 0x03,
    OPCODE_STORE = 0x23,
    FUNCT3_H = 1,
    FUNCT3_W = 2,
    FUNCT3_HU = 5,
    L1_LINE = 16,
};

static uint32_t load_unaligned(CPURISCVState *env, uint32_t insn, vaddr addr,
                               int mmu_idx, uintptr_t ra)
{
    MemOpIdx half = make_memop_idx(MO_TEUW | MO_UNALN, mmu_idx);

    switch (extract32(insn, 12, 3)) {
    case FUNCT3_H:
        return (int16_t)cpu_ldw_mmu(env, addr, half, ra);
    case FUNCT3_HU:
        return cpu_ldw_mmu(env, addr, half, ra);
    default:
        return cpu_ldl_mmu(env, addr,
                           make_memop_idx(MO_TEUL | MO_UNALN, mmu_idx), ra);
    }
}

/*
 * A store to L1: each byte goes to its address from the lane that an aligned
 * store would take it from, and what would be in the next 16 bytes is lost.
 */
static void store_lanes(CPURISCVState *env, vaddr addr, uint32_t value,
                        uint32_t size, int mmu_idx, uintptr_t ra)
{
    vaddr end = MIN(addr + size, ROUND_UP(addr, L1_LINE));

    for (vaddr at = addr; at < end; at++) {
        cpu_stb_mmu(env, at, value >> (at % size * 8),
                    make_memop_idx(MO_UB, mmu_idx), ra);
    }
}

/* Outside L1 as RISC-V says: what the hardware does is not documented. */
static void store_unaligned(CPURISCVState *env, uint32_t insn, vaddr addr,
                            int mmu_idx, uintptr_t ra)
{
    uint32_t value = env->gpr[extract32(insn, 20, 5)];
    uint32_t size = extract32(insn, 12, 3) == FUNCT3_H ? 2 : 4;

    if (addr + size <= riscv_tensix_cpu(env)->ops->l1_end) {
        store_lanes(env, addr, value, size, mmu_idx, ra);
    } else if (size == 2) {
        cpu_stw_mmu(env, addr, value,
                    make_memop_idx(MO_TEUW | MO_UNALN, mmu_idx), ra);
    } else {
        cpu_stl_mmu(env, addr, value,
                    make_memop_idx(MO_TEUL | MO_UNALN, mmu_idx), ra);
    }
}

/* An access may stall the hart or hit a watchpoint: it is made before pc moves. */
void riscv_tensix_unaligned_access(CPUState *cs, vaddr addr,
                                   MMUAccessType access_type, int mmu_idx,
                                   uintptr_t ra)
{
    CPURISCVState *env = cpu_env(cs);
    RISCVTensixCPU *cpu = riscv_tensix_cpu(env);
    uint64_t data[1 + TARGET_INSN_START_EXTRA_WORDS];
    uint32_t insn = 0, rd;

    if (cpu_unwind_state_data(cs, ra, data)) {
        insn = data[1];
    }
    rd = extract32(insn, 7, 5);
    if ((insn & 0x7f) == OPCODE_LOAD) {
        uint32_t value;

        cpu->ops->unaligned(cpu->opaque, data[0], insn, addr);
        value = load_unaligned(env, insn, addr, mmu_idx, ra);
        cpu_restore_state(cs, ra);
        env->gpr[rd] = rd ? (target_long)(int32_t)value : 0;
    } else if ((insn & 0x7f) == OPCODE_STORE) {
        cpu->ops->unaligned(cpu->opaque, data[0], insn, addr);
        store_unaligned(env, insn, addr, mmu_idx, ra);
        cpu_restore_state(cs, ra);
    } else {
        riscv_cpu_do_unaligned_access(cs, addr, access_type, mmu_idx, ra);
    }
    cs->exception_index = cs->singlestep_enabled ? EXCP_DEBUG : -1;
    leave_before(cs, env->pc + 4);
}

/* --- CSRs and interrupt handlers --- */

target_ulong helper_tensix_csrrw(CPURISCVState *env, uint32_t csr,
                                 target_ulong src, target_ulong write_mask)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(env);
    target_ulong val = 0;
    RISCVException ret = cpu->ops->csrrw(cpu->opaque, csr, &val, src,
                                         write_mask);

    if (ret != RISCV_EXCP_NONE) {
        riscv_raise_exception(env, ret, GETPC());
    }
    return val;
}

target_ulong helper_tensix_mret(CPURISCVState *env)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(env);
    target_ulong pc = cpu->ops->mret(cpu->opaque);

    if (pc == (target_ulong)-1) {
        riscv_raise_exception(env, RISCV_EXCP_ILLEGAL_INST, GETPC());
    }
    return pc;
}

/* --- arithmetic --- */

/* Generalised reverse, RV32, of the Bitmanip 0.94 draft */
target_ulong helper_grevi(target_ulong src, target_ulong amount)
{
    static const uint32_t mask[] = {
        0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff
    };
    uint32_t x = src;

    for (int i = 0; i < ARRAY_SIZE(mask); i++) {
        if (amount & (1 << i)) {
            x = (x & mask[i]) << (1 << i) | ((x >> (1 << i)) & mask[i]);
        }
    }
    return (target_long)(int32_t)x;
}

/* Its own rounding; the exception flags are those of the exact result */
static float32 muladd32(CPURISCVState *env, float32 a, float32 b, float32 c,
                        int flags)
{
    float32_muladd(a, b, c, flags, &env->fp_status);
    return riscv_tensix_cpu(env)->ops->muladd(a, b, c, flags);
}

/* fmadd, fmsub, fnmsub, fnmadd: bits 3:2 of the instruction */
static const int fma_flags[] = {
    0, float_muladd_negate_c, float_muladd_negate_product,
    float_muladd_negate_c | float_muladd_negate_product,
};

uint64_t helper_tensix_fmadd_s(CPURISCVState *env, uint64_t rs1, uint64_t rs2,
                               uint64_t rs3, uint32_t op)
{
    return nanbox_s(env, muladd32(env, check_nanbox_s(env, rs1),
                                  check_nanbox_s(env, rs2),
                                  check_nanbox_s(env, rs3), fma_flags[op]));
}

static float32 widened(CPURISCVState *env, uint64_t r)
{
    return float16_to_float32(check_nanbox_h(env, r), true, &env->fp_status);
}

uint64_t helper_tensix_fmadd_h(CPURISCVState *env, uint64_t rs1, uint64_t rs2,
                               uint64_t rs3, uint32_t op)
{
    float32 r = muladd32(env, widened(env, rs1), widened(env, rs2),
                         widened(env, rs3), fma_flags[op]);

    return nanbox_h(env, float32_to_float16(r, true, &env->fp_status));
}

/*
 * One element of vfmadd, vfnmadd, vfmsub and vfnmsub, and, with ACCUMULATE, of
 * vfmacc, vfnmacc, vfmsac and vfnmsac: the order of the encoding.
 */
#define VFMA_ACCUMULATE 4

static uint32_t vfma(CPURISCVState *env, uint32_t op, uint32_t s1, uint32_t s2,
                     uint32_t d)
{
    static const int flags[] = {
        0, float_muladd_negate_c | float_muladd_negate_product,
        float_muladd_negate_c, float_muladd_negate_product,
    };
    bool accumulate = op & VFMA_ACCUMULATE;

    return muladd32(env, accumulate ? s2 : d, s1, accumulate ? d : s2,
                    flags[op % ARRAY_SIZE(flags)]);
}

/* As GEN_VEXT_VV_ENV and _VF for 32 bits; s1_step: 0 for a scalar */
static void vfma_vector(CPURISCVState *env, uint32_t *vd, void *v0,
                        const uint32_t *s1, unsigned s1_step,
                        const uint32_t *vs2, uint32_t desc)
{
    uint32_t vm = vext_vm(desc), vma = vext_vma(desc), esz = sizeof(*vd);
    uint32_t total = vext_get_total_elems(env, desc, esz);

    VSTART_CHECK_EARLY_EXIT(env, env->vl);
    for (uint32_t i = env->vstart; i < env->vl; i++) {
        if (!vm && !vext_elem_mask(v0, i)) {
            vext_set_elems_1s(vd, vma, i * esz, (i + 1) * esz);
        } else {
            vd[H4(i)] = vfma(env, vext_nf(desc), s1[H4(i) * s1_step],
                             vs2[H4(i)], vd[H4(i)]);
        }
    }
    env->vstart = 0;
    vext_set_elems_1s(vd, vext_vta(desc), env->vl * esz, total * esz);
}

void helper_tensix_vfmadd_vv(void *vd, void *v0, void *vs1, void *vs2,
                             CPURISCVState *env, uint32_t desc)
{
    vfma_vector(env, vd, v0, vs1, 1, vs2, desc);
}

void helper_tensix_vfmadd_vf(void *vd, void *v0, uint64_t s1, void *vs2,
                             CPURISCVState *env, uint32_t desc)
{
    uint32_t scalar = s1;

    vfma_vector(env, vd, v0, &scalar, 0, vs2, desc);
}
