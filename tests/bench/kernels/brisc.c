/*
 * BRISC of an example for scripts/bench --kernels: bf16 everywhere, and no text
 * output, which is semihosting and not part of the libraries' ABI.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/tile.h"

int main(void)
{
    const TileFormats bf16 = {
        .l1_in = FORMAT_BF16,
        .src = FORMAT_BF16,
        .dest = FORMAT_BF16,
        .l1_out = FORMAT_BF16,
    };

    configure_tiles(&bf16);
    release_harts(SOFT_RESET_TRISCS);
    return 0;
}
