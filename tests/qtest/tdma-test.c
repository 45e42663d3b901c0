/*
 * TDMA-RISC: registers, commands, which harts reach it.  (WH TDMA-RISC.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tile-qtest.h"

#define TDMA(offset) (0xffb11000u + (offset))
#define NOC_VIEW 5

enum {
    PARAM = 0x00, COMMAND = 0x10, STATUS = 0x14, PACKED_SIZE = 0x18,
    ACC_PACKED_SIZE = 0x1c, CLK_GATE_EN = 0x24, CLK_GATE_HYST = 0x28,
    L1_BASE = 0x2c, TILE_SIZE = 0x30, ZEROMASK = 0x34, FIFO_STATUS = 0x38,
    SCALERS = 0x3c,
    STATUS_IDLE = 0x428,           /* both queues empty, room for four */
};

static uint32_t get(Tile *t, uint32_t offset)
{
    return tile_readl(t, BRISC, TDMA(offset));
}

static void put(Tile *t, uint32_t offset, uint32_t value)
{
    tile_writel(t, BRISC, TDMA(offset), value);
}

static void test_registers(void)
{
    static const struct { uint32_t offset, reset, after; } regs[] = {
        { PARAM, 0, 0 }, { PARAM + 12, 0, 0 }, { STATUS, STATUS_IDLE,
          STATUS_IDLE }, { PACKED_SIZE, 0, 0 }, { CLK_GATE_EN, 0, 0xffffff7f },
        { CLK_GATE_HYST, 0, 0x01ff007f }, { L1_BASE, 0, ~0 },
        { FIFO_STATUS, 0x55, 0xffffff55 }, { SCALERS, 0, 0x7ffffff },
    };
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
        g_assert_cmphex(get(&t, regs[i].offset), ==, regs[i].reset);
        put(&t, regs[i].offset, ~0);
        g_assert_cmphex(get(&t, regs[i].offset), ==, regs[i].after);
        g_assert_cmphex(qtest_readw(t.qts, TDMA(regs[i].offset) + 2), ==,
                        (regs[i].after >> 16));
    }
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    qtest_writeb(t.qts, TDMA(CLK_GATE_EN), 0);
    g_assert_cmphex(get(&t, CLK_GATE_EN), ==, 0xffffff7f);
    g_assert_cmpuint(tile_log_count(&t, "only words"), ==, 1);
    qtest_system_reset(t.qts);
    for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
        g_assert_cmphex(get(&t, regs[i].offset), ==, regs[i].reset);
    }
    tile_stop(&t);
}

/* Each thread has its own base; NCRISC and the NoC do not see the block. */
static void test_views(void)
{
    static const unsigned harts[] = { BRISC, TRISC0, TRISC1, TRISC2 };
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(harts); i++) {
        tile_writel(&t, harts[i], TDMA(L1_BASE), 0x100 + i);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(harts); i++) {
        g_assert_cmphex(tile_readl(&t, harts[i], TDMA(L1_BASE)), ==, 0x100 + i);
    }
    put(&t, CLK_GATE_EN, 0x3f);
    g_assert_cmphex(tile_readl(&t, TRISC1, TDMA(CLK_GATE_EN)), ==, 0x3f);
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    g_assert_cmphex(tile_readl(&t, NCRISC, TDMA(CLK_GATE_EN)), ==, 0);
    g_assert_cmphex(tile_readl(&t, NOC_VIEW, TDMA(CLK_GATE_EN)), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, "ncrisc"), ==, 1);
    tile_stop(&t);
}

static void test_scalers(void)
{
    Tile t = tile_start(NULL);

    put(&t, SCALERS, 0x123 << 18 | 0x0aa << 9 | 0x155);
    g_assert_cmphex(get(&t, SCALERS), ==, 0x123 << 18 | 0x0aa << 9 | 0x155);
    put(&t, CLK_GATE_HYST, 0x01ab0000);
    g_assert_cmphex(get(&t, CLK_GATE_HYST), ==, 0x01ab0000);
    g_assert_cmphex(get(&t, SCALERS), ==, 0x123 << 18 | 0x0aa << 9 | 0x155);
    tile_stop(&t);
}

/* PACR_SETREG writes where and what these registers say.  (PACR_SETREG.md) */
static void test_set_reg(void)
{
    enum { PACR_SETREG = 0x4a800f02, VALUE = 5 << 12, MIDDLE = 0x11 << 2 };
    Tile t = tile_start(NULL);

    put(&t, FIFO_STATUS, CLK_GATE_EN / 4);
    put(&t, SCALERS, 3);
    tile_writel(&t, TRISC0 + 2, TILE_PUSH, PACR_SETREG | VALUE | MIDDLE);
    g_assert_cmphex(get(&t, CLK_GATE_EN), ==, 5 + (5 * 3 << 12));
    g_assert_cmphex(get(&t, FIFO_STATUS), ==, CLK_GATE_EN / 4 << 8 | 0x55);
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    tile_stop(&t);
}

