/*
 * CPU type "tt-baby": a baby RISC-V of a Blackhole Tensix tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * RV32IM Zicsr Zaamo Zba Zbb, parts of Zbkb, F, Zfh, on TRISC2 of V, and
 * .ttinsn (BH BabyRISCV/README.md, OLD InstructionSet.md).  There are no traps:
 * what other cores trap on pauses the hart, as ebreak does.
 */

#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qapi/error.h"
#include "tensix_cpu.h"
#include "accel/accel-cpu-target.h"
#include "accel/tcg/cpu-ops.h"
#include "disas/disas-internal.h"
#include "hw/core/sysemu-cpu-ops.h"
#include "exec/gdbstub.h"
#include "exec/helper-proto.h"
#include "exec/translation-block.h"
#include "fpu/softfloat-helpers.h"
#include "hw/tenstorrent/qemu_compat_tcg.h"
#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_count.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "hw/tenstorrent/tensix_hart_time.h"
#include "hw/tenstorrent/tensix_jumps.h"
#include "hw/tenstorrent/tensix_turns.h"
#include "target/riscv/internals.h"
#include "target/riscv/tcg/tcg-cpu.h"
#include "migration/cpu.h"
#include "../trace.h"

/* --- what generated code calls --- */

static bool insn_ok(void *opaque, uint32_t insn)
{
    return !tensix_isa_rule(opaque, insn);
}

static RISCVException csrrw(void *opaque, int csrno, target_ulong *ret,
                            target_ulong new_value, target_ulong write_mask)
{
    return tensix_csr_access(opaque, csrno, ret, new_value, write_mask);
}

/* Returns from an interrupt handler (OLD PIC.md). */
static target_ulong mret(void *opaque)
{
    TensixHart *hart = opaque;

    if (!hart->irq.in_handler) {
        return -1;
    }
    BQL_LOCK_GUARD();
    hart->irq.in_handler = false;
    trace_tensix_hart_mret(tensix_hart_name(hart->id), hart->irq.restore_pc);
    tensix_hart_record(hart, TENSIX_HART_RETURNS, hart->irq.restore_pc);
    tensix_hart_irq_ready(hart);
    return (target_long)(int32_t)hart->irq.restore_pc;
}

static bool can_run(CPUState *cs)
{
    return tensix_hart_can_run(TENSIX_CPU(cs)->hart);
}

static bool has_work(CPUState *cs)
{
    return can_run(cs) || tensix_axis_holds_time(TENSIX_CPU(cs)->hart);
}

static bool waits(void *opaque, bool fence)
{
    return tensix_hart_waits(opaque, fence);
}

static void begins_block(void *opaque)
{
    tensix_hart_begins_block(opaque);
}

static void jumps(void *opaque, RISCVTensixJump jump, uint32_t pc,
                  uint32_t target)
{
    static const TensixJump kinds[] = {
        [RISCV_TENSIX_CALL] = TENSIX_JUMP_CALL,
        [RISCV_TENSIX_RETURN] = TENSIX_JUMP_RETURN,
        [RISCV_TENSIX_INDIRECT] = TENSIX_JUMP_INDIRECT,
    };

    tensix_hart_jumps(opaque, kinds[jump], pc, target);
}

static bool is_device(void *opaque, uint32_t addr)
{
    TensixHart *hart = opaque;

    return addr >= TENSIX_L1_SIZE &&
           addr - TENSIX_LOCAL_RAM_BASE >= memory_region_size(&hart->local_ram);
}

static uint32_t accesses(void *opaque, uint32_t address, bool loads,
                         bool stores, bool atomic)
{
    return tensix_hart_time_access(opaque, address, loads, stores, atomic);
}

/* --- accesses that are not aligned --- */

/* Once for each instruction: a loop may make a million of them. */
static void unaligned(void *opaque, uint32_t pc, uint32_t insn, uint32_t addr)
{
    TensixHart *hart = opaque;
    bool is_store = insn & 0x20;

    if (tensix_once(&hart->unaligned, pc)) {
        tensix_report_hart(hart, TENSIX_NON_CONTRACTUAL, pc,
                           "unaligned %s of %u bytes, address 0x%08x%s",
                           is_store ? "store" : "load",
                           extract32(insn, 12, 2) == 1 ? 2 : 4, addr,
                           is_store && addr < TENSIX_L1_SIZE
                           ? ": bytes keep their lanes" : "");
    }
}

