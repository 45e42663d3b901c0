/*
 * The Vector Unit's multiply-add against a model in wide fixed point.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "num/num.h"
#include "tap.h"

enum { RANDOM_TRIPLES = 1000000, RANDOM_VECTORS = 40000 };

typedef __int128 Wide;

/* A finite number: (-1)^negative * m * 2^(e - 150), m of 24 bits or 0. */
typedef struct Number {
    bool negative, nan, inf;
    int e;
    Wide m;
} Number;

static Number number(uint32_t bits)
{
    Number n = { .negative = bits >> 31, .e = bits << 1 >> 24 };

    n.nan = n.e == 255 && bits << 9;
    n.inf = n.e == 255 && !n.nan;
    n.m = n.e ? (bits & 0x7fffff) + 0x800000 : 0;
    return n;
}

/* x / 2^n, with the last bit set if something was cut off. */
static Wide jam(Wide x, int n)
{
    Wide q = n < 100 ? x / ((Wide)1 << n) : 0;

    return q + (n && x && q * ((Wide)1 << (n < 100 ? n : 0)) != x && !(q & 1));
}

/* What a term of 27 or 28 bits keeps when it moves `n` places down. */
static Wide moved(Wide m, int n)
{
    if (n > 60 || m < (Wide)1 << n) {
        return 0;                  /* lost, without a trace */
    }
    return jam(m, n);
}

static uint32_t signed_zero(bool negative)
{
    return negative ? 0x80000000u : 0;
}

/* total * 2^(e - 153), not 0, to the nearest FP32. */
static uint32_t rounded(Wide total, int e)
{
    bool negative = total < 0;
    Wide m = negative ? -total : total;
    int64_t q;

    while (m >= (Wide)1 << 27) {
        m = jam(m, 1);
        e++;
    }
    while (m < (Wide)1 << 26) {
        m *= 2;
        e--;
    }
    if (e >= 255) {
        return signed_zero(negative) | 0x7f800000;
    }
    if (e <= 0) {                  /* denormal: only rounding up can save it */
        m = jam(m, 1);
    }
    q = m / 8;
    q += m % 8 > 4 || (m % 8 == 4 && q % 2);
    if (e <= 0) {
        return signed_zero(negative) | (q >= 0x800000 ? 0x00800000 : 0);
    }
    return signed_zero(negative) + ((uint32_t)e << 23) +
           (uint32_t)(q - 0x800000);
}

static uint32_t with_specials(Number x, Number y, Number z, bool p_negative)
{
    bool p_inf = x.inf || y.inf;

    if (x.nan || y.nan || z.nan) {
        return 0x7fc00000;
    }
    if (p_inf && (!x.m || !y.m)) {
        return 0x7fc00000;
    }
    if (z.inf) {
        return p_inf && p_negative != z.negative
                   ? 0x7fc00000
                   : signed_zero(z.negative) | 0x7f800000;
    }
    return signed_zero(p_negative) | 0x7f800000;
}

static uint32_t oracle(uint32_t a, uint32_t b, uint32_t c)
{
    Number x = number(a), y = number(b), z = number(c);
    bool p_negative = x.negative != y.negative;
    Wide p = jam(x.m * y.m, 20), addend = z.m * 8;
    int pe = x.e + y.e - 127, e;

    if (x.e == 255 || y.e == 255 || z.e == 255 || pe >= 255) {
        return with_specials(x, y, z, p_negative);
    }
    if (p == 0 || pe < 0) {
        return z.m ? c : signed_zero(p_negative && z.negative);
    }
    e = pe > z.e ? pe : z.e;
    p = moved(p, e - pe);
    addend = moved(addend, e - z.e);
    p = (p_negative ? -p : p) + (z.negative ? -addend : addend);
    return p ? rounded(p, e) : signed_zero(p_negative && z.negative);
}

static uint64_t rng = 42;

static uint32_t random32(void)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return rng >> 16;
}

static const uint32_t specials[64] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
    0x00400000, 0x00800000, 0x80800000, 0x00800001, 0x80ffffff, 0x01000000,
    0x81000001, 0x017fffff, 0x0c800000, 0x1fffffff, 0x20000000, 0x20000001,
    0x3f000000, 0xbf000000, 0x3f7fffff, 0xbf7fffff, 0x3f800000, 0xbf800000,
    0x3f800001, 0xbf800001, 0x3fffffff, 0x40000000, 0xc0000000, 0x40490fdb,
    0x3eaaaaab, 0x34000000, 0x33800000, 0xb3800000, 0x33800001, 0x33ffffff,
    0x32800000, 0x32000000, 0x31800000, 0x4b000000, 0x4b7fffff, 0x4b800000,
    0xcb800001, 0x4c000000, 0x5f000000, 0x5f7fffff, 0x60000000, 0x7e800000,
    0x7effffff, 0xfe7fffff, 0x7f000000, 0xff000000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7f800001, 0xff800001, 0x7fbfffff, 0x7fc00000,
    0xffc00000, 0x7fffffff, 0xffffffff, 0x3f56594b,
};

