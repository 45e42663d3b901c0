/*
 * Pseudo-random numbers of the Vector Unit's lanes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "num/num_prng.h"

enum { PRNG_WARM_UP = 32 };        /* steps */

void tensix_prng_seed(TensixVectorUnit *vu, uint32_t seed)
{
    for (int step = 0; step < PRNG_WARM_UP; step++) {
        seed = tensix_prng_step(seed);
    }
    for (int lane = TENSIX_LANES - 1; lane >= 0; lane--) {
        seed = tensix_prng_step(tensix_prng_step(seed));
        vu->prng[lane] = seed;
    }
}
