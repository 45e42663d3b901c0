/*
 * Y = softmax of rows of X, TRISC1: e^(x - max) / sum of it, 32 numbers a row.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Four vectors of Dest are four rows of a tile: even and odd columns of the left
 * face, and of the right one, which is eight vectors further on.
 */

#include "blackhole-tile/sfpi.h"
#include "blackhole-tile/sfpi/math.hpp"
#include "sfpu.h"

using namespace sfpi;
using namespace tile_math;

enum { EVEN = 0, ODD = 1, RIGHT_EVEN = 8, RIGHT_ODD = 9 };

/* Lane i of a row's eight becomes that of lane i - N. */
template <int N> sfpi_inline vFloat rotated(vFloat x)
{
    for (int i = 0; i < N; i++) {
        x = subvec_shflror1(x);
    }
    return x;
}

/* The largest of a row's eight lanes, in all of them */
sfpi_inline vFloat row_max(vFloat x)
{
    x = max(x, rotated<1>(x));
    x = max(x, rotated<2>(x));
    return max(x, rotated<4>(x));
}

/* Their sum */
sfpi_inline vFloat row_sum(vFloat x)
{
    x += rotated<1>(x);
    x += rotated<2>(x);
    return x + rotated<4>(x);
}

/* e^(x - most); what is below e^-80 counts as that. */
sfpi_inline vFloat power(int vector, vFloat most)
{
    return exponential(max(dst_reg[vector] - most, -80.0f));
}

/* Computed again: all four powers and their sum are too many vectors. */
sfpi_inline void scaled(int vector, vFloat most, vFloat factor)
{
    vFloat y = power(vector, most) * factor;

    dst_reg[vector] = float_to_fp16b(y, RoundMode::Nearest);
}

/* Four rows of 32 numbers; the counter moves on to the next four. */
sfpi_inline void four_rows()
{
    vFloat left = max(dst_reg[EVEN], dst_reg[ODD]);
    vFloat right = max(dst_reg[RIGHT_EVEN], dst_reg[RIGHT_ODD]);
    vFloat most = row_max(max(left, right));
    vFloat sum = power(EVEN, most);

    sum += power(ODD, most);
    sum += power(RIGHT_EVEN, most);
    sum += power(RIGHT_ODD, most);
    vFloat factor = reciprocal(row_sum(sum));
    scaled(EVEN, most, factor);
    scaled(ODD, most, factor);
    scaled(RIGHT_EVEN, most, factor);
    scaled(RIGHT_ODD, most, factor);
    dst_reg += 2;
}

/* 16 rows: two faces */
static void softmax()
{
    for (int i = 0; i < 4; i++) {
        four_rows();
    }
    dst_reg += 8;
}

int main()
{
    set_up_sfpu();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        sfpu_tile(tile % DEST_HALVES, softmax, 2);
    }
    return 0;
}
