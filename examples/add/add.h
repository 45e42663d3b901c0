/*
 * C = A + B, tile by tile: what the harts and the host agree on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BRISC configures the coprocessor and starts the three TRISCs.  TRISC0
 * unpacks a tile of A to SrcA and one of B to SrcB, TRISC1 adds them into
 * Dest, TRISC2 packs Dest to L1.
 */

#ifndef ADD_H
#define ADD_H

#include "blackhole-tile/tile.h"

/* Where things are in L1; run.args has the same numbers. */
enum {
    A_BASE = 0x40000,
    B_BASE = 0x60000,
    C_BASE = 0x80000,
    TILE_BYTES = TILE_DATUMS * 2,  /* bf16 */
};

typedef struct {
    volatile uint32_t tiles;       /* set by the host: how many to add */
    volatile uint32_t finished;    /* how many are in L1 */
} AddShared;

#define SHARED ((AddShared *)SHARED_BASE)

#endif
