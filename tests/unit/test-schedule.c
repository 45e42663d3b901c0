/*
 * Orders of threads: only those that hardware could produce (schedule.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The programs are the patterns of kernels: what they rely on is what units
 * and gates guarantee, no more.
 */

#include <string.h>

#include "core-fixture.h"
#include "num/num.h"
#include "tap.h"
#include "config/config.h"
#include "derived/update.h"
#include "frontend/timing.h"

enum {
    UNPACK = 0, MATH = 1, PACK = 2,
    TILES = 40, SEEDS = 500, TRIES = 20000,
    CLEAR_SRC = 1,                 /* Unpack_Pop of UNPACR_NOP */
    CLEAR_AB = 3,
    SEM_GET_ON_ZERO = 1, ALL = 0x1ff, BLOCK_MATH = 1 << 6, BLOCK_SYNC = 1 << 1,
    WAIT_UNPACK0 = 1 << 1, WAIT_MATH = 1 << 4,
    FACES = 4,
    UNCOMPRESSED = 1 << 4,         /* of the tile descriptor */
};

static CoreFixture f;

/* Pushes by a separate T hart, from a list that may be longer than a FIFO. */
typedef struct Program {
    uint32_t word[TILES * 16];
    unsigned count, next;
} Program;

static Program program[TENSIX_THREADS];

static void add(uint32_t thread, uint32_t word)
{
    program[thread].word[program[thread].count++] = word;
}

static void start(uint64_t seed)
{
    memset(program, 0, sizeof(program));
    fixture_init(&f);
    tensix_set_schedule(&f.core, seed);
}

/* From now on pushes only queue, so that all threads start together. */
static void queue_only(void)
{
    f.core.signals.backlog = true;
    tensix_update_slow(&f.core);
}

static void push_some(uint32_t thread)
{
    Program *p = &program[thread];
    uint32_t hart = TENSIX_HART_TRISC0 + thread;

    while (p->next < p->count) {
        TensixOrigin origin = { p->next * 4, hart };
        uint32_t word = p->word[p->next];

        if (tensix_held_back(&f.core, thread, word, origin) ||
            !tensix_push(&f.core, thread, word, origin)) {
            break;
        }
        p->next++;
    }
}

/* Runs all programs; false if they do not end. */
static bool finish(void)
{
    for (unsigned tries = 0; tries < TRIES; tries++) {
        bool left = tensix_run(&f.core, 100);

        for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
            push_some(t);
            left = left || program[t].next < program[t].count ||
                   !tensix_thread_idle(&f.core, t);
        }
        if (!left) {
            return true;
        }
    }
    return false;
}

static bool all_banks_given_back(void)
{
    bool all = true;

    for (uint32_t n = 0; n < TENSIX_SRCS * TENSIX_SRC_BANKS; n++) {
        all = all && f.core.s.src_client[n / 2][n % 2] ==
                         TENSIX_CLIENT_UNPACKERS;
    }
    return all && f.core.s.matrix_bank[TENSIX_SRCA] ==
                      f.core.s.unpack_bank[TENSIX_SRCA] &&
           f.core.s.matrix_bank[TENSIX_SRCB] ==
               f.core.s.unpack_bank[TENSIX_SRCB];
}

/* A MOP of template 1: `outer` times the two words, nothing else. */
static void set_mop(uint32_t thread, uint32_t outer, uint32_t first,
                    uint32_t second)
{
    const uint32_t cfg[TENSIX_MOP_CFG_WORDS] = {
        outer, 1, TT(NOP), second, TT(NOP), first, TT(NOP), first, first,
    };

    for (uint32_t n = 0; n < TENSIX_MOP_CFG_WORDS; n++) {
        fixture_mop_cfg(&f, thread, n, cfg[n]);
    }
}

/* BF16 tiles of a face: 256 datums a time. */
static void configure_unpackers(void)
{
    TensixState *s = &f.core.s;

    for (uint32_t unpacker = 0; unpacker < 2; unpacker++) {
        s->adc[UNPACK][unpacker].channel[1].X = 255;
    }
    s->cfg[0][CFG_THCON_SEC0_REG0_TileDescriptor_WORD] =
        TENSIX_FMT_BF16 | UNCOMPRESSED | 256u << 16;
    s->cfg[0][CFG_THCON_SEC0_REG0_TileDescriptor_WORD + 1] = 1;
    s->cfg[0][CFG_THCON_SEC0_REG2_Out_data_format_WORD] = TENSIX_FMT_BF16;
    s->cfg[0][CFG_UNP0_ADDR_BASE_REG_1_Base_WORD] =
        64 * 2 << CFG_UNP0_ADDR_BASE_REG_1_Base_LOW;
}

