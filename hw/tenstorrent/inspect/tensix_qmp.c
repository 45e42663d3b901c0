/*
 * The QMP commands that inspect a tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: qapi/tenstorrent*.json
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-tenstorrent.h"
#include "qapi/qapi-commands-tenstorrent-registers.h"
#include "qapi/qapi-commands-tenstorrent-state.h"
#include "hw/tenstorrent/tensix_report.h"
#include "hw/tenstorrent/tensix_recent.h"
#include "hw/tenstorrent/tensix_tiles.h"
#include "tensix_query.h"

/* --- which tile --- */

/* The path of a tile will do as well as that of its coprocessor. */
static TensixCopState *the_cop(const char *path, Error **errp)
{
    Object *below = path ? object_resolve_path(path, NULL) : object_get_root();
    g_autoptr(GPtrArray) tiles = tensix_tiles_below(below);

    if (tiles->len == 1) {
        return TENSIX_COP(g_ptr_array_index(tiles, 0));
    }
    if (tiles->len) {
        error_setg(errp, "this machine has several Tensix tiles: 'path' is "
                   "needed, as /machine/tile[1]");
    } else if (path) {
        error_setg(errp, "'%s' is not the path of a tile", path);
    } else {
        error_setg(errp, "this machine has no Tensix tile");
    }
    return NULL;
}

TensixCopState *tensix_query_begin(const char *path, Error **errp)
{
    TensixCopState *cop = the_cop(path, errp);

    if (cop) {
        tensix_cop_lock(cop);
    }
    return cop;
}

/* --- queries without further arguments --- */

#define QUERY(type, topic) \
type *qmp_query_tensix_##topic(const char *path, Error **errp) \
{ \
    TensixCopState *cop = tensix_query_begin(path, errp); \
    type *info = NULL; \
\
    if (cop) { \
        info = tensix_query_##topic(cop); \
        tensix_cop_release(cop); \
    } \
    return info; \
}

#include "query_table.h.inc"

TensixTimeInfo *qmp_query_tensix_time(const char *path, Error **errp)
{
    TensixCopState *cop = tensix_query_begin(path, errp);
    TensixTimeInfo *info = NULL;

    if (cop) {
        info = tensix_query_time(cop, errp);
        tensix_cop_release(cop);
    }
    return info;
}

TensixViolations *qmp_query_tensix_violations(const char *path, Error **errp)
{
    TensixCopState *cop = tensix_query_begin(path, errp);
    TensixViolations *info = NULL;

    if (cop) {
        tensix_cop_release(cop);
        info = tensix_report_sites(tensix_cop_reporter(cop));
    }
    return info;
}

static TensixSourceFrame *frame_info(const TensixFrame *frame)
{
    TensixSourceFrame *info = g_new0(TensixSourceFrame, 1);

    info->function = g_strdup(frame->function);
    info->file = g_strdup(frame->file);
    info->has_line = frame->file;
    info->line = frame->line;
    return info;
}

TensixSourceFrameList *qmp_query_tensix_source(TensixHartName hart, uint32_t pc,
                                               const char *path, Error **errp)
{
    TensixCopState *cop = tensix_query_begin(path, errp);
    TensixSourceFrameList *list = NULL, **tail = &list;
    g_autoptr(GPtrArray) frames = NULL;

    if (!cop) {
        return NULL;
    }
    tensix_cop_release(cop);
    frames = tensix_sources_frames(tensix_cop_reporter(cop)->sources, hart, pc);
    for (unsigned i = 0; i < frames->len; i++) {
        QAPI_LIST_APPEND(tail, frame_info(g_ptr_array_index(frames, i)));
    }
    return list;
}

/* --- configuration --- */

static TensixConfigFieldList *query_config(bool threads, strList *names,
                                           bool all, const char *path,
                                           Error **errp)
{
    TensixCopState *cop = tensix_query_begin(path, errp);
    TensixConfigFieldList *list = NULL;

    if (cop) {
        list = tensix_query_config(cop, threads, names, all, errp);
        tensix_cop_release(cop);
    }
    return list;
}

