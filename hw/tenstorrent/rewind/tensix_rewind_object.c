/*
 * Going back: tensix-rewind, the object of users.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_rewind.h
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_time.h"
#include "hw/tenstorrent/tensix_tile.h"
#include "hw/tenstorrent/tensix_tiles.h"
#include "qom/object_interfaces.h"
#include "system/reset.h"
#include "tensix_rewind_internal.h"

enum { INTERVAL_MIN = 10000 };

OBJECT_DECLARE_SIMPLE_TYPE(TensixRewindObject, TENSIX_REWIND)

struct TensixRewindObject {
    TensixInstrument parent_obj;

    TensixRewindOptions options;
    TensixRewind *rewind;          /* while attached */
};

/* --- attached or not --- */

static void discard_past(void *opaque)
{
    tensix_rewind_reset(opaque);
}

static bool tensix_rewind_prepare(TensixInstrument *i, Error **errp)
{
    if (TENSIX_TILE(i->tile)->has_host) {
        error_setg(errp, "a history and a host (host=, host-socket=) exclude "
                   "each other: what a host asked for cannot be asked again");
        return false;
    }
    return tensix_time_can_go_back(i->bus, errp) &&
           tensix_axis_is_possible(TENSIX_TILE(i->tile)->turns, errp);
}

static void tensix_rewind_attach(TensixInstrument *i)
{
    TensixRewindObject *o = TENSIX_REWIND(i);

    o->rewind = tensix_rewind_new(TENSIX_TILE(i->tile)->turns,
                                  tensix_tiles_below(i->tile->parent),
                                  &o->options);
    qemu_register_reset(discard_past, o->rewind);
}

static void tensix_rewind_detach(TensixInstrument *i)
{
    TensixRewindObject *o = TENSIX_REWIND(i);

    qemu_unregister_reset(discard_past, o->rewind);
    tensix_rewind_free(o->rewind);
    o->rewind = NULL;
}

static bool tensix_rewind_can_be_deleted(UserCreatable *uc)
{
    const TensixRewindObject *o = TENSIX_REWIND(uc);

    return !o->rewind || !tensix_rewind_is_searching(o->rewind);
}

/* --- properties --- */

bool tensix_rewind_visit_interval(Visitor *v, const char *name,
                                  uint64_t *interval, Error **errp)
{
    uint64_t value = *interval;

    if (!visit_type_uint64(v, name, &value, errp)) {
        return false;
    }
    if (value < INTERVAL_MIN || value > INT64_MAX) {
        error_setg(errp, "%s must be %d instructions or more", name,
                   INTERVAL_MIN);
        return false;
    }
    *interval = value;
    return true;
}

static void configure(TensixRewindObject *o)
{
    if (o->rewind) {
        tensix_rewind_configure(o->rewind, &o->options);
    }
}

static void get_interval(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    visit_type_uint64(v, name, &TENSIX_REWIND(obj)->options.interval, errp);
}

static void set_interval(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    TensixRewindObject *o = TENSIX_REWIND(obj);

    if (tensix_rewind_visit_interval(v, name, &o->options.interval, errp)) {
        configure(o);
    }
}

static void visit_memory(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    TensixRewindObject *o = TENSIX_REWIND(obj);

    if (visit_type_size(v, name, &o->options.memory, errp)) {
        configure(o);
    }
}

static TensixRewind *rewind_of(Object *obj, Error **errp)
{
    TensixRewind *rewind = TENSIX_REWIND(obj)->rewind;

    if (!rewind) {
        error_setg(errp, "there is no machine yet");
    }
    return rewind;
}

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

/* --- type --- */

static void tensix_rewind_init(Object *obj)
{
    TENSIX_REWIND(obj)->options =
        (TensixRewindOptions)TENSIX_REWIND_DEFAULTS;
}

static void tensix_rewind_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    ic->prepare = tensix_rewind_prepare;
    ic->attach = tensix_rewind_attach;
    ic->detach = tensix_rewind_detach;
    ic->of_machine = true;
    USER_CREATABLE_CLASS(oc)->can_be_deleted = tensix_rewind_can_be_deleted;
    object_class_property_add(oc, "interval", "uint64", get_interval,
                              set_interval, NULL, NULL);
    object_class_property_set_description(oc, "interval",
        "instructions between two snapshots of the history");
    object_class_property_add(oc, "memory", "size", visit_memory,
                              visit_memory, NULL, NULL);
    object_class_property_set_description(oc, "memory",
        "memory that the snapshots of the history may take");
    object_class_property_add_str(oc, "digest", get_digest, NULL);
    object_class_property_set_description(oc, "digest",
        "instructions executed, and a checksum of the machine's state");
    object_class_property_add_str(oc, "status", get_status, NULL);
    object_class_property_set_description(oc, "status",
        "first and last instruction of the history, snapshots, their bytes");
}

static const TypeInfo tensix_rewind_types[] = {
    {
        .name = TYPE_TENSIX_REWIND,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .instance_size = sizeof(TensixRewindObject),
        .instance_init = tensix_rewind_init,
        .class_init = tensix_rewind_class_init,
    },
};

DEFINE_TYPES(tensix_rewind_types)
