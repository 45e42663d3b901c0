/*
 * Instruments: objects that observe a tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "hw/qdev-core.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_tiles.h"
#include "qom/object_interfaces.h"
#include "system/cpus.h"
#include "system/runstate.h"
#include "system/system.h"

/* --- the tile --- */

static Object *only_tile(bool of_machine, Error **errp)
{
    g_autoptr(GPtrArray) tiles = tensix_tiles_below(object_get_root());

    if (tiles->len == 1 || (of_machine && tiles->len)) {
        return OBJECT(g_ptr_array_index(tiles, 0))->parent;
    }
    error_setg(errp, tiles->len ? "tile=PATH must say which of %u tiles"
                                : "the machine has no Tensix tile",
               tiles->len);
    return NULL;
}

static Object *bus_of(Object *tile)
{
    return object_dynamic_cast(object_resolve_path_component(tile, "bus"),
                               TYPE_TENSIX_BUS);
}

/* The machine links to parts of a tile; users' objects may be "cop", too. */
static Object *tile_at(const char *path, Error **errp)
{
    Object *at = object_resolve_path(path, NULL);
    Object *cop = at ? object_resolve_path_component(at, "cop") : NULL;

    if (!cop || !bus_of(cop->parent)) {
        error_setg(errp, "'%s' is no tile", path);
        return NULL;
    }
    return cop->parent;
}

static void set_parts(TensixInstrument *i, Object *tile)
{
    i->tile = tile;
    i->cop = object_resolve_path_component(tile, "cop");
    i->bus = TENSIX_BUS(bus_of(tile));
}

void tensix_instrument_set_text(Object *obj, char **text, const char *value,
                                const char *fixed, Error **errp)
{
    if (TENSIX_INSTRUMENT(obj)->attached) {
        error_setg(errp, "%s", fixed);
        return;
    }
    g_free(*text);
    *text = g_strdup(value);
}

Object *tensix_instrument_find(TensixBus *bus, const char *type)
{
    TensixInstrument *i;

    QLIST_FOREACH(i, &bus->instruments, next) {
        if (object_dynamic_cast(OBJECT(i), type)) {
            return OBJECT(i);
        }
    }
    return NULL;
}

/* --- attached or not --- */

/* Harts post some events without a lock: none runs while subscribers change. */
static bool pause_harts(void)
{
    bool pause = runstate_is_running() && !qemu_in_vcpu_thread();

    if (pause) {
        pause_all_vcpus();
    }
    return pause;
}

/* The machine's default makes way once this one can be attached. */
static bool prepare(TensixInstrument *i, Error **errp)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_GET_CLASS(i);
    Object *other = tensix_instrument_find(i->bus,
                                           object_get_typename(OBJECT(i)));

    if (other && !TENSIX_INSTRUMENT(other)->is_default) {
        error_setg(errp, "the tile has one already");
        return false;
    }
    if (ic->prepare && !ic->prepare(i, errp)) {
        return false;
    }
    if (other) {
        object_unparent(other);
    }
    return true;
}

static bool attach_to(TensixInstrument *i, Object *tile, Error **errp)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_GET_CLASS(i);
    bool paused;

    set_parts(i, tile);
    if (!prepare(i, errp)) {
        i->tile = NULL;
        return false;
    }
    paused = pause_harts();
    ic->attach(i);
    i->attached = true;
    QLIST_INSERT_HEAD(&i->bus->instruments, i, next);
    if (paused) {
        resume_all_vcpus();
    }
    return true;
}

static bool attach(TensixInstrument *i, Error **errp)
{
    ERRP_GUARD();
    bool of_machine = TENSIX_INSTRUMENT_GET_CLASS(i)->of_machine;
    Object *tile = i->tile_path ? tile_at(i->tile_path, errp)
                                : only_tile(of_machine, errp);

    if (!tile || !attach_to(i, tile, errp)) {
        error_prepend(errp, "%s: ", object_get_typename(OBJECT(i)));
        return false;
    }
    return true;
}

static void attach_when_ready(Notifier *n, void *data)
{
    TensixInstrument *i = container_of(n, TensixInstrument, machine_done);
    Error *err = NULL;

    notifier_remove(n);
    i->pending = false;
    if (!attach(i, &err)) {
        error_report_err(err);
        exit(EXIT_FAILURE);
    }
}

