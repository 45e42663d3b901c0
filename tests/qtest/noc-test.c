/*
 * The NoC's grid: DRAM banks and their tiles, translated coordinates, places
 * where there is no tile, tiles that are only memory, and bulk accesses.
 * (BH NoC/Coordinates.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/units.h"
#include "niu-qtest.h"

#define TILE(x, y) ((x) | (y) << 6)
#define TRANSLATE (1u << 14)
#define X_TABLE 0x118
#define Y_TABLE 0x130
#define COL_MASK 0x150
#define ROW_MASK 0x154
#define DDR_TABLE 0x158
#define DDR_COL_SWAP 0x170
#define SOFT_RESET 0xffb121b0u

enum { BANKS = 8, PORTS = 3, DRAM_X = 17, DRAM_Y = 12 };

/* As firmware numbers them: west before east, and these rows of each column */
static const uint8_t bank_rows[4][PORTS] = {
    { 0, 1, 11 }, { 2, 10, 3 }, { 9, 4, 8 }, { 5, 7, 6 },
};

static uint32_t raw_dram(unsigned bank, unsigned port)
{
    return TILE(bank < 4 ? 0 : 9, bank_rows[bank % 4][port]);
}

static uint32_t translated_dram(unsigned bank, unsigned port)
{
    return TILE(DRAM_X + bank / 4, DRAM_Y + bank % 4 * PORTS + port);
}

static void read_word(Tile *t, unsigned noc, uint32_t tile, uint64_t addr)
{
    send_request(t, (Request) {
        .noc = noc, .ctrl = READ, .targ = addr, .targ_hi = tile,
        .ret = 0x3000, .ret_hi = OWN, .len = 4,
    });
}

static void write_word(Tile *t, unsigned noc, uint32_t tile, uint64_t addr,
                       uint32_t value)
{
    qtest_writel(t->qts, 0x1000, value);
    send_request(t, (Request) {
        .noc = noc, .ctrl = WRITE | RESP, .targ = 0x1000, .targ_hi = OWN,
        .ret = addr, .ret_hi = tile, .len = 4,
    });
}

/* What is written through one of a bank's tiles is there at all of them. */
static void check_aliases(Tile *t, uint32_t tile, uint32_t value)
{
    g_assert_cmphex(qtest_readl(t->qts, window(tile, 0x5000)), ==, value);
    for (unsigned noc = 0; noc < 2; noc++) {
        /* raw coordinates in the top two rows are those of the NoC itself */
        if (noc == 0 || tile >> 6 > 1) {
            qtest_writel(t->qts, 0x3000, 0);
            read_word(t, noc, tile, 0x5000);
            g_assert_cmphex(qtest_readl(t->qts, 0x3000), ==, value);
        }
    }
}

static void test_banks(void)
{
    Tile t = tile_start(NULL);

    for (unsigned bank = 0; bank < BANKS; bank++) {
        write_word(&t, bank % 2, translated_dram(bank, bank % PORTS), 0x5000,
                   0xbace0000 + bank);
    }
    for (unsigned bank = 0; bank < BANKS; bank++) {
        for (unsigned port = 0; port < PORTS; port++) {
            check_aliases(&t, raw_dram(bank, port), 0xbace0000 + bank);
            check_aliases(&t, translated_dram(bank, port), 0xbace0000 + bank);
        }
    }
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    tile_stop(&t);
}

/* The last 16 bytes of the own tile's L1, and the last word. */
static void test_end_of_l1(void)
{
    static const uint32_t sizes[] = { 16, 4, 1 };
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        uint32_t addr = 0x180000 - sizes[i];
        unsigned noc = i % 2;

        qtest_memset(t.qts, 0x1000, 0x51 + i, 16);
        send_request(&t, (Request) {
            .noc = noc, .ctrl = WRITE | RESP, .targ = 0x1000 + addr % 16,
            .targ_hi = OWN, .ret = addr, .ret_hi = OWN, .len = sizes[i],
        });
        g_assert_cmphex(qtest_readb(t.qts, 0x17ffff), ==, 0x51 + i);
        send_request(&t, (Request) {
            .noc = noc, .ctrl = READ, .targ = addr, .targ_hi = OWN,
            .ret = 0x3000 + addr % 16, .ret_hi = OWN, .len = sizes[i],
        });
        g_assert_cmphex(qtest_readb(t.qts, 0x300f), ==, 0x51 + i);
    }
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    tile_stop(&t);
}

