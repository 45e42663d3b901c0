/*
 * Y = X * X from DRAM to DRAM, BRISC: NoC, orders, interrupts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/console.h"
#include "blackhole-tile/noc.h"
#include "orders.h"

/* Tiles whose results are in their slots */
static volatile uint32_t done;

/* The load takes the value away, and with it the interrupt. */
static void __attribute__((interrupt)) tile_done(void)
{
    done = PIC_SW_INT(TILE_DONE);
}

static void set_up(void)
{
    /* products in 32 bits are exact */
    const TileFormats formats = {
        .l1_in = FORMAT_BF16,
        .src = FORMAT_BF16,
        .dest = FORMAT_FP32,
        .dest_32b = true,
        .l1_out = FORMAT_FP32,
    };

    configure_tiles(&formats);
    PIC_SW_INT_PC(TILE_DONE) = (uint32_t)(uintptr_t)tile_done;
    PIC_BRISC_SW_INT_EN = 1 << TILE_DONE;
    release_harts(SOFT_RESET_TRISCS);
}

static void fetch(Noc *noc, uint32_t tile)
{
    noc_read(noc, NOC_DRAM(SHARED->from_bank), SHARED->from + tile * IN_BYTES,
             slot_in(tile), IN_BYTES);
    noc_wait(noc);
}

static void order(uint32_t tile)
{
    MAILBOX(MAIL_TRISC0) = slot_in(tile);
    MAILBOX(MAIL_TRISC1) = tile;
    MAILBOX(MAIL_TRISC2) = slot_out(tile);
}

static void store(Noc *noc, uint32_t tile)
{
    wait_until(&done, tile + 1);
    noc_write(noc, NOC_DRAM(SHARED->to_bank), SHARED->to + tile * OUT_BYTES,
              slot_out(tile), OUT_BYTES);
    noc_wait(noc);
    SHARED->finished = tile + 1;
}

int main(void)
{
    Noc in = noc_open(0), out = noc_open(1);
    uint32_t tiles = SHARED->tiles;

    print("brisc: %u tiles from bank %u to bank %u\n", tiles,
          SHARED->from_bank, SHARED->to_bank);
    set_up();
    /* a slot is used again once its result is in DRAM */
    for (uint32_t tile = 0; tile < tiles + SLOTS; tile++) {
        if (tile >= SLOTS) {
            store(&out, tile - SLOTS);
        }
        if (tile < tiles) {
            fetch(&in, tile);
            order(tile);
        }
    }
    MAILBOX(MAIL_TRISC0) = NO_MORE;
    MAILBOX(MAIL_TRISC1) = NO_MORE;
    MAILBOX(MAIL_TRISC2) = NO_MORE;
    return 0;
}
