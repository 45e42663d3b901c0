/*
 * Observers: breaks, watches, last writers; and that nothing is missed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "core-fixture.h"
#include "config/config.h"
#include "frontend/frontend.h"
#include "num/num.h"
#include "observe/observe.h"
#include "tap.h"
#include "tensix_soft_reset.h"

enum {
    PC = 0x1000,                   /* fixture_push()'s */
    MAX_HITS = 64, ROUNDS = 60, WORDS = 300, STOPS = 42,
    SRC_HELD = TENSIX_SRC_ROWS,    /* first cell of bank 1 */
    L1_PLACE = 0x4000,
    WORD_BITS = 0xff000000u,
    ALL_BLOCKS = 0x1ff, MATH_AT_WORK = 1 << 4,
};

static const TensixOrigin origin = { PC, TENSIX_HART_BRISC };
static CoreFixture f, plain;
static TensixObserver observer;
static TensixHit hits[MAX_HITS];
static unsigned hit_count;

static void take_hit(void *opaque, const TensixHit *hit)
{
    if (hit_count < MAX_HITS) {
        hits[hit_count] = *hit;
    }
    hit_count++;
}

static void read_l1(void *opaque, const TensixL1Access *access)
{
    tensix_observe_l1(&observer, access);
}

static void observe(CoreFixture *fixture)
{
    memset(&observer, 0, sizeof(observer));
    observer.hit = take_hit;
    observer.read_l1 = read_l1;
    hit_count = 0;
    tensix_set_observer(&fixture->core, &observer);
}

/* A core whose matrix banks are the Matrix Unit's, and nothing held. */
static void start(void)
{
    fixture_init(&f);
    fixture_give_src(&f, TENSIX_FMT_BF16);
    f.core.s.vu.use_lane_flags = 0;
    observe(&f);
}

static void watch(TensixSpace space, uint32_t first, uint32_t count)
{
    observer.watches[observer.watch_count++] = (TensixWatch) {
        .id = 7, .space = space, .first = first, .count = count,
        .accesses = TENSIX_WATCH_WRITE,
    };
    tensix_observer_changed(&f.core);
}

static void break_at(uint32_t threads, uint32_t mask, uint32_t value)
{
    observer.breaks[observer.break_count++] = (TensixBreak) {
        .id = 9, .threads = threads, .mask = mask, .value = value,
    };
    tensix_observer_changed(&f.core);
}

static void resume(void)
{
    tensix_observe_resume(&f.core);
    while (tensix_run(&f.core, TENSIX_ENTRY_BUDGET) && !observer.stopping) {
        continue;
    }
}

/* --- nothing is missed, and nothing is different --- */

static void start_random(CoreFixture *fixture, uint64_t seed)
{
    fixture_init(fixture);
    fixture->random_state = seed;
    fixture_randomise(fixture);
    for (uint32_t n = 0; n < FIXTURE_L1_SIZE; n++) {
        fixture->l1[n] = fixture_random(fixture);
    }
    for (uint32_t row = 0; row < TENSIX_DST_ROWS; row++) {
        fixture->core.s.dst_row_valid[row] = fixture_random(fixture) & 1;
    }
    tensix_state_loaded(&fixture->core);
}

/* The mnemonic that wrote what it did not note, or NULL. */
static const char *missed_in(uint64_t seed)
{
    start_random(&f, seed);
    start_random(&plain, seed);
    tensix_set_isa(&f.core, seed % TENSIX_ISAS);   /* or the host's best */
    observe(&f);
    for (unsigned n = 0; n < WORDS; n++) {
        uint32_t word = fixture_random_word(&f), thread = n % TENSIX_THREADS;

        fixture_execute(&f, origin, thread, word);
        fixture_execute(&plain, origin, thread, word);
        if (tensix_observe_missed(&f.core) != UINT32_MAX) {
            diag("cell 0x%x", (unsigned)tensix_observe_missed(&f.core));
            return tensix_insns[word >> 24].mnemonic;
        }
    }
    return NULL;
}

