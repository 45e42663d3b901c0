/*
 * Vector Unit: which LRegs an instruction reads and writes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_VECTOR_LREGS_H
#define TENSIX_VECTOR_LREGS_H

#include "observe/lregs.h"
#include "vector/vector.h"

enum {
    VECTOR_MOVES = 2,
    VECTOR_INDIRECT = 1u << 31,    /* those that LReg[7] names */
};

/*
 * Column LRegs of vector_table.h.inc, for one instruction: a bit a register,
 * 0..16, or VECTOR_INDIRECT.
 */
typedef struct TensixVectorUse {
    uint32_t seen, hidden;         /* read; the stalling logic knows, or not */
    uint32_t also_seen;            /* as if read, by the stalling logic; */
    uint32_t also_hidden;          /* nothing is made of either */
    uint32_t writes;
    uint32_t moves[VECTOR_MOVES];  /* groups in which values change places */
    TensixHazardRule rule;         /* of the hidden ones, or HAZARD_NONE */
    bool all_lanes;                /* acts in lanes that are not enabled, too */
    bool other_lanes;              /* reads lanes other than it writes */
    bool configures;               /* VD is no LReg, and has no backdoor */
    bool sets_flags;               /* serves to set lane flags */
} TensixVectorUse;

TensixVectorUse tensix_vector_use(const TensixVectorOp *op);

/* LRegs that LReg[7] names in these lanes. */
uint32_t tensix_vector_indirect(const TensixVectorUnit *vu, uint32_t lanes);

/*
 * A bit a register, 0..16.  Values of the registers of a group that moves change
 * places, and nothing is made of them.
 */
typedef struct TensixVectorLregs {
    uint32_t reads, writes;
    uint32_t moves[VECTOR_MOVES];
    uint32_t lanes;                /* in which it acts */
    bool other_lanes;              /* and reads others, too */
    bool configures;               /* or may, by the backdoor */
} TensixVectorLregs;

/*
 * Those of op, as LReg[7] (for indirect operands), lane flags and LaneConfig are
 * now.  Results, flags or Dst depend on what is read; constants are among that.
 */
TensixVectorLregs tensix_vector_lregs(const TensixVectorUnit *vu,
                                      const TensixVectorOp *op);

/* The LRegs of the word, or NULL: they are not known, or depend on the state. */
static inline const TensixKnownLregs *tensix_vector_known(const TensixCore *c,
                                                          uint32_t word)
{
    const TensixKnownLregs *known;

    if (!c->observer || c->s.vu.lane_config_any ||
        tensix_vector_off(&c->s.vu) == VECTOR_ALL_LANES) {
        return NULL;
    }
    known = tensix_known_at(c->observer, word);
    return known->word == word ? known : NULL;
}

/*
 * op is going to be executed: observers are notified.  The second one does that,
 * or nothing (false), for a word whose LRegs are known and with which no lane's
 * state matters now.
 */
void tensix_vector_note_lregs(TensixCore *c, const TensixVectorOp *op);
bool tensix_vector_note_known(TensixCore *c, uint32_t word);

#endif
