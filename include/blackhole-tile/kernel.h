/*
 * All that a kernel on one hart of a Blackhole Tensix tile needs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *   map.h     addresses, starting harts, waiting
 *   insn.h    Tensix instructions: TT() is a word, TTINSN() executes one
 *   names.h   names for what goes into their operands
 *   config.h  configuration fields, address modifiers, MOP templates
 *
 * Not included here:
 *
 *   tile.h    tiles of 32 x 32 from L1 through the coprocessor to L1
 *   mvmul.h   one fidelity phase of a product of tiles
 *   noc.h     reads and writes over the NoC
 *   console.h text by semihosting
 *
 * Compile with optimisation (-Os or -O1 at least): TTINSN() needs a word that
 * the compiler can work out.  runtime/kernel.mk has the options.
 */

#ifndef BLACKHOLE_TILE_KERNEL_H
#define BLACKHOLE_TILE_KERNEL_H

#include "blackhole-tile/config.h"
#include "blackhole-tile/insn.h"
#include "blackhole-tile/map.h"
#include "blackhole-tile/names.h"

#endif
