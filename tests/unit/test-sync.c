/*
 * Sync Unit: semaphores, mutexes, and what the wait instructions latch.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "core-fixture.h"
#include "tap.h"

static CoreFixture f;
static TensixState want;

static void start(void)
{
    fixture_init(&f);
    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        f.core.s.semaphore[n] = (TensixSemaphore) { n, 15 - n };
    }
    want = f.core.s;
}

/* What fixture_run() pushes with */
static const TensixOrigin by = { 0x1000, TENSIX_HART_BRISC };

static void test_seminit(void)
{
    static const uint32_t masks[] = { 0, 1, 0x80, 0xff, 0x5a };

    for (unsigned m = 0; m < sizeof(masks) / sizeof(masks[0]); m++) {
        start();
        fixture_run(&f, 1, TT(SEMINIT, .sem_sel = masks[m], .init_value = 13,
                              .max_value = 9), "SEMINIT");
        for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
            if (masks[m] & (1u << n)) {
                want.semaphore[n].value = 13;
                want.semaphore[n].max = 9;
                want.semaphore_use[n] =
                    (TensixSemaphoreUse) { .inits = 1, .init = by,
                                           .initial = 13 };
            }
        }
        fixture_ok_state(&f, &want, "SEMINIT of a mask");
        ok(f.core.signals.changed & TENSIX_CHANGED_SEMAPHORE, "SEMINIT wakes waiters");
    }
}

/* Every value, with every max: max does not bound SEMPOST. */
static void test_count(uint32_t word, int step, const char *name)
{
    bool good = true;

    for (unsigned n = 0; n < 256; n++) {
        int value = n & 15, expected = value + step;

        start();
        f.core.s.semaphore[6].value = value;
        f.core.s.semaphore[6].max = n >> 4;
        expected = expected < 0 ? 0 : expected > 15 ? 15 : expected;
        good = good && fixture_exec(&f, 0, word) == TENSIX_DONE &&
               f.core.s.semaphore[6].value == (unsigned)expected &&
               f.core.s.semaphore[6].max == n >> 4 && f.violation_count == 0;
    }
    ok(good, "%s from every value with every max", name);
}

static void test_several(void)
{
    start();
    fixture_run(&f, 2, TT(SEMPOST, .sem_sel = 0x81), "SEMPOST");
    want.semaphore[0].value = 1;
    want.semaphore[7].value = 8;
    want.semaphore_use[0] = (TensixSemaphoreUse) { .posts = 1, .post = by };
    want.semaphore_use[7] = want.semaphore_use[0];
    fixture_ok_state(&f, &want, "SEMPOST of two semaphores");
    ok(f.core.signals.changed & TENSIX_CHANGED_SEMAPHORE, "SEMPOST wakes waiters");
    f.core.signals.changed = 0;
    fixture_run(&f, 2, TT(SEMGET, .sem_sel = 0xff), "SEMGET");
    ok(f.core.signals.changed & TENSIX_CHANGED_SEMAPHORE, "SEMGET wakes waiters");
    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        if (!want.semaphore[n].value) {
            want.semaphore_use[n].lost_gets = 1;
            want.semaphore_use[n].lost_get = by;
        }
        want.semaphore[n].value -= want.semaphore[n].value != 0;
        want.semaphore_use[n].gets = 1;
        want.semaphore_use[n].get = by;
    }
    fixture_ok_state(&f, &want, "SEMGET of all");
    ok_eq(f.core.s.semaphore[0].value, 0, "SEMGET down to 0");
}