/* --- exceptions --- */

static const char *const exception_texts[] = {
    [RISCV_EXCP_INST_ADDR_MIS] = "jump to a misaligned address",
    [RISCV_EXCP_LOAD_ADDR_MIS] = "misaligned load",
    [RISCV_EXCP_LOAD_ACCESS_FAULT] = "load refused by the bus",
    [RISCV_EXCP_STORE_AMO_ADDR_MIS] = "misaligned store or atomic",
    [RISCV_EXCP_STORE_AMO_ACCESS_FAULT] =
        "store refused by the bus, or atomic outside L1",
};

enum { REG_RA = 1, REG_SP = 2, CALL_BYTES = 4 };

/*
 * A hart that left its code: with the call that ra returns to, which is the one
 * that led here unless a jump without a link did.
 */
static void report_lost(TensixHart *hart, CPURISCVState *env, const char *what)
{
    uint32_t ra = env->gpr[REG_RA];
    g_autofree char *call = ra
        ? g_strdup_printf("the latest call was at %s pc 0x%08x",
                          tensix_hart_name(hart->id), ra - CALL_BYTES)
        : g_strdup("there was no call");

    tensix_report_hart(hart, TENSIX_BAD_ACCESS, env->pc,
                       "jumped or ran to %s; %s; the hart is paused", what,
                       call);
}

static bool is_csr_insn(uint32_t insn)
{
    return (insn & 0x7f) == 0x73 && (insn & 0x7000);
}

static void report_illegal(TensixHart *hart, CPURISCVState *env)
{
    uint32_t pc = env->pc, insn = env->bins;
    const TensixIsaRule *rule = tensix_isa_rule(hart, insn);

    if (!insn) {
        report_lost(hart, env, "a word 0, which is no code");
    } else if (rule) {
        tensix_report_hart(hart, rule->category, pc,
                           "RISC-V instruction 0x%08x: %s", insn, rule->text);
    } else if (is_csr_insn(insn)) {
        tensix_report_hart(hart, TENSIX_UNDEFINED_BEHAVIOUR, pc,
                           "CSR 0x%03x does not exist on this hart",
                           insn >> 20);
    } else {
        tensix_report_hart(hart, TENSIX_UNDEFINED_BEHAVIOUR, pc,
                           "RISC-V instruction 0x%08x does not exist on this "
                           "hart", insn);
    }
}

static void report_stack(TensixHart *hart, CPURISCVState *env)
{
    tensix_report_hart(hart, TENSIX_BAD_ACCESS, env->pc,
                       "stack overflow: sp is 0x%08x, below the local RAM at "
                       "0x%08x (access to 0x%08x); the hart is paused",
                       (uint32_t)env->gpr[REG_SP], TENSIX_LOCAL_RAM_BASE,
                       (uint32_t)env->badaddr);
}

static void report_exception(TensixHart *hart, CPURISCVState *env, int cause)
{
    const char *text = NULL;

    if (cause == RISCV_EXCP_INST_ACCESS_FAULT) {
        report_lost(hart, env, "where no memory for code is");
        return;
    }
    if (tensix_hart_stack_overflows(hart, env->badaddr)) {
        report_stack(hart, env);
        return;
    }
    if (cause >= 0 && cause < ARRAY_SIZE(exception_texts)) {
        text = exception_texts[cause];
    }
    tensix_report_hart(hart, cause == RISCV_EXCP_LOAD_ACCESS_FAULT ||
                       cause == RISCV_EXCP_STORE_AMO_ACCESS_FAULT
                       ? TENSIX_BAD_ACCESS : TENSIX_UNDEFINED_BEHAVIOUR,
                       env->pc, "%s (address 0x%08x)",
                       text ?: "RISC-V exception", (uint32_t)env->badaddr);
}

/* gdb stopped after the instruction; a search in the past is notified. */
static void report_search(TensixHart *hart)
{
    if (hart->reporter->again == TENSIX_REPORT_SEARCH &&
        gdb_attached_to_cpu(hart->cpu)) {
        tensix_axis_seen(hart);
    }
}

