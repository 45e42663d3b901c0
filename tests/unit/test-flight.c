/*
 * Random schedules: what units may still be busy with when later
 * instructions are executed (flight.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "num/num.h"
#include "tap.h"
#include "config/config.h"
#include "derived/update.h"
#include "frontend/frontend.h"

enum {
    THREAD = 1, OTHER = 2, SEEDS = 300, STEPS = 60, DUE = 9,
    READ_AFTER = 4,                /* spec 001, 2.5 */
    TO_SRCA = 0, TO_SRCB = 1,      /* Unpack_block_selection */
    RESET_FPU_SFPU = 1 << 10,
    CC_NONE = 4,
};

static CoreFixture f;

/* Both matrix banks with the Matrix Unit, those of the unpackers with them. */
static void start(void)
{
    fixture_init(&f);
    fixture_give_src(&f, TENSIX_FMT_BF16);
    f.core.s.vu.use_lane_flags = 0;
    tensix_set_schedule(&f.core, 1);
}

/* AddrMod 1: eight rows on in SrcB and Dst; 2: back. */
static void set_addr_mods(void)
{
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        uint16_t *cfg = f.core.s.thread_cfg[t];

        cfg[THREAD_CFG_ADDR_MOD_AB_SEC0_SrcAIncr_INDEX + 1] =
            8 << THREAD_CFG_ADDR_MOD_AB_SEC0_SrcBIncr_LOW;
        cfg[THREAD_CFG_ADDR_MOD_DST_SEC0_DestIncr_INDEX + 1] =
            8 | 1 << THREAD_CFG_ADDR_MOD_DST_SEC0_FidelityIncr_LOW;
        cfg[THREAD_CFG_ADDR_MOD_AB_SEC0_SrcAIncr_INDEX + 2] =
            1 << THREAD_CFG_ADDR_MOD_AB_SEC0_SrcBClear_LOW;
        cfg[THREAD_CFG_ADDR_MOD_DST_SEC0_DestIncr_INDEX + 2] =
            1 << THREAD_CFG_ADDR_MOD_DST_SEC0_DestClear_LOW;
    }
    tensix_derived_invalidate(&f.core);
}

static TensixInsn insn(uint32_t thread, uint32_t word)
{
    return (TensixInsn) {
        .valid = 1, .word = word, .thread = thread,
        .mop_position = TENSIX_NO_POSITION, .replay_slot = TENSIX_NO_POSITION,
        .origin = { 0x1000, TENSIX_HART_BRISC },
    };
}

static bool fly(uint32_t thread, uint32_t word)
{
    TensixInsn i = insn(thread, word);

    return tensix_flight_start(&f.core, &i, DUE);
}

static uint32_t in_the_way(uint32_t thread, uint32_t word)
{
    TensixInsn i = insn(thread, word);

    return tensix_flight_in_the_way(&f.core, &i);
}

static bool landed(void)
{
    f.core.s.order.cycle = DUE;
    return tensix_flight_land(&f.core) == 1;
}

/* What flies cannot land: that is not what the one at the gate waits for. */
static void test_wait_reason(void)
{
    TensixGate *g = &f.core.s.thread[THREAD].gate;
    char text[80];

    start();
    ok(fly(THREAD, TT(MVMUL)), "an MVMUL flies");
    f.core.s.soft_reset = RESET_FPU_SFPU;
    g->pending = (TensixInsn) {
        .valid = 1, .thread = THREAD,
        .word = TT(ATGETM, .mutex_index = 3),
    };
    g->wait_reason = TENSIX_WAIT_MUTEX;
    g->wait_detail = 3;
    f.core.s.order.cycle = DUE;
    ok_eq(tensix_flight_land(&f.core), 0, "soft reset holds it");
    tensix_wait_text(&f.core, THREAD, text, sizeof(text));
    ok_str(text, "mutex 3", "what waits at the gate waits as before");
}

