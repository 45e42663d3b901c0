/*
 * Random schedules: what hardware may stretch is stretched at random.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Harts wait for caches, for the memory and for each other: a hart's pushes
 * come faster or slower than the coprocessor executes them, and now and then
 * not at all for a while.  Units wait for L1 and for Dst, and differ in how
 * soon they are done with what they have accepted.  What never gets longer is
 * the way from one word of an expansion to the next.  The generator is part of
 * the state: the same pushes in the same order give the same run.
 */

#include "frontend/seeds.h"
#include "frontend/delays.h"
#include "frontend/frontend.h"
#include "tensix_internal.h"

enum {
    REDRAW_ODDS = 48,              /* one push in so many changes the pace */
    HOLD_ODDS = 3,                 /* one change in so many holds the hart */
    HOLD_CYCLES = 3000,            /* at most */
    LAG_CYCLES = 150,              /* at most, after every second push */
    MOOD_ODDS = 16,                /* one instruction in so many */
    DELAYS_PACE = 2,               /* cycles a push, where nothing is random */
};

/* Most cycles that pass at one push. */
static const uint32_t pace_cycles[TENSIX_PACES] = {
    [TENSIX_PACE_AT_ONCE] = 1,
    [TENSIX_PACE_EVEN] = 12,
    [TENSIX_PACE_SLOW] = 100,
    [TENSIX_PACE_LAGGING] = 1,
};

/* How a unit stretches: at most so many times its time, and cycles. */
typedef struct Mood {
    uint8_t odds;                  /* one instruction in so many; 0: none */
    uint8_t factor, cycles;
    bool queues;                   /* it takes the next one all the same */
} Mood;

static const Mood moods[TENSIX_MOODS] = {
    [TENSIX_MOOD_USUAL] = { 4, 6, 0, false },
    [TENSIX_MOOD_PROMPT] = { 0, 0, 0, false },
    [TENSIX_MOOD_SLOW] = { 1, 8, 12, false },
    [TENSIX_MOOD_LATE] = { 1, 4, 200, true },
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

/* What a unit may wait for: Dst, L1; nothing else gets longer. */
static bool may_last(uint32_t word)
{
    static const bool units[TENSIX_UNITS] = {
        [TENSIX_UNIT_UNPACK] = true, [TENSIX_UNIT_PACK] = true,
        [TENSIX_UNIT_XMOV] = true, [TENSIX_UNIT_THCON] = true,
        [TENSIX_UNIT_MATRIX] = true, [TENSIX_UNIT_VECTOR] = true,
    };

    return !tensix_traits_of(word)->never_lasts &&
           units[tensix_insns[word >> 24].unit];
}

/* An UNPACR queued after one in flight would find the wrong bank. */
static bool may_queue(uint32_t word)
{
    return tensix_insns[word >> 24].unit != TENSIX_UNIT_UNPACK;
}

/* The mood of the word's unit, which changes now and then. */
static TensixMood mood_of(TensixCore *c, uint32_t word)
{
    /* seldom all slow: a slow unit shows beside one that is not */
    static const uint8_t drawn[] = {
        TENSIX_MOOD_PROMPT, TENSIX_MOOD_PROMPT, TENSIX_MOOD_PROMPT,
        TENSIX_MOOD_USUAL, TENSIX_MOOD_USUAL, TENSIX_MOOD_USUAL,
        TENSIX_MOOD_SLOW, TENSIX_MOOD_LATE,
    };
    uint32_t *mood = &c->s.order.mood[tensix_port(word)];

    if (*mood == TENSIX_MOOD_NONE || !random_number(c, MOOD_ODDS)) {
        *mood = drawn[random_number(c, sizeof(drawn))];
    }
    return *mood;
}

void tensix_seeds_stretch(TensixCore *c, const TensixInsn *i,
                          TensixTiming *timing)
{
    const Mood *m;
    uint32_t more;

    if (c->delays) {
        tensix_delays_stretch(c, i, timing);
        return;
    }
    if (!c->s.order.rng || !may_last(i->word)) {
        return;
    }
    m = &moods[mood_of(c, i->word)];
    if (m->odds && !random_number(c, m->odds)) {
        more = random_number(c, timing->latency * m->factor + m->cycles + 1);
        timing->latency += more;
        timing->occupancy += m->queues && may_queue(i->word) ? 0 : more;
    }
}

/* An instruction on ADCs that did not fly would only end the flights before. */
static bool always_flies(const TensixCore *c, uint32_t word)
{
    uint32_t port = tensix_port(word);

    return port == TENSIX_UNIT_MISC ||
           c->s.order.mood[port] == TENSIX_MOOD_LATE ||
           c->s.order.mood[port] == TENSIX_MOOD_SLOW;
}

bool tensix_seeds_fly(TensixCore *c, uint32_t word)
{
    if (!c->s.order.rng || c->reports_hazards || !tensix_flight_may(word)) {
        return false;
    }
    return c->delays ? tensix_delays_fly(c, word)
                     : always_flies(c, word) || random_number(c, 2);
}

uint64_t tensix_seeds_next(const TensixCore *c, uint64_t next)
{
    const TensixOrder *o = &c->s.order;

    for (uint32_t n = 0; o->rng && n < TENSIX_PUSHERS; n++) {
        if (o->held_until[n] > o->cycle && o->held_until[n] < next) {
            next = o->held_until[n];
        }
    }
    return c->delays ? tensix_late_next(c, next) : next;
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
            c->signals.changed |= TENSIX_CHANGED_FIFO;
        }
    }
}

bool tensix_held_back(TensixCore *c, uint32_t thread, uint32_t word,
                      TensixOrigin origin)
{
    if (c->delays) {
        tensix_delays_push(c, thread, word, origin);
    }
    return c->s.order.rng &&
           c->s.order.held_until[origin.hart] > c->s.order.cycle;
}

static void hold_hart(TensixCore *c, uint32_t hart, uint32_t cycles)
{
    c->s.order.held_until[hart] =
        c->s.order.cycle + 1 + random_number(c, cycles);
}

static void change_pace(TensixCore *c, uint32_t hart)
{
    static const uint8_t paces[] = {
        TENSIX_PACE_AT_ONCE, TENSIX_PACE_AT_ONCE, TENSIX_PACE_AT_ONCE,
        TENSIX_PACE_AT_ONCE, TENSIX_PACE_AT_ONCE, TENSIX_PACE_AT_ONCE,
        TENSIX_PACE_AT_ONCE, TENSIX_PACE_AT_ONCE, TENSIX_PACE_AT_ONCE,
        TENSIX_PACE_EVEN, TENSIX_PACE_SLOW, TENSIX_PACE_LAGGING,
    };

    c->s.order.pace[hart] = paces[random_number(c, sizeof(paces))];
    if (!random_number(c, HOLD_ODDS)) {
        hold_hart(c, hart, HOLD_CYCLES);
    }
}

uint32_t tensix_entry_budget(TensixCore *c, uint32_t hart)
{
    if (!c->s.order.rng) {
        return TENSIX_ENTRY_BUDGET;
    }
    if (c->delays) {
        return DELAYS_PACE;
    }
    if (c->s.order.pace[hart] == TENSIX_PACE_NONE ||
        !random_number(c, REDRAW_ODDS)) {
        change_pace(c, hart);
    } else if (c->s.order.pace[hart] == TENSIX_PACE_LAGGING &&
               random_number(c, 2)) {
        hold_hart(c, hart, LAG_CYCLES);
    }
    return random_number(c, pace_cycles[c->s.order.pace[hart]] + 1);
}
