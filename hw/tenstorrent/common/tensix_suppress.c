/*
 * Rules for reports that are known and not wanted.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/units.h"
#include "hw/tenstorrent/tensix_file.h"
#include "tensix_suppress.h"

#define MAX_FILE (16 * MiB)

typedef struct Rule {
    unsigned line;                 /* of the file, from 1 on */
    char *category, *place;        /* patterns */
    uint64_t uses;
} Rule;

struct TensixSuppress {
    char *file;
    GPtrArray *rules;
};

/* --- loading --- */

static void rule_free(gpointer data)
{
    Rule *rule = data;

    g_free(rule->category);
    g_free(rule->place);
    g_free(rule);
}

/* The first word of the text, to be freed; *text: after it and blanks. */
static char *take_word(const char **text)
{
    size_t length = strcspn(*text, " \t\r");
    char *word = g_strndup(*text, length);

    *text += length;
    *text += strspn(*text, " \t\r");
    return word;
}

/* False, errp set: it has no reason. */
static bool add_rule(TensixSuppress *s, unsigned line, const char *text,
                     Error **errp)
{
    g_autofree char *category = take_word(&text);
    g_autofree char *place = take_word(&text);
    Rule *rule;

    if (!*text) {
        error_setg(errp, "%s:%u: a rule is CATEGORY PLACE REASON", s->file,
                   line);
        return false;
    }
    rule = g_new0(Rule, 1);
    rule->line = line;
    rule->category = g_steal_pointer(&category);
    rule->place = g_steal_pointer(&place);
    g_ptr_array_add(s->rules, rule);
    return true;
}

static bool add_lines(TensixSuppress *s, char **lines, Error **errp)
{
    for (unsigned n = 0; lines[n]; n++) {
        const char *text = lines[n] + strspn(lines[n], " \t\r");

        if (*text && *text != '#' && !add_rule(s, n + 1, text, errp)) {
            return false;
        }
    }
    return true;
}

TensixSuppress *tensix_suppress_load(const char *file, Error **errp)
{
    ERRP_GUARD();
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    TensixSuppress *s;
    size_t size;

    text = tensix_file_read(file, MAX_FILE, NULL, &size, errp);
    if (!text) {
        error_prepend(errp, "suppress=%s: ", file);
        return NULL;
    }
    s = g_new0(TensixSuppress, 1);
    s->file = g_strdup(file);
    s->rules = g_ptr_array_new_with_free_func(rule_free);
    lines = g_strsplit(text, "\n", -1);
    if (!add_lines(s, lines, errp)) {
        tensix_suppress_free(s);
        return NULL;
    }
    return s;
}

void tensix_suppress_free(TensixSuppress *s)
{
    if (s) {
        g_free(s->file);
        g_ptr_array_free(s->rules, true);
        g_free(s);
    }
}

/* --- matching --- */

/* Without what surrounds names: "main()," and "(trisc1.c:14)". */
static bool matches_any(const char *place, char **words)
{
    for (; *words; words++) {
        size_t first = strspn(*words, "([");
        size_t length = strcspn(*words + first, "(),;]");
        g_autofree char *word = g_strndup(*words + first, length);

        if (length && word[length - 1] == ':') {
            word[length - 1] = '\0';
        }
        if (g_pattern_match_simple(place, word)) {
            return true;
        }
    }
    return false;
}

bool tensix_suppress_matches(TensixSuppress *s, const char *category,
                             const char *text)
{
    g_auto(GStrv) words = s ? g_strsplit_set(text, "\n ", -1) : NULL;

    for (unsigned n = 0; s && n < s->rules->len; n++) {
        Rule *rule = g_ptr_array_index(s->rules, n);

        if (g_pattern_match_simple(rule->category, category) &&
            matches_any(rule->place, words)) {
            rule->uses++;
            return true;
        }
    }
    return false;
}

/* --- uses --- */

void tensix_suppress_add_uses(TensixSuppress *to, const TensixSuppress *from)
{
    if (!to || !from || strcmp(to->file, from->file) ||
        to->rules->len != from->rules->len) {
        return;
    }
    for (unsigned n = 0; n < to->rules->len; n++) {
        Rule *rule = g_ptr_array_index(to->rules, n);
        const Rule *other = g_ptr_array_index(from->rules, n);

        rule->uses += other->uses;
    }
}

GPtrArray *tensix_suppress_unused(const TensixSuppress *s)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);

    for (unsigned n = 0; s && n < s->rules->len; n++) {
        const Rule *rule = g_ptr_array_index(s->rules, n);

        if (!rule->uses) {
            g_ptr_array_add(list, g_strdup_printf("%s:%u: %s %s", s->file,
                                                  rule->line, rule->category,
                                                  rule->place));
        }
    }
    return list;
}
