/*
 * Matrix Unit control: counters, ZEROACC, ZEROSRC, owners of Src banks; and
 * UNPACR_NOP, which is their counterpart on the unpackers' side.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"

enum { ROUNDS = 3000, MINUS_INF = 0x7ffff };

static CoreFixture f;
static TensixState want;

static uint32_t random_below(uint32_t n)
{
    return fixture_random(&f) % n;
}

static void random_rwc(TensixRwc *r)
{
    r->Dst = random_below(1024);
    r->Dst_Cr = random_below(1024);
    r->SrcA = random_below(64);
    r->SrcA_Cr = random_below(64);
    r->SrcB = random_below(64);
    r->SrcB_Cr = random_below(64);
    r->FidelityPhase = random_below(4);
}

static bool rwc_equal(unsigned thread)
{
    return !memcmp(&f.core.s.rwc[thread], &want.rwc[thread], sizeof(TensixRwc));
}

static bool banks_equal(void)
{
    const TensixState *s = &f.core.s;

    return !memcmp(s->src_client, want.src_client, sizeof(want.src_client)) &&
           !memcmp(s->matrix_bank, want.matrix_bank,
                   sizeof(want.matrix_bank)) &&
           !memcmp(s->unpack_bank, want.unpack_bank,
                   sizeof(want.unpack_bank)) &&
           !memcmp(s->src_format, want.src_format, sizeof(want.src_format)) &&
           !memcmp(s->src_row, want.src_row, sizeof(want.src_row));
}

static void random_banks(void)
{
    TensixState *s = &f.core.s;

    for (unsigned src = 0; src < 2; src++) {
        s->matrix_bank[src] = random_below(2);
        s->unpack_bank[src] = random_below(2);
        for (unsigned bank = 0; bank < 2; bank++) {
            s->src_client[src][bank] = random_below(2);
            s->src_format[src][bank] = random_below(16);
        }
    }
}

/* Which rows of SrcA SHIFTXA takes: those of the instruction before it. */
static void test_last_row(void)
{
    enum { THREAD = 1, ROW = 37, FIRST = 32, ROWS = 16, RIGHT = 2 };
    const struct {
        const char *name;
        uint32_t word;
    } before[] = {
        { "MVMUL", TT(MVMUL) }, { "ELWADD", TT(ELWADD) },
        { "ELWSUB", TT(ELWSUB) }, { "ELWMUL", TT(ELWMUL) },
    };

    for (unsigned n = 0; n < sizeof(before) / sizeof(before[0]); n++) {
        uint32_t (*rows)[TENSIX_COLUMNS] = f.core.s.src[TENSIX_SRCA][0];
        unsigned wrong = 0;

        fixture_init(&f);
        for (unsigned cell = 0; cell < TENSIX_SRC_ROWS * TENSIX_COLUMNS; cell++) {
            rows[cell / TENSIX_COLUMNS][cell % TENSIX_COLUMNS] = cell;
        }
        f.core.s.src_client[TENSIX_SRCA][0] = TENSIX_CLIENT_MATRIX_UNIT;
        f.core.s.src_client[TENSIX_SRCB][0] = TENSIX_CLIENT_MATRIX_UNIT;
        f.core.s.rwc[THREAD].SrcA = ROW;
        fixture_exec(&f, THREAD, before[n].word);
        fixture_exec(&f, THREAD, TT(SHIFTXA, .shift_mode = RIGHT));
        ok(strstr(f.violation_text, "SrcA rows 32 to 47"), "which are reported");
        for (unsigned row = 0; row < ROWS; row++) {
            for (unsigned j = 1; j < TENSIX_COLUMNS; j++) {
                wrong += rows[row][j] != (FIRST + row) * TENSIX_COLUMNS + j - 1;
            }
        }
        ok_eq(wrong, 0, "SHIFTXA after %s takes the rows that it had",
              before[n].name);
    }
}

/* WH SETRWC.md for one thread, fields as plain numbers. */
static void setrwc_oracle(TensixRwc *r, unsigned mask, unsigned a, unsigned b,
                          unsigned d, unsigned cr)
{
    if (mask % 2) {
        r->SrcA_Cr = r->SrcA = ((cr % 2 ? r->SrcA_Cr : 0) + a) % 64;
    }
    if (mask / 2 % 2) {
        r->SrcB_Cr = r->SrcB = ((cr / 2 % 2 ? r->SrcB_Cr : 0) + b) % 64;
    }
    if (cr / 8) {
        r->Dst_Cr = r->Dst = (r->Dst + d) % 1024;
    } else if (mask / 4 % 2) {
        r->Dst_Cr = r->Dst = ((cr / 4 % 2 ? r->Dst_Cr : 0) + d) % 1024;
    }
    if (mask / 8 % 2) {
        r->FidelityPhase = 0;
    }
}

