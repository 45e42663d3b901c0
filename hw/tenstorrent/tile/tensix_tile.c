/*
 * A Tensix tile: its harts, devices and views of memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_tile.h
 *
 * tensix_tile_devices.c says which devices there are, where they are mapped and
 * what they are wired to.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_hart_direct.h"
#include "hw/tenstorrent/tensix_tile.h"
#include "hw/tenstorrent/tensix_turns.h"
#include "system/system.h"

/* Slow path to the local RAMs; the TRISCs' repeat in the next 4 KiB. */
typedef struct SlowPath {
    unsigned hart;
    hwaddr base;
} SlowPath;

static const SlowPath slow_paths[] = {
    { TENSIX_HART_BRISC, 0xFFB14000 },
    { TENSIX_HART_NCRISC, 0xFFB16000 },
    { TENSIX_HART_TRISC0, 0xFFB18000 },
    { TENSIX_HART_TRISC0, 0xFFB19000 },
    { TENSIX_HART_TRISC1, 0xFFB1A000 },
    { TENSIX_HART_TRISC1, 0xFFB1B000 },
    { TENSIX_HART_TRISC2, 0xFFB1C000 },
    { TENSIX_HART_TRISC2, 0xFFB1D000 },
};

static MemoryRegion *view_of(TensixTile *tile, unsigned view)
{
    return view == TENSIX_VIEW_NOC ? &tile->noc_view : &tile->hart[view].view;
}

/* A region may be in several views: each gets its own alias. */
static void map_alias(MemoryRegion *container, MemoryRegion *mr, hwaddr base)
{
    MemoryRegion *alias = g_new0(MemoryRegion, 1);

    memory_region_init_alias(alias, NULL, memory_region_name(mr), mr, 0,
                             memory_region_size(mr));
    memory_region_add_subregion(container, base, alias);
}

/* --- wires --- */

/* The NoC's view is not the tile's child: wires find it by this link. */
static void name_noc_view(TensixTile *tile)
{
    object_property_add_const_link(OBJECT(tile), "noc-memory",
                                   OBJECT(&tile->noc_view));
}

static bool wire_up(TensixTile *tile, const char *name, DeviceState *dev,
                    Error **errp)
{
    for (unsigned i = 0; i < tile_wire_count; i++) {
        const TileWire *wire = &tile_wires[i];
        Object *target;

        if (strcmp(wire->device, name)) {
            continue;
        }
        target = object_property_get_link(OBJECT(tile), wire->target, errp);
        if (!target || !object_property_set_link(OBJECT(dev), wire->property,
                                                 target, errp)) {
            return false;
        }
    }
    return true;
}

/* --- harts, and the reporter that they use --- */

static bool make_reporter(TensixTile *tile, Error **errp)
{
    object_initialize_child(OBJECT(tile), "bus", &tile->bus, TYPE_TENSIX_BUS);
    object_initialize_child(OBJECT(tile), "reporter", &tile->reporter,
                            TYPE_TENSIX_REPORTER);
    snprintf(tile->name, sizeof(tile->name), "tile (%u,%u)", tile->x, tile->y);
    tensix_report_set_tile(&tile->reporter, tile->sources,
                           tile->several ? tile->name : NULL);
    if (!wire_up(tile, "reporter", DEVICE(&tile->reporter), errp)) {
        return false;
    }
    return qdev_realize(DEVICE(&tile->reporter), NULL, errp);
}

static bool make_hart(TensixTile *tile, unsigned id, Error **errp)
{
    TensixHart *hart = &tile->hart[id];
    g_autofree char *name = g_strdup_printf("%s-hart", tensix_hart_name(id));

    object_initialize_child(OBJECT(tile), name, hart, TYPE_TENSIX_HART);
    qdev_prop_set_uint32(DEVICE(hart), "hart-id", id);
    qdev_prop_set_uint32(DEVICE(hart), "tile-number", tile->number);
    return wire_up(tile, name, DEVICE(hart), errp) &&
           sysbus_realize(SYS_BUS_DEVICE(hart), errp) &&
           tensix_turns_add(tile->turns, hart, errp);
}

static bool make_harts(TensixTile *tile, Error **errp)
{
    for (unsigned i = 0; i < TENSIX_NUM_HARTS; i++) {
        if (!make_hart(tile, i, errp)) {
            return false;
        }
    }
    return true;
}

/* --- views --- */

/*
 * Addresses in the NoC's view where there is no device.  A request is refused,
 * and its NIU reports it; any other user of this view would not notice.
 */
