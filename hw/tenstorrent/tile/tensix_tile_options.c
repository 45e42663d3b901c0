/*
 * Properties of a Tensix tile, and what its devices make of its options.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options that several tiles have in common are set on each: the board's
 * machine has the same names and hands them on.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/util.h"
#include "qapi/visitor.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/tensix_bounds.h"
#include "hw/tenstorrent/tensix_coverage.h"
#include "hw/tenstorrent/tensix_deadlock.h"
#include "hw/tenstorrent/tensix_hazards.h"
#include "hw/tenstorrent/tensix_races.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_kernel.h"
#include "hw/tenstorrent/tensix_reports.h"
#include "hw/tenstorrent/tensix_tile.h"
#include "hw/tenstorrent/tensix_time.h"
#include "hw/tenstorrent/tensix_timeline.h"
#include "hw/tenstorrent/tensix_unwritten.h"
#include "hw/tenstorrent/tensix_watch.h"
#include "hw/tenstorrent/qemu_compat.h"

/* --- what devices make of them --- */

static void set_cop_options(TensixTile *tile, DeviceState *dev)
{
    uint64_t seed = tile->options.schedule_seed;

    if (seed && !icount_enabled() && !tile->number) {
        warn_report("schedule=seed=%" PRIu64 ": the next run may have another "
                    "order: without -icount the order also depends on the "
                    "host's timing (add -icount shift=0,sleep=off, or "
                    "--accel=icount to a tool)", seed);
    }
    qdev_prop_set_uint64(dev, "schedule-seed", seed);
}

static void set_noc_options(TensixTile *tile, DeviceState *dev)
{
    qdev_prop_set_uint32(dev, "x", tile->x);
    qdev_prop_set_uint32(dev, "y", tile->y);
}

void tensix_tile_set_options(TensixTile *tile, const char *name,
                             DeviceState *dev)
{
    static const struct {
        const char *device;
        void (*set)(TensixTile *tile, DeviceState *dev);
    } setters[] = {
        { "cop", set_cop_options },
        { "noc-port", set_noc_options },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(setters); i++) {
        if (!strcmp(setters[i].device, name)) {
            setters[i].set(tile, dev);
        }
    }
}

/* --- when all devices exist --- */

static bool load_images(TensixTile *tile, Error **errp)
{
    for (unsigned i = 0; i < TENSIX_NUM_HARTS; i++) {
        TensixHart *hart = &tile->hart[i];
        const char *file = tile->options.image[i];
        uint32_t pc;

        if (file && *file) {
            if (!tensix_tile_load_image(hart, file, &pc, errp) ||
                !tensix_sources_add_image(tile->sources, i, file, errp)) {
                return false;
            }
            tensix_hart_set_image(hart, pc);
        }
    }
    return true;
}

static bool begin_timeline(TensixTile *tile, const char *file, Error **errp)
{
    return tensix_instrument_create(OBJECT(tile), TYPE_TENSIX_TIMELINE,
                                    TYPE_TENSIX_TIMELINE, errp, "file", file,
                                    NULL);
}

static bool begin_coverage(TensixTile *tile, const char *file, Error **errp)
{
    return tensix_instrument_create(OBJECT(tile), TYPE_TENSIX_COVERAGE,
                                    TYPE_TENSIX_COVERAGE, errp, "file", file,
                                    NULL);
}

static bool is_timed(const TensixTileOptions *o)
{
    return o->timing && *o->timing && strcmp(o->timing, "off");
}

/* By published figures, or those of a file. */
static bool begin_time(TensixTile *tile, const char *timing, Error **errp)
{
    bool published = !strcmp(timing, "published");

    return tensix_instrument_create(OBJECT(tile), TYPE_TENSIX_TIME,
                                    TYPE_TENSIX_TIME, errp, "figures",
                                    published ? "" : timing, NULL);
}

/* Those that each tile has. */
static bool make_defaults(TensixTile *tile, Error **errp)
{
    const TensixTileOptions *o = &tile->options;

    return tensix_instrument_default(
               tensix_instrument_create(
                   OBJECT(tile), TYPE_TENSIX_REPORTS, "reports", errp,
                   "action", TensixViolationAction_str(o->on_violation),
                   "check", TensixChecks_str(o->check),
                   "suppress", o->suppress ?: "", NULL)) &&
           tensix_instrument_default(
               tensix_instrument_create(
                   OBJECT(tile), TYPE_TENSIX_DEADLOCK, "deadlock", errp,
                   "action", TensixDeadlockAction_str(o->on_deadlock),
                   "unfinished", o->unfinished ? "on" : "off", NULL)) &&
           tensix_instrument_default(
               tensix_instrument_create(
                   OBJECT(tile), TYPE_TENSIX_LEAKS, "kernel-watch", errp,
                   "leaks", TensixLeaks_str(o->leaks), NULL));
}

