/*
 * Going back: the machine's history.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The history is a row of snapshots in memory.  Between two of them what
 * happened can be executed again, because it depends on nothing but the first
 * one (tensix_axis.h).  What comes from outside while the machine stands still
 * (a debugger or a monitor that writes) is found by a comparison when it goes on,
 * and becomes a snapshot that is kept; what comes while it runs ends the history
 * before it.  gdb's packets bs and bc end here.
 */

#ifndef HW_TENSTORRENT_TENSIX_REWIND_H
#define HW_TENSTORRENT_TENSIX_REWIND_H

#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_report.h"

typedef struct TensixRewind TensixRewind;

/* -M blackhole-tile,rewind=on,... */
typedef struct TensixRewindOptions {
    bool on;
    uint64_t interval;             /* instructions between two snapshots */
    uint64_t memory;               /* bytes that all of them may take */
} TensixRewindOptions;

enum {
    TENSIX_REWIND_INTERVAL = 5000000,
    TENSIX_REWIND_INTERVAL_MIN = 10000,
    TENSIX_REWIND_MEMORY = 256 * 1024 * 1024,
};

/*
 * Begins to keep a history of the machine whose harts and coprocessors, of all
 * tiles, these are; before it runs.  NULL, and errp
 * set, without the -icount that this needs.
 */
TensixRewind *tensix_rewind_new(TensixTurns *turns, TensixCopState *const *cop,
                                unsigned cops,
                                const TensixRewindOptions *options,
                                Error **errp);
void tensix_rewind_free(TensixRewind *r);

/* The machine was reset: what was before is no longer known. */
void tensix_rewind_reset(TensixRewind *r);

/*
 * "PLACE DIGEST" of the machine's state, for comparisons: how many instructions
 * all harts have executed, and a checksum of all memory and devices.  The machine
 * stands still; to be freed.  NULL and errp set otherwise.
 */
char *tensix_rewind_digest(TensixRewind *r, Error **errp);

/*
 * "FIRST LAST SNAPSHOTS BYTES": the places that one can go back to, and what the
 * history costs; to be freed.
 */
char *tensix_rewind_status(const TensixRewind *r);

#endif