static void flip_matrix(unsigned src, bool give_back)
{
    if (give_back) {
        want.src_client[src][want.matrix_bank[src]] = TENSIX_CLIENT_UNPACKERS;
    }
    want.matrix_bank[src] = !want.matrix_bank[src];
}

static void test_setrwc(void)
{
    unsigned wrong = 0, wrong_banks = 0;

    for (unsigned n = 0; n < ROUNDS; n++) {
        unsigned t = n % 3, mask = n % 16, cr = n / 16 % 16,
                 clear = n / 256 % 4;
        unsigned a = random_below(16), b = random_below(16),
                 d = random_below(16);
        unsigned disable = random_below(4);

        random_rwc(&f.core.s.rwc[t]);
        random_banks();
        f.core.s.thread_cfg[t][7] = disable;
        want = f.core.s;
        setrwc_oracle(&want.rwc[t], mask, a, b, d, cr);
        if (clear & 1) {
            flip_matrix(0, !(disable & 1));
        }
        if (clear & 2) {
            flip_matrix(1, !(disable & 2));
        }
        fixture_exec(&f, t,
                     0x37u << 24 | clear << 22 | cr << 18 | d << 14 | b << 10 |
                         a << 6 | mask);
        wrong += !rwc_equal(t);
        wrong_banks += !banks_equal();
    }
    ok_eq(wrong, 0, "SETRWC: all masks and CR bits");
    ok_eq(wrong_banks, 0, "SETRWC: flips banks, gives back unless disabled");
    ok_eq(f.violation_count, 0, "SETRWC: no violation");
    fixture_exec(&f, 0, 0x37000010);
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
          "SETRWC: mask bit 4 is undefined");
    fixture_exec(&f, 0, 0x37000020);
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 2,
          "SETRWC: mask bit 5 is undefined");
}

static void incrwc_oracle(uint32_t *value, uint32_t *copy, bool cr,
                          unsigned step, unsigned mod)
{
    if (cr) {
        *copy = (*copy + step) % mod;
        *value = *copy;
    } else {
        *value = (*value + step) % mod;
    }
}

static void test_incrwc(void)
{
    unsigned wrong = 0;

    for (unsigned n = 0; n < ROUNDS; n++) {
        unsigned t = n % 3, cr = n % 8;
        unsigned a = random_below(16), b = random_below(16),
                 d = random_below(16);
        TensixRwc *r = &want.rwc[t];

        random_rwc(&f.core.s.rwc[t]);
        want = f.core.s;
        incrwc_oracle(&r->SrcA, &r->SrcA_Cr, cr & 1, a, 64);
        incrwc_oracle(&r->SrcB, &r->SrcB_Cr, cr & 2, b, 64);
        incrwc_oracle(&r->Dst, &r->Dst_Cr, cr & 4, d, 1024);
        fixture_exec(&f, t,
                     0x38u << 24 | cr << 18 | d << 14 | b << 10 | a << 6);
        wrong += !rwc_equal(t);
    }
    ok_eq(wrong, 0, "INCRWC: all CR bits");
}

/* --- ZEROACC --- */

static uint32_t zeroacc(unsigned mode, bool wide, bool revert,
                        unsigned addr_mod, unsigned where)
{
    return 0x10u << 24 | mode << 19 | (uint32_t)wide << 18 |
           (uint32_t)revert << 17 | addr_mod << 14 | where;
}

static unsigned rows_differ(void)
{
    unsigned n = 0;

    for (unsigned row = 0; row < TENSIX_DST_ROWS; row++) {
        n += !f.core.s.dst_row_valid[row] != !want.dst_row_valid[row];
    }
    return n;
}

/* Physical row of a 32-bit row without remapping. */
static unsigned high_half(unsigned row)
{
    return row / 8 % 64 * 16 % 1024 + row % 8;
}

static void fresh(unsigned thread)
{
    fixture_init(&f);
    f.core.s.thread_cfg[thread][28 + 3] = 5;     /* AddrMod 3: Dst + 5 */
    want = f.core.s;
}

