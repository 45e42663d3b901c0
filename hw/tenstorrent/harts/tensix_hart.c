/*
 * One hart of a Tensix tile: memory view, stall and wake, soft reset, pause,
 * interrupt.  The only file that halts a CPU or leaves generated code.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart executes unless it is stalled, held by soft reset, or paused; the
 * CPU's has_work callback says so, and CPUState.halted only follows.  What
 * changes the CPU itself (reset, interrupt entry) is done by the hart's own
 * thread, in hart_work().
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/units.h"
#include "qemu/timer.h"
#include "tensix_cpu.h"
#include "accel/tcg/cpu-ops.h"
#include "exec/address-spaces.h"
#include "exec/exec-all.h"
#include "exec/tb-flush.h"
#include "exec/gdbstub.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_busy.h"
#include "hw/tenstorrent/tensix_count.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "hw/tenstorrent/tensix_turns.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "system/reset.h"
#include "system/runstate.h"
#include "../trace.h"

enum {
    RAM_SIZE_BN = 0x2000,
    RAM_SIZE_T = 0x1000,
};

/* BH SoftReset.md: pc without override, bit of 0xFFB121B0. */
typedef struct HartInfo {
    const char *name;
    uint32_t reset_pc;
    uint32_t ram_size;
    uint32_t soft_reset_bit;
} HartInfo;

static const HartInfo hart_info[TENSIX_NUM_HARTS] = {
    [TENSIX_HART_BRISC] = { "brisc", 0x0, RAM_SIZE_BN, 1u << 11 },
    [TENSIX_HART_NCRISC] = { "ncrisc", 0x12000, RAM_SIZE_BN, 1u << 18 },
    [TENSIX_HART_TRISC0] = { "trisc0", 0x6000, RAM_SIZE_T, 1u << 12 },
    [TENSIX_HART_TRISC1] = { "trisc1", 0xa000, RAM_SIZE_T, 1u << 13 },
    [TENSIX_HART_TRISC2] = { "trisc2", 0xe000, RAM_SIZE_T, 1u << 14 },
};

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

const char *tensix_hart_name(unsigned id)
{
    return id < TENSIX_NUM_HARTS ? hart_info[id].name : NULL;
}

uint32_t tensix_hart_soft_reset_bit(unsigned id)
{
    return hart_info[id].soft_reset_bit;
}

uint32_t tensix_hart_fixed_reset_pc(unsigned id)
{
    return hart_info[id].reset_pc;
}

const char *tensix_stall_name(unsigned why)
{
    return why < TENSIX_STALL_CAUSES ? stall_names[why] : "unknown";
}

uint64_t tensix_clock(void)
{
    return muldiv64(qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), TENSIX_CLOCK_HZ,
                    NANOSECONDS_PER_SECOND);
}

static uint32_t env_pc(TensixHart *hart)
{
    return cpu_env(hart->cpu)->pc;
}

static void set_env_pc(TensixHart *hart, uint32_t pc)
{
    cpu_env(hart->cpu)->pc = (target_long)(int32_t)pc;
}

/* --- stalling and waking --- */

bool tensix_hart_is_running_here(const TensixHart *hart)
{
    return current_cpu && current_cpu == hart->cpu && hart->cpu->running;
}

void tensix_hart_record(TensixHart *hart, TensixHartTurn turn, uint32_t pc)
{
    tensix_bus_post(hart->bus, TENSIX_ON_TURN, &(TensixTurnEvent) {
        hart, turn, hart->stall, hart->stall_detail, pc
    });
}

