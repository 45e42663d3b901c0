/*
 * Sums and products of the Vector Unit where the host's floats give them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Floats of the host are used for two things that are exact by IEEE 754:
 * conversion of integers below 2^31, which rounds once to nearest even
 * (num_fma.c), and the short cuts below.
 */

#ifndef TENSIX_NUM_SHORT_H
#define TENSIX_NUM_SHORT_H

#include <float.h>

#include "num.h"
#include "simd.h"

#if FLT_EVAL_METHOD == 0 && FLT_MANT_DIG == 24
enum { NUM_HOST_FLOAT = 1 };
#else
enum { NUM_HOST_FLOAT = 0 };
#endif

/*
 * Where both operands and the result are normal numbers, and the result is not
 * next to under- or overflow, one correctly rounded float operation is what
 * the model computes.  A sum: both terms are exact there, and three guard bits
 * with a sticky bit round like infinitely many; a term that is shifted out
 * without one is under a quarter of the last place of the other one's
 * neighbour.  A product: 28 bits and sticky round like all 48.
 */

/* Lanes whose exponent is not in low..high. */
static inline SimdMask tensix_num_outside(SimdU bits, uint32_t low, uint32_t high)
{
    const SimdU zero = { 0 };
    SimdU offset = (bits << 1) - (low << 24);

    return simd_above(offset, zero + ((high - low + 1) << 24) - 1);
}

static inline SimdMask tensix_num_uncovered(SimdU x, SimdU y, SimdU r)
{
    return tensix_num_outside(x, 1, 254) | tensix_num_outside(y, 1, 254) |
           tensix_num_outside(r, 2, 253);
}

/* r = b + c in all lanes; false: use the model, r is undefined. */
static inline bool tensix_num_add_short(uint32_t *r, const uint32_t *b, const uint32_t *c)
{
    uint32_t slow = 0;

    SIMD_EACH(l) {
        SimdU x = simd_load(&b[l]), y = simd_load(&c[l]);
        SimdU sum = (SimdU)((SimdF)x + (SimdF)y);

        slow |= simd_bits(tensix_num_uncovered(x, y, sum));
        simd_store(&r[l], sum);
    }
    return NUM_HOST_FLOAT && !slow;
}

/* r = a * b, likewise. */
static inline bool tensix_num_mul_short(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t slow = 0;

    SIMD_EACH(l) {
        SimdU x = simd_load(&a[l]), y = simd_load(&b[l]);
        SimdU product = (SimdU)((SimdF)x * (SimdF)y);

        slow |= simd_bits(tensix_num_uncovered(x, y, product));
        simd_store(&r[l], product);
    }
    return NUM_HOST_FLOAT && !slow;
}

#endif
