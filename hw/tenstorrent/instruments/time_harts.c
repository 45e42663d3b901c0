/*
 * Estimated cycles: what harts see and do by registers, and L1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH PCBufs.md, Mailboxes.md, ManualTTSync.md.  A load that returns something has
 * seen it: its hart continues no earlier than that was done.
 */

#include "qemu/osdep.h"
#include "time_internal.h"

typedef struct TimeAccess {
    TensixTime *t;
    TensixHart *hart;
    const TensixRegisterEvent *event;
    uint32_t offset;               /* from the row's first address */
} TimeAccess;

/* What the hart stores is there in the next cycle. */
static TensixStamp stored(const TimeAccess *a)
{
    return tensix_hart_stamp(a->hart, 1);
}

/* --- FIFOs between harts --- */

static void pop(const TimeAccess *a, TimeFifo *fifo)
{
    fifo->popped += fifo->popped < fifo->pushed.count;
    tensix_hart_time_join(a->hart, time_of_count(&fifo->pushed, fifo->popped),
                          TENSIX_HART_FOR_MAILBOX);
}

/* A hart's side of the mailboxes: BRISC, then the T harts. */
static void mailbox(const TimeAccess *a)
{
    enum { STRIDE = 0x1000, QUERY = 1 << 2 };
    uint32_t user = a->hart->id == TENSIX_HART_BRISC
                    ? 0 : tensix_hart_thread(a->hart) + 1;
    uint32_t other = a->offset / STRIDE;

    if (a->event->store) {
        time_count(&a->t->mailbox[user][other].pushed, stored(a));
    } else if (!(a->offset & QUERY)) {
        pop(a, &a->t->mailbox[other][user]);
    }
}

/* All that the thread has issued is over. */
static void join_issued(const TimeAccess *a, uint32_t thread)
{
    tensix_hart_time_join(a->hart,
                          time_thread_done(a->t, &a->t->thread[thread]),
                          TENSIX_HART_FOR_COPROCESSOR);
}

/* BRISC pushes into the PCBuf of a thread; its load is a barrier. */
static void pcbuf_of_brisc(const TimeAccess *a)
{
    enum { WINDOW = 0x10000 };
    uint32_t thread = a->offset / WINDOW;

    if (a->event->store) {
        time_count(&a->t->pcbuf[thread].pushed, stored(a));
    } else {
        join_issued(a, thread);
        tensix_hart_time_join(
            a->hart,
            tensix_hart_stamp(tensix_cop_hart(a->t->cop, TENSIX_HART_TRISC0 +
                                                         thread), 0),
            TENSIX_HART_FOR_MAILBOX);
    }
}

static void pcbuf_of_trisc(const TimeAccess *a)
{
    enum { POP, DONE, EXPANDED, SEMAPHORES = 8 };
    uint32_t word = a->offset / sizeof(uint32_t);
    uint32_t thread = tensix_hart_thread(a->hart);

    if (a->event->store) {
        return;
    }
    if (word == POP) {
        pop(a, &a->t->pcbuf[thread]);
    } else if (word == DONE) {
        join_issued(a, thread);
    } else if (word == EXPANDED) {
        tensix_hart_time_join(a->hart, a->t->thread[thread].issued,
                              TENSIX_HART_FOR_COPROCESSOR);
    } else if (word >= SEMAPHORES && word < SEMAPHORES + TENSIX_SEMAPHORES) {
        tensix_hart_time_join(a->hart,
                              time_semaphore_seen(a->t, word - SEMAPHORES,
                                                  a->event->value),
                              TENSIX_HART_FOR_SEMAPHORE);
    }
}

/* --- registers in which agents leave words for each other --- */

static TensixStamp *last_store(TensixTime *t, uint32_t address)
{
    enum { STREAMS = 0xFFB40000, STREAM_BYTES = 0x1000 };
    uint32_t stream = (address - STREAMS) / STREAM_BYTES;

    return address >= STREAMS && stream < TENSIX_STREAMS ? &t->stream[stream]
                                                         : &t->shared;
}

