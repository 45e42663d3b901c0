/*
 * REPLAY expander: records words into a ring of 32 and plays them again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * While it records, every word goes into the ring as it is, even a REPLAY.
 * (BH REPLAY.md, WH REPLAY.md)
 */

#include "tensix_internal.h"

/* Next word from either FIFO: BRISC's enters here, behind the MOP expander. */
static bool pull_input(TensixCore *c, uint32_t thread, TensixPending *out)
{
    TensixThread *t = &c->s.thread[thread];
    TensixFifoEntry entry;

    if (tensix_fifo_empty(&t->post_fifo)) {
        return tensix_mop_pull(c, thread, out);
    }
    entry = tensix_fifo_pop(&t->post_fifo);
    c->changed |= TENSIX_CHANGED_FIFO;
    *out = (TensixPending) {
        .valid = 1, .word = entry.word, .origin = entry.origin,
        .mop_position = TENSIX_NO_POSITION, .replay_slot = TENSIX_NO_POSITION,
    };
    return true;
}

/* Traces the word, and reports a length beyond the ring. */
static void announce_replay(TensixCore *c, uint32_t thread,
                            const TensixPending *p)
{
    TensixInsn insn = {
        .word = p->word, .thread = thread, .origin = p->origin,
        .mop_position = p->mop_position, .replay_slot = TENSIX_NO_POSITION,
    };

    tensix_trace(c, TENSIX_TRACE_REPLAY, &insn);
    if (TENSIX_FIELD(p->word, REPLAY, len) > TENSIX_REPLAY_DEPTH) {
        tensix_violation(c, &insn, TENSIX_NON_CONTRACTUAL,
                         "length %u is more than the ring's %u words",
                         (unsigned)TENSIX_FIELD(p->word, REPLAY, len),
                         (unsigned)TENSIX_REPLAY_DEPTH);
    }
}

static void start_replay(TensixCore *c, uint32_t thread, const TensixPending *p)
{
    TensixReplay *r = &c->s.thread[thread].replay;
    uint32_t length = TENSIX_FIELD(p->word, REPLAY, len);

    announce_replay(c, thread, p);
    r->index = TENSIX_FIELD(p->word, REPLAY, start_idx) % TENSIX_REPLAY_DEPTH;
    r->left = length ? length : TENSIX_REPLAY_DEPTH;
    r->origin = p->origin;
    r->mop_position = p->mop_position;
    if (!TENSIX_FIELD(p->word, REPLAY, load_mode)) {
        r->phase = TENSIX_REPLAY_PLAY;
    } else if (TENSIX_FIELD(p->word, REPLAY, execute_while_loading)) {
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
        c->changed |= TENSIX_CHANGED_IDLE;
    }
    return slot;
}

static bool play(TensixCore *c, TensixReplay *r, TensixPending *out)
{
    uint32_t slot = advance(c, r);

    *out = (TensixPending) {
        .valid = 1, .word = r->buffer[slot], .origin = r->origin,
        .mop_position = r->mop_position, .replay_slot = slot,
    };
    return true;
}

bool tensix_replay_pull(TensixCore *c, uint32_t thread, TensixPending *out)
{
    TensixReplay *r = &c->s.thread[thread].replay;

    if (r->phase == TENSIX_REPLAY_PLAY) {
        return play(c, r, out);
    }
    while (pull_input(c, thread, out)) {
        bool emit = r->phase != TENSIX_REPLAY_LOAD;

        if (r->phase != TENSIX_REPLAY_IDLE) {
            r->buffer[advance(c, r)] = out->word;
        } else if (out->word >> 24 == TENSIX_OP_REPLAY) {
            start_replay(c, thread, out);
            if (r->phase == TENSIX_REPLAY_PLAY) {
                return play(c, r, out);
            }
            emit = false;
        }
        if (emit) {
            return true;
        }
        c->cost++;                 /* a MOP may be all of words to record */
    }
    out->valid = 0;
    return false;
}
