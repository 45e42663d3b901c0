/*
 * Scheduler: which thread runs its next instruction.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads run only in orders that hardware can produce.  Events are ordered by
 * a cycle (TensixOrder):
 *
 * - each thread issues at most one instruction a cycle, each unit accepts one;
 * - the thread that has been ready longest issues first: when a wait condition
 *   becomes true, its thread issues before any other thread issues again;
 * - a MOP's and a REPLAY's words are pulled as they issue: nothing comes
 *   between;
 * - a unit takes its next instruction, and STALLWAIT finds it idle, when the
 *   published time of the last one has passed (timing.c);
 * - an UNPACR hands its bank over when that time has passed.
 *
 * While only one thread has work, all orders are equal and cycles are not
 * counted.  schedule=seed=N lengthens what hardware may lengthen (seeds.c).
 */

#include <string.h>

#include "observe/note.h"
#include "frontend/delays.h"
#include "frontend/seeds.h"
#include "derived/update.h"
#include "frontend/frontend.h"
#include "regs/regfile.h"
#include "tensix_internal.h"
#include "frontend/order.h"
#include "frontend/schedule.h"

static bool held_at_gate(TensixCore *c, uint32_t thread, const TensixInsn *insn)
{
    if (!tensix_gate_wait_holds(c, thread) ||
        !tensix_gate_blocks(c, thread, insn->word >> 24)) {
        return false;
    }
    tensix_retry(c, insn, TENSIX_WAIT_LATCHED, 0);
    return true;
}

/* The next word to the gate, if there is any. */
static bool pull(TensixCore *c, uint32_t thread)
{
    TensixThread *t = &c->s.thread[thread];

    return tensix_mop_repeat(c, thread, &t->gate.pending) ||
           ((tensix_has_words(t) || t->replay.phase == TENSIX_REPLAY_PLAY) &&
            tensix_replay_pull(c, thread, &t->gate.pending));
}

/*
 * The instruction at the thread's gate, if its latched wait lets it pass, or
 * NULL. A pointer, not a copy: it stays at the gate until pass_gate().
 */
static const TensixInsn *next_insn(TensixCore *c, uint32_t thread)
{
    TensixGate *g = &c->s.thread[thread].gate;

    if (!g->pending.valid && !pull(c, thread)) {
        tensix_gate_wait_holds(c, thread);
        return NULL;
    }
    return held_at_gate(c, thread, &g->pending) ||
           (c->observer && tensix_observe_holds(c, &g->pending))
           ? NULL : &g->pending;
}

static void pass_gate(TensixCore *c, uint32_t thread)
{
    TensixGate *g = &c->s.thread[thread].gate;

    g->pending.valid = 0;
    g->wait_reason = TENSIX_WAIT_NONE;
    c->signals.changed |= TENSIX_CHANGED_GATE;
    if (c->observer) {
        tensix_observe_passed(c, thread);
    }
    if (c->record.all) {
        tensix_record_passed(&c->record, thread);
    }
}

/* For a timeline: the instruction at the gate waits. */
static void record_wait(TensixCore *c, uint32_t thread)
{
    const TensixGate *g = &c->s.thread[thread].gate;

    if (c->record.all && g->pending.valid) {
        tensix_record_wait(&c->record, &g->pending, (TensixRecordedWait) {
            .reason = g->wait_reason, .detail = g->wait_detail,
            .word = g->pending.word,
            .latched = g->opcode ? g->latched.word : 0,
        });
    }
}

/* Executes the instruction at the gate; false: it must wait there. */
static bool execute_at_gate(TensixCore *c, const TensixInsn *insn)
{
    /* The wait instructions keep their latching instruction, from pending. */
    if (tensix_execute(c, insn) == TENSIX_RETRY) {
        tensix_trace(c, TENSIX_TRACE_RETRY, insn);
        return false;
    }
    tensix_trace(c, TENSIX_TRACE_EXECUTE, insn);
    pass_gate(c, insn->thread);
    return true;
}

/* --- words that a MOP repeats --- */

