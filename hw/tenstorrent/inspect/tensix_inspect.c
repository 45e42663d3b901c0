/*
 * Inspection of the tile by the human monitor: `info tensix`.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + monitor: info tensix [TOPIC [ROW [COUNT]] [FORMAT] [bank N]]
 *
 * A view of what QMP answers (tensix_query.h).  Reading disturbs nothing: no
 * hart, no counter, no queue.
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qapi/error.h"
#include "qapi/util.h"
#include "hw/tenstorrent/tensix_report.h"
#include "hw/tenstorrent/tensix_watch.h"
#include "monitor/hmp.h"
#include "monitor/monitor.h"
#include "hw/tenstorrent/tensix_recent.h"
#include "qobject/qdict.h"
#include "tensix_inspect.h"
#include "tensix_show.h"
#include "tensix_tile_words.h"
#include "tensix_verdict.h"
#include "tensix_watch_words.h"

enum {
    ROWS = 16,                     /* of Dest, SrcA and SrcB, unless asked for */
};

static const TensixRowStyle
    lreg_style = { .prefix = "LReg", .digits = 8, .plural = "lanes" },
    dest_style = { .prefix = "", .width = 4, .digits = 4, .plural = "columns" },
    src_style = { .prefix = "", .width = 2, .digits = 5, .plural = "columns" };

/* --- topics --- */

/* args: words of `info tensix dest 64 8 bf16`. */
typedef void ShowFn(TensixEmit *e, TensixCopState *cop,
                    const TensixRowsArgs *args, Error **errp);

/* A topic whose query takes no arguments. */
#define SHOW(type, topic) \
static void show_##topic(TensixEmit *e, TensixCopState *cop, \
                         const TensixRowsArgs *args, Error **errp)   \
{ \
    g_autoptr(type) info = tensix_query_##topic(cop); \
\
    tensix_show_##topic(e, info); \
}

SHOW(TensixHartInfoList, harts)
SHOW(TensixThreadInfoList, threads)
SHOW(TensixMacroInfo, macro)
SHOW(TensixSemaphoreInfoList, semaphores)
SHOW(TensixMutexInfoList, mutexes)
SHOW(TensixRwcInfoList, rwcs)
SHOW(TensixAdcInfoList, adcs)
SHOW(TensixFlagsInfo, flags)
SHOW(TensixGprInfoList, gprs)
SHOW(TensixBankInfoList, banks)
SHOW(TensixUnitInfoList, units)

/* The answer and a line each; with `details` all about it. */
static void show_why(TensixEmit *e, TensixCopState *cop,
                     const TensixRowsArgs *args, Error **errp)
{
    g_autoptr(TensixWhy) why = tensix_query_why(cop);
    const strList *line;

    if (args->details) {
        tensix_show_why(e, why);
        return;
    }
    for (line = why->summary; line; line = line->next) {
        g_string_append_printf(e->text, "%s\n", line->value);
    }
    tensix_verdict_table(cop, why, e->text);
    g_string_append(e->text, "(info tensix why details: all that is known)\n");
}

static void show_unfinished(TensixEmit *e, TensixCopState *cop,
                            const TensixRowsArgs *args, Error **errp)
{
    g_autoptr(TensixUnfinishedList) list = tensix_query_unfinished(cop);

    for (const TensixUnfinishedList *at = list; at; at = at->next) {
        g_string_append_printf(e->text, "%s\n", at->value->text);
    }
}

static void show_violations(TensixEmit *e, TensixCopState *cop,
                            const TensixRowsArgs *args, Error **errp)
{
    g_autoptr(TensixViolations) info =
        tensix_report_sites(tensix_cop_reporter(cop));

    tensix_show_violations(e, info);
}

static void show_config(TensixEmit *e, TensixCopState *cop,
                        const TensixRowsArgs *args, Error **errp)
{
    g_autoptr(TensixConfigFieldList) info =
        tensix_query_config(cop, false, NULL, false, errp);

    tensix_show_config(e, info, "bank", TENSIX_CFG_BANKS);
}

static void show_thread_config(TensixEmit *e, TensixCopState *cop,
                               const TensixRowsArgs *args, Error **errp)
{
    g_autoptr(TensixConfigFieldList) info =
        tensix_query_config(cop, true, NULL, false, errp);

    tensix_show_config(e, info, "thread", TENSIX_THREADS);
}

static void emit_format(TensixEmit *e, const TensixRowsArgs *args,
                        TensixFormat format)
{
    if (!args->has_format) {
        tensix_emit_string(e, "format", "%s, as configured",
                           TensixFormat_str(format));
    }
}

static TensixRowsArgs some_rows(const TensixRowsArgs *args)
{
    TensixRowsArgs wanted = *args;

    wanted.count = args->count ? args->count : ROWS;
    return wanted;
}

static void show_lregs(TensixEmit *e, TensixCopState *cop,
                       const TensixRowsArgs *args, Error **errp)
{
    g_autoptr(TensixRows) info = tensix_query_lregs(cop, args, errp);

    if (info) {
        tensix_show_rows(e, info->rows, &lreg_style);
    }
}

