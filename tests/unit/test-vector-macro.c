/*
 * SFPLOADMACRO's rules one by one; its kernels are in vector-kernels*.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPLOADMACRO.md.
 */

#include <string.h>

#include "vector-macro.h"
#include "tap.h"

CoreFixture f;

enum { BY_CYCLE = 0, BY_INSTRUCTION = 0xf00 };

/* Macro 0: SFPNOT of the loaded register into itself, after `delay`. */
static void prepare_not(unsigned delay, unsigned delay_kind)
{
    vector_prepare(f.core.isa, column_max_setup);
    SIMPLE(SFPNOT, 0, 0, 12, 0);
    SIMPLE(SFPNOT, 0, 0, 13, 0);
    sequence(0, SEQ(T0, delay, 0));
    sequence(1, 0);
    configure(8, delay_kind);
    fixture_clear_violations(&f);
}

static uint32_t loaded(void)
{
    return (uint32_t)f.core.s.dst[0][0];
}

static bool inverted(unsigned reg)
{
    return vu()->lreg[reg][0] == ~loaded();
}

static void test_loads(void)
{
    for (unsigned mod0 = 0; mod0 < 16; mod0++) {
        prepare_not(0, BY_CYCLE);
        memcpy(vu()->lreg[1], vu()->lreg[2], sizeof(vu()->lreg[1]));
        macro(1, 1, mod0, STAY, 18);
        load(2, mod0, STAY, 18);
        ok(!memcmp(vu()->lreg[1], vu()->lreg[2], sizeof(vu()->lreg[1])) &&
           f.violation_count == 0, "SFPLOADMACRO mode %u: loads as SFPLOAD", mod0);
    }
}

static void test_delay(unsigned delay_kind, const char *kind)
{
    for (unsigned delay = 0; delay < 8; delay++) {
        bool early;

        prepare_not(delay, delay_kind);
        macro(0, 1, UINT16, STAY, 0);
        nops(delay);
        early = inverted(1);
        nops(1);
        ok(!early && inverted(1) && !f.core.s.macro.active, "SFPLOADMACRO delay %u by %s",
           delay, kind);
    }
}

static void test_time(void)
{
    prepare_not(2, BY_CYCLE);
    macro(0, 1, UINT16, STAY, 0);
    run(TT(DMANOP));
    run(TT(DMANOP));
    ok(!inverted(1), "SFPLOADMACRO by cycle: not before its time");
    run(TT(DMANOP));
    ok(inverted(1), "SFPLOADMACRO by cycle: other instructions of the thread count");

    prepare_not(2, BY_CYCLE);
    macro(0, 1, UINT16, STAY, 0);
    for (unsigned n = 0; n < 8; n++) {
        fixture_exec(&f, THREAD + 1, TT(DMANOP));
    }
    ok(!inverted(1), "SFPLOADMACRO by cycle: other threads' do not");
    for (unsigned n = 0; n < 3; n++) {
        fixture_exec(&f, THREAD + 1, TT(SFPNOP));
    }
    ok(inverted(1), "SFPLOADMACRO by cycle: but their vector instructions do");

    prepare_not(2, BY_INSTRUCTION);
    macro(0, 1, UINT16, STAY, 0);
    for (unsigned n = 0; n < 8; n++) {
        run(TT(DMANOP));
    }
    ok(!inverted(1), "SFPLOADMACRO by instruction: other instructions do not count");
    nops(2);
    run(TT(DMANOP));
    ok(inverted(1), "SFPLOADMACRO by instruction: with none left, time is enough");
}

static void test_waits(void)
{
    uint32_t stall = TT(STALLWAIT, .stall_res = 1 << 8, .wait_res = 1 << 11);
    uint32_t value;

    prepare_not(5, BY_CYCLE);
    macro(0, 1, UINT16, STAY, 0);
    tensix_aperture_read(&f.core, 0x20000 + 128, &value, 4);
    ok(!inverted(1) && value == ~loaded(),
       "SFPLOADMACRO: the aperture shows what will be");
    run(stall);
    ok(inverted(1), "SFPLOADMACRO: STALLWAIT lets it run");

    prepare_not(5, BY_INSTRUCTION);
    macro(0, 1, UINT16, STAY, 0);
    run(stall);
    ok(!inverted(1), "SFPLOADMACRO: STALLWAIT does not count as instructions");
}

