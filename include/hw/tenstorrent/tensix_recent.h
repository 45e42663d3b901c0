/*
 * The latest events of a tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The core's recorder (core/record/record.h) has a ring in which the devices put
 * events as well.  It is no state: a snapshot neither has it nor changes it, and
 * an event says where one was loaded.
 */

#ifndef HW_TENSTORRENT_TENSIX_RECENT_H
#define HW_TENSTORRENT_TENSIX_RECENT_H

#include "hw/tenstorrent/tensix_cop.h"

/* Events that the ring keeps; 2 MiB. */
enum { TENSIX_RECENT_EVENTS = 65536 };

/* How many are reported when the machine stops, and by default. */
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
void tensix_cop_record_actor(TensixCopState *cop, const TensixActor *by);

/* Records what the hart does from now on, and which hart made it do so. */
void tensix_cop_record_turn(TensixCopState *cop, const TensixTurnEvent *event);

/*
 * The number of the first of the latest `count` events, RECENT_MOST at most; they
 * go up to tensix_record_count() of cop->recorder.  Inside lock.
 */
uint64_t tensix_cop_recent(const TensixCopState *cop, uint64_t count);

/* Appends an event as text, without a newline. */
void tensix_cop_event_text(GString *text, const TensixEvent *event);

#endif
