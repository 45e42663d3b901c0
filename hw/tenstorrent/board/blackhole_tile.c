/*
 * Machine "blackhole-tile": Tensix tiles of a Tenstorrent Blackhole, one by
 * default.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options:
 *  + tiles=COLUMNSxROWS, and those of each tile: blackhole_tile_options.c
 *  + brisc-symbols=FILE[@OFFSET], ...: blackhole_tile_symbols.c
 *  + rewind=on|off, ...: blackhole_tile_rewind.c
 *  + host=CHARDEV, host-socket=PATH, ...: blackhole_tile_host.c
 * Memory (-m) is the first tile's L1 and cannot be resized.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/accel.h"
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "exec/address-spaces.h"
#include "hw/core/generic-loader.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/blackhole_tile.h"
#include "hw/tenstorrent/tensix_turns.h"
#include "system/cpu-timers.h"
#include "system/system.h"
#include "hw/tenstorrent/board/tensix_version.h"

/* Raw coordinates of the first tile. */
enum { FIRST_X = 1, FIRST_Y = 2 };

/* Options of QEMU that would have no effect here. */
static bool check_options(const BlackholeTile *m, Error **errp)
{
    const MachineState *machine = MACHINE(m);

    if (machine->smp.max_cpus != blackhole_tile_count(m) * TENSIX_NUM_HARTS) {
        error_setg(errp, "a Tensix tile has %u harts: leave out -smp",
                   TENSIX_NUM_HARTS);
        return false;
    }
    if (machine->ram_size != TENSIX_L1_SIZE) {
        error_setg(errp, "the memory of a Tensix tile is its L1, %u KiB: leave "
                   "out -m", TENSIX_L1_SIZE / 1024);
        return false;
    }
    if (machine->kernel_filename || machine->initrd_filename ||
        machine->kernel_cmdline[0] || machine->dtb || machine->firmware) {
        error_setg(errp, "a Tensix tile boots no operating system (-kernel, "
                   "-initrd, -append, -dtb, -bios): give a hart its ELF file "
                   "with -M blackhole-tile,brisc=FILE");
        return false;
    }
    return true;
}

/* --- tiles --- */

/* What BRISC of a tile sees, for qtest and monitors. */
static MemTxResult window_read(void *tile, hwaddr addr, uint64_t *data,
                               unsigned size, MemTxAttrs attrs)
{
    AddressSpace *as = TENSIX_TILE(tile)->hart[TENSIX_HART_BRISC].cpu->as;
    uint8_t bytes[8] = { 0 };
    MemTxResult result = address_space_read(as, addr, attrs, bytes, size);

    *data = ldq_le_p(bytes);
    return result;
}

static MemTxResult window_write(void *tile, hwaddr addr, uint64_t data,
                                unsigned size, MemTxAttrs attrs)
{
    AddressSpace *as = TENSIX_TILE(tile)->hart[TENSIX_HART_BRISC].cpu->as;
    uint8_t bytes[8];

    stq_le_p(bytes, data);
    return address_space_write(as, addr, attrs, bytes, size);
}