static uint32_t mark_srcb(void)
{
    return TT(UNPACR_NOP, .Unpacker_Select = 1, .Unpack_Pop = CLEAR_SRC,
              .Set_Dvalid = 1);
}

/*
 * copy_tile: {UNPACR to SrcA; UNPACR_NOP for SrcB} in one thread, {MOVA2D,
 * MOVA2D, give both back} in the other.  MOVA2D waits for SrcA alone: that SrcB
 * is there too follows from UNPACR lasting longer than the UNPACR_NOP.
 */
static void copy_tiles(uint64_t seed, unsigned words_between)
{
    start(seed);
    configure_unpackers();
    set_mop(UNPACK, FACES, TT(UNPACR, .SetDatValid = 1), mark_srcb());
    if (words_between) {
        f.core.s.thread[UNPACK].mop.cfg[1] = 2;
        f.core.s.thread[UNPACK].mop.cfg[5] = TT(UNPACR, .SetDatValid = 1);
        f.core.s.thread[UNPACK].mop.cfg[7] = TT(INCADCZW, .CntSetMask = 1);
        f.core.s.thread[UNPACK].mop.cfg[8] = TT(INCADCZW, .CntSetMask = 1);
    }
    set_mop(MATH, FACES, TT(MOVA2D, .instr_mod = 2),
            TT(SETRWC, .clear_ab_vld = CLEAR_AB));
    f.core.s.thread[MATH].mop.cfg[1] = 2;
    for (unsigned n = 0; n < TILES; n++) {
        add(UNPACK, TT(MOP, .mop_type = 1));
        add(MATH, TT(MOP, .mop_type = 1));
    }
}

static void test_copy_tile(unsigned words_between)
{
    unsigned stuck = 0, leaks = 0;

    for (unsigned seed = 0; seed <= SEEDS; seed++) {
        copy_tiles(seed, words_between);
        stuck += !finish();
        leaks += !all_banks_given_back();
        if (!seed) {
            ok(!stuck && !leaks, "copy_tile ends with all banks given back, "
               "%u words between", words_between);
        }
    }
    ok_eq(stuck, 0, "copy_tile ends under all of %u seeds", SEEDS);
    ok_eq(leaks, 0, "and gives all banks back");
    ok(f.violation_count == 0, "and reports nothing: %s", f.violation_text);
}

/* The order in which SEMPOSTs of threads come, as thread numbers. */
static uint32_t seen[64];
static unsigned seen_count;

static void see(void *opaque, TensixTracePoint point, const TensixInsn *i)
{
    if (point == TENSIX_TRACE_EXECUTE && seen_count < 64) {
        seen[seen_count++] = i->thread;
    }
}

/*
 * Thread 1 waits for a semaphore that thread 2 posts in the middle of a long
 * row of NOPs; thread 0 has another row.  Thread 1's next instruction comes
 * before anybody has issued twice.
 */
static void test_woken_thread_goes_first(uint32_t poster)
{
    uint32_t other = poster == PACK ? UNPACK : PACK;
    unsigned posted = 0, woken = 0;

    start(0);
    fixture_push(&f, MATH, TT(SEMINIT, .sem_sel = 1, .max_value = 15));
    fixture_push(&f, MATH, TT(SEMWAIT, .wait_sem_cond = SEM_GET_ON_ZERO,
                              .sem_sel = 1, .stall_res = ALL));
    fixture_push(&f, MATH, TT(SEMGET, .sem_sel = 1));
    f.core.host.trace = see;
    fixture_trace(&f);
    queue_only();
    for (unsigned n = 0; n < 10; n++) {
        fixture_push(&f, other, TT(DMANOP));
        fixture_push(&f, poster, n == 5 ? TT(SEMPOST, .sem_sel = 1)
                                        : TT(SETADCZW));
    }
    seen_count = 0;
    tensix_run(&f.core, 1000);
    for (unsigned n = 0, poster_count = 0; n < seen_count; n++) {
        poster_count += seen[n] == poster;
        posted = seen[n] == poster && poster_count == 6 ? n : posted;
        woken = seen[n] == MATH ? n : woken;
    }
    ok(posted && woken > posted && woken <= posted + 2,
       "posted by thread %u at %u, thread 1 continues at %u", poster, posted,
       woken);
}

