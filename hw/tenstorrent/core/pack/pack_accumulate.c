/*
 * Packer: accumulation in L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH Packers/README.md names it; the vectors show its arithmetic.  Sums are
 * exact integers here, rounded once to nearest even.
 */

#include <string.h>

#include "num/num_pack.h"

enum {
    FP32_FRACTION = 23,
    BF16_INF = 0x7f80,
    BF16_NAN = 0x7fc0,
    BF16_EXP_MAX = 255,
    HALF_MAGNITUDE = 0x7fff,
    FP16_MAX = 0x7fff,
    FP16_CANCELS_HIGH = 30,        /* exponents whose x - x overflows */
    WIDE_GUARD = 32,               /* bits below the sum's last */
};

/* A number: (-1)^negative * magnitude * 2^exponent; magnitude 0: a zero. */
typedef struct Sum {
    bool negative;
    int exponent;
    uint64_t magnitude;
} Sum;

static unsigned bit_length(uint64_t x)
{
    return x ? 64 - __builtin_clzll(x) : 0;
}

/* x >> by with what is lost or'ed into the last bit. */
static uint64_t shift_sticky(uint64_t x, unsigned by)
{
    if (by >= 64) {
        return x != 0;
    }
    return by ? x >> by | ((x << (64 - by)) != 0) : x;
}

/*
 * a + b for magnitudes of at most 24 bits.  They are aligned WIDE_GUARD bits
 * above the larger one's last place, which keeps every bit that the rounding
 * to 24 bits or fewer can depend on, and the rest as sticky.
 */
static Sum add_sums(Sum a, Sum b)
{
    Sum big = a, small = b;
    int top_a = a.magnitude ? a.exponent : INT32_MIN / 2;
    int top_b = b.magnitude ? b.exponent : INT32_MIN / 2;
    uint64_t x, y;

    if (top_b > top_a) {
        big = b;
        small = a;
    }
    if (!big.magnitude && !small.magnitude) {
        return (Sum) { a.negative && b.negative, 0, 0 };
    }
    x = big.magnitude << WIDE_GUARD;
    y = small.magnitude ? shift_sticky(small.magnitude << WIDE_GUARD,
                                       big.exponent - small.exponent) : 0;
    if (big.negative == small.negative) {
        return (Sum) { big.negative, big.exponent - WIDE_GUARD, x + y };
    }
    if (x == y) {
        return (Sum) { false, 0, 0 };
    }
    return (Sum) { x > y ? big.negative : small.negative,
                   big.exponent - WIDE_GUARD, x > y ? x - y : y - x };
}

/*
 * The `width` leading bits, to nearest even; exponent of the last of them.  A
 * sum has more bits than that, since add_sums() puts WIDE_GUARD below.
 */
static Sum round_even(Sum s, unsigned width)
{
    unsigned cut = bit_length(s.magnitude) - width;
    uint64_t half = 1ull << (cut - 1);
    uint64_t rest = s.magnitude & ((1ull << cut) - 1);

    s.magnitude >>= cut;
    s.exponent += (int)cut;
    s.magnitude += rest > half || (rest == half && (s.magnitude & 1));
    return s;
}

/* Fields to a number; exponent 0 is zero, the greatest an ordinary one. */
static Sum number(uint32_t bits, unsigned exponent_bits, unsigned fraction)
{
    uint32_t e = bits >> fraction & ((1u << exponent_bits) - 1);
    uint32_t m = bits & ((1u << fraction) - 1);

    return (Sum) {
        .negative = bits >> (exponent_bits + fraction) & 1,
        .exponent = (int)e,
        .magnitude = e ? m | 1u << fraction : 0,
    };
}

/*
 * Rounded to `fraction` + 1 bits.  The biased exponent goes to *exponent, and
 * the result is exponent and fraction as they add up, a carry included.
 */
