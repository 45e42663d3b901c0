/*
 * Telling of a hart's calls and returns.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart that is listened to runs blocks of code that were translated for that:
 * each call and return in them is reported.  Others pay nothing.
 */

#ifndef HW_TENSTORRENT_TENSIX_JUMPS_H
#define HW_TENSTORRENT_TENSIX_JUMPS_H

#include "hw/tenstorrent/tensix_hart.h"

/*
 * TENSIX_ON_JUMP got its first subscriber, or lost its last: from the hart's next
 * block on its jumps are posted, or not any more.  BQL held.  It is no state, and
 * outlives resets.
 */
void tensix_hart_choose_jumps(TensixHart *hart);

/* From generated code and cold.c.  BQL not held. */
void tensix_hart_jumps(TensixHart *hart, TensixJump jump, uint32_t pc,
                       uint32_t target);

#endif
