/*
 * Estimated cycles: waits at the gate, semaphores, mutexes and banks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH STALLWAIT.md: a condition is evaluated each cycle, and what the wait blocks
 * passes one cycle after it has become true.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/conditions.h"
#include "hw/tenstorrent/core/observe/observe.h"
#include "time_internal.h"

/* --- counts --- */

/* In the order of the model; the n-th is there when all before it are. */
void time_count(TimeCounts *counts, TensixStamp at)
{
    TensixStamp last = counts->at[counts->count % TIME_COUNTS];

    counts->count++;
    counts->at[counts->count % TIME_COUNTS] = tensix_later(last, at);
}

/* Of those that are not remembered any more: when the oldest was over. */
TensixStamp time_of_count(const TimeCounts *counts, int64_t n)
{
    if (n <= 0) {
        return (TensixStamp) { };
    }
    n = MIN(n, (int64_t)counts->count);
    n = MAX(n, (int64_t)counts->count - TIME_COUNTS + 1);
    return counts->at[n % TIME_COUNTS];
}

/* --- semaphores --- */

static int64_t value_of(const TimeSemaphore *s)
{
    return s->initial + (int64_t)s->posts.count - (int64_t)s->gets.count;
}

/* The value was that, or more, after so many gets. */
static TensixStamp posted(const TimeSemaphore *s, uint64_t gets, int64_t value)
{
    return time_of_count(&s->posts, (int64_t)gets + value - s->initial);
}

/* The value was that, or less, after so many posts. */
static TensixStamp got(const TimeSemaphore *s, uint64_t posts, int64_t value)
{
    return time_of_count(&s->gets, s->initial + (int64_t)posts - value);
}

static void set_value(TimeSemaphore *s, uint32_t value)
{
    *s = (TimeSemaphore) { .initial = value };
}

/* What the instruction, or a hart, has made of it. */
static void semaphore_changes(TimeSemaphore *s, uint32_t value, TensixStamp at)
{
    if (value == value_of(s) + 1) {
        time_count(&s->posts, at);
    } else if (value + 1 == value_of(s)) {
        time_count(&s->gets, at);
    } else if (value != value_of(s)) {
        set_value(s, value);
    }
}

static void all_semaphores(TensixTime *t, TensixStamp at)
{
    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        semaphore_changes(&t->semaphore[n], t->state->semaphore[n].value, at);
    }
}

void time_semaphores_written(TensixTime *t, const TensixExecuted *e,
                             TensixStamp at)
{
    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        if (tensix_executed_writes(e, TENSIX_SPACE_SEMAPHORE, n)) {
            semaphore_changes(&t->semaphore[n], t->state->semaphore[n].value,
                              at);
        }
    }
}

TensixStamp time_semaphore_seen(const TensixTime *t, uint32_t index,
                                uint32_t value)
{
    const TimeSemaphore *s = &t->semaphore[index];

    return tensix_later(posted(s, s->gets.count, value),
                        got(s, s->posts.count, value));
}

static void is_met(TensixStamp *met, TensixWaitedFor what, TensixStamp at)
{
    met[what] = tensix_later(met[what], at);
}

static void semaphores_are_met(const TensixTime *t, const TimeWait *wait,
                               TensixStamp *met)
{
    uint32_t conditions = TENSIX_FIELD(wait->word, SEMWAIT, wait_sem_cond);
    uint32_t selected = TENSIX_FIELD(wait->word, SEMWAIT, sem_sel);

    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        const TimeSemaphore *s = &t->semaphore[n];

        if (selected >> n & 1 && conditions & SEM_WAIT_WHILE_ZERO) {
            is_met(met, TENSIX_WAITED_NONZERO_SEM,
                   posted(s, wait->gets[n], 1));
        }
        if (selected >> n & 1 && conditions & SEM_WAIT_WHILE_MAX) {
            is_met(met, TENSIX_WAITED_NONFULL_SEM,
                   got(s, wait->posts[n],
                       (int64_t)t->state->semaphore[n].max - 1));
        }
    }
}

/* --- STALLWAIT --- */

static const struct {
    uint16_t condition;
    uint8_t port;
    uint8_t what;                  /* TensixWaitedFor */
    bool any_thread;
} wait_ports[] = {
    { COND_SCALAR_UNIT, TENSIX_UNIT_THCON, TENSIX_WAITED_THCON_IDLE },
    { COND_UNPACKER0, TENSIX_UNIT_UNPACK, TENSIX_WAITED_UNPACK_IDLE },
    { COND_UNPACKER1, TENSIX_PORT_UNPACK1, TENSIX_WAITED_UNPACK_IDLE },
    { COND_PACKER, TENSIX_UNIT_PACK, TENSIX_WAITED_PACK_IDLE },
    { COND_MATRIX_UNIT, TENSIX_UNIT_MATRIX, TENSIX_WAITED_MATH_IDLE },
    { COND_VECTOR_UNIT, TENSIX_UNIT_VECTOR, TENSIX_WAITED_SFPU_IDLE },
    { COND_MOVER, TENSIX_UNIT_XMOV, TENSIX_WAITED_MOVE_IDLE, true },
    { COND_CONFIG_UNIT, TENSIX_UNIT_CFG, TENSIX_WAITED_OTHER, true },
};

