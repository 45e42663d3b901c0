/*
 * Tile control: reset values, widths, soft reset and what it holds, clock,
 * timestamper, debug pushes and reads.  (BH SoftReset.md,
 * DebugTimestamper.md, PushTensixInstruction.md, BackendConfiguration.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/tensix_fields.h"
#include "tile-qtest.h"

#define CTRL(offset) (0xffb12000u + (offset))
#define NOC_VIEW 5
#define CLOCK_HZ 1350000000ull

enum {
    CFGREG_RD_CNTL = 0x58, CFGREG_RDDATA = 0x78,
    ARRAY_RD_EN = 0x60, ARRAY_RD_CMD = 0x64, FEATURE_DISABLE = 0x68,
    ARRAY_RD_DATA = 0x6c, DBG_CNTL_0 = 0x80, DBG_STATUS_0 = 0x88,
    DBG_STATUS_1 = 0x8c,
    PCBUF_OVERRIDE = 0x90, BUF_CTRL0 = 0xa0, BUF_CTRL1 = 0xa4,
    BUF_STATUS = 0xa8, SOFT_RESET = 0x1b0, CLOCK_L = 0x1f0, CLOCK_LIVE = 0x1f4,
    CLOCK_H = 0x1f8, TIMESTAMP = 0x1fc, TIMESTAMP_CNTL = 0x200,
    TIMESTAMP_STATUS = 0x204, TIMESTAMP_LIMIT = 0x208, DISABLE_RESET = 0x224,
    RESET_PC = 0x228, RESET_PC_OVERRIDE = 0x234, NC_RESET_PC = 0x238,
    NC_RESET_PC_OVERRIDE = 0x23c, DEST_CG_CTRL = 0x240,
    PC_SNAPSHOT = 0x1138,

    RESET_B = 1 << 11, RESET_T0 = 1 << 12, RESET_NC = 1 << 18,
};

static const uint32_t reset_bit[TILE_HARTS] = {
    1 << 11, 1 << 18, 1 << 12, 1 << 13, 1 << 14
};

static uint32_t get(Tile *t, uint32_t offset)
{
    return tile_readl(t, BRISC, CTRL(offset));
}

static void put(Tile *t, uint32_t offset, uint32_t value)
{
    tile_writel(t, BRISC, CTRL(offset), value);
}

static void test_reset_values(void)
{
    static const struct { uint32_t offset, value; } regs[] = {
        { CFGREG_RD_CNTL, 0 }, { FEATURE_DISABLE, 0 }, { PCBUF_OVERRIDE, 0 },
        { BUF_CTRL0, 0 }, { BUF_STATUS, 0x77 }, { SOFT_RESET, 0x47800 },
        { CLOCK_LIVE, 0 }, { CLOCK_H, 0 }, { TIMESTAMP, 0 },
        { TIMESTAMP_CNTL, 3 }, { TIMESTAMP_STATUS, 0 }, { DISABLE_RESET, 0 },
        { RESET_PC, 0 }, { RESET_PC_OVERRIDE, 0 }, { NC_RESET_PC_OVERRIDE, 0 },
        { DEST_CG_CTRL, 0 }, { 0x1d0, 0 }, { 0x1e0, 0 },
    };
    Tile t = tile_start(NULL);

    for (unsigned view = 0; view <= NOC_VIEW; view++) {
        for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
            g_assert_cmphex(tile_readl(&t, view, CTRL(regs[i].offset)), ==,
                            regs[i].value);
        }
    }
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    tile_stop(&t);
}

/* Which bits stay after all ones were written. */
static void test_writable(void)
{
    static const struct { uint32_t offset, mask; } regs[] = {
        { PCBUF_OVERRIDE, 0x3fffffff }, { DISABLE_RESET, 0x3ff },
        { RESET_PC, ~0 }, { RESET_PC + 8, ~0 }, { RESET_PC_OVERRIDE, 7 },
        { NC_RESET_PC, ~0 }, { NC_RESET_PC_OVERRIDE, 1 }, { DEST_CG_CTRL, ~0 },
        { BUF_CTRL1, ~0 }, { 0x1d0, ~0 }, { 0x1d4, ~0 }, { 0x1e0, ~0 },
        { TIMESTAMP_LIMIT + 12, ~0 }, { SOFT_RESET, 0xffffff },
    };
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
        put(&t, regs[i].offset, ~0);
        g_assert_cmphex(get(&t, regs[i].offset), ==, regs[i].mask);
    }
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    qtest_system_reset(t.qts);
    g_assert_cmphex(get(&t, SOFT_RESET), ==, TILE_SOFT_RESET_ALL);
    g_assert_cmphex(get(&t, RESET_PC), ==, 0);
    tile_stop(&t);
}

