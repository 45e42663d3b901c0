/*
 * The recorder: what is in its ring, and that a timeline loses nothing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>
#include <string.h>

#include "core-fixture.h"
#include "tap.h"

enum { PLACES = 16, MOST = 4096 };

static CoreFixture f;
static TensixEvent ring[PLACES];
static TensixEvent taken[MOST];
static unsigned taken_count;

static void start(void)
{
    fixture_init(&f);
    tensix_record_set_ring(&f.core.record, ring, PLACES);
}

/* As the device does it: what is new goes into a file. */
static void take(void *opaque)
{
    TensixRecorder *r = opaque;

    while (r->taken < tensix_record_count(r)) {
        if (taken_count < MOST) {
            taken[taken_count++] = *tensix_record_get(r, r->taken);
        }
        r->taken++;
    }
}

static void start_timeline(void)
{
    start();
    taken_count = 0;
    tensix_set_timeline(&f.core, take, &f.core.record);
}

static const TensixEvent *newest(unsigned back)
{
    const TensixRecorder *r = &f.core.record;

    return tensix_record_get(r, tensix_record_count(r) - 1 - back);
}

static unsigned count_of(TensixEventKind kind)
{
    unsigned n = 0;

    take(&f.core.record);
    for (unsigned i = 0; i < taken_count; i++) {
        n += taken[i].kind == kind;
    }
    return n;
}

static const TensixEvent *nth(TensixEventKind kind, unsigned n)
{
    for (unsigned i = 0; i < taken_count; i++) {
        if (taken[i].kind == kind && n-- == 0) {
            return &taken[i];
        }
    }
    return NULL;
}

static bool push(uint32_t thread, uint32_t hart, uint32_t word)
{
    return tensix_push(&f.core, thread, word,
                       (TensixOrigin) { .pc = 0x1000, .hart = hart });
}

static void test_latest(void)
{
    char text[200];

    start();
    for (unsigned n = 0; n < 3 * PLACES + 5; n++) {
        push(1, TENSIX_HART_TRISC1, TT(SETDMAREG, .Payload_SigSel = n));
    }
    ok_eq(tensix_record_count(&f.core.record), 3 * PLACES + 5,
          "an event for each instruction");
    ok_eq(tensix_record_first(&f.core.record), 2 * PLACES + 5,
          "the ring keeps as many as it has places");
    for (unsigned n = 0; n < PLACES; n++) {
        const TensixEvent *e = newest(n);

        ok(e->kind == TENSIX_EVENT_EXECUTE && e->insn.thread == 1 &&
           e->insn.origin.pc == 0x1000 &&
           e->insn.origin.hart == TENSIX_HART_TRISC1 &&
           e->insn.mop_position == TENSIX_NO_POSITION &&
           e->insn.word == TT(SETDMAREG, .Payload_SigSel = 3 * PLACES + 4 - n),
           "the latest but %u", n);
    }
    tensix_event_text(text, sizeof(text), newest(0));
    ok(strstr(text, "execute thread 1, trisc1 pc 0x00001000: ttsetdmareg "),
       "text: %s", text);
}

/* A waiting thread has executed nothing. */
static void test_retry(void)
{
    uint64_t before;

    start();
    push(0, TENSIX_HART_BRISC, TT(ATGETM, .mutex_index = 2));
    before = tensix_record_count(&f.core.record);
    push(1, TENSIX_HART_TRISC1, TT(ATGETM, .mutex_index = 2));
    ok_eq(tensix_record_count(&f.core.record), before,
          "an instruction that waits is not there");
    push(0, TENSIX_HART_BRISC, TT(ATRELM, .mutex_index = 2));
    ok_eq(newest(0)->insn.thread, 1, "it is when it has been executed");
    ok_eq(newest(0)->insn.word >> 24, TENSIX_OP_ATGETM, "as what it is");
    ok_eq(tensix_record_count(&f.core.record), before + 2, "once");
}

static void test_violation(void)
{
    char text[200];

    start();
    push(0, TENSIX_HART_BRISC, TT(SEMWAIT));
    ok_eq(newest(0)->kind, TENSIX_EVENT_VIOLATION, "a violation is recorded");
    ok_eq(newest(0)->number[TENSIX_EVENT_EXTRA], TENSIX_UNDEFINED_BEHAVIOUR,
          "with its category");
    ok_eq(newest(1)->kind, TENSIX_EVENT_EXECUTE, "after its instruction");
    tensix_event_text(text, sizeof(text), newest(0));
    ok(strstr(text, "undefined"), "text: %s", text);
}

