/*
 * Random schedules: what hardware may stretch is stretched at random.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Harts wait for caches, for the memory and for each other: a hart's pushes
 * come faster or slower than the coprocessor executes them, and now and then
 * not at all for a while.  Units wait for L1 and for Dst.  What never gets
 * longer is the way from one word of an expansion to the next.  The generator is part of the state: the same
 * pushes in the same order give the same run.
 */

#include "seeds.h"
#include "tensix_internal.h"

enum {
    REDRAW_ODDS = 24,              /* one push in so many changes the pace */
    HOLD_ODDS = 3,                 /* one change in so many holds the hart */
    HOLD_CYCLES = 3000,            /* at most */
    STRETCH_FACTOR = 6,            /* of its time, at most */
};

/* Most cycles that pass at one push. */
static const uint32_t pace_cycles[TENSIX_PACES] = {
    [TENSIX_PACE_AT_ONCE] = 1,
    [TENSIX_PACE_EVEN] = 12,
    [TENSIX_PACE_SLOW] = 400,
};

/* xorshift64*: small, reproducible, and never 0. */
static uint32_t random_number(TensixCore *c, uint32_t below)
{
    uint64_t x = c->s.order.rng;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    c->s.order.rng = x;
    return (uint32_t)((x * 0x2545f4914f6cdd1dull) >> 33) % below;
}

/*
 * One in so many instructions of the unit takes longer; 0: none does.  Those of
 * the Matrix and Vector Unit may wait for Dst, the others for L1.
 */
static uint32_t stretch_odds(uint32_t word)
{
    static const uint8_t odds[TENSIX_UNITS] = {
        [TENSIX_UNIT_UNPACK] = 2, [TENSIX_UNIT_PACK] = 2,
        [TENSIX_UNIT_XMOV] = 2, [TENSIX_UNIT_THCON] = 4,
        [TENSIX_UNIT_MATH] = 4, [TENSIX_UNIT_SFPU] = 4,
    };

    return word >> 24 == TENSIX_OP_UNPACR_NOP
               ? 0 : odds[tensix_insns[word >> 24].unit];
}

void tensix_seeds_stretch(TensixCore *c, const TensixInsn *i,
                          TensixTiming *timing)
{
    uint32_t odds = c->s.order.rng ? stretch_odds(i->word) : 0;

    if (odds && !random_number(c, odds)) {
        uint32_t more = random_number(c, timing->latency * STRETCH_FACTOR + 1);

        timing->occupancy += more;
        timing->latency += more;
    }
}

bool tensix_seeds_fly(TensixCore *c, uint32_t word)
{
    return c->s.order.rng && !c->host.hazards && tensix_flight_may(word) &&
           random_number(c, 2);
}

uint64_t tensix_seeds_next(const TensixCore *c, uint64_t next)
{
    const TensixOrder *o = &c->s.order;

    for (uint32_t n = 0; o->rng && n < TENSIX_PUSHERS; n++) {
        if (o->held_until[n] > o->cycle && o->held_until[n] < next) {
            next = o->held_until[n];
        }
    }
    return next;
}

bool tensix_seeds_hold(const TensixCore *c)
{
    return tensix_seeds_next(c, UINT64_MAX) != UINT64_MAX;
}

void tensix_seeds_release(TensixCore *c)
{
    TensixOrder *o = &c->s.order;

    for (uint32_t n = 0; o->rng && n < TENSIX_PUSHERS; n++) {
        if (o->held_until[n] && o->held_until[n] <= o->cycle) {
            o->held_until[n] = 0;
            c->changed |= TENSIX_CHANGED_FIFO;
        }
    }
}

bool tensix_held_back(const TensixCore *c, uint32_t hart)
{
    return c->s.order.rng && c->s.order.held_until[hart] > c->s.order.cycle;
}

static void change_pace(TensixCore *c, uint32_t hart)
{
    TensixOrder *o = &c->s.order;

    o->pace[hart] = random_number(c, TENSIX_PACES);
    if (!random_number(c, HOLD_ODDS)) {
        o->held_until[hart] = o->cycle + 1 + random_number(c, HOLD_CYCLES);
    }
}

uint32_t tensix_entry_budget(TensixCore *c, uint32_t hart)
{
    if (!c->s.order.rng) {
        return TENSIX_ENTRY_BUDGET;
    }
    if (!random_number(c, REDRAW_ODDS)) {
        change_pace(c, hart);
    }
    return random_number(c, pace_cycles[c->s.order.pace[hart]] + 1);
}
