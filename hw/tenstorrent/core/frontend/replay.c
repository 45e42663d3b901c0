/*
 * REPLAY expander: records words into a ring of 32 and plays them again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * While it records, every word goes into the ring as it is, even a REPLAY.
 * (BH REPLAY.md, WH REPLAY.md)
 */

#include "frontend/frontend.h"
#include "observe/observe.h"
#include "tensix_internal.h"

/* Next word from either FIFO: BRISC's enters here, after the MOP expander. */
static bool pull_input(TensixCore *c, uint32_t thread, TensixInsn *out)
{
    TensixThread *t = &c->s.thread[thread];

    if (tensix_fifo_empty(&t->post_fifo)) {
        return tensix_mop_pull(c, thread, out);
    }
    tensix_fifo_pop(&t->post_fifo, out);
    c->signals.changed |= TENSIX_CHANGED_FIFO;
    return true;
}

/* Traces it, and reports a length beyond the ring. */
static void announce_replay(TensixCore *c, const TensixInsn *i)
{
    uint32_t length = OPERAND(i, REPLAY, len);

    tensix_observe_taken(c->observer, i);
    tensix_trace(c, TENSIX_TRACE_REPLAY, i);
    if (c->record.all) {
        tensix_record_insn(&c->record, TENSIX_EVENT_REPLAY, i, 0);
    }
    if (length > TENSIX_REPLAY_DEPTH) {
        tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                         "length %u is more than the ring's %u words",
                         (unsigned)length, (unsigned)TENSIX_REPLAY_DEPTH);
    }
}

static void start_replay(TensixCore *c, uint32_t thread, const TensixInsn *i)
{
    TensixReplay *r = &c->s.thread[thread].replay;
    uint32_t length = OPERAND(i, REPLAY, len);

    announce_replay(c, i);
    r->index = OPERAND(i, REPLAY, start_idx) % TENSIX_REPLAY_DEPTH;
    r->left = length ? length : TENSIX_REPLAY_DEPTH;
    tensix_copy_fresh(&r->insn, i);
    if (!OPERAND(i, REPLAY, load_mode)) {
        r->phase = TENSIX_REPLAY_PLAY;
    } else if (OPERAND(i, REPLAY, execute_while_loading)) {
        r->phase = TENSIX_REPLAY_LOAD_EXEC;
    } else {
        r->phase = TENSIX_REPLAY_LOAD;
    }
}

/* Moves on by one slot of the ring; returns the slot that was current. */
static uint32_t advance(TensixCore *c, TensixReplay *r)
{
    uint32_t slot = r->index;

    r->index = (r->index + 1) % TENSIX_REPLAY_DEPTH;
    if (--r->left == 0) {
        r->phase = TENSIX_REPLAY_IDLE;
        c->signals.changed |= TENSIX_CHANGED_IDLE;
    }
    return slot;
}

static void play(TensixCore *c, TensixReplay *r, TensixInsn *out)
{
    uint32_t slot = advance(c, r);

    *out = r->insn;
    out->word = r->buffer[slot];
    out->replay_slot = slot;
}

/* A word that a MOP yielded was written down where MopCfg was stored. */
static void fill_slot(TensixThread *t, const TensixInsn *i, uint32_t slot)
{
    t->replay.buffer[slot] = i->word;
    t->replay.recorded[slot] = i->mop_position == TENSIX_NO_POSITION
                               ? i->origin : t->mop.cfg_origin[t->mop.index];
}

static void record_loaded(TensixCore *c, const TensixInsn *i, uint32_t slot)
{
    if (c->record.all) {
        tensix_record_insn(&c->record, TENSIX_EVENT_LOAD, i, slot);
    }
}

bool tensix_replay_pull(TensixCore *c, uint32_t thread, TensixInsn *out)
{
    TensixReplay *r = &c->s.thread[thread].replay;

    c->derived.repeats[thread] = 0;    /* unless a MOP says otherwise */
    if (r->phase == TENSIX_REPLAY_PLAY) {
        play(c, r, out);
        return true;
    }
    while (pull_input(c, thread, out)) {
        bool emit = r->phase != TENSIX_REPLAY_LOAD;

        if (r->phase != TENSIX_REPLAY_IDLE) {
            uint32_t slot = advance(c, r);

            fill_slot(&c->s.thread[thread], out, slot);
            record_loaded(c, out, slot);
        } else if (out->word >> 24 == TENSIX_OP_REPLAY) {
            start_replay(c, thread, out);
            emit = r->phase == TENSIX_REPLAY_PLAY;
            if (emit) {
                play(c, r, out);
            }
        }
        if (emit) {
            return true;
        }
        c->cost++;                 /* a MOP may be all of words to record */
    }
    out->valid = 0;
    return false;
}
