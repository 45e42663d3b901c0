/*
 * Coverage: counts of a hart's source lines, as LCOV has them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A line has the count of its instruction that was executed most often.  The
 * line of an inlined function has instructions in each place that it is inlined
 * in: these places add up.  Lines that functions are inlined in count as well.
 * Instructions that the coprocessor executed add up, too.
 */

#include "qemu/osdep.h"
#include "coverage_lcov.h"

/* A line, in one of the places that its function is inlined in. */
typedef struct Copy {
    const char *file;              /* CoverageLines.files' key */
    unsigned line;
    CoverageCounts most;
} Copy;

/* A function that is called, not inlined, in a program. */
typedef struct Callee {
    const char *file;
    char *function;
    unsigned line;
    uint64_t calls;                /* executions of its first instruction */
} Callee;

typedef struct Function {
    unsigned line;
    uint64_t calls;
} Function;

typedef struct File {
    GHashTable *lines;             /* number: CoverageCounts */
    GHashTable *functions;         /* name: Function */
} File;

struct CoverageLines {
    GHashTable *files;             /* path: File */
    GHashTable *copies;            /* places, as text: Copy; up to the sum */
    GHashTable *called;            /* the same of functions: Callee */
};

static void file_free(gpointer data)
{
    File *file = data;

    g_hash_table_destroy(file->lines);
    g_hash_table_destroy(file->functions);
    g_free(file);
}

static void callee_free(gpointer data)
{
    Callee *callee = data;

    g_free(callee->function);
    g_free(callee);
}

CoverageLines *coverage_lines_new(void)
{
    CoverageLines *c = g_new0(CoverageLines, 1);

    c->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                     file_free);
    c->copies = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    c->called = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                      callee_free);
    return c;
}

void coverage_lines_free(CoverageLines *c)
{
    g_hash_table_destroy(c->called);
    g_hash_table_destroy(c->copies);
    g_hash_table_destroy(c->files);
    g_free(c);
}

/* --- adding --- */

/* The path as a key, which lasts. */
static const char *file_key(CoverageLines *c, const char *path)
{
    gpointer key, value;

    if (!g_hash_table_lookup_extended(c->files, path, &key, &value)) {
        File *file = g_new0(File, 1);

        file->lines = g_hash_table_new_full(NULL, NULL, NULL, g_free);
        file->functions = g_hash_table_new_full(g_str_hash, g_str_equal,
                                                g_free, g_free);
        key = g_strdup(path);
        g_hash_table_insert(c->files, key, file);
    }
    return key;
}

static void add_most(CoverageCounts *most, const CoverageCounts *counts)
{
    most->executed = MAX(most->executed, counts->executed);
    most->pushes |= counts->pushes;
    most->pushed_executed += counts->pushed_executed;
}

static void add_line(CoverageLines *c, const TensixFrame *frame,
                     const char *place, const CoverageCounts *counts)
{
    Copy *copy = g_hash_table_lookup(c->copies, place);

    if (!copy) {
        copy = g_new0(Copy, 1);
        copy->file = file_key(c, frame->file);
        copy->line = frame->line;
        g_hash_table_insert(c->copies, g_strdup(place), copy);
    }
    add_most(&copy->most, counts);
}

/* Where the function of an inlined frame begins, optimisation decides. */
static void add_function(CoverageLines *c, const TensixFrame *frame,
                         uint64_t calls)
{
    g_autofree char *place = g_strdup_printf("%s\t%s\t%x", frame->function,
                                             frame->file, frame->entry);
    Callee *callee = g_hash_table_lookup(c->called, place);

    if (!callee) {
        callee = g_new0(Callee, 1);
        callee->file = file_key(c, frame->file);
        callee->function = g_strdup(frame->function);
        callee->line = frame->declared;
        callee->calls = calls;
        g_hash_table_insert(c->called, g_strdup(place), callee);
    }
}

void coverage_lines_add(CoverageLines *c, const TensixSourceWord *place,
                        const CoverageCounts *counts,
                        uint64_t (*entry_executed)(void *opaque, uint32_t pc),
                        void *opaque)
{
    g_autoptr(GString) where = g_string_new(NULL);
    const GPtrArray *frames = place->frames;
    const TensixFrame *outer = frames->pdata[frames->len - 1];

    if (outer->function && outer->file && outer->declared) {
        add_function(c, outer,
                     entry_executed(opaque, outer->entry + place->offset));
    }
    for (unsigned n = frames->len; n-- > 0;) {
        const TensixFrame *frame = frames->pdata[n];

        g_string_append_printf(where, "<%s\t%s\t%u", frame->function ?: "",
                               frame->file ?: "", frame->line);
        if (frame->file) {
            add_line(c, frame, where->str, counts);
        }
    }
}

/* --- sums --- */