/* ebreak and ecall are a nop and a breakpoint (WH DebugInterface.md). */
static void pause_after(TensixHart *hart, CPURISCVState *env, const char *what)
{
    qemu_log_mask(LOG_GUEST_ERROR, "tensix: %s pc=0x%08x: %s, hart paused\n",
                  tensix_hart_name(hart->id), (uint32_t)env->pc, what);
    env->pc = (target_long)(int32_t)(env->pc + 4);
    tensix_hart_debug_ebreak(hart);
    report_search(hart);
}

/*
 * The calls that QEMU carries out; it ends at any other.  (Arm's "Semihosting for
 * AArch32 and AArch64", 6: Semihosting operations)
 */
static bool is_semihosting_call(uint32_t call)
{
    enum {
        SYS_OPEN = 0x01, SYS_SEEK = 0x0a,
        SYS_FLEN = 0x0c, SYS_ERRNO = 0x13,
        SYS_GET_CMDLINE = 0x15, SYS_HEAPINFO = 0x16,
        SYS_EXIT = 0x18, SYS_SYNCCACHE = 0x19,
        SYS_EXIT_EXTENDED = 0x20,
        SYS_ELAPSED = 0x30, SYS_TICKFREQ = 0x31,
    };
    static const uint8_t calls[][2] = {     /* from, to */
        { SYS_OPEN, SYS_SEEK }, { SYS_FLEN, SYS_ERRNO },
        { SYS_GET_CMDLINE, SYS_HEAPINFO }, { SYS_EXIT, SYS_SYNCCACHE },
        { SYS_EXIT_EXTENDED, SYS_EXIT_EXTENDED }, { SYS_ELAPSED, SYS_TICKFREQ },
    };

    for (int n = 0; n < ARRAY_SIZE(calls); n++) {
        if (call >= calls[n][0] && call <= calls[n][1]) {
            return true;
        }
    }
    return false;
}

/*
 * Output to the console can be repeated.  Any other request to the host may get
 * a different answer on re-execution.
 */
static void semihosting(TensixHart *hart, CPUState *cs)
{
    enum { SYS_WRITEC = 3, SYS_WRITE0 = 4, REG_A0 = 10 };
    CPURISCVState *env = cpu_env(cs);
    uint32_t call = env->gpr[REG_A0];

    if (!is_semihosting_call(call)) {
        tensix_report_hart(hart, TENSIX_UNIMPLEMENTED, env->pc,
                           "semihosting call 0x%02x: returns -1", call);
        env->gpr[REG_A0] = -1;
        env->pc += 4;
        return;
    }
    riscv_cpu_do_interrupt(cs);
    if (call != SYS_WRITEC && call != SYS_WRITE0) {
        tensix_axis_input(hart, "a semihosting call");
    }
}

/* Called with the BQL held, env->pc exact. */
static void do_interrupt(CPUState *cs)
{
    TensixHart *hart = TENSIX_CPU(cs)->hart;
    CPURISCVState *env = cpu_env(cs);

    switch (cs->exception_index) {
    case RISCV_EXCP_SEMIHOST:
        semihosting(hart, cs);
        return;
    case RISCV_EXCP_BREAKPOINT:
        pause_after(hart, env, "ebreak");
        break;
    case RISCV_EXCP_U_ECALL:
        pause_after(hart, env, "ecall");
        break;
    case RISCV_EXCP_ILLEGAL_INST:
        report_illegal(hart, env);
        break;
    default:
        report_exception(hart, env, cs->exception_index);
        break;
    }
    tensix_hart_pause(hart);
}

static const RISCVTensixOps tensix_ops = {
    .insn_ok = insn_ok,
    .csrrw = csrrw,
    .mret = mret,
    .waits = waits,
    .begins_block = begins_block,
    .jumps = jumps,
    .accesses = accesses,
    .muladd = tensix_fpu_muladd,
    .is_device = is_device,
    .unaligned = unaligned,
    .l1_end = TENSIX_L1_SIZE,
};

/* --- class --- */

/* gdb takes a .ttinsn for two bytes and sets a breakpoint in its middle. */
static vaddr adjust_breakpoint(CPUState *cs, vaddr addr)
{
    return (addr + 2) & ~(vaddr)3;
}

