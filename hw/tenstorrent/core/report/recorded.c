/*
 * Where the words of a MOP or REPLAY were written down.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A word out of an expander has the origin of the MOP or REPLAY.  Which line of
 * a program the word itself is from is known to MopCfg and to REPLAY's ring, and
 * searched there only for a report: words on their way, of which
 * there are millions, do not carry what reports alone want to know.
 */

#include <stdio.h>

#include "tensix_internal.h"

static const TensixOrigin no_origin = { .hart = TENSIX_HART_NONE };

static bool same_origin(const TensixOrigin *a, const TensixOrigin *b)
{
    return a->pc == b->pc && a->hart == b->hart;
}

/*
 * MopCfg's index of a word.  The expander knows that of its last one; an earlier
 * one may still be in flight, and is found by what it is.
 */
static uint32_t find_in_mop(const TensixMop *m, const TensixInsn *i,
                            uint32_t word)
{
    uint32_t index = 0;

    if (m->emitted == i->mop_position + 1 &&
        same_origin(&m->insn.origin, &i->origin)) {
        return m->index;
    }
    while (index < TENSIX_MOP_CFG_WORDS && m->cfg[index] != word) {
        index++;
    }
    return index;
}

/* Unknown if MopCfg has been written anew since. */
static TensixOrigin stored_by(const TensixMop *m, const TensixInsn *i,
                              uint32_t word)
{
    uint32_t index = find_in_mop(m, i, word);

    return index < TENSIX_MOP_CFG_WORDS && m->cfg[index] == word
           ? m->cfg_origin[index] : no_origin;
}

TensixRecorded tensix_recorded(const TensixCore *c, const TensixInsn *i)
{
    const TensixThread *t = &c->s.thread[i->thread];
    TensixRecorded recorded = { no_origin, no_origin };
    uint32_t word = i->word, slot = i->replay_slot;

    if (slot != TENSIX_NO_POSITION) {
        if (t->replay.buffer[slot % TENSIX_REPLAY_DEPTH] == word) {
            recorded.replay = t->replay.recorded[slot % TENSIX_REPLAY_DEPTH];
        }
        word = t->replay.insn.word;      /* what a MOP would have yielded */
    }
    if (i->mop_position != TENSIX_NO_POSITION) {
        recorded.mop = stored_by(&t->mop, i, word);
    }
    return recorded;
}

/* Appends ", MOP word 3 from trisc1 pc 0x00006014" after `used` bytes. */
static int append_position(char *buf, int used, const char *what,
                           uint32_t position, const TensixOrigin *from)
{
    size_t room = TENSIX_EXPANSION_TEXT - used;

    if (position == TENSIX_NO_POSITION) {
        return used;
    }
    if (from->hart >= TENSIX_HART_NONE) {
        return used + snprintf(buf + used, room, ", %s %u", what,
                               (unsigned)position);
    }
    return used + snprintf(buf + used, room, ", %s %u from %s pc 0x%08x", what,
                           (unsigned)position, tensix_hart_names[from->hart],
                           (unsigned)from->pc);
}

void tensix_expansion_text(char *buf, uint32_t mop_position,
                           uint32_t replay_slot,
                           const TensixRecorded *recorded)
{
    int used = 0;

    buf[0] = '\0';
    used = append_position(buf, used, "MOP word", mop_position,
                           recorded ? &recorded->mop : &no_origin);
    append_position(buf, used, "REPLAY slot", replay_slot,
                    recorded ? &recorded->replay : &no_origin);
}

void tensix_recorded_reset(TensixState *s)
{
    for (int t = 0; t < TENSIX_THREADS; t++) {
        for (int n = 0; n < TENSIX_MOP_CFG_WORDS; n++) {
            s->thread[t].mop.cfg_origin[n] = no_origin;
        }
        for (int n = 0; n < TENSIX_REPLAY_DEPTH; n++) {
            s->thread[t].replay.recorded[n] = no_origin;
        }
    }
}
