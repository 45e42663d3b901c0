/*
 * Breaks and watches of a tile: tensix-watch.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + -object tensix-watch,id=ID[,tile=PATH]; the first break or watch creates one
 *
 * The list of stops is the main loop's, under the BQL.  The observer is the
 * core's: it is changed under the core's lock.  A hit occurs in the middle
 * of an instruction: it leaves a request to stop (tensix_report.h).
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "system/runstate.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_cop_observe.h"
#include "tensix_watch_internal.h"

enum { OPCODE_LOW = 24 };

static const uint32_t opcode_mask = 0xffu << OPCODE_LOW;

OBJECT_DECLARE_SIMPLE_TYPE(TensixWatcher, TENSIX_WATCHER)

/* What the user asked for. */
typedef struct TensixStop {
    uint32_t id;
    char *text;                    /* in words */
    bool is_violation;
    int category;                  /* of violations; -1: any */
} TensixStop;

struct TensixWatcher {
    TensixInstrument parent_obj;

    TensixCopState *cop;
    TensixObserver *observer;      /* the cop's; breaks and watches are in it */
    GPtrArray *stops;              /* of TensixStop */
    uint32_t next_id;
    bool sees_l1;
    Notifier hit, l1, violation, resume;
    uint32_t stop_at[TENSIX_CATEGORIES];       /* first break of each, or 0 */
};

/* The tile's; NULL: it has none, so there are no stops. */
static TensixWatcher *watcher_of(const TensixCopState *cop)
{
    Object *obj = tensix_instrument_find(tensix_cop_bus(cop),
                                         TYPE_TENSIX_WATCHER);

    return obj ? TENSIX_WATCHER(obj) : NULL;
}

static TensixWatcher *get_watcher(TensixCopState *cop, Error **errp)
{
    TensixWatcher *w = watcher_of(cop);
    Object *obj = w ? OBJECT(w)
                    : tensix_instrument_create(OBJECT(cop)->parent,
                                               TYPE_TENSIX_WATCHER,
                                               TYPE_TENSIX_WATCHER, errp, NULL);

    return obj ? TENSIX_WATCHER(obj) : NULL;
}

/* --- hits --- */

/* A search for the last hit in the past wants to know, and holds nothing. */
static void pass_in_search(TensixWatcher *w, uint32_t hart)
{
    w->observer->stopping = false;
    tensix_axis_seen(tensix_cop_hart(w->cop, hart < TENSIX_NUM_HARTS ? hart : 0));
}

static void take_hit(Notifier *n, void *data)
{
    TensixWatcher *w = container_of(n, TensixWatcher, hit);
    const TensixHit *hit = data;
    TensixReporter *reporter = tensix_cop_reporter(w->cop);
    const TensixRecorded recorded = tensix_watch_recorded(w->cop, &hit->by);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *path = tensix_report_tile_path(reporter);
    g_autofree char *annotated = NULL;

    if (reporter->again == TENSIX_REPORT_SEARCH) {
        pass_in_search(w, tensix_actor_hart(&hit->by));
        return;
    }
    tensix_watch_hit_text(hit, &recorded, text);
    tensix_watch_send_hit(hit, &recorded, text->str, path);
    annotated = tensix_sources_annotate(reporter->sources, text->str);
    tensix_report_stop(reporter, tensix_actor_hart(&hit->by), annotated);
}

static void l1_is_accessed(Notifier *n, void *data)
{
    tensix_observe_l1(container_of(n, TensixWatcher, l1)->observer, data);
}

/* --- the observer --- */

static bool needs_l1(const TensixWatcher *w)
{
    for (unsigned n = 0; n < w->observer->watch_count; n++) {
        if (w->observer->watches[n].space == TENSIX_SPACE_L1) {
            return true;
        }
    }
    return false;
}