static void test_commands(void)
{
    Tile t = tile_start(NULL);

    put(&t, PARAM, 0x2008);
    put(&t, PARAM + 8, 0x11111111);
    put(&t, PARAM + 12, 0x22222222);
    put(&t, COMMAND, 0x666);                   /* 32 bits */
    g_assert_cmphex(qtest_readq(t.qts, 0x2008), ==, 0x11111111);
    put(&t, COMMAND, 0x766);                   /* 64 bits */
    g_assert_cmphex(qtest_readq(t.qts, 0x2008), ==, 0x2222222211111111ull);
    put(&t, COMMAND, 0x80000089);
    put(&t, COMMAND, 0x80000046);
    g_assert_cmphex(get(&t, STATUS), ==, STATUS_IDLE);
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);

    put(&t, PARAM, 0x17fffc);                  /* the last word */
    put(&t, COMMAND, 0x666);
    g_assert_cmphex(qtest_readl(t.qts, 0x17fffc), ==, 0x11111111);
    put(&t, PARAM, 0x17fff8);
    put(&t, COMMAND, 0x766);
    g_assert_cmphex(qtest_readl(t.qts, 0x17fffc), ==, 0x22222222);
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    put(&t, PARAM, 0x17fffc);                  /* 64 bits cross the end */
    put(&t, COMMAND, 0x766);
    put(&t, PARAM, 0xfffffffc);
    put(&t, COMMAND, 0x666);
    put(&t, COMMAND, 0x80000666);
    g_assert_cmpuint(tile_log_count(&t, "L1 write command"), ==, 3);
    put(&t, COMMAND, 0x40);
    g_assert_cmpuint(tile_log_count(&t, "mover command"), ==, 1);
    put(&t, COMMAND, 0x41);
    g_assert_cmpuint(tile_log_count(&t, "no such command"), ==, 1);
    tile_stop(&t);
}

static void move(Tile *t, uint32_t source, uint32_t destination, uint32_t bytes,
                 uint32_t mode)
{
    put(t, PARAM, source / 16);
    put(t, PARAM + 4, destination / 16);
    put(t, PARAM + 8, bytes / 16);
    put(t, PARAM + 12, mode);
    put(t, COMMAND, 0x40);
}

/* Mover commands; modes as XMOV's (WH Mover.md). */
static void test_mover(void)
{
    enum { CLEAR_L1, TO_CONFIG, CLEAR_CONFIG, WITHIN_L1 };
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < 512; i += 4) {
        qtest_writel(t.qts, 0x3000 + i, 0x1234560 + i);
    }
    move(&t, 0x3000, 0x4000, 272, WITHIN_L1);
    g_assert_cmphex(qtest_readl(t.qts, 0x4000), ==, 0x1234560);
    g_assert_cmphex(qtest_readl(t.qts, 0x410c), ==, 0x1234560 + 268);
    g_assert_cmphex(qtest_readl(t.qts, 0x4110), ==, 0);
    move(&t, 0, 0x4010, 32, CLEAR_L1);
    g_assert_cmphex(qtest_readl(t.qts, 0x400c), ==, 0x123456c);
    g_assert_cmphex(qtest_readl(t.qts, 0x402c), ==, 0);
    g_assert_cmphex(qtest_readl(t.qts, 0x4030), ==, 0x1234590);
    move(&t, 0x3000, 0x40, 16, TO_CONFIG);
    g_assert_cmphex(qtest_readl(t.qts, TILE_CFG + 0x44), ==, 0x1234564);
    move(&t, 0, 0x40, 16, CLEAR_CONFIG);
    g_assert_cmphex(qtest_readl(t.qts, TILE_CFG + 0x44), ==, 0);

    /* compact: TRISC1's base + 2, 16 bytes to configuration, 32 within L1 */
    tile_writel(&t, TRISC1, TDMA(L1_BASE), 0x300);
    tile_writel(&t, TRISC1, TDMA(COMMAND), 1u << 31 | 1 << 24 | 5 << 16 |
                                           2 << 8 | 0x40);
    g_assert_cmphex(qtest_readl(t.qts, TILE_CFG + 0x50), ==, 0x1234580);
    tile_writel(&t, TRISC1, TDMA(COMMAND), 3u << 30 | 2 << 24 | 0xff << 16 |
                                           2 << 8 | 0x40);
    g_assert_cmphex(qtest_readl(t.qts, 0xffc), ==, 0x123458c);
    g_assert_cmphex(get(&t, STATUS), ==, STATUS_IDLE);
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);

    move(&t, 0x17fff0, 0x4000, 32, WITHIN_L1);
    move(&t, 0x4000, 0x17fff0, 32, WITHIN_L1);
    move(&t, 0xfffffff0, 0x4000, 16, WITHIN_L1);
    move(&t, 0x3000, 0xfff0, 32, TO_CONFIG);
    move(&t, 0x3000, 0x40000, 16, TO_CONFIG);
    g_assert_cmpuint(tile_log_count(&t, "mover command"), ==, 5);
    g_assert_cmphex(qtest_readl(t.qts, 0x4000), ==, 0x1234560);
    tile_stop(&t);
}

