/*
 * Places in programs: numbers for actors, whatever they do there how often.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A place is an instruction or an access: agent, hart, pc, thread and word; the
 * number of the event, MOP position and REPLAY slot make no difference.
 */

#ifndef HW_TENSTORRENT_TENSIX_ACTORS_H
#define HW_TENSTORRENT_TENSIX_ACTORS_H

#include "hw/tenstorrent/core/tensix_core.h"

typedef struct TensixActors TensixActors;

TensixActors *tensix_actors_new(void);
void tensix_actors_free(TensixActors *p);      /* p may be NULL */

/* The number of the actor's place, from 1 on; the same place, the same number. */
uint32_t tensix_actors_add(TensixActors *p, const TensixActor *by);

/* How many there are; and the first actor that was there. */
uint32_t tensix_actors_count(const TensixActors *p);
const TensixActor *tensix_actors_get(const TensixActors *p, uint32_t place);

#endif