static void test_widths(void)
{
    uint64_t addr = TILE_VIEW(TRISC1) + CTRL(RESET_PC);
    Tile t = tile_start(NULL);

    put(&t, RESET_PC, 0x44332211);
    put(&t, RESET_PC + 4, 0x88776655);
    g_assert_cmphex(qtest_readb(t.qts, addr + 2), ==, 0x33);
    g_assert_cmphex(qtest_readw(t.qts, addr + 2), ==, 0x4433);
    g_assert_cmphex(qtest_readq(t.qts, addr), ==, 0x8877665544332211ull);
    qtest_writeb(t.qts, addr, 0xff);
    qtest_writew(t.qts, addr, 0xffff);
    g_assert_cmphex(get(&t, RESET_PC), ==, 0x44332211);
    g_assert_cmpuint(tile_log_count(&t, "only words"), ==, 2);
    g_assert_cmphex(get(&t, 0x25c), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, "no register"), ==, 1);
    put(&t, BUF_STATUS, 0);
    g_assert_cmpuint(tile_log_count(&t, "read-only"), ==, 1);
    tile_stop(&t);
}

/* Each hart's bit alone: pc and local RAM show that it went through. */
static void test_release(void)
{
    static const uint32_t pc[TILE_HARTS] = { 0, 0x12000, 0x6000, 0xa000,
                                             0xe000 };
    static const uint32_t slow[TILE_HARTS] = { 0xffb14000, 0xffb16000,
                                               0xffb18000, 0xffb1a000,
                                               0xffb1c000 };
    Tile t = tile_start(NULL);

    for (unsigned h = 0; h < TILE_HARTS; h++) {
        tile_writel(&t, BRISC, slow[h], 0x1234);
        put(&t, SOFT_RESET, 0x47800 & ~reset_bit[h]);
        g_assert_cmphex(get(&t, SOFT_RESET), ==, 0x47800 & ~reset_bit[h]);
        g_assert_cmphex(get(&t, PC_SNAPSHOT + 4 * h), ==, pc[h]);
        g_assert_cmphex(tile_readl(&t, BRISC, slow[h]), ==, 0);
        put(&t, SOFT_RESET, 0x47800);
    }
    /* with overrides, and local RAM kept */
    put(&t, RESET_PC_OVERRIDE, 7);
    put(&t, NC_RESET_PC_OVERRIDE, 1);
    put(&t, NC_RESET_PC, 0x5440);
    put(&t, DISABLE_RESET, 0x155);
    for (unsigned i = 0; i < TILE_THREADS; i++) {
        put(&t, RESET_PC + 4 * i, 0x5000 + 0x100 * i);
    }
    for (unsigned h = 0; h < TILE_HARTS; h++) {
        uint32_t want = h == BRISC ? 0 : h == NCRISC ? 0x5440
                        : 0x5000 + 0x100 * (h - TRISC0);

        tile_writel(&t, BRISC, slow[h], 0x1234);
        put(&t, SOFT_RESET, 0x47800 & ~reset_bit[h]);
        g_assert_cmphex(get(&t, PC_SNAPSHOT + 4 * h), ==, want);
        g_assert_cmphex(tile_readl(&t, BRISC, slow[h]), ==, 0x1234);
        put(&t, SOFT_RESET, 0x47800);
    }
    tile_stop(&t);
}

