/*
 * PIC: registers, single-slot queues, and the interrupts that reach a hart's
 * registers without one running.  (OLD PIC.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tile-qtest.h"

#define PIC(offset) (0xffb13000u + (offset))
#define NOC_VIEW 5

enum {
    B_SW_EN = 0x00, B_HW_EN = 0x04, B_INT_NO = 0x08,
    NC_SW_EN = 0x0c, NC_HW_EN = 0x10, NC_INT_NO = 0x14,
    SW_INT = 0x18, HW_INT = 0x98, SW_INT_PC = 0xa8, HW_INT_PC = 0x128,
    END = 0x138,
};

static uint32_t get(Tile *t, uint32_t offset)
{
    return tile_readl(t, NCRISC, PIC(offset));
}

static void put(Tile *t, uint32_t offset, uint32_t value)
{
    tile_writel(t, BRISC, PIC(offset), value);
}

static void test_reset_values(void)
{
    Tile t = tile_start(NULL);

    for (unsigned view = 0; view <= NOC_VIEW; view++) {
        for (uint32_t offset = 0; offset < END; offset += 4) {
            g_assert_cmphex(tile_readl(&t, view, PIC(offset)), ==, 0);
        }
    }
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    tile_stop(&t);
}

static void test_registers(void)
{
    static const struct { uint32_t offset, mask; } regs[] = {
        { B_SW_EN, ~0 }, { B_HW_EN, 0xf }, { NC_SW_EN, ~0 }, { NC_HW_EN, 0xf },
        { SW_INT_PC, ~0 }, { SW_INT_PC + 31 * 4, ~0 }, { HW_INT_PC, ~0 },
        { HW_INT_PC + 12, ~0 },
    };
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
        put(&t, regs[i].offset, ~0);
        g_assert_cmphex(get(&t, regs[i].offset), ==, regs[i].mask);
        g_assert_cmphex(qtest_readw(t.qts, TILE_VIEW(NOC_VIEW) +
                                    PIC(regs[i].offset)), ==,
                        regs[i].mask & 0xffff);
    }
    put(&t, HW_INT, 1);
    g_assert_cmphex(get(&t, HW_INT), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    put(&t, B_INT_NO, 1);
    g_assert_cmphex(get(&t, B_INT_NO), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, "read-only"), ==, 1);
    qtest_writeb(t.qts, TILE_VIEW(BRISC) + PIC(B_SW_EN), 0);
    g_assert_cmphex(get(&t, B_SW_EN), ==, 0xffffffff);
    g_assert_cmpuint(tile_log_count(&t, "only words"), ==, 1);
    tile_stop(&t);
}

/* Reading takes the value away, except for a debugger. */
static void test_single_slot(void)
{
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < 32; i++) {
        put(&t, SW_INT + 4 * i, 0x100 + i);
    }
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmphex(tile_debug_readl(&t, BRISC, PIC(SW_INT + 4 * i)), ==,
                        0x100 + i);
        g_assert_cmphex(get(&t, SW_INT + 4 * i), ==, 0x100 + i);
        g_assert_cmphex(get(&t, SW_INT + 4 * i), ==, 0);
    }
    put(&t, SW_INT, 5);
    put(&t, SW_INT, 6);
    put(&t, SW_INT + 4, 7);
    put(&t, SW_INT + 4, 0);
    g_assert_cmphex(get(&t, SW_INT), ==, 6);
    g_assert_cmphex(get(&t, SW_INT + 4), ==, 0);
    tile_stop(&t);
}

/*
 * A held hart is not interrupted; released, it is at once, by one of what is
 * raised and enabled.  No hart runs here, so there is no mret: INT_NO stays.
 */
