/*
 * Harts that really stall and are woken, twice and more on each region: PCBuf
 * pop, push and barrier, both TTSync checks, instruction push, mailbox pop and
 * push; by another party's access, by the override register and by soft reset.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Small programs run on the harts under TCG, in all three ways to run it and
 * with a seeded schedule, and write their progress into L1; the test plays the
 * other side through the hart views.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hw/tenstorrent/core/decode/tensix_fields.h"
#include "rv-asm.h"
#include "tile-qtest.h"

#define PROGRESS 0x2000            /* L1: times a program came round */
#define GATE 0x2004                /* L1: what a program waits to see */
#define LOG 0x40000                /* L1: words a program received */
#define ROUNDS 40
#define SETTLE_US 20000            /* enough for a hart that can continue */

#define SEMAPHORE 3
#define SEM_MASK (1u << SEMAPHORE)
#define BLOCK_SYNC (1u << 1)
#define WAIT_WHILE_ZERO 1
#define MOP_CFG 0xffb80000u

static const uint32_t reset_pc[] = { 0, 0x12000, 0x6000, 0xa000, 0xe000 };
static const uint32_t reset_bit[] = { 1 << 11, 1 << 18, 1 << 12, 1 << 13,
                                      1 << 14 };

static const char *const modes[] = {
    "-accel tcg,thread=single",
    "-accel tcg,thread=multi",
    "-accel tcg,thread=single -icount shift=0,sleep=off",
    "-accel tcg,thread=single -machine schedule=seed=11",
};

/* --- running programs --- */

static void release(Tile *t, unsigned hart)
{
    uint32_t held = tile_readl(t, NCRISC, TILE_SOFT_RESET);

    tile_writel(t, NCRISC, TILE_SOFT_RESET, held & ~reset_bit[hart]);
}

static void hold(Tile *t, unsigned hart)
{
    uint32_t held = tile_readl(t, NCRISC, TILE_SOFT_RESET);

    tile_writel(t, NCRISC, TILE_SOFT_RESET, held | reset_bit[hart]);
}

static void load(Tile *t, unsigned hart, const RvProgram *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        qtest_writel(t->qts, reset_pc[hart] + 4 * i, p->word[i]);
    }
}

static void run(Tile *t, unsigned hart, const RvProgram *p)
{
    load(t, hart, p);
    release(t, hart);
}

static uint32_t l1(Tile *t, uint32_t addr)
{
    return qtest_readl(t->qts, addr);
}

/* The word becomes `want`, and stays so. */
static void expect(Tile *t, uint32_t addr, uint32_t want)
{
    for (unsigned i = 0; i < 5000 && l1(t, addr) != want; i++) {
        g_usleep(1000);
    }
    g_assert_cmphex(l1(t, addr), ==, want);
}

static void expect_stuck(Tile *t, uint32_t addr, uint32_t want)
{
    expect(t, addr, want);
    g_usleep(SETTLE_US);
    g_assert_cmphex(l1(t, addr), ==, want);
}

/* T0 counts rounds of the loop that starts at `loop`, and closes it. */
static void count_round(RvProgram *p, unsigned loop)
{
    rv_addi(p, RV_T0, RV_T0, 1);
    rv_li(p, RV_T1, PROGRESS);
    rv_sw(p, RV_T0, RV_T1, 0);
    rv_jump(p, loop);
}

/* A loop that loads from `addr` and logs what came. */
static RvProgram loads(uint32_t addr)
{
    RvProgram p = { 0 };
    unsigned loop;

    rv_li(&p, RV_S0, addr);
    rv_li(&p, RV_S1, LOG);
    loop = p.count;
    rv_lw(&p, RV_A0, RV_S0, 0);
    rv_sw(&p, RV_A0, RV_S1, 0);
    rv_addi(&p, RV_S1, RV_S1, 4);
    count_round(&p, loop);
    return p;
}

/* Stores 0, 1, 2... count - 1 to `addr`. */
static RvProgram stores(uint32_t addr, uint32_t count)
{
    RvProgram p = { 0 };
    unsigned loop;

    rv_li(&p, RV_S0, addr);
    rv_li(&p, RV_T1, PROGRESS);
    rv_li(&p, RV_T2, count);
    loop = p.count;
    rv_sw(&p, RV_T0, RV_S0, 0);
    rv_addi(&p, RV_T0, RV_T0, 1);
    rv_sw(&p, RV_T0, RV_T1, 0);
    rv_bne(&p, RV_T0, RV_T2, loop);
    rv_jump(&p, p.count);
    return p;
}

