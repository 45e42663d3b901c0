/*
 * PCBufs: queue, barrier, override, reset, peeks.  (BH PCBufs.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * No hart runs here: where one would stall, the access gets an answer at once
 * and leaves a line in the log.  stall-test has harts that do stall.
 */

#include "qemu/osdep.h"
#include "tile-qtest.h"

#define DEPTH 16
#define STALLS "the hart would stall"

/* BRISC's window on PCBuf i. */
static uint32_t window(unsigned i)
{
    return TILE_PCBUF + i * TILE_PCBUF_STRIDE;
}

static void push(Tile *t, unsigned i, uint32_t word)
{
    tile_writel(t, BRISC, window(i), word);
}

static uint32_t pop(Tile *t, unsigned i)
{
    return tile_readl(t, TRISC0 + i, TILE_PCBUF);
}

static void test_empty(void)
{
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < TILE_THREADS; i++) {
        unsigned before = tile_log_count(&t, STALLS);

        /* twice on each region: the first must not leave it blocked */
        g_assert_cmphex(pop(&t, i), ==, TILE_WOULD_BLOCK);
        g_assert_cmphex(pop(&t, i), ==, TILE_WOULD_BLOCK);
        g_assert_cmphex(tile_readl(&t, BRISC, window(i)), ==, TILE_WOULD_BLOCK);
        g_assert_cmphex(tile_readl(&t, BRISC, window(i)), ==, TILE_WOULD_BLOCK);
        g_assert_cmpuint(tile_log_count(&t, STALLS), ==, before + 4);
    }
    g_assert_cmpuint(tile_log_count(&t, "re-entrant"), ==, 0);
    tile_stop(&t);
}

/* Order is kept, each queue is its own, and indices wrap. */
static void test_order(void)
{
    Tile t = tile_start(NULL);

    for (unsigned round = 0; round < 5; round++) {
        for (unsigned n = 0; n < 7; n++) {
            for (unsigned i = 0; i < TILE_THREADS; i++) {
                push(&t, i, round << 16 | n << 8 | i);
            }
        }
        for (unsigned n = 0; n < 7; n++) {
            for (unsigned i = 0; i < TILE_THREADS; i++) {
                g_assert_cmphex(pop(&t, i), ==, round << 16 | n << 8 | i);
            }
        }
    }
    g_assert_cmpuint(tile_log_count(&t, STALLS), ==, 0);
    tile_stop(&t);
}

/* Any address of BRISC's 64 KiB pushes; BRISC cannot reach semaphores. */
static void test_whole_window(void)
{
    static const uint32_t offsets[] = {
        0, 4, 8, 0xc, 0x20, 0x3c, 0x40, 0xfffc
    };
    Tile t = tile_start(NULL);

    for (unsigned n = 0; n < ARRAY_SIZE(offsets); n++) {
        tile_writel(&t, BRISC, window(2) + offsets[n], 0x100 + n);
    }
    for (unsigned n = 0; n < ARRAY_SIZE(offsets); n++) {
        g_assert_cmphex(tile_readl(&t, BRISC, window(2) + offsets[n]), ==,
                        TILE_WOULD_BLOCK);
        g_assert_cmphex(pop(&t, 2), ==, 0x100 + n);
    }
    g_assert_cmphex(tile_readl(&t, TRISC2, TILE_SEMAPHORE(0)), ==, 0);
    tile_stop(&t);
}

static void test_full(void)
{
    Tile t = tile_start(NULL);

    for (unsigned n = 0; n < DEPTH; n++) {
        push(&t, 1, 0xa000 + n);
    }
    g_assert_cmpuint(tile_log_count(&t, STALLS), ==, 0);
    push(&t, 1, 0xbad);
    push(&t, 1, 0xbad);
    g_assert_cmpuint(tile_log_count(&t, STALLS), ==, 2);
    for (unsigned n = 0; n < DEPTH; n++) {
        g_assert_cmphex(pop(&t, 1), ==, 0xa000 + n);
    }
    g_assert_cmphex(pop(&t, 1), ==, TILE_WOULD_BLOCK);
    tile_stop(&t);
}

/* Narrow accesses are not defined and change nothing; a T hart's stores too. */
static void test_widths(void)
{
    const uint64_t brisc = TILE_VIEW(BRISC) + window(0);
    const uint64_t trisc = TILE_VIEW(TRISC0) + TILE_PCBUF;
    Tile t = tile_start(NULL);

    push(&t, 0, 0x12345678);
    qtest_writeb(t.qts, brisc, 1);
    qtest_writew(t.qts, brisc, 2);
    qtest_readb(t.qts, trisc);
    qtest_readw(t.qts, trisc);
    g_assert_cmpuint(tile_log_count(&t, "only aligned words"), ==, 4);
    tile_writel(&t, TRISC0, TILE_PCBUF, 0xbad);
    g_assert_cmphex(pop(&t, 0), ==, 0x12345678);
    g_assert_cmphex(pop(&t, 0), ==, TILE_WOULD_BLOCK);
    /* eight bytes are two words */
    qtest_writeq(t.qts, brisc, 0x2222222211111111ull);
    g_assert_cmphex(pop(&t, 0), ==, 0x11111111);
    g_assert_cmphex(pop(&t, 0), ==, 0x22222222);
    tile_stop(&t);
}

