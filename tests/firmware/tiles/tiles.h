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

#include "blackhole-tile/tile.h"

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

/* The job, at SHARED_BASE. */
typedef struct {
    volatile uint32_t job;
    volatile uint32_t tiles;
    volatile uint32_t a, b, out;             /* addresses in L1 */
    volatile uint32_t bias;                  /* row 0 of each tile counts */
    volatile uint32_t in_format;             /* in L1 */
    volatile uint32_t src_format;            /* in SrcA and SrcB, or Dest */
    volatile uint32_t pack_format;           /* from Dest into the packer */
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

#endif
