/*
 * Delays that the host chooses: whom each one holds back, and for how long
 * (delays.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "core-fixture.h"
#include "tap.h"
#include "config/cfg_names.h"
#include "decode/conditions.h"
#include "frontend/delays.h"
#include "frontend/frontend.h"
#include "frontend/seeds.h"

enum {
    THREAD = 1, OTHER = 2, NOW = 100, CYCLES = 20,
    PC = 0x1000, OTHER_PC = 0x1004,
    MATRIX = TENSIX_DELAY_PORT + TENSIX_UNIT_MATRIX,
    PACKER = TENSIX_DELAY_PORT + TENSIX_UNIT_PACK,
    MOST_ISSUED = 8,
    TTSYNC = THREAD_CFG_TENSIX_TRISC_SYNC_TrackGlobalCfg_INDEX,
};

static CoreFixture f;
static TensixDelays delays;
static TensixOrder *order = &f.core.s.order;
static uint64_t issued[MOST_ISSUED];   /* cycles */
static unsigned issued_count;

static void note_issue(void *opaque, const TensixInsn *i)
{
    if (issued_count < MOST_ISSUED) {
        issued[issued_count++] = order->cycle;
    }
}

static void start(uint32_t what)
{
    fixture_init(&f);
    tensix_set_schedule(&f.core, 1);
    order->cycle = NOW;
    issued_count = 0;
    delays = (TensixDelays) {
        .at = { PC, TENSIX_HART_TRISC0 + THREAD }, .what = what,
        .cycles = CYCLES, .issued = note_issue,
    };
    tensix_set_delays(&f.core, &delays);
}

static TensixInsn insn(uint32_t word, uint32_t pc)
{
    return (TensixInsn) {
        .valid = 1, .word = word, .thread = THREAD,
        .mop_position = TENSIX_NO_POSITION, .replay_slot = TENSIX_NO_POSITION,
        .origin = { pc, TENSIX_HART_TRISC0 + THREAD },
    };
}

static void gate(uint32_t word)
{
    TensixInsn i = insn(word, PC);

    tensix_delays_gate(&f.core, &i);
}

/* --- sites --- */

static bool is_held(TensixInsn i)
{
    start(TENSIX_DELAY_THREAD);
    tensix_delays_gate(&f.core, &i);
    return order->issue_at[THREAD] == NOW + CYCLES;
}

static void test_sites(void)
{
    TensixInsn other = insn(TT(NOP), PC);

    ok(is_held(insn(TT(NOP), PC)), "a word that the hart pushes there");
    ok(!is_held(insn(TT(NOP), OTHER_PC)), "not one from another pc");
    other.origin.hart = TENSIX_HART_BRISC;
    ok(!is_held(other), "not one of another hart");
}

/* A word that is not the wanted one. */
static uint64_t issue_at(TensixInsn i, uint32_t wanted)
{
    start(TENSIX_DELAY_THREAD);
    delays.word = wanted;
    tensix_delays_gate(&f.core, &i);
    return order->issue_at[THREAD];
}

static void test_words_of_expansions(void)
{
    TensixInsn pushed = insn(TT(MOP), PC), expanded = insn(TT(NOP), PC);

    expanded.mop_position = 3;
    ok_eq(issue_at(expanded, TT(NOP)), NOW + CYCLES, "the word of the MOP");
    ok_eq(issue_at(expanded, TT(DMANOP)), 0, "another word of the MOP");
    ok_eq(issue_at(expanded, 0), NOW + CYCLES, "any word, if none is named");
    ok_eq(issue_at(pushed, TT(NOP)), NOW + CYCLES,
          "what is pushed itself needs no word");
}

/* --- threads --- */

static void test_thread(void)
{
    start(TENSIX_DELAY_THREAD);
    gate(TT(NOP));
    gate(TT(NOP));
    ok_eq(order->issue_at[THREAD], NOW + CYCLES,
          "thread: polled again, a word is delayed once");
    ok_eq(order->quiet_at[THREAD], NOW + CYCLES, "thread: time has to pass");
    ok_eq(order->issue_at[OTHER], 0, "thread: the others continue");
}

static void test_next_word(void)
{
    TensixInsn i = insn(TT(NOP), PC);

    start(TENSIX_DELAY_THREAD);
    gate(TT(NOP));
    tensix_delays_issued(&f.core, &i);
    ok_eq(issued_count, 1, "the host gets a call for what issues");
    order->cycle = NOW + CYCLES;
    gate(TT(NOP));
    ok_eq(order->issue_at[THREAD], NOW + 2 * CYCLES,
          "thread: the next word from there is delayed, too");
}

/* From the push to the issue, in the core as a whole. */
static void test_issue(void)
{
    static const TensixOrigin at = { PC, TENSIX_HART_TRISC0 + THREAD };

    start(TENSIX_DELAY_THREAD);
    ok(tensix_push(&f.core, THREAD, TT(NOP), at) &&
       tensix_push(&f.core, THREAD, TT(NOP), at), "two words are pushed");
    tensix_run(&f.core, 4 * CYCLES);
    ok_eq(issued_count, 2, "both issue");
    ok(issued[0] >= NOW + CYCLES && issued[0] <= NOW + CYCLES + 2,
       "the first after the delay");
    ok(issued[1] >= issued[0] + CYCLES && issued[1] <= issued[0] + CYCLES + 2,
       "the second after another one");
}