static void test_forget(void)
{
    prepare_not(2, BY_CYCLE);
    sequence(1, SEQ(T0, 0, 0));
    macro(0, 1, UINT16, STAY, 0);
    load_imm(0, 0);
    load_imm(0, 0);
    ok(inverted(1), "SFPLOADMACRO: runs among other instructions");
    macro(1, 2, UINT16, STAY, 0);
    macro(1, 3, UINT16, STAY, 0);
    nops(2);
    ok(inverted(2) && inverted(3), "SFPLOADMACRO: one after the other");

    prepare_not(1, BY_CYCLE);
    sequence(1, SEQ(T0, 0, 0));
    macro(0, 1, UINT16, STAY, 0);
    macro(1, 2, UINT16, STAY, 0);
    nops(4);
    ok(!inverted(1) && inverted(2),
       "SFPLOADMACRO: what runs at the same time in the same sub-unit is dropped");

    prepare_not(1, BY_CYCLE);
    macro(0, 1, UINT16, STAY, 0);
    macro(1, 2, UINT16, STAY, 0);
    nops(4);
    ok(inverted(1), "SFPLOADMACRO: a byte of zero drops nothing");

    prepare_not(2, BY_CYCLE);
    sequence(1, SEQ(0, 1, 0));
    macro(0, 1, UINT16, STAY, 0);
    macro(1, 2, UINT16, STAY, 0);
    nops(4);
    ok(!inverted(1), "SFPLOADMACRO: a delay without instruction cancels");
}

static void test_discard(void)
{
    prepare_not(0, BY_CYCLE);
    macro(0, 1, UINT16, STAY, 0);
    vu()->lreg[2][0] = 5;
    SIMPLE(SFPMOV, 0, 2, 3, 0);
    ok(inverted(1) && vu()->lreg[3][0] != 5, "SFPLOADMACRO: beats an issued instruction");
    ok_eq(f.violations[TENSIX_NON_CONTRACTUAL], 1, "SFPLOADMACRO: and says so");
    macro(0, 1, UINT16, STAY, 0);
    run(TT(SFPMUL, .lreg_src_a = ONE, .lreg_src_b = ONE, .lreg_src_c = ZERO,
           .lreg_dest = 3));
    ok(inverted(1) && vu()->lreg[3][0] == 0x3f800000,
       "SFPLOADMACRO: other sub-units take instructions");
}

static void test_kinds(void)
{
    prepare_not(0, BY_CYCLE);
    sequence(0, SEQ(1, 0, 0));
    macro(0, 1, UINT16, STAY, 0);
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1, "SFPLOADMACRO kind 1: undefined");

    prepare_not(0, BY_CYCLE);
    sequence(0, SEQUENCE(SEQ(2, 0, 0), SEQ(T0, 0, 0), SEQ(T0, 0, 0), 0));
    macro(0, 1, UINT16, STAY, 0);
    nops(2);
    ok(!inverted(1) && f.violation_count == 0,
       "SFPLOADMACRO: a template for another sub-unit is SFPNOP");

    prepare_not(0, BY_CYCLE);
    sequence(0, SEQUENCE(0, 0, 0, SEQ(T0, 0, 0)));
    macro(0, 1, UINT16, STAY, 0);
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
          "SFPLOADMACRO: but undefined for the store sub-unit");

    prepare_not(0, BY_CYCLE);
    round_to(0, 14, 1);
    sequence(0, SEQUENCE(SEQ(T0, 0, 0), 0, SEQ(T2, 0, 0), 0));
    macro(0, 1, UINT16, STAY, 0);
    nops(1);
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
          "SFPLOADMACRO: simple and round need one VD 16 between them");
}