static unsigned wrong;

static void check(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t got = tensix_num_fma(a, b, c), want = oracle(a, b, c);

    if (got != want && wrong++ < 5) {
        diag("%08x * %08x + %08x: got %08x, expected %08x", a, b, c, got, want);
    }
}

static void test_specials(void)
{
    wrong = 0;
    for (int n = 0; n < 64 * 64 * 64; n++) {
        check(specials[n & 63], specials[n >> 6 & 63], specials[n >> 12]);
    }
    ok_eq(wrong, 0, "cross product of 64 special values");
}

/* Exponents near each other, so that alignment and cancellation matter. */
static void random_near(uint32_t *a, uint32_t *b, uint32_t *c)
{
    uint32_t r = random32();
    int ea = 20 + r % 215, ec = 1 + (r >> 8) % 254;
    int eb = 127 + ec - ea + (int)(r >> 16 & 63) - 32;

    eb = eb < 0 ? 0 : eb > 255 ? 255 : eb;
    *a = (random32() & 0x807fffff) | (uint32_t)ea << 23;
    *b = (random32() & 0x807fffff) | (uint32_t)eb << 23;
    *c = (random32() & 0x807fffff) | (uint32_t)ec << 23;
    if (r >> 30 == 0) { /* few mantissa bits: ties and exact zeroes */
        *a &= 0xfffc0000;
        *b &= 0xfff00000;
        *c &= 0xffffff00;
    }
}

static void test_random(void)
{
    uint32_t a, b, c;

    wrong = 0;
    for (int n = 0; n < RANDOM_TRIPLES; n++) {
        check(random32(), random32(), random32());
        random_near(&a, &b, &c);
        check(a, b, c);
        /* an addend next to the negated product: heavy cancellation */
        c = tensix_num_fma(a, b, 0x80000000) ^ 0x80000000;
        check(a, b, c + random32() % 5 - 2);
    }
    ok_eq(wrong, 0,
          "random triples, of any kind and with exponents close together");
}

/* Products and sums next to the smallest normal number. */
static void test_underflow(void)
{
    wrong = 0;
    for (int n = 0; n < RANDOM_TRIPLES; n++) {
        uint32_t r = random32();
        uint32_t a = (r & 0x807fffff) | (60 + (r >> 23 & 7)) << 23;
        uint32_t b = (random32() & 0x807fffff) | (60 + (r >> 26 & 7)) << 23;
        uint32_t c = (random32() & 0x807fffff) | (r >> 29) << 23;

        check(a, b, c);
        check(a | 0x007fff00, b | 0x007fffff, c & 0x80000000);
    }
    ok_eq(wrong, 0, "around the smallest normal number");
}

static uint32_t vector_operand(unsigned kind)
{
    static uint32_t near[3];

    switch (kind & 3) {
    case 0:
        return specials[random32() & 63];
    case 1:
        return random32();
    default:
        random_near(&near[0], &near[1], &near[2]);
        return near[kind % 3];
    }
}

static unsigned lanes_wrong(const uint32_t *d, const uint32_t *a,
                            const uint32_t *b, const uint32_t *c)
{
    unsigned bad = 0;

    for (int l = 0; l < NUM_LANES; l++) {
        bad += d[l] != oracle(a[l], b[l], c[l]);
    }
    return bad;
}

static void test_lanes(void)
{
    unsigned bad[3] = { 0, 0, 0 };
    uint32_t a[NUM_LANES], b[NUM_LANES], c[NUM_LANES], d[NUM_LANES];

    for (unsigned n = 0; n < RANDOM_VECTORS; n++) {
        for (int l = 0; l < NUM_LANES; l++) {
            a[l] = vector_operand(n);
            b[l] = vector_operand(n);
            c[l] = vector_operand(n >> 2);
        }
        tensix_num_fma_lanes(d, a, b, c);
        bad[0] += lanes_wrong(d, a, b, c);
        for (int l = 0; l < NUM_LANES; l++) {
            a[l] = 0x3f800000;
        }
        tensix_num_add_lanes(d, b, c);
        bad[1] += lanes_wrong(d, a, b, c);
        for (int l = 0; l < NUM_LANES; l++) {
            a[l] = vector_operand(n >> 3);
            d[l] = n & 1 ? 0x80000000 : 0;
        }
        tensix_num_mul_lanes(c, a, b, d[0]);
        bad[2] += lanes_wrong(c, a, b, d);
    }
    ok_eq(bad[0], 0, "32 lanes of multiply-add");
    ok_eq(bad[1], 0, "32 lanes of addition");
    ok_eq(bad[2], 0, "32 lanes of multiplication");
}

/*
 * For the short cuts, which take all lanes or none: zeroes, normal numbers, and
 * products that become zero or nearly do; in every other vector one lane of any kind.
 */
