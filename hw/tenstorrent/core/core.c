/*
 * Life cycle of the coprocessor's state: reset, soft reset, load.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "regs/regfile.h"
#include "frontend/soft_reset.h"
#include "vector/sfpu.h"

static void reset_src_clients(TensixState *s, uint32_t src)
{
    tensix_src_forget_hand_over(s, src);
    for (int bank = 0; bank < TENSIX_SRC_BANKS; bank++) {
        s->src_client[src][bank] = TENSIX_CLIENT_UNPACKERS;
    }
    s->matrix_bank[src] = 0;
    s->unpack_bank[src] = 0;
}

static void clear_src_columns(TensixCore *c, uint32_t src, uint32_t first,
                              uint32_t count)
{
    for (int bank = 0; bank < TENSIX_SRC_BANKS; bank++) {
        TensixSrcRow *rows = tensix_src_to_write(c, src, bank);

        for (int row = 0; row < TENSIX_SRC_ROWS; row++) {
            memset(&rows[row][first], 0, count * sizeof(uint32_t));
        }
    }
}

static void choose_best_isa(TensixCore *c)
{
    int isa = TENSIX_ISAS - 1;

    while (!tensix_set_isa(c, isa)) {
        isa--;                     /* the portable build is always there */
    }
}

void tensix_reset(TensixCore *c)
{
    uint64_t rng = c->s.order.rng;

    memset(&c->s, 0, sizeof(c->s));
    c->s.order.rng = rng;
    /* Data is unpredictable, the flags are all true (ttsim). */
    memset(c->s.dst_row_valid, 1, sizeof(c->s.dst_row_valid));
    tensix_vu_reset(c);
    tensix_ttsync_reset(&c->s);
    c->changed = ~0u;
    memset(&c->reported, 0, sizeof(c->reported));
    tensix_state_loaded(c);
    if (!c->exec) {
        choose_best_isa(c);
    }
}

/* splitmix64: neighbouring seeds are to have nothing in common.  Never 0. */
static uint64_t mix(uint64_t seed)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15ull;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    x ^= x >> 31;
    return x ? x : 1;
}

void tensix_set_schedule(TensixCore *c, uint64_t seed)
{
    c->s.order.rng = seed ? mix(seed) : 0;
    tensix_update_slow(c);
}

void tensix_state_loaded(TensixCore *c)
{
    c->busy = 0;
    c->backlog = false;
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        tensix_update_busy(c, t);
        c->backlog |= !c->s.order.rng && tensix_thread_has_work(c, t);
    }
    tensix_update_slow(c);
    tensix_src_forget(c);
    tensix_hazard_forget(c);
    tensix_pack_forget_plans(c);
    tensix_vu_lane_config_changed(c);
    tensix_isa_select(c);
}

static bool fifo_valid(const TensixFifo *f)
{
    bool valid = f->head < TENSIX_FIFO_DEPTH && f->count <= TENSIX_FIFO_DEPTH;

    for (int i = 0; i < TENSIX_FIFO_DEPTH; i++) {
        valid = valid && f->entry[i].origin.hart <= TENSIX_HART_NONE;
    }
    return valid;
}

static bool pending_valid(const TensixPending *p)
{
    return p->valid <= 1 && p->origin.hart <= TENSIX_HART_NONE;
}

static bool flight_valid(const TensixFlight *f)
{
    bool valid = f->count <= TENSIX_FLIGHT_DEPTH;

    for (int i = 0; i < TENSIX_FLIGHT_DEPTH; i++) {
        valid = valid && pending_valid(&f->insn[i]);
    }
    return valid;
}

static bool thread_valid(const TensixThread *t)
{
    return flight_valid(&t->flight) && fifo_valid(&t->fifo) &&
           fifo_valid(&t->post_fifo) &&
           t->mop.phase <= TENSIX_MOP_LOOP &&
           t->mop.slot <= TENSIX_MOP_LAST_SLOT &&
           t->mop.origin.hart <= TENSIX_HART_NONE &&
           t->replay.phase <= TENSIX_REPLAY_PLAY &&
           t->replay.index < TENSIX_REPLAY_DEPTH &&
           t->replay.origin.hart <= TENSIX_HART_NONE &&
           pending_valid(&t->gate.pending) && pending_valid(&t->gate.latched) &&
           t->gate.opcode <= 0xff &&
           t->gate.stream_select < TENSIX_STREAM_SELECTS &&
           t->gate.wait_reason < TENSIX_WAIT_REASONS;
}

static bool macro_valid(const TensixMacro *m)
{
    bool valid = m->active <= 1 && m->thread < TENSIX_THREADS &&
                 m->origin.hart <= TENSIX_HART_NONE &&
                 m->swap_vc < TENSIX_LREGS && m->swap_vd < TENSIX_LREGS;

    for (int unit = 0; unit < TENSIX_MACRO_UNITS; unit++) {
        for (int delay = 0; delay < TENSIX_MACRO_DELAYS; delay++) {
            const TensixScheduled *slot = &m->slot[unit][delay];

            valid = valid && slot->vb < TENSIX_LREGS &&
                    slot->vc < TENSIX_LREGS && slot->vd < TENSIX_LREGS &&
                    slot->mod0 <= 0xf;
        }
    }
    for (int lane = 0; lane < TENSIX_LANES; lane++) {
        valid = valid && m->late.vd[lane] < TENSIX_LREGS;
    }
    return valid;
}

