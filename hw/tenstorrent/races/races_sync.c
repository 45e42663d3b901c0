/*
 * Races: what orders threads and harts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH STALLWAIT.md, SEMWAIT.md, SEMPOST.md, SEMGET.md, SEMINIT.md, ATGETM.md, WH
 * FLUSHDMA.md.  A release (SEMPOST, ATRELM) publishes what its thread knows to
 * have ended, not what it has issued.  A wait joins what had issued before it was
 * latched: the gate evaluates it every cycle from then on, and forgets it when
 * it is met.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/conditions.h"
#include "hw/tenstorrent/core/decode/traits.h"
#include "races_internal.h"

/* --- STALLWAIT, FLUSHDMA --- */

static const struct {
    uint16_t conditions;           /* all of them */
    uint8_t unit;
    bool any_thread;
} wait_units[] = {
    { COND_SCALAR_UNIT, RACE_SCALAR },
    { COND_UNPACKER0, RACE_UNPACK0 },
    { COND_UNPACKER1, RACE_UNPACK1 },
    { COND_PACKER, RACE_PACK },
    { COND_MATRIX_UNIT, RACE_MATRIX },
    { COND_VECTOR_UNIT, RACE_VECTOR },
    { COND_MOVER, RACE_MOVER, true },
    { COND_PACKER | COND_SCALAR_UNIT, RACE_EXPONENTS },
    { COND_CONFIG_UNIT, RACE_CONFIG, true },
};

/* The unit's instructions of another thread, if they have issued before. */
static void join_unit(TensixRaces *r, RaceClock *clock, uint32_t thread,
                      uint32_t of, RaceUnit unit)
{
    const RaceThread *t = &r->thread[of];
    const RaceClock *now = &r->thread[thread].now;

    if (thread == of ||
        now->at[RACE_ISSUE + of] >= t->done[unit].at[RACE_ISSUE + of]) {
        race_join(clock, &t->done[unit]);
    }
}

static void join_units(TensixRaces *r, RaceClock *clock, uint32_t thread,
                       uint32_t conditions)
{
    for (unsigned n = 0; n < ARRAY_SIZE(wait_units); n++) {
        for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
            if (!(wait_units[n].conditions & ~conditions) &&
                (t == thread || wait_units[n].any_thread)) {
                join_unit(r, clock, thread, t, wait_units[n].unit);
            }
        }
    }
}

static uint32_t conditions_of(uint32_t word)
{
    return TENSIX_FIELD(word, STALLWAIT, wait_res) ?: DEFAULT_CONDITIONS;
}

/* The gate may find it met in the next cycle: what comes later does not count. */
static void record_state(const TensixRaces *r, RaceWait *wait, uint32_t word)
{
    *wait = (RaceWait) { .valid = true, .word = word };
    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        wait->posts[n] = r->semaphore[n].posts.count;
        wait->gets[n] = r->semaphore[n].gets.count;
    }
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        wait->matrix_bank[src] = r->banks[src].matrix_bank;
        wait->unpack_bank[src] = r->banks[src].unpack_bank;
    }
}

/* The conditions of units, if the wait has any. */
static uint32_t record_wait(TensixRaces *r, uint32_t thread, uint32_t word)
{
    RaceWait *wait = &r->thread[thread].wait;
    uint32_t conditions = tensix_latch_of(word >> 24) == TENSIX_LATCH_CONDITIONS
                          ? conditions_of(word) : 0;

    record_state(r, wait, word);
    join_units(r, &wait->clock, thread, conditions);
    return conditions;
}

static void latch(TensixRaces *r, const RaceOp *op, const RacePush *push)
{
    uint32_t thread = op->access.thread, hart = op->insn->origin.hart;
    RaceWait *wait = &r->thread[thread].wait;
    uint32_t conditions = record_wait(r, thread, op->insn->word);

    r->thread[thread].waited = op->access.place;
    if (conditions & COND_HART && push && hart == TENSIX_HART_TRISC0 + thread) {
        wait->clock.at[RACE_GPR_STORE + hart] = push->gpr_stores;
        wait->clock.at[RACE_CONFIG_STORE + hart] = push->config_stores;
    }
}

void race_wait_covers(TensixRaces *r, const RaceOp *op, const RaceAccess *done)
{
    uint32_t word = op->insn->word;

    if (tensix_latch_of(word >> 24) == TENSIX_LATCH_CONDITIONS &&
        conditions_of(word) & COND_VECTOR_UNIT) {
        race_join_chain(&r->thread[op->access.thread].wait.clock, done->chain,
                        done->count);
    }
}