static bool stored(unsigned row, uint32_t value)
{
    return f.core.s.dst[row][0] == (value & 0xffff);
}

static void test_store(void)
{
    prepare_not(0, BY_CYCLE);
    store(12, FP32, STAY, 40);     /* template 0, by the backdoor */
    configure(8, UINT16 | BY_CYCLE);
    sequence(0, SEQUENCE(0, 0, 0, SEQ(STORE, 2, 0)));
    sequence(1, SEQUENCE(0, 0, 0, SEQ(T0, 0, 0x80)));
    macro(0, 1, UINT16, NEXT, 4);
    vu()->lreg[1][0] = 0x1234;
    run(TT(INCRWC, .rwc_d = 8));
    nops(2);
    ok(stored(4, 0x1234), "SFPLOADMACRO store: Misc's Mod0, the address of the load");
    ok_eq(f.core.s.rwc[THREAD].Dst, 10, "SFPLOADMACRO store: leaves the counters alone");

    vu()->lreg[12][0] = 0xabcd;
    f.core.s.rwc[THREAD].Dst = 0;
    macro(1, 1, UINT16, STAY, 12);
    nops(1);
    ok(stored(12, 0xabcd), "SFPLOADMACRO store: the template's VD");

    configure(8, FP32 | 1 << 4);
    vu()->lreg[16][0] = 0x4321;
    sequence(0, SEQUENCE(0, 0, 0, SEQ(STORE, 0, VD16)));
    macro(0, 1, UINT16, STAY, 20);
    nops(1);
    ok(stored(20, 0x4321), "SFPLOADMACRO store: the load's Mod0, LReg 16");
}

enum { BLOCK_DEST_WR = 1 << 4, CONFIG_LANES = 15, AS_VALUE = 1 };

/* The lanes' configuration becomes `value`, 16 bits, in this cycle. */
static uint32_t set_lanes(uint32_t value)
{
    return TT(SFPCONFIG, .imm16_math = value, .config_dest = CONFIG_LANES,
              .instr_mod1 = AS_VALUE);
}

static void prepare_blocked_store(void)
{
    prepare_not(0, BY_CYCLE);
    configure(8, UINT16 | BY_CYCLE);
    sequence(0, SEQUENCE(0, 0, 0, SEQ(STORE, 0, 0)));
    run(set_lanes(BLOCK_DEST_WR));
    macro(0, 1, UINT16, STAY, 4);
    memset(f.core.s.dst[4], 0, sizeof(f.core.s.dst[4]));
    vu()->lreg[1][0] = 0x1234;
}

/* LaneConfig is among the registers that a cycle reads as they were before. */
static void test_lane_config(void)
{
    prepare_blocked_store();
    run(set_lanes(0));
    ok(stored(4, 0) && vu()->lane_config[0] == 0,
       "SFPLOADMACRO store: blocked in the cycle that clears LaneConfig");
    macro(0, 1, UINT16, STAY, 8);
    vu()->lreg[1][0] = 0x2345;
    run(set_lanes(BLOCK_DEST_WR));
    ok(stored(8, 0x2345) && vu()->lane_config[0] == BLOCK_DEST_WR,
       "SFPLOADMACRO store: not yet in the cycle that sets it");
    macro(0, 1, UINT16, STAY, 12);
    vu()->lreg[1][0] = 0x3456;
    nops(1);
    ok(!stored(12, 0x3456), "SFPLOADMACRO store: but in the next one");
}

