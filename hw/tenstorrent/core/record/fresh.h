/*
 * Copies of an instruction that has just been made.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_FRESH_H
#define TENSIX_FRESH_H

#include "record/record.h"

/* The compiler loads it alone. */
static inline uint32_t tensix_alone(uint32_t word)
{
    __asm__("" : "+r"(word));
    return word;
}

/*
 * The same instruction, loaded as its maker stored it, word by word: a load of
 * several words would wait until the last of these stores is done.  Not a value:
 * the compiler would store that word by word, and load it as a whole.
 */
static inline void tensix_copy_fresh(TensixInsn *to, const TensixInsn *i)
{
    to->valid = tensix_alone(i->valid);
    to->word = tensix_alone(i->word);
    to->thread = tensix_alone(i->thread);
    to->mop_position = tensix_alone(i->mop_position);
    to->replay_slot = tensix_alone(i->replay_slot);
    to->origin.pc = tensix_alone(i->origin.pc);
    to->origin.hart = tensix_alone(i->origin.hart);
    to->extra = 0;
}

/* tensix_record_insn(), for each executed word. */
static inline TensixEvent *tensix_record_fresh(TensixRecorder *r,
                                               TensixEventKind kind,
                                               const TensixInsn *insn,
                                               uint32_t extra)
{
    TensixEvent *e = tensix_record_next(r);

    tensix_copy_fresh(&e->insn, insn);
    e->kind = kind;
    e->number[TENSIX_EVENT_EXTRA] = extra;
    return e;
}

#endif