static const MemoryRegionOps window_ops = {
    .read_with_attrs = window_read,
    .write_with_attrs = window_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

static MemoryRegion *tile_region(const BlackholeTile *m, unsigned n)
{
    return sysbus_mmio_get_region(SYS_BUS_DEVICE(m->tile[n]), 0);
}

/*
 * qtest and monitors see what BRISC of the first tile sees, and each other tile
 * there in one region: an address space has no room for those of 16 tiles.
 */
static void map_tile(BlackholeTile *m, unsigned n)
{
    MemoryRegion *window = &m->window[n];

    if (n) {
        memory_region_init_io(window, OBJECT(m), &window_ops, m->tile[n],
                              "tensix-tile-window",
                              1ull << TENSIX_TILE_WINDOW_SHIFT);
        memory_region_add_subregion(tile_region(m, 0),
                                    (hwaddr)n << TENSIX_TILE_WINDOW_SHIFT,
                                    window);
    } else {
        memory_region_init_alias(window, OBJECT(m), "tensix-system",
                                 tile_region(m, 0), 0, UINT64_MAX);
        memory_region_add_subregion(get_system_memory(), 0, window);
    }
}

static bool realize_tile(BlackholeTile *m, unsigned n, Error **errp)
{
    TensixTile *tile = m->tile[n];
    uint32_t x = FIRST_X + n % m->columns, y = FIRST_Y + n / m->columns;
    g_autofree char *name = g_strdup_printf("tile (%u,%u)", x, y);

    if (blackhole_tile_count(m) > 1) {
        qdev_prop_set_string(DEVICE(tile), "name", name);
    }
    tile->turns = m->turns;
    tile->sources = m->sources;
    tile->has_host = blackhole_tile_has_host(m);
    qdev_prop_set_uint32(DEVICE(tile), "number", n);
    qdev_prop_set_uint32(DEVICE(tile), "x", x);
    qdev_prop_set_uint32(DEVICE(tile), "y", y);
    object_property_set_link(OBJECT(tile), "noc", OBJECT(&m->noc),
                             &error_abort);
    if (!sysbus_realize(SYS_BUS_DEVICE(tile), errp)) {
        return false;
    }
    map_tile(m, n);
    return true;
}

static void new_tile(BlackholeTile *m, unsigned n)
{
    g_autofree char *name = g_strdup_printf("tile[%u]", n);
    Object *tile = object_new(TYPE_TENSIX_TILE);

    object_property_add_child(OBJECT(m), name, tile);
    object_unref(tile);            /* the machine holds it */
    m->tile[n] = TENSIX_TILE(tile);
}

static int link_part(Object *part, void *machine)
{
    const char *name = object_get_canonical_path_component(part);

    if (!object_dynamic_cast(part, TYPE_MEMORY_REGION)) {
        object_property_add_const_link(machine, name, part);
    }
    return 0;
}

static bool make_tiles(BlackholeTile *m, Error **errp)
{
    object_property_set_link(OBJECT(m->tile[0]), "l1",
                             OBJECT(MACHINE(m)->ram), &error_abort);
    if (!realize_tile(m, 0, errp)) {
        return false;
    }
    for (unsigned n = 1; n < blackhole_tile_count(m); n++) {
        new_tile(m, n);
        if (!blackhole_tile_copy_options(m, n, errp) ||
            !realize_tile(m, n, errp)) {
            return false;
        }
    }
    memory_region_add_subregion(
        tile_region(m, 0), TENSIX_NOC_WINDOW_BASE,
        sysbus_mmio_get_region(SYS_BUS_DEVICE(&m->noc), 0));
    /* the first tile's parts are found as if they were the machine's */
    object_child_foreach(OBJECT(m->tile[0]), link_part, m);
    return true;
}

static bool make_machine(BlackholeTile *m, Error **errp)
{
    bool made;

    if (!check_options(m, errp)) {
        return false;
    }
    memory_region_transaction_begin();
    m->turns = tensix_turns_new();
    made = sysbus_realize(SYS_BUS_DEVICE(&m->noc), errp) &&
           make_tiles(m, errp);
    memory_region_transaction_commit();
    return made && blackhole_tile_make_host(m, errp) &&
           blackhole_tile_begin_rewind(m, errp);
}

/* --- harts that start --- */

/* -device loader,cpu-num=N gives hart N % 5 of tile N / 5 an image as well. */
static int set_loaded(Object *obj, void *opaque)
{
    BlackholeTile *m = opaque;
    GenericLoaderState *loader = (GenericLoaderState *)
        object_dynamic_cast(obj, TYPE_GENERIC_LOADER);

    if (loader && loader->set_pc &&
        loader->cpu_num < blackhole_tile_count(m) * TENSIX_NUM_HARTS) {
        TensixTile *tile = m->tile[loader->cpu_num / TENSIX_NUM_HARTS];
        TensixHart *hart = &tile->hart[loader->cpu_num % TENSIX_NUM_HARTS];

        tensix_hart_set_image(hart, loader->addr);
    }
    return 0;
}

/* With an image for BRISC, BRISC releases the others, as firmware does. */
static void choose_starters(TensixTile *tile)
{
    bool brisc_alone = tensix_hart_has_image(&tile->hart[TENSIX_HART_BRISC]);

    for (unsigned i = 0; i < TENSIX_NUM_HARTS; i++) {
        TensixHart *hart = &tile->hart[i];

        tensix_hart_set_start_held(hart, !tensix_hart_has_image(hart) ||
                                   (brisc_alone && i != TENSIX_HART_BRISC));
    }
}

static void machine_done(Notifier *notifier, void *data)
{
    BlackholeTile *m = container_of(notifier, BlackholeTile, machine_done);

    object_child_foreach_recursive(object_get_root(), set_loaded, m);
    for (unsigned n = 0; n < blackhole_tile_count(m); n++) {
        choose_starters(m->tile[n]);
    }
}

/* --- machine --- */

/* A machine's init function is where errors end. */
static void blackhole_tile_init(MachineState *machine)
{
    BlackholeTile *m = BLACKHOLE_TILE(machine);
    uint64_t seed = m->tile[0]->options.schedule_seed;

    if (seed && !icount_enabled()) {
        warn_report("schedule=seed=%" PRIu64 ": the next run may have another "
                    "order: without -icount the order also depends on the "
                    "host's timing (add -icount shift=0,sleep=off, or "
                    "--accel=icount to a tool)", seed);
    }
    make_machine(m, &error_fatal);
    m->machine_done.notify = machine_done;
    qemu_add_machine_init_done_notifier(&m->machine_done);
}

/* The first tile is there from the start, to take the options. */
static void blackhole_tile_instance_init(Object *obj)
{
    BlackholeTile *m = BLACKHOLE_TILE(obj);

    m->columns = m->rows = 1;
    m->sources = tensix_sources_new();
    object_initialize_child(obj, "noc", &m->noc, TYPE_TENSIX_NOC);
    new_tile(m, 0);
    blackhole_tile_init_rewind_options(m);
}

static void blackhole_tile_finalize(Object *obj)
{
    BlackholeTile *m = BLACKHOLE_TILE(obj);

    blackhole_tile_free_host_options(m);
    tensix_sources_free(m->sources);
    blackhole_tile_end_rewind(m);
    tensix_turns_free(m->turns);
}

static char *get_version(Object *obj, Error **errp)
{
    return g_strdup(BLACKHOLE_TILE_VERSION);
}

static void add_properties(ObjectClass *oc)
{
    object_class_property_add_str(oc, "version", get_version, NULL);
    object_class_property_set_description(oc, "version",
        "of blackhole-tile; read only");
    blackhole_tile_add_tile_properties(oc);
    blackhole_tile_add_symbol_properties(oc);
    blackhole_tile_add_rewind_properties(oc);
    blackhole_tile_add_host_properties(oc);
}

/*
 * Without thread= on the command line the harts share one host thread: the
 * median kernel is no faster for it, but none is held up for long when the host
 * is busy (docs, "Accelerators and time").
 */
static GlobalProperty accelerator_defaults[] = {
    { ACCEL_CLASS_NAME("tcg"), "thread", "single" },
};

static void blackhole_tile_class_init(ObjectClass *oc, void *data)
{
    static const char *const cpu_types[] = { TYPE_TENSIX_CPU, NULL };
    MachineClass *mc = MACHINE_CLASS(oc);

    mc->desc = "Tenstorrent Blackhole, one Tensix tile ("
               BLACKHOLE_TILE_VERSION ")";
    mc->init = blackhole_tile_init;
    mc->min_cpus = TENSIX_NUM_HARTS;
    mc->max_cpus = TENSIX_NUM_HARTS;
    mc->default_cpus = TENSIX_NUM_HARTS;
    mc->default_cpu_type = TYPE_TENSIX_CPU;
    mc->valid_cpu_types = cpu_types;
    mc->default_ram_id = "tensix.l1";
    mc->default_ram_size = TENSIX_L1_SIZE;
    mc->no_parallel = 1;
    mc->no_floppy = 1;
    mc->no_cdrom = 1;
    compat_props_add(mc->compat_props, accelerator_defaults,
                     ARRAY_SIZE(accelerator_defaults));
    add_properties(oc);
}

static const TypeInfo blackhole_tile_types[] = {
    {
        .name = TYPE_BLACKHOLE_TILE,
        .parent = TYPE_MACHINE,
        .instance_size = sizeof(BlackholeTile),
        .instance_init = blackhole_tile_instance_init,
        .instance_finalize = blackhole_tile_finalize,
        .class_init = blackhole_tile_class_init,
    },
};

DEFINE_TYPES(blackhole_tile_types)
