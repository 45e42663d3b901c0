/*
 * Copies of an instruction that has just been made.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_FRESH_H
#define TENSIX_FRESH_H

#include "tensix_state.h"

/* The compiler loads it alone. */
static inline uint32_t tensix_alone(uint32_t word)
{
    __asm__("" : "+r"(word));
    return word;
}

/*
 * The same instruction, loaded as its maker stored it, word by word: a load of
 * several words would wait until the last of these stores is done.
 */
static inline TensixInsn tensix_fresh(const TensixInsn *i)
{
    return (TensixInsn) {
        .valid = tensix_alone(i->valid),
        .word = tensix_alone(i->word),
        .thread = tensix_alone(i->thread),
        .mop_position = tensix_alone(i->mop_position),
        .replay_slot = tensix_alone(i->replay_slot),
        .origin = { tensix_alone(i->origin.pc), tensix_alone(i->origin.hart) },
    };
}

#endif