/* Breaks and watches are others; under the core's lock. */
static void choose(TensixWatcher *w)
{
    bool needs_it = needs_l1(w);

    if (needs_it && !w->sees_l1) {
        tensix_bus_subscribe(tensix_cop_bus(w->cop), TENSIX_ON_L1, &w->l1);
    } else if (!needs_it && w->sees_l1) {
        tensix_bus_unsubscribe(tensix_cop_bus(w->cop), TENSIX_ON_L1, &w->l1);
    }
    w->sees_l1 = needs_it;
    tensix_cop_choose_observer(w->cop);
}

/* The pump runs what was held; without a hit, no stop changes the order. */
static void resume(TensixWatcher *w)
{
    if (w->observer->stopping) {
        tensix_cop_put_off(w->cop);
    }
    tensix_observe_resume(tensix_cop_core(w->cop));
    choose(w);                     /* for what was deleted meanwhile */
}

static void machine_resumes(Notifier *n, void *data)
{
    TensixWatcher *w = container_of(n, TensixWatcher, resume);

    if (tensix_cop_is_observed(w->cop)) {
        tensix_cop_lock(w->cop);
        resume(w);
        tensix_cop_release(w->cop);
    }
}

/* --- stops --- */

static void free_stop(void *opaque)
{
    TensixStop *stop = opaque;

    g_free(stop->text);
    g_free(stop);
}

static TensixStop *new_stop(TensixWatcher *w, const char *text)
{
    TensixStop *stop = g_new0(TensixStop, 1);

    stop->id = ++w->next_id;
    stop->text = g_strdup(text);
    stop->category = -1;
    g_ptr_array_add(w->stops, stop);
    return stop;
}

static bool matches_violation(const TensixStop *stop, TensixCategory category)
{
    return stop->is_violation &&
           (stop->category < 0 || stop->category == category);
}

/* Called for each violation, from any thread. */
static void stop_at_violation(Notifier *n, void *data)
{
    TensixWatcher *w = container_of(n, TensixWatcher, violation);
    TensixViolationEvent *event = data;

    event->stop = qatomic_read(&w->stop_at[event->violation->category]);
}

/* The first break at violations of a category, or 0. */
static uint32_t break_at(const TensixWatcher *w, TensixCategory category)
{
    for (unsigned n = 0; n < w->stops->len; n++) {
        const TensixStop *stop = g_ptr_array_index(w->stops, n);

        if (matches_violation(stop, category)) {
            return stop->id;
        }
    }
    return 0;
}

/* The categories that are stopped at, for readers without the lock. */
static void set_categories(TensixWatcher *w)
{
    for (int c = 0; c < TENSIX_CATEGORIES; c++) {
        qatomic_set(&w->stop_at[c], break_at(w, c));
    }
}

static uint32_t accesses_of(TensixWatchAccess access)
{
    return access == TENSIX_WATCH_ACCESS_WRITE ? TENSIX_WATCH_WRITE
           : access == TENSIX_WATCH_ACCESS_READ
             ? TENSIX_WATCH_READ
             : TENSIX_WATCH_READ | TENSIX_WATCH_WRITE;
}

static bool add_watches(TensixWatcher *w, uint32_t id, const TensixPlace *place,
                        TensixWatchAccess access, Error **errp)
{
    const TensixCfgField *field = tensix_place_field(place);
    TensixPlaceRange ranges[TENSIX_PLACE_RANGES];
    unsigned count = tensix_place_ranges(place, ranges, errp);
    uint32_t mask = field ? MAKE_64BIT_MASK(field->low, field->width) : 0;

    if (!count) {
        return false;
    }
    if (w->observer->watch_count + count > TENSIX_BREAKS) {
        error_setg(errp, "there are as many watches as can be");
        return false;
    }
    for (unsigned n = 0; n < count; n++) {
        w->observer->watches[w->observer->watch_count++] = (TensixWatch) {
            .id = id, .space = place->space, .first = ranges[n].first,
            .count = ranges[n].count, .mask = mask,
            .accesses = accesses_of(access),
        };
    }
    return true;
}

static bool check_access(TensixSpace space, TensixWatchAccess access,
                         Error **errp)
{
    if (access == TENSIX_WATCH_ACCESS_WRITE || tensix_watch_has_reads(space)) {
        return true;
    }
    error_setg(errp, "%s: '%s' makes no sense here", tensix_spaces[space].name,
               TensixWatchAccess_str(access));
    return false;
}