static void report_unmapped(TensixTile *tile, hwaddr addr, unsigned size,
                            MemTxAttrs attrs, const char *access)
{
    const TensixActor by = tensix_access_actor(tile->hart, attrs);

    if (!attrs.debug && by.kind != TENSIX_BY_NOC && by.kind != TENSIX_BY_HOST) {
        tensix_report_by(&tile->reporter, &by, TENSIX_BAD_ACCESS,
                         "%s 0x%08x (%u bytes) over the NoC, where nothing is "
                         "that it can reach", access, (uint32_t)addr, size);
    }
}

static MemTxResult noc_unmapped_read(void *opaque, hwaddr addr, uint64_t *data,
                                     unsigned size, MemTxAttrs attrs)
{
    *data = 0;
    report_unmapped(opaque, addr, size, attrs, "load from");
    return MEMTX_DECODE_ERROR;
}

static MemTxResult noc_unmapped_write(void *opaque, hwaddr addr, uint64_t data,
                                      unsigned size, MemTxAttrs attrs)
{
    report_unmapped(opaque, addr, size, attrs, "store to");
    return MEMTX_DECODE_ERROR;
}

static const MemoryRegionOps noc_unmapped_ops = {
    .read_with_attrs = noc_unmapped_read,
    .write_with_attrs = noc_unmapped_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

static void map_noc_view(TensixTile *tile)
{
    enum { PRIORITY_UNMAPPED = -1 };
    MemoryRegion *l1 = tile->l1;

    memory_region_init(&tile->noc_view, OBJECT(tile), "tensix-noc-view",
                       TENSIX_VIEW_SIZE);
    memory_region_init_alias(&tile->noc_l1, OBJECT(tile), "tensix-noc-l1", l1,
                             0, TENSIX_L1_SIZE);
    memory_region_add_subregion(&tile->noc_view, 0, &tile->noc_l1);
    memory_region_init_io(&tile->noc_unmapped, OBJECT(tile), &noc_unmapped_ops,
                          tile, "tensix-noc-unmapped", TENSIX_VIEW_SIZE);
    memory_region_add_subregion_overlap(&tile->noc_view, 0, &tile->noc_unmapped,
                                        PRIORITY_UNMAPPED);
}

static void map_slow_paths(TensixTile *tile)
{
    for (unsigned i = 0; i < ARRAY_SIZE(slow_paths); i++) {
        TensixHart *hart = &tile->hart[slow_paths[i].hart];

        for (unsigned view = 0; view < TENSIX_NUM_VIEWS; view++) {
            map_alias(view_of(tile, view), &hart->local_ram,
                      slow_paths[i].base);
        }
    }
}

/* Every view, the NoC's last, above what a hart can address. */
static void map_windows(TensixTile *tile)
{
    MemoryRegion *root = &tile->hart[TENSIX_HART_BRISC].root;

    for (unsigned view = 0; view < TENSIX_NUM_VIEWS; view++) {
        map_alias(root, view_of(tile, view), (view + 1) * TENSIX_VIEW_SIZE);
    }
    sysbus_init_mmio(SYS_BUS_DEVICE(tile), root);
}

/* --- devices --- */

Object *tensix_tile_device(const TensixTile *tile, const char *name)
{
    return object_resolve_path_component(OBJECT(tile), name);
}

/* By name: an instrument may go away. */
static int name_part(Object *part, void *owner)
{
    const char *name = object_get_canonical_path_component(part);

    if (!object_dynamic_cast(part, TYPE_MEMORY_REGION)) {
        object_property_add_alias(owner, name, part->parent, name);
    }
    return 0;
}

void tensix_tile_name_parts(TensixTile *tile, Object *owner)
{
    object_child_foreach(OBJECT(tile), name_part, owner);
}

static SysBusDevice *make_device(TensixTile *tile, const TileDevice *row,
                                 Error **errp)
{
    DeviceState *dev = qdev_new(row->type);

    object_property_add_child(OBJECT(tile), row->name, OBJECT(dev));
    object_unref(OBJECT(dev));     /* the tile holds it */
    tensix_tile_set_options(tile, row->name, dev);
    if (!wire_up(tile, row->name, dev, errp) ||
        !sysbus_realize(SYS_BUS_DEVICE(dev), errp)) {
        return NULL;
    }
    return SYS_BUS_DEVICE(dev);
}

/* Rows with the same name are one device, made at its first row. */
static SysBusDevice *get_device(TensixTile *tile, const TileDevice *row,
                                Error **errp)
{
    Object *obj = tensix_tile_device(tile, row->name);

    return obj ? SYS_BUS_DEVICE(obj) : make_device(tile, row, errp);
}

static unsigned region_of(const TileDevice *row, unsigned view)
{
    switch (row->spread) {
    case TILE_PER_VIEW:
        return row->region + view;
    case TILE_PER_THREAD:
        return row->region + view - TENSIX_HART_TRISC0;
    default:
        return row->region;
    }
}

static void map_device(TensixTile *tile, const TileDevice *row, unsigned view,
                       MemoryRegion *container, MemoryRegion *mr)
{
    map_alias(container, mr, row->base);
    if (!(row->views & TILE_PUSH)) {
        tensix_tile_tap(tile, row->name, view, container, mr, row->base);
    }
}

static void map_row(TensixTile *tile, const TileDevice *row,
                    SysBusDevice *dev)
{
    for (unsigned view = 0; view < TENSIX_NUM_VIEWS; view++) {
        MemoryRegion *mr;

        if (!(row->views & (1u << view))) {
            continue;
        }
        mr = sysbus_mmio_get_region(dev, region_of(row, view));
        map_device(tile, row, view, view_of(tile, view), mr);
        if (view < TENSIX_NUM_HARTS) {
            tensix_hart_map_direct(&tile->hart[view], mr, row->base);
        }
    }
    if (row->views & TILE_SYSTEM) {
        map_device(tile, row, TENSIX_HART_BRISC,
                   &tile->hart[TENSIX_HART_BRISC].root,
                   sysbus_mmio_get_region(dev, row->region));
    }
}

static bool make_devices(TensixTile *tile, Error **errp)
{
    for (unsigned i = 0; i < tile_device_count; i++) {
        SysBusDevice *dev = get_device(tile, &tile_devices[i], errp);

        if (!dev) {
            return false;
        }
        map_row(tile, &tile_devices[i], dev);
    }
    return true;
}

/* --- device --- */

static bool make_l1(TensixTile *tile, Error **errp)
{
    g_autofree char *name = g_strdup_printf("tensix.tile%u-l1", tile->number);

    if (!memory_region_init_ram(&tile->own_l1, OBJECT(tile), name,
                                TENSIX_L1_SIZE, errp)) {
        return false;
    }
    tile->l1 = &tile->own_l1;
    return true;
}

static bool check_board(const TensixTile *tile, Error **errp)
{
    if (!tile->noc || !tile->turns || !tile->sources) {
        error_setg(errp, "%s: its board has not connected it",
                   TYPE_TENSIX_TILE);
        return false;
    }
    if (tile->several &&
        tensix_noc_tile_kind(tile->x, tile->y) != TENSIX_TILE_TENSIX) {
        error_setg(errp, "tile %u of several (tiles=): at (%u,%u) of a chip "
                   "there is no Tensix tile", tile->number, tile->x, tile->y);
        return false;
    }
    if (tile->l1 && memory_region_size(tile->l1) != TENSIX_L1_SIZE) {
        error_setg(errp, "%s: l1 must have %u bytes", TYPE_TENSIX_TILE,
                   TENSIX_L1_SIZE);
        return false;
    }
    if (tile->l1 && memory_region_is_rom(tile->l1)) {
        error_setg(errp, "%s: l1 is read-only (memory-backend=)",
                   TYPE_TENSIX_TILE);
        return false;
    }
    return true;
}

static bool make_parts(TensixTile *tile, Error **errp)
{
    if (!tile->l1 && !make_l1(tile, errp)) {
        return false;
    }
    map_noc_view(tile);
    name_noc_view(tile);
    if (!make_reporter(tile, errp) || !make_harts(tile, errp)) {
        return false;
    }
    map_slow_paths(tile);
    map_windows(tile);
    tensix_tile_init_taps(tile);
    return make_devices(tile, errp);
}

/*
 * One transaction: recomputing the views with each region took most of the time
 * of a start.
 */
static void tensix_tile_realize(DeviceState *dev, Error **errp)
{
    TensixTile *tile = TENSIX_TILE(dev);
    bool made;

    if (!check_board(tile, errp)) {
        return;
    }
    memory_region_transaction_begin();
    made = make_parts(tile, errp);
    memory_region_transaction_commit();
    if (made && tensix_tile_begin(tile, errp)) {
        tile->machine_done.notify = tensix_tile_choose_starters;
        qemu_add_machine_init_done_notifier(&tile->machine_done);
    }
}

static void tensix_tile_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);

    dc->desc = "Tensix tile";
    dc->realize = tensix_tile_realize;
    dc->vmsd = &vmstate_tensix_tile;
    tensix_tile_add_properties(dc);
}

static const TypeInfo tensix_tile_types[] = {
    {
        .name = TYPE_TENSIX_TILE,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixTile),
        .class_init = tensix_tile_class_init,
    },
};

DEFINE_TYPES(tensix_tile_types)
