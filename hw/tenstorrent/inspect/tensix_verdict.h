/*
 * The answer first: which wait holds the tile up, and why it does not end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_VERDICT_H
#define HW_TENSTORRENT_TENSIX_VERDICT_H

#include "hw/tenstorrent/tensix_cop.h"
#include "qapi/qapi-types-tenstorrent.h"

/*
 * At most three lines: the wait that holds the others up, what keeps it from
 * ending, what the other harts do.  NULL if nothing waits.  To be freed with
 * qapi_free_strList().
 */
strList *tensix_verdict(TensixCopState *cop, const TensixWhy *why);

/*
 * Adds a row for each wait, "TRISC2 waits in pack_tile(), trisc2.c:13: ...";
 * none for a hart that waits for its own thread, or for BRISC's next word in
 * its PCBuf, where firmware is idle.
 */
void tensix_verdict_waits(TensixCopState *cop, TensixUnfinishedList ***tail);

/* Appends "posted 3 times (last in ...), never taken". */
void tensix_verdict_uses(TensixSources *sources, GString *text,
                         const TensixSemaphoreInfo *sem);

/* Appends eight lines: what each hart and thread does. */
void tensix_verdict_table(TensixCopState *cop, const TensixWhy *why,
                          GString *text);

#endif