/* Units whose instructions the sole thread executes without a clock. */
static bool is_matrix(uint32_t unit)
{
    return unit == TENSIX_UNIT_MATRIX || unit == TENSIX_UNIT_VECTOR;
}

/* The observer is called each time that a thread is polled. */
static bool asks_always(const TensixCore *c)
{
    return c->derived.slow || c->observer || c->delays ||
           (c->host.trace_enabled && *c->host.trace_enabled);
}

static bool packs(const TensixInsn *insn)
{
    return tensix_traits_of(insn->word)->duration == DURATION_PACKED;
}

/*
 * Does a MOP repeat the word, and nothing ask about each one: no observer, and no
 * wait that lets it pass, which one of them may end and the next one begin again?
 */
static bool is_repeated(const TensixCore *c, const TensixInsn *insn)
{
    return c->derived.repeats[insn->thread] && !asks_always(c) &&
           !c->s.thread[insn->thread].gate.opcode &&
           (packs(insn) || is_matrix(tensix_insns[insn->word >> 24].unit));
}

/* Pays for a step, and for what its instruction cost beside it. */
static void spend(TensixCore *c, uint32_t *budget, uint32_t steps)
{
    uint32_t cost = steps + c->cost;

    c->cost = 0;
    *budget -= cost < *budget ? cost : *budget;
}

/*
 * A word that was issued comes again, as often as its MOP repeats it: until
 * `changes` may have let another thread find something else, the gate and the unit
 * take it each time, so many cycles after the last; 0: they do not count.  Says
 * how often it was executed.  One that has to wait is at the gate.
 */
static inline __attribute__((always_inline))
uint32_t repeat(TensixCore *c, TensixInsn *insn, uint32_t cycles,
                uint32_t changes, uint32_t *budget)
{
    uint32_t unit = tensix_insns[insn->word >> 24].unit, times = 0;

    while (*budget && !(c->signals.changed & changes) &&
           tensix_mop_repeat(c, insn->thread, insn)) {
        c->s.order.cycle += cycles ? cycles - 1 : 0;
        if (tensix_execute_again(c, insn, unit) == TENSIX_RETRY) {
            break;
        }
        insn->valid = 0;
        c->s.order.cycle += cycles != 0;
        spend(c, budget, 1);
        times++;
    }
    return times;
}

/* --- one thread alone --- */

static bool step(TensixCore *c, uint32_t thread)
{
    const TensixInsn *insn = next_insn(c, thread);

    return insn && execute_at_gate(c, insn);
}

/*
 * The only thread that has work, or TENSIX_THREADS if there are others, or if
 * it left a unit busy when a run was cut short: then cycles count.
 */
static uint32_t lone_thread(const TensixCore *c)
{
    uint32_t thread = c->derived.busy >> 1;    /* of one bit: its number */

    return !(c->derived.busy & (c->derived.busy - 1)) && !c->s.order.rng &&
                   !c->s.order.handing_over &&
                   c->s.order.quiet_at[thread] <= c->s.order.cycle
               ? thread : TENSIX_THREADS;
}

/* Returns what is left of the budget; 0: there is more to do. */
static uint32_t run_alone(TensixCore *c, uint32_t thread, uint32_t budget)
{
    TensixInsn *insn = &c->s.thread[thread].gate.pending;

    while (budget && step(c, thread)) {
        spend(c, &budget, 1);
        if (is_repeated(c, insn)) {
            repeat(c, insn, 0, 0, &budget);
        }
    }
    record_wait(c, thread);
    return budget;
}

/* --- several threads --- */

/* quiet_at covers the others: tensix_order_next() asks it first. */
static void occupy(TensixCore *c, const TensixInsn *insn,
                   const TensixTiming *timing)
{
    TensixOrder *o = &c->s.order;
    uint32_t port = tensix_port(insn->word), thread = insn->thread;

    o->issue_at[thread] = o->cycle + timing->issue;
    tensix_at_least(&o->quiet_at[thread], o->issue_at[thread]);
    if (port != TENSIX_UNIT_MISC) {    /* takes one of each thread */
        o->free_at[port] = o->cycle + timing->occupancy;
        tensix_at_least(&o->quiet_at[thread], o->free_at[port]);
    }
    tensix_at_least(&o->idle_at[thread][port], o->cycle + timing->latency);
    tensix_at_least(&o->quiet_at[thread], o->idle_at[thread][port]);
    if (c->record.all) {
        tensix_record(&c->record, OCCUPY, thread, port, timing->occupancy);
    }
}