uint32_t tensix_watch_add(TensixCopState *cop, const TensixPlace *place,
                          TensixWatchAccess access, const char *text,
                          Error **errp)
{
    TensixWatcher *w = check_access((TensixSpace)place->space, access, errp)
                       ? get_watcher(cop, errp) : NULL;
    bool added;

    if (!w) {
        return 0;
    }
    tensix_cop_lock(cop);
    added = add_watches(w, w->next_id + 1, place, access, errp);
    if (added) {
        choose(w);
        tensix_cop_choose_ranges(cop);
    }
    tensix_cop_release(cop);
    return added ? new_stop(w, text)->id : 0;
}

/* --- breaks --- */

static bool find_mnemonic(const char *word, TensixBreak *b, uint32_t *opcode)
{
    for (uint32_t op = 0; op < 256; op++) {
        const char *name = tensix_insns[op].mnemonic;

        if (name && !g_ascii_strcasecmp(name, word)) {
            b->mask = opcode_mask;
            b->value = op << OPCODE_LOW;
            *opcode = op;
            return true;
        }
    }
    return false;
}

static bool add_operand(TensixBreak *b, const TensixInsnDef *def,
                        const TensixOperand *operand, Error **errp)
{
    for (unsigned n = 0; n < def->nfields; n++) {
        const TensixFieldDef *f = &def->fields[n];
        uint32_t mask = MAKE_64BIT_MASK(f->low, f->width);

        if (!strcmp(f->name, operand->name)) {
            if (operand->value > mask >> f->low) {
                error_setg(errp, "%s has %u bits", f->name, f->width);
                return false;
            }
            b->mask |= mask;
            b->value = (b->value & ~mask) | operand->value << f->low;
            return true;
        }
    }
    error_setg(errp, "%s has no field '%s'", def->mnemonic, operand->name);
    return false;
}

static bool fill_break(TensixBreak *b, const TensixBreakpoint *wanted,
                       Error **errp)
{
    const TensixOperandList *at = wanted->has_operands ? wanted->operands
                                                       : NULL;
    uint32_t opcode = 0;

    if (wanted->mnemonic && !find_mnemonic(wanted->mnemonic, b, &opcode)) {
        error_setg(errp, "'%s' is no mnemonic", wanted->mnemonic);
        return false;
    }
    if (wanted->has_thread && wanted->thread >= TENSIX_THREADS) {
        error_setg(errp, "'thread %u' is not 'thread 0..2'", wanted->thread);
        return false;
    }
    if (wanted->has_thread) {
        b->threads = 1u << wanted->thread;
    }
    if (at && !wanted->mnemonic) {
        error_setg(errp, "'%s=%u' needs a mnemonic", at->value->name,
                   at->value->value);
        return false;
    }
    for (; at; at = at->next) {
        if (!add_operand(b, &tensix_insns[opcode], at->value, errp)) {
            return false;
        }
    }
    return true;
}

uint32_t tensix_watch_add_violation(TensixCopState *cop, int category,
                                    const char *text, Error **errp)
{
    TensixWatcher *w = get_watcher(cop, errp);
    TensixStop *stop;

    if (!w) {
        return 0;
    }
    stop = new_stop(w, text);
    stop->is_violation = true;
    stop->category = category;
    set_categories(w);
    return stop->id;
}

uint32_t tensix_watch_add_break(TensixCopState *cop,
                                const TensixBreakpoint *wanted,
                                const char *text, Error **errp)
{
    TensixBreak b = { .threads = (1u << TENSIX_THREADS) - 1 };
    TensixWatcher *w = fill_break(&b, wanted, errp) ? get_watcher(cop, errp)
                                                    : NULL;
    TensixObserver *o;

    if (!w) {
        return 0;
    }
    o = w->observer;
    if (o->break_count == TENSIX_BREAKS) {
        error_setg(errp, "there are as many breaks as can be");
        return 0;
    }
    b.id = new_stop(w, text)->id;
    tensix_cop_lock(w->cop);
    o->breaks[o->break_count++] = b;
    choose(w);
    tensix_cop_release(w->cop);
    return b.id;
}