static void test_zeroacc_row(void)
{
    fresh(1);
    f.core.s.thread_cfg[1][1] = 1000;
    f.core.s.rwc[1].Dst = 20;
    f.core.s.cfg[0][6] = 7;
    fixture_run(&f, 1, zeroacc(0, 0, 0, 3, 9), "ZEROACC of one row");
    want.dst_row_valid[(1000 + 20 + 7 + 9) % 1024] = 0;
    ok_eq(rows_differ(), 0, "ZEROACC of one row: modulo 1024");
    ok_eq(f.core.s.rwc[1].Dst, 25, "ZEROACC of one row: AddrMod");
    fresh(1);
    f.core.s.cfg[0][1] = 1 << 29;                /* Fp32_enabled */
    fixture_run(&f, 1, zeroacc(0, 0, 0, 0, 100), "ZEROACC of one 32-bit row");
    want.dst_row_valid[high_half(100)] = 0;
    ok_eq(rows_differ(), 0, "ZEROACC of one 32-bit row: its high half");
    fresh(1);
    f.core.s.cfg[0][1] = 1u << 31;               /* INT8_math_enabled */
    fixture_run(&f, 1, zeroacc(0, 0, 0, 0, 17), "ZEROACC of one integer row");
    want.dst_row_valid[high_half(17)] = 0;
    ok_eq(rows_differ(), 0, "ZEROACC of one integer row: its high half");
}

/* Block k of 16 rows, the Matrix Unit's base at `base`. */
static void zeroacc_block(bool wide, bool absolute, unsigned base, unsigned k)
{
    unsigned block = k, limit = wide ? 32 : 64;

    fresh(2);
    f.core.s.cfg[0][220] = f.core.s.cfg[1][220] = absolute << 3;
    f.core.s.thread_cfg[2][1] = base;
    if (!absolute && wide && base >= 256) {
        block += 16;
    } else if (!absolute && !wide && base >= 512) {
        block += 32;
    }
    for (unsigned r = 0; r < 16 && block < limit; r++) {
        unsigned row = block * 16 + r;

        want.dst_row_valid[wide ? high_half(row) : row] = 0;
    }
    fixture_exec(&f, 2, zeroacc(1, wide, 0, 3, k));
}

static void test_zeroacc_blocks(void)
{
    static const unsigned bases[] = { 0, 255, 256, 511, 512, 767, 768, 1023 };
    unsigned wrong = 0, reports = 0, expected = 0, unmoved = 0;

    for (unsigned n = 0; n < 8 * 4 * 64; n++) {
        bool wide = n & 1, absolute = n & 2;
        unsigned base = bases[n / 4 % 8], k = n / 32;

        zeroacc_block(wide, absolute, base, k);
        wrong += rows_differ();
        unmoved += f.core.s.rwc[2].Dst != 5;
        reports += f.violations[TENSIX_NON_CONTRACTUAL];
        expected += !memchr(want.dst_row_valid, 0, sizeof(want.dst_row_valid));
    }
    ok_eq(wrong, 0,
          "ZEROACC of 16 rows: absolute and relative, 16 and 32 bits");
    ok_eq(unmoved, 0,
          "ZEROACC of 16 rows: AddrMod, even where there is no such block");
    ok_eq(reports, expected,
          "ZEROACC of 16 rows: a block that is not there is reported");
    ok(expected, "ZEROACC of 16 rows: there were such blocks");
    zeroacc_block(false, true, 0, 3);
    fixture_clear_violations(&f);
    fixture_exec(&f, 2, zeroacc(1, 0, 0, 0, 0x100 + 3));
    ok(f.violations[TENSIX_NON_CONTRACTUAL] == 1 && !rows_differ(),
       "ZEROACC of 16 rows: only 8 bits select the block");
}

static void test_zeroacc_rest(void)
{
    fresh(0);
    fixture_run(&f, 0, zeroacc(2, 0, 0, 3, 0), "ZEROACC of the low half");
    memset(want.dst_row_valid, 0, 512);
    ok(!rows_differ() && f.core.s.rwc[0].Dst == 0,
       "ZEROACC of the low half: no AddrMod");
    fixture_run(&f, 0, zeroacc(2, 1, 0, 3, 1), "ZEROACC of the high half");
    memset(&want.dst_row_valid[512], 0, 512);
    ok_eq(rows_differ(), 0, "ZEROACC of the high half");
    fresh(0);
    fixture_run(&f, 0, zeroacc(3, 0, 0, 3, 0), "ZEROACC of all");
    memset(want.dst_row_valid, 0, 1024);
    ok(!rows_differ() && f.core.s.rwc[0].Dst == 0,
       "ZEROACC of all: no AddrMod");
    /* LLK's workaround: wide blocks become valid again */
    fixture_run(&f, 0, zeroacc(1, 1, 1, 0, 2),
                "ZEROACC with clear_zero_flags, wide block");
    for (unsigned r = 32; r < 48; r++) {
        want.dst_row_valid[high_half(r)] = 1;
    }
    ok_eq(rows_differ(), 0, "ZEROACC with clear_zero_flags: valid again");
    fixture_clear_violations(&f);
    fixture_exec(&f, 0, zeroacc(3, 0, 1, 0, 0));
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
          "ZEROACC with clear_zero_flags is undefined otherwise");
    fresh(0);
    f.core.s.soft_reset = 1 << 17;
    fixture_run(&f, 0, zeroacc(3, 0, 0, 0, 0), "ZEROACC in soft reset");
    ok_eq(rows_differ(), 0, "ZEROACC in soft reset: discarded");
}

