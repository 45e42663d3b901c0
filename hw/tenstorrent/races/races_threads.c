/*
 * Races: pushes, gates and units.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The instructions of a thread issue in order and end out of it.  A thread's
 * clock is what has happened before its next instruction issues: the push of
 * the instruction, those that issued before it, and what waits have seen end.
 * (WH TensixCoprocessor/README.md, WaitGate.md)
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/conditions.h"
#include "hw/tenstorrent/core/config/config_users.h"
#include "hw/tenstorrent/core/decode/traits.h"
#include "races_internal.h"

/* --- pushes --- */

static RaceQueue *queue_of(TensixRaces *r, uint32_t thread, uint32_t hart)
{
    return &r->thread[thread]
                .queue[hart == TENSIX_HART_BRISC ? RACE_BY_BRISC : RACE_BY_T];
}

/*
 * A clock for pushes from now on, unless the latest will do.  A hart whose push is
 * refused has nothing to join meanwhile: there are no more clocks than pushes.
 */
static void keep_clock(RaceQueue *queue, const RaceHart *hart)
{
    if (!queue->clocks || queue->clock_joins != hart->joins) {
        queue->clock[queue->clocks++ % RACE_PUSHES] = hart->now;
        queue->clock_joins = hart->joins;
    }
}

/* The latest words are not pushed after all, unless a restart has come since. */
static void take_back(RaceQueue *queue, uint32_t words)
{
    RacePush *latest = &queue->ring[(queue->pushes - 1) % RACE_PUSHES];

    if (queue->pushes) {
        latest->words -= words;
        queue->count -= words;
        queue->pushes -= !latest->words;
    }
}

void race_push(TensixRaces *r, const TensixPushEvent *push)
{
    RaceQueue *queue = queue_of(r, push->thread, push->origin.hart);
    RaceHart *hart = &r->hart[push->origin.hart];
    uint32_t count;

    if (push->refused) {
        take_back(queue, push->count);
        return;
    }
    race_l1_settle(r, push->origin.hart);
    count = ++hart->now.at[RACE_HART + push->origin.hart];
    keep_clock(queue, hart);
    queue->ring[queue->pushes++ % RACE_PUSHES] = (RacePush) {
        .pc = push->origin.pc, .word = push->word, .words = push->count,
        .number = queue->count + 1,
        .gpr_stores = hart->gpr_stores, .config_stores = hart->config_stores,
        .count = count, .joins = hart->joins, .clock = queue->clocks - 1,
        .hart = push->origin.hart,
    };
    queue->count += push->count;
}

/*
 * The push of the instruction, or of the MOP or REPLAY that yields it: the
 * latest from its pc that has left the FIFO.  NULL: none is known.
 */
static const RacePush *push_of(const RaceQueue *queue,
                               const TensixThread *thread, TensixOrigin origin)
{
    enum { EXPANDED = 8 };         /* words that expanders hold, at most */
    uint32_t waiting = origin.hart == TENSIX_HART_BRISC
                       ? thread->post_fifo.count : thread->fifo.count;

    for (uint32_t n = queue->pushes - MIN(waiting, queue->pushes), back = 0;
         n > 0 && back < EXPANDED; n--, back++) {
        const RacePush *push = &queue->ring[(n - 1) % RACE_PUSHES];

        if (origin.pc - push->pc < push->words * sizeof(push->word)) {
            return push;
        }
    }
    return NULL;
}

/* --- units --- */

/*
 * Of the Configuration Unit only STREAMWRCFG is waited for; that the others take
 * a cycle or two is a question of distances (hazards=on).
 */
static RaceUnit unit_of(uint32_t word)
{
    static const uint8_t of_port[TENSIX_PORTS] = {
        [0 ... TENSIX_PORTS - 1] = RACE_UNITS,
        [TENSIX_UNIT_THCON] = RACE_SCALAR,
        [TENSIX_UNIT_UNPACK] = RACE_UNPACK0,
        [TENSIX_PORT_UNPACK1] = RACE_UNPACK1,
        [TENSIX_UNIT_PACK] = RACE_PACK,
        [TENSIX_UNIT_MATRIX] = RACE_MATRIX,
        [TENSIX_UNIT_VECTOR] = RACE_VECTOR,
        [TENSIX_UNIT_XMOV] = RACE_MOVER,
    };

    return tensix_traits_of(word)->config == CONFIG_USE_LATE
           ? RACE_CONFIG : of_port[tensix_port(word)];
}

