/*
 * The Scalar Unit's accesses to the tile's registers: STOREREG and LOADREG,
 * bursts of them, and devices that are in the middle of something.  (WH
 * STOREREG.md, LOADREG.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/tensix_fields.h"
#include "tile-qtest.h"

#define STREAM(s, reg) (0xffb40000u + 0x1000 * (s) + 4 * (reg))
#define TDMA_ADDRESS 0xffb11000u
#define METADATA_POP 0xffb11034u
#define NOTHING_THERE 0xffbc0000u
#define GPR(thread, i) (0xffe00000u + 0x100 * (thread) + 4 * (i))
#define MOP_CFG(i) (0xffb80000u + 4 * (i))
#define RESET_TDMA_GLUE (1u << 8)
#define HOLD_NCRISC (1u << 18)

enum { DEST_BUF_START = 8, DEST_BUF_SIZE = 10, PHASE = 29,
       SPACE_UPDATE = 270, SPACE = 297 };
enum { VALUE_GPR = 4, RESULT_GPR = 5, OTHER_GPR = 6 };
enum { BURST = 100, CREDIT = 1 << 6, A_WHILE_NS = 1000000 };

static uint32_t reg_address(uint32_t address)
{
    return (address - TILE_LOCAL_RAM) / 4;
}

static uint32_t storereg(uint32_t address, unsigned gpr)
{
    return TT(STOREREG, .RegAddr = reg_address(address),
              .TdmaDataRegIndex = gpr);
}

static uint32_t loadreg(uint32_t address, unsigned gpr)
{
    return TT(LOADREG, .RegAddr = reg_address(address),
              .TdmaDataRegIndex = gpr);
}

static void push(Tile *t, unsigned thread, uint32_t word)
{
    tile_writel(t, TRISC0 + thread, TILE_PUSH, word);
}

static void set_gpr(Tile *t, unsigned thread, unsigned gpr, uint32_t value)
{
    tile_writel(t, BRISC, GPR(thread, gpr), value);
}

static uint32_t get_gpr(Tile *t, unsigned thread, unsigned gpr)
{
    return tile_readl(t, BRISC, GPR(thread, gpr));
}

/* What a device's store set free is done a little later. */
static void wait_for_register(Tile *t, uint32_t address, uint32_t value)
{
    int64_t end = g_get_monotonic_time() + 20 * G_USEC_PER_SEC;

    while (tile_readl(t, BRISC, address) != value) {
        g_assert_cmpint(g_get_monotonic_time(), <, end);
    }
}

static void test_store_and_load(void)
{
    Tile t = tile_start(NULL);

    for (unsigned thread = 0; thread < TILE_THREADS; thread++) {
        uint32_t address = STREAM(thread + 8, DEST_BUF_START);

        set_gpr(&t, thread, VALUE_GPR, 0x1230 + thread);
        push(&t, thread, storereg(address, VALUE_GPR));
        g_assert_cmphex(tile_readl(&t, NCRISC, address), ==, 0x1230 + thread);
        push(&t, thread, loadreg(address, RESULT_GPR));
        g_assert_cmphex(get_gpr(&t, thread, RESULT_GPR), ==, 0x1230 + thread);
    }
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    tile_stop(&t);
}

/* A credit a store, many of them from all threads: none lost, none twice. */
static void test_burst(void)
{
    Tile t = tile_start(NULL);
    uint32_t store = storereg(STREAM(3, SPACE_UPDATE), VALUE_GPR);
    const uint32_t words[] = {
        1, BURST, TT(NOP), TT(NOP), TT(NOP), store, TT(NOP), store, store,
    };

    tile_writel(&t, BRISC, STREAM(3, DEST_BUF_SIZE), 5);
    for (unsigned thread = 0; thread < TILE_THREADS; thread++) {
        set_gpr(&t, thread, VALUE_GPR, CREDIT);
        for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
            tile_writel(&t, TRISC0 + thread, MOP_CFG(i), words[i]);
        }
        push(&t, thread, TT(MOP, .mop_type = 1));
        push(&t, thread, loadreg(STREAM(3, SPACE), RESULT_GPR));
        tile_wait_idle(&t, thread);
        g_assert_cmpuint(get_gpr(&t, thread, RESULT_GPR), ==,
                         5 + (thread + 1) * BURST);
    }
    g_assert_cmpuint(tile_readl(&t, BRISC, STREAM(3, SPACE)), ==,
                     5 + TILE_THREADS * BURST);
    tile_stop(&t);
}

