/*
 * Tensix coprocessor: pushes of words, with and without the BQL.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "hw/core/cpu.h"
#include "hw/tenstorrent/core/decode/words.h"
#include "hw/tenstorrent/tensix_access.h"
#include "tensix_cop_internal.h"
#include "../trace.h"

static inline QEMU_ALWAYS_INLINE void end_push(TensixCopState *cop)
{
    tensix_l1_flush(cop);
    tensix_cop_lock_end_push(&cop->lock);
}

/* Each step of a word is traced, or it may go past most of them. */
static inline QEMU_ALWAYS_INLINE
bool push_word(TensixCopState *cop, uint32_t thread, uint32_t word,
               TensixOrigin origin)
{
    if (trace_event_get_state(TRACE_TENSIX_INSN)) {
        return tensix_push_queued(cop->core, thread, word, origin);
    }
    return tensix_push(cop->core, thread, word, origin);
}

/* Out of line: its event on the stack slows down a push that posts nothing. */
static __attribute__((noinline, cold))
bool push_posted_word(TensixCopState *cop, uint32_t thread, uint32_t word,
                      TensixOrigin origin)
{
    TensixPushEvent event = { origin, thread, word, 1 };

    tensix_bus_post(cop->bus, TENSIX_ON_PUSH, &event);
    event.refused = event.held || !push_word(cop, thread, word, origin);
    if (event.refused) {
        tensix_bus_post(cop->bus, TENSIX_ON_PUSH, &event);
    }
    return !event.refused;
}

static __attribute__((noinline, cold))
void post_refused(TensixCopState *cop, uint32_t thread, uint32_t word,
                  TensixOrigin origin, bool held)
{
    TensixPushEvent event = { origin, thread, word, 1, true, held };

    tensix_bus_post(cop->bus, TENSIX_ON_PUSH, &event);
}

/* The same of a .ttinsn, of which a timer may be all that wants to know. */
static inline QEMU_ALWAYS_INLINE
bool push_posted_ttinsn(TensixCopState *cop, uint32_t thread, uint32_t word,
                        TensixOrigin origin)
{
    const TensixCopTimer *timer = cop->timer;
    bool takes;

    if (unlikely(!timer ||
                 !tensix_bus_has_one_listener(cop->bus, TENSIX_ON_PUSH))) {
        return push_posted_word(cop, thread, word, origin);
    }
    takes = timer->push(timer->opaque, thread, origin);
    if (unlikely(!takes || !push_word(cop, thread, word, origin))) {
        post_refused(cop, thread, word, origin, !takes);
        return false;
    }
    return true;
}

/*
 * The fast path: push with no lock held.  False if another thread is in the
 * core or the word does not fit; nothing has happened then.
 */
static inline QEMU_ALWAYS_INLINE
bool push_without_bql(TensixCopState *cop, uint32_t thread, uint32_t word,
                      TensixOrigin origin, bool posts)
{
    bool pushed;

    if (!tensix_cop_lock_begin_push(&cop->lock)) {
        return false;
    }
    pushed = posts ? push_posted_ttinsn(cop, thread, word, origin)
                   : push_word(cop, thread, word, origin);
    end_push(cop);
    return pushed;
}

/* The remainder of a push, and the register access that it led to. */
static void access_after_push(TensixCopState *cop)
{
    BQL_LOCK_GUARD();

    tensix_cop_lock(cop);
    tensix_cop_unlock_to(cop, TENSIX_COP_ACCESSES);
}

static inline bool has_more_to_do(const TensixCopState *cop)
{
    return cop->signals->changed | cop->signals->backlog | cop->access.state;
}

/*
 * Does what there is to do after a push but for an access and a wake: true if
 * there is one, for which the caller has to take the BQL.  Inside the core where
 * another hart may push as soon as it is left.
 */
static bool needs_bql_after_push(TensixCopState *cop)
{
    TensixSignals *signals = cop->signals;

    signals->changed &= ~TENSIX_CHANGED_HOST;
    if (!has_more_to_do(cop)) {
        return false;
    }
    if (tensix_cop_access_to_do(cop) || tensix_cop_ends_stall(cop)) {
        return true;
    }
    tensix_cop_arm_timers(cop);
    signals->changed = 0;
    return false;
}

