/*
 * C = A x B, BRISC: configuration, and the start of the three TRISCs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/console.h"
#include "matmul.h"

int main(void)
{
    /* sums in 32 bits; what bf16 does not hold is cut off by the packer */
    const TileFormats formats = {
        .l1_in = FORMAT_BF16,
        .src = FORMAT_BF16,
        .dest = FORMAT_FP32,
        .dest_32b = true,
        .l1_out = FORMAT_BF16,
        .throttle = 2,             /* else the Matrix Unit waits for them */
    };

    configure_tiles(&formats);
    print("brisc: %ux%u tiles, %u products each\n", SHARED->rows,
          SHARED->columns, SHARED->inner);
    release_harts(SOFT_RESET_TRISCS);
    return 0;
}
