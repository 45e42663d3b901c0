/*
 * Wait gate: one latched wait per thread, and which instructions it holds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH STALLWAIT.md, SEMWAIT.md, STREAMWAIT.md.  Whether a unit is still busy (C0
 * to C4, C9, C11, C12) depends on cycles (schedule.c); while only one thread
 * has work, cycles are not counted and no unit is ever busy.
 */

#include "regs/regfile.h"
#include "config/config.h"
#include "decode/conditions.h"
#include "frontend/delays.h"
#include "frontend/frontend.h"

/* Do the unpackers lack their current bank of Src? */
static bool unpackers_lack(const TensixCore *c, uint32_t src)
{
    return !tensix_src_owned_by(c, src, c->s.unpack_bank[src],
                                TENSIX_CLIENT_UNPACKERS);
}

static bool matrix_unit_lacks(const TensixCore *c, uint32_t src)
{
    return !tensix_src_owned_by(c, src, c->s.matrix_bank[src],
                                TENSIX_CLIENT_MATRIX_UNIT);
}

/*
 * Current banks are known once the thread's own instructions that flip them
 * have ended (random schedules).
 */
static bool bank_condition_holds(const TensixCore *c, uint32_t thread,
                                 uint32_t mask)
{
    if ((mask & COND_BANKS) && tensix_flight_flips_banks(c, thread)) {
        return true;
    }
    return ((mask & COND_SRCA_UNPACK) && unpackers_lack(c, TENSIX_SRCA)) ||
           ((mask & COND_SRCB_UNPACK) && unpackers_lack(c, TENSIX_SRCB)) ||
           ((mask & COND_SRCA_MATRIX) && matrix_unit_lacks(c, TENSIX_SRCA)) ||
           ((mask & COND_SRCB_MATRIX) && matrix_unit_lacks(c, TENSIX_SRCB));
}

static bool is_busy(const TensixOrder *o, uint32_t thread, uint32_t port)
{
    return o->idle_at[thread][port] > o->cycle;
}

uint32_t tensix_unit_conditions(const TensixCore *c, uint32_t thread)
{
    static const struct {
        uint16_t condition;
        uint8_t port;
        bool any_thread;           /* else only what this thread started */
    } rows[] = {
        { COND_SCALAR_UNIT, TENSIX_UNIT_THCON, false },
        { COND_UNPACKER0, TENSIX_UNIT_UNPACK, false },
        { COND_UNPACKER1, TENSIX_PORT_UNPACK1, false },
        { COND_PACKER, TENSIX_UNIT_PACK, false },
        { COND_MATRIX_UNIT, TENSIX_UNIT_MATRIX, false },
        { COND_MOVER, TENSIX_UNIT_XMOV, true },
        { COND_VECTOR_UNIT, TENSIX_UNIT_VECTOR, false },
        { COND_CONFIG_UNIT, TENSIX_UNIT_CFG, true },
    };
    const TensixOrder *o = &c->s.order;
    /* all other accesses of harts are over at once */
    uint32_t conditions = c->delays && tensix_late_waits(
        c, TENSIX_HART_TRISC0 + thread) ? COND_HART : 0;

    if (o->quiet_at[0] <= o->cycle && o->quiet_at[1] <= o->cycle &&
        o->quiet_at[2] <= o->cycle) {
        return conditions;
    }
    for (unsigned n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
            if ((t == thread || rows[n].any_thread) &&
                is_busy(o, t, rows[n].port)) {
                conditions |= rows[n].condition;
            }
        }
    }
    return conditions;
}

static bool semaphore_condition_holds(const TensixState *s, const TensixGate *g)
{
    uint32_t all = (1u << TENSIX_SEMAPHORES) - 1;

    for (uint32_t left = g->semaphore_mask & all; left; left &= left - 1) {
        const TensixSemaphore *sem = &s->semaphore[__builtin_ctz(left)];

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

/* The stream is selected at each check, the target was latched. */
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

    switch (tensix_latch_of(g->opcode)) {
    case TENSIX_LATCH_CONDITIONS:
        return bank_condition_holds(c, thread, g->condition_mask) ||
               (g->condition_mask & tensix_unit_conditions(c, thread));
    case TENSIX_LATCH_SEMAPHORES:
        return semaphore_condition_holds(&c->s, g);
    default:
        return stream_condition_holds(c, thread);
    }
}

bool tensix_gate_ask(TensixCore *c, uint32_t thread)
{
    TensixGate *g = &c->s.thread[thread].gate;

    if (condition_holds(c, thread)) {
        return true;
    }
    g->opcode = 0;
    c->signals.changed |= TENSIX_CHANGED_GATE;
    return false;
}

bool tensix_gate_blocks(TensixCore *c, uint32_t thread, uint32_t opcode)
{
    return tensix_insn_held(opcode, c->s.thread[thread].gate.block_mask);
}