static void test_malformed_text(void)
{
    char text[48];
    TensixEvent e;
    bool good = true;

    memset(&e, 0xff, sizeof(e));
    for (uint32_t kind = 0; kind < TENSIX_EVENTS + 3; kind++) {
        e.kind = kind;
        for (size_t size = 1; size <= sizeof(text); size++) {
            tensix_event_text(text, size, &e);
            good = good && strlen(text) < size;
        }
    }
    ok(good, "any bits have a text, which fits");
}

/* A MOP of 3 x 2 words, more than the ring has places in all. */
static void test_timeline_mop(void)
{
    const uint32_t cfg[TENSIX_MOP_CFG_WORDS] = {
        3, 2, TT(NOP), TT(NOP), TT(NOP), TT(SETDMAREG), TT(NOP),
        TT(SETDMAREG), TT(SETDMAREG),
    };

    start_timeline();
    for (unsigned n = 0; n < TENSIX_MOP_CFG_WORDS; n++) {
        tensix_mop_cfg_write(&f.core, 0, n, cfg[n],
                             (TensixOrigin) { .hart = TENSIX_HART_TRISC0 });
    }
    for (unsigned n = 0; n < 8; n++) {
        push(0, TENSIX_HART_TRISC0, TT(MOP, .mop_type = 1));
    }
    ok_eq(count_of(TENSIX_EVENT_PUSH), 8, "pushes");
    ok_eq(count_of(TENSIX_EVENT_MOP), 8, "MOPs");
    ok_eq(count_of(TENSIX_EVENT_MOP_END), 8, "ends of MOPs");
    ok_eq(count_of(TENSIX_EVENT_EXECUTE), 48, "words of theirs, none is lost");
    ok_eq(nth(TENSIX_EVENT_EXECUTE, 5)->insn.mop_position, 5, "in their order");
    tensix_set_timeline(&f.core, NULL, NULL);
    push(0, TENSIX_HART_TRISC0, TT(SETDMAREG));
    ok_eq(newest(0)->kind, TENSIX_EVENT_EXECUTE, "then executions are recorded");
    ok(newest(1)->kind != TENSIX_EVENT_PUSH, "and pushes no longer");
}

static void test_timeline_replay(void)
{
    start_timeline();
    push(0, TENSIX_HART_TRISC0, TT(REPLAY, .len = 2, .load_mode = 1));
    push(0, TENSIX_HART_TRISC0, TT(SETDMAREG, .Payload_SigSel = 1));
    push(0, TENSIX_HART_TRISC0, TT(SETDMAREG, .Payload_SigSel = 2));
    ok_eq(count_of(TENSIX_EVENT_LOAD), 2, "words that are recorded by REPLAY");
    ok_eq(count_of(TENSIX_EVENT_EXECUTE), 0, "are not executed");
    push(0, TENSIX_HART_TRISC0, TT(REPLAY, .len = 2));
    ok_eq(count_of(TENSIX_EVENT_REPLAY), 2, "two REPLAYs");
    ok_eq(count_of(TENSIX_EVENT_EXECUTE), 2, "the second plays two");
    ok_eq(nth(TENSIX_EVENT_EXECUTE, 1)->insn.replay_slot, 1, "from their slots");
}

/* Where the words of expanders were written down, before a timeline or in it. */
static void test_timeline_recorded(void)
{
    static const TensixOrigin store = { .pc = 0x2000,
                                        .hart = TENSIX_HART_TRISC2 };
    const TensixEvent *e;

    start();
    tensix_mop_cfg_write(&f.core, 2, 3, TT(SETDMAREG), store);
    push(2, TENSIX_HART_TRISC2, TT(REPLAY, .start_idx = 7, .len = 1,
                                   .load_mode = 1));
    push(2, TENSIX_HART_TRISC2, TT(SETDMAREG, .Payload_SigSel = 1));
    taken_count = 0;
    tensix_set_timeline(&f.core, take, &f.core.record);
    ok_eq(count_of(TENSIX_EVENT_MOP_WORD), 1, "a word that was in MopCfg");
    e = nth(TENSIX_EVENT_MOP_WORD, 0);
    ok(e->number[0] == 2 && e->number[1] == 3 &&
       e->number[2] == TT(SETDMAREG) && e->number[3] == store.pc &&
       e->number[4] == store.hart, "whose it is, and from where");
    ok_eq(count_of(TENSIX_EVENT_SLOT), 1, "a word that REPLAY had recorded");
    e = nth(TENSIX_EVENT_SLOT, 0);
    ok(e->number[0] == 2 && e->number[1] == 7 &&
       e->number[2] == TT(SETDMAREG, .Payload_SigSel = 1) &&
       e->number[3] == 0x1000 && e->number[4] == TENSIX_HART_TRISC2,
       "whose it is, and from where");
    tensix_mop_cfg_write(&f.core, 2, 4, 5, store);
    ok_eq(count_of(TENSIX_EVENT_MOP_WORD), 2, "a store to MopCfg");
    ok_eq(nth(TENSIX_EVENT_MOP_WORD, 1)->number[1], 4, "is of its word");
}

