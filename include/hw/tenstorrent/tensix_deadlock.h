/*
 * Deadlock: told when nothing in the tile can ever go on by itself.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_DEADLOCK_H
#define HW_TENSTORRENT_TENSIX_DEADLOCK_H

#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_niu.h"
#include "qapi/qapi-types-tenstorrent.h"

enum { TENSIX_DEADLOCK_EXIT_STATUS = 4 };

/*
 * Starts to watch; once, when the machine is made.  Somebody waits for good if
 *
 * - no hart that has left reset can run (all are stalled or paused), and one
 *   is stalled or a thread has instructions; or
 * - all harts that can run only spin (tensix_hart_spins()), and a thread has
 *   instructions, none of which can be executed, or a hart is stalled that none
 *   of those who spin could wake;
 *
 * and so for 100 ms of virtual time.  A host could still help: the report is
 * about the guest.  Not with -accel qtest, where all is the host's doing.
 */
void tensix_deadlock_init(TensixCopState *cop, TensixNiuState *const niu[2],
                          TensixDeadlockAction action);

/*
 * Somebody has begun to wait.  Cheap; from any thread, also from inside the
 * core.
 */
void tensix_deadlock_watch(void);

#endif
