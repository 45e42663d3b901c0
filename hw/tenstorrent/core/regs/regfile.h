/*
 * Register files: what the units share beside tensix_internal.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_REGFILE_H
#define TENSIX_REGFILE_H

#include <string.h>

#include "tensix_internal.h"

enum {
    DST_ROW_MASK = TENSIX_DST_ROWS - 1,
    DST_PAIRS_HIGH = 0x1f8, /* tensix_dst_adj32(): bits that move up by one */
    DST_PAIRS_LOW = 0x207,  /* and those that stay */
    DST_LOW_HALF_ROWS = 8, /* low 16 bits of Dst32b: 8 rows further on */
    SRC_ROW_MASK = TENSIX_SRC_ROWS - 1,
    SRC_BANK_MASK = TENSIX_SRC_BANKS - 1,
    SRC_VALUE_MASK = 0x7ffff, /* 19 bits; all ones: minus infinity */
};

/* A row of SrcA or SrcB, cells as in TensixState.src. */
typedef uint32_t TensixSrcRow[TENSIX_COLUMNS];

/* The rows of a bank of SrcA or SrcB, to be read. */
static inline const TensixSrcRow *tensix_src_rows(const TensixCore *c,
                                                  uint32_t src, uint32_t bank)
{
    return c->s.src[src][bank & SRC_BANK_MASK];
}

/*
 * The same to be written, by this instruction only.  Everything that writes a
 * bank gets it here.
 */
static inline TensixSrcRow *tensix_src_to_write(TensixCore *c, uint32_t src,
                                                uint32_t bank)
{
    uint32_t b = bank & SRC_BANK_MASK;

    c->derived.src[src][b]++;
    return c->s.src[src][b];
}

/*
 * May the unpackers write the bank, or has the Matrix Unit got it?  Neither,
 * while an UNPACR that will hand it over is not over.
 */
static inline bool tensix_src_owned_by(const TensixCore *c, uint32_t src,
                                       uint32_t bank, TensixSrcClient client)
{
    uint32_t b = bank & SRC_BANK_MASK;

    return c->s.src_client[src][b] == client &&
           !c->s.order.hand_over_at[src][b];
}

/*
 * Sets a whole bank of SrcA or SrcB, except columns held by soft reset (BH
 * SoftReset.md: their writes are discarded).
 */
void tensix_src_fill(TensixCore *c, uint32_t src, uint32_t bank,
                     uint32_t value);

/*
 * After a bank was written as if soft reset held none of its columns: makes
 * those that it holds zero again.
 */
void tensix_src_clear_held(TensixCore *c, uint32_t src, uint32_t bank);

/*
 * Changes the owner of a bank, or a unit's bank pointer; does nothing while
 * soft reset holds them (bits 15 and 16).  The pointer functions flip it.
 */
void tensix_src_set_client(TensixCore *c, uint32_t src, uint32_t bank,
                           TensixSrcClient client);
void tensix_src_flip_matrix_bank(TensixCore *c, uint32_t src);
void tensix_src_flip_unpack_bank(TensixCore *c, uint32_t src);

/* CLEARDVALID's reset: all banks to the unpackers, all pointers to bank 0. */
void tensix_src_reset_banks(TensixCore *c);

/* The unpacker's row cursor of this thread back to SRCx_SET_Base * 16. */
void tensix_unpack_reset_row(TensixCore *c, uint32_t thread, uint32_t src);

#endif
