/*
 * Matrix Unit: programs of it.  The counters of a 32x32 tile (spec 002, section
 * 4.2), matrix multiplication in each fidelity, order of terms, banks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <math.h>
#include <string.h>

#include "core-fixture.h"
#include "matrix-oracle.h"
#include "num/num.h"
#include "tap.h"
#include "regs/regfile.h"

enum {
    THREAD = 1,
    STEPS = 16,                    /* MVMULs of a tile and phase */
    SIZE = 32,
    CFG_AB = 12, CFG_DST = 28,     /* thread configuration of AddrMod 0 */
    AB_CR = 1 << 6, AB_CLEAR = 1 << 7,
    DST_CR = 1 << 10, DST_CLEAR = 1 << 11, DST_FIDELITY = 1 << 13,
    FP32_ENABLED = 1 << 29,
};

static CoreFixture f;
static TensixState want;

/* After each MVMUL of section 4.2: counters, and which rows it multiplied. */
typedef struct Step {
    uint8_t mod;
    uint8_t b, a;                  /* first rows that it reads */
    uint16_t d;                    /* and writes */
    uint8_t after_a, a_cr, after_b, b_cr;
    uint16_t after_d;
} Step;

static const Step steps[STEPS] = {
    { 0, 0, 0, 0, 0, 0, 8, 0, 8 },
    { 1, 8, 0, 8, 16, 0, 0, 0, 16 },
    { 0, 0, 16, 16, 16, 0, 8, 0, 24 },
    { 2, 8, 16, 24, 0, 0, 32, 32, 32 },
    { 0, 32, 0, 32, 0, 0, 40, 32, 40 },
    { 1, 40, 0, 40, 16, 0, 32, 32, 48 },
    { 0, 32, 16, 48, 16, 0, 40, 32, 56 },
    { 4, 40, 16, 56, 32, 32, 16, 16, 0 },
    { 0, 16, 32, 0, 32, 32, 24, 16, 8 },
    { 1, 24, 32, 8, 48, 32, 16, 16, 16 },
    { 0, 16, 48, 16, 48, 32, 24, 16, 24 },
    { 2, 24, 48, 24, 32, 32, 48, 48, 32 },
    { 0, 48, 32, 32, 32, 32, 56, 48, 40 },
    { 1, 56, 32, 40, 48, 32, 48, 48, 48 },
    { 0, 48, 48, 48, 48, 32, 56, 48, 56 },
    { 5, 56, 48, 56, 0, 0, 0, 0, 0 },
};

/* Section 4.1.  SrcB's fields lie eight bits above SrcA's. */
static void set_addr_mods(uint16_t *cfg)
{
    cfg[CFG_AB + 0] = 8 << 8;
    cfg[CFG_DST + 0] = 8;
    cfg[CFG_AB + 1] = 16 | AB_CR << 8;
    cfg[CFG_DST + 1] = 8;
    cfg[CFG_AB + 2] = AB_CR | (32 | AB_CR) << 8;
    cfg[CFG_DST + 2] = 8;
    cfg[CFG_AB + 4] = 32 | AB_CR | (48 | AB_CR) << 8;
    cfg[CFG_DST + 4] = DST_CR;
    cfg[CFG_AB + 5] = AB_CLEAR | AB_CLEAR << 8;
    cfg[CFG_DST + 5] = DST_CLEAR | DST_FIDELITY;
}

static uint32_t random_cell(uint32_t format)
{
    uint32_t r = fixture_random(&f), e = 122 + r % 7, m = r >> 8 & 0x3ff;

    if (format == TENSIX_FMT_FP16) {
        e -= 127 - 15;
    } else if (format == TENSIX_FMT_BF16) {
        m &= ~7u;
    }
    return (r >> 20 & 1) << 18 | m << 8 | e;
}

