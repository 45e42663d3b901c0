/*
 * Configuration Unit: every instruction, bank and side effect.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"

enum {
    WORDS = 224, THCON = 64, GLOBAL = 180,
    STATE_RESET = 4, PRNG_SEED = 186, SCRATCH = 209,
};

static CoreFixture f;
static TensixState want;

/* Random state; threads 0, 1, 2 use banks 1, 0, 1. */
static void start(void)
{
    fixture_clear_violations(&f);
    fixture_randomise(&f);
    for (unsigned t = 0; t < 3; t++) {
        f.core.s.thread_cfg[t][0] = t != 1;
    }
    f.core.s.soft_reset = 0;
    f.core.signals.changed = 0;
    want = f.core.s;
}

static unsigned bank_of(unsigned thread)
{
    return thread != 1;
}

/* One lane's generator, bit by bit: the new top bit is 31 ^ 21 ^ 1 ^ 0, negated. */
static uint32_t lfsr(uint32_t x)
{
    unsigned top = 1;

    for (unsigned n = 0; n < 32; n++) {
        if (n == 0 || n == 1 || n == 21 || n == 31) {
            top ^= x >> n & 1;
        }
    }
    return top * 0x80000000u + x / 2;
}

static void expect_seed(uint32_t seed)
{
    for (unsigned n = 0; n < 32 + 2 * 32; n++) {
        seed = lfsr(seed);
        if (n >= 32 && n % 2) {
            want.vu.prng[31 - (n - 32) / 2] = seed;
        }
    }
}

/* What a write through `mask` by any instruction but RMWCIB must do. */
static void expect_store(unsigned bank, unsigned word, uint32_t value)
{
    if (word >= GLOBAL) {
        want.cfg[0][word] = want.cfg[1][word] = value;
    } else {
        want.cfg[bank][word] = value;
    }
    if (word == STATE_RESET) {
        memset(want.cfg[bank], 0, GLOBAL * 4);
    }
    if (word == PRNG_SEED) {
        expect_seed(value);
    }
}

static void test_wrcfg(void)
{
    start();
    for (unsigned word = 0; word < WORDS; word++) {
        unsigned thread = word % 3, gpr = fixture_random(&f) & 63;

        expect_store(bank_of(thread), word, want.gpr[thread][gpr]);
        fixture_exec(&f, thread, 0xb0000000 | gpr << 16 | word);
    }
    fixture_ok_state(&f, &want, "WRCFG of every word");
    ok_eq(f.violation_count, 0, "WRCFG: no violation");
}

static void test_wrcfg_128(void)
{
    start();
    for (unsigned n = 0; n < WORDS; n++) {
        unsigned word = (n * 5) % WORDS, gpr = (n * 7) % 64;

        if (word / 4 == STATE_RESET / 4) {
            continue;              /* it has another test */
        }
        for (unsigned k = 0; k < 4; k++) {
            expect_store(0, word / 4 * 4 + k, want.gpr[1][gpr / 4 * 4 + k]);
        }
        fixture_exec(&f, 1, 0xb0008000 | gpr << 16 | word);
    }
    fixture_ok_state(&f, &want, "WRCFG of 128 bits aligns both indices");
}

static void test_rdcfg(void)
{
    start();
    for (unsigned word = 0; word < WORDS; word++) {
        unsigned thread = word % 3, gpr = fixture_random(&f) & 63;

        want.gpr[thread][gpr] = want.cfg[bank_of(thread)][word];
        fixture_exec(&f, thread, 0xb1000000 | gpr << 16 | word);
    }
    fixture_ok_state(&f, &want, "RDCFG of every word");
    ok_eq(f.violation_count, 0, "RDCFG: no violation");
}

static void test_setc16(void)
{
    start();
    for (unsigned n = 0; n < 68 * 3; n++) {
        unsigned index = n / 3, thread = n % 3;
        uint32_t value = fixture_random(&f) & 0xffff;

        want.thread_cfg[thread][index] = value;
        fixture_exec(&f, thread, 0xb2000000 | index << 16 | value);
    }
    fixture_ok_state(&f, &want, "SETC16 of every index in every thread");
    ok_eq(f.violation_count, 0, "SETC16: no violation");
}

static void test_context_counters(void)
{
    start();
    for (unsigned t = 0; t < 3; t++) {
        f.core.s.unpack_context[t][0] = want.unpack_context[t][0] = 3 + t;
        f.core.s.unpack_context[t][1] = want.unpack_context[t][1] = 5 + t;
    }
    fixture_run(&f, 2, 0xb2280101, "SETC16 of index 40");
    want.thread_cfg[2][40] = 0x0101;
    fixture_ok_state(&f, &want, "leaves the context counters");
    fixture_run(&f, 2, 0xb2290101, "SETC16 of UNPACK_MISC_CFG");
    want.thread_cfg[2][41] = 0x0101;
    want.unpack_context[2][0] = want.unpack_context[2][1] = 0;
    fixture_ok_state(&f, &want, "restarts the thread's context counters");
}