static void test_landing(void)
{
    const struct {
        const char *name;
        uint32_t word;
    } rows[] = {
        { "UNPACR to SrcA", TT(UNPACR) },
        { "UNPACR to SrcB", TT(UNPACR, .Unpack_block_selection = 1) },
        { "PACR", TT(PACR) },
        { "MVMUL", TT(MVMUL) },
        { "SFPSTORE", TT(SFPSTORE) },
        { "XMOV", TT(XMOV) },
    };

    for (unsigned n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        start();
        ok(fly(THREAD, rows[n].word), "%s may be under way", rows[n].name);
        ok(!tensix_thread_idle(&f.core, THREAD), "%s: the thread is not idle",
           rows[n].name);
        ok_eq(tensix_flight_land(&f.core), 0, "%s: not yet", rows[n].name);
        ok(landed() && tensix_thread_idle(&f.core, THREAD) &&
           !tensix_flight_finish(&f.core, THREAD), "%s: is over", rows[n].name);
    }
}

/* Those that keep order land in order, even if the first takes longer. */
static void test_order_of_landing(void)
{
    start();
    fly(THREAD, TT(PACR));
    fly(THREAD, TT(MVMUL));
    fly(THREAD, TT(PACR));
    f.core.s.thread[THREAD].flight.due[0] = DUE + 5;
    f.core.s.thread[THREAD].flight.due[2] = DUE + 5;
    ok(landed() && f.core.s.thread[THREAD].flight.count == 2,
       "MVMUL lands before an earlier PACR");
    start();
    fly(THREAD, TT(PACR));
    f.core.s.thread[THREAD].flight.due[0] = DUE + 5;
    fly(THREAD, TT(PACR));
    ok_eq(f.core.s.thread[THREAD].flight.due[1], DUE + 5,
          "PACR is due with the earlier one");
}

static void test_never(void)
{
    start();
    ok(!fly(THREAD, TT(SEMPOST, .sem_sel = 1)) && !fly(THREAD, TT(SETC16)) &&
       !fly(THREAD, TT(ADDDMAREG)) && !fly(THREAD, TT(SETADCZW)) &&
       !fly(THREAD, TT(NOP)) && !fly(THREAD, 0xff000000),
       "Sync, Configuration, Scalar and Miscellaneous Units are never late");
    ok(!fly(THREAD, TT(SFPLOADMACRO)), "nor is SFPLOADMACRO");
    ok(!fly(THREAD, TT(MOVD2A)) && !fly(THREAD, TT(INCRWC)) &&
       !fly(THREAD, TT(ZEROACC)), "nor is what moves RWCs in another way");
    f.core.s.macro.active = 1;
    ok(!fly(THREAD, TT(SFPNOP)) && !fly(THREAD, TT(PACR)),
       "nor anything while it counts cycles");
    f.core.s.macro.active = 0;
    f.core.s.src_client[TENSIX_SRCB][0] = TENSIX_CLIENT_UNPACKERS;
    ok(!fly(THREAD, TT(MVMUL)), "nor what would wait for SrcB at the gate");
    f.core.s.src_client[TENSIX_SRCA][1] = TENSIX_CLIENT_MATRIX_UNIT;
    ok(!fly(THREAD, TT(UNPACR)) &&
       fly(THREAD, TT(UNPACR, .Unpack_block_selection = TO_SRCB)),
       "nor an UNPACR that would");
    ok(!fly(THREAD, TT(UNPACR, .Unpack_block_selection = TO_SRCB)),
       "nor one after another: the bank may be another one then");

    start();
    ok(fly(THREAD, TT(MVMUL, .clear_dvalid = 1)) && !fly(THREAD, TT(MVMUL)),
       "nothing flies after what gives a bank back");
    start();
    for (unsigned n = 0; n < TENSIX_FLIGHT_DEPTH; n++) {
        ok(fly(THREAD, TT(PACR)), "PACR %u", n);
    }
    ok(!fly(THREAD, TT(PACR)), "four at most");
}

