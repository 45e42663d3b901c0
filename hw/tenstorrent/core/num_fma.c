/*
 * The multiply-add of Blackhole's Vector Unit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPMAD.md and Miscellaneous/FMA describe it: one rounding, to nearest
 * even, but the product is cut to 28 bits and a sticky bit before the addend
 * joins; a product that would underflow or overflow alone does so; what is
 * shifted out entirely leaves no sticky bit; denormals are signed zeroes.
 */

#include <float.h>
#include <string.h>

#include "num.h"

enum {
    HIDDEN = 1 << 23,
    FRACTION = HIDDEN - 1,
    EXP_MAX = 255,
    BIAS = 127,
    GUARD_BITS = 3,
    NORMAL_CLZ = 32 - 24 - GUARD_BITS,
};

typedef struct Operand {
    uint32_t sign;
    int32_t exponent;              /* biased; 0: the operand is zero */
    uint32_t mantissa;             /* 24 bits with the hidden one, or 0 */
} Operand;

/* magnitude * 2^(exponent - BIAS - 26): a 24-bit number and guard bits */
typedef struct Term {
    uint32_t sign;
    int32_t exponent;
    uint32_t magnitude;
} Term;

static Operand unpack(uint32_t bits)
{
    Operand o = { bits & NUM_FP32_SIGN, bits >> 23 & 0xff, 0 };

    if (o.exponent) {
        o.mantissa = (bits & FRACTION) | HIDDEN;
    }
    return o;
}

static bool is_nan(Operand o)
{
    return o.exponent == EXP_MAX && o.mantissa != HIDDEN;
}

static bool is_inf(Operand o)
{
    return o.exponent == EXP_MAX && o.mantissa == HIDDEN;
}

static Term multiply(Operand a, Operand b)
{
    uint64_t exact = (uint64_t)a.mantissa * b.mantissa;
    Term p = {
        .sign = a.sign ^ b.sign,
        .exponent = a.exponent + b.exponent - BIAS,
        .magnitude = exact >> 20 | ((exact & 0xfffff) != 0),
    };

    return p;
}

/* NaN or infinity somewhere, or a product that overflows alone. */
static uint32_t special(Operand a, Operand b, Operand c, Term p)
{
    bool inf_times_zero =
        (is_inf(a) && !b.mantissa) || (is_inf(b) && !a.mantissa);
    bool inf_product = is_inf(a) || is_inf(b);

    if (is_nan(a) || is_nan(b) || is_nan(c) || inf_times_zero ||
        (is_inf(c) && inf_product && c.sign != p.sign)) {
        return NUM_FP32_NAN;
    }
    return (is_inf(c) ? c.sign : p.sign) | NUM_FP32_INF;
}

/* Right shift with a sticky low bit, unless nothing is left at all. */
static uint32_t align(uint32_t magnitude, int32_t distance)
{
    uint32_t kept;

    if (distance <= 0) {
        return magnitude;
    }
    if (distance >= 32) {
        return 0;
    }
    kept = magnitude >> distance;
    if (kept && kept << distance != magnitude) {
        kept |= 1;
    }
    return kept;
}

/* Normalises, rounds to nearest even and packs; sum is not 0. */
static uint32_t round_pack(Term sum)
{
    int32_t shift = NORMAL_CLZ - __builtin_clz(sum.magnitude);
    uint32_t m = sum.magnitude;
    uint32_t bits;

    sum.exponent += shift;
    if (sum.exponent >= EXP_MAX) {
        return sum.sign | NUM_FP32_INF;
    }
    if (sum.exponent <= 0) {
        shift++;                   /* one step whatever the exponent is */
        sum.exponent = 0;
    }
    if (shift <= 0) {
        m <<= -shift;
    } else {
        m = m >> shift | ((m & ((1u << shift) - 1)) != 0);
    }
    bits = ((uint32_t)sum.exponent << 23) + (m >> GUARD_BITS & FRACTION);
    bits += (m & 7) + (bits & 1) > 4;
    return sum.sign | (bits >> 23 ? bits : 0);
}

static uint32_t add(Term p, Term z)
{
    Term sum = { 0, p.exponent > z.exponent ? p.exponent : z.exponent, 0 };

    p.magnitude = align(p.magnitude, sum.exponent - p.exponent);
    z.magnitude = align(z.magnitude, sum.exponent - z.exponent);
    sum.sign = p.magnitude >= z.magnitude ? p.sign : z.sign;
    if (p.sign == z.sign) {
        sum.magnitude = p.magnitude + z.magnitude;
    } else if (p.magnitude >= z.magnitude) {
        sum.magnitude = p.magnitude - z.magnitude;
    } else {
        sum.magnitude = z.magnitude - p.magnitude;
    }
    return sum.magnitude ? round_pack(sum) : p.sign & z.sign;
}

