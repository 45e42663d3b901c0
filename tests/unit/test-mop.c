/*
 * MOP and REPLAY expanders against generators written as the pages write them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"

enum { MAX_WORDS = 1 << 17, RANDOM_MOPS = 400 };

typedef struct Words {
    uint32_t n;
    uint32_t word[MAX_WORDS];
} Words;

static CoreFixture f;
static Words got, want;
static const TensixOrigin trisc1 = { 0x5000, TENSIX_HART_TRISC1 };

static void yield(Words *w, uint32_t word)
{
    if (w->n < MAX_WORDS) {
        w->word[w->n] = word;
    }
    w->n++;
}

static void record(void *opaque, TensixTracePoint point, const TensixInsn *i)
{
    if (point == TENSIX_TRACE_EXECUTE) {
        yield(&got, i->word);
    }
}

static void start(void)
{
    fixture_init(&f);
    f.core.host.trace = record;
    fixture_trace(&f);
    got.n = want.n = 0;
}

static void push(uint32_t word)
{
    tensix_push_queued(&f.core, 1, word, trisc1);
    while (tensix_run(&f.core, TENSIX_ENTRY_BUDGET)) {
        continue;                  /* longer than one entry may be */
    }
}

static bool same(void)
{
    return got.n == want.n && got.n <= MAX_WORDS &&
           !memcmp(got.word, want.word, got.n * sizeof(uint32_t));
}

static bool is_nop(uint32_t word)
{
    return word >> 24 == 0x02;
}

/* WH MOPExpander.md, ExpandTemplate0, statement by statement */
static void template0(const uint32_t *cfg, uint32_t mask, uint32_t count1)
{
    for (uint32_t i = 0; i < count1 + 1; i++) {
        if ((mask & 1) == 0) {
            yield(&want, cfg[3]);
            if (cfg[1] & 2) {
                yield(&want, cfg[4]);
                yield(&want, cfg[5]);
                yield(&want, cfg[6]);
            }
            if (cfg[1] & 1) {
                yield(&want, cfg[2]);
            }
        } else {
            yield(&want, cfg[7]);
            if (cfg[1] & 1) {
                yield(&want, cfg[8]);
            }
        }
        mask >>= 1;
    }
}

/*
 * WH MOPExpander.md, ExpandTemplate1, statement by statement, but for
 * Blackhole's wider InnerCount
 */
static void template1(const uint32_t *cfg)
{
    uint32_t outer = cfg[0] & 127, inner = cfg[1] & 1023;
    uint32_t loop = cfg[5], flip = 0;

    if (!is_nop(cfg[6])) {
        flip = cfg[5] ^ cfg[6];
        inner *= 2;
    }
    if (outer == 1 && is_nop(cfg[2]) && inner == 0 && !is_nop(cfg[3])) {
        outer += 128;
    }
    for (uint32_t j = 0; j < outer; j++) {
        if (!is_nop(cfg[2])) {
            yield(&want, cfg[2]);
        }
        for (uint32_t i = 0; i < inner; i++) {
            yield(&want, i != inner - 1   ? loop
                         : j != outer - 1 ? cfg[8]
                                          : cfg[7]);
            loop ^= flip;
        }
        if (!is_nop(cfg[3])) {
            yield(&want, cfg[3]);
            if (!is_nop(cfg[4])) {
                yield(&want, cfg[4]);
            }
        }
    }
}

/* A word without effect: DMANOP, or now and then NOP, with random low bits. */
static uint32_t harmless_word(void)
{
    uint32_t r = fixture_random(&f);

    return (r >> 28 < 5 ? 0x02000000 : 0x60000000) | (r & 0xffffff);
}

static void configure(const uint32_t *cfg)
{
    for (int i = 0; i < TENSIX_MOP_CFG_WORDS; i++) {
        fixture_mop_cfg(&f, 1, i, cfg[i]);
    }
}

static void random_cfg(uint32_t *cfg, uint32_t small)
{
    for (int i = 0; i < TENSIX_MOP_CFG_WORDS; i++) {
        cfg[i] = harmless_word();
    }
    if (small) {
        cfg[0] = fixture_random(&f) % small;
        cfg[1] = fixture_random(&f) % small;
    }
    configure(cfg);
}

