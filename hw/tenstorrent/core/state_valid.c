/*
 * Is a state that came from outside (a snapshot, migration) one that the core
 * could have made?
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The core relies on widths and on counts: they are indices, shift counts and
 * the lengths of loops.  Each field has its check here, or any value will do:
 * contents of registers, instruction words, what only reports show.
 * tests/unit/test-state.c gives out-of-range values to all of them.
 */

#include "regs/regfile.h"
#include "tensix_soft_reset.h"
#include "vector/vector.h"
#include "frontend/frontend.h"

enum {
    RWC_PHASE_MASK = 3,
    SRC_FORMAT_MASK = 0xf,
    TILE_POSITION_MASK = 0xff,
    HI_SCALER_MASK = 0x1ff,
    MACRO_MISC_MASK = 0xfff,
    MACRO_MOD0_MASK = 0xf,
    MOP_MOST_OUTER = 129,           /* the hardware bug: 1 and 128 */
    MOP_MOST_INNER = 2 * 1023,
    REPLAY_MOST_WORDS = -1 + (1 << TENSIX_REPLAY_len_WIDTH),
    MOP_MASK_HI_MASK = 0xffff,
    ALL_THREADS = (1 << TENSIX_THREADS) - 1,
};

/* Is none of so many words greater than `most`? */
static bool at_most(const uint32_t *words, size_t count, uint32_t most)
{
    bool valid = true;

    for (size_t n = 0; n < count; n++) {
        valid = valid && words[n] <= most;
    }
    return valid;
}

/* All words of an array of any shape. */
#define ARRAY_AT_MOST(array, most) \
    at_most((const uint32_t *)(array), sizeof(array) / (sizeof(uint32_t)), most)

/* --- threads --- */

/* An empty place has no thread yet, but must not lead to a bad index. */
static bool insn_valid(const TensixInsn *i, uint32_t thread)
{
    return i->valid <= 1 && i->thread < TENSIX_THREADS &&
           (!i->valid || i->thread == thread) &&
           i->origin.hart <= TENSIX_HART_NONE;
}

bool tensix_insn_valid(const TensixInsn *i)
{
    return insn_valid(i, i->thread);
}

/* Reports index names of harts. */
static bool origins_valid(const TensixOrigin *origins, size_t count)
{
    bool valid = true;

    for (size_t n = 0; n < count; n++) {
        valid = valid && origins[n].hart <= TENSIX_HART_NONE;
    }
    return valid;
}

static bool fifo_valid(const TensixFifo *f, uint32_t thread)
{
    bool valid = f->head < TENSIX_FIFO_DEPTH && f->count <= TENSIX_FIFO_DEPTH;

    for (uint32_t n = 0; n < TENSIX_FIFO_DEPTH; n++) {
        const TensixInsn *i = tensix_fifo_peek(f, n);

        valid = valid && insn_valid(i, thread) && (i->valid || n >= f->count);
    }
    return valid;
}

/* A loop that is longer than a MOP can make it would be one without end. */
static bool mop_valid(const TensixMop *m, uint32_t thread)
{
    return m->phase <= TENSIX_MOP_LOOP && m->slot <= TENSIX_MOP_LAST_SLOT &&
           m->mask_hi <= MOP_MASK_HI_MASK &&
           m->outer_count <= MOP_MOST_OUTER &&
           m->inner_count <= MOP_MOST_INNER &&
           m->outer <= m->outer_count && m->inner <= m->inner_count &&
           m->index < TENSIX_MOP_CFG_WORDS &&
           origins_valid(m->cfg_origin, TENSIX_MOP_CFG_WORDS) &&
           insn_valid(&m->insn, thread) &&
           (m->insn.valid || m->phase == TENSIX_MOP_IDLE);
}

/* Nothing left is what ends it. */
static bool replay_valid(const TensixReplay *r, uint32_t thread)
{
    return r->phase <= TENSIX_REPLAY_PLAY && r->index < TENSIX_REPLAY_DEPTH &&
           r->left <= REPLAY_MOST_WORDS &&
           (r->phase == TENSIX_REPLAY_IDLE) == (r->left == 0) &&
           origins_valid(r->recorded, TENSIX_REPLAY_DEPTH) &&
           insn_valid(&r->insn, thread) &&
           (r->insn.valid || r->phase == TENSIX_REPLAY_IDLE);
}

static bool gate_valid(const TensixGate *g, uint32_t thread)
{
    return (!g->opcode || tensix_latch_of(g->opcode)) &&
           g->stream_select < TENSIX_STREAM_SELECTS &&
           insn_valid(&g->pending, thread) && insn_valid(&g->latched, thread) &&
           g->wait_reason < TENSIX_WAIT_REASONS;
}

static bool rwc_valid(const TensixRwc *r)
{
    return (r->Dst | r->Dst_Cr | r->Sp) <= DST_ROW_MASK &&
           (r->SrcA | r->SrcA_Cr | r->SrcB | r->SrcB_Cr) <= SRC_ROW_MASK &&
           r->FidelityPhase <= RWC_PHASE_MASK && r->ExtraAddrModBit <= 1;
}

/* Is it no later than an instruction of now could end? */
static bool cycle_valid(const TensixOrder *o, uint64_t cycle)
{
    enum { LONGEST = 1 << 24 };

    return cycle <= o->cycle + LONGEST;
}

/* Only a random schedule lets instructions fly, and lands them. */
static bool flight_valid(const TensixFlight *f, const TensixOrder *o,
                         uint32_t thread)
{
    bool valid = f->count <= (o->rng ? TENSIX_FLIGHT_DEPTH : 0);

    for (uint32_t i = 0; i < TENSIX_FLIGHT_DEPTH; i++) {
        valid = valid && insn_valid(&f->insn[i], thread) &&
                (f->insn[i].valid || i >= f->count) &&
                cycle_valid(o, f->due[i]) && rwc_valid(&f->rwc[i]);
    }
    return valid;
}

