/*
 * Y = f(X) by the Vector Unit: what the harts and the host agree on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * TRISC0 unpacks a tile to SrcA, TRISC1 copies SrcA to Dest and replaces each
 * number there, TRISC2 packs Dest to L1.
 */

#ifndef SFPU_H
#define SFPU_H

#include "blackhole-tile/tile.h"

/* Where things are in L1; run.args has the same numbers. */
enum {
    X_BASE = 0x40000,
    Y_BASE = 0x80000,
    TILE_BYTES = TILE_DATUMS * 2,  /* bf16 */
};

typedef struct {
    volatile uint32_t tiles;       /* set by the host */
    volatile uint32_t finished;    /* how many are in L1 */
} SfpuShared;

#define SHARED ((SfpuShared *)SHARED_BASE)

#endif
