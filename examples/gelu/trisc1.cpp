/*
 * Y = gelu(X), TRISC1: x / 2 * erfc(-x / sqrt 2) of each number in Dest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blackhole-tile/sfpi.h"
#include "blackhole-tile/sfpi/math.hpp"
#include "sfpu.h"

using namespace sfpi;
using namespace tile_math;

/*
 * 32 erfc(z) for 0 <= z <= 9.4: t e^(p(t) - z^2), t = 1 / (1 + z / 2).  p
 * interpolates ln(32 erfc(z) / t) + z^2 at Chebyshev's points, within 2^-16.
 * Without the 32 the last results would be denormals, which are 0 here.
 */
sfpi_inline vFloat erfc_by_32(vFloat z)
{
    vFloat t = reciprocal(z * 0.5f + 1.0f);
    vFloat p = polynomial(t, 2.1990988f, 1.0190123f, 0.25062391f,
                          0.48126913f, -0.71484581f, 0.23058574f);

    return t * exponential(p - z * z);
}

/* One vector of Dest; the counter of rows moves on to the next. */
static void gelu()
{
    vFloat x = dst_reg[0];
    vFloat y = erfc_by_32(min(abs(x), 13.25f) * 0.70710678f) * x * 0.015625f;

    v_if (x >= 0.0f) {
        y = x - y;
    } v_endif;
    y = float_to_fp16b(y, RoundMode::Nearest);
    /* what rounding does not preserve: -0 and NaN */
    v_if (x < -13.25f) {
        y = -0.0f;
    } v_endif;
    v_if (x == -0.0f || is_nan(x)) {
        y = x;
    } v_endif;
    dst_reg[0] = y;
    dst_reg++;
}

int main()
{
    set_up_sfpu();
    for (uint32_t tile = 0; tile < SHARED->tiles; tile++) {
        sfpu_tile(tile % DEST_HALVES, gelu);
    }
    return 0;
}
