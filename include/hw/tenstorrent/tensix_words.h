/*
 * A bounded queue of 32-bit words, as PCBufs and mailboxes have.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Plain data; its user decides on the capacity (up to TENSIX_WORDS_MAX) and
 * checks for full and empty before it pushes and pops.
 */

#ifndef HW_TENSTORRENT_TENSIX_WORDS_H
#define HW_TENSTORRENT_TENSIX_WORDS_H

#include "migration/vmstate.h"

enum { TENSIX_WORDS_MAX = 16 };

typedef struct TensixWords {
    uint32_t head;                 /* index of the oldest word */
    uint32_t count;                /* 0..TENSIX_WORDS_MAX */
    uint32_t word[TENSIX_WORDS_MAX];
} TensixWords;

extern const VMStateDescription vmstate_tensix_words;

static inline void tensix_words_clear(TensixWords *q)
{
    *q = (TensixWords) { 0 };
}

static inline void tensix_words_push(TensixWords *q, uint32_t word)
{
    q->word[(q->head + q->count++) % TENSIX_WORDS_MAX] = word;
}

static inline uint32_t tensix_words_peek(const TensixWords *q)
{
    return q->word[q->head];
}

static inline uint32_t tensix_words_pop(TensixWords *q)
{
    uint32_t word = q->word[q->head];

    q->head = (q->head + 1) % TENSIX_WORDS_MAX;
    q->count--;
    return word;
}

#endif
