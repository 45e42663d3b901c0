/*
 * Races: cells of the register files.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A cell knows its last write, and its readers since.  Two accesses of which
 * one writes race unless the first has ended before the second begins, or one
 * of the orders holds that hardware keeps.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/core/decode/traits.h"
#include "races_internal.h"

/* --- orders that hardware keeps --- */

/* A unit works on what issues to it one after the other. */
static bool in_sequence(const RaceOp *op, const RaceAccess *other)
{
    return op->access.chain == other->chain ||
           (op->access.unit < RACE_UNITS && op->access.unit == other->unit &&
            race_has_issued(other, op->clock));
}

bool race_is_ordered(const RaceOp *op, const RaceAccess *other)
{
    return race_has_ended(other, op->clock) || in_sequence(op, other);
}

static bool computes(uint8_t unit)
{
    return unit == RACE_MATRIX || unit == RACE_VECTOR;
}

static bool reads_stalled(const RaceAccess *a)
{
    return a->unit == RACE_MATRIX || a->unit == RACE_PACK ||
           a->unit == RACE_EXPONENTS;
}

/* A reader that was stalled for a writer that lands only now. */
static bool landed_late(const RaceOp *op, const RaceAccess *other,
                        bool other_writes)
{
    return op->flies && op->access.unit == RACE_MATRIX && !other_writes &&
           reads_stalled(other);
}

/*
 * Readers of rows of Dest that the Matrix Unit has begun to write are stalled,
 * the packer as well (BH Dst.md).  For the Matrix and the Vector Unit of one
 * thread distances decide: hazards=on.
 */
static bool dst_is_ordered(const RaceOp *op, const RaceAccess *other,
                           bool reads_written)
{
    const RaceAccess *a = &op->access;

    if (!race_has_issued(other, op->clock)) {
        return false;
    }
    return (reads_written && other->unit == RACE_MATRIX && reads_stalled(a)) ||
           (computes(a->unit) && computes(other->unit) &&
            a->thread == other->thread);
}

static void check(RaceOp *op, const RaceAccess *other, uint32_t space,
                  uint32_t index, uint32_t count, bool other_writes,
                  bool writes)
{
    if (!other->place || other->chain == op->access.chain ||
        race_has_ended(other, op->clock)) {
        return;
    }
    if (in_sequence(op, other) ||
        (space == TENSIX_SPACE_DST &&
         (dst_is_ordered(op, other, other_writes && !writes) ||
          landed_late(op, other, other_writes)))) {
        if (op->ends) {
            race_join_chain(op->ends, other->chain, other->count);
        }
        return;
    }
    race_found(op, other, space, index, other_writes, writes);
    race_found(op, other, space, index + count - 1, other_writes, writes);
}

/* --- cells --- */

/* In the place of one that this reader comes after, or else of the first. */
static void add_reader(RaceOp *op, RaceCell *cell)
{
    RaceAccess *place = &cell->read[0];

    for (unsigned n = 0; n < RACE_READERS; n++) {
        RaceAccess *other = &cell->read[n];

        if (!other->place || race_has_ended(other, op->clock) ||
            other->chain == op->access.chain) {
            place = other;
            break;
        }
    }
    *place = op->access;
}

void race_read_cell(RaceOp *op, RaceCell *cell, uint32_t space, uint32_t index,
                    uint32_t count)
{
    check(op, &cell->write, space, index, count, true, false);
    add_reader(op, cell);
}

void race_write_cell(RaceOp *op, RaceCell *cell, uint32_t space,
                     uint32_t index, uint32_t count)
{
    check(op, &cell->write, space, index, count, true, true);
    for (unsigned n = 0; n < RACE_READERS && cell->read[n].place; n++) {
        check(op, &cell->read[n], space, index, count, false, true);
        cell->read[n].place = 0;
    }
    cell->write = op->access;
}

/* --- groups of rows --- */

static bool has_group(const TensixCellSet *cells, uint32_t first)
{
    enum { ALL = (1 << RACE_GROUP) - 1 };

    return (cells->bits[first / TENSIX_MAP_BITS] >> first % TENSIX_MAP_BITS &
            ALL) == ALL;
}

/* How many cells the one at n represents, while the event accesses it. */
static uint32_t cells_at(TensixRaces *r, const TensixCellSet *cells, uint32_t n)
{
    uint32_t group = n / RACE_GROUP, first = group * RACE_GROUP;

    if (group >= RACE_GROUPS || test_bit(group, r->split)) {
        return 1;
    }
    if (has_group(cells, first)) {
        return RACE_GROUP;
    }
    for (uint32_t other = 1; other < RACE_GROUP; other++) {
        r->cell[first + other] = r->cell[first];
    }
    set_bit(group, r->split);
    return 1;
}

/* After an event has written the cell at n, the last of its group or not. */
static void join_group(TensixRaces *r, const TensixCellSet *cells, uint32_t n)
{
    uint32_t group = n / RACE_GROUP, first = group * RACE_GROUP;

    if (group < RACE_GROUPS && n == first + RACE_GROUP - 1 &&
        has_group(cells, first)) {
        clear_bit(group, r->split);
    }
}

/* --- all of an event --- */

typedef void RaceAccessFn(RaceOp *op, RaceCell *cell, uint32_t space,
                          uint32_t index, uint32_t count);

static inline QEMU_ALWAYS_INLINE
void access_cells(TensixRaces *r, RaceOp *op, const TensixCellSet *cells,
                  uint32_t first, uint32_t end, RaceAccessFn *access)
{
    TensixSpace space = 0;
    uint32_t count;

    for (uint32_t n = tensix_next_cell(cells, first, end); n < end;
         n = tensix_next_cell(cells, n + count, end)) {
        while (n >= tensix_first_cell(space + 1)) {
            space++;
        }
        count = cells_at(r, cells, n);
        access(op, &r->cell[n], space, n - tensix_first_cell(space), count);
        if (access == race_write_cell) {
            join_group(r, cells, n);
        }
    }
}