/* A reset of the system takes back what was chosen for soft resets. */
static void test_reset_of_resets(void)
{
    static const uint32_t pc[TILE_THREADS] = { 0x6000, 0xa000, 0xe000 };
    const uint32_t slow = 0xffb18000;          /* TRISC0's, as BRISC sees it */
    Tile t = tile_start(NULL);

    put(&t, DISABLE_RESET, 0x3ff);
    put(&t, RESET_PC_OVERRIDE, 7);
    for (unsigned i = 0; i < TILE_THREADS; i++) {
        put(&t, RESET_PC + 4 * i, 0x5000);
    }
    qtest_system_reset(t.qts);
    tile_writel(&t, BRISC, slow, 0x1234);
    put(&t, SOFT_RESET, 0x47800 & ~RESET_T0);
    g_assert_cmphex(tile_readl(&t, BRISC, slow), ==, 0);
    put(&t, SOFT_RESET, 0);
    for (unsigned i = 0; i < TILE_THREADS; i++) {
        g_assert_cmphex(get(&t, PC_SNAPSHOT + 4 * (TRISC0 + i)), ==, pc[i]);
    }
    tile_stop(&t);
}

/* Mailboxes are emptied on entering reset, PCBufs on leaving it. */
static void test_queues(void)
{
    Tile t = tile_start(NULL);

    put(&t, SOFT_RESET, 0);
    tile_writel(&t, TRISC0, TILE_MAILBOX(0), 0x11);
    tile_writel(&t, TRISC1, TILE_MAILBOX(0), 0x22);
    tile_writel(&t, BRISC, TILE_PCBUF, 0x33);
    put(&t, SOFT_RESET, RESET_T0);
    g_assert_cmphex(tile_readl(&t, BRISC, TILE_MAILBOX(1) + 4), ==, 0);
    g_assert_cmphex(tile_readl(&t, BRISC, TILE_MAILBOX(2)), ==, 0x22);
    g_assert_cmphex(tile_debug_readl(&t, TRISC0, TILE_PCBUF), ==, 0x33);
    put(&t, SOFT_RESET, 0);
    g_assert_cmphex(tile_readl(&t, TRISC0, TILE_PCBUF), ==, TILE_WOULD_BLOCK);
    tile_stop(&t);
}

/* Parts of the coprocessor: THCON configuration; TDMA's stores. */
static void test_coprocessor_bits(void)
{
    uint32_t thcon = TILE_CFG + 64 * 4, other = TILE_CFG + 4;
    uint32_t tdma_base = 0xffb1102c;
    Tile t = tile_start(NULL);

    tile_writel(&t, BRISC, thcon, 0xaaaa);
    tile_writel(&t, BRISC, other, 0xbbbb);
    put(&t, SOFT_RESET, 0x47800 | 1 << 9 | 1 << 8);
    g_assert_cmphex(tile_readl(&t, BRISC, thcon), ==, 0);
    g_assert_cmphex(tile_readl(&t, BRISC, other), ==, 0xbbbb);
    tile_writel(&t, BRISC, thcon, 0xcccc);
    tile_writel(&t, BRISC, tdma_base, 0x77);
    g_assert_cmphex(tile_readl(&t, BRISC, thcon), ==, 0);
    g_assert_cmphex(tile_readl(&t, BRISC, tdma_base), ==, 0);
    put(&t, SOFT_RESET, 0x47800);
    tile_writel(&t, BRISC, thcon, 0xcccc);
    tile_writel(&t, BRISC, tdma_base, 0x77);
    g_assert_cmphex(tile_readl(&t, BRISC, thcon), ==, 0xcccc);
    g_assert_cmphex(tile_readl(&t, BRISC, tdma_base), ==, 0x77);
    tile_stop(&t);
}

static void check_clock(Tile *t, int64_t ns, uint64_t ticks)
{
    qtest_clock_step(t->qts, ns);
    g_assert_cmphex(get(t, CLOCK_L), ==, (uint32_t)ticks);
    g_assert_cmphex(get(t, CLOCK_H), ==, ticks >> 32);
}

/* 27 ticks every 20 ns of virtual time; the high half is latched. */
static void test_clock(void)
{
    Tile t = tile_start(NULL);

    check_clock(&t, 1000, 1350);
    check_clock(&t, 9000, 13500);
    check_clock(&t, 10 * 1000000000ll - 10000, 10 * CLOCK_HZ);
    g_assert_cmphex(get(&t, CLOCK_LIVE), ==, 3);

    /* 2.8 seconds later the live half has moved on, the latched has not */
    qtest_clock_step(t.qts, 2 * 1000000000ll + 800000000);
    g_assert_cmphex(get(&t, CLOCK_LIVE), ==, 4);
    g_assert_cmphex(tile_debug_readl(&t, BRISC, CTRL(CLOCK_L)), ==,
                    (uint32_t)(CLOCK_HZ * 128 / 10));
    g_assert_cmphex(get(&t, CLOCK_H), ==, 3);
    put(&t, CLOCK_L, 0);
    g_assert_cmphex(get(&t, CLOCK_H), ==, 4);
    qtest_system_reset(t.qts);
    g_assert_cmphex(get(&t, CLOCK_L), ==, 0);
    g_assert_cmphex(get(&t, CLOCK_H), ==, 0);
    tile_stop(&t);
}

