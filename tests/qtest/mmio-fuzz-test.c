/*
 * Random accesses, as of a malfunctioning guest, to all devices through all
 * views: the machine must continue, and a reset must bring it back.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tile-qtest.h"

#define ACCESSES 6000
#define VIEWS 6
#define NODE_ID 0xffb20044u
#define OWN_NODE_ID (0x10611081u + tile_number())
#define TILE_CLOCK_H 0xffb121f8u

static const struct { uint32_t base, size; } areas[] = {
    { 0xffb11000, 0x40 },      /* TDMA */
    { 0xffb12000, 0x250 },     /* tile control */
    { 0xffb13000, 0x14c },     /* PIC, pc snapshots */
    { 0xffb20000, 0x40 },      /* NIU 0, initiator 0 */
    { 0xffb20000, 0x2000 },
    { 0xffb30800, 0x40 },      /* NIU 1, initiator 1 */
    { 0xffb40000, 0x40000 },   /* overlay */
    { 0xffb40000, 0x840 },
    { 0xffb80000, 0x24 },      /* MOP configuration */
    { 0xffbd8000, 0x8000 },    /* Dest window */
    { 0xffe00000, 0x1000 },    /* GPRs */
    { 0xffe40000, 0x4 },       /* pushes */
    { 0xffe80000, 0x60 },      /* PCBufs, TTSync, semaphores */
    { 0xffec0000, 0x4000 },    /* mailboxes */
    { 0xffef0000, 0xe00 },     /* configuration */
};

/* Small numbers, addresses that exist, masks, and anything */
static uint32_t arbitrary_value(GRand *rand)
{
    switch (g_rand_int_range(rand, 0, 6)) {
    case 0:
        return g_rand_int_range(rand, 0, 64);
    case 1:
        return g_rand_int_range(rand, 0, 0x180000);
    case 2:
        return areas[g_rand_int_range(rand, 0, ARRAY_SIZE(areas))].base +
               g_rand_int_range(rand, 0, 0x80) * 4;
    case 3:
        return 0x81;               /* this tile's coordinates */
    case 4:
        return 1u << g_rand_int_range(rand, 0, 32);
    default:
        return g_rand_int(rand);
    }
}

static void arbitrary_access(Tile *t, GRand *rand)
{
    unsigned area = g_rand_int_range(rand, 0, ARRAY_SIZE(areas));
    unsigned view = g_rand_int_range(rand, 0, VIEWS);
    uint64_t addr = TILE_VIEW(view) + areas[area].base +
                    g_rand_int_range(rand, 0, areas[area].size);

    switch (g_rand_int_range(rand, 0, 12)) {
    case 0:
        qtest_readb(t->qts, addr);
        break;
    case 1:
        qtest_readw(t->qts, addr & ~1ull);
        break;
    case 2:
        qtest_readq(t->qts, addr & ~7ull);
        break;
    case 3:
        qtest_writeb(t->qts, addr, arbitrary_value(rand));
        break;
    case 4:
        qtest_writeq(t->qts, addr & ~7ull, arbitrary_value(rand));
        break;
    case 5:
    case 6:
        qtest_readl(t->qts, addr & ~3ull);
        break;
    default:
        qtest_writel(t->qts, addr & ~3ull, arbitrary_value(rand));
        break;
    }
}

static void test_arbitrary(gconstpointer seed)
{
    Tile t = tile_start(NULL);
    GRand *rand = g_rand_new_with_seed(GPOINTER_TO_UINT(seed));

    for (unsigned i = 0; i < ACCESSES; i++) {
        arbitrary_access(&t, rand);
    }
    g_rand_free(rand);
    tile_migrate(&t);
    qtest_system_reset(t.qts);
    g_assert_cmphex(tile_readl(&t, BRISC, NODE_ID), ==, OWN_NODE_ID);
    g_assert_cmphex(tile_readl(&t, BRISC, TILE_SOFT_RESET), ==,
                    TILE_SOFT_RESET_ALL);
    g_assert_cmphex(tile_readl(&t, BRISC, TILE_CLOCK_H), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, "re-entrant"), ==, 0);
    tile_stop(&t);
}

/* Where L1 and 32-bit numbers begin, end and change sign, in bytes and 16. */
static uint32_t edge_value(GRand *rand)
{
    static const uint32_t edges[] = {
        0, 1, 15, 16, 0x17ffe, 0x17fff, 0x18000, 0x17fff0, 0x180000, 0xffff,
        0x10000, 0x1ffff, 0xffffff, 0x10000000, 0x7fffffff, 0x80000000,
        0xffff0000, 0xffffffff,
    };

    return g_rand_int_range(rand, 0, 3)
           ? edges[g_rand_int_range(rand, 0, ARRAY_SIZE(edges))]
           : g_rand_int(rand);
}

/* UNPACR, PACR, XMOV, memory operations; any operands and configuration. */
static void push_engines(Tile *t, GRand *rand)
{
    static const uint8_t opcodes[] = {
        0x42, 0x42, 0x43, 0x41, 0x41, 0x40, 0x48, 0x49, 0x61, 0x62, 0x63, 0x64,
        0x66, 0x67, 0x68,
    };

    for (unsigned i = 0; i < 24; i++) {
        qtest_writel(t->qts, TILE_CFG + g_rand_int_range(rand, 40, 160) * 4,
                     edge_value(rand));
    }
    for (unsigned i = 0; i < 12; i++) {
        unsigned hart = TRISC0 + g_rand_int_range(rand, 0, 3);
        unsigned opcode = g_rand_int_range(rand, 0, ARRAY_SIZE(opcodes));

        tile_writel(t, hart, 0xffe00000 + g_rand_int_range(rand, 0, 64) * 4,
                    edge_value(rand));
        tile_writel(t, hart, 0xffe40000, (uint32_t)opcodes[opcode] << 24 |
                    g_rand_int_range(rand, 0, 1 << 24));
    }
}

static void test_engines(gconstpointer seed)
{
    Tile t = tile_start(NULL);
    GRand *rand = g_rand_new_with_seed(GPOINTER_TO_UINT(seed));

    for (unsigned i = 0; i < 400; i++) {
        push_engines(&t, rand);
        qtest_system_reset(t.qts);         /* some wait for ever */
    }
    g_rand_free(rand);
    g_assert_cmphex(tile_readl(&t, BRISC, NODE_ID), ==, OWN_NODE_ID);
    g_assert_cmpuint(tile_log_count(&t, "outside L1") +
                     tile_log_count(&t, "not in L1"), >, 0);
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (unsigned seed = 1; seed <= 4; seed++) {
        g_autofree char *path = g_strdup_printf("/tensix/mmio-fuzz/%u", seed);

        qtest_add_data_func(path, GUINT_TO_POINTER(seed), test_arbitrary);
    }
    qtest_add_data_func("/tensix/mmio-fuzz/engines", GUINT_TO_POINTER(1),
                        test_engines);
    return g_test_run();
}