static void reset_fpu(CPURISCVState *env)
{
    float_status *s = &env->fp_status;

    memset(env->fpr, 0, sizeof(env->fpr));
    env->frm = 0;
    riscv_cpu_set_fflags(env, 0);
    set_float_rounding_mode(float_round_nearest_even, s);
    set_flush_to_zero(true, s);
    set_flush_inputs_to_zero(true, s);
    set_float_ftz_detection(float_ftz_after_rounding, s);
}

static void reset_vector(CPURISCVState *env)
{
    memset(env->vreg, 0, sizeof(env->vreg));
    env->vl = 0;
    env->vtype = 0;
    env->vill = false;
    env->vstart = 0;
    env->vxrm = 0;
    env->vxsat = 0;
}

static void tensix_cpu_reset_hold(Object *obj, ResetType type)
{
    TensixCPU *cpu = TENSIX_CPU(obj);
    RISCVCPUClass *rcc = RISCV_CPU_CLASS(object_class_by_name(TYPE_RISCV_CPU));
    CPURISCVState *env = cpu_env(CPU(obj));

    if (RESETTABLE_CLASS(rcc)->phases.hold) {
        RESETTABLE_CLASS(rcc)->phases.hold(obj, type);
    }
    memset(env->gpr, 0, sizeof(env->gpr));
    env->mstatus |= MSTATUS_FS | MSTATUS_VS;
    reset_fpu(env);
    reset_vector(env);
    riscv_tensix_discard_kept(CPU(obj));
    riscv_tensix_all_cold(CPU(obj));
    if (cpu->hart) {
        tensix_csr_reset(cpu->hart);
        env->pc = (target_long)(int32_t)cpu->hart->reset.boot_pc;
        CPU(cpu)->halted = cpu->hart->reset.held;
    }
}

static void refuse_push(void *opaque, uint32_t word, uint32_t pc, uintptr_t ra)
{
    TensixHart *hart = opaque;

    BQL_LOCK_GUARD();
    tensix_report_hart(hart, TENSIX_UNDEFINED_BEHAVIOUR, pc,
                       ".ttinsn 0x%08x: this hart cannot push instructions",
                       word);
}

static uint32_t push_one_by_one(void *opaque, const uint32_t *words,
                                uint32_t count, uint32_t pc)
{
    return 0;
}

static void tensix_cpu_init(Object *obj)
{
    RISCVCPU *cpu = RISCV_CPU(obj);
    CPURISCVState *env = &cpu->env;
    RISCVCPUConfig *cfg = &cpu->cfg;

    riscv_cpu_set_misa_ext(env, RVI | RVM | RVF);
    env->priv_ver = PRIV_VERSION_LATEST;
    riscv_cfg_set_bare(cfg);
    cfg->ext_zicsr = true;
    cfg->ext_zmmul = true;
    cfg->ext_zaamo = true;
    cfg->ext_zba = true;
    cfg->ext_zbb = true;
    cfg->ext_zbkb = true;
    cfg->ext_zfh = true;
    cfg->ext_zfhmin = true;
}

/*
 * Harts that have V: elements to 32 bits, 128-bit registers.  All extensions
 * that follow are named, because QEMU derives them once per hart number and
 * all five have number 0.
 */
static void enable_vector(RISCVCPUConfig *cfg)
{
    cfg->ext_zve32x = true;
    cfg->ext_zve32f = true;
    cfg->elen = 32;
    cfg->vlenb = 16;
}

static void tensix_cpu_realize(DeviceState *dev, Error **errp)
{
    TensixCPU *cpu = TENSIX_CPU(dev);
    RISCVTensixCPU *rv = &cpu->parent_obj;
    RISCVCPUClass *rcc = RISCV_CPU_CLASS(object_class_by_name(TYPE_RISCV_CPU));

    if (!cpu->hart) {
        error_setg(errp, "a %s exists only inside a %s", TYPE_TENSIX_CPU,
                   TYPE_TENSIX_HART);
        return;
    }
    if (cpu->hart->id == TENSIX_HART_TRISC2) {
        enable_vector(&RISCV_CPU(dev)->cfg);
    }
    rv->ops = &tensix_ops;
    rv->opaque = cpu->hart;
    rv->attrs = tensix_attrs(TENSIX_REQUESTER_HART + cpu->hart->id);
    rv->l1 = memory_region_get_ram_ptr(cpu->hart->l1);
    tensix_hart_set_push(cpu->hart, NULL, NULL, NULL);
    DEVICE_CLASS(rcc)->realize(dev, errp);
    /*
     * A hart's addresses are physical ones, so no code is ever at two: there
     * is nothing to gain from code that runs anywhere, and each block of it
     * that goes, as all do when a kernel is loaded, empties the jump caches of
     * all harts.
     */
    CPU(dev)->tcg_cflags &= ~CF_PCREL;
}

