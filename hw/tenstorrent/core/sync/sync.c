/*
 * Sync Unit: mutexes, semaphores, and the instructions that latch a wait.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SyncUnit.md and the instructions' pages.  gate.c evaluates what is
 * latched here.
 */

#include "config/config.h"
#include "decode/conditions.h"
#include "derived/update.h"
#include "observe/note.h"
#include "record/current.h"
#include "record/fresh.h"
#include "regs/regfile.h"
#include "tensix_internal.h"

/* Mutexes 0, 2, 3 and 4 exist (BH ATGETM.md). */
static bool mutex_exists(uint32_t index)
{
    return index != 1 && index < TENSIX_MUTEXES;
}

/* owner: thread + 1, or 0 */
static void set_owner(TensixCore *c, uint32_t index, uint32_t owner)
{
    c->s.mutex_owner[index] = owner;
    tensix_note_write(c, TENSIX_SPACE_MUTEX, index, 1);
    if (c->record.all) {
        tensix_record(&c->record, MUTEX, index, owner);
    }
}

/*
 * ATGETM: waits at the gate until no other thread holds the mutex, then holds
 * it; for ever if there is no such mutex.
 */
TensixResult tensix_exec_ATGETM(TensixCore *c, const TensixInsn *i)
{
    uint32_t index = OPERAND(i, ATGETM, mutex_index);
    uint32_t owner = i->thread + 1;

    if (!mutex_exists(index) ||
        (c->s.mutex_owner[index] && c->s.mutex_owner[index] != owner)) {
        return tensix_retry(c, i, TENSIX_WAIT_MUTEX, index);
    }
    set_owner(c, index, owner);
    return TENSIX_DONE;
}

/*
 * Is the thread's ATGETM at its gate, held by nothing but the mutex?
 * One that a latched wait still holds is not yet trying to acquire.
 */
static bool requests_mutex(const TensixCore *c, uint32_t thread, uint32_t index)
{
    const TensixGate *g = &c->s.thread[thread].gate;

    return g->pending.valid && g->pending.word >> 24 == TENSIX_OP_ATGETM &&
           TENSIX_FIELD(g->pending.word, ATGETM, mutex_index) == index &&
           g->wait_reason == TENSIX_WAIT_MUTEX;
}

/*
 * ATRELM: gives the mutex up if this thread holds it; the next thread round
 * the ring that waits for it becomes its owner.  Waits for ever if there is no
 * such mutex.
 */
TensixResult tensix_exec_ATRELM(TensixCore *c, const TensixInsn *i)
{
    uint32_t index = OPERAND(i, ATRELM, mutex_index);

    if (!mutex_exists(index)) {
        return tensix_retry(c, i, TENSIX_WAIT_MUTEX, index);
    }
    if (c->s.mutex_owner[index] != i->thread + 1) {
        return TENSIX_DONE;
    }
    set_owner(c, index, 0);
    for (uint32_t n = 1; n < TENSIX_THREADS; n++) {
        uint32_t next = (i->thread + n) % TENSIX_THREADS;

        if (requests_mutex(c, next, index)) {
            set_owner(c, index, next + 1);
            break;
        }
    }
    c->signals.changed |= TENSIX_CHANGED_MUTEX;
    return TENSIX_DONE;
}

typedef void SemaphoreOp(TensixState *s, uint32_t index, const TensixInsn *i);

/* Does op on the semaphores of SemaphoreMask, all at once. */
static TensixResult each_semaphore(TensixCore *c, const TensixInsn *i,
                                   SemaphoreOp *op)
{
    _Static_assert(TENSIX_SEMAPHORES == 8, "sem_sel has a bit for each");
    for (uint32_t left = OPERAND(i, SEMINIT, sem_sel); left; left &= left - 1) {
        uint32_t n = __builtin_ctz(left);

        op(&c->s, n, i);
        tensix_note_write(c, TENSIX_SPACE_SEMAPHORE, n, 1);
        tensix_record_semaphore(c, n);
    }
    c->signals.changed |= TENSIX_CHANGED_SEMAPHORE;
    return TENSIX_DONE;
}

static void semaphore_init(TensixState *s, uint32_t index, const TensixInsn *i)
{
    TensixSemaphoreUse *use = &s->semaphore_use[index];

    s->semaphore[index].value = OPERAND(i, SEMINIT, init_value);
    s->semaphore[index].max = OPERAND(i, SEMINIT, max_value);
    *use = (TensixSemaphoreUse) {
        .inits = use->inits + 1, .init = i->origin,
        .initial = s->semaphore[index].value,
        .lost_posts = use->lost_posts, .lost_post = use->lost_post,
        .lost_gets = use->lost_gets, .lost_get = use->lost_get,
    };
}