static void post(Tile *t)
{
    tile_writel(t, TRISC0, TILE_SEMAPHORE(SEMAPHORE), 0);
}

static void init_semaphore(Tile *t)
{
    tile_writel(t, TRISC0, TILE_PUSH,
                TT(SEMINIT, .max_value = 15, .sem_sel = SEM_MASK));
}

static uint32_t semwait(void)
{
    return TT(SEMWAIT, .wait_sem_cond = WAIT_WHILE_ZERO, .sem_sel = SEM_MASK,
              .stall_res = BLOCK_SYNC);
}

static void check_log(Tile *t)
{
    g_assert_cmpuint(tile_log_count(t, "re-entrant"), ==, 0);
    g_assert_cmpuint(tile_log_count(t, "re-entrancy"), ==, 0);
}

/* --- one case each; run in every mode --- */

static void pcbuf_pop(Tile *t)
{
    const RvProgram p = loads(TILE_PCBUF);
    const uint32_t window = TILE_PCBUF + TILE_PCBUF_STRIDE;

    run(t, TRISC1, &p);
    for (unsigned n = 0; n < ROUNDS; n++) {
        expect(t, PROGRESS, n);
        tile_writel(t, BRISC, window, 0x1000 + n);
        expect(t, LOG + 4 * n, 0x1000 + n);
    }
    expect_stuck(t, PROGRESS, ROUNDS);
    /* the T hart waits, its queue and thread are empty: the barrier is open */
    g_assert_cmphex(tile_readl(t, BRISC, window), ==, 0);
}

static void pcbuf_push(Tile *t)
{
    const RvProgram p = stores(TILE_PCBUF + 2 * TILE_PCBUF_STRIDE, -1);

    run(t, BRISC, &p);
    expect_stuck(t, PROGRESS, 16);
    for (unsigned n = 0; n < ROUNDS; n++) {
        g_assert_cmphex(tile_readl(t, TRISC2, TILE_PCBUF), ==, n);
        expect(t, PROGRESS, 17 + n);
    }
    expect_stuck(t, PROGRESS, 16 + ROUNDS);
}

/* BRISC: push a token, wait at the barrier, count. */
static RvProgram barrier_program(void)
{
    RvProgram p = { 0 };
    unsigned loop;

    rv_li(&p, RV_S0, TILE_PCBUF);
    loop = p.count;
    rv_sw(&p, RV_T0, RV_S0, 0);
    rv_lw(&p, RV_A0, RV_S0, 0x40);
    count_round(&p, loop);
    return p;
}

/* TRISC0: pop a token, then wait until the gate shows it. */
static RvProgram gated_pop_program(void)
{
    RvProgram p = { 0 };
    unsigned loop, poll;

    rv_li(&p, RV_S0, TILE_PCBUF);
    rv_li(&p, RV_S1, GATE);
    loop = p.count;
    rv_lw(&p, RV_A0, RV_S0, 0);
    poll = p.count;
    rv_fence(&p);
    rv_lw(&p, RV_A1, RV_S1, 0);
    rv_bne(&p, RV_A0, RV_A1, poll);
    rv_jump(&p, loop);
    return p;
}

static void pcbuf_barrier(Tile *t)
{
    const RvProgram brisc = barrier_program(), trisc = gated_pop_program();

    qtest_writel(t->qts, GATE, -1);
    init_semaphore(t);
    run(t, TRISC0, &trisc);
    run(t, BRISC, &brisc);
    for (unsigned n = 0; n < 4; n++) {
        expect_stuck(t, PROGRESS, n);   /* TRISC0 has not asked for more */
        if (n & 1) {
            /* and it has, but its thread has an instruction in flight */
            tile_writel(t, TRISC0, TILE_PUSH, semwait());
            tile_writel(t, TRISC0, TILE_PUSH, TT(SEMGET, .sem_sel = SEM_MASK));
            qtest_writel(t->qts, GATE, n);
            expect_stuck(t, PROGRESS, n);
            post(t);
        } else {
            qtest_writel(t->qts, GATE, n);
        }
        expect(t, PROGRESS, n + 1);
    }
}

