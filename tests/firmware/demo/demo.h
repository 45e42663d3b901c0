/*
 * The demo: what its five harts agree on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * y = x < 0 ? x * x + 1 : 2.5 * x + 1, for 1024 values of x in four faces of
 * 16 x 16.  TRISC0 writes x into Dest, TRISC1 computes y there with the vector
 * unit, TRISC2 reads Dest and writes L1, NCRISC adds the results up, BRISC
 * leads and checks.  x = k / 8 with k in -512..511, so that every result is
 * exact in fp32 and integer arithmetic can say what it has to be.
 */

#ifndef DEMO_H
#define DEMO_H

#include "blackhole-tile/kernel.h"

enum {
    FACES = 4,
    ROWS = 16,
    COLUMNS = 16,
    FACE_VALUES = ROWS * COLUMNS,
    VALUES = FACES * FACE_VALUES,
    K_RANGE = 1024,
    X_SHIFT = 3,                   /* x = k / 2^3 */
};

/* Commands through the PCBufs; each is followed by its arguments. */
enum {
    COMMAND_FILL = 0xF111,         /* face, first k, step; to TRISC0 */
    COMMAND_COMPUTE = 0xC0C0,      /* face; to TRISC1 */
    COMMAND_DRAIN = 0xD12A,        /* face; to TRISC2 */
};

/* Semaphores: faces that are filled, and faces that are computed. */
enum { SEM_FILLED = 1, SEM_COMPUTED = 2 };

typedef struct {
    volatile uint32_t started[5];  /* by hart: the address of its main() */
    volatile uint32_t results_ready;
    volatile uint32_t sum_ready;
    volatile uint32_t sum;
    volatile uint32_t result[VALUES];
} DemoShared;

#define SHARED ((DemoShared *)SHARED_BASE)

/* k of the nth value of a face. */
static inline int32_t demo_k(uint32_t first, uint32_t step, uint32_t n)
{
    return (int32_t)((first + step * n) % K_RANGE) - K_RANGE / 2;
}

/* The fp32 bit pattern of numerator / 2^shift; |numerator| < 2^24. */
static inline uint32_t fp32_ratio(int32_t numerator, unsigned shift)
{
    uint32_t magnitude = numerator < 0 ? -numerator : numerator;
    uint32_t exponent = 127 + 23 - shift;

    if (magnitude == 0) {
        return 0;
    }
    while (!(magnitude & (1u << 23))) {
        magnitude <<= 1;
        exponent--;
    }
    return (numerator < 0 ? 1u << 31 : 0) | exponent << 23 |
           (magnitude & 0x7FFFFF);
}

#endif