static void test_end_of_a_bank(void)
{
    uint32_t dram = translated_dram(0, 0);
    Tile t = tile_start(NULL);

    write_word(&t, 0, dram, 4 * GiB - 0x1000, 0x1234);
    read_word(&t, 0, dram, 4 * GiB - 0x1000);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0x1234);
    g_assert_cmpuint(violations(&t), ==, 0);
    write_word(&t, 0, dram, 4 * GiB, 0x1234);
    g_assert_cmpuint(tile_log_count(&t, "tile (17,12) address 0x100000000: "
                                    "beyond the 4 GiB of a DRAM bank"), ==, 1);
    g_assert_cmphex(qtest_readl(t.qts, window(dram, 0)), ==, 0);
    tile_stop(&t);
}

typedef struct Coordinates {
    uint32_t translated, raw;
} Coordinates;

/* Other tiles, by what they hold: both NoCs agree but in the top two rows. */
static void test_translated(void)
{
    static const Coordinates same[] = {
        { TILE(1, 3), TILE(1, 3) }, { TILE(16, 11), TILE(16, 11) },
        { TILE(20, 25), TILE(1, 1) }, { TILE(21, 25), TILE(16, 1) },
        { TILE(31, 25), TILE(11, 1) }, { TILE(8, 26), TILE(8, 3) },
        { TILE(8, 27), TILE(8, 9) }, { TILE(8, 28), TILE(8, 5) },
        { TILE(8, 29), TILE(8, 7) }, { TILE(8, 30), TILE(8, 2) },
    };
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(same); i++) {
        write_word(&t, i % 2, same[i].translated, 0x40, 0x100 + i);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(same); i++) {
        g_assert_cmphex(qtest_readl(t.qts, window(same[i].raw, 0x40)), ==,
                        0x100 + i);
        g_assert_cmphex(qtest_readl(t.qts, window(same[i].translated, 0x40)),
                        ==, 0x100 + i);
    }
    /* row 1: X is NoC 1's own, Y is not */
    write_word(&t, 1, TILE(3, 1), 0x40, 0x777);
    g_assert_cmphex(qtest_readl(t.qts, window(TILE(13, 1), 0x40)), ==, 0x777);
    g_assert_cmpuint(violations(&t), ==, 0);
    tile_stop(&t);
}

static unsigned entry(Tile *t, unsigned noc, uint32_t table, unsigned i)
{
    return extract32(get(t, NIU(noc) + table + i / 6 * 4), i % 6 * 5, 5);
}

static void set_entry(Tile *t, unsigned noc, uint32_t table, unsigned i,
                      uint32_t value)
{
    uint32_t reg = NIU(noc) + table + i / 6 * 4;

    put(t, reg, deposit32(get(t, reg), i % 6 * 5, 5, value));
}