static void test_nothing_missed(void)
{
    const char *missed = NULL;
    bool same = true;

    for (unsigned n = 0; n < ROUNDS && !missed && same; n++) {
        missed = missed_in(n);
        same = !memcmp(&f.core.s, &plain.core.s, sizeof(f.core.s)) &&
               !memcmp(f.l1, plain.l1, sizeof(f.l1));
    }
    ok(!missed, "each instruction notes what it writes%s%s",
       missed ? ": not " : "", missed ? missed : "");
    ok(same, "an observed core does what any other does");
}

/*
 * SFPLOADMACRO, and three cycles later its SFPMAD: a SFPNOP ends what another
 * instruction has begun.
 */
static void test_macro(void)
{
    const uint32_t sequence = (4 | 3 << 3) << 8;
    const uint32_t words[] = {
        TT(SFPMAD, .lreg_dest = 12, .lreg_src_a = 10, .lreg_src_b = 10,
           .lreg_src_c = 10),
        TT(SFPLOADI, .instr_mod0 = 10, .imm16 = sequence),
        TT(SFPLOADI, .instr_mod0 = 8), TT(SFPCONFIG, .config_dest = 4),
        TT(SFPLOADMACRO, .instr_mod0 = 2),
        TT(SFPNOP), TT(SFPNOP), TT(SFPNOP), TT(SFPNOP), TT(SFPNOP), TT(SFPNOP),
    };
    static uint32_t before[TENSIX_LREGS][TENSIX_LANES];
    uint32_t missed = UINT32_MAX, last_change = 0;

    start();
    for (uint32_t n = 0; n < sizeof(words) / sizeof(words[0]); n++) {
        memcpy(before, f.core.s.vu.lreg, sizeof(before));
        fixture_execute(&f, origin, 1, words[n]);
        if (tensix_observe_missed(&f.core) != UINT32_MAX) {
            missed = n;
        }
        if (memcmp(before, f.core.s.vu.lreg, sizeof(before))) {
            last_change = n;
        }
    }
    ok(words[last_change] == TT(SFPNOP), "the macro's SFPMAD ends in a SFPNOP");
    ok_eq(missed, UINT32_MAX, "and is not missed there");
}

/* --- each kind of target by each writer --- */

typedef struct Target {
    const char *name;
    TensixSpace space;
    uint32_t first, count;         /* what is watched */
    uint32_t index;                /* what is written first */
    uint32_t word;
    void (*prepare)(void);
} Target;

static void give_to_unpackers(void)
{
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        f.core.s.src_client[src][1] = TENSIX_CLIENT_UNPACKERS;
    }
}

static void fill_gpr(void)
{
    f.core.s.gpr[1][4] = L1_PLACE / 16;
    f.core.s.gpr[1][8] = 0x12345678;
    f.core.s.gpr[1][12] = 0;
}

static void fill_lreg(void)
{
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        f.core.s.vu.lreg[3][lane] = 0x3f800000 + lane;
    }
}

static void prepare_xmov(void)
{
    uint32_t *cfg = f.core.s.cfg[0];

    cfg[CFG_THCON_SEC0_REG6_Destination_address_WORD] |=
        L1_PLACE / 16 << CFG_THCON_SEC0_REG6_Destination_address_LOW;
    cfg[CFG_THCON_SEC0_REG6_Buffer_size_WORD] |=
        4 << CFG_THCON_SEC0_REG6_Buffer_size_LOW;
    cfg[CFG_THCON_SEC0_REG6_Transfer_direction_WORD] |=
        (uint32_t)TENSIX_MOVE_L1_TO_L1 <<
        CFG_THCON_SEC0_REG6_Transfer_direction_LOW;
    f.l1[0] = 0x55;
}

static void try_target(const Target *t)
{
    const TensixHit *hit = &hits[0];

    start();
    if (t->prepare) {
        t->prepare();
        tensix_state_loaded(&f.core);
    }
    f.core.signals.backlog = false;
    watch(t->space, t->first, t->count);
    fixture_push(&f, 1, t->word);
    if (!ok_eq(hit_count, 1, "%s: one hit", t->name)) {
        return;
    }
    ok_eq(hit->id, 7, "%s: its number", t->name);
    ok(hit->space == t->space && hit->index == t->index,
       "%s: cell %u is %u", t->name, (unsigned)hit->index, (unsigned)t->index);
    ok(hit->by.kind == TENSIX_BY_INSTRUCTION && hit->by.word == t->word &&
           hit->by.pc == PC && hit->by.hart == TENSIX_HART_BRISC &&
           hit->by.thread == 1 && hit->by.mop_position == TENSIX_NO_POSITION,
       "%s: the writer", t->name);
    if (t->space != TENSIX_SPACE_L1) {
        ok_eq(tensix_observe_writer(&observer, t->space, t->index).word,
              t->word, "%s: and it is the last one", t->name);
    }
    ok(observer.stopping, "%s: it stops", t->name);
}

