/*
 * Reset values, soft reset, state validation, aperture, "why is it stuck".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"
#include "views/why.h"

static CoreFixture f;

static uint32_t peek(uint32_t offset)
{
    uint32_t value;

    tensix_aperture_read(&f.core, offset, &value, sizeof(value));
    return value;
}

static void poke(uint32_t offset, uint32_t value)
{
    tensix_aperture_write(&f.core, offset, &value, sizeof(value));
}

/* --- reset --- */

static void test_reset_values(void)
{
    bool all_valid = true;

    fixture_init(&f);
    for (int row = 0; row < TENSIX_DST_ROWS; row++) {
        all_valid = all_valid && f.core.s.dst_row_valid[row] == 1;
    }
    ok(all_valid, "all rows of Dest are valid");
    ok_eq(peek(0x22000), TENSIX_CLIENT_UNPACKERS, "SrcA[0] is the unpackers'");
    ok_eq(peek(0x20c00), 0, "LaneFlags false");
    ok_eq(peek(0x20c04), 0, "UseLaneFlagsForLaneEnable false");
    ok_eq(peek(0x20000 + 8 * 128), 0x3f56594b, "LReg8 = 0.8373");
    ok_eq(peek(0x20000 + 11 * 128), 0xbf800000, "LReg11 = -1");
    ok_eq(peek(0x20000 + 15 * 128 + 4 * 5), 10, "LReg15 = 2 * lane");
    ok(tensix_state_valid(&f.core.s), "the state after reset is valid");
}

static void test_reset_keeps(void)
{
    uint64_t seeded;

    fixture_init(&f);
    tensix_set_schedule(&f.core, 77);
    seeded = f.core.s.order.rng;
    tensix_set_isa(&f.core, TENSIX_ISA_PORTABLE);
    tensix_reset(&f.core);
    ok(seeded && f.core.s.order.rng == seeded, "reset keeps the schedule's seed");
    fixture_push(&f, 0, TT(SEMPOST, .sem_sel = 1));
    while (tensix_run(&f.core, 100)) {
        continue;
    }
    ok_eq(f.core.s.semaphore[0].value, 1, "and the core still runs");
}

/* --- soft reset --- */

static void fill_all(void)
{
    fixture_init(&f);
    memset(f.core.s.src, 1, sizeof(f.core.s.src));
    memset(f.core.s.cfg, 1, sizeof(f.core.s.cfg));
    memset(f.core.s.dst_row_valid, 0, sizeof(f.core.s.dst_row_valid));
    memset(f.core.s.vu.lreg, 1, sizeof(f.core.s.vu.lreg));
    memset(f.core.s.src_client, 0, sizeof(f.core.s.src_client));
    f.core.s.src_client[TENSIX_SRCA][0] = TENSIX_CLIENT_MATRIX_UNIT;
    f.core.s.src_client[TENSIX_SRCB][1] = TENSIX_CLIENT_MATRIX_UNIT;
    f.core.s.matrix_bank[TENSIX_SRCA] = f.core.s.matrix_bank[TENSIX_SRCB] = 1;
}

static void test_soft_reset_thcon(void)
{
    fill_all();
    tensix_soft_reset(&f.core, 1 << 9);
    ok_eq(f.core.s.cfg[1][64], 0, "bit 9 zeroes word 64 of bank 1");
    ok_eq(f.core.s.cfg[0][179], 0, "and word 179 of bank 0");
    ok_eq(f.core.s.cfg[0][63], 0x01010101, "but not word 63");
    ok_eq(f.core.s.cfg[0][180], 0x01010101, "nor the global word 180");
    tensix_cfg_write(&f.core, 70 * 4, 5);
    ok_eq(f.core.s.cfg[0][70], 0,
          "writes there are discarded while it is held");
    tensix_soft_reset(&f.core, 0);
    tensix_cfg_write(&f.core, 70 * 4, 5);
    ok_eq(f.core.s.cfg[0][70], 5, "and work after release");
}

static void test_soft_reset_src(void)
{
    fill_all();
    tensix_soft_reset(&f.core, 1 << 20);
    ok_eq(f.core.s.src[TENSIX_SRCA][1][63][4], 0,
          "bit 20 zeroes SrcA columns 4 to 7");
    ok_eq(f.core.s.src[TENSIX_SRCA][1][63][3], 0x01010101,
          "and leaves column 3");
    ok_eq(f.core.s.src[TENSIX_SRCA][0][0][8], 0x01010101, "and column 8");
    ok_eq(f.core.s.src[TENSIX_SRCB][0][0][4], 0x01010101, "and SrcB");
    tensix_soft_reset(&f.core, 1 << 15);
    ok_eq(f.core.s.src_client[TENSIX_SRCA][0], TENSIX_CLIENT_UNPACKERS,
          "bit 15 gives SrcA back to the unpackers");
    ok_eq(f.core.s.src_client[TENSIX_SRCB][1], TENSIX_CLIENT_MATRIX_UNIT,
          "and leaves SrcB's owner");
    tensix_soft_reset(&f.core, 1 << 16);
    ok_eq(f.core.s.src_client[TENSIX_SRCB][1], TENSIX_CLIENT_UNPACKERS,
          "bit 16: SrcB's");
    ok_eq(f.core.s.src[TENSIX_SRCB][0][0][0], 0, "and its data");
}