static void test_template0(void)
{
    bool good = true;

    start();
    for (int n = 0; n < RANDOM_MOPS; n++) {
        uint32_t cfg[TENSIX_MOP_CFG_WORDS];
        uint32_t mask = fixture_random(&f), count = fixture_random(&f) % 128;

        got.n = want.n = 0;
        random_cfg(cfg, 0);
        push(TT(MOP_CFG, .zmask_hi16 = mask >> 16));
        push(TT(MOP, .mop_type = 0, .loop_count = count,
                .zmask_lo16_or_loop_count = mask & 0xffff));
        template0(cfg, mask, count);
        good = good && same();
    }
    ok(good, "template 0: %d random masks, counts and flags", RANDOM_MOPS);
    got.n = want.n = 0;
    push(TT(MOP, .loop_count = 3));
    ok(got.n > 0, "template 0: MaskHi of the last MOP_CFG persists");
}

static void test_template1(void)
{
    bool good = true;

    start();
    for (int n = 0; n < RANDOM_MOPS; n++) {
        uint32_t cfg[TENSIX_MOP_CFG_WORDS];

        got.n = want.n = 0;
        random_cfg(cfg, n % 4 ? 5 : 128);
        push(TT(MOP, .mop_type = 1, .loop_count = n,
                .zmask_lo16_or_loop_count = n));
        template1(cfg);
        good = good && same();
    }
    ok(good, "template 1: %d random loops", RANDOM_MOPS);
}

/* Blackhole's kernels pack 512 rows by one loop (docs/deviations.rst). */
static void test_long_inner_loop(void)
{
    static const uint32_t cfg[TENSIX_MOP_CFG_WORDS] = {
        1, 512, 0x02000000, 0x02000000, 0x02000000, 0x60000001, 0x02000000,
        0x60000002, 0x60000003
    };

    start();
    configure(cfg);
    push(TT(MOP, .mop_type = 1));
    ok_eq(got.n, 512, "template 1: InnerCount 512 runs 512 times");
    ok_eq(got.word[511], 0x60000002, "template 1: the last is Last");
}

static void test_outer_count_bug(void)
{
    uint32_t cfg[TENSIX_MOP_CFG_WORDS] = {
        1, 0, 0x02000000, 0x60000001, 0x02000000, 0x60000002, 0x02000000, 0, 0
    };

    start();
    configure(cfg);
    push(TT(MOP, .mop_type = 1));
    ok_eq(got.n, 129,
          "template 1: OuterCount 1 without Start and inner runs 128 extra");
}

/* A MOP whose words wait for semaphore 0 runs one iteration a post. */
static void test_pull_iterator(void)
{
    uint32_t cfg[TENSIX_MOP_CFG_WORDS] = {
        3,
        1,
        0x02000000,
        0x02000000,
        0x02000000,
        TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1, .stall_res = 0x1ff),
        0x02000000,
        TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1, .stall_res = 0x1ff),
        TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1, .stall_res = 0x1ff),
    };

    start();
    configure(cfg);
    push(TT(MOP, .mop_type = 1));
    ok_eq(got.n, 1, "half expanded: the second wait is after the first");
    ok(!tensix_mop_idle(&f.core, 1),
       "half expanded: the MOP expander is not done");
    ok(!tensix_thread_idle(&f.core, 1),
       "half expanded: the thread is not done");
    tensix_push_queued(&f.core, 0, TT(SEMPOST, .sem_sel = 1), trisc1);
    ok(tensix_mop_idle(&f.core, 1) && tensix_thread_idle(&f.core, 1),
       "after a post all of it has run");
    ok_eq(got.n, 4, "three waits and the post");
}

/* MopCfg is read as words are needed, even if it makes an iteration shorter. */
static void test_rewritten(void)
{
    const uint32_t wait = TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1,
                             .stall_res = 0x1ff);
    const uint32_t cfg[TENSIX_MOP_CFG_WORDS] = {
        0, 2, TT(NOP), wait, wait, TT(DMANOP), TT(DMANOP), TT(NOP), TT(NOP),
    };

    start();
    configure(cfg);
    push(TT(MOP, .loop_count = 0));
    ok(f.core.s.thread[1].mop.slot == 2 && !tensix_mop_idle(&f.core, 1),
       "rewritten: two of four words are at the gate or beyond");
    fixture_mop_cfg(&f, 1, 1, 0);
    tensix_push_queued(&f.core, 0, TT(SEMPOST, .sem_sel = 1), trisc1);
    ok(tensix_mop_idle(&f.core, 1) && tensix_thread_idle(&f.core, 1),
       "rewritten: the iteration ends with its new last word");
    ok_eq(got.n, 4, "rewritten: which comes once more");
    ok_eq(got.word[got.n - 1], wait, "rewritten: a wait");
}