void race_thread_join(RaceThread *t, const RaceClock *clock)
{
    race_join(&t->now, clock);
    t->joins++;
}

RaceClock *race_own_clock(TensixRaces *r, RaceOp *op)
{
    if (op->clock != &r->own) {
        r->own = *op->clock;
        op->clock = &r->own;
    }
    return &r->own;
}

/* What has happened before an instruction has when its unit ends it. */
static void join_before(RaceThread *t, const RaceClock *clock, RaceUnit unit)
{
    bool is_now = clock == &t->now;

    if (is_now && t->done_joins[unit] == t->joins) {
        race_join_steps(&t->done[unit], clock);
        return;
    }
    race_join(&t->done[unit], clock);
    if (is_now) {
        t->done_joins[unit] = t->joins;
    }
}

static RaceAccess access_of(TensixRaces *r, const TensixExecuted *e)
{
    const TensixInsn *i = e->insn;
    RaceThread *t = &r->thread[i->thread];
    RaceUnit unit = unit_of(i->word);
    uint32_t issue = ++t->now.at[RACE_ISSUE + i->thread];
    RaceAccess a = {
        .place = race_place(r, e->by), .issue = issue, .thread = i->thread,
        .unit = unit, .chain = RACE_ISSUE + i->thread, .count = issue,
    };

    if (unit < RACE_UNITS) {
        a.chain = race_done_chain(i->thread, unit);
        a.count = ++t->done_count[unit];
    }
    return a;
}

/* The unit works in order: it has ended all that it began before. */
static void end_in_unit(TensixRaces *r, const RaceOp *op)
{
    RaceThread *t = &r->thread[op->access.thread];
    RaceUnit unit = op->access.unit;

    join_before(t, op->clock, unit);
    race_join_chain(&t->done[unit], op->access.chain, op->access.count);
}

/* --- instructions --- */

/* Accesses to L1 that were made while this instruction was executed. */
static void l1_accesses(TensixRaces *r, RaceOp *op)
{
    for (guint n = 0; n < r->bytes->len; n++) {
        const RaceBytes *b = &g_array_index(r->bytes, RaceBytes, n);

        if (b->event == op->by->event) {
            race_l1_access(r, op, b->address, b->size, b->writes);
        }
    }
    g_array_set_size(r->bytes, 0);
}

/* By the latched wait?  A second wait is, whatever the first one blocks. */
static bool is_held(uint32_t word, uint32_t wait)
{
    uint32_t block = TENSIX_FIELD(wait, STALLWAIT, stall_res) ?: DEFAULT_BLOCK;

    return tensix_latch_of(word >> 24) || tensix_insn_held(word >> 24, block);
}

/*
 * BH STALLWAIT.md says that C3 holds while any stage of the packer is active;
 * of exponents that are shared it does not, if Dest has 16 bits (tt-metal PR
 * 54157, issue 56073).
 */
static void begin_exponents(TensixRaces *r, RaceOp *op)
{
    RaceThread *t = &r->thread[op->access.thread];
    RaceClock *done = &t->done[RACE_EXPONENTS];

    if (op->access.unit == RACE_PACK &&
        tensix_packs_exponents(r->state, op->access.thread)) {
        op->exponents = ++t->done_count[RACE_EXPONENTS];
        race_join(done, op->clock);
        race_join_chain(done, race_done_chain(op->access.thread,
                                              RACE_EXPONENTS), op->exponents);
    }
}

/* All of it but what findings are. */
static void begin(RaceOp *op, const RaceClock *clock, const TensixExecuted *e)
{
    op->by = e->by;
    op->insn = e->insn;
    op->clock = clock;
    op->ends = NULL;
    op->flies = op->writes_dst = false;
    op->exponents = 0;
    op->findings = 0;
}

const RacePush *race_join_push(TensixRaces *r, uint32_t thread,
                               TensixOrigin origin)
{
    RaceQueue *queue = queue_of(r, thread, origin.hart);
    RaceThread *t = &r->thread[thread];
    const RacePush *push = push_of(queue, &r->state->thread[thread], origin);

    if (push && push->joins != queue->joins) {
        race_thread_join(t, &queue->clock[push->clock % RACE_PUSHES]);
        queue->joins = push->joins;
    }
    if (push) {
        race_join_chain(&t->now, RACE_HART + push->hart, push->count);
    }
    return push;
}

