/*
 * Token: each tile passes it to the next one by a semaphore in that tile's L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * tests/functional/test_many_tiles.py is the host's side.
 */

#ifndef TOKEN_H
#define TOKEN_H

#include "blackhole-tile/noc.h"

enum { FIRST_X = 1, FIRST_Y = 2 };

/* In L1 of each tile; the first three are the host's. */
typedef struct {
    volatile uint32_t columns, rows, rounds;
    volatile uint32_t token;       /* how often this tile has had it */
    volatile uint32_t finished;
} TokenShared;

#define SHARED ((TokenShared *)SHARED_BASE)

#endif
