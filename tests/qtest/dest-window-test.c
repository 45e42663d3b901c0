/*
 * The Dest window: formats, conversions, addressing, widths, per-thread
 * control.  Expected values are worked out here as BH Dst.md words them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "tile-qtest.h"

#define WINDOW_SIZE 0x8000
#define COLUMNS 16
#define FMT_COUNT 8
#define CFG_DEST_CONTROL 3         /* RISC_DEST_ACCESS_CTRL_SEC0..2 */
#define CFG_DEST_ACCESS 220        /* swizzle_32b, remap_addrs */
#define UNDEFINED "does not fit RISC_DEST_ACCESS_CTRL"

typedef struct Control {
    unsigned fmt;
    bool no_swizzle, unsigned_int;
} Control;

static void write_cfg(Tile *t, unsigned word, uint32_t value)
{
    tile_writel(t, BRISC, TILE_CFG + 4 * word, value);
}

/* Bits of one thread's section of configuration word 3. */
static uint32_t control_bits(unsigned thread, Control c)
{
    static const unsigned low[] = { 14, 19, 24 };

    return (c.no_swizzle | c.unsigned_int << 1 | c.fmt << 2) << low[thread];
}

static void set_control(Tile *t, unsigned thread, Control c)
{
    write_cfg(t, CFG_DEST_CONTROL, control_bits(thread, c));
}

/* --- the page's functions --- */

static unsigned adj16(unsigned row, bool remap)
{
    return remap ? (row & 0x3c7) ^ ((row & 0x030) >> 1) ^ ((row & 0x008) << 2)
                 : row;
}

static unsigned adj32(unsigned row, bool remap, bool swizzle)
{
    row = adj16(row, remap);
    if (swizzle) {
        row = (row & 0x3f3) ^ ((row & 0x018) >> 1) ^ ((row & 0x004) << 1);
    }
    return ((row & 0x1f8) << 1) | (row & 0x207);
}

/* Sign-magnitude of a two's complement number, whose minimum clamps. */
static uint32_t sign_magnitude(uint32_t value, uint32_t sign)
{
    uint32_t mask = sign | (sign - 1);

    if (!(value & sign)) {
        return value;
    }
    return sign | (-(value + (value == sign)) & mask);
}

/* And back; -0 becomes +0. */
static uint32_t two_complement(uint32_t value, uint32_t sign)
{
    return value & sign ? -(value & (sign - 1)) & (sign | (sign - 1)) : value;
}

/* Raw Dst32b for a value stored as 32 bits. */
static uint32_t raw32(Control c, uint32_t v)
{
    if (c.fmt == 1 && !c.no_swizzle) {
        v = sign_magnitude(v, 0x80000000u);
    }
    if (!c.no_swizzle) {
        v = (v & 0x8000ffff) | ((v & 0x7f800000) >> 7) |
            ((v & 0x007f0000) << 8);
    }
    return v;
}

/* What a load then gives. */
static uint32_t loaded32(Control c, uint32_t v)
{
    return c.fmt == 1 && !c.no_swizzle
           ? two_complement(sign_magnitude(v, 0x80000000u), 0x80000000u) : v;
}

static uint16_t raw16(Control c, uint16_t v)
{
    if (c.no_swizzle) {
        return v;
    }
    switch (c.fmt) {
    case 2:
        return (v & 0x8000) | ((v & 0x7c00) >> 10) | ((v & 0x03ff) << 5);
    case 3:
        return (v & 0x8000) | ((v & 0x7f80) >> 7) | ((v & 0x007f) << 8);
    default:
        return c.unsigned_int ? v : sign_magnitude(v, 0x8000);
    }
}

static uint16_t loaded16(Control c, uint16_t v)
{
    if (c.fmt == 4 && !c.no_swizzle && !c.unsigned_int) {
        return two_complement(sign_magnitude(v, 0x8000), 0x8000);
    }
    return v;
}

static uint16_t raw8(Control c, uint8_t v)
{
    uint8_t magnitude = 0x180 - v - (v == 0x80);

    if (c.no_swizzle || c.unsigned_int || v < 0x80) {
        return v << 5 | (v ? 16 : 0);
    }
    return 0x8000 | magnitude << 5 | 16;
}

