/*
 * What goes past the scheduler's steps against a core that takes all of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Waits that are over when they begin (alone.c), and words that a MOP repeats
 * while no other thread runs (repeat()).  Two cores get the same words; the
 * second one is traced, and asks each thread each time.
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"
#include "config/config.h"
#include "decode/conditions.h"
#include "frontend/frontend.h"
#include "num/num.h"

enum {
    PUSHES = 200000,
    NEW_CORES = 512,

    /* MopCfg, template 1 */
    LOOP_OUTER = 0,
    LOOP_INNER = 1,
    LOOP_START = 2,
    LOOP_OP = 5,
    LOOP_OP1 = 6,
    LOOP_LAST_OF_ALL = 7,
    LOOP_LAST_OF_INNER = 8,
};

static CoreFixture fast, plain;

static void init(uint64_t random_state)
{
    CoreFixture *cores[] = { &fast, &plain };

    for (unsigned n = 0; n < 2; n++) {
        fixture_init(cores[n]);
        fixture_give_src(cores[n], TENSIX_FMT_BF16);
        cores[n]->random_state = random_state;
    }
    fixture_trace(&plain);
}

/* One that a MOP may repeat: the Matrix, the Vector Unit's, or a PACR. */
static uint32_t repeated_word(uint32_t r)
{
    const uint32_t words[] = {
        TT(ELWADD), TT(MVMUL), TT(ELWADD, .clear_dvalid = 1), TT(PACR),
        TT(PACR, .Last = 1), TT(SFPNOP), TT(SFPLOADI), TT(INCRWC, .rwc_d = 4),
        TT(SEMPOST, .sem_sel = 1), TT(DMANOP), TT(UNPACR_NOP),
        TT(SETDVALID, .setvalid = 3),
    };

    return words[r % (sizeof(words) / sizeof(words[0]))];
}

/* Waits, what ends them, what takes time, and a few of all others. */
static uint32_t any_word(CoreFixture *f)
{
    uint32_t r = fixture_random(f), some = r >> 4;
    const uint32_t words[] = {
        TT(STALLWAIT, .stall_res = some & 0x1ff, .wait_res = 1 << some % 14),
        TT(STALLWAIT, .stall_res = 0x1ff, .wait_res = some >> 9 & 0x3fff),
        TT(STALLWAIT, .stall_res = some & 0x1ff, .wait_res = some >> 9 & 0x3fff),
        TT(SEMWAIT, .wait_sem_cond = 1 + (some & 1), .sem_sel = 1 + (some & 2),
           .stall_res = some >> 2 & 0x1ff),
        TT(SEMPOST, .sem_sel = 1), TT(SEMGET, .sem_sel = 1),
        TT(SEMINIT, .max_value = 2, .init_value = some & 1, .sem_sel = 3),
        TT(MOP, .mop_type = 1), TT(MOP, .mop_type = 1), repeated_word(some),
        repeated_word(some), TT(ATGETM), TT(ATRELM), TT(REPLAY, .len = 3),
        fixture_random_word(f),
    };

    return words[r % (sizeof(words) / sizeof(words[0]))];
}

static void push(CoreFixture *f, uint32_t thread, uint32_t hart, uint32_t word)
{
    f->core.signals.changed = 0;
    tensix_push(&f->core, thread, word, (TensixOrigin) { 0x1000, hart });
}

/* Counts are small, and the second word of the inner loop is a NOP. */
static void set_mop(CoreFixture *f, uint32_t thread, uint32_t r)
{
    const TensixOrigin origin = { 0x2000, TENSIX_HART_TRISC0 + thread };
    uint32_t index = r % TENSIX_MOP_CFG_WORDS;
    uint32_t value = index <= LOOP_INNER ? r >> 8 & 7
                     : index == LOOP_OP1 ? TT(NOP) : repeated_word(r >> 8);

    tensix_mop_cfg_write(&f->core, thread, index, value, origin);
}

/*
 * Which cycle it is makes no difference once no unit is busy, and a thread that is
 * asked in each cycle keeps the clock going.
 */
static bool are_same(void)
{
    plain.core.s.order = fast.core.s.order;
    return !memcmp(&fast.core.s, &plain.core.s, sizeof(fast.core.s)) &&
           fast.core.derived.busy == plain.core.derived.busy &&
           !((fast.core.signals.changed ^ plain.core.signals.changed) &
             ~TENSIX_CHANGED_POLL) &&
           fast.core.signals.backlog == plain.core.signals.backlog &&
           fast.violation_count == plain.violation_count &&
           fixture_same_events(&fast, &plain);
}