static void load(uint32_t start_idx, uint32_t len, uint32_t exec)
{
    push(TT(REPLAY, .load_mode = 1, .execute_while_loading = exec, .len = len,
            .start_idx = start_idx));
}

static void test_replay_ring(void)
{
    uint32_t ring[32] = { 0 };
    bool good = true;

    start();
    for (int n = 0; n < RANDOM_MOPS; n++) {
        uint32_t start_idx = fixture_random(&f) % 32,
                 len = 1 + fixture_random(&f) % 32;
        uint32_t exec = fixture_random(&f) & 1;

        load(start_idx, len, exec);
        for (uint32_t i = 0; i < len; i++) {
            uint32_t word = harmless_word();

            push(word);
            ring[(start_idx + i) % 32] = word;
            if (exec) {
                yield(&want, word);
            }
        }
        start_idx = fixture_random(&f) % 32;
        len = n < 40 ? 0 : 1 + fixture_random(&f) % 32;
        push(TT(REPLAY, .len = len, .start_idx = start_idx));
        for (uint32_t i = 0; i < (len ? len : 32); i++) {
            uint32_t word = ring[(start_idx + i) % 32];

            if (word >> 24) {
                yield(&want, word);
            }
        }
        /* slots that were never loaded hold opcode 0: a violation, no trace */
        uint32_t kept = 0;

        for (uint32_t i = 0; i < got.n && i < MAX_WORDS; i++) {
            if (got.word[i] >> 24) {
                got.word[kept++] = got.word[i];
            }
        }
        got.n = kept;
        good = good && same();
        got.n = want.n = 0;
    }
    ok(good, "REPLAY: %d random loads and plays, length 0 plays 32",
       RANDOM_MOPS);
}

static void test_replay_records_raw(void)
{
    start();
    load(0, 2, 0);
    push(TT(REPLAY, .len = 3));
    push(0x60000007);
    ok_eq(got.n, 0, "loading: even a REPLAY is recorded, nothing runs");
    push(TT(REPLAY, .len = 2));
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
          "a REPLAY out of the ring is not expanded again: violation");
    ok_eq(got.word[1], 0x60000007, "the word after it runs");
}

static void test_replay_from_mop(void)
{
    start();
    load(4, 2, 0);
    push(0x60000001);
    push(0x60000002);
    for (int i = 0; i < TENSIX_MOP_CFG_WORDS; i++) {
        fixture_mop_cfg(&f, 1, i, TT(REPLAY, .start_idx = 4, .len = 2));
    }
    fixture_mop_cfg(&f, 1, 1, 0);
    push(TT(MOP, .loop_count = 2));
    ok_eq(got.n, 6, "a MOP's words go through the REPLAY expander");
    ok(got.word[4] == 0x60000001 && got.word[5] == 0x60000002, "in order");
}

static void test_long_replay(void)
{
    start();
    push(TT(REPLAY, .len = 33));
    ok_eq(f.violations[TENSIX_NON_CONTRACTUAL], 1,
          "REPLAY of 33 words: violation");
}

static void test_mop_from_brisc(void)
{
    start();
    fixture_push(&f, 1, TT(MOP, .mop_type = 1));
    fixture_push(&f, 1, TT(MOP_CFG, .zmask_hi16 = 1));
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 2,
          "BRISC's pushes pass behind the MOP expander: MOP is a violation "
          "there");
}

static TensixViolation hit;        /* the last one; its strings are freed */
static unsigned report_count;

static void keep(void *opaque, const TensixViolation *v)
{
    hit = *v;
    report_count++;
}

static void ok_reported(uint32_t position, uint32_t slot, const char *name)
{
    ok(report_count == 1 && hit.mop_position == position &&
       hit.replay_slot == slot && hit.thread == 1 &&
       hit.origin.pc == trisc1.pc && hit.origin.hart == trisc1.hart,
       "a violation %s: where it is in the expansions", name);
    report_count = 0;
}

