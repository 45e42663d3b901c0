/*
 * NIUs: identification, reads, writes, atomics, broadcasts, counters,
 * interrupt, rules, other tiles' memory and its migration.
 * (BH NoC/MemoryMap.md, Counters.md, Atomics.md, Interrupts.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "niu-qtest.h"

#define SW_INT_0 0xffb13018u

static void test_ids(void)
{
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < 4; i++) {
        g_assert_cmphex(get(&t, INIT(0, i) + NODE_ID), ==,
                        OWN | 17 << 12 | 12 << 19 | 1 << 28);
        /* NoC 1 counts from the opposite corner */
        g_assert_cmphex(get(&t, INIT(1, i) + NODE_ID), ==,
                        (16 - OWN_X) | (11 - OWN_Y) << 6 | 17 << 12 | 12 << 19);
        g_assert_cmphex(get(&t, INIT(0, i) + ENDPOINT_ID), ==, 0x00010000);
        g_assert_cmphex(get(&t, INIT(1, i) + ENDPOINT_ID), ==, 0x01010000);
    }
    g_assert_cmphex(get(&t, NIU(0) + ID_LOGICAL), ==, OWN);
    g_assert_cmphex(get(&t, NIU(1) + ID_LOGICAL), ==, OWN);
    g_assert_cmpuint(violations(&t), ==, 0);
    put(&t, NIU(0) + NODE_ID, 1);
    g_assert_cmpuint(tile_log_count(&t, "read-only"), ==, 1);
    tile_stop(&t);
}

/* Every register keeps its bits, on both NIUs, apart from each other. */
static void test_registers(void)
{
    static const uint32_t offsets[] = {
        TARG_LO, TARG_MID, TARG_HI, RET_LO, RET_MID, RET_HI, CTRL, LEN, LEN_1,
        DATA, 0x2c,
    };
    Tile t = tile_start(NULL);

    for (unsigned n = 0; n < 8; n++) {
        for (unsigned i = 0; i < ARRAY_SIZE(offsets); i++) {
            put(&t, INIT(n / 4, n % 4) + offsets[i], ~(n << 8 | i));
        }
        put(&t, INIT(n / 4, n % 4) + TAG, ~0);
    }
    for (unsigned n = 0; n < 8; n++) {
        for (unsigned i = 0; i < ARRAY_SIZE(offsets); i++) {
            g_assert_cmphex(get(&t, INIT(n / 4, n % 4) + offsets[i]), ==,
                            ~(n << 8 | i));
        }
        g_assert_cmphex(get(&t, INIT(n / 4, n % 4) + TAG), ==, 0xffff);
    }
    put(&t, NIU(0) + 0x104, 0x12345678);
    g_assert_cmphex(get(&t, NIU(0) + 0x104), ==, 0x12345678);
    g_assert_cmphex(get(&t, NIU(1) + 0x104), ==, 0);
    g_assert_cmphex(qtest_readb(t.qts, TILE_VIEW(NCRISC) + NIU(0) + 0x105), ==,
                    0x56);
    g_assert_cmphex(qtest_readw(t.qts, TILE_VIEW(TRISC2) + NIU(0) + 0x106), ==,
                    0x1234);
    g_assert_cmpuint(violations(&t), ==, 0);
    qtest_writew(t.qts, TILE_VIEW(BRISC) + NIU(0) + 0x104, 0);
    g_assert_cmphex(get(&t, NIU(0) + 0x104), ==, 0x12345678);
    g_assert_cmpuint(tile_log_count(&t, "only words"), ==, 1);
    qtest_system_reset(t.qts);
    g_assert_cmphex(get(&t, NIU(0) + 0x104), ==, 0);
    g_assert_cmphex(get(&t, INIT(1, 3) + DATA), ==, 0);
    tile_stop(&t);
}