static void test_rows(void)
{
    const Target targets[] = {
        { "Dest by ELWADD", TENSIX_SPACE_DST, 4, 1, 4, TT(ELWADD), NULL },
        { "Dest by MVMUL, which adds nothing", TENSIX_SPACE_DST, 4, 100, 4,
          TT(MVMUL), NULL },
        { "Dest by MOVA2D", TENSIX_SPACE_DST, 8, 8, 8,
          TT(MOVA2D, .dst = 8, .instr_mod = 2), NULL },
        { "Dest by ZEROACC", TENSIX_SPACE_DST, 20, 8, 20,
          TT(ZEROACC, .clear_mode = 1, .where = 1), NULL },
        { "Dest by SFPSTORE", TENSIX_SPACE_DST, 16, 2, 16,
          TT(SFPSTORE, .lreg_ind = 3, .instr_mod0 = 2, .dest_reg_addr = 16),
          fill_lreg },
        { "SrcA by ZEROSRC", TENSIX_SPACE_SRCA, SRC_HELD + 3, 1, SRC_HELD + 3,
          TT(ZEROSRC, .src_mask = 1), give_to_unpackers },
        { "SrcB by UNPACR_NOP", TENSIX_SPACE_SRCB, SRC_HELD, 64, SRC_HELD,
          TT(UNPACR_NOP, .Unpacker_Select = 1, .Unpack_Pop = 1,
             .Stall_Clr_Cntrl = 1), give_to_unpackers },
        { "SrcA by MOVD2A", TENSIX_SPACE_SRCA, 5, 1, 5, TT(MOVD2A, .src = 5), NULL },
        { "SrcB by TRNSPSRCB", TENSIX_SPACE_SRCB, 0, 64, 16, TT(TRNSPSRCB), NULL },
    };

    for (size_t n = 0; n < sizeof(targets) / sizeof(targets[0]); n++) {
        try_target(&targets[n]);
    }
}

static void test_words(void)
{
    const Target targets[] = {
        { "LReg by SFPLOADI", TENSIX_SPACE_LREG, 2, 1, 2,
          TT(SFPLOADI, .lreg_ind = 2, .imm16 = 0x3f80), NULL },
        { "LReg by SFPMOV of the same", TENSIX_SPACE_LREG, 3, 1, 3,
          TT(SFPMOV, .lreg_dest = 3, .lreg_c = 3), NULL },
        { "LReg constant by SFPCONFIG", TENSIX_SPACE_LREG, 11, 1, 11,
          TT(SFPCONFIG, .config_dest = 11), fill_lreg },
        { "GPR by SETDMAREG", TENSIX_SPACE_GPR, TENSIX_GPRS + 5, 1, TENSIX_GPRS + 5,
          TT(SETDMAREG, .RegIndex16b = 10, .Payload_SigSel = 0x77), NULL },
        { "Config by RMWCIB", TENSIX_SPACE_CONFIG, 0, 10, 3,
          TT(RMWCIB0, .CfgRegAddr = 3, .Mask = 0xff, .Data = 0x5a), NULL },
        { "Config by WRCFG", TENSIX_SPACE_CONFIG, 3, 1, 3,
          TT(WRCFG, .CfgReg = 3, .GprAddress = 8), fill_gpr },
        { "ThreadConfig by SETC16", TENSIX_SPACE_THREAD_CONFIG,
          TENSIX_THREAD_CFG_WORDS + 1, 1, TENSIX_THREAD_CFG_WORDS + 1,
          TT(SETC16, .setc16_reg = 1, .setc16_value = 512), NULL },
        { "semaphore by SEMINIT", TENSIX_SPACE_SEMAPHORE, 0, 8, 3,
          TT(SEMINIT, .sem_sel = 1 << 3, .max_value = 4, .init_value = 1), NULL },
        { "mutex by ATGETM", TENSIX_SPACE_MUTEX, 2, 1, 2,
          TT(ATGETM, .mutex_index = 2), NULL },
        { "L1 by STOREIND", TENSIX_SPACE_L1, L1_PLACE, 4, L1_PLACE,
          TT(STOREIND, .MemHierSel = 1, .SizeSel = 1, .RegSizeSel = 0,
             .DataRegIndex = 8, .AddrRegIndex = 4), fill_gpr },
        { "L1 by ATINCGET", TENSIX_SPACE_L1, L1_PLACE, 4, L1_PLACE,
          TT(ATINCGET, .WrapVal = 31, .DataRegIndex = 8, .AddrRegIndex = 4),
          fill_gpr },
        { "L1 by XMOV", TENSIX_SPACE_L1, L1_PLACE, 64, L1_PLACE, TT(XMOV),
          prepare_xmov },
    };

    for (size_t n = 0; n < sizeof(targets) / sizeof(targets[0]); n++) {
        try_target(&targets[n]);
    }
}