static void test_rmwcib(void)
{
    start();
    for (unsigned n = 0; n < 4 * WORDS; n++) {
        unsigned word = n / 4, byte = n % 4, thread = n % 3,
                 bank = bank_of(thread);
        uint32_t r = fixture_random(&f) & 0xffff, mask = r >> 8,
                 data = r & 0xff;
        uint32_t old = want.cfg[bank][word], value = old;
        unsigned char *at = (unsigned char *)&value;

        /* The host may be big-endian: find the byte by its weight. */
        if (*(unsigned char *)&(uint32_t) { 1 } != 1) {
            at += 3 - byte;
        } else {
            at += byte;
        }
        *at = (*at & ~mask) | (data & mask);
        want.cfg[bank][word] = value;
        if (word >= GLOBAL) {
            want.cfg[!bank][word] = value;
        }
        if (word == PRNG_SEED) {
            expect_seed(value);
        }
        fixture_exec(&f, thread,
                     (0xb3u + byte) << 24 | mask << 16 | data << 8 | word);
    }
    fixture_ok_state(&f, &want,
                     "RMWCIB of every byte; STATE_RESET_EN is plain to it");
    ok_eq(f.violation_count, 0, "RMWCIB: no violation");
}

static void test_state_reset(void)
{
    start();
    want.gpr[0][0] = f.core.s.gpr[0][0] = 0;
    memset(want.cfg[1], 0, GLOBAL * 4);
    fixture_run(&f, 0, 0xb0000004, "WRCFG of 0 to STATE_RESET_EN");
    fixture_ok_state(&f, &want, "clears words 0 to 179 of its bank");
    start();
    memset(want.cfg[0], 0, GLOBAL * 4);
    for (unsigned k = 1; k < 4; k++) {
        want.cfg[0][4 + k] = want.gpr[1][k];
    }
    fixture_run(&f, 1, 0xb0008005, "WRCFG of 128 bits over STATE_RESET_EN");
    fixture_ok_state(&f, &want, "clears, then writes the other three words");
}

static void test_thcon_reset(void)
{
    start();
    f.core.s.soft_reset = want.soft_reset = 1 << 9;
    for (unsigned word = 0; word < WORDS; word++) {
        if (word == STATE_RESET) {
            continue;
        }
        if (word < THCON || word >= GLOBAL) {
            expect_store(1, word, 0x12340000 + word);
        }
        tensix_cfg_store(&f.core, 1, word, 0x12340000 + word, ~0u);
    }
    fixture_ok_state(&f, &want, "soft reset bit 9 holds words 64 to 179");
}

/* The window: both banks, the first one again, ThreadConfig, nothing. */
static void test_window(void)
{
    enum { THREADS_AT = 3 * WORDS, THREAD_WORDS = 68, END = 3 * (WORDS + 68) };
    unsigned wrong = 0;

    start();
    for (unsigned word = 0; word < END + 2; word++) {
        unsigned n = word - THREADS_AT;
        uint32_t expected = word < THREADS_AT ? want.cfg[word / WORDS % 2]
                                                        [word % WORDS]
                            : word < END ? want.thread_cfg[n / THREAD_WORDS]
                                                          [n % THREAD_WORDS]
                                         : 0;

        wrong += tensix_cfg_read(&f.core, 4 * word) != expected;
    }
    ok_eq(wrong, 0, "every word of the window reads as what it shows");
}

/* Word 2048 would be the first beyond the field; 223 is the last that exists. */
static void test_bad_indices(void)
{
    static const uint32_t bad[] = {
        0xb00000e0, 0xb00080e0, 0xb00007ff, 0xb00087ff, 0xb10000e0, 0xb13f07ff,
        0xb2440001, 0xb2ffffff, 0xb3ffffe0, 0xb4ffffff, 0xb5ffffe0, 0xb6fffffe,
        0xb70000e0, 0xb77fffff, 0xb80000e0, 0xb8ffffff,
    };

    for (unsigned n = 0; n < sizeof(bad) / sizeof(bad[0]); n++) {
        start();
        ok_eq(fixture_exec(&f, 2, bad[n]), TENSIX_DONE, "0x%08x completes",
              bad[n]);
        ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1, "and is reported");
        fixture_ok_state(&f, &want, "and does nothing");
    }
    start();
    tensix_cfg_store(&f.core, 0, WORDS, 1, ~0u);
    tensix_cfg_store(&f.core, 1, UINT32_MAX, 1, ~0u);
    fixture_ok_state(&f, &want, "a store beyond the last word");
}

