/*
 * The packer's conversions of one datum, in whole numbers and reals.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Packers/FormatConversion.md, ReLU.md; BH PACR.md.
 */

#include <math.h>

#include "num/num.h"
#include "pack-oracle.h"

/* Storage: sign, fraction, exponent; 32-bit numbers have 16 more bits. */
Parts pack_parse(const Setup *s, unsigned high, unsigned low)
{
    bool half = !s->wide && !s->round_10b &&
                (s->early == TENSIX_FMT_FP16 || s->early == TENSIX_FMT_BFP8A ||
                 s->early == TENSIX_FMT_FP8);
    int exponents = half ? 32 : 256;
    Parts p = {
        .sign = high / 32768,
        .exponent = high % exponents,
        .fraction = high % 32768 / exponents,
        .bits = half ? 10 : 7,
    };

    if (s->wide) {
        p.fraction = p.fraction * 65536 + low;
        p.bits = 23;
    }
    return p;
}

static Parts cut(Parts p, int bits)
{
    if (p.bits > bits) {
        p.fraction /= 1 << (p.bits - bits);
    } else {
        p.fraction *= 1 << (bits - p.bits);
    }
    p.bits = bits;
    return p;
}

static Parts rounded(Parts p, int bits)
{
    double x = (double)p.fraction / (1 << p.bits) * (1 << bits);

    p.fraction = (int)floor(x + 0.5);
    p.bits = bits;
    if (p.fraction == 1 << bits) {
        p.fraction = 0;
        p.exponent++;
    }
    return p;
}

Parts pack_zero(int sign, int bits)
{
    return (Parts) { sign, 0, 0, bits };
}

/* "Denormals flushed to zero, minus zero to zero, NaN becomes infinity." */
static Parts clean_round(Parts p, int bits, bool late_flush)
{
    if (p.exponent == 255 && p.fraction) {
        p.fraction = 0;
    }
    if (!late_flush && p.exponent == 0) {
        return pack_zero(0, bits);
    }
    p = rounded(p, bits);
    return p.exponent ? p : pack_zero(0, bits);
}

/* E5: no NaN; the greatest that rounds to six bits is the greatest there is. */
static Parts clean_e5(Parts p, int bits)
{
    if (bits == 6 && p.exponent == 31 && p.fraction > 0x3f7) {
        p.fraction = 0x3f0;
    }
    p = rounded(p, bits);
    return p.exponent ? p : pack_zero(0, bits);
}

static Parts to_fp16(Parts p)
{
    int exponent = p.exponent - 112;

    if (exponent < 0) {
        return pack_zero(p.sign, 10);
    }
    p = cut(p, 10);
    p.exponent = exponent;
    if (exponent > 31) {
        p.exponent = 31;
        p.fraction = 0x3ff;
    }
    return p;
}

static bool is_e5(const Setup *s)
{
    return !s->wide && (s->early == TENSIX_FMT_FP16 ||
                        s->early == TENSIX_FMT_BFP8A ||
                        s->early == TENSIX_FMT_FP8);
}

Parts pack_early(const Setup *s, Parts p)
{
    switch (s->early) {
    case TENSIX_FMT_FP32:
        return p;
    case TENSIX_FMT_TF32:
        return s->raw ? p : clean_round(p, 10, s->wide);
    case TENSIX_FMT_FP16:
        if (s->wide) {
            return clean_round(p, 10, true);
        }
        if (s->round_10b) {
            return to_fp16(p);
        }
        return s->raw ? p : clean_e5(p, 10);
    case TENSIX_FMT_BF16:
        return s->raw ? cut(p, 7) : clean_round(p, 7, s->wide);
    case TENSIX_FMT_BFP8:
        return s->raw ? cut(p, 7) : clean_round(cut(p, 7), 6, s->wide);
    case TENSIX_FMT_BFP8A:
        return s->raw ? cut(p, 7) : clean_e5(p, 6);
    default:
        return cut(p, 2);          /* FP8 */
    }
}

static double real_of(Parts p)
{
    return ldexp(ldexp(p.fraction, -p.bits) + (p.exponent ? 1 : 0),
                 p.exponent ? p.exponent : 1) * (p.sign ? -1 : 1);
}

