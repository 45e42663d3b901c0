/*
 * Atomics: BRISC and TRISC0's coprocessor thread add to the same words.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * tests/functional/test_torture.py is the host's side.
 */

#ifndef ATOMICS_H
#define ATOMICS_H

#include "blackhole-tile/tile.h"

enum { ADDITIONS = 200000, BLOCK = 1000 };

/* At SHARED_BASE, which is a multiple of L1_UNIT. */
typedef struct {
    uint32_t counter;              /* both add 1 to it */
    uint32_t halves;               /* high half: BRISC counts, low: ATSWAP */
    uint32_t unused[2];
    volatile uint32_t trisc0_finished;       /* after ADDITIONS */
    volatile uint32_t added_by_brisc;        /* last of all */
} AtomicsShared;

#define SHARED ((AtomicsShared *)SHARED_BASE)

#endif