/* --- harts --- */

/* As the device does for a hart that may wait. */
static bool push_from(uint32_t hart)
{
    TensixOrigin at = { PC, hart };

    return !tensix_held_back(&f.core, THREAD, TT(NOP), at) &&
           tensix_push(&f.core, THREAD, TT(NOP), at);
}

static void test_hart(void)
{
    const uint32_t own = TENSIX_HART_TRISC0 + THREAD;

    start(TENSIX_DELAY_HART);
    ok(push_from(TENSIX_HART_BRISC), "hart: another one pushes");
    order->cycle = NOW;
    ok(!push_from(own), "hart: a push is refused");
    ok_eq(order->held_until[own], NOW + CYCLES, "hart: for so long");
    order->cycle = NOW + CYCLES - 1;
    ok(!push_from(own), "hart: until the last cycle");
    order->cycle = NOW + CYCLES;
    ok(push_from(own), "hart: then it is accepted, without another delay");
    order->cycle = NOW + 2 * CYCLES;
    ok(!push_from(own), "hart: the next one is delayed, too");
    ok_eq(order->held_until[own], NOW + 3 * CYCLES, "hart: from then on");
}

static void test_full_fifo(void)
{
    const TensixOrigin elsewhere = { OTHER_PC, TENSIX_HART_TRISC0 + THREAD };

    start(TENSIX_DELAY_HART);
    order->issue_at[THREAD] = NOW * NOW;
    while (tensix_push(&f.core, THREAD, TT(NOP), elsewhere)) {
        continue;
    }
    ok(!push_from(elsewhere.hart), "a full FIFO refuses");
    ok_eq(order->held_until[elsewhere.hart], 0,
          "the delay begins when there is space");
}

/* --- units --- */

static TensixTiming stretched(uint32_t what, uint32_t word)
{
    TensixTiming timing = { 1, 2, 3 };
    TensixInsn i = insn(word, PC);

    start(what);
    tensix_delays_stretch(&f.core, &i, &timing);
    return timing;
}

static void test_own_unit(void)
{
    TensixTiming matrix = stretched(MATRIX, TT(ELWADD));
    TensixTiming packer = stretched(PACKER, TT(ELWADD));

    ok_eq(matrix.occupancy, 1 + CYCLES, "its unit takes the next one later");
    ok_eq(matrix.latency, 2 + CYCLES, "and is done later");
    ok_eq(matrix.issue, 3, "its thread continues");
    ok(packer.occupancy == 1 && packer.latency == 2,
       "another unit's delay is no part of its time");
    start(MATRIX);
    gate(TT(ELWADD));
    ok_eq(order->free_at[TENSIX_UNIT_MATRIX], 0,
          "its own unit is not delayed before it, besides");
}

/* A delay of the packer at a word that is not the packer's. */
static void test_other_unit(void)
{
    start(PACKER);
    gate(TT(SEMPOST));
    gate(TT(SEMPOST));
    ok_eq(order->free_at[TENSIX_UNIT_PACK], NOW + CYCLES,
          "the unit takes the next one later, once");
    ok_eq(order->idle_at[THREAD][TENSIX_UNIT_PACK], NOW + CYCLES,
          "waits for it find it active");
    ok_eq(order->idle_at[OTHER][TENSIX_UNIT_PACK], 0,
          "those of other threads do not");
    ok_eq(order->quiet_at[THREAD], NOW + CYCLES, "time has to pass");
    ok_eq(order->issue_at[THREAD], 0, "the thread continues");
}

static void test_busy_unit(void)
{
    start(PACKER);
    order->free_at[TENSIX_UNIT_PACK] = NOW + 5;
    order->idle_at[THREAD][TENSIX_UNIT_PACK] = NOW + 7;
    gate(TT(SEMPOST));
    ok_eq(order->free_at[TENSIX_UNIT_PACK], NOW + 5 + CYCLES,
          "a busy unit takes the next one that much later");
    ok_eq(order->idle_at[THREAD][TENSIX_UNIT_PACK], NOW + 7 + CYCLES,
          "and is done that much later");
    ok_eq(order->quiet_at[THREAD], NOW + 7 + CYCLES, "the later of the two");
}

static void test_busier_port(void)
{
    start(PACKER);
    order->free_at[TENSIX_UNIT_PACK] = NOW + 9;
    gate(TT(SEMPOST));
    ok_eq(order->quiet_at[THREAD], NOW + 9 + CYCLES,
          "time has to pass until the unit is free");
}

static void test_flights(void)
{
    TensixFlight *flight = &f.core.s.thread[THREAD].flight;

    start(PACKER);
    flight->insn[0] = insn(TT(PACR), OTHER_PC);
    flight->insn[1] = insn(TT(ELWADD), OTHER_PC);
    flight->due[0] = NOW + 3;
    flight->due[1] = NOW + 4;
    flight->count = 2;
    gate(TT(SEMPOST));
    ok_eq(flight->due[0], NOW + 3 + CYCLES, "what is in the unit ends later");
    ok_eq(flight->due[1], NOW + 4, "what is in another one does not");
}