/* One instruction a thread and cycle: rows of the same length end together. */
static void test_one_a_cycle(void)
{
    unsigned worst = 0, count[TENSIX_THREADS] = { 0 };

    start(0);
    f.core.host.trace = see;
    fixture_trace(&f);
    queue_only();
    for (unsigned n = 0; n < 20; n++) {
        for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
            fixture_push(&f, t, TT(SETADCZW));
        }
    }
    seen_count = 0;
    tensix_run(&f.core, 1000);
    for (unsigned n = 0; n < seen_count; n++) {
        unsigned lead;

        count[seen[n]]++;
        lead = count[0] - count[2];
        worst = lead > worst && lead < 100 ? lead : worst;
    }
    ok(seen_count == 60 && worst <= 1, "no thread gets ahead: %u", worst);
}

/*
 * STALLWAIT finds an unpacker active while its UNPACR lasts, and the bank is
 * handed over when that ends.
 */
static void test_unpacr_lasts(void)
{
    start(0);
    configure_unpackers();
    fixture_push(&f, MATH, TT(STALLWAIT, .stall_res = BLOCK_MATH,
                              .wait_res = 1 << 7));
    fixture_push(&f, MATH, TT(MOVA2D));
    queue_only();
    fixture_push(&f, UNPACK, TT(UNPACR, .SetDatValid = 1));
    fixture_push(&f, UNPACK, TT(STALLWAIT, .stall_res = BLOCK_SYNC,
                                .wait_res = WAIT_UNPACK0));
    fixture_push(&f, UNPACK, TT(SEMPOST, .sem_sel = 1));
    tensix_run(&f.core, 2);
    ok_eq(f.core.s.src_client[TENSIX_SRCA][0], TENSIX_CLIENT_UNPACKERS,
          "the bank is the unpackers' while UNPACR lasts");
    ok_eq(f.core.s.order.handing_over, 1, "but on its way");
    ok_eq(f.core.s.semaphore[0].value, 0, "STALLWAIT waits for the unpacker");
    ok(tensix_state_valid(&f.core.s), "a snapshot is valid");
    f.core.s.order.handing_over++;
    ok(!tensix_state_valid(&f.core.s), "the number of banks is checked");
    f.core.s.order.handing_over--;
    ok(!tensix_run(&f.core, 1000), "all of it ends");
    ok_eq(f.core.s.semaphore[0].value, 1, "then the semaphore is posted");
    ok(tensix_thread_idle(&f.core, MATH), "and the Matrix Unit has its bank");
}

static uint32_t cycles_of(uint32_t word)
{
    const TensixInsn insn = { .word = word, .thread = PACK };
    TensixTiming timing;

    tensix_timing(&f.core, &insn, &timing);
    return timing.occupancy;
}

/* While all others wait, PACRs of one row and of four follow each other. */
static void test_pacrs_last(void)
{
    const uint32_t row = TT(PACR, .ReadIntfSel = 1), rows = TT(PACR);
    const TensixOrder *o = &f.core.s.order;
    uint64_t begin;

    start(0);
    f.core.s.adc[PACK][TENSIX_ADC_PACK].channel[1].X = TENSIX_COLUMNS - 1;
    fixture_push(&f, MATH, TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1,
                              .stall_res = ALL));
    fixture_push(&f, MATH, TT(NOP));
    set_mop(PACK, FACES, row, rows);
    begin = o->cycle;
    add(PACK, TT(MOP, .mop_type = 1));
    push_some(PACK);
    ok(cycles_of(rows) == 4 * cycles_of(row), "four rows take four times as long");
    ok_eq(o->free_at[tensix_port(row)] - begin,
          FACES * (cycles_of(row) + cycles_of(rows)), "and each has its own time");
}

/* Soft reset of SrcA in the middle: what was on its way does not arrive. */
static void test_reset_while_handing_over(void)
{
    enum { RESET_SRCA_CLIENT = 1 << 15 };

    start(0);
    configure_unpackers();
    fixture_push(&f, MATH, TT(STALLWAIT, .stall_res = BLOCK_MATH,
                              .wait_res = 1 << 7));
    fixture_push(&f, MATH, TT(MOVA2D));
    queue_only();
    fixture_push(&f, UNPACK, TT(UNPACR, .SetDatValid = 1));
    fixture_push(&f, UNPACK, TT(SETADCZW));
    tensix_run(&f.core, 1);
    tensix_soft_reset(&f.core, RESET_SRCA_CLIENT);
    tensix_soft_reset(&f.core, 0);
    tensix_run(&f.core, 1000);
    ok(f.core.s.src_client[TENSIX_SRCA][0] == TENSIX_CLIENT_UNPACKERS &&
       tensix_state_valid(&f.core.s) && !f.core.s.order.handing_over,
       "soft reset ends a hand-over");
}

