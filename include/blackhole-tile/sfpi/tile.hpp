/*
 * SFPI on the stock compiler: a function of each number of a tile, on TRISC1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef BLACKHOLE_TILE_SFPI_TILE_HPP
#define BLACKHOLE_TILE_SFPI_TILE_HPP

#include "blackhole-tile/tile.h"

/* Address modifiers; LLK's kernels and sfpi.h take 7 to stay in place */
enum { SFPU_NEXT_BLOCK = 1, SFPU_STAY = 7 };
/* Rows that one MOVA2D copies; vectors of a tile */
enum { SFPU_BLOCK_ROWS = 8, SFPU_VECTORS = TILE_DATUMS / 32 };

/* A MOP copies a tile from SrcA to Dest; the Vector Unit's lanes are enabled. */
static inline void set_up_sfpu(void)
{
    set_up_math();
    SET_ADDR_MOD(SFPU_NEXT_BLOCK, .srca = { .incr = SFPU_BLOCK_ROWS },
                 .dest = { .incr = SFPU_BLOCK_ROWS });
    SET_ADDR_MOD(SFPU_STAY, .srca = { .incr = 0 });
    SET_MOP_LOOP(.outer = 1, .inner = TILE_ROWS / SFPU_BLOCK_ROWS,
                 .op0 = TT(MOVA2D, .addr_mode = SFPU_NEXT_BLOCK,
                           .instr_mod = MOVA2D_8_ROWS));
    TTINSN(SFPENCC, .instr_mod1 = SFPENCC_SET_BOTH,
           .imm12_math = SFPENCC_ALL_LANES);
}

/*
 * SrcA to half of Dest, then each() so many times; it moves the counter on by as
 * many vectors as it has worked on.
 */
static inline void sfpu_tile(uint32_t half, void (*each)(void),
                             unsigned times = SFPU_VECTORS)
{
    /* A call, even of a constant: inlined, `each` has no debug locations. */
    __asm__("" : "+r"(each));
    begin_dest_half(half);
    RUN_MOP_LOOP();
    TTINSN(SETRWC, .BitMask = RWC_ALL, .clear_ab_vld = RELEASE_SRCA);
    /* SFPLOAD must not overtake what the Matrix Unit writes */
    TTINSN(STALLWAIT, .wait_res = UNTIL_MATH_DONE, .stall_res = BLOCK_SFPU);
    for (unsigned i = 0; i < times; i++) {
        each();
    }
    TTINSN(SETRWC, .BitMask = RWC_ALL);
    end_dest_half();
}

#endif