/* Is it no later than an instruction of now could end? */
static bool cycle_valid(const TensixOrder *o, uint64_t cycle)
{
    enum { LONGEST = 1 << 24 };

    return cycle <= o->cycle + LONGEST;
}

static bool hand_overs_valid(const TensixOrder *o)
{
    uint32_t count = 0;
    bool valid = true;

    for (int n = 0; n < TENSIX_SRCS * TENSIX_SRC_BANKS; n++) {
        uint64_t at = o->hand_over_at[n / TENSIX_SRC_BANKS]
                                     [n % TENSIX_SRC_BANKS];

        count += at != 0;
        valid = valid && cycle_valid(o, at);
    }
    return valid && o->handing_over == count;
}

/* Cycles are compared and added to; a run never gets to the last ones. */
static bool order_valid(const TensixOrder *o)
{
    bool valid = o->cycle < UINT64_MAX / 2 && hand_overs_valid(o);

    for (int port = 0; port < TENSIX_PORTS; port++) {
        valid = valid && cycle_valid(o, o->free_at[port]) &&
                o->mood[port] < TENSIX_MOODS;
        for (int t = 0; t < TENSIX_THREADS; t++) {
            valid = valid && cycle_valid(o, o->idle_at[t][port]);
        }
    }
    for (int t = 0; t < TENSIX_THREADS; t++) {
        valid = valid && cycle_valid(o, o->issue_at[t]) &&
                cycle_valid(o, o->quiet_at[t]);
    }
    for (int n = 0; n < TENSIX_PUSHERS; n++) {
        valid = valid && o->pace[n] < TENSIX_PACES &&
                cycle_valid(o, o->held_until[n]);
    }
    return valid;
}

bool tensix_state_valid(const TensixState *s)
{
    bool valid = s->vu.flag_stack_depth <= TENSIX_FLAG_STACK_DEPTH &&
                 macro_valid(&s->macro) && order_valid(&s->order);

    for (int src = 0; src < TENSIX_SRCS; src++) {
        valid = valid && s->matrix_bank[src] < TENSIX_SRC_BANKS &&
                s->unpack_bank[src] < TENSIX_SRC_BANKS;
    }
    for (int t = 0; t < TENSIX_THREADS; t++) {
        valid = valid && thread_valid(&s->thread[t]);
    }
    return valid;
}

/* Effects of bits while they are set; entering reset is enough for data. */
static void soft_reset_data(TensixCore *c, uint32_t bits)
{
    TensixState *s = &c->s;

    if (bits & RESET_THCON) {
        for (int bank = 0; bank < TENSIX_CFG_BANKS; bank++) {
            memset(&s->cfg[bank][TENSIX_CFG_THCON_BASE], 0,
                   (TENSIX_CFG_GLOBAL_BASE - TENSIX_CFG_THCON_BASE) *
                       sizeof(uint32_t));
        }
        tensix_pack_forget_plans(c);
    }
    if (bits & RESET_FPU_SFPU) {
        clear_src_columns(c, TENSIX_SRCA, 0, TENSIX_COLUMNS);
        tensix_vu_reset(c);
    }
    for (uint32_t block = 0; block < 4; block++) {
        if (bits & (RESET_SRCA_COLUMNS0 << block)) {
            clear_src_columns(c, TENSIX_SRCA, block * 4, 4);
        }
    }
    if (bits & RESET_SRCB) {
        clear_src_columns(c, TENSIX_SRCB, 0, TENSIX_COLUMNS);
        reset_src_clients(s, TENSIX_SRCB);
    }
    if (bits & RESET_SRCA_CLIENT) {
        reset_src_clients(s, TENSIX_SRCA);
    }
    if (bits & RESET_TTSYNC) {
        tensix_ttsync_reset(s);
    }
    if (bits & RESET_ZEROACC) {
        memset(s->dst_row_valid, 1, sizeof(s->dst_row_valid));
    }
}

void tensix_soft_reset(TensixCore *c, uint32_t bits)
{
    uint32_t entering = bits & ~c->s.soft_reset;

    soft_reset_data(c, entering);
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        if (entering & (RESET_T0 << t)) {
            tensix_thread_reset_frontend(c, t);
        }
    }
    c->s.soft_reset = bits & TENSIX_SOFT_RESET_UNITS;
    tensix_update_slow(c);
    c->changed |= TENSIX_CHANGED_BANK | TENSIX_CHANGED_FIFO |
                  TENSIX_CHANGED_IDLE;
}

void tensix_set_debug_bus(TensixCore *c, uint32_t threads)
{
    c->s.debug_bus = threads;
    tensix_update_slow(c);
}
