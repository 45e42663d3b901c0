/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Functions of a vector that kernels in examples/ share.  They are not SFPI's.
 */

#ifndef BLACKHOLE_TILE_SFPI_MATH_HPP
#define BLACKHOLE_TILE_SFPI_MATH_HPP

#include "blackhole-tile/sfpi/functions.hpp"

namespace tile_math {

using namespace sfpi;

/*
 * e^x for -87 <= x <= 88, with a relative error below 2^-17: 2^n * 2^f, where n
 * is the integer nearest to x / ln 2.  Outside of it the exponent wraps.
 */
sfpi_inline vFloat exponential(vFloat x)
{
    constexpr float SHIFT = 12582912.0f;  /* 1.5 * 2^23: n is in the low bits */
    vFloat y = x * 1.4426950409f;
    vFloat n = y + SHIFT;
    vFloat f = y - (n - SHIFT);
    /* 2^f, with an error below 2^-18 of it */
    vFloat power = polynomial(f, 0.99999926f, 0.69312181f, 0.24024745f,
                              0.05591786f, 0.0095701f);

    return reinterpret<vFloat>(reinterpret<vInt>(power) +
                               (reinterpret<vInt>(n) << 23));
}

/*
 * 1 / x for x and 1 / x of normal range; NaN for 0 and infinity.  Each step of
 * Newton's doubles the number of correct bits.  (BH SFPARECIP.md)
 */
sfpi_inline vFloat reciprocal(vFloat x)
{
    vFloat r = approx_recip(x);

    r = r * (2.0f - x * r);
    return r * (2.0f - x * r);
}

}

#endif