/* A whole bank each of SrcA and SrcB; Dst undefined. */
static void start(uint32_t format, bool wide)
{
    TensixState *s;

    fixture_init(&f);
    s = &f.core.s;
    set_addr_mods(s->thread_cfg[THREAD]);
    for (unsigned src = 0; src < 2; src++) {
        s->src_client[src][0] = TENSIX_CLIENT_MATRIX_UNIT;
        s->src_format[src][0] = format;
        for (unsigned row = 0; row < TENSIX_SRC_ROWS; row++) {
            for (unsigned j = 0; j < TENSIX_COLUMNS; j++) {
                s->src[src][0][row][j] = random_cell(format);
            }
        }
    }
    memset(s->dst_row_valid, 0, sizeof(s->dst_row_valid));
    s->cfg[0][1] = wide ? FP32_ENABLED : 0;
    tensix_state_loaded(&f.core);
}

/* --- counters --- */

static bool counters_as(const Step *t, unsigned phase)
{
    const TensixRwc *r = &f.core.s.rwc[THREAD];

    return r->SrcA == t->after_a && r->SrcA_Cr == t->a_cr &&
           r->SrcB == t->after_b && r->SrcB_Cr == t->b_cr &&
           r->Dst == t->after_d && r->Dst_Cr == 0 && r->FidelityPhase == phase;
}

/* The rows that one step reads and writes, by the oracle with set counters. */
static void want_step(const Step *t, unsigned phase)
{
    want.rwc[THREAD] = (TensixRwc) { .Dst = t->d, .SrcA = t->a, .SrcB = t->b,
                                     .FidelityPhase = phase };
    matrix_oracle(&want, THREAD, TT(MVMUL));
}

static bool files_as_wanted(void)
{
    const TensixState *s = &f.core.s;

    return !memcmp(s->dst, want.dst, sizeof(want.dst)) &&
           !memcmp(s->dst_row_valid, want.dst_row_valid,
                   sizeof(want.dst_row_valid)) &&
           !memcmp(s->src, want.src, sizeof(want.src));
}

static void test_trace(void)
{
    start(TENSIX_FMT_BF16, false);
    want = f.core.s;
    for (unsigned n = 0; n < STEPS; n++) {
        ok(fixture_push(&f, THREAD, TT(MVMUL, .addr_mode = steps[n].mod)),
           "MVMUL %u pushed", n + 1);
        want_step(&steps[n], 0);
        ok(counters_as(&steps[n], n == STEPS - 1), "counters after MVMUL %u",
           n + 1);
        ok(files_as_wanted(), "rows of MVMUL %u", n + 1);
    }
    fixture_push(&f, THREAD, TT(SETRWC, .BitMask = 15));
    ok_eq(f.core.s.rwc[THREAD].FidelityPhase, 0,
          "section 4.4: SETRWC ends the phases");
}

/* --- 32 x 32 x 32 --- */

/* Faces: 0 and 1 side by side, 2 and 3 below them; 16 rows each. */
static unsigned face_row(unsigned row, unsigned column)
{
    return row / 16 * 32 + column / 16 * 16 + row % 16;
}

static double cell_value(uint32_t cell, uint32_t format)
{
    double m = 1 + (cell >> 8 & 0x3ff) / 1024.0;
    int e = (int)(cell & 0xff) - (format == TENSIX_FMT_FP16 ? 15 : 127);

    return cell >> 18 & 1 ? -ldexp(m, e) : ldexp(m, e);
}

static double dst_value(unsigned row, unsigned j, bool wide, uint32_t format)
{
    unsigned at = wide ? (row & 0x1f8) << 1 | (row & 7) : row;
    uint32_t x = f.core.s.dst[at][j];
    double m;

    if (!wide && format == TENSIX_FMT_FP16) {
        m = x & 0x1f
                ? ldexp(1 + (x >> 5 & 0x3ff) / 1024.0, (int)(x & 0x1f) - 15)
                : 0;
    } else {
        m = 1 + (x >> 8 & 0x7f) / 128.0;
        m += wide ? ldexp(f.core.s.dst[at + 8][j], -23) : 0;
        m = x & 0xff ? ldexp(m, (int)(x & 0xff) - 127) : 0;
    }
    return x >> 15 ? -m : m;
}

