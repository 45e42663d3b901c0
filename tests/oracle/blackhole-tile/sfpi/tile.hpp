/*
 * A kernel's tile: what it does to a vector is recorded, once.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef BLACKHOLE_TILE_SFPI_TILE_HPP
#define BLACKHOLE_TILE_SFPI_TILE_HPP

#include "blackhole-tile/sfpi/functions.hpp"

enum { SFPU_VECTORS = 32, ORACLE_TIMES = oracle::COUNT + 4 };

inline void set_up_sfpu() {}

inline void sfpu_tile(uint32_t, void (*each)(), unsigned times = SFPU_VECTORS)
{
    REG32(ORACLE_TIMES) = times;
    each();
}

#endif
