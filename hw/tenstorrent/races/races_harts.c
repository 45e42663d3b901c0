/*
 * Races: what orders harts, by the registers that they load and store.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH ManualTTSync.md, PCBufs.md, Mailboxes.md, MemoryOrdering.md, NoC/Counters.md.
 * A load that returns is taken for one whose value its hart uses; of a semaphore's
 * value what its branches make of it counts (races_polls.c).
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/config/cfg_names.h"
#include "races_internal.h"

enum {
    WINDOW = 0x10000,              /* of a thread in BRISC's view */
    MAILBOX_QUERY = 1 << 2,        /* address bit */
    NIU_COUNTERS = 0x200, NIU_COUNTERS_END = 0x400,
};

/* --- clocks --- */

RaceClock *race_hart_clock(RaceHart *hart)
{
    if (!hart->shared) {
        hart->shared = g_rc_box_dup(sizeof(hart->now), &hart->now);
    }
    return hart->shared;
}

/* Those that hold it keep what it was. */
static void changes(RaceHart *hart)
{
    hart->joins++;
    g_clear_pointer(&hart->shared, g_rc_box_release);
}

void race_hart_set_clock(RaceHart *hart, const RaceClock *clock)
{
    changes(hart);
    hart->now = *clock;
}

void race_hart_join_chain(RaceHart *hart, uint32_t chain, uint32_t count)
{
    if (hart->now.at[chain] < count) {
        changes(hart);
        hart->now.at[chain] = count;
    }
}

void race_hart_join(RaceHart *hart, const RaceClock *clock)
{
    RaceClock now = hart->now;

    race_join(&now, clock);
    if (memcmp(&now, &hart->now, sizeof(now))) {
        race_hart_set_clock(hart, &now);
    }
}

RaceOp race_hart_op(TensixRaces *r, const TensixActor *by)
{
    RaceHart *hart = &r->hart[by->hart];
    uint32_t count;

    race_l1_settle(r, by->hart);
    count = ++hart->now.at[RACE_HART + by->hart];

    return (RaceOp) {
        .by = by, .clock = &hart->now,
        .access = { .place = race_place(r, by), .unit = RACE_UNITS,
                    .chain = RACE_HART + by->hart, .count = count },
    };
}

/*
 * With Auto TTSync what a TRISC pushes after its store waits for the store.
 * (OLD AutoTTSync.md)
 */
void race_auto_ttsync(TensixRaces *r, const RaceAccess *store, uint32_t hart)
{
    enum { INDEX = THREAD_CFG_TENSIX_TRISC_SYNC_TrackGlobalCfg_INDEX };

    if (hart >= TENSIX_HART_TRISC0 &&
        r->state->thread_cfg[hart - TENSIX_HART_TRISC0][INDEX]) {
        race_hart_join_chain(&r->hart[hart], store->chain, store->count);
    }
}

/* The MOP expander has passed all that the T hart has pushed. */
static void join_expanded(TensixRaces *r, RaceHart *hart, uint32_t thread)
{
    race_hart_join_chain(hart, RACE_EXPANDED + thread,
                         r->thread[thread].queue[RACE_BY_T].count);
}

/* All that the thread has issued, and that its units have begun. */
static void join_thread(TensixRaces *r, RaceHart *hart, uint32_t thread)
{
    RaceThread *t = &r->thread[thread];
    RaceClock all;

    race_run_ends(r, thread);
    all = t->now;
    for (RaceUnit unit = 0; unit < RACE_UNITS; unit++) {
        race_join(&all, &t->done[unit]);
    }
    race_hart_join(hart, &all);
    join_expanded(r, hart, thread);
}

/* Requests of the other hart, whose number that is. */
static void join_requests(RaceHart *hart, const RaceHart *other, uint32_t number,
                          uint32_t channel)
{
    race_hart_join_chain(hart, race_noc_chain(number, channel),
                         other->requests[channel]);
}

/* --- registers --- */

typedef struct Register {
    TensixRaces *r;
    RaceHart *hart;
    const TensixRegisterEvent *event;
    uint32_t index;                /* of the hart */
    uint32_t offset;               /* from the row's first address */
} Register;

static uint32_t thread_of(uint32_t hart)
{
    return hart - TENSIX_HART_TRISC0;
}

static void load_gpr(const Register *g)
{
    race_hart_join_chain(g->hart, RACE_GPR_STORE + g->index,
                         g->hart->gpr_stores);
}

static void load_config(const Register *g)
{
    race_hart_join_chain(g->hart, RACE_CONFIG_STORE + g->index,
                         g->hart->config_stores);
}

/* BRISC pushes into the PCBuf of a thread; its load is a barrier. */
static void brisc_pcbuf(const Register *g)
{
    uint32_t thread = g->offset / WINDOW;

    if (g->event->store) {
        race_count(&g->r->pcbuf[thread].pushed, &g->hart->now);
    } else {
        join_thread(g->r, g->hart, thread);
        race_hart_join(g->hart, &g->r->hart[TENSIX_HART_TRISC0 + thread].now);
    }
}