/* A multiply-add's result and a swap's exchange come one cycle later. */
static void test_latency(void)
{
    prepare_not(0, BY_CYCLE);
    mad(ZERO, ZERO, 0, 12, 0);
    sequence(0, SEQUENCE(0, SEQ(T0, 0, 0), 0, 0));
    macro(0, 1, UINT16, STAY, 16);
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        vu()->lreg[1][lane] = 0x00400000;         /* denormal: flushed by the MAD */
    }
    nops(1);
    ok_eq(vu()->lreg[1][5], 0x00400000, "SFPLOADMACRO: no MAD result in its own cycle");
    nops(1);
    ok_eq(vu()->lreg[1][5], 0, "SFPLOADMACRO: MAD result a cycle later");

    prepare_not(0, BY_CYCLE);
    SIMPLE(SFPSWAP, 0, 2, 12, 0);
    sequence(0, SEQ(T0, 0, AS_VB));
    macro(0, 1, UINT16, STAY, 0);
    nops(1);
    vu()->lreg[2][0] = 77;
    ok_eq(vu()->lreg[1][0], loaded(), "SFPLOADMACRO: SFPSWAP compares first");
    nops(1);
    ok(vu()->lreg[1][0] == 77 && vu()->lreg[2][0] == loaded(),
       "SFPLOADMACRO: and exchanges what is there a cycle later");
}

/* A load of all lanes wins over a result that comes with it in all lanes. */
static void test_load_of_all_lanes(void)
{
    enum { INT32_ALL = 10, ONE_BITS = 0x3f800000 };

    prepare_not(0, BY_CYCLE);
    load(2, INT32_ALL, STAY, 0);
    mad(ZERO, ZERO, 0, 12, 0);
    sequence(0, SEQUENCE(0, SEQ(T0, 0, 0), 0, 0));
    macro(0, 1, UINT16, STAY, 16);
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        vu()->lreg[1][lane] = ONE_BITS;
    }
    nops(1);
    vu()->use_lane_flags = UINT32_MAX;
    vu()->lane_flags = 0xffff;
    load(1, INT32_ALL, STAY, 0);
    ok(!memcmp(vu()->lreg[1], vu()->lreg[2], sizeof(vu()->lreg[1])) &&
       vu()->lreg[1][0] != ONE_BITS && !f.core.s.macro.active,
       "SFPLOADMACRO: a load of all lanes beats a late result in all");
}

/* Operands: which of VB and VC is the loaded register, and VD. */
static void test_operands(void)
{
    prepare_not(0, BY_CYCLE);
    SIMPLE(SFPIADD, 0, 2, 12 | 3, 4 | 2);  /* template 3: VC - VB, VC 2, VD 15 */
    for (unsigned n = 0; n < 4; n++) {
        unsigned flags = (n & 1 ? AS_VB : 0) | (n & 2 ? VD16 : 0);
        uint32_t sub = 1000 + n, other;

        sequence(0, SEQ(T3, 0, flags));
        macro(0, 4, UINT16, STAY, 0);
        vu()->lreg[2][0] = sub;
        other = vu()->lreg[15][0];
        nops(1);
        ok_eq(vu()->lreg[n & 2 ? 16 : 4][0], n & 1 ? sub - loaded() : loaded() - other,
              "SFPLOADMACRO operands: %s, VD %s", n & 1 ? "VB" : "VC",
              n & 2 ? "16" : "loaded");
    }
}

static void test_lanes(void)
{
    prepare_not(0, BY_CYCLE);
    for (unsigned lane = 0; lane < TENSIX_LANES; lane += 2) {
        vu()->load_macro.sequence[0][lane] = 0;
    }
    macro(0, 1, UINT16, STAY, 0);
    nops(1);
    ok(!inverted(1) && vu()->lreg[1][1] == ~(uint32_t)f.core.s.dst[0][2] &&
       f.violation_count == 0, "SFPLOADMACRO: lanes without a sequence stay out");
    vu()->load_macro.sequence[0][0] = SEQ(T1, 0, 0);
    macro(0, 1, UINT16, STAY, 0);
    ok_eq(f.violations[TENSIX_UNIMPLEMENTED], 1,
          "SFPLOADMACRO: different instructions in different lanes are reported");
}

static void test_lanes_with_other_modes(void)
{
    prepare_not(0, BY_CYCLE);
    vu()->load_macro.misc[3] ^= 1;
    macro(0, 1, UINT16, STAY, 0);
    ok_eq(f.violations[TENSIX_UNIMPLEMENTED], 1,
          "SFPLOADMACRO: different Misc in different lanes is reported");
}

