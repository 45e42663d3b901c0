/*
 * The file of a timeline: which places of programs its events are from.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The file is read when the ELFs may be deleted, perhaps elsewhere, so it
 * has what the machine knows of them: for each pc of a hart in its events a PLACE
 * event, and after that TEXT events with its text, TENSIX_PLACE_BYTES in each,
 * zeroes at the end.  The text has a line for each function that the pc is in,
 * the innermost first: name, file and line, with a tab between them, the last two
 * empty if they are unknown.
 *
 * A run of such events holds for all events since the run before: they are
 * written when the file ends, and before another ELF is named.
 */

#ifndef HW_TENSTORRENT_TENSIX_TIMELINE_PLACES_H
#define HW_TENSTORRENT_TENSIX_TIMELINE_PLACES_H

#include "hw/tenstorrent/core/tensix_core.h"
#include "hw/tenstorrent/tensix_source.h"

/* Of text in a TEXT event. */
enum { TENSIX_PLACE_BYTES = TENSIX_EVENT_NUMBERS * sizeof(uint32_t) };

typedef struct TensixPlaces TensixPlaces;

TensixPlaces *tensix_places_new(void);
void tensix_places_free(TensixPlaces *p);

/* Remembers the pcs of these events, which lie side by side: 65536 of them. */
void tensix_places_record(TensixPlaces *p, const TensixEvent *event,
                          uint64_t count);

/* Discards all pcs. */
void tensix_places_discard(TensixPlaces *p);

/* An array of TensixEvents about the pcs, which are then discarded. */
GArray *tensix_places_take(TensixPlaces *p, TensixSources *sources);

#endif