/* What is not watched stops no hart, but has its writer. */
static void test_elsewhere(void)
{
    start();
    watch(TENSIX_SPACE_DST, 100, 4);
    fixture_push(&f, 1, TT(ELWADD));
    ok_eq(hit_count, 0, "rows beside the watched ones");
    ok_eq(tensix_observe_writer(&observer, TENSIX_SPACE_DST, 3).word,
          TT(ELWADD), "have a writer");
    ok_eq(tensix_observe_writer(&observer, TENSIX_SPACE_DST, 9).event, 0,
          "and others none");
}

/* --- writers that are no instructions --- */

static void write_config(void)
{
    tensix_cfg_write(&f.core, 3 * sizeof(uint32_t), 0x99);
}

static void write_gpr(void)
{
    f.core.s.gpr[1][5] = 0x1234;
    tensix_observe_compare(&f.core, 1 << TENSIX_SPACE_GPR);
}

static void write_semaphore(void)
{
    tensix_semaphore_write(&f.core, 3, 0, (TensixOrigin) { 0 });
}

static void write_dest(void)
{
    uint32_t value = 0x3f800000;

    tensix_dest_window_write(&f.core, 1, 0, &value, sizeof(value));
}

static void soft_reset(void)
{
    f.core.s.src[TENSIX_SRCB][0][0][0] = 1;
    tensix_observe_restart(&f.core);
    tensix_soft_reset(&f.core, RESET_SRCB);
}

static void move_config(void)
{
    const TensixMove m = {
        .destination = 0, .count = 16, .mode = TENSIX_MOVE_L1_TO_L0,
    };

    f.l1[12] = 1;
    tensix_move(&f.core, &m);
}

static void write_l1(void)
{
    const TensixMove m = {
        .destination = L1_PLACE, .count = 16, .mode = TENSIX_MOVE_L0_TO_L1,
    };

    tensix_move(&f.core, &m);
}

static void test_harts(void)
{
    static const struct {
        const char *name;
        TensixAgent kind;
        TensixSpace space;
        uint32_t index;
        void (*write)(void);
    } rows[] = {
        { "a hart's store to Config", TENSIX_BY_HART, TENSIX_SPACE_CONFIG, 3,
          write_config },
        { "a hart's store to a GPR", TENSIX_BY_HART, TENSIX_SPACE_GPR,
          TENSIX_GPRS + 5, write_gpr },
        { "a hart's SEMPOST", TENSIX_BY_HART, TENSIX_SPACE_SEMAPHORE, 3,
          write_semaphore },
        { "a hart's store to Dest", TENSIX_BY_HART, TENSIX_SPACE_DST, 0,
          write_dest },
        { "a hart's soft reset", TENSIX_BY_HART, TENSIX_SPACE_SRCB, 0,
          soft_reset },
        { "TDMA's move to Config", TENSIX_BY_HART, TENSIX_SPACE_CONFIG, 3,
          move_config },
        { "TDMA's move to L1", TENSIX_BY_HART, TENSIX_SPACE_L1, L1_PLACE,
          write_l1 },
    };

    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        start();
        watch(rows[n].space, rows[n].index, 1);
        tensix_observe_begin(&f.core, (TensixActor) {
            .kind = rows[n].kind, .hart = TENSIX_HART_TRISC1, .pc = 0x6000,
        });
        rows[n].write();
        tensix_observe_end(&f.core);
        ok(hit_count == 1 && hits[0].by.kind == rows[n].kind &&
               hits[0].by.hart == TENSIX_HART_TRISC1 && hits[0].by.pc == 0x6000,
           "%s", rows[n].name);
    }
}

