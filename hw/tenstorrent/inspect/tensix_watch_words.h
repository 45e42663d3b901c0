/*
 * Breaks and watches in words, as the monitor takes and shows them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_WATCH_WORDS_H
#define HW_TENSTORRENT_TENSIX_WATCH_WORDS_H

#include "qapi/qapi-types-tenstorrent-state.h"

/* Words without empty ones; to be freed with g_strfreev(). */
char **tensix_words_split(const char *text);

/*
 * "l1 0x1000 64", "dest 4", "dest 4 8 wide", "srca 3 bank 1", "lreg 2",
 * "gpr 5 thread 1", "config FIELD bank 0", "thread-config FIELD thread 2",
 * "semaphore 1", "mutex 0"; then "read" or "access" unless access is NULL.  To be
 * freed with qapi_free_TensixPlace(); NULL: an error.
 */
TensixPlace *tensix_words_place(char **words, TensixWatchAccess *access,
                                Error **errp);

/*
 * "PACR thread 2 if Flush=1", "any thread 1".  To be freed with
 * qapi_free_TensixBreakpoint(); NULL: an error.
 */
TensixBreakpoint *tensix_words_break(char **words, Error **errp);

/* "violation bad-access", without the first word: a category, -1: any. */
bool tensix_words_category(char **words, int *category, Error **errp);

/* The reverse, "watch dest 4 8 wide" and so on; to be freed. */
char *tensix_words_of_watch(const TensixPlace *place, TensixWatchAccess access);
char *tensix_words_of_break(const TensixBreakpoint *b);
char *tensix_words_of_violation(int category);

#endif