/* Hold the thread, wait for it at `check`, count. */
static RvProgram ttsync_program(uint32_t check, uint32_t held_word)
{
    RvProgram p = { 0 };
    unsigned loop;

    rv_li(&p, RV_S0, TILE_PUSH);
    rv_li(&p, RV_S1, check);
    rv_li(&p, RV_A0, semwait());
    rv_li(&p, RV_A1, held_word);
    loop = p.count;
    rv_sw(&p, RV_A0, RV_S0, 0);
    rv_sw(&p, RV_A1, RV_S0, 0);
    rv_sw(&p, RV_ZERO, RV_S1, 0);
    rv_lw(&p, RV_A2, RV_S1, 0);
    count_round(&p, loop);
    return p;
}

static void ttsync_rounds(Tile *t)
{
    for (unsigned n = 0; n < 5; n++) {
        expect_stuck(t, PROGRESS, n);
        post(t);
        expect(t, PROGRESS, n + 1);
    }
}

static void ttsync_cop_done(Tile *t)
{
    const RvProgram p = ttsync_program(TILE_COP_DONE,
                                       TT(SEMGET, .sem_sel = SEM_MASK));

    init_semaphore(t);
    run(t, TRISC2, &p);
    ttsync_rounds(t);
}

/* A MOP of several SEMGETs, of which the first takes the post. */
static void waiting_mop(Tile *t)
{
    for (unsigned i = 0; i < 9; i++) {
        tile_writel(t, TRISC1, MOP_CFG + 4 * i,
                    i == 0 ? 1 : i == 1 ? 20 : i == 5 || i > 6 ?
                    TT(SEMGET, .sem_sel = SEM_MASK) : TT(NOP));
    }
}

static void ttsync_mop_done(Tile *t)
{
    const RvProgram p = ttsync_program(TILE_MOP_DONE, TT(MOP, .mop_type = 1));

    waiting_mop(t);
    init_semaphore(t);
    run(t, TRISC1, &p);
    ttsync_rounds(t);
}

/* Pushes, without waiting, pairs that each need a post to continue. */
static RvProgram push_program(void)
{
    RvProgram p = { 0 };
    unsigned loop;

    rv_li(&p, RV_S0, TILE_PUSH);
    rv_li(&p, RV_A0, semwait());
    rv_li(&p, RV_A1, TT(SEMGET, .sem_sel = SEM_MASK));
    loop = p.count;
    rv_sw(&p, RV_A0, RV_S0, 0);
    rv_sw(&p, RV_A1, RV_S0, 0);
    count_round(&p, loop);
    return p;
}

static void push_fifo(Tile *t)
{
    const RvProgram p = push_program();
    uint32_t full;

    init_semaphore(t);
    run(t, TRISC1, &p);
    g_usleep(5 * SETTLE_US);
    full = l1(t, PROGRESS);
    g_assert_cmpuint(full, >=, 16);    /* 32 words, and what left the FIFO */
    g_assert_cmpuint(full, <=, 18);
    for (unsigned n = 0; n < 10; n++) {
        expect_stuck(t, PROGRESS, full + n);
        post(t);
    }
    expect(t, PROGRESS, full + 10);
}

static void expect_progress(Tile *t)
{
    for (unsigned i = 0; i < 5000 && l1(t, PROGRESS) == 0; i++) {
        g_usleep(1000);
    }
    g_assert_cmpuint(l1(t, PROGRESS), >, 0);
}

/* Enable and Busy end waits at once, and only while they are set. */
static void override(Tile *t)
{
    const RvProgram p = ttsync_program(TILE_COP_DONE,
                                       TT(SEMGET, .sem_sel = SEM_MASK));
    const RvProgram pop = loads(TILE_PCBUF);

    init_semaphore(t);
    run(t, TRISC2, &p);
    expect_stuck(t, PROGRESS, 0);
    tile_writel(t, NCRISC, TILE_PCBUF_OVERRIDE, 3u << 20);
    expect_progress(t);
    hold(t, TRISC2);

    qtest_writel(t->qts, PROGRESS, 0);
    run(t, TRISC0, &pop);
    expect_stuck(t, PROGRESS, 0);
    tile_writel(t, NCRISC, TILE_PCBUF_OVERRIDE, 1 | 0xa5 << 2);
    expect(t, LOG, 0xa5);
    hold(t, TRISC0);
}

/* The same of a wait for the MOP expander. */
static void override_mop(Tile *t)
{
    const RvProgram p = ttsync_program(TILE_MOP_DONE, TT(MOP, .mop_type = 1));

    waiting_mop(t);
    init_semaphore(t);
    run(t, TRISC1, &p);
    expect_stuck(t, PROGRESS, 0);
    tile_writel(t, NCRISC, TILE_PCBUF_OVERRIDE, 3u << 10);
    expect_progress(t);
    hold(t, TRISC1);
}