/* As firmware does: NCRISC reads from DRAM on NoC 1 with initiator 1. */
static void test_read_foreign(void)
{
    Tile t = tile_start(NULL);
    uint32_t before = counter(&t, 1, RD_RESP);
    uint8_t data[0x800], l1[0x800];

    for (unsigned i = 0; i < sizeof(data); i++) {
        data[i] = i * 7 + (i >> 8);
    }
    qtest_memwrite(t.qts, window(DRAM, 0x12340), data, sizeof(data));
    send_request(&t, (Request) {
        .noc = 1, .init = 1, .ctrl = 0x2090, .targ = 0x12340, .targ_hi = DRAM,
        .ret = 0x37000, .ret_hi = OWN, .len = sizeof(data),
    });
    qtest_memread(t.qts, 0x37000, l1, sizeof(l1));
    g_assert_cmpmem(l1, sizeof(l1), data, sizeof(data));
    g_assert_cmpuint(counter(&t, 1, RD_RESP), ==, before + 1);
    g_assert_cmpuint(counter(&t, 1, RD_WORDS), ==, 0x800 / 64);
    g_assert_cmpuint(counter(&t, 1, RD_SENT), ==, 1);
    g_assert_cmpuint(counter(&t, 1, ACCEPTED), ==, 1);
    g_assert_cmpuint(counter(&t, 1, SLV_RD_RESP), ==, 0);
    g_assert_cmpuint(counter(&t, 1, OUTSTANDING), ==, 0);
    g_assert_cmpuint(counter(&t, 0, RD_RESP), ==, 0);

    g_assert_cmpuint(violations(&t), ==, 0);

    /* never written, beside what was, and far off: zeroes, and a report */
    g_assert_cmphex(qtest_readq(t.qts, window(DRAM, 0x12338)), ==, 0);
    g_assert_cmphex(qtest_readq(t.qts, window(DRAM, 0x12b40)), ==, 0);
    send_request(&t, (Request) {
        .noc = 1, .init = 1, .targ = 0x80012340, .targ_hi = DRAM,
        .ret = 0x37000, .ret_hi = OWN, .len = 64,
    });
    g_assert_cmphex(qtest_readq(t.qts, 0x37000), ==, 0);
    g_assert_cmphex(qtest_readq(t.qts, 0x37040), !=, 0);
    g_assert_cmpuint(violations(&t), ==, 1);
    tile_stop(&t);
}

/* Local memory of a hart is not on the NoC: refused, and reported once. */
static void test_unreachable(void)
{
    Tile t = tile_start(NULL);

    send_request(&t, (Request) {
        .targ = TILE_LOCAL_RAM, .targ_hi = OWN, .ret = 0x37000, .ret_hi = OWN,
        .len = 4,
    });
    g_assert_cmpuint(violations(&t), ==, 1);
    g_assert_cmpuint(tile_log_count(&t, "nothing there that the NoC can reach"),
                     ==, 1);
    tile_stop(&t);
}

/* As firmware does: BRISC writes to DRAM on NoC 0 with initiator 0. */
static void test_write_foreign(void)
{
    Tile t = tile_start(NULL);
    uint64_t far = 0x1000000000000040ull;

    qtest_writeq(t.qts, 0x39000, 0x1122334455667788ull);
    send_request(&t, (Request) {
        .ctrl = 0x2092, .targ = 0x39000, .targ_hi = OWN, .ret = 0x5000,
        .ret_hi = DRAM, .len = 8,
    });
    g_assert_cmphex(qtest_readq(t.qts, window(DRAM, 0x5000)), ==,
                    0x1122334455667788ull);
    g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, 1);
    g_assert_cmpuint(counter(&t, 0, WR_SENT), ==, 1);
    g_assert_cmpuint(counter(&t, 0, POSTED_WR_SENT), ==, 0);

    /* posted, and all 64 bits of the address count */
    send_request(&t, (Request) {
        .ctrl = 0x2082, .targ = 0x39000, .targ_hi = OWN, .ret = far,
        .ret_hi = OTHER_TENSIX, .len = 4,
    });
    g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, 1);
    g_assert_cmpuint(counter(&t, 0, POSTED_WR_SENT), ==, 1);
    g_assert_cmphex(qtest_readl(t.qts, window(OTHER_TENSIX, 0x40)), ==, 0);
    send_request(&t, (Request) {
        .targ = far, .targ_hi = OTHER_TENSIX, .ret = 0x40, .ret_hi = OWN,
        .len = 4,
    });
    g_assert_cmphex(qtest_readl(t.qts, 0x40), ==, 0x55667788);
    g_assert_cmpuint(violations(&t), ==, 0);
    tile_stop(&t);
}

