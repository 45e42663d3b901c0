/*
 * A snapshot of the machine in memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * It has what a migration has.  Snapshots that follow each other share pages
 * that have not changed.  All of this with the BQL held, while no hart runs.
 */

#ifndef HW_TENSTORRENT_TENSIX_SNAPSHOT_H
#define HW_TENSTORRENT_TENSIX_SNAPSHOT_H

#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_cop.h"

typedef struct TensixSnapshot {
    int64_t place;                 /* on the axis */
    bool is_input;                 /* what led to it cannot be executed again */
    bool observed;                 /* the coprocessor takes its slow path */
    uint64_t line;                 /* of what is executed (tensix_history.h) */
    size_t devices_size;           /* bytes of VMState */
    GPtrArray *devices, *memory;   /* pages */
} TensixSnapshot;

/*
 * Takes one that may share pages with another (NULL: with none), and adds what
 * memory it costs to *bytes.
 */
TensixSnapshot *tensix_snapshot_take(const TensixSnapshot *like,
                                     size_t *bytes);

/* Takes what memory this gives back from *bytes. */
void tensix_snapshot_free(TensixSnapshot *s, size_t *bytes);

/* False, and the machine in no good state, if a device refuses. */
bool tensix_snapshot_load(const TensixSnapshot *s);

/* The same state of the machine?  The host's clock does not count. */
bool tensix_snapshot_equal(const TensixSnapshot *s, const TensixSnapshot *t);

/* A checksum of what tensix_snapshot_equal() compares; to be freed. */
char *tensix_snapshot_digest(const TensixSnapshot *s);

#endif