/* The word without an opcode is in the third place of each expansion. */
static void test_positions(void)
{
    enum { START = 30, LOOP_OUTER = 0, LOOP_INNER, LOOP_LAST = 7 };
    const uint32_t bad = 0x06000000, nop = TT(DMANOP);

    start();
    f.core.host.violation = keep;
    push(bad);
    ok_reported(TENSIX_NO_POSITION, TENSIX_NO_POSITION, "by itself");

    for (unsigned n = 0; n < TENSIX_MOP_CFG_WORDS; n++) {
        fixture_mop_cfg(&f, 1, n, TT(NOP));
    }
    fixture_mop_cfg(&f, 1, LOOP_OUTER, 1);
    fixture_mop_cfg(&f, 1, LOOP_INNER, 3);
    fixture_mop_cfg(&f, 1, 5, nop);
    fixture_mop_cfg(&f, 1, LOOP_LAST, bad);
    push(TT(MOP, .mop_type = 1));
    ok_reported(2, TENSIX_NO_POSITION, "in a MOP");

    load(START, 3, 0);
    push(nop);
    push(nop);
    push(bad);
    push(TT(REPLAY, .start_idx = START, .len = 3));
    ok_reported(TENSIX_NO_POSITION, (START + 2) % TENSIX_REPLAY_DEPTH,
                "in a REPLAY");

    fixture_mop_cfg(&f, 1, LOOP_LAST,
                    TT(REPLAY, .start_idx = START, .len = 3));
    push(TT(MOP, .mop_type = 1));
    ok_reported(2, (START + 2) % TENSIX_REPLAY_DEPTH, "in a REPLAY in a MOP");
}

/* --- where expansions were written down --- */

enum {
    STORES = 0x6000,               /* pc of the store to MopCfg[0] */
    PUSHES = 0x7000,               /* pc of the first push */
    BAD = 0x06000000,              /* there is no such instruction */
    BAD_B = 0x06000001,
};

static uint32_t next_push;

/* A whole template, each word stored by a separate instruction. */
static void store_template(const uint32_t cfg[TENSIX_MOP_CFG_WORDS])
{
    for (uint32_t n = 0; n < TENSIX_MOP_CFG_WORDS; n++) {
        tensix_mop_cfg_write(&f.core, 1, n, cfg[n],
                             (TensixOrigin) { STORES + 4 * n,
                                              TENSIX_HART_TRISC1 });
    }
}

static void push_next(uint32_t word)
{
    tensix_push_queued(&f.core, 1, word,
                       (TensixOrigin) { next_push, TENSIX_HART_TRISC1 });
    next_push += 4;
}

static void start_recording(void)
{
    start();
    f.core.host.violation = keep;
    report_count = 0;
    next_push = PUSHES;
}

static bool is_at(TensixOrigin origin, uint32_t pc)
{
    return origin.pc == pc && origin.hart == TENSIX_HART_TRISC1;
}

static bool unknown(TensixOrigin origin)
{
    return origin.hart == TENSIX_HART_NONE;
}

/* The same word twice in a template: each is from its own store. */
static void test_recorded_mop(void)
{
    const uint32_t nop = TT(NOP), dma = TT(DMANOP);
    const uint32_t first[] = { 1, 2, nop, nop, nop, BAD, nop, dma, dma };
    const uint32_t last[] = { 1, 2, nop, nop, nop, dma, nop, BAD, BAD };
    const uint32_t mask[] = { 0, 1, BAD, dma, dma, dma, dma, dma, dma };

    start_recording();
    push_next(BAD);
    ok(unknown(hit.recorded.mop) && unknown(hit.recorded.replay),
       "a pushed word was written down nowhere else");
    store_template(first);
    push_next(TT(MOP, .mop_type = 1));
    ok(is_at(hit.recorded.mop, STORES + 4 * 5) &&
       is_at(hit.origin, PUSHES + 4), "MOP: the store of loop_op");
    store_template(last);
    push_next(TT(MOP, .mop_type = 1));
    ok(is_at(hit.recorded.mop, STORES + 4 * 7),
       "MOP: the store of the last word, not of its equal");
    store_template(mask);
    push_next(TT(MOP, .mop_type = 0));
    ok(is_at(hit.recorded.mop, STORES + 4 * 2), "MOP: the store of B");
    ok(unknown(hit.recorded.replay) && report_count == 4, "no REPLAY there");
}

