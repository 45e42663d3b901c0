/*
 * Y = X * X from DRAM to DRAM: what the harts and the host agree on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BRISC is the master: it reads tiles from DRAM into slots in L1, and sends the
 * TRISCs an order by mail for each.  TRISC2 interrupts BRISC when a result is
 * in its slot, and BRISC writes that to DRAM.
 */

#ifndef ORDERS_H
#define ORDERS_H

#include "blackhole-tile/tile.h"

enum {
    SLOTS = 4,
    SLOTS_IN = 0x40000,            /* in L1 */
    SLOTS_OUT = 0x60000,
    IN_BYTES = TILE_DATUMS * 2,    /* bf16 */
    OUT_BYTES = TILE_DATUMS * 4,   /* fp32 */
    TILE_DONE = 0,                 /* a software interrupt */
};

/* Mail: there are no more orders */
#define NO_MORE UINT32_MAX

typedef struct {
    /* set by the host; run.args has the same order */
    volatile uint32_t tiles;
    volatile uint32_t from_bank, from, to_bank, to;
    /* how many are in DRAM again */
    volatile uint32_t finished;
} OrdersShared;

#define SHARED ((OrdersShared *)SHARED_BASE)

/* wait.S; for BRISC */
void wait_until(const volatile uint32_t *word, uint32_t value);

static inline uint32_t slot_in(uint32_t tile)
{
    return SLOTS_IN + tile % SLOTS * IN_BYTES;
}

static inline uint32_t slot_out(uint32_t tile)
{
    return SLOTS_OUT + tile % SLOTS * OUT_BYTES;
}

#endif