/* The NoC and the host write L1 without the core. */
static void test_l1_by_others(void)
{
    static const uint8_t data[32] = { 1, 2, 3 };
    const TensixActor noc = { .kind = TENSIX_BY_NOC, .event = 1 };
    TensixL1Access access = {
        .by = &noc, .accesses = TENSIX_WATCH_WRITE, .address = L1_PLACE - 32,
        .size = 32, .new = data,
    };

    start();
    watch(TENSIX_SPACE_L1, L1_PLACE + 16, 4);
    tensix_observe_l1(&observer, &access);
    ok_eq(hit_count, 0, "a write before the watched bytes");
    access.address = L1_PLACE;
    access.old = f.l1;
    tensix_observe_l1(&observer, &access);
    ok(hit_count == 1 && hits[0].index == L1_PLACE + 16 && hits[0].size == 4 &&
           hits[0].by.kind == TENSIX_BY_NOC,
       "the watched part of a longer write");
}

/* --- instructions with their accesses --- */

static unsigned executions;
static uint8_t first_opcode, agent;
static bool reads_srca, reads_lreg, writes_dst, writes_next, writes_config;
static TensixSpace watched_space;
static uint32_t watched_cell;
static bool writes_watched;

static void record_execution(void *opaque, const TensixExecuted *e)
{
    executions++;
    first_opcode = e->insn ? e->insn->word >> 24 : 0;
    agent = e->by->kind;
    reads_srca = tensix_executed_reads(e, TENSIX_SPACE_SRCA, 0);
    reads_lreg = tensix_executed_reads(e, TENSIX_SPACE_LREG, 1);
    writes_dst = tensix_executed_writes(e, TENSIX_SPACE_DST, 0);
    writes_next = tensix_executed_writes(e, TENSIX_SPACE_DST, 512);
    writes_config = tensix_executed_writes(e, TENSIX_SPACE_CONFIG, 3);
    writes_watched = tensix_executed_writes(e, watched_space, watched_cell);
}

/* Is the cell written by the word, the second time that it is pushed? */
static bool writes_again(TensixSpace space, uint32_t cell, uint32_t word)
{
    fixture_push(&f, 1, word);
    watched_space = space;
    watched_cell = cell;
    writes_watched = false;
    fixture_push(&f, 1, word);
    return writes_watched;
}

/* What an instruction writes without a change is written all the same. */
static void test_written_again(void)
{
    const struct {
        const char *name;
        TensixSpace space;
        uint32_t cell, word;
    } cases[] = {
        { "SETDMAREG", TENSIX_SPACE_GPR, TENSIX_GPRS + 5,
          TT(SETDMAREG, .RegIndex16b = 11, .Payload_SigSel = 3) },
        { "ADDDMAREG", TENSIX_SPACE_GPR, TENSIX_GPRS + 7,
          TT(ADDDMAREG, .ResultRegIndex = 7, .OpBisConst = 1) },
        { "RDCFG", TENSIX_SPACE_GPR, TENSIX_GPRS + 9,
          TT(RDCFG, .GprAddress = 9, .CfgReg = 3) },
        { "WRCFG", TENSIX_SPACE_CONFIG, 3,
          TT(WRCFG, .CfgReg = 3, .GprAddress = 1) },
        { "WRCFG of 128 bits", TENSIX_SPACE_CONFIG, 71,
          TT(WRCFG, .CfgReg = 68, .wr128b = 1) },
        { "RMWCIB", TENSIX_SPACE_CONFIG, 3,
          TT(RMWCIB1, .CfgRegAddr = 3, .Mask = 1, .Data = 1) },
        { "REG2FLOP", TENSIX_SPACE_CONFIG, TENSIX_CFG_THCON_BASE + 2,
          TT(REG2FLOP, .FlopIndex = 2, .RegIndex = 1, .SizeSel = 1) },
        { "SETC16", TENSIX_SPACE_THREAD_CONFIG, TENSIX_THREAD_CFG_WORDS + 4,
          TT(SETC16, .setc16_reg = 4, .setc16_value = 9) },
        { "SEMINIT", TENSIX_SPACE_SEMAPHORE, 2,
          TT(SEMINIT, .sem_sel = 4, .max_value = 2) },
        { "SEMGET at 0", TENSIX_SPACE_SEMAPHORE, 3, TT(SEMGET, .sem_sel = 8) },
        { "ATGETM", TENSIX_SPACE_MUTEX, 3, TT(ATGETM, .mutex_index = 3) },
    };

    start();
    observer.executed = record_execution;
    for (unsigned n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
        ok(writes_again(cases[n].space, cases[n].cell, cases[n].word),
           "%s writes what is there already", cases[n].name);
    }
}