static void test_random(void)
{
    unsigned wrong = 0;

    init(1);
    for (unsigned n = 0; n < PUSHES && !wrong; n++) {
        uint32_t r = fixture_random(&fast), thread = r % TENSIX_THREADS;
        uint32_t hart = r >> 8 & 7 ? TENSIX_HART_TRISC0 + thread
                                   : TENSIX_HART_BRISC;
        uint32_t word = any_word(&fast);

        if (r >> 12 & 1) {
            set_mop(&fast, thread, r >> 16);
            set_mop(&plain, thread, r >> 16);
        }
        push(&fast, thread, hart, word);
        push(&plain, thread, hart, word);
        wrong += !are_same();
        if ((r >> 20) % NEW_CORES == 0) {
            init(fast.random_state);
        }
    }
    ok_eq(wrong, 0, "state, changes and reports of a core that takes each step");
}

static void set_mop_word(uint32_t thread, uint32_t index, uint32_t value)
{
    const TensixOrigin origin = { 0x2000, TENSIX_HART_TRISC0 + thread };

    tensix_mop_cfg_write(&fast.core, thread, index, value, origin);
}

/* A MOP of nothing but that word, so many times. */
static void set_simple_mop(uint32_t thread, uint32_t word, uint32_t count)
{
    for (uint32_t index = 0; index < TENSIX_MOP_CFG_WORDS; index++) {
        set_mop_word(thread, index, TT(NOP));
    }
    set_mop_word(thread, LOOP_OUTER, 1);
    set_mop_word(thread, LOOP_INNER, count);
    set_mop_word(thread, LOOP_OP, word);
    set_mop_word(thread, LOOP_LAST_OF_ALL, word);
}

/* Thread 1 waits for a semaphore, and its NOP at the gate. */
static void let_thread_1_wait(void)
{
    push(&fast, 1, TENSIX_HART_TRISC1,
         TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1, .stall_res = 0x1ff));
    push(&fast, 1, TENSIX_HART_TRISC1, TT(NOP));
}

/* Rows of 16 datums, of four bytes each: PACR takes the packer for 16 cycles. */
static void set_packer(void)
{
    fast.core.s.cfg[0][CFG_THCON_SEC0_REG1_Out_data_format_WORD] =
        TENSIX_FMT_FP32 << CFG_THCON_SEC0_REG1_Out_data_format_LOW;
    fast.core.s.adc[2][TENSIX_ADC_PACK].channel[1].X = TENSIX_COLUMNS - 1;
    tensix_derived_invalidate(&fast.core);
}

/* Words of a MOP take their unit one after the other, beside a thread that waits. */
static void test_time(void)
{
    const struct {
        uint32_t word, cycles;
    } rows[] = { { TT(PACR), 16 }, { TT(ADDDMAREG), 3 }, { TT(SFPNOP), 1 } };
    enum { COUNT = 5 };

    for (unsigned n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        uint64_t before;

        init(1);
        let_thread_1_wait();
        set_packer();
        set_simple_mop(2, rows[n].word, COUNT);
        before = fast.core.s.order.cycle;
        push(&fast, 2, TENSIX_HART_TRISC2, TT(MOP, .mop_type = 1));
        ok_eq(fast.core.s.order.cycle - before, COUNT * rows[n].cycles,
              "five times %s", tensix_insns[rows[n].word >> 24].mnemonic);
    }
}

/* More words than a run may execute. */
static void test_budget(void)
{
    const uint32_t mop = TT(MOP, .mop_type = 1);
    enum { OUTER = 100, INNER = 997 };

    init(1);
    let_thread_1_wait();
    set_simple_mop(2, TT(SFPNOP), INNER);
    set_mop_word(2, LOOP_LAST_OF_INNER, TT(SFPNOP));
    set_mop_word(2, LOOP_OUTER, OUTER);
    push(&fast, 2, TENSIX_HART_TRISC2, mop);
    ok_eq(fast.core.s.executed[TENSIX_UNIT_VECTOR], TENSIX_ENTRY_BUDGET + 1,
          "a run's budget of words, and the one that finds it spent");
    ok(fast.core.signals.backlog, "the others are a backlog");
}

