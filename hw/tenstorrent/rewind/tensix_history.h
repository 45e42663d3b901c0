/*
 * The row of snapshots that one can go back to.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Snapshots have numbers, from 0 for the oldest.  All of this with the BQL held,
 * while no hart runs.
 *
 * Execution from a snapshot gives the same result each time, unless a watch or
 * a timeline begins or ends on the way: from there words take other cycles,
 * which is another line.  Only snapshots of one line can be compared.
 */

#ifndef HW_TENSTORRENT_TENSIX_HISTORY_H
#define HW_TENSTORRENT_TENSIX_HISTORY_H

#include "tensix_snapshot.h"

typedef struct TensixHistory TensixHistory;

/* Of the machine with these coprocessors (it owns the array). */
TensixHistory *tensix_history_new(GPtrArray *cops);

/* What all snapshots may take, from the next one on. */
void tensix_history_set_memory(TensixHistory *h, uint64_t most_bytes);
void tensix_history_free(TensixHistory *h);

unsigned tensix_history_length(const TensixHistory *h);
size_t tensix_history_bytes(const TensixHistory *h);
const TensixSnapshot *tensix_history_at(const TensixHistory *h, unsigned i);

/* The last snapshot that was taken or loaded; the machine is after it. */
unsigned tensix_history_now(const TensixHistory *h);

/* The machine has passed the next one. */
void tensix_history_pass(TensixHistory *h);

/* Discards everything; everything after the machine; everything before i. */
void tensix_history_clear(TensixHistory *h);
void tensix_history_cut(TensixHistory *h);
void tensix_history_discard(TensixHistory *h, unsigned i);

/*
 * Takes one and inserts it after tensix_history_now(), then thins out: the
 * older, the fewer snapshots are kept.
 */
void tensix_history_add(TensixHistory *h, bool is_input);

/* The same without putting it anywhere; to be freed by tensix_history_drop(). */
TensixSnapshot *tensix_history_capture(TensixHistory *h);
void tensix_history_drop(TensixHistory *h, TensixSnapshot *s);

/* The machine becomes what it was; false: it is in no good state. */
bool tensix_history_load(TensixHistory *h, unsigned i);

/*
 * Marks the machine's state, of which there is one at a time and which needs a
 * snapshot before it.  tensix_history_return() loads it, and may do so again;
 * false: what was before it has been discarded, or the machine is in no good
 * state.
 */
void tensix_history_mark(TensixHistory *h);
void tensix_history_unmark(TensixHistory *h);
bool tensix_history_return(TensixHistory *h);

#endif