static void test_timestamper(void)
{
    Tile t = tile_start(NULL);

    put(&t, TIMESTAMP_LIMIT + 0, 0x100);
    put(&t, TIMESTAMP_LIMIT + 4, 0x101);
    put(&t, TIMESTAMP_LIMIT + 8, 0x200);
    put(&t, TIMESTAMP_LIMIT + 12, 0x200);
    qtest_clock_step(t.qts, 1000000);
    put(&t, TIMESTAMP, 0xabcd0000);            /* 128 bits */
    g_assert_cmphex(qtest_readl(t.qts, 0x1000), ==, 0xabcd0000);
    g_assert_cmphex(qtest_readl(t.qts, 0x1004), ==, 1350000);
    g_assert_cmphex(qtest_readq(t.qts, 0x1008), ==, 0);

    put(&t, TIMESTAMP, 0x12345679);            /* 64 bits, twice */
    g_assert_cmphex(get(&t, TIMESTAMP_STATUS), ==, 1 << 14 | 1 << 8);
    g_assert_cmphex(qtest_readl(t.qts, 0x1010), ==, 0);
    put(&t, TIMESTAMP, 2);                     /* 32 bits in between: wrong */
    g_assert_cmpuint(tile_log_count(&t, "without a flush"), ==, 1);
    put(&t, TIMESTAMP, 3);                     /* flush */
    g_assert_cmphex(qtest_readl(t.qts, 0x1010), ==, 0x12345679);
    g_assert_cmphex(qtest_readl(t.qts, 0x1014), ==, 1350000);
    g_assert_cmphex(get(&t, TIMESTAMP_STATUS), ==, 2 << 14 | 1);

    put(&t, TIMESTAMP, 0);                     /* into buffer 1 */
    g_assert_cmphex(qtest_readl(t.qts, 0x2004), ==, 1350000);
    put(&t, TIMESTAMP, 0);                     /* nowhere */
    g_assert_cmphex(get(&t, TIMESTAMP_STATUS), ==, 2 << 14 | 0x33);
    put(&t, TIMESTAMP_STATUS, 0x21);
    g_assert_cmphex(get(&t, TIMESTAMP_STATUS), ==, 0x12);
    for (unsigned i = 0; i < 4; i++) {
        put(&t, TIMESTAMP, 0x10002 + i * 8);   /* four of 32 bits */
    }
    for (unsigned i = 0; i < 4; i++) {
        uint32_t event = qtest_readl(t.qts, 0x1000 + 4 * i);

        g_assert_cmphex(event, ==,
                        ((2 + i * 8) | (1350000u & 0x1fffe0) << 11));
    }
    put(&t, TIMESTAMP, 5);
    g_assert_cmpuint(tile_log_count(&t, "undefined low bits"), ==, 1);
    put(&t, TIMESTAMP_LIMIT, 0x18000);
    put(&t, TIMESTAMP_LIMIT + 4, ~0);
    put(&t, TIMESTAMP, 0);
    g_assert_cmpuint(tile_log_count(&t, "outside L1"), ==, 1);
    tile_stop(&t);
}

