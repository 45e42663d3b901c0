/*
 * Mailboxes: all sixteen, the shared budget, the query, reset, peeks.
 * (WH Mailboxes.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tile-qtest.h"

#define USERS 4
#define BUDGET 4
#define QUERY 4
#define STALLS "the hart would stall"

/* Mailbox index is not hart index: there is none for NCRISC. */
static const unsigned user_hart[USERS] = { BRISC, TRISC0, TRISC1, TRISC2 };
static const uint32_t user_reset_bit[USERS] = { 1 << 11, 1 << 12, 1 << 13,
                                                1 << 14 };

static void push(Tile *t, unsigned writer, unsigned reader, uint32_t word)
{
    tile_writel(t, user_hart[writer], TILE_MAILBOX(reader), word);
}

static uint32_t pop(Tile *t, unsigned writer, unsigned reader)
{
    return tile_readl(t, user_hart[reader], TILE_MAILBOX(writer));
}

static uint32_t query(Tile *t, unsigned writer, unsigned reader)
{
    return tile_readl(t, user_hart[reader], TILE_MAILBOX(writer) + QUERY);
}

static void test_empty(void)
{
    Tile t = tile_start(NULL);

    for (unsigned w = 0; w < USERS; w++) {
        for (unsigned r = 0; r < USERS; r++) {
            unsigned before = tile_log_count(&t, STALLS);

            g_assert_cmphex(query(&t, w, r), ==, 0);
            g_assert_cmpuint(tile_log_count(&t, STALLS), ==, before);
            g_assert_cmphex(pop(&t, w, r), ==, TILE_WOULD_BLOCK);
            g_assert_cmphex(pop(&t, w, r), ==, TILE_WOULD_BLOCK);
            g_assert_cmpuint(tile_log_count(&t, STALLS), ==, before + 2);
        }
    }
    g_assert_cmpuint(tile_log_count(&t, "re-entrant"), ==, 0);
    tile_stop(&t);
}

/* A word goes to exactly one of the sixteen. */
static void test_routing(void)
{
    Tile t = tile_start(NULL);

    for (unsigned w = 0; w < USERS; w++) {
        for (unsigned r = 0; r < USERS; r++) {
            push(&t, w, r, 0x1000 * w + r);
        }
    }
    for (unsigned w = 0; w < USERS; w++) {
        for (unsigned r = 0; r < USERS; r++) {
            g_assert_cmphex(query(&t, w, r), ==, 1);
            g_assert_cmphex(pop(&t, w, r), ==, 0x1000 * w + r);
            g_assert_cmphex(query(&t, w, r), ==, 0);
        }
    }
    tile_stop(&t);
}

/* Four words in all for one writer, wherever they lie. */
static void test_budget(void)
{
    Tile t = tile_start(NULL);

    push(&t, 1, 0, 10);
    push(&t, 1, 2, 12);
    push(&t, 1, 2, 13);
    push(&t, 1, 3, 14);
    g_assert_cmpuint(tile_log_count(&t, STALLS), ==, 0);
    push(&t, 1, 0, 0xbad);
    push(&t, 1, 1, 0xbad);
    g_assert_cmpuint(tile_log_count(&t, STALLS), ==, 2);
    push(&t, 2, 0, 20);            /* another writer has its own */
    g_assert_cmpuint(tile_log_count(&t, STALLS), ==, 2);
    g_assert_cmphex(query(&t, 1, 1), ==, 0);
    g_assert_cmphex(pop(&t, 1, 2), ==, 12);
    push(&t, 1, 0, 15);
    g_assert_cmpuint(tile_log_count(&t, STALLS), ==, 2);
    g_assert_cmphex(pop(&t, 1, 0), ==, 10);
    g_assert_cmphex(pop(&t, 1, 0), ==, 15);
    g_assert_cmphex(pop(&t, 1, 2), ==, 13);
    g_assert_cmphex(pop(&t, 1, 3), ==, 14);
    g_assert_cmphex(pop(&t, 2, 0), ==, 20);
    tile_stop(&t);
}

static void test_one_full(void)
{
    Tile t = tile_start(NULL);

    for (unsigned round = 0; round < 9; round++) {
        for (unsigned n = 0; n < BUDGET; n++) {
            push(&t, 0, 3, round << 8 | n);
        }
        push(&t, 0, 3, 0xbad);
        g_assert_cmpuint(tile_log_count(&t, STALLS), ==, round + 1);
        for (unsigned n = 0; n < BUDGET; n++) {
            g_assert_cmphex(pop(&t, 0, 3), ==, round << 8 | n);
        }
        g_assert_cmphex(query(&t, 0, 3), ==, 0);
    }
    tile_stop(&t);
}

/* Any address of the 4 KiB; bit 2 makes a load a query, never a store. */
static void test_addresses(void)
{
    Tile t = tile_start(NULL);

    tile_writel(&t, TRISC2, TILE_MAILBOX(1) + 0xffc, 1);
    tile_writel(&t, TRISC2, TILE_MAILBOX(1) + 0x4, 2);
    g_assert_cmphex(tile_readl(&t, TRISC0, TILE_MAILBOX(3) + 0xffc), ==, 1);
    g_assert_cmphex(tile_readl(&t, TRISC0, TILE_MAILBOX(3) + 0xff8), ==, 1);
    g_assert_cmphex(tile_readl(&t, TRISC0, TILE_MAILBOX(3) + 0x7f0), ==, 2);
    tile_stop(&t);
}