/* --- ZEROSRC --- */

static void fill_src(void)
{
    uint32_t *x = &f.core.s.src[0][0][0][0];

    for (unsigned n = 0; n < sizeof(f.core.s.src) / sizeof(*x); n++) {
        x[n] = 1 + random_below(0x7fffe);
    }
}

static void expect_bank(unsigned src, unsigned bank, uint32_t value)
{
    for (unsigned n = 0; n < 64 * 16; n++) {
        want.src[src][bank][n / 16][n % 16] = value;
    }
}

static bool src_equal(void)
{
    return !memcmp(f.core.s.src, want.src, sizeof(want.src));
}

static void test_zerosrc(void)
{
    unsigned wrong = 0;

    fixture_init(&f);
    for (unsigned n = 0; n < 32 * 16; n++) {
        bool both = n & 4, matrix = n & 8, minus = n & 16;

        random_banks();
        fill_src();
        want = f.core.s;
        for (unsigned src = 0; src < 2; src++) {
            unsigned bank =
                matrix ? want.matrix_bank[src] : want.unpack_bank[src];

            if (!(n >> src & 1)) {
                continue;
            }
            expect_bank(src, bank, minus && !src ? MINUS_INF : 0);
            if (both) {
                expect_bank(src, !bank, minus && !src ? MINUS_INF : 0);
            }
        }
        fixture_exec(&f, 1, 0x11000000 | n % 32);
        wrong += !src_equal() || !banks_equal();
    }
    ok_eq(wrong, 0, "ZEROSRC: sources, banks, values");
}

/* --- owners --- */

static void test_cleardvalid(void)
{
    unsigned wrong = 0;

    fixture_init(&f);
    f.core.s.thread_cfg[0][7] = 3;               /* does not matter here */
    for (unsigned n = 0; n < ROUNDS; n++) {
        bool keep = n & 4;

        random_banks();
        want = f.core.s;
        for (unsigned src = 0; src < 2; src++) {
            if (n >> src & 1) {
                want.src_client[src][want.matrix_bank[src]] =
                    TENSIX_CLIENT_UNPACKERS;
                want.matrix_bank[src] ^= !keep;
            }
        }
        fixture_exec(&f, 0, 0x36000000 | (n & 3) << 22 | keep << 1);
        wrong += !banks_equal();
    }
    ok_eq(wrong, 0, "CLEARDVALID: gives banks back, keeps reading on request");
    random_banks();
    f.core.s.src_client[1][1] = TENSIX_CLIENT_MATRIX_UNIT;
    want = f.core.s;
    memset(want.src_client, 0, sizeof(want.src_client));
    memset(want.matrix_bank, 0, sizeof(want.matrix_bank));
    memset(want.unpack_bank, 0, sizeof(want.unpack_bank));
    memset(want.src_format, 0, sizeof(want.src_format));
    fixture_exec(&f, 0, 0x36000001);
    ok(banks_equal(), "CLEARDVALID: reset");
    ok_eq(f.violations[TENSIX_NON_CONTRACTUAL], 1,
          "CLEARDVALID: reset is reported");
}

static void give(unsigned thread, unsigned src, int format)
{
    unsigned bank = want.unpack_bank[src];

    want.src_client[src][bank] = TENSIX_CLIENT_MATRIX_UNIT;
    if (format >= 0) {
        want.src_format[src][bank] = format;
    }
    want.unpack_bank[src] = !bank;
    want.src_row[src][thread] = want.thread_cfg[thread][5 + src] % 4 * 16;
}

static void test_setdvalid(void)
{
    unsigned wrong = 0;

    fixture_init(&f);
    f.core.s.thread_cfg[2][5] = 1;
    f.core.s.thread_cfg[2][6] = 2;
    for (unsigned n = 0; n < 64; n++) {
        random_banks();
        want = f.core.s;
        for (unsigned src = 0; src < 2; src++) {
            if (n >> src & 1) {
                give(2, src, -1);
            }
        }
        fixture_exec(&f, 2, 0x57000000 | (n & 3));
        wrong += !banks_equal();
    }
    ok_eq(wrong, 0, "SETDVALID: as on Wormhole");
    ok_eq(f.violations[TENSIX_UNPREDICTABLE_VALUE], 64, "SETDVALID: reported");
}