static void give_all_banks(void)
{
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        fast.core.s.src_client[src][1] = TENSIX_CLIENT_MATRIX_UNIT;
        fast.core.s.src_format[src][1] = TENSIX_FMT_BF16;
        fast.core.s.unpack_bank[src] = 0;
    }
}

/*
 * The first of two MVMULs ends a wait that does not hold it; the second one would
 * begin it again.
 */
static void test_wait(void)
{
    enum { BLOCK_OTHERS = 1 << 3 };

    init(1);
    give_all_banks();
    push(&fast, 1, TENSIX_HART_TRISC1,
         TT(STALLWAIT, .stall_res = BLOCK_OTHERS,
            .wait_res = COND_SRCA_UNPACK | COND_SRCA_MATRIX));
    ok(fast.core.s.thread[1].gate.opcode, "the unpackers have no bank");
    set_simple_mop(1, TT(MVMUL, .clear_dvalid = 3), 3);
    set_mop_word(1, LOOP_LAST_OF_ALL, TT(NOP));
    push(&fast, 1, TENSIX_HART_TRISC1, TT(MOP, .mop_type = 1));
    ok_eq(fast.core.s.executed[TENSIX_UNIT_MATRIX], 2, "they have both");
    ok(!fast.core.s.thread[1].gate.opcode, "the wait was over when they had one");
}

/* The first of two MVMULs gives back a bank for which UNPACR waits. */
static void test_order(void)
{
    const uint32_t multiply = TT(MVMUL, .clear_dvalid = 3), unpack = TT(UNPACR);
    const TensixEvent *first;

    init(1);
    give_all_banks();
    push(&fast, 0, TENSIX_HART_TRISC0, unpack);
    ok(fast.core.s.thread[0].gate.pending.valid, "no bank is free");
    set_simple_mop(1, multiply, 3);
    set_mop_word(1, LOOP_START, TT(SFPNOP));
    first = fast.core.record.next;
    push(&fast, 1, TENSIX_HART_TRISC1, TT(MOP, .mop_type = 1));
    ok_eq(first[1].insn.word, multiply, "a first one");
    ok_eq(first[2].insn.word, unpack, "then what waited longer");
}

static unsigned traced;

static void count_executed(void *opaque, TensixTracePoint point,
                           const TensixInsn *i)
{
    traced += point == TENSIX_TRACE_EXECUTE;
}

static void test_trace(void)
{
    enum { COUNT = 5 };

    init(1);
    let_thread_1_wait();
    set_simple_mop(2, TT(SFPNOP), COUNT);
    fixture_trace(&fast);
    fast.core.host.trace = count_executed;
    push(&fast, 2, TENSIX_HART_TRISC2, TT(MOP, .mop_type = 1));
    ok_eq(traced, COUNT, "each word is traced");
}

/* A message, which a stream receives in silence: each run asks for it. */
static void test_stream(void)
{
    const uint32_t streamwait = TT(STREAMWAIT, .stall_res = 0x1ff,
                                   .target_value = 1, .target_sel = 1);

    init(1);
    push(&fast, 1, TENSIX_HART_TRISC1, streamwait);
    push(&fast, 1, TENSIX_HART_TRISC1, TT(NOP));
    ok(fast.core.s.thread[1].gate.opcode, "no message");
    fast.stream[0][TENSIX_STREAM_NUM_MSGS_RECEIVED] = 1;
    push(&fast, 0, TENSIX_HART_TRISC0, TT(STALLWAIT, .wait_res = 1));
    ok(!fast.core.derived.busy, "another thread's wait is over: all are asked");

    fast.stream[0][TENSIX_STREAM_NUM_MSGS_RECEIVED] = 0;
    push(&fast, 1, TENSIX_HART_TRISC1, streamwait);
    push(&fast, 1, TENSIX_HART_TRISC1, TT(NOP));
    fast.stream[0][TENSIX_STREAM_NUM_MSGS_RECEIVED] = 1;
    push(&fast, 1, TENSIX_HART_TRISC1, TT(NOP));
    ok_eq(fast.core.s.thread[1].fifo.count, 0, "words behind its own come next");
}

int main(void)
{
    test_random();
    test_stream();
    test_time();
    test_budget();
    test_wait();
    test_order();
    test_trace();
    return done_testing();
}