static bool is_wall_clock(uint32_t address)
{
    enum { FIRST = 0xFFB121F0, LAST = 0xFFB121FF };

    return address >= FIRST && address <= LAST;
}

static void niu(const TimeAccess *a)
{
    if (!a->event->store) {
        tensix_hart_time_join(a->hart, time_noc_seen(a->t, a->offset),
                              TENSIX_HART_FOR_NOC);
    }
}

static void stream(const TimeAccess *a)
{
    TensixStamp *last = last_store(a->t, a->event->address);

    if (a->event->store) {
        *last = tensix_later(*last, stored(a));
    } else {
        tensix_hart_time_join(a->hart, *last, TENSIX_HART_FOR_REGISTER);
    }
}

static void shared(const TimeAccess *a)
{
    if (!is_wall_clock(a->event->address)) {
        stream(a);
    }
}

/* --- all of them --- */

static void access_by_hart(TensixTime *t, const TensixRegisterEvent *event)
{
    enum { B = 1 << TENSIX_HART_BRISC, T = 7 << TENSIX_HART_TRISC0 };
    static const struct {
        uint32_t first, last;      /* addresses in the hart's view */
        uint32_t harts;
        void (*access)(const TimeAccess *a);
    } rows[] = {
        { 0xFFB12000, 0xFFB13FFF, UINT32_MAX, shared },
        { 0xFFB20000, 0xFFB3FFFF, UINT32_MAX, niu },
        { 0xFFB40000, 0xFFB7FFFF, UINT32_MAX, stream },
        { 0xFFE80000, 0xFFEAFFFF, B, pcbuf_of_brisc },
        { 0xFFE80000, 0xFFE8FFFF, T, pcbuf_of_trisc },
        { 0xFFEC0000, 0xFFEC3FFF, B | T, mailbox },
    };
    TimeAccess a = { t, tensix_cop_hart(t->cop, event->by.hart), event };

    if (event->store) {
        t->stored = stored(&a);
    }
    for (unsigned n = 0; n < ARRAY_SIZE(rows); n++) {
        if (event->address >= rows[n].first && event->address <= rows[n].last &&
            rows[n].harts >> event->by.hart & 1) {
            a.offset = event->address - rows[n].first;
            rows[n].access(&a);
        }
    }
}

/* STOREREG leaves a word for a hart, as LLK's circular buffers do. */
static void access_by_insn(TensixTime *t, const TensixRegisterEvent *event)
{
    TimeThread *thread = &t->thread[event->by.thread];
    TensixStamp *last = last_store(t, event->address);

    if (event->store) {
        *last = tensix_later(*last, time_thread_done(t, thread));
    } else {
        thread->next = tensix_later(thread->next, *last);
    }
}

void time_register(TensixTime *t, const TensixRegisterEvent *event)
{
    if (event->address > UINT32_MAX) {
        return;                    /* the aperture is no part of the hardware */
    }
    if (event->by.kind == TENSIX_BY_HART &&
        tensix_actor_hart(&event->by) < TENSIX_NUM_HARTS) {
        access_by_hart(t, event);
    } else if (event->by.kind == TENSIX_BY_INSTRUCTION &&
               event->by.thread < TENSIX_THREADS) {
        access_by_insn(t, event);
    }
}

/* --- L1 --- */

void time_written(TensixTime *t, uint32_t address, uint32_t size,
                  TensixStamp at)
{
    uint32_t first = address / sizeof(uint32_t);
    uint32_t end = DIV_ROUND_UP((uint64_t)address + size, sizeof(uint32_t));

    for (uint32_t n = first; n < MIN(end, TENSIX_TIME_WORDS); n++) {
        tensix_hart_time_written(&t->hart[0], n, at);
    }
}