static void show_dest(TensixEmit *e, TensixCopState *cop,
                      const TensixRowsArgs *args, Error **errp)
{
    TensixRowsArgs wanted = some_rows(args);
    g_autoptr(TensixRows) info = tensix_query_dest(cop, &wanted, errp);

    if (info) {
        TensixRowStyle style = dest_style;

        if (info->format == TENSIX_FORMAT_RAW32) {
            style.digits *= 2;
        }
        emit_format(e, args, info->format);
        tensix_show_rows(e, info->rows, &style);
    }
}

static void show_src(TensixEmit *e, TensixCopState *cop, TensixSrcName src,
                     const TensixRowsArgs *args, Error **errp)
{
    TensixRowsArgs wanted = some_rows(args);
    g_autoptr(TensixSrcRows) info = tensix_query_src(cop, src, &wanted, errp);

    if (info) {
        emit_format(e, args, info->format);
        tensix_emit_uint(e, "bank", info->bank);
        tensix_emit_string(e, "owner", "%s", TensixBankOwner_str(info->owner));
        tensix_show_rows(e, info->rows, &src_style);
    }
}

static void show_srca(TensixEmit *e, TensixCopState *cop,
                      const TensixRowsArgs *args, Error **errp)
{
    show_src(e, cop, TENSIX_SRC_NAME_SRCA, args, errp);
}

static void show_srcb(TensixEmit *e, TensixCopState *cop,
                      const TensixRowsArgs *args, Error **errp)
{
    show_src(e, cop, TENSIX_SRC_NAME_SRCB, args, errp);
}

static void show_instructions(TensixEmit *e, TensixCopState *cop,
                              const TensixRowsArgs *args, Error **errp)
{
    tensix_show_instructions(e);
}

static void show_fields(TensixEmit *e, TensixCopState *cop,
                        const TensixRowsArgs *args, Error **errp)
{
    tensix_show_fields(e);
}

static void show_time(TensixEmit *e, TensixCopState *cop,
                      const TensixRowsArgs *args, Error **errp)
{
    g_autoptr(TensixTimeInfo) info = tensix_query_time(cop, errp);

    if (info) {
        tensix_show_time(e, info);
    }
}

static void show_recent(TensixEmit *e, TensixCopState *cop,
                        const TensixRowsArgs *args, Error **errp)
{
    uint64_t end = tensix_record_count(tensix_cop_recorder(cop));
    uint32_t most = args->first ?: args->count ?: TENSIX_RECENT_LINES;

    for (uint64_t n = tensix_cop_recent(cop, most); n < end; n++) {
        g_autofree char *name = g_strdup_printf("%" PRIu64, n);
        g_autoptr(GString) text = g_string_new(NULL);

        tensix_cop_event_text(text,
                              tensix_record_get(tensix_cop_recorder(cop), n));
        tensix_emit_string(e, name, "%s", text->str);
    }
}

static const struct Topic {
    const char *name, *help;
    ShowFn *show;
} topics[] = {
    { "why", "[details] the wait that holds the others up, and what every hart "
      "and thread does", show_why },
    { "harts", "state, pc, what each waits for", show_harts },
    { "unfinished", "waits, banks, semaphores, mail, requests", show_unfinished },
    { "semaphores", "value and max", show_semaphores },
    { "mutexes", "owner", show_mutexes },
    { "fifos", "queued words, MOP, REPLAY and wait gate", show_threads },
    { "macro", "what SFPLOADMACRO has scheduled", show_macro },
    { "rwcs", "read/write counters", show_rwcs },
    { "adcs", "address counters", show_adcs },
    { "banks", "owners of the banks of SrcA and SrcB", show_banks },
    { "flags", "lane flags, LaneConfig, PRNG", show_flags },
    { "config", "named fields that are not 0, by bank", show_config },
    { "thread-config", "named fields that are not 0, by thread",
      show_thread_config },
    { "gprs", "scalar registers", show_gprs },
    { "lregs", "vector registers [ROW [COUNT]] [FORMAT]", show_lregs },
    { "dest", "[ROW [COUNT]] [FORMAT]", show_dest },
    { "srca", "[ROW [COUNT]] [FORMAT] [bank N]", show_srca },
    { "srcb", "[ROW [COUNT]] [FORMAT] [bank N]", show_srcb },
    { "units", "instructions executed", show_units },
    { "time", "estimated cycles, and what they were spent on (timing=published)",
      show_time },
    { "violations", "sites, and how often each has violated", show_violations },
    { "instructions", "all there are: opcodes, operands with their bits",
      show_instructions },
    { "fields", "configuration fields: words and bits", show_fields },
    { "recent", "[COUNT] the latest events", show_recent },
};

void tensix_inspect_why(TensixCopState *cop, const TensixWhy *why,
                        GString *text)
{
    TensixEmit e = { .text = text, .sources = tensix_cop_reporter(cop)->sources };

    tensix_show_why(&e, why);
}

/* --- monitor --- */