static bool flies(uint32_t what, uint32_t word)
{
    start(what);
    return tensix_delays_fly(&f.core, word);
}

static void test_flying(void)
{
    ok(flies(MATRIX, TT(ELWADD)), "words of the unit take effect at their end");
    ok(!flies(MATRIX, TT(PACR)), "those of other units at once");
    ok(flies(PACKER, TT(INCADCXY)), "those on ADCs wait for flights before");
    ok(!flies(TENSIX_DELAY_THREAD, TT(ELWADD)) &&
       !flies(TENSIX_DELAY_THREAD, TT(INCADCXY)),
       "with a delay of a thread all take effect at once");
}

/* --- stores --- */

enum { GPR = 3 };

static bool store(uint32_t pc, uint32_t gpr, uint32_t value)
{
    const TensixHartStore s = {
        .by = { pc, TENSIX_HART_TRISC0 + THREAD }, .region = TENSIX_STORE_GPR,
        .offset = gpr * sizeof(uint32_t), .size = sizeof(uint32_t),
        .value = value,
    };

    return tensix_late_store(&f.core, &s);
}

static uint32_t gpr_at(uint64_t cycle)
{
    order->cycle = cycle;
    tensix_late_land(&f.core);
    return f.core.s.gpr[0][GPR];
}

static void test_late_store(void)
{
    start(TENSIX_DELAY_STORE);
    ok(!store(OTHER_PC, GPR, 1), "store: one from another pc is made now");
    ok(store(PC, GPR, 2), "store: the delayed one is put off");
    ok_eq(tensix_seeds_next(&f.core, UINT64_MAX), NOW + CYCLES,
          "store: time has to pass");
    ok(tensix_unit_conditions(&f.core, THREAD) == COND_HART &&
       !tensix_unit_conditions(&f.core, OTHER), "store: C10 of its own thread");
    order->cycle = NOW + 1;
    ok(store(OTHER_PC, GPR, 3), "store: a later one does not overtake it");
    ok_eq(gpr_at(NOW + CYCLES - 1), 0, "store: not before its cycle");
    ok_eq(gpr_at(NOW + CYCLES), 3, "store: then both, in order");
    ok(!tensix_unit_conditions(&f.core, THREAD), "store: C10 is over");
}

static void test_late_store_ends(void)
{
    const uint32_t own = TENSIX_HART_TRISC0 + THREAD;

    start(TENSIX_DELAY_STORE);
    store(PC, GPR, 1);
    tensix_late_load(&f.core, own, TENSIX_STORE_CONFIG);
    ok_eq(f.core.s.gpr[0][GPR], 0, "store: a load from elsewhere is no order");
    tensix_late_load(&f.core, own, TENSIX_STORE_GPR);
    ok_eq(f.core.s.gpr[0][GPR], 1, "store: a load from there is");
    store(PC, GPR, 2);
    tensix_late_finish(&f.core);
    ok_eq(f.core.s.gpr[0][GPR], 2, "store: all are processed on request");
    store(PC, GPR, 3);
    tensix_reset(&f.core);
    ok_eq(gpr_at(NOW + CYCLES), 0, "store: none survives a reset");
    f.core.s.thread_cfg[THREAD][TTSYNC] = 1;
    ok(!store(PC, GPR, 4), "store: none is late with Auto TTSync");
}

static void test_store_queue(void)
{
    start(TENSIX_DELAY_STORE);
    for (uint32_t n = 0; n <= TENSIX_LATE_STORES; n++) {
        store(PC, GPR, n + 1);
    }
    ok_eq(f.core.s.gpr[0][GPR], 1, "store: a full queue processes its oldest");
    ok_eq(gpr_at(NOW + CYCLES), TENSIX_LATE_STORES + 1, "store: and the others");
}

/* --- the host --- */

static void test_restart(void)
{
    start(TENSIX_DELAY_HART);
    push_from(TENSIX_HART_TRISC0 + THREAD);
    delays.thread_done[THREAD] = true;
    ok(delays.hart_done[TENSIX_HART_TRISC0 + THREAD], "a delay is under way");
    tensix_delays_restart(&delays);
    ok(!delays.hart_done[TENSIX_HART_TRISC0 + THREAD] &&
       !delays.thread_done[THREAD], "another state was loaded: no longer");
    delays.thread_done[THREAD] = true;
    tensix_set_delays(&f.core, &delays);
    ok(!delays.thread_done[THREAD], "nor where the delays are new");
}

int main(void)
{
    test_sites();
    test_words_of_expansions();
    test_thread();
    test_next_word();
    test_issue();
    test_hart();
    test_full_fifo();
    test_own_unit();
    test_other_unit();
    test_busy_unit();
    test_busier_port();
    test_flights();
    test_flying();
    test_late_store();
    test_late_store_ends();
    test_store_queue();
    test_restart();
    return done_testing();
}
