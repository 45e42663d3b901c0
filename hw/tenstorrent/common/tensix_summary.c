/*
 * The summary of check=all: at most twelve lines, the worst findings first.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_busy.h"
#include "tensix_sites.h"
#include "tensix_summary.h"
#include "tensix_suppress.h"

enum {
    LINES = 8,                     /* of findings */
    RULES = 2,                     /* that are unused */
    WIDTH = 160,                   /* characters of a line */
};

/* Kinds of findings, the worst first; one that is not here comes last. */
static const char *const worst_first[] = {
    "deadlock", "bad-access", "bounds", "undefined-behaviour", "race",
    "unwritten", "unfinished", "leak", "hazard", "unpredictable-value", "non-contractual",
    "unimplemented",
};

/* A line of the summary. */
typedef struct Line {
    unsigned rank;
    const char *kind;
    uint64_t count;
    char *text;
} Line;

typedef struct Summary {
    GPtrArray *reporters, *lines;
    uint64_t suppressed;
    TensixReporter *now;           /* the reporters whose sites are added */
} Summary;

/* --- collecting --- */

static unsigned rank_of(const char *kind)
{
    unsigned n = 0;

    while (n < ARRAY_SIZE(worst_first) && strcmp(kind, worst_first[n])) {
        n++;
    }
    return n;
}

static void line_free(gpointer data)
{
    g_free(((Line *)data)->text);
    g_free(data);
}

static void add_line(Summary *s, const char *kind, uint64_t count,
                     const char *text)
{
    const char *tile = s->now->tile;
    Line *line = g_new(Line, 1);

    *line = (Line) {
        .rank = rank_of(kind), .kind = kind, .count = count,
        .text = tile ? g_strdup_printf("%s: %s", tile, text) : g_strdup(text),
    };
    g_ptr_array_add(s->lines, line);
    s->now->failed = s->now->check;
}

static void add_sites(void *opaque, uint64_t count, const TensixViolation *v)
{
    Summary *s = opaque;
    const char *kind = tensix_category_names[v->category];
    g_autofree char *text = tensix_report_line(s->now->sources, v);

    add_line(s, kind, count, text + strlen("tensix: ") + strlen(kind) +
             strlen(": "));
}

static void add_reporter(Summary *s, TensixReporter *r)
{
    s->now = r;
    tensix_sites_each(r->sites, r->sources, add_sites, s);
    for (unsigned n = 0; n < r->findings->len; n++) {
        const TensixFinding *finding = g_ptr_array_index(r->findings, n);

        add_line(s, finding->kind, 1, finding->text);
    }
    s->suppressed += tensix_sites_total(r->suppressed) + r->suppressed_findings;
    r->summarised = true;
}

static int find_reporter(Object *obj, void *opaque)
{
    Object *r = object_dynamic_cast(obj, TYPE_TENSIX_REPORTER);

    if (r) {
        g_ptr_array_add(opaque, r);
    }
    return 0;
}

static gint by_rank(gconstpointer a, gconstpointer b)
{
    const Line *s = *(Line *const *)a, *t = *(Line *const *)b;

    return s->rank != t->rank ? (s->rank > t->rank) - (s->rank < t->rank)
                              : (s->count < t->count) - (s->count > t->count);
}

/* --- printing --- */

/* " (race 3, hazard 1)": the lines are sorted. */
static void append_counts(GString *text, const GPtrArray *lines)
{
    const char *before = " (";

    for (unsigned n = 0, next; n < lines->len; n = next) {
        const Line *line = g_ptr_array_index(lines, n);

        for (next = n + 1; next < lines->len &&
             !strcmp(((Line *)g_ptr_array_index(lines, next))->kind, line->kind);
             next++) {
            /* of the same kind */
        }
        g_string_append_printf(text, "%s%s %u", before, line->kind, next - n);
        before = ", ";
    }
    g_string_append(text, ")");
}

static void append_line(GString *text, const Line *line)
{
    g_autoptr(GString) one = g_string_new(NULL);

    g_string_printf(one, "  %s: ", line->kind);
    if (line->count > 1) {
        g_string_append_printf(one, "%" PRIu64 " times, ", line->count);
    }
    g_string_append(one, line->text);
    if (one->len > WIDTH) {
        g_string_truncate(one, WIDTH - strlen("..."));
        g_string_append(one, "...");
    }
    g_string_append_printf(text, "%s\n", one->str);
}

static void append_findings(GString *text, const Summary *s)
{
    unsigned count = s->lines->len;

    g_string_append_printf(text, "tensix: check: %u finding%s", count,
                           count == 1 ? "" : "s");
    if (count) {
        append_counts(text, s->lines);
    }
    if (s->suppressed) {
        g_string_append_printf(text, ", %" PRIu64 " suppressed", s->suppressed);
    }
    g_string_append(text, "\n");
    for (unsigned n = 0; n < MIN(count, LINES); n++) {
        append_line(text, g_ptr_array_index(s->lines, n));
    }
    if (count > LINES) {
        g_string_append_printf(text, "  and %u more\n", count - LINES);
    }
}

static void append_unused(GString *text, const Summary *s)
{
    TensixReporter *first = g_ptr_array_index(s->reporters, 0);
    g_autoptr(GPtrArray) unused = NULL;

    for (unsigned n = 1; n < s->reporters->len; n++) {
        tensix_suppress_add_uses(
            first->suppress,
            ((TensixReporter *)g_ptr_array_index(s->reporters, n))->suppress);
    }
    unused = tensix_suppress_unused(first->suppress);
    for (unsigned n = 0; n < MIN(unused->len, RULES); n++) {
        g_string_append_printf(text, "tensix: suppress: %s%s: unused\n",
                               (char *)g_ptr_array_index(unused, n),
                               n + 1 == RULES && unused->len > RULES
                               ? " and others" : "");
    }
}

void tensix_summary_print(TensixReporter *r)
{
    g_autoptr(GPtrArray) reporters = g_ptr_array_new();
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(line_free);
    g_autoptr(GString) text = g_string_new(NULL);
    Summary s = { .reporters = reporters, .lines = lines };

    if (r->summarised) {
        return;
    }
    object_child_foreach_recursive(tensix_busy_machine(OBJECT(r)),
                                   find_reporter, reporters);
    for (unsigned n = 0; n < reporters->len; n++) {
        add_reporter(&s, g_ptr_array_index(reporters, n));
    }
    g_ptr_array_sort(lines, by_rank);
    if (r->check) {
        append_findings(text, &s);
    }
    append_unused(text, &s);
    fputs(text->str, stderr);
}
