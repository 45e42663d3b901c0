/*
 * What devices around the core ask about an instruction word.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_WORDS_H
#define TENSIX_WORDS_H

#include <stdbool.h>

#include "decode/tensix_fields.h"

/* What a wait instruction latches at its thread's gate. */
typedef enum TensixLatch {
    TENSIX_LATCH_NONE,             /* it is no wait instruction */
    TENSIX_LATCH_CONDITIONS,       /* STALLWAIT */
    TENSIX_LATCH_SEMAPHORES,       /* SEMWAIT */
    TENSIX_LATCH_STREAM,           /* STREAMWAIT */
} TensixLatch;

TensixLatch tensix_latch_of(uint32_t opcode);

/* For the MOP expander to expand? */
static inline bool tensix_word_is_mop(uint32_t word)
{
    return word >> 24 == TENSIX_OP_MOP;
}

/* Does the REPLAY expander record what follows the word?  (BH REPLAY.md) */
static inline bool tensix_word_records(uint32_t word)
{
    return word >> 24 == TENSIX_OP_REPLAY &&
           TENSIX_FIELD(word, REPLAY, load_mode);
}

/* Does it make the REPLAY expander emit words? */
static inline bool tensix_word_replays(uint32_t word)
{
    return word >> 24 == TENSIX_OP_REPLAY &&
           (!TENSIX_FIELD(word, REPLAY, load_mode) ||
            TENSIX_FIELD(word, REPLAY, execute_while_loading));
}

#endif
