/*
 * The file of a timeline, of one tile or of several.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Of several tiles each writes blocks of events.  Those of one tile are in the
 * order of time.  Where another tile than before has events, a number orders
 * them: what follows it in its tile's blocks comes after all that has smaller
 * numbers.  So no tile has to empty another one's ring, which would take the
 * other one's lock in the middle of an instruction.
 */

#ifndef HW_TENSTORRENT_TENSIX_TIMELINE_FILE_H
#define HW_TENSTORRENT_TENSIX_TIMELINE_FILE_H

#include "hw/tenstorrent/core/tensix_core.h"
#include "hw/tenstorrent/tensix_source.h"

typedef struct TensixTimelineFile TensixTimelineFile;

/* Where a tile is. */
typedef struct TensixTimelinePlace {
    uint32_t x, y;
} TensixTimelinePlace;

/* What is in a file: events of several tiles; in estimated cycles. */
typedef struct TensixTimelineKind {
    bool has_tiles, is_timed;
} TensixTimelineKind;

/*
 * Empties the file, for this machine alone, and writes the head.  NULL: errp is
 * set.  The last user's unref ends and closes it.  BQL held.
 */
TensixTimelineFile *tensix_timeline_file_new(const char *name,
                                             TensixSources *sources,
                                             TensixTimelineKind kind,
                                             Error **errp);
TensixTimelineFile *tensix_timeline_file_ref(TensixTimelineFile *f);
void tensix_timeline_file_unref(TensixTimelineFile *f);

bool tensix_timeline_file_is_called(const TensixTimelineFile *f,
                                    const char *name);

/*
 * Events of the tile at this place.  An error is reported once; what cannot be
 * written is counted.  Any thread.
 */
void tensix_timeline_file_write(TensixTimelineFile *f,
                                const TensixTimelinePlace *place,
                                const TensixEvent *event, uint64_t count);

/*
 * A user is about to have an event: the number that orders it, or 0 if it needs
 * none, because this user had the event before, or is the only one.  Any thread.
 */
uint64_t tensix_timeline_file_order(TensixTimelineFile *f, const void *user);

#endif
