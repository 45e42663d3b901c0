/*
 * Sites of violations: which have been seen, and how often.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/util.h"
#include "hw/tenstorrent/tensix_report.h"
#include "tensix_insn_info.h"
#include "tensix_sites.h"

enum {
    MAX_SITES = 1024,
    MAX_LINES = 32,                /* a hart; one may run through nothing */
    SUMMARY_SITES = 16,            /* lines; beyond them there is a number */
    REPORT_FACTOR = 10,            /* between counts that are reported */
};

typedef struct TensixSite {
    TensixCategory category;
    uint32_t hart, pc, word;
    uint32_t text;                 /* hash of it, if there is no place */
    uint64_t count, next_report; /* the next count that is reported, or 0 */
    TensixViolation first;         /* with its own text */
} TensixSite;

struct TensixSites {
    GHashTable *sites;             /* of TensixSite, each its own key */
    uint64_t total;                /* violations */
    uint64_t elsewhere;            /* those at sites that are not kept */
    uint32_t lines[TENSIX_HART_NONE + 1];  /* that a hart has got */
    bool left_out;                 /* a site got none */
};

static guint site_hash(gconstpointer key)
{
    const TensixSite *s = key;
    uint64_t hash = (uint64_t)s->pc << 32 | s->word;

    hash ^= (uint64_t)s->text << 16 ^ s->hart << 8 ^ s->category;
    return g_int64_hash(&hash);
}

static gboolean site_equal(gconstpointer a, gconstpointer b)
{
    const TensixSite *s = a, *t = b;

    return s->category == t->category && s->hart == t->hart &&
           s->pc == t->pc && s->word == t->word && s->text == t->text;
}

static void site_free(gpointer data)
{
    TensixSite *s = data;

    g_free((char *)s->first.text);
    g_free(s);
}

TensixSites *tensix_sites_new(void)
{
    TensixSites *sites = g_new0(TensixSites, 1);

    sites->sites = g_hash_table_new_full(site_hash, site_equal, NULL,
                                         site_free);
    return sites;
}

void tensix_sites_free(TensixSites *sites)
{
    g_hash_table_destroy(sites->sites);
    g_free(sites);
}

static TensixSite make_site(const TensixViolation *v, bool has_location)
{
    return (TensixSite) {
        .category = v->category, .hart = v->origin.hart, .pc = v->origin.pc,
        .word = v->word, .text = has_location ? 0 : g_str_hash(v->text),
        .count = 1,
    };
}

/* Of a new site. */
static TensixSiteSummary summarise_new(TensixSites *sites, TensixSite *site)
{
    uint32_t n = sites->lines[MIN(site->hart, TENSIX_HART_NONE)]++;
    TensixSiteSummary summary = { };

    if (n < MAX_LINES) {
        site->next_report = REPORT_FACTOR;
        summary.count = 1;
        summary.is_new = true;
        return summary;
    }
    sites->left_out = true;
    summary.is_one_too_many = n == MAX_LINES;
    return summary;
}

char *tensix_sites_text(TensixSiteSummary summary, TensixSources *sources,
                        const TensixViolation *v)
{
    if (summary.is_one_too_many) {
        return g_strdup_printf(
            "tensix: more sites of %s are only counted (-d guest_errors,unimp "
            "shows them)",
            tensix_hart_names[MIN(v->origin.hart, TENSIX_HART_NONE)]);
    }
    return summary.is_new ? tensix_report_lines(sources, v) : NULL;
}

/* Of a site that is known. */
static TensixSiteSummary count_again(TensixSite *site)
{
    TensixSiteSummary summary = { };

    if (++site->count == site->next_report) {
        summary.count = site->count;
        site->next_report *= REPORT_FACTOR;
    }
    return summary;
}

TensixSiteSummary tensix_sites_add(TensixSites *sites, const TensixViolation *v,
                                   bool has_location)
{
    TensixSite wanted = make_site(v, has_location);
    TensixSite *site = g_hash_table_lookup(sites->sites, &wanted);

    sites->total++;
    if (site) {
        return count_again(site);
    }
    if (g_hash_table_size(sites->sites) >= MAX_SITES) {
        sites->elsewhere++;
        return (TensixSiteSummary) { };
    }
    site = g_new(TensixSite, 1);
    *site = wanted;
    site->first = *v;
    site->first.text = g_strdup(v->text);
    site->first.mnemonic = "";
    g_hash_table_add(sites->sites, site);
    return summarise_new(sites, site);
}

bool tensix_sites_has(const TensixSites *sites, const TensixViolation *v,
                      bool has_location)
{
    TensixSite wanted = make_site(v, has_location);

    return g_hash_table_contains(sites->sites, &wanted);
}

uint64_t tensix_sites_total(const TensixSites *sites)
{
    return sites->total;
}

/* --- summary --- */

/* Sites of one source line; or one site, of which no line is known. */
typedef struct SiteGroup {
    uint64_t count;
    unsigned sites;
    const TensixSite *top;         /* the most frequent of them */
} SiteGroup;

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* The most frequent ones first; an order that no two sites share. */
static int compare_sites(const TensixSite *s, const TensixSite *t)
{
    return compare(t->count, s->count)      ?:
           compare(s->category, t->category) ?:
           compare(s->hart, t->hart)        ?:
           compare(s->pc, t->pc)            ?:
           compare(s->word, t->word)        ?:
           strcmp(s->first.text, t->first.text);
}