static uint32_t regular_operand(void)
{
    /* the product of ROOT and the number below it rounds to the smallest normal */
    enum { TINY = 1 << 23, ROOT = 64 << 23, SPAN = 2 << 23 };
    uint32_t sign = random32() & 0x80000000, fraction = random32() & 0x7fffff;

    switch (random32() & 7) {
    case 0:
        return sign;
    case 1:
        return sign | TINY | fraction;
    case 2:
        return sign | (ROOT - SPAN + random32() % (2 * SPAN));
    case 3:
        return sign | 0x3f800000;
    case 4:
        return sign | (ROOT - (random32() & 1));
    default:
        return sign | (0x3f000000 + (random32() & 0x1ffffff));
    }
}

static void regular_vectors(uint32_t *x, uint32_t *y, unsigned n)
{
    unsigned other = random32() % NUM_LANES;

    for (int l = 0; l < NUM_LANES; l++) {
        x[l] = regular_operand();
        y[l] = random32() & 3 ? regular_operand()
                              : x[l] ^ (random32() & 0x80000000);
    }
    if (n & 1) {
        x[other] = specials[random32() & 63];
        y[other] = n & 2 ? specials[random32() & 63] : y[other];
    }
}

static void test_regular_lanes(void)
{
    unsigned bad[2] = { 0, 0 };
    uint32_t x[NUM_LANES], y[NUM_LANES], d[NUM_LANES], other[NUM_LANES];

    for (unsigned n = 0; n < RANDOM_VECTORS; n++) {
        regular_vectors(x, y, n);
        for (int l = 0; l < NUM_LANES; l++) {
            other[l] = 0x3f800000;
        }
        tensix_num_add_lanes(d, x, y);
        bad[0] += lanes_wrong(d, other, x, y);
        for (int l = 0; l < NUM_LANES; l++) {
            other[l] = n & 4 ? 0x80000000 : 0;
        }
        tensix_num_mul_lanes(d, x, y, other[0]);
        bad[1] += lanes_wrong(d, x, y, other);
    }
    ok_eq(bad[0], 0, "zeroes among 32 lanes of addition");
    ok_eq(bad[1], 0, "zeroes among 32 lanes of multiplication");
}

static void test_in_place(void)
{
    uint32_t x[NUM_LANES], y[NUM_LANES], d[NUM_LANES];
    unsigned bad = 0;

    for (int l = 0; l < NUM_LANES; l++) {
        x[l] = d[l] = random32();
        y[l] = random32();
    }
    tensix_num_add_lanes(d, d, y);
    for (int l = 0; l < NUM_LANES; l++) {
        bad += d[l] != oracle(0x3f800000, x[l], y[l]);
        d[l] = x[l];
    }
    tensix_num_fma_lanes(d, y, d, d);
    for (int l = 0; l < NUM_LANES; l++) {
        bad += d[l] != oracle(y[l], x[l], x[l]);
    }
    ok_eq(bad, 0, "the result may replace an operand");
}

/* Values that can be worked out by hand, so that the oracle is not alone. */
static void test_known(void)
{
    static const struct {
        uint32_t a, b, c, want;
        const char *why;
    } known[] = {
        { 0x40000000, 0x40400000, 0x3f800000, 0x40e00000, "2 * 3 + 1" },
        { 0x3f800000, 0xbf800000, 0x3f800000, 0x00000000, "1 * -1 + 1 is +0" },
        { 0x80000000, 0x3f800000, 0x80000000, 0x80000000, "-0 * 1 + -0 is -0" },
        { 0x80000000, 0x3f800000, 0x00000000, 0x00000000, "-0 * 1 + 0 is +0" },
        { 0x00000001, 0x7f000000, 0x80000000, 0x00000000,
          "a denormal counts as zero" },
        { 0x7f800000, 0x00000001, 0x3f800000, 0x7fc00000,
          "infinity * denormal" },
        { 0xff800001, 0x3f800000, 0x3f800000, 0x7fc00000,
          "NaN is always the same NaN" },
        { 0x7f000000, 0x40000000, 0xff7fffff, 0x7f800000,
          "the product overflows alone" },
        { 0x7f000000, 0x40000000, 0xff800000, 0xff800000,
          "its overflow yields to infinity" },
        { 0x20000000, 0x1f800000, 0x80000000, 0x00000000,
          "the product underflows alone" },
        { 0x4b800000, 0x3f800000, 0x3f800000, 0x4b800000,
          "2^24 + 1 ties to even" },
        { 0x4b800000, 0x3f800000, 0x3f800001, 0x4b800001,
          "2^24 + 1 + ulp rounds up" },
        { 0x7f7fffff, 0x3f800000, 0x73000000, 0x7f800000,
          "rounding up overflows" },
    };

    for (unsigned n = 0; n < sizeof(known) / sizeof(known[0]); n++) {
        ok_eq(tensix_num_fma(known[n].a, known[n].b, known[n].c), known[n].want,
              "%s", known[n].why);
    }
}

int main(void)
{
    test_known();
    test_specials();
    test_random();
    test_underflow();
    test_lanes();
    test_regular_lanes();
    test_in_place();
    return done_testing();
}
