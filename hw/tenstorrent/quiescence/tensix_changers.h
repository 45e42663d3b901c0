/*
 * Writers and users of each named value during a kernel.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Named values are those of core/views/named.h.  Numbers of events order the
 * records; they begin with 1.
 */

#ifndef HW_TENSTORRENT_TENSIX_CHANGERS_H
#define HW_TENSTORRENT_TENSIX_CHANGERS_H

#include "hw/tenstorrent/core/views/named.h"
#include "hw/tenstorrent/tensix_bus.h"
#include "../common/tensix_actors.h"

typedef struct TensixChangers TensixChangers;

/* What one place has changed of one word of the state. */
typedef struct TensixChanged {
    uint32_t place;
    uint32_t offset, size;         /* of the word in TensixState: 2 or 4 bytes */
    uint32_t mask;                 /* bits that it changed */
    uint32_t before, after;        /* the word: before the first, after the last */
    uint64_t first, last;          /* events */
} TensixChanged;

/* The state is the tile's.  It is read inside the core's lock. */
TensixChangers *tensix_changers_new(const TensixState *state);
void tensix_changers_free(TensixChangers *c);  /* c may be NULL */

/* A kernel begins: nothing has changed yet. */
void tensix_changers_begin(TensixChangers *c);

/* Another state is loaded: the records are not about it. */
void tensix_changers_discard(TensixChangers *c);

/* Events of the bus. */
void tensix_changers_executed(TensixChangers *c, const TensixExecuted *e);
void tensix_changers_stored(TensixChangers *c, const TensixRegisterEvent *e);

/* Places of all kernels. */
const TensixActors *tensix_changers_places(const TensixChangers *c);

/* All TensixChanged of the kernel, in no order; the keys of a GHashTable. */
GHashTable *tensix_changers_changes(const TensixChangers *c);

/* Of these bits: which was last, or first; NULL: none, or it is not known. */
const TensixChanged *tensix_changers_last(const TensixChangers *c, uint32_t offset,
                                          uint32_t mask);
const TensixChanged *tensix_changers_first(const TensixChangers *c,
                                           uint32_t offset, uint32_t mask);

/*
 * The place that has used these bits of configuration after event `since` last,
 * or before event `until` first; 0: none, or it is not known.  Which units use it
 * is core/config/config_users.c.
 */
uint32_t tensix_changers_user(const TensixChangers *c, uint32_t offset,
                              uint32_t mask, uint64_t since);
uint32_t tensix_changers_early_user(const TensixChangers *c, uint32_t offset,
                                    uint32_t mask, uint64_t until);

#endif