static uint64_t changed_gprs(const uint32_t *before, const uint32_t *after)
{
    uint64_t changed = 0;

    for (unsigned n = 0; n < TENSIX_GPRS; n++) {
        changed |= (uint64_t)(before[n] != after[n]) << n;
    }
    return changed;
}

/* The rows of the instructions against what random words change. */
static void test_gprs_of_rows(void)
{
    const char *wrong = NULL;
    uint64_t changes = 0;

    for (unsigned round = 0; round < ROUNDS && !wrong; round++) {
        start_random(&f, round);
        for (unsigned n = 0; n < WORDS && !wrong; n++) {
            uint32_t before[TENSIX_GPRS], word = fixture_random_word(&f);
            uint64_t changed;

            memcpy(before, f.core.s.gpr[1], sizeof(before));
            fixture_execute(&f, origin, 1, word);
            changed = changed_gprs(before, f.core.s.gpr[1]);
            changes |= changed;
            if (changed & ~tensix_insn_gprs_written(word)) {
                wrong = tensix_insns[word >> 24].mnemonic;
            }
        }
    }
    ok(!wrong && changes == UINT64_MAX, "rows name the GPRs that change%s%s",
       wrong ? ": not " : "", wrong ? wrong : "");
}

static void test_executed(void)
{
    const TensixActor hart = { .kind = TENSIX_BY_HART, .event = 1 };

    start();
    executions = 0;
    observer.executed = record_execution;
    f.core.s.src_client[TENSIX_SRCB][0] = TENSIX_CLIENT_MATRIX_UNIT;
    fixture_push(&f, 1, TT(ELWADD));
    ok(executions == 1 && first_opcode == TENSIX_OP_ELWADD, "ELWADD");
    ok(reads_srca && writes_dst && !writes_next && !writes_config,
       "it reads SrcA and writes Dst");
    fixture_push(&f, 1, TT(RMWCIB0, .CfgRegAddr = 3, .Mask = 1, .Data = 1));
    ok(writes_config && !writes_dst && !reads_srca, "RMWCIB writes a word");
    fixture_push(&f, 1, TT(SFPMOV, .lreg_c = 1, .lreg_dest = 2));
    ok(reads_lreg && !writes_config, "SFPMOV reads its LReg");
    f.core.s.src_client[TENSIX_SRCA][0] = TENSIX_CLIENT_UNPACKERS;
    executions = 0;
    fixture_push(&f, 1, TT(ELWADD));
    ok_eq(executions, 0, "an instruction that waits has not been executed");
    tensix_observe_begin(&f.core, hart);
    tensix_observe_end(&f.core);
    ok_eq(executions, 0, "a hart that changes nothing");
    tensix_observe_begin(&f.core, hart);
    tensix_cfg_write(&f.core, 3 * 4, 77);
    tensix_observe_end(&f.core);
    ok(executions == 1 && agent == TENSIX_BY_HART && writes_config,
       "a hart that writes a word of configuration");
    tensix_observe_begin(&f.core, hart);
    fixture_execute(&f, origin, 1, TT(SETDMAREG, .RegIndex16b = 3));
    executions = 0;
    tensix_cfg_write(&f.core, 3 * 4, 78);
    tensix_observe_end(&f.core);
    ok(executions == 1 && agent == TENSIX_BY_HART && writes_config,
       "and one that does so after an instruction");
}

/* --- old and new --- */