void tensix_hart_set_push(TensixHart *hart, TensixPushFn *fn,
                          TensixPushWordsFn *words_fn, void *opaque)
{
    RISCVTensixCPU *cpu = riscv_tensix_cpu(cpu_env(hart->cpu));

    cpu->ttinsn_push = fn ?: refuse_push;
    cpu->ttinsn_push_words = words_fn ?: push_one_by_one;
    cpu->ttinsn_opaque = fn ? opaque : hart;
}

/* --- migration: what the RISC-V CPU leaves out without MISA.V --- */

#define VREG_WORDS (32 * 128 / 64)

#define CPU_ENV(field) parent_obj.parent_obj.env.field

/* Through a CPUState *, with which a TensixCPU begins. */
const VMStateDescription vmstate_tensix_cpu_extra = {
    .name = "tensix-cpu-extra",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64_SUB_ARRAY(CPU_ENV(vreg), TensixCPU, 0,
                                 VREG_WORDS),
        VMSTATE_UINTTL(CPU_ENV(vl), TensixCPU),
        VMSTATE_UINTTL(CPU_ENV(vtype), TensixCPU),
        VMSTATE_BOOL(CPU_ENV(vill), TensixCPU),
        VMSTATE_UINTTL(CPU_ENV(vstart), TensixCPU),
        VMSTATE_UINTTL(CPU_ENV(vxrm), TensixCPU),
        VMSTATE_UINTTL(CPU_ENV(vxsat), TensixCPU),
        VMSTATE_UINT16(CPU_ENV(fp_status.float_exception_flags),
                       TensixCPU),
        VMSTATE_UINT32(parent_obj.kept_pc, TensixCPU),
        VMSTATE_END_OF_LIST()
    }
};

/* Incoming vl and vtype index host memory: they are put through vsetvl. */
bool tensix_cpu_state_valid(TensixHart *hart)
{
    CPURISCVState *env = cpu_env(hart->cpu);
    target_ulong vl = env->vl, vstart = env->vstart;

    riscv_tensix_load_kept(hart->cpu);
    if (env->vill) {
        return vl == 0;
    }
    vsetvl(env, vl, env->vtype);
    env->vstart = vstart;
    return env->vl == vl && vstart <= vl;
}

/* --- disassembly --- */

/* "  # main (a.c:10)", if that is known. */
static void print_location(bfd_vma addr, struct disassemble_info *info)
{
    CPUDebug *debug = container_of(info, CPUDebug, info);
    TensixHart *hart = TENSIX_CPU(debug->cpu)->hart;
    g_autofree char *place = tensix_sources_location(hart->reporter->sources,
                                                  hart->id, addr);

    if (place) {
        info->fprintf_func(info->stream, "  # %s", place);
    }
}

/*
 * All instructions have 32 bits, and one that does not end in 3 is .ttinsn, a
 * Tensix instruction rotated left by two.  What RISC-V has for longer ones does
 * not exist.
 */
static int print_insn(bfd_vma addr, struct disassemble_info *info)
{
    bfd_byte bytes[4];
    char text[128];
    uint32_t insn;
    int status = info->read_memory_func(addr, bytes, sizeof(bytes), info);

    if (status) {
        info->memory_error_func(status, addr, info);
        return status;
    }
    insn = bfd_getl32(bytes);
    if ((insn & 0x03) == 0x03 && (insn & 0x1f) != 0x1f) {
        return print_insn_riscv32(addr, info);
    }
    if ((insn & 0x03) == 0x03) {
        snprintf(text, sizeof(text), ".word 0x%08x", insn);
    } else {
        tensix_disas(text, sizeof(text), ror32(insn, 2));
    }
    if (info->show_opcodes) {
        info->fprintf_func(info->stream, "%08" PRIx32 "          ", insn);
    }
    info->fprintf_func(info->stream, "%s", text);
    if ((insn & 0x03) != 0x03) {
        print_location(addr, info);
    }
    return sizeof(bytes);
}

