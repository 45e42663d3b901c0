/*
 * The recorder: events that show what is in the state.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_RECORD_CURRENT_H
#define TENSIX_RECORD_CURRENT_H

#include "tensix_core_struct.h"

/* For a timeline, if one is made: semaphore `index`, the bank's owner. */
void tensix_record_semaphore(TensixCore *c, uint32_t index);
void tensix_record_bank(TensixCore *c, uint32_t src, uint32_t bank);

/* Likewise a word of MopCfg, and its writer. */
void tensix_record_mop_word(TensixCore *c, uint32_t thread, uint32_t index);

/*
 * The same of everything that changes with events, for a reader that begins
 * here: FIFOs, MopCfg, REPLAY's ring, semaphores, mutexes, banks, cycle.
 */
void tensix_record_current(TensixCore *c);

#endif
