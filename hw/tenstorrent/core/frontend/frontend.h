/*
 * Front end: what its own files, and views, share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_FRONTEND_H
#define TENSIX_FRONTEND_H

#include "tensix_internal.h"

/*
 * Functions by opcode, of this build of the units; NULL: no such opcode.  The
 * second half is for the time while SFPLOADMACRO has instructions under way,
 * which is TensixMacro.active: all are tensix_vector_exec_busy().
 */
extern TensixExecTable tensix_exec_table[2]
    TENSIX_ISA_SYMBOL("tensix_exec_table");

/* The tables of the other builds, for the one who chooses.  (isa.c) */
extern TensixExecTable tensix_exec_table_avx2[2];
extern TensixExecTable tensix_exec_table_avx512[2];

/* Runs the instruction's row; RETRY leaves c->s as it was. */
TensixResult tensix_execute(TensixCore *c, const TensixInsn *i);

/* Next word behind the MOP expander, or false.  (mop.c) */
bool tensix_mop_pull(TensixCore *c, uint32_t thread, TensixInsn *out);

/* Next word behind the REPLAY expander, or false.  (replay.c) */
bool tensix_replay_pull(TensixCore *c, uint32_t thread, TensixInsn *out);

/* Do the latched wait's conditions still hold?  Forgets it if not. (gate.c) */
bool tensix_gate_wait_holds(TensixCore *c, uint32_t thread);

/* May an instruction of this opcode pass the thread's gate now?  (gate.c) */
bool tensix_gate_blocks(TensixCore *c, uint32_t thread, uint32_t opcode);

/*
 * Random schedules (flight.c).  May: this word's unit starts flights.  Start: i
 * has passed the gate and is executed in cycle `due`, or before if it gets in
 * the way; false, and nothing done, if it must be executed now.  In the way: the
 * thread whose oldest instruction under way has to be over before i may be
 * executed, or TENSIX_THREADS.  Finish: executes that; false if there is none
 * or it cannot go on.  Land: executes all that are due, and says how many; or
 * all, before somebody outside changes what they go by.
 */
bool tensix_flight_may(uint32_t word);
bool tensix_flight_start(TensixCore *c, const TensixInsn *i, uint64_t due);
uint32_t tensix_flight_in_the_way(const TensixCore *c, const TensixInsn *i);
bool tensix_flight_finish(TensixCore *c, uint32_t thread);
uint32_t tensix_flight_land(TensixCore *c);
void tensix_flight_land_all(TensixCore *c);

/* Has the thread something under way that gives a bank of Src away? */
bool tensix_flight_flips_banks(const TensixCore *c, uint32_t thread);

/* Conditions of STALLWAIT that the thread's, or any thread's, units hold. */
uint32_t tensix_unit_conditions(const TensixCore *c, uint32_t thread);

/* What instructions use before any RESOURCEDECL.  (ttsync.c) */
void tensix_ttsync_reset(TensixState *s);

/* The last step of an iteration of either MOP template: migration checks it. */
enum { TENSIX_MOP_LAST_SLOT = 4 };

static inline bool tensix_fifo_empty(const TensixFifo *f)
{
    return f->count == 0;
}

bool tensix_fifo_push(TensixFifo *f, const TensixInsn *insn);
TensixInsn tensix_fifo_pop(TensixFifo *f);
const TensixInsn *tensix_fifo_peek(const TensixFifo *f, uint32_t position);

#endif