static void test_gatesrcrst(void)
{
    fixture_init(&f);
    random_banks();
    want = f.core.s;
    fixture_run(&f, 0, 0x35000001, "GATESRCRST of SrcA");
    fixture_run(&f, 0, 0x35000002, "GATESRCRST of SrcB");
    fixture_ok_state(&f, &want, "GATESRCRST shows nowhere");
}

/* --- UNPACR_NOP --- */

enum {
    NOP_CLEAR = 1,
    NOP_NOTHING = 2,
    NOP_MINUS_INF = 1 << 2,
    NOP_BOTH = 1 << 4,
    NOP_LIKE_UNPACR = 1 << 5,
    NOP_FORMAT = 3 << 6,
    NOP_DVALID = 1 << 8
};

static TensixResult nop(unsigned unpacker, uint32_t bits)
{
    return fixture_exec(&f, 1, 0x43000000 | unpacker << 23 | bits);
}

static void test_unpacr_nop_clear(void)
{
    unsigned wrong = 0, waits = 0, wrong_waits = 0;

    fixture_init(&f);
    f.core.s.thread_cfg[1][5] = 3;
    f.core.s.thread_cfg[1][6] = 1;
    f.core.s.cfg[0][72] = 6;
    f.core.s.cfg[0][120] = 11;
    for (unsigned n = 0; n < ROUNDS; n++) {
        unsigned src = n & 1;
        bool like = n & 2, dvalid = n & 4, minus = n & 8;
        unsigned bank, awaited;
        TensixResult got;

        random_banks();
        fill_src();
        want = f.core.s;
        bank = want.unpack_bank[src];
        awaited = like ? bank : want.matrix_bank[src];
        got = nop(src, NOP_CLEAR | minus * NOP_MINUS_INF |
                           like * NOP_LIKE_UNPACR | dvalid * NOP_DVALID);
        if (want.src_client[src][awaited] == TENSIX_CLIENT_MATRIX_UNIT) {
            waits++;
            wrong_waits += got != TENSIX_RETRY;
        } else {
            expect_bank(src, bank, minus ? MINUS_INF : 0);
            if (dvalid) {
                give(1, src, src ? 11 : 6);
            }
            wrong += got != TENSIX_DONE;
        }
        wrong += !src_equal() || !banks_equal();
    }
    ok_eq(wrong, 0, "UNPACR_NOP: clears, gives the bank away");
    ok_eq(wrong_waits, 0,
          "UNPACR_NOP: waits for the bank and changes nothing meanwhile");
    ok(waits > 100, "UNPACR_NOP: there were waits");
    ok_eq(f.violation_count, 0, "UNPACR_NOP: no violation");
}

static void test_unpacr_nop_rest(void)
{
    fixture_init(&f);
    fill_src();
    want = f.core.s;
    expect_bank(0, 0, 0);
    expect_bank(0, 1, 0);
    ok(nop(0, NOP_CLEAR | NOP_BOTH) == TENSIX_DONE && src_equal() &&
           f.violations[TENSIX_NON_CONTRACTUAL] == 1,
       "UNPACR_NOP: both banks, reported");
    ok(nop(1, NOP_NOTHING) == TENSIX_DONE && src_equal() && banks_equal() &&
       f.violation_count == 1, "UNPACR_NOP that does nothing");
    give(1, 1, 0);
    ok(nop(1, NOP_CLEAR | NOP_FORMAT) == TENSIX_DONE && src_equal() &&
           banks_equal(),
       "UNPACR_NOP that only gives the bank away");
    f.core.s.matrix_bank[0] = 0;
    f.core.s.src_client[0][0] = TENSIX_CLIENT_UNPACKERS;
    fixture_clear_violations(&f);
    want = f.core.s;
    ok(nop(0, 3 | 1 << 2) == TENSIX_DONE &&
           f.violations[TENSIX_UNIMPLEMENTED] == 1 && src_equal() &&
           banks_equal(),
       "UNPACR_NOP: a mode that is not implemented");
}

int main(void)
{
    fixture_init(&f);
    test_setrwc();
    test_incrwc();
    test_zeroacc_row();
    test_zeroacc_blocks();
    test_zeroacc_rest();
    test_zerosrc();
    test_cleardvalid();
    test_setdvalid();
    test_gatesrcrst();
    test_unpacr_nop_clear();
    test_unpacr_nop_rest();
    test_last_row();
    return done_testing();
}
