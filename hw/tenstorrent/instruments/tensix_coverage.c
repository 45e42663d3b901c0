/*
 * Coverage: which source lines harts and the coprocessor executed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Harts count in generated code (tensix_tally.h), the coprocessor's core posts
 * what it executes, with the place of the push.  Counts become lines before the
 * harts' ELFs change, and at the end.  Tiles whose objects have the same file
 * append to it.
 *
 * QEMU interface: hw/tenstorrent/tensix_coverage.h
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/bitmap.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_cop_observe.h"
#include "hw/tenstorrent/tensix_coverage.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_tally.h"
#include "hw/tenstorrent/tensix_tiles.h"
#include "system/system.h"
#include "coverage_lcov.h"

OBJECT_DECLARE_SIMPLE_TYPE(TensixCoverage, TENSIX_COVERAGE)

/* Arrays are by address in L1, TENSIX_TALLY_WORDS each. */
typedef struct CoveredHart {
    const uint64_t *tally;         /* the hart's, since it began to count */
    uint64_t *seen;                /* of these, in lines already */
    uint64_t *executed;            /* by the coprocessor, not yet in lines */
    unsigned long *pushes;         /* bits: something has been pushed here */
    bool has_executed;             /* anything */
    char *elfs;                    /* that are in lines */
    CoverageLines *lines;
} CoveredHart;

struct TensixCoverage {
    TensixInstrument parent_obj;

    char *name;                    /* property "file" */
    int fd;
    TensixCopState *cop;
    TensixSources *sources;
    Notifier exit, elf, push, execute, take;
    CoveredHart hart[TENSIX_NUM_HARTS];
};

#define BYTES (TENSIX_TALLY_WORDS * sizeof(uint64_t))

/* --- what the coprocessor executes --- */

static void mark_push(TensixCoverage *c, TensixOrigin origin)
{
    if (origin.hart < TENSIX_NUM_HARTS && origin.pc < TENSIX_L1_SIZE) {
        set_bit(origin.pc / TENSIX_TALLY_INSN, c->hart[origin.hart].pushes);
    }
}

static void word_is_pushed(Notifier *n, void *data)
{
    const TensixPushEvent *event = data;
    TensixOrigin origin = event->origin;

    for (uint32_t word = 0; word < event->count; word++) {
        mark_push(container_of(n, TensixCoverage, push), origin);
        origin.pc += sizeof(event->word);
    }
}

static void count_executed(TensixCoverage *c, TensixOrigin origin)
{
    if (origin.hart < TENSIX_NUM_HARTS && origin.pc < TENSIX_L1_SIZE) {
        CoveredHart *h = &c->hart[origin.hart];

        mark_push(c, origin);
        h->executed[origin.pc / TENSIX_TALLY_INSN]++;
        h->has_executed = true;
    }
}

/* Out of an expander: also for the line where the word was written down. */
static void is_executed(Notifier *n, void *data)
{
    TensixCoverage *c = container_of(n, TensixCoverage, execute);
    const TensixExecuted *e = data;

    if (!e->insn) {
        return;
    }
    count_executed(c, e->insn->origin);
    if (tensix_insn_is_expanded(e->insn)) {
        TensixRecorded recorded = tensix_recorded(tensix_cop_core(c->cop),
                                                  e->insn);

        count_executed(c, recorded.mop);
        count_executed(c, recorded.replay);
    }
}

static void is_taken(Notifier *n, void *data)
{
    const TensixInsn *insn = data;

    count_executed(container_of(n, TensixCoverage, take), insn->origin);
}

/* --- from counts to lines --- */

/* The counts that become lines now. */
typedef struct Fresh {
    CoveredHart *hart;
    uint64_t *tally, *executed;
} Fresh;

/* A retry in another thread may take back 1 of what has been seen. */
static uint64_t fresh_count(const Fresh *f, uint32_t pc)
{
    uint32_t at = pc / TENSIX_TALLY_INSN;

    return pc < TENSIX_L1_SIZE && f->tally[at] > f->hart->seen[at]
           ? f->tally[at] - f->hart->seen[at] : 0;
}

static uint64_t entry_executed(void *opaque, uint32_t pc)
{
    return fresh_count(opaque, pc);
}

