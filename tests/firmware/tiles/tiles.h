/*
 * Tiles: one program whose job the host chooses by words in L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BRISC configures and starts the three threads: TRISC0 unpacks, TRISC1
 * computes, TRISC2 packs.  Dest is used in halves, which semaphore MATH_PACK
 * counts.  A tile is four faces of 16 x 16 datums, face by face, row by row;
 * tests/functional/test_tiles.py is the host's side.
 */

#ifndef TILES_H
#define TILES_H

/* CFG_<field>_WORD and CFG_<field>_LOW of the configuration */
#define CFG(name, word, low, width) \
    CFG_##name##_WORD = word, CFG_##name##_LOW = low,
enum {
#include "../../../hw/tenstorrent/core/config/cfg_table.h.inc"
};
#undef CFG

#include "../tensix.h"

#define FIELD(name, value) ((uint32_t)(value) << CFG_##name##_LOW)

/* What is done with each tile. */
enum {
    JOB_ADD,                       /* a + b */
    JOB_MAX,                       /* of each column, scaled by b's */
    JOB_SUM,                       /* of each column, b's first rows times it */
    JOB_DENSE,                     /* b x a, plus bias; ReLU is the packer's */
    JOB_COPY,                      /* by way of SrcA */
    JOB_TRANSPOSE,
    JOB_TILIZE,                    /* a is a matrix, row by row */
    JOB_UNTILIZE,                  /* so is the result, one for each tile */
    JOB_TO_DEST,                   /* copied, unpacked to Dest directly */
};

enum {
    TILE_FACES = 4,
    FACE_ROWS = 16,
    ROW_DATUMS = 16,
    FACE_DATUMS = 256,
    TILE_DATUMS = 1024,
    L1_UNIT = 16,                  /* bytes of one address unit */
    DEST_HALVES = 2,
    DEST_HALF_ROWS = 512,
    SEM_MATH_PACK = 1,
};

/* Counters and their sets in the instructions that write them. */
enum { UNPACKER0 = 1, UNPACKER1 = 2, PACKER = 4 };
enum { CH0_X = 1, CH0_Y = 2, CH1_X = 4, CH1_Y = 8, ALL_COUNTERS = 0xF };
enum { CH0_Z = CH0_X, CH0_W = CH0_Y, CH1_Z = CH1_X, CH1_W = CH1_Y };

/* Blocks and conditions of STALLWAIT. */
enum {
    BLOCK_PACK = 1 << 2,
    BLOCK_UNPACK = 1 << 3,
    BLOCK_MATH = 1 << 6,
    UNTIL_UNPACKED = 1 << 1 | 1 << 2,
    UNTIL_PACKED = 1 << 3,
    UNTIL_MATH_DONE = 1 << 4,
    UNTIL_CFG_STORED = 1 << 10,
};

/* The job, at SHARED_BASE. */
typedef struct {
    volatile uint32_t job;
    volatile uint32_t tiles;
    volatile uint32_t a, b, out;             /* addresses in L1 */
    volatile uint32_t bias;                  /* row 0 of each tile counts */
    volatile uint32_t in_format;             /* in L1 */
    volatile uint32_t src_format;            /* in SrcA and SrcB, or Dest */
    volatile uint32_t src_bytes;             /* of a datum of that */
    volatile uint32_t pack_format;           /* from Dest into the packer */
    volatile uint32_t pack_bytes;            /* of a datum of that */
    volatile uint32_t out_format;            /* in L1 */
    volatile uint32_t out_exponents;         /* bytes of them in a tile */
    volatile uint32_t in_step, out_step;     /* bytes from tile to tile */
    volatile uint32_t row_bytes;             /* of a's rows, if a matrix */
    volatile uint32_t dest_32b;              /* Dest of 32 bits */
    volatile uint32_t integer;               /* INT8 math */
    volatile uint32_t is_unsigned;           /* INT8 means UINT8 */
    volatile uint32_t fp8_e4m3;              /* FP8 means E4M3, not E5M2 */
    volatile uint32_t relu;                  /* mode of the packer's ReLU */
    volatile uint32_t relu_threshold;        /* in Dest's format */
    volatile uint32_t finished;              /* number of tiles packed */
} TilesShared;

#define SHARED ((TilesShared *)SHARED_BASE)

/*
 * What the unpacker takes from each row of a matrix when tilizing is one face's
 * width of numbers of 8 bits, two of wider ones.
 */
static inline bool tilizes_by_face(uint32_t job)
{
    enum { EIGHT_BITS = 2, SIZE_MASK = 3 };

    return job == JOB_TILIZE && (SHARED->in_format & SIZE_MASK) == EIGHT_BITS;
}

/* MOVA2D does not make INT32 of INT8; adding zeroes from SrcB does. */
static inline bool copies_integers(uint32_t job)
{
    return SHARED->integer && job >= JOB_COPY;
}

static inline void write_mop(const uint32_t words[9])
{
    wait_mop_expander();
    for (unsigned i = 0; i < 9; i++) {
        MOP_CFG[i] = words[i];
    }
}

/* What a base address register holds: unpacker and packer skip a header. */
static inline uint32_t tile_base(uint32_t address)
{
    return address / L1_UNIT - 1;
}

#endif
