/*
 * Multicast: the first tile sends a buffer to all others, which answer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * tests/functional/test_many_tiles.py is the host's side.
 */

#ifndef MULTICAST_H
#define MULTICAST_H

#include "blackhole-tile/noc.h"

enum { FIRST_X = 1, FIRST_Y = 2, TILES = 16, WORDS = 3072, ROUNDS = 20 };

/* In L1 of each tile; columns and rows are the host's. */
typedef struct {
    volatile uint32_t columns, rows;
    volatile uint32_t round;       /* sent to each tile after its buffer */
    volatile uint32_t answers;     /* of the first tile: each adds to it */
    volatile uint32_t sum[TILES][4];  /* of the first tile: what each has had */
    volatile uint32_t finished;
    uint32_t unused[3];
    uint32_t flag[4];              /* what is sent to `round` */
    uint32_t answer[4];
    uint32_t buffer[WORDS];
} MulticastShared;

#define SHARED ((MulticastShared *)SHARED_BASE)

#endif