/* --- deletion, lists --- */

static void delete_from_observer(TensixObserver *o, uint32_t id)
{
    uint32_t breaks = 0, watches = 0;

    for (uint32_t n = 0; n < o->break_count; n++) {
        if (id && o->breaks[n].id != id) {
            o->breaks[breaks++] = o->breaks[n];
        }
    }
    for (uint32_t n = 0; n < o->watch_count; n++) {
        if (id && o->watches[n].id != id) {
            o->watches[watches++] = o->watches[n];
        }
    }
    o->break_count = breaks;
    o->watch_count = watches;
}

static bool delete_stops(TensixWatcher *w, uint32_t id)
{
    bool found = !id;

    for (unsigned n = w->stops->len; n > 0; n--) {
        TensixStop *stop = g_ptr_array_index(w->stops, n - 1);

        if (!id || stop->id == id) {
            g_ptr_array_remove_index(w->stops, n - 1);
            found = true;
        }
    }
    return found;
}

bool tensix_watch_delete(TensixCopState *cop, uint32_t id)
{
    TensixWatcher *w = watcher_of(cop);

    if (!w || !delete_stops(w, id)) {
        return !id;
    }
    tensix_cop_lock(cop);
    delete_from_observer(w->observer, id);
    /* it knows the words that were stopped at: new breaks let them pass */
    if (runstate_is_running()) {
        choose(w);
    }
    tensix_cop_choose_ranges(cop);
    tensix_cop_release(cop);
    set_categories(w);
    return true;
}

unsigned tensix_watch_count(const TensixCopState *cop)
{
    TensixWatcher *w = watcher_of(cop);

    return w ? w->stops->len : 0;
}

uint32_t tensix_watch_get(const TensixCopState *cop, unsigned n,
                          const char **text)
{
    const TensixStop *stop = g_ptr_array_index(watcher_of(cop)->stops, n);

    *text = stop->text;
    return stop->id;
}

/* --- life cycle --- */

static const TensixSubscription subscriptions[] = {
    { TENSIX_ON_HIT, take_hit, offsetof(TensixWatcher, hit) },
    { TENSIX_ON_VIOLATION, stop_at_violation,
      offsetof(TensixWatcher, violation) },
    { TENSIX_ON_RESUME, machine_resumes, offsetof(TensixWatcher, resume) },
    { }
};

static void tensix_watch_attach(TensixInstrument *i)
{
    TensixWatcher *w = TENSIX_WATCHER(i);

    w->cop = TENSIX_COP(i->cop);
    w->observer = tensix_cop_observer(w->cop);
    tensix_bus_subscribe_all(i->bus, subscriptions, w);
}

static void tensix_watch_detach(TensixInstrument *i)
{
    TensixWatcher *w = TENSIX_WATCHER(i);

    tensix_cop_lock(w->cop);
    delete_from_observer(w->observer, 0);
    resume(w);
    tensix_cop_choose_ranges(w->cop);
    tensix_cop_release(w->cop);
    tensix_bus_unsubscribe_all(i->bus, subscriptions, w);
}

static void tensix_watch_init(Object *obj)
{
    TensixWatcher *w = TENSIX_WATCHER(obj);

    w->stops = g_ptr_array_new_with_free_func(free_stop);
    w->l1.notify = l1_is_accessed;
}

static void tensix_watch_finalize(Object *obj)
{
    g_ptr_array_unref(TENSIX_WATCHER(obj)->stops);
}

static void tensix_watch_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    ic->attach = tensix_watch_attach;
    ic->detach = tensix_watch_detach;
}

static const TypeInfo tensix_watch_types[] = {
    {
        .name = TYPE_TENSIX_WATCHER,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .instance_size = sizeof(TensixWatcher),
        .instance_init = tensix_watch_init,
        .instance_finalize = tensix_watch_finalize,
        .class_init = tensix_watch_class_init,
    },
};

DEFINE_TYPES(tensix_watch_types)
