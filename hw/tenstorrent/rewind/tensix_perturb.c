/*
 * Runs of a program with delays: tensix-perturb.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_perturb.h
 *
 * Each variant begins at the same snapshot in memory and differs from the first
 * run in one delay, or in the seed of the schedule.  The harts' thread goes from
 * one to the next between two turns, so that no stop of the machine comes
 * between them.
 */

#include "qemu/osdep.h"
#include "qapi/clone-visitor.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-tenstorrent-state.h"
#include "qapi/qapi-visit-tenstorrent-state.h"
#include "qemu/error-report.h"
#include "qemu/timer.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_busy.h"
#include "hw/tenstorrent/tensix_time.h"
#include "hw/tenstorrent/tensix_tiles.h"
#include "qom/object_interfaces.h"
#include "semihosting/console.h"
#include "system/runstate.h"
#include "perturb_internal.h"

enum {
    SLICE = 64,                    /* instructions of a turn of a hart */
    INSNS_A_CYCLE = 2,             /* of all harts */
    ALONE = 32,                    /* cycles at once, while all harts wait, */
    MOST_ALONE = 20000,            /* and in all */
    MOST_CYCLES = 100000,          /* of a delay */
    MOST_BYTES = 64 * 1024 * 1024, /* of results */
    TIMES_LONGER = 4,              /* than the first run, a variant may take */
    LONGER_INSNS = 400000,         /* and so many more */
    SEED_TIMES_LONGER = 100,       /* with another seed */
};

/* Virtual time and instructions of the first run; more time of a variant. */
#define FIRST_LIMIT (2000ll * SCALE_MS)
#define LONGER_NS (10ll * SCALE_MS)
/* In random order waits take far more virtual time than in eager order. */
#define LONGER_SEED_NS (500ll * SCALE_MS)

/* --- one run --- */

static void be_silent(TensixPerturb *p, bool silent)
{
    p->reporter->again = silent ? TENSIX_REPORT_SEARCH : TENSIX_REPORT_NEW;
    qemu_semihosting_console_mute(silent);
}

/* One delay alone is a run that its user follows. */
static bool is_alone(const TensixDelayRangeList *delays)
{
    return delays && !delays->next &&
           delays->value->first == delays->value->last;
}

static void set_delay(TensixPerturb *p)
{
    const TensixDelayRange *r = p->range->value;

    p->delays.at = (TensixOrigin) { .pc = r->pc, .hart = r->hart };
    p->delays.word = r->has_word ? r->word : 0;
    p->delays.what = perturb_delayed(r->what);
    p->delays.cycles = p->cycles;
    p->delays.issued = p->wanted ? NULL : perturb_record_site;
    p->delays.stored = p->wanted ? NULL : perturb_record_store;
    tensix_cop_set_delays(p->cop, &p->delays);
}

/* With a seed the machine is as with schedule=seed=N on an axis. */
static void set_variant(TensixPerturb *p)
{
    tensix_turns_set_slice(p->turns, p->seeded ? 0 : SLICE);
    tensix_cop_lock(p->cop);
    if (p->seeded) {
        tensix_cop_set_seed(p->cop, p->cycles);
    } else {
        set_delay(p);
    }
    tensix_cop_release(p->cop);
}

static void set_limits(TensixPerturb *p)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    int64_t insns = FIRST_LIMIT, ns = FIRST_LIMIT;
    int64_t times = p->seeded ? SEED_TIMES_LONGER : TIMES_LONGER;
    int64_t more = p->seeded ? LONGER_SEED_NS : LONGER_NS;

    if (p->wanted) {
        insns = p->base.place * times + LONGER_INSNS;
        ns = p->base.time * times + more;
    }
    p->now = (PerturbRun) {
        tensix_axis_place(), now, tensix_cop_state(p->cop)->order.cycle,
        p->reporter->known,
    };
    p->passed = p->progressed_at = p->now.place;
    p->timed_out = false;
    timer_mod(p->deadline, now + ns);
    tensix_axis_set_limit(p->axis, p->now.place + insns);
}

/* Back to the start, or that is here and now.  False: a device refuses. */
static bool go_to_start(TensixPerturb *p)
{
    if (p->start) {
        return tensix_snapshot_load(p->start);
    }
    p->start = tensix_snapshot_take(NULL, &p->bytes);
    return true;
}

static void stop(TensixPerturb *p)
{
    p->running = false;
    timer_del(p->deadline);
    tensix_axis_set_again(p->axis, false);
    tensix_axis_set_limit(p->axis, INT64_MAX);
    be_silent(p, false);
    qemu_system_vmstop_request_prepare();
    qemu_system_vmstop_request(RUN_STATE_PAUSED);
}