/* The debug bus pushes when bit i holds the FIFO and bit 4 + i rises. */
static void test_debug_push(void)
{
    uint32_t semaphore3 = TILE_SEMAPHORE(3);
    Tile t = tile_start(NULL);

    put(&t, BUF_CTRL1, TT(SEMINIT, .max_value = 7, .init_value = 2,
                          .sem_sel = 1 << 3));
    put(&t, BUF_CTRL0, 0x10);
    g_assert_cmphex(tile_readl(&t, TRISC0, semaphore3), ==, 0);
    put(&t, BUF_CTRL0, 0x01);
    put(&t, BUF_CTRL0, 0x11);
    g_assert_cmphex(tile_readl(&t, TRISC0, semaphore3), ==, 2);
    put(&t, BUF_CTRL1, TT(SEMPOST, .sem_sel = 1 << 3));
    put(&t, BUF_CTRL0, 0x11);
    g_assert_cmphex(tile_readl(&t, TRISC0, semaphore3), ==, 2);
    for (unsigned i = 0; i < 3; i++) {
        put(&t, BUF_CTRL0, 0x07);
        put(&t, BUF_CTRL0, 0x77);              /* all three threads */
        g_assert_cmphex(tile_readl(&t, TRISC0, semaphore3), ==, 5 + 3 * i);
    }
    /* until it lets go, harts' pushes are lost, also after a migration */
    put(&t, BUF_CTRL0, 0x07);
    tile_writel(&t, TRISC0, TILE_PUSH, TT(SEMPOST, .sem_sel = 1 << 3));
    g_assert_cmpuint(tile_log_count(&t, "push lost"), ==, 1);
    tile_migrate(&t);
    tile_writel(&t, BRISC, TILE_PUSH, TT(SEMPOST, .sem_sel = 1 << 3));
    g_assert_cmphex(tile_readl(&t, TRISC0, semaphore3), ==, 11);
    g_assert_cmpuint(tile_log_count(&t, "push lost"), ==, 1);
    put(&t, BUF_CTRL0, 0);
    tile_writel(&t, TRISC0, TILE_PUSH, TT(SEMPOST, .sem_sel = 1 << 3));
    g_assert_cmphex(tile_readl(&t, TRISC0, semaphore3), ==, 12);
    /* a held thread fills its FIFO; the status says so, then it overflows */
    put(&t, BUF_CTRL1, TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 1 << 4,
                          .stall_res = 0x1ff));
    put(&t, BUF_CTRL0, 0x02);
    put(&t, BUF_CTRL0, 0x22);
    put(&t, BUF_CTRL1, TT(SEMGET, .sem_sel = 1 << 3));
    for (unsigned i = 0; i < 64; i++) {
        put(&t, BUF_CTRL0, 0x02);
        put(&t, BUF_CTRL0, 0x22);
    }
    g_assert_cmphex(get(&t, BUF_STATUS), ==, 0x77 & ~0x22);
    g_assert_cmpuint(tile_log_count(&t, "full FIFO of thread 1"), >, 0);
    tile_stop(&t);
}

static void test_debug_reads(void)
{
    Tile t = tile_start(NULL);
    uint64_t dst = TILE_APERTURE + 5 * 32;

    tile_writel(&t, BRISC, TILE_CFG + 4 * 13, 0xcafe);
    tile_writel(&t, NOC_VIEW, CTRL(CFGREG_RD_CNTL), 13 | 0xf800);
    g_assert_cmphex(tile_readl(&t, NOC_VIEW, CTRL(CFGREG_RDDATA)), ==, 0xcafe);
    tile_writel(&t, BRISC, TILE_CFG + 4 * 13, 0xd00d);
    g_assert_cmphex(get(&t, CFGREG_RDDATA), ==, 0xcafe);

    qtest_writel(t.qts, dst + 3 * 4, 0x11112222);
    qtest_writeb(t.qts, TILE_APERTURE + 0x8000 + 5, 1);
    put(&t, ARRAY_RD_CMD, 2 << 16 | 3 << 12 | 5);
    g_assert_cmphex(get(&t, ARRAY_RD_DATA), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, "array read"), ==, 1);
    put(&t, ARRAY_RD_EN, 1);
    g_assert_cmphex(get(&t, ARRAY_RD_DATA), ==, 0x11112222);
    qtest_writeb(t.qts, TILE_APERTURE + 0x8000 + 5, 0);
    g_assert_cmphex(get(&t, ARRAY_RD_DATA), ==, 0x11112222);
    put(&t, ARRAY_RD_CMD, 2 << 16 | 0xfff);
    g_assert_cmphex(get(&t, ARRAY_RD_DATA), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, "array read"), ==, 2);

    put(&t, DBG_CNTL_0, 1u << 31 | 2 << 17 | 1 << 16 | 5);
    g_assert_cmphex(get(&t, DBG_STATUS_0), ==,
                    1u << 31 | 1 << 30 | 1 << (13 + 2) | 5);
    put(&t, DBG_CNTL_0, 0);
    put(&t, DBG_CNTL_0, 1u << 31 | 3 << 17 | 99);
    g_assert_cmphex(get(&t, DBG_STATUS_1), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, "there is no DR(99)"), ==, 1);
    tile_stop(&t);
}