/* Largest error of Dst against the real product, relative to the terms' sum. */
static double product_error(bool wide, uint32_t format)
{
    const TensixState *s = &f.core.s;
    double worst = 0;

    for (unsigned row = 0; row < SIZE; row++) {
        for (unsigned j = 0; j < SIZE; j++) {
            double sum = 0, size = 0, error;

            for (unsigned k = 0; k < SIZE; k++) {
                double x = cell_value(s->src[1][0][face_row(row, k)][k % 16],
                                      format) *
                           cell_value(s->src[0][0][face_row(k, j)][j % 16],
                                      format);

                sum += x;
                size += fabs(x);
            }
            error = fabs(dst_value(face_row(row, j), j % 16, wide, format) -
                         sum) /
                    size;
            worst = error > worst ? error : worst;
        }
    }
    return worst;
}

typedef struct Precision {
    const char *name;
    uint32_t format;
    bool wide;
    double limit[4];               /* of the error, by number of phases */
} Precision;

/*
 * What a phase leaves out of an operand is below 2^-4 (SrcA) or 2^-6 (SrcB) of
 * it; both with all phases only for BF16, whose sums then round in Dst alone.
 */
static const Precision precisions[] = {
    { "BF16 into Dst16b", TENSIX_FMT_BF16, false, { 0.08, 0.03, 0.02, 0.02 } },
    { "BF16 into Dst32b", TENSIX_FMT_BF16, true, { 0.08, 0.02, 0.002, 0.001 } },
    { "TF32 into Dst32b", TENSIX_FMT_TF32, true, { 0.08, 0.02, 0.002, 0.001 } },
    { "FP16 into Dst16b", TENSIX_FMT_FP16, false,
      { 0.08, 0.02, 0.005, 0.004 } },
    { "FP16 into Dst32b", TENSIX_FMT_FP16, true, { 0.08, 0.02, 0.002, 0.001 } },
};

/* `phases` times the 16 words, as the MOP of section 4.3 repeats them. */
static bool multiply_tile(unsigned phases)
{
    for (unsigned n = 0; n < phases * STEPS; n++) {
        uint32_t word = TT(MVMUL, .addr_mode = steps[n % STEPS].mod);

        if (!fixture_push(&f, THREAD, word)) {
            return false;
        }
        want_step(&steps[n % STEPS], n / STEPS);
    }
    return true;
}

static void test_fidelity(const Precision *p, TensixIsa isa)
{
    double last = 1;

    for (unsigned phases = 1; phases <= 4; phases++) {
        double error;

        start(p->format, p->wide);
        tensix_set_isa(&f.core, isa);
        want = f.core.s;
        ok(multiply_tile(phases) && files_as_wanted(),
           "%s, %u phases by %s: as the scalar model", p->name, phases,
           tensix_isa_names[isa]);
        error = product_error(p->wide, p->format);
        ok(error < p->limit[phases - 1] && error < last * 1.5,
           "%s, %u phases: off by %.5f at most", p->name, phases, error);
        last = error;
    }
}

/* --- rows elsewhere --- */

/*
 * remap_addrs, swizzle_32b and Dst16b as Dst32b's high halves only say where
 * rows are: what is in them is what a plain Dst has.
 */