static uint8_t loaded8(Control c, uint8_t v)
{
    uint16_t raw = raw8(c, v);
    uint8_t magnitude = (raw >> 5) & 0x7f;

    if (c.no_swizzle || c.unsigned_int) {
        return raw >> 5;
    }
    return raw & 0x8000 ? -magnitude : magnitude;
}

/* --- raw Dest --- */

static void read_dst(Tile *t, uint16_t *dst)
{
    qtest_memread(t->qts, TILE_APERTURE, dst, WINDOW_SIZE);
}

static uint32_t dst32(const uint16_t *dst, unsigned row, unsigned column)
{
    return (uint32_t)dst[row * COLUMNS + column] << 16 |
           dst[(row + 8) * COLUMNS + column];
}

/* --- tests --- */

static uint32_t sample32(unsigned i)
{
    static const uint32_t edges[] = {
        0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x3f800000,
        0x00ff0000, 0x7f800000, 0xff7fffff, 0x00010000, 0x00800000,
    };

    return i < ARRAY_SIZE(edges) ? edges[i] : i * 2654435761u;
}

static void check_32bit(Tile *t, Control c, bool remap, bool swizzle)
{
    enum { COUNT = WINDOW_SIZE / 4 };
    g_autofree uint32_t *data = g_new(uint32_t, COUNT);
    g_autofree uint16_t *dst = g_malloc(WINDOW_SIZE);

    for (unsigned i = 0; i < COUNT; i++) {
        data[i] = cpu_to_le32(sample32(i));
    }
    qtest_memwrite(t->qts, TILE_VIEW(TRISC2) + TILE_DEST_WINDOW, data,
                   WINDOW_SIZE);
    read_dst(t, dst);
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned row = adj32(i / COLUMNS, remap, swizzle);

        g_assert_cmphex(dst32(dst, row, i % COLUMNS), ==,
                        raw32(c, sample32(i)));
    }
    qtest_memread(t->qts, TILE_VIEW(TRISC2) + TILE_DEST_WINDOW, data,
                  WINDOW_SIZE);
    for (unsigned i = 0; i < COUNT; i++) {
        g_assert_cmphex(le32_to_cpu(data[i]), ==, loaded32(c, sample32(i)));
    }
}

static void test_32bit(void)
{
    Tile t = tile_start(NULL);

    for (unsigned n = 0; n < 32; n++) {
        Control c = { .fmt = n & 1,
                      .no_swizzle = n & 2,
                      .unsigned_int = n & 4 };

        write_cfg(&t, CFG_DEST_ACCESS, n >> 3);
        set_control(&t, 2, c);
        check_32bit(&t, c, n & 16, n & 8);
    }
    g_assert_cmpuint(tile_log_count(&t, UNDEFINED), ==, 0);
    tile_stop(&t);
}

/* Every 16-bit value in every mode; TRISC2 may span several elements. */
static void check_16bit(Tile *t, Control c, bool remap, unsigned base)
{
    enum { COUNT = WINDOW_SIZE / 2 };
    g_autofree uint16_t *data = g_new(uint16_t, COUNT);
    g_autofree uint16_t *dst = g_malloc(WINDOW_SIZE);

    for (unsigned i = 0; i < COUNT; i++) {
        data[i] = cpu_to_le16(base + i);
    }
    qtest_memwrite(t->qts, TILE_VIEW(TRISC2) + TILE_DEST_WINDOW, data,
                   WINDOW_SIZE);
    read_dst(t, dst);
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned row = adj16(i / COLUMNS, remap);

        g_assert_cmphex(dst[row * COLUMNS + i % COLUMNS], ==,
                        raw16(c, base + i));
    }
    qtest_memread(t->qts, TILE_VIEW(TRISC2) + TILE_DEST_WINDOW, data,
                  WINDOW_SIZE);
    for (unsigned i = 0; i < COUNT; i++) {
        g_assert_cmphex(le16_to_cpu(data[i]), ==, loaded16(c, base + i));
    }
}