static void test_soft_reset_units(void)
{
    fill_all();
    tensix_soft_reset(&f.core, 1 << 10);
    ok_eq(f.core.s.vu.lreg[0][0], 0, "bit 10 resets the vector unit");
    ok_eq(f.core.s.vu.lreg[11][0], 0xbf800000, "LReg11 included");
    fixture_push(&f, 0, TT(SFPXOR, .lreg_dest = 1, .lreg_c = 2));
    ok(!tensix_thread_idle(&f.core, 0), "a held unit holds its instructions");
    fixture_push(&f, 1, TT(SEMPOST, .sem_sel = 1));
    ok(tensix_thread_idle(&f.core, 1), "the others run");
    tensix_soft_reset(&f.core, 0);
    tensix_run(&f.core, UINT32_MAX);
    ok(tensix_thread_idle(&f.core, 0), "until it is released");
    tensix_soft_reset(&f.core, 1 << 9);
    fixture_push(&f, 0, TT(DMANOP));
    fixture_push(&f, 0, TT(SETDMAREG, .RegIndex16b = 4, .Payload_SigSel = 7));
    ok(tensix_thread_idle(&f.core, 0), "DMANOP and SETDMAREG run all the same");
    fixture_push(&f, 0, TT(ADDDMAREG));
    ok(!tensix_thread_idle(&f.core, 0), "ADDDMAREG does not");
    memset(f.core.s.dst_row_valid, 0, sizeof(f.core.s.dst_row_valid));
    tensix_soft_reset(&f.core, 1 << 17);
    ok_eq(f.core.s.dst_row_valid[5], 1, "bit 17 takes ZEROACC back");
}

/* --- validation of what migration brings --- */

static void test_state_valid(void)
{
    fixture_init(&f);
    f.core.s.thread[1].fifo.count = TENSIX_FIFO_DEPTH + 1;
    ok(!tensix_state_valid(&f.core.s), "a FIFO that is too long");
    fixture_init(&f);
    f.core.s.thread[0].replay.index = TENSIX_REPLAY_DEPTH;
    ok(!tensix_state_valid(&f.core.s), "a REPLAY slot that does not exist");
    fixture_init(&f);
    f.core.s.vu.flag_stack_depth = TENSIX_FLAG_STACK_DEPTH + 1;
    ok(!tensix_state_valid(&f.core.s), "a flag stack that is too deep");
    fixture_init(&f);
    f.core.s.matrix_bank[1] = 2;
    ok(!tensix_state_valid(&f.core.s), "a bank that does not exist");
    fixture_init(&f);
    f.core.s.thread[2].gate.pending.origin.hart = 99;
    ok(!tensix_state_valid(&f.core.s), "a hart that does not exist");
    fixture_init(&f);
    f.core.s.thread[2].mop.slot = 100;
    ok(!tensix_state_valid(&f.core.s), "a MOP step that does not exist");
}

/* --- aperture --- */

static void test_aperture_layout(void)
{
    uint16_t cell = 0;

    fixture_init(&f);
    poke(0x00000 + (5 * 16 + 2) * 2, 0xbeef1234);
    ok_eq(f.core.s.dst[5][2], 0x1234, "Dest [5][2]");
    ok_eq(f.core.s.dst[5][3], 0xbeef, "Dest [5][3]");
    tensix_aperture_read(&f.core, 0x00000 + (5 * 16 + 3) * 2, &cell, 2);
    ok_eq(cell, 0xbeef, "two bytes");
    poke(0x10000 + ((1 * 64 + 3) * 16 + 7) * 4, 0xffffffff);
    ok_eq(f.core.s.src[TENSIX_SRCA][1][3][7], 0x7ffff, "SrcA has 19 bits");
    poke(0x12000, 5);
    ok_eq(f.core.s.src[TENSIX_SRCB][0][0][0], 5, "SrcB");
    poke(0x20000 + (16 * 32 + 31) * 4, 9);
    ok_eq(f.core.s.vu.lreg[16][31], 9, "LReg16 lane 31");
    poke(0x21000 + 0x40 * 2 + 0x20, 0xffff);
    ok_eq(f.core.s.rwc[2].Sp, 0x3ff, "Sp of thread 2 has 10 bits");
    poke(0x2200c, 1);
    ok_eq(f.core.s.src_client[TENSIX_SRCB][1], 1, "owner of SrcB[1]");
    poke(0x2201c, 1);
    ok_eq(f.core.s.unpack_bank[TENSIX_SRCB], 1, "Unpackers[1].SrcBank");
    poke(0x23000 + 8 * 7 + 4, 0xff);
    ok_eq(f.core.s.semaphore[7].max, 15, "semaphore 7 max has 4 bits");
}

