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

#include <string.h>

#include "num/num_fma_simd.h"

enum { NORMAL_CLZ = 32 - 24 - FMA_GUARD_BITS };

typedef struct Operand {
    uint32_t sign;
    int32_t exponent;              /* biased; 0: the operand is zero */
    uint32_t mantissa;             /* 24 bits with the hidden one, or 0 */
} Operand;

/* magnitude * 2^(exponent - FMA_BIAS - 26): a 24-bit number and guard bits */
typedef struct Term {
    uint32_t sign;
    int32_t exponent;
    uint32_t magnitude;
} Term;

static Operand fma_operand(uint32_t bits)
{
    Operand o = { bits & NUM_FP32_SIGN, bits >> 23 & 0xff, 0 };

    if (o.exponent) {
        o.mantissa = (bits & FMA_FRACTION) | FMA_HIDDEN;
    }
    return o;
}

static bool is_nan(Operand o)
{
    return o.exponent == FMA_EXP_MAX && o.mantissa != FMA_HIDDEN;
}

static bool is_inf(Operand o)
{
    return o.exponent == FMA_EXP_MAX && o.mantissa == FMA_HIDDEN;
}

static Term fma_multiply(Operand a, Operand b)
{
    uint64_t exact = (uint64_t)a.mantissa * b.mantissa;
    Term p = {
        .sign = a.sign ^ b.sign,
        .exponent = a.exponent + b.exponent - FMA_BIAS,
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
    if (sum.exponent >= FMA_EXP_MAX) {
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
    bits = ((uint32_t)sum.exponent << 23) + (m >> FMA_GUARD_BITS & FMA_FRACTION);
    bits += (m & 7) + (bits & 1) > 4;
    return sum.sign | (bits >> 23 ? bits : 0);
}

static uint32_t fma_add(Term p, Term z)
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
    Operand x = fma_operand(a), y = fma_operand(b), z = fma_operand(c);
    Term p = fma_multiply(x, y);

    if (x.exponent == FMA_EXP_MAX || y.exponent == FMA_EXP_MAX ||
        z.exponent == FMA_EXP_MAX || p.exponent >= FMA_EXP_MAX) {
        return special(x, y, z, p);
    }
    if (!p.magnitude || p.exponent < 0) {
        return z.mantissa ? c : z.sign & p.sign;
    }
    return fma_add(p, (Term){ z.sign, z.exponent,
                              z.mantissa << FMA_GUARD_BITS });
}

/* Lanes of `again` once more, by the scalar model. */
static void fma_again(uint32_t *r, const uint32_t *a, const uint32_t *b,
                      const uint32_t *c,
                      uint32_t again)
{
    for (; again; again &= again - 1) {
        int lane = __builtin_ctz(again);

        r[lane] = tensix_num_fma(a[lane], b[lane], c[lane]);
    }
}

void tensix_num_fma_lanes(uint32_t *d, const uint32_t *a, const uint32_t *b,
                          const uint32_t *c)
{
    uint32_t r[NUM_LANES] __attribute__((aligned(64)));
    uint32_t again = 0;

    SIMD_EACH(l) {
        SimdU value;

        again |= simd_bits(tensix_num_fma_simd(simd_load(&a[l]), simd_load(&b[l]),
                                               simd_load(&c[l]), &value)) << l;
        simd_store(&r[l], value);
    }
    fma_again(r, a, b, c, again);
    memcpy(d, r, sizeof(r));
}

static void fma_fill(uint32_t *r, uint32_t value)
{
    for (int lane = 0; lane < NUM_LANES; lane++) {
        r[lane] = value;
    }
}

void tensix_num_add_lanes(uint32_t *d, const uint32_t *b, const uint32_t *c)
{
    uint32_t one[NUM_LANES], r[NUM_LANES];

    if (!tensix_num_add_short(r, b, c)) {
        fma_fill(one, NUM_FP32_ONE);
        tensix_num_fma_lanes(r, one, b, c);
    }
    memcpy(d, r, sizeof(r));
}

void tensix_num_mul_lanes(uint32_t *d, const uint32_t *a, const uint32_t *b,
                          uint32_t zero)
{
    uint32_t zeroes[NUM_LANES], r[NUM_LANES];

    if (!tensix_num_mul_short(r, a, b, zero)) {
        fma_fill(zeroes, zero);
        tensix_num_fma_lanes(r, a, b, zeroes);
    }
    memcpy(d, r, sizeof(r));
}