void tensix_hart_stall(TensixHart *hart, TensixStall why, uint32_t detail,
                       uintptr_t ra)
{
    CPUState *cs = hart->cpu;

    trace_tensix_hart_stall(tensix_hart_name(hart->id), stall_names[why],
                            detail);
    hart->stall_detail = detail;
    qatomic_set(&hart->stall, why);
    tensix_hart_record(hart, TENSIX_HART_STALLS, tensix_hart_pc(hart, ra));
    tensix_bus_post(hart->bus, TENSIX_ON_WAIT, NULL);
    tensix_hart_rests(hart);
    tensix_hart_end_count(hart);
    if (tensix_hart_await_wake(hart)) {
        cs->exception_index = -1;
    } else {
        cs->halted = 1;
        cs->exception_index = EXCP_HLT;
    }
    cpu_loop_exit_restore(cs, ra ?: cs->mem_io_pc);
}

/*
 * A thread that stayed awake looks by itself; the round-robin thread comes to
 * every hart, but not at once.
 */
static void kick(TensixHart *hart)
{
    if (qatomic_read(&hart->turn.awake)) {
        return;
    }
    if (qemu_tcg_mttcg_enabled() || !current_cpu) {
        qemu_cpu_kick(hart->cpu);
    } else {
        tcg_rr_cpu_ready();
    }
}

void tensix_hart_wake_slow(TensixHart *hart)
{
    trace_tensix_hart_wake(tensix_hart_name(hart->id),
                           stall_names[hart->stall]);
    tensix_hart_record(hart, TENSIX_HART_WAKES, env_pc(hart));
    qatomic_set(&hart->stall, TENSIX_STALL_NONE);
    kick(hart);
}

/* --- what the hart's own thread does --- */

static void restart(TensixHart *hart)
{
    hart->restart = false;
    hart->boot_pc = hart->reset_pc;
    qatomic_set(&hart->stall, TENSIX_STALL_NONE);
    if (hart->unaligned) {
        g_hash_table_remove_all(hart->unaligned);
    }
    cpu_reset(hart->cpu);
    trace_tensix_hart_start(tensix_hart_name(hart->id), hart->boot_pc);
    tensix_hart_record(hart, TENSIX_HART_STARTS, hart->boot_pc);
}

static void enter_handler(TensixHart *hart)
{
    hart->irq_pending = false;
    hart->in_handler = true;
    hart->restore_pc = env_pc(hart);
    hart->csr.intp_restore_pc = hart->restore_pc;
    qatomic_set(&hart->stall, TENSIX_STALL_NONE);
    set_env_pc(hart, hart->irq_pc);
    trace_tensix_hart_interrupt(tensix_hart_name(hart->id), hart->restore_pc,
                                hart->irq_pc);
    tensix_hart_record(hart, TENSIX_HART_INTERRUPTED, hart->irq_pc);
}

static void hart_work(CPUState *cs, run_on_cpu_data data)
{
    TensixHart *hart = data.host_ptr;

    if (hart->restart && !hart->held) {
        restart(hart);
    }
    if (hart->held || hart->paused) {
        cs->halted = 1;
    } else if (hart->irq_pending) {
        enter_handler(hart);
    }
}

void tensix_hart_queue(TensixHart *hart, run_on_cpu_func fn)
{
    async_run_on_cpu(hart->cpu, fn, RUN_ON_CPU_HOST_PTR(hart));
}

static void queue_work(TensixHart *hart)
{
    tensix_hart_queue(hart, hart_work);
}

/* --- the instruction cache --- */

static void forget_code(CPUState *cs, run_on_cpu_data data)
{
    riscv_tensix_forget_kept(cs);
    riscv_tensix_all_cold(cs);
}

void tensix_hart_invalidate_code(TensixHart *hart)
{
    async_run_on_cpu(hart->cpu, forget_code, RUN_ON_CPU_NULL);
}

/* --- soft reset --- */

static void clear_local_ram(TensixHart *hart)
{
    MemoryRegion *ram = &hart->local_ram;

    memset(memory_region_get_ram_ptr(ram), 0, memory_region_size(ram));
    memory_region_set_dirty(ram, 0, memory_region_size(ram));
}