static void add_place(void *opaque, const TensixSourceWord *place)
{
    Fresh *f = opaque;
    uint32_t at = place->pc / TENSIX_TALLY_INSN;
    CoverageCounts counts;

    if (place->pc >= TENSIX_L1_SIZE) {
        return;
    }
    counts = (CoverageCounts) {
        .executed = fresh_count(f, place->pc),
        .pushes = (place->word & 3) != 3 || test_bit(at, f->hart->pushes),
        .pushed_executed = f->executed[at],
    };
    coverage_lines_add(f->hart->lines, place, &counts, entry_executed, f);
}

/* Takes what the coprocessor executed; the core's lock is the caller's. */
static void take_executed(Fresh *f)
{
    memcpy(f->executed, f->hart->executed, BYTES);
    memset(f->hart->executed, 0, BYTES);
    f->hart->has_executed = false;
}

/* Has anything happened since, or does the hart have other programs? */
static bool is_due(TensixCoverage *c, unsigned id)
{
    CoveredHart *h = &c->hart[id];
    g_autofree char *elfs = tensix_sources_list(c->sources, id);
    bool due = h->has_executed || memcmp(h->tally, h->seen, BYTES) ||
               g_strcmp0(elfs, h->elfs);

    g_free(h->elfs);
    h->elfs = g_steal_pointer(&elfs);
    return due;
}

static void count_lines(TensixCoverage *c, unsigned id)
{
    g_autofree uint64_t *executed = g_malloc(BYTES);
    g_autofree uint64_t *tally = NULL;
    Fresh fresh = { &c->hart[id] };

    if (!is_due(c, id)) {
        return;
    }
    tally = g_memdup2(c->hart[id].tally, BYTES);
    fresh.tally = tally;
    fresh.executed = executed;
    tensix_cop_lock(c->cop);
    take_executed(&fresh);
    tensix_cop_release(c->cop);
    tensix_sources_each(c->sources, id, add_place, &fresh);
    coverage_lines_sum(c->hart[id].lines);
    memcpy(c->hart[id].seen, tally, BYTES);
    bitmap_zero(c->hart[id].pushes, TENSIX_TALLY_WORDS);
}

static void elf_changes(Notifier *n, void *data)
{
    TensixCoverage *c = container_of(n, TensixCoverage, elf);

    for (unsigned id = 0; id < TENSIX_NUM_HARTS; id++) {
        count_lines(c, id);
    }
}

/* --- the file --- */

static void write_lines(TensixCoverage *c)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (unsigned id = 0; id < TENSIX_NUM_HARTS; id++) {
        count_lines(c, id);
        coverage_lines_print(c->hart[id].lines, tensix_hart_name(id), text);
    }
    if (qemu_write_full(c->fd, text->str, text->len) != text->len) {
        error_report("coverage: %s: %s; lines are lost", c->name,
                     strerror(errno));
    }
}

/* Of a tile that writes the same file. */
static bool has_other(const TensixCoverage *c)
{
    g_autoptr(GPtrArray) tiles = tensix_tiles_below(
        c->parent_obj.tile->parent);

    for (unsigned n = 0; n < tiles->len; n++) {
        TensixCopState *cop = g_ptr_array_index(tiles, n);
        Object *other = tensix_instrument_find(tensix_cop_bus(cop),
                                               TYPE_TENSIX_COVERAGE);

        if (other && !strcmp(TENSIX_COVERAGE(other)->name, c->name)) {
            return true;
        }
    }
    return false;
}

