/*
 * The T harts' semaphore window: values, post, get, limits, widths.
 * (WH SyncUnit.md, "RISCV access to semaphores")
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/tensix_fields.h"
#include "tile-qtest.h"

#define SEMAPHORES 8
#define LIMIT 15
#define POST 0
#define GET 1

static uint32_t value(Tile *t, unsigned i)
{
    return tile_readl(t, TRISC0 + i % TILE_THREADS, TILE_SEMAPHORE(i));
}

static void store(Tile *t, unsigned hart, unsigned i, uint32_t word)
{
    tile_writel(t, hart, TILE_SEMAPHORE(i), word);
}

static void seminit(Tile *t, uint32_t mask, uint32_t init, uint32_t max)
{
    tile_writel(t, BRISC, TILE_PUSH, TT(SEMINIT, .sem_sel = mask,
                                        .init_value = init, .max_value = max));
}

static void test_values(void)
{
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < SEMAPHORES; i++) {
        g_assert_cmphex(value(&t, i), ==, 0);
        seminit(&t, 1u << i, i + 3, 15);
    }
    for (unsigned i = 0; i < SEMAPHORES; i++) {
        for (unsigned h = TRISC0; h <= TRISC2; h++) {
            g_assert_cmphex(tile_readl(&t, h, TILE_SEMAPHORE(i)), ==, i + 3);
        }
    }
    tile_stop(&t);
}

/* One set for all T harts; only bit 0 of a stored word counts. */
static void test_post_get(void)
{
    Tile t = tile_start(NULL);

    seminit(&t, 0xff, 0, 15);
    store(&t, TRISC0, 5, POST);
    store(&t, TRISC1, 5, 0xfffffffe);
    store(&t, TRISC2, 5, POST);
    g_assert_cmphex(value(&t, 5), ==, 3);
    store(&t, TRISC1, 5, GET);
    g_assert_cmphex(value(&t, 5), ==, 2);
    store(&t, TRISC2, 5, 0xffffffff);
    g_assert_cmphex(value(&t, 5), ==, 1);
    for (unsigned i = 0; i < SEMAPHORES; i++) {
        g_assert_cmphex(value(&t, i), ==, i == 5);
    }
    tile_stop(&t);
}

/* A post is capped at 15, not at Max; a get stops at 0. */
static void test_limits(void)
{
    Tile t = tile_start(NULL);

    seminit(&t, 1u << 2, 0, 1);
    for (unsigned n = 1; n <= LIMIT + 3; n++) {
        store(&t, TRISC1, 2, POST);
        g_assert_cmphex(value(&t, 2), ==, MIN(n, LIMIT));
    }
    for (unsigned n = 1; n <= LIMIT + 3; n++) {
        store(&t, TRISC1, 2, GET);
        g_assert_cmphex(value(&t, 2), ==, n < LIMIT ? LIMIT - n : 0);
    }
    g_assert_cmphex(qtest_readl(t.qts, TILE_APERTURE + 0x23000 + 2 * 8 + 4), ==,
                    1);
    tile_stop(&t);
}

/* A hart's store lets a waiting thread of the coprocessor continue. */
static void test_wakes_thread(void)
{
    Tile t = tile_start(NULL);

    seminit(&t, 0xff, 0, 15);
    tile_writel(&t, TRISC0, TILE_PUSH,
                TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1, .stall_res = 2));
    tile_writel(&t, TRISC0, TILE_PUSH, TT(SEMPOST, .sem_sel = 1u << 6));
    g_assert_cmphex(value(&t, 6), ==, 0);
    store(&t, TRISC2, 0, POST);
    g_assert_cmphex(value(&t, 6), ==, 1);
    tile_stop(&t);
}

static void test_widths(void)
{
    const uint64_t addr = TILE_VIEW(TRISC0) + TILE_SEMAPHORE(4);
    Tile t = tile_start(NULL);

    seminit(&t, 0x30, 5, 15);
    qtest_writeb(t.qts, addr, POST);
    qtest_writew(t.qts, addr, POST);
    qtest_readb(t.qts, addr);
    qtest_readw(t.qts, addr);
    g_assert_cmpuint(tile_log_count(&t, "only aligned words"), ==, 4);
    g_assert_cmphex(value(&t, 4), ==, 5);
    g_assert_cmphex(qtest_readq(t.qts, addr), ==, 0x0000000500000005ull);
    qtest_writeq(t.qts, addr, 0x0000000100000000ull);
    g_assert_cmphex(qtest_readq(t.qts, addr), ==, 0x0000000400000006ull);
    tile_stop(&t);
}

static void test_undescribed(void)
{
    static const uint32_t offsets[] = { 0x40, 0x44, 0x1000, 0xfffc };
    Tile t = tile_start(NULL);

    for (unsigned n = 0; n < ARRAY_SIZE(offsets); n++) {
        g_assert_cmphex(tile_readl(&t, TRISC1, TILE_PCBUF + offsets[n]), ==, 0);
        tile_writel(&t, TRISC1, TILE_PCBUF + offsets[n], 0);
        g_assert_cmpuint(tile_log_count(&t, "no behaviour is described"), ==,
                         2 * n + 2);
    }
    for (unsigned i = 0; i < SEMAPHORES; i++) {
        g_assert_cmphex(value(&t, i), ==, 0);
    }
    tile_stop(&t);
}

static void test_debug_reads(void)
{
    Tile t = tile_start(NULL);

    seminit(&t, 0x80, 9, 15);
    g_assert_cmphex(tile_debug_readl(&t, TRISC2, TILE_SEMAPHORE(7)), ==, 9);
    g_assert_cmphex(tile_debug_readl(&t, TRISC2, TILE_PCBUF + 0x40), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, "no behaviour is described"), ==, 0);
    g_assert_cmphex(value(&t, 7), ==, 9);
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("semaphores/values", test_values);
    qtest_add_func("semaphores/post-get", test_post_get);
    qtest_add_func("semaphores/limits", test_limits);
    qtest_add_func("semaphores/wakes-thread", test_wakes_thread);
    qtest_add_func("semaphores/widths", test_widths);
    qtest_add_func("semaphores/undescribed", test_undescribed);
    qtest_add_func("semaphores/debug-reads", test_debug_reads);
    return g_test_run();
}