static void pop(RaceHart *hart, RaceFifo *fifo)
{
    RaceClock clock = { 0 };

    fifo->popped += fifo->popped < fifo->pushed.count;
    race_join_counts(&clock, &fifo->pushed, fifo->popped);
    race_hart_join(hart, &clock);
}

static void trisc_pcbuf(const Register *g)
{
    enum { POP, DONE, EXPANDED, SEMAPHORES = 8 };
    uint32_t word = g->offset / sizeof(uint32_t);
    RaceClock clock = { 0 };

    if (g->event->store) {
        return;
    }
    if (word == POP) {
        pop(g->hart, &g->r->pcbuf[thread_of(g->index)]);
    } else if (word == DONE) {
        join_thread(g->r, g->hart, thread_of(g->index));
    } else if (word == EXPANDED) {
        join_expanded(g->r, g->hart, thread_of(g->index));
    } else if (word >= SEMAPHORES && word < SEMAPHORES + TENSIX_SEMAPHORES) {
        race_semaphore_seen(g->r, &clock, word - SEMAPHORES,
                            race_poll_range(g->r, &g->event->by,
                                            g->event->value));
        race_hart_join(g->hart, &clock);
    }
}

static void store_mop(const Register *g)
{
    if (g->event->store) {
        race_mop_store(g->r, g->event, thread_of(g->index),
                       g->offset / sizeof(uint32_t));
    }
}

/* Number of BRISC or a TRISC. */
static uint32_t mailbox_user(uint32_t hart)
{
    return hart == TENSIX_HART_BRISC ? 0 : thread_of(hart) + 1;
}

static void mailbox(const Register *g)
{
    enum { STRIDE = 0x1000 };
    uint32_t user = mailbox_user(g->index);
    uint32_t other = g->offset / STRIDE;

    if (g->event->store) {
        race_count(&g->r->mailbox[user][other].pushed, &g->hart->now);
    } else if (!(g->offset & MAILBOX_QUERY)) {
        pop(g->hart, &g->r->mailbox[other][user]);
    }
}

static bool is_wall_clock(const Register *g)
{
    enum { FIRST = 0xFFB121F0, LAST = 0xFFB121FF };

    return g->event->address >= FIRST && g->event->address <= LAST;
}

static RaceClock *shared_clock(TensixRaces *r, const TensixRegisterEvent *event)
{
    enum { STREAMS = 0xFFB40000, STREAM_BYTES = 0x1000 };
    uint32_t stream = ((uint32_t)event->address - STREAMS) / STREAM_BYTES;

    return stream < RACE_STREAMS ? &r->stream[stream] : &r->shared;
}

/* Registers in which harts leave words for each other: PIC, streams, others. */
static void shared(const Register *g)
{
    if (is_wall_clock(g)) {
        return;
    }
    if (g->event->store) {
        race_join(shared_clock(g->r, g->event), &g->hart->now);
    } else {
        race_hart_join(g->hart, shared_clock(g->r, g->event));
    }
}

/* That the counter says to have ended: reads, writes.  *_SENT say nothing. */
static bool counts(uint32_t counter, bool writes)
{
    enum { READS = 1 << 0, WRITES = 1 << 1 };
    static const struct {
        uint8_t first, last, requests;
    } rows[] = {
        { 0, 1, WRITES },          /* ATOMIC_RESP_RECEIVED, WR_ACK_RECEIVED */
        { 2, 2, READS },           /* RD_RESP_RECEIVED */
        { 16, 31, READS | WRITES },    /* REQS_OUTSTANDING_ID */
        { 32, 47, WRITES },        /* WRITE_REQS_OUTGOING_ID */
    };

    for (unsigned n = 0; n < ARRAY_SIZE(rows); n++) {
        if (counter >= rows[n].first && counter <= rows[n].last) {
            return rows[n].requests & (writes ? WRITES : READS);
        }
    }
    return false;
}

/* Taken for all requests of this kind that this tile has made by this NIU. */
static void load_niu(const Register *g)
{
    uint32_t offset = g->offset % WINDOW;

    if (offset < NIU_COUNTERS || offset >= NIU_COUNTERS_END) {
        return;
    }
    for (uint32_t channel = 0; channel < TENSIX_NOC_CHANNELS; channel++) {
        for (uint32_t hart = 0; hart < TENSIX_HART_NONE; hart++) {
            if (channel % TENSIX_NOC_WRITES == g->offset / WINDOW &&
                counts((offset - NIU_COUNTERS) / sizeof(uint32_t),
                       channel & TENSIX_NOC_WRITES)) {
                join_requests(g->hart, &g->r->hart[hart], hart, channel);
            }
        }
    }
}