/* Software finds translation on; switched off, NoC 1 counts its own way. */
static void test_translation_registers(void)
{
    Tile t = tile_start(NULL);

    for (unsigned noc = 0; noc < 2; noc++) {
        g_assert_cmphex(get(&t, NIU(noc) + NIU_CFG_0), ==, TRANSLATE);
        g_assert_cmphex(get(&t, NIU(noc) + ROW_MASK), ==, 3);
        g_assert_cmphex(get(&t, NIU(noc) + COL_MASK), ==, 0);
        g_assert_cmpuint(entry(&t, noc, X_TABLE, 17), ==, noc ? 16 : 0);
        g_assert_cmpuint(entry(&t, noc, X_TABLE, 31), ==, noc ? 5 : 11);
        g_assert_cmpuint(entry(&t, noc, Y_TABLE, 14), ==, noc ? 0 : 11);
        g_assert_cmpuint(entry(&t, noc, Y_TABLE, 26), ==, noc ? 8 : 3);
        put(&t, NIU(noc) + NIU_CFG_0, 0);
    }
    qtest_writel(t.qts, window(TILE(4, 5), 0x40), 0x45);
    qtest_writel(t.qts, 0x1000, 0x0c0ffee0);
    /* the only tile is (15,9) to NoC 1, and (4,5) is (12,6) */
    send_request(&t, (Request) {
        .noc = 1, .ctrl = READ, .targ = 0x40, .targ_hi = TILE(12, 6),
        .ret = 0x3000, .ret_hi = TILE(16 - OWN_X, 9), .len = 4,
    });
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0x45);
    g_assert_cmpuint(counter(&t, 1, RD_RESP), ==, 1);
    read_word(&t, 0, TILE(4, 5), 0x40);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0x45);
    g_assert_cmpuint(violations(&t), ==, 0);
    /* translated coordinates mean nothing now */
    read_word(&t, 0, translated_dram(0, 0), 0x40);
    g_assert_cmpuint(tile_log_count(&t, "tile (17,12) address 0x40: "
                                    "there is no such tile"), ==, 1);
    qtest_system_reset(t.qts);
    g_assert_cmphex(get(&t, NIU(1) + NIU_CFG_0), ==, TRANSLATE);
    tile_stop(&t);
}

/* Tables and masks of the guest's own. */
static void test_own_tables(void)
{
    Tile t = tile_start(NULL);

    qtest_writel(t.qts, window(TILE(4, 5), 0x40), 0x45);
    qtest_writel(t.qts, window(TILE(4, 6), 0x40), 0x46);
    qtest_writel(t.qts, window(TILE(5, 6), 0x40), 0x56);
    qtest_writel(t.qts, window(TILE(0, 6), 0x40), 0x06);
    set_entry(&t, 0, X_TABLE, 10, 4);
    set_entry(&t, 0, Y_TABLE, 7, 6);
    read_word(&t, 0, TILE(10, 7), 0x40);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0x46);
    set_entry(&t, 0, Y_TABLE, 7, 5);
    read_word(&t, 0, TILE(10, 7), 0x40);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0x45);
    put(&t, NIU(0) + ROW_MASK, 3 | 1 << 6);
    set_entry(&t, 0, X_TABLE, 5, 4);
    read_word(&t, 0, TILE(5, 6), 0x40);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0x56);
    put(&t, NIU(0) + COL_MASK, 1 << 5);
    set_entry(&t, 0, Y_TABLE, 6, 5);
    read_word(&t, 0, TILE(5, 6), 0x40);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0x56);

    /* DRAM's own: row 20 of column 9 is row 6 of column 0 */
    set_entry(&t, 0, DDR_TABLE, 20, 6);
    put(&t, NIU(0) + DDR_TABLE + 20, 3 << 10);
    put(&t, NIU(0) + DDR_COL_SWAP, 1 << 20);
    read_word(&t, 0, TILE(9, 20), 0x40);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0x06);
    g_assert_cmpuint(violations(&t), ==, 0);
    tile_stop(&t);
}

/* The page's algorithm over again, on tables of one entry a byte. */
typedef struct Tables {
    uint8_t x[32], y[32], ddr[32];
    uint32_t row_mask, col_mask, col_swap;
    bool east, west;
} Tables;

static bool in_ddr_x(const Tables *m, uint32_t x)
{
    return (x == 9 && m->east) || (x == 0 && m->west);
}

static void model(const Tables *m, unsigned noc, uint32_t *x, uint32_t *y)
{
    uint32_t x31 = *x & 31, y31 = *y & 31;

    if ((m->col_swap >> y31 & 1) && in_ddr_x(m, x31 ^ 9)) {
        *x = x31 ^ 9;
    } else if (!(m->row_mask >> y31 & 1)) {
        *x = m->x[x31];
    }
    if (in_ddr_x(m, x31)) {
        *y = m->ddr[y31];
    } else if (!(m->col_mask >> x31 & 1)) {
        *y = m->y[y31];
    }
    if (noc && *x < 17 && *y < 12) {
        *x = 16 - *x;
        *y = 11 - *y;
    }
}