/* SEMINIT begins to count anew; a hart's store counts as well. */
static void test_use(void)
{
    static const TensixOrigin hart = { 0x2000, TENSIX_HART_TRISC1 };
    const TensixSemaphoreUse *use = &f.core.s.semaphore_use[3];

    start();
    fixture_run(&f, 0, TT(SEMPOST, .sem_sel = 8), "SEMPOST");
    tensix_semaphore_write(&f.core, 3, 0, hart);
    tensix_semaphore_write(&f.core, 3, 1, hart);
    ok(use->posts == 2 && use->gets == 1 && !use->inits,
       "posts and gets are counted");
    ok(use->post.pc == 0x2000 && use->get.hart == TENSIX_HART_TRISC1,
       "with the latest origins");
    fixture_run(&f, 0, TT(SEMINIT, .sem_sel = 8), "SEMINIT");
    ok(!use->posts && !use->gets && use->inits == 1 && use->init.pc == 0x1000,
       "SEMINIT begins anew");
}

static void test_mutex_indexes(void)
{
    static const uint32_t indexes[] = { 0, 1, 2,  3,      4,     5,
                                        6, 7, 31, 0x8000, 0xffff };

    for (unsigned n = 0; n < sizeof(indexes) / sizeof(indexes[0]); n++) {
        uint32_t index = indexes[n];
        bool exists = index == 0 || index == 2 || index == 3 || index == 4;
        TensixResult expected = exists ? TENSIX_DONE : TENSIX_RETRY;

        start();
        ok_eq(fixture_exec(&f, 2, TT(ATGETM, .mutex_index = index)), expected,
              "ATGETM of mutex %u", index);
        if (exists) {
            want.mutex_owner[index] = 3;
        }
        fixture_ok_state(&f, &want, "ATGETM");
        ok_eq(fixture_exec(&f, 2, TT(ATRELM, .mutex_index = index)), expected,
              "ATRELM of mutex %u", index);
        if (exists) {
            want.mutex_owner[index] = 0;
        }
        fixture_ok_state(&f, &want, "ATRELM");
        ok_eq(f.violation_count, 0, "no violation");
    }
}

static void test_mutex_owner(void)
{
    start();
    fixture_run(&f, 1, TT(ATGETM, .mutex_index = 3), "ATGETM");
    fixture_run(&f, 1, TT(ATGETM, .mutex_index = 3), "ATGETM of one's own");
    want.mutex_owner[3] = 2;
    fixture_ok_state(&f, &want, "taken twice");
    ok_eq(fixture_exec(&f, 0, TT(ATGETM, .mutex_index = 3)), TENSIX_RETRY,
          "another thread waits");
    ok_eq(f.core.s.thread[0].gate.wait_reason, TENSIX_WAIT_MUTEX,
          "and says why");
    ok_eq(f.core.s.thread[0].gate.wait_detail, 3, "and for which");
    fixture_ok_state(&f, &want, "waiting changes nothing");
    f.core.signals.changed = 0;
    fixture_run(&f, 0, TT(ATRELM, .mutex_index = 3), "ATRELM of another's");
    fixture_ok_state(&f, &want, "is ignored");
    ok_eq(f.core.signals.changed, 0, "and wakes no waiter");
    fixture_run(&f, 1, TT(ATRELM, .mutex_index = 3), "ATRELM");
    want.mutex_owner[3] = 0;
    fixture_ok_state(&f, &want, "once is enough");
    ok(f.core.signals.changed & TENSIX_CHANGED_MUTEX, "and waiters hear of it");
}

/* Released by thread r while both others wait: (r + 1) % 3 gets it. */
static void test_round_robin(uint32_t r)
{
    uint32_t next = (r + 1) % 3, last = (r + 2) % 3;

    start();
    fixture_push(&f, r, TT(ATGETM, .mutex_index = 4));
    fixture_push(&f, last, TT(ATGETM, .mutex_index = 4));
    fixture_push(&f, next, TT(ATGETM, .mutex_index = 4));
    ok_eq(f.core.s.mutex_owner[4], r + 1, "thread %u has it", r);
    /* The releasing thread wants it back at once, and must not get it. */
    fixture_push(&f, r, TT(ATRELM, .mutex_index = 4));
    fixture_push(&f, r, TT(ATGETM, .mutex_index = 4));
    ok_eq(f.core.s.mutex_owner[4], next + 1, "then thread %u", next);
    fixture_push(&f, next, TT(ATRELM, .mutex_index = 4));
    ok_eq(f.core.s.mutex_owner[4], last + 1, "then thread %u", last);
    fixture_push(&f, last, TT(ATRELM, .mutex_index = 4));
    ok_eq(f.core.s.mutex_owner[4], r + 1, "then thread %u again", r);
}

