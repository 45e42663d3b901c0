/*
 * How many tiles the buffers of the examples hold: the kernels of this folder
 * begin again at the first one, so that they run for any number of tiles.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HELD_H
#define HELD_H

enum {
    ADD_TILES_HELD = 64,
    SFPU_TILES_HELD = 128,
};

#endif