static void sum_line(CoverageLines *c, const Copy *copy)
{
    File *file = g_hash_table_lookup(c->files, copy->file);
    gpointer number = GUINT_TO_POINTER(copy->line);
    CoverageCounts *sum = g_hash_table_lookup(file->lines, number);

    if (!sum) {
        sum = g_new0(CoverageCounts, 1);
        g_hash_table_insert(file->lines, number, sum);
    }
    sum->executed += copy->most.executed;
    sum->pushes |= copy->most.pushes;
    sum->pushed_executed += copy->most.pushed_executed;
}

static void sum_function(CoverageLines *c, const Callee *callee)
{
    File *file = g_hash_table_lookup(c->files, callee->file);
    Function *sum = g_hash_table_lookup(file->functions, callee->function);

    if (!sum) {
        sum = g_new0(Function, 1);
        sum->line = callee->line;
        g_hash_table_insert(file->functions, g_strdup(callee->function), sum);
    }
    sum->calls += callee->calls;
}

void coverage_lines_sum(CoverageLines *c)
{
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, c->copies);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        sum_line(c, value);
    }
    g_hash_table_iter_init(&iter, c->called);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        sum_function(c, value);
    }
    g_hash_table_remove_all(c->copies);
    g_hash_table_remove_all(c->called);
}

/* --- records --- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_numbers(const void *a, const void *b)
{
    uintptr_t one = *(const uintptr_t *)a, other = *(const uintptr_t *)b;

    return one < other ? -1 : one > other;
}

/* Keys in order, so that the same run has the same file; to be freed. */
static gpointer *sorted_keys(GHashTable *table, unsigned *count,
                             int (*compare)(const void *, const void *))
{
    gpointer *keys = g_hash_table_get_keys_as_array(table, count);

    qsort(keys, *count, sizeof(*keys), compare);
    return keys;
}

static void print_functions(const File *file, GString *out)
{
    unsigned count, hit = 0;
    g_autofree gpointer *names = sorted_keys(file->functions, &count,
                                             compare_names);

    for (unsigned i = 0; i < count; i++) {
        const Function *f = g_hash_table_lookup(file->functions, names[i]);

        g_string_append_printf(out, "FN:%u,%s\n", f->line, (char *)names[i]);
    }
    for (unsigned i = 0; i < count; i++) {
        const Function *f = g_hash_table_lookup(file->functions, names[i]);

        g_string_append_printf(out, "FNDA:%" PRIu64 ",%s\n", f->calls,
                               (char *)names[i]);
        hit += f->calls > 0;
    }
    g_string_append_printf(out, "FNF:%u\nFNH:%u\n", count, hit);
}

/* LCOV has no word for it: a branch, which the instruction took if executed. */
static void print_pushes(const File *file, gpointer *numbers, unsigned count,
                         GString *out)
{
    unsigned found = 0, hit = 0;

    for (unsigned i = 0; i < count; i++) {
        const CoverageCounts *line = g_hash_table_lookup(file->lines,
                                                         numbers[i]);

        if (!line->pushes) {
            continue;
        }
        found++;
        hit += line->pushed_executed > 0;
        g_string_append_printf(out, "BRDA:%u,0,0,",
                               GPOINTER_TO_UINT(numbers[i]));
        if (line->executed || line->pushed_executed) {
            g_string_append_printf(out, "%" PRIu64 "\n", line->pushed_executed);
        } else {
            g_string_append(out, "-\n");
        }
    }
    g_string_append_printf(out, "BRF:%u\nBRH:%u\n", found, hit);
}

static void print_lines(const File *file, gpointer *numbers, unsigned count,
                        GString *out)
{
    unsigned hit = 0;

    for (unsigned i = 0; i < count; i++) {
        const CoverageCounts *line = g_hash_table_lookup(file->lines,
                                                         numbers[i]);

        g_string_append_printf(out, "DA:%u,%" PRIu64 "\n",
                               GPOINTER_TO_UINT(numbers[i]), line->executed);
        hit += line->executed > 0;
    }
    g_string_append_printf(out, "LF:%u\nLH:%u\n", count, hit);
}

void coverage_lines_print(const CoverageLines *c, const char *test,
                          GString *out)
{
    unsigned count;
    g_autofree gpointer *paths = sorted_keys(c->files, &count, compare_names);

    for (unsigned i = 0; i < count; i++) {
        const File *file = g_hash_table_lookup(c->files, paths[i]);
        unsigned lines;
        g_autofree gpointer *numbers = sorted_keys(file->lines, &lines,
                                                   compare_numbers);

        g_string_append_printf(out, "TN:%s\nSF:%s\n", test, (char *)paths[i]);
        print_functions(file, out);
        print_pushes(file, numbers, lines, out);
        print_lines(file, numbers, lines, out);
        g_string_append(out, "end_of_record\n");
    }
}
