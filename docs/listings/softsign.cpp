/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blackhole-tile/sfpi.h"
#include "blackhole-tile/sfpi/math.hpp"
#include "sfpu.h"

using namespace sfpi;
using namespace tile_math;

static void softsign()
{
    vFloat x = dst_reg[0];
    vFloat y = x * reciprocal(abs(x) + 1.0f);

    dst_reg[0] = float_to_fp16b(y, RoundMode::Nearest);
    dst_reg++;
}

int main()
{
    set_up_sfpu();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        sfpu_tile(tile % DEST_HALVES, softsign);
    }
    return 0;
}
