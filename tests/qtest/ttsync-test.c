/*
 * Manual TTSync: the two checks, idle and busy, and the override.
 * (BH ManualTTSync.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thread is kept busy by a SEMWAIT that holds the instruction after it, and
 * released by posting the semaphore.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/tensix_fields.h"
#include "tile-qtest.h"

#define STALLS "the hart would stall"
#define SEMAPHORE 3
#define SEM_MASK (1u << SEMAPHORE)
#define BLOCK_SYNC (1u << 1)       /* STALLWAIT.md: B1 */
#define WAIT_WHILE_ZERO 1

static void push(Tile *t, unsigned thread, uint32_t word)
{
    tile_writel(t, TRISC0 + thread, TILE_PUSH, word);
}

/* The thread now waits until the semaphore is posted, then takes it back. */
static void hold_thread(Tile *t, unsigned thread)
{
    push(t, thread, TT(SEMWAIT, .wait_sem_cond = WAIT_WHILE_ZERO,
                       .sem_sel = SEM_MASK, .stall_res = BLOCK_SYNC));
    push(t, thread, TT(SEMGET, .sem_sel = SEM_MASK));
}

static void post(Tile *t)
{
    tile_writel(t, TRISC0, TILE_SEMAPHORE(SEMAPHORE), 0);
}

static Tile start(void)
{
    Tile t = tile_start(NULL);

    push(&t, 0, TT(SEMINIT, .max_value = 15, .sem_sel = SEM_MASK));
    return t;
}

static void test_idle(void)
{
    Tile t = start();

    for (unsigned i = 0; i < TILE_THREADS; i++) {
        g_assert_cmphex(tile_readl(&t, TRISC0 + i, TILE_COP_DONE), ==, 0);
        g_assert_cmphex(tile_readl(&t, TRISC0 + i, TILE_MOP_DONE), ==, 0);
        tile_writel(&t, TRISC0 + i, TILE_COP_DONE, 0xbad);
        tile_writel(&t, TRISC0 + i, TILE_MOP_DONE, 0xbad);
        g_assert_cmphex(tile_readl(&t, TRISC0 + i, TILE_COP_DONE), ==, 0);
    }
    g_assert_cmpuint(tile_log_count(&t, ":"), ==, 0);
    tile_stop(&t);
}

/* Busy and idle again, twice, and no other thread is touched by it. */
static void test_busy(void)
{
    Tile t = start();

    for (unsigned i = 0; i < TILE_THREADS; i++) {
        for (unsigned round = 0; round < 2; round++) {
            unsigned before = tile_log_count(&t, STALLS);
            unsigned other = TRISC0 + (i + 1) % TILE_THREADS;

            hold_thread(&t, i);
            g_assert_cmphex(tile_readl(&t, TRISC0 + i, TILE_COP_DONE), ==,
                            TILE_WOULD_BLOCK);
            g_assert_cmphex(tile_readl(&t, TRISC0 + i, TILE_COP_DONE), ==,
                            TILE_WOULD_BLOCK);
            g_assert_cmpuint(tile_log_count(&t, STALLS), ==, before + 2);
            g_assert_cmphex(tile_readl(&t, TRISC0 + i, TILE_MOP_DONE), ==, 0);
            g_assert_cmphex(tile_readl(&t, other, TILE_COP_DONE), ==, 0);
            post(&t);
            g_assert_cmphex(tile_readl(&t, TRISC0 + i, TILE_COP_DONE), ==, 0);
        }
    }
    g_assert_cmphex(tile_readl(&t, TRISC0, TILE_SEMAPHORE(SEMAPHORE)), ==, 0);
    tile_stop(&t);
}

/* A MOP that cannot be expanded: its words meet a closed gate. */
static void test_mop_busy(void)
{
    static const uint32_t cfg[] = { 4, 20 };   /* outer, inner loop counts */
    const uint32_t nop = TT(NOP), loop = TT(SEMPOST, .sem_sel = 1 << 7);
    Tile t = start();

    for (unsigned i = 0; i < 9; i++) {
        tile_writel(&t, TRISC1, 0xffb80000 + 4 * i,
                    i < 2 ? cfg[i] : i == 5 || i > 6 ? loop : nop);
    }
    hold_thread(&t, 1);
    push(&t, 1, TT(MOP, .mop_type = 1));
    g_assert_cmphex(tile_readl(&t, TRISC1, TILE_MOP_DONE), ==,
                    TILE_WOULD_BLOCK);
    g_assert_cmphex(tile_readl(&t, TRISC1, TILE_COP_DONE), ==,
                    TILE_WOULD_BLOCK);
    g_assert_cmphex(tile_readl(&t, TRISC0, TILE_MOP_DONE), ==, 0);
    post(&t);
    g_assert_cmphex(tile_readl(&t, TRISC1, TILE_MOP_DONE), ==, 0);
    g_assert_cmphex(tile_readl(&t, TRISC1, TILE_COP_DONE), ==, 0);
    g_assert_cmphex(tile_readl(&t, TRISC1, TILE_SEMAPHORE(7)), ==, 15);
    tile_stop(&t);
}

/* Enable and Busy of the thread's PCBuf end both waits. */
static void test_override(void)
{
    Tile t = start();

    hold_thread(&t, 2);
    tile_writel(&t, BRISC, TILE_PCBUF_OVERRIDE, 1u << 20);
    g_assert_cmphex(tile_readl(&t, TRISC2, TILE_COP_DONE), ==,
                    TILE_WOULD_BLOCK);
    tile_writel(&t, BRISC, TILE_PCBUF_OVERRIDE, 3u << 10);
    g_assert_cmphex(tile_readl(&t, TRISC2, TILE_COP_DONE), ==,
                    TILE_WOULD_BLOCK);
    tile_writel(&t, BRISC, TILE_PCBUF_OVERRIDE, 3u << 20);
    g_assert_cmphex(tile_readl(&t, TRISC2, TILE_COP_DONE), ==, 0);
    tile_stop(&t);
}

static void test_debug_reads(void)
{
    Tile t = start();

    g_assert_cmphex(tile_debug_readl(&t, TRISC0, TILE_COP_DONE), ==, 0);
    hold_thread(&t, 0);
    g_assert_cmphex(tile_debug_readl(&t, TRISC0, TILE_COP_DONE), ==,
                    TILE_WOULD_BLOCK);
    g_assert_cmphex(tile_debug_readl(&t, TRISC0, TILE_MOP_DONE), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, STALLS), ==, 0);
    tile_stop(&t);
}

static void test_undescribed(void)
{
    const uint64_t check = TILE_VIEW(TRISC0) + TILE_COP_DONE;
    Tile t = start();

    g_assert_cmphex(tile_readl(&t, TRISC0, TILE_PCBUF + 0xc), ==, 0);
    tile_writel(&t, TRISC0, TILE_PCBUF + 0x1c, 1);
    g_assert_cmpuint(tile_log_count(&t, "no behaviour is described"), ==, 2);
    qtest_readb(t.qts, check);
    qtest_readw(t.qts, check);
    g_assert_cmpuint(tile_log_count(&t, "only aligned words"), ==, 2);
    g_assert_cmphex(qtest_readq(t.qts, check), ==, 0);   /* both checks */
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("ttsync/idle", test_idle);
    qtest_add_func("ttsync/busy", test_busy);
    qtest_add_func("ttsync/mop-busy", test_mop_busy);
    qtest_add_func("ttsync/override", test_override);
    qtest_add_func("ttsync/debug-reads", test_debug_reads);
    qtest_add_func("ttsync/undescribed", test_undescribed);
    return g_test_run();
}
