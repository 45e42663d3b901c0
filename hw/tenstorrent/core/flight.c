/*
 * Instructions that have passed the gate and that their units are still at
 * work on: only with a random schedule.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hardware issues an instruction long before its unit has finished it, and the
 * Sync Unit does not wait: without a STALLWAIT between them a SEMPOST gives a
 * half of Dest away while the Matrix Unit still writes it (BH STALLWAIT.md, C1
 * to C4 and C11).  With schedule=seed=N an instruction may therefore stay in
 * its thread's flight for a while, and later ones overtake it if
 *
 * - they are the Sync Unit's, or
 * - one of both is the Packer's, the Unpackers' or the Matrix and Vector
 *   Units', and the other another one's: they meet in Dst, Src and L1 only.
 *
 * All others wait until the flight is over: a thread always finds its own
 * counters and configuration in order.  A unit that two threads use works in
 * the order of issue.  What would wait at the gate for a bank never flies.
 */

#include <string.h>

#include "regfile.h"

enum { BANK_FLIPS = 3 << 22 };      /* clear_dvalid of all that have it */

/* Who keeps order with whom inside a thread. */
typedef enum Lane {
    LANE_NONE,                     /* never starts a flight */
    LANE_MATH,
    LANE_PACK,
    LANE_UNPACK0,
    LANE_UNPACK1,
} Lane;

static const uint8_t port_lane[TENSIX_PORTS] = {
    [TENSIX_UNIT_MATH] = LANE_MATH,
    [TENSIX_UNIT_SFPU] = LANE_MATH,
    [TENSIX_UNIT_PACK] = LANE_PACK,
    [TENSIX_UNIT_UNPACK] = LANE_UNPACK0,
    [TENSIX_PORT_UNPACK1] = LANE_UNPACK1,
};

static uint32_t unit_of(uint32_t word)
{
    return tensix_insns[word >> 24].unit;
}

static uint32_t lane_of(uint32_t word)
{
    return port_lane[tensix_port(word)];
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

/* Must `word` come after what its own thread has under way? */
static bool keeps_order(const TensixFlight *f, uint32_t word)
{
    uint32_t lane = lane_of(word);

    for (uint32_t n = 0; n < f->count; n++) {
        uint32_t other = lane_of(f->insn[n].word);

        if (!lane || !other || lane == other) {
            return unit_of(word) != TENSIX_UNIT_SYNC;
        }
    }
    return false;
}

/* The thread, other than `thread`, that has `unit` at work; or THREADS. */
static uint32_t other_user(const TensixState *s, uint32_t thread, uint32_t unit)
{
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        if (t != thread && has_unit(&s->thread[t].flight, unit)) {
            return t;
        }
    }
    return TENSIX_THREADS;
}

uint32_t tensix_flight_in_the_way(const TensixCore *c, const TensixInsn *i)
{
    if (keeps_order(&c->s.thread[i->thread].flight, i->word)) {
        return i->thread;
    }
    return other_user(&c->s, i->thread, unit_of(i->word));
}

/* May the next one find another owner of its bank than there is now? */
static bool flips_banks(uint32_t word)
{
    return unit_of(word) == TENSIX_UNIT_UNPACK ||
           (unit_of(word) == TENSIX_UNIT_MATH && (word & BANK_FLIPS));
}

/* Would it pass the gate, as far as banks are concerned? */
static bool has_banks(const TensixCore *c, uint32_t word)
{
    const TensixState *s = &c->s;
    uint32_t src = TENSIX_FIELD(word, UNPACR, Unpack_block_selection);

    switch (unit_of(word)) {
    case TENSIX_UNIT_MATH:
        return tensix_src_owned_by(c, TENSIX_SRCA, s->matrix_bank[TENSIX_SRCA],
                                   TENSIX_CLIENT_MATRIX_UNIT) &&
               tensix_src_owned_by(c, TENSIX_SRCB, s->matrix_bank[TENSIX_SRCB],
                                   TENSIX_CLIENT_MATRIX_UNIT);
    case TENSIX_UNIT_UNPACK:
        return word >> 24 == TENSIX_OP_UNPACR &&
               tensix_src_owned_by(c, src, s->unpack_bank[src],
                                   TENSIX_CLIENT_UNPACKERS);
    default:
        return true;
    }
}

/* What SFPLOADMACRO schedules counts cycles: it and they are never late. */
static bool counts_cycles(const TensixCore *c, uint32_t word)
{
    return c->s.macro.active || word >> 24 == TENSIX_OP_SFPLOADMACRO;
}

static bool may_fly(const TensixCore *c, const TensixInsn *i)
{
    const TensixFlight *f = &c->s.thread[i->thread].flight;
    uint32_t unit = unit_of(i->word);

    if (!lane_of(i->word) && !(unit == TENSIX_UNIT_TDMA && f->count)) {
        return false;
    }
    for (uint32_t n = 0; n < f->count; n++) {
        if (flips_banks(f->insn[n].word)) {
            return false;
        }
    }
    return f->count < TENSIX_FLIGHT_DEPTH && !counts_cycles(c, i->word) &&
           has_banks(c, i->word) &&
           other_user(&c->s, i->thread, unit) == TENSIX_THREADS;
}

bool tensix_flight_may(uint32_t word)
{
    return lane_of(word) || unit_of(word) == TENSIX_UNIT_TDMA;
}

/* The cycle `due`, or that of an earlier one with which this keeps order. */
static uint64_t due_in_order(const TensixFlight *f, uint32_t word, uint64_t due)
{
    uint32_t lane = lane_of(word);

    for (uint32_t n = 0; n < f->count; n++) {
        uint32_t other = lane_of(f->insn[n].word);

        if ((!lane || !other || lane == other) && f->due[n] > due) {
            due = f->due[n];
        }
    }
    return due;
}

bool tensix_flight_start(TensixCore *c, const TensixInsn *i, uint64_t due)
{
    TensixFlight *f = &c->s.thread[i->thread].flight;

    if (!may_fly(c, i)) {
        return false;
    }
    f->due[f->count] = due_in_order(f, i->word, due);
    f->insn[f->count++] = (TensixPending) {
        .valid = 1, .word = i->word, .origin = i->origin,
        .mop_position = i->mop_position, .replay_slot = i->replay_slot,
    };
    return true;
}

/* Executes number n of the thread's; false: it cannot go on. */
static bool finish(TensixCore *c, uint32_t thread, uint32_t n)
{
    TensixFlight *f = &c->s.thread[thread].flight;
    TensixInsn insn = tensix_pending_insn(thread, &f->insn[n]);

    c->hand_over_at = f->due[n];
    if (tensix_execute(c, &insn) == TENSIX_RETRY) {
        return false;              /* soft reset holds its unit, say */
    }
    tensix_trace(c, TENSIX_TRACE_EXECUTE, &insn);
    f->count--;
    memmove(f->insn + n, f->insn + n + 1, (f->count - n) * sizeof(f->insn[0]));
    memmove(f->due + n, f->due + n + 1, (f->count - n) * sizeof(f->due[0]));
    return true;
}

bool tensix_flight_finish(TensixCore *c, uint32_t thread)
{
    return c->s.thread[thread].flight.count && finish(c, thread, 0);
}

/* Of those that keep order the earlier one is due first, or is before it. */
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
