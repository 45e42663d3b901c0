/*
 * SFPI: kernels of the Vector Unit in C++, by the public API's names.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *   vFloat x = dst_reg[0];
 *   v_if (x < 0.0f) {
 *       x = x * 0.1f;
 *   } v_endif;
 *   dst_reg[0] = x;
 *
 * For trisc1.cpp and other .cpp files of runtime/kernel.mk.  Lanes have to be
 * enabled first: SFPENCC, as set_up_sfpu() does.  docs/sfpi.rst says what there
 * is, and where it differs.
 */

#ifndef BLACKHOLE_TILE_SFPI_H
#define BLACKHOLE_TILE_SFPI_H

#include "blackhole-tile/sfpi/constants.hpp"
#include "blackhole-tile/sfpi/functions.hpp"
#include "blackhole-tile/sfpi/macro.hpp"
#include "blackhole-tile/sfpi/replay.hpp"
#include "blackhole-tile/sfpi/tile.hpp"

#endif