/* Lands what has to be over before the instruction may be executed. */
static bool clear_the_way(TensixCore *c, const TensixInsn *insn)
{
    uint32_t first;

    do {
        first = tensix_flight_in_the_way(c, insn);
    } while (first < TENSIX_THREADS && tensix_flight_finish(c, first));
    return first == TENSIX_THREADS;
}

/* The instruction passes the gate: it flies until then, or is executed at once. */
static bool start(TensixCore *c, const TensixInsn *insn, uint64_t due)
{
    if (tensix_seeds_fly(c, insn->word) && tensix_flight_start(c, insn, due)) {
        if (c->record.all) {
            tensix_record_insn(&c->record, TENSIX_EVENT_FLY, insn, 0);
        }
        tensix_observe_issued(c, insn);
        pass_gate(c, insn->thread);
        return true;
    }
    if (c->s.order.rng && !clear_the_way(c, insn)) {
        return false;
    }
    c->hand_over_at = due;
    return execute_at_gate(c, insn);
}

/* Do its thread and its unit take it in this cycle?  If not, it waits. */
static bool is_taken(TensixCore *c, const TensixInsn *insn)
{
    if (!tensix_order_takes(&c->s.order, insn)) {
        tensix_retry(c, insn, TENSIX_WAIT_UNIT_BUSY,
                     tensix_insns[insn->word >> 24].unit);
        return false;
    }
    return true;
}

bool tensix_issue_now(TensixCore *c, const TensixInsn *insn,
                      TensixTiming *timing)
{
    if (c->record.all) {
        tensix_record_cycle(&c->record, c->s.order.cycle);
    }
    tensix_seeds_stretch(c, insn, timing);
    if (!start(c, insn, c->s.order.cycle + timing->latency)) {
        return false;
    }
    if (c->delays) {
        tensix_delays_issued(c, insn);
    }
    occupy(c, insn, timing);
    return true;
}

/* The thread's next instruction issues in this cycle, or false. */
static bool issue(TensixCore *c, uint32_t thread)
{
    const TensixInsn *insn = next_insn(c, thread);
    TensixTiming timing;

    if (insn && c->delays) {
        tensix_delays_gate(c, insn);
    }
    if (!insn || !is_taken(c, insn)) {
        return false;
    }
    tensix_timing(c, insn, &timing);
    return tensix_issue_now(c, insn, &timing);
}

/* What a run of several threads keeps from cycle to cycle. */
typedef struct Run {
    uint64_t again[TENSIX_THREADS];    /* not to be asked before this cycle */
    uint32_t changed;                  /* of the core, collected */
    uint32_t budget;
    bool first;                        /* cycle: all threads have their turn */
    bool asks_again;                   /* also those that had it already */
} Run;

/* Does the thread wait for a time, not for what others have to change? */
static bool waits_for_time(const TensixGate *g)
{
    return (g->opcode &&
            tensix_latch_of(g->opcode) == TENSIX_LATCH_CONDITIONS) ||
           (g->pending.valid && g->wait_reason == TENSIX_WAIT_UNIT_BUSY);
}

/* Does the thread wait for a change that is never signalled? */
static bool polls(const TensixGate *g)
{
    return g->pending.valid && (g->wait_reason == TENSIX_WAIT_L1 ||
                                g->wait_reason == TENSIX_WAIT_MMIO);
}

/* With a seed each cycle draws numbers, for all threads. */
static bool is_random(const TensixCore *c)
{
    return c->s.order.rng && !c->delays;
}

/* Such a wait is sampled in each cycle; all are in a random order. */
static uint64_t when_again(const TensixCore *c, uint32_t thread)
{
    const TensixGate *g = &c->s.thread[thread].gate;

    if (polls(g) || is_random(c)) {
        return 0;
    }
    return waits_for_time(g) ? tensix_order_next(&c->s.order) : TENSIX_NEVER;
}

