/*
 * Going back: the machine's history, an instrument.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + -object tensix-rewind,id=ID[,interval=N][,memory=SIZE]
 *  + property "interval": instructions between two snapshots
 *  + property "memory": bytes that all snapshots may take
 *  + property "digest": "PLACE DIGEST" of the machine's state, for comparisons:
 *    how many instructions all harts have executed, and a checksum of all memory
 *    and devices; an error while the machine runs
 *  + property "status": "FIRST LAST SNAPSHOTS BYTES": the places that one can go
 *    back to, and what the history costs
 *
 * The history is the machine's, that of all its tiles; the object counts as an
 * instrument of the first tile, so the machine has at most one.  It begins where
 * the object is created, on an axis (tensix_axis.h), and is forgotten, and the
 * axis left, when that is deleted.  While gdb's question is being answered it
 * cannot be deleted.  It needs -icount shift=0,sleep=off and no host software.
 */

#ifndef HW_TENSTORRENT_TENSIX_REWIND_H
#define HW_TENSTORRENT_TENSIX_REWIND_H

#include "qapi/visitor.h"

#define TYPE_TENSIX_REWIND "tensix-rewind"

typedef struct TensixRewindOptions {
    uint64_t interval;             /* instructions between two snapshots */
    uint64_t memory;               /* bytes that all of them may take */
} TensixRewindOptions;

#define TENSIX_REWIND_DEFAULTS \
    { .interval = 5000000, .memory = 256 * 1024 * 1024 }

/* For setters of an interval.  False: errp is set, *interval is as it was. */
bool tensix_rewind_visit_interval(Visitor *v, const char *name,
                                  uint64_t *interval, Error **errp);

#endif
