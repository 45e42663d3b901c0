/*
 * Y = sigmoid(X), TRISC1: 1 / (1 + e^-x) of each number in Dest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * examples/sfpu_words computes the same with an instruction a line.
 */

#include "blackhole-tile/sfpi.h"
#include "blackhole-tile/sfpi/math.hpp"
#include "sfpu.h"

using namespace sfpi;
using namespace tile_math;

/* One vector of Dest; the counter of rows moves on to the next. */
static void sigmoid()
{
    vFloat x = dst_reg[0];
    vFloat y = reciprocal(exponential(-clamp(x, -87.0f, 87.0f)) + 1.0f);

    y = float_to_fp16b(y, RoundMode::Nearest);
    v_if (x < -87.5f) {
        y = 0.0f;
    } v_endif;
    dst_reg[0] = y;
    dst_reg++;
}

int main()
{
    set_up_sfpu();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        sfpu_tile(tile % DEST_HALVES, sigmoid);
    }
    return 0;
}