static void test_widths(void)
{
    const uint64_t to = TILE_VIEW(BRISC) + TILE_MAILBOX(1);
    const uint64_t from = TILE_VIEW(TRISC0) + TILE_MAILBOX(0);
    Tile t = tile_start(NULL);

    push(&t, 0, 1, 0x12345678);
    qtest_writeb(t.qts, to, 1);
    qtest_writew(t.qts, to, 1);
    qtest_readb(t.qts, from);
    qtest_readw(t.qts, from);
    qtest_readb(t.qts, from + QUERY);
    g_assert_cmpuint(tile_log_count(&t, "only aligned words"), ==, 5);
    g_assert_cmphex(pop(&t, 0, 1), ==, 0x12345678);
    g_assert_cmphex(query(&t, 0, 1), ==, 0);
    /* eight bytes are two stores; a load of them is a pop and a query */
    qtest_writeq(t.qts, to, 0x2222222211111111ull);
    g_assert_cmphex(qtest_readq(t.qts, from), ==, 0x0000000111111111ull);
    g_assert_cmphex(pop(&t, 0, 1), ==, 0x22222222);
    tile_stop(&t);
}

static void test_debug_reads(void)
{
    Tile t = tile_start(NULL);

    g_assert_cmphex(tile_debug_readl(&t, TRISC1, TILE_MAILBOX(0)), ==,
                    TILE_WOULD_BLOCK);
    push(&t, 0, 2, 0x11);
    push(&t, 0, 2, 0x22);
    for (unsigned n = 0; n < 3; n++) {
        g_assert_cmphex(tile_debug_readl(&t, TRISC1, TILE_MAILBOX(0)), ==,
                        0x11);
        g_assert_cmphex(tile_debug_readl(&t, TRISC1, TILE_MAILBOX(0) + QUERY),
                        ==, 1);
    }
    g_assert_cmpuint(tile_log_count(&t, STALLS), ==, 0);
    g_assert_cmphex(pop(&t, 0, 2), ==, 0x11);
    g_assert_cmphex(pop(&t, 0, 2), ==, 0x22);
    tile_stop(&t);
}

/* Entering soft reset discards what the hart has sent, not what it gets. */
static void test_soft_reset(void)
{
    for (unsigned w = 0; w < USERS; w++) {
        Tile t = tile_start(NULL);
        unsigned other = (w + 1) % USERS;

        tile_writel(&t, NCRISC, TILE_SOFT_RESET,
                    TILE_SOFT_RESET_ALL & ~user_reset_bit[w]);
        for (unsigned r = 0; r < USERS; r++) {
            push(&t, w, r, 0xbad);
        }
        push(&t, other, w, 0x600d);
        tile_writel(&t, NCRISC, TILE_SOFT_RESET, TILE_SOFT_RESET_ALL);
        for (unsigned r = 0; r < USERS; r++) {
            g_assert_cmphex(query(&t, w, r), ==, 0);
        }
        g_assert_cmphex(pop(&t, other, w), ==, 0x600d);
        for (unsigned n = 0; n < BUDGET; n++) {
            push(&t, w, other, n);
        }
        g_assert_cmpuint(tile_log_count(&t, STALLS), ==, 0);
        tile_stop(&t);
    }
}

static void test_system_reset(void)
{
    Tile t = tile_start(NULL);

    push(&t, 1, 1, 1);
    push(&t, 3, 0, 1);
    qtest_system_reset(t.qts);
    g_assert_cmphex(query(&t, 1, 1), ==, 0);
    g_assert_cmphex(query(&t, 3, 0), ==, 0);
    tile_stop(&t);
}

static void test_migration(void)
{
    Tile t = tile_start(NULL);

    for (unsigned n = 0; n < BUDGET; n++) {
        push(&t, 2, 3, 0xaa00 + n);
        push(&t, 0, n, 0xbb00 + n);
    }
    tile_migrate(&t);
    for (unsigned n = 0; n < BUDGET; n++) {
        g_assert_cmphex(pop(&t, 2, 3), ==, 0xaa00 + n);
        g_assert_cmphex(pop(&t, 0, n), ==, 0xbb00 + n);
    }
    g_assert_cmphex(query(&t, 2, 3), ==, 0);
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("mailbox/empty", test_empty);
    qtest_add_func("mailbox/routing", test_routing);
    qtest_add_func("mailbox/budget", test_budget);
    qtest_add_func("mailbox/one-full", test_one_full);
    qtest_add_func("mailbox/addresses", test_addresses);
    qtest_add_func("mailbox/widths", test_widths);
    qtest_add_func("mailbox/debug-reads", test_debug_reads);
    qtest_add_func("mailbox/soft-reset", test_soft_reset);
    qtest_add_func("mailbox/system-reset", test_system_reset);
    qtest_add_func("mailbox/migration", test_migration);
    return g_test_run();
}