/* L1 to L1 of the tile itself, in several packets; registers go along. */
static void test_self_split(void)
{
    Tile t = tile_start(NULL);
    uint32_t length = 2 * 16384 + 64;
    g_autofree uint8_t *from = g_malloc(length), *to = g_malloc(length);

    for (unsigned i = 0; i < length; i++) {
        from[i] = i ^ (i >> 8);
    }
    qtest_memwrite(t.qts, 0x10000, from, length);
    send_request(&t, (Request) {
        .init = 2, .ctrl = WRITE | RESP, .tag = 5 << 10, .targ = 0x10000,
        .targ_hi = OWN, .ret = 0x80000, .ret_hi = OWN, .len = length,
    });
    qtest_memread(t.qts, 0x80000, to, length);
    g_assert_cmpmem(to, length, from, length);
    g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, 3);
    g_assert_cmpuint(counter(&t, 0, SLV_WR_ACK), ==, 3);
    g_assert_cmpuint(counter(&t, 0, OUTSTANDING + 5), ==, 0);
    g_assert_cmphex(get(&t, INIT(0, 2) + LEN), ==, 64);
    g_assert_cmphex(get(&t, INIT(0, 2) + TARG_LO), ==, 0x10000 + 2 * 16384);
    g_assert_cmphex(get(&t, INIT(0, 2) + RET_LO), ==, 0x80000 + 2 * 16384);
    g_assert_cmpuint(violations(&t), ==, 0);
    tile_stop(&t);
}

/* Only the enabled bytes, up to 64, at addresses rounded down to 16. */
static void test_byte_enables(void)
{
    Tile t = tile_start(NULL);

    for (unsigned i = 0; i < 64; i++) {
        qtest_writeb(t.qts, 0x1000 + i, 0x80 + i);
        qtest_writeb(t.qts, 0x2000 + i, 0x11);
    }
    send_request(&t, (Request) {
        .ctrl = WRITE | BE | RESP, .targ = 0x1000, .targ_hi = OWN,
        .ret = 0x2004, .ret_hi = OWN, .len = 0x00000f01, .len_1 = 0x80000000,
    });
    for (unsigned i = 0; i < 64; i++) {
        bool written = i == 0 || (i >= 8 && i < 12) || i == 63;

        g_assert_cmphex(qtest_readb(t.qts, 0x2000 + i), ==,
                        written ? 0x80 + i : 0x11);
    }
    g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, 1);
    tile_stop(&t);
}

/* Inline writes reach registers; to L1 they are reported. */
static void test_inline(void)
{
    Tile t = tile_start(NULL);

    send_request(&t, (Request) {
        .init = 2, .ctrl = 0x208a | RESP, .targ = SW_INT_0, .targ_hi = OWN,
        .data = 0xabcd,
    });
    g_assert_cmphex(get(&t, SW_INT_0), ==, 0xabcd);
    g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, 1);
    send_request(&t, (Request) {
        .init = 2, .ctrl = 0x208a, .targ = 0xffb70438, .targ_hi = OTHER_TENSIX,
        .data = 64,
    });
    g_assert_cmphex(qtest_readl(t.qts, window(OTHER_TENSIX, 0xffb70438)), ==,
                    64);
    g_assert_cmpuint(counter(&t, 0, POSTED_WR_SENT), ==, 1);
    g_assert_cmpuint(violations(&t), ==, 0);
    send_request(&t, (Request) {
        .init = 2, .ctrl = 0x208a, .targ = 0x1004, .targ_hi = OWN,
        .data = 0x99, .len = 0xf0,
    });
    g_assert_cmpuint(tile_log_count(&t, "unsafe"), ==, 1);
    g_assert_cmphex(qtest_readl(t.qts, 0x1004), ==, 0x99);
    g_assert_cmphex(qtest_readl(t.qts, 0x1000), ==, 0);
    tile_stop(&t);
}

typedef struct AtomicCase {
    uint32_t op, data, before, after;
} AtomicCase;

