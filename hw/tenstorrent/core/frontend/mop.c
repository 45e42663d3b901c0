/*
 * MOP expander: one macro-op word becomes a loop of words.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A pull iterator: one call, one word, all progress in TensixMop, so the
 * expansion can stop anywhere, for example for a snapshot.  MopCfg is read when
 * a word is needed, as by the hardware.  (WH MOPExpander.md)
 */

#include "frontend/frontend.h"
#include "observe/observe.h"
#include "record/current.h"
#include "tensix_internal.h"

enum {
    OUTER_COUNT_BUG = 128,

    /* MopCfg, template 0 */
    MASK_FLAGS = 1,
    MASK_B,
    MASK_A0,
    MASK_A1,
    MASK_A2,
    MASK_A3,
    MASK_SKIP_A0,
    MASK_SKIP_B,
    MASK_HAS_B = 1 << 0,
    MASK_HAS_A123 = 1 << 1,

    /* MopCfg, template 1 */
    LOOP_OUTER = 0,
    LOOP_INNER,
    LOOP_START,
    LOOP_END0,
    LOOP_END1,
    LOOP_OP,
    LOOP_OP1,
    LOOP_LAST_OF_ALL,
    LOOP_LAST_OF_INNER,
    OUTER_COUNT_MASK = 127,
    /* WH MOPExpander.md has 127; on Blackhole 512 runs 512 times */
    INNER_COUNT_MASK = 1023,

    /* steps of one outer iteration of template 1 */
    SLOT_START = 0,
    SLOT_INNER,
    SLOT_END0,
    SLOT_END1,
};

/* Any word of opcode NOP counts, whatever its low bits. */
static bool is_nop(uint32_t word)
{
    return tensix_traits_of(word)->mop_skips;
}

static void start_template0(TensixMop *m)
{
    m->phase = TENSIX_MOP_MASK;
    m->mask = (m->mask_hi << 16) |
              OPERAND(&m->insn, MOP, zmask_lo16_or_loop_count);
    m->outer_count = OPERAND(&m->insn, MOP, loop_count) + 1;
}

static void start_template1(TensixMop *m)
{
    m->phase = TENSIX_MOP_LOOP;
    m->outer_count = m->cfg[LOOP_OUTER] & OUTER_COUNT_MASK;
    m->inner_count = m->cfg[LOOP_INNER] & INNER_COUNT_MASK;
    if (!is_nop(m->cfg[LOOP_OP1])) {
        m->inner_count *= 2;
    }
    if (m->outer_count == 1 && is_nop(m->cfg[LOOP_START]) &&
        m->inner_count == 0 && !is_nop(m->cfg[LOOP_END0])) {
        m->outer_count += OUTER_COUNT_BUG;
    }
}

static void start_mop(TensixMop *m, const TensixInsn *insn)
{
    tensix_copy_fresh(&m->insn, insn);
    m->outer = m->inner = m->slot = m->emitted = 0;
    if (OPERAND(insn, MOP, mop_type)) {
        start_template1(m);
    } else {
        start_template0(m);
    }
}

/* MopCfg's words of one iteration of template 0, in order; returns how many. */
static uint32_t mask_iteration(const TensixMop *m, uint32_t words[5])
{
    uint32_t flags = m->cfg[MASK_FLAGS];
    uint32_t n = 0;

    if (m->mask & 1) {
        words[n++] = MASK_SKIP_A0;
        if (flags & MASK_HAS_B) {
            words[n++] = MASK_SKIP_B;
        }
        return n;
    }
    words[n++] = MASK_A0;
    if (flags & MASK_HAS_A123) {
        words[n++] = MASK_A1;
        words[n++] = MASK_A2;
        words[n++] = MASK_A3;
    }
    if (flags & MASK_HAS_B) {
        words[n++] = MASK_B;
    }
    return n;
}

/* Here and below: false if there is no next word, else its index in MopCfg. */
static bool next_of_template0(TensixMop *m, uint32_t *index)
{
    uint32_t words[5];
    uint32_t n;

    if (m->outer == m->outer_count) {
        return false;
    }
    n = mask_iteration(m, words);
    /* MopCfg may have been rewritten to a shorter iteration meanwhile. */
    *index = words[m->slot < n ? m->slot : n - 1];
    if (++m->slot >= n) {
        m->slot = 0;
        m->mask >>= 1;
        m->outer++;
    }
    return true;
}

static uint32_t inner_index(const TensixMop *m)
{
    bool second = (m->inner & 1) && !is_nop(m->cfg[LOOP_OP1]);

    if (m->inner != m->inner_count - 1) {
        return second ? LOOP_OP1 : LOOP_OP;
    }
    return m->outer != m->outer_count - 1 ? LOOP_LAST_OF_INNER
                                          : LOOP_LAST_OF_ALL;
}

