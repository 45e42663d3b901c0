/*
 * Instructions that have passed the gate and that their units are still at
 * work on: only with a random schedule.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hardware issues an instruction long before its unit has finished it, and the
 * Sync Unit does not wait: without a STALLWAIT between them a SEMPOST gives a
 * half of Dest away while the Matrix Unit still writes it (BH STALLWAIT.md, C1
 * to C4, C9 and C11).  With schedule=seed=N an instruction may therefore stay
 * in its thread's flight for a while, and later ones overtake it if
 *
 * - they are the Sync Unit's, or
 * - both are of different ones of the Packer, the Unpackers, the Mover, the
 *   Matrix Unit and the Vector Unit: they meet in Dst, Src and L1 only.
 *
 * All others wait until the flight is over: a thread always finds its own
 * counters and configuration in order.  The Matrix and the Vector Unit share
 * the RWCs, which move when an instruction issues: a flight keeps the RWCs that
 * its instruction found.  A unit that two threads use works in the order of
 * issue.  An instruction that would wait at the gate for a bank never flies.
 */

#include <string.h>

#include "regs/regfile.h"
#include "frontend/frontend.h"
#include "frontend/timing.h"

enum {
    BANK_FLIPS = 3 << 22,          /* clear_dvalid of all that have it */

    /*
     * After so many cycles the Vector Unit finds in Dst what the Matrix Unit
     * has written (spec 001, 2.5: three instructions between are enough).  For
     * the other direction nothing is published: taken to be the same.
     */
    CYCLES_TO_OTHER = 4,
};

static uint32_t unit_of(uint32_t word)
{
    return tensix_insns[word >> 24].unit;
}

/* Do its instructions use RWCs, and move them by an AddrMod or SETRWC? */
static bool has_rwcs(TensixOrderClass lane)
{
    return lane == ORDER_MATRIX || lane == ORDER_VECTOR;
}

/* Must an instruction of lane a come after one of lane b that flies? */
static bool lanes_keep_order(TensixOrderClass a, TensixOrderClass b)
{
    return a == ORDER_NONE || b == ORDER_NONE || a == b ||
           (a == ORDER_MATRIX_OR_VECTOR && has_rwcs(b));
}

static bool has_unit(const TensixFlight *f, uint32_t unit)
{
    for (uint32_t n = 0; n < f->count; n++) {
        if (unit_of(f->insn[n].word) == unit) {
            return true;
        }
    }
    return false;
}

/* Did flight n issue so long ago that the other unit would find it done? */
static bool is_old(const TensixFlight *f, uint32_t n, uint64_t cycle)
{
    return cycle >= f->issued[n] + CYCLES_TO_OTHER;
}

/* Must `word` come after what its own thread has under way? */
static bool keeps_order(const TensixFlight *f, uint32_t word, uint64_t cycle)
{
    TensixOrderClass lane = tensix_insn_order(word);

    if (unit_of(word) == TENSIX_UNIT_SYNC) {
        return false;
    }
    for (uint32_t n = 0; n < f->count; n++) {
        TensixOrderClass other = tensix_insn_order(f->insn[n].word);

        if (lanes_keep_order(lane, other) ||
            (has_rwcs(lane) && has_rwcs(other) && is_old(f, n, cycle))) {
            return true;
        }
    }
    return false;
}

/*
 * The thread, other than `thread`, that keeps `unit` busy; or THREADS.  The
 * Miscellaneous Unit serves all threads at once, each with its own counters.
 */
static uint32_t other_user(const TensixState *s, uint32_t thread, uint32_t unit)
{
    for (uint32_t t = 0; t < TENSIX_THREADS && unit != TENSIX_UNIT_MISC; t++) {
        if (t != thread && has_unit(&s->thread[t].flight, unit)) {
            return t;
        }
    }
    return TENSIX_THREADS;
}

uint32_t tensix_flight_in_the_way(const TensixCore *c, const TensixInsn *i)
{
    if (keeps_order(&c->s.thread[i->thread].flight, i->word,
                    c->s.order.cycle)) {
        return i->thread;
    }
    return other_user(&c->s, i->thread, unit_of(i->word));
}