/* The word at 0x1008: lane 2 of its 16 bytes. */
static void test_atomics(void)
{
    static const AtomicCase cases[] = {
        { 0x107e, 5, 0xfffffffe, 3 },              /* increment, 32 bits */
        { 0x100e, 5, 0xabcdef0c, 0xabcdef01 },     /* increment, 4 bits */
        { 0x4000 | 7 << 6 | 3 << 2 | 2, 0, 3, 7 }, /* CAS hits */
        { 0x4000 | 7 << 6 | 3 << 2 | 2, 0, 4, 4 }, /* CAS misses */
        { 0x6006, 0x1234, 7, 0x1234 },             /* swap by index, three */
        { 0x7008, 0x1235, 7, 0x1235 },
        { 0xa302, 0x1236, 7, 0x1236 },
        { 0x3000 | 0x20 << 2, 0xaaaabbbb, 0x11112222, 0xaaaa2222 },
        { 0xa802, 3, 4, 7 },                       /* amoadd */
        { 0xa902, 3, 5, 6 },                       /* amoxor */
        { 0xaa02, 3, 5, 7 },                       /* amoor */
        { 0xab02, 3, 5, 1 },                       /* amoand */
        { 0xac02, 3, -5, -5 },                     /* amomin */
        { 0xad02, 3, -5, 3 },                      /* amomax */
        { 0xae02, 3, -5, 3 },                      /* amominu */
        { 0xaf02, 3, -5, -5 },                     /* amomaxu */
        { 0x9004, 3, 0xffffffff, 2 },              /* parallel u32 */
        { 0x9007, 0x01020304, 0xfffe8000, 0xffff8304 },  /* u8, saturating */
        { 0x900f, 0x01020304, 0xfffe8000, 0x00008304 },  /* u8, wrapping */
    };
    const uint32_t tiles[] = { OWN, OTHER_TENSIX };
    Tile t = tile_start(NULL);
    uint32_t done = 0;

    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        for (unsigned j = 0; j < ARRAY_SIZE(tiles); j++) {
            const AtomicCase *c = &cases[i];

            qtest_writel(t.qts, window(tiles[j], 0x1008), c->before);
            send_request(&t, (Request) {
                .init = 3, .ctrl = 0x2091, .targ = 0x1008, .targ_hi = tiles[j],
                .ret = 4, .ret_hi = OWN, .len = c->op, .data = c->data,
            });
            g_assert_cmphex(qtest_readl(t.qts, window(tiles[j], 0x1008)), ==,
                            c->after);
            g_assert_cmphex(qtest_readl(t.qts, 4), ==, c->before);
            g_assert_cmpuint(counter(&t, 0, ATOMIC_RESP), ==, ++done);
        }
    }
    g_assert_cmpuint(violations(&t), ==, 0);
    send_request(&t, (Request) {
        .init = 3, .ctrl = 0x2091, .targ = 0x1008, .targ_hi = OWN, .ret = 4,
        .ret_hi = OWN, .len = 0x9000, .data = 1,
    });
    g_assert_cmpuint(tile_log_count(&t, "floating point"), ==, 1);
    tile_stop(&t);
}

/* A word that the operation names beside the address's, whose word returns. */
static void test_atomic_of_another_word(void)
{
    Tile t = tile_start(NULL);

    qtest_writel(t.qts, 0x1004, 10);
    qtest_writel(t.qts, 0x1008, 0x77);
    send_request(&t, (Request) {
        .init = 3, .ctrl = 0x2091, .targ = 0x1008, .targ_hi = OWN, .ret = 4,
        .ret_hi = OWN, .len = 0x107d, .data = 5,
    });
    g_assert_cmphex(qtest_readl(t.qts, 0x1004), ==, 15);
    g_assert_cmphex(qtest_readl(t.qts, 0x1008), ==, 0x77);
    g_assert_cmphex(qtest_readl(t.qts, 4), ==, 0x77);
    tile_stop(&t);
}

/* Columns 1..3, rows 2..3: six Tensix tiles, this one among them. */
static void broadcast(Tile *t, unsigned noc, uint32_t hi, uint32_t flags)
{
    send_request(t, (Request) {
        .noc = noc, .ctrl = WRITE | RESP | BRCST | flags, .targ = 0x1000,
        .targ_hi = OWN, .ret = 0x3000, .ret_hi = hi, .len = 16,
    });
}