static void hold(TensixHart *hart)
{
    hart->in_handler = false;
    hart->irq_pending = false;
    hart->paused = false;
    hart->told_gdb = false;
    tensix_hart_debug_forget(hart);
    qatomic_set(&hart->stall, TENSIX_STALL_NONE);
    tensix_hart_end_count(hart);
}

/* The RAM that an image filled before power-on is not cleared at once again. */
static void release(TensixHart *hart)
{
    hart->restart = true;
    if (!hart->keep_ram && !hart->image_ram) {
        clear_local_ram(hart);
    }
    hart->image_ram = false;
}

void tensix_hart_hold_reset(TensixHart *hart, bool held)
{
    if (hart->held == held) {
        return;
    }
    trace_tensix_hart_reset(tensix_hart_name(hart->id),
                            held ? "held" : "released");
    tensix_hart_record(hart, held ? TENSIX_HART_HELD : TENSIX_HART_RELEASED,
                       env_pc(hart));
    qatomic_set(&hart->held, held);
    if (held) {
        hold(hart);
        tensix_hart_debug_reset(hart);
        tensix_hart_rests(hart);
    } else {
        release(hart);
        tensix_bus_post(hart->bus, TENSIX_ON_RELEASE, hart);
    }
    queue_work(hart);
}

void tensix_hart_set_reset_pc(TensixHart *hart, uint32_t pc)
{
    hart->reset_pc = pc;
}

void tensix_hart_set_keep_ram(TensixHart *hart, bool keep)
{
    hart->keep_ram = keep;
}

void tensix_hart_set_keep_debug(TensixHart *hart, bool keep)
{
    hart->debug.keep = keep;
}

/* --- pausing --- */

static void stop_in_gdb(TensixHart *hart)
{
    if (gdb_attached_to_cpu(hart->cpu)) {
        hart->told_gdb = true;
        if (hart->reporter->again == TENSIX_REPORT_SEARCH) {
            return;
        }
        gdb_set_stop_cpu(hart->cpu);
        tensix_axis_await_stop(hart);
        qemu_system_debug_request();
    }
}

void tensix_hart_pause(TensixHart *hart)
{
    trace_tensix_hart_pause(tensix_hart_name(hart->id), env_pc(hart));
    hart->paused_pc = env_pc(hart);
    tensix_hart_record(hart, TENSIX_HART_PAUSES, hart->paused_pc);
    qatomic_set(&hart->paused, true);
    tensix_hart_end_count(hart);
    tensix_hart_rests(hart);
    cpu_interrupt(hart->cpu, CPU_INTERRUPT_HALT);
    stop_in_gdb(hart);
}

void tensix_hart_resume(TensixHart *hart)
{
    hart->told_gdb = false;
    tensix_hart_record(hart, TENSIX_HART_RESUMES, env_pc(hart));
    tensix_hart_debug_forget(hart);
    qatomic_set(&hart->paused, false);
    tensix_hart_irq_ready(hart);
    qemu_cpu_kick(hart->cpu);
}

/*
 * gdb, if it was told of the pause or moved the pc, lets the hart go on when it
 * lets the machine go on, by continuing or by leaving.  What the debug interface
 * halted is not gdb's to let go on.
 */
static void vm_state_changed(void *opaque, bool running, RunState state)
{
    TensixHart *hart = opaque;

    if (!running) {
        return;
    }
    tensix_hart_debug_vm_runs(hart);
    if (hart->paused && !hart->debug.halted &&
        (hart->told_gdb || env_pc(hart) != hart->paused_pc)) {
        tensix_hart_resume(hart);
    }
}

/* --- interrupts --- */

bool tensix_hart_interrupt(TensixHart *hart, uint32_t handler_pc)
{
    if (hart->in_handler || hart->irq_pending || hart->held || hart->paused) {
        return false;
    }
    hart->irq_pending = true;
    hart->irq_pc = handler_pc;
    queue_work(hart);
    return true;
}