static void test_moved_rows(const Precision *p, unsigned access, bool high_half,
                            TensixIsa isa)
{
    enum { DEST_ACCESS = 220, PHASES = 2, ROWS = 64 };
    static TensixState plain;
    TensixState *s = &f.core.s;
    unsigned wrong = 0;

    start(p->format, p->wide);
    want = *s;
    multiply_tile(PHASES);
    plain = *s;
    start(p->format, p->wide);
    tensix_set_isa(&f.core, isa);
    s->cfg[0][DEST_ACCESS] = access;
    s->dst16b_is_high_half = high_half;
    tensix_derived_invalidate(&f.core);
    want = *s;
    ok(multiply_tile(PHASES) && files_as_wanted(),
       "%s, access %u%s by %s: as the scalar model", p->name, access,
       high_half ? ", high halves" : "", tensix_isa_names[isa]);
    for (unsigned row = 0; row < ROWS; row++) {
        unsigned from = p->wide ? (row & 0x1f8) << 1 | (row & 7) : row;
        unsigned at = p->wide ? tensix_dst_adj32(&f.core, THREAD, row)
                              : tensix_dst_adj16(&f.core, THREAD, row);

        wrong += memcmp(plain.dst[from], s->dst[at], sizeof(s->dst[at])) != 0;
        wrong += p->wide && memcmp(plain.dst[from + 8], s->dst[at + 8],
                                   sizeof(s->dst[at]));
    }
    ok_eq(wrong, 0, "%s, access %u%s by %s: the same rows", p->name, access,
          high_half ? ", high halves" : "", tensix_isa_names[isa]);
}

static void test_access(const Precision *p, TensixIsa isa)
{
    for (unsigned access = 0; access < 4; access++) {
        test_moved_rows(p, access, true, isa);
        if (access) {
            test_moved_rows(p, access, false, isa);
        }
    }
}

/* --- order of terms --- */

enum { GROUP = 8, TERMS = 2 * GROUP, ORDERS = 200, INT8_MATH = 1u << 31 };

/* What the properties hold for; integers do not go by groups. */
typedef struct Arithmetic {
    const char *name;
    uint32_t format;
    bool wide, exact;
} Arithmetic;

static const Arithmetic arithmetics[] = {
    { "BF16 into Dst16b", TENSIX_FMT_BF16, false, false },
    { "BF16 into Dst32b", TENSIX_FMT_BF16, true, false },
    { "TF32 into Dst32b", TENSIX_FMT_TF32, true, false },
    { "FP16 into Dst16b", TENSIX_FMT_FP16, false, false },
    { "FP16 into Dst32b", TENSIX_FMT_FP16, true, false },
    { "INT8", TENSIX_FMT_INT8, true, true },
};

/* Swaps terms x and y of every dot product of the first block. */
static void swap_terms(TensixState *s, unsigned x, unsigned y)
{
    for (unsigned j = 0; j < TENSIX_COLUMNS; j++) {
        uint32_t cell = s->src[0][0][x][j];

        s->src[0][0][x][j] = s->src[0][0][y][j];
        s->src[0][0][y][j] = cell;
    }
    for (unsigned row = 0; row < 8; row++) {
        uint32_t cell = s->src[1][0][row][x];

        s->src[1][0][row][x] = s->src[1][0][row][y];
        s->src[1][0][row][y] = cell;
    }
}

/* Puts terms first to first + count - 1 into a random order. */
static void shuffle_terms(TensixState *s, unsigned first, unsigned count)
{
    for (unsigned n = count; n > 1; n--) {
        swap_terms(s, first + n - 1, first + fixture_random(&f) % n);
    }
}

typedef uint16_t Block[16][TENSIX_COLUMNS];   /* both halves of eight rows */

/* Result of one MVMUL on the terms as they are; Dst starts from `from`. */
static void multiply_from(const TensixState *from, Block dst)
{
    f.core.s = *from;
    fixture_exec(&f, THREAD, TT(MVMUL));
    memcpy(dst, f.core.s.dst, sizeof(Block));
}