static void after_push(TensixCopState *cop)
{
    if (!needs_bql_after_push(cop)) {
        return;
    }
    if (tensix_cop_access_to_do(cop)) {
        access_after_push(cop);
        return;
    }
    tensix_cop_arm_timers(cop);
    BQL_LOCK_GUARD();

    tensix_cop_wake_for_changes(cop);
}

static bool push_word_locked(TensixCopState *cop, uint32_t thread, uint32_t word,
                             TensixOrigin origin)
{
    return unlikely(tensix_bus_has_listener(cop->bus, TENSIX_ON_PUSH))
           ? push_posted_word(cop, thread, word, origin)
           : push_word(cop, thread, word, origin);
}

/* Cards hang then, not always (tt-metal issues 52997 and 53415). */
static void report_fused_record(TensixCopPort *port, uint32_t pc)
{
    tensix_report_hart(port->hart, TENSIX_UNDEFINED_BEHAVIOUR, pc,
                       "REPLAY records while .ttinsn may be fused, which can "
                       "hang a card (set bit 18 of CSR cfg0, DisTriscCache)");
}

/*
 * With the BQL: when the fast path was closed or failed, and for
 * what it does not check.
 */
void tensix_cop_push_locked(TensixCopPort *port, uint32_t word, uint32_t pc,
                            MemTxAttrs attrs, uintptr_t ra)
{
    TensixOrigin origin = { .pc = pc, .hart = port->hart->id };
    TensixCore *core = tensix_cop_lock(port->cop);
    bool may_block = tensix_hart_may_block(port->hart, attrs);
    bool pushed = !(may_block && tensix_held_back(core, port->thread, word,
                                                  origin)) &&
                  push_word_locked(port->cop, port->thread, word, origin);

    if (pushed) {
        tensix_cop_unlock_to(port->cop, TENSIX_COP_ACCESSES);
        if (tensix_word_records(word) && may_block &&
            tensix_hart_fuses(port->hart)) {
            report_fused_record(port, pc);
        }
        return;
    }
    tensix_cop_arm_timers(port->cop);
    if (may_block) {
        tensix_hart_announce_stall(port->hart, TENSIX_STALL_PUSH_FIFO);
    }
    tensix_cop_release(port->cop);
    if (!may_block) {
        tensix_report_access(port->hart, attrs, TENSIX_BAD_ACCESS,
                             "push of 0x%08x lost: FIFO of thread %u is full "
                             "and the access cannot wait", word, port->thread);
        return;
    }
    tensix_hart_stall(port->hart, TENSIX_STALL_PUSH_FIFO, port->thread, ra);
}

static inline QEMU_ALWAYS_INLINE
bool push_fast(TensixCopPort *port, uint32_t word, uint32_t pc, bool posts)
{
    TensixCopState *cop = port->cop;
    TensixOrigin origin = { .pc = pc, .hart = port->hart_id };

    if (!push_without_bql(cop, port->thread, word, origin, posts)) {
        return false;
    }
    if (unlikely(has_more_to_do(cop))) {
        after_push(cop);
    }
    return true;
}

/* thread=multi: what the fast path does.  0: nothing has happened. */
static uint32_t push_words_shared(TensixCopPort *port, const uint32_t *words,
                                  uint32_t count, TensixOrigin origin)
{
    TensixCopState *cop = port->cop;
    bool needs_bql;
    uint32_t pushed;

    if (!cop->lock.shared || trace_event_get_state(TRACE_TENSIX_INSN) ||
        !tensix_cop_lock_begin_push(&cop->lock)) {
        return 0;
    }
    pushed = tensix_push_words(cop->core, port->thread, words, count, origin);
    needs_bql = pushed && needs_bql_after_push(cop);
    end_push(cop);
    if (needs_bql) {
        access_after_push(cop);
    }
    return pushed;
}

