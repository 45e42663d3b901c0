/*
 * Estimated cycles: instructions of the Vector Unit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Most wait for nothing but their push, their unit and LRegs, and neither
 * synchronise nor access L1: they are plain.  What time_threads.c does for any
 * instruction comes to this for them.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/observe/observe.h"
#include "time_internal.h"

/* Vector registers of the set, a bit each. */
static uint32_t lregs_of(const TensixCellSet *cells)
{
    enum {
        FIRST = offsetof(TensixCellNumbers, LREG),
        WORD = FIRST / TENSIX_MAP_BITS,
    };

    QEMU_BUILD_BUG_ON(FIRST % TENSIX_MAP_BITS);
    return cells->words >> WORD & 1
           ? extract64(cells->bits[WORD], 0, TENSIX_LREGS) : 0;
}

/* --- registers --- */

bool time_operand_is_due(const TensixTime *t, uint32_t thread, uint32_t lregs,
                         TensixStamp *at)
{
    bool waits = false;

    for (; lregs; lregs &= lregs - 1) {
        uint32_t n = ctz32(lregs);

        if (t->lreg[n].thread == thread && t->lreg[n].ready.at > at->at) {
            tensix_set_stamp(at, t->lreg[n].ready);
            waits = true;
        }
    }
    return waits;
}

/*
 * What is ready for the thread's next instruction makes none wait.  So a register
 * may keep the thread and stamp of an older result, which is over by then.
 */
void time_results_are_due(TensixTime *t, uint32_t thread, uint32_t lregs,
                          uint64_t next, TensixStamp ends)
{
    const uint64_t ready = MAX(t->lregs_ready, ends.at);

    if (ready <= next) {
        return;
    }
    t->lregs_ready = ready;
    for (; lregs; lregs &= lregs - 1) {
        uint32_t n = ctz32(lregs);

        t->lreg[n].thread = thread;
        tensix_set_stamp(&t->lreg[n].ready, ends);
    }
}

/* --- plain instructions --- */

static inline bool is_plain(const TensixTime *t, const TimeWord *w,
                            const TimeThread *thread)
{
    return w->is_vector && thread->is_plain && !t->writes &&
           !t->recorder->all;
}

/* As time_popped_at(), for the latest push, whose word alone is not popped. */
static inline TensixStamp popped_at(TensixTime *t, const TimePort *port,
                                    const TensixInsn *insn)
{
    TimeQueue *queue = port->queue;
    const uint64_t taken = time_taken(port);
    const TimePush *push = &queue->ring[(taken - 1) % TIME_PUSHES];

    return likely(push->pc == insn->origin.pc && queue->popped + 1 == taken)
           ? time_pop_one(t, port->thread, queue) : time_popped_at(t, insn);
}

/* When it issues. */
static inline QEMU_ALWAYS_INLINE
TensixStamp issues_at(TensixTime *t, const TimePort *port,
                      const TensixInsn *insn, const TimeWord *w, uint32_t lregs)
{
    TimeThread *thread = port->thread;
    TensixThreadTimes *times = &thread->times;
    const TensixStamp *free = &thread->free[TENSIX_UNIT_VECTOR];
    const uint64_t ready = thread->next.at;
    TensixStamp at = tensix_later(thread->next, popped_at(t, port, insn));
    const uint64_t pushed = at.at;
    TensixThreadWaitFor why = TENSIX_THREAD_FOR_PUSH;

    if (!w->fills_gap && free->at > at.at) {
        tensix_set_stamp(&at, *free);
        why = TENSIX_THREAD_FOR_UNIT;
    }
    if (t->lregs_ready > at.at &&
        time_operand_is_due(t, insn->thread, lregs, &at)) {
        why = TENSIX_THREAD_FOR_OPERAND;
    }
    times->insns++;
    if (at.at > ready) {
        times->waited[TENSIX_THREAD_FOR_PUSH] += pushed - ready;
        times->waited[why] += at.at - pushed;
        times->held[TENSIX_UNIT_VECTOR] += at.at - pushed;
    }
    time_spend(t, &insn->origin, at.at - ready + w->timing.issue);
    return at;
}

static inline QEMU_ALWAYS_INLINE
void execute_plain(TensixTime *t, const TimePort *port, const TensixInsn *insn,
                   const TimeWord *w, uint32_t lregs_read,
                   uint32_t lregs_written)
{
    enum { V = TENSIX_UNIT_VECTOR };
    TimeThread *thread = port->thread;
    const TensixStamp at = issues_at(t, port, insn, w, lregs_read);
    TensixStamp issued, starts, ends;
    uint64_t next;

    tensix_time_path_both(&t->path, at, insn->origin.pc, port->by_thread,
                          port->by_vector, &issued, &starts);
    ends = tensix_after(starts, w->timing.latency);
    next = issued.at + w->timing.issue;
    tensix_set_stamp(&thread->issued, issued);
    tensix_set_stamp(&thread->next, (TensixStamp) { next, issued.link });
    tensix_set_stamp(&thread->free[V], tensix_after(starts, w->timing.occupancy));
    if (ends.at > thread->done[V].at) {
        tensix_set_stamp(&thread->done[V], ends);
    }
    if (ends.at > thread->ended.at) {
        tensix_set_stamp(&thread->ended, ends);
    }
    thread->times.busy[V] += w->timing.occupancy;
    thread->last_is_plain = true;
    if (MAX(t->lregs_ready, ends.at) > next) {
        time_results_are_due(t, insn->thread, lregs_written, next, ends);
    }
}

/* --- all of them --- */

static __attribute__((noinline))
void execute_any(TensixTime *t, const TensixExecuted *e, const TimeWord *w)
{
    const TimeCells cells = { e->written, lregs_of(e->read),
                              lregs_of(e->written) };
    TensixTiming timing = w->is_timed ? w->timing : time_of_transfer(t, e);

    time_execute_any(t, e->insn, &cells, w, &timing);
}

void time_execute_insn(TensixTime *t, const TensixExecuted *e)
{
    const TensixInsn *insn = e->insn;
    const TimePort *port = time_port(t, insn->thread, insn->origin.hart);
    const TimeWord *w = time_word(t, insn->word);

    if (is_plain(t, w, port->thread)) {
        execute_plain(t, port, insn, w, lregs_of(e->read),
                      lregs_of(e->written));
    } else {
        execute_any(t, e, w);
    }
}

static __attribute__((noinline))
void execute_any_lregs(TensixTime *t, const TensixInsn *insn, const TimeWord *w,
                       uint32_t read, uint32_t written)
{
    const TimeCells cells = { NULL, read, written };
    TensixTiming timing = w->timing;

    time_execute_any(t, insn, &cells, w, &timing);
}

TENSIX_TIME_HOT
void time_execute_lregs(void *opaque, const TensixInsn *insn, uint32_t read,
                        uint32_t written)
{
    TensixTime *t = opaque;
    const TimePort *port = time_port(t, insn->thread, insn->origin.hart);
    const TimeWord *w = time_word(t, insn->word);

    if (likely(is_plain(t, w, port->thread))) {
        execute_plain(t, port, insn, w, read, written);
    } else {
        execute_any_lregs(t, insn, w, read, written);
    }
}