static void mailbox_pop(Tile *t)
{
    const RvProgram p = loads(TILE_MAILBOX(3));

    run(t, BRISC, &p);
    for (unsigned n = 0; n < ROUNDS; n++) {
        expect(t, PROGRESS, n);
        tile_writel(t, TRISC2, TILE_MAILBOX(0), 0x3000 + n);
        expect(t, LOG + 4 * n, 0x3000 + n);
    }
    expect_stuck(t, PROGRESS, ROUNDS);
}

static void mailbox_push(Tile *t)
{
    const RvProgram p = stores(TILE_MAILBOX(2), -1);

    run(t, TRISC0, &p);
    expect_stuck(t, PROGRESS, 4);
    for (unsigned n = 0; n < ROUNDS; n++) {
        g_assert_cmphex(tile_readl(t, TRISC1, TILE_MAILBOX(1)), ==, n);
        expect(t, PROGRESS, 5 + n);
    }
    expect_stuck(t, PROGRESS, 4 + ROUNDS);
}

/* --- Auto TTSync: a hart's accesses after instructions of its thread --- */

#define GPR(i) (0xffe00000u + 4 * (i))
#define TDMA_STATUS 0xffb11014u
#define CFG_BANK(bank, word) (TILE_CFG + 4 * (224 * (bank) + (word)))
#define TRACK 56                   /* TRISC_SYNC: what is tracked */
#define TRACK_ALL (1 | 1 << 2 | 1 << 3 | 1 << 4)

typedef struct Tracked {
    const char *name;
    uint32_t word;                 /* that the thread still has to execute */
    uint32_t address;
    bool is_store, waits;
} Tracked;

/* Hold the thread before a word, access, count. */
static RvProgram tracked_program(const Tracked *a)
{
    const uint32_t words[] = {
        semwait(), TT(SEMGET, .sem_sel = SEM_MASK), a->word,
    };
    RvProgram p = { 0 };
    unsigned loop;

    rv_li(&p, RV_S0, TILE_PUSH);
    rv_li(&p, RV_S1, a->address);
    loop = p.count;
    for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
        rv_li(&p, RV_A0, words[i]);
        rv_sw(&p, RV_A0, RV_S0, 0);
    }
    if (a->is_store) {
        rv_sw(&p, RV_ZERO, RV_S1, 0);
    } else {
        rv_lw(&p, RV_A2, RV_S1, 0);
    }
    count_round(&p, loop);
    return p;
}

static void check_tracked(Tile *t, const Tracked *a)
{
    const RvProgram p = tracked_program(a);

    g_test_message("%s", a->name);
    qtest_writel(t->qts, PROGRESS, 0);
    run(t, TRISC1, &p);
    if (a->waits) {
        for (unsigned n = 0; n < 3; n++) {
            expect_stuck(t, PROGRESS, n);
            post(t);
            expect(t, PROGRESS, n + 1);
        }
    } else {
        for (unsigned i = 0; i < 5000 && l1(t, PROGRESS) < 8; i++) {
            g_usleep(1000);        /* until the FIFO is nearly full */
        }
        g_assert_cmpuint(l1(t, PROGRESS), >=, 8);
    }
    hold(t, TRISC1);
    for (unsigned n = 0; n < 13; n++) {
        post(t);
    }
    tile_writel(t, TRISC1, TILE_PUSH, TT(SEMINIT, .max_value = 15,
                                         .sem_sel = SEM_MASK));
    tile_wait_idle(t, 1);
}

