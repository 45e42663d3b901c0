/*
 * The scheduler's steps, for what goes past its runs (alone.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_SCHEDULE_H
#define TENSIX_SCHEDULE_H

#include "frontend/timing.h"

/* What a thread may wait for and a step of another one may bring about. */
enum {
    TENSIX_THREAD_CHANGES = TENSIX_CHANGED_SEMAPHORE | TENSIX_CHANGED_MUTEX |
                            TENSIX_CHANGED_BANK | TENSIX_CHANGED_POLL,
};

/*
 * Issues the instruction, for which its thread and its unit are ready, in this
 * cycle; false: it must wait.  A seed or a delay lengthens the timing.
 */
bool tensix_issue_now(TensixCore *c, const TensixInsn *insn,
                      TensixTiming *timing);

/* tensix_run() without asking threads again that wait for a change. */
bool tensix_run_some(TensixCore *c, uint32_t budget);

/*
 * After a push to the thread: if all that it has is a wait, and that is over, drops
 * it as tensix_run_some() would.  False: it may not be so, and nothing has
 * changed.  (alone.c)
 */
bool tensix_end_wait(TensixCore *c, uint32_t thread);

#endif