static void test_streamwrcfg(void)
{
    start();
    for (unsigned n = 0; n < TENSIX_STREAMS * FIXTURE_STREAM_REGS; n++) {
        f.stream[n / FIXTURE_STREAM_REGS][n % FIXTURE_STREAM_REGS] =
            n * 2654435761u;
    }
    for (unsigned n = 0; n < 64; n++) {
        unsigned select = n % 4, reg = (n * 37) & 1023, word = 20 + n * 3,
                 thread = n % 3;
        unsigned stream = want.thread_cfg[thread][59 + select] & 63;

        expect_store(bank_of(thread), word, f.stream[stream][reg]);
        fixture_exec(&f, thread, 0xb7000000 | select << 21 | reg << 11 | word);
    }
    fixture_ok_state(&f, &want, "STREAMWRCFG of four selectors");
    f.core.host.stream_read = NULL;
    expect_store(bank_of(0), 12, 0);
    fixture_run(&f, 0, 0xb700000c, "STREAMWRCFG with no overlay");
    fixture_ok_state(&f, &want, "reads zero");
    fixture_init(&f);
}

/* What invalidate_code() was called with, all times together. */
static uint32_t invalidated;

static void invalidate_code(void *opaque, uint32_t harts)
{
    invalidated |= harts;
}

static void test_invalidate_code(void)
{
    enum { IC_INVALIDATE = 185, HIGH_BITS = 0xffffffe0u };

    start();
    invalidated = 0;
    f.core.host.invalidate_code = invalidate_code;
    tensix_cfg_store(&f.core, 0, IC_INVALIDATE, HIGH_BITS, UINT32_MAX);
    tensix_cfg_store(&f.core, 0, IC_INVALIDATE - 1, 0x1f, UINT32_MAX);
    ok_eq(invalidated, 0, "no bit of a hart, no cache is emptied");
    tensix_cfg_store(&f.core, 1, IC_INVALIDATE, 0x1f, 0x12);
    ok_eq(invalidated, 0x12, "the caches of the bits that are written");
    tensix_cfg_store(&f.core, 0, IC_INVALIDATE, 0x1f, UINT32_MAX);
    ok_eq(invalidated, 0x1f, "all of them");
    fixture_init(&f);
}

/* Bit n of the result field by bit: nothing of the unit's own arithmetic. */
static uint32_t turn_right(uint32_t x, unsigned amount)
{
    uint32_t r = 0;

    for (unsigned n = 0; n < 32; n++) {
        r |= (x >> ((n + amount) % 32) & 1u) << n;
    }
    return r;
}

static uint32_t shiftmask_oracle(uint32_t word, uint32_t scratch,
                                 uint32_t value)
{
    unsigned width = (word >> 15 & 31) + 1, amount = word >> 10 & 31;
    uint32_t field = width == 32 ? UINT32_MAX : (1u << width) - 1;
    uint32_t s = turn_right(scratch & field, amount), neg = UINT32_MAX - s;

    if (!(word >> 23)) {
        value &= UINT32_MAX - turn_right(field, amount);
    }
    return (uint32_t[]){
        value | s,   value & s,   value ^ s,   value + s,
        value | neg, value & neg, value ^ neg, value + neg + 1
    }[word >> 20 & 7];
}

static void test_cfgshiftmask(void)
{
    bool good = true;

    start();
    for (unsigned n = 0; n < 100000; n++) {
        uint32_t r = fixture_random(&f) & 0xffffff, word = r & 0xff,
                 select = r >> 8 & 3;
        unsigned thread = n % 3, bank = bank_of(thread);
        uint32_t scratch =
                     want.cfg[0][SCRATCH + (select < 3 ? select : thread)],
                 value;

        if (word >= WORDS || word == STATE_RESET) {
            continue;
        }
        value = shiftmask_oracle(r, scratch, want.cfg[bank][word]);
        expect_store(bank, word, value);
        fixture_exec(&f, thread, 0xb8000000 | r);
        good = good && f.core.s.cfg[bank][word] == value;
    }
    ok(good, "CFGSHIFTMASK of random fields, modes and words");
    fixture_ok_state(&f, &want, "CFGSHIFTMASK");
    ok_eq(f.violation_count, 0, "CFGSHIFTMASK: no violation");
}

/* A reset leaves the generators as PRNG_SEED = 0 does, not at 0. */
static void test_prng_after_reset(void)
{
    want = f.core.s;
    expect_seed(0);
    fixture_ok_state(&f, &want, "a reset seeds the PRNGs with 0");
    ok(f.core.s.vu.prng[0], "which does not leave lane 0's at 0");
}

int main(void)
{
    fixture_init(&f);
    test_prng_after_reset();
    test_wrcfg();
    test_wrcfg_128();
    test_rdcfg();
    test_setc16();
    test_context_counters();
    test_rmwcib();
    test_state_reset();
    test_thcon_reset();
    test_window();
    test_bad_indices();
    test_streamwrcfg();
    test_invalidate_code();
    test_cfgshiftmask();
    return done_testing();
}