TensixConfigFieldList *qmp_query_tensix_config(bool has_names, strList *names,
                                               bool has_all, bool all,
                                               const char *path, Error **errp)
{
    return query_config(false, names, has_all && all, path, errp);
}

TensixConfigFieldList *qmp_query_tensix_thread_config(bool has_names,
                                                      strList *names,
                                                      bool has_all, bool all,
                                                      const char *path,
                                                      Error **errp)
{
    return query_config(true, names, has_all && all, path, errp);
}

/* --- rows --- */

/* False with errp set: no row at all is requested. */
static bool check_count(bool has_count, uint32_t count, Error **errp)
{
    if (has_count && !count) {
        error_setg(errp, "'count' must be 1 or more");
        return false;
    }
    return true;
}

TensixRows *qmp_query_tensix_lregs(bool has_format, TensixFormat format,
                                   const char *path, Error **errp)
{
    TensixRowsArgs wanted = { .has_format = has_format, .format = format };
    TensixCopState *cop = tensix_query_begin(path, errp);
    TensixRows *rows = NULL;

    if (cop) {
        rows = tensix_query_lregs(cop, &wanted, errp);
        tensix_cop_release(cop);
    }
    return rows;
}

TensixRows *qmp_query_tensix_dest(bool has_row, uint32_t row, bool has_count,
                                  uint32_t count, bool has_format,
                                  TensixFormat format, const char *path,
                                  Error **errp)
{
    TensixRowsArgs wanted = { row, count, has_format, format, 0 };
    TensixCopState *cop = check_count(has_count, count, errp)
                          ? tensix_query_begin(path, errp) : NULL;
    TensixRows *rows = NULL;

    if (cop) {
        rows = tensix_query_dest(cop, &wanted, errp);
        tensix_cop_release(cop);
    }
    return rows;
}

TensixSrcRows *qmp_query_tensix_src(TensixSrcName src, bool has_row,
                                    uint32_t row, bool has_count,
                                    uint32_t count, bool has_bank, uint8_t bank,
                                    bool has_format, TensixFormat format,
                                    const char *path, Error **errp)
{
    TensixRowsArgs wanted = { row, count, has_format, format, bank };
    TensixCopState *cop = check_count(has_count, count, errp)
                          ? tensix_query_begin(path, errp) : NULL;
    TensixSrcRows *rows = NULL;

    if (cop) {
        rows = tensix_query_src(cop, src, &wanted, errp);
        tensix_cop_release(cop);
    }
    return rows;
}

/* --- the latest events --- */

static TensixEventInfo *event_info(const TensixCopState *cop, uint64_t n)
{
    const TensixEvent *event = tensix_record_get(tensix_cop_recorder(cop), n);
    g_autoptr(GString) text = g_string_new(NULL);
    TensixEventInfo *info = g_new0(TensixEventInfo, 1);

    tensix_cop_event_text(text, event);
    info->number = n;
    info->kind = g_strdup(tensix_events[event->kind].name);
    info->text = g_strdup(text->str);
    return info;
}

TensixEventInfoList *qmp_query_tensix_recent(bool has_count, uint32_t count,
                                             bool has_first, uint64_t first,
                                             const char *path, Error **errp)
{
    TensixCopState *cop = tensix_query_begin(path, errp);
    TensixEventInfoList *list = NULL, **tail = &list;
    uint64_t end;

    if (!cop) {
        return NULL;
    }
    count = MIN(has_count ? count : TENSIX_RECENT_LINES, TENSIX_RECENT_MOST);
    first = has_first ? MAX(first, tensix_record_first(tensix_cop_recorder(cop)))
                      : tensix_cop_recent(cop, count);
    end = tensix_record_count(tensix_cop_recorder(cop));
    for (uint64_t n = first; n < end && n - first < count; n++) {
        QAPI_LIST_APPEND(tail, event_info(cop, n));
    }
    tensix_cop_release(cop);
    return list;
}