static const struct Topic *find_topic(const char *name)
{
    for (int i = 0; i < ARRAY_SIZE(topics); i++) {
        if (!strcmp(topics[i].name, name)) {
            return &topics[i];
        }
    }
    return NULL;
}

static bool parse_number(const char *word, uint32_t *value)
{
    unsigned long n;

    if (qemu_strtoul(word, NULL, 0, &n) || n > UINT32_MAX / 2) {
        return false;
    }
    *value = n;
    return true;
}

static void print_formats(Monitor *mon)
{
    for (int n = 0; n < TENSIX_FORMAT__MAX; n++) {
        monitor_printf(mon, "%s%s", n ? " " : "", TensixFormat_str(n));
    }
    monitor_printf(mon, ")\n");
}

/* Words after the topic; false on the first that makes no sense. */
static bool parse_args(Monitor *mon, char **words, TensixRowsArgs *args)
{
    bool have_row = false;

    for (; *words; words++) {
        int format = qapi_enum_parse(&TensixFormat_lookup, *words, -1, NULL);
        uint32_t number;

        if (!strcmp(*words, "bank") && words[1] &&
            parse_number(words[1], &args->bank)) {
            words++;
        } else if (parse_number(*words, &number)) {
            *(have_row ? &args->count : &args->first) = number;
            have_row = true;
        } else if (!strcmp(*words, "details")) {
            args->details = true;
        } else if (format >= 0) {
            args->has_format = true;
            args->format = format;
        } else if (**words) {
            monitor_printf(mon, "info tensix: '%s' is no row, no 'bank N' and "
                           "no format (", *words);
            print_formats(mon);
            return false;
        }
    }
    return true;
}

static void list_topics(Monitor *mon)
{
    for (int i = 0; i < ARRAY_SIZE(topics); i++) {
        monitor_printf(mon, "info tensix %s -- %s\n", topics[i].name,
                       topics[i].help);
    }
    monitor_printf(mon, "info tensix tile N TOPIC -- of one of several tiles\n"
                   "info tensix breaks -- breaks and watches\n"
                   "info tensix writer -- PLACE: the last writer\n");
}

/* What `info tensix` was asked for. */
typedef struct Question {
    Monitor *mon;
    const struct Topic *topic;
    TensixRowsArgs args;
    bool by_path;                  /* of several tiles: each with its path */
} Question;

static void show_tile(TensixCopState *cop, const Question *q)
{
    g_autoptr(GString) text = g_string_new(NULL);
    TensixEmit e = { .text = text, .sources = tensix_cop_reporter(cop)->sources };
    Error *err = NULL;

    tensix_cop_lock(cop);
    q->topic->show(&e, cop, &q->args, &err);
    tensix_cop_release(cop);
    if (q->by_path) {
        g_autofree char *path = object_get_canonical_path(OBJECT(cop)->parent);

        monitor_printf(q->mon, "%s\n", path);
    }
    if (err) {
        monitor_printf(q->mon, "info tensix: %s\n", error_get_pretty(err));
        error_free(err);
        return;
    }
    monitor_puts(q->mon, text->str);
}

/* Of some tiles each with its path. */
static void answer(Question *q, const GPtrArray *tiles)
{
    q->by_path = tiles->len > 1;
    for (unsigned n = 0; n < tiles->len; n++) {
        show_tile(g_ptr_array_index(tiles, n), q);
    }
}

static void hmp_info_tensix(Monitor *mon, const QDict *qdict)
{
    const char *what = qdict_get_try_str(qdict, "what");
    g_auto(GStrv) split = tensix_words_split(what ?: "");
    char **words = split;
    Question q = { .mon = mon };
    g_autoptr(GPtrArray) tiles = NULL;
    Error *err = NULL;

    if (tensix_watch_info(mon, words)) {
        return;
    }
    tiles = tensix_tiles_named(&words, &err);
    if (!tiles) {
        monitor_printf(mon, "info tensix: %s\n", error_get_pretty(err));
        error_free(err);
        return;
    }
    q.topic = find_topic(*words ?: "why");
    if (!q.topic) {
        monitor_printf(mon, "info tensix: no topic '%s'; there are:\n", *words);
        list_topics(mon);
        return;
    }
    if (!*words || parse_args(mon, words + 1, &q.args)) {
        answer(&q, tiles);
    }
}

/* After the topic, whatever word: formats, "bank". */
void info_tensix_completion(ReadLineState *rs, int nb_args, const char *str)
{
    enum { TOPIC = 2 };            /* words up to it, "tensix" being the first */

    readline_set_completion_index(rs, strlen(str));
    for (int i = 0; nb_args == TOPIC && i < ARRAY_SIZE(topics); i++) {
        readline_add_completion_of(rs, str, topics[i].name);
    }
    for (int i = 0; nb_args > TOPIC && i < TENSIX_FORMAT__MAX; i++) {
        readline_add_completion_of(rs, str, TensixFormat_str(i));
    }
    if (nb_args > TOPIC) {
        readline_add_completion_of(rs, str, "bank");
    }
}

static void register_hmp(void)
{
    monitor_register_hmp("tensix", true, hmp_info_tensix);
}

type_init(register_hmp)
