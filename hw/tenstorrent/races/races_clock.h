/*
 * Clocks: what has happened before a moment of a tile's program.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A chain is a sequence of events that happen one after the other: the program
 * of a hart, its stores to one kind of register, the issue of a thread's
 * instructions, their completion by one unit.  A clock says for each chain how
 * many of its events have happened before.  An access has a place in one chain,
 * so a comparison of two numbers decides whether it has ended (vector clocks
 * and epochs, as in FastTrack, Flanagan and Freund 2009).
 */

#ifndef TENSIX_RACES_CLOCK_H
#define TENSIX_RACES_CLOCK_H

#include "hw/tenstorrent/core/tensix_core.h"

/* Units that are busy with an instruction after its issue. */
typedef enum RaceUnit {
    RACE_SCALAR,
    RACE_UNPACK0,
    RACE_UNPACK1,
    RACE_PACK,
    RACE_MATRIX,
    RACE_VECTOR,
    RACE_CONFIG,                   /* STREAMWRCFG alone */
    RACE_MOVER,
    RACE_EXPONENTS,                /* what the packer reads of Dest for them */
    RACE_UNITS,                    /* none: over when it is issued */
} RaceUnit;

enum {
    RACE_HART,                     /* + hart: its loads, stores and pushes */
    RACE_EXPANDED = RACE_HART + TENSIX_HART_NONE,
                                   /* + thread: words of its T hart's FIFO */
    RACE_ISSUE = RACE_EXPANDED + TENSIX_THREADS,       /* + thread */
    RACE_STEPS = RACE_ISSUE + TENSIX_THREADS,
                                   /* the chains before move with each word */
    RACE_GPR_STORE = RACE_STEPS,   /* + hart */
    RACE_CONFIG_STORE = RACE_GPR_STORE + TENSIX_HART_NONE,
    /* + hart * TENSIX_NOC_CHANNELS + channel: requests */
    RACE_NOC = RACE_CONFIG_STORE + TENSIX_HART_NONE,
    RACE_REMOTE = RACE_NOC + TENSIX_HART_NONE * TENSIX_NOC_CHANNELS,
                                   /* other tiles' writes */
    RACE_TDMA,                     /* what its commands write, for any hart */
    RACE_DONE,                     /* + thread * RACE_UNITS + unit */
    RACE_CHAINS = RACE_DONE + TENSIX_THREADS * RACE_UNITS,
    RACE_LANES = 4,                /* chains that are joined at once */
};

static inline uint32_t race_noc_chain(uint32_t hart, uint32_t channel)
{
    return RACE_NOC + hart * TENSIX_NOC_CHANNELS + channel;
}

static inline uint32_t race_done_chain(uint32_t thread, RaceUnit unit)
{
    return RACE_DONE + thread * RACE_UNITS + unit;
}

typedef struct RaceClock {
    /* events of the chain that happened before; the last lanes may be unused */
    uint32_t at[ROUND_UP(RACE_CHAINS, RACE_LANES)];
} RaceClock;

/* GCC makes no vectors at -O2 of a loop whose two clocks might overlap. */
typedef uint32_t RaceLanes
    __attribute__((vector_size(RACE_LANES * sizeof(uint32_t)),
                   aligned(sizeof(uint32_t)), may_alias));

static inline void race_join_first(RaceClock *clock, const RaceClock *other,
                                   unsigned chains)
{
    for (unsigned n = 0; n < chains; n += RACE_LANES) {
        RaceLanes *to = (RaceLanes *)&clock->at[n];
        RaceLanes a = *to, b = *(const RaceLanes *)&other->at[n];
        RaceLanes later = (RaceLanes)(a > b);

        *to = (a & later) | (b & ~later);
    }
}

static inline void race_join(RaceClock *clock, const RaceClock *other)
{
    race_join_first(clock, other, RACE_CHAINS);
}

/* Of a clock whose other chains are known to be in the first one. */
static inline void race_join_steps(RaceClock *clock, const RaceClock *other)
{
    race_join_first(clock, other, RACE_STEPS);
}

static inline void race_join_chain(RaceClock *clock, uint32_t chain,
                                   uint32_t count)
{
    clock->at[chain] = MAX(clock->at[chain], count);
}

/* Where in its chain an access is, and which source line made it. */
typedef struct RaceAccess {
    uint32_t place;                /* race_place(); 0: there was none */
    uint32_t count;                /* of the chain, when the access has ended */
    uint32_t issue;                /* of its thread; 0: no instruction's */
    uint8_t chain;
    uint8_t thread;
    uint8_t unit;                  /* RaceUnit */
} RaceAccess;

static inline bool race_has_ended(const RaceAccess *a, const RaceClock *clock)
{
    return clock->at[a->chain] >= a->count;
}

static inline bool race_has_issued(const RaceAccess *a, const RaceClock *clock)
{
    return a->issue && clock->at[RACE_ISSUE + a->thread] >= a->issue;
}

#endif
