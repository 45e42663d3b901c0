/*
 * UNPACR: what finding its addresses and moving its datums share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_UNPACK_H
#define TENSIX_UNPACK_H

#include "num_unpack.h"
#include "regfile.h"

/*
 * One UNPACR, all its operands and configuration resolved (unpack_address.c).
 * Addresses in L1 are in bits, because datums may have 2 of them; the address
 * of exponents is in sixteenths of a byte, one per datum.
 */
typedef struct TensixUnpack {
    TensixCore *c;
    const TensixInsn *i;
    const uint32_t *cfg;           /* the thread's bank */
    uint32_t thread, unpacker;     /* unpacker 0, 1: also the Src file */
    bool multi_context;            /* MultiContextMode */
    uint32_t context;              /* 0..7 */
    uint32_t adc_thread;           /* whose ADC gives X and Y of the input */

    /* tile in L1 */
    uint32_t in_format, out_format;
    TensixUnpackConversion conversion;
    bool compressed;
    bool forced_exponent;
    uint8_t exponent;              /* if forced */
    uint32_t x_dim, y_dim, z_dim, w_dim;

    /* input */
    int64_t data, exponents, deltas;
    uint32_t first_datum;
    uint64_t count;                /* datums to read, at most */
    uint32_t drop;                 /* decompressed datums to discard first */
    uint64_t produce;              /* decompressed datums to make, at most */
    bool tilize;                   /* rows in L1 do not follow each other */
    uint32_t row_width;            /* datums before the next row of L1 */
    int64_t row_stride;            /* bits */
    int64_t limit, fifo;           /* addresses above limit go back by fifo: bits */

    /* output */
    bool to_dst, transpose, zero;
    uint32_t out;                  /* first cell, 16 to a row */
    uint32_t upsample;             /* cells after each datum */
    bool interleave;               /* these are skipped, not zeroed */
    uint32_t column_shift;
    bool wrapped;                  /* past SrcA's last row: was reported */
} TensixUnpack;

/*
 * Resolves instruction i: contexts, tile descriptor, formats, addresses and
 * checks of WH UNPACR_Regular.md.  False: it reported a violation.
 */
bool tensix_unpack_resolve(TensixUnpack *u)
    TENSIX_ISA_SYMBOL("tensix_unpack_resolve");

/*
 * Moves the datums.  What is undefined on the way is reported and ends the
 * moving.  (unpack_move.c)
 */
void tensix_unpack_move(TensixUnpack *u) TENSIX_ISA_SYMBOL("tensix_unpack_move");

/* Reads `size` bytes 1..4 of L1, little-endian; false: not in L1. */
static inline bool tensix_unpack_read_l1(const TensixUnpack *u, int64_t address,
                                         uint32_t size, uint32_t *value)
{
    if (address < 0 || address + size > u->c->host.l1_size) {
        return false;
    }
    *value = 0;
    for (uint32_t n = 0; n < size; n++) {
        *value |= (uint32_t)u->c->host.l1[address + n] << 8 * n;
    }
    return true;
}

/* Addresses of L1 above the limit wrap (WrapAddr()); in bits. */
static inline int64_t tensix_unpack_wrap(const TensixUnpack *u, int64_t bits)
{
    return bits > u->limit ? bits - u->fifo : bits;
}

#endif
