/*
 * The register-file aperture: every region, every width, bulk, no effects.
 * (design of the machine: docs/memory-map.rst)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/tensix_fields.h"
#include "tile-qtest.h"

#define SIZE 0x25000

/*
 * A block of equal cells; bits that the hardware lacks read as zero, and of Z
 * and W only the low eight are shown (newest WH ADCs.md).
 */
typedef struct Block {
    const char *name;
    uint32_t offset, cells, cell_size, mask;
} Block;

#define RWC_BLOCK(t) (0x21000 + 0x40 * (t))
static const Block blocks[] = {
    { "dst", 0x00000, 1024 * 16, 2, 0xffff },
    { "dst_row_valid", 0x08000, 1024, 1, 1 },
    { "srca", 0x10000, 2 * 64 * 16, 4, 0x7ffff },
    { "srcb", 0x12000, 2 * 64 * 16, 4, 0x7ffff },
    { "lreg", 0x20000, 17 * 32, 4, ~0u },
    { "lane_flags", 0x20c00, 2, 4, ~0u },
    { "lane_config", 0x20d00, 32, 4, 0x3ffff },
    { "prng", 0x20e00, 32, 4, ~0u },
    { "rwc0.dst", RWC_BLOCK(0), 2, 4, 0x3ff },
    { "rwc1.src", RWC_BLOCK(1) + 8, 4, 4, 0x3f },
    { "rwc2.fidelity", RWC_BLOCK(2) + 0x18, 1, 4, 3 },
    { "rwc2.extra", RWC_BLOCK(2) + 0x1c, 1, 4, 1 },
    { "rwc0.sp", RWC_BLOCK(0) + 0x20, 1, 4, 0x3ff },
    { "banks", 0x22000, 8, 4, 1 },
    { "semaphores", 0x23000, 16, 4, 0xf },
    { "adc0.unp0.x", 0x24000, 1, 4, 0x3ffff },
    { "adc1.unp1.y", 0x24144, 1, 4, 0x1fff },
    { "adc1.unp1.zw", 0x24148, 2, 4, 0xff },
    { "adc2.pack.x_cr", 0x24290, 1, 4, 0x3ffff },
    { "adc2.pack.1.w_cr", 0x242bc, 1, 4, 0xff },
};

static uint32_t pattern(uint32_t seed, uint32_t i)
{
    return (seed + i) * 2654435761u ^ 0x5bd1e995u;
}

static uint32_t load_cell(const uint8_t *p, uint32_t size)
{
    uint32_t cell = 0;

    for (uint32_t i = 0; i < size; i++) {
        cell |= (uint32_t)p[i] << 8 * i;
    }
    return cell;
}

static void fill(uint8_t *buf, const Block *b, uint32_t seed)
{
    for (uint32_t i = 0; i < b->cells * b->cell_size; i++) {
        buf[i] = pattern(seed, i / b->cell_size) >> 8 * (i % b->cell_size);
    }
}

static void check(const uint8_t *buf, const Block *b, uint32_t seed)
{
    for (uint32_t i = 0; i < b->cells; i++) {
        uint32_t want = pattern(seed, i) & b->mask;

        if (b->cell_size < 4) {
            want &= (1u << 8 * b->cell_size) - 1;
        }
        g_assert_cmphex(load_cell(buf + i * b->cell_size, b->cell_size), ==,
                        want);
    }
}

/* Written in bulk all of them, then read: each keeps what it was given. */
static void test_bulk(void)
{
    Tile t = tile_start(NULL);

    for (unsigned n = 0; n < ARRAY_SIZE(blocks); n++) {
        const Block *b = &blocks[n];
        uint32_t size = b->cells * b->cell_size;
        g_autofree uint8_t *buf = g_malloc(size);

        fill(buf, b, n);
        qtest_memwrite(t.qts, TILE_APERTURE + b->offset, buf, size);
    }
    for (unsigned n = 0; n < ARRAY_SIZE(blocks); n++) {
        const Block *b = &blocks[n];
        uint32_t size = b->cells * b->cell_size;
        g_autofree uint8_t *buf = g_malloc(size);

        g_test_message("%s", b->name);
        qtest_memread(t.qts, TILE_APERTURE + b->offset, buf, size);
        check(buf, b, n);
    }
    tile_stop(&t);
}

static void test_widths(void)
{
    const uint64_t lreg = TILE_APERTURE + 0x20000 + (5 * 32 + 7) * 4;
    const uint64_t dst = TILE_APERTURE + (100 * 16 + 3) * 2;
    Tile t = tile_start(NULL);

    qtest_writeq(t.qts, lreg, 0x8877665544332211ull);
    g_assert_cmphex(qtest_readl(t.qts, lreg), ==, 0x44332211);
    g_assert_cmphex(qtest_readw(t.qts, lreg + 6), ==, 0x8877);
    g_assert_cmphex(qtest_readb(t.qts, lreg + 3), ==, 0x44);
    qtest_writeb(t.qts, lreg + 1, 0xab);
    qtest_writew(t.qts, lreg + 4, 0xcdef);
    g_assert_cmphex(qtest_readq(t.qts, lreg), ==, 0x8877cdef4433ab11ull);
    qtest_writel(t.qts, lreg + 2, 0x01020304);      /* unaligned */
    g_assert_cmphex(qtest_readq(t.qts, lreg), ==, 0x887701020304ab11ull);

    qtest_writew(t.qts, dst, 0x1234);
    qtest_writeb(t.qts, dst + 3, 0x56);
    g_assert_cmphex(qtest_readl(t.qts, dst), ==,
                    0x56001234 | (qtest_readb(t.qts, dst + 2) << 16));
    tile_stop(&t);
}

