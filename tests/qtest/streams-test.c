/*
 * Overlay streams: circular-buffer counters, credit updates, side effects
 * between registers, capabilities, STREAMWAIT.  (WH
 * NoC/Overlay/AsGeneralUse.md, Blackhole's register numbers)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/tensix_fields.h"
#include "tile-qtest.h"

#define STREAM(s, reg) (0xffb40000u + 0x1000 * (s) + 4 * (reg))
#define STREAMS 64
#define NOC_VIEW 5

enum {
    REMOTE_SRC = 4, REMOTE_SRC_PHASE = 5, DEST_BUF_START = 8,
    DEST_BUF_START_HI = 9, DEST_BUF_SIZE = 10, DEST_WR_PTR = 11,
    BUF_START = 17, BUF_SIZE = 18, RD_PTR = 19, WR_PTR = 20, MSG_PTR = 22,
    MSG_WR_PTR = 23, MCAST_DEST = 24, GATHER = 26, PHASE_BASE = 28, PHASE = 29,
    CFG_PTR_BASE = 30, CFG_PTR = 31, HEADER_FORMAT = 33, AUTO_CFG_HEADER = 34,
    SCRATCH = 36, FW_SCRATCH = 208,
    SCRATCH32 = 256, WAIT_STATUS = 257, NUM_MSGS = 259, BUF_SPACE = 260,
    NEXT_ADDR = 262, PHASE_ADVANCE = 267, SPACE_UPDATE = 270, CAN_PUSH = 275,
    SPACE = 297, DEBUG_STATUS_2 = 503,
};

static uint32_t get(Tile *t, unsigned stream, unsigned reg)
{
    return tile_readl(t, TRISC2, STREAM(stream, reg));
}

static void put(Tile *t, unsigned stream, unsigned reg, uint32_t value)
{
    tile_writel(t, TRISC0, STREAM(stream, reg), value);
}

/* What firmware does: +0x20 and +0x28 of a stream are two counters. */
static void test_counters(void)
{
    Tile t = tile_start(NULL);

    for (unsigned s = 0; s < STREAMS; s++) {
        g_assert_cmphex(get(&t, s, DEST_BUF_START), ==, 0);
        g_assert_cmphex(get(&t, s, DEST_BUF_SIZE), ==, 0);
        put(&t, s, DEST_BUF_START, 0x1000 + s);
        put(&t, s, DEST_BUF_SIZE, 0x12000 + s);
    }
    for (unsigned s = 0; s < STREAMS; s++) {
        for (unsigned view = 0; view <= NOC_VIEW; view++) {
            g_assert_cmphex(tile_readl(&t, view, 0xffb40020 + 0x1000 * s), ==,
                            0x1000 + s);
            g_assert_cmphex(tile_readl(&t, view, 0xffb40028 + 0x1000 * s), ==,
                            0x12000 + s);
        }
    }
    g_assert_cmphex(qtest_readw(t.qts, STREAM(7, DEST_BUF_SIZE)), ==, 0x2007);
    g_assert_cmphex(qtest_readb(t.qts, STREAM(7, DEST_BUF_SIZE) + 2), ==, 1);
    put(&t, 9, DEST_BUF_SIZE, ~0);
    g_assert_cmphex(get(&t, 9, DEST_BUF_SIZE), ==, 0x1ffff);
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    qtest_writew(t.qts, STREAM(9, DEST_BUF_SIZE), 0);
    g_assert_cmphex(get(&t, 9, DEST_BUF_SIZE), ==, 0x1ffff);
    g_assert_cmpuint(tile_log_count(&t, "only words"), ==, 1);
    qtest_system_reset(t.qts);
    g_assert_cmphex(get(&t, 9, DEST_BUF_SIZE), ==, 0);
    tile_stop(&t);
}