static void test_aperture_adc(void)
{
    fixture_init(&f);
    poke(0x24000 + 0x100 + 0x80 + 0x20, 0xffffffff);
    ok_eq(f.core.s.adc[1][TENSIX_ADC_PACK].channel[1].X, 0x3ffff,
          "ADC X has 18 bits");
    poke(0x24000 + 0x08, 0x1ffff);
    ok_eq(f.core.s.adc[0][0].channel[0].Z, 0x1fff, "ADC Z keeps 13 bits");
    ok_eq(peek(0x24008), 0xff,
          "and shows the low eight, as the debug view does");
    poke(0x24004, 0x1ffff);
    ok_eq(peek(0x24004), 0x1fff, "Y shows all 13");
}

static void test_aperture_edges(void)
{
    uint8_t bytes[64];

    fixture_init(&f);
    memset(bytes, 0xaa, sizeof(bytes));
    tensix_aperture_read(&f.core, 0x20c10, bytes, sizeof(bytes));
    ok(!memchr(bytes, 0xaa, sizeof(bytes)), "unassigned bytes read 0");
    memset(bytes, 0x11, sizeof(bytes));
    tensix_aperture_write(&f.core, 0x08000 + 1024 - 3, bytes, sizeof(bytes));
    ok_eq(f.core.s.dst_row_valid[1023], 1,
          "a write across an end keeps to its region");
    poke(0x20c08, 100);
    ok(tensix_state_valid(&f.core.s), "a poke cannot make the state invalid");
}

/* --- why is it stuck --- */

static void graph(TensixWhyNode *node)
{
    memset(node, 0, TENSIX_WHY_NODES * sizeof(*node));
    for (int n = 0; n < TENSIX_WHY_NODES; n++) {
        node[n].present = true;
        node[n].blocked = true;
        node[n].idle = n >= TENSIX_WHY_THREADS_BASE;
        node[n].helpers = 1u << TENSIX_HART_BRISC;
    }
}

static void test_why_cycle(void)
{
    TensixWhyNode node[TENSIX_WHY_NODES];
    uint32_t cycle[TENSIX_WHY_NODES];

    graph(node);
    node[TENSIX_HART_BRISC].helpers = 1u << TENSIX_HART_TRISC1;
    ok_eq(tensix_why_cycle(node, cycle), 2,
          "brisc and trisc1 wait for each other");
    ok(tensix_why_unresolvable(node, TENSIX_HART_TRISC0),
       "trisc0, who waits for brisc, is lost");
    node[TENSIX_HART_BRISC].blocked = false;
    ok_eq(tensix_why_cycle(node, cycle), 0, "no cycle while brisc runs");
    ok(!tensix_why_unresolvable(node, TENSIX_HART_TRISC0),
       "and none is lost");
}

static void test_why_thread(void)
{
    TensixWhyNode node = { 0 };

    fixture_init(&f);
    tensix_why_thread(&f.core, 0, &node);
    ok(node.idle, "a thread without work is idle");
    fixture_push(&f, 1, TT(ATGETM, .mutex_index = 2));
    fixture_push(&f, 0, TT(ATGETM, .mutex_index = 2));
    tensix_why_thread(&f.core, 0, &node);
    ok(node.blocked && !node.idle, "a thread at a taken mutex is blocked");
    ok_str(node.waits_for, "mutex 2", "and says for what");
    ok(node.helpers & (1u << (TENSIX_WHY_THREADS_BASE + 1)),
       "its owner can help");
    ok(!(node.helpers & (1u << (TENSIX_WHY_THREADS_BASE + 2))),
       "the third thread cannot");
}

int main(void)
{
    test_reset_values();
    test_reset_keeps();
    test_soft_reset_thcon();
    test_soft_reset_src();
    test_soft_reset_units();
    test_state_valid();
    test_aperture_layout();
    test_aperture_adc();
    test_aperture_edges();
    test_why_cycle();
    test_why_thread();
    return done_testing();
}