static uint32_t assemble(Sum s, unsigned fraction, int *exponent)
{
    int e = s.exponent + (int)bit_length(s.magnitude) - 1 - (int)fraction;
    Sum r = round_even(s, fraction + 1);

    *exponent = e;
    return ((uint32_t)e << fraction) + (uint32_t)r.magnitude -
           (1u << fraction);
}

static uint32_t add_fp32(uint32_t old, uint32_t x)
{
    bool old_special = (old & NUM_FP32_INF) == NUM_FP32_INF;
    bool x_special = (x & NUM_FP32_INF) == NUM_FP32_INF;
    Sum s;
    int e;
    uint32_t bits;

    if (old_special || x_special) {
        if ((old_special && old << 9) || (x_special && x << 9) ||
            (old_special && x_special && old != x)) {
            return NUM_FP32_NAN;
        }
        return old_special ? old : x;
    }
    s = add_sums(number(old, 8, FP32_FRACTION), number(x, 8, FP32_FRACTION));
    if (!s.magnitude) {
        return s.negative ? NUM_FP32_SIGN : 0;
    }
    bits = assemble(s, FP32_FRACTION, &e);
    if (e <= 0) {
        bits = 0;                  /* such sums are exact, so no carry */
    } else if (bits > NUM_FP32_INF) {
        bits = NUM_FP32_INF;
    }
    return bits | (s.negative ? NUM_FP32_SIGN : 0);
}

/*
 * A NaN counts as a number: as one with exponent 255 when it is added, as one
 * greater than all others when it is in L1.
 */
static uint32_t add_bf16(uint32_t old, uint32_t x)
{
    uint32_t old_size = old & HALF_MAGNITUDE, x_size = x & HALF_MAGNITUDE;
    uint32_t bits;
    Sum s;
    int e;

    if (old_size == BF16_INF && x_size == BF16_INF) {
        return old == x ? old : BF16_NAN;
    }
    if (x_size == BF16_INF) {
        return x;
    }
    if (old_size >= BF16_INF) {
        return (old & NUM_HALF_SIGN) | BF16_INF;
    }
    s = add_sums(number(old, 8, 7), number(x, 8, 7));
    if (!s.magnitude) {
        return s.negative ? NUM_HALF_SIGN : 0;
    }
    bits = assemble(s, 7, &e);
    if (e <= 0) {
        bits = 0;
    } else if (e >= BF16_EXP_MAX) {
        bits = BF16_INF;
    }
    return bits | (s.negative ? NUM_HALF_SIGN : 0);
}

/* Underflow gives the maximum, and so does cancelling two large numbers. */
static uint32_t add_fp16(uint32_t old, uint32_t x)
{
    Sum s = add_sums(number(old, 5, 10), number(x, 5, 10));
    uint32_t sign = s.negative ? NUM_HALF_SIGN : 0;
    uint32_t bits;
    int e;

    if (!s.magnitude) {
        return sign | ((old >> 10 & 31) >= FP16_CANCELS_HIGH ? FP16_MAX : 0);
    }
    bits = assemble(s, 10, &e);
    if (e <= 0) {
        return sign | (e < 0 ? FP16_MAX : 0);
    }
    return sign | (bits > FP16_MAX ? FP16_MAX : bits);
}

void tensix_pack_accumulate(uint32_t format, PackDatums *d, const uint8_t *old,
                            unsigned n)
{
    uint32_t (*const add_16)(uint32_t, uint32_t) =
        tensix_num_format_is_bf16(format) ? add_bf16 : add_fp16;
    bool words = tensix_num_datum_bits(format) == 32;

    for (unsigned j = 0; j < n; j++) {
        if (words) {
            uint32_t word;

            memcpy(&word, old + j * sizeof(word), sizeof(word));
            d->word[j] = add_fp32(word, d->word[j]);
        } else {
            uint16_t half;

            memcpy(&half, old + j * sizeof(half), sizeof(half));
            d->half[j] = add_16(half, d->half[j]);
        }
    }
}
