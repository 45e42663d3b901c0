/*
 * Pseudo-random numbers of the Vector Unit's lanes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_NUM_PRNG_H
#define TENSIX_NUM_PRNG_H

#include "tensix_state.h"

/* PRNG of all lanes from configuration word 186 (as ttsim does it). */
void tensix_prng_seed(TensixVectorUnit *vu, uint32_t seed);

/* The next state of one lane's PRNG (BH VectorUnit.md, AdvancePRNG). */
static inline uint32_t tensix_prng_step(uint32_t state)
{
    uint32_t taps = __builtin_parity(state & 0x80200003u);

    return (taps ^ 1) << 31 | state >> 1;
}

#endif
