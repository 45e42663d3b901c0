/*
 * Estimated cycles as QAPI has them: what two files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_QUERY_TIME_H
#define HW_TENSTORRENT_TENSIX_QUERY_TIME_H

#include "hw/tenstorrent/tensix_time.h"
#include "tensix_query.h"

/* --- tensix_query_time.c --- */

/* None, if there were no such cycles. */
void tensix_time_add_wait(TensixTimeWaitList ***tail, const char *what,
                          uint64_t cycles);

/* The longest, of harts first to end - 1; spent: by hart and word of L1. */
TensixTimeLineList *tensix_time_lines(TensixSources *sources, unsigned first,
                                      unsigned end, uint64_t *const *spent);

/* --- tensix_query_path.c --- */

TensixPathInfo *tensix_query_path(TensixSources *sources,
                                  const TensixTimes *times);

#endif
