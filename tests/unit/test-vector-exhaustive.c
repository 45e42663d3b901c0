/*
 * Vector Unit: instructions over all inputs where they can be counted, and the
 * multiply-add over many; all on every build of the units.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "../bench/bench-reference.h"
#include "core-fixture.h"
#include "vector-model.h"
#include "tap.h"

enum { THREAD = 0, HALVES = 0x10000, SPECIALS = 64 };

static CoreFixture f;
static TensixVectorUnit before, want;
static bool available[TENSIX_ISAS];  /* asked once: that is slow */

/* The build that fixture_exec() uses from now on; false: not on this host. */
static bool use_isa(TensixIsa isa)
{
    f.core.isa = available[isa] ? isa : TENSIX_ISA_PORTABLE;
    return available[isa];
}

/* Runs `word` on LReg 1 = x in every build and compares with the model. */
static bool agrees(uint32_t word, const uint32_t *x)
{
    bool good = true;

    memcpy(f.core.s.vu.lreg[1], x, sizeof(f.core.s.vu.lreg[1]));
    before = want = f.core.s.vu;
    vector_model(&want, word);
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (use_isa(isa)) {
            f.core.s.vu = before;
            fixture_exec(&f, THREAD, word);
            good = good && !memcmp(&want, &f.core.s.vu, sizeof(want));
        }
    }
    return good;
}

static void each_isa(void (*test)(void))
{
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (use_isa(isa)) {
            test();
        }
    }
}

static const char *isa_name(void)
{
    return tensix_isa_names[f.core.isa];
}

/* All upper halves, with lower halves that matter. */
static unsigned all_halves(uint32_t word)
{
    static const uint32_t low[] = { 0, 1, 0x0fff, 0x1000, 0x1001, 0x1fff, 0x7fff, 0x8000,
                                    0x8001, 0xfffe, 0xffff };
    unsigned wrong = 0;

    for (unsigned n = 0; n < sizeof(low) / sizeof(low[0]); n++) {
        for (uint32_t high = 0; high < HALVES; high += TENSIX_LANES) {
            uint32_t x[TENSIX_LANES];

            for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
                x[lane] = (high + lane) << 16 | low[n];
            }
            wrong += !agrees(word, x);
        }
    }
    return wrong;
}

static void test_rounding(void)
{
    for (unsigned mode = 0; mode < 16; mode++) {
        for (unsigned rounding = 0; rounding < 3; rounding++) {
            ok_eq(all_halves(TT(SFP_STOCH_RND, .instr_mod1 = mode, .rnd_mode = rounding,
                                .lreg_src_b = 2, .lreg_src_c = 1, .lreg_dest = 3,
                                .imm8_math = mode * 3)), 0,
                  "SFP_STOCH_RND mode %u, rounding %u: all upper halves", mode, rounding);
        }
    }
}

static void test_cast(void)
{
    for (unsigned mode = 0; mode < 4; mode++) {
        uint32_t word = TT(SFPCAST, .instr_mod1 = mode, .lreg_src_c = 1,
                           .lreg_dest = 3);

        ok_eq(all_halves(word), 0, "SFPCAST mode %u: all upper halves", mode);
    }
}

/* Every tie and its neighbours, for each number of bits dropped. */
static void test_cast_ties(void)
{
    unsigned wrong = 0;

    for (unsigned dropped = 1; dropped < 8; dropped++) {
        for (uint32_t n = 0; n < 0x4000; n++) {
            uint32_t x[TENSIX_LANES];

            for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
                uint32_t kept = lane % 2 ? 0xffffff - n : 0x800000 + n;

                x[lane] = (kept << dropped) + (1u << (dropped - 1)) + lane / 4 % 3 - 1;
                x[lane] |= lane / 16 << 31;
            }
            wrong += !agrees(TT(SFPCAST, .lreg_src_c = 1, .lreg_dest = 3), x);
        }
    }
    ok_eq(wrong, 0, "SFPCAST mode 0: ties");
}

/*
 * All 65536 numbers with this upper half, with either sign.  The approximations
 * look at the upper half only; `wanted` is theirs of the first of them, and the
 * lower half stays or does not.
 */
static bool agrees_with_half(uint32_t word, uint32_t high, uint32_t wanted,
                             bool keeps_low)
{
    uint32_t x[TENSIX_LANES], got[TENSIX_LANES], differ = 0;
    uint32_t kept = keeps_low ? 0xffff : 0;

    for (uint32_t low = 0; low < HALVES; low += TENSIX_LANES) {
        for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
            x[lane] = lane << 31 | high << 16 | (low + lane);
        }
        memcpy(f.core.s.vu.lreg[1], x, sizeof(x));
        fixture_exec(&f, THREAD, word);
        memcpy(got, f.core.s.vu.lreg[3], sizeof(got));
        for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
            differ |= got[lane] ^ (lane << 31 | wanted | ((low + lane) & kept));
        }
    }
    return !differ;
}