/*
 * STOREREG leaves a word for a hart, as LLK's circular buffers do in a stream's
 * registers; LOADREG finds one.
 */
void race_register_by_insn(TensixRaces *r, const TensixRegisterEvent *event)
{
    RaceThread *t = &r->thread[event->by.thread];

    if (event->store) {
        race_join(shared_clock(r, event), &t->now);
        t->released = race_place(r, &event->by);
    } else {
        race_thread_join(t, shared_clock(r, event));
    }
}

void race_register(TensixRaces *r, const TensixRegisterEvent *event)
{
    enum { B = 1 << TENSIX_HART_BRISC, T = 7 << TENSIX_HART_TRISC0 };
    static const struct {
        uint32_t first, last;      /* addresses in the hart's view */
        uint32_t harts;
        bool loads_only;
        void (*access)(const Register *g);
    } rows[] = {
        { 0xFFB12000, 0xFFB13FFF, UINT32_MAX, false, shared },
        { 0xFFB40000, 0xFFB7FFFF, UINT32_MAX, false, shared },
        { 0xFFB20000, 0xFFB3FFFF, UINT32_MAX, true, load_niu },
        { 0xFFB80000, 0xFFB80000 + TENSIX_MOP_CFG_WORDS * 4 - 1, T, false,
          store_mop },
        { 0xFFE00000, 0xFFE00FFF, B | T, true, load_gpr },
        { 0xFFE80000, 0xFFEAFFFF, B, false, brisc_pcbuf },
        { 0xFFE80000, 0xFFE8FFFF, T, false, trisc_pcbuf },
        { 0xFFEC0000, 0xFFEC3FFF, B | T, false, mailbox },
        { 0xFFEF0000, 0xFFEFFFFF, B | T, true, load_config },
    };

    race_l1_settle(r, event->by.hart);
    for (unsigned n = 0; n < ARRAY_SIZE(rows); n++) {
        if (event->address >= rows[n].first && event->address <= rows[n].last &&
            rows[n].harts >> event->by.hart & 1 &&
            !(rows[n].loads_only && event->store)) {
            rows[n].access(&(const Register) {
                r, &r->hart[event->by.hart], event, event->by.hart,
                event->address - rows[n].first });
        }
    }
}

static void discard_words(RaceFifo *fifo)
{
    fifo->popped = fifo->pushed.count;
}

/*
 * Reset has discarded mail that the hart sent, and for a TRISC words of its PCBuf
 * and those before the MOP expander's end.  A wait that its thread has latched, and
 * instructions that have issued, outlive it.  (BH SoftReset.md)
 */
static void discard_by_reset(TensixRaces *r, uint32_t hart)
{
    if (hart >= TENSIX_HART_TRISC0) {
        discard_words(&r->pcbuf[thread_of(hart)]);
        join_expanded(r, &r->hart[hart], thread_of(hart));
    }
    if (hart >= TENSIX_HART_TRISC0 || hart == TENSIX_HART_BRISC) {
        for (unsigned to = 0; to < RACE_MAILBOX_USERS; to++) {
            discard_words(&r->mailbox[mailbox_user(hart)][to]);
        }
    }
}

RaceClock race_all_harts(TensixRaces *r)
{
    RaceClock all = { 0 };

    for (uint32_t n = 0; n < TENSIX_HART_NONE; n++) {
        const RaceHart *hart = &r->hart[n];

        race_l1_settle(r, n);
        race_join(&all, &hart->now);
        race_join_chain(&all, RACE_GPR_STORE + n, hart->gpr_stores);
        race_join_chain(&all, RACE_CONFIG_STORE + n, hart->config_stores);
        for (uint32_t channel = 0; channel < TENSIX_NOC_CHANNELS; channel++) {
            race_join_chain(&all, race_noc_chain(n, channel),
                            hart->requests[channel]);
        }
    }
    race_join_chain(&all, RACE_REMOTE, r->remote_writes);
    race_join_chain(&all, RACE_TDMA, r->tdma_writes);
    return all;
}

/* What released it is not known: it comes after all that harts have done. */
void race_hart_released(TensixRaces *r, uint32_t hart)
{
    RaceClock all;

    discard_by_reset(r, hart);
    all = race_all_harts(r);
    race_hart_join(&r->hart[hart], &all);
    race_handlers_discard(&r->hart[hart]);
}

void race_harts_restart(TensixRaces *r)
{
    for (uint32_t n = 0; n < TENSIX_HART_NONE; n++) {
        changes(&r->hart[n]);
        race_handlers_discard(&r->hart[n]);
    }
    memset(r->hart, 0, sizeof(r->hart));
    memset(&r->shared, 0, sizeof(r->shared));
    memset(r->stream, 0, sizeof(r->stream));
    memset(r->pcbuf, 0, sizeof(r->pcbuf));
    memset(r->mailbox, 0, sizeof(r->mailbox));
}