static void program(Tile *t, unsigned noc, GRand *rand, Tables *m)
{
    for (unsigned i = 0; i < 32; i++) {
        m->x[i] = g_rand_int_range(rand, 0, 20);
        m->y[i] = g_rand_int_range(rand, 0, 14);
        m->ddr[i] = g_rand_int_range(rand, 0, 12);
        set_entry(t, noc, X_TABLE, i, m->x[i]);
        set_entry(t, noc, Y_TABLE, i, m->y[i]);
        set_entry(t, noc, DDR_TABLE, i, m->ddr[i]);
    }
    m->row_mask = g_rand_int(rand) & g_rand_int(rand);
    m->col_mask = g_rand_int(rand) & g_rand_int(rand);
    m->col_swap = g_rand_int(rand);
    m->east = g_rand_boolean(rand);
    m->west = g_rand_boolean(rand);
    put(t, NIU(noc) + ROW_MASK, m->row_mask);
    put(t, NIU(noc) + COL_MASK, m->col_mask);
    put(t, NIU(noc) + DDR_COL_SWAP, m->col_swap);
    put(t, NIU(noc) + DDR_TABLE + 20,
        (get(t, NIU(noc) + DDR_TABLE + 20) & 0x3ff) | m->east << 10 |
        m->west << 11);
}

/* Where a tile has no memory 0 is read, and L1 keeps what it has. */
static void check_random(Tile *t, unsigned noc, const Tables *m, uint32_t x,
                         uint32_t y)
{
    uint32_t want = 0, got, before = violations(t);
    uint32_t to_x = x, to_y = y;

    model(m, noc, &to_x, &to_y);
    if (to_x < 17 && to_y < 12) {
        want = qtest_readl(t->qts, window(TILE(to_x, to_y), 0x40));
    }
    put(t, NIU(noc) + NIU_CFG_0, TRANSLATE);
    qtest_writel(t->qts, 0x3000, 0);
    /* the answer's coordinates are translated, too: this tile is its own */
    put(t, INIT(noc, 0) + TARG_LO, 0x40);
    put(t, INIT(noc, 0) + TARG_HI, TILE(x, y));
    put(t, INIT(noc, 0) + CMD, 1);
    got = qtest_readl(t->qts, 0x3000);
    g_assert_cmphex(got, ==, want);
    g_assert_cmpuint(violations(t) == before, ==, want != 0);
}

/* Coordinates that the tables send to this tile; false: there are none. */
static bool find_own(const Tables *m, unsigned noc, uint32_t *hi)
{
    for (uint32_t i = 0; i < 64 * 64; i++) {
        uint32_t x = i % 64, y = i / 64;

        *hi = TILE(x, y);
        model(m, noc, &x, &y);
        if (x == OWN_X && y == OWN_Y) {
            return true;
        }
    }
    return false;
}

static void test_random_tables(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(24);
    Tile t = tile_start(NULL);
    unsigned used = 0;

    for (uint32_t i = 0; i < 17 * 12; i++) {
        qtest_writel(t.qts, window(TILE(i % 17, i / 17), 0x40), 0x1000 + i);
    }
    for (unsigned n = 0; n < 12; n++) {
        unsigned noc = n % 2;
        uint32_t hi;
        Tables m;

        program(&t, noc, rand, &m);
        if (!find_own(&m, noc, &hi)) {
            continue;
        }
        used++;
        put(&t, INIT(noc, 0) + CTRL, READ);
        put(&t, INIT(noc, 0) + RET_LO, 0x3000);
        put(&t, INIT(noc, 0) + RET_HI, hi);
        put(&t, INIT(noc, 0) + LEN, 4);
        for (unsigned i = 0; i < 40; i++) {
            check_random(&t, noc, &m, g_rand_int_range(rand, 0, 64),
                         g_rand_int_range(rand, 0, 64));
        }
    }
    g_assert_cmpuint(used, >, 4);
    tile_stop(&t);
}