void tensix_hart_irq_ready(TensixHart *hart)
{
    tensix_bus_post(hart->bus, TENSIX_ON_IRQ_READY, hart);
}

void tensix_hart_set_status(TensixHart *hart, TensixStatusFn *fn, void *opaque)
{
    hart->status_fn = fn;
    hart->status_opaque = opaque;
}

/* --- gdb --- */

static int gdb_read(CPUState *cs, GByteArray *buf, int n)
{
    const TensixHart *hart = TENSIX_CPU(cs)->hart;

    return hart->gdb_ops->read(hart->gdb_opaque, hart, buf, n);
}

static int gdb_write(CPUState *cs, uint8_t *buf, int n)
{
    const TensixHart *hart = TENSIX_CPU(cs)->hart;

    return hart->gdb_ops->write(hart->gdb_opaque, hart, buf, n);
}

void tensix_hart_add_gdb(TensixHart *hart, const TensixGdbOps *ops,
                         const GDBFeature *feature, void *opaque)
{
    hart->gdb_ops = ops;
    hart->gdb_opaque = opaque;
    gdb_register_coprocessor(hart->cpu, gdb_read, gdb_write, feature, 0);
}

/* --- where it is --- */

/* Slots of two call sites of one block differ: they are 16 bytes apart or more */
static unsigned place_of(uintptr_t ra)
{
    return (ra >> 4 ^ ra >> 12) % TENSIX_HART_PLACES;
}

/* False: not in translated code.  On the hart's own thread. */
static bool unwind_pc(TensixHart *hart, uintptr_t ra, uint32_t *pc)
{
    TensixHartPlaces *places = &hart->places;
    unsigned i = place_of(ra), flushes = tb_flushes();
    uint64_t data[1 + TARGET_INSN_START_EXTRA_WORDS];

    if (places->flushes != flushes) {
        memset(places, 0, sizeof(*places));
        places->flushes = flushes;
    }
    if (places->at[i].ra != ra || !ra) {
        if (!cpu_unwind_state_data(hart->cpu, ra, data)) {
            return false;
        }
        places->at[i].ra = ra;
        places->at[i].pc = data[0];
    }
    *pc = places->at[i].pc;
    return true;
}

uint32_t tensix_hart_pc(TensixHart *hart, uintptr_t ra)
{
    uint32_t pc;

    if (tensix_hart_is_running_here(hart) &&
        unwind_pc(hart, ra ?: hart->cpu->mem_io_pc, &pc)) {
        return pc;
    }
    return env_pc(hart);
}

uint32_t tensix_hart_access_pc(TensixHart *hart)
{
    return tensix_hart_is_running_here(hart) ? tensix_hart_pc(hart, 0) : 0;
}

/* --- memory where nothing is --- */

enum {
    STACK_GUARD = 64 * KiB,        /* below the local RAM */
    REG_SP = 2,
};

static bool is_below_ram(uint32_t addr)
{
    return addr < TENSIX_LOCAL_RAM_BASE &&
           addr >= TENSIX_LOCAL_RAM_BASE - STACK_GUARD;
}

bool tensix_hart_stack_overflows(const TensixHart *hart, uint32_t addr)
{
    return is_below_ram(addr) &&
           is_below_ram(cpu_env(hart->cpu)->gpr[REG_SP]);
}

/* An access by the hart itself then ends in an exception. */
static bool leaves_stack(TensixHart *hart, hwaddr addr, MemTxAttrs attrs)
{
    return !attrs.debug && tensix_attrs_of_hart(attrs) &&
           tensix_hart_stack_overflows(hart, addr);
}

static MemTxResult unmapped_read(void *opaque, hwaddr addr, uint64_t *data,
                                 unsigned size, MemTxAttrs attrs)
{
    TensixHart *hart = opaque;

    *data = 0;
    if (leaves_stack(hart, addr, attrs)) {
        return MEMTX_ERROR;
    }
    if (!attrs.debug) {
        tensix_report_access(hart, attrs, TENSIX_BAD_ACCESS,
                             "load of %u bytes from 0x%08x, where nothing is",
                             size, (uint32_t)addr);
    }
    return MEMTX_OK;
}