/*
 * Again, once another thread has left the core: that one came makes no
 * difference, such as a timer set anew, by which reproducible runs could differ.
 */
static __attribute__((noinline, cold))
void push_slowly(TensixCopPort *port, uint32_t word, uint32_t pc, uintptr_t ra,
                 bool posts, bool may_be_fast)
{
    TensixOrigin origin = { .pc = pc, .hart = port->hart_id };

    if (!posts && push_words_shared(port, &word, 1, origin)) {
        return;
    }
    bql_lock();
    if (!(may_be_fast && push_fast(port, word, pc, posts))) {
        tensix_cop_push_locked(port, word, pc,
                               tensix_attrs(TENSIX_REQUESTER_HART +
                                            port->hart_id), ra);
    }
    bql_unlock();
}

/* A variant for each `posts`: a check per word costs 2 % of a push. */
static inline QEMU_ALWAYS_INLINE
void push_from(TensixCopPort *port, uint32_t word, uint32_t pc, uintptr_t ra,
               bool posts)
{
    bool may_be_fast = likely(port->cop->has_fast_path) &&
                       likely(!tensix_word_records(word));

    if (!may_be_fast || !push_fast(port, word, pc, posts)) {
        push_slowly(port, word, pc, ra, posts, may_be_fast);
    }
}

/*
 * The guest chooses no address here, as in the core's kernels, and registers
 * that are zeroed after each word cost 4 % of a push.
 */
#define LEAVES_REGISTERS __attribute__((zero_call_used_regs("skip")))

static LEAVES_REGISTERS
void push_ttinsn(void *opaque, uint32_t word, uint32_t pc, uintptr_t ra)
{
    push_from(opaque, word, pc, ra, false);
}

static LEAVES_REGISTERS
void push_posted(void *opaque, uint32_t word, uint32_t pc, uintptr_t ra)
{
    push_from(opaque, word, pc, ra, true);
}

/* What a word leaves is done before the next one: see tensix_push_words(). */
static LEAVES_REGISTERS
uint32_t push_words(void *opaque, const uint32_t *words, uint32_t count,
                    uint32_t pc)
{
    TensixCopPort *port = opaque;
    TensixCopState *cop = port->cop;
    TensixOrigin origin = { .pc = pc, .hart = port->hart_id };
    uint32_t pushed;

    if (trace_event_get_state(TRACE_TENSIX_INSN)) {
        return 0;
    }
    if (!cop->has_fast_path) {
        return push_words_shared(port, words, count, origin);
    }
    if (!tensix_cop_lock_begin_push(&cop->lock)) {
        return 0;
    }
    pushed = tensix_push_words(cop->core, port->thread, words, count, origin);
    end_push(cop);
    if (pushed && unlikely(has_more_to_do(cop))) {
        after_push(cop);
    }
    return pushed;
}

/* A debugger stops it: it leaves its block before the next word. */
static bool is_asked_to_stop(const TensixHart *hart)
{
    return qatomic_read(&hart->cpu->exit_request);
}

/* One, or several that share an event.  Returns how many. */
static uint32_t push_posted_run(TensixCopState *cop, uint32_t thread,
                                const uint32_t *words, uint32_t count,
                                TensixOrigin origin)
{
    TensixPushEvent event = {
        origin, thread, *words,
        tensix_words_at_once(cop->core, thread, words, count),
    };
    uint32_t pushed;

    if (event.count == 1 || trace_event_get_state(TRACE_TENSIX_INSN)) {
        return !tensix_word_records(*words) &&
               push_posted_word(cop, thread, *words, origin);
    }
    tensix_bus_post(cop->bus, TENSIX_ON_PUSH, &event);
    pushed = tensix_push_words(cop->core, thread, words, event.count, origin);
    event.count -= pushed;
    if (event.count) {
        event.refused = true;
        tensix_bus_post(cop->bus, TENSIX_ON_PUSH, &event);
    }
    return pushed;
}

