/*
 * Breaks and watches in words, as the monitor takes and shows them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Words become the structures of QMP and back; whether they make sense is
 * checked by the functions that take a structure (tensix_watch.h).
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qapi/error.h"
#include "qapi/util.h"
#include "tensix_watch_words.h"

char **tensix_words_split(const char *text)
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

static bool number_of(const char *word, uint32_t *value)
{
    unsigned int n;

    if (!word || qemu_strtoui(word, NULL, 0, &n)) {
        return false;
    }
    *value = n;
    return true;
}

/* --- places --- */

static bool find_space(const char *word, TensixSpaceName *space, Error **errp)
{
    const char *name = !g_strcmp0(word, "dst")   ? "dest"
                       : !g_strcmp0(word, "sem") ? "semaphore"
                                                 : word ?: "";
    int n = qapi_enum_parse(&TensixSpaceName_lookup, name, -1, NULL);

    if (n < 0) {
        error_setg(errp, "'%s' is none of: l1 dest srca srcb lreg gpr config "
                   "thread-config semaphore mutex", name);
        return false;
    }
    *space = n;
    return true;
}

/* The first word after the space: a number, or a field of configuration. */
static bool parse_first(TensixPlace *p, const char *word, Error **errp)
{
    p->has_first = number_of(word, &p->first);
    if (!p->has_first && word && (p->space == TENSIX_SPACE_NAME_CONFIG ||
                                  p->space == TENSIX_SPACE_NAME_THREAD_CONFIG)) {
        p->field = g_strdup(word);
    }
    if (!p->has_first && !p->field) {
        error_setg(errp, "%s: '%s' is no number", TensixSpaceName_str(p->space),
                   word ?: "");
        return false;
    }
    return true;
}

static bool parse_access(const char *word, TensixWatchAccess *access)
{
    int n = qapi_enum_parse(&TensixWatchAccess_lookup, word, -1, NULL);

    if (!access || n <= TENSIX_WATCH_ACCESS_WRITE) {
        return false;
    }
    *access = n;
    return true;
}

static bool parse_rest(TensixPlace *p, TensixWatchAccess *access, char **words,
                       Error **errp)
{
    if (*words && !p->field && number_of(*words, &p->count)) {
        p->has_count = true;
        words++;
    }
    for (; *words; words++) {
        if (!strcmp(*words, "wide")) {
            p->has_wide = p->wide = true;
        } else if (!strcmp(*words, "bank") && number_of(words[1], &p->bank)) {
            p->has_bank = true;
            words++;
        } else if (!strcmp(*words, "thread") &&
                   number_of(words[1], &p->thread)) {
            p->has_thread = true;
            words++;
        } else if (!parse_access(*words, access)) {
            error_setg(errp, "%s: '%s %s' makes no sense here",
                       TensixSpaceName_str(p->space), words[0],
                       words[1] ?: "");
            return false;
        }
    }
    return true;
}

TensixPlace *tensix_words_place(char **words, TensixWatchAccess *access,
                                Error **errp)
{
    g_autoptr(TensixPlace) p = g_new0(TensixPlace, 1);

    if (!find_space(words[0], &p->space, errp) ||
        !parse_first(p, words[1], errp) ||
        !parse_rest(p, access, words[1] ? words + 2 : words + 1, errp)) {
        return NULL;
    }
    return g_steal_pointer(&p);
}

static void append_number(GString *text, const char *name, bool has,
                          uint32_t number)
{
    if (has) {
        g_string_append_printf(text, "%s %u", name, number);
    }
}

char *tensix_words_of_watch(const TensixPlace *p, TensixWatchAccess access)
{
    GString *text = g_string_new("watch ");

    g_string_append(text, TensixSpaceName_str(p->space));
    if (p->field) {
        g_string_append_printf(text, " %s", p->field);
    } else {
        g_string_append_printf(text, p->space == TENSIX_SPACE_NAME_L1
                                     ? " 0x%x" : " %u", p->first);
    }
    append_number(text, "", p->has_count, p->count);
    append_number(text, " bank", p->has_bank, p->bank);
    append_number(text, " thread", p->has_thread, p->thread);
    g_string_append(text, p->wide ? " wide" : "");
    if (access != TENSIX_WATCH_ACCESS_WRITE) {
        g_string_append_printf(text, " %s", TensixWatchAccess_str(access));
    }
    return g_string_free(text, false);
}

/* --- breaks --- */

/* "Flush=1" */
static TensixOperand *parse_operand(const char *word, Error **errp)
{
    const char *equals = strchr(word, '=');
    TensixOperand *operand;
    uint32_t value;

    if (!equals || !number_of(equals + 1, &value)) {
        error_setg(errp, "'%s' is not 'thread 0..2' and not FIELD=VALUE", word);
        return NULL;
    }
    operand = g_new0(TensixOperand, 1);
    operand->name = g_strndup(word, equals - word);
    operand->value = value;
    return operand;
}

/* "thread N", "if FIELD=VALUE [FIELD=VALUE ...]" */
static bool parse_conditions(char **words, TensixBreakpoint *b, Error **errp)
{
    TensixOperandList **tail = &b->operands;
    TensixOperand *operand;

    for (; *words; words++) {
        if (!strcmp(*words, "if") || !strcmp(*words, "and")) {
            continue;
        }
        if (!strcmp(*words, "thread") && number_of(words[1], &b->thread)) {
            b->has_thread = true;
            words++;
            continue;
        }
        operand = parse_operand(*words, errp);
        if (!operand) {
            return false;
        }
        b->has_operands = true;
        QAPI_LIST_APPEND(tail, operand);
    }
    return true;
}

TensixBreakpoint *tensix_words_break(char **words, Error **errp)
{
    g_autoptr(TensixBreakpoint) b = g_new0(TensixBreakpoint, 1);

    if (!words[0]) {
        error_setg(errp, "'' is no mnemonic, not 'any' and not 'violation'");
        return NULL;
    }
    if (strcmp(words[0], "any")) {
        b->mnemonic = g_strdup(words[0]);
    }
    return parse_conditions(words + 1, b, errp) ? g_steal_pointer(&b) : NULL;
}

bool tensix_words_category(char **words, int *category, Error **errp)
{
    *category = words[0] ? qapi_enum_parse(&TensixViolationCategory_lookup,
                                           words[0], -1, NULL) : -1;
    if (words[0] && (*category < 0 || words[1])) {
        error_setg(errp, "'%s' is no category of violations", words[0]);
        return false;
    }
    return true;
}

char *tensix_words_of_break(const TensixBreakpoint *b)
{
    GString *text = g_string_new("break ");
    const char *between = " if ";

    g_string_append(text, b->mnemonic ?: "any");
    append_number(text, " thread", b->has_thread, b->thread);
    for (TensixOperandList *at = b->has_operands ? b->operands : NULL; at;
         at = at->next) {
        g_string_append_printf(text, "%s%s=%u", between, at->value->name,
                               at->value->value);
        between = " ";
    }
    return g_string_free(text, false);
}

char *tensix_words_of_violation(int category)
{
    return category < 0 ? g_strdup("break violation")
                        : g_strdup_printf("break violation %s",
                                          TensixViolationCategory_str(category));
}