static bool begin_run(TensixPerturb *p)
{
    tensix_delays_restart(&p->delays);
    if (!go_to_start(p)) {
        error_report("perturb: the snapshot could not be loaded");
        p->range = NULL;
        stop(p);
        return false;
    }
    tensix_axis_set_again(p->axis, true);
    be_silent(p, !p->reports);
    set_variant(p);
    perturb_writes_apply(p->writes);
    set_limits(p);
    p->running = true;
    return true;
}

/* --- its outcome --- */

static bool is_same(const TensixPerturb *p, TensixVariantEnd end,
                    uint64_t differing)
{
    return p->band && p->band->delays == p->number && p->band->end == end &&
           !p->band->differing == !differing &&
           !p->band->violations == !p->now.known;
}

static void add_band(TensixPerturb *p, TensixVariantEnd end,
                     uint64_t differing)
{
    TensixBand *band = g_new0(TensixBand, 1);

    band->delays = p->number;
    band->first = p->cycles;
    band->end = end;
    band->differing = differing;
    band->violations = p->now.known;
    p->band = band;
    QAPI_LIST_APPEND(p->bands_end, band);
}

static void measure(TensixPerturb *p)
{
    p->now.place = tensix_axis_place() - p->now.place;
    p->now.time = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) - p->now.time;
    p->now.known = p->reporter->known - p->now.known;
    p->now.cycles = tensix_cop_state(p->cop)->order.cycle - p->now.cycles;
    if (!p->wanted) {
        p->base = p->now;
        p->wanted = perturb_results(p);
    }
}

static void record_outcome(TensixPerturb *p, TensixVariantEnd end)
{
    uint64_t differing;

    measure(p);
    differing = perturb_differing(p);
    if (!is_same(p, end, differing)) {
        add_band(p, end, differing);
    }
    p->band->last = p->cycles;
}

/* False: that was the last one. */
static bool next_variant(TensixPerturb *p)
{
    if (p->cycles++ == p->range->value->last) {
        p->range = p->range->next;
        p->number++;
        p->cycles = p->range ? p->range->value->first : 0;
    }
    return p->range;
}

/* --- the axis --- */

/* Some four harts execute an instruction in two cycles each. */
static int64_t cycles_of_harts(TensixPerturb *p)
{
    int64_t place = tensix_axis_place();
    int64_t cycles = (place - p->passed) / INSNS_A_CYCLE;

    p->passed = place;
    return MIN(MAX(cycles, 0), MOST_ALONE);
}

/*
 * The coprocessor runs with the harts.  While all of them wait it runs alone,
 * but in small steps: they may be waiting for what it does.
 */
static void pass_cycles(TensixPerturb *p)
{
    const TensixCore *core = tensix_cop_core(p->cop);
    int64_t cycles = cycles_of_harts(p), alone = 0;

    if (!tensix_needs_time(core)) {
        return;
    }
    if (perturb_activity(p) != PERTURB_WORKING) {
        cycles = MAX(cycles, ALONE);
    }
    do {
        tensix_cop_pass_cycles(p->cop, cycles);
        alone += cycles = ALONE;
    } while (alone < MOST_ALONE && tensix_needs_time(core) &&
             perturb_activity(p) == PERTURB_STALLED);
}

static bool before_turn(void *opaque)
{
    TensixPerturb *p = opaque;
    TensixVariantEnd end;

    if ((p->running || !p->range) && !p->seeded) {
        pass_cycles(p);
    }
    if (!p->range) {
        return true;
    }
    if (!p->running) {
        return begin_run(p);
    }
    p->timed_out |= tensix_axis_place() >= tensix_axis_limit(p->axis);
    if (!perturb_ended(p, &end)) {
        return true;
    }
    record_outcome(p, end);
    if (next_variant(p)) {
        return begin_run(p);
    }
    stop(p);
    return false;
}

static const TensixAxisOps axis_ops = { .before_turn = before_turn };

/* Also where no hart has a turn any more. */
static void time_is_over(void *opaque)
{
    TensixPerturb *p = opaque;

    p->timed_out = true;
    tensix_axis_wake(p->axis);
}

/* --- QMP --- */

static TensixPerturb *find(Error **errp)
{
    g_autoptr(GPtrArray) cops = tensix_tiles_below(object_get_root());
    Object *found = NULL;

    for (unsigned i = 0; i < cops->len && !found; i++) {
        found = tensix_instrument_find(
            tensix_cop_bus(g_ptr_array_index(cops, i)), TYPE_TENSIX_PERTURB);
    }
    if (!found) {
        error_setg(errp, "there is no object %s", TYPE_TENSIX_PERTURB);
        return NULL;
    }
    return TENSIX_PERTURB(found);
}