/* A waiter for one mutex does not get another one. */
static void test_other_mutex(void)
{
    start();
    fixture_push(&f, 0, TT(ATGETM, .mutex_index = 2));
    fixture_push(&f, 0, TT(ATGETM, .mutex_index = 3));
    fixture_push(&f, 1, TT(ATGETM, .mutex_index = 2));
    fixture_push(&f, 0, TT(ATRELM, .mutex_index = 3));
    ok(!f.core.s.mutex_owner[3] && f.core.s.mutex_owner[2] == 1,
       "a mutex without waiters is free");
    fixture_push(&f, 0, TT(ATRELM, .mutex_index = 2));
    ok_eq(f.core.s.mutex_owner[2], 2, "the other one goes to its waiter");
}

/* An ATGETM after a latched wait is not a candidate yet. */
static void test_blocked_waiter(void)
{
    start();
    f.core.s.semaphore[0].value = 0;
    fixture_push(&f, 0, TT(ATGETM, .mutex_index = 0));
    fixture_push(&f, 1,
                 TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1, .stall_res = 2));
    fixture_push(&f, 1, TT(ATGETM, .mutex_index = 0));
    fixture_push(&f, 2, TT(ATGETM, .mutex_index = 0));
    fixture_push(&f, 0, TT(ATRELM, .mutex_index = 0));
    ok_eq(f.core.s.mutex_owner[0], 3, "thread 2 passes blocked thread 1");
    fixture_push(&f, 2, TT(SEMPOST, .sem_sel = 1));
    ok_eq(f.core.s.mutex_owner[0], 3, "thread 1 now waits for the mutex");
    fixture_push(&f, 2, TT(ATRELM, .mutex_index = 0));
    ok_eq(f.core.s.mutex_owner[0], 2, "and gets it");
}

static const TensixGate *gate(uint32_t thread)
{
    return &f.core.s.thread[thread].gate;
}

static void check_latched(uint32_t thread, uint32_t opcode, uint32_t word)
{
    ok_eq(gate(thread)->opcode, opcode, "latched opcode");
    ok_eq(gate(thread)->latched.valid, 1, "the wait instruction is kept");
    ok_eq(gate(thread)->latched.word, word, "with its word");
    ok_eq(gate(thread)->latched.origin.pc, 0x1000, "and where it came from");
}

static void test_stallwait(void)
{
    uint32_t word = TT(STALLWAIT, .stall_res = 0x155, .wait_res = 0x1fff);

    start();
    fixture_run(&f, 1, word, "STALLWAIT");
    check_latched(1, 0xa2, word);
    ok_eq(gate(1)->block_mask, 0x155, "block mask");
    ok_eq(gate(1)->condition_mask, 0x1fff, "13 conditions");
    ok_eq(gate(1)->semaphore_mask, 0, "no semaphores");
    ok_eq(gate(0)->opcode, 0, "other threads' gates stay open");
    fixture_run(&f, 1, 0xa2000000, "STALLWAIT 0,0");
    ok_eq(gate(1)->block_mask, 1 << 6, "no block bit means B6");
    ok_eq(gate(1)->condition_mask, 0x0f, "no condition means C0 to C3");
}

