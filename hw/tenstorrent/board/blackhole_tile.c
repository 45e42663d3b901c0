/*
 * Machine "blackhole-tile": one Tensix tile of a Tenstorrent Blackhole.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options:
 *  + brisc=FILE, ncrisc=FILE, trisc0=FILE, trisc1=FILE, trisc2=FILE: ELF images
 *  + on-violation=log|stop|exit
 *  + on-deadlock=log|stop|exit
 *  + hazards=on|off
 *  + leaks=off|report
 *  + writers=on|off
 *  + unwritten=off|report
 *  + schedule=eager|seed=N
 *  + brisc-symbols=FILE[@OFFSET], ...: blackhole_tile_symbols.c
 *  + timeline=FILE: also at run time; "" ends it
 *  + rewind=on|off, ...: blackhole_tile_rewind.c
 *  + host=CHARDEV, host-socket=PATH, ...: blackhole_tile_host.c
 * Memory (-m) is L1 and cannot be resized.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/accel.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "exec/address-spaces.h"
#include "hw/core/generic-loader.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/blackhole_tile.h"
#include "hw/tenstorrent/tensix_timeline.h"
#include "hw/tenstorrent/tensix_turns.h"
#include "hw/tenstorrent/tensix_noc.h"
#include "system/cpu-timers.h"
#include "system/system.h"
#include "hw/tenstorrent/board/tensix_version.h"

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

static MemoryRegion *view_of(BlackholeTile *tile, unsigned view)
{
    return view == TENSIX_VIEW_NOC ? &tile->noc_view : &tile->hart[view].view;
}

/* A region may be in several views: each gets an alias of its own. */
static void map_alias(MemoryRegion *container, MemoryRegion *mr, hwaddr base)
{
    MemoryRegion *alias = g_new0(MemoryRegion, 1);

    memory_region_init_alias(alias, NULL, memory_region_name(mr), mr, 0,
                             memory_region_size(mr));
    memory_region_add_subregion(container, base, alias);
}

/* --- wires --- */

/* The memories are not the tile's children: wires find them by these links. */
static void name_memories(BlackholeTile *tile)
{
    object_property_add_const_link(OBJECT(tile), "l1",
                                   OBJECT(MACHINE(tile)->ram));
    object_property_add_const_link(OBJECT(tile), "noc-memory",
                                   OBJECT(&tile->noc_view));
}