static void test_16bit(void)
{
    Tile t = tile_start(NULL);

    for (unsigned n = 0; n < 12; n++) {
        Control c = { .fmt = 2 + n % 3, .no_swizzle = (n / 3) & 1,
                      .unsigned_int = (n / 3) & 2 };

        set_control(&t, 2, c);
        for (unsigned part = 0; part < 4; part++) {
            write_cfg(&t, CFG_DEST_ACCESS, (part & 1) << 1);
            check_16bit(&t, c, part & 1, part * WINDOW_SIZE / 2);
        }
    }
    g_assert_cmpuint(tile_log_count(&t, UNDEFINED), ==, 0);
    tile_stop(&t);
}

static void test_8bit(void)
{
    Tile t = tile_start(NULL);

    for (unsigned n = 0; n < 4; n++) {
        Control c = { .fmt = 5, .no_swizzle = n & 1, .unsigned_int = n & 2 };
        const uint64_t window = TILE_VIEW(TRISC0) + TILE_DEST_WINDOW;

        set_control(&t, 0, c);
        for (unsigned v = 0; v < 256; v++) {
            qtest_writeb(t.qts, window + 64 * 3 + v, v);
            g_assert_cmphex(
                qtest_readw(t.qts, TILE_APERTURE + 2 * (64 * 3 + v)), ==,
                raw8(c, v));
            g_assert_cmphex(qtest_readb(t.qts, window + 64 * 3 + v), ==,
                            loaded8(c, v));
        }
    }
    g_assert_cmpuint(tile_log_count(&t, UNDEFINED), ==, 0);
    tile_stop(&t);
}

/* T0 and T1: just the element's size.  Others are reported, change nothing. */
static void test_widths(void)
{
    static const unsigned element_size[FMT_COUNT] = { 4, 4, 2, 2, 2, 1, 0, 0 };
    const uint64_t window = TILE_VIEW(TRISC1) + TILE_DEST_WINDOW + 64;
    g_autofree uint16_t *before = g_malloc(WINDOW_SIZE);
    g_autofree uint16_t *after = g_malloc(WINDOW_SIZE);
    Tile t = tile_start(NULL);

    for (unsigned fmt = 0; fmt < FMT_COUNT; fmt++) {
        unsigned bad = 0;

        set_control(&t, 1, (Control) { .fmt = fmt });
        for (unsigned size = 1; size <= 4; size *= 2) {
            unsigned logged = tile_log_count(&t, UNDEFINED);
            uint32_t value = 0x11111111u * (fmt + 1), got;

            value &= 0xffffffffu >> (32 - 8 * size);
            read_dst(&t, before);
            if (size == 1) {
                qtest_writeb(t.qts, window, value);
                got = qtest_readb(t.qts, window);
            } else if (size == 2) {
                qtest_writew(t.qts, window, value);
                got = qtest_readw(t.qts, window);
            } else {
                qtest_writel(t.qts, window, value);
                got = qtest_readl(t.qts, window);
            }
            read_dst(&t, after);
            if (size == element_size[fmt]) {
                g_assert_cmphex(got, ==, value);
                g_assert_cmpint(memcmp(before, after, WINDOW_SIZE), !=, 0);
                g_assert_cmpuint(tile_log_count(&t, UNDEFINED), ==, logged);
            } else {
                g_assert_cmphex(got, ==, 0);
                g_assert_cmpint(memcmp(before, after, WINDOW_SIZE), ==, 0);
                g_assert_cmpuint(tile_log_count(&t, UNDEFINED), ==, logged + 2);
                bad++;
            }
        }
        g_assert_cmpuint(bad, ==, element_size[fmt] ? 2 : 3);
    }
    tile_stop(&t);
}

/* T2 spans elements, but is never narrower than one. */
static void test_widths_trisc2(void)
{
    const uint64_t window = TILE_VIEW(TRISC2) + TILE_DEST_WINDOW;
    Tile t = tile_start(NULL);

    set_control(&t, 2, (Control) { .fmt = 5, .unsigned_int = true });
    qtest_writel(t.qts, window + 4, 0x44332211);
    for (unsigned i = 0; i < 4; i++) {
        g_assert_cmphex(qtest_readb(t.qts, window + 4 + i), ==, 0x11 * (i + 1));
    }
    g_assert_cmphex(qtest_readw(t.qts, window + 6), ==, 0x4433);
    g_assert_cmphex(qtest_readl(t.qts, window + 4), ==, 0x44332211);
    g_assert_cmpuint(tile_log_count(&t, UNDEFINED), ==, 0);
    set_control(&t, 2, (Control) { .fmt = 0 });
    qtest_readb(t.qts, window);
    qtest_writew(t.qts, window, 1);
    g_assert_cmpuint(tile_log_count(&t, UNDEFINED), ==, 2);
    tile_stop(&t);
}