/* Harts that soft reset holds. */
/* Of all tiles; those that are not under test stay held. */
static unsigned harts_held(Tile *t)
{
    g_autofree char *text = qtest_hmp(t->qts, "info tensix why details");
    unsigned count = 0;

    for (char *p = text; (p = strstr(p, "release from reset")); p++) {
        count++;
    }
    return count - tile_number() * TILE_HARTS;
}

/*
 * A store to the soft-reset register lets NCRISC go and gives the Scalar Unit
 * back, whose STOREREG to the same register holds NCRISC again: after the first
 * store, not inside it, where it would be released all the same.
 */
static void test_same_device(void)
{
    Tile t = tile_start(NULL);

    tile_writel(&t, BRISC, TILE_SOFT_RESET,
                TILE_SOFT_RESET_ALL | RESET_TDMA_GLUE);
    set_gpr(&t, 0, VALUE_GPR, TILE_SOFT_RESET_ALL);
    push(&t, 0, storereg(TILE_SOFT_RESET, VALUE_GPR));
    g_assert_cmpuint(harts_held(&t), ==, TILE_HARTS);
    tile_writel(&t, BRISC, TILE_SOFT_RESET, TILE_SOFT_RESET_ALL & ~HOLD_NCRISC);
    wait_for_register(&t, TILE_SOFT_RESET, TILE_SOFT_RESET_ALL);
    g_assert_cmpuint(harts_held(&t), ==, TILE_HARTS);
    tile_stop(&t);
}

/*
 * A store to the overlay ends a STREAMWAIT, behind which the coprocessor
 * stores to the overlay: after the first store, not inside it.
 */
static void test_busy_device(void)
{
    Tile t = tile_start(NULL);
    uint32_t target = STREAM(9, DEST_BUF_START);

    set_gpr(&t, 1, VALUE_GPR, 0xbee);
    push(&t, 1, TT(STREAMWAIT, .stall_res = 0x1ff, .target_value = 1));
    push(&t, 1, storereg(target, VALUE_GPR));
    push(&t, 1, loadreg(target, RESULT_GPR));
    qtest_clock_step(t.qts, A_WHILE_NS);
    g_assert_cmphex(tile_readl(&t, BRISC, target), ==, 0);
    tile_writel(&t, BRISC, STREAM(0, PHASE), 1);
    wait_for_register(&t, target, 0xbee);
    tile_wait_idle(&t, 1);
    g_assert_cmphex(get_gpr(&t, 1, RESULT_GPR), ==, 0xbee);
    g_assert_cmpuint(tile_log_count(&t, "\n"), ==, 0);
    tile_stop(&t);
}

/* The coprocessor holds its own Scalar Unit in reset, until BRISC lets go. */
static void test_own_reset(void)
{
    Tile t = tile_start(NULL);
    uint32_t target = STREAM(10, DEST_BUF_START);

    set_gpr(&t, 0, VALUE_GPR, TILE_SOFT_RESET_ALL | RESET_TDMA_GLUE);
    set_gpr(&t, 0, OTHER_GPR, 77);
    push(&t, 0, storereg(TILE_SOFT_RESET, VALUE_GPR));
    push(&t, 0, storereg(target, OTHER_GPR));
    g_assert_cmphex(tile_readl(&t, BRISC, TILE_SOFT_RESET), ==,
                    TILE_SOFT_RESET_ALL | RESET_TDMA_GLUE);
    g_assert_cmpuint(tile_readl(&t, BRISC, target), ==, 0);
    tile_writel(&t, BRISC, TILE_SOFT_RESET, TILE_SOFT_RESET_ALL);
    wait_for_register(&t, target, 77);
    tile_stop(&t);
}