/* A budget ends a run; nothing is lost, and pushes only queue meanwhile. */
static void test_budget(void)
{
    uint64_t executed;

    start(0);
    set_mop(UNPACK, 127, TT(ADDDMAREG, .OpBisConst = 1, .OpBRegIndex = 1),
            TT(SETADCZW));
    f.core.s.thread[UNPACK].mop.cfg[1] = 127;
    f.core.s.thread[UNPACK].mop.cfg[6] = TT(DMANOP);
    tensix_push(&f.core, UNPACK, TT(MOP, .mop_type = 1),
                (TensixOrigin) { 0, TENSIX_HART_TRISC0 });
    ok(f.core.signals.backlog, "a long MOP leaves a backlog");
    executed = f.core.s.executed[TENSIX_UNIT_THCON];
    ok(executed && executed <= TENSIX_ENTRY_BUDGET, "of all but the budget");
    ok(fixture_push(&f, MATH, TT(SEMPOST, .sem_sel = 1)) &&
       !f.core.s.semaphore[0].value, "other threads' pushes queue meanwhile");
    while (tensix_run(&f.core, 777)) {
        continue;
    }
    ok_eq(f.core.s.executed[TENSIX_UNIT_THCON], 127 * 254,
          "all words are executed in the end");
    ok(!f.core.signals.backlog && f.core.s.semaphore[0].value == 1,
       "then nothing is left");
}

/* What no agent reports, a word of L1, is polled while other threads run. */
static void test_looks_at_l1(void)
{
    enum { AT = 0x400, ADDR = 1, DATA = 2, WORDS = 20 };

    start(0);
    queue_only();
    f.core.s.gpr[UNPACK][ADDR] = f.core.s.gpr[MATH][ADDR] = AT / 16;
    f.core.s.gpr[MATH][DATA] = 1;
    fixture_push(&f, UNPACK, TT(ATCAS, .AddrRegIndex = ADDR, .CmpVal = 1,
                                .SwapVal = 2));
    for (unsigned n = 0; n < WORDS; n++) {
        fixture_push(&f, MATH, TT(DMANOP));
    }
    fixture_push(&f, MATH, TT(STOREIND, .MemHierSel = 1, .RegSizeSel = 1,
                              .AddrRegIndex = ADDR, .DataRegIndex = DATA));
    fixture_push(&f, MATH, TT(DMANOP));
    tensix_run(&f.core, UINT32_MAX);
    ok(tensix_thread_idle(&f.core, UNPACK) && f.l1[AT] == 2,
       "ATCAS continues in the run in which another thread writes its word");
}

static bool trisc1_is_held(void)
{
    return tensix_held_back(&f.core, 1, 0,
                            (TensixOrigin) { .hart = TENSIX_HART_TRISC1 });
}

/* With a random schedule, unfinished work wants time, and so does a held hart. */
static void test_needs_time(void)
{
    start(1);
    ok(!tensix_needs_time(&f.core), "nothing to do, no thread held back");
    f.core.s.order.held_until[TENSIX_HART_TRISC1] = f.core.s.order.cycle + 5;
    ok(tensix_needs_time(&f.core) &&
       trisc1_is_held(), "a thread held back");
    while (tensix_run(&f.core, 10) && tensix_needs_time(&f.core)) {
        continue;
    }
    ok(!tensix_needs_time(&f.core) &&
       !trisc1_is_held(), "until its time comes");
    for (unsigned n = 0; n < 8; n++) {
        fixture_push(&f, MATH, TT(ADDDMAREG));
    }
    memset(f.core.s.order.held_until, 0, sizeof(f.core.s.order.held_until));
    ok(tensix_needs_time(&f.core), "words to execute");
    while (tensix_needs_time(&f.core)) {
        tensix_run(&f.core, 10);
    }
    ok(!tensix_is_busy(&f.core),
       "until all are executed");
}