static void test_interrupt(void)
{
    Tile t = tile_start(NULL);

    put(&t, SW_INT_PC + 4 * 9, 0x900);
    put(&t, SW_INT_PC + 4 * 20, 0x2000);
    put(&t, SW_INT + 4 * 9, 1);
    put(&t, SW_INT + 4 * 20, 1);
    put(&t, B_SW_EN, 1 << 20);
    put(&t, NC_SW_EN, 1 << 20 | 1 << 9);
    g_assert_cmphex(get(&t, B_INT_NO), ==, 0);
    g_assert_cmphex(get(&t, NC_INT_NO), ==, 0);

    tile_writel(&t, BRISC, TILE_SOFT_RESET, 0);
    g_assert_cmphex(get(&t, B_INT_NO), ==, 20);
    g_assert_cmphex(get(&t, NC_INT_NO), ==, 9);

    /* no nesting: the next one waits for mret */
    put(&t, B_SW_EN, ~0);
    put(&t, SW_INT + 4 * 21, 1);
    g_assert_cmphex(get(&t, B_INT_NO), ==, 20);

    /* reset ends the handler; round robin continues after 20 */
    tile_writel(&t, BRISC, TILE_SOFT_RESET, TILE_SOFT_RESET_ALL);
    tile_writel(&t, BRISC, TILE_SOFT_RESET, 0);
    g_assert_cmphex(get(&t, B_INT_NO), ==, 21);
    g_assert_cmphex(get(&t, NC_INT_NO), ==, 20);
    tile_stop(&t);
}

/* Which one is first after a reset does not depend on what was before. */
static void test_order_after_reset(void)
{
    Tile t = tile_start(NULL);

    for (unsigned round = 0; round < 2; round++) {
        put(&t, SW_INT + 4 * 20, 1);
        put(&t, B_SW_EN, 1 << 20 | 1 << 9);
        put(&t, NC_SW_EN, 1 << 20 | 1 << 9);
        tile_writel(&t, BRISC, TILE_SOFT_RESET, 0);
        g_assert_cmphex(get(&t, B_INT_NO), ==, 20);
        qtest_system_reset(t.qts);
        put(&t, SW_INT + 4 * 9, 1);
        put(&t, SW_INT + 4 * 21, 1);
        put(&t, B_SW_EN, 1 << 21 | 1 << 9);
        put(&t, NC_SW_EN, 1 << 21 | 1 << 9);
        tile_writel(&t, BRISC, TILE_SOFT_RESET, 0);
        g_assert_cmphex(get(&t, B_INT_NO), ==, 9);
        g_assert_cmphex(get(&t, NC_INT_NO), ==, 9);
        qtest_system_reset(t.qts);
    }
    tile_stop(&t);
}

static void test_migration(void)
{
    Tile t = tile_start(NULL);

    put(&t, SW_INT + 4 * 3, 0x77);
    put(&t, SW_INT_PC + 4 * 3, 0x1234);
    put(&t, NC_SW_EN, 1 << 3);
    put(&t, NC_HW_EN, 5);
    tile_writel(&t, BRISC, TILE_SOFT_RESET, 0);
    g_assert_cmphex(get(&t, NC_INT_NO), ==, 3);
    tile_migrate(&t);
    g_assert_cmphex(get(&t, NC_INT_NO), ==, 3);
    g_assert_cmphex(get(&t, NC_HW_EN), ==, 5);
    g_assert_cmphex(get(&t, SW_INT_PC + 4 * 3), ==, 0x1234);
    g_assert_cmphex(get(&t, SW_INT + 4 * 3), ==, 0x77);
    qtest_system_reset(t.qts);
    g_assert_cmphex(get(&t, NC_INT_NO), ==, 0);
    g_assert_cmphex(get(&t, NC_HW_EN), ==, 0);
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/tensix/pic/reset-values", test_reset_values);
    qtest_add_func("/tensix/pic/registers", test_registers);
    qtest_add_func("/tensix/pic/single-slot", test_single_slot);
    qtest_add_func("/tensix/pic/interrupt", test_interrupt);
    qtest_add_func("/tensix/pic/order-after-reset", test_order_after_reset);
    qtest_add_func("/tensix/pic/migration", test_migration);
    return g_test_run();
}