static bool wire_up(BlackholeTile *tile, const char *name, DeviceState *dev,
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

/* --- harts, and whom they report to --- */

static bool make_reporter(BlackholeTile *tile, Error **errp)
{
    object_initialize_child(OBJECT(tile), "bus", &tile->bus, TYPE_TENSIX_BUS);
    object_initialize_child(OBJECT(tile), "reporter", &tile->reporter,
                            TYPE_TENSIX_REPORTER);
    qdev_prop_set_uint32(DEVICE(&tile->reporter), "on-violation",
                         tile->on_violation);
    tensix_report_set_sources(&tile->reporter, tile->sources);
    if (!wire_up(tile, "reporter", DEVICE(&tile->reporter), errp)) {
        return false;
    }
    return qdev_realize(DEVICE(&tile->reporter), NULL, errp);
}

static bool make_hart(BlackholeTile *tile, unsigned id, Error **errp)
{
    TensixHart *hart = &tile->hart[id];
    g_autofree char *name = g_strdup_printf("%s-hart", tensix_hart_name(id));

    object_initialize_child(OBJECT(tile), name, hart, TYPE_TENSIX_HART);
    qdev_prop_set_uint32(DEVICE(hart), "hart-id", id);
    return wire_up(tile, name, DEVICE(hart), errp) &&
           sysbus_realize(SYS_BUS_DEVICE(hart), errp) &&
           tensix_turns_add(tile->turns, hart, errp);
}

static bool make_harts(BlackholeTile *tile, Error **errp)
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
 * Where nothing is that the NoC reaches.  A request is refused, and its NIU says
 * so; anybody else who uses this view would not notice.
 */
static void report_unmapped(BlackholeTile *tile, hwaddr addr, unsigned size,
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

static void map_noc_view(BlackholeTile *tile)
{
    enum { PRIORITY_UNMAPPED = -1 };
    MemoryRegion *l1 = MACHINE(tile)->ram;

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

static void map_slow_paths(BlackholeTile *tile)
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
static void map_windows(BlackholeTile *tile)
{
    MemoryRegion *root = &tile->hart[TENSIX_HART_BRISC].root;

    for (unsigned view = 0; view < TENSIX_NUM_VIEWS; view++) {
        map_alias(root, view_of(tile, view), (view + 1) * TENSIX_VIEW_SIZE);
    }
    memory_region_init_alias(&tile->system_alias, OBJECT(tile),
                             "tensix-system", root, 0, UINT64_MAX);
    memory_region_add_subregion(get_system_memory(), 0, &tile->system_alias);
}

/* --- devices --- */

static bool set_cop_options(BlackholeTile *tile, DeviceState *dev,
                            Error **errp)
{
    qdev_prop_set_uint64(dev, "schedule-seed", tile->schedule_seed);
    qdev_prop_set_bit(dev, "hazards", tile->hazards);
    qdev_prop_set_bit(dev, "writers", tile->writers);
    qdev_prop_set_bit(dev, "unwritten",
                      tile->unwritten == TENSIX_UNWRITTEN_READS_REPORT);
    return true;
}

static bool set_deadlock_options(BlackholeTile *tile, DeviceState *dev,
                                 Error **errp)
{
    qdev_prop_set_uint32(dev, "action", tile->on_deadlock);
    /* between requests of a host all may wait */
    qdev_prop_set_bit(dev, "unfinished",
                      !tile->host.chardev && !tile->host.socket);
    return true;
}

static bool set_kernel_options(BlackholeTile *tile, DeviceState *dev,
                               Error **errp)
{
    qdev_prop_set_uint32(dev, "leaks", tile->leaks);
    return true;
}

/* Options of the machine that are for a device. */
static const struct {
    const char *device;
    bool (*set)(BlackholeTile *tile, DeviceState *dev, Error **errp);
} option_setters[] = {
    { "cop", set_cop_options },
    { "deadlock", set_deadlock_options },
    { "kernel-watch", set_kernel_options },
    { "host-server", blackhole_tile_set_host_options },
};

static bool set_options(BlackholeTile *tile, const char *name,
                        DeviceState *dev, Error **errp)
{
    for (unsigned i = 0; i < ARRAY_SIZE(option_setters); i++) {
        if (!strcmp(option_setters[i].device, name) &&
            !option_setters[i].set(tile, dev, errp)) {
            return false;
        }
    }
    return true;
}

static SysBusDevice *make_device(BlackholeTile *tile, const TileDevice *row,
                                 Error **errp)
{
    DeviceState *dev = qdev_new(row->type);

    object_property_add_child(OBJECT(tile), row->name, OBJECT(dev));
    object_unref(OBJECT(dev));     /* the tile holds it */
    if (!set_options(tile, row->name, dev, errp) ||
        !wire_up(tile, row->name, dev, errp) ||
        !sysbus_realize(SYS_BUS_DEVICE(dev), errp)) {
        return NULL;
    }
    return SYS_BUS_DEVICE(dev);
}

/* Rows with the same name are one device, made at its first row. */
static SysBusDevice *get_device(BlackholeTile *tile, const TileDevice *row,
                                Error **errp)
{
    Object *obj = object_resolve_path_component(OBJECT(tile), row->name);

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

static void map_row(BlackholeTile *tile, const TileDevice *row,
                    SysBusDevice *dev)
{
    for (unsigned view = 0; view < TENSIX_NUM_VIEWS; view++) {
        if (row->views & (1u << view)) {
            map_alias(view_of(tile, view),
                      sysbus_mmio_get_region(dev, region_of(row, view)),
                      row->base);
        }
    }
    if (row->views & TILE_SYSTEM) {
        map_alias(&tile->hart[TENSIX_HART_BRISC].root,
                  sysbus_mmio_get_region(dev, row->region), row->base);
    }
}

static bool make_devices(BlackholeTile *tile, Error **errp)
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

/* --- images and who starts --- */

static bool load_images(BlackholeTile *tile, Error **errp)
{
    for (unsigned i = 0; i < TENSIX_NUM_HARTS; i++) {
        TensixHart *hart = &tile->hart[i];

        if (tile->image[i]) {
            if (!blackhole_tile_load_image(hart, tile->image[i],
                                           &hart->image_pc, errp) ||
                !tensix_sources_add_image(tile->sources, i, tile->image[i],
                                          errp)) {
                return false;
            }
            hart->has_image = true;
        }
    }
    return true;
}

/* -device loader,cpu-num=N gives hart N an image as well. */
static int note_loader(Object *obj, void *opaque)
{
    BlackholeTile *tile = opaque;
    GenericLoaderState *loader = (GenericLoaderState *)
        object_dynamic_cast(obj, TYPE_GENERIC_LOADER);

    if (loader && loader->set_pc && loader->cpu_num < TENSIX_NUM_HARTS) {
        TensixHart *hart = &tile->hart[loader->cpu_num];

        hart->has_image = true;
        hart->image_pc = loader->addr;
    }
    return 0;
}

/* With an image for BRISC, BRISC releases the others, as firmware does. */
static void choose_starters(Notifier *notifier, void *data)
{
    BlackholeTile *tile = container_of(notifier, BlackholeTile, machine_done);
    bool brisc_alone;

    object_child_foreach_recursive(object_get_root(), note_loader, tile);
    brisc_alone = tile->hart[TENSIX_HART_BRISC].has_image;
    for (unsigned i = 0; i < TENSIX_NUM_HARTS; i++) {
        TensixHart *hart = &tile->hart[i];

        hart->start_held = !hart->has_image ||
                           (brisc_alone && i != TENSIX_HART_BRISC);
    }
}

/* --- machine --- */

/* Options of QEMU that would have no effect here. */
static bool check_options(const MachineState *machine, Error **errp)
{
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

static bool make_parts(BlackholeTile *tile, Error **errp)
{
    map_noc_view(tile);
    name_memories(tile);
    tile->turns = tensix_turns_new();
    if (!make_reporter(tile, errp) || !make_harts(tile, errp)) {
        return false;
    }
    map_slow_paths(tile);
    map_windows(tile);
    return make_devices(tile, errp);
}

static TensixCopState *tile_cop(BlackholeTile *tile)
{
    Object *cop = object_resolve_path_component(OBJECT(tile), "cop");

    return cop ? TENSIX_COP(cop) : NULL;
}

/* Its functions are named by those who read the file: from the images. */
static bool begin_timeline(BlackholeTile *tile, Error **errp)
{
    TensixCopState *cop = tile_cop(tile);

    for (unsigned i = 0; i < TENSIX_NUM_HARTS; i++) {
        if (tile->image[i]) {
            g_autofree char *key = g_strdup_printf("image.%s",
                                                   tensix_hart_name(i));
            g_autofree char *path = realpath(tile->image[i], NULL);

            tensix_timeline_describe(cop, key, path ?: tile->image[i]);
        }
    }
    return !tile->timeline || tensix_timeline_start(cop, tile->timeline, errp);
}

/*
 * One transaction: to work out who sees what anew with each region was most of
 * the time that a start took.
 */
static bool make_tile(BlackholeTile *tile, Error **errp)
{
    bool made;

    if (!check_options(MACHINE(tile), errp)) {
        return false;
    }
    memory_region_transaction_begin();
    made = make_parts(tile, errp);
    memory_region_transaction_commit();
    return made && load_images(tile, errp) && begin_timeline(tile, errp) &&
           blackhole_tile_begin_rewind(tile, errp);
}

/* A machine's init function is where errors end. */
static void blackhole_tile_init(MachineState *machine)
{
    BlackholeTile *tile = BLACKHOLE_TILE(machine);

    if (tile->schedule_seed && !icount_enabled()) {
        warn_report("schedule=seed=%" PRIu64 ": the next run may have another "
                    "order: without -icount the order also depends on the "
                    "host's timing (add -icount shift=0,sleep=off, or "
                    "--accel=icount to a tool)", tile->schedule_seed);
    }
    make_tile(tile, &error_fatal);
    tile->machine_done.notify = choose_starters;
    qemu_add_machine_init_done_notifier(&tile->machine_done);
}

/* --- options --- */

bool blackhole_tile_can_set(const char *option, Error **errp)
{
    if (!phase_check(PHASE_MACHINE_INITIALIZED)) {
        return true;
    }
    error_setg(errp, "%s cannot be set any more: start with -M blackhole-tile,"
               "%s=VALUE", option, option);
    return false;
}

static char **image_of(Object *obj, const char *name)
{
    BlackholeTile *tile = BLACKHOLE_TILE(obj);

    for (unsigned i = 0; i < TENSIX_NUM_HARTS; i++) {
        if (!strcmp(name, tensix_hart_name(i))) {
            return &tile->image[i];
        }
    }
    g_assert_not_reached();
}

static void get_image(Object *obj, Visitor *v, const char *name, void *opaque,
                      Error **errp)
{
    char *empty = (char *)"";
    char **image = image_of(obj, name);

    visit_type_str(v, name, *image ? image : &empty, errp);
}

static void set_image(Object *obj, Visitor *v, const char *name, void *opaque,
                      Error **errp)
{
    char *value;

    if (blackhole_tile_can_set(name, errp) &&
        visit_type_str(v, name, &value, errp)) {
        g_free(*image_of(obj, name));
        *image_of(obj, name) = value;
    }
}

static const char *const on_violation_names[] = {
    [TENSIX_ON_VIOLATION_LOG] = "log",
    [TENSIX_ON_VIOLATION_STOP] = "stop",
    [TENSIX_ON_VIOLATION_EXIT] = "exit",
};

static char *get_on_violation(Object *obj, Error **errp)
{
    return g_strdup(on_violation_names[BLACKHOLE_TILE(obj)->on_violation]);
}

static void set_on_violation(Object *obj, const char *value, Error **errp)
{
    if (!blackhole_tile_can_set("on-violation", errp)) {
        return;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(on_violation_names); i++) {
        if (!strcmp(value, on_violation_names[i])) {
            BLACKHOLE_TILE(obj)->on_violation = i;
            return;
        }
    }
    error_setg(errp, "on-violation must be log, stop or exit, not '%s'",
               value);
}

static bool get_hazards(Object *obj, Error **errp)
{
    return BLACKHOLE_TILE(obj)->hazards;
}

static void set_hazards(Object *obj, bool value, Error **errp)
{
    if (blackhole_tile_can_set("hazards", errp)) {
        BLACKHOLE_TILE(obj)->hazards = value;
    }
}

static bool get_writers(Object *obj, Error **errp)
{
    return BLACKHOLE_TILE(obj)->writers;
}

static void set_writers(Object *obj, bool value, Error **errp)
{
    if (blackhole_tile_can_set("writers", errp)) {
        BLACKHOLE_TILE(obj)->writers = value;
    }
}

static int get_unwritten(Object *obj, Error **errp)
{
    return BLACKHOLE_TILE(obj)->unwritten;
}

static void set_unwritten(Object *obj, int value, Error **errp)
{
    if (blackhole_tile_can_set("unwritten", errp)) {
        BLACKHOLE_TILE(obj)->unwritten = value;
    }
}

static int get_on_deadlock(Object *obj, Error **errp)
{
    return BLACKHOLE_TILE(obj)->on_deadlock;
}

static void set_on_deadlock(Object *obj, int value, Error **errp)
{
    if (blackhole_tile_can_set("on-deadlock", errp)) {
        BLACKHOLE_TILE(obj)->on_deadlock = value;
    }
}

static int get_leaks(Object *obj, Error **errp)
{
    return BLACKHOLE_TILE(obj)->leaks;
}

static void set_leaks(Object *obj, int value, Error **errp)
{
    if (blackhole_tile_can_set("leaks", errp)) {
        BLACKHOLE_TILE(obj)->leaks = value;
    }
}

static char *get_schedule(Object *obj, Error **errp)
{
    uint64_t seed = BLACKHOLE_TILE(obj)->schedule_seed;

    return seed ? g_strdup_printf("seed=%" PRIu64, seed) : g_strdup("eager");
}

static void set_schedule(Object *obj, const char *value, Error **errp)
{
    uint64_t *seed = &BLACKHOLE_TILE(obj)->schedule_seed;
    const char *number;

    if (!blackhole_tile_can_set("schedule", errp)) {
        return;
    }
    if (!strcmp(value, "eager")) {
        *seed = 0;
    } else if (!strstart(value, "seed=", &number) ||
               parse_uint_full(number, 0, seed) < 0 || !*seed) {
        error_setg(errp, "schedule must be eager, or seed=N with N from 1 to "
                   "2^64-1, not '%s'", value);
    }
}

static void blackhole_tile_instance_init(Object *obj)
{
    BLACKHOLE_TILE(obj)->sources = tensix_sources_new();
    blackhole_tile_init_rewind_options(BLACKHOLE_TILE(obj));
}

static char *get_timeline(Object *obj, Error **errp)
{
    BlackholeTile *tile = BLACKHOLE_TILE(obj);
    TensixCopState *cop = tile_cop(tile);
    const char *file = cop ? tensix_timeline_file(cop) : tile->timeline;

    return g_strdup(file ?: "");
}

/* On the command line the tile is not there yet. */
static void set_timeline(Object *obj, const char *value, Error **errp)
{
    BlackholeTile *tile = BLACKHOLE_TILE(obj);
    TensixCopState *cop = tile_cop(tile);

    if (!cop) {
        g_free(tile->timeline);
        tile->timeline = *value ? g_strdup(value) : NULL;
    } else if (*value) {
        tensix_timeline_start(cop, value, errp);
    } else {
        tensix_timeline_stop(cop);
    }
}

static void blackhole_tile_finalize(Object *obj)
{
    BlackholeTile *tile = BLACKHOLE_TILE(obj);

    for (unsigned i = 0; i < TENSIX_NUM_HARTS; i++) {
        g_free(tile->image[i]);
    }
    g_free(tile->timeline);
    blackhole_tile_forget_host_options(tile);
    tensix_sources_free(tile->sources);
    blackhole_tile_end_rewind(tile);
    tensix_turns_free(tile->turns);
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
    for (unsigned i = 0; i < TENSIX_NUM_HARTS; i++) {
        object_class_property_add(oc, tensix_hart_name(i), "str", get_image,
                                  set_image, NULL, NULL);
        object_class_property_set_description(oc, tensix_hart_name(i),
                                              "ELF image of this hart");
    }
    object_class_property_add_str(oc, "on-violation", get_on_violation,
                                  set_on_violation);
    object_class_property_set_description(oc, "on-violation",
        "what a violation does besides being logged: log, stop, exit");
    object_class_property_add_bool(oc, "hazards", get_hazards, set_hazards);
    object_class_property_set_description(oc, "hazards",
        "report instructions that break rules which hardware does not enforce");
    object_class_property_add_bool(oc, "writers", get_writers, set_writers);
    object_class_property_set_description(oc, "writers",
        "keep who wrote what last, for 'info tensix writer'");
    object_class_property_add_enum(oc, "unwritten", "TensixUnwrittenReads",
                                   &TensixUnwrittenReads_lookup, get_unwritten,
                                   set_unwritten);
    object_class_property_set_description(oc, "unwritten",
        "what is done about reads of what nobody has written: off, report");
    object_class_property_add_enum(oc, "on-deadlock", "TensixDeadlockAction",
                                   &TensixDeadlockAction_lookup,
                                   get_on_deadlock, set_on_deadlock);
    object_class_property_set_description(oc, "on-deadlock",
        "what a deadlock does besides being told: log, stop, exit");
    object_class_property_add_enum(oc, "leaks", "TensixLeaks",
                                   &TensixLeaks_lookup, get_leaks, set_leaks);
    object_class_property_set_description(oc, "leaks",
        "what is done at the end of a kernel about what it left behind: off, "
        "report");
    object_class_property_add_str(oc, "schedule", get_schedule, set_schedule);
    object_class_property_set_description(oc, "schedule",
        "what the coprocessor's threads meet: eager, or seed=N for harts and "
        "units that take longer at random");
    blackhole_tile_add_symbol_properties(oc);
    object_class_property_add_str(oc, "timeline", get_timeline, set_timeline);
    object_class_property_set_description(oc, "timeline",
        "file for all that happens in the tile (the tool timeline reads it); "
        "empty: none");
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
