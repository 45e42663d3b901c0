/*
 * Breaks and watches of a tile: what is asked for, and what a hit does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The list of stops is the main loop's, under the BQL.  The observer is the
 * core's: it is changed under the core's lock.  A hit comes out of the middle of an
 * instruction: it leaves a request to stop (tensix_report.h).
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qapi/error.h"
#include "system/runstate.h"
#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "hw/tenstorrent/tensix_l1.h"
#include "tensix_cop_internal.h"
#include "tensix_unwritten.h"
#include "tensix_watch_internal.h"

enum { OPCODE_LOW = 24 };

static const uint32_t opcode_mask = 0xffu << OPCODE_LOW;

/* --- hits --- */

/* Who looks for the last hit in the past wants to know, and holds nothing. */
static void pass_in_search(TensixCopState *cop, uint32_t hart)
{
    cop->watcher->observer.stopping = false;
    tensix_axis_seen(cop->hart[hart < TENSIX_NUM_HARTS ? hart : 0]);
}

static void take_hit(void *opaque, const TensixHit *hit)
{
    TensixCopState *cop = opaque;
    const TensixRecorded recorded = tensix_watch_recorded(cop, &hit->by);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *annotated = NULL;
    uint32_t hart = hit->by.hart;

    if (cop->reporter->again == TENSIX_REPORT_SEARCH) {
        pass_in_search(cop, hart);
        return;
    }
    tensix_watch_hit_text(hit, &recorded, text);
    tensix_watch_send_hit(hit, &recorded, text->str);
    annotated = tensix_sources_annotate(cop->reporter->sources, text->str);
    tensix_report_stop(cop->reporter, hart, annotated);
}

/* A hart stands behind its access to what is watched. */
static void hart_accessed(void *opaque, TensixHartIndex hart, uint32_t pc,
                          const TensixHartAccess *access)
{
    TensixCopState *cop = opaque;
    const TensixActor by = tensix_hart_actor(cop->hart[hart], pc);
    uint32_t accesses = (access->loads ? TENSIX_WATCH_READ : 0) |
                        (access->stores ? TENSIX_WATCH_WRITE : 0);

    tensix_cop_lock(cop);
    if (cop->observed) {           /* else nobody looks any more */
        tensix_watch_l1(cop, &by, accesses, access->address, access->before,
                        (uint8_t *)memory_region_get_ram_ptr(cop->l1) +
                        access->address, access->size);
    }
    tensix_cop_release(cop);
}

void tensix_watch_l1(TensixCopState *cop, const TensixActor *by,
                     uint32_t accesses, uint32_t address, const void *old,
                     const void *new, uint32_t size)
{
    tensix_observe_l1(&cop->watcher->observer, by, accesses, address, old, new,
                      size);
}

void tensix_watch_forget_l1(TensixCopState *cop)
{
    TensixActor *writers = cop->watcher->observer.l1_writers;

    if (writers) {
        memset(writers, 0, TENSIX_L1_SIZE / 4 * sizeof(*writers));
    }
}

const TensixActor *tensix_watch_at_work(const TensixCopState *cop)
{
    return &cop->watcher->observer.by;
}

TensixHart *tensix_watch_running_hart(TensixCopState *cop)
{
    for (int n = 0; n < TENSIX_NUM_HARTS; n++) {
        if (tensix_hart_is_running_here(cop->hart[n])) {
            return cop->hart[n];
        }
    }
    return NULL;
}

/* The hart that runs here, if any, or else somebody at a debugger. */
void tensix_watch_begin(TensixCopState *cop)
{
    TensixActor by = { .kind = TENSIX_BY_DEBUGGER, .hart = TENSIX_HART_NONE };
    TensixHart *hart = tensix_watch_running_hart(cop);

    if (hart) {
        by.kind = TENSIX_BY_HART;
        by.hart = hart->id;
        by.pc = tensix_hart_access_pc(hart);
    }
    tensix_observe_begin(cop->core, by);
}

/* --- the observer --- */

/* What a watch of L1 looks for, of harts; `writers` sees all stores anyhow. */
static TensixHartRange range_of(const TensixWatch *watch, bool writers)
{
    return (TensixHartRange) {
        .first = watch->first, .count = watch->count,
        .loads = watch->accesses & TENSIX_WATCH_READ,
        .stores = watch->accesses & TENSIX_WATCH_WRITE && !writers,
    };
}

