/*
 * Matrix Unit: every computing and moving instruction on random states, by
 * every build of the units, against one datum after the other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "matrix-oracle.h"
#include "num/num.h"
#include "tap.h"

enum { ROUNDS = 600 };

static CoreFixture f;
static TensixState before, want;
static bool arbitrary;             /* some exponents lie anywhere */

static uint32_t below(uint32_t n)
{
    return fixture_random(&f) % n;
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

/*
 * Exponents near each other make interesting sums; all others must do no harm.
 * e is a cell's or a Dst datum's, width 5 or 8.
 */
static uint32_t random_exponent(uint32_t middle, uint32_t spread)
{
    return arbitrary && one_in(12) ? below(256)
                                   : one_in(10) ? 0 : middle + below(spread);
}

static void random_src(TensixState *s, uint32_t middle, uint32_t spread,
                       bool fp16)
{
    uint32_t limit = fp16 ? 0x1f : 0xff;

    for (unsigned n = 0; n < sizeof(s->src) / sizeof(uint32_t); n++) {
        uint32_t e = random_exponent(middle, spread) & limit;
        uint32_t m = one_in(4) ? below(8) * 0x91 : below(1024);

        (&s->src[0][0][0][0])[n] = below(2) << 18 | m << 8 | e;
    }
}

static void random_dst(TensixState *s, uint32_t middle, uint32_t spread,
                       bool fp16)
{
    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        s->dst_row_valid[row] = !one_in(4);
        for (unsigned j = 0; j < TENSIX_COLUMNS; j++) {
            uint32_t e = random_exponent(middle, spread);
            uint32_t m = below(0x10000);

            s->dst[row][j] = fp16 ? (m & 0xffe0) | (e & 0x1f)
                                  : (m & 0xff00) | e % 256;
            s->dst[row][j] = one_in(3) ? below(0x10000) : s->dst[row][j];
        }
    }
}

static uint32_t random_format(void)
{
    static const uint8_t formats[] = {
        TENSIX_FMT_FP32, TENSIX_FMT_BF16, TENSIX_FMT_TF32, TENSIX_FMT_FP16,
        TENSIX_FMT_BFP8,
        TENSIX_FMT_FP8, TENSIX_FMT_INT8, TENSIX_FMT_INT16, TENSIX_FMT_BFP8A,
    };

    return one_in(8) ? below(16) : formats[below(sizeof(formats))];
}

/* Formats, width of Dst, phases; the two operands mostly agree. */
static void random_modes(TensixState *s)
{
    unsigned t = 1;
    uint32_t a = random_format(), b = one_in(3) ? random_format() : a;

    memset(s->cfg, 0, sizeof(s->cfg));
    memset(s->thread_cfg, 0, sizeof(s->thread_cfg));
    s->thread_cfg[t][0] = below(2);
    s->thread_cfg[t][1] = below(1024);
    s->thread_cfg[t][2] = below(2);
    s->thread_cfg[t][3] = below(2);
    s->thread_cfg[t][11] = one_in(4) ? below(4) : 0;
    s->thread_cfg[t][55] = one_in(40);
    s->dst16b_is_high_half = one_in(8);
    for (unsigned bank = 0; bank < 2; bank++) {
        s->cfg[bank][0] = a | one_in(3) << 4 | b << 5 | one_in(3) << 9;
        s->cfg[bank][1] = a << 17 | b << 21 | below(2) << 29;
        s->cfg[bank][1] |= (uint32_t)one_in(6) << 31;
        s->cfg[bank][2] = one_in(4);
        s->cfg[bank][6] = one_in(4) ? below(1024) : 0;
        s->cfg[bank][220] = one_in(2) ? below(4) : 0;
        s->src_format[0][bank] = a;
        s->src_format[1][bank] = b;
    }
}

/* Cells of exponent 0 alone: the greatest that GMPOOL may find is +0. */
static void zero_exponents(TensixState *s)
{
    for (unsigned n = 0; n < 2 * TENSIX_SRC_ROWS * TENSIX_COLUMNS; n++) {
        (&s->src[TENSIX_SRCA][0][0][0])[n] &= ~0xffu;
    }
}

static void random_state(void)
{
    TensixState *s = &f.core.s;
    TensixRwc *rwc = &s->rwc[1];
    uint32_t middle = 2 + below(180), spread = 1 + below(24);
    bool fp16;

    arbitrary = one_in(2);
    random_modes(s);
    fp16 = one_in(2) && (s->src_format[0][0] == TENSIX_FMT_FP16 ||
                         s->src_format[0][0] == TENSIX_FMT_FP8);
    random_src(s, middle, spread, fp16);
    if (one_in(20)) {
        zero_exponents(s);
    }
    /* where a product's exponent lies, give or take a few */
    random_dst(s, fp16 ? below(32) : 2 * middle > 127 ? 2 * middle - 127 : 0,
               spread + 8, fp16);
    for (unsigned n = 0; n < 4; n++) {
        s->src_client[n / 2][n % 2] = TENSIX_CLIENT_MATRIX_UNIT;
    }
    s->matrix_bank[0] = below(2);
    s->matrix_bank[1] = below(2);
    *rwc = (TensixRwc) { .Dst = below(1024),
                         .SrcA = below(64), .SrcB = below(64),
                         .FidelityPhase = below(4) };
    for (unsigned lane = 0; lane < 8; lane++) {
        s->vu.lane_config[lane] = 0;
    }
    if (one_in(6)) {
        s->vu.lane_config[below(8)] = below(4) << 9;
    }
    f.core.s.soft_reset = 0;
    tensix_state_loaded(&f.core);
}

