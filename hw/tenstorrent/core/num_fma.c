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

#include "num.h"
#include "num_short.h"

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

/* The 24-bit significand of a number that is not zero. */
static inline SimdU simd_significand(SimdU x)
{
    return (x & FRACTION) | HIDDEN;
}

/*
 * multiply()'s magnitude: of the 48 bits of x * y the upper 28 and a sticky one.
 * Multiplied by 2^12 first, they are the halves of a 64-bit product.
 */
static inline SimdU product_magnitude(SimdU x, SimdU y)
{
    const uint64_t low_half = UINT32_MAX;
    SimdU64 even = simd_mul_even(x << 4, y << 8), odd = simd_mul_odd(x << 4, y << 8);
    SimdU upper = (SimdU)(even >> 32 | (odd & ~low_half));
    SimdU lower = (SimdU)((even & low_half) | odd << 32);

    return simd_select(simd_eq(lower, (SimdU) { 0 }), upper, upper | 1);
}

/* align(). */
static inline SimdU align_lanes(SimdU magnitude, SimdU distance)
{
    SimdU kept = simd_shr(magnitude, distance);
    SimdMask exact = simd_eq(simd_shl(kept, distance), magnitude) |
                     simd_eq(kept, (SimdU) { 0 });

    return simd_select(exact, kept, kept | 1);
}

/* What the lanes' steps need to know of the operands. */
typedef struct SimdOperands {
    SimdU a, b, c;
    SimdI ea, eb, ec, ep;          /* exponents; ep: of the product */
    SimdMask no_product;           /* zero or too small: as if it were not there */
} SimdOperands;

static inline SimdOperands load_operands(const uint32_t *pa, const uint32_t *pb,
                                         const uint32_t *pc)
{
    SimdOperands o = { .a = simd_load(pa), .b = simd_load(pb), .c = simd_load(pc) };

    o.ea = (SimdI)(o.a >> 23 & 0xff);
    o.eb = (SimdI)(o.b >> 23 & 0xff);
    o.ec = (SimdI)(o.c >> 23 & 0xff);
    o.ep = o.ea + o.eb - BIAS;
    o.no_product = simd_eq((SimdU)o.ea, (SimdU) { 0 }) |
                   simd_eq((SimdU)o.eb, (SimdU) { 0 }) | simd_lt(o.ep, (SimdI) { 0 });
    return o;
}

/*
 * add() on SIMD_LANES lanes: the sum, relative to the sign of the term with the
 * larger exponent *e, which goes into *sign.  A product that is not there gets
 * an exponent that lets nothing of it remain.
 */
static inline SimdI signed_sum(const SimdOperands *o, SimdI *e, SimdU *sign)
{
    const uint32_t nowhere = -1024u;
    SimdI ep = (SimdI)simd_select(o->no_product, (SimdU) { 0 } + nowhere, (SimdU)o->ep);
    SimdU p = product_magnitude(simd_significand(o->a), simd_significand(o->b));
    SimdU z = simd_select(simd_eq((SimdU)o->ec, (SimdU) { 0 }), (SimdU) { 0 },
                          simd_significand(o->c) << GUARD_BITS);
    SimdMask z_first = simd_lt(ep, o->ec);
    SimdI distance = ep - o->ec, back = o->ec - ep;
    SimdU large = simd_select(z_first, z, p), small = simd_select(z_first, p, z);

    *e = simd_max(ep, o->ec);
    *sign = simd_select(z_first, o->c, o->a ^ o->b);
    small = align_lanes(small, (SimdU)simd_max(distance, back));
    return (SimdI)large +
           (SimdI)simd_select(simd_negative(o->a ^ o->b ^ o->c), -small, small);
}

/*
 * SIMD_LANES results; returns the lanes that the scalar model must do again:
 * specials, and what may end near the limits of the exponent.
 *
 * The conversion of the sum to float is round_pack(): it normalises and rounds
 * to nearest even at 24 bits, and where the sum has a sticky bit that matters,
 * two other bits lie between it and those 24.  A result's exponent is between
 * 26 below and 3 above e.
 */
static inline uint32_t fma_simd(uint32_t *r, const uint32_t *pa, const uint32_t *pb,
                                const uint32_t *pc)
{
    enum { SCALE = BIAS + 26, BELOW = 28, ABOVE = 4, TOP = 254 };
    const uint32_t sign_bit = NUM_FP32_SIGN;
    SimdOperands o = load_operands(pa, pb, pc);
    SimdU sign, bits, zero = (o.a ^ o.b) & o.c & sign_bit;
    SimdI e, sum = signed_sum(&o, &e, &sign);
    SimdI highest = simd_max(simd_max(o.ea, o.eb), e + ABOVE);
    SimdMask none = simd_eq((SimdU)sum, (SimdU) { 0 });
    SimdMask again = simd_lt((SimdI) { 0 } + TOP, highest) |
                     (simd_lt(e, (SimdI) { 0 } + BELOW) & ~none);

    bits = (SimdU)__builtin_convertvector(sum, SimdF) + ((SimdU)e << 23) -
           ((uint32_t)SCALE << 23);
    bits = simd_select(none, zero, bits ^ (sign & sign_bit));
    simd_store(r, bits);
    return simd_bits(again);
}

void tensix_num_fma_lanes(uint32_t *d, const uint32_t *a, const uint32_t *b,
                          const uint32_t *c)
{
    uint32_t r[NUM_LANES] __attribute__((aligned(64)));
    uint32_t again = 0;

    SIMD_EACH(l) {
        again |= fma_simd(&r[l], &a[l], &b[l], &c[l]) << l;
    }
    fma_again(r, a, b, c, NUM_HOST_FLOAT ? again : UINT32_MAX);
    memcpy(d, r, sizeof(r));
}

static void fill(uint32_t *r, uint32_t value)
{
    for (int lane = 0; lane < NUM_LANES; lane++) {
        r[lane] = value;
    }
}

void tensix_num_add_lanes(uint32_t *d, const uint32_t *b, const uint32_t *c)
{
    uint32_t one[NUM_LANES], r[NUM_LANES];

    if (!tensix_num_add_short(r, b, c)) {
        fill(one, NUM_FP32_ONE);
        tensix_num_fma_lanes(r, one, b, c);
    }
    memcpy(d, r, sizeof(r));
}

void tensix_num_mul_lanes(uint32_t *d, const uint32_t *a, const uint32_t *b,
                          uint32_t zero)
{
    uint32_t zeroes[NUM_LANES], r[NUM_LANES];

    if (!tensix_num_mul_short(r, a, b)) {
        fill(zeroes, zero);
        tensix_num_fma_lanes(r, a, b, zeroes);
    }
    memcpy(d, r, sizeof(r));
}