static bool make_instruments(TensixTile *tile, Error **errp)
{
    const TensixTileOptions *o = &tile->options;
    const struct {
        const char *type;
        bool on;
    } options[] = {
        { TYPE_TENSIX_HAZARDS, o->hazards },
        { TYPE_TENSIX_WRITERS, o->writers },
        { TYPE_TENSIX_UNWRITTEN_REPORTER,
          o->unwritten == TENSIX_REPORTING_REPORT },
        { TYPE_TENSIX_RACES, o->races == TENSIX_REPORTING_REPORT },
        { TYPE_TENSIX_BOUNDS_CHECK, o->bounds == TENSIX_REPORTING_REPORT },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(options); i++) {
        if (options[i].on &&
            !tensix_instrument_create(OBJECT(tile), options[i].type,
                                      options[i].type, errp, NULL)) {
            return false;
        }
    }
    return (!is_timed(o) || begin_time(tile, o->timing, errp)) &&
           (!o->coverage || !*o->coverage ||
            begin_coverage(tile, o->coverage, errp)) &&
           (!o->timeline || begin_timeline(tile, o->timeline, errp));
}

/* Between requests of a host all may wait: that is checked on request. */
static void choose_checks(TensixTileOptions *o, bool has_host)
{
    o->unfinished = !has_host || o->check == TENSIX_CHECKS_ALL;
    if (o->check == TENSIX_CHECKS_ALL) {
        o->hazards = true;
        o->unwritten = TENSIX_REPORTING_REPORT;
        o->races = TENSIX_REPORTING_REPORT;
        o->bounds = TENSIX_REPORTING_REPORT;
        o->leaks = o->leaks ? o->leaks : TENSIX_LEAKS_UNINIT;
    }
}

static bool check_timing(const TensixTileOptions *o, Error **errp)
{
    if (is_timed(o) && o->schedule_seed) {
        error_setg(errp, "timing=published and schedule=seed=N exclude each "
                   "other: with a seed instructions take longer at random");
        return false;
    }
    return true;
}

bool tensix_tile_begin(TensixTile *tile, Error **errp)
{
    choose_checks(&tile->options, tile->has_host);
    return check_timing(&tile->options, errp) && load_images(tile, errp) &&
           make_defaults(tile, errp) && make_instruments(tile, errp);
}

/* --- properties --- */

static void get_enum(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    const Property *prop = opaque;
    int *value = object_field_prop_ptr(obj, opaque);

    visit_type_enum(v, name, value, prop->info->enum_table, errp);
}

/* "a, b or c", to be freed. */
static char *list_values(const QEnumLookup *lookup)
{
    g_autofree char *all_but_last = NULL;
    g_auto(GStrv) names = g_new0(char *, lookup->size);

    for (int i = 0; i < lookup->size - 1; i++) {
        names[i] = g_strdup(lookup->array[i]);
    }
    all_but_last = g_strjoinv(", ", names);
    return g_strdup_printf("%s or %s", all_but_last,
                           lookup->array[lookup->size - 1]);
}

static void set_enum(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    const Property *prop = opaque;
    const QEnumLookup *lookup = prop->info->enum_table;
    g_autofree char *text = NULL;
    int value;

    if (!visit_type_str(v, name, &text, errp)) {
        return;
    }
    value = qapi_enum_parse(lookup, text, -1, NULL);
    if (value < 0) {
        g_autofree char *values = list_values(lookup);

        error_setg(errp, "%s must be %s, not '%s'", name, values, text);
        return;
    }
    *(int *)object_field_prop_ptr(obj, opaque) = value;
}

/* 0, the first value, is the default of each. */
#define ENUM_INFO(info_type, lookup) \
    { .type = info_type, .enum_table = lookup, \
      .get = get_enum, .set = set_enum }

static const PropertyInfo
    on_violation_info = ENUM_INFO("TensixViolationAction",
                                  &TensixViolationAction_lookup),
    on_deadlock_info = ENUM_INFO("TensixDeadlockAction",
                                 &TensixDeadlockAction_lookup),
    leaks_info = ENUM_INFO("TensixLeaks", &TensixLeaks_lookup),
    checks_info = ENUM_INFO("TensixChecks", &TensixChecks_lookup),
    reporting_info = ENUM_INFO("TensixReporting", &TensixReporting_lookup);

static void get_schedule(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    const uint64_t *seed = object_field_prop_ptr(obj, opaque);
    g_autofree char *text = *seed ? g_strdup_printf("seed=%" PRIu64, *seed)
                                  : g_strdup("eager");

    visit_type_str(v, name, &text, errp);
}