/* May the instruction change a bank's owner or a client's current bank? */
static bool flips_banks(uint32_t word)
{
    return unit_of(word) == TENSIX_UNIT_UNPACK ||
           (unit_of(word) == TENSIX_UNIT_MATRIX && (word & BANK_FLIPS));
}

bool tensix_flight_flips_banks(const TensixCore *c, uint32_t thread)
{
    const TensixFlight *f = &c->s.thread[thread].flight;
    bool flips = false;

    for (uint32_t n = 0; n < f->count; n++) {
        flips = flips || flips_banks(f->insn[n].word);
    }
    return flips;
}

static bool uses_banks(uint32_t unit)
{
    return unit == TENSIX_UNIT_MATRIX || unit == TENSIX_UNIT_UNPACK;
}

/* Would it pass the gate, as far as banks are concerned? */
static bool has_banks(const TensixCore *c, uint32_t word)
{
    const TensixState *s = &c->s;
    uint32_t src = TENSIX_FIELD(word, UNPACR, Unpack_block_selection);

    switch (unit_of(word)) {
    case TENSIX_UNIT_MATRIX:
        return tensix_src_owned_by(c, TENSIX_SRCA, s->matrix_bank[TENSIX_SRCA],
                                   TENSIX_CLIENT_MATRIX_UNIT) &&
               tensix_src_owned_by(c, TENSIX_SRCB, s->matrix_bank[TENSIX_SRCB],
                                   TENSIX_CLIENT_MATRIX_UNIT);
    case TENSIX_UNIT_UNPACK:
        return !tensix_traits_of(word)->never_lasts &&
               tensix_src_owned_by(c, src, s->unpack_bank[src],
                                   TENSIX_CLIENT_UNPACKERS);
    default:
        return true;
    }
}

bool tensix_flight_may(uint32_t word)
{
    static const bool flying[ORDER_CLASSES] = {
        [ORDER_MATRIX] = true, [ORDER_VECTOR] = true, [ORDER_PACK] = true,
        [ORDER_UNPACK0] = true, [ORDER_UNPACK1] = true, [ORDER_MOVER] = true,
    };
    TensixOrderClass lane = tensix_insn_order(word);

    return flying[lane] || unit_of(word) == TENSIX_UNIT_MISC;
}

static bool may_fly(const TensixCore *c, const TensixInsn *i)
{
    const TensixFlight *f = &c->s.thread[i->thread].flight;
    uint32_t unit = unit_of(i->word);

    if (!tensix_flight_may(i->word) ||
        (unit == TENSIX_UNIT_MISC && !f->count)) {
        return false;
    }
    if (uses_banks(unit) && tensix_flight_flips_banks(c, i->thread)) {
        return false;
    }
    /* what SFPLOADMACRO schedules counts cycles */
    return f->count < TENSIX_FLIGHT_DEPTH && !c->s.macro.active &&
           has_banks(c, i->word) &&
           other_user(&c->s, i->thread, unit) == TENSIX_THREADS;
}

/* The cycle `due`, or that of an earlier one with which this keeps order. */
static uint64_t due_in_order(const TensixFlight *f, uint32_t word, uint64_t due)
{
    TensixOrderClass order = tensix_insn_order(word);

    for (uint32_t n = 0; n < f->count; n++) {
        if (lanes_keep_order(order, tensix_insn_order(f->insn[n].word)) &&
            f->due[n] > due) {
            due = f->due[n];
        }
    }
    return due;
}

/* Moves the RWCs as instruction i, whose lane has_rwcs(), would move them. */
static void advance_rwcs(TensixCore *c, const TensixInsn *i)
{
    TensixInsn counters = *i;

    switch (tensix_traits_of(i->word)->rwc_move) {
    case RWC_ITSELF:
        counters.word &= ~(uint32_t)BANK_FLIPS;
        c->derived.exec[i->word >> 24](c, &counters);
        break;
    case RWC_PARTIAL_ADDR_MOD:
        tensix_apply_partial_addr_mod(
            c, i->thread, TENSIX_FIELD(i->word, SFPSTORE, sfpu_addr_mode));
        break;
    case RWC_ADDR_MOD:
        tensix_apply_addr_mod(
            c, i->thread, i->word >> tensix_traits_of(i->word)->addr_mod);
        break;
    default:
        break;
    }
}

