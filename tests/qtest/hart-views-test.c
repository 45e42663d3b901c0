/*
 * Hart views: each hart's private map at (hart + 1) << 32 reaches the devices
 * that hart would reach, and nothing else.  (BH BabyRISCV/README.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/tensix_fields.h"
#include "tile-qtest.h"

#define L1_LAST 0x17fffcu
#define GPRS 0xffe00000u
#define MOP_CFG 0xffb80000u
#define B_LOCAL_SLOW 0xffb14000u

/* After the harts': what comes over the NoC. */
enum { NOC_VIEW = TILE_HARTS };

/* BRISC, NCRISC, TRISC0..2: local RAM sizes and slow windows. */
static const uint32_t ram_size[] = { 0x2000, 0x2000, 0x1000, 0x1000, 0x1000 };
static const uint32_t ram_slow[] = { 0xffb14000, 0xffb16000, 0xffb18000,
                                     0xffb1a000, 0xffb1c000 };

static unsigned log_lines(Tile *t)
{
    return tile_log_count(t, "\n");
}

/* One L1 for all, also in the machine's own address space. */
static void test_l1(void)
{
    Tile t = tile_start(NULL);

    for (unsigned h = 0; h < TILE_HARTS; h++) {
        tile_writel(&t, h, 0x1000, 0x1000 + h);
        tile_writel(&t, h, L1_LAST, 0x2000 + h);
        for (unsigned other = 0; other < TILE_HARTS; other++) {
            g_assert_cmphex(tile_readl(&t, other, 0x1000), ==, 0x1000 + h);
            g_assert_cmphex(tile_readl(&t, other, L1_LAST), ==, 0x2000 + h);
        }
        g_assert_cmphex(qtest_readl(t.qts, 0x1000), ==, 0x1000 + h);
    }
    g_assert_cmpuint(log_lines(&t), ==, 0);
    tile_stop(&t);
}

/* Private RAM: own, sized as on hardware, and by its slow path from all. */
static void test_local_ram(void)
{
    Tile t = tile_start(NULL);

    for (unsigned h = 0; h < TILE_HARTS; h++) {
        tile_writel(&t, h, TILE_LOCAL_RAM, 0x100 + h);
        tile_writel(&t, h, TILE_LOCAL_RAM + ram_size[h] - 4, 0x200 + h);
    }
    g_assert_cmpuint(log_lines(&t), ==, 0);
    for (unsigned h = 0; h < TILE_HARTS; h++) {
        g_assert_cmphex(tile_readl(&t, h, TILE_LOCAL_RAM), ==, 0x100 + h);
        for (unsigned other = 0; other < TILE_HARTS; other++) {
            g_assert_cmphex(tile_readl(&t, other, ram_slow[h]), ==, 0x100 + h);
            g_assert_cmphex(
                tile_readl(&t, other, ram_slow[h] + ram_size[h] - 4), ==,
                0x200 + h);
        }
    }
    g_assert_cmpuint(log_lines(&t), ==, 0);
    g_assert_cmphex(tile_readl(&t, TRISC1, TILE_LOCAL_RAM + 0x1000), ==, 0);
    g_assert_cmpuint(log_lines(&t), ==, 1);
    tile_stop(&t);
}

/* qtest's own address space is BRISC's. */
static void test_default_is_brisc(void)
{
    Tile t = tile_start(NULL);

    qtest_writel(t.qts, B_LOCAL_SLOW + 8, 0xb);
    g_assert_cmphex(qtest_readl(t.qts, TILE_LOCAL_RAM + 8), ==, 0xb);
    qtest_writel(t.qts, TILE_PCBUF + 2 * TILE_PCBUF_STRIDE, 0x77);
    g_assert_cmphex(tile_readl(&t, TRISC2, TILE_PCBUF), ==, 0x77);
    tile_stop(&t);
}

static uint32_t setdmareg(unsigned gpr, uint16_t value)
{
    /* 16-bit register index: low half of the GPR */
    return TT(SETDMAREG, .Payload_SigSel = value & 0x3fff,
              .Payload_SigSelSize = value >> 14, .RegIndex16b = 2 * gpr);
}

