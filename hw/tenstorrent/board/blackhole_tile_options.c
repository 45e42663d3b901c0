/*
 * Machine "blackhole-tile": tiles=, and the options that all tiles have.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The first tile keeps the options until the machine is made; then the others
 * get them.  What can still be set later is set on each tile.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/cutils.h"
#include "qom/qom-qobject.h"
#include "qobject/qobject.h"
#include "hw/tenstorrent/blackhole_tile.h"
#include "hw/tenstorrent/board/tensix_version.h"

bool blackhole_tile_can_set(const char *option, Error **errp)
{
    if (!phase_check(PHASE_MACHINE_INITIALIZED)) {
        return true;
    }
    error_setg(errp, "%s cannot be set any more: start with -M blackhole-tile,"
               "%s=VALUE", option, option);
    return false;
}

/* --- options of each tile --- */

typedef struct TileOption {
    const char *name, *type, *description;
    bool at_run_time;              /* may be set */
} TileOption;

static const TileOption tile_options[] = {
    { "brisc", "str", "ELF image of this hart" },
    { "ncrisc", "str", "ELF image of this hart" },
    { "trisc0", "str", "ELF image of this hart" },
    { "trisc1", "str", "ELF image of this hart" },
    { "trisc2", "str", "ELF image of this hart" },
    { "on-violation", "TensixViolationAction",
      "what a violation does besides being reported: log, stop, exit" },
    { "hazards", "bool",
      "report instructions that break rules which hardware does not enforce" },
    { "writers", "bool", "keep last writers, for 'info tensix writer'" },
    { "unwritten", "TensixReporting",
      "what is done about reads of unwritten cells and bytes: off, report" },
    { "races", "TensixReporting",
      "what is done about accesses that nothing orders: off, report" },
    { "bounds", "TensixReporting",
      "what is done about accesses beyond declared buffers: off, report" },
    { "check", "TensixChecks",
      "checks: off, or all for unwritten=report, hazards=on, races=report, "
      "bounds=report, leaks=uninit" },
    { "suppress", "str", "file of rules for reports that are not made" },
    { "on-deadlock", "TensixDeadlockAction",
      "what a deadlock does besides being reported: log, stop, exit" },
    { "leaks", "TensixLeaks",
      "what is done at the end of a kernel about what it left behind: off, "
      "uninit, report" },
    { "schedule", "str",
      "what the coprocessor's threads meet: eager, or seed=N for harts and "
      "units that take longer at random" },
    { "timing", "str",
      "are cycles estimated, and shown by the tile's clocks: off, published "
      "for published figures, or a file that replaces some of them (with "
      "-icount shift=0,sleep=off)" },
    { "coverage", "str",
      "file for how often source lines were executed (LCOV tracefile)" },
    { "timeline", "str",
      "file for all that happens in the tile (the tool timeline reads it); "
      "empty: none", true },
};

static void get_option(Object *obj, Visitor *v, const char *name, void *opaque,
                       Error **errp)
{
    object_property_get(OBJECT(BLACKHOLE_TILE(obj)->tile[0]), name, v, errp);
}

static void set_all(BlackholeTile *m, const char *name, const char *value,
                    Error **errp)
{
    ERRP_GUARD();

    for (unsigned n = 0; n < blackhole_tile_count(m) && m->tile[n] && !*errp;
         n++) {
        object_property_set_str(OBJECT(m->tile[n]), name, value, errp);
    }
}

/*
 * All tiles write one file, which is ended first in case it is the same.  Before
 * the machine is made there is the first tile alone.
 */
static void set_file(BlackholeTile *m, const char *name, const char *file,
                     Error **errp)
{
    g_autofree char *now = object_property_get_str(OBJECT(m->tile[0]), name,
                                                   &error_abort);

    if (m->tile[1] && !strcmp(now, file)) {
        set_all(m, name, "", &error_abort);
    }
    set_all(m, name, file, errp);
}