/* Each thread has its own section, and all three see the same Dest. */
static void test_sections(void)
{
    static const Control c[] = {
        { .fmt = 0 }, { .fmt = 3, .no_swizzle = true }, { .fmt = 4 },
    };
    uint32_t bits = 0;
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < TILE_THREADS; i++) {
        bits |= control_bits(i, c[i]);
    }
    write_cfg(&t, CFG_DEST_CONTROL, bits);
    qtest_writel(t.qts, TILE_VIEW(TRISC0) + TILE_DEST_WINDOW, 0xbfc01234);
    /* -1.5 (roughly): sign, mantissa 7 bits, exponent 8 bits; then the rest */
    g_assert_cmphex(qtest_readw(t.qts, TILE_APERTURE), ==, 0xc07f);
    g_assert_cmphex(qtest_readw(t.qts, TILE_APERTURE + 8 * 32), ==, 0x1234);
    g_assert_cmphex(qtest_readw(t.qts, TILE_VIEW(TRISC1) + TILE_DEST_WINDOW),
                    ==, 0xc07f);
    g_assert_cmphex(qtest_readw(t.qts, TILE_VIEW(TRISC2) + TILE_DEST_WINDOW),
                    ==, (uint16_t)-0x407f);
    tile_stop(&t);
}

/* Int8 uses the first 16 KiB only; the last element is still there. */
static void test_ends(void)
{
    const uint64_t window = TILE_VIEW(TRISC0) + TILE_DEST_WINDOW;
    Tile t = tile_start(NULL);

    set_control(&t, 0, (Control) { .fmt = 4, .unsigned_int = true });
    qtest_writew(t.qts, window + WINDOW_SIZE - 2, 0x1234);
    g_assert_cmphex(qtest_readw(t.qts, TILE_APERTURE + WINDOW_SIZE - 2), ==,
                    0x1234);
    set_control(&t, 0, (Control) { .fmt = 5 });
    g_assert_cmphex(qtest_readb(t.qts, window + WINDOW_SIZE / 2 - 1), ==,
                    (0x1234 >> 5) & 0x7f);
    g_assert_cmpuint(tile_log_count(&t, UNDEFINED), ==, 0);
    qtest_writeb(t.qts, window + WINDOW_SIZE / 2, 1);
    g_assert_cmphex(qtest_readb(t.qts, window + WINDOW_SIZE / 2), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, UNDEFINED), ==, 2);
    tile_stop(&t);
}

static void test_debug_reads(void)
{
    Tile t = tile_start(NULL);

    set_control(&t, 0, (Control) { .fmt = 0 });
    qtest_writel(t.qts, TILE_VIEW(TRISC0) + TILE_DEST_WINDOW + 8, 0x40490fdb);
    g_assert_cmphex(tile_debug_readl(&t, TRISC0, TILE_DEST_WINDOW + 8), ==,
                    0x40490fdb);
    /* halves of two cells, which a hart's load may not have */
    qtest_writel(t.qts, TILE_VIEW(TRISC0) + TILE_DEST_WINDOW + 12, 0x3f8a1234);
    g_assert_cmphex(tile_debug_readl(&t, TRISC0, TILE_DEST_WINDOW + 10), ==,
                    0x12344049);
    set_control(&t, 0, (Control) { .fmt = 7 });
    tile_debug_readl(&t, TRISC0, TILE_DEST_WINDOW + 8);
    g_assert_cmpuint(tile_log_count(&t, UNDEFINED), ==, 0);
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("dest-window/32bit", test_32bit);
    qtest_add_func("dest-window/16bit", test_16bit);
    qtest_add_func("dest-window/8bit", test_8bit);
    qtest_add_func("dest-window/widths", test_widths);
    qtest_add_func("dest-window/widths-trisc2", test_widths_trisc2);
    qtest_add_func("dest-window/sections", test_sections);
    qtest_add_func("dest-window/ends", test_ends);
    qtest_add_func("dest-window/debug-reads", test_debug_reads);
    return g_test_run();
}
