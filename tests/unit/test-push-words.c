/*
 * Several words in one call (tensix_push_words()) against one call for each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"

enum { ROUNDS = 3000, WORDS = 24, PC = 0x4000 };

static CoreFixture single, many;

/* --- as the device pushes --- */

/* Until one does not fit; what changed is the device's. */
static uint32_t push_singly(const uint32_t *words, uint32_t count, uint32_t thread,
                            uint32_t hart)
{
    for (uint32_t n = 0; n < count; n++) {
        const TensixOrigin origin = { PC + 4 * n, hart };

        if (!tensix_push(&single.core, thread, words[n], origin)) {
            return n;
        }
        single.core.signals.changed = 0;
    }
    return count;
}

static uint32_t push_together(const uint32_t *words, uint32_t count,
                              uint32_t thread, uint32_t hart)
{
    uint32_t n = 0;

    while (n < count) {
        const TensixOrigin origin = { PC + 4 * n, hart };
        uint32_t pushed = tensix_push_words(&many.core, thread, words + n,
                                            count - n, origin);

        if (!pushed) {
            pushed = tensix_push(&many.core, thread, words[n], origin);
        }
        if (!pushed) {
            return n;
        }
        many.core.signals.changed = 0;
        n += pushed;
    }
    return n;
}

/* --- random words --- */

/* Words that wait, expand, end waits, or do not exist, among all others. */
static uint32_t any_word(CoreFixture *f)
{
    const uint32_t words[] = {
        TT(NOP), TT(DMANOP), TT(SEMPOST, .sem_sel = 1), TT(SEMGET, .sem_sel = 1),
        TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1, .stall_res = 0x1ff),
        TT(STALLWAIT, .stall_res = 0x1ff, .wait_res = 8),
        TT(MOP, .mop_type = 0, .loop_count = 9), TT(ATGETM), TT(ATRELM),
        TT(REPLAY, .load_mode = 1, .len = 3), TT(REPLAY, .len = 3),
        TT(SFPLOADMACRO), TT(SFPLOADI, .instr_mod0 = 3), 0xff000000,
    };
    uint32_t r = fixture_random(f);

    return r & 3 ? fixture_random_word(f)
                 : words[(r >> 8) % (sizeof(words) / sizeof(words[0]))];
}

static void test_random(void)
{
    uint32_t words[WORDS];
    unsigned refused = 0, violations = 0;

    fixture_init(&single);
    fixture_init(&many);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t r = fixture_random(&single), thread = r % TENSIX_THREADS;
        uint32_t hart = r & 0x100 ? TENSIX_HART_BRISC : TENSIX_HART_TRISC0 + thread;
        uint32_t pushed;

        for (uint32_t n = 0; n < WORDS; n++) {
            words[n] = any_word(&single);
        }
        pushed = push_singly(words, WORDS, thread, hart);
        refused += pushed != WORDS;
        if (push_together(words, WORDS, thread, hart) != pushed ||
            memcmp(&single.core.s, &many.core.s, sizeof(single.core.s)) ||
            single.violation_count != many.violation_count ||
            !fixture_same_events(&single, &many)) {
            ok(false, "round %u: the same state, reports and events", round);
            return;
        }
        violations += single.violation_count;
        if (r >> 28 == 0) {
            fixture_init(&single);
            fixture_init(&many);
            single.random_state = many.random_state = r;
        }
    }
    ok(true, "the same state, reports and events");
    ok(refused, "with full FIFOs");
    ok(violations, "and violations");
}

/* --- where it returns --- */

static const TensixOrigin here = { PC, TENSIX_HART_TRISC0 };

static uint32_t push_3(uint32_t first, uint32_t second, uint32_t third)
{
    const uint32_t words[] = { first, second, third };

    return tensix_push_words(&many.core, 0, words, 3, here);
}

static uint32_t at_once_of_3(uint32_t first, uint32_t second, uint32_t third)
{
    const uint32_t words[] = { first, second, third };

    return tensix_words_at_once(&many.core, 0, words, 3);
}

static void host_violation(void *opaque, const TensixViolation *v)
{
    many.core.signals.changed |= TENSIX_CHANGED_HOST;
}

