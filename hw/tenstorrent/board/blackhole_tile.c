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
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/blackhole_tile.h"
#include "hw/tenstorrent/tensix_turns.h"
#include "hw/tenstorrent/board/tensix_version.h"
#include "system/bql-short.h"

/* --- tiles --- */

/* qtest and monitors see what BRISC of the first tile sees. */
static void map_first(BlackholeTile *m)
{
    MemoryRegion *all = sysbus_mmio_get_region(SYS_BUS_DEVICE(m->tile[0]), 0);

    memory_region_init_alias(&m->system_alias, OBJECT(m), "tensix-system", all,
                             0, UINT64_MAX);
    memory_region_add_subregion(get_system_memory(), 0, &m->system_alias);
    memory_region_add_subregion(
        all, TENSIX_NOC_WINDOW_BASE,
        sysbus_mmio_get_region(SYS_BUS_DEVICE(&m->noc), 0));
}

static bool realize_tile(BlackholeTile *m, unsigned n, Error **errp)
{
    TensixTile *tile = m->tile[n];

    tile->turns = m->turns;
    tile->sources = m->sources;
    tile->has_host = blackhole_tile_has_host(m);
    qdev_prop_set_uint32(DEVICE(tile), "number", n);
    qdev_prop_set_uint32(DEVICE(tile), "x", m->noc.x + n % m->columns);
    qdev_prop_set_uint32(DEVICE(tile), "y", m->noc.y + n / m->columns);
    qdev_prop_set_bit(DEVICE(tile), "several", blackhole_tile_count(m) > 1);
    object_property_set_link(OBJECT(tile), "noc", OBJECT(&m->noc),
                             &error_abort);
    return sysbus_realize(SYS_BUS_DEVICE(tile), errp);
}

static void new_tile(BlackholeTile *m, unsigned n)
{
    g_autofree char *name = g_strdup_printf("tile[%u]", n);
    Object *tile = object_new(TYPE_TENSIX_TILE);

    object_property_add_child(OBJECT(m), name, tile);
    object_unref(tile);            /* the machine holds it */
    m->tile[n] = TENSIX_TILE(tile);
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
        tensix_tile_map_window(m->tile[0], m->tile[n]);
    }
    map_first(m);
    tensix_tile_name_parts(m->tile[0], OBJECT(m));
    return true;
}

static bool make_machine(BlackholeTile *m, Error **errp)
{
    bool made;

    if (!blackhole_tile_check_options(m, errp)) {
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

/*
 * Devices are wired to each other for good: QEMU refuses to unrealize one, by
 * qom-set, as one that is plugged in and cannot be.
 */
static int keep_realized(Object *obj, void *opaque)
{
    DeviceState *dev = (DeviceState *)object_dynamic_cast(obj, TYPE_DEVICE);

    if (dev) {
        DEVICE_GET_CLASS(dev)->hotpluggable = false;
        dev->hotplugged = true;
    }
    return 0;
}

/* --- machine --- */

/* A machine's init function is where errors end. */
static void blackhole_tile_init(MachineState *machine)
{
    bql_expect_short_waits();
    make_machine(BLACKHOLE_TILE(machine), &error_fatal);
    object_child_foreach_recursive(OBJECT(machine), keep_realized, NULL);
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
    tensix_turns_free(m->turns);
}

/*
 * Without thread= on the command line the harts share one host thread: the
 * median kernel is no faster for it, but none is held up for long when the host
 * is busy (docs, "Accelerators and time").
 */
static GlobalProperty accelerator_defaults[] = {
    { ACCEL_CLASS_NAME("tcg"), "thread", "single" },
};

static void blackhole_tile_class_init(ObjectClass *oc, TensixClassData *data)
{
    static const char *const cpu_types[] = { TYPE_TENSIX_CPU, NULL };
    MachineClass *mc = MACHINE_CLASS(oc);

    mc->desc = "Tenstorrent Blackhole, Tensix tiles ("
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
    blackhole_tile_add_properties(oc);
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