typedef struct Nowhere {
    uint32_t tile;
    const char *text;
} Nowhere;

/* Refused, reported with the coordinates, completed; a host gets an error. */
static void test_nowhere(void)
{
    static const Nowhere places[] = {
        { TILE(3, 0), "tile (3,0) address 0x40: there is a router and no" },
        { TILE(8, 4), "tile (8,4) address 0x40: there is a router and no" },
        { TILE(17, 0), "tile (17,0) address 0x40: there is no such tile" },
        { TILE(63, 1), "tile (63,1) address 0x40: there is no such tile" },
        { TILE(2, 0), "tile (2,0) address 0x40: no host's memory" },
        { TILE(19, 24), "tile (19,24) address 0x40: no host's memory" },
        { TILE(11, 0), "tile (11,0) address 0x40: this PCI Express tile is" },
    };
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
        write_word(&t, 0, places[i].tile, 0x40, 0x1234);
        g_assert_cmpuint(tile_log_count(&t, places[i].text), ==, 1);
        g_assert_cmpuint(violations(&t), ==, i + 1);
        g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, i + 1);
        g_assert_cmphex(qtest_readl(t.qts, window(places[i].tile, 0x40)), ==,
                        0);
    }
    g_assert_cmpuint(counter(&t, 0, OUTSTANDING), ==, 0);
    tile_stop(&t);
}

/* Addresses of a tile do not begin again after the last one. */
static void test_last_address(void)
{
    Tile t = tile_start(NULL);
    Request r = {
        .ctrl = WRITE | RESP, .targ = 0x1000, .targ_hi = OWN,
        .ret = UINT64_MAX - 15, .ret_hi = OTHER_TENSIX, .len = 16,
    };

    qtest_memset(t.qts, 0x1000, 0x5a, 64);
    send_request(&t, r);
    g_assert_cmpuint(violations(&t), ==, 0);
    r.len = 64;
    send_request(&t, r);
    g_assert_cmpuint(tile_log_count(&t, "beyond the last address"), ==, 1);
    g_assert_cmphex(qtest_readl(t.qts, window(OTHER_TENSIX, 0)), ==, 0);
    tile_stop(&t);
}

/* Reported once per tile, not for those that a broadcast reaches by the way. */
static void test_memory_only(void)
{
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < 3; i++) {
        write_word(&t, 0, OTHER_TENSIX, 0x40, i);
        write_word(&t, 0, TILE(8, 2), 0x40, i);
        write_word(&t, 0, translated_dram(3, 0), 0x40, i);
    }
    g_assert_cmpuint(tile_log_count(&t, "tile (4,5), a Tensix tile, is memory "
                                    "only"), ==, 1);
    g_assert_cmpuint(tile_log_count(&t, "tile (8,2), the security tile, is "
                                    "memory only"), ==, 1);
    send_request(&t, (Request) {
        .ctrl = WRITE | RESP | BRCST, .targ = 0x1000, .targ_hi = OWN,
        .ret = 0x40, .ret_hi = TILE(16, 11) | TILE(10, 2) << 12, .len = 4,
    });
    g_assert_cmphex(qtest_readl(t.qts, window(TILE(16, 11), 0x40)), ==, 2);
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 2);

    /* a writer that releases harts there would wait for them for ever */
    write_word(&t, 0, OTHER_TENSIX, SOFT_RESET, TILE_SOFT_RESET_ALL);
    g_assert_cmpuint(violations(&t), ==, 0);
    for (unsigned i = 0; i < 3; i++) {
        write_word(&t, 0, OTHER_TENSIX, SOFT_RESET, 0x47000);
    }
    g_assert_cmpuint(tile_log_count(&t, "unimplemented: "), ==, 1);
    g_assert_cmpuint(tile_log_count(&t, "harts of tile (4,5) are released"), ==,
                     1);
    g_assert_cmphex(qtest_readl(t.qts, window(OTHER_TENSIX, SOFT_RESET)), ==,
                    0x47000);
    tile_stop(&t);
}

