/*
 * Pushes beside a delay: what tensix_push_delayed() leaves out changes nothing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two cores take the same words.  The first keeps, from push to push, which
 * threads wait for a change, and lets time pass at once where it can.  The
 * other is run cycle by cycle, and asks all threads in each of them.
 */

#include <string.h>

#include "core-fixture.h"
#include "tap.h"
#include "decode/conditions.h"
#include "decode/words.h"
#include "derived/update.h"
#include "frontend/delays.h"
#include "frontend/frontend.h"

enum {
    STEPS = 20000,                 /* of each kind of delay */
    PUSH_CYCLES = 4,
    MOST_CYCLES = 16,              /* at other times */
    SITES = 4,                     /* pcs that words come from */
    DELAYS = 10,                   /* cycles, from 0 */
    CHANGES_STAY = 7 << 25,        /* one step in eight */
    PC = 0x1000,
    AGAIN = 64,                    /* steps, until all may wait for good */
};

static CoreFixture f[2];
static TensixDelays delays[2];
static uint64_t random_state = 1;
static unsigned starts;

static uint32_t random32(void)
{
    return fixture_random_from(&random_state);
}

/* Why a thread waits is what it found when it was asked last. */
static const TensixState *without_reasons(TensixState *s, const CoreFixture *x)
{
    *s = x->core.s;
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        s->thread[t].gate.wait_reason = s->thread[t].gate.wait_detail = 0;
    }
    return s;
}

static bool same(void)
{
    static TensixState s[2];

    return !memcmp(without_reasons(&s[0], &f[0]), without_reasons(&s[1], &f[1]),
                   sizeof(s[0])) &&
           !memcmp(f[0].l1, f[1].l1, sizeof(f[0].l1)) &&
           !memcmp(f[0].violations, f[1].violations, sizeof(f[0].violations));
}

/* A delay of what thread t pushes at PC. */
static void start(uint32_t what, uint32_t t)
{
    starts++;
    for (unsigned n = 0; n < 2; n++) {
        TensixCore *c = &f[n].core;

        fixture_init(&f[n]);
        tensix_set_schedule(c, 1);
        delays[n] = (TensixDelays) {
            .at = { PC, TENSIX_HART_TRISC0 + t }, .what = what,
            .cycles = starts % DELAYS,
        };
        tensix_set_delays(c, &delays[n]);
    }
}

/* --- the words --- */

static uint32_t random_word(uint32_t r)
{
    const uint32_t words[] = {
        TT(NOP), TT(DMANOP), TT(SETDMAREG), TT(PACR), TT(ELWADD), TT(SFPNOP),
        TT(SFPLOADMACRO), TT(SFPADD), TT(SFPMAD), TT(MOVD2A),
        TT(UNPACR, .SetDatValid = 1),
        TT(UNPACR_NOP, .Unpack_Pop = 1, .Set_Dvalid = 1,
           .Unpacker_Select = r & 1),
        TT(ELWADD, .clear_dvalid = 3),
        TT(SEMPOST, .sem_sel = 1 << (r & 3)),
        TT(SEMGET, .sem_sel = 1 << (r & 3)),
        TT(SEMWAIT, .wait_sem_cond = 1 + (r & 1), .sem_sel = 1 << (r >> 1 & 3),
           .stall_res = 1 << (r >> 4 & 7)),
        TT(STALLWAIT, .stall_res = 1 << (r & 7),
           .wait_res = 1 << (r >> 4 & 15)),
        TT(STALLWAIT, .stall_res = 0x1ff, .wait_res = COND_HART),
        TT(MOP, .loop_count = r & 3), TT(REPLAY, .load_mode = 1, .len = 3),
        TT(REPLAY, .len = 3), TT(ATGETM), TT(ATRELM),
        TT(INCADCXY, .CntSetMask = 1),
        TT(SETDVALID, .setvalid = r & 3), TT(CLEARDVALID, .cleardvalid = r & 3),
        TT(SETRWC, .clear_ab_vld = r & 3),
    };

    return words[(r >> 8) % (sizeof(words) / sizeof(words[0]))];
}

/* Each word is pushed and followed to its end, but by cycles of its own. */
static bool push_by_cycles(TensixCore *c, uint32_t thread, uint32_t word,
                           TensixOrigin at)
{
    const TensixInsn insn = {
        .valid = 1, .word = word, .thread = thread, .origin = at,
        .mop_position = TENSIX_NO_POSITION, .replay_slot = TENSIX_NO_POSITION,
    };

    if (tensix_held_back(c, thread, word, at) ||
        !tensix_fifo_push(&c->s.thread[thread].fifo, &insn)) {
        return false;
    }
    tensix_mark_busy(c, thread);
    for (unsigned n = 0; n < PUSH_CYCLES; n++) {
        tensix_run(c, 1);
    }
    return true;
}

