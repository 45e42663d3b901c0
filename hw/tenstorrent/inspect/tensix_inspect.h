/*
 * Inspection of the tile by the human monitor: `info tensix`.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_INSPECT_H
#define HW_TENSTORRENT_TENSIX_INSPECT_H

#include "monitor/monitor.h"
#include "tensix_query.h"

/* Appends what `info tensix why` prints of it; the tile's, for source lines. */
void tensix_inspect_why(TensixCopState *cop, const TensixWhy *why,
                        GString *text);

/* Answers `info tensix breaks` and `writer`; false: the words are others. */
bool tensix_watch_info(Monitor *mon, char **words);

#endif
