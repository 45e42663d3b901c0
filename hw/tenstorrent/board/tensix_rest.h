/*
 * Is anything in the tile at work?
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_REST_H
#define HW_TENSTORRENT_TENSIX_REST_H

#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_niu.h"

enum { TENSIX_REST_NIUS = 2 };

/* Is there work that neither a hart nor a thread has to begin?  BQL held. */
bool tensix_rest_devices_work(const TensixCopState *cop,
                              TensixNiuState *const *niu);

/* Is the hart neither held, paused nor stalled?  BQL held. */
bool tensix_rest_can_run(const TensixHart *hart);

/* Does it only go round a loop that waits, with nothing on its way to it? */
bool tensix_rest_only_spins(const TensixHart *hart);

/* Instructions that the coprocessor has executed since reset. */
uint64_t tensix_rest_executed(const TensixCopState *cop);

#endif