static void test_broadcast(void)
{
    uint32_t low = 1 | 2 << 6, high = 3 | 3 << 6;
    Tile t = tile_start(NULL);

    qtest_writel(t.qts, 0x1000, 0xfeed);
    broadcast(&t, 0, low << 12 | high, 0);
    g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, 5);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0);
    g_assert_cmphex(qtest_readl(t.qts, window(2 | 3 << 6, 0x3000)), ==, 0xfeed);
    g_assert_cmphex(qtest_readl(t.qts, window(4 | 3 << 6, 0x3000)), ==, 0);
    /* one request, five answers: 8 bits of 1 - 5 */
    g_assert_cmphex(counter(&t, 0, OUTSTANDING), ==, 0xfc);
    put(&t, NIU(0) + CLEAR_IDS, 1);
    g_assert_cmphex(counter(&t, 0, OUTSTANDING), ==, 0);

    broadcast(&t, 0, low << 12 | high, SRC_INCLUDE);
    g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, 11);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0xfeed);

    /* NoC 1 runs the other way: software swaps start and end */
    qtest_writel(t.qts, 0x3000, 0);
    broadcast(&t, 1, high << 12 | low, SRC_INCLUDE);
    g_assert_cmpuint(counter(&t, 1, WR_ACK), ==, 6);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0xfeed);

    /* this column opts out */
    put(&t, NIU(0) + ROUTER_CFG_1, 1 << OWN_X);
    qtest_writel(t.qts, 0x3000, 0);
    broadcast(&t, 0, low << 12 | high, SRC_INCLUDE);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0);
    /* this row does */
    put(&t, NIU(0) + ROUTER_CFG_1, ~(1 << OWN_X));
    put(&t, NIU(0) + ROUTER_CFG_3, 1 << OWN_Y);
    broadcast(&t, 0, low << 12 | high, SRC_INCLUDE);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0);
    put(&t, NIU(0) + ROUTER_CFG_3, ~(1 << OWN_Y));
    broadcast(&t, 0, low << 12 | high, SRC_INCLUDE);
    g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0xfeed);
    g_assert_cmpuint(violations(&t), ==, 0);
    tile_stop(&t);
}

/* A posted write may leave its first 16 bytes at a second address. */
static void test_header_store(void)
{
    Tile t = tile_start(NULL);
    Request r = {
        .ctrl = WRITE, .tag = 1 << 9, .targ = 0x1000, .targ_hi = OWN,
        .ret = 0x2000, .ret_hi = OWN, .len = 32, .data = 0x300,
    };

    for (unsigned i = 0; i < 32; i += 4) {
        qtest_writel(t.qts, 0x1000 + i, 0x100 + i);
    }
    send_request(&t, r);
    for (unsigned i = 0; i < 32; i += 4) {
        g_assert_cmphex(qtest_readl(t.qts, 0x2000 + i), ==, 0x100 + i);
        g_assert_cmphex(qtest_readl(t.qts, 0x3000 + i), ==,
                        i < 16 ? 0x100 + i : 0);
    }
    r.ctrl |= RESP;                /* not posted: no second address */
    r.data = 0x400;
    send_request(&t, r);
    g_assert_cmphex(qtest_readl(t.qts, 0x4000), ==, 0);
    g_assert_cmpuint(violations(&t), ==, 0);
    tile_stop(&t);
}

/* A counter that returns to zero raises the PIC's interrupt 1. */
static void test_interrupt(void)
{
    uint32_t hw_int1 = 0xffb13098 + 4;
    Tile t = tile_start(NULL);
    Request r = {
        .ctrl = WRITE | RESP, .tag = 3 << 10, .targ = 0x1000, .targ_hi = OWN,
        .ret = 0x2000, .ret_hi = OWN, .len = 16,
    };

    send_request(&t, r);
    g_assert_cmphex(get(&t, NIU(0) + RTZ_SOURCE), ==, 1 << 3);
    g_assert_cmphex(get(&t, hw_int1), ==, 0);
    put(&t, NIU(0) + RTZ_CFG, 1 << 3);
    g_assert_cmphex(get(&t, hw_int1), ==, 1);
    g_assert_cmphex(tile_debug_readl(&t, BRISC, NIU(0) + RTZ_NUM), ==, 3);
    g_assert_cmphex(get(&t, NIU(0) + RTZ_NUM), ==, 3);
    g_assert_cmphex(get(&t, hw_int1), ==, 0);
    g_assert_cmphex(get(&t, NIU(0) + RTZ_NUM), ==, 0);

    put(&t, NIU(0) + RTZ_CFG, 1 << 3 | 1 << 28);
    send_request(&t, r);
    g_assert_cmphex(get(&t, NIU(0) + RTZ_NUM), ==, 3);
    g_assert_cmphex(get(&t, hw_int1), ==, 1);
    put(&t, NIU(0) + RTZ_CLR, 1 << 3);
    g_assert_cmphex(get(&t, hw_int1), ==, 0);
    g_assert_cmphex(get(&t, NIU(0) + RTZ_SOURCE), ==, 0);

    send_request(&t, r);
    g_assert_cmphex(get(&t, hw_int1), ==, 1);
    qtest_system_reset(t.qts);
    g_assert_cmphex(get(&t, hw_int1), ==, 0);
    tile_stop(&t);
}