/* O_NONBLOCK: a named pipe would block until it has a reader. */
static bool open_file(TensixCoverage *c, Error **errp)
{
    int flags = O_WRONLY | O_APPEND | O_NONBLOCK | (has_other(c) ? 0 : O_TRUNC);
    struct stat st;

    c->fd = qemu_create(c->name, flags, 0666, errp);
    if (c->fd < 0) {
        return false;
    }
    if (fstat(c->fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        error_setg(errp, "coverage: '%s' is not a file", c->name);
        close(c->fd);
        c->fd = -1;
        return false;
    }
    return true;
}

/* --- life cycle --- */

static const TensixSubscription subscriptions[] = {
    { TENSIX_ON_ELF, elf_changes, offsetof(TensixCoverage, elf) },
    { TENSIX_ON_PUSH, word_is_pushed, offsetof(TensixCoverage, push) },
    { TENSIX_ON_EXECUTE, is_executed, offsetof(TensixCoverage, execute) },
    { TENSIX_ON_TAKE, is_taken, offsetof(TensixCoverage, take) },
    { }
};

static void begin_hart(TensixCoverage *c, unsigned id)
{
    CoveredHart *h = &c->hart[id];

    h->tally = tensix_hart_tally(tensix_cop_hart(c->cop, id), true);
    h->seen = g_memdup2(h->tally, BYTES);
    h->executed = g_malloc0(BYTES);
    h->pushes = bitmap_new(TENSIX_TALLY_WORDS);
    h->lines = coverage_lines_new();
}

static void end_hart(CoveredHart *h)
{
    coverage_lines_free(h->lines);
    g_free(h->elfs);
    g_free(h->pushes);
    g_free(h->executed);
    g_free(h->seen);
}

static void subscribe(TensixCoverage *c, bool on)
{
    tensix_cop_lock(c->cop);
    if (on) {
        tensix_bus_subscribe_all(c->parent_obj.bus, subscriptions, c);
    } else {
        tensix_bus_unsubscribe_all(c->parent_obj.bus, subscriptions, c);
    }
    tensix_cop_choose_observer(c->cop);
    tensix_cop_release(c->cop);
}

static bool tensix_coverage_prepare(TensixInstrument *i, Error **errp)
{
    TensixCoverage *c = TENSIX_COVERAGE(i);

    if (!c->name || !*c->name) {
        error_setg(errp, "file=FILE is missing");
        return false;
    }
    c->cop = TENSIX_COP(i->cop);
    c->sources = tensix_cop_reporter(c->cop)->sources;
    return open_file(c, errp);
}

static void tensix_coverage_attach(TensixInstrument *i)
{
    TensixCoverage *c = TENSIX_COVERAGE(i);

    for (unsigned id = 0; id < TENSIX_NUM_HARTS; id++) {
        begin_hart(c, id);
    }
    subscribe(c, true);
    qemu_add_exit_notifier(&c->exit);
}

static void end_coverage(TensixCoverage *c)
{
    write_lines(c);
    close(c->fd);
    c->fd = -1;
}

static void tensix_coverage_detach(TensixInstrument *i)
{
    TensixCoverage *c = TENSIX_COVERAGE(i);

    if (c->fd < 0) {
        return;                    /* QEMU ends */
    }
    qemu_remove_exit_notifier(&c->exit);
    subscribe(c, false);
    end_coverage(c);
    for (unsigned id = 0; id < TENSIX_NUM_HARTS; id++) {
        tensix_hart_tally(tensix_cop_hart(c->cop, id), false);
        end_hart(&c->hart[id]);
    }
}

/* exit() may be a hart's, by semihosting, with or without the BQL. */
static void end_at_exit(Notifier *n, void *data)
{
    TensixCoverage *c = container_of(n, TensixCoverage, exit);

    BQL_LOCK_GUARD();
    if (!tensix_cop_is_entered(c->cop)) {
        end_coverage(c);
    }
}

/* --- type --- */

static char *get_file(Object *obj, Error **errp)
{
    return g_strdup(TENSIX_COVERAGE(obj)->name ?: "");
}

static void set_file(Object *obj, const char *value, Error **errp)
{
    tensix_instrument_set_text(obj, &TENSIX_COVERAGE(obj)->name, value,
        "coverage: the file cannot change while it counts", errp);
}

static void tensix_coverage_init(Object *obj)
{
    TensixCoverage *c = TENSIX_COVERAGE(obj);

    c->fd = -1;
    c->exit.notify = end_at_exit;
}

static void tensix_coverage_finalize(Object *obj)
{
    g_free(TENSIX_COVERAGE(obj)->name);
}

static void tensix_coverage_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    ic->prepare = tensix_coverage_prepare;
    ic->attach = tensix_coverage_attach;
    ic->detach = tensix_coverage_detach;
    object_class_property_add_str(oc, "file", get_file, set_file);
    object_class_property_set_description(oc, "file",
        "that source lines' counts are written to in the end (LCOV)");
}

static const TypeInfo tensix_coverage_types[] = {
    {
        .name = TYPE_TENSIX_COVERAGE,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .instance_size = sizeof(TensixCoverage),
        .instance_init = tensix_coverage_init,
        .instance_finalize = tensix_coverage_finalize,
        .class_init = tensix_coverage_class_init,
    },
};

DEFINE_TYPES(tensix_coverage_types)
