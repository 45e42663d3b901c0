/*
 * The critical path of estimated cycles, as QAPI has it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix_query_time.h"

typedef struct PathSums {
    uint64_t agent[TENSIX_PATH_AGENTS];
    uint64_t *spent[TENSIX_NUM_HARTS]; /* by word of L1 */
} PathSums;

/* --- intervals --- */

/* An interval before the list's first, or the beginning of it: then false. */
static bool add_span(TensixTimeSpanList **list, unsigned agent, uint64_t first,
                     uint64_t last)
{
    g_autofree char *name = tensix_time_agent_name(agent);
    TensixTimeSpan *span;

    if (*list && !strcmp((*list)->value->agent, name)) {
        (*list)->value->first = first;
        return false;
    }
    span = g_new0(TensixTimeSpan, 1);
    span->agent = g_steal_pointer(&name);
    span->first = first;
    span->last = last;
    QAPI_LIST_PREPEND(*list, span);
    return true;
}

static void drop_first(TensixTimeSpanList **list)
{
    TensixTimeSpanList *first = *list;

    *list = first->next;
    first->next = NULL;
    qapi_free_TensixTimeSpanList(first);
}

static TensixTimeSpanList *latest_spans(const TensixTimes *times)
{
    enum { SPANS = 64 };
    TensixTimeSpanList *list = NULL;
    TensixStamp stamp = times->end;
    uint64_t last = stamp.at;
    TensixPathLink link;
    unsigned n = 0;

    while (n <= SPANS && tensix_time_path_back(times->path, &stamp, &link)) {
        n += link.since < last &&
             add_span(&list, link.work.agent, link.since, last);
        last = stamp.at;
    }
    if (n > SPANS) {
        drop_first(&list);
    }
    return list;
}

/* --- sums --- */

static void add_link(PathSums *sums, const TensixPathLink *link,
                     uint64_t cycles)
{
    const TensixPathWork *work = &link->work;
    uint32_t word = work->pc / sizeof(uint32_t);

    sums->agent[work->agent] += cycles;
    if (work->hart < TENSIX_NUM_HARTS && word < TENSIX_TIME_WORDS) {
        sums->spent[work->hart][word] += cycles;
    }
}

static void add_links(PathSums *sums, const TensixTimes *times,
                      uint64_t *first)
{
    TensixStamp stamp = times->end;
    TensixPathLink link;

    for (;;) {
        *first = stamp.at;
        if (!tensix_time_path_back(times->path, &stamp, &link)) {
            return;
        }
        add_link(sums, &link, *first - link.since);
    }
}

/* The longest first. */
static gint compare_agents(gconstpointer a, gconstpointer b, gpointer data)
{
    const PathSums *sums = data;
    uint64_t x = sums->agent[GPOINTER_TO_UINT(a)];
    uint64_t y = sums->agent[GPOINTER_TO_UINT(b)];

    return x != y ? (x < y ? 1 : -1) : 0;
}

static TensixTimeWaitList *agents_of(PathSums *sums)
{
    TensixTimeWaitList *list = NULL, **tail = &list;
    g_autoptr(GList) agents = NULL;

    for (unsigned n = TENSIX_PATH_AGENTS; n-- > 0;) {
        agents = g_list_prepend(agents, GUINT_TO_POINTER(n));
    }
    agents = g_list_sort_with_data(agents, compare_agents, sums);
    for (GList *agent = agents; agent; agent = agent->next) {
        unsigned n = GPOINTER_TO_UINT(agent->data);
        g_autofree char *name = tensix_time_agent_name(n);

        tensix_time_add_wait(&tail, name, sums->agent[n]);
    }
    return list;
}

TensixPathInfo *tensix_query_path(TensixSources *sources,
                                  const TensixTimes *times)
{
    TensixPathInfo *info = g_new0(TensixPathInfo, 1);
    PathSums sums = { };

    for (unsigned n = 0; n < TENSIX_NUM_HARTS; n++) {
        sums.spent[n] = g_new0(uint64_t, TENSIX_TIME_WORDS);
    }
    add_links(&sums, times, &info->first);
    info->agents = agents_of(&sums);
    info->lines = tensix_time_lines(sources, 0, TENSIX_NUM_HARTS, sums.spent);
    info->latest = latest_spans(times);
    for (unsigned n = 0; n < TENSIX_NUM_HARTS; n++) {
        g_free(sums.spent[n]);
    }
    return info;
}
