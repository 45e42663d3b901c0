/*
 * Y = f(X), BRISC: configuration, and the start of the three TRISCs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/console.h"
#include "sfpu.h"

int main(void)
{
    const TileFormats bf16 = {
        .l1_in = FORMAT_BF16,
        .src = FORMAT_BF16,
        .dest = FORMAT_BF16,
        .l1_out = FORMAT_BF16,
    };

    configure_tiles(&bf16);
    print("brisc: " KERNEL " of %u tiles\n", SHARED->tiles);
    release_harts(SOFT_RESET_TRISCS);
    return 0;
}
