/*
 * C = A x B of matrices of tiles: what the harts and the host agree on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For each tile of C, TRISC0 unpacks the tiles of a row of A to SrcB and those
 * of a column of B to SrcA, TRISC1 adds up their products in Dest (MVMUL gives
 * SrcB x SrcA), TRISC2 packs the sum.  A and C lie in L1 by rows of tiles, B by
 * columns of tiles.
 */

#ifndef MATMUL_H
#define MATMUL_H

#include "blackhole-tile/tile.h"

/* Where things are in L1; run.args has the same numbers. */
enum {
    A_BASE = 0x40000,
    B_BASE = 0x60000,
    C_BASE = 0x80000,
    TILE_BYTES = TILE_DATUMS * 2,  /* bf16 */
};

typedef struct {
    /* set by the host, in tiles: of C, of C, columns of A */
    volatile uint32_t rows, columns, inner;
    volatile uint32_t finished;    /* how many tiles of C are in L1 */
} MatmulShared;

#define SHARED ((MatmulShared *)SHARED_BASE)

#endif
