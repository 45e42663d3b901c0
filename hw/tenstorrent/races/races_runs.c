/*
 * Races: runs of vector instructions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A run is a sequence of instructions that a thread issues one after the other,
 * and that access LRegs alone.  Nothing observes a moment between them, so all
 * have the place in the thread's chains that the first of them has.  A kernel of
 * the Vector Unit consists of such runs, so its cost is theirs: only the latest
 * accesses of each LReg are kept until something else accesses LRegs.
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

/* Cells are as if each of the run's accesses had been made. */
void race_runs_settle(TensixRaces *r)
{
    RacePending *p = &r->pending;
    RaceAccess a = p->access;

    for (uint64_t n = p->written; n; n &= n - 1) {
        RaceCell *cell = &r->cell[FIRST + ctz64(n)];

        a.place = race_place(r, &p->writer[ctz64(n)]);
        cell->write = a;
        cell->read[0].place = 0;
    }
    for (uint64_t n = p->read; n; n &= n - 1) {
        a.place = race_place(r, &p->reader[ctz64(n)]);
        r->cell[FIRST + ctz64(n)].read[0] = a;
    }
    p->written = p->read = p->checked = 0;
}

/* A later access takes the place of an earlier one of the run. */
static void access_lregs(RacePending *p, const TensixExecuted *e)
{
    uint64_t written = e->written->bits[WORD];

    for (uint64_t n = e->read->bits[WORD] & ~written; n; n &= n - 1) {
        p->reader[ctz64(n)] = *e->by;
    }
    for (uint64_t n = written; n; n &= n - 1) {
        p->writer[ctz64(n)] = *e->by;
    }
    p->read = (p->read | e->read->bits[WORD]) & ~written;
    p->written |= written;
}

/* False: another thread has accessed some of them. */
static bool may_access(TensixRaces *r, const RaceThread *t, uint64_t lregs)
{
    RacePending *p = &r->pending;

    if (p->access.chain != t->run.chain || p->access.count != t->run.count) {
        race_runs_settle(r);
        p->access = t->run;
    }
    if ((lregs & ~p->checked) &&
        !are_of_chain(r, lregs & ~p->checked, t->run.chain)) {
        return false;
    }
    p->checked |= lregs;
    return true;
}

/* Its push is joined when the run ends, or here if another hart pushes next. */
static void join_later(TensixRaces *r, RaceThread *t, const TensixInsn *i)
{
    if (t->run_behind && t->run_origin.hart != i->origin.hart) {
        race_join_push(r, i->thread, t->run_origin);
    }
    t->run_origin = i->origin;
    t->run_behind = true;
}

bool race_run_continues(TensixRaces *r, const TensixExecuted *e)
{
    RaceThread *t = &r->thread[e->insn->thread];

    if (!t->run.place || t->flights || !accesses_lregs_alone(e) ||
        !may_access(r, t, e->read->bits[WORD] | e->written->bits[WORD])) {
        return false;
    }
    join_later(r, t, e->insn);
    access_lregs(&r->pending, e);
    return true;
}

void race_run_begins(TensixRaces *r, const RaceOp *op, const TensixExecuted *e)
{
    if (!op->flies && accesses_lregs_alone(e)) {
        r->thread[op->access.thread].run = op->access;
    }
}

void race_run_ends(TensixRaces *r, uint32_t thread)
{
    RaceThread *t = &r->thread[thread];

    if (t->run_behind) {
        race_join_push(r, thread, t->run_origin);
        t->run_behind = false;
    }
    t->run.place = 0;
}