/* Pushes and GPRs: BRISC has all three threads, a T hart its own. */
static void test_push_and_gprs(void)
{
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < TILE_THREADS; i++) {
        tile_writel(&t, BRISC, TILE_PUSH + 0x10000 * i,
                    setdmareg(8, 0x1100 + i));
        tile_writel(&t, TRISC0 + i, TILE_PUSH, setdmareg(9, 0x2200 + i));
    }
    for (unsigned i = 0; i < TILE_THREADS; i++) {
        g_assert_cmphex(tile_readl(&t, BRISC, GPRS + 0x100 * i + 32) & 0xffff,
                        ==, 0x1100 + i);
        g_assert_cmphex(tile_readl(&t, TRISC0 + i, GPRS + 32) & 0xffff, ==,
                        0x1100 + i);
        g_assert_cmphex(tile_readl(&t, TRISC0 + i, GPRS + 36) & 0xffff, ==,
                        0x2200 + i);
        tile_writel(&t, TRISC0 + i, GPRS + 0xfc, 0x3300 + i);
        g_assert_cmphex(tile_readl(&t, BRISC, GPRS + 0x100 * i + 0xfc), ==,
                        0x3300 + i);
    }
    g_assert_cmpuint(log_lines(&t), ==, 0);
    tile_stop(&t);
}

/* MOPs: a T hart's push is expanded, and its MopCfg is its own. */
static void test_mop_is_per_thread(void)
{
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < TILE_THREADS; i++) {
        for (unsigned n = 0; n < 9; n++) {
            tile_writel(&t, TRISC0 + i, MOP_CFG + 4 * n,
                        n < 2 ? 1 : setdmareg(4, 0x4400 + i));
        }
    }
    for (unsigned i = 0; i < TILE_THREADS; i++) {
        tile_writel(&t, TRISC0 + i, TILE_PUSH, TT(MOP, .mop_type = 1));
        g_assert_cmphex(tile_readl(&t, TRISC0 + i, GPRS + 16) & 0xffff, ==,
                        0x4400 + i);
    }
    tile_stop(&t);
}

/* The configuration is one for BRISC and the T harts. */
static void test_config(void)
{
    static const unsigned harts[] = { BRISC, TRISC0, TRISC1, TRISC2 };
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(harts); i++) {
        tile_writel(&t, harts[i], TILE_CFG + 4 * 12, 0x600 + i);
        for (unsigned n = 0; n < ARRAY_SIZE(harts); n++) {
            g_assert_cmphex(tile_readl(&t, harts[n], TILE_CFG + 4 * 12), ==,
                            0x600 + i);
        }
    }
    g_assert_cmpuint(log_lines(&t), ==, 0);
    tile_stop(&t);
}

/* The same addresses mean different things to BRISC and to a T hart. */
static void test_pcbuf_window(void)
{
    Tile t = tile_start(NULL);

    tile_writel(&t, TRISC0, TILE_SEMAPHORE(1), 0);
    g_assert_cmphex(tile_readl(&t, TRISC2, TILE_SEMAPHORE(1)), ==, 1);
    tile_writel(&t, BRISC, TILE_SEMAPHORE(1), 0xcafe);
    g_assert_cmphex(tile_readl(&t, TRISC0, TILE_SEMAPHORE(1)), ==, 1);
    g_assert_cmphex(tile_readl(&t, TRISC0, TILE_PCBUF), ==, 0xcafe);
    g_assert_cmphex(tile_readl(&t, TRISC1, TILE_COP_DONE), ==, 0);
    g_assert_cmpuint(log_lines(&t), ==, 0);
    tile_stop(&t);
}