/* Parts of L1 where harts' accesses are looked out for. */
static void find_ranges(TensixWatcher *w)
{
    w->range_count = 0;
    if (w->writers) {
        w->ranges[w->range_count++] = (TensixHartRange) {
            .count = TENSIX_L1_SIZE, .stores = true,
        };
    }
    for (unsigned n = 0; n < w->observer.watch_count; n++) {
        TensixHartRange range = range_of(&w->observer.watches[n], w->writers);

        if (w->observer.watches[n].space == TENSIX_SPACE_L1 &&
            (range.loads || range.stores)) {
            w->ranges[w->range_count++] = range;
        }
    }
}

static void set_ranges(TensixCopState *cop)
{
    TensixWatcher *w = cop->watcher;

    find_ranges(w);
    for (int n = 0; n < TENSIX_NUM_HARTS; n++) {
        tensix_hart_watch_memory(cop->hart[n], w->ranges, w->range_count,
                                 hart_accessed, cop);
    }
}

/* Under the core's lock. */
static void choose_observer(TensixCopState *cop)
{
    TensixWatcher *w = cop->watcher;
    bool observe = w->writers || w->observer.unwritten ||
                   w->observer.break_count || w->observer.watch_count;

    if (observe != cop->observed) {
        cop->observed = observe;
        cop->way_changes++;
        tensix_l1_observe(cop, observe);
        tensix_set_observer(cop->core, observe ? &w->observer : NULL);
    }
}

void tensix_watch_go_on(TensixCopState *cop)
{
    tensix_unwritten_go_on(cop);
    if (cop->observed) {
        TensixCore *core = tensix_cop_lock(cop);

        /* The pump runs what was held; else no stop changes the order */
        cop->put_off |= cop->watcher->observer.stopping;
        tensix_observe_go_on(core);
        choose_observer(cop);      /* for what was deleted meanwhile */
        if (cop->watcher->writers && !cop->watcher->range_count) {
            set_ranges(cop);       /* the harts are there now */
        }
        tensix_cop_release(cop);
    }
}

/* --- stops --- */

static void free_stop(void *opaque)
{
    TensixStop *stop = opaque;

    g_free(stop->text);
    g_free(stop);
}

static TensixStop *new_stop(TensixCopState *cop, const char *kind, char **words)
{
    TensixWatcher *w = cop->watcher;
    TensixStop *stop = g_new0(TensixStop, 1);
    g_autofree char *text = g_strjoinv(" ", words);

    stop->id = ++w->next_id;
    stop->text = g_strdup_printf("%s %s", kind, text);
    stop->category = -1;
    g_ptr_array_add(w->stops, stop);
    return stop;
}

static bool matches_violation(const TensixStop *stop, TensixCategory category)
{
    return stop->is_violation &&
           (stop->category < 0 || stop->category == category);
}

/* Whoever reports a violation asks, from any thread. */
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

/* The categories that are stopped at, for those who have no lock. */
static void set_categories(TensixCopState *cop)
{
    for (int c = 0; c < TENSIX_CATEGORIES; c++) {
        qatomic_set(&cop->watcher->stop_at[c], break_at(cop->watcher, c));
    }
}

static bool add_watches(TensixWatcher *w, uint32_t id, const TensixPlace *place,
                        Error **errp)
{
    TensixPlaceRange ranges[TENSIX_PLACE_RANGES];
    unsigned count = tensix_place_ranges(place, ranges, errp);
    uint32_t mask = place->field ? MAKE_64BIT_MASK(place->field->low,
                                                   place->field->width) : 0;

    if (!count) {
        return false;
    }
    if (w->observer.watch_count + count > TENSIX_BREAKS) {
        error_setg(errp, "there are as many watches as can be");
        return false;
    }
    for (unsigned n = 0; n < count; n++) {
        w->observer.watches[w->observer.watch_count++] = (TensixWatch) {
            .id = id, .space = place->space, .first = ranges[n].first,
            .count = ranges[n].count, .mask = mask, .accesses = place->accesses,
        };
    }
    return true;
}

