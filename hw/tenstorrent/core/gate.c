/*
 * Wait gate: one latched wait per thread, and which instructions it holds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH STALLWAIT.md, SEMWAIT.md, STREAMWAIT.md.  With the eager schedule units
 * finish an instruction before the next one starts, so that the conditions
 * that ask whether a unit is still at work (C0 to C4, C9 to C12) are always
 * met.  With a random schedule C1 to C4 and C11 may hold (flight.c).
 */

#include "tensix_internal.h"

enum {
    ALL_BLOCK_BITS = 0x1ff,

    COND_SRCA_UNPACK = 1 << 5,     /* C5: unpacker 0's bank is not its own */
    COND_SRCB_UNPACK = 1 << 6,
    COND_SRCA_MATRIX = 1 << 7,     /* C7: Matrix Unit's bank is not its own */
    COND_SRCB_MATRIX = 1 << 8,

    SEM_WAIT_WHILE_ZERO = 1 << 0,
    SEM_WAIT_WHILE_MAX = 1 << 1,

    COND_STREAM_PHASE = 1 << 0,    /* STREAMWAIT's C0; else C1, messages */
};

static bool bank_condition_holds(const TensixState *s, uint32_t mask)
{
    return ((mask & COND_SRCA_UNPACK) &&
            s->src_client[TENSIX_SRCA][s->unpack_bank[TENSIX_SRCA]] !=
            TENSIX_CLIENT_UNPACKERS) ||
           ((mask & COND_SRCB_UNPACK) &&
            s->src_client[TENSIX_SRCB][s->unpack_bank[TENSIX_SRCB]] !=
            TENSIX_CLIENT_UNPACKERS) ||
           ((mask & COND_SRCA_MATRIX) &&
            s->src_client[TENSIX_SRCA][s->matrix_bank[TENSIX_SRCA]] !=
            TENSIX_CLIENT_MATRIX_UNIT) ||
           ((mask & COND_SRCB_MATRIX) &&
            s->src_client[TENSIX_SRCB][s->matrix_bank[TENSIX_SRCB]] !=
            TENSIX_CLIENT_MATRIX_UNIT);
}

static bool semaphore_condition_holds(const TensixState *s, const TensixGate *g)
{
    for (int i = 0; i < TENSIX_SEMAPHORES; i++) {
        const TensixSemaphore *sem = &s->semaphore[i];

        if (!(g->semaphore_mask & (1u << i))) {
            continue;
        }
        if ((g->condition_mask & SEM_WAIT_WHILE_ZERO) && sem->value == 0) {
            return true;
        }
        if ((g->condition_mask & SEM_WAIT_WHILE_MAX) &&
            sem->value >= sem->max) {
            return true;
        }
    }
    return false;
}

/* The stream is looked up at each look, the target was latched. */
static bool stream_condition_holds(const TensixCore *c, uint32_t thread)
{
    const TensixGate *g = &c->s.thread[thread].gate;
    uint32_t number = g->condition_mask & COND_STREAM_PHASE
                      ? TENSIX_STREAM_CURR_PHASE
                      : TENSIX_STREAM_NUM_MSGS_RECEIVED;

    return c->host.stream_read &&
           c->host.stream_read(c->host.opaque,
                               tensix_sync_stream(c, thread, g->stream_select),
                               number * sizeof(uint32_t)) < g->target;
}

static bool condition_holds(const TensixCore *c, uint32_t thread)
{
    const TensixGate *g = &c->s.thread[thread].gate;

    switch (g->opcode) {
    case TENSIX_OP_STALLWAIT:
        return bank_condition_holds(&c->s, g->condition_mask) ||
               (g->condition_mask & tensix_flight_conditions(&c->s, thread));
    case TENSIX_OP_SEMWAIT:
        return semaphore_condition_holds(&c->s, g);
    case TENSIX_OP_STREAMWAIT:
        return stream_condition_holds(c, thread);
    default:
        return false;
    }
}

bool tensix_gate_wait_holds(TensixCore *c, uint32_t thread)
{
    TensixGate *g = &c->s.thread[thread].gate;

    if (!g->opcode) {
        return false;
    }
    if (condition_holds(c, thread)) {
        return true;
    }
    g->opcode = 0;
    c->changed |= TENSIX_CHANGED_GATE;
    return false;
}

bool tensix_gate_blocks(TensixCore *c, uint32_t thread, uint32_t opcode)
{
    const TensixGate *g = &c->s.thread[thread].gate;

    if (opcode == TENSIX_OP_NOP) {
        return g->block_mask == ALL_BLOCK_BITS;
    }
    return g->block_mask & tensix_insns[opcode].block;
}