/* Bit 11: row 8 of Dst16b is the high half of row 8 of Dst32b, storage row 16. */
static void test_dst16b_is_high_half(void)
{
    enum { ROW8 = 8 * 32, ROW16 = 16 * 32, FMT_BF16_RAW = 3 << 16 | 1 << 14 };
    const uint64_t dest = TILE_VIEW(TRISC0) + TILE_DEST_WINDOW;
    Tile t = tile_start(NULL);

    qtest_writel(t.qts, 0xFFEF000C, FMT_BF16_RAW);
    put(&t, FEATURE_DISABLE, 1 << 11);
    qtest_writew(t.qts, dest + ROW8, 0x1234);
    g_assert_cmphex(qtest_readw(t.qts, TILE_APERTURE + ROW16), ==, 0x1234);
    g_assert_cmphex(qtest_readw(t.qts, TILE_APERTURE + ROW8), ==, 0);
    put(&t, FEATURE_DISABLE, 0);
    g_assert_cmphex(qtest_readw(t.qts, dest + ROW8), ==, 0);
    qtest_writew(t.qts, dest + ROW8, 0x5678);
    g_assert_cmphex(qtest_readw(t.qts, TILE_APERTURE + ROW8), ==, 0x5678);
    tile_stop(&t);
}

static void test_migration(void)
{
    Tile t = tile_start(NULL);

    qtest_clock_step(t.qts, 4 * 1000000000ll);
    g_assert_cmphex(get(&t, CLOCK_L), ==, (uint32_t)(4 * CLOCK_HZ));
    put(&t, TIMESTAMP_LIMIT, 0x100);
    put(&t, TIMESTAMP_LIMIT + 4, 0x1ff);
    put(&t, TIMESTAMP, 0x41);
    put(&t, RESET_PC_OVERRIDE, 2);
    put(&t, RESET_PC + 4, 0x7000);
    put(&t, PCBUF_OVERRIDE, 0x12345);
    tile_migrate(&t);
    g_assert_cmphex(get(&t, CLOCK_H), ==, 1);
    g_assert_cmphex(get(&t, TIMESTAMP_STATUS), ==, 1 << 8);
    g_assert_cmphex(get(&t, TIMESTAMP_LIMIT + 4), ==, 0x1ff);
    g_assert_cmphex(get(&t, PCBUF_OVERRIDE), ==, 0x12345);
    g_assert_cmphex(get(&t, SOFT_RESET), ==, TILE_SOFT_RESET_ALL);
    put(&t, SOFT_RESET, 0x45800);
    g_assert_cmphex(get(&t, PC_SNAPSHOT + 4 * TRISC1), ==, 0x7000);
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/tensix/tile-ctrl/reset-values", test_reset_values);
    qtest_add_func("/tensix/tile-ctrl/writable", test_writable);
    qtest_add_func("/tensix/tile-ctrl/widths", test_widths);
    qtest_add_func("/tensix/tile-ctrl/release", test_release);
    qtest_add_func("/tensix/tile-ctrl/reset-of-resets", test_reset_of_resets);
    qtest_add_func("/tensix/tile-ctrl/queues", test_queues);
    qtest_add_func("/tensix/tile-ctrl/coprocessor-bits", test_coprocessor_bits);
    qtest_add_func("/tensix/tile-ctrl/clock", test_clock);
    qtest_add_func("/tensix/tile-ctrl/timestamper", test_timestamper);
    qtest_add_func("/tensix/tile-ctrl/debug-push", test_debug_push);
    qtest_add_func("/tensix/tile-ctrl/debug-reads", test_debug_reads);
    qtest_add_func("/tensix/tile-ctrl/dst16b-is-high-half",
                   test_dst16b_is_high_half);
    qtest_add_func("/tensix/tile-ctrl/migration", test_migration);
    return g_test_run();
}