/* The word of the current slot, if it has one; moves to the next slot. */
static bool loop_slot(TensixMop *m, uint32_t *index)
{
    switch (m->slot) {
    case SLOT_START:
        m->slot = SLOT_INNER;
        *index = LOOP_START;
        return !is_nop(m->cfg[LOOP_START]);
    case SLOT_INNER:
        if (m->inner < m->inner_count) {
            *index = inner_index(m);
            m->inner++;
            return true;
        }
        m->inner = 0;
        m->slot = SLOT_END0;
        return false;
    case SLOT_END0:
        m->slot = SLOT_END1;
        *index = LOOP_END0;
        return !is_nop(m->cfg[LOOP_END0]);
    default:
        m->slot = SLOT_START;
        m->outer++;
        *index = LOOP_END1;
        return !is_nop(m->cfg[LOOP_END0]) && !is_nop(m->cfg[LOOP_END1]);
    }
}

static bool next_of_template1(TensixMop *m, uint32_t *index)
{
    while (m->outer < m->outer_count) {
        if (loop_slot(m, index)) {
            return true;
        }
    }
    return false;
}

static bool next_index(TensixMop *m, uint32_t *index)
{
    return m->phase == TENSIX_MOP_MASK ? next_of_template0(m, index)
                                       : next_of_template1(m, index);
}

/*
 * How many more times the word at index, just taken, precedes any other.  One that
 * the REPLAY expander takes or records does not reach the gate as it is.
 */
static uint32_t repeats(const TensixThread *t, uint32_t index)
{
    const TensixMop *m = &t->mop;
    bool loops = m->phase == TENSIX_MOP_LOOP && index == LOOP_OP &&
                 is_nop(m->cfg[LOOP_OP1]) &&
                 t->replay.phase == TENSIX_REPLAY_IDLE &&
                 m->cfg[index] >> 24 != TENSIX_OP_REPLAY;

    return loops ? m->inner_count - 1 - m->inner : 0;
}

/* The next word of the expansion under way; false: there is none. */
static bool pull_expansion(TensixCore *c, uint32_t thread, TensixInsn *out)
{
    TensixMop *m = &c->s.thread[thread].mop;
    uint32_t index;

    if (m->phase == TENSIX_MOP_IDLE) {
        return false;
    }
    if (!next_index(m, &index)) {
        m->phase = TENSIX_MOP_IDLE;
        c->signals.changed |= TENSIX_CHANGED_IDLE;
        if (c->record.all) {
            tensix_record(&c->record, MOP_END, thread);
        }
        return false;
    }
    *out = m->insn;
    out->word = m->cfg[index];
    out->mop_position = m->emitted++;
    m->index = index;
    c->derived.repeats[thread] = repeats(&c->s.thread[thread], index);
    return true;
}

/* The expander has taken a word that is for itself. */
static void record_taken(TensixCore *c, TensixEventKind kind,
                         const TensixInsn *i)
{
    tensix_observe_taken(c->observer, i);
    if (c->record.all) {
        tensix_record_insn(&c->record, kind, i, 0);
    }
}

bool tensix_mop_pull(TensixCore *c, uint32_t thread, TensixInsn *out)
{
    TensixThread *t = &c->s.thread[thread];

    while (!pull_expansion(c, thread, out)) {
        if (tensix_fifo_empty(&t->fifo)) {
            return false;
        }
        tensix_fifo_pop(&t->fifo, out);
        c->signals.changed |= TENSIX_CHANGED_FIFO;
        switch (out->word >> 24) {
        case TENSIX_OP_MOP:
            tensix_trace(c, TENSIX_TRACE_MOP, out);
            record_taken(c, TENSIX_EVENT_MOP, out);
            start_mop(&t->mop, out);
            break;
        case TENSIX_OP_MOP_CFG:
            record_taken(c, TENSIX_EVENT_MOP_CFG, out);
            t->mop.mask_hi = OPERAND(out, MOP_CFG, zmask_hi16);
            break;
        default:
            return true;
        }
    }
    return true;
}

void tensix_mop_cfg_write(TensixCore *c, uint32_t thread, uint32_t index,
                          uint32_t value, TensixOrigin origin)
{
    TensixMop *m = &c->s.thread[thread].mop;

    c->derived.repeats[thread] = 0;
    m->cfg[index] = value;
    m->cfg_origin[index] = origin;
    tensix_record_mop_word(c, thread, index);
}