/* Terms whose exponents lie apart, and a Dst with something in it. */
static void random_terms(const Arithmetic *a, TensixState *s)
{
    for (unsigned n = 0; n < TERMS * TENSIX_COLUMNS; n++) {
        uint32_t e = a->exact ? 16 : fixture_random(&f) % 12;

        s->src[0][0][n / 16][n % 16] = random_cell(a->format) & ~0xffu;
        s->src[0][0][n / 16][n % 16] |=
            a->exact ? e : e + (a->format == TENSIX_FMT_FP16 ? 9 : 120);
    }
    s->cfg[0][1] |= a->exact ? INT8_MATH : 0;
    memset(s->dst_row_valid, 1, 16);
    for (unsigned n = 0; n < 16 * TENSIX_COLUMNS; n++) {
        s->dst[n / 16][n % 16] = a->exact ? 0 : 0x1200 | (112 + n % 16);
    }
}

/*
 * Sums of eight terms are exact: their order does not matter, nor that of the
 * two groups.  A term that changes its group does, but for integers.
 */
static void test_order(const Arithmetic *a, TensixIsa isa)
{
    static TensixState state;
    Block first, second;
    unsigned within = 0, groups = 0, across = 0;

    start(a->format, a->wide);
    tensix_set_isa(&f.core, isa);
    state = f.core.s;
    for (unsigned n = 0; n < ORDERS; n++) {
        random_terms(a, &state);
        multiply_from(&state, first);
        shuffle_terms(&state, 0, GROUP);
        shuffle_terms(&state, GROUP, GROUP);
        multiply_from(&state, second);
        within += memcmp(first, second, sizeof(first)) != 0;
        for (unsigned k = 0; k < GROUP; k++) {
            swap_terms(&state, k, k + GROUP);
        }
        multiply_from(&state, second);
        groups += memcmp(first, second, sizeof(first)) != 0;
        shuffle_terms(&state, 0, TERMS);
        multiply_from(&state, second);
        across += memcmp(first, second, sizeof(first)) != 0;
    }
    ok_eq(within, 0, "%s by %s: terms of a group in any order", a->name,
          tensix_isa_names[isa]);
    ok_eq(groups, 0, "%s by %s: the groups in any order", a->name,
          tensix_isa_names[isa]);
    ok(a->exact ? !across : across > ORDERS / 2,
       "%s by %s: all terms in any order: %u of %u differ", a->name,
       tensix_isa_names[isa], across, ORDERS);
}

/* Dst after two MVMULs of different blocks of SrcB, in both orders. */
static bool order_matters(const Arithmetic *a, const TensixState *from)
{
    Block result[2];

    for (unsigned order = 0; order < 2; order++) {
        f.core.s = *from;
        for (unsigned n = 0; n < 2; n++) {
            f.core.s.rwc[THREAD] = (TensixRwc) { .SrcB = n == order ? 8 : 0,
                                                 .SrcA = n == order ? 16 : 0 };
            fixture_exec(&f, THREAD, TT(MVMUL));
        }
        memcpy(result[order], f.core.s.dst, sizeof(Block));
    }
    return memcmp(result[0], result[1], sizeof(Block)) != 0;
}

/* Each MVMUL rounds what it adds to Dst: order matters, but for integers. */
static void test_accumulation(const Arithmetic *a, TensixIsa isa)
{
    static TensixState state;
    unsigned differ = 0;

    start(a->format, a->wide);
    tensix_set_isa(&f.core, isa);
    state = f.core.s;
    for (unsigned n = 0; n < ORDERS; n++) {
        random_terms(a, &state);
        differ += order_matters(a, &state);
    }
    ok(a->exact ? !differ : differ > 0,
       "%s by %s: two MVMULs in the other order: %u of %u differ", a->name,
       tensix_isa_names[isa], differ, ORDERS);
}

/* --- banks --- */

typedef struct Waiter {
    const char *name;
    uint32_t word;
    unsigned banks;                /* that it waits for: 1 SrcA, 2 SrcB */
} Waiter;

