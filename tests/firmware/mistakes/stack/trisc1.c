/*
 * A mistake: 8 KiB of local variables, and the stack's RAM has 4 KiB in all.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/tile.h"

int main(void)
{
    volatile uint32_t numbers[2 * TILE_DATUMS];

    for (unsigned i = 0; i < 2 * TILE_DATUMS; i++) {
        numbers[i] = i;
    }
    return numbers[0];
}