static void test_values(void)
{
    uint32_t old, new;

    start();
    f.core.s.cfg[0][3] = 0x11223344;
    tensix_state_loaded(&f.core);
    watch(TENSIX_SPACE_CONFIG, 3, 1);
    fixture_push(&f, 1, TT(RMWCIB0, .CfgRegAddr = 3, .Mask = 0xff, .Data = 0x5a));
    memcpy(&old, hits[0].old, sizeof(old));
    memcpy(&new, hits[0].new, sizeof(new));
    ok_eq(old, 0x11223344, "the old value");
    ok_eq(new, 0x1122335a, "the new value");
    start();
    watch(TENSIX_SPACE_DST, 16, 1);
    fixture_push(&f, 1, TT(ZEROACC, .clear_mode = 1, .where = 1));
    ok(hits[0].was_valid && !hits[0].is_valid, "ZEROACC makes a row undefined");
}

/* Of an instruction that reads and writes a watched cell, the write. */
static void test_read(void)
{
    static const uint8_t accesses[] = {
        TENSIX_WATCH_READ, TENSIX_WATCH_READ | TENSIX_WATCH_WRITE,
    };

    for (unsigned n = 0; n < sizeof(accesses); n++) {
        start();
        watch(TENSIX_SPACE_DST, 0, 1);
        observer.watches[0].accesses = accesses[n];
        tensix_observer_changed(&f.core);
        fixture_push(&f, 1, TT(MOVD2A));
        ok(hit_count == 1 && hits[0].is_read, "accesses %u: a read", accesses[n]);
        resume();
        fixture_push(&f, 1, TT(ELWADD, .dest_accum_en = 1));
        ok(hit_count == 2 && hits[1].is_read == !n,
           "accesses %u: a read and a write", accesses[n]);
    }
}

/* --- breaks --- */

static void test_break(void)
{
    start();
    break_at(1 << 1, WORD_BITS, TT(SETDMAREG));
    fixture_push(&f, 1, TT(NOP));
    fixture_push(&f, 0, TT(SETDMAREG, .RegIndex16b = 2, .Payload_SigSel = 1));
    ok_eq(hit_count, 0, "another mnemonic, and another thread");
    fixture_push(&f, 1, TT(SETDMAREG, .RegIndex16b = 10, .Payload_SigSel = 0x77));
    ok(hit_count == 1 && hits[0].is_break && hits[0].id == 9 &&
           hits[0].by.word >> 24 == TENSIX_OP_SETDMAREG &&
           hits[0].by.thread == 1, "a break on a mnemonic");
    ok_eq(f.core.s.gpr[1][5], 0, "is before it");
    fixture_push(&f, 2, TT(SETDMAREG, .RegIndex16b = 10, .Payload_SigSel = 0x66));
    ok_eq(f.core.s.gpr[2][5], 0, "and no other agent runs");
    resume();
    ok_eq(f.core.s.gpr[1][5], 0x77, "then it is executed");
    ok_eq(f.core.s.gpr[2][5], 0x66, "and so are the others");
    ok_eq(hit_count, 1, "without another stop");
    fixture_push(&f, 1, TT(SETDMAREG, .RegIndex16b = 10, .Payload_SigSel = 0x77));
    ok_eq(hit_count, 2, "the same word again is another stop");
}

static void test_break_field(void)
{
    uint32_t flush = 1u << TENSIX_PACR_Flush_LOW;

    start();
    break_at(7, WORD_BITS | flush, TT(PACR) | flush);
    fixture_push(&f, 2, TT(PACR));
    ok_eq(hit_count, 0, "another value of the field");
    fixture_push(&f, 2, TT(PACR, .Flush = 1));
    ok_eq(hit_count, 1, "a break on a field's value");
}

/* Each word of an expansion is a separate place. */
static void test_break_expansion(void)
{
    const TensixOrigin trisc1 = { 0x5000, TENSIX_HART_TRISC1 };
    bool in_order = true;

    start();
    for (uint32_t n = 0; n < TENSIX_MOP_CFG_WORDS; n++) {
        tensix_mop_cfg_write(&f.core, 1, n, TT(NOP), trisc1);
    }
    tensix_mop_cfg_write(&f.core, 1, 0, 2, trisc1);
    tensix_mop_cfg_write(&f.core, 1, 1, 3, trisc1);
    break_at(7, 0, 0);
    tensix_push(&f.core, 1, TT(MOP, .mop_type = 1), trisc1);
    for (unsigned n = 0; n < 5; n++) {
        in_order &= hit_count == n + 1 && hits[n].by.mop_position == n;
        resume();
    }
    ok(in_order, "a break on any word stops at each of a MOP");
}

