/*
 * Vector Unit: which LRegs an instruction reads and writes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_VECTOR_LREGS_H
#define TENSIX_VECTOR_LREGS_H

#include "vector/vector.h"

enum { VECTOR_MOVES = 2 };

/*
 * A bit a register, 0..16.  Values of the registers of a group that moves change
 * places, and nothing is made of them.
 */
typedef struct TensixVectorLregs {
    uint32_t reads, writes;
    uint32_t moves[VECTOR_MOVES];
} TensixVectorLregs;

/*
 * Those of op, as LReg[7] (for indirect operands), lane flags and LaneConfig are
 * now.  Results, flags or Dst depend on what is read; constants are among that.
 */
TensixVectorLregs tensix_vector_lregs(const TensixVectorUnit *vu,
                                      const TensixVectorOp *op);

/* op is going to be executed: observers are told. */
void tensix_vector_note_lregs(TensixCore *c, const TensixVectorOp *op);

#endif
