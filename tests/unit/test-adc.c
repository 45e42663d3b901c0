/*
 * Address counters: every ADC instruction against a separate model.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The model holds the counters as an array that the register-file aperture's
 * layout gives, so a slip in naming counters shows.
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"

enum { X, Y, Z, W, DIMENSIONS, CR = DIMENSIONS, CELLS = 2 * DIMENSIONS };

typedef uint32_t Model[TENSIX_THREADS][TENSIX_ADCS][2][CELLS];

static CoreFixture f;
static Model model;

_Static_assert(sizeof(Model) == sizeof(((TensixState *)0)->adc),
               "aperture layout");

static const unsigned bits[DIMENSIONS] = { 18, 13, 13, 13 };

static void start(void)
{
    fixture_clear_violations(&f);
    fixture_randomise(&f);
    memcpy(model, f.core.s.adc, sizeof(model));
}

static void check(const char *name)
{
    ok(memcmp(model, f.core.s.adc, sizeof(model)) == 0, "%s", name);
}

static void put(uint32_t *cell, unsigned dimension, uint64_t value)
{
    *cell = value % (1ull << bits[dimension]);
}

typedef enum Action { SET, INC, ADDR_CR } Action;

static void model_counter(uint32_t *channel, unsigned d, Action action,
                          uint32_t value)
{
    switch (action) {
    case SET:
        put(&channel[d], d, value);
        put(&channel[CR + d], d, value);
        break;
    case INC:
        put(&channel[d], d, (uint64_t)channel[d] + value);
        break;
    case ADDR_CR:
        put(&channel[CR + d], d, (uint64_t)channel[CR + d] + value);
        channel[d] = channel[CR + d];
        break;
    }
}

static const struct {
    const char *name;
    uint32_t opcode;
    Action action;
    unsigned first;                /* X or Z */
} quads[] = {
    { "SETADCXY", 0x51, SET, X }, { "INCADCXY", 0x52, INC, X },
    { "ADDRCRXY", 0x53, ADDR_CR, X }, { "SETADCZW", 0x54, SET, Z },
    { "INCADCZW", 0x55, INC, Z }, { "ADDRCRZW", 0x56, ADDR_CR, Z },
};

/* Operand bits but the override; an increment has no mask. */
static uint32_t operand_bits(unsigned q)
{
    return quads[q].action == INC ? 0xe3ffc0 : 0xe3ffcf;
}

/* Bits 17:6 are the values, 5:0 the mask, 19:18 the override, 23:21 the ADCs. */
static void model_quad(unsigned q, uint32_t thread, uint32_t operands)
{
    uint32_t override = operands >> 18 & 3, mask = operands & 15;

    thread = override ? override - 1 : thread;
    for (unsigned n = 0; n < 12; n++) {
        unsigned adc = n / 4, which = n % 4;

        if (operands >> (21 + adc) & 1 &&
            (quads[q].action == INC || mask >> which & 1)) {
            model_counter(model[thread][adc][which / 2],
                          quads[q].first + which % 2, quads[q].action,
                          operands >> (6 + 3 * which) & 7);
        }
    }
}

static void test_quad(unsigned q)
{
    start();
    for (unsigned n = 0; n < 20000; n++) {
        uint32_t operands = fixture_random(&f) & operand_bits(q);

        fixture_exec(&f, n % 3, quads[q].opcode << 24 | operands);
        model_quad(q, n % 3, operands);
    }
    check(quads[q].name);
    ok(f.violation_count == 0, "%s: no violation", quads[q].name);
}

static void test_quad_override(unsigned q)
{
    for (uint32_t override = 1; override < 4; override++) {
        uint32_t operands = override << 18 |
                            ((0xe00000 | 05243 << 6 | 15) & operand_bits(q));

        start();
        fixture_exec(&f, 1, quads[q].opcode << 24 | operands);
        model_quad(q, 1, operands);
        check(quads[q].name);
        ok_eq(f.violations[TENSIX_NON_CONTRACTUAL], 1,
              "%s reports thread override %u", quads[q].name, override);
    }
}

/* A counter at its largest value steps to zero. */
static void test_widths(void)
{
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        uint32_t word = (d < Z ? 0x52000000 : 0x55000000) | 7 << 21 |
                        (d % 2 ? 01010 : 00101) << 6;
        TensixAdcChannel *channel =
            &f.core.s.adc[2][TENSIX_ADC_PACK].channel[1];

        start();
        ((uint32_t *)channel)[d] = (1u << bits[d]) - 1;
        model[2][TENSIX_ADC_PACK][1][d] = (1u << bits[d]) - 1;
        fixture_exec(&f, 2, word);
        ok_eq(((uint32_t *)channel)[d], 0, "dimension %u has %u bits", d,
              bits[d]);
    }
}

static void test_setadc(void)
{
    bool good = true;

    for (unsigned n = 0; n < 4096 && good; n++) {
        uint32_t r = fixture_random(&f), value = r & 0x3ffff, thread = n % 3;
        unsigned dimension = r >> 18 & 3, channel = r >> 20 & 1;
        uint32_t target = value >> 16 ? (value >> 16) - 1 : thread;

        start();
        fixture_exec(&f, thread, 0x50000000 | (r & 0xffffff));
        for (unsigned adc = 0; adc < 3; adc++) {
            if (r >> (21 + adc) & 1) {
                model_counter(model[target][adc][channel], dimension, SET,
                              value);
            }
        }
        good = memcmp(model, f.core.s.adc, sizeof(model)) == 0 &&
               f.violation_count == (value >> 16 != 0) &&
               f.violations[TENSIX_NON_CONTRACTUAL] == f.violation_count;
    }
    ok(good, "SETADC of random counters and values");
}

static void test_setadcxx(void)
{
    start();
    for (unsigned n = 0; n < 1000; n++) {
        uint32_t r = fixture_random(&f) & 0xefffff;

        fixture_exec(&f, n % 3, 0x5e000000 | r);
        for (unsigned adc = 0; adc < 3; adc++) {
            if (r >> (21 + adc) & 1) {
                model_counter(model[n % 3][adc][0], X, SET, r & 0x3ff);
                model_counter(model[n % 3][adc][1], X, SET, r >> 10 & 0x3ff);
            }
        }
    }
    check("SETADCXX");
    ok(f.violation_count == 0, "SETADCXX: no violation");
}

/* The other threads' counters, and everything else, stay as they were. */
static void test_nothing_else(void)
{
    static TensixState want;

    start();
    want = f.core.s;
    fixture_run(&f, 1, TT(SETADCXY, .CntSetMask = 4, .Ch1_Y = 5, .BitMask = 8),
                "SETADCXY of one counter");
    want.adc[1][TENSIX_ADC_PACK].channel[1].Y = 5;
    want.adc[1][TENSIX_ADC_PACK].channel[1].Y_Cr = 5;
    fixture_ok_state(&f, &want, "SETADCXY of one counter");
}

int main(void)
{
    fixture_init(&f);
    for (unsigned q = 0; q < sizeof(quads) / sizeof(quads[0]); q++) {
        test_quad(q);
        test_quad_override(q);
    }
    test_widths();
    test_setadc();
    test_setadcxx();
    test_nothing_else();
    return done_testing();
}