/* What orders it: its push, the gate, what issued before. */
static void issue(TensixRaces *r, const TensixExecuted *e, RaceOp *op)
{
    const TensixInsn *i = e->insn;
    RaceThread *t = &r->thread[i->thread];
    const RacePush *push;

    race_run_ends(r, i->thread);
    push = race_join_push(r, i->thread, i->origin);
    begin(op, &t->now, e);
    if (push) {
        race_mop_expanded(r, op, push);
    }
    if (t->wait.valid && is_held(i->word, t->wait.word)) {
        race_end_wait(r, i->thread);
    }
    op->access = access_of(r, e);
    if (op->access.unit < RACE_UNITS) {
        op->ends = &t->done[op->access.unit];
    }
    race_synchronise(r, op, push);
    begin_exponents(r, op);
}

static bool is_flight(const RaceOp *op, const TensixActor *by)
{
    return op->actor.word == by->word && op->actor.pc == by->pc &&
           op->actor.mop_position == by->mop_position &&
           op->actor.replay_slot == by->replay_slot;
}

/* The flight that this execution ends; false: it has only now issued. */
static bool take_flight(TensixRaces *r, const TensixExecuted *e, RaceOp *op)
{
    RaceThread *t = &r->thread[e->insn->thread];

    for (unsigned n = 0; n < t->flights; n++) {
        if (is_flight(&t->flight[n].op, e->by)) {
            *op = t->flight[n].op;
            r->own = t->flight[n].clock;
            op->clock = &r->own;
            op->by = e->by;
            op->insn = e->insn;
            memmove(&t->flight[n], &t->flight[n + 1],
                    (--t->flights - n) * sizeof(t->flight[0]));
            return true;
        }
    }
    return false;
}

void race_issue(TensixRaces *r, const TensixExecuted *e)
{
    RaceThread *t = &r->thread[e->insn->thread];
    RaceOp *op = &r->op;

    issue(r, e, op);
    if (op->access.unit == RACE_MATRIX) {
        race_banks_at_gate(r, e->insn);
    }
    race_config_uses(r, op);
    race_report(r, op);
    op->findings = 0;
    if (t->flights < TENSIX_FLIGHT_DEPTH) {
        op->flies = true;
        op->actor = *e->by;
        t->flight[t->flights++] = (RaceFlight) { *op, t->now };
    }
    if (op->access.unit < RACE_UNITS) {
        end_in_unit(r, op);
    }
}

void race_flights_restart(TensixRaces *r)
{
    for (uint32_t thread = 0; thread < TENSIX_THREADS; thread++) {
        const TensixFlight *f = &r->state->thread[thread].flight;

        for (uint32_t n = 0; n < f->count; n++) {
            const TensixActor by = tensix_instruction_actor(&f->insn[n]);

            race_issue(r, &(const TensixExecuted) {
                .insn = &f->insn[n], .by = &by,
            });
        }
    }
}

static void execute_insn(TensixRaces *r, const TensixExecuted *e)
{
    RaceOp *op = &r->op;

    if (race_run_continues(r, e)) {
        return;
    }
    if (!take_flight(r, e, op)) {
        issue(r, e, op);
    }
    race_banks_before(r, op, e);
    race_cells(r, op, e);
    race_config_writes(r, op, e);
    if (!op->flies) {
        race_config_uses(r, op);
    }
    l1_accesses(r, op);
    if (op->access.unit < RACE_UNITS) {
        end_in_unit(r, op);
        race_banks_after(r, op,
                         &r->thread[op->access.thread].done[op->access.unit]);
    } else {
        race_banks_after(r, op, &r->thread[op->access.thread].now);
    }
    race_report(r, op);
    race_run_begins(r, op, e);
}

/* --- harts --- */

static void execute_hart(TensixRaces *r, const TensixExecuted *e)
{
    RaceOp op = race_hart_op(r, e->by);

    race_hart_semaphores(r, op.clock, e);
    race_cells(r, &op, e);
    race_config_writes(r, &op, e);
    race_report(r, &op);
}

void race_execute(TensixRaces *r, const TensixExecuted *e)
{
    if (e->insn) {
        execute_insn(r, e);
    } else if (e->by->kind == TENSIX_BY_HART &&
               e->by->hart < TENSIX_HART_NONE) {
        execute_hart(r, e);
    } else {
        race_config_renew(r, e);
        race_semaphores_renew(r, e);
    }
}
