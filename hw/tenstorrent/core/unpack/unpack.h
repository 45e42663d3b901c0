/*
 * UNPACR: what its files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_UNPACK_H
#define TENSIX_UNPACK_H

#include "num/num_unpack.h"
#include "observe/note.h"
#include "regs/regfile.h"
#include "config/config.h"

enum {
    L1_UNIT = 16,                  /* bytes, in which L1 is addressed */
    SECTION_WORDS = CFG_THCON_SEC1_REG0_TileDescriptor_WORD -
                    CFG_THCON_SEC0_REG0_TileDescriptor_WORD,
};

/* What is wrong with a plan; reported at each use. */
typedef enum TensixUnpackProblem {
    UNPACK_NO_PROBLEM,
    UNPACK_TRANSPOSE_IGNORED,      /* this and the next do not end it */
    UNPACK_TILIZE_NARROW,
    UNPACK_NO_CONVERSION,
    UNPACK_TILIZE_ENCODED,
    UNPACK_DST_REARRANGED,
    UNPACK_DST_ABSOLUTE,
} TensixUnpackProblem;

/*
 * One UNPACR, all its operands and configuration resolved (unpack_address.c).
 * Addresses in L1 are in bits, because datums may have 2 of them; the address
 * of exponents is in sixteenths of a byte, one per datum.
 */
typedef struct TensixUnpack {
    TensixCore *c;
    const TensixInsn *i;
    const uint32_t *cfg;           /* the thread's bank */
    const TensixUnpackPlan *plan;
    uint32_t thread, unpacker;     /* unpacker 0, 1: also the Src file */
    bool multi_context;            /* MultiContextMode */
    uint32_t context;              /* 0..7 */
    uint32_t adc_thread;           /* whose ADC gives X and Y of the input */

    /* input */
    int64_t data, exponents, deltas;
    uint32_t first_datum;
    uint64_t count;                /* datums to read, at most */
    uint32_t drop;                 /* decompressed datums to discard first */
    uint64_t produce;              /* decompressed datums to make, at most */

    /* output */
    bool zero;
    uint32_t out;                  /* first cell, 16 to a row */
    uint64_t skip;                 /* cells that later ones will overwrite */
    bool wrapped;                  /* past SrcA's last row: was reported */
    bool part_reported;            /* part of an undefined row of Dst was */
    uint32_t part_row;             /* that row plus one; 0: none is begun */
    uint32_t part_columns;         /* bit a column: written */
} TensixUnpack;

/* A configuration field, so many words after that of its name. */
#define FIELD(u, word_offset, name) \
    ((u)->cfg[CFG_##name##_WORD + (word_offset)] >> CFG_##name##_LOW & \
     CFG_##name##_MASK)
/* A field of this unpacker's THCON section: THCON_SEC1 repeats THCON_SEC0. */
#define SECTION(u, name) \
    FIELD(u, (u)->unpacker * SECTION_WORDS, THCON_SEC0_##name)
/* A whole word of it, `n` words on from the field's. */
#define SECTION_WORD(u, name, n) \
    ((u)->cfg[CFG_THCON_SEC0_##name##_WORD + (u)->unpacker * SECTION_WORDS + (n)])

/* Word n of the tile descriptor; its layout is at the end of the page. */
static inline uint32_t tensix_unpack_descriptor(const TensixUnpack *u, unsigned n)
{
    return SECTION_WORD(u, REG0_TileDescriptor, n);
}

/* Half `n` of halfwords that fill words from the field's on. */
static inline uint32_t tensix_unpack_halfword(uint32_t word, uint32_t n)
{
    return word >> (n & 1) * 16 & 0xffff;
}

/*
 * Makes *p, with the key, for u's unpacker, context and configuration.  What is
 * wrong is noted in p->problem, not reported.  (unpack_plan.c)
 */
void tensix_unpack_make_plan(TensixUnpackPlan *p, const TensixUnpack *u,
                             uint64_t key)
    TENSIX_ISA_SYMBOL("tensix_unpack_make_plan");

/*
 * Resolves instruction i: contexts, plan, addresses and checks of WH
 * UNPACR_Regular.md.  False: it reported a violation.
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
    TENSIX_READS_L1(u->c, address, size);
    *value = 0;
    for (uint32_t n = 0; n < size; n++) {
        *value |= (uint32_t)u->c->host.l1[address + n] << 8 * n;
    }
    return true;
}

/* Addresses of L1 above the limit wrap (WrapAddr()); in bits. */
static inline int64_t tensix_unpack_wrap(const TensixUnpack *u, int64_t bits)
{
    return bits > u->plan->limit ? bits - u->plan->fifo : bits;
}

#endif
