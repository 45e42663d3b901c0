/*
 * Machine "blackhole-tile": options and properties of going back.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options:
 *  + rewind=on|off: creates an object tensix-rewind
 *  + rewind-interval=N: instructions between two snapshots
 *  + rewind-memory=SIZE: that all snapshots may take
 * QOM properties: rewind-digest, rewind-status, of whatever history there is
 * (tensix_rewind.h)
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "hw/tenstorrent/blackhole_tile.h"
#include "hw/tenstorrent/tensix_instrument.h"

bool blackhole_tile_begin_rewind(BlackholeTile *m, Error **errp)
{
    g_autofree char *interval = g_strdup_printf("%" PRIu64,
                                                m->rewind_options.interval);
    g_autofree char *memory = g_strdup_printf("%" PRIu64,
                                              m->rewind_options.memory);

    return !m->rewind ||
           tensix_instrument_create(OBJECT(m->tile[0]), TYPE_TENSIX_REWIND,
                                    TYPE_TENSIX_REWIND, errp, "interval",
                                    interval, "memory", memory, NULL);
}

/* --- properties --- */

static bool get_rewind(Object *obj, Error **errp)
{
    return BLACKHOLE_TILE(obj)->rewind;
}

static void set_rewind(Object *obj, bool value, Error **errp)
{
    if (blackhole_tile_can_set("rewind", errp)) {
        BLACKHOLE_TILE(obj)->rewind = value;
    }
}

static void get_interval(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    visit_type_uint64(v, name, &BLACKHOLE_TILE(obj)->rewind_options.interval,
                      errp);
}

static void set_interval(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    if (blackhole_tile_can_set(name, errp)) {
        tensix_rewind_visit_interval(
            v, name, &BLACKHOLE_TILE(obj)->rewind_options.interval, errp);
    }
}

static void get_memory(Object *obj, Visitor *v, const char *name,
                       void *opaque, Error **errp)
{
    visit_type_size(v, name, &BLACKHOLE_TILE(obj)->rewind_options.memory,
                    errp);
}

static void set_memory(Object *obj, Visitor *v, const char *name,
                       void *opaque, Error **errp)
{
    if (blackhole_tile_can_set(name, errp)) {
        visit_type_size(v, name, &BLACKHOLE_TILE(obj)->rewind_options.memory,
                        errp);
    }
}

/* A list of the machine's properties shows that there is no history. */
static char *get_of_history(Object *obj, const char *property, Error **errp)
{
    BlackholeTile *m = BLACKHOLE_TILE(obj);
    Object *history = tensix_instrument_find(&m->tile[0]->bus,
                                             TYPE_TENSIX_REWIND);

    if (!history) {
        error_setg(errp, "the machine keeps no history (rewind=on)");
        return NULL;
    }
    return object_property_get_str(history, property, errp);
}

static char *get_digest(Object *obj, Error **errp)
{
    return get_of_history(obj, "digest", errp);
}

static char *get_status(Object *obj, Error **errp)
{
    return get_of_history(obj, "status", errp);
}

void blackhole_tile_init_rewind_options(BlackholeTile *m)
{
    m->rewind_options = (TensixRewindOptions)TENSIX_REWIND_DEFAULTS;
}

void blackhole_tile_add_rewind_properties(ObjectClass *oc)
{
    object_class_property_add_bool(oc, "rewind", get_rewind, set_rewind);
    object_class_property_set_description(oc, "rewind",
        "keep a history, so that gdb can go back (needs -icount)");
    object_class_property_add(oc, "rewind-interval", "uint64", get_interval,
                              set_interval, NULL, NULL);
    object_class_property_set_description(oc, "rewind-interval",
        "instructions between two snapshots of the history");
    object_class_property_add(oc, "rewind-memory", "size", get_memory,
                              set_memory, NULL, NULL);
    object_class_property_set_description(oc, "rewind-memory",
        "memory that the snapshots of the history may take");
    object_class_property_add_str(oc, "rewind-digest", get_digest, NULL);
    object_class_property_set_description(oc, "rewind-digest",
        "instructions executed, and a checksum of the machine's state");
    object_class_property_add_str(oc, "rewind-status", get_status, NULL);
    object_class_property_set_description(oc, "rewind-status",
        "first and last instruction of the history, snapshots, their bytes");
}
