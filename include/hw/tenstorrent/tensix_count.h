/*
 * Counting what a hart executes: for hosts that let the tile run for a number
 * of instructions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart that counts runs blocks of code that were translated for it: each
 * begins with one more call.  At the end of the count it goes back to the
 * others, so counting costs the others nothing.  What is counted are
 * blocks, of one instruction or more each: N of them are at least N
 * instructions.
 *
 * A count is no state: it does not migrate, and a reset ends it.
 */

#ifndef HW_TENSTORRENT_TENSIX_COUNT_H
#define HW_TENSTORRENT_TENSIX_COUNT_H

#include "hw/tenstorrent/tensix_hart.h"

/* Could the hart execute its next instruction, if the machine ran? */
bool tensix_hart_can_run(const TensixHart *hart);

/*
 * Begins a count, in place of one that is under way: it ends once the hart has
 * executed insns instructions or more from now on, or before that once it only
 * waits, stalls, pauses or is held in reset: TENSIX_ON_COUNTED, from the middle of
 * an instruction; its subscribers may schedule a bottom half and call
 * tensix_hart_request_stop().  insns from 1; numbers beyond 2^31
 * count as 2^31.  The hart has to be able to run.  While the machine is stopped
 * nothing is counted.  BQL held.
 */
void tensix_hart_count(TensixHart *hart, uint64_t insns);

/* Ends the count, if there is one; the counter is notified.  Any thread. */
void tensix_hart_end_count(TensixHart *hart);

/* Is a count under way?  Any thread. */
static inline bool tensix_hart_counts(const TensixHart *hart)
{
    return qatomic_read(&hart->count_left) != 0;
}

/* The hart begins a block of code that counts.  In its thread, no BQL. */
void tensix_hart_begins_block(TensixHart *hart);

/*
 * The hart executes nothing beyond the block that it is in, as if a stop of the
 * machine had begun; the caller has a vm_stop() carried out.  Any thread.
 */
void tensix_hart_request_stop(TensixHart *hart);

/*
 * What had been left to the hart's thread, a reset or a halt, has been done
 * when this returns, also if the machine is stopped.  In the main loop; the BQL
 * is given away meanwhile.
 */
void tensix_hart_settle(TensixHart *hart);

/* It executes nothing more before what is queued for it is done; BQL held. */
void tensix_hart_leave_code(TensixHart *hart);

#endif