static bool are_ranges_valid(const TensixDelayRangeList *list, Error **errp)
{
    if (!list) {
        error_setg(errp, "delays: none is given");
        return false;
    }
    for (; list; list = list->next) {
        if (list->value->first > list->value->last ||
            list->value->last > MOST_CYCLES) {
            error_setg(errp, "delays are ranges of cycles from 0 to %d, not "
                       "from %u to %u", MOST_CYCLES, list->value->first,
                       list->value->last);
            return false;
        }
    }
    return true;
}

static bool are_seeds_valid(const TensixSeedRangeList *list, Error **errp)
{
    if (!list) {
        error_setg(errp, "seeds: none is given");
        return false;
    }
    for (; list; list = list->next) {
        if (list->value->first > list->value->last) {
            error_setg(errp, "seeds: the first, %u, is above the last, %u",
                       list->value->first, list->value->last);
            return false;
        }
    }
    return true;
}

/* Seeds as ranges of delays. */
static TensixDelayRangeList *ranges_of(const TensixSeedRangeList *seeds)
{
    TensixDelayRangeList *ranges = NULL, **end = &ranges;

    for (; seeds; seeds = seeds->next) {
        TensixDelayRange *r = g_new0(TensixDelayRange, 1);

        r->first = seeds->value->first;
        r->last = seeds->value->last;
        QAPI_LIST_APPEND(end, r);
    }
    return ranges;
}

static bool are_results_valid(const TensixMemoryRangeList *list, Error **errp)
{
    uint64_t bytes = 0;

    for (; list; list = list->next) {
        bytes += MIN(list->value->size, MOST_BYTES + 1);
        if (bytes > MOST_BYTES) {
            error_setg(errp, "results have %d bytes at most", MOST_BYTES);
            return false;
        }
    }
    return true;
}

static void discard_question(TensixPerturb *p)
{
    g_clear_pointer(&p->devices, g_ptr_array_unref);
    g_clear_pointer(&p->writes, g_ptr_array_unref);
    qapi_free_TensixWordConditionList(p->until);
    qapi_free_TensixDelayRangeList(p->ranges);
    qapi_free_TensixBandList(p->bands);
    p->bands = NULL;
    p->bands_end = &p->bands;
    p->band = NULL;
    p->range = NULL;
}

/* With other results the next run is the first one. */
static void discard_first_run(TensixPerturb *p)
{
    g_clear_pointer(&p->results, qapi_free_TensixMemoryRangeList);
    g_clear_pointer(&p->wanted, g_byte_array_unref);
    g_hash_table_remove_all(p->sites);
    g_hash_table_remove_all(p->stores);
}

static bool are_variants_valid(bool has_delays,
                               const TensixDelayRangeList *delays,
                               bool has_seeds,
                               const TensixSeedRangeList *seeds, Error **errp)
{
    if (has_delays && has_seeds) {
        error_setg(errp, "delays and seeds exclude each other");
        return false;
    }
    return has_seeds ? are_seeds_valid(seeds, errp)
                     : are_ranges_valid(delays, errp);
}

void qmp_tensix_perturb(bool has_until, TensixWordConditionList *until,
                        bool has_idle, bool idle, bool has_results,
                        TensixMemoryRangeList *results, bool has_delays,
                        TensixDelayRangeList *delays, bool has_seeds,
                        TensixSeedRangeList *seeds, bool has_writes,
                        TensixMemoryWriteList *writes, bool has_report,
                        bool report, Error **errp)
{
    TensixPerturb *p = find(errp);
    GPtrArray *stored;

    if (!p || !are_variants_valid(has_delays, delays, has_seeds, seeds, errp) ||
        !are_results_valid(results, errp)) {
        return;
    }
    if (runstate_is_running() || p->running) {
        error_setg(errp, "the machine runs: stop it first");
        return;
    }
    stored = perturb_writes_parse(writes, errp);
    if (!stored) {
        return;
    }
    discard_question(p);
    if (has_results) {
        discard_first_run(p);
        p->results = QAPI_CLONE(TensixMemoryRangeList, results);
    }
    p->until = QAPI_CLONE(TensixWordConditionList, until);
    p->until_idle = has_idle ? idle : !until;
    /* found once: the whole machine is walked for them */
    p->devices = tensix_busy_devices(tensix_busy_machine(OBJECT(p->cop)));
    p->ranges = has_seeds ? ranges_of(seeds)
                          : QAPI_CLONE(TensixDelayRangeList, delays);
    p->seeded = has_seeds;
    p->reports = has_report ? report : is_alone(delays);
    p->writes = stored;
    p->range = p->ranges;
    p->number = 0;
    p->cycles = p->range->value->first;
}

