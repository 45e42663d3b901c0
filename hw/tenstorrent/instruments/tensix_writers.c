/*
 * Last writers: tensix-writers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + -object tensix-writers,id=ID[,tile=PATH]
 *
 * The core's observer knows the last writers of cells, whatever makes it
 * observe. Those of L1 are kept here, from the creation of the object on.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_cop_observe.h"
#include "tensix_watch_internal.h"

enum { L1_WORDS = TENSIX_L1_SIZE / 4 };

OBJECT_DECLARE_SIMPLE_TYPE(TensixWriters, TENSIX_WRITERS)

struct TensixWriters {
    TensixInstrument parent_obj;

    TensixCopState *cop;
    TensixActor *l1;               /* of each word */
    Notifier access, reset, load;
};

/* The tile's, or NULL. */
static TensixWriters *writers_of(const TensixCopState *cop)
{
    Object *obj = tensix_instrument_find(tensix_cop_bus(cop),
                                         TYPE_TENSIX_WRITERS);

    return obj ? TENSIX_WRITERS(obj) : NULL;
}

static void l1_is_accessed(Notifier *n, void *data)
{
    TensixWriters *w = container_of(n, TensixWriters, access);
    const TensixL1Access *access = data;
    uint32_t end = DIV_ROUND_UP(access->address + access->size, 4);

    if (access->accesses & TENSIX_WATCH_WRITE) {
        for (uint32_t word = access->address / 4; word < end; word++) {
            w->l1[word] = *access->by;
        }
    }
}

/* --- questions --- */

/* The last writer of one cell, or of a word of L1. */
static void name_writer(TensixCopState *cop, const TensixWriters *w,
                        TensixSpace space, uint32_t index, TensixWriterFn *fn,
                        void *opaque)
{
    TensixActor by = space == TENSIX_SPACE_L1
                     ? w->l1[index / 4]
                     : tensix_observe_writer(tensix_cop_observer(cop), space,
                                             index);
    TensixHit place = { .space = space, .index = index, .size = 2 };
    g_autoptr(GString) text = g_string_new(NULL);

    tensix_watch_place_text(&place, text);
    fn(opaque, text->str, &by);
}

static void name_writers(TensixCopState *cop, const TensixWriters *w,
                         TensixSpace space, const TensixPlaceRange *r,
                         TensixWriterFn *fn, void *opaque)
{
    uint32_t step = space == TENSIX_SPACE_L1 ? sizeof(uint32_t) : 1;
    uint32_t first = QEMU_ALIGN_DOWN(r->first, step);

    for (uint32_t n = first; n < r->first + r->count; n += step) {
        name_writer(cop, w, space, n, fn, opaque);
    }
}

/* Are the writers of this space known? */
static bool knows_writers(const TensixCopState *cop, const TensixWriters *w,
                          TensixSpace space, Error **errp)
{
    bool l1 = space == TENSIX_SPACE_L1;

    if (l1 ? w != NULL : tensix_cop_is_observed(cop)) {
        return true;
    }
    error_setg(errp, "no writers are recorded: start with -M "
               "blackhole-tile,writers=on%s",
               l1 ? "" : ", or set a break or a watch first");
    return false;
}

/* A line for each word of L1 would stop the machine for seconds. */
static bool fits_answer(TensixSpace space, const TensixPlaceRange *range,
                        Error **errp)
{
    enum { MOST_L1 = 4096 };       /* bytes; other spaces have no more cells */

    if (space == TENSIX_SPACE_L1 && range->count > MOST_L1) {
        error_setg(errp, "l1: at most %d bytes at once", MOST_L1);
        return false;
    }
    return true;
}

bool tensix_watch_writers(TensixCopState *cop, const TensixPlace *place,
                          TensixWriterFn *fn, void *opaque, Error **errp)
{
    TensixSpace space = (TensixSpace)place->space;
    const TensixWriters *w = writers_of(cop);
    TensixPlaceRange ranges[TENSIX_PLACE_RANGES];
    unsigned count;

    count = tensix_place_ranges(place, ranges, errp);
    if (!count || !fits_answer(space, &ranges[0], errp) ||
        !knows_writers(cop, w, space, errp)) {
        return false;
    }
    tensix_cop_lock(cop);
    for (unsigned n = 0; n < count; n++) {
        name_writers(cop, w, space, &ranges[n], fn, opaque);
    }
    tensix_cop_release(cop);
    return true;
}

/* --- life cycle --- */

static void discard(TensixWriters *w)
{
    memset(w->l1, 0, L1_WORDS * sizeof(*w->l1));
}

static void reset_begins(Notifier *n, void *data)
{
    discard(container_of(n, TensixWriters, reset));
}

static void load_begins(Notifier *n, void *data)
{
    discard(container_of(n, TensixWriters, load));
}

static const TensixSubscription subscriptions[] = {
    { TENSIX_ON_L1, l1_is_accessed, offsetof(TensixWriters, access) },
    { TENSIX_ON_RESET, reset_begins, offsetof(TensixWriters, reset) },
    { TENSIX_ON_LOAD, load_begins, offsetof(TensixWriters, load) },
    { }
};

static void tensix_writers_attach(TensixInstrument *i)
{
    TensixWriters *w = TENSIX_WRITERS(i);

    w->cop = TENSIX_COP(i->cop);
    w->l1 = g_new0(TensixActor, L1_WORDS);
    tensix_cop_lock(w->cop);
    tensix_bus_subscribe_all(i->bus, subscriptions, w);
    tensix_cop_observe_stores(w->cop, true);
    tensix_cop_release(w->cop);
}

static void tensix_writers_detach(TensixInstrument *i)
{
    TensixWriters *w = TENSIX_WRITERS(i);

    tensix_cop_lock(w->cop);
    tensix_bus_unsubscribe_all(i->bus, subscriptions, w);
    tensix_cop_observe_stores(w->cop, false);
    tensix_cop_release(w->cop);
    g_free(w->l1);
    w->l1 = NULL;
}

static void tensix_writers_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    ic->attach = tensix_writers_attach;
    ic->detach = tensix_writers_detach;
}

static const TypeInfo tensix_writers_types[] = {
    {
        .name = TYPE_TENSIX_WRITERS,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .instance_size = sizeof(TensixWriters),
        .class_init = tensix_writers_class_init,
    },
};

DEFINE_TYPES(tensix_writers_types)