static MemTxResult unmapped_write(void *opaque, hwaddr addr, uint64_t data,
                                  unsigned size, MemTxAttrs attrs)
{
    TensixHart *hart = opaque;

    if (leaves_stack(hart, addr, attrs)) {
        return MEMTX_ERROR;
    }
    if (!attrs.debug) {
        tensix_report_access(hart, attrs, TENSIX_BAD_ACCESS,
                             "store of 0x%" PRIx64 " (%u bytes) to 0x%08x, "
                             "where nothing is", data, size, (uint32_t)addr);
    }
    return MEMTX_OK;
}

static const MemoryRegionOps unmapped_ops = {
    .read_with_attrs = unmapped_read,
    .write_with_attrs = unmapped_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

/* --- device --- */

enum {
    PRIORITY_UNMAPPED = -2,
    PRIORITY_MEMORY = -1,
};

static void map_view(TensixHart *hart, const HartInfo *info)
{
    Object *obj = OBJECT(hart);

    memory_region_init(&hart->view, obj, "tensix-view", TENSIX_VIEW_SIZE);
    memory_region_init_io(&hart->unmapped, obj, &unmapped_ops, hart,
                          "tensix-unmapped", TENSIX_VIEW_SIZE);
    memory_region_add_subregion_overlap(&hart->view, 0, &hart->unmapped,
                                        PRIORITY_UNMAPPED);
    memory_region_init_alias(&hart->l1_alias, obj, "tensix-l1", hart->l1, 0,
                             TENSIX_L1_SIZE);
    memory_region_add_subregion_overlap(&hart->view, 0, &hart->l1_alias,
                                        PRIORITY_MEMORY);
    memory_region_add_subregion_overlap(&hart->view, TENSIX_LOCAL_RAM_BASE,
                                        &hart->local_ram, PRIORITY_MEMORY);
}

/* QEMU zero-extends RV32 addresses in places and sign-extends in others. */
static void map_root(TensixHart *hart)
{
    Object *obj = OBJECT(hart);
    uint64_t half = TENSIX_VIEW_SIZE / 2;

    memory_region_init(&hart->root, obj, "tensix-root", UINT64_MAX);
    memory_region_init_alias(&hart->view_low, obj, "tensix-view-low",
                             &hart->view, 0, TENSIX_VIEW_SIZE);
    memory_region_add_subregion(&hart->root, 0, &hart->view_low);
    memory_region_init_alias(&hart->view_high, obj, "tensix-view-high",
                             &hart->view, half, half - 1);
    memory_region_add_subregion(&hart->root, -half, &hart->view_high);
}

/* Of several tiles: "tile1-brisc".  To be freed. */
static char *name_in_machine(const TensixHart *hart, const HartInfo *info)
{
    return hart->tile_number
           ? g_strdup_printf("tile%u-%s", hart->tile_number, info->name)
           : g_strdup(info->name);
}

/* The cluster first: a CPU learns its cluster number when it is realized. */
static bool make_cpu(TensixHart *hart, const HartInfo *info, Error **errp)
{
    Object *cpu = object_new(TYPE_TENSIX_CPU);
    g_autofree char *name = name_in_machine(hart, info);

    hart->cpu = CPU(cpu);
    TENSIX_CPU(cpu)->hart = hart;
    object_property_add_child(OBJECT(&hart->cluster), name, cpu);
    object_unref(cpu);
    object_property_set_link(cpu, "memory", OBJECT(&hart->root), &error_abort);
    qdev_prop_set_uint32(DEVICE(&hart->cluster), "cluster-id",
                         hart->tile_number * TENSIX_NUM_HARTS + hart->id);
    if (!qdev_realize(DEVICE(&hart->cluster), NULL, errp)) {
        return false;
    }
    return qdev_realize(DEVICE(cpu), NULL, errp);
}

static void tensix_hart_realize(DeviceState *dev, Error **errp)
{
    TensixHart *hart = TENSIX_HART(dev);
    const HartInfo *info;
    g_autofree char *name = NULL, *ram_name = NULL;

    if (hart->id >= TENSIX_NUM_HARTS || !hart->l1 || !hart->bus ||
        !hart->reporter) {
        error_setg(errp, "%s: needs hart-id 0..%d and links to L1, the bus and "
                   "the reporter", TYPE_TENSIX_HART, TENSIX_NUM_HARTS - 1);
        return;
    }
    info = &hart_info[hart->id];
    name = name_in_machine(hart, info);
    ram_name = g_strdup_printf("tensix.%s-ram", name);
    if (!memory_region_init_ram(&hart->local_ram, OBJECT(hart), ram_name,
                                info->ram_size, errp)) {
        return;
    }
    hart->held = true;
    map_view(hart, info);
    map_root(hart);
    if (make_cpu(hart, info, errp)) {
        hart->reporter->hart_cpu[hart->id] = hart->cpu;
        qemu_register_resettable(OBJECT(hart->cpu));
        hart->vm_state = qemu_add_vm_change_state_handler(vm_state_changed,
                                                          hart);
    }
}

static void tensix_hart_unrealize(DeviceState *dev)
{
    TensixHart *hart = TENSIX_HART(dev);

    qemu_del_vm_change_state_handler(hart->vm_state);
    qemu_unregister_resettable(OBJECT(hart->cpu));
    hart->reporter->hart_cpu[hart->id] = NULL;
}

static void tensix_hart_init(Object *obj)
{
    TensixHart *hart = TENSIX_HART(obj);

    object_initialize_child(obj, "cluster", &hart->cluster, TYPE_CPU_CLUSTER);
}

/*
 * Everything in the first phase: the CPU's hold phase asks for held and
 * boot_pc, and images are put into memory in the hold phase.
 */
static void tensix_hart_reset_enter(Object *obj, ResetType type)
{
    TensixHart *hart = TENSIX_HART(obj);

    hold(hart);
    hart->held = hart->start_held;
    hart->restart = false;
    hart->keep_ram = false;
    hart->debug.keep = false;
    tensix_hart_debug_reset(hart);
    hart->image_ram = hart->has_image && hart->start_held;
    hart->reset_pc = hart_info[hart->id].reset_pc;
    hart->boot_pc = hart->start_held ? hart->reset_pc : hart->image_pc;
    clear_local_ram(hart);
}

/* Incoming state is not trusted. */
static int tensix_hart_post_load(void *opaque, int version_id)
{
    TensixHart *hart = opaque;

    if (hart->stall >= TENSIX_STALL_CAUSES || !tensix_cpu_state_valid(hart)) {
        return -EINVAL;
    }
    hart->told_gdb = hart->told_gdb && gdb_attached_to_cpu(hart->cpu);
    queue_work(hart);
    tensix_hart_debug_loaded(hart);
    return 0;
}

static const VMStateDescription vmstate_tensix_csrs = {
    .name = "tensix-csrs",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(cfg0, TensixCsrs),
        VMSTATE_UINT32_ARRAY(pmacfg, TensixCsrs, 2),
        VMSTATE_UINT32_ARRAY(scratch, TensixCsrs, 4),
        VMSTATE_UINT32_ARRAY(status, TensixCsrs, TENSIX_STATUS_CSRS),
        VMSTATE_UINT32(intp_restore_pc, TensixCsrs),
        VMSTATE_UINT32(mcountinhibit, TensixCsrs),
        VMSTATE_UINT32_ARRAY(mhpmevent, TensixCsrs, 2),
        VMSTATE_UINT32(vlenb, TensixCsrs),
        VMSTATE_UINT64(cycle_base, TensixCsrs),
        VMSTATE_UINT64(instret_base, TensixCsrs),
        VMSTATE_UINT64_ARRAY(mhpmcounter, TensixCsrs, 2),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_tensix_hart = {
    .name = TYPE_TENSIX_HART,
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = tensix_hart_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(stall, TensixHart),
        VMSTATE_UINT32(stall_detail, TensixHart),
        VMSTATE_BOOL(held, TensixHart),
        VMSTATE_BOOL(paused, TensixHart),
        VMSTATE_BOOL(restart, TensixHart),
        VMSTATE_BOOL(keep_ram, TensixHart),
        VMSTATE_BOOL(image_ram, TensixHart),
        VMSTATE_BOOL(told_gdb, TensixHart),
        VMSTATE_BOOL(in_handler, TensixHart),
        VMSTATE_BOOL(irq_pending, TensixHart),
        VMSTATE_UINT32(reset_pc, TensixHart),
        VMSTATE_UINT32(boot_pc, TensixHart),
        VMSTATE_UINT32(paused_pc, TensixHart),
        VMSTATE_UINT32(irq_pc, TensixHart),
        VMSTATE_UINT32(restore_pc, TensixHart),
        VMSTATE_STRUCT(csr, TensixHart, 1, vmstate_tensix_csrs, TensixCsrs),
        VMSTATE_STRUCT(debug, TensixHart, 1, vmstate_tensix_hart_debug,
                       TensixHartDebug),
        VMSTATE_STRUCT_POINTER(cpu, TensixHart, vmstate_tensix_cpu_extra,
                               CPUState),
        VMSTATE_END_OF_LIST()
    },
    .subsections = (const VMStateDescription * const[]) {
        &vmstate_tensix_hart_turns,
        NULL
    },
};

static const Property tensix_hart_properties[] = {
    DEFINE_PROP_UINT32("hart-id", TensixHart, id, TENSIX_NUM_HARTS),
    DEFINE_PROP_UINT32("tile-number", TensixHart, tile_number, 0),
    DEFINE_PROP_LINK("l1", TensixHart, l1, TYPE_MEMORY_REGION, MemoryRegion *),
    DEFINE_PROP_LINK("bus", TensixHart, bus, TYPE_TENSIX_BUS, TensixBus *),
    DEFINE_PROP_LINK("reporter", TensixHart, reporter, TYPE_TENSIX_REPORTER,
                     TensixReporter *),
};

bool tensix_hart_will_run(const TensixHart *hart)
{
    return !hart->held &&
           (hart->debug.going_on ||
            (!hart->paused && (hart->restart || hart->irq_pending ||
                               tensix_hart_can_run(hart))));
}

/* A reset, an interrupt or a continue on its way ends each way to wait. */
static bool tensix_hart_busy(const Object *obj)
{
    const TensixHart *hart = TENSIX_HART(obj);

    return tensix_hart_will_run(hart) &&
           (hart->restart || hart->irq_pending || hart->debug.going_on ||
            !tensix_hart_spins(hart));
}

static void tensix_hart_class_init(ObjectClass *oc, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);
    TensixBusyClass *bc = TENSIX_BUSY_CLASS(oc);

    bc->busy = tensix_hart_busy;
    dc->desc = "baby RISC-V hart of a Tensix tile";
    dc->realize = tensix_hart_realize;
    dc->unrealize = tensix_hart_unrealize;
    dc->vmsd = &vmstate_tensix_hart;
    rc->phases.enter = tensix_hart_reset_enter;
    device_class_set_props(dc, tensix_hart_properties);
}

static const TypeInfo tensix_hart_types[] = {
    {
        .name = TYPE_TENSIX_HART,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixHart),
        .instance_init = tensix_hart_init,
        .class_init = tensix_hart_class_init,
        .interfaces = TENSIX_BUSY_INTERFACES,
    },
};

DEFINE_TYPES(tensix_hart_types)
