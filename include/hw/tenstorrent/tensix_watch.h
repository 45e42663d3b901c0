/*
 * Breaks and watches of a tile, and last writers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Instruments of the types tensix-watch and tensix-writers; what they see comes from
 * tensix_cop_observe.h.  A hit is a request to stop the machine, as a violation's is.
 */

#ifndef HW_TENSTORRENT_TENSIX_WATCH_H
#define HW_TENSTORRENT_TENSIX_WATCH_H

#include "hw/tenstorrent/tensix_cop.h"
#include "qapi/qapi-types-tenstorrent-state.h"

#define TYPE_TENSIX_WATCHER "tensix-watch"
#define TYPE_TENSIX_WRITERS "tensix-writers"

typedef struct TensixPlaceRange {
    uint32_t first, count;         /* cells of the space */
} TensixPlaceRange;

enum { TENSIX_PLACE_RANGES = 16 };

/* The cells of a place: how many ranges; 0: an error. */
unsigned tensix_place_ranges(const TensixPlace *place, TensixPlaceRange *ranges,
                             Error **errp);

/*
 * A break at instructions, one at violations (category -1: of each), a watch.
 * text: the same in words, for lists.  Their number, from 1 on; 0: an error.
 * BQL held.
 */
uint32_t tensix_watch_add_break(TensixCopState *cop, const TensixBreakpoint *b,
                                const char *text, Error **errp);
uint32_t tensix_watch_add_violation(TensixCopState *cop, int category,
                                    const char *text, Error **errp);
uint32_t tensix_watch_add(TensixCopState *cop, const TensixPlace *place,
                          TensixWatchAccess access, const char *text,
                          Error **errp);

/* Takes away one, or all (0).  False: there is no such one. */
bool tensix_watch_delete(TensixCopState *cop, uint32_t id);

/* How many there are; number and text of each, n from 0 on. */
unsigned tensix_watch_count(const TensixCopState *cop);
uint32_t tensix_watch_get(const TensixCopState *cop, unsigned n,
                          const char **text);

/*
 * Calls fn for each cell of a place, "dest 4", or word of L1, with its writer
 * last; event 0: none.  False: an error.
 */
typedef void TensixWriterFn(void *opaque, const char *place,
                            const TensixActor *by);
bool tensix_watch_writers(TensixCopState *cop, const TensixPlace *place,
                          TensixWriterFn *fn, void *opaque, Error **errp);

/* "trisc1 pc 0x..., thread 1, ttelwadd ..., MOP word 3", or the agent. */
void tensix_watch_writer_text(const TensixActor *by, GString *text);


#endif