/* Threads that wait for a semaphore, then execute a word each. */
static void wait_and_execute(Tile *t, const unsigned thread[TILE_THREADS],
                             uint32_t beside)
{
    const uint32_t load = loadreg(METADATA_POP, RESULT_GPR);
    const uint32_t post = TT(SEMPOST, .sem_sel = 1);

    push(t, thread[0], TT(SEMINIT, .sem_sel = 3, .max_value = 15));
    push(t, thread[0], TT(SEMWAIT, .sem_sel = 1, .wait_sem_cond = 1,
                          .stall_res = 0x1ff));
    push(t, thread[0], beside);
    for (unsigned n = 1; n < TILE_THREADS; n++) {
        push(t, thread[n], TT(SEMWAIT, .sem_sel = 2, .wait_sem_cond = 1,
                              .stall_res = 0x1ff));
        push(t, thread[n], n == 1 ? post : load);
    }
    tile_writel(t, TRISC0, TILE_SEMAPHORE(1), 0);
    for (unsigned n = 0; n < TILE_THREADS; n++) {
        tile_wait_idle(t, n);
    }
}

/*
 * A LOADREG pops a FIFO; before its thread has the value, another thread
 * accesses a register.  The FIFO is popped once: each pop of the empty one is a
 * report.  Traced, words take a way on which the other one comes between.
 */
static void test_load_beside_store(void)
{
    static const unsigned orders[][TILE_THREADS] = {
        { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 },
        { 2, 1, 0 },
    };
    Tile t = tile_start("-trace tensix_insn");
    uint32_t other = STREAM(8, DEST_BUF_START), beside[] = {
        TT(NOP), storereg(other, VALUE_GPR), loadreg(other, VALUE_GPR),
    };
    unsigned pops = 0;

    for (unsigned o = 0; o < ARRAY_SIZE(orders); o++) {
        for (unsigned n = 0; n < ARRAY_SIZE(beside); n++) {
            wait_and_execute(&t, orders[o], beside[n]);
            g_assert_cmpuint(tile_log_count(&t, "pop from an empty"), ==,
                             ++pops);
        }
    }
    tile_stop(&t);
}

/*
 * While the machine is stopped a device's store ends a wait, and the thread asks
 * for its next access, which is made once the machine runs again.
 */
static void access_while_stopped(Tile *t, uint32_t target)
{
    set_gpr(t, 1, VALUE_GPR, 0xbee);
    push(t, 1, TT(STREAMWAIT, .stall_res = 0x1ff, .target_value = 1));
    push(t, 1, storereg(target, VALUE_GPR));
    qtest_qmp_assert_success(t->qts, "{ 'execute': 'stop' }");
    tile_writel(t, BRISC, STREAM(0, PHASE), 1);
    g_usleep(20000);
    g_assert_cmphex(tile_readl(t, BRISC, target), ==, 0);
}

static void test_stopped(void)
{
    Tile t = tile_start(NULL);
    uint32_t target = STREAM(11, DEST_BUF_START);

    access_while_stopped(&t, target);
    qtest_qmp_assert_success(t.qts, "{ 'execute': 'cont' }");
    wait_for_register(&t, target, 0xbee);
    tile_stop(&t);
}

/* A snapshot has the access that is asked for. */
static void test_migration(void)
{
    Tile t = tile_start(NULL);
    uint32_t target = STREAM(11, DEST_BUF_START);

    access_while_stopped(&t, target);
    tile_migrate(&t);
    g_assert_cmphex(tile_readl(&t, BRISC, target), ==, 0);
    qtest_qmp_assert_success(t.qts, "{ 'execute': 'cont' }");
    wait_for_register(&t, target, 0xbee);
    tile_stop(&t);
}