/* --- semaphores --- */

void race_count(RaceCounts *counts, const RaceClock *clock)
{
    RaceClock *next = &counts->clock[(counts->count + 1) % RACE_COUNTS];

    if (counts->count) {
        *next = counts->clock[counts->count % RACE_COUNTS];
    } else {
        memset(next, 0, sizeof(*next));
    }
    race_join(next, clock);
    counts->count++;
}

/* The first n of them have happened before. */
void race_join_counts(RaceClock *clock, const RaceCounts *counts, int64_t n)
{
    if (n > 0 && counts->count) {
        n = MIN(n, counts->count);
        n = MAX(n, (int64_t)counts->count - RACE_COUNTS + 1);
        race_join(clock, &counts->clock[n % RACE_COUNTS]);
    }
}

static int64_t value_of(const RaceSemaphore *s)
{
    return s->initial + (int64_t)s->posts.count - s->gets.count;
}

/* Its value was that, or more, after so many gets: so many posts before. */
static void join_posts(RaceClock *clock, const RaceSemaphore *s, uint32_t gets,
                       int64_t value)
{
    race_join_counts(clock, &s->posts, gets + value - s->initial);
}

/* Its value was that, or less, after so many posts. */
static void join_gets(RaceClock *clock, const RaceSemaphore *s, uint32_t posts,
                      int64_t value)
{
    race_join_counts(clock, &s->gets, s->initial + (int64_t)posts - value);
}

/* It had that many posts, at least: with an earlier maximum it would wait. */
static void join_max(RaceClock *clock, const RaceSemaphore *s, uint32_t posts)
{
    if (s->initial + (int64_t)posts - s->gets.count >= s->max_before) {
        race_join(clock, &s->max_set);
    }
}

/* What those values of its semaphores mean that the gate waits for. */
static void join_semaphores(TensixRaces *r, RaceClock *clock,
                            const RaceWait *wait)
{
    uint32_t conditions = TENSIX_FIELD(wait->word, SEMWAIT, wait_sem_cond);
    uint32_t selected = TENSIX_FIELD(wait->word, SEMWAIT, sem_sel);

    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        if (selected >> n & 1 && conditions & SEM_WAIT_WHILE_ZERO) {
            join_posts(clock, &r->semaphore[n], wait->gets[n], 1);
        }
        if (selected >> n & 1 && conditions & SEM_WAIT_WHILE_MAX) {
            join_gets(clock, &r->semaphore[n], wait->posts[n],
                      r->semaphore[n].max - 1);
            join_max(clock, &r->semaphore[n], wait->posts[n]);
        }
    }
}

/* At 15 a post does nothing, and at 0 a get. */
static void post(RaceSemaphore *s, const RaceClock *clock)
{
    if (value_of(s) < TENSIX_SEMAPHORE_LIMIT) {
        race_count(&s->posts, clock);
    }
}

static void get(RaceSemaphore *s, const RaceClock *clock)
{
    if (value_of(s) > 0) {
        race_count(&s->gets, clock);
    }
}

/*
 * What waits for a value that it did not have before comes after the SEMINIT, as
 * after so many posts or gets; the same is true of a maximum.  (SEMINIT.md)
 */
static void init(RaceSemaphore *s, const RaceClock *clock, uint32_t word)
{
    int value = TENSIX_FIELD(word, SEMINIT, init_value);
    int max = TENSIX_FIELD(word, SEMINIT, max_value);

    while (value_of(s) < value) {
        race_count(&s->posts, clock);
    }
    while (value_of(s) > value) {
        race_count(&s->gets, clock);
    }
    if (max != s->max) {
        s->max_before = s->max;
        s->max_set = *clock;
        s->max = max;
    }
}

static void semaphore(TensixRaces *r, unsigned n, const RaceClock *now,
                      uint32_t word)
{
    RaceSemaphore *s = &r->semaphore[n];

    switch (tensix_traits_of(word)->sync) {
    case SYNC_SEMPOST:
        post(s, now);
        break;
    case SYNC_SEMGET:
        get(s, now);
        break;
    default:
        init(s, now, word);
        break;
    }
}

