/*
 * The commands of a tile, in an emulator that is built without any.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-tenstorrent.h"
#include "qapi/qapi-commands-tenstorrent-registers.h"
#include "qapi/qapi-commands-tenstorrent-state.h"
#include "monitor/hmp.h"

static void *no_tile(Error **errp)
{
    error_setg(errp, "this emulator has no machine with a Tensix tile");
    return NULL;
}

void info_tensix_completion(ReadLineState *rs, int nb_args, const char *str)
{
}

TensixConfigFieldList *qmp_query_tensix_config(bool has_names, strList *names,
                                               bool has_all, bool all,
                                               const char *path, Error **errp)
{
    return no_tile(errp);
}

TensixConfigFieldList *qmp_query_tensix_thread_config(bool has_names,
                                                      strList *names,
                                                      bool has_all, bool all,
                                                      const char *path,
                                                      Error **errp)
{
    return no_tile(errp);
}

TensixRows *qmp_query_tensix_lregs(bool has_format, TensixFormat format,
                                   const char *path, Error **errp)
{
    return no_tile(errp);
}

TensixRows *qmp_query_tensix_dest(bool has_row, uint32_t row, bool has_count,
                                  uint32_t count, bool has_format,
                                  TensixFormat format, const char *path,
                                  Error **errp)
{
    return no_tile(errp);
}

TensixSrcRows *qmp_query_tensix_src(TensixSrcName src, bool has_row,
                                    uint32_t row, bool has_count,
                                    uint32_t count, bool has_bank,
                                    uint8_t bank, bool has_format,
                                    TensixFormat format, const char *path,
                                    Error **errp)
{
    return no_tile(errp);
}

TensixSourceFrameList *qmp_query_tensix_source(TensixHartName hart, uint32_t pc,
                                               const char *path, Error **errp)
{
    return no_tile(errp);
}

void qmp_tensix_mark(const char *name, const char *path, Error **errp)
{
    no_tile(errp);
}

void qmp_tensix_unmark(const char *name, const char *path, Error **errp)
{
    no_tile(errp);
}

TensixChangeList *qmp_query_tensix_changes(const char *since,
                                           const char *until, const char *path,
                                           Error **errp)
{
    return no_tile(errp);
}

TensixEventInfoList *qmp_query_tensix_recent(bool has_count, uint32_t count,
                                             bool has_first, uint64_t first,
                                             const char *path, Error **errp)
{
    return no_tile(errp);
}

TensixStopInfo *qmp_tensix_break(TensixBreakArguments *arg, Error **errp)
{
    return no_tile(errp);
}

TensixStopInfo *qmp_tensix_break_violation(bool has_category,
                                           TensixViolationCategory category,
                                           const char *path, Error **errp)
{
    return no_tile(errp);
}

TensixStopInfo *qmp_tensix_watch(TensixPlace *place, bool has_access,
                                 TensixWatchAccess access, const char *path,
                                 Error **errp)
{
    return no_tile(errp);
}

void qmp_tensix_delete(bool has_id, uint32_t id, const char *path, Error **errp)
{
    no_tile(errp);
}

void qmp_tensix_buffer(TensixBufferArguments *arg, Error **errp)
{
    no_tile(errp);
}

void qmp_tensix_buffer_remove(const char *name, const char *path, Error **errp)
{
    no_tile(errp);
}

TensixWriterInfoList *qmp_query_tensix_writers(TensixPlace *place,
                                               const char *path, Error **errp)
{
    return no_tile(errp);
}

void qmp_tensix_perturb(bool has_until, TensixWordConditionList *until,
                        bool has_idle, bool idle, bool has_results,
                        TensixMemoryRangeList *results, bool has_delays,
                        TensixDelayRangeList *delays, bool has_seeds,
                        TensixSeedRangeList *seeds, bool has_writes,
                        TensixMemoryWriteList *writes, bool has_report,
                        bool report, Error **errp)
{
    no_tile(errp);
}

TensixPerturbInfo *qmp_query_tensix_perturb(bool has_sites, bool sites,
                                            Error **errp)
{
    return no_tile(errp);
}

/* --- queries without further arguments --- */

#define QUERY(type, topic) \
type *qmp_query_tensix_##topic(const char *path, Error **errp) \
{ \
    return no_tile(errp); \
}

#include "inspect/query_table.h.inc"
QUERY(TensixTimeInfo, time)
QUERY(TensixViolations, violations)
QUERY(TensixStateFieldList, state)
QUERY(TensixStopInfoList, stops)
QUERY(TensixBufferList, buffers)
