/*
 * Matrix Unit: every product that a fidelity phase can have, beside a term that
 * makes it lose any number of bits, by every build of the units, against one
 * datum after the other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "matrix-oracle.h"
#include "num/num.h"
#include "tap.h"

enum {
    THREAD = 1,
    ROWS_B = 8,
    OTHER_GROUP = 8,               /* its first term */
    DISTANCES = 15,                /* 12 bits and what may round up to one */
    MAN_LOW = 8, SIGN_LOW = 18,    /* of a cell */
    FP32_ENABLED = 1 << 29,
};

/* Bits of a cell's mantissa that a phase multiplies. */
typedef struct Factor {
    uint32_t count, low;
} Factor;

static const Factor factors_a[] = { { 16, 6 }, { 32, 1 } };
static const Factor factors_b[] = { { 64, 4 }, { 16, 0 } };

/* Exponents of the product's two operands; what is special about them. */
typedef struct Place {
    const char *name;
    uint32_t format, e_a, e_b;
} Place;

static const Place places[] = {
    { "around 1", TENSIX_FMT_TF32, 127, 127 },
    { "just above zero", TENSIX_FMT_TF32, 60, 81 },
    { "lost below zero", TENSIX_FMT_TF32, 1, 118 },
    { "the largest that are multiplied as floats", TENSIX_FMT_TF32, 153, 167 },
    { "one of SrcB too large for that", TENSIX_FMT_TF32, 127, 168 },
    { "one of SrcA too large for that", TENSIX_FMT_TF32, 168, 90 },
    { "as large as exponents are", TENSIX_FMT_TF32, 241, 240 },
    { "FP16", TENSIX_FMT_FP16, 14, 12 },
};

static CoreFixture f;
static TensixState want;

static uint32_t cell(uint32_t mantissa, uint32_t exponent, bool minus)
{
    return (uint32_t)minus << SIGN_LOW | mantissa << MAN_LOW | exponent;
}

/* Sixteen factors from a on in SrcA's columns, eight from b on in SrcB's rows. */
static void set_terms(const Place *p, uint32_t phase, uint32_t a, uint32_t b,
                      uint32_t distance, bool minus)
{
    const Factor *of_a = &factors_a[phase & 1], *of_b = &factors_b[phase >> 1];
    TensixState *s = &f.core.s;

    for (uint32_t j = 0; j < TENSIX_COLUMNS; j++) {
        uint32_t m = (a + j) % of_a->count << of_a->low;

        s->src[TENSIX_SRCA][0][0][j] = cell(m, p->e_a, minus);
        s->src[TENSIX_SRCA][0][1][j] = cell(0, p->e_a + distance, false);
        s->src[TENSIX_SRCA][0][OTHER_GROUP][j] = cell(m ^ 0x155, p->e_a, false);
    }
    for (uint32_t k = 0; k < ROWS_B; k++) {
        uint32_t m = (b + k) % of_b->count << of_b->low;

        s->src[TENSIX_SRCB][0][k][0] = cell(m, p->e_b, false);
        s->src[TENSIX_SRCB][0][k][1] = cell(0, p->e_b, false);
        s->src[TENSIX_SRCB][0][k][OTHER_GROUP] = cell(m ^ 0x2aa, p->e_b, minus);
    }
    s->rwc[THREAD].FidelityPhase = phase;
}

static void start(const Place *p, bool wide)
{
    TensixState *s = &f.core.s;

    fixture_init(&f);
    memset(s->src, 0, sizeof(s->src));
    memset(s->dst_row_valid, 0, sizeof(s->dst_row_valid));
    fixture_give_src(&f, p->format);
    s->cfg[0][1] = wide ? FP32_ENABLED : 0;
}

/* The MVMUL by all builds of the units; returns how many went wrong. */
static uint32_t multiply(void)
{
    static TensixState before;
    uint32_t wrong = 0;

    before = want = f.core.s;
    matrix_oracle(&want, THREAD, TT(MVMUL));
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (tensix_set_isa(&f.core, isa)) {
            f.core.s = before;
            fixture_exec(&f, THREAD, TT(MVMUL));
            wrong += memcmp(f.core.s.dst, want.dst, sizeof(want.dst)) != 0;
        }
    }
    f.core.s = before;
    return wrong;
}

/* All products of a phase, at a distance from the group's largest exponent. */
static uint32_t multiply_all(const Place *p, uint32_t phase, uint32_t distance)
{
    uint32_t wrong = 0;

    for (uint32_t a = 0; a < factors_a[phase & 1].count; a += TENSIX_COLUMNS) {
        for (uint32_t b = 0; b < factors_b[phase >> 1].count; b += ROWS_B) {
            set_terms(p, phase, a, b, distance, false);
            wrong += multiply();
            set_terms(p, phase, a, b, distance, true);
            wrong += multiply();
        }
    }
    return wrong;
}

static void test_place(const Place *p, bool wide)
{
    for (uint32_t phase = 0; phase < 4; phase++) {
        uint32_t wrong = 0;

        start(p, wide);
        for (uint32_t d = 0; d < DISTANCES; d++) {
            wrong += multiply_all(p, phase, d);
        }
        ok(!wrong, "phase %u into Dst%u, %s: %u wrong", (unsigned)phase,
           wide ? 32 : 16, p->name, (unsigned)wrong);
    }
}

int main(void)
{
    for (unsigned n = 0; n < sizeof(places) / sizeof(places[0]); n++) {
        test_place(&places[n], false);
        test_place(&places[n], true);
    }
    return done_testing();
}