static void set_option(Object *obj, Visitor *v, const char *name, void *opaque,
                       Error **errp)
{
    BlackholeTile *m = BLACKHOLE_TILE(obj);
    const TileOption *option = opaque;
    g_autofree char *file = NULL;

    if (option->at_run_time) {
        if (visit_type_str(v, name, &file, errp)) {
            set_file(m, name, file, errp);
        }
    } else if (blackhole_tile_can_set(name, errp)) {
        object_property_set(OBJECT(m->tile[0]), name, v, errp);
    }
}

static bool copy_option(Object *from, Object *to, const char *name,
                        Error **errp)
{
    QObject *value = object_property_get_qobject(from, name, errp);
    bool copied = value && object_property_set_qobject(to, name, value, errp);

    qobject_unref(value);
    return copied;
}

bool blackhole_tile_copy_options(BlackholeTile *m, unsigned n, Error **errp)
{
    Object *from = OBJECT(m->tile[0]);

    for (unsigned i = 0; i < ARRAY_SIZE(tile_options); i++) {
        if (!copy_option(from, OBJECT(m->tile[n]), tile_options[i].name,
                         errp)) {
            return false;
        }
    }
    return true;
}

/* --- tiles= --- */

static char *get_tiles(Object *obj, Error **errp)
{
    BlackholeTile *m = BLACKHOLE_TILE(obj);

    return g_strdup_printf("%ux%u", m->columns, m->rows);
}

/* TCG is initialized with the number of harts, before the machine is made. */
static void set_size(BlackholeTile *m, uint32_t columns, uint32_t rows)
{
    MachineState *machine = MACHINE(m);

    m->columns = columns;
    m->rows = rows;
    machine->smp.cpus = columns * rows * TENSIX_NUM_HARTS;
    machine->smp.max_cpus = machine->smp.cpus;
    machine->smp.cores = machine->smp.cpus;
}

static void set_tiles(Object *obj, const char *value, Error **errp)
{
    unsigned int columns, rows;
    int end = 0;

    if (!blackhole_tile_can_set("tiles", errp)) {
        return;
    }
    if (sscanf(value, "%1ux%1u%n", &columns, &rows, &end) != 2 || value[end] ||
        !columns || columns > BLACKHOLE_TILE_COLUMNS ||
        !rows || rows > BLACKHOLE_TILE_ROWS) {
        error_setg(errp, "tiles must be COLUMNSxROWS, from 1x1 to %dx%d, not "
                   "'%s'", BLACKHOLE_TILE_COLUMNS, BLACKHOLE_TILE_ROWS, value);
        return;
    }
    set_size(BLACKHOLE_TILE(obj), columns, rows);
}

static void add_tile_properties(ObjectClass *oc)
{
    object_class_property_add_str(oc, "tiles", get_tiles, set_tiles);
    object_class_property_set_description(oc, "tiles",
        "how many Tensix tiles: COLUMNSxROWS, up to 4x4");
    for (unsigned i = 0; i < ARRAY_SIZE(tile_options); i++) {
        const TileOption *option = &tile_options[i];

        object_class_property_add(oc, option->name, option->type, get_option,
                                  set_option, NULL, (void *)option);
        object_class_property_set_description(oc, option->name,
                                              option->description);
    }
}

/* --- all of them --- */

/* Options of QEMU that would have no effect here. */
bool blackhole_tile_check_options(const BlackholeTile *m, Error **errp)
{
    const MachineState *machine = MACHINE(m);

    /* QEMU refuses another -smp, and tiles= sets its own */
    assert(machine->smp.max_cpus == blackhole_tile_count(m) * TENSIX_NUM_HARTS);
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

static char *get_version(Object *obj, Error **errp)
{
    return g_strdup(BLACKHOLE_TILE_VERSION);
}

void blackhole_tile_add_properties(ObjectClass *oc)
{
    object_class_property_add_str(oc, "version", get_version, NULL);
    object_class_property_set_description(oc, "version",
        "of blackhole-tile; read only");
    add_tile_properties(oc);
    blackhole_tile_add_symbol_properties(oc);
    blackhole_tile_add_rewind_properties(oc);
    blackhole_tile_add_host_properties(oc);
}
