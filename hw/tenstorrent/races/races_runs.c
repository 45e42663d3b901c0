/*
 * Races: runs of vector instructions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A run is a sequence of instructions that a thread issues one after the other,
 * and that access LRegs alone.  Nothing observes a moment between them, so all
 * have the place in the thread's chains that the first of them has.  A kernel of
 * the Vector Unit consists of such runs.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/traits.h"
#include "races_internal.h"

enum {
    FIRST = offsetof(TensixCellNumbers, LREG),
    WORD = FIRST / TENSIX_MAP_BITS,
};

QEMU_BUILD_BUG_ON(FIRST % TENSIX_MAP_BITS);

/* A MOP's instructions read MopCfg as well. */
static bool accesses_lregs_alone(const TensixExecuted *e)
{
    const TensixTraits *t = tensix_traits_of(e->insn->word);

    return tensix_port(e->insn->word) == TENSIX_UNIT_VECTOR && !t->dst_read &&
           !t->dst_written && e->by->mop_position == TENSIX_NO_POSITION &&
           !((e->read->words | e->written->words) & ~(1ull << WORD));
}

/* All accesses of the LRegs are the thread's, by the Vector Unit: in order. */
static bool are_of_chain(const TensixRaces *r, uint64_t lregs, uint8_t chain)
{
    for (; lregs; lregs &= lregs - 1) {
        const RaceCell *cell = &r->cell[FIRST + ctz64(lregs)];

        if ((cell->write.place && cell->write.chain != chain) ||
            (cell->read[0].place && cell->read[0].chain != chain) ||
            cell->read[1].place) {
            return false;
        }
    }
    return true;
}

static void access_lregs(TensixRaces *r, const TensixExecuted *e,
                         const RaceAccess *access)
{
    for (uint64_t n = e->read->bits[WORD]; n; n &= n - 1) {
        r->cell[FIRST + ctz64(n)].read[0] = *access;
    }
    for (uint64_t n = e->written->bits[WORD]; n; n &= n - 1) {
        RaceCell *cell = &r->cell[FIRST + ctz64(n)];

        cell->write = *access;
        cell->read[0].place = 0;
    }
}

bool race_run_continues(TensixRaces *r, const TensixExecuted *e)
{
    RaceThread *t = &r->thread[e->insn->thread];
    uint64_t lregs = e->read->bits[WORD] | e->written->bits[WORD];

    if (!t->run.place || t->flights || !accesses_lregs_alone(e) ||
        !are_of_chain(r, lregs, t->run.chain)) {
        return false;
    }
    race_join_push(r, e->insn);
    t->run.place = race_place(r, e->by);
    access_lregs(r, e, &t->run);
    return true;
}

void race_run_begins(TensixRaces *r, const RaceOp *op, const TensixExecuted *e)
{
    if (!op->flies && accesses_lregs_alone(e)) {
        r->thread[op->access.thread].run = op->access;
    }
}