static uint32_t conditions_of(uint32_t word)
{
    return TENSIX_FIELD(word, STALLWAIT, wait_res) ?: DEFAULT_CONDITIONS;
}

static void units_are_done(const TensixTime *t, const TimeThread *thread,
                           uint32_t conditions, TensixStamp *met)
{
    for (unsigned n = 0; n < ARRAY_SIZE(wait_ports); n++) {
        for (uint32_t other = 0; other < TENSIX_THREADS; other++) {
            if (conditions & wait_ports[n].condition &&
                (wait_ports[n].any_thread || &t->thread[other] == thread)) {
                is_met(met, wait_ports[n].what,
                       tensix_after(t->thread[other].done[wait_ports[n].port],
                                    t->figure[TIME_ENDED]));
            }
        }
    }
}

static void banks_are_met(const TensixTime *t, const TimeWait *wait,
                          uint32_t conditions, TensixStamp *met)
{
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        const TimeBanks *banks = &t->banks[src];

        if (conditions & COND_SRCA_UNPACK << src) {
            is_met(met, TENSIX_WAITED_SRCA_CLEAR + src,
                   banks->released[wait->unpack_bank[src]]);
        }
        if (conditions & COND_SRCA_MATRIX << src) {
            is_met(met, TENSIX_WAITED_SRCA_VALID + src,
                   banks->filled[wait->matrix_bank[src]]);
        }
    }
}

static void latch(TensixTime *t, const TimeIssue *i)
{
    TimeWait *wait = &i->thread->wait;
    uint32_t word = i->insn->word;

    *wait = (TimeWait) { .valid = true, .word = word, .latched = i->at };
    if (tensix_latch_of(word >> 24) == TENSIX_LATCH_CONDITIONS) {
        units_are_done(t, i->thread, conditions_of(word), wait->met);
    }
    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        wait->posts[n] = t->semaphore[n].posts.count;
        wait->gets[n] = t->semaphore[n].gets.count;
    }
    for (unsigned src = 0; src < TENSIX_SRCS; src++) {
        wait->matrix_bank[src] = t->banks[src].matrix_bank;
        wait->unpack_bank[src] = t->banks[src].unpack_bank;
    }
}

/* --- the gate --- */

/* By the latched wait?  A second wait is, whatever the first one blocks. */
static bool is_held(uint32_t word, uint32_t wait)
{
    uint32_t block = TENSIX_FIELD(wait, STALLWAIT, stall_res) ?: DEFAULT_BLOCK;

    return tensix_latch_of(word >> 24) || tensix_insn_held(word >> 24, block);
}

static TensixStamp last_of(const TensixStamp *met)
{
    TensixStamp last = { };

    for (unsigned n = 0; n < TENSIX_WAITED_FOR; n++) {
        last = tensix_later(last, met[n]);
    }
    return last;
}

/* When its conditions are true, each in `met`, as far as that is known. */
static TensixStamp wait_is_met(const TensixTime *t, const TimeWait *wait,
                               TensixStamp *met)
{
    memcpy(met, wait->met, sizeof(wait->met));
    switch (tensix_latch_of(wait->word >> 24)) {
    case TENSIX_LATCH_CONDITIONS:
        banks_are_met(t, wait, conditions_of(wait->word), met);
        break;
    case TENSIX_LATCH_SEMAPHORES:
        semaphores_are_met(t, wait, met);
        break;
    default:
        for (unsigned n = 0; n < TENSIX_STREAMS; n++) {
            is_met(met, TENSIX_WAITED_OTHER, t->stream[n]);
        }
    }
    return tensix_later(tensix_after(wait->latched, 1), last_of(met));
}

/* The instruction is there, and this condition becomes true then. */
static void count_wait(TimeIssue *i, TensixWaitedFor what, TensixStamp met)
{
    i->thread->times.waited_for[what] += MAX(met.at, i->pushed) - i->pushed;
}

TensixStamp time_wait_ends(const TensixTime *t, const TimeWait *wait)
{
    TensixStamp met[TENSIX_WAITED_FOR];

    return wait_is_met(t, wait, met);
}

static void latched_wait(TensixTime *t, TimeIssue *i)
{
    static const TensixThreadWaitFor why[] = {
        [TENSIX_LATCH_CONDITIONS] = TENSIX_THREAD_FOR_UNITS,
        [TENSIX_LATCH_SEMAPHORES] = TENSIX_THREAD_FOR_SEMAPHORE,
        [TENSIX_LATCH_STREAM] = TENSIX_THREAD_FOR_STREAM,
    };
    TimeWait *wait = &i->thread->wait;

    TensixStamp met[TENSIX_WAITED_FOR];

    wait->valid = false;
    time_not_before(i, tensix_after(wait_is_met(t, wait, met), 1),
                    why[tensix_latch_of(wait->word >> 24)]);
    for (unsigned n = 0; n < TENSIX_WAITED_FOR; n++) {
        count_wait(i, n, met[n]);
    }
}