bool tensix_flight_start(TensixCore *c, const TensixInsn *i, uint64_t due)
{
    TensixFlight *f = &c->s.thread[i->thread].flight;

    if (!may_fly(c, i)) {
        return false;
    }
    f->due[f->count] = due_in_order(f, i->word, due);
    f->issued[f->count] = c->s.order.cycle;
    if (has_rwcs(tensix_insn_order(i->word))) {
        f->rwc[f->count] = c->s.rwc[i->thread];
        advance_rwcs(c, i);
    }
    f->insn[f->count++] = *i;
    return true;
}

/*
 * Executes a flight's instruction with the RWCs that it found when it issued.
 * If it must wait, the gate's wait reason stays that of the instruction there.
 */
static bool execute(TensixCore *c, const TensixInsn *i, const TensixRwc *rwc)
{
    TensixGate *g = &c->s.thread[i->thread].gate;
    uint32_t reason = g->wait_reason, detail = g->wait_detail;
    TensixRwc now = c->s.rwc[i->thread];
    bool own = has_rwcs(tensix_insn_order(i->word)), done;

    if (own) {
        c->s.rwc[i->thread] = *rwc;
    }
    done = tensix_execute(c, i) != TENSIX_RETRY;
    if (own) {
        c->s.rwc[i->thread] = now;
    }
    g->wait_reason = reason;
    g->wait_detail = detail;
    return done;
}

static void remove_flight(TensixFlight *f, uint32_t n)
{
    uint32_t after = --f->count - n;

    memmove(f->insn + n, f->insn + n + 1, after * sizeof(f->insn[0]));
    memmove(f->due + n, f->due + n + 1, after * sizeof(f->due[0]));
    memmove(f->issued + n, f->issued + n + 1, after * sizeof(f->issued[0]));
    memmove(f->rwc + n, f->rwc + n + 1, after * sizeof(f->rwc[0]));
}

/* Executes the thread's flight number n; false: it must wait. */
static bool finish(TensixCore *c, uint32_t thread, uint32_t n)
{
    TensixFlight *f = &c->s.thread[thread].flight;
    TensixInsn insn = f->insn[n];

    c->hand_over_at = f->due[n];
    if (!execute(c, &insn, &f->rwc[n])) {
        return false;              /* soft reset holds its unit, say */
    }
    tensix_trace(c, TENSIX_TRACE_EXECUTE, &insn);
    remove_flight(f, n);
    return true;
}

bool tensix_flight_finish(TensixCore *c, uint32_t thread)
{
    return c->s.thread[thread].flight.count && finish(c, thread, 0);
}

/* Flights that keep order are due in that order, or are stored in it. */
static uint32_t land_thread(TensixCore *c, uint32_t thread)
{
    TensixFlight *f = &c->s.thread[thread].flight;
    uint32_t landed = 0, n = 0;

    while (n < f->count) {
        if (f->due[n] > c->s.order.cycle) {
            n++;
        } else if (finish(c, thread, n)) {
            landed++;
        } else {
            break;
        }
    }
    return landed;
}

uint32_t tensix_flight_land(TensixCore *c)
{
    uint32_t landed = 0;

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        landed += land_thread(c, t);
    }
    return landed;
}

uint64_t tensix_flight_next(const TensixCore *c, uint64_t next)
{
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        const TensixFlight *f = &c->s.thread[t].flight;

        for (uint32_t n = 0; n < f->count; n++) {
            uint64_t due = f->due[n];

            /* one that is due could not end, and is tried again */
            tensix_at_least(&due, c->s.order.cycle + 1);
            next = due < next ? due : next;
        }
    }
    return next;
}

void tensix_flight_land_all(TensixCore *c)
{
    for (uint32_t t = 0; tensix_flight_any(c) && t < TENSIX_THREADS; t++) {
        while (tensix_flight_finish(c, t)) {
            continue;
        }
    }
    c->hand_over_at = 0;
}