static void test_waits(void)
{
    const Waiter waiters[] = {
        { "MVMUL", TT(MVMUL), 3 }, { "DOTPV", TT(DOTPV), 3 },
        { "ELWADD", TT(ELWADD), 3 }, { "ELWSUB", TT(ELWSUB), 3 },
        { "ELWMUL", TT(ELWMUL), 3 }, { "GAPOOL", TT(GAPOOL), 3 },
        { "GMPOOL", TT(GMPOOL), 3 }, { "MOVA2D", TT(MOVA2D), 1 },
        { "MOVB2D", TT(MOVB2D), 2 }, { "MOVB2A", TT(MOVB2A), 2 },
        { "TRNSPSRCB", TT(TRNSPSRCB), 2 }, { "SHIFTXB", TT(SHIFTXB), 2 },
        { "SHIFTXA", TT(SHIFTXA), 1 }, { "MOVD2A", TT(MOVD2A), 0 },
        { "MOVD2B", TT(MOVD2B), 0 }, { "MOVDBGA2D", TT(MOVDBGA2D), 0 },
        { "MOVDBGB2D", TT(MOVDBGB2D), 0 },
    };

    for (unsigned n = 0; n < sizeof(waiters) / sizeof(waiters[0]); n++) {
        for (unsigned owned = 0; owned < 4; owned++) {
            bool go = (waiters[n].banks & ~owned) == 0;

            start(TENSIX_FMT_BF16, false);
            f.core.s.src_client[0][0] = owned & 1;
            f.core.s.src_client[1][0] = owned >> 1;
            want = f.core.s;
            ok(fixture_exec(&f, THREAD, waiters[n].word) ==
                   (go ? TENSIX_DONE : TENSIX_RETRY),
               "%s with banks %u %s", waiters[n].name, owned,
               go ? "continues" : "waits");
            if (!go) {
                fixture_ok_state(&f, &want, waiters[n].name);
            }
        }
    }
}

/* clear_dvalid flips the bank; CLR_DVALID_*_Disable only keeps its owner. */
static void test_release(void)
{
    for (unsigned clear = 0; clear < 4; clear++) {
        for (unsigned keep = 0; keep < 4; keep++) {
            const TensixState *s = &f.core.s;
            bool good = true;

            start(TENSIX_FMT_BF16, false);
            f.core.s.thread_cfg[THREAD][7] = keep;
            fixture_exec(&f, THREAD, TT(MVMUL, .clear_dvalid = clear));
            for (unsigned src = 0; src < 2; src++) {
                bool flipped = clear >> src & 1,
                     kept = !flipped || (keep >> src & 1);

                good = good && s->matrix_bank[src] == flipped &&
                       s->src_client[src][0] == (kept
                                                     ? TENSIX_CLIENT_MATRIX_UNIT
                                                     : TENSIX_CLIENT_UNPACKERS);
            }
            ok(good, "clear_dvalid %u with CLR_DVALID disables %u", clear,
               keep);
        }
    }
}

/* --- SHIFTXA (WH SHIFTXA.md) --- */

static void test_shift_a(bool left)
{
    TensixState *s = &f.core.s;
    unsigned wrong = 0;

    start(TENSIX_FMT_TF32, false);
    s->rwc[THREAD].SrcA = 16;
    fixture_exec(&f, THREAD, TT(MOVA2D, .src = 20));
    want = *s;
    ok(fixture_exec(&f, THREAD, TT(SHIFTXA, .shift_mode = left ? 3 : 2)) ==
           TENSIX_DONE,
       "SHIFTXA %s", left ? "left" : "right");
    for (unsigned row = 0; row < 64; row++) {
        for (int j = 0; j < 16; j++) {
            int from = left ? j + 1 : j - 1;
            uint32_t cell = want.src[0][0][row][j];

            if (row < 16) {
                cell = from < 0 || from > 15 ? 0
                                             : want.src[0][0][32 + row][from];
            }
            wrong += s->src[0][0][row][j] != cell;
        }
    }
    ok_eq(wrong, 0, "rows 32 to 47, where MOVA2D was, go to rows 0 to 15");
    ok_eq(f.violations[TENSIX_NON_CONTRACTUAL], 1, "which is reported");
}