/* The size sets the credits; updates add to them, 17 bits wide. */
static void test_credits(void)
{
    Tile t = tile_start(NULL);

    put(&t, 5, DEST_BUF_SIZE, 100);
    g_assert_cmphex(get(&t, 5, SPACE), ==, 100);
    put(&t, 5, SPACE_UPDATE, 28 << 6);
    g_assert_cmphex(get(&t, 5, SPACE), ==, 128);
    g_assert_cmphex(get(&t, 5, DEST_BUF_SIZE), ==, 100);
    put(&t, 5, SPACE_UPDATE, 0x1ffff << 6);
    g_assert_cmphex(get(&t, 5, SPACE), ==, 127);
    put(&t, 5, SPACE_UPDATE, 1 << 6 | 1);      /* has no destination 1 */
    g_assert_cmphex(get(&t, 5, SPACE + 1), ==, 0);
    g_assert_cmphex(get(&t, 5, SPACE), ==, 127);

    put(&t, 2, DEST_BUF_SIZE, 10);
    for (unsigned i = 0; i < 32; i++) {
        put(&t, 2, SPACE_UPDATE, i << 6 | i);
        g_assert_cmphex(get(&t, 2, SPACE + i), ==, 10 + i);
    }
    g_assert_cmphex(get(&t, 2, DEBUG_STATUS_2), ==, 9);
    put(&t, 2, SPACE_UPDATE, (0x20000 - 41) << 6 | 31);
    g_assert_cmphex(get(&t, 2, SPACE + 31), ==, 0);
    g_assert_cmphex(get(&t, 2, DEBUG_STATUS_2), ==, 1);
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    put(&t, 2, SPACE, 1);
    g_assert_cmpuint(tile_log_count(&t, "read-only"), ==, 1);
    tile_stop(&t);
}

static void test_side_effects(void)
{
    Tile t = tile_start(NULL);

    put(&t, 8, DEST_WR_PTR, 5);
    put(&t, 8, DEST_BUF_START, 1);
    g_assert_cmphex(get(&t, 8, DEST_WR_PTR), ==, 0);
    put(&t, 8, BUF_SIZE, 0x100);
    put(&t, 8, RD_PTR, 0x10);
    put(&t, 8, WR_PTR, 0x30);
    g_assert_cmphex(get(&t, 8, BUF_SPACE), ==, 0xe0);
    put(&t, 8, BUF_START, 0x400);
    g_assert_cmphex(get(&t, 8, RD_PTR), ==, 0);
    g_assert_cmphex(get(&t, 8, WR_PTR), ==, 0);
    g_assert_cmphex(get(&t, 8, BUF_SPACE), ==, 0x100);
    put(&t, 8, RD_PTR, 0x22);
    g_assert_cmphex(get(&t, 8, NEXT_ADDR), ==, 0x422);
    g_assert_cmphex(get(&t, 8, CAN_PUSH), ==, 1);
    put(&t, 8, MSG_PTR, 3);
    g_assert_cmphex(get(&t, 8, CAN_PUSH), ==, 0);
    put(&t, 8, BUF_SIZE, 0);
    g_assert_cmphex(get(&t, 8, BUF_SPACE), ==, 0);

    put(&t, 8, PHASE_BASE, 0x100);
    g_assert_cmphex(get(&t, 8, PHASE), ==, 0xfff00);
    put(&t, 8, PHASE, 7);
    g_assert_cmphex(get(&t, 8, PHASE), ==, 7);
    put(&t, 8, PHASE_BASE, 0x102);
    g_assert_cmphex(get(&t, 8, PHASE), ==, 5);
    put(&t, 8, AUTO_CFG_HEADER, 0xab003004);
    g_assert_cmphex(get(&t, 8, PHASE), ==, 9);
    g_assert_cmphex(get(&t, 8, AUTO_CFG_HEADER), ==, 0xab003003);
    put(&t, 8, CFG_PTR_BASE, 0x100);
    put(&t, 8, CFG_PTR, 7);
    g_assert_cmphex(get(&t, 8, CFG_PTR), ==, 7);
    put(&t, 8, CFG_PTR_BASE, 0x102);
    g_assert_cmphex(get(&t, 8, CFG_PTR), ==, 5);
    put(&t, 8, REMOTE_SRC_PHASE, 1);
    g_assert_cmphex(get(&t, 8, REMOTE_SRC_PHASE), ==, 1);
    g_assert_cmphex(get(&t, 8, WAIT_STATUS), ==, 1);
    g_assert_cmphex(get(&t, 8, NUM_MSGS), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    put(&t, 8, PHASE_ADVANCE, 1);
    g_assert_cmpuint(tile_log_count(&t, "streams stay idle"), ==, 1);
    g_assert_cmphex(get(&t, 8, 60), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, "no register"), ==, 1);
    tile_stop(&t);
}