static void disas_set_info(CPUState *cs, disassemble_info *info)
{
    CPUClass *parent = CPU_CLASS(object_class_by_name(TYPE_RISCV_CPU));

    parent->disas_set_info(cs, info);
    info->print_insn = print_insn;
}

/* --- class --- */

static TCGCPUOps tensix_tcg_ops;
static struct SysemuCPUOps tensix_sysemu_ops;

/* What is no different is QEMU's. */
static void init_accel_cpu(AccelCPUClass *accel_cpu, CPUClass *cc)
{
    tensix_tcg_ops = riscv_tcg_ops;
    tensix_tcg_ops.cpu_exec_enter = riscv_tensix_exec_enter;
    tensix_tcg_ops.translate_code = riscv_tensix_translate_code;
    tensix_tcg_ops.run_cold = riscv_tensix_run_cold;
    tensix_tcg_ops.blocks_come_back = true;
    tensix_tcg_ops.reset_keeps_tlb = true;
    tensix_tcg_ops.tlb_fill = riscv_tensix_tlb_fill;
    tensix_tcg_ops.store_done = riscv_tensix_store_done;
    tensix_tcg_ops.io_store = tensix_hart_io_store;
    tensix_tcg_ops.io_load = tensix_hart_io_load;
    tensix_tcg_ops.do_unaligned_access = riscv_tensix_unaligned_access;
    tensix_tcg_ops.cpu_exec_halt = can_run;
    tensix_tcg_ops.debug_excp_handler = tensix_hart_debug_excp;
    tensix_tcg_ops.debug_check_breakpoint = tensix_hart_debug_check_breakpoint;
    tensix_tcg_ops.debug_check_watchpoint = tensix_hart_debug_check_watchpoint;
    tensix_tcg_ops.memory_watched = tensix_hart_debug_memory_watched;
    tensix_tcg_ops.do_interrupt = do_interrupt;
    tensix_tcg_ops.icount_slice = tensix_turns_icount_slice;
    tensix_tcg_ops.rr_period = tensix_turns_period;
    tensix_tcg_ops.rr_round_done = tensix_turns_round_done;
    tensix_tcg_ops.exec_in_thread = tensix_turns_exec;
    tensix_tcg_ops.kicked = tensix_turns_kicked;
    tensix_tcg_ops.rr_choose = tensix_axis_choose;
    tensix_tcg_ops.rr_ran = tensix_axis_ran;
    cc->tcg_ops = &tensix_tcg_ops;
}

static void tensix_cpu_class_init(ObjectClass *oc, TensixClassData *data)
{
    RISCVCPUClass *mcc = RISCV_CPU_CLASS(oc);
    CPUClass *cc = CPU_CLASS(oc);
    DeviceClass *dc = DEVICE_CLASS(oc);

    riscv_class_set_mxl(mcc, MXL_RV32);
    mcc->gdb_register_csrs = tensix_csr_register_gdb;
    tensix_sysemu_ops = *cc->sysemu_ops;
    tensix_sysemu_ops.has_work = has_work;
    cc->sysemu_ops = &tensix_sysemu_ops;
    cc->init_accel_cpu = init_accel_cpu;
    cc->disas_set_info = disas_set_info;
    cc->gdb_core_xml_file = "riscv-32bit-cpu.xml";
    cc->gdb_adjust_breakpoint = adjust_breakpoint;
    /*
     * Bare ELFs name no OS.  For GNU/Linux's gdb would step in software and
     * take half a .ttinsn word for a compressed branch.
     */
    cc->gdb_osabi = "none";
    dc->realize = tensix_cpu_realize;
    /* it needs its hart's memory and is made by it */
    dc->user_creatable = false;
    RESETTABLE_CLASS(oc)->phases.hold = tensix_cpu_reset_hold;
}

static const TypeInfo tensix_cpu_types[] = {
    {
        .name = TYPE_TENSIX_CPU,
        .parent = TYPE_RISCV_VENDOR_CPU,
        .instance_size = sizeof(TensixCPU),
        .instance_init = tensix_cpu_init,
        .class_init = tensix_cpu_class_init,
        .class_data = RISCV_CLASS_DATA(MXL_RV32),
    },
};

DEFINE_TYPES(tensix_cpu_types)