/* --- every value there and back (spec 000, 4.1 and 4.3) --- */

enum { STILL = 3, MOVE_ROWS = 4, MOVE_VALUES = MOVE_ROWS * TENSIX_COLUMNS };

/* Rows 0 to 3 of SrcA to Dst, one by one, and from there to rows 16 to 19. */
static void there_and_back_a(void)
{
    for (unsigned row = 0; row < MOVE_ROWS; row++) {
        fixture_exec(&f, THREAD, TT(MOVA2D, .src = row, .dst = row,
                                    .addr_mode = STILL));
    }
    fixture_exec(&f, THREAD, TT(MOVD2A, .instr_mod = 2, .src = 16,
                                .addr_mode = STILL));
}

static void there_and_back_b(void)
{
    for (unsigned row = 0; row < MOVE_ROWS; row++) {
        fixture_exec(&f, THREAD, TT(MOVB2D, .src = row, .dst = row,
                                    .addr_mode = STILL));
    }
    fixture_exec(&f, THREAD, TT(MOVD2B, .instr_mod = 2, .src = 16,
                                .addr_mode = STILL));
}

/* How many of all values of a cell return changed; `mask`: its bits. */
static unsigned changed_cells(unsigned src, uint32_t format, bool wide,
                              uint32_t mask)
{
    unsigned changed = 0;

    start(format, wide);
    f.core.s.cfg[0][2] = 1;        /* Zero_Flag_disabled_src */
    for (uint32_t first = 0; first < 1u << 19; first += MOVE_VALUES) {
        uint32_t *cells = &f.core.s.src[src][0][0][0];

        for (unsigned n = 0; n < MOVE_VALUES; n++) {
            cells[n] = (first + n) & mask;
        }
        if (src == TENSIX_SRCA) {
            there_and_back_a();
        } else {
            there_and_back_b();
        }
        changed += memcmp(cells, f.core.s.src[src][0][16],
                          MOVE_VALUES * sizeof(*cells)) != 0;
    }
    return changed;
}

static void test_shuffles(unsigned src)
{
    char name = src == TENSIX_SRCA ? 'A' : 'B';

    ok_eq(changed_cells(src, TENSIX_FMT_TF32, true, 0x7ffff), 0,
          "all TF32 cells of Src%c through Dst32b", name);
    ok_eq(changed_cells(src, TENSIX_FMT_BF16, false, 0x7f8ff), 0,
          "all BF16 cells of Src%c through Dst16b", name);
    ok_eq(changed_cells(src, TENSIX_FMT_FP16, false, 0x7ff1f), 0,
          "all FP16 cells of Src%c through Dst16b", name);
    ok(changed_cells(src, TENSIX_FMT_BF16, false, 0x7ffff) > 0,
       "TF32 cells of Src%c do not fit BF16", name);
}

/* --- rounding twice (docs/numerics.rst, "Accumulation") --- */

/* Phase 0's product of two cells is (16 + a) * (64 + b). */
static bool find_factors(int product, unsigned *a, unsigned *b)
{
    for (*a = 0; *a < 16; ++*a) {
        int rest = product % (int)(16 + *a) ? 0 : product / (int)(16 + *a);

        if (rest >= 64 && rest < 128) {
            *b = rest - 64;
            return true;
        }
    }
    return false;
}

static void set_term(unsigned k, unsigned a, unsigned b, unsigned e, bool minus)
{
    TensixState *s = &f.core.s;

    for (unsigned j = 0; j < TENSIX_COLUMNS; j++) {
        s->src[0][0][k][j] = a << 14 | e;
    }
    for (unsigned row = 0; row < 8; row++) {
        s->src[1][0][row][k] = (uint32_t)minus << 18 | b << 12 | 127;
    }
}

