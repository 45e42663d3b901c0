/*
 * Matrix multiplication: what its four harts and the host agree on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * C = A x B in tiles of 32 x 32, each tile four faces of 16 x 16, row by row.
 * The host puts the tiles of A (by rows of tiles) and of B (by columns of
 * tiles) into another tile's memory.  BRISC fetches them over the NoC in
 * chunks of the inner dimension, TRISC0 unpacks A to SrcB and B to SrcA,
 * TRISC1 runs MVMUL, TRISC2 packs, BRISC sends the tile of C back.
 * python/blackhole_tile/matmul.py is the host's side.
 */

#ifndef MATMUL_H
#define MATMUL_H

#include "blackhole-tile/tile.h"

enum {
    MAX_TILE_BYTES = 4096,

    CHUNK_TILES = 16,              /* most of A and of B at a time */
    CHUNK_SLOTS = 4,               /* as many chunks are on their way */
    OUT_SLOTS = 2,                 /* and so many tiles of C */
    CHUNK_BYTES = CHUNK_TILES * MAX_TILE_BYTES,
    CHUNK_BASE = 0x40000,          /* A's part, B's part; CHUNK_SLOTS times */
    OUT_BASE = CHUNK_BASE + CHUNK_SLOTS * 2 * CHUNK_BYTES,
};

/*
 * Command to TRISC1: so many pairs of tiles, the first or last ones of a tile
 * of C; from UNIT_REPEAT_LOW on, for how many tiles of C.
 */
enum {
    UNIT_COUNT = 0xFF,
    UNIT_FIRST = 1 << 8,
    UNIT_LAST = 1 << 9,
    UNIT_REPEAT_LOW = 16,
};

/* What the host sets before the start, at SHARED_BASE. */
typedef struct {
    volatile uint32_t rows, columns, inner;  /* of C, of C, of A: in tiles */
    volatile uint32_t phases;                /* fidelity phases, 1 to 4 */
    volatile uint32_t in_format;             /* in L1, of A and B */
    volatile uint32_t src_format;            /* in SrcA and SrcB */
    volatile uint32_t pack_format;           /* from Dest into the packer */
    volatile uint32_t out_format;            /* in L1, of C */
    volatile uint32_t in_bytes, out_bytes;   /* of a tile */
    volatile uint32_t out_exponents;         /* bytes of them in a tile of C */
    volatile uint32_t dest_32b;              /* Dest of 32 bits */
    volatile uint32_t integer;               /* INT8 math */
    volatile uint32_t memory;                /* y << 6 | x, with A, B and C */
    volatile uint32_t a, b, c;               /* their addresses there */
    volatile uint32_t batch;                 /* not 0: measure so many tiles */
    /* results */
    volatile uint32_t tiles_done;
    volatile uint32_t finished;
} MatmulShared;

#define SHARED ((MatmulShared *)SHARED_BASE)

/* A GPR that no instruction under way uses; WRCFG of it waits. */
static inline void write_gpr(unsigned gpr, uint32_t value)
{
    GPRS[gpr] = value;
    TTINSN(STALLWAIT, .stall_res = BLOCK_CONFIG, .wait_res = UNTIL_CFG_STORED);
}

/* One count of the MOP template, if it differs from *now. */
static inline void write_mop_count(unsigned word, uint32_t count,
                                   uint32_t *now)
{
    if (count != *now) {
        wait_mop_expander();
        MOP_CFG[word] = count;
        *now = count;
    }
}

#endif