static void semaphore_post(TensixState *s, uint32_t index, const TensixInsn *i)
{
    tensix_semaphore_post(s, index, &i->origin);
}

static void semaphore_get(TensixState *s, uint32_t index, const TensixInsn *i)
{
    tensix_semaphore_get(s, index, &i->origin);
}

/* SEMINIT: value and max of the selected semaphores := 4-bit operands. */
TensixResult tensix_exec_SEMINIT(TensixCore *c, const TensixInsn *i)
{
    return each_semaphore(c, i, semaphore_init);
}

/* SEMPOST: selected values + 1, at most 15, whatever their max. */
TensixResult tensix_exec_SEMPOST(TensixCore *c, const TensixInsn *i)
{
    return each_semaphore(c, i, semaphore_post);
}

/* SEMGET: selected values - 1, at least 0. */
TensixResult tensix_exec_SEMGET(TensixCore *c, const TensixInsn *i)
{
    return each_semaphore(c, i, semaphore_get);
}

/*
 * The thread's gate, holding the wait instruction i: opcode, block mask and
 * where it came from are set, the rest is 0.
 */
static TensixGate *latch(TensixCore *c, const TensixInsn *i, uint32_t opcode)
{
    TensixGate *g = &c->s.thread[i->thread].gate;
    uint32_t block = OPERAND(i, STALLWAIT, stall_res);

    g->opcode = opcode;
    g->block_mask = block ? block : DEFAULT_BLOCK;
    g->condition_mask = 0;
    g->semaphore_mask = 0;
    g->stream_select = 0;
    g->target = 0;
    tensix_copy_fresh(&g->latched, i);
    tensix_mark_busy(c, i->thread);    /* later words meet the gate */
    tensix_trace(c, TENSIX_TRACE_LATCH, i);
    return g;
}

/* STALLWAIT: holds back chosen kinds of instructions until conditions C0..C12 end. */
TensixResult tensix_exec_STALLWAIT(TensixCore *c, const TensixInsn *i)
{
    uint32_t conditions = OPERAND(i, STALLWAIT, wait_res);

    latch(c, i, TENSIX_OP_STALLWAIT)->condition_mask =
        conditions ? conditions : DEFAULT_CONDITIONS;
    return TENSIX_DONE;
}

/*
 * SEMWAIT: waits while a selected semaphore is 0 (C0) or at its max (C1); that
 * is decided by frontend/gate.c, from what is latched here.
 * No condition is undefined; an earlier text of the page makes it STALLWAIT's
 * default, which no unit ever keeps waiting here.
 */
TensixResult tensix_exec_SEMWAIT(TensixCore *c, const TensixInsn *i)
{
    uint32_t conditions = OPERAND(i, SEMWAIT, wait_sem_cond);
    TensixGate *g;

    if (!conditions) {
        latch(c, i, TENSIX_OP_STALLWAIT)->condition_mask = DEFAULT_CONDITIONS;
        return tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                                "SEMWAIT without a condition");
    }
    g = latch(c, i, TENSIX_OP_SEMWAIT);
    g->condition_mask = conditions;
    g->semaphore_mask = OPERAND(i, SEMWAIT, sem_sel);
    return TENSIX_DONE;
}

/*
 * STREAMWAIT: waits while a register of a NoC overlay stream is below a target
 * of which the instruction has ten bits and ThreadConfig the rest; gate.c
 * decides.
 */
TensixResult tensix_exec_STREAMWAIT(TensixCore *c, const TensixInsn *i)
{
    enum { TARGET_LOW_BITS = 10 };
    uint32_t condition = OPERAND(i, STREAMWAIT, target_sel);
    uint32_t high = condition
                        ? THREAD_CFG_GET(c, i->thread,
                                         STREAMWAIT_NUM_MSGS_HI_Val)
                        : THREAD_CFG_GET(c, i->thread, STREAMWAIT_PHASE_HI_Val);
    TensixGate *g = latch(c, i, TENSIX_OP_STREAMWAIT);

    g->condition_mask = 1u << condition;
    g->stream_select = OPERAND(i, STREAMWAIT, wait_stream_sel);
    g->target = high << TARGET_LOW_BITS | OPERAND(i, STREAMWAIT, target_value);
    return TENSIX_DONE;
}