/*
 * An instruction that is asked may end flights in its way although it must
 * wait, other ones in later cycles.  So that there are none, each unit has one
 * thread, and units that share the RWCs have two.
 */
static uint32_t thread_of(uint32_t word, uint32_t r)
{
    static const uint8_t threads[TENSIX_UNITS] = {
        [TENSIX_UNIT_MATRIX] = 2, [TENSIX_UNIT_VECTOR] = 3,
        [TENSIX_UNIT_PACK] = 3, [TENSIX_UNIT_UNPACK] = 1,
    };
    uint32_t own = threads[tensix_insns[word >> 24].unit];

    if (own == 1 && starts & 1) {
        own = 3;                   /* unpackers, beside the Vector Unit */
    }
    return own ? own - 1 : r % TENSIX_THREADS;
}

static bool push(uint32_t r)
{
    uint32_t word = random_word(random32()), thread = thread_of(word, r);
    const TensixOrigin at = {
        PC + (r >> 8) % SITES * 4, TENSIX_HART_TRISC0 + thread,
    };

    return tensix_push_delayed(&f[0].core, thread, word, at) ==
           push_by_cycles(&f[1].core, thread, word, at);
}

/* --- what other agents do --- */

static void run(TensixCore *c, uint32_t cycles, bool at_once)
{
    for (uint32_t n = at_once ? 1 : cycles; n; n--) {
        tensix_run(c, at_once ? cycles : 1);
    }
}

/* As each access of the device does: changes, then a few cycles. */
static void interfere(TensixCore *c, uint32_t r, bool at_once)
{
    const TensixHartStore store = {
        .by = { PC, TENSIX_HART_TRISC1 }, .region = TENSIX_STORE_GPR,
        .size = sizeof(uint32_t), .value = r,
    };

    if (!(r & 15)) {
        tensix_soft_reset(c, r & 16 ? 0 : 1 << (r >> 8 & 15));
    } else if (r & 1) {
        tensix_semaphore_write(c, r >> 8 & 3, r >> 10 & 1,
                               (TensixOrigin) { 0 });
    } else if (r & 2) {
        tensix_late_store(c, &store);
    }
    run(c, 1 + (r >> 16) % MOST_CYCLES, at_once);
}

/* --- */

typedef struct Tally {
    unsigned differ, settled, flights, stopped_short;
} Tally;

static void step(Tally *t)
{
    const TensixCore *c = &f[0].core;
    uint32_t r = random32();

    if (r & CHANGES_STAY) {
        f[0].core.signals.changed = f[1].core.signals.changed = 0;
    }
    if (r >> 30) {
        t->differ += !push(r);
    } else {
        interfere(&f[0].core, r, true);
        interfere(&f[1].core, r, false);
    }
    t->differ += !same();
    t->settled += c->derived.settled != 0;
    t->flights += tensix_flight_any(c) != 0;
    t->stopped_short += !c->s.order.more;
}

static void test_delay(const char *name, uint32_t what, uint32_t thread)
{
    Tally t = { 0 };

    for (unsigned n = 0; n < STEPS; n++) {
        if (n % AGAIN == 0) {
            start(what, thread);
        }
        step(&t);
    }
    ok_eq(t.differ, 0, "delay of %s: as cycle by cycle", name);
    ok(t.settled > STEPS / 16 && t.stopped_short > STEPS / 16 &&
       (what < TENSIX_DELAY_PORT || what == TENSIX_DELAY_STORE ||
        t.flights > STEPS / 1024),
       "%s: waits %u times, idle %u times, in flight %u times", name,
       t.settled, t.stopped_short, t.flights);
}

int main(void)
{
    test_delay("a hart", TENSIX_DELAY_HART, 2);
    test_delay("a thread", TENSIX_DELAY_THREAD, 2);
    test_delay("a store", TENSIX_DELAY_STORE, 1);
    test_delay("the Matrix Unit", TENSIX_DELAY_PORT + TENSIX_UNIT_MATRIX, 1);
    test_delay("the Vector Unit", TENSIX_DELAY_PORT + TENSIX_UNIT_VECTOR, 2);
    test_delay("unpackers", TENSIX_DELAY_PORT + TENSIX_UNIT_UNPACK, 0);
    test_delay("the packer", TENSIX_DELAY_PORT + TENSIX_UNIT_PACK, 2);
    return done_testing();
}
