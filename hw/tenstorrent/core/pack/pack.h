/*
 * Packer: what its files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One PACR goes through pack.c (input), pack_convert.c, pack_filter.c and
 * pack_output.c; what they all read from the configuration is in its plan
 * (pack_plan.c).
 */

#ifndef TENSIX_PACK_H
#define TENSIX_PACK_H

#include "num/num_pack.h"
#include "regs/regfile.h"
#include "tensix_internal.h"
#include "config/config.h"
#include "observe/note.h"

/* One PACR's way through the packer. */
typedef struct PackRun {
    TensixCore *c;
    const TensixInsn *i;
    const uint32_t *cfg;           /* the active bank */
    const TensixPackPlan *plan;
    uint32_t start_row;
    uint32_t mask;                 /* read interfaces */
    unsigned interfaces;           /* how many rows */
    unsigned per_row;              /* datums of each row that are packed */
    unsigned first_column;
    PackDatums *d;                 /* the burst: one of these two */
    PackDatums buffer[2];
} PackRun;

/* A field of the bank at hand, by name. */
#define PACK_FIELD(cfg, name) ((cfg)[CFG_##name##_WORD] >> CFG_##name##_LOW & \
                               CFG_##name##_MASK)

/* --- pack_plan.c --- */

/*
 * What PACR makes of the words of a bank, as its plan.  What has been reported of
 * them and holds no longer may be reported again.
 */
void tensix_pack_make_plan(TensixCore *c, uint32_t bank)
    TENSIX_ISA_SYMBOL("tensix_pack_make_plan");

/*
 * Reports configuration and operands (bits of the word that are `unusual`) that
 * are undefined or not modelled, unless that has been done.
 */
void tensix_pack_report(const PackRun *r, uint32_t unusual)
    TENSIX_ISA_SYMBOL("tensix_pack_report");

/* --- pack_filter.c --- */

/* Edge masks, ReLU and exponent threshold, on r->d. */
void tensix_pack_filter(PackRun *r) TENSIX_ISA_SYMBOL("tensix_pack_filter");

/*
 * Leaves only the datums that are packed: the X range of each row, and of
 * those the ones that Downsample_mask names (Downsampling.md).
 */
void tensix_pack_select(PackRun *r) TENSIX_ISA_SYMBOL("tensix_pack_select");

/* --- pack_output.c --- */

enum {
    PACK_L1_UNIT = 16,             /* bytes of one address unit */
    PACK_L1_UNITS = 0x20000,       /* addresses wrap at this many units */
    PACK_STREAM_BYTES = PACK_L1_UNITS * PACK_L1_UNIT,
    PACK_STREAM_BITS = PACK_STREAM_BYTES * 8,
};

/* Reports a burst. */
void tensix_pack_outside_l1(TensixCore *c, const TensixInsn *i,
                            uint32_t address, uint32_t size)
    TENSIX_ISA_SYMBOL("tensix_pack_outside_l1");

/* Into L1, if all of it is there. */
static inline void tensix_pack_burst(TensixCore *c, const TensixInsn *i,
                                     uint32_t address, const void *data,
                                     uint32_t size)
{
    TensixHost *host = &c->host;

    if ((uint64_t)address + size > host->l1_size) {
        tensix_pack_outside_l1(c, i, address, size);
    } else if (size) {
        host->l1_write(host->opaque, address, data, size);
    }
}

/*
 * Where the next whole byte of data goes.  Part of a byte is left over only if
 * formats change in mid-stream.
 */
static inline uint32_t tensix_pack_next_byte(const TensixPacker *p)
{
    return (p->data_bit + 7) / 8;
}

/* Adds whole bytes to the stream of data. */
static inline void tensix_pack_write_bytes(TensixCore *c, const TensixInsn *i,
                                           const void *data, uint32_t size)
{
    TensixPacker *p = &c->s.packer;
    uint32_t address = tensix_pack_next_byte(p);

    tensix_pack_burst(c, i, address, data, size);
    p->data_bit = (address + size) * 8 % PACK_STREAM_BITS;
}

/* Gives the streams their addresses in L1; they were not open. */
void tensix_pack_open(TensixCore *c, const TensixInsn *i,
                      const TensixPackPlan *plan, const uint32_t *cfg,
                      const TensixAdc *adc)
    TENSIX_ISA_SYMBOL("tensix_pack_open");

/*
 * Adds datums that have been converted to the streams.  L1 accumulation works
 * in *d.
 */
void tensix_pack_write(TensixCore *c, const TensixInsn *i,
                       const TensixPackPlan *plan, PackDatums *d,
                       unsigned rows, unsigned per_row)
    TENSIX_ISA_SYMBOL("tensix_pack_write");

/*
 * Four whole rows of Dst from storage row `at` on, by a plan that is plain,
 * into L1.  The streams start at the byte addresses given and advance by
 * plan->bytes and plan->exponents; PACK_GROUP_ANY advances them itself.
 */
typedef TensixResult PackGroupFn(TensixCore *c, const TensixInsn *i,
                                 const TensixPackPlan *plan, uint32_t at,
                                 uint32_t address, uint32_t exponents);

typedef enum PackGroup {
    PACK_GROUP_ANY,
    PACK_GROUP_BF16,               /* EARLY_BF16 alone */
    PACK_GROUP_WORD,               /* FP32 or INT32 as it is */
    PACK_GROUP_EARLY,              /* halves or words, one conversion */
    PACK_GROUP_LATE,               /* the same, two */
    PACK_GROUP_CELLS,              /* bytes, shared exponents: from_cells */
} PackGroup;

/* By PackGroup.  (pack_convert.c; any: pack_output.c) */
extern PackGroupFn *const tensix_pack_groups[]
    TENSIX_ISA_SYMBOL("tensix_pack_groups");
PackGroupFn tensix_pack_group_any TENSIX_ISA_SYMBOL("tensix_pack_group_any");

/*
 * The low halves of 32-bit rows whose high halves are these.  They do not wrap:
 * tensix_dst_adj32() leaves that bit of the row 0.
 */
static inline const uint16_t *tensix_pack_low_rows(const uint16_t *high)
{
    return high + DST_LOW_HALF_ROWS * PACK_COLUMNS;
}

/* Fills the last 16 bytes of each stream with zeroes. */
void tensix_pack_flush(TensixCore *c, const TensixInsn *i)
    TENSIX_ISA_SYMBOL("tensix_pack_flush");

/* The same; the next PACR opens the streams anew. */
void tensix_pack_close(TensixCore *c, const TensixInsn *i)
    TENSIX_ISA_SYMBOL("tensix_pack_close");

#endif
