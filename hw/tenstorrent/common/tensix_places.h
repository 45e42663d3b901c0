/*
 * Places in programs: numbers for actors, whatever they do there how often.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A place is an instruction or an access: agent, hart, pc, thread and word; the
 * number of the event, MOP position and REPLAY slot make no difference.
 */

#ifndef HW_TENSTORRENT_TENSIX_PLACES_H
#define HW_TENSTORRENT_TENSIX_PLACES_H

#include "hw/tenstorrent/core/tensix_core.h"

typedef struct TensixPlaces TensixPlaces;

TensixPlaces *tensix_places_new(void);
void tensix_places_free(TensixPlaces *p);      /* p may be NULL */

/* The number of the actor's place, from 1 on; the same place, the same number. */
uint32_t tensix_places_add(TensixPlaces *p, const TensixActor *by);

/* How many there are; and the first actor that was there. */
uint32_t tensix_places_count(const TensixPlaces *p);
const TensixActor *tensix_places_actor(const TensixPlaces *p, uint32_t place);

#endif