static void semaphores(TensixRaces *r, const RaceOp *op)
{
    uint32_t selected = TENSIX_FIELD(op->insn->word, SEMINIT, sem_sel);
    RaceThread *t = &r->thread[op->access.thread];

    t->released = op->access.place;
    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        if (selected >> n & 1) {
            semaphore(r, n, &t->now, op->insn->word);
        }
    }
}

void race_hart_semaphores(TensixRaces *r, const RaceClock *clock,
                          const TensixExecuted *e)
{
    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        RaceSemaphore *s = &r->semaphore[n];

        if (!tensix_executed_writes(e, TENSIX_SPACE_SEMAPHORE, n)) {
            continue;
        }
        if (r->state->semaphore[n].value > value_of(s)) {
            post(s, clock);
        } else if (r->state->semaphore[n].value < value_of(s)) {
            get(s, clock);
        }
    }
}

void race_semaphores_renew(TensixRaces *r, const TensixExecuted *e)
{
    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        RaceSemaphore *s = &r->semaphore[n];

        if (tensix_executed_writes(e, TENSIX_SPACE_SEMAPHORE, n)) {
            s->initial += (int64_t)r->state->semaphore[n].value - value_of(s);
            s->max = s->max_before = r->state->semaphore[n].max;
        }
    }
}

void race_semaphore_seen(TensixRaces *r, RaceClock *clock, uint32_t index,
                         RaceRange value)
{
    const RaceSemaphore *s = &r->semaphore[index];

    join_posts(clock, s, s->gets.count, value.least);
    join_gets(clock, s, s->posts.count, value.most);
}

void race_semaphores_restart(TensixRaces *r)
{
    memset(r->semaphore, 0, sizeof(r->semaphore));
    memset(r->mutex, 0, sizeof(r->mutex));
    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        r->semaphore[n].initial = r->state->semaphore[n].value;
        r->semaphore[n].max = r->state->semaphore[n].max;
        r->semaphore[n].max_before = r->semaphore[n].max;
    }
}

/* --- all of them --- */

void race_waits_restart(TensixRaces *r)
{
    for (uint32_t thread = 0; thread < TENSIX_THREADS; thread++) {
        const TensixGate *gate = &r->state->thread[thread].gate;

        if (gate->opcode) {
            record_wait(r, thread, gate->latched.word);
        }
    }
}

void race_end_wait(TensixRaces *r, uint32_t thread)
{
    RaceThread *t = &r->thread[thread];
    uint32_t word = t->wait.word;

    t->wait.valid = false;
    switch (tensix_latch_of(word >> 24)) {
    case TENSIX_LATCH_CONDITIONS:
        race_thread_join(t, &t->wait.clock);
        race_bank_conditions(r, thread, conditions_of(word));
        break;
    case TENSIX_LATCH_SEMAPHORES:
        join_semaphores(r, &t->now, &t->wait);
        t->joins++;
        break;
    default:
        for (unsigned n = 0; n < RACE_STREAMS; n++) {
            race_thread_join(t, &r->stream[n]);
        }
        break;
    }
}

static void flush(TensixRaces *r, const RaceOp *op)
{
    uint32_t thread = op->access.thread;
    uint32_t conditions = TENSIX_FIELD(op->insn->word, FLUSHDMA, FlushSpec);

    join_units(r, &r->thread[thread].now, thread,
               conditions ?: DEFAULT_CONDITIONS);
    r->thread[thread].joins++;
    r->thread[thread].waited = op->access.place;
}

static void mutexes(TensixRaces *r, const RaceOp *op)
{
    uint32_t word = op->insn->word;
    uint32_t index = TENSIX_FIELD(word, ATGETM, mutex_index);
    RaceThread *t = &r->thread[op->access.thread];

    if (index >= TENSIX_MUTEXES) {
        return;
    }
    if (tensix_traits_of(word)->sync == SYNC_ATGETM) {
        race_thread_join(t, &r->mutex[index]);
        t->waited = op->access.place;
    } else {
        race_join(&r->mutex[index], &t->now);
        t->released = op->access.place;
    }
}

void race_synchronise(TensixRaces *r, RaceOp *op, const RacePush *push)
{
    const TensixTraits *traits = tensix_traits_of(op->insn->word);

    if (traits->latch) {
        latch(r, op, push);
    } else if (traits->flushes) {
        flush(r, op);
    } else if (traits->sync == SYNC_ATGETM || traits->sync == SYNC_ATRELM) {
        mutexes(r, op);
    } else if (traits->sync) {
        semaphores(r, op);
    }
}