/* Steps for a thread that only another can release would change nothing. */
static void test_blocked_thread_needs_no_time(void)
{
    uint64_t rng;

    start(1);
    fixture_push(&f, PACK, TT(SEMWAIT, .sem_sel = 1, .wait_sem_cond = 1,
                              .stall_res = 0x1FF));
    fixture_push(&f, PACK, TT(DMANOP));
    while (tensix_needs_time(&f.core)) {
        tensix_run(&f.core, 10);
    }
    ok(tensix_is_busy(&f.core), "a blocked thread is busy and wants no time");
    rng = f.core.s.order.rng;
    fixture_push(&f, MATH, TT(SEMINIT, .max_value = 1, .sem_sel = 1));
    fixture_push(&f, MATH, TT(SEMPOST, .sem_sel = 1));
    while (tensix_needs_time(&f.core)) {
        tensix_run(&f.core, 10);
    }
    ok(rng != f.core.s.order.rng && !tensix_is_busy(&f.core),
       "another thread's post is executed, and releases it");
}

/* An instruction that moves much costs more than a step. */
static void test_cost(void)
{
    enum { DATUMS = 60000, UPSAMPLE_4 = 2 };
    unsigned runs = 1;

    start(0);
    configure_unpackers();
    f.core.s.adc[UNPACK][0].channel[1].X = DATUMS - 1;
    f.core.s.cfg[0][CFG_THCON_SEC0_REG2_Upsample_rate_WORD] |=
        UPSAMPLE_4 << CFG_THCON_SEC0_REG2_Upsample_rate_LOW;
    f.core.s.thread_cfg[UNPACK][THREAD_CFG_SRCA_SET_SetOvrdWithAddr_INDEX] |=
        1 << THREAD_CFG_SRCA_SET_SetOvrdWithAddr_LOW;
    set_mop(UNPACK, 20, TT(UNPACR), TT(UNPACR));
    tensix_push(&f.core, UNPACK, TT(MOP, .mop_type = 1),
                (TensixOrigin) { 0, TENSIX_HART_TRISC0 });
    while (tensix_run(&f.core, TENSIX_ENTRY_BUDGET)) {
        runs++;
    }
    ok(runs >= 30, "40 long UNPACRs take %u entries", runs);
}

/* An instruction that a push executed at once is no debt of the next run. */
static void test_no_debts(void)
{
    start(0);
    configure_unpackers();
    f.core.s.adc[UNPACK][0].channel[1].X = 30000;
    f.core.s.cfg[0][CFG_THCON_SEC0_REG2_Upsample_rate_WORD] |=
        2 << CFG_THCON_SEC0_REG2_Upsample_rate_LOW;
    f.core.s.thread_cfg[UNPACK][THREAD_CFG_SRCA_SET_SetOvrdWithAddr_INDEX] |=
        1 << THREAD_CFG_SRCA_SET_SetOvrdWithAddr_LOW;
    set_mop(UNPACK, 3, TT(DMANOP), TT(DMANOP));
    for (unsigned n = 0; n < 20; n++) {
        tensix_push(&f.core, UNPACK, TT(UNPACR),
                    (TensixOrigin) { 0, TENSIX_HART_TRISC0 });
    }
    tensix_push(&f.core, UNPACK, TT(MOP, .mop_type = 1),
                (TensixOrigin) { 0, TENSIX_HART_TRISC0 });
    ok(!f.core.signals.backlog && tensix_thread_idle(&f.core, UNPACK),
       "a short MOP after 20 long UNPACRs leaves no backlog");
}

/* The same pushes with the same seed give the same state, cycle by cycle. */
static void test_seeds_repeat(void)
{
    static TensixState first;
    unsigned same = 0;

    for (unsigned seed = 1; seed <= 20; seed++) {
        copy_tiles(seed, 1);
        finish();
        first = f.core.s;
        copy_tiles(seed, 1);
        finish();
        same += !memcmp(&first, &f.core.s, sizeof(first));
    }
    ok_eq(same, 20, "a seed repeats");
}

int main(void)
{
    test_copy_tile(0);
    test_copy_tile(1);
    test_woken_thread_goes_first(PACK);
    test_woken_thread_goes_first(UNPACK);
    test_one_a_cycle();
    test_unpacr_lasts();
    test_pacrs_last();
    test_reset_while_handing_over();
    test_budget();
    test_looks_at_l1();
    test_needs_time();
    test_blocked_thread_needs_no_time();
    test_cost();
    test_no_debts();
    test_seeds_repeat();
    return done_testing();
}