static void test_debug_reads(void)
{
    Tile t = tile_start(NULL);

    g_assert_cmphex(tile_debug_readl(&t, TRISC1, TILE_PCBUF), ==,
                    TILE_WOULD_BLOCK);
    push(&t, 1, 0x11);
    push(&t, 1, 0x22);
    for (unsigned n = 0; n < 3; n++) {
        g_assert_cmphex(tile_debug_readl(&t, TRISC1, TILE_PCBUF), ==, 0x11);
        g_assert_cmphex(tile_debug_readl(&t, BRISC, window(1)), ==,
                        TILE_WOULD_BLOCK);
    }
    g_assert_cmpuint(tile_log_count(&t, STALLS), ==, 0);
    g_assert_cmphex(pop(&t, 1), ==, 0x11);
    g_assert_cmphex(pop(&t, 1), ==, 0x22);
    tile_stop(&t);
}

/* Register 0xFFB12090: Enable, Busy and an 8-bit value for each PCBuf. */
static void test_override(void)
{
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < TILE_THREADS; i++) {
        uint32_t enable = 1u << (10 * i), busy = 2u << (10 * i);
        uint32_t value = (0x5a + i) << (10 * i + 2);

        tile_writel(&t, NCRISC, TILE_PCBUF_OVERRIDE, enable | value);
        g_assert_cmphex(tile_readl(&t, BRISC, TILE_PCBUF_OVERRIDE), ==,
                        enable | value);
        g_assert_cmphex(pop(&t, i), ==, 0x5a + i);
        g_assert_cmphex(pop(&t, i), ==, 0x5a + i);
        push(&t, i, 0x777);
        g_assert_cmphex(pop(&t, i), ==, 0x777);
        g_assert_cmphex(tile_readl(&t, BRISC, window(i)), ==, TILE_WOULD_BLOCK);

        tile_writel(&t, NCRISC, TILE_PCBUF_OVERRIDE, enable | busy);
        g_assert_cmphex(tile_readl(&t, BRISC, window(i)), ==, 0);
        g_assert_cmphex(tile_readl(&t, BRISC, window((i + 1) % 3)), ==,
                        TILE_WOULD_BLOCK);
        tile_writel(&t, NCRISC, TILE_PCBUF_OVERRIDE, busy);
        g_assert_cmphex(tile_readl(&t, BRISC, window(i)), ==, TILE_WOULD_BLOCK);
        g_assert_cmphex(pop(&t, i), ==, TILE_WOULD_BLOCK);
    }
    tile_stop(&t);
}

/* Leaving soft reset empties the PCBuf to that T hart, and only that. */
static void test_soft_reset(void)
{
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < TILE_THREADS; i++) {
        push(&t, i, 0x100 + i);
    }
    tile_writel(&t, BRISC, TILE_SOFT_RESET, TILE_SOFT_RESET_ALL & ~(1u << 13));
    g_assert_cmphex(pop(&t, 0), ==, 0x100);
    g_assert_cmphex(pop(&t, 1), ==, TILE_WOULD_BLOCK);
    g_assert_cmphex(pop(&t, 2), ==, 0x102);
    /* entering it does not */
    push(&t, 1, 0x201);
    tile_writel(&t, BRISC, TILE_SOFT_RESET, TILE_SOFT_RESET_ALL);
    g_assert_cmphex(pop(&t, 1), ==, 0x201);
    tile_stop(&t);
}

static void test_system_reset(void)
{
    Tile t = tile_start(NULL);

    tile_writel(&t, BRISC, TILE_PCBUF_OVERRIDE, 1 | 0x33 << 2);
    push(&t, 0, 1);
    push(&t, 2, 3);
    qtest_system_reset(t.qts);
    for (unsigned i = 0; i < TILE_THREADS; i++) {
        g_assert_cmphex(pop(&t, i), ==, TILE_WOULD_BLOCK);
    }
    g_assert_cmphex(tile_readl(&t, BRISC, TILE_PCBUF_OVERRIDE), ==, 0);
    tile_stop(&t);
}

static void test_migration(void)
{
    Tile t = tile_start(NULL);

    for (unsigned n = 0; n < 10; n++) {
        push(&t, 1, n);
        pop(&t, 1);                /* so that the queue wraps */
    }
    for (unsigned n = 0; n < DEPTH; n++) {
        push(&t, 1, 0xc0de0000 + n);
    }
    tile_writel(&t, BRISC, TILE_PCBUF_OVERRIDE, 1u << 20 | 0x77u << 22);
    tile_migrate(&t);
    for (unsigned n = 0; n < DEPTH; n++) {
        g_assert_cmphex(pop(&t, 1), ==, 0xc0de0000 + n);
    }
    g_assert_cmphex(pop(&t, 1), ==, TILE_WOULD_BLOCK);
    g_assert_cmphex(pop(&t, 2), ==, 0x77);
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("pcbuf/empty", test_empty);
    qtest_add_func("pcbuf/order", test_order);
    qtest_add_func("pcbuf/whole-window", test_whole_window);
    qtest_add_func("pcbuf/full", test_full);
    qtest_add_func("pcbuf/widths", test_widths);
    qtest_add_func("pcbuf/debug-reads", test_debug_reads);
    qtest_add_func("pcbuf/override", test_override);
    qtest_add_func("pcbuf/soft-reset", test_soft_reset);
    qtest_add_func("pcbuf/system-reset", test_system_reset);
    qtest_add_func("pcbuf/migration", test_migration);
    return g_test_run();
}