/* Registers that only some streams have; elsewhere stores vanish. */
static void test_capabilities(void)
{
    static const struct { unsigned reg; uint32_t mask; uint64_t streams; }
    regs[] = {
        { DEST_BUF_START_HI, 0x7fff, 0xf0f }, { MCAST_DEST, 0x7ffff, 0xf },
        { GATHER, 0x3ffff, 0x3f }, { SCRATCH + 5, 0xffffff, 0xf0f },
        { SCRATCH32, ~0, 0xf3f }, { HEADER_FORMAT, 0x1fffff, 1 },
        { FW_SCRATCH, 0, 0 }, { REMOTE_SRC, 0xffffff, ~0ull },
    };
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
        for (unsigned s = 0; s < STREAMS; s++) {
            put(&t, s, regs[i].reg, ~0);
            g_assert_cmphex(get(&t, s, regs[i].reg), ==,
                            regs[i].streams >> s & 1 ? regs[i].mask : 0);
        }
    }
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    tile_stop(&t);
}

/* TRISC1's thread posts semaphore 2 once stream 33 is in this phase. */
static void post_at_phase(Tile *t, uint32_t phase)
{
    tile_writel(t, TRISC1, TILE_PUSH, TT(SETC16, .setc16_reg = 59,
                                         .setc16_value = 33));
    tile_writel(t, TRISC1, TILE_PUSH, TT(STREAMWAIT, .target_value = phase,
                                         .stall_res = 0x1ff));
    tile_writel(t, TRISC1, TILE_PUSH, TT(SEMPOST, .sem_sel = 1 << 2));
}

/* A thread waits for a stream's phase, and continues when it is written. */
static void test_streamwait(void)
{
    Tile t = tile_start(NULL);

    post_at_phase(&t, 3);
    g_assert_cmphex(tile_readl(&t, TRISC1, TILE_SEMAPHORE(2)), ==, 0);
    put(&t, 33, PHASE, 2);
    put(&t, 32, PHASE, 9);
    g_assert_cmphex(tile_readl(&t, TRISC1, TILE_SEMAPHORE(2)), ==, 0);
    put(&t, 33, AUTO_CFG_HEADER, 1);
    g_assert_cmphex(tile_readl(&t, TRISC1, TILE_SEMAPHORE(2)), ==, 1);
    post_at_phase(&t, 5);
    g_assert_cmphex(tile_readl(&t, TRISC1, TILE_SEMAPHORE(2)), ==, 1);
    put(&t, 33, PHASE_BASE, -2);          /* 3 is 5 after that */
    g_assert_cmphex(tile_readl(&t, TRISC1, TILE_SEMAPHORE(2)), ==, 2);
    tile_stop(&t);
}

/* STREAMWRCFG copies a register into the configuration. */
static void test_streamwrcfg(void)
{
    Tile t = tile_start(NULL);

    put(&t, 40, DEST_BUF_SIZE, 0x1234);
    tile_writel(&t, TRISC0, TILE_PUSH, TT(SETC16, .setc16_reg = 61,
                                          .setc16_value = 40));
    tile_writel(&t, TRISC0, TILE_PUSH,
                TT(STREAMWRCFG, .stream_id_sel = 2,
                   .StreamRegAddr = DEST_BUF_SIZE, .CfgReg = 12));
    g_assert_cmphex(tile_readl(&t, BRISC, TILE_CFG + 4 * 12), ==, 0x1234);
    tile_stop(&t);
}

static void test_migration(void)
{
    Tile t = tile_start(NULL);

    put(&t, 63, DEST_BUF_SIZE, 77);
    put(&t, 63, SPACE_UPDATE, 3 << 6);
    put(&t, 0, SCRATCH32, 0xdeadbeef);
    tile_migrate(&t);
    g_assert_cmphex(get(&t, 63, DEST_BUF_SIZE), ==, 77);
    g_assert_cmphex(get(&t, 63, SPACE), ==, 80);
    g_assert_cmphex(get(&t, 0, SCRATCH32), ==, 0xdeadbeef);
    g_assert_cmphex(get(&t, 62, DEST_BUF_SIZE), ==, 0);
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/tensix/streams/counters", test_counters);
    qtest_add_func("/tensix/streams/credits", test_credits);
    qtest_add_func("/tensix/streams/side-effects", test_side_effects);
    qtest_add_func("/tensix/streams/capabilities", test_capabilities);
    qtest_add_func("/tensix/streams/streamwait", test_streamwait);
    qtest_add_func("/tensix/streams/streamwrcfg", test_streamwrcfg);
    qtest_add_func("/tensix/streams/migration", test_migration);
    return g_test_run();
}