/* In order of magnitude; all exponents count as numbers. */
Parts pack_relu(const Setup *s, Parts p)
{
    unsigned t = s->threshold;
    Parts limit = is_e5(s)
                  ? (Parts) { 0, t / 1024 % 32, t % 1024, 10 }
                  : (Parts) { 0, t / 128 % 256, t % 128, 7 };

    if (s->relu == 0) {
        return p;
    }
    if (p.sign || real_of(p) <= (s->relu == 2 ? real_of(limit) : 0)) {
        return pack_zero(0, p.bits);
    }
    if (s->relu == 3 &&
        real_of(cut(p, p.bits > 10 ? 10 : p.bits)) > real_of(limit)) {
        return cut(limit, p.bits > limit.bits ? p.bits : limit.bits);
    }
    return p;
}

uint32_t pack_join(Parts p, int exponent_bits, int bits)
{
    p = cut(p, bits);
    return ((uint32_t)p.sign << exponent_bits | (uint32_t)p.exponent) << bits |
           (uint32_t)p.fraction;
}

static Parts to_e8(Parts p)
{
    p.exponent += p.exponent ? 112 : 0;
    return p;
}

static uint32_t to_fp8(const Setup *s, Parts p)
{
    if (!s->e4m3) {
        return pack_join(p, 5, 2);
    }
    if (p.exponent <= 8) {
        return (uint32_t)p.sign << 7;
    }
    if (p.exponent >= 24) {
        return (uint32_t)p.sign << 7 | 0x7f;
    }
    p.exponent -= 8;
    return pack_join(p, 4, 3);
}

bool pack_is_bfp_b(unsigned format)
{
    return format == TENSIX_FMT_BFP8 || format == TENSIX_FMT_BFP4 ||
           format == TENSIX_FMT_BFP2;
}

bool pack_is_bfp_a(unsigned format)
{
    return format == TENSIX_FMT_BFP8A || format == TENSIX_FMT_BFP4A ||
           format == TENSIX_FMT_BFP2A;
}

/* To what is stored, or to what goes into a block of 16. */
Parts pack_late_parts(const Setup *s, Parts p)
{
    bool e5 = is_e5(s), narrows = p.bits > 7;

    if (pack_is_bfp_a(s->late) || s->late == TENSIX_FMT_FP16 ||
        s->late == TENSIX_FMT_FP8) {
        p = e5 ? p : to_fp16(p);
        return pack_is_bfp_a(s->late) ? cut(p, 7) : p;
    }
    if (s->late == TENSIX_FMT_FP32 || s->late == TENSIX_FMT_TF32) {
        return e5 ? to_e8(p) : p;
    }
    if (p.exponent == 0 && (narrows || e5)) {
        return pack_zero(0, 7);         /* flushed, whatever its sign */
    }
    return cut(e5 ? to_e8(p) : p, 7);
}

uint32_t pack_late(const Setup *s, Parts p)
{
    p = pack_late_parts(s, p);
    switch (s->late) {
    case TENSIX_FMT_FP32:
        return pack_join(p, 8, 23);
    case TENSIX_FMT_TF32:
        return pack_join(cut(p, 10), 8, 10) << 13;
    case TENSIX_FMT_BF16:
        return pack_join(p, 8, 7);
    case TENSIX_FMT_FP16:
        return pack_join(p, 5, 10);
    default:
        return to_fp8(s, p);
    }
}

uint32_t pack_block_magnitude(Parts p, int shared)
{
    double x = ldexp(ldexp(p.fraction, -7) + (p.exponent ? 1 : 0),
                     p.exponent - shared + 6);
    double y = floor(x + 0.5);

    return y > 127 ? 127 : (uint32_t)y;
}

uint32_t pack_int8(const Setup *s, uint32_t x, unsigned shift)
{
    double magnitude = x & 0x7fffffff;
    double top = s->is_unsigned ? 255 : 127;
    double m = floor(magnitude / (1u << shift) + (shift ? 0.5 : 0));

    if (s->raw) {
        return s->is_unsigned ? x % 256 : (x >> 31) * 128 + x % 128;
    }
    m = m > top ? top : m;
    return s->is_unsigned ? (x >> 31 ? 0 : (uint32_t)m)
                          : (x >> 31) * 128 + (uint32_t)m;
}