/* Loads that wait or pop on hardware: an answer at once, peeks say nothing. */
static void test_metadata(void)
{
    Tile t = tile_start(NULL);

    for (unsigned i = 1; i <= 2; i++) {
        g_assert_cmphex(tile_debug_readl(&t, BRISC, TDMA(TILE_SIZE)), ==, 0);
        g_assert_cmphex(get(&t, TILE_SIZE), ==, 0);
        g_assert_cmpuint(tile_log_count(&t, "packer metadata"), ==, i);
        g_assert_cmphex(get(&t, ZEROMASK), ==, 0);
        g_assert_cmpuint(tile_log_count(&t, "empty metadata"), ==, i);
    }
    tile_stop(&t);
}

static void test_migration(void)
{
    Tile t = tile_start(NULL);

    put(&t, PARAM, 0x3000);
    put(&t, PARAM + 8, 0xfeed);
    put(&t, SCALERS, 0x1ff);
    tile_writel(&t, TRISC2, TDMA(L1_BASE), 0x42);
    tile_migrate(&t);
    g_assert_cmphex(get(&t, SCALERS), ==, 0x1ff);
    g_assert_cmphex(tile_readl(&t, TRISC2, TDMA(L1_BASE)), ==, 0x42);
    put(&t, COMMAND, 0x666);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0xfeed);
    tile_stop(&t);
}

/* Address and both words are 0 afterwards. */
static void test_reset(void)
{
    Tile t = tile_start(NULL);

    put(&t, PARAM, 0x3000);
    put(&t, PARAM + 8, 0x11111111);
    put(&t, PARAM + 12, 0x22222222);
    tile_writel(&t, BRISC, TILE_SOFT_RESET, TILE_SOFT_RESET_ALL | 1 << 8);
    tile_writel(&t, BRISC, TILE_SOFT_RESET, TILE_SOFT_RESET_ALL);
    qtest_writeq(t.qts, 0, UINT64_MAX);
    put(&t, COMMAND, 0x766);                   /* 64 bits */
    g_assert_cmphex(qtest_readq(t.qts, 0), ==, 0);
    g_assert_cmphex(qtest_readq(t.qts, 0x3000), ==, 0);
    tile_stop(&t);
}

/* What soft reset holds takes nothing, in another machine neither. */
static void test_migration_while_held(void)
{
    const uint32_t held = TILE_SOFT_RESET_ALL | 1 << 8;
    Tile t = tile_start(NULL);

    put(&t, L1_BASE, 0x42);
    tile_writel(&t, BRISC, TILE_SOFT_RESET, held);
    tile_migrate(&t);
    put(&t, L1_BASE, 0x43);
    g_assert_cmphex(get(&t, L1_BASE), ==, 0x42);
    tile_writel(&t, BRISC, TILE_SOFT_RESET, TILE_SOFT_RESET_ALL);
    put(&t, L1_BASE, 0x43);
    g_assert_cmphex(get(&t, L1_BASE), ==, 0x43);
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/tensix/tdma/registers", test_registers);
    qtest_add_func("/tensix/tdma/views", test_views);
    qtest_add_func("/tensix/tdma/scalers", test_scalers);
    qtest_add_func("/tensix/tdma/set-reg", test_set_reg);
    qtest_add_func("/tensix/tdma/commands", test_commands);
    qtest_add_func("/tensix/tdma/mover", test_mover);
    qtest_add_func("/tensix/tdma/metadata", test_metadata);
    qtest_add_func("/tensix/tdma/reset", test_reset);
    qtest_add_func("/tensix/tdma/migration", test_migration);
    qtest_add_func("/tensix/tdma/migration-while-held",
                   test_migration_while_held);
    return g_test_run();
}
