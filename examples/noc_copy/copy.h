/*
 * A copy from one bank of DRAM to another, by way of L1: what BRISC, NCRISC and
 * the host agree on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BRISC reads blocks into a ring in L1 over NoC 0, NCRISC writes them over
 * NoC 1.  Two counters in L1 say how many blocks were read and written.
 */

#ifndef COPY_H
#define COPY_H

#include "blackhole-tile/noc.h"

enum {
    RING_BASE = 0x40000,           /* in L1 */
    RING_BLOCKS = 4,
    BLOCK_BYTES = 32 * 1024,
};

typedef struct {
    /* set by the host; run.args has the same order */
    volatile uint32_t from_bank, from, to_bank, to;
    volatile uint32_t blocks;
    /* BRISC's count, NCRISC's count */
    volatile uint32_t filled, emptied;
} CopyShared;

#define SHARED ((CopyShared *)SHARED_BASE)

static inline uint32_t ring_address(uint32_t block)
{
    return RING_BASE + block % RING_BLOCKS * BLOCK_BYTES;
}

#endif
