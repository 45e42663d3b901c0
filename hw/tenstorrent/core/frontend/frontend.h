/*
 * Front end: what its own files, hart_access and views share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_FRONTEND_H
#define TENSIX_FRONTEND_H

#include "record/fresh.h"
#include "tensix_internal.h"

/*
 * Functions by opcode, of this build of the units; NULL: no such opcode.  [1]
 * is in use while TensixMacro.active is set, that is while SFPLOADMACRO has
 * instructions under way: all its functions call tensix_vector_exec_busy().
 */
extern TensixExecTable tensix_exec_table[2]
    TENSIX_ISA_SYMBOL("tensix_exec_table");

/* The tables of the other builds, for tensix_set_isa().  (isa.c) */
extern TensixExecTable tensix_exec_table_avx2[2];
extern TensixExecTable tensix_exec_table_avx512[2];

/* Those of the builds for observers: all functions are the same. (exec_table.c) */
extern TensixExecTable tensix_exec_table_observed[2];
extern TensixExecTable tensix_exec_table_observed_avx2[2];
extern TensixExecTable tensix_exec_table_observed_avx512[2];

/* The best build that the host can run, unless one is chosen.  (isa.c) */
void tensix_choose_isa(TensixCore *c);

/*
 * tensix_run() after a push, which has changed nothing for threads that wait for
 * a change: they are not asked again.  (schedule.c)
 */
void tensix_run_pushed(TensixCore *c, uint32_t thread, uint32_t budget);

/*
 * Pushes a word of the Vector Unit beside a delay and passes so many cycles,
 * without a turn of the other threads where they all wait for a change, which it
 * does not bring.  False: nothing has happened.
 */
bool tensix_run_word(TensixCore *c, const TensixInsn *i, uint32_t cycles);

/* Runs the instruction's row; RETRY leaves c->s as it was. */
TensixResult tensix_execute(TensixCore *c, const TensixInsn *i);

/* The same of an opcode that exists, whose unit is not held in reset. */
static inline TensixResult tensix_execute_again(TensixCore *c,
                                                const TensixInsn *i,
                                                uint32_t unit)
{
    const TensixEvent *event =
        tensix_record_fresh(&c->record, TENSIX_EVENT_EXECUTE, i, 0);
    TensixResult result = c->derived.exec[i->word >> 24](c, i);

    if (result == TENSIX_RETRY) {
        tensix_record_undo(&c->record, &event->insn);
    }
    c->s.executed[unit] += result == TENSIX_DONE;
    return result;
}

/* Is there a word or an expansion before the REPLAY expander? */
static inline bool tensix_has_words(const TensixThread *t)
{
    return t->fifo.count | t->post_fifo.count | t->mop.phase;
}

/* Next word from the MOP expander, or false.  (mop.c) */
bool tensix_mop_pull(TensixCore *c, uint32_t thread, TensixInsn *out);

/*
 * Fast path of tensix_replay_pull(): `out` holds the last word pulled, and the MOP
 * yields it again.  False: it may not, and nothing has changed.
 */
static inline bool tensix_mop_repeat(TensixCore *c, uint32_t thread,
                                     TensixInsn *out)
{
    TensixThread *t = &c->s.thread[thread];

    if (!c->derived.repeats[thread] || t->post_fifo.count) {
        return false;
    }
    c->derived.repeats[thread]--;
    t->mop.inner++;
    out->mop_position = t->mop.emitted++;
    out->valid = 1;
    return true;
}

/* Next word from the REPLAY expander, or false.  (replay.c) */
bool tensix_replay_pull(TensixCore *c, uint32_t thread, TensixInsn *out);

/* Does the wait that is latched still hold?  Drops the wait if not.  (gate.c) */
bool tensix_gate_ask(TensixCore *c, uint32_t thread);

/* The same, if any is latched. */
static inline bool tensix_gate_wait_holds(TensixCore *c, uint32_t thread)
{
    return c->s.thread[thread].gate.opcode && tensix_gate_ask(c, thread);
}

/* Does the latched wait hold back instructions of this opcode?  (gate.c) */
bool tensix_gate_blocks(TensixCore *c, uint32_t thread, uint32_t opcode);

/* --- random schedules: instructions past the gate (flight.c) --- */

/* Can this word's instruction fly at all? */
bool tensix_flight_may(uint32_t word);

/*
 * i has passed the gate and is executed in cycle `due`, or earlier if it gets
 * in the way of another one.  False, and nothing done: i must be executed now.
 */
bool tensix_flight_start(TensixCore *c, const TensixInsn *i, uint64_t due);

/* The thread whose oldest flight must end before i, or TENSIX_THREADS. */
uint32_t tensix_flight_in_the_way(const TensixCore *c, const TensixInsn *i);

/* Ends the thread's oldest flight; false: there is none, or it cannot end. */
bool tensix_flight_finish(TensixCore *c, uint32_t thread);

/* Is any instruction in flight? */
static inline bool tensix_flight_any(const TensixCore *c)
{
    return c->s.thread[0].flight.count | c->s.thread[1].flight.count |
           c->s.thread[2].flight.count;
}

/* Ends all flights that are due, and says how many. */
uint32_t tensix_flight_land(TensixCore *c);

/* The cycle of the first flight's end, if that is before next. */
uint64_t tensix_flight_next(const TensixCore *c, uint64_t next);

/*
 * Ends all flights: an agent outside the core will change what they depend on.
 */
void tensix_flight_land_all(TensixCore *c);

/* Has the thread a flight that gives a bank of Src away? */
bool tensix_flight_flips_banks(const TensixCore *c, uint32_t thread);

/* STALLWAIT's conditions C<n> that busy units keep true. */
uint32_t tensix_unit_conditions(const TensixCore *c, uint32_t thread);

/* What instructions use before any RESOURCEDECL.  (ttsync.c) */
void tensix_ttsync_reset(TensixState *s);

/* The last step of an iteration of either MOP template (state_valid.c). */
enum { TENSIX_MOP_LAST_SLOT = 4 };

static inline bool tensix_fifo_empty(const TensixFifo *f)
{
    return f->count == 0;
}

bool tensix_fifo_push(TensixFifo *f, const TensixInsn *insn);

/* The FIFO is not empty. */
static inline void tensix_fifo_pop(TensixFifo *f, TensixInsn *out)
{
    tensix_copy_fresh(out, &f->entry[f->head]);
    f->head = (f->head + 1) % TENSIX_FIFO_DEPTH;
    f->count--;
}

#endif