static gint by_count(gconstpointer a, gconstpointer b, gpointer unused)
{
    const SiteGroup *g = a, *h = b;

    return compare(h->count, g->count) ?: compare_sites(g->top, h->top);
}

/* What the sites of a group have in common. */
static char *group_key(const TensixSite *s, TensixSources *sources)
{
    g_autofree char *place = s->text ? NULL
                             : tensix_sources_location(sources, s->hart, s->pc);

    return place ? g_strdup_printf("%u %u %s", s->category, s->hart, place)
                 : g_strdup_printf("%p", s);
}

static GHashTable *group_sites(GHashTable *sites, TensixSources *sources)
{
    GHashTable *groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                               g_free);
    GHashTableIter iter;
    gpointer key;

    g_hash_table_iter_init(&iter, sites);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        const TensixSite *s = key;
        g_autofree char *name = group_key(s, sources);
        SiteGroup *g = g_hash_table_lookup(groups, name);

        if (!g) {
            g = g_new0(SiteGroup, 1);
            g_hash_table_insert(groups, g_steal_pointer(&name), g);
        }
        g->count += s->count;
        g->sites++;
        if (!g->top || compare_sites(g->top, s) > 0) {
            g->top = s;
        }
    }
    return groups;
}

/* The groups that are worth a line; the number of those that got none. */
static unsigned append_groups(GString *text, GList *frequent_first,
                              TensixSources *sources)
{
    unsigned n = 0;

    for (GList *at = frequent_first; at; at = at->next) {
        const SiteGroup *g = at->data;
        g_autofree char *line = NULL;

        if (g->count == 1 || n++ >= SUMMARY_SITES) {
            continue;
        }
        line = tensix_report_line(sources, &g->top->first);
        g_string_append_printf(text, "\n  %" PRIu64 " times", g->count);
        if (g->sites > 1) {
            g_string_append_printf(text, " at %u sites of a source line",
                                   g->sites);
        }
        g_string_append_printf(text, ": %s", line);
    }
    return n > SUMMARY_SITES ? n - SUMMARY_SITES : 0;
}

void tensix_sites_each(TensixSites *sites, TensixSources *sources,
                       TensixSitesFn *fn, void *opaque)
{
    g_autoptr(GHashTable) groups = group_sites(sites->sites, sources);
    g_autoptr(GList) list = g_list_sort_with_data(
        g_hash_table_get_values(groups), by_count, NULL);

    for (const GList *at = list; at; at = at->next) {
        const SiteGroup *g = at->data;

        fn(opaque, g->count, &g->top->first);
    }
}

GString *tensix_sites_summary(TensixSites *sites, TensixSources *sources)
{
    unsigned count = g_hash_table_size(sites->sites), more;
    GHashTable *groups;
    GList *list;
    GString *text;

    if (sites->total == count && !sites->left_out) {
        return NULL;               /* each one had its line */
    }
    text = g_string_new(NULL);
    groups = group_sites(sites->sites, sources);
    list = g_list_sort_with_data(g_hash_table_get_values(groups), by_count,
                                 NULL);
    g_string_append_printf(text, "tensix: %" PRIu64 " violations at %u%s "
                           "site%s", sites->total, count,
                           count < MAX_SITES ? "" : " or more",
                           count == 1 ? "" : "s");
    more = append_groups(text, list, sources);
    if (more) {
        g_string_append_printf(text, "\n  and %u more", more);
    }
    g_list_free(list);
    g_hash_table_destroy(groups);
    return text;
}

TensixInsnInfo *tensix_sites_insn(const TensixViolation *v)
{
    TensixInsn insn = {
        .word = v->word, .thread = v->thread, .origin = v->origin,
        .mop_position = v->mop_position, .replay_slot = v->replay_slot,
    };

    return v->thread < TENSIX_THREADS ? tensix_insn_info(&insn, &v->recorded)
                                      : NULL;
}

static TensixViolationSite *site_info(const TensixSite *s)
{
    TensixViolationSite *info = g_new0(TensixViolationSite, 1);

    QEMU_BUILD_BUG_ON((int)TENSIX_VIOLATION_CATEGORY__MAX != TENSIX_CATEGORIES);
    info->category = s->category;
    info->hart = MIN(s->hart, TENSIX_HART_NONE);
    info->pc = s->pc;
    info->instruction = tensix_sites_insn(&s->first);
    info->text = g_strdup(s->first.text);
    info->count = s->count;
    return info;
}

static gint sites_by_count(gconstpointer a, gconstpointer b,
                           gpointer unused)
{
    return compare_sites(a, b);
}

TensixViolations *tensix_sites_list(TensixSites *sites)
{
    TensixViolations *info = g_new0(TensixViolations, 1);
    TensixViolationSiteList **tail = &info->sites;
    GList *list = g_list_sort_with_data(
        g_hash_table_get_values(sites->sites), sites_by_count, NULL);

    info->total = sites->total;
    info->elsewhere = sites->elsewhere;
    for (GList *at = list; at; at = at->next) {
        QAPI_LIST_APPEND(tail, site_info(at->data));
    }
    g_list_free(list);
    return info;
}