static void hit(void *opaque, const TensixHit *h)
{
}

static void test_observer(void)
{
    static TensixObserver observer = { .hit = hit };

    fixture_init(&many);
    tensix_set_observer(&many.core, &observer);
    ok_eq(push_3(TT(DMANOP), TT(DMANOP), TT(DMANOP)), 3, "with an observer");
    observer.times = true;
    ok_eq(push_3(TT(DMANOP), TT(DMANOP), TT(DMANOP)), 1,
          "one word with one that times them");
    ok_eq(at_once_of_3(TT(DMANOP), TT(DMANOP), TT(DMANOP)), 1, "which says so");
    tensix_set_observer(&many.core, NULL);
}

static void test_at_once(void)
{
    fixture_init(&many);
    ok_eq(at_once_of_3(TT(DMANOP), TT(DMANOP), TT(DMANOP)), 3, "of one unit");
    ok_eq(at_once_of_3(TT(DMANOP), TT(DMANOP), TT(SFPNOP)), 2, "of two units");
    ok_eq(at_once_of_3(TT(SEMPOST), TT(SEMPOST), TT(SEMPOST)), 1,
          "what may wait is alone");
    ok_eq(at_once_of_3(TT(MOP), TT(MOP), TT(MOP)), 1, "as what expands");
    fixture_push(&many, 0, TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1,
                              .stall_res = 0x1ff));
    fixture_push(&many, 0, TT(NOP));
    ok_eq(at_once_of_3(TT(DMANOP), TT(DMANOP), TT(DMANOP)), 1,
          "and what a queue awaits");
}

static void test_comes_back(void)
{
    fixture_init(&many);
    ok_eq(push_3(TT(DMANOP), TT(DMANOP), TT(DMANOP)), 3, "nothing to be done");
    ok_eq(many.core.s.executed[TENSIX_UNIT_THCON], 3, "three are counted");
    ok_eq(many.core.record.next[-1].insn.origin.pc, PC + 8, "with their pcs");
    ok_eq(push_3(TT(SEMPOST), TT(SEMPOST), TT(SEMPOST)), 1,
          "a change that harts may wait for");
    many.core.signals.changed = 0;
    many.core.host.violation = host_violation;
    ok_eq(push_3(TT(SFPNOP), TT(SFPLOADI, .instr_mod0 = 3), TT(SFPNOP)), 2,
          "what a callback wants to be done");
    many.core.signals.changed = 0;
    ok_eq(push_3(TT(REPLAY, .load_mode = 1, .len = 1), TT(NOP), TT(NOP)), 0,
          "a REPLAY that records is left to the host");
}

/* What another thread waits for is a change, and no word here makes one. */
static void test_others_wait(void)
{
    fixture_init(&many);
    fixture_push(&many, 1, TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1,
                              .stall_res = 0x1ff));
    fixture_push(&many, 1, TT(NOP));
    many.core.signals.changed = 0;
    ok_eq(push_3(TT(DMANOP), TT(DMANOP), TT(DMANOP)), 3,
          "three beside a thread that waits");
    ok_eq(push_3(TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1,
                    .stall_res = 0x1ff), TT(SEMGET), TT(SEMGET)), 1,
          "one that latches a wait");
    ok(!many.core.s.thread[1].gate.opcode ==
       !many.core.s.thread[0].gate.opcode, "both threads wait");
}

static void test_full(void)
{
    fixture_init(&many);
    fixture_push(&many, 0, TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1,
                              .stall_res = 0x1ff));
    for (unsigned n = 0; n < 2 * TENSIX_FIFO_DEPTH && push_3(TT(NOP), 0, 0); n++) {
        many.core.signals.changed = 0;
    }
    ok_eq(many.core.s.thread[0].fifo.count, TENSIX_FIFO_DEPTH, "a full FIFO");
    ok_eq(push_3(TT(NOP), TT(NOP), TT(NOP)), 0, "takes no word");
}

int main(void)
{
    test_random();
    test_observer();
    test_at_once();
    test_comes_back();
    test_others_wait();
    test_full();
    return done_testing();
}