/* What breaks a rule is reported, moves nothing, and completes. */
static void test_rules(void)
{
    static const Request bad[] = {
        { .ctrl = 3 },
        { .ctrl = READ, .targ = 0x1000, .ret = 0x3000 },
        { .ctrl = READ, .targ = 0x1000, .ret = 0x3000, .len = 0xffffffff,
          .len_1 = 0xffffffff },
        { .ctrl = READ, .targ = 0x1000, .ret = 0x3008, .len = 16 },
        { .ctrl = READ, .targ = 0x1010, .targ_hi = DRAM, .ret = 0x3000,
          .len = 16 },
        { .ctrl = READ, .targ = 0x1010, .ret = 0x3010, .len = 20000 },
        { .ctrl = READ, .targ = 0x180000, .ret = 0x3000, .len = 16 },
        { .ctrl = READ, .targ = 0x17fff0, .ret = 0x3000, .len = 32 },
        { .ctrl = READ, .targ = 0xfffffffffffffff0, .ret = 0x3000, .len = 32 },
        { .ctrl = READ, .targ = 0x1000, .ret = 0x100003000, .len = 16 },
        { .ctrl = READ | BRCST, .targ = 0x1000, .ret = 0x3000, .len = 16 },
        { .ctrl = WRITE | RESP, .targ = SW_INT_0, .ret = 0x3008, .len = 8 },
        { .ctrl = WRITE | RESP, .targ = 0xffe80000, .ret = 0x3000, .len = 4 },
        { .ctrl = WRITE | BE, .targ = 0x1000, .ret = 0xffb13019, .len = 1 },
        { .ctrl = WRITE | INLINE, .targ = 0xffb1301a, .data = 1 },
        { .ctrl = WRITE | INLINE, .targ = 0x1000, .targ_hi = DRAM, .data = 1 },
        { .ctrl = ATOMIC, .targ = 0x1002, .len = 0x107c, .data = 1 },
        { .ctrl = ATOMIC, .targ = SW_INT_0, .len = 0x107c, .data = 1 },
        { .ctrl = ATOMIC, .targ = 0x1000, .targ_hi = DRAM, .len = 0x107c },
        { .ctrl = ATOMIC, .targ = 0x1000, .len = 0xf000 },
        { .ctrl = ATOMIC, .targ = 0x17fffc000, .len = 0x107c },
    };
    Tile t = tile_start(NULL);

    qtest_writel(t.qts, 0x1000, 0x5a5a);
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        Request r = bad[i];
        unsigned before = violations(&t);

        r.targ_hi = r.targ_hi ?: OWN;
        r.ret_hi = OWN;
        send_request(&t, r);
        g_assert_cmpuint(violations(&t), >, before);
        g_assert_cmphex(qtest_readl(t.qts, 0x1000), ==, 0x5a5a);
        g_assert_cmphex(qtest_readl(t.qts, 0x3000), ==, 0);
        g_assert_cmphex(qtest_readl(t.qts, 0x3008), ==, 0);
    }
    /* ten reads, one in two packets, were answered all the same */
    g_assert_cmpuint(counter(&t, 0, RD_RESP), ==, 11);
    g_assert_cmpuint(counter(&t, 0, OUTSTANDING), ==, 0);
    tile_stop(&t);
}

/* A request whose write starts another one on the same NIU ends. */
static void test_self_start(void)
{
    Tile t = tile_start(NULL);

    send_request(&t, (Request) {
        .ctrl = WRITE | INLINE, .targ = INIT(0, 0) + CMD, .targ_hi = OWN,
        .data = 1,
    });
    g_assert_cmpuint(tile_log_count(&t, "raised by a request"), ==, 1);

    /* on the other NIU it works: NoC 1 writes the register of initiator 1 */
    put(&t, INIT(1, 1) + CTRL, WRITE | INLINE);
    put(&t, INIT(1, 1) + TARG_LO, SW_INT_0);
    put(&t, INIT(1, 1) + TARG_HI, OWN);
    put(&t, INIT(1, 1) + DATA, 77);
    send_request(&t, (Request) {
        .ctrl = WRITE | INLINE, .targ = INIT(1, 1) + CMD, .targ_hi = OWN,
        .data = 1,
    });
    g_assert_cmphex(get(&t, SW_INT_0), ==, 77);
    tile_stop(&t);
}