/* What may overtake what; the numbers are threads, NONE: continue. */
static void test_overtaking(void)
{
    enum { NONE = TENSIX_THREADS };
    const struct {
        uint32_t first, then, by, wanted;
        const char *name;
    } rows[] = {
        { TT(MVMUL), TT(SEMPOST), THREAD, NONE, "SEMPOST overtakes MVMUL" },
        { TT(PACR), TT(SEMGET), THREAD, NONE, "SEMGET overtakes PACR" },
        { TT(PACR), TT(ZEROACC), THREAD, NONE, "ZEROACC overtakes PACR" },
        { TT(MVMUL), TT(PACR), THREAD, NONE, "PACR overtakes MVMUL" },
        { TT(UNPACR), TT(PACR), THREAD, NONE, "PACR overtakes UNPACR" },
        { TT(MVMUL), TT(STALLWAIT), THREAD, NONE, "STALLWAIT is latched" },
        { TT(MVMUL), TT(MVMUL), THREAD, THREAD, "MVMUL, MVMUL" },
        { TT(MVMUL), TT(SFPLOAD), THREAD, NONE, "SFPLOAD overtakes MVMUL" },
        { TT(SFPSTORE), TT(MVMUL), THREAD, NONE, "MVMUL overtakes SFPSTORE" },
        { TT(SFPSTORE), TT(INCRWC), THREAD, NONE, "INCRWC overtakes SFPSTORE" },
        { TT(MVMUL), TT(SETRWC), THREAD, NONE, "SETRWC overtakes MVMUL" },
        { TT(XMOV), TT(SEMPOST), THREAD, NONE, "SEMPOST overtakes XMOV" },
        { TT(XMOV), TT(PACR), THREAD, NONE, "PACR overtakes XMOV" },
        { TT(MVMUL), TT(SETRWC, .clear_ab_vld = 1), THREAD, THREAD,
          "MVMUL, SETRWC that gives a bank back" },
        { TT(MVMUL), TT(MOVD2A), THREAD, THREAD, "MVMUL, MOVD2A" },
        { TT(SFPLOAD), TT(SHIFTXB), THREAD, THREAD, "SFPLOAD, SHIFTXB" },
        { TT(MVMUL), TT(SFPCONFIG), THREAD, THREAD, "MVMUL, SFPCONFIG" },
        { TT(XMOV), TT(XMOV), THREAD, THREAD, "XMOV, XMOV" },
        { TT(XMOV), TT(XMOV), OTHER, THREAD, "another thread's XMOV" },
        { TT(PACR), TT(WRCFG), THREAD, THREAD, "PACR, WRCFG" },
        { TT(PACR), TT(SETADCXY), THREAD, THREAD, "PACR, SETADCXY" },
        { TT(PACR), TT(SETDMAREG), THREAD, NONE, "SETDMAREG overtakes PACR" },
        { TT(PACR), TT(LOADIND), THREAD, THREAD, "PACR, LOADIND" },
        { TT(MVMUL), TT(ZEROACC), OTHER, THREAD, "another thread's ZEROACC" },
        { TT(MVMUL), TT(SFPLOAD), OTHER, NONE, "another thread's SFPLOAD" },
        { TT(MVMUL), TT(WRCFG), OTHER, NONE, "another thread's WRCFG" },
    };

    for (unsigned n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        start();
        fly(THREAD, rows[n].first);
        ok_eq(in_the_way(rows[n].by, rows[n].then), rows[n].wanted, "%s",
              rows[n].name);
    }
    start();
    fly(THREAD, TT(MVMUL));
    f.core.s.order.cycle = READ_AFTER - 1;
    ok_eq(in_the_way(THREAD, TT(SFPLOAD)), NONE,
          "SFPLOAD three cycles later overtakes MVMUL");
    f.core.s.order.cycle = READ_AFTER;
    ok_eq(in_the_way(THREAD, TT(SFPLOAD)), THREAD,
          "with three instructions between them it does not");
    start();
    fly(THREAD, TT(SFPSTORE));
    f.core.s.order.cycle = READ_AFTER;
    ok_eq(in_the_way(THREAD, TT(MVMUL)), THREAD, "nor does MVMUL SFPSTORE");
    start();
    fly(THREAD, TT(PACR));
    ok(fly(THREAD, TT(SETADCXY)), "SETADCXY flies after PACR");
    ok_eq(in_the_way(THREAD, TT(ZEROACC)), THREAD,
          "and ZEROACC does not overtake it");
    ok_eq(in_the_way(THREAD, TT(SEMGET)), NONE, "but SEMGET does");
}

