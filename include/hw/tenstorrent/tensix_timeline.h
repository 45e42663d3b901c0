/*
 * What happened in the tile: the latest events, and a file of all of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The core's recorder (core/record/record.h) has a ring in which the devices put
 * events as well.  It is no state: a snapshot neither has it nor changes it, and
 * an event says where one was loaded.
 */

#ifndef HW_TENSTORRENT_TENSIX_TIMELINE_H
#define HW_TENSTORRENT_TENSIX_TIMELINE_H

#include "hw/tenstorrent/tensix_cop.h"

/* Events that the ring keeps; 2 MiB. */
enum { TENSIX_RECENT_EVENTS = 65536 };

/* How many are told of when the machine stops, and by default. */
enum { TENSIX_RECENT_LINES = 32 };

/* And at most, in one answer: some 30 ms. */
enum { TENSIX_RECENT_MOST = 4096 };

/*
 * Records an event; BQL held, from any thread, also while the caller is in the
 * core.
 */
void tensix_cop_record(TensixCopState *cop, const TensixEvent *event);

/* Is a timeline made, so that events which are not always recorded are wanted? */
bool tensix_cop_records_all(const TensixCopState *cop);

/* For a timeline: what changes next is this actor's doing. */
void tensix_timeline_actor(TensixCopState *cop, const TensixActor *by);

/*
 * The number of the first of the latest `count` events, RECENT_MOST at most; they
 * go up to tensix_record_count() of cop->recorder.  Inside lock.
 */
uint64_t tensix_cop_recent(const TensixCopState *cop, uint64_t count);

/* Appends an event as text, without a newline. */
void tensix_cop_event_text(GString *text, const TensixEvent *event);

/*
 * What the file of a timeline is to say about the tile: a line "key=value" in its
 * head.  To be called before the start.
 */
void tensix_timeline_describe(TensixCopState *cop, const char *key,
                              const char *value);

/*
 * Writes all events from now on into this file, which must not be that of another
 * machine's timeline; one that was being written ends.  False with errp set if
 * that cannot be done: another file than this one goes on.  BQL held.
 */
bool tensix_timeline_start(TensixCopState *cop, const char *file, Error **errp);

/* Ends the file; nothing if there is none.  BQL held. */
void tensix_timeline_stop(TensixCopState *cop);

/*
 * To be called before the ELFs of a hart change: what has been recorded is from
 * those that are known so far.  BQL held, outside lock.
 */
void tensix_timeline_settle_places(TensixCopState *cop);

/* The file that is being written, or NULL. */
const char *tensix_timeline_file(const TensixCopState *cop);

/* Stamps what comes with the machine's time, where that is exact (-icount). */
void tensix_timeline_stamp_now(TensixCopState *cop);

static inline void tensix_timeline_stamp(TensixCopState *cop)
{
    if (unlikely(cop->recorder->all)) {
        tensix_timeline_stamp_now(cop);
    }
}

/*
 * For tensix_cop.c: makes and frees the ring; begins and ends to record what harts
 * do, and to tell the latest events when the machine stops.
 */
void tensix_timeline_init(TensixCopState *cop);
void tensix_timeline_finish(TensixCopState *cop);
void tensix_timeline_watch(TensixCopState *cop);
void tensix_timeline_unwatch(TensixCopState *cop);

#endif
