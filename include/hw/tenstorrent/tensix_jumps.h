/*
 * Telling of a hart's calls and returns.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart that is listened to runs blocks of code that were translated for that:
 * each call and return in them is told.  Others pay nothing.
 */

#ifndef HW_TENSTORRENT_TENSIX_JUMPS_H
#define HW_TENSTORRENT_TENSIX_JUMPS_H

#include "hw/tenstorrent/tensix_hart.h"

/*
 * Who is told from the hart's next block on; NULL for nobody.  BQL held.  It is
 * no state, and outlives resets.
 */
void tensix_hart_set_jumped(TensixHart *hart, TensixJumpedFn *fn, void *opaque);

/* From generated code and cold.c.  BQL not held. */
void tensix_hart_jumps(TensixHart *hart, TensixJump jump, uint32_t pc,
                       uint32_t target);

#endif