static void read_cells(TensixRaces *r, RaceOp *op, const TensixExecuted *e,
                       uint32_t first, uint32_t end)
{
    access_cells(r, op, e->read, first, end, race_read_cell);
}

static void write_cells(TensixRaces *r, RaceOp *op, const TensixExecuted *e,
                        uint32_t first, uint32_t end)
{
    access_cells(r, op, e->written, first, end, race_write_cell);
}

static void read_gprs(TensixRaces *r, RaceOp *op)
{
    uint64_t gprs = tensix_insn_gprs_read(op->insn->word);
    uint32_t first = op->access.thread * TENSIX_GPRS;

    for (; gprs; gprs &= gprs - 1) {
        uint32_t n = first + ctz64(gprs);

        race_read_cell(op, &r->cell[TENSIX_READ_CELLS + n], TENSIX_SPACE_GPR,
                       n, 1);
    }
}

/* A hart's store to a GPR is processed some time after it. */
static void store_gprs(TensixRaces *r, const RaceOp *op, const TensixExecuted *e)
{
    RaceOp store = *op;
    uint32_t hart = op->by->hart;

    store.ends = NULL;
    store.access.chain = RACE_GPR_STORE + hart;
    store.access.count = ++r->hart[hart].gpr_stores;
    race_auto_ttsync(r, &store.access, hart);
    write_cells(r, &store, e, TENSIX_READ_CELLS, RACE_CELLS);
    race_report(r, &store);
}

static void read_for_exponents(TensixRaces *r, const RaceOp *op,
                               const TensixExecuted *e)
{
    RaceOp slow = *op;

    slow.ends = NULL;
    slow.findings = 0;
    slow.access.unit = RACE_EXPONENTS;
    slow.access.chain = race_done_chain(op->access.thread, RACE_EXPONENTS);
    slow.access.count = op->exponents;
    read_cells(r, &slow, e, 0, TENSIX_DST_ROWS);
    race_report(r, &slow);
}

/* --- SFPLOADMACRO --- */

enum { LREGS = offsetof(TensixCellNumbers, LREG) };

static bool meets_dst(const RaceOp *op)
{
    const TensixTraits *t = tensix_traits_of(op->insn->word);

    return t->dst_read || t->dst_written;
}

/* Does a cycle of what SFPLOADMACRO has scheduled pass with the instruction? */
static bool carries_macro(const RaceOp *op, const TensixExecuted *e)
{
    return op->insn && op->access.unit != RACE_VECTOR &&
           (tensix_next_cell(e->read, LREGS, TENSIX_READ_CELLS) <
            TENSIX_READ_CELLS ||
            tensix_next_cell(e->written, LREGS, TENSIX_READ_CELLS) <
            TENSIX_READ_CELLS);
}

/*
 * That cycle is the Vector Unit's.  Rows of Dest are taken for the instruction's
 * own if it accesses any.
 */
static void scheduled_cells(TensixRaces *r, const RaceOp *op,
                            const TensixExecuted *e)
{
    RaceThread *t = &r->thread[op->access.thread];
    RaceOp part = *op;

    part.findings = 0;
    part.ends = &t->done[RACE_VECTOR];
    part.access.unit = RACE_VECTOR;
    part.access.chain = race_done_chain(op->access.thread, RACE_VECTOR);
    part.access.count = ++t->done_count[RACE_VECTOR];
    read_cells(r, &part, e, LREGS, TENSIX_READ_CELLS);
    write_cells(r, &part, e, LREGS, TENSIX_READ_CELLS);
    if (!meets_dst(op)) {
        read_cells(r, &part, e, 0, TENSIX_DST_ROWS);
        write_cells(r, &part, e, 0, TENSIX_DST_ROWS);
    }
    race_join_chain(part.ends, part.access.chain, part.access.count);
    race_wait_covers(r, op, &part.access);
    race_report(r, &part);
}

static bool accesses_lregs(const TensixExecuted *e)
{
    return (e->read->bits[LREGS / TENSIX_MAP_BITS] |
            e->written->bits[LREGS / TENSIX_MAP_BITS]) != 0;
}

/* Those that the instruction accesses itself, of register files with reads. */
static void own_cells(TensixRaces *r, RaceOp *op, const TensixExecuted *e)
{
    bool carries = carries_macro(op, e);
    uint32_t first = carries && !meets_dst(op) ? TENSIX_DST_ROWS : 0;
    uint32_t end = carries ? LREGS : TENSIX_READ_CELLS;

    if (carries) {
        scheduled_cells(r, op, e);
    }
    if (op->exponents) {
        read_for_exponents(r, op, e);
        first = TENSIX_DST_ROWS;
    }
    read_cells(r, op, e, first, end);
    write_cells(r, op, e, op->exponents ? 0 : first, end);
}

void race_cells(TensixRaces *r, RaceOp *op, const TensixExecuted *e)
{
    op->writes_dst = tensix_next_cell(e->written, 0, TENSIX_DST_ROWS) <
                     TENSIX_DST_ROWS;
    if (accesses_lregs(e)) {
        race_runs_settle(r);
    }
    own_cells(r, op, e);
    if (op->insn) {
        read_gprs(r, op);
        write_cells(r, op, e, TENSIX_READ_CELLS, RACE_CELLS);
    } else if (tensix_next_cell(e->written, TENSIX_READ_CELLS, RACE_CELLS) <
               RACE_CELLS) {
        store_gprs(r, op, e);
    }
}