/* Pages are taken 16 at a time: there is room for two pieces of 64 KiB. */
static void test_max_pages(void)
{
    Tile t = tile_start("-global tensix-noc.max-pages=17");

    qtest_writel(t.qts, window(DRAM, 0), 1);
    qtest_writel(t.qts, window(DRAM, 0x1fffc), 2);
    send_request(&t, (Request) {
        .ctrl = WRITE | RESP, .targ = 0x1000, .targ_hi = OWN, .ret = 0x20000,
        .ret_hi = DRAM, .len = 16,
    });
    g_assert_cmpuint(tile_log_count(&t, "max-pages"), ==, 1);
    g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, 1);
    g_assert_cmphex(qtest_readl(t.qts, window(DRAM, 0)), ==, 1);
    g_assert_cmphex(qtest_readl(t.qts, window(DRAM, 0x1fffc)), ==, 2);
    g_assert_cmphex(qtest_readl(t.qts, window(DRAM, 0x20000)), ==, 0);
    tile_stop(&t);
}

/* Other tiles' memory survives a reset of this tile, and migration. */
static void test_migration(void)
{
    Tile t = tile_start(NULL);

    qtest_writeq(t.qts, window(DRAM, 0xfffffff8), 0x0102030405060708ull);
    qtest_writel(t.qts, window(OTHER_TENSIX, 0x1ffc), 0x55);
    send_request(&t, (Request) {
        .ctrl = WRITE | RESP, .tag = 9 << 10, .targ = 0x1000, .targ_hi = OWN,
        .ret = 0x2000, .ret_hi = OWN, .len = 16,
    });
    tile_migrate(&t);
    g_assert_cmphex(qtest_readq(t.qts, window(DRAM, 0xfffffff8)), ==,
                    0x0102030405060708ull);
    g_assert_cmphex(qtest_readl(t.qts, window(OTHER_TENSIX, 0x1ffc)), ==,
                    0x55);
    g_assert_cmphex(qtest_readl(t.qts, window(OTHER_TENSIX, 0x2ffc)), ==, 0);
    g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, 1);
    g_assert_cmphex(get(&t, NIU(0) + RTZ_SOURCE), ==, 1 << 9);
    g_assert_cmphex(get(&t, INIT(0, 0) + RET_LO), ==, 0x2000);
    qtest_system_reset(t.qts);
    g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, 0);
    g_assert_cmphex(qtest_readl(t.qts, window(OTHER_TENSIX, 0x1ffc)), ==,
                    0x55);
    tile_stop(&t);
}

#define LONG 0x100000              /* to 139 tiles: some time */

static Request long_broadcast(void)
{
    return (Request) {
        .ctrl = WRITE | RESP | BRCST, .tag = 3 << 10, .targ = 0,
        .targ_hi = OWN, .ret = 0x40000, .ret_hi = 16 | 11 << 6, .len = LONG,
    };
}

static void wait_for_request(Tile *t, Request r)
{
    int64_t end = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;

    while (get(t, INIT(r.noc, r.init) + CMD)) {
        g_assert_cmpint(g_get_monotonic_time(), <, end);
    }
}

/*
 * A long request leaves CMD_CTRL at 1 and others their turn; those that come
 * meanwhile wait for it, also in another machine that continues with it.
 */
