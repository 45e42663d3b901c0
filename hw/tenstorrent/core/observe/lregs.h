/*
 * What units note of LRegs, where nothing depends on lanes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_LREGS_H
#define TENSIX_LREGS_H

#include "observe/observe.h"

/* Where the LRegs of a word are, if they are known: those of its `word`. */
static inline TensixKnownLregs *tensix_known_at(TensixObserver *o,
                                                uint32_t word)
{
    const uint32_t golden = 0x9e3779b1;

    return &o->known[(word * golden >> 16) % TENSIX_KNOWN_WORDS];
}

/* Where it stays: a copy of what has just been stored in parts is slow. */
static inline void tensix_set_instruction(TensixActor *by, const TensixInsn *i)
{
    by->event = 0;
    by->word = i->word;
    by->pc = i->origin.pc;
    by->mop_position = i->mop_position;
    by->replay_slot = i->replay_slot == TENSIX_NO_POSITION ? TENSIX_NO_SLOT
                                                           : i->replay_slot;
    by->hart = i->origin.hart;
    by->channel = 0;
    by->thread = i->thread;
    by->kind = TENSIX_BY_INSTRUCTION;
    by->tile_x = by->tile_y = 0;
}

/*
 * The same as tensix_observe_instruction() and tensix_observe_executed() for a
 * word whose LRegs are known, with an observer that has executed_lregs, while no
 * other agent is active.
 */
static inline void tensix_observe_known(TensixObserver *o, const TensixInsn *i)
{
    tensix_set_instruction(&o->by, i);
    o->by.event = ++o->events;
    o->insn = i;
}

void tensix_observe_known_executed(struct TensixCore *c,
                                   const TensixKnownLregs *known, bool done);

/* LRegs, a bit each, that an instruction reads and writes. */
void tensix_observe_lregs(TensixObserver *o, uint32_t read, uint32_t written);

/* What a hit shows of a cell of that size. */
void tensix_hit_values(TensixHit *hit, const uint8_t *old, const uint8_t *new,
                       uint32_t size);

#endif
