/*
 * One hart of a Tensix tile: its CPU, its view of memory, and where it is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart executes unless it is stalled (tensix_hart_stall.c), held by soft
 * reset (tensix_hart_reset.c), or paused (tensix_hart_pause.c); the CPU's
 * has_work callback says so, and CPUState.halted only follows.  What changes the CPU
 * itself (reset, interrupt entry) is done by the hart's own thread, in
 * hart_work().
 */

#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qemu/timer.h"
#include "tensix_cpu.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/qemu_compat_tcg.h"
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

uint64_t tensix_clock(void)
{
    return muldiv64(qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), TENSIX_CLOCK_HZ,
                    NANOSECONDS_PER_SECOND);
}

/* --- what the hart's own thread does --- */

static void hart_work(CPUState *cs, run_on_cpu_data data)
{
    TensixHart *hart = data.host_ptr;

    if (hart->reset.restart && !hart->reset.held) {
        tensix_hart_restart(hart);
    }
    if (hart->reset.held || hart->pause.paused) {
        cs->halted = 1;
    } else if (hart->irq.pending) {
        tensix_hart_enter_handler(hart);
    }
}

void tensix_hart_queue(TensixHart *hart, run_on_cpu_func fn)
{
    async_run_on_cpu(hart->cpu, fn, RUN_ON_CPU_HOST_PTR(hart));
}

void tensix_hart_queue_work(TensixHart *hart)
{
    tensix_hart_queue(hart, hart_work);
}

/* --- the instruction cache --- */

static void flush_code(CPUState *cs, run_on_cpu_data data)
{
    riscv_tensix_discard_kept(cs);
    riscv_tensix_all_cold(cs);
}

void tensix_hart_invalidate_code(TensixHart *hart)
{
    async_run_on_cpu(hart->cpu, flush_code, RUN_ON_CPU_NULL);
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

/* The pc at ra, or the hart's own if ra is not in translated code. */
static uint32_t unwind_pc(TensixHart *hart, uintptr_t ra)
{
    TensixHartPlaces *places = &hart->places;
    uint64_t data[1 + TARGET_INSN_START_EXTRA_WORDS];
    unsigned i = place_of(ra);

    if (!cpu_unwind_state_data(hart->cpu, ra, data)) {
        return tensix_hart_env_pc(hart);
    }
    places->at[i].ra = ra;
    places->at[i].pc = data[0];
    return data[0];
}

/* The same, unwound once per place.  On the hart's own thread. */
static uint32_t pc_at(TensixHart *hart, uintptr_t ra)
{
    TensixHartPlaces *places = &hart->places;
    unsigned i = place_of(ra), flushes = tb_flushes();

    if (places->flushes != flushes) {
        memset(places, 0, sizeof(*places));
        places->flushes = flushes;
    }
    if (places->at[i].ra == ra && ra) {
        return places->at[i].pc;
    }
    return unwind_pc(hart, ra);
}

uint32_t tensix_hart_pc(TensixHart *hart, uintptr_t ra)
{
    return tensix_hart_is_running_here(hart)
               ? pc_at(hart, ra ?: hart->cpu->mem_io_pc)
               : tensix_hart_env_pc(hart);
}

uint32_t tensix_hart_access_pc(TensixHart *hart)
{
    return tensix_hart_is_running_here(hart)
               ? pc_at(hart, hart->cpu->mem_io_pc)
               : 0;
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
    hart->reset.held = true;
    map_view(hart, info);
    map_root(hart);
    tensix_once_init(&hart->unaligned, hart);
    if (make_cpu(hart, info, errp)) {
        hart->reporter->hart_cpu[hart->id] = hart->cpu;
        qemu_register_resettable(OBJECT(hart->cpu));
        hart->vm_state = qemu_add_vm_change_state_handler(
            tensix_hart_vm_state_changed, hart);
    }
}

static void tensix_hart_unrealize(DeviceState *dev)
{
    TensixHart *hart = TENSIX_HART(dev);

    tensix_once_finish(&hart->unaligned);
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
 * All of it in the first phase: the CPU's hold phase reads held and boot_pc,
 * and images are put into memory in the hold phase.
 */
static void tensix_hart_reset_enter(Object *obj, ResetType type)
{
    TensixHart *hart = TENSIX_HART(obj);

    tensix_hart_power_on(hart);
}

/* Incoming state is not trusted. */
static int tensix_hart_post_load(void *opaque, int version_id)
{
    TensixHart *hart = opaque;

    if (!tensix_cpu_state_valid(hart)) {
        return -EINVAL;
    }
    hart->pause.gdb_knows &= gdb_attached_to_cpu(hart->cpu);
    tensix_hart_queue_work(hart);
    tensix_hart_debug_loaded(hart);
    return 0;
}

static const VMStateDescription vmstate_tensix_hart = {
    .name = TYPE_TENSIX_HART,
    .version_id = 2,
    .minimum_version_id = 2,
    .post_load = tensix_hart_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(stall, TensixHart, 1, vmstate_tensix_hart_stall,
                       TensixHartStall),
        VMSTATE_STRUCT(reset, TensixHart, 1, vmstate_tensix_hart_reset,
                       TensixHartReset),
        VMSTATE_STRUCT(pause, TensixHart, 1, vmstate_tensix_hart_pause,
                       TensixHartPause),
        VMSTATE_STRUCT(irq, TensixHart, 1, vmstate_tensix_hart_irq,
                       TensixHartIrq),
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
    bool is_coming = hart->reset.restart || hart->irq.pending;

    return !hart->reset.held &&
           (hart->debug.going_on ||
            (!hart->pause.paused && (is_coming || tensix_hart_can_run(hart))));
}

/* A reset, an interrupt or a continue on its way ends each way to wait. */
static bool tensix_hart_busy(const Object *obj)
{
    const TensixHart *hart = TENSIX_HART(obj);

    return tensix_hart_will_run(hart) &&
           (hart->reset.restart || hart->irq.pending || hart->debug.going_on ||
            !tensix_hart_spins(hart));
}

static void tensix_hart_class_init(ObjectClass *oc, TensixClassData *data)
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
