/*
 * The recorder: events that show what stands in the state.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_RECORD_STANDING_H
#define TENSIX_RECORD_STANDING_H

#include "tensix_core_struct.h"

/* For a timeline, if one is made: semaphore `index`, who owns the bank. */
void tensix_record_semaphore(TensixCore *c, uint32_t index);
void tensix_record_bank(TensixCore *c, uint32_t src, uint32_t bank);

/* Likewise a word of MopCfg, and who wrote it. */
void tensix_record_mop_word(TensixCore *c, uint32_t thread, uint32_t index);

/*
 * The same of everything that changes with events, for whoever begins to read
 * here: FIFOs, MopCfg, REPLAY's ring, semaphores, mutexes, banks, cycle.
 */
void tensix_record_standing(TensixCore *c);

#endif