/* All mantissas at exponents where pieces begin, end and continue. */
static void all_mantissas(unsigned mode)
{
    static const uint32_t exponents[] = { 0, 1, 120, 121, 126, 127, 128, 252, 253, 255 };
    uint32_t word = TT(SFPARECIP, .instr_mod1 = mode, .lreg_c = 1, .lreg_dest = 3);
    unsigned wrong = 0;

    for (unsigned n = 0; n < sizeof(exponents) / sizeof(exponents[0]); n++) {
        for (uint32_t upper = 0; upper < 128; upper++) {
            uint32_t high = exponents[n] << 7 | upper;
            uint32_t wanted = mode ? vector_model_exponential(high << 16)
                                   : vector_model_reciprocal(high << 16);

            wrong += !agrees_with_half(word, high, wanted, mode && exponents[n]);
        }
    }
    ok_eq(wrong, 0, "SFPARECIP mode %u: all mantissas at ten exponents, %s", mode,
          isa_name());
}

static void test_mantissas(void)
{
    all_mantissas(0);
    all_mantissas(2);
}

static void test_arecip(void)
{
    for (unsigned mode = 0; mode < 3; mode++) {
        ok_eq(all_halves(TT(SFPARECIP, .instr_mod1 = mode, .lreg_c = 1, .lreg_dest = 3,
                            .imm12_math = 1)), 0,
              "SFPARECIP mode %u: all upper halves", mode);
    }
}

/* --- multiply-add --- */

/* Wrong results of all builds for 32 triples. */
static unsigned wrong_triples(const uint32_t *a, const uint32_t *b, const uint32_t *c)
{
    uint32_t expected[TENSIX_LANES];
    TensixVectorUnit *vu = &f.core.s.vu;
    unsigned wrong = 0;

    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        expected[lane] = bench_ref_fma(a[lane], b[lane], c[lane]);
    }
    memcpy(vu->lreg[4], a, sizeof(vu->lreg[4]));
    memcpy(vu->lreg[5], b, sizeof(vu->lreg[5]));
    memcpy(vu->lreg[6], c, sizeof(vu->lreg[6]));
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (use_isa(isa)) {
            fixture_exec(&f, THREAD, TT(SFPMAD, .lreg_src_a = 4, .lreg_src_b = 5,
                                        .lreg_src_c = 6, .lreg_dest = 3));
            wrong += memcmp(vu->lreg[3], expected, sizeof(expected)) != 0;
        }
    }
    return wrong;
}

static uint32_t special(unsigned n)
{
    static const uint32_t magnitudes[SPECIALS / 2] = {
        0, 1, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000,
        0x0d800000, 0x1f800000, 0x34000000, 0x3effffff, 0x3f000000, 0x3f7fffff,
        0x3f800000, 0x3f800001, 0x3fc00000, 0x40000000, 0x40490fdb, 0x4b000000,
        0x4b7fffff, 0x4b800000, 0x5f7fffff, 0x5f800000, 0x7e7fffff, 0x7e800000,
        0x7effffff, 0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7f800001,
        0x7fc00000,
    };

    return magnitudes[n / 2] | (n & 1) << 31;
}

static void test_cross(void)
{
    unsigned wrong = 0;

    for (unsigned n = 0; n < SPECIALS * SPECIALS * SPECIALS; n += TENSIX_LANES) {
        uint32_t a[TENSIX_LANES], b[TENSIX_LANES], c[TENSIX_LANES];

        for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
            a[lane] = special((n + lane) % SPECIALS);
            b[lane] = special((n + lane) / SPECIALS % SPECIALS);
            c[lane] = special((n + lane) / SPECIALS / SPECIALS);
        }
        wrong += wrong_triples(a, b, c);
    }
    ok_eq(wrong, 0, "SFPMAD: 64 special values in all three places, all builds");
}

/* Anything, or a third operand near minus the product. */
static void test_random(void)
{
    enum { TRIPLES = 10 * 1000 * 1000 };
    unsigned wrong = 0;

    for (unsigned n = 0; n < TRIPLES; n += TENSIX_LANES) {
        uint32_t a[TENSIX_LANES], b[TENSIX_LANES], c[TENSIX_LANES];

        for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
            uint32_t r = fixture_random(&f);
            int32_t e;

            a[lane] = fixture_random(&f);
            b[lane] = fixture_random(&f);
            e = (int32_t)(a[lane] >> 23 & 255) + (int32_t)(b[lane] >> 23 & 255) - 127;
            e += (int32_t)(r % 64) - 32;
            c[lane] = (fixture_random(&f) & 0x807fffff) | (uint32_t)(e & 255) << 23;
            c[lane] = r % 2 ? r : c[lane];
        }
        wrong += wrong_triples(a, b, c);
    }
    ok_eq(wrong, 0, "SFPMAD: ten million random triples, all builds");
}

int main(void)
{
    fixture_init(&f);
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        available[isa] = tensix_isa_available(isa);
    }
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        f.core.s.vu.lreg[2][lane] = lane;        /* shift amounts */
    }
    test_rounding();
    test_cast();
    test_cast_ties();
    test_arecip();
    each_isa(test_mantissas);
    test_cross();
    test_random();
    return done_testing();
}