static void tensix_instrument_complete(UserCreatable *uc, Error **errp)
{
    TensixInstrument *i = TENSIX_INSTRUMENT(uc);

    if (i->tile) {
        attach_to(i, i->tile, errp);
    } else if (phase_check(PHASE_MACHINE_READY)) {
        attach(i, errp);
    } else {
        i->pending = true;
        i->machine_done.notify = attach_when_ready;
        qemu_add_machine_init_done_notifier(&i->machine_done);
    }
}

static void detach(TensixInstrument *i)
{
    bool paused = pause_harts();

    TENSIX_INSTRUMENT_GET_CLASS(i)->detach(i);
    QLIST_REMOVE(i, next);
    i->attached = false;
    i->tile = NULL;
    if (paused) {
        resume_all_vcpus();
    }
}

/* The root has let go of all objects of users, or the machine of the tile. */
bool tensix_instrument_at_exit(const TensixInstrument *i)
{
    g_autofree char *path = object_get_canonical_path(OBJECT(i));

    return !path;
}

/* Its parent lets it go; other references may remain. */
static void tensix_instrument_unparent(Object *obj)
{
    TensixInstrument *i = TENSIX_INSTRUMENT(obj);

    if (i->pending) {
        qemu_remove_machine_init_done_notifier(&i->machine_done);
        i->pending = false;
    }
    if (i->attached) {
        detach(i);
    }
}

static void tensix_instrument_finalize(Object *obj)
{
    g_free(TENSIX_INSTRUMENT(obj)->tile_path);
}

/* --- for options of the machine --- */

static bool set_properties(Object *obj, va_list properties, Error **errp)
{
    const char *name;

    while ((name = va_arg(properties, const char *))) {
        const char *value = va_arg(properties, const char *);

        if (!object_property_parse(obj, name, value, errp)) {
            return false;
        }
    }
    return true;
}

Object *tensix_instrument_create(Object *tile, const char *type,
                                 const char *name, Error **errp, ...)
{
    Object *obj = object_new(type);
    va_list properties;
    bool created;

    va_start(properties, errp);
    created = set_properties(obj, properties, errp);
    va_end(properties);
    if (created) {
        object_property_add_child(tile, name, obj);
        TENSIX_INSTRUMENT(obj)->tile = tile;
        created = user_creatable_complete(USER_CREATABLE(obj), errp);
        if (!created) {
            object_unparent(obj);
        }
    }
    object_unref(obj);             /* the tile holds it, or it failed */
    return created ? obj : NULL;
}

bool tensix_instrument_default(Object *instrument)
{
    if (instrument) {
        TENSIX_INSTRUMENT(instrument)->is_default = true;
    }
    return instrument;
}

/* --- type --- */

static char *get_tile(Object *obj, Error **errp)
{
    return g_strdup(TENSIX_INSTRUMENT(obj)->tile_path ?: "");
}

static void set_tile(Object *obj, const char *value, Error **errp)
{
    TensixInstrument *i = TENSIX_INSTRUMENT(obj);

    if (i->attached) {
        error_setg(errp, "an instrument keeps its tile");
        return;
    }
    g_free(i->tile_path);
    i->tile_path = g_strdup(value);
}

static void tensix_instrument_class_init(ObjectClass *oc, TensixClassData *data)
{
    USER_CREATABLE_CLASS(oc)->complete = tensix_instrument_complete;
    oc->unparent = tensix_instrument_unparent;
    object_class_property_add_str(oc, "tile", get_tile, set_tile);
    object_class_property_set_description(oc, "tile",
        "QOM path of the tile (default: the machine's only one)");
}

static InterfaceInfo user_creatable[] = { { TYPE_USER_CREATABLE }, { } };

static const TypeInfo tensix_instrument_types[] = {
    {
        .name = TYPE_TENSIX_INSTRUMENT,
        .parent = TYPE_OBJECT,
        .abstract = true,
        .instance_size = sizeof(TensixInstrument),
        .instance_finalize = tensix_instrument_finalize,
        .class_size = sizeof(TensixInstrumentClass),
        .class_init = tensix_instrument_class_init,
        .interfaces = user_creatable,
    },
};

DEFINE_TYPES(tensix_instrument_types)