/* Of the Matrix Unit: those that it reads must have been filled. */
static void banks_are_filled(TensixTime *t, TimeIssue *i)
{
    uint32_t awaited = tensix_insn_banks_awaited(i->insn->word);

    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        TensixStamp filled = t->banks[src].filled[t->banks[src].matrix_bank];

        if (awaited >> src & 1) {
            time_not_before(i, filled, TENSIX_THREAD_FOR_BANK);
            count_wait(i, TENSIX_WAITED_SRCA_VALID + src, filled);
        }
    }
}

/* A mutex that is had, or of which there is none */
static TensixStamp *mutex_of(TensixTime *t, uint32_t word)
{
    uint32_t index = TENSIX_FIELD(word, ATGETM, mutex_index);
    uint32_t sync = tensix_traits_of(word)->sync;

    return (sync == SYNC_ATGETM || sync == SYNC_ATRELM) &&
                   index < TENSIX_MUTEXES
           ? &t->mutex[index] : NULL;
}

static uint32_t flushed_by(uint32_t word)
{
    return TENSIX_FIELD(word, FLUSHDMA, FlushSpec) ?: DEFAULT_CONDITIONS;
}

void time_gate(TensixTime *t, TimeIssue *i)
{
    uint32_t word = i->insn->word;
    const TensixStamp *mutex = mutex_of(t, word);

    if (i->thread->wait.valid && is_held(word, i->thread->wait.word)) {
        latched_wait(t, i);
    }
    if (i->word->port == TENSIX_UNIT_MATRIX) {
        banks_are_filled(t, i);
    }
    if (mutex) {
        time_not_before(i, *mutex, TENSIX_THREAD_FOR_MUTEX);
    }
    if (tensix_traits_of(word)->flushes) {
        TensixStamp met[TENSIX_WAITED_FOR] = { };

        units_are_done(t, i->thread, flushed_by(word), met);
        time_not_before(i, last_of(met), TENSIX_THREAD_FOR_UNITS);
    }
}

/* --- banks --- */

/*
 * UNPACR_NOP without Stall_Clr_Cntrl waits for the Matrix Unit's bank.
 * (UNPACR_NOP_ZEROSRC.md)
 */
TensixStamp time_bank_released(const TensixTime *t, const TensixInsn *insn)
{
    uint32_t word = insn->word;
    const TimeBanks *banks =
        &t->banks[TENSIX_FIELD(word, UNPACR, Unpack_block_selection)];
    bool waits_for_matrix =
        tensix_traits_of(word)->banks_over == BANKS_UNPACR_NOP &&
        !TENSIX_FIELD(word, UNPACR_NOP, Stall_Clr_Cntrl);

    return banks->released[waits_for_matrix ? banks->matrix_bank
                                            : banks->unpack_bank];
}

/* The Matrix Unit has read a bank one cycle after its instruction has issued. */
static void banks_change(TensixTime *t, const TimeIssue *i)
{
    uint32_t over = tensix_insn_banks_over(i->insn->word);

    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        TimeBanks *banks = &t->banks[src];
        const uint32_t *client = t->state->src_client[src];
        uint32_t now = t->state->matrix_bank[src];

        if (over >> src & 1) {
            banks->filled[banks->unpack_bank] = i->ends;
        }
        for (uint32_t bank = 0; bank < TENSIX_SRC_BANKS; bank++) {
            bool left = banks->matrix_bank == bank && now != bank;

            if (client[bank] == TENSIX_CLIENT_UNPACKERS &&
                (banks->client[bank] != client[bank] || left)) {
                banks->released[bank] = tensix_after(i->starts, 1);
            }
            banks->client[bank] = client[bank];
        }
        banks->matrix_bank = now;
        banks->unpack_bank = t->state->unpack_bank[src];
    }
}

/* --- all of them --- */

void time_synchronise(TensixTime *t, const TimeIssue *i)
{
    const TensixTraits *traits = tensix_traits_of(i->insn->word);
    TensixStamp *mutex = mutex_of(t, i->insn->word);

    if (traits->latch) {
        latch(t, i);
    } else if (mutex) {
        *mutex = tensix_after(i->at, 1);
    } else if (traits->sync) {
        all_semaphores(t, tensix_after(i->at, 1));
    }
    banks_change(t, i);
}

void time_sync_restart(TensixTime *t)
{
    memset(t->mutex, 0, sizeof(t->mutex));
    for (unsigned n = 0; n < TENSIX_SEMAPHORES; n++) {
        set_value(&t->semaphore[n], t->state->semaphore[n].value);
    }
    for (uint32_t src = 0; src < TENSIX_SRCS; src++) {
        TimeBanks *banks = &t->banks[src];

        *banks = (TimeBanks) { .matrix_bank = t->state->matrix_bank[src],
                               .unpack_bank = t->state->unpack_bank[src] };
        memcpy(banks->client, t->state->src_client[src],
               sizeof(banks->client));
    }
}