static void collect_changes(TensixCore *c, Run *r)
{
    if (c->signals.changed & TENSIX_THREAD_CHANGES) {
        memset(r->again, 0, sizeof(r->again));
        r->asks_again = true;
    }
    r->changed |= c->signals.changed;
    c->signals.changed = 0;
}

/* Where an observer stops the machine, the run ends, and time with it. */
static void end_if_stopping(const TensixCore *c, Run *r)
{
    if (tensix_observe_stopping(c)) {
        r->budget = 0;
    }
}

/* All threads in turn; did any issue? */
static bool run_cycle(TensixCore *c, Run *r)
{
    const uint8_t *turn = tensix_order_turns(&c->s.order);
    bool issued = false;

    for (uint32_t n = 0; n < TENSIX_THREADS; n++) {
        uint32_t thread = turn[n];

        if (!(c->derived.busy >> thread & 1) || r->again[thread] > c->s.order.cycle) {
            continue;
        }
        if (issue(c, thread)) {
            issued = true;
            spend(c, &r->budget, 1);
        } else {
            r->again[thread] = when_again(c, thread);
            record_wait(c, thread);
            end_if_stopping(c, r);
        }
        collect_changes(c, r);
    }
    return issued;
}

/* The only thread that does not wait for a change, or TENSIX_THREADS. */
static uint32_t sole_thread(const TensixCore *c, const Run *r)
{
    uint32_t sole = TENSIX_THREADS;

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        if (!(c->derived.busy >> t & 1) || r->again[t] == TENSIX_NEVER) {
            continue;
        }
        if (sole < TENSIX_THREADS) {
            return TENSIX_THREADS;
        }
        sole = t;
    }
    return c->s.order.handing_over || c->s.order.rng ? TENSIX_THREADS : sole;
}

/* A word and the time that it took. */
typedef struct Timed {
    uint32_t word;
    TensixTiming timing;
} Timed;

/* A repeated PACR takes as long as the first: its time depends on no result. */
static TensixTiming *timing_after(const TensixCore *c, const TensixInsn *insn,
                                  Timed *last)
{
    if (insn->word != last->word ||
        tensix_traits_of(insn->word)->duration != DURATION_PACKED) {
        last->word = insn->word;
        tensix_timing(c, insn, &last->timing);
    }
    return &last->timing;
}

/* Advances the clock to when the instruction's unit and thread accept it. */
static bool issue_when_free(TensixCore *c, const TensixInsn *insn, Timed *last)
{
    TensixOrder *o = &c->s.order;

    tensix_at_least(&o->cycle, o->free_at[tensix_port(insn->word)]);
    tensix_at_least(&o->cycle, o->issue_at[insn->thread]);
    return tensix_issue_now(c, insn, timing_after(c, insn, last));
}

/* As issue_when_free() for each of them: all but the last one are over. */
static void run_repeats(TensixCore *c, TensixInsn *insn,
                        const TensixTiming *timing, Run *r)
{
    if (repeat(c, insn, timing->occupancy, TENSIX_THREAD_CHANGES, &r->budget) &&
        packs(insn)) {
        c->s.order.cycle--;
        occupy(c, insn, timing);
        c->s.order.cycle++;
    }
}

/*
 * The instructions of one thread while all others wait: until one changes
 * something for them, no other thread is polled. How long a sequence of Matrix
 * and Vector Unit instructions takes makes no difference. UNPACR delivers a
 * bank later, and other threads may wait for it.
 */
static void run_sole(TensixCore *c, uint32_t thread, Run *r)
{
    static const TensixTiming no_clock = { 1 };
    TensixInsn *pending = &c->s.thread[thread].gate.pending;
    const TensixInsn *insn;
    Timed last = { 0 };

    while (r->budget && !(c->signals.changed & TENSIX_THREAD_CHANGES) &&
           !c->s.order.handing_over && (insn = next_insn(c, thread))) {
        bool matrix = is_matrix(tensix_insns[insn->word >> 24].unit);

        if (!(matrix ? execute_at_gate(c, insn)
                     : issue_when_free(c, insn, &last))) {
            break;
        }
        c->s.order.cycle++;
        spend(c, &r->budget, 1);
        if (is_repeated(c, insn)) {
            run_repeats(c, pending, matrix ? &no_clock : &last.timing, r);
        }
    }
    end_if_stopping(c, r);
    collect_changes(c, r);
}