static void auto_ttsync(Tile *t)
{
    const uint32_t wrcfg = TT(WRCFG, .GprAddress = 8, .CfgReg = 3);
    const uint32_t rdcfg = TT(RDCFG, .GprAddress = 8, .CfgReg = 3);
    const uint32_t flush = TT(FLUSHDMA, .FlushSpec = 1);
    const Tracked rows[] = {
        { "load of a GPR that is written", rdcfg, GPR(8), false, true },
        { "load of a GPR that is read", wrcfg, GPR(8), false, false },
        { "store to a GPR that is read", wrcfg, GPR(8), true, true },
        { "load of the bank that is written", wrcfg, CFG_BANK(1, 3), false,
          true },
        { "load of the other bank", wrcfg, CFG_BANK(0, 3), false, false },
        { "store to the bank that is read", rdcfg, CFG_BANK(1, 3), true, true },
        { "store to the other bank", rdcfg, CFG_BANK(0, 3), true, false },
        { "load of what both banks have", wrcfg, CFG_BANK(0, 200), false,
          true },
        { "load from TDMA that is flushed", flush, TDMA_STATUS, false, true },
        { "load from TDMA", wrcfg, TDMA_STATUS, false, false },
    };

    tile_writel(t, TRISC1, TILE_PUSH, TT(SETC16, .setc16_reg = TRACK,
                                         .setc16_value = TRACK_ALL));
    tile_writel(t, TRISC1, TILE_PUSH, TT(SETC16, .setc16_reg = 0,
                                         .setc16_value = 1));  /* bank 1 */
    init_semaphore(t);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        check_tracked(t, &rows[i]);
    }
}

/* A thread that waits for a word of L1, which no device reports. */
static void l1_poll(Tile *t)
{
    const uint32_t address = 0x3000;

    tile_writel(t, TRISC2, GPR(4), address / 16);
    tile_writel(t, TRISC2, TILE_PUSH, TT(ATCAS, .AddrRegIndex = 4, .CmpVal = 5,
                                         .SwapVal = 6));
    for (unsigned n = 0; n < 3; n++) {
        qtest_writel(t->qts, address, n);
        g_usleep(SETTLE_US);
        g_assert_cmphex(l1(t, address), ==, n);
    }
    qtest_writel(t->qts, address, 5);
    expect(t, address, 6);
}

/* A stalled hart is reset and starts afresh; its partner is released. */
static void soft_reset(Tile *t)
{
    const RvProgram push = stores(TILE_PCBUF, -1);
    const RvProgram pop = loads(TILE_MAILBOX(0));

    run(t, BRISC, &push);
    expect_stuck(t, PROGRESS, 16);
    run(t, TRISC0, &pop);              /* leaving reset empties the PCBuf */
    expect_stuck(t, PROGRESS, 32);
    for (unsigned n = 0; n < 3; n++) {
        hold(t, TRISC0);               /* while it waits for a mailbox */
        release(t, TRISC0);
        expect_stuck(t, PROGRESS, 48 + 16 * n);
    }
    hold(t, BRISC);
    expect_stuck(t, PROGRESS, 80);
}

/* Both sides are harts: no word is lost, doubled or out of order. */
static void both_sides(Tile *t)
{
    enum { WORDS = 20000 };
    const RvProgram push = stores(TILE_MAILBOX(3), WORDS);
    const RvProgram pop = loads(TILE_MAILBOX(1));
    g_autofree uint32_t *log = g_new0(uint32_t, WORDS + 1);

    run(t, TRISC2, &pop);
    run(t, TRISC0, &push);
    expect(t, LOG + 4 * (WORDS - 1), WORDS - 1);
    qtest_memread(t->qts, LOG, log, (WORDS + 1) * sizeof(uint32_t));
    for (unsigned n = 0; n < WORDS; n++) {
        g_assert_cmphex(le32_to_cpu(log[n]), ==, n);
    }
    g_assert_cmphex(log[WORDS], ==, 0);
}

/* A stalled hart is still stalled after migration, and is woken there. */
static void migration(Tile *t)
{
    const RvProgram pop = loads(TILE_PCBUF), push = stores(TILE_MAILBOX(3), -1);

    run(t, TRISC0, &pop);
    expect_stuck(t, PROGRESS, 0);
    run(t, TRISC1, &push);
    expect_stuck(t, PROGRESS, 4);
    tile_migrate(t);
    tile_writel(t, BRISC, TILE_PCBUF, 0x51);
    expect(t, LOG, 0x51);
    expect_stuck(t, LOG + 4, 0);
    g_assert_cmphex(tile_readl(t, TRISC2, TILE_MAILBOX(2)), ==, 0);
    expect_stuck(t, PROGRESS, 5);
}

/* --- beside a hart that computes for ever, which gives no turn away --- */

static void compute(RvProgram *p)
{
    unsigned loop = p->count;

    rv_addi(p, RV_A2, RV_A2, 1);
    rv_jump(p, loop);
}