static void test_recorded_replay(void)
{
    start_recording();
    push_next(TT(REPLAY, .load_mode = 1, .start_idx = 31, .len = 2));
    push_next(TT(DMANOP));
    push_next(BAD);
    push_next(TT(REPLAY, .start_idx = 31, .len = 2));
    ok(is_at(hit.recorded.replay, PUSHES + 4 * 2) &&
       is_at(hit.origin, PUSHES + 4 * 3) && unknown(hit.recorded.mop),
       "REPLAY: the push that was recorded, round the ring's end");
    push_next(TT(REPLAY, .load_mode = 1, .execute_while_loading = 1,
                 .len = 1));
    push_next(BAD_B);
    ok(unknown(hit.recorded.replay) && is_at(hit.origin, PUSHES + 4 * 5),
       "executed while it is recorded: its push is its own");
    push_next(TT(REPLAY, .len = 1));
    ok(is_at(hit.recorded.replay, PUSHES + 4 * 5), "recorded anew");
}

/* A MOP that plays; and one whose words are recorded, then played. */
static void test_recorded_both(void)
{
    const uint32_t nop = TT(NOP), dma = TT(DMANOP);
    const uint32_t play = TT(REPLAY, .start_idx = 3, .len = 1);
    const uint32_t plays[] = { 1, 1, nop, nop, nop, dma, nop, play, dma };
    const uint32_t words[] = { 1, 1, nop, nop, nop, dma, nop, BAD_B, dma };

    start_recording();
    store_template(plays);
    push_next(TT(REPLAY, .load_mode = 1, .start_idx = 3, .len = 1));
    push_next(BAD);
    push_next(TT(MOP, .mop_type = 1));
    ok(is_at(hit.recorded.mop, STORES + 4 * 7) &&
       is_at(hit.recorded.replay, PUSHES + 4),
       "a REPLAY in a MOP: where each was written down");
    store_template(words);
    push_next(TT(REPLAY, .load_mode = 1, .start_idx = 3, .len = 1));
    push_next(TT(MOP, .mop_type = 1));
    push_next(TT(REPLAY, .start_idx = 3, .len = 1));
    ok(is_at(hit.recorded.replay, STORES + 4 * 7) &&
       unknown(hit.recorded.mop) && is_at(hit.origin, PUSHES + 4 * 5),
       "a MOP's word in the ring: the store to MopCfg");
}

/* A word that waits at the gate while the hart continues to the next kernel. */
static void test_recorded_and_overwritten(void)
{
    const uint32_t nop = TT(NOP), dma = TT(DMANOP);
    const uint32_t waits[] = { 1, 1, nop, nop, nop, dma, nop, TT(MVMUL), dma };
    const uint32_t others[] = { 1, 1, nop, nop, nop, dma, nop, dma, dma };
    TensixRecorded recorded;

    start_recording();
    store_template(waits);
    push_next(TT(MOP, .mop_type = 1));
    recorded = tensix_recorded(&f.core, &f.core.s.thread[1].gate.pending);
    ok(is_at(recorded.mop, STORES + 4 * 7), "at the gate: its store is known");
    store_template(others);
    recorded = tensix_recorded(&f.core, &f.core.s.thread[1].gate.pending);
    ok(unknown(recorded.mop), "rewritten: rather nothing than a wrong line");
    tensix_reset(&f.core);
    ok(unknown(f.core.s.thread[1].mop.cfg_origin[7]) &&
       unknown(f.core.s.thread[1].replay.recorded[0]), "reset clears it");
}

static void test_expansion_text(void)
{
    TensixRecorded recorded = {
        { 0x6014, TENSIX_HART_TRISC1 }, { 0x7000, TENSIX_HART_BRISC },
    };
    char text[TENSIX_EXPANSION_TEXT];

    tensix_expansion_text(text, 3, 7, &recorded);
    ok(!strcmp(text, ", MOP word 3 from trisc1 pc 0x00006014, "
               "REPLAY slot 7 from brisc pc 0x00007000"), "%s", text);
    recorded.mop.hart = TENSIX_HART_NONE;
    tensix_expansion_text(text, 3, TENSIX_NO_POSITION, &recorded);
    ok(!strcmp(text, ", MOP word 3"), "%s", text);
    tensix_expansion_text(text, TENSIX_NO_POSITION, TENSIX_NO_POSITION,
                          &recorded);
    ok(!strcmp(text, ""), "a word that was pushed");
}

int main(void)
{
    test_positions();
    test_template0();
    test_template1();
    test_long_inner_loop();
    test_outer_count_bug();
    test_pull_iterator();
    test_rewritten();
    test_replay_ring();
    test_replay_records_raw();
    test_replay_from_mop();
    test_long_replay();
    test_mop_from_brisc();
    test_recorded_mop();
    test_recorded_replay();
    test_recorded_both();
    test_recorded_and_overwritten();
    test_expansion_text();
    return done_testing();
}