/* A reset clears it. */
static void test_reset(void)
{
    Tile t = tile_start(NULL);
    uint32_t target = STREAM(11, DEST_BUF_START);

    access_while_stopped(&t, target);
    qtest_system_reset(t.qts);
    qtest_qmp_assert_success(t.qts, "{ 'execute': 'cont' }");
    for (unsigned thread = 0; thread < TILE_THREADS; thread++) {
        push(&t, thread, storereg(STREAM(12, DEST_BUF_START), VALUE_GPR));
        tile_wait_idle(&t, thread);
    }
    g_assert_cmphex(tile_readl(&t, BRISC, target), ==, 0);
    tile_stop(&t);
}

/* A host does not wait for room in a FIFO: what does not fit is reported. */
static void test_full_fifo(void)
{
    enum { WORDS = 40, FIFO = 32 };
    const uint32_t post = TT(SEMPOST, .sem_sel = 1 << 5);
    unsigned lost;
    Tile t = tile_start(NULL);

    push(&t, 0, TT(SEMINIT, .sem_sel = 1 << 4 | 1 << 5, .max_value = 15));
    push(&t, 0, TT(SEMWAIT, .sem_sel = 1 << 4, .wait_sem_cond = 1,
                   .stall_res = 0x1ff));
    for (unsigned n = 0; n < WORDS; n++) {
        push(&t, 0, n % 4 ? TT(NOP) : post);
    }
    lost = tile_log_count(&t, "FIFO of thread 0 is full");
    g_assert_cmpuint(lost, >=, WORDS - FIFO - 4);
    g_assert_cmpuint(lost, <=, WORDS - FIFO);
    tile_writel(&t, TRISC0, TILE_SEMAPHORE(4), 0);
    tile_wait_idle(&t, 0);
    g_assert_cmpuint(tile_readl(&t, TRISC0, TILE_SEMAPHORE(5)), ==,
                     DIV_ROUND_UP(WORDS - lost, 4));
    tile_stop(&t);
}

/* Where nothing is, and what lies below the first register. */
static void test_nowhere(void)
{
    Tile t = tile_start(NULL);

    set_gpr(&t, 2, RESULT_GPR, 1);
    push(&t, 2, storereg(NOTHING_THERE, VALUE_GPR));
    push(&t, 2, loadreg(NOTHING_THERE, RESULT_GPR));
    g_assert_cmpuint(get_gpr(&t, 2, RESULT_GPR), ==, 0);
    g_assert_cmpuint(tile_log_count(&t, "where nothing is"), ==, 2);
    push(&t, 2, storereg(TILE_LOCAL_RAM, VALUE_GPR));
    g_assert_cmpuint(tile_log_count(&t, "register address"), ==, 1);
    push(&t, 2, loadreg(TDMA_ADDRESS, OTHER_GPR));
    g_assert_cmpuint(tile_log_count(&t, "where nothing is"), ==, 2);
    tile_stop(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/tensix/registers/store-and-load", test_store_and_load);
    qtest_add_func("/tensix/registers/burst", test_burst);
    qtest_add_func("/tensix/registers/busy-device", test_busy_device);
    qtest_add_func("/tensix/registers/same-device", test_same_device);
    qtest_add_func("/tensix/registers/own-reset", test_own_reset);
    qtest_add_func("/tensix/registers/load-beside-store",
                   test_load_beside_store);
    qtest_add_func("/tensix/registers/stopped", test_stopped);
    qtest_add_func("/tensix/registers/migration", test_migration);
    qtest_add_func("/tensix/registers/reset", test_reset);
    qtest_add_func("/tensix/registers/full-fifo", test_full_fifo);
    qtest_add_func("/tensix/registers/nowhere", test_nowhere);
    return g_test_run();
}