/* Counters move with the issue; what flies keeps those that it found. */
static void test_rwcs(void)
{
    const TensixRwc *rwc = &f.core.s.rwc[THREAD];

    start();
    set_addr_mods();
    fly(THREAD, TT(MVMUL, .addr_mode = 1));
    ok(rwc->Dst == 8 && rwc->SrcB == 8, "MVMUL under way has moved RWCs");
    fly(THREAD, TT(SETRWC, .BitMask = 4, .rwc_d = 3, .clear_ab_vld = 1));
    ok_eq(rwc->Dst, 3, "so has SETRWC");
    ok_eq(f.core.s.matrix_bank[TENSIX_SRCA], 0,
          "but it has no bank given back");
    fly(OTHER, TT(SFPSTORE, .sfpu_addr_mode = 1));
    f.core.s.dst_row_valid[8] = 0;
    tensix_flight_land_all(&f.core);
    ok(f.core.s.dst_row_valid[0] && !f.core.s.dst_row_valid[8],
       "MVMUL writes where it found them");
    ok(rwc->Dst == 3 && rwc->SrcB == 8, "and leaves them where they are");
    ok_eq(f.core.s.matrix_bank[TENSIX_SRCA], 1, "then the bank is given back");
    ok(!f.core.s.thread[THREAD].flight.count &&
       !f.core.s.thread[OTHER].flight.count, "all have landed");
}

/* STALLWAIT for a bank asks about the one after what is under way. */
static void test_wait_for_bank(void)
{
    enum { WAIT_SRCA = 1 << 7 };
    TensixGate *g = &f.core.s.thread[THREAD].gate;

    start();
    f.core.s.src_client[TENSIX_SRCA][1] = TENSIX_CLIENT_MATRIX_UNIT;
    g->opcode = TENSIX_OP_STALLWAIT;
    g->condition_mask = WAIT_SRCA;
    fly(THREAD, TT(SETRWC, .clear_ab_vld = 1));
    ok(tensix_gate_wait_holds(&f.core, THREAD),
       "STALLWAIT SRCA_VLD waits for SETRWC that changes the bank");
    tensix_flight_land_all(&f.core);
    ok(!tensix_gate_wait_holds(&f.core, THREAD), "and for nothing more");
}

/* What SFPLOADMACRO has scheduled counts cycles: nothing is late meanwhile. */
static void test_macro(void)
{
    TensixInsn i = insn(THREAD, TT(ELWADD));

    start();
    tensix_set_macro_active(&f.core, true);
    ok(!tensix_flight_start(&f.core, &i, DUE), "nothing flies beside a macro");
    tensix_set_macro_active(&f.core, false);
    ok(tensix_flight_start(&f.core, &i, DUE), "and after it ELWADD does");
}

/* A hart's store finds no instruction of before under way. */
static void test_configure(void)
{
    start();
    fly(THREAD, TT(PACR));
    tensix_cfg_write(&f.core, 0, 0);
    ok(!f.core.s.thread[THREAD].flight.count,
       "PACR has landed before a hart's store to configuration");
    start();
    fly(THREAD, TT(XMOV));
    tensix_move(&f.core, &(TensixMove) { .mode = TENSIX_MOVE_L1_TO_L1 });
    ok(!f.core.s.thread[THREAD].flight.count,
       "XMOV has landed before TDMA-RISC's move");
}

static void test_reset(void)
{
    static TensixState saved;

    start();
    fly(THREAD, TT(SFPSTORE));
    tensix_soft_reset(&f.core, RESET_FPU_SFPU);
    ok(!tensix_flight_finish(&f.core, THREAD), "soft reset holds its unit");
    tensix_soft_reset(&f.core, 0);
    saved = f.core.s;
    ok(tensix_state_valid(&saved), "a snapshot is valid");
    ok(tensix_flight_finish(&f.core, THREAD), "and it continues");
    saved.thread[THREAD].flight.insn[0].origin.hart = 99;
    ok(!tensix_state_valid(&saved), "origins are checked");
    saved = f.core.s;
    saved.thread[THREAD].flight.count = TENSIX_FLIGHT_DEPTH + 1;
    ok(!tensix_state_valid(&saved), "their number is checked");
    saved = f.core.s;
    saved.order.mood[TENSIX_UNIT_MATRIX] = TENSIX_MOODS;
    ok(!tensix_state_valid(&saved), "moods are checked");
}