/* What a hart does not reach is reported, reads 0 and does nothing. */
static void test_unmapped(void)
{
    static const struct {
        unsigned hart;
        uint32_t addr;
    } rows[] = {
        { NCRISC, TILE_PCBUF }, { NCRISC, TILE_COP_DONE },
        { NCRISC, TILE_SEMAPHORE(0) }, { NCRISC, TILE_MAILBOX(0) },
        { NCRISC, TILE_MAILBOX(3) + 4 }, { NCRISC, TILE_PUSH },
        { NCRISC, TILE_CFG }, { NCRISC, GPRS }, { NCRISC, TILE_DEST_WINDOW },
        { NCRISC, MOP_CFG }, { NCRISC, 0xffb11000 },
        { BRISC, TILE_DEST_WINDOW }, { BRISC, MOP_CFG },
        { BRISC, TILE_PCBUF + 3 * TILE_PCBUF_STRIDE },
        { TRISC0, TILE_PCBUF + TILE_PCBUF_STRIDE },
        { TRISC1, TILE_PUSH + 0x10000 }, { TRISC2, TILE_PUSH + 0x20000 },
        { TRISC2, TILE_DEST_WINDOW + 0x8000 }, { BRISC, 0x180000 },
        { TRISC0, 0x180000 }, { BRISC, 0xffffff00 },
    };
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        unsigned before = log_lines(&t);

        g_assert_cmphex(tile_readl(&t, rows[i].hart, rows[i].addr), ==, 0);
        g_assert_cmpuint(log_lines(&t), ==, before + 1);
        tile_writel(&t, rows[i].hart, rows[i].addr, 0xffffffff);
        g_assert_cmpuint(log_lines(&t), ==, before + 2);
        g_assert_cmphex(tile_readl(&t, rows[i].hart, rows[i].addr), ==, 0);
        before = log_lines(&t);
        g_assert_cmphex(tile_debug_readl(&t, rows[i].hart, rows[i].addr), ==,
                        0);
        g_assert_cmpuint(log_lines(&t), ==, before);
    }
    tile_stop(&t);
}

/* So is what no request reaches that comes over the NoC. */
static void test_unmapped_noc(void)
{
    static const uint32_t addrs[] = {
        0x180000, 0xff000000, TILE_LOCAL_RAM, 0xffb11000, MOP_CFG,
        TILE_DEST_WINDOW, GPRS, TILE_PUSH, TILE_PCBUF, TILE_MAILBOX(0), TILE_CFG,
        0xfffffffc,
    };
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(addrs); i++) {
        unsigned before = log_lines(&t);

        g_assert_cmphex(tile_readl(&t, NOC_VIEW, addrs[i]), ==, 0);
        g_assert_cmpuint(log_lines(&t), ==, before + 1);
        tile_writel(&t, NOC_VIEW, addrs[i], 0xffffffff);
        g_assert_cmpuint(log_lines(&t), ==, before + 2);
        g_assert_cmphex(tile_readl(&t, NOC_VIEW, addrs[i]), ==, 0);
    }
    tile_stop(&t);
}

/* What a request does reach is no concern of that. */
static void test_mapped_noc(void)
{
    Tile t = tile_start(NULL);

    tile_writel(&t, NOC_VIEW, 0x1000, 0x12345678);
    g_assert_cmphex(tile_readl(&t, TRISC2, 0x1000), ==, 0x12345678);
    tile_writel(&t, TRISC1, TILE_LOCAL_RAM + 8, 0xabcd);
    g_assert_cmphex(tile_readl(&t, NOC_VIEW, ram_slow[TRISC1] + 8), ==, 0xabcd);
    g_assert_cmpuint(log_lines(&t), ==, 0);
    tile_stop(&t);
}

/* The monitor's "xp" sees the same. */
static void test_monitor(void)
{
    Tile t = tile_start(NULL);
    g_autofree char *local = NULL, *aperture = NULL;

    tile_writel(&t, TRISC1, TILE_LOCAL_RAM + 4, 0xabcd1234);
    local = qtest_hmp(t.qts, "xp /1xw 0x%" PRIx64,
                      tile_address(0x4ffb00004));
    g_assert_nonnull(strstr(local, "0xabcd1234"));
    tile_writel(&t, TRISC1, TILE_SEMAPHORE(6), 0);
    aperture = qtest_hmp(t.qts, "xp /1xw 0x%" PRIx64,
                         tile_address(0xf00023030));
    g_assert_nonnull(strstr(aperture, "0x00000001"));
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("hart-views/l1", test_l1);
    qtest_add_func("hart-views/local-ram", test_local_ram);
    qtest_add_func("hart-views/default-is-brisc", test_default_is_brisc);
    qtest_add_func("hart-views/push-and-gprs", test_push_and_gprs);
    qtest_add_func("hart-views/mop-is-per-thread", test_mop_is_per_thread);
    qtest_add_func("hart-views/config", test_config);
    qtest_add_func("hart-views/pcbuf-window", test_pcbuf_window);
    qtest_add_func("hart-views/unmapped", test_unmapped);
    qtest_add_func("hart-views/unmapped-noc", test_unmapped_noc);
    qtest_add_func("hart-views/mapped-noc", test_mapped_noc);
    qtest_add_func("hart-views/monitor", test_monitor);
    return g_test_run();
}