uint32_t tensix_num_fma(uint32_t a, uint32_t b, uint32_t c)
{
    Operand x = unpack(a), y = unpack(b), z = unpack(c);
    Term p = multiply(x, y);

    if (x.exponent == EXP_MAX || y.exponent == EXP_MAX ||
        z.exponent == EXP_MAX || p.exponent >= EXP_MAX) {
        return special(x, y, z, p);
    }
    if (!p.magnitude || p.exponent < 0) {
        return z.mantissa ? c : z.sign & p.sign;
    }
    return add(p, (Term){ z.sign, z.exponent, z.mantissa << GUARD_BITS });
}

void tensix_num_fma_lanes(uint32_t *d, const uint32_t *a, const uint32_t *b,
                          const uint32_t *c)
{
    for (int lane = 0; lane < NUM_LANES; lane++) {
        d[lane] = tensix_num_fma(a[lane], b[lane], c[lane]);
    }
}

/*
 * Short cuts: where both operands and the result are normal numbers, and the
 * result is not next to under- or overflow, one correctly rounded float
 * operation is what the model computes.  A sum: both terms are exact there, and
 * three guard bits with a sticky bit round like infinitely many; a term that
 * is shifted out without one is under a quarter of the last place of the other
 * one's neighbour.  A product: 28 bits and sticky round like all 48.
 * Lanes where that does not hold are done again by the model.
 */
#if FLT_EVAL_METHOD == 0 && FLT_MANT_DIG == 24
enum { HOST_FLOAT = 1 };
#else
enum { HOST_FLOAT = 0 };
#endif

static uint32_t normal_outside(uint32_t bits, uint32_t low, uint32_t high)
{
    return (bits >> 23 & 0xff) - low > high - low;
}

/* Nonzero lanes: those the short cut does not cover.  Returns if any. */
static uint32_t uncovered(uint32_t *lanes, const uint32_t *x, const uint32_t *y,
                          const uint32_t *r)
{
    uint32_t any = 0;

    for (int lane = 0; lane < NUM_LANES; lane++) {
        lanes[lane] = normal_outside(x[lane], 1, EXP_MAX - 1) |
                      normal_outside(y[lane], 1, EXP_MAX - 1) |
                      normal_outside(r[lane], 2, EXP_MAX - 2);
        any |= lanes[lane];
    }
    return any;
}

void tensix_num_add_lanes(uint32_t *d, const uint32_t *b, const uint32_t *c)
{
    uint32_t r[NUM_LANES], slow[NUM_LANES];
    float x[NUM_LANES], y[NUM_LANES];

    memcpy(x, b, sizeof(x));
    memcpy(y, c, sizeof(y));
    for (int lane = 0; lane < NUM_LANES; lane++) {
        x[lane] += y[lane];
    }
    memcpy(r, x, sizeof(r));
    if (uncovered(slow, b, c, r) || !HOST_FLOAT) {
        for (int lane = 0; lane < NUM_LANES; lane++) {
            if (slow[lane] || !HOST_FLOAT) {
                r[lane] = tensix_num_fma(NUM_FP32_ONE, b[lane], c[lane]);
            }
        }
    }
    memcpy(d, r, sizeof(r));
}

void tensix_num_mul_lanes(uint32_t *d, const uint32_t *a, const uint32_t *b,
                          uint32_t zero)
{
    uint32_t r[NUM_LANES], slow[NUM_LANES];
    float x[NUM_LANES], y[NUM_LANES];

    memcpy(x, a, sizeof(x));
    memcpy(y, b, sizeof(y));
    for (int lane = 0; lane < NUM_LANES; lane++) {
        x[lane] *= y[lane];
    }
    memcpy(r, x, sizeof(r));
    if (uncovered(slow, a, b, r) || !HOST_FLOAT) {
        for (int lane = 0; lane < NUM_LANES; lane++) {
            if (slow[lane] || !HOST_FLOAT) {
                r[lane] = tensix_num_fma(a[lane], b[lane], zero);
            }
        }
    }
    memcpy(d, r, sizeof(r));
}