static void test_long_request(void)
{
    Tile t = tile_start(NULL);
    Request next = {
        .init = 1, .ctrl = WRITE | RESP, .tag = 4 << 10, .targ = 0x1000,
        .targ_hi = OWN, .ret = 0x5000, .ret_hi = DRAM, .len = 16,
    };
    uint32_t acks;

    qtest_writel(t.qts, 0x1000, 0x600d);
    qtest_writel(t.qts, LONG - 4, 0xfeed);
    start_request(&t, long_broadcast());
    g_assert_cmphex(get(&t, INIT(0, 0) + CMD), ==, 1);
    start_request(&t, next);
    g_assert_cmphex(get(&t, INIT(0, 1) + CMD), ==, 1);
    g_assert_cmphex(qtest_readl(t.qts, window(DRAM, 0x5000)), ==, 0);
    put(&t, INIT(0, 0) + CMD, 1);
    g_assert_cmpuint(tile_log_count(&t, "while CMD_CTRL reads 1"), ==, 1);
    g_assert_cmphex(get(&t, INIT(1, 0) + CMD), ==, 0);
    qtest_qmp_assert_success(t.qts, "{ 'execute': 'stop' }");
    g_assert_cmphex(get(&t, INIT(0, 0) + CMD), ==, 1);
    acks = counter(&t, 0, WR_ACK);
    g_usleep(20000);               /* a stopped machine sends nothing */
    g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, acks);
    g_assert_cmphex(qtest_readl(t.qts,
                                window(OTHER_TENSIX, 0x40000 + LONG - 4)), ==,
                    0);
    tile_migrate(&t);
    qtest_qmp_assert_success(t.qts, "{ 'execute': 'cont' }");
    wait_for_request(&t, long_broadcast());
    wait_for_request(&t, next);
    acks = counter(&t, 0, WR_ACK) - 1;
    g_assert_cmpuint(acks, >, 0);
    g_assert_cmpuint(acks % (LONG / 16384), ==, 0);
    g_assert_cmpuint(counter(&t, 0, OUTSTANDING + 4), ==, 0);
    g_assert_cmphex(get(&t, INIT(0, 0) + LEN), ==, 16384);
    g_assert_cmphex(qtest_readl(t.qts, window(DRAM, 0x5000)), ==, 0x600d);
    g_assert_cmphex(qtest_readl(t.qts,
                                window(OTHER_TENSIX, 0x40000 + LONG - 4)), ==,
                    0xfeed);
    tile_stop(&t);
}

/* 2 MiB in one request, and not one byte more. */
static void test_longest_request(void)
{
    enum { LONGEST = 0x200000 };
    Request r = {
        .ctrl = READ, .targ_hi = DRAM, .ret_hi = OTHER_TENSIX, .len = LONGEST,
    };
    Tile t = tile_start(NULL);

    qtest_writel(t.qts, window(DRAM, LONGEST - 4), 0xfeed);
    start_request(&t, r);
    wait_for_request(&t, r);
    g_assert_cmphex(qtest_readl(t.qts, window(OTHER_TENSIX, LONGEST - 4)), ==,
                    0xfeed);
    g_assert_cmpuint(tile_log_count(&t, "length"), ==, 0);
    r.len++;
    start_request(&t, r);
    wait_for_request(&t, r);
    g_assert_cmpuint(tile_log_count(&t, "length 0x200001"), ==, 1);
    tile_stop(&t);
}

static void test_reset_ends_a_long_request(void)
{
    Tile t = tile_start(NULL);
    uint32_t acks;

    start_request(&t, long_broadcast());
    g_assert_cmphex(get(&t, INIT(0, 0) + CMD), ==, 1);
    qtest_system_reset(t.qts);
    g_assert_cmphex(get(&t, INIT(0, 0) + CMD), ==, 0);
    acks = counter(&t, 0, WR_ACK);
    g_assert_cmpuint(acks, ==, 0);
    g_usleep(20000);
    g_assert_cmpuint(counter(&t, 0, WR_ACK), ==, acks);
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/tensix/niu/ids", test_ids);
    qtest_add_func("niu/unreachable", test_unreachable);
    qtest_add_func("/tensix/niu/registers", test_registers);
    qtest_add_func("/tensix/niu/read-foreign", test_read_foreign);
    qtest_add_func("/tensix/niu/write-foreign", test_write_foreign);
    qtest_add_func("/tensix/niu/self-split", test_self_split);
    qtest_add_func("/tensix/niu/byte-enables", test_byte_enables);
    qtest_add_func("/tensix/niu/inline", test_inline);
    qtest_add_func("/tensix/niu/atomics", test_atomics);
    qtest_add_func("/tensix/niu/atomic-of-another-word",
                   test_atomic_of_another_word);
    qtest_add_func("/tensix/niu/broadcast", test_broadcast);
    qtest_add_func("/tensix/niu/header-store", test_header_store);
    qtest_add_func("/tensix/niu/interrupt", test_interrupt);
    qtest_add_func("/tensix/niu/rules", test_rules);
    qtest_add_func("/tensix/niu/self-start", test_self_start);
    qtest_add_func("/tensix/niu/max-pages", test_max_pages);
    qtest_add_func("/tensix/niu/migration", test_migration);
    qtest_add_func("/tensix/niu/long-request", test_long_request);
    qtest_add_func("/tensix/niu/longest-request", test_longest_request);
    qtest_add_func("/tensix/niu/long-request-reset",
                   test_reset_ends_a_long_request);
    return g_test_run();
}
