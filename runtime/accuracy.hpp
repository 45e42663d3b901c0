/*
 * For scripts/accuracy --fp32, included before a kernel: set_up_sfpu() and
 * sfpu_tile() for TRISC1 alone, which moves fp32 between L1 and Dest itself.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef BLACKHOLE_TILE_ACCURACY_HPP
#define BLACKHOLE_TILE_ACCURACY_HPP

/* In place of that header */
#define BLACKHOLE_TILE_SFPI_TILE_HPP

#include "blackhole-tile/tile.h"

enum { SFPU_STAY = 7, SFPU_VECTORS = TILE_DATUMS / 32 };
/* Tiles of fp32 in L1, which results replace; the count of those done */
enum { ACCURACY_DATA = 0x40000, ACCURACY_DONE = SHARED_BASE + 4 };

/* Dest has rows of 32 bits; its window's format is FP32 after a reset. */
static inline void set_up_sfpu(void)
{
    const TileFormats fp32 = {
        .src = FORMAT_TF32,
        .dest = FORMAT_FP32,
        .dest_32b = true,
    };

    configure_math(&fp32);
    set_up_math();
    SET_ADDR_MOD(SFPU_STAY, .srca = { .incr = 0 });
    TTINSN(SFPENCC, .instr_mod1 = SFPENCC_SET_BOTH,
           .imm12_math = SFPENCC_ALL_LANES);
    wait_coprocessor();
}

/* The half of Dest is always the first one. */
static inline void sfpu_tile(uint32_t, void (*each)(void),
                             unsigned times = SFPU_VECTORS)
{
    uint32_t done = REG32(ACCURACY_DONE);
    volatile uint32_t *data = &REG32(ACCURACY_DATA) + done * TILE_DATUMS;

    for (unsigned i = 0; i < TILE_DATUMS; i++) {
        DEST_WINDOW[i] = data[i];
    }
    for (unsigned i = 0; i < times; i++) {
        each();
    }
    TTINSN(SETRWC, .BitMask = RWC_ALL);
    wait_coprocessor();
    for (unsigned i = 0; i < TILE_DATUMS; i++) {
        data[i] = DEST_WINDOW[i];
    }
    REG32(ACCURACY_DONE) = done + 1;
}

#endif