/*
 * One of the instructions of a thread that need no STALLWAIT between them: the
 * Vector Unit has the upper half of Dst.
 */
static uint32_t any_word(void)
{
    uint32_t r = fixture_random(&f), address = 512 + (r >> 8 & 62);

    switch (r % 12) {
    case 0:
        return TT(MVMUL, .dst = r >> 8 & 56, .addr_mode = r >> 28 & 3);
    case 1:
        return TT(INCRWC, .rwc_d = r >> 8 & 4, .rwc_b = r >> 16 & 8);
    case 2:
        return TT(SFPLOAD, .instr_mod0 = TENSIX_FMT_BF16,
                  .lreg_ind = r >> 28 & 3, .sfpu_addr_mode = r >> 26 & 3,
                  .dest_reg_addr = address);
    case 3:
        return TT(SFPSTORE, .instr_mod0 = TENSIX_FMT_BF16,
                  .lreg_ind = r >> 28 & 3, .sfpu_addr_mode = r >> 26 & 3,
                  .dest_reg_addr = address);
    case 4:
        return TT(SFPIADD, .lreg_dest = r >> 28 & 3, .lreg_c = r >> 30,
                  .imm12_math = r >> 8 & 255, .instr_mod1 = CC_NONE);
    case 5:
        return TT(INCADCXY, .CntSetMask = 7, .Ch0_X = r >> 8 & 7);
    case 6:
        return TT(SETC16, .setc16_reg = 1, .setc16_value = r >> 8 & 128);
    case 7:
        return TT(SETRWC, .BitMask = r >> 28 & 15, .rwc_d = r >> 8 & 8);
    case 8:
        return TT(ELWADD, .dst = r >> 8 & 56, .addr_mode = r >> 28 & 3);
    case 9:
        return TT(MOVD2A, .src = r >> 8 & 48, .instr_mod = 2,
                  .addr_mode = r >> 28 & 3, .dst = r >> 20 & 12);
    case 10:
        return TT(ZEROACC, .clear_mode = 1, .where = r >> 8 & 7,
                  .addr_mode = r >> 28 & 3);
    default:
        return TT(ADDDMAREG, .OpBisConst = 1, .OpBRegIndex = r >> 8 & 63);
    }
}

static void fill_src(void)
{
    for (unsigned n = 0; n < TENSIX_SRC_ROWS * TENSIX_COLUMNS; n++) {
        f.core.s.src[0][0][n / 16][n % 16] = (n * 7 & 0x7f) << 11 | 127;
        f.core.s.src[1][0][n / 16][n % 16] = (n * 5 & 0x7f) << 11 | 126;
    }
    tensix_state_loaded(&f.core);
}

/* The same program at once, and with a seed: true if the same state comes. */
static bool same_alone(uint64_t seed)
{
    static TensixState want;
    uint32_t words[STEPS];

    start();
    f.random_state = seed;
    for (unsigned n = 0; n < STEPS; n++) {
        words[n] = any_word();
    }
    for (unsigned pass = 0; pass < 2; pass++) {
        start();
        set_addr_mods();
        fill_src();
        tensix_set_schedule(&f.core, pass ? seed : 0);
        for (unsigned n = 0; n < STEPS; n++) {
            while (!fixture_push(&f, THREAD, words[n])) {
                tensix_run(&f.core, 1);
            }
        }
        while (tensix_run(&f.core, 100)) {
            continue;
        }
        f.core.s.order = (TensixOrder) { 0 };
        memset(f.core.s.thread, 0, sizeof(f.core.s.thread));
        if (!pass) {
            want = f.core.s;
        }
    }
    return !memcmp(&want, &f.core.s, sizeof(want));
}

static void test_alone(void)
{
    unsigned wrong = 0;

    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        wrong += !same_alone(seed);
    }
    ok_eq(wrong, 0, "a thread alone finds all in order, %u seeds", SEEDS);
}

int main(void)
{
    test_wait_reason();
    test_landing();
    test_order_of_landing();
    test_never();
    test_overtaking();
    test_rwcs();
    test_wait_for_bank();
    test_macro();
    test_configure();
    test_reset();
    test_alone();
    return done_testing();
}