/* With the core taken once, as long as nothing has to be done. */
static uint32_t push_posted_words(void *opaque, const uint32_t *words,
                                  uint32_t count, uint32_t pc)
{
    TensixCopPort *port = opaque;
    TensixCopState *cop = port->cop;
    TensixOrigin origin = { .pc = pc, .hart = port->hart_id };
    uint32_t pushed = 0, more;

    if (!cop->has_fast_path || !tensix_cop_lock_begin_push(&cop->lock)) {
        return 0;
    }
    do {
        more = push_posted_run(cop, port->thread, &words[pushed],
                               count - pushed, origin);
        pushed += more;
        origin.pc += more * sizeof(*words);
    } while (more && pushed < count && !has_more_to_do(cop) &&
             !is_asked_to_stop(port->hart));
    end_push(cop);
    if (!pushed) {
        return 0;
    }
    if (has_more_to_do(cop)) {
        after_push(cop);
    }
    return pushed;
}

/* --- with delays --- */

/* What has changed matters to harts that wait for it, and to nothing else. */
static void wake_stalled_harts(TensixCopState *cop)
{
    if (tensix_cop_ends_stall(cop)) {
        BQL_LOCK_GUARD();

        tensix_cop_wake_for_changes(cop);
    } else {
        cop->signals->changed = 0;
    }
}

/* As after_push(), but timers are seldom set: turns pass the cycles. */
static void after_delayed_push(TensixCopState *cop)
{
    if (cop->put_off || cop->signals->backlog || tensix_polls(cop->core)) {
        tensix_cop_arm_timers(cop);
    }
    wake_stalled_harts(cop);
}

/*
 * As tensix_cop_push_locked(), without the BQL: with delays all harts share a
 * thread.  False: the word was not pushed.
 */
static bool push_delayed_word(TensixCopState *cop, uint32_t thread,
                              uint32_t word, TensixOrigin origin)
{
    bool pushed;

    if (tensix_word_records(word) || !tensix_cop_lock_begin_push(&cop->lock)) {
        return false;
    }
    pushed = !cop->making_access && !tensix_report_is_stopping(cop->reporter) &&
             tensix_push_delayed(cop->core, thread, word, origin);
    end_push(cop);
    return pushed;
}

static void push_delayed(void *opaque, uint32_t word, uint32_t pc, uintptr_t ra)
{
    TensixCopPort *port = opaque;
    TensixCopState *cop = port->cop;
    TensixOrigin origin = { .pc = pc, .hart = port->hart_id };

    if (!push_delayed_word(cop, port->thread, word, origin)) {
        push_slowly(port, word, pc, ra, true, false);
    } else if (tensix_cop_access_to_do(cop)) {
        access_after_push(cop);
    } else {
        after_delayed_push(cop);
    }
}

/* --- */

bool tensix_cop_push_direct(void *opaque, uint32_t offset, uint32_t word,
                            uintptr_t ra)
{
    TensixCopPort *port = opaque;

    push_from(port, word, tensix_hart_pc(port->hart, ra), ra, false);
    return true;
}

void tensix_cop_choose_push(TensixCopState *cop)
{
    static const struct {
        uint32_t region, hart, thread;
    } ports[] = {
        { TENSIX_COP_PUSH_B0, TENSIX_HART_BRISC, 0 },
        { TENSIX_COP_PUSH_T0, TENSIX_HART_TRISC0, 0 },
        { TENSIX_COP_PUSH_T1, TENSIX_HART_TRISC1, 1 },
        { TENSIX_COP_PUSH_T2, TENSIX_HART_TRISC2, 2 },
    };
    bool posts = tensix_bus_has_listener(cop->bus, TENSIX_ON_PUSH);
    TensixPushFn *plain = cop->delayed ? push_delayed : push_ttinsn;

    for (int i = 0; i < ARRAY_SIZE(ports); i++) {
        TensixHart *hart = cop->hart[ports[i].hart];

        tensix_hart_set_push(hart, posts ? push_posted : plain,
                             posts ? push_posted_words : push_words,
                             &cop->port[ports[i].region]);
    }
}