/* All wait instructions let it run; one that must wait itself does not. */
static void test_other_waits(void)
{
    const uint32_t waits[] = {
        TT(SEMWAIT, .sem_sel = 1, .wait_sem_cond = 1), TT(STREAMWAIT),
    };

    for (unsigned n = 0; n < 2; n++) {
        prepare_not(5, BY_CYCLE);
        macro(0, 1, UINT16, STAY, 0);
        run(waits[n]);
        ok(inverted(1), "SFPLOADMACRO: %s lets it run",
           n ? "STREAMWAIT" : "SEMWAIT");
    }
    prepare_not(0, BY_CYCLE);
    macro(0, 1, UINT16, STAY, 0);
    ok(fixture_exec(&f, THREAD, TT(MVMUL)) == TENSIX_RETRY && !inverted(1),
       "SFPLOADMACRO: no cycle passes while an instruction must wait");
    run(TT(DMANOP));
    ok(inverted(1), "SFPLOADMACRO: but with the next one");
}

/* Simple and Round in one cycle are reported when it comes, not by a look. */
static void test_quiet_check(void)
{
    uint32_t value;

    prepare_not(0, BY_CYCLE);
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        vu()->load_macro.instruction_template[1][lane] =
            TT(SFPSHFT2, .instr_mod1 = 3);
    }
    sequence(0, SEQUENCE(SEQ(T0, 0, 0), 0, SEQ(T1, 0, 0), 0));
    macro(0, 1, UINT16, STAY, 0);
    tensix_aperture_read(&f.core, 0x20000 + 128, &value, 4);
    ok_eq(f.violation_count, 0, "SFPLOADMACRO: the aperture reports nothing");
    nops(1);
    ok_eq(f.violations[TENSIX_UNDEFINED_BEHAVIOUR], 1,
          "SFPLOADMACRO: two results in one cycle are reported");
    prepare_not(0, BY_CYCLE);
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        vu()->load_macro.instruction_template[1][lane] =
            TT(SFPSHFT2, .instr_mod1 = 3);
    }
    sequence(0, SEQUENCE(SEQ(T1, 0, 0), 0, SEQ(T1, 0, 0), 0));
    macro(0, 1, UINT16, STAY, 0);
    nops(1);
    ok_eq(f.violation_count, 0,
          "SFPLOADMACRO: not one result and what Simple cannot execute");
}

/* A snapshot in the middle: the rest runs as if nothing had happened. */
static void test_snapshot(void)
{
    static TensixState saved;

    prepare_not(3, BY_CYCLE);
    macro(0, 1, UINT16, STAY, 0);
    nops(1);
    saved = f.core.s;
    ok(tensix_state_valid(&saved), "SFPLOADMACRO snapshot: valid");
    tensix_reset(&f.core);
    nops(5);
    ok(!f.core.s.macro.active, "SFPLOADMACRO reset: nothing left");
    f.core.s = saved;
    tensix_state_loaded(&f.core);
    nops(3);
    ok(inverted(1), "SFPLOADMACRO snapshot: continues");
    saved.macro.slot[0][0].vd = 17;
    ok(!tensix_state_valid(&saved), "SFPLOADMACRO snapshot: indices are checked");
}

int main(void)
{
    fixture_init(&f);
    for (unsigned isa = 0; isa < TENSIX_ISAS; isa++) {
        if (tensix_isa_available(isa)) {
            test_vector_kernels(isa);
            test_vector_arithmetic_kernels(isa);
        }
    }
    test_loads();
    test_delay(BY_CYCLE, "cycle");
    test_delay(BY_INSTRUCTION, "instruction");
    test_time();
    test_waits();
    test_forget();
    test_discard();
    test_kinds();
    test_store();
    test_lane_config();
    test_latency();
    test_load_of_all_lanes();
    test_operands();
    test_lanes();
    test_lanes_with_other_modes();
    test_other_waits();
    test_quiet_check();
    test_snapshot();
    return done_testing();
}
