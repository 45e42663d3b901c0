/*
 * examples/add, BRISC, with a mistake: TRISC1 stays in reset.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/console.h"
#include "add.h"

int main(void)
{
    const TileFormats bf16 = {
        .l1_in = FORMAT_BF16,
        .src = FORMAT_BF16,
        .dest = FORMAT_BF16,
        .l1_out = FORMAT_BF16,
    };

    configure_tiles(&bf16);
    print("brisc: adding %u tiles\n", SHARED->tiles);
    /* wrong: SOFT_RESET_TRISC(1) is missing */
    release_harts(SOFT_RESET_TRISC(0) | SOFT_RESET_TRISC(2));
    return 0;
}