static void expect_pops(Tile *t, unsigned reader)
{
    for (unsigned n = 0; n < ROUNDS; n++) {
        expect(t, PROGRESS, n);
        tile_writel(t, BRISC, TILE_MAILBOX(reader), 0x5000 + n);
        expect(t, LOG + 4 * n, 0x5000 + n);
    }
}

/*
 * With a thread per hart, that of the first stalled one executes the other for
 * a while, and its own thread from then on, which was asleep.
 */
static void beside_another(Tile *t)
{
    const RvProgram pop = loads(TILE_MAILBOX(0));
    RvProgram p = { 0 };
    unsigned loop;
    uint32_t count;

    rv_li(&p, RV_S0, GATE);
    loop = p.count;
    rv_addi(&p, RV_A2, RV_A2, 1);
    rv_sw(&p, RV_A2, RV_S0, 0);
    rv_jump(&p, loop);
    run(t, TRISC0, &pop);
    run(t, TRISC2, &pop);
    expect_stuck(t, PROGRESS, 0);
    run(t, TRISC1, &p);
    g_usleep(SETTLE_US);
    expect_pops(t, 1);
    count = l1(t, GATE);
    for (unsigned i = 0; i < 5000 && l1(t, GATE) == count; i++) {
        g_usleep(1000);
    }
    g_assert_cmphex(l1(t, GATE), !=, count);
}

/* It was stalled itself, and the first to be so. */
static void beside_the_first(Tile *t)
{
    const RvProgram pop = loads(TILE_MAILBOX(0));
    RvProgram p = { 0 };

    rv_li(&p, RV_S0, TILE_MAILBOX(0));
    rv_lw(&p, RV_A0, RV_S0, 0);
    rv_li(&p, RV_S0, GATE);
    rv_sw(&p, RV_A0, RV_S0, 0);
    compute(&p);
    run(t, TRISC0, &p);
    g_usleep(SETTLE_US);
    run(t, TRISC1, &pop);
    expect_stuck(t, PROGRESS, 0);
    tile_writel(t, BRISC, TILE_MAILBOX(1), 7);
    expect(t, GATE, 7);
    g_usleep(SETTLE_US);
    expect_pops(t, 2);
}

/* The reset is left to the thread of the hart that is held. */
static void reset_beside_another(Tile *t)
{
    RvProgram p = { 0 }, count = { 0 };

    rv_li(&p, RV_T1, PROGRESS);
    rv_lw(&p, RV_T0, RV_T1, 0);
    rv_addi(&p, RV_T0, RV_T0, 1);
    rv_sw(&p, RV_T0, RV_T1, 0);
    rv_li(&p, RV_S0, TILE_MAILBOX(0));
    rv_lw(&p, RV_A0, RV_S0, 0);
    compute(&count);
    run(t, TRISC0, &p);
    expect_stuck(t, PROGRESS, 1);
    run(t, TRISC1, &count);
    for (unsigned n = 2; n < 10; n++) {
        g_usleep(SETTLE_US);
        hold(t, TRISC0);
        release(t, TRISC0);
        expect_stuck(t, PROGRESS, n);
    }
}

typedef struct Case {
    const char *name;
    void (*fn)(Tile *t);
} Case;

static const Case cases[] = {
    { "stall/pcbuf-pop", pcbuf_pop },
    { "stall/pcbuf-push", pcbuf_push },
    { "stall/pcbuf-barrier", pcbuf_barrier },
    { "stall/ttsync-cop-done", ttsync_cop_done },
    { "stall/ttsync-mop-done", ttsync_mop_done },
    { "stall/push-fifo", push_fifo },
    { "stall/override", override },
    { "stall/override-mop", override_mop },
    { "stall/auto-ttsync", auto_ttsync },
    { "stall/l1-poll", l1_poll },
    { "stall/mailbox-pop", mailbox_pop },
    { "stall/mailbox-push", mailbox_push },
    { "stall/soft-reset", soft_reset },
    { "stall/both-sides", both_sides },
    { "stall/migration", migration },
    { "stall/beside-another", beside_another },
    { "stall/beside-the-first", beside_the_first },
    { "stall/reset-beside-another", reset_beside_another },
};

static void run_case(const void *data)
{
    const Case *c = data;

    for (unsigned i = 0; i < ARRAY_SIZE(modes); i++) {
        Tile t = tile_start(modes[i]);

        g_test_message("%s", modes[i]);
        c->fn(&t);
        check_log(&t);
        tile_stop(&t);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        qtest_add_data_func(cases[i].name, &cases[i], run_case);
    }
    return g_test_run();
}