/* 1 MiB each way, by a NIU and through the window, at any alignment. */
static void test_bulk(void)
{
    uint32_t dram = translated_dram(5, 1);
    g_autofree uint8_t *from = g_malloc(MiB), *to = g_malloc(MiB);
    Tile t = tile_start(NULL);
    int64_t began;

    for (unsigned i = 0; i < MiB; i++) {
        from[i] = i * 7 ^ i >> 9;
    }
    qtest_memwrite(t.qts, 0, from, MiB);
    began = g_get_monotonic_time();
    send_request(&t, (Request) {
        .ctrl = WRITE | RESP, .targ = 0, .targ_hi = OWN, .ret = 0xfff8000,
        .ret_hi = dram, .len = MiB,
    });
    g_test_message("1 MiB of L1 to DRAM by a NIU: %" PRId64 " us",
                   g_get_monotonic_time() - began);
    g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, MiB / 16384);
    began = g_get_monotonic_time();
    qtest_memread(t.qts, window(dram, 0xfff8000), to, MiB);
    g_test_message("1 MiB of DRAM read through the window: %" PRId64 " us",
                   g_get_monotonic_time() - began);
    g_assert_cmpmem(to, MiB, from, MiB);
    began = g_get_monotonic_time();
    qtest_memwrite(t.qts, window(dram, 0x20000003), from, MiB - 5);
    g_test_message("1 MiB of DRAM written through the window: %" PRId64 " us",
                   g_get_monotonic_time() - began);
    memset(to, 0, MiB);
    qtest_memread(t.qts, window(dram, 0x20000002), to, MiB - 3);
    g_assert_cmphex(to[0], ==, 0);
    g_assert_cmpmem(to + 1, MiB - 5, from, MiB - 5);
    g_assert_cmphex(to[MiB - 4], ==, 0);
    g_assert_cmpuint(violations(&t), ==, 0);
    tile_stop(&t);
}

static void read_l1(Tile *t, uint32_t tile, uint64_t addr, uint32_t len)
{
    send_request(t, (Request) {
        .ctrl = READ | RESP, .targ = addr, .targ_hi = tile, .ret = 0x1000,
        .ret_hi = OWN, .len = len,
    });
}

/* A read of what was never written, of which this many bytes are reported. */
static void read_unwritten(Tile *t, uint32_t tile, uint64_t addr, uint32_t len,
                           uint32_t count, uint64_t first)
{
    g_autofree char *text = g_strdup_printf(
        "NoC read of %u bytes at tile (%u,%u), %s, address 0x%" PRIx64
        ": %u bytes from 0x%" PRIx64 " were never written", len, tile & 63,
        tile >> 6, tile == OTHER_TENSIX ? "a Tensix tile" : "a DRAM tile",
        addr, count, first);
    unsigned before = violations(t);

    g_assert_cmpuint(tile_log_count(t, text), ==, 0);
    read_l1(t, tile, addr, len);
    g_assert_cmpuint(violations(t), ==, before + 1);
    g_assert_cmpuint(tile_log_count(t, text), ==, 1);
}

static void read_written(Tile *t, uint32_t tile, uint64_t addr, uint32_t len)
{
    unsigned before = violations(t);

    read_l1(t, tile, addr, len);
    g_assert_cmpuint(violations(t), ==, before);
}