/* Banks whose UNPACR is over go to the Matrix Unit. */
static void hand_over(TensixCore *c)
{
    TensixOrder *o = &c->s.order;

    for (uint32_t n = 0; n < TENSIX_SRCS * TENSIX_SRC_BANKS; n++) {
        uint32_t src = n / TENSIX_SRC_BANKS, bank = n % TENSIX_SRC_BANKS;
        uint64_t at = o->hand_over_at[src][bank];

        if (at && at <= o->cycle) {
            if (c->record.all) {
                tensix_record_cycle(&c->record, o->cycle);
            }
            tensix_src_arrives(c, src, bank);
        }
    }
}

/* What was put off: true if threads may find something else now. */
static bool land_delayed(TensixCore *c, Run *r)
{
    bool stored = c->delays && tensix_late_land(c);

    if (tensix_flight_any(c)) {
        spend(c, &r->budget, tensix_flight_land(c));
    }
    return stored || is_random(c);
}

/* What was due by this cycle happens. */
static void land_due(TensixCore *c, Run *r)
{
    if (c->s.order.handing_over) {
        hand_over(c);
    }
    if (c->s.order.rng && land_delayed(c, r)) {
        memset(r->again, 0, sizeof(r->again));
    }
    collect_changes(c, r);
}

/* What is put off happens when it is due; threads find at once what changed. */
static uint64_t next_beside_delay(const TensixCore *c, const Run *r)
{
    uint64_t next = tensix_seeds_next(c, tensix_order_next(&c->s.order));

    return r->asks_again ? c->s.order.cycle + 1
                         : tensix_order_next_bank(&c->s.order,
                                          tensix_flight_next(c, next));
}

/* Does every thread wait for a change, and can only a push bring one? */
static bool only_time_passes(const TensixCore *c, const Run *r)
{
    bool asks = c->s.order.handing_over || tensix_flight_any(c) ||
                tensix_seeds_hold(c);

    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        asks |= (c->derived.busy >> t & 1) && r->again[t] != TENSIX_NEVER;
    }
    return !asks;
}

/*
 * Cycles until no thread can issue, the budget is spent or the cycle `end` is
 * reached.  True: more to do.
 */
static bool run_cycles(TensixCore *c, Run *r, uint64_t end)
{
    TensixOrder *o = &c->s.order;

    while (r->budget && o->cycle < end) {
        uint32_t sole;
        uint64_t next;

        land_due(c, r);
        r->asks_again = false;
        sole = r->first ? TENSIX_THREADS : sole_thread(c, r);
        r->first = false;
        if (sole < TENSIX_THREADS) {
            run_sole(c, sole, r);
        }
        if (run_cycle(c, r)) {
            o->cycle++;
            continue;
        }
        if (tensix_observe_stopping(c)) {
            return true;
        }
        if (only_time_passes(c, r)) {
            return tensix_order_pass(o, end);
        }
        next = c->delays ? next_beside_delay(c, r)
                         : tensix_seeds_next(c, tensix_order_next(&c->s.order));
        if (next == TENSIX_NEVER) {
            return false;
        }
        o->cycle = next < end ? next : end;
    }
    return true;
}

/* Threads that wait for a change had none since the last run, or since a push. */
static void begin_run(TensixCore *c, Run *r)
{
    uint32_t busy = c->derived.busy;

    if (!(c->signals.changed & TENSIX_THREAD_CHANGES)) {
        for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
            r->again[t] = c->derived.settled >> t & 1 ? TENSIX_NEVER : 0;
        }
    }
    r->first = busy & (busy - 1);      /* of several threads */
    r->changed = c->signals.changed;
    c->signals.changed = 0;
}

