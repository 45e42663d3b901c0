/*
 * Estimated cycles as QAPI and `info tensix` have them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/tenstorrent/tensix_report.h"
#include "hw/tenstorrent/tensix_time.h"
#include "tensix_query.h"
#include "tensix_query_time.h"
#include "tensix_show.h"

#define WAITED "\n  waited for "

/* WH L1.md: 16 banks with 128 bits a cycle each. */
enum { L1_BANDWIDTH = 16 * 16 };

void tensix_time_add_wait(TensixTimeWaitList ***tail, const char *what,
                          uint64_t cycles)
{
    TensixTimeWait *wait;

    if (cycles) {
        wait = g_new0(TensixTimeWait, 1);
        wait->what = g_strdup(what);
        wait->cycles = cycles;
        QAPI_LIST_APPEND(*tail, wait);
    }
}

/* --- source lines --- */

static void add_cycles(GHashTable *lines, char *place, uint64_t cycles)
{
    TensixTimeLine *line = g_hash_table_lookup(lines, place);

    if (line) {
        g_free(place);
    } else {
        line = g_new0(TensixTimeLine, 1);
        line->place = place;
        g_hash_table_insert(lines, line->place, line);
    }
    line->cycles += cycles;
}

/* Of a hart: its TensixTimeLine by place; words of a line are many. */
static void find_lines(GHashTable *lines, TensixSources *sources, unsigned hart,
                       const uint64_t *spent)
{
    for (uint32_t word = 0; word < TENSIX_TIME_WORDS; word++) {
        if (spent[word]) {
            add_cycles(lines,
                       tensix_sources_short_location(sources, hart,
                                                     word * sizeof(uint32_t)),
                       spent[word]);
        }
    }
}

/* The longest first; of equal ones by name, so that runs agree. */
static gint compare_lines(gconstpointer a, gconstpointer b, gpointer data)
{
    const TensixTimeLine *x = a, *y = b;

    return x->cycles != y->cycles ? (x->cycles < y->cycles ? 1 : -1)
                                  : strcmp(x->place, y->place);
}

static TensixTimeLineList *longest(GHashTable *places)
{
    enum { LINES = 8 };
    g_autoptr(GList) lines = g_list_sort_with_data(
        g_hash_table_get_values(places), compare_lines, NULL);
    TensixTimeLineList *list = NULL, **tail = &list;
    unsigned count = 0;

    for (GList *line = lines; line; line = line->next) {
        if (count++ < LINES) {
            QAPI_LIST_APPEND(tail, line->data);
        } else {
            qapi_free_TensixTimeLine(line->data);
        }
    }
    return list;
}

TensixTimeLineList *tensix_time_lines(TensixSources *sources, unsigned first,
                                      unsigned end, uint64_t *const *spent)
{
    g_autoptr(GHashTable) places = g_hash_table_new(g_str_hash, g_str_equal);

    for (unsigned n = first; n < end; n++) {
        find_lines(places, sources, n, spent[n]);
    }
    return longest(places);
}

/* --- harts and threads --- */

static TensixHartTimeInfo *hart_time(TensixSources *sources,
                                     const TensixTimes *times, unsigned n)
{
    TensixHartTimeInfo *info = g_new0(TensixHartTimeInfo, 1);
    TensixTimeWaitList **tail = &info->waited;

    info->hart = n;
    info->first = times->of_hart[n].released;
    info->cycles = times->hart[n];
    for (unsigned w = 0; w < TENSIX_HART_WAITS; w++) {
        tensix_time_add_wait(&tail, tensix_hart_wait_names[w],
                             times->of_hart[n].waited[w]);
    }
    info->pushed = tensix_time_lines(sources, n, n + 1, times->spent);
    return info;
}

static TensixUnitTimeList *unit_times(const TensixThreadTimes *times)
{
    TensixUnitTimeList *list = NULL, **tail = &list;

    for (uint32_t port = 0; port < TENSIX_PORTS; port++) {
        TensixUnitTime *unit;

        if (!times->busy[port]) {
            continue;
        }
        unit = g_new0(TensixUnitTime, 1);
        unit->unit = g_strdup(tensix_time_port_name(port));
        unit->busy = times->busy[port];
        QAPI_LIST_APPEND(tail, unit);
    }
    return list;
}

static TensixThreadTime *thread_time(const TensixThreadTimes *times, unsigned n)
{
    TensixThreadTime *info = g_new0(TensixThreadTime, 1);
    TensixTimeWaitList **tail = &info->waited;

    info->thread = n;
    info->instructions = times->insns;
    info->first = times->first;
    info->last = times->last;
    for (unsigned w = 0; w < TENSIX_THREAD_WAITS; w++) {
        tensix_time_add_wait(&tail, tensix_thread_wait_names[w],
                             times->waited[w]);
    }
    info->units = unit_times(times);
    return info;
}