uint32_t tensix_watch_add(TensixCopState *cop, char **words, Error **errp)
{
    TensixWatcher *w = cop->watcher;
    TensixPlace place;
    bool added;

    if (!tensix_place_parse(&place, words, errp)) {
        return 0;
    }
    tensix_cop_lock(cop);
    added = add_watches(w, w->next_id + 1, &place, errp);
    if (added) {
        choose_observer(cop);
        set_ranges(cop);
    }
    tensix_cop_release(cop);
    return added ? new_stop(cop, "watch", words)->id : 0;
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

/* "Flush=1" of the mnemonic. */
static bool parse_condition(const char *word, TensixBreak *b, uint32_t opcode,
                            Error **errp)
{
    const TensixInsnDef *def = &tensix_insns[opcode];
    const char *equals = strchr(word, '=');
    unsigned int value;

    if (!equals || qemu_strtoui(equals + 1, NULL, 0, &value)) {
        error_setg(errp, "'%s' is not FIELD=VALUE", word);
        return false;
    }
    for (unsigned n = 0; n < def->nfields; n++) {
        const TensixFieldDef *f = &def->fields[n];
        uint32_t mask = MAKE_64BIT_MASK(f->low, f->width);

        if (!strncmp(f->name, word, equals - word) && !f->name[equals - word]) {
            if (value > mask >> f->low) {
                error_setg(errp, "%s has %u bits", f->name, f->width);
                return false;
            }
            b->mask |= mask;
            b->value = (b->value & ~mask) | value << f->low;
            return true;
        }
    }
    error_setg(errp, "%s has no field '%.*s'", def->mnemonic,
               (int)(equals - word), word);
    return false;
}

/* Behind the mnemonic: "thread N", "if FIELD=VALUE [FIELD=VALUE ...]". */
static bool parse_conditions(char **words, TensixBreak *b, uint32_t opcode,
                             Error **errp)
{
    for (; *words; words++) {
        unsigned int thread;

        if (!strcmp(*words, "thread") && words[1] &&
            !qemu_strtoui(words[1], NULL, 0, &thread) &&
            thread < TENSIX_THREADS) {
            b->threads = 1u << thread;
            words++;
        } else if (!strcmp(*words, "if") || !strcmp(*words, "and")) {
            continue;
        } else if (!b->mask || !strchr(*words, '=')) {
            error_setg(errp, "'%s' is not 'thread 0..2'%s", *words,
                       b->mask ? " and not FIELD=VALUE" : "");
            return false;
        } else if (!parse_condition(*words, b, opcode, errp)) {
            return false;
        }
    }
    return true;
}

static int find_category(const char *word)
{
    for (int c = 0; c < TENSIX_CATEGORIES; c++) {
        if (!strcmp(tensix_category_names[c], word)) {
            return c;
        }
    }
    return -1;
}

static uint32_t add_violation_break(TensixCopState *cop, char **words,
                                    Error **errp)
{
    int category = words[1] ? find_category(words[1]) : -1;
    TensixStop *stop;

    if (words[1] && (category < 0 || words[2])) {
        error_setg(errp, "'%s' is no category of violations", words[1]);
        return 0;
    }
    stop = new_stop(cop, "break", words);
    stop->is_violation = true;
    stop->category = category;
    set_categories(cop);
    return stop->id;
}

static bool parse_break(char **words, TensixBreak *b, Error **errp)
{
    uint32_t opcode = 0;

    const char *word = words[0] ?: "";

    if (strcmp(word, "any") && !find_mnemonic(word, b, &opcode)) {
        error_setg(errp, "'%s' is no mnemonic, not 'any' and not 'violation'",
                   word);
        return false;
    }
    return parse_conditions(words + 1, b, opcode, errp);
}

uint32_t tensix_watch_add_break(TensixCopState *cop, char **words, Error **errp)
{
    TensixObserver *o = &cop->watcher->observer;
    TensixBreak b = { .threads = (1u << TENSIX_THREADS) - 1 };

    if (words[0] && !strcmp(words[0], "violation")) {
        return add_violation_break(cop, words, errp);
    }
    if (!parse_break(words, &b, errp)) {
        return 0;
    }
    if (o->break_count == TENSIX_BREAKS) {
        error_setg(errp, "there are as many breaks as can be");
        return 0;
    }
    b.id = new_stop(cop, "break", words)->id;
    tensix_cop_lock(cop);
    o->breaks[o->break_count++] = b;
    choose_observer(cop);
    tensix_cop_release(cop);
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

bool tensix_watch_delete(TensixCopState *cop, uint32_t id)
{
    TensixWatcher *w = cop->watcher;
    bool found = !id;

    for (unsigned n = w->stops->len; n > 0; n--) {
        TensixStop *stop = g_ptr_array_index(w->stops, n - 1);

        if (!id || stop->id == id) {
            g_ptr_array_remove_index(w->stops, n - 1);
            found = true;
        }
    }
    if (found) {
        tensix_cop_lock(cop);
        delete_from_observer(&w->observer, id);
        /* it knows the words that were stopped at: new breaks let them pass */
        if (runstate_is_running()) {
            choose_observer(cop);
        }
        set_ranges(cop);
        tensix_cop_release(cop);
        set_categories(cop);
    }
    return found;
}

unsigned tensix_watch_count(const TensixCopState *cop)
{
    return cop->watcher->stops->len;
}

uint32_t tensix_watch_get(const TensixCopState *cop, unsigned n,
                          const char **text)
{
    const TensixStop *stop = g_ptr_array_index(cop->watcher->stops, n);

    *text = stop->text;
    return stop->id;
}

char **tensix_watch_words(const char *text)
{
    char **words = g_strsplit_set(text, " ", -1), **to = words;

    for (char **word = words; *word; word++) {
        if (**word) {
            *to++ = *word;
        } else {
            g_free(*word);
        }
    }
    *to = NULL;
    return words;
}

/* Who wrote one cell, or a word of L1. */
static void tell_writer(TensixCopState *cop, TensixSpace space, uint32_t index,
                        TensixWriterFn *fn, void *opaque)
{
    TensixActor by = tensix_observe_writer(&cop->watcher->observer, space, index);
    TensixHit place = { .space = space, .index = index, .size = 2 };
    g_autoptr(GString) text = g_string_new(NULL);

    tensix_watch_place_text(&place, text);
    fn(opaque, text->str, &by);
}

static void tell_writers(TensixCopState *cop, TensixSpace space,
                         const TensixPlaceRange *r, TensixWriterFn *fn,
                         void *opaque)
{
    uint32_t step = space == TENSIX_SPACE_L1 ? sizeof(uint32_t) : 1;
    uint32_t first = QEMU_ALIGN_DOWN(r->first, step);

    for (uint32_t n = first; n < r->first + r->count; n += step) {
        tell_writer(cop, space, n, fn, opaque);
    }
}

/* Is it known who wrote in this space? */
static bool knows_writers(const TensixCopState *cop, TensixSpace space,
                          Error **errp)
{
    bool l1 = space == TENSIX_SPACE_L1;

    if (l1 ? cop->watcher->writers : cop->observed) {
        return true;
    }
    error_setg(errp, "nobody has kept account: start with -M "
               "blackhole-tile,writers=on%s",
               l1 ? "" : ", or set a break or a watch first");
    return false;
}

/* A line for each word of L1 would stop the machine for seconds. */
static bool fits_answer(const TensixPlace *place, Error **errp)
{
    enum { MOST_L1 = 4096 };       /* bytes; other spaces have no more cells */

    if (place->space == TENSIX_SPACE_L1 && place->count > MOST_L1) {
        error_setg(errp, "l1: at most %d bytes at once", MOST_L1);
        return false;
    }
    return true;
}

bool tensix_watch_writers(TensixCopState *cop, char **words, TensixWriterFn *fn,
                          void *opaque, Error **errp)
{
    TensixPlaceRange ranges[TENSIX_PLACE_RANGES];
    TensixPlace place;
    unsigned count;

    if (!tensix_place_parse(&place, words, errp)) {
        return false;
    }
    if (place.accesses != TENSIX_WATCH_WRITE) {
        error_setg(errp, "nobody keeps account of who reads");
        return false;
    }
    count = tensix_place_ranges(&place, ranges, errp);
    if (!count || !fits_answer(&place, errp) ||
        !knows_writers(cop, place.space, errp)) {
        return false;
    }
    tensix_cop_lock(cop);
    for (unsigned n = 0; n < count; n++) {
        tell_writers(cop, place.space, &ranges[n], fn, opaque);
    }
    tensix_cop_release(cop);
    return true;
}

/* --- life cycle --- */

void tensix_watch_init(TensixCopState *cop, bool writers)
{
    TensixWatcher *w = g_new0(TensixWatcher, 1);

    w->stops = g_ptr_array_new_with_free_func(free_stop);
    w->observer.hit = take_hit;
    w->observer.opaque = cop;
    w->observer.unwritten = tensix_unwritten_marks(cop);
    w->writers = writers;
    if (writers) {
        w->observer.l1_writers = g_new0(TensixActor, TENSIX_L1_SIZE / 4);
    }
    cop->watcher = w;
    w->violation.notify = stop_at_violation;
    tensix_bus_subscribe(cop->bus, TENSIX_ON_VIOLATION, &w->violation);
    choose_observer(cop);
}

void tensix_watch_finish(TensixCopState *cop)
{
    TensixWatcher *w = cop->watcher;

    notifier_remove(&w->violation);
    tensix_set_observer(cop->core, NULL);
    tensix_l1_observe(cop, false);
    g_ptr_array_unref(w->stops);
    g_free(w->observer.l1_writers);
    g_free(w);
    cop->watcher = NULL;
}
