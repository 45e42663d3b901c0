/*
 * Going back: the machine's history.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The history is a sequence of snapshots in memory.  Between two of them what
 * happened can be executed again, because it depends on nothing but the first
 * one (tensix_axis.h).  Input while the machine is stopped (a debugger or a
 * monitor that writes) is found by a comparison when it resumes, and becomes a
 * snapshot that is kept; input while it runs ends the history before it.  gdb's
 * packets bs and bc end here.
 */

#ifndef HW_TENSTORRENT_TENSIX_REWIND_INTERNAL_H
#define HW_TENSTORRENT_TENSIX_REWIND_INTERNAL_H

#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_rewind.h"

typedef struct TensixRewind TensixRewind;

/*
 * Keeps a history of the machine with these harts and coprocessors of all tiles
 * (it owns the array), where tensix_axis_is_possible(), until
 * tensix_rewind_free(); for both the BQL is held and no hart runs.
 */
TensixRewind *tensix_rewind_new(TensixTurns *turns, GPtrArray *cops,
                                const TensixRewindOptions *options);
void tensix_rewind_free(TensixRewind *r);

/* Of the snapshots from now on. */
void tensix_rewind_configure(TensixRewind *r,
                             const TensixRewindOptions *options);

/* The machine was reset: what was before is no longer known. */
void tensix_rewind_reset(TensixRewind *r);

/* Is a question of gdb's being answered? */
bool tensix_rewind_is_searching(const TensixRewind *r);

/* The properties "digest" (NULL: errp is set) and "status", to be freed. */
char *tensix_rewind_digest(TensixRewind *r, Error **errp);
char *tensix_rewind_status(const TensixRewind *r);

#endif