TensixTimeInfo *tensix_query_time(TensixCopState *cop, Error **errp)
{
    TensixHartTimeInfoList **hart;
    TensixThreadTimeList **thread;
    TensixTimeInfo *info;
    TensixTimes times;

    if (!tensix_time_get(cop, &times)) {
        error_setg(errp, "timing=off: start with timing=published, -icount "
                   "shift=0,sleep=off");
        return NULL;
    }
    info = g_new0(TensixTimeInfo, 1);
    info->unit = g_strdup(TENSIX_TIME_UNIT);
    info->cycles = times.now;
    hart = &info->harts;
    for (unsigned n = 0; n < TENSIX_NUM_HARTS; n++) {
        QAPI_LIST_APPEND(hart, hart_time(tensix_cop_reporter(cop)->sources,
                                         &times, n));
    }
    thread = &info->threads;
    for (unsigned n = 0; n < TENSIX_THREADS; n++) {
        QAPI_LIST_APPEND(thread, thread_time(&times.thread[n], n));
        info->arithmetic += times.thread[n].sums;
        info->l1_bytes += times.thread[n].bytes;
    }
    info->l1_bandwidth = L1_BANDWIDTH;
    info->path = tensix_query_path(tensix_cop_reporter(cop)->sources, &times);
    return info;
}

/* --- info tensix time --- */

/* As many as fit 80 columns in a line. */
static void emit_item(GString *text, const char *before, const char *name,
                      uint64_t cycles)
{
    enum { FULL = 56 };            /* leaves room for any item */
    bool is_full = strlen(strrchr(text->str, '\n')) > FULL;

    g_string_append_printf(text, "%s%s %" PRIu64,
                           is_full && *before == ',' ? ",\n    " : before, name,
                           cycles);
}

static void emit_waits(GString *text, const char *before,
                       const TensixTimeWaitList *waits)
{

    for (; waits; waits = waits->next, before = ", ") {
        emit_item(text, before, waits->value->what, waits->value->cycles);
    }
}

static void emit_busy(GString *text, const TensixUnitTimeList *units)
{
    const char *before = "\n  busy: ";

    for (; units; units = units->next, before = ", ") {
        emit_item(text, before, units->value->unit, units->value->busy);
    }
}

/* The longest three of a hart. */
static void emit_lines(GString *text, const char *before,
                       const TensixTimeLineList *lines)
{
    enum { SHOWN = 3, PLACE = 56 };

    for (unsigned n = 0; lines && n < SHOWN; n++, lines = lines->next) {
        g_string_append_printf(text, "\n  %s%.*s: %" PRIu64, before, PLACE,
                               lines->value->place, lines->value->cycles);
    }
}

static void emit_hart(GString *text, const TensixHartTimeInfo *hart)
{
    if (hart->cycles == hart->first) {
        return;
    }
    g_string_append_printf(text, "%-8s %" PRIu64 " to %" PRIu64,
                           TensixHartName_str(hart->hart), hart->first,
                           hart->cycles);
    emit_waits(text, WAITED, hart->waited);
    emit_lines(text, "pushed ", hart->pushed);
    g_string_append_c(text, '\n');
}

static void emit_thread(GString *text, const TensixThreadTime *thread)
{
    if (!thread->instructions) {
        return;
    }
    g_string_append_printf(text, "thread %u %" PRIu64 " to %" PRIu64
                           ", %" PRIu64 " instructions", thread->thread,
                           thread->first, thread->last, thread->instructions);
    emit_waits(text, WAITED, thread->waited);
    emit_busy(text, thread->units);
    g_string_append_c(text, '\n');
}

/* The unit that one thread keeps busy for longest: to be examined first. */
static const TensixUnitTime *busiest(const TensixTimeInfo *info)
{
    static const TensixUnitTime none = { .unit = (char *)"none" };
    const TensixUnitTime *found = &none;

    for (const TensixThreadTimeList *t = info->threads; t; t = t->next) {
        for (const TensixUnitTimeList *u = t->value->units; u; u = u->next) {
            found = u->value->busy > found->busy ? u->value : found;
        }
    }
    return found;
}

static void emit_path(GString *text, const TensixPathInfo *path)
{
    g_string_append_printf(text, "critical path, from %" PRIu64 " on",
                           path->first);
    emit_waits(text, "\n  ", path->agents);
    emit_lines(text, "", path->lines);
    g_string_append_c(text, '\n');
}

/* How far from what the Matrix Unit and L1 can do. */
static void emit_roofline(GString *text, const TensixTimeInfo *info)
{
    g_string_append_printf(text, "arithmetic in %" PRIu64 " cycles, %" PRIu64
                           " %% of the Matrix Unit's peak\n", info->arithmetic,
                           info->arithmetic * 100 / info->cycles);
    g_string_append_printf(text, "%" PRIu64 " bytes unpacked and packed, %.1f a "
                           "cycle; L1's bandwidth: %" PRIu64 "\n",
                           info->l1_bytes,
                           (double)info->l1_bytes / info->cycles,
                           info->l1_bandwidth);
}

void tensix_show_time(TensixEmit *e, const TensixTimeInfo *info)
{
    const TensixUnitTime *unit = busiest(info);

    g_string_append_printf(e->text, "%" PRIu64 " %s\n", info->cycles,
                           info->unit);
    for (const TensixHartTimeInfoList *h = info->harts; h; h = h->next) {
        emit_hart(e->text, h->value);
    }
    for (const TensixThreadTimeList *t = info->threads; t; t = t->next) {
        emit_thread(e->text, t->value);
    }
    emit_path(e->text, info->path);
    if (unit->busy) {
        emit_roofline(e->text, info);
        g_string_append_printf(e->text, "busiest unit: %s, %" PRIu64 " %%\n",
                               unit->unit, unit->busy * 100 / info->cycles);
    }
}