static bool thread_valid(const TensixState *s, uint32_t thread)
{
    const TensixThread *t = &s->thread[thread];

    return fifo_valid(&t->fifo, thread) && fifo_valid(&t->post_fifo, thread) &&
           mop_valid(&t->mop, thread) && replay_valid(&t->replay, thread) &&
           gate_valid(&t->gate, thread) &&
           flight_valid(&t->flight, &s->order, thread);
}

/* --- Vector Unit --- */

static bool slot_valid(const TensixScheduled *slot)
{
    return slot->vb < TENSIX_LREGS && slot->vc < TENSIX_LREGS &&
           slot->vd < TENSIX_LREGS && slot->mod0 <= MACRO_MOD0_MASK &&
           slot->by_instruction <= 1;
}

static bool macro_valid(const TensixMacro *m)
{
    bool valid = m->active <= 1 && insn_valid(&m->insn, m->insn.thread) &&
                 m->swap_vc < TENSIX_LREGS && m->swap_vd < TENSIX_LREGS &&
                 ARRAY_AT_MOST(m->late.vd, TENSIX_LREGS - 1);

    for (int unit = 0; unit < TENSIX_MACRO_UNITS; unit++) {
        for (int delay = 0; delay < TENSIX_MACRO_DELAYS; delay++) {
            valid = valid && slot_valid(&m->slot[unit][delay]);
        }
    }
    return valid;
}

static bool vector_unit_valid(const TensixVectorUnit *vu)
{
    return vu->flag_stack_depth <= TENSIX_FLAG_STACK_DEPTH &&
           ARRAY_AT_MOST(vu->lane_config, VECTOR_LANE_CONFIG_MASK) &&
           ARRAY_AT_MOST(vu->load_macro.misc, MACRO_MISC_MASK);
}

/* --- order of events --- */

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

/* --- register files and counters --- */

static bool rows_valid(const TensixState *s)
{
    bool valid = s->dst16b_is_high_half <= 1;

    for (uint32_t row = 0; row < TENSIX_DST_ROWS; row++) {
        valid = valid && s->dst_row_valid[row] <= 1;
    }
    return valid && ARRAY_AT_MOST(s->src, SRC_VALUE_MASK);
}

static bool banks_valid(const TensixState *s)
{
    return ARRAY_AT_MOST(s->src_client, TENSIX_CLIENT_MATRIX_UNIT) &&
           ARRAY_AT_MOST(s->matrix_bank, SRC_BANK_MASK) &&
           ARRAY_AT_MOST(s->unpack_bank, SRC_BANK_MASK) &&
           ARRAY_AT_MOST(s->src_format, SRC_FORMAT_MASK) &&
           s->last_row_a <= SRC_ROW_MASK &&
           origins_valid(s->src_given[0], TENSIX_SRCS * TENSIX_SRC_BANKS) &&
           s->src_read < 1 << TENSIX_SRCS;
}

static bool adc_channel_valid(const TensixAdcChannel *a)
{
    return (a->X | a->X_Cr) <= ADC_X_MASK &&
           (a->Y | a->Z | a->W | a->Y_Cr | a->Z_Cr | a->W_Cr) <= ADC_YZW_MASK;
}

static bool adcs_valid(const TensixAdc adc[TENSIX_ADCS])
{
    bool valid = true;

    for (int n = 0; n < TENSIX_ADCS; n++) {
        valid = valid && adc_channel_valid(&adc[n].channel[0]) &&
                adc_channel_valid(&adc[n].channel[1]);
    }
    return valid;
}

static bool packer_valid(const TensixState *s)
{
    const TensixPacker *p = &s->packer;

    return p->open <= 1 && (p->tile_row | p->tile_face) <= TILE_POSITION_MASK &&
           ARRAY_AT_MOST(s->set_reg.hi_scaler, HI_SCALER_MASK);
}

static bool semaphore_use_valid(const TensixState *s)
{
    bool valid = true;

    for (int i = 0; i < TENSIX_SEMAPHORES; i++) {
        const TensixSemaphoreUse *use = &s->semaphore_use[i];

        valid = valid && origins_valid(&use->init, 1) &&
                origins_valid(&use->post, 1) && origins_valid(&use->get, 1) &&
                origins_valid(&use->lost_post, 1) &&
                origins_valid(&use->lost_get, 1) &&
                use->initial <= TENSIX_SEMAPHORE_LIMIT;
    }
    return valid;
}

static bool sync_valid(const TensixState *s)
{
    return semaphore_use_valid(s) &&
           ARRAY_AT_MOST(s->semaphore, TENSIX_SEMAPHORE_LIMIT) &&
           ARRAY_AT_MOST(s->mutex_owner, TENSIX_THREADS) &&
           s->debug_bus <= ALL_THREADS &&
           !(s->soft_reset & ~(uint32_t)TENSIX_SOFT_RESET_UNITS);
}

bool tensix_state_valid(const TensixState *s)
{
    bool valid = rows_valid(s) && banks_valid(s) && vector_unit_valid(&s->vu) &&
                 macro_valid(&s->macro) && packer_valid(s) && sync_valid(s) &&
                 order_valid(&s->order);

    for (int t = 0; t < TENSIX_THREADS; t++) {
        valid = valid && rwc_valid(&s->rwc[t]) && adcs_valid(s->adc[t]) &&
                thread_valid(s, t);
    }
    return valid;
}