typedef struct Subject {
    const char *name;
    uint8_t opcode;
    uint32_t mask;                 /* operand bits that are random */
} Subject;

/* Neither AddrMod nor clear_dvalid: other tests have those. */
static const Subject subjects[] = {
    { "MVMUL", TENSIX_OP_MVMUL, 0x0803ff },
    { "DOTPV", TENSIX_OP_DOTPV, 0x0003ff },
    { "GAPOOL", TENSIX_OP_GAPOOL, 0x0803ff },
    { "GMPOOL", TENSIX_OP_GMPOOL, 0x0843ff },
    { "ELWADD", TENSIX_OP_ELWADD, 0x3803ff },
    { "ELWSUB", TENSIX_OP_ELWSUB, 0x3803ff },
    { "ELWMUL", TENSIX_OP_ELWMUL, 0x3803ff },
    { "MOVA2D", TENSIX_OP_MOVA2D, 0xfe33ff },
    { "MOVB2D", TENSIX_OP_MOVB2D, 0xfe3bff },
    { "MOVDBGA2D", TENSIX_OP_MOVDBGA2D, 0xfe33ff },
    { "MOVDBGB2D", TENSIX_OP_MOVDBGB2D, 0xfe3bff },
    { "MOVD2A", TENSIX_OP_MOVD2A, 0xfe33ff },
    { "MOVD2B", TENSIX_OP_MOVD2B, 0xfe33ff },
    { "MOVB2A", TENSIX_OP_MOVB2A, 0x7e303f },
    { "TRNSPSRCB", TENSIX_OP_TRNSPSRCB, 0 },
    { "SHIFTXB", TENSIX_OP_SHIFTXB, 0x00043f },
};

static bool same_files(const TensixState *a, const TensixState *b)
{
    return !memcmp(a->dst, b->dst, sizeof(a->dst)) &&
           !memcmp(a->dst_row_valid, b->dst_row_valid,
                   sizeof(a->dst_row_valid)) &&
           !memcmp(a->src, b->src, sizeof(a->src)) &&
           !memcmp(a->rwc, b->rwc, sizeof(a->rwc)) &&
           !memcmp(a->src_client, b->src_client, sizeof(a->src_client));
}

static void say_difference(const Subject *t, const TensixState *got,
                           uint32_t word)
{
    unsigned t_cfg = got->thread_cfg[1][0] & 1;

    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        for (unsigned j = 0; j < TENSIX_COLUMNS; j++) {
            if (got->dst[row][j] != want.dst[row][j]) {
                diag("%s %08x: Dst[%u][%u] is %04x not %04x, cfg %08x %08x %x, "
                     "phase %u",
                     t->name, word, row, j, got->dst[row][j], want.dst[row][j],
                     got->cfg[t_cfg][0], got->cfg[t_cfg][1], got->cfg[t_cfg][2],
                     got->rwc[1].FidelityPhase);
                return;
            }
        }
    }
    diag("%s %08x: a Src cell, a valid flag or a counter differs", t->name,
         word);
}

/* One random state and word by all builds; returns how many went wrong. */
static unsigned one_round(const Subject *t, unsigned *wrong)
{
    uint32_t word;

    random_state();
    word = (uint32_t)t->opcode << 24 | (fixture_random(&f) & t->mask);
    before = f.core.s;
    want = before;
    if (!matrix_oracle(&want, 1, word)) {
        return 1;
    }
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (!tensix_set_isa(&f.core, isa)) {
            continue;
        }
        f.core.s = before;
        if (fixture_exec(&f, 1, word) != TENSIX_DONE ||
            !same_files(&f.core.s, &want)) {
            if (!wrong[isa]++) {
                diag("build %s", tensix_isa_names[isa]);
                say_difference(t, &f.core.s, word);
            }
        }
    }
    return 0;
}

static void test_subject(const Subject *t)
{
    unsigned wrong[TENSIX_ISAS] = { 0 }, unknown = 0;

    for (unsigned n = 0; n < ROUNDS; n++) {
        unknown += one_round(t, wrong);
    }
    ok(!unknown, "%s is known to the oracle", t->name);
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (tensix_isa_available(isa)) {
            ok(!wrong[isa], "%s by %s: %u of %u states go wrong", t->name,
               tensix_isa_names[isa], wrong[isa], ROUNDS);
        }
    }
}

int main(void)
{
    fixture_init(&f);
    for (unsigned n = 0; n < sizeof(subjects) / sizeof(subjects[0]); n++) {
        test_subject(&subjects[n]);
    }
    return done_testing();
}
