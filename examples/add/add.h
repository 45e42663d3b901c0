/*
 * C = A + B, tile by tile: what the harts and the host agree on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BRISC configures the coprocessor and starts the three TRISCs.  TRISC0
 * unpacks a tile of A to SrcA and one of B to SrcB, TRISC1 adds them into
 * Dest, TRISC2 packs Dest to L1.  Dest is used in halves: while one is packed,
 * the other is computed; semaphore MATH_PACK counts those that are full.
 *
 * A tile is 32 x 32 numbers in bf16: four faces of 16 x 16, each row by row.
 */

#ifndef ADD_H
#define ADD_H

/* CFG_<field>_WORD and CFG_<field>_LOW of each field of the configuration */
#define CFG(name, word, low, width) \
    CFG_##name##_WORD = word, CFG_##name##_LOW = low,
enum {
#include "config/cfg_table.h.inc"
};
#undef CFG

#include "tensix.h"

#define FIELD(name, value) ((uint32_t)(value) << CFG_##name##_LOW)

/* Where things are in L1; run.args has the same numbers. */
enum {
    A_BASE = 0x40000,
    B_BASE = 0x60000,
    C_BASE = 0x80000,
};

typedef struct {
    volatile uint32_t tiles;       /* set by the host: how many to add */
    volatile uint32_t finished;    /* how many are in L1 */
} AddShared;

#define SHARED ((AddShared *)SHARED_BASE)

enum {
    BF16 = 5,                      /* code of the format everywhere */
    DATUM_BYTES = 2,
    FACE_ROWS = 16,
    ROW_DATUMS = 16,
    FACE_DATUMS = 256,
    TILE_FACES = 4,
    TILE_DATUMS = 1024,
    TILE_BYTES = TILE_DATUMS * DATUM_BYTES,
    L1_UNIT = 16,                  /* bytes of one unit of an L1 address */
    DEST_HALVES = 2,
    DEST_HALF_ROWS = 512,
    SEM_MATH_PACK = 1,
};

/* Sets of address counters, and counters, in instructions that write them */
enum { UNPACKER0 = 1, UNPACKER1 = 2, PACKER = 4 };
enum { CH0_Y = 2, CH1_Y = 8, ALL_COUNTERS = 0xF };

/* STALLWAIT: what stands still, and until when */
enum {
    BLOCK_PACK = 1 << 2,
    BLOCK_UNPACK = 1 << 3,
    BLOCK_MATH = 1 << 6,
    UNTIL_PACKED = 1 << 3,
    UNTIL_MATH_DONE = 1 << 4,
    UNTIL_CFG_STORED = 1 << 10,
};

/* The MOP expander's nine words: `count` times `body`, then `last` once. */
static inline void set_up_mop(uint32_t count, uint32_t body, uint32_t last)
{
    const uint32_t words[] = {
        1, count, TT_NOP, TT_NOP, TT_NOP, body, TT_NOP, last, last,
    };

    wait_mop_expander();
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        MOP_CFG[i] = words[i];
    }
}

/* What a base address register holds: unpacker and packer skip a header. */
static inline uint32_t tile_base(uint32_t base, uint32_t tile)
{
    return (base + tile * TILE_BYTES) / L1_UNIT - 1;
}

#endif
