/*
 * Text of what QAPI has (tensix_query.h), for `info tensix`.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_SHOW_H
#define HW_TENSTORRENT_TENSIX_SHOW_H

#include "tensix_query.h"
#include "../common/tensix_emit.h"

/* Waits, threads, SFPLOADMACRO, violations (tensix_show.c) */
void tensix_show_why(TensixEmit *e, const TensixWhy *why);
void tensix_show_macro(TensixEmit *e, const TensixMacroInfo *macro);
void tensix_show_harts(TensixEmit *e, const TensixHartInfoList *harts);
void tensix_show_threads(TensixEmit *e, const TensixThreadInfoList *threads);
void tensix_show_violations(TensixEmit *e, const TensixViolations *violations);

/* A word for each lane, in hexadecimal digits (tensix_show_state.c) */
void tensix_show_words(TensixEmit *e, const char *name, const uint32List *list,
                       int digits);

/* Small registers and the configuration (tensix_show_state.c) */
void tensix_show_semaphores(TensixEmit *e, const TensixSemaphoreInfoList *list);
void tensix_show_mutexes(TensixEmit *e, const TensixMutexInfoList *list);
void tensix_show_rwcs(TensixEmit *e, const TensixRwcInfoList *list);
void tensix_show_adcs(TensixEmit *e, const TensixAdcInfoList *list);
void tensix_show_flags(TensixEmit *e, const TensixFlagsInfo *flags);
void tensix_show_gprs(TensixEmit *e, const TensixGprInfoList *list);
void tensix_show_banks(TensixEmit *e, const TensixBankInfoList *list);
void tensix_show_units(TensixEmit *e, const TensixUnitInfoList *list);

/* A group for each of `count` banks or threads, which is what `of` says. */
void tensix_show_config(TensixEmit *e, const TensixConfigFieldList *list,
                        const char *of, int count);

/* A line for each hart and thread (tensix_query_time.c) */
void tensix_show_time(TensixEmit *e, const TensixTimeInfo *info);

/* What never changes (tensix_show_tables.c) */
void tensix_show_instructions(TensixEmit *e);
void tensix_show_fields(TensixEmit *e);

typedef struct TensixRowStyle {
    const char *prefix;            /* of a row's number */
    int width;                     /* of that number */
    int digits;                    /* hexadecimal ones of a raw cell */
    const char *plural;            /* of what has a cell each */
} TensixRowStyle;

/* Rows of a register file; equal ones that follow each other are a range. */
void tensix_show_rows(TensixEmit *e, const TensixRowList *rows,
                      const TensixRowStyle *style);

#endif
