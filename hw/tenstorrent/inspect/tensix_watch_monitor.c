/*
 * Breaks and watches of a tile: commands of the monitor.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + monitor: tensix_break, tensix_watch, tensix_delete
 *  + monitor: info tensix breaks, info tensix writer PLACE
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qapi/error.h"
#include "qobject/qdict.h"
#include "monitor/hmp.h"
#include "monitor/monitor.h"
#include "hw/tenstorrent/tensix_watch.h"
#include "../common/tensix_emit.h"
#include "tensix_inspect.h"
#include "tensix_tile_words.h"
#include "tensix_watch_words.h"

/* --- the tile --- */

/* NULL: which one is not clear, which is printed. */
static TensixCopState *watched_tile(Monitor *mon, char ***words)
{
    Error *err = NULL;
    TensixCopState *cop = tensix_tile_named(words, &err);

    if (!cop) {
        monitor_printf(mon, "%s\n", error_get_pretty(err));
        error_free(err);
    }
    return cop;
}

/* --- commands --- */

/* id: of the new one, or 0 with err set */
static void report_stop(Monitor *mon, const char *kind, uint32_t id, Error *err)
{
    if (id) {
        monitor_printf(mon, "%s %u\n", kind, id);
    } else {
        monitor_printf(mon, "tensix_%s: %s\n", kind, error_get_pretty(err));
        error_free(err);
    }
}

static uint32_t add_violation(TensixCopState *cop, char **words, Error **errp)
{
    g_autofree char *text = NULL;
    int category;

    if (!tensix_words_category(words, &category, errp)) {
        return 0;
    }
    text = tensix_words_of_violation(category);
    return tensix_watch_add_violation(cop, category, text, errp);
}

static uint32_t add_break(TensixCopState *cop, char **words, Error **errp)
{
    g_autoptr(TensixBreakpoint) b = NULL;
    g_autofree char *text = NULL;

    if (!g_strcmp0(words[0], "violation")) {
        return add_violation(cop, words + 1, errp);
    }
    b = tensix_words_break(words, errp);
    text = b ? tensix_words_of_break(b) : NULL;
    return b ? tensix_watch_add_break(cop, b, text, errp) : 0;
}

static uint32_t add_watch(TensixCopState *cop, char **words, Error **errp)
{
    TensixWatchAccess access = TENSIX_WATCH_ACCESS_WRITE;
    g_autoptr(TensixPlace) place = tensix_words_place(words, &access, errp);
    g_autofree char *text = place ? tensix_words_of_watch(place, access) : NULL;

    return place ? tensix_watch_add(cop, place, access, text, errp) : 0;
}

static void add_stop(Monitor *mon, const QDict *qdict, const char *kind,
                     uint32_t (*add)(TensixCopState *, char **, Error **))
{
    g_auto(GStrv) split = tensix_words_split(qdict_get_str(qdict, "what"));
    char **words = split;
    TensixCopState *cop = watched_tile(mon, &words);
    Error *err = NULL;
    uint32_t id;

    if (cop) {
        id = add(cop, words, &err);
        report_stop(mon, kind, id, err);
    }
}

static void hmp_tensix_break(Monitor *mon, const QDict *qdict)
{
    add_stop(mon, qdict, "break", add_break);
}

static void hmp_tensix_watch(Monitor *mon, const QDict *qdict)
{
    add_stop(mon, qdict, "watch", add_watch);
}

static void hmp_tensix_delete(Monitor *mon, const QDict *qdict)
{
    g_auto(GStrv) split = tensix_words_split(qdict_get_str(qdict, "what"));
    char **words = split;
    TensixCopState *cop = watched_tile(mon, &words);
    const char *what;
    unsigned int id = 0;

    if (!cop) {
        return;
    }
    what = words[0] ?: "";
    if (strcmp(what, "all") && (qemu_strtoui(what, NULL, 0, &id) || !id)) {
        monitor_printf(mon, "tensix_delete: '%s' is no number and not 'all'\n",
                       what);
    } else if (!tensix_watch_delete(cop, id)) {
        monitor_printf(mon, "tensix_delete: there is no %u\n", id);
    }
}

/* --- info tensix --- */

static void show_writer(void *opaque, const char *place, const TensixActor *by)
{
    g_autoptr(GString) text = g_string_new(NULL);
    TensixEmit *e = opaque;

    if (by->event) {
        tensix_watch_writer_text(by, text);
    } else {
        g_string_append(text, "never written");
    }
    tensix_emit_string(e, place, "%s", text->str);
}

static void show_writers(Monitor *mon, TensixCopState *cop, char **words)
{
    g_autoptr(GString) text = g_string_new(NULL);
    TensixEmit e = { .text = text, .sources = tensix_cop_reporter(cop)->sources };
    Error *err = NULL;
    g_autoptr(TensixPlace) place = tensix_words_place(words, NULL, &err);

    if (place && tensix_watch_writers(cop, place, show_writer, &e, &err)) {
        monitor_puts(mon, text->str);
    } else {
        monitor_printf(mon, "info tensix writer:\n%s\n", error_get_pretty(err));
        error_free(err);
    }
}

static void show_stops(Monitor *mon, TensixCopState *cop)
{
    unsigned count = tensix_watch_count(cop);

    for (unsigned n = 0; n < count; n++) {
        const char *text;
        uint32_t id = tensix_watch_get(cop, n, &text);

        monitor_printf(mon, "%u: %s\n", id, text);
    }
    if (!count) {
        monitor_printf(mon, "no breaks and no watches\n");
    }
}

bool tensix_watch_info(Monitor *mon, char **words)
{
    const char *topic = !g_strcmp0(words[0], "tile") && words[1] ? words[2]
                                                                 : words[0];
    bool writer = !g_strcmp0(topic, "writer");
    TensixCopState *cop;

    if (!writer && g_strcmp0(topic, "breaks")) {
        return false;
    }
    cop = watched_tile(mon, &words);
    if (cop && writer) {
        show_writers(mon, cop, words + 1);
    } else if (cop) {
        show_stops(mon, cop);
    }
    return true;
}

static void register_watch_hmp(void)
{
    monitor_register_hmp("tensix_break", false, hmp_tensix_break);
    monitor_register_hmp("tensix_watch", false, hmp_tensix_watch);
    monitor_register_hmp("tensix_delete", false, hmp_tensix_delete);
}

type_init(register_watch_hmp)