static void set_schedule(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    uint64_t *seed = object_field_prop_ptr(obj, opaque);
    g_autofree char *text = NULL;
    const char *number;

    if (!visit_type_str(v, name, &text, errp)) {
        return;
    }
    if (!strcmp(text, "eager")) {
        *seed = 0;
    } else if (!strstart(text, "seed=", &number) ||
               parse_uint_full(number, 0, seed) < 0 || !*seed) {
        error_setg(errp, "schedule must be eager, or seed=N with N from 1 to "
                   "2^64-1, not '%s'", text);
    }
}

static const PropertyInfo schedule_info = {
    .type = "str",
    .get = get_schedule,
    .set = set_schedule,
};

static void get_timeline(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    Object *timeline = tensix_tile_device(TENSIX_TILE(obj),
                                          TYPE_TENSIX_TIMELINE);
    char *file = DEVICE(obj)->realized ? NULL
                 : TENSIX_TILE(obj)->options.timeline;

    if (timeline) {
        object_property_get(timeline, "file", v, errp);
        return;
    }
    file = file ?: (char *)"";
    visit_type_str(v, name, &file, errp);
}

/* Before the tile is realized nothing can be recorded; later "" ends it. */
static void set_timeline(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    TensixTile *tile = TENSIX_TILE(obj);
    Object *timeline = tensix_tile_device(tile, TYPE_TENSIX_TIMELINE);
    g_autofree char *file = NULL;

    if (!visit_type_str(v, name, &file, errp)) {
        return;
    }
    if (!DEVICE(obj)->realized) {
        g_free(tile->options.timeline);
        tile->options.timeline = *file ? g_steal_pointer(&file) : NULL;
    } else if (!timeline && *file) {
        begin_timeline(tile, file, errp);
    } else if (*file) {
        object_property_set_str(timeline, "file", file, errp);
    } else if (timeline) {
        object_unparent(timeline);
    }
}

static void release_timeline(Object *obj, const char *name, void *opaque)
{
    g_free(TENSIX_TILE(obj)->options.timeline);
}

static const PropertyInfo timeline_info = {
    .type = "str",
    .release = release_timeline,
    .get = get_timeline,
    .set = set_timeline,
    .realized_set_allowed = true,
};

#define OPTION(name, field, info, type) \
    DEFINE_PROP(name, TensixTile, options.field, info, type)

static const Property tensix_tile_properties[] = {
    DEFINE_PROP_UINT32("number", TensixTile, number, 0),
    DEFINE_PROP_BOOL("several", TensixTile, several, false),
    DEFINE_PROP_UINT32("x", TensixTile, x, 1),
    DEFINE_PROP_UINT32("y", TensixTile, y, 2),
    DEFINE_PROP_LINK("l1", TensixTile, l1, TYPE_MEMORY_REGION, MemoryRegion *),
    DEFINE_PROP_LINK("noc", TensixTile, noc, TYPE_TENSIX_NOC,
                     TensixNocState *),
    DEFINE_PROP_STRING("brisc", TensixTile, options.image[TENSIX_HART_BRISC]),
    DEFINE_PROP_STRING("ncrisc", TensixTile, options.image[TENSIX_HART_NCRISC]),
    DEFINE_PROP_STRING("trisc0", TensixTile, options.image[TENSIX_HART_TRISC0]),
    DEFINE_PROP_STRING("trisc1", TensixTile, options.image[TENSIX_HART_TRISC1]),
    DEFINE_PROP_STRING("trisc2", TensixTile, options.image[TENSIX_HART_TRISC2]),
    OPTION("on-violation", on_violation, on_violation_info,
           TensixViolationAction),
    OPTION("on-deadlock", on_deadlock, on_deadlock_info, TensixDeadlockAction),
    OPTION("leaks", leaks, leaks_info, TensixLeaks),
    OPTION("unwritten", unwritten, reporting_info, TensixReporting),
    OPTION("races", races, reporting_info, TensixReporting),
    OPTION("bounds", bounds, reporting_info, TensixReporting),
    OPTION("check", check, checks_info, TensixChecks),
    DEFINE_PROP_STRING("suppress", TensixTile, options.suppress),
    DEFINE_PROP_STRING("coverage", TensixTile, options.coverage),
    DEFINE_PROP_BOOL("hazards", TensixTile, options.hazards, false),
    DEFINE_PROP_BOOL("writers", TensixTile, options.writers, false),
    DEFINE_PROP("schedule", TensixTile, options.schedule_seed, schedule_info,
                uint64_t),
    DEFINE_PROP_STRING("timing", TensixTile, options.timing),
    DEFINE_PROP("timeline", TensixTile, options.timeline, timeline_info,
                char *),
};

void tensix_tile_add_properties(DeviceClass *dc)
{
    device_class_set_props(dc, tensix_tile_properties);
}