static void test_semwait(void)
{
    uint32_t word = TT(SEMWAIT, .stall_res = 0x102, .sem_sel = 0xa5,
                       .wait_sem_cond = 2);

    start();
    fixture_run(&f, 2, word, "SEMWAIT");
    check_latched(2, 0xa6, word);
    ok_eq(gate(2)->block_mask, 0x102, "block mask");
    ok_eq(gate(2)->condition_mask, 2, "condition");
    ok_eq(gate(2)->semaphore_mask, 0xa5, "semaphores");
    fixture_run(&f, 2, TT(SEMWAIT, .sem_sel = 1, .wait_sem_cond = 3),
                "SEMWAIT");
    ok_eq(gate(2)->block_mask, 1 << 6, "no block bit means B6");
    ok_eq(gate(2)->condition_mask, 3, "both conditions");
    fixture_exec(&f, 2, TT(SEMWAIT, .sem_sel = 1, .stall_res = 1));
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
          "no condition is undefined");
    ok_eq(gate(2)->opcode, 0xa2, "and then counts as STALLWAIT");
    ok_eq(gate(2)->condition_mask, 0x0f, "with its default conditions");
    ok_eq(gate(2)->semaphore_mask, 0, "and no semaphores");
}

static void test_streamwait(void)
{
    start();
    f.core.s.thread_cfg[0][57] = 0xffff;       /* ten bits of it count */
    f.core.s.thread_cfg[0][58] = 0xffff;       /* seven bits */
    for (unsigned n = 0; n < 8; n++) {
        uint32_t condition = n >> 2, select = n & 3;
        uint32_t word = TT(STREAMWAIT, .stall_res = 0x80,
                           .target_value = 0x155 + n, .target_sel = condition,
                           .wait_stream_sel = select);

        fixture_run(&f, 0, word, "STREAMWAIT");
        check_latched(0, 0xa7, word);
        ok_eq(gate(0)->stream_select, select, "selector %u", select);
        ok_eq(gate(0)->condition_mask, 1u << condition, "condition %u",
              condition);
        ok_eq(gate(0)->target, (condition ? 0x7f : 0x3ff) * 1024 + 0x155 + n,
              "target");
        ok_eq(gate(0)->block_mask, 0x80, "block mask");
    }
    fixture_run(&f, 0, 0xa7000000, "STREAMWAIT 0");
    ok_eq(gate(0)->block_mask, 1 << 6, "no block bit means B6");
}

/* Only the chosen kinds wait; the order of instructions holds all the same. */
static void test_wait_in_the_pipeline(void)
{
    start();
    f.core.s.semaphore[3] = (TensixSemaphore) { 0, 1 };
    fixture_push(
        &f, 0,
        TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 8, .stall_res = 0x80));
    fixture_push(&f, 0, TT(SETDMAREG, .RegIndex16b = 10, .Payload_SigSel = 77));
    ok_eq(f.core.s.gpr[0][5], 77,
          "a scalar instruction passes a wait that blocks B7");
    fixture_push(&f, 0, TT(SETC16, .setc16_reg = 1, .setc16_value = 5));
    fixture_push(&f, 0, TT(SETDMAREG, .RegIndex16b = 10, .Payload_SigSel = 78));
    ok_eq(f.core.s.thread_cfg[0][1], 0, "a configuration instruction waits");
    ok_eq(f.core.s.gpr[0][5], 77, "and all after it");
    fixture_push(&f, 1, TT(SEMPOST, .sem_sel = 8));
    ok_eq(f.core.s.thread_cfg[0][1], 5, "until another thread posts");
    ok_eq(f.core.s.gpr[0][5], 78, "then all continue");
}

int main(void)
{
    test_seminit();
    test_count(TT(SEMPOST, .sem_sel = 0x40), 1, "SEMPOST");
    test_count(TT(SEMGET, .sem_sel = 0x40), -1, "SEMGET");
    test_several();
    test_use();
    test_mutex_indexes();
    test_mutex_owner();
    for (uint32_t r = 0; r < 3; r++) {
        test_round_robin(r);
    }
    test_blocked_waiter();
    test_stallwait();
    test_semwait();
    test_streamwait();
    test_wait_in_the_pipeline();
    test_other_mutex();
    return done_testing();
}