/* Runs what is queued to its end, through all stops. */
static void run_out(CoreFixture *fixture)
{
    do {
        tensix_observe_resume(&fixture->core);
        while (tensix_run(&fixture->core, TENSIX_ENTRY_BUDGET) &&
               !(fixture->core.observer && observer.stopping)) {
            continue;
        }
    } while (fixture->core.observer && observer.stopping);
}

/* Products and stores by three threads, some of which are stopped at. */
static void push_program(CoreFixture *fixture)
{
    for (unsigned n = 0; n < WORDS; n++) {
        uint32_t word = n % 3 ? TT(SETDMAREG, .RegIndex16b = n % 64,
                                   .Payload_SigSel = n)
                              : TT(ELWADD, .dst = n % 4 * 8 + n % 4);

        if (n % 7 == 0) {
            word = TT(STALLWAIT, .stall_res = ALL_BLOCKS, .wait_res = MATH_AT_WORK);
        }
        while (!fixture_push(fixture, n % TENSIX_THREADS, word)) {
            run_out(fixture);
        }
    }
    run_out(fixture);
}

/* Results are equal with stops and without. */
static void test_same_result(void)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        start();
        fixture_init(&plain);
        plain.core.s = f.core.s;
        tensix_state_loaded(&plain.core);
        tensix_set_schedule(&plain.core, seed);
        tensix_set_schedule(&f.core, seed);
        break_at(7, WORD_BITS | 0x3, TT(ELWADD) | 0x1);
        watch(TENSIX_SPACE_DST, 0, 4);
        push_program(&plain);
        push_program(&f);
        ok_eq(hit_count, STOPS, "seed %u: each stop", (unsigned)seed);
        ok_eq(f.core.derived.busy, 0, "seed %u: nothing is left",
              (unsigned)seed);
        ok(!memcmp(plain.core.s.dst, f.core.s.dst, sizeof(f.core.s.dst)) &&
               !memcmp(plain.core.s.gpr, f.core.s.gpr, sizeof(f.core.s.gpr)),
           "seed %u: and the same results", (unsigned)seed);
    }
}

/* --- coming and going --- */

static void test_off(void)
{
    start();
    watch(TENSIX_SPACE_DST, 0, 1024);
    tensix_set_observer(&f.core, NULL);
    fixture_push(&f, 1, TT(ELWADD));
    ok_eq(hit_count, 0, "no observer, no hit");
    ok_eq(f.core.derived.slow, 0, "and the fast path is open");
    start();
    break_at(7, 0, 0);
    fixture_push(&f, 1, TT(ELWADD));
    tensix_set_observer(&f.core, NULL);
    resume();
    observer.break_count = 0;
    tensix_set_observer(&f.core, &observer);
    fixture_push(&f, 1, TT(SETDMAREG, .RegIndex16b = 10, .Payload_SigSel = 7));
    ok_eq(f.core.s.gpr[1][5], 7, "a stop ends with its observer");
    start();
    fixture_push(&f, 1, TT(ELWADD));
    tensix_reset(&f.core);
    ok_eq(tensix_observe_writer(&observer, TENSIX_SPACE_DST, 0).event, 0,
          "after a reset nothing has written");
    ok(f.core.observer == &observer, "and the observer is still there");
}

/* As an option of the command line does. */
static void test_before_the_first_reset(void)
{
    TensixIsa best;

    start();
    best = f.core.isa;
    f.core.isa = TENSIX_ISA_PORTABLE;
    f.core.tables = NULL;
    observe(&f);
    tensix_reset(&f.core);
    ok_eq(f.core.isa, best, "an observer before the first reset: the best build");
}

int main(void)
{
    test_nothing_missed();
    test_macro();
    test_rows();
    test_words();
    test_elsewhere();
    test_harts();
    test_l1_by_others();
    test_executed();
    test_written_again();
    test_gprs_of_rows();
    test_values();
    test_read();
    test_break();
    test_break_field();
    test_break_expansion();
    test_same_result();
    test_off();
    test_before_the_first_reset();
    return done_testing();
}
