/*
 * Breaks and watches of a tile: commands of QMP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: qapi/tenstorrent-state.json
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-tenstorrent-state.h"
#include "hw/tenstorrent/tensix_watch.h"
#include "../common/tensix_insn_info.h"
#include "tensix_query.h"
#include "tensix_watch_words.h"

/* The tile, not locked; NULL: an error. */
static TensixCopState *stops_of(const char *path, Error **errp)
{
    TensixCopState *cop = tensix_query_begin(path, errp);

    if (cop) {
        tensix_cop_release(cop);
    }
    return cop;
}

static TensixStopInfo *stop_info(TensixCopState *cop, unsigned n)
{
    TensixStopInfo *info = g_new0(TensixStopInfo, 1);
    const char *text;

    info->id = tensix_watch_get(cop, n, &text);
    info->what = g_strdup(text);
    return info;
}

/* The last one, if it could be added. */
static TensixStopInfo *added(TensixCopState *cop, uint32_t id)
{
    return id ? stop_info(cop, tensix_watch_count(cop) - 1) : NULL;
}

TensixStopInfo *qmp_tensix_break(TensixBreakArguments *arg, Error **errp)
{
    const TensixBreakpoint *b = qapi_TensixBreakArguments_base(arg);
    g_autofree char *text = tensix_words_of_break(b);
    TensixCopState *cop = stops_of(arg->path, errp);

    return cop ? added(cop, tensix_watch_add_break(cop, b, text, errp)) : NULL;
}

TensixStopInfo *qmp_tensix_break_violation(bool has_category,
                                           TensixViolationCategory category,
                                           const char *path, Error **errp)
{
    int which = has_category ? (int)category : -1;
    g_autofree char *text = tensix_words_of_violation(which);
    TensixCopState *cop = stops_of(path, errp);

    return cop ? added(cop, tensix_watch_add_violation(cop, which, text, errp))
               : NULL;
}

TensixStopInfo *qmp_tensix_watch(TensixPlace *place, bool has_access,
                                 TensixWatchAccess access, const char *path,
                                 Error **errp)
{
    TensixWatchAccess wanted = has_access ? access : TENSIX_WATCH_ACCESS_WRITE;
    g_autofree char *text = tensix_words_of_watch(place, wanted);
    TensixCopState *cop = stops_of(path, errp);

    return cop ? added(cop, tensix_watch_add(cop, place, wanted, text, errp))
               : NULL;
}

void qmp_tensix_delete(bool has_id, uint32_t id, const char *path, Error **errp)
{
    TensixCopState *cop = stops_of(path, errp);

    if (cop && ((has_id && !id) ||
                !tensix_watch_delete(cop, has_id ? id : 0))) {
        error_setg(errp, "there is no break and no watch %u", id);
    }
}

TensixStopInfoList *qmp_query_tensix_stops(const char *path, Error **errp)
{
    TensixCopState *cop = stops_of(path, errp);
    TensixStopInfoList *list = NULL, **tail = &list;

    for (unsigned n = 0; cop && n < tensix_watch_count(cop); n++) {
        QAPI_LIST_APPEND(tail, stop_info(cop, n));
    }
    return list;
}

/* --- last writers --- */

static void append_writer_info(void *opaque, const char *place,
                               const TensixActor *by)
{
    TensixWriterInfoList ***tail = opaque;
    TensixWriterInfo *info = g_new0(TensixWriterInfo, 1);

    info->place = g_strdup(place);
    tensix_actor_info(by, NULL, qapi_TensixWriterInfo_base(info));
    QAPI_LIST_APPEND(*tail, info);
}

TensixWriterInfoList *qmp_query_tensix_writers(TensixPlace *place,
                                               const char *path, Error **errp)
{
    TensixCopState *cop = stops_of(path, errp);
    TensixWriterInfoList *list = NULL, **tail = &list;

    if (cop) {
        tensix_watch_writers(cop, place, append_writer_info, &tail, errp);
    }
    return list;
}