static void test_timeline_wait(void)
{
    start_timeline();
    push(1, TENSIX_HART_TRISC1, TT(SEMWAIT, .stall_res = 0x1ff, .sem_sel = 2,
                                   .wait_sem_cond = 1));
    push(1, TENSIX_HART_TRISC1, TT(SETDMAREG));
    push(0, TENSIX_HART_TRISC0, TT(SETDMAREG));
    push(0, TENSIX_HART_TRISC0, TT(SETDMAREG));
    ok_eq(count_of(TENSIX_EVENT_WAIT), 1, "a wait is there once");
    ok_eq(nth(TENSIX_EVENT_WAIT, 0)->number[1], TENSIX_WAIT_LATCHED, "its reason");
    ok_eq(nth(TENSIX_EVENT_WAIT, 0)->number[6] >> 24, TENSIX_OP_SEMWAIT,
          "what was latched");
    ok_eq(count_of(TENSIX_EVENT_PASS), 0, "it continues");
    push(0, TENSIX_HART_TRISC0, TT(SEMINIT, .sem_sel = 2, .init_value = 1,
                                   .max_value = 1));
    ok_eq(count_of(TENSIX_EVENT_PASS), 1, "until an agent ends it");
    ok_eq(nth(TENSIX_EVENT_PASS, 0)->number[0], 1, "by thread");
    ok_eq(nth(TENSIX_EVENT_SEMAPHORE, TENSIX_SEMAPHORES)->number[1], 1,
          "the semaphore after those of the start");
}

/* At once, whichever way the thread runs: alone, or in turn with others. */
static void test_timeline_wait_at_once(bool seeded)
{
    start_timeline();
    tensix_set_schedule(&f.core, seeded ? 5 : 0);
    push(1, TENSIX_HART_TRISC1, TT(SEMWAIT, .stall_res = 0x1ff, .sem_sel = 2,
                                   .wait_sem_cond = 1));
    push(1, TENSIX_HART_TRISC1, TT(SETDMAREG));
    ok_eq(count_of(TENSIX_EVENT_WAIT), 1, "%s: a wait is there at once",
          seeded ? "with a seed" : "alone");
}

/* What is recorded must not change what happens. */
static void test_same(bool seeded)
{
    static CoreFixture other;
    TensixState want;

    for (unsigned pass = 0; pass < 2; pass++) {
        start();
        tensix_set_schedule(&f.core, seeded ? 5 : 0);
        taken_count = 0;
        if (pass) {
            tensix_set_timeline(&f.core, take, &f.core.record);
        }
        for (unsigned n = 0; n < 200; n++) {
            uint32_t word = n % 7 ? TT(SFPIADD, .imm12_math = n, .instr_mod1 = 5,
                                       .lreg_dest = n % 8)
                                  : TT(SEMPOST, .sem_sel = n & 0xff);

            tensix_push_queued(&f.core, n % 3, word, (TensixOrigin) {
                .hart = TENSIX_HART_TRISC0 + n % 3 });
            tensix_run(&f.core, 100000);
        }
        if (!pass) {
            other = f;
        }
    }
    want = other.core.s;
    fixture_ok_state(&f, &want, seeded ? "the same with a seed"
                                       : "the same with a timeline");
}

/* Where the ring ends is no state, so nothing may depend on it. */
static void test_lap(void)
{
    static CoreFixture other;

    for (unsigned shift = 0; shift < 3; shift++) {
        start();
        for (unsigned n = 0; n < shift; n++) {
            tensix_record(&f.core.record, LOADED, 0);
        }
        for (unsigned n = 0; n < 200; n++) {
            push(n % 3, TENSIX_HART_TRISC0 + n % 3,
                 TT(SFPIADD, .imm12_math = n, .instr_mod1 = 5,
                    .lreg_dest = n % 8));
        }
        if (!shift) {
            other = f;
        }
    }
    fixture_ok_state(&f, &other.core.s, "the same wherever the ring ends");
}

int main(void)
{
    test_latest();
    test_lap();
    test_retry();
    test_violation();
    test_malformed_text();
    test_timeline_mop();
    test_timeline_replay();
    test_timeline_recorded();
    test_timeline_wait();
    test_timeline_wait_at_once(false);
    test_timeline_wait_at_once(true);
    test_same(false);
    test_same(true);
    return done_testing();
}