/*
 * First group: terms that add to `sum`.  Second: nothing, d places higher, so
 * that the first is aligned to it.
 */
static bool round_sum(int sum, unsigned d, TensixIsa isa)
{
    unsigned a, b;
    int left;

    start(TENSIX_FMT_TF32, false);
    tensix_set_isa(&f.core, isa);
    memset(f.core.s.src, 0, sizeof(f.core.s.src));
    do {
        left = sum < 0 ? -sum : sum;
        for (unsigned k = 0; left > 3937 && k < 7; k++) {
            a = fixture_random(&f) % 16;
            b = fixture_random(&f) % 64;
            set_term(k, a, b, 120, sum < 0);
            left -= (16 + a) * (64 + b);
        }
    } while (!find_factors(left, &a, &b));
    set_term(7, a, b, 120, sum < 0);
    set_term(8, 0, 0, 120 + d, false);
    set_term(9, 0, 0, 120 + d, true);
    want = f.core.s;
    matrix_oracle(&want, THREAD, TT(MVMUL));
    fixture_exec(&f, THREAD, TT(MVMUL, .addr_mode = STILL));
    return files_as_wanted();
}

static void test_rounding_twice(TensixIsa isa)
{
    static const int near[] = { 4095, 4096, 8190, 8191, 8192, 8193, 12288,
                                16382, 16383, 16384 };
    unsigned wrong = 0;

    for (unsigned d = 1; d < 18; d++) {
        for (unsigned n = 0; n < sizeof(near) / sizeof(near[0]); n++) {
            wrong += !round_sum(near[n], d, isa);
            wrong += !round_sum(-near[n], d, isa);
        }
    }
    ok_eq(wrong, 0, "sums near a tie are rounded twice, by %s",
          tensix_isa_names[isa]);
}

/* Everything that multiplies whole tiles, or blocks of one. */
static void test_tiles(TensixIsa isa)
{
    for (unsigned n = 0; n < sizeof(precisions) / sizeof(precisions[0]); n++) {
        test_fidelity(&precisions[n], isa);
        test_access(&precisions[n], isa);
    }
    for (unsigned n = 0; n < sizeof(arithmetics) / sizeof(arithmetics[0]); n++) {
        test_order(&arithmetics[n], isa);
        test_accumulation(&arithmetics[n], isa);
    }
}

/*
 * Where exponent 0 counts, a sum below 2^-126 is zero even if rounding it to
 * BF16 would make it 2^-126.
 */
static void test_early_underflow(TensixIsa isa)
{
    start(TENSIX_FMT_TF32, false);
    tensix_set_isa(&f.core, isa);
    f.core.s.cfg[0][2] = 1;        /* Zero_Flag_disabled_src */
    memset(f.core.s.src, 0, sizeof(f.core.s.src));
    f.core.s.src[TENSIX_SRCB][0][0][0] = 0x3ff00;
    f.core.s.src[TENSIX_SRCB][0][0][1] = 0x3ff01;
    fixture_exec(&f, THREAD, TT(ELWADD, .addr_mode = STILL));
    ok_eq(f.core.s.dst[0][0], 0, "a sum below 2^-126 is zero, by %s",
          tensix_isa_names[isa]);
    ok_eq(f.core.s.dst[0][1], 2, "one above it is rounded");
}

int main(void)
{
    test_trace();
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (tensix_isa_available(isa)) {
            test_rounding_twice(isa);
            test_early_underflow(isa);
        }
    }
    test_shuffles(TENSIX_SRCA);
    test_shuffles(TENSIX_SRCB);
    test_shift_a(false);
    test_shift_a(true);
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (tensix_isa_available(isa)) {
            test_tiles(isa);
        }
    }
    test_waits();
    test_release();
    return done_testing();
}