/* Reset values: BH SoftReset.md, Dst.md and LReg.md. */
static void test_reset_values(void)
{
    const uint32_t lreg = 0x20000, lane = 4, reg = 32 * 4;
    static const struct {
        uint32_t lreg, value;
    } constants[] = {
        { 0, 0 }, { 7, 0 }, { 9, 0 }, { 10, 0x3f800000 }, { 11, 0xbf800000 },
        { 12, 0x3b000000 }, { 13, 0xbf2cc4c7 }, { 14, 0xbeb08ff9 }, { 16, 0 },
    };
    Tile t = tile_start(NULL);

    for (unsigned row = 0; row < 1024; row++) {
        g_assert_cmphex(qtest_readb(t.qts, TILE_APERTURE + 0x8000 + row), ==,
                        1);
    }
    for (unsigned n = 0; n < ARRAY_SIZE(constants); n++) {
        g_assert_cmphex(qtest_readl(t.qts, TILE_APERTURE + lreg +
                                    constants[n].lreg * reg + 31 * lane), ==,
                        constants[n].value);
    }
    for (unsigned offset = 0x20c00; offset < 0x20c0c; offset += 4) {
        g_assert_cmphex(qtest_readl(t.qts, TILE_APERTURE + offset), ==, 0);
    }
    for (unsigned offset = 0x21000; offset < 0x21000 + 0xc0; offset += 4) {
        g_assert_cmphex(qtest_readl(t.qts, TILE_APERTURE + offset), ==, 0);
    }
    for (unsigned offset = 0x22000; offset < 0x22020; offset += 4) {
        g_assert_cmphex(qtest_readl(t.qts, TILE_APERTURE + offset), ==, 0);
    }
    tile_stop(&t);
}

/* What lies between the blocks reads as zero and takes nothing. */
static void test_gaps(void)
{
    static const uint32_t gaps[] = { 0x8400,  0xfffc,  0x14000, 0x1fffc,
                                     0x20880, 0x20c0c, 0x20e80, 0x21024,
                                     0x210c0, 0x22020, 0x23040, 0x240c0,
                                     SIZE - 4 };
    Tile t = tile_start(NULL);

    for (unsigned n = 0; n < ARRAY_SIZE(gaps); n++) {
        qtest_writel(t.qts, TILE_APERTURE + gaps[n], 0xffffffff);
        g_assert_cmphex(qtest_readl(t.qts, TILE_APERTURE + gaps[n]), ==, 0);
    }
    tile_stop(&t);
}

/* The aperture shows what instructions do, and they see what it writes. */
static void test_live(void)
{
    const uint64_t sem = TILE_APERTURE + 0x23000 + 1 * 8;
    Tile t = tile_start(NULL);

    tile_writel(&t, BRISC, TILE_PUSH, TT(SEMINIT, .sem_sel = 2, .init_value = 4,
                                         .max_value = 9));
    g_assert_cmphex(qtest_readl(t.qts, sem), ==, 4);
    g_assert_cmphex(qtest_readl(t.qts, sem + 4), ==, 9);
    qtest_writel(t.qts, sem, 7);
    g_assert_cmphex(tile_readl(&t, TRISC0, TILE_SEMAPHORE(1)), ==, 7);
    /* a thread that waits for the semaphore sees it too */
    qtest_writel(t.qts, sem, 0);
    tile_writel(&t, TRISC2, TILE_PUSH,
                TT(SEMWAIT, .wait_sem_cond = 1, .sem_sel = 2, .stall_res = 2));
    tile_writel(&t, TRISC2, TILE_PUSH, TT(SEMPOST, .sem_sel = 1u << 3));
    g_assert_cmphex(qtest_readl(t.qts, sem + 2 * 8), ==, 0);
    qtest_writel(t.qts, sem, 1);
    g_assert_cmphex(qtest_readl(t.qts, sem + 2 * 8), ==, 1);
    tile_stop(&t);
}

static void test_reads_have_no_effect(void)
{
    g_autofree uint8_t *first = g_malloc(SIZE), *second = g_malloc(SIZE);
    Tile t = tile_start(NULL);

    qtest_memread(t.qts, TILE_APERTURE, first, SIZE);
    g_assert_cmphex(tile_readl(&t, TRISC0, TILE_COP_DONE), ==, 0);
    qtest_memread(t.qts, TILE_APERTURE, second, SIZE);
    g_assert_cmpint(memcmp(first, second, SIZE), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, ":"), ==, 0);
    tile_stop(&t);
}

static void test_migration(void)
{
    g_autofree uint8_t *before = g_malloc(SIZE), *after = g_malloc(SIZE);
    Tile t = tile_start(NULL);

    for (unsigned n = 0; n < ARRAY_SIZE(blocks); n++) {
        fill(before, &blocks[n], n + 99);
        qtest_memwrite(t.qts, TILE_APERTURE + blocks[n].offset, before,
                       blocks[n].cells * blocks[n].cell_size);
    }
    qtest_memread(t.qts, TILE_APERTURE, before, SIZE);
    tile_migrate(&t);
    qtest_memread(t.qts, TILE_APERTURE, after, SIZE);
    g_assert_cmpint(memcmp(before, after, SIZE), ==, 0);
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("aperture/bulk", test_bulk);
    qtest_add_func("aperture/widths", test_widths);
    qtest_add_func("aperture/reset-values", test_reset_values);
    qtest_add_func("aperture/gaps", test_gaps);
    qtest_add_func("aperture/live", test_live);
    qtest_add_func("aperture/reads-have-no-effect", test_reads_have_no_effect);
    qtest_add_func("aperture/migration", test_migration);
    return g_test_run();
}