/*
 * A thread at its gate that waits for TENSIX_THREAD_CHANGES, when all time has
 * passed: asking it again gives the same.  A stream's registers change in silence.
 */
static bool is_settled(const TensixCore *c, uint32_t thread)
{
    const TensixGate *g = &c->s.thread[thread].gate;

    return g->pending.valid && !polls(g) &&
           !(g->opcode && tensix_latch_of(g->opcode) == TENSIX_LATCH_STREAM);
}

/* With delays a push passes few cycles: what has been asked in them stays so. */
static void settle_waiting(TensixCore *c, const Run *r)
{
    c->derived.settled = 0;
    for (uint32_t t = 0; c->delays && t < TENSIX_THREADS; t++) {
        bool waits = r->again[t] == TENSIX_NEVER && is_settled(c, t);

        c->derived.settled |= (uint32_t)waits << t;
    }
}

static bool run_together(TensixCore *c, uint32_t budget)
{
    bool seeded = c->s.order.rng;
    Run r = { .budget = seeded ? TENSIX_ENTRY_BUDGET : budget };
    bool more;

    begin_run(c, &r);
    more = run_cycles(c, &r, seeded ? c->s.order.cycle + budget : TENSIX_NEVER);
    settle_waiting(c, &r);
    c->signals.changed |= r.changed;
    c->hand_over_at = 0;
    return more;
}

static bool run(TensixCore *c, uint32_t budget)
{
    uint32_t lone = lone_thread(c);

    if (lone < TENSIX_THREADS) {
        c->derived.settled = 0;
        return !run_alone(c, lone, budget);
    }
    return run_together(c, budget);
}

static void set_backlog(TensixCore *c, bool backlog)
{
    if (c->signals.backlog != backlog) {
        c->signals.backlog = backlog;
        tensix_update_slow(c);
    }
}

static void settle(TensixCore *c)
{
    if (!asks_always(c)) {
        for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
            c->derived.settled |= (uint32_t)is_settled(c, t) << t;
        }
    }
}

bool tensix_run_some(TensixCore *c, uint32_t budget)
{
    uint32_t was_busy = c->derived.busy;
    bool more;

    if (tensix_observe_stopping(c)) {
        return true;
    }
    c->cost = 0;                   /* a direct push has paid with its own time */
    more = run(c, budget) || tensix_observe_stopping(c);
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        if (c->derived.busy >> t & 1) {
            tensix_update_busy(c, t);
        }
    }
    if (was_busy & ~c->derived.busy) {
        c->signals.changed |= TENSIX_CHANGED_IDLE;
    }
    set_backlog(c, (more && !c->s.order.rng) || tensix_observe_stopping(c));
    c->s.order.more = more && c->s.order.rng;
    tensix_seeds_release(c);
    if (!more) {
        settle(c);
    }
    return more;
}

bool tensix_run(TensixCore *c, uint32_t budget)
{
    c->derived.settled = 0;
    return tensix_run_some(c, budget);
}

void tensix_run_pushed(TensixCore *c, uint32_t thread, uint32_t budget)
{
    uint32_t settled = c->derived.settled;

    if (c->delays && !c->observer) {
        tensix_run_some(c, budget);
    } else if (asks_always(c)) {
        tensix_run(c, budget);
    } else if ((!(settled >> thread & 1) ||
                c->signals.changed & TENSIX_THREAD_CHANGES) &&
               !tensix_end_wait(c, thread)) {
        tensix_run_some(c, budget);
    }
}

bool tensix_is_settled(const TensixCore *c)
{
    return !(c->derived.busy & ~c->derived.settled) && !asks_always(c) &&
           !(c->signals.changed & TENSIX_THREAD_CHANGES);
}

bool tensix_polls(const TensixCore *c)
{
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        if (polls(&c->s.thread[t].gate)) {
            return true;
        }
    }
    return false;
}

/*
 * `more` is state: a step without work draws random numbers all the same, so
 * that a loaded state must take exactly the steps that the saved one takes.
 */
bool tensix_needs_time(const TensixCore *c)
{
    return c->s.order.rng && (c->s.order.more || tensix_seeds_hold(c));
}
