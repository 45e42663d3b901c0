/*
 * Machine "blackhole-tile": options and properties of going back.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options:
 *  + rewind=on|off
 *  + rewind-interval=N: instructions between two snapshots
 *  + rewind-memory=SIZE: that all snapshots may take
 * QOM properties: rewind-digest, rewind-status (tensix_rewind.h)
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "hw/tenstorrent/blackhole_tile.h"
#include "system/reset.h"

static void forget_past(void *opaque)
{
    BlackholeTile *m = opaque;

    tensix_rewind_reset(m->rewind);
}

bool blackhole_tile_begin_rewind(BlackholeTile *m, Error **errp)
{
    TensixCopState *cop[BLACKHOLE_TILES];

    if (!m->rewind_options.on) {
        return true;
    }
    if (blackhole_tile_has_host(m)) {
        error_setg(errp, "rewind=on and a host (host=, host-socket=) exclude "
                   "each other: what a host asked for cannot be asked again");
        return false;
    }
    for (unsigned n = 0; n < blackhole_tile_count(m); n++) {
        cop[n] = TENSIX_COP(tensix_tile_device(m->tile[n], "cop"));
    }
    m->rewind = tensix_rewind_new(m->turns, cop, blackhole_tile_count(m),
                                  &m->rewind_options, errp);
    if (m->rewind) {
        qemu_register_reset(forget_past, m);
    }
    return m->rewind;
}

void blackhole_tile_end_rewind(BlackholeTile *m)
{
    if (m->rewind) {
        qemu_unregister_reset(forget_past, m);
        tensix_rewind_free(m->rewind);
    }
}

/* --- properties --- */

static bool get_rewind(Object *obj, Error **errp)
{
    return BLACKHOLE_TILE(obj)->rewind_options.on;
}

static void set_rewind(Object *obj, bool value, Error **errp)
{
    if (blackhole_tile_can_set("rewind", errp)) {
        BLACKHOLE_TILE(obj)->rewind_options.on = value;
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
    uint64_t value;

    if (!blackhole_tile_can_set(name, errp) ||
        !visit_type_uint64(v, name, &value, errp)) {
        return;
    }
    if (value < TENSIX_REWIND_INTERVAL_MIN || value > INT64_MAX) {
        error_setg(errp, "%s must be %d instructions or more", name,
                   TENSIX_REWIND_INTERVAL_MIN);
        return;
    }
    BLACKHOLE_TILE(obj)->rewind_options.interval = value;
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

static TensixRewind *rewind_of(Object *obj, Error **errp)
{
    TensixRewind *rewind = BLACKHOLE_TILE(obj)->rewind;

    if (!rewind) {
        error_setg(errp, "the machine keeps no history (rewind=on)");
    }
    return rewind;
}

/* Who lists a machine's properties is to see that there is no history. */
static char *get_digest(Object *obj, Error **errp)
{
    TensixRewind *rewind = rewind_of(obj, errp);

    return rewind ? tensix_rewind_digest(rewind, errp) : NULL;
}

static char *get_status(Object *obj, Error **errp)
{
    TensixRewind *rewind = rewind_of(obj, errp);

    return rewind ? tensix_rewind_status(rewind) : NULL;
}

void blackhole_tile_init_rewind_options(BlackholeTile *m)
{
    m->rewind_options.interval = TENSIX_REWIND_INTERVAL;
    m->rewind_options.memory = TENSIX_REWIND_MEMORY;
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