/* Memory that was never written is reported when the NoC reads it. */
static void test_unwritten(void)
{
    enum { PIECE = 0x10000, GRANULE = 16 };
    uint32_t dram = translated_dram(2, 0), other = translated_dram(3, 0);
    Tile t = tile_start(NULL);

    read_unwritten(&t, OTHER_TENSIX, 0x200000000, 64, 64, 0x200000000);
    read_unwritten(&t, dram, 0x4000, 64, 64, 0x4000);

    /* each way to write: the window, a request, an atomic; zeros count */
    qtest_writel(t.qts, window(dram, 0x4010), 0);
    read_unwritten(&t, dram, 0x4000, 64, 48, 0x4000);
    qtest_memset(t.qts, 0x1000, 0, 64);
    send_request(&t, (Request) {
        .ctrl = WRITE | RESP, .targ = 0x1000, .targ_hi = OWN, .ret = 0x4000,
        .ret_hi = dram, .len = 64,
    });
    read_written(&t, dram, 0x4000, 64);
    read_unwritten(&t, dram, 0x4000, 128, 64, 0x4040);
    read_unwritten(&t, other, 0x4000, 64, 64, 0x4000);
    send_request(&t, (Request) {
        .ctrl = ATOMIC | RESP, .targ = 0x4010, .targ_hi = OTHER_TENSIX,
        .ret = 0x4, .ret_hi = OWN, .len = 0x107c, .data = 0,
    });
    read_unwritten(&t, OTHER_TENSIX, 0x4000, 64, 48, 0x4000);

    /* over the end of a piece; the first and the last byte of a granule */
    qtest_writeb(t.qts, window(dram, PIECE - 1), 1);
    read_unwritten(&t, dram, PIECE - 64, 128, 112, PIECE - 64);
    qtest_writeb(t.qts, window(dram, PIECE), 1);
    read_unwritten(&t, dram, PIECE - 64, 128, 96, PIECE - 64);
    read_unwritten(&t, dram, PIECE, 3 * GRANULE, 2 * GRANULE, PIECE + GRANULE);

    tile_migrate(&t);
    read_written(&t, dram, 0x4000, 64);
    read_unwritten(&t, dram, PIECE - 64, 128, 96, PIECE - 64);
    read_unwritten(&t, other, 0x4040, 64, 64, 0x4040);
    tile_stop(&t);
}

/* A snapshot has what was written, bank by bank, and little more. */
static void test_migration(void)
{
    Tile t = tile_start(NULL);

    for (unsigned bank = 0; bank < BANKS; bank++) {
        qtest_writel(t.qts, window(raw_dram(bank, 2), 0xffff0000 - bank * 4096),
                     0x600d0000 + bank);
    }
    qtest_writel(t.qts, window(OTHER_TENSIX, 0x17fffc), 0x17);
    put(&t, NIU(1) + NIU_CFG_0, 0);
    tile_migrate(&t);
    for (unsigned bank = 0; bank < BANKS; bank++) {
        g_assert_cmphex(qtest_readl(t.qts, window(translated_dram(bank, 0),
                                                  0xffff0000 - bank * 4096)),
                        ==, 0x600d0000 + bank);
    }
    g_assert_cmphex(qtest_readl(t.qts, window(OTHER_TENSIX, 0x17fffc)), ==,
                    0x17);
    g_assert_cmphex(get(&t, NIU(1) + NIU_CFG_0), ==, 0);
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/tensix/noc/banks", test_banks);
    qtest_add_func("/tensix/noc/end-of-l1", test_end_of_l1);
    qtest_add_func("/tensix/noc/end-of-a-bank", test_end_of_a_bank);
    qtest_add_func("/tensix/noc/translated", test_translated);
    qtest_add_func("/tensix/noc/translation-registers",
                   test_translation_registers);
    qtest_add_func("/tensix/noc/own-tables", test_own_tables);
    qtest_add_func("/tensix/noc/random-tables", test_random_tables);
    qtest_add_func("/tensix/noc/nowhere", test_nowhere);
    qtest_add_func("/tensix/noc/last-address", test_last_address);
    qtest_add_func("/tensix/noc/memory-only", test_memory_only);
    qtest_add_func("/tensix/noc/bulk", test_bulk);
    qtest_add_func("/tensix/noc/unwritten", test_unwritten);
    qtest_add_func("/tensix/noc/migration", test_migration);
    return g_test_run();
}