/* There may be more seeds than the answer can count. */
static uint32_t count_left(const TensixPerturb *p)
{
    uint64_t left = 0;

    for (const TensixDelayRangeList *r = p->range; r; r = r->next) {
        left += r->value->last + 1ull -
                (r == p->range ? p->cycles : r->value->first);
    }
    return MIN(left, UINT32_MAX);
}

TensixPerturbInfo *qmp_query_tensix_perturb(bool has_sites, bool sites,
                                            Error **errp)
{
    TensixPerturb *p = find(errp);
    TensixPerturbInfo *info;

    if (!p) {
        return NULL;
    }
    info = g_new0(TensixPerturbInfo, 1);
    info->left = count_left(p);
    info->instructions = p->wanted ? p->base.place : 0;
    info->cycles = p->wanted ? p->base.cycles : 0;
    info->bands = QAPI_CLONE(TensixBandList, p->bands);
    info->sites = !has_sites || sites ? perturb_sites_list(p) : NULL;
    info->stores = !has_sites || sites ? perturb_stores_list(p) : NULL;
    return info;
}

/* What a hart has stored is there when another one leaves reset. */
static void hart_released(Notifier *n, void *data)
{
    TensixPerturb *p = container_of(n, TensixPerturb, release);

    tensix_late_finish(tensix_cop_lock(p->cop));
    tensix_cop_release(p->cop);
}

/* --- the object --- */

static bool tensix_perturb_prepare(TensixInstrument *i, Error **errp)
{
    if (TENSIX_TILE(i->tile)->has_host) {
        error_setg(errp, "delays and a host (host=, host-socket=) exclude each "
                   "other: what a host asked for cannot be asked again");
        return false;
    }
    return tensix_time_can_go_back(i->bus, errp) &&
           tensix_axis_is_possible(TENSIX_TILE(i->tile)->turns, errp);
}

static void tensix_perturb_attach(TensixInstrument *i)
{
    TensixPerturb *p = TENSIX_PERTURB(i);

    p->cop = TENSIX_COP(i->cop);
    p->reporter = tensix_cop_reporter(p->cop);
    p->turns = TENSIX_TILE(i->tile)->turns;
    p->axis = tensix_axis_new(p->turns, &axis_ops, p);
    p->deadline = timer_new_ns(QEMU_CLOCK_VIRTUAL, time_is_over, p);
    p->delays.opaque = p;
    p->release.notify = hart_released;
    tensix_bus_subscribe(tensix_cop_bus(p->cop), TENSIX_ON_RELEASE,
                         &p->release);
    tensix_turns_set_slice(p->turns, SLICE);
    tensix_cop_lock(p->cop);
    tensix_cop_set_delays(p->cop, &p->delays);
    tensix_cop_release(p->cop);
}

static void tensix_perturb_detach(TensixInstrument *i)
{
    TensixPerturb *p = TENSIX_PERTURB(i);

    tensix_bus_unsubscribe(tensix_cop_bus(p->cop), TENSIX_ON_RELEASE,
                           &p->release);
    tensix_cop_lock(p->cop);
    tensix_cop_set_delays(p->cop, NULL);
    tensix_cop_release(p->cop);
    tensix_turns_set_slice(p->turns, 0);
    timer_free(p->deadline);
    tensix_axis_free(p->axis);
}

static bool tensix_perturb_can_be_deleted(UserCreatable *uc)
{
    return !TENSIX_INSTRUMENT(uc)->attached;
}

static void tensix_perturb_init(Object *obj)
{
    TensixPerturb *p = TENSIX_PERTURB(obj);

    p->sites = perturb_sites_new();
    p->stores = perturb_sites_new();
    p->bands_end = &p->bands;
}

static void tensix_perturb_finalize(Object *obj)
{
    TensixPerturb *p = TENSIX_PERTURB(obj);

    discard_question(p);
    discard_first_run(p);
    tensix_snapshot_free(p->start, &p->bytes);
    g_hash_table_destroy(p->sites);
    g_hash_table_destroy(p->stores);
}

static void tensix_perturb_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    ic->prepare = tensix_perturb_prepare;
    ic->attach = tensix_perturb_attach;
    ic->detach = tensix_perturb_detach;
    USER_CREATABLE_CLASS(oc)->can_be_deleted = tensix_perturb_can_be_deleted;
}

static const TypeInfo tensix_perturb_types[] = {
    {
        .name = TYPE_TENSIX_PERTURB,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .instance_size = sizeof(TensixPerturb),
        .instance_init = tensix_perturb_init,
        .instance_finalize = tensix_perturb_finalize,
        .class_init = tensix_perturb_class_init,
    },
};

DEFINE_TYPES(tensix_perturb_types)
