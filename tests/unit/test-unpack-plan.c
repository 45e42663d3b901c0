/*
 * UNPACR keeps what it made of its configuration: it must not keep it too long.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each bit of the configuration that an unpacker may read is changed after an
 * UNPACR; the next one has to do what it does on a core that never saw the
 * configuration before.
 */

#include <string.h>

#include "tap.h"
#include "unpack-oracle.h"
#include "frontend/frontend.h"

enum {
    THREAD = 1,
    DATUMS = 64,
    WORD_BITS = 32,
    SECTION = 64, SECTION_WORDS = 48, USED_WORDS = 32,
    COMMON = 48, COMMON_WORDS = 16,
    THREAD_WORD_SRCA_SET = 5, THREAD_WORD_CONTEXTS = 41,
};

static CoreFixture f;
static TensixCore fresh, kept;

typedef struct Outcome {
    TensixResult result;
    unsigned violations[TENSIX_CATEGORIES];
    char text[sizeof(f.violation_text)];
} Outcome;

/* Past the fixture, which takes each instruction for a new state. */
static Outcome execute(uint32_t word)
{
    const TensixInsn i = {
        .word = word, .thread = THREAD, .mop_position = TENSIX_NO_POSITION,
        .replay_slot = TENSIX_NO_POSITION,
    };
    Outcome o;

    fixture_clear_violations(&f);
    memset(f.violation_text, 0, sizeof(f.violation_text));
    o.result = tensix_execute(&f.core, &i);
    memcpy(o.violations, f.violations, sizeof(o.violations));
    memcpy(o.text, f.violation_text, sizeof(o.text));
    return o;
}

/* Does the core do the same whether or not it has plans? */
static bool same_without_plans(uint32_t word)
{
    Outcome with, without;

    kept = f.core;
    tensix_derived_invalidate(&f.core);
    without = execute(word);
    fresh = f.core;
    f.core = kept;
    with = execute(word);
    return !memcmp(&with.violations, &without.violations,
                   sizeof(with.violations)) &&
           with.result == without.result && !strcmp(with.text, without.text) &&
           !memcmp(&f.core.s, &fresh.s, sizeof(fresh.s));
}

/* All bits of `words` words from `first` on; how many were kept. */
static unsigned flip_words(const TensixCore *base, unsigned first, unsigned words,
                           uint32_t word)
{
    unsigned wrong = 0;

    for (unsigned bit = 0; bit < words * WORD_BITS; bit++) {
        unsigned at = first + bit / WORD_BITS;

        f.core = *base;
        tensix_cfg_store(&f.core, 0, at,
                         base->s.cfg[0][at] ^ 1u << bit % WORD_BITS, UINT32_MAX);
        wrong += !same_without_plans(word);
    }
    return wrong;
}

static unsigned flip_thread_word(const TensixCore *base, unsigned index,
                                 uint32_t word)
{
    unsigned wrong = 0;

    for (unsigned bit = 0; bit < 16; bit++) {
        f.core = *base;
        f.core.s.thread_cfg[THREAD][index] ^= 1u << bit;
        wrong += !same_without_plans(word);
    }
    return wrong;
}

static void set_counters(uint32_t unpacker)
{
    TensixAdc *adc = &f.core.s.adc[THREAD][unpacker];

    memset(f.core.s.adc, 0, sizeof(f.core.s.adc));
    adc->channel[1].X = DATUMS - 1;
    adc->channel[0].Z = adc->channel[0].W = 1;
    adc->channel[1].Y = adc->channel[1].Z = adc->channel[1].W = 1;
}

static void test_flips(const char *name, const UnpackCase *k)
{
    static TensixCore base;
    uint32_t word;
    unsigned wrong;

    fixture_init(&f);
    for (unsigned n = 0; n < FIXTURE_L1_SIZE; n++) {
        f.l1[n] = fixture_random(&f);
    }
    word = oracle_setup(&f, k);
    set_counters(k->unpacker);
    tensix_state_loaded(&f.core);
    base = f.core;
    execute(word);
    base.derived = f.core.derived;
    ok(f.violation_count == 0, "%s: defined", name);
    wrong = flip_words(&base, SECTION + SECTION_WORDS * k->unpacker,
                       USED_WORDS, word);
    wrong += flip_words(&base, COMMON, COMMON_WORDS, word);
    wrong += flip_words(&base, 1, 1, word);
    wrong += flip_thread_word(&base, THREAD_WORD_SRCA_SET, word);
    wrong += flip_thread_word(&base, THREAD_WORD_CONTEXTS, word);
    ok_eq(wrong, 0, "%s: each bit counts at once", name);
}

/* The other bank of configuration, other operands, another thread. */
static void test_changes(void)
{
    UnpackCase k = { .thread = THREAD, .in = O_BF16, .out = O_BF16,
                     .x_dim = DATUMS, .y_dim = 1, .ovrd_address = true,
                     .out_base = 128 };
    uint32_t word;

    fixture_init(&f);
    word = oracle_setup(&f, &k);
    memcpy(f.core.s.cfg[1], f.core.s.cfg[0], sizeof(f.core.s.cfg[1]));
    f.core.s.cfg[1][SECTION] = O_FP16 | 1 << 4 | DATUMS << 16;
    f.core.s.cfg[1][SECTION + 8] = O_FP16;
    memset(f.l1, 0x5a, sizeof(f.l1));
    set_counters(0);
    tensix_state_loaded(&f.core);
    execute(word);
    f.core.s.thread_cfg[THREAD][0] = 1;
    ok(same_without_plans(word), "the other bank");
    for (unsigned bit = 0; bit < 24; bit++) {
        f.core.s.thread_cfg[THREAD][0] = bit & 1;
        ok(same_without_plans(word ^ 1u << bit), "operand bit %u", bit);
    }
}

int main(void)
{
    static const struct { const char *name; UnpackCase k; } cases[] = {
        { "BF16", { .in = O_BF16, .out = O_BF16, .ovrd_address = true,
                    .out_base = 128 } },
        { "FP8", { .in = O_FP8, .out = O_FP8, .ovrd_address = true,
                   .out_base = 64 } },
        { "INT8, SrcB", { .in = O_INT8, .out = O_INT8, .unpacker = 1 } },
        { "BFP8, SrcB, context 1",
          { .in = O_BFP8, .out = O_BFP8, .unpacker = 1, .multi = true,
            .context = 1, .override_format = true } },
        { "BFP4 with a forced exponent, context 6",
          { .in = O_BFP4, .out = O_BFP4, .multi = true, .context = 6,
            .forced = true, .exponent = 99, .context_out = 64,
            .add_context_out = true, .ovrd_address = true } },
        { "FP32 to Dest", { .in = O_FP32, .out = O_FP32, .to_dst = true,
                            .out_base = 256 } },
        { "transposed", { .in = O_BF16, .out = O_BF16, .ovrd_address = true,
                          .out_base = 128, .transpose = true } },
        { "tilized", { .in = O_FP16, .out = O_FP16, .ovrd_address = true,
                       .out_base = 128, .tilize = true, .stride = 9 } },
    };

    for (unsigned n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
        UnpackCase k = cases[n].k;

        k.thread = THREAD;
        k.x_dim = DATUMS;
        k.y_dim = 1;
        k.z_dim = k.w_dim = 2;
        k.y_stride = k.z_stride = 32;
        k.base = 0x10;
        test_flips(cases[n].name, &k);
    }
    test_changes();
    return done_testing();
}
