/*
 * Observation: breakpoints, watchpoints, last writers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The observer keeps a copy of all cells as they were before the write at hand.
 * Writers note the cells that they write, also where that changes nothing, or
 * have spaces compared with the copy (tensix_observe_compare()).  Only watches
 * and what compares look at the copy: without watches, noted cells are stale in
 * it until something compares.
 */

#include <stddef.h>
#include <string.h>

#include "observe/lregs.h"
#include "observe/note.h"
#include "observe/observe.h"
#include "tensix_internal.h"

/* --- cells --- */

static uint32_t space_bytes(TensixSpace space)
{
    return tensix_spaces[space].cells * tensix_spaces[space].cell_bytes;
}

static const uint8_t *cell_now(const TensixCore *c, TensixSpace space,
                               uint32_t index)
{
    return (const uint8_t *)&c->s + tensix_spaces[space].state +
           (size_t)index * tensix_spaces[space].cell_bytes;
}

static uint32_t before_at(TensixSpace space, uint32_t index)
{
    return tensix_spaces[space].before +
           index * tensix_spaces[space].cell_bytes;
}

static void clear_cells(TensixCellSet *cells)
{
    for (; cells->words; cells->words &= cells->words - 1) {
        cells->bits[__builtin_ctzll(cells->words)] = 0;
    }
}

/* Adds the second set. */
static void add_set(TensixCellSet *cells, const TensixCellSet *other)
{
    for (uint64_t words = other->words; words; words &= words - 1) {
        uint32_t word = __builtin_ctzll(words);

        cells->bits[word] |= other->bits[word];
    }
    cells->words |= other->words;
}

static inline __attribute__((always_inline))
void each_cell(TensixCore *c, const TensixCellSet *cells,
               void (*fn)(TensixCore *c, TensixSpace space, uint32_t index))
{
    TensixSpace space = 0;

    for (uint32_t cell = tensix_next_cell(cells, 0, TENSIX_OBSERVED_CELLS);
         cell < TENSIX_OBSERVED_CELLS;
         cell = tensix_next_cell(cells, cell + 1, TENSIX_OBSERVED_CELLS)) {
        while (cell >= tensix_first_cell(space + 1)) {
            space++;
        }
        fn(c, space, cell - tensix_first_cell(space));
    }
}

static void copy_cell(TensixCore *c, TensixSpace space, uint32_t index)
{
    TensixObserver *o = c->observer;

    memcpy(&o->before[before_at(space, index)], cell_now(c, space, index),
           tensix_spaces[space].cell_bytes);
    if (space == TENSIX_SPACE_DST) {
        o->row_was_valid[index] = c->s.dst_row_valid[index];
    }
}

/* The copy has what was noted; what is being written may not be, yet. */
static void renew_copy(TensixCore *c)
{
    each_cell(c, &c->observer->stale, copy_cell);
    clear_cells(&c->observer->stale);
}

static bool differs(const TensixCore *c, TensixSpace space, uint32_t index)
{
    const TensixObserver *o = c->observer;

    return memcmp(&o->before[before_at(space, index)], cell_now(c, space, index),
                  tensix_spaces[space].cell_bytes) ||
           (space == TENSIX_SPACE_DST &&
            o->row_was_valid[index] != c->s.dst_row_valid[index]);
}

void tensix_observe_write(TensixCore *c, TensixSpace space, uint32_t first,
                          uint32_t count)
{
    if (c->observer) {
        tensix_add_cells(&c->observer->touched,
                         tensix_first_cell(space) + first, count);
    }
}

void tensix_observe_write_lreg(TensixCore *c, uint32_t lreg, uint32_t lanes)
{
    TensixObserver *o = c->observer;

    tensix_observe_write(c, TENSIX_SPACE_LREG, lreg, 1);
    if (o && o->unwritten) {
        o->written_lanes[lreg] |= lanes;
        o->marks_writes = true;
    }
}

enum { LREG_WORD = offsetof(TensixCellNumbers, LREG) / TENSIX_MAP_BITS };

_Static_assert(offsetof(TensixCellNumbers, LREG) % TENSIX_MAP_BITS == 0,
               "LRegs are the first cells of one word");

static void add_lregs(TensixCellSet *cells, uint32_t lregs)
{
    cells->bits[LREG_WORD] |= lregs;
    cells->words |= (uint64_t)(lregs != 0) << LREG_WORD;
}

/* Removes all LRegs and returns them, a bit each. */
static uint32_t take_lregs(TensixCellSet *cells)
{
    const uint64_t all = (1ull << TENSIX_LREGS) - 1;
    uint32_t lregs = cells->bits[LREG_WORD] & all;

    cells->bits[LREG_WORD] &= ~all;
    if (!cells->bits[LREG_WORD]) {
        cells->words &= ~(1ull << LREG_WORD);
    }
    return lregs;
}

void tensix_observe_lregs(TensixObserver *o, uint32_t read, uint32_t written)
{
    add_lregs(&o->read, read);
    add_lregs(&o->touched, written);
}

static void set_rows(uint64_t *bits, uint32_t row, uint32_t count)
{
    for (uint32_t n = row; n < row + count; n++) {
        bits[n / TENSIX_MAP_BITS] |= 1ull << n % TENSIX_MAP_BITS;
    }
}

void tensix_observe_wide(TensixCore *c, uint32_t row, uint32_t count)
{
    enum { LOW_HALF = 8 };         /* rows further on */

    TensixObserver *o = c->observer;

    if (o && o->unwritten) {
        set_rows(o->wide, row, count);
        set_rows(o->wide, row + LOW_HALF, count);
        o->marks_writes = true;
    }
}

/* Notes the cells of a space that have changed. */
static void touch_changed(TensixCore *c, TensixSpace space)
{
    TensixObserver *o = c->observer;

    if (!memcmp(&o->before[before_at(space, 0)], cell_now(c, space, 0),
                space_bytes(space)) &&
        (space != TENSIX_SPACE_DST ||
         !memcmp(o->row_was_valid, c->s.dst_row_valid,
                 sizeof(o->row_was_valid)))) {
        return;
    }
    for (uint32_t n = 0; n < tensix_spaces[space].cells; n++) {
        if (differs(c, space, n)) {
            tensix_add_cells(&o->touched, tensix_first_cell(space) + n, 1);
        }
    }
}

/* --- hits --- */

static void stop_at(TensixObserver *o, const TensixHit *hit)
{
    if (hit->by.kind >= TENSIX_BY_DEBUGGER) {
        return;
    }
    o->stopping = true;
    o->hit(o->opaque, hit);
}

/* The first of the watched cells in the set, or UINT32_MAX. */
static uint32_t first_watched(const TensixCellSet *cells, const TensixWatch *w)
{
    uint32_t space = tensix_first_cell(w->space), first = space + w->first;
    uint32_t cell = tensix_next_cell(cells, first, first + w->count);

    return cell < first + w->count ? cell - space : UINT32_MAX;
}

/* Of a cell that is a word of 16 or 32 bits. */
static bool changes_bits(const TensixCore *c, const TensixWatch *w, uint32_t index)
{
    const TensixObserver *o = c->observer;
    uint32_t size = tensix_spaces[w->space].cell_bytes, old = 0, new = 0;

    size = size < sizeof(old) ? size : sizeof(old);
    memcpy(&old, &o->before[before_at(w->space, index)], size);
    memcpy(&new, cell_now(c, w->space, index), size);
    return (old ^ new) & w->mask;
}

/* False: none of its cells was written. */
static bool check_written(TensixCore *c, const TensixWatch *w)
{
    TensixObserver *o = c->observer;
    uint32_t index = w->space == TENSIX_SPACE_L1 ||
                     !(w->accesses & TENSIX_WATCH_WRITE)
                     ? UINT32_MAX : first_watched(&o->touched, w);
    TensixHit hit = { .id = w->id, .by = o->by, .space = w->space,
                      .index = index };

    if (index == UINT32_MAX || (w->mask && !changes_bits(c, w, index))) {
        return false;
    }
    tensix_hit_values(&hit, &o->before[before_at(w->space, index)],
                      cell_now(c, w->space, index),
                      tensix_spaces[w->space].cell_bytes);
    hit.was_valid = w->space != TENSIX_SPACE_DST || o->row_was_valid[index];
    hit.is_valid = w->space != TENSIX_SPACE_DST || c->s.dst_row_valid[index];
    stop_at(o, &hit);
    return true;
}

/* What was read is what was there before the instruction. */
static void check_read(TensixCore *c, const TensixWatch *w)
{
    TensixObserver *o = c->observer;
    uint32_t index = w->space < TENSIX_READ_SPACES &&
                     w->accesses & TENSIX_WATCH_READ
                     ? first_watched(&o->read, w) : UINT32_MAX;
    TensixHit hit = { .id = w->id, .by = o->by, .space = w->space,
                      .index = index, .is_read = true };

    if (index == UINT32_MAX) {
        return;
    }
    tensix_hit_values(&hit, &o->before[before_at(w->space, index)],
                      &o->before[before_at(w->space, index)],
                      tensix_spaces[w->space].cell_bytes);
    hit.was_valid = w->space != TENSIX_SPACE_DST || o->row_was_valid[index];
    hit.is_valid = hit.was_valid;
    stop_at(o, &hit);
}

static void check_watches(TensixCore *c)
{
    const TensixObserver *o = c->observer;

    for (uint32_t n = 0; n < o->watch_count; n++) {
        if (!check_written(c, &o->watches[n])) {
            check_read(c, &o->watches[n]);
        }
    }
}

/* Cells that were written have their writer: rows by the dozen, in sequence. */
static void set_writers(TensixObserver *o)
{
    const TensixActor by = o->by;

    for (uint64_t words = o->touched.words; words; words &= words - 1) {
        uint32_t word = __builtin_ctzll(words);
        TensixActor *last = &o->last[word * TENSIX_MAP_BITS];

        for (uint64_t n = o->touched.bits[word]; n; n &= n - 1) {
            last[__builtin_ctzll(n)] = by;
        }
    }
}

static void update_cell(TensixCore *c, TensixSpace space, uint32_t index)
{
    if (space < TENSIX_READ_SPACES) {
        tensix_unwritten_written(c, space, index);
    }
}

/* The same for LRegs: a vector instruction writes little else. */
static void update_lregs(TensixCore *c, uint32_t lregs)
{
    TensixObserver *o = c->observer;

    for (; lregs; lregs &= lregs - 1) {
        uint32_t n = __builtin_ctz(lregs);

        o->last[offsetof(TensixCellNumbers, LREG) + n] = o->by;
        if (o->unwritten && o->unwritten->lanes[n]) {
            tensix_unwritten_written(c, TENSIX_SPACE_LREG, n);
        }
    }
}

/* All that were written, which the copy does not have yet. */
static void update_cells(TensixCore *c)
{
    TensixObserver *o = c->observer;

    add_set(&o->stale, &o->touched);
    if (o->watch_count) {
        renew_copy(c);
    }
    update_lregs(c, take_lregs(&o->touched));
    set_writers(o);
    if (o->unwritten) {
        each_cell(c, &o->touched, update_cell);
    }
}

/* --- what is read --- */

/* Whether what is known of the cell still holds while this instruction runs. */
static bool has_mark(const TensixObserver *o, TensixMark mark, uint32_t cell)
{
    uint32_t word = cell / TENSIX_MAP_BITS, bit = cell % TENSIX_MAP_BITS;

    return o->unwritten && o->unwritten->marks[mark][word] >> bit & 1 &&
           !tensix_has_cell(&o->touched, cell);
}

static void accuse(TensixObserver *o, TensixMark mark, uint32_t cell)
{
    if (has_mark(o, mark, cell)) {
        o->accused[mark][cell / TENSIX_MAP_BITS] |=
            1ull << cell % TENSIX_MAP_BITS;
        o->accuses = true;
    }
}

/* Debuggers may read anything. */
static bool counts_as_reader(const TensixActor *by)
{
    return by->kind != TENSIX_BY_NONE && by->kind != TENSIX_BY_DEBUGGER;
}

void tensix_observe_read(TensixCore *c, TensixSpace space, uint32_t first,
                         uint32_t count)
{
    TensixObserver *o = c->observer;
    uint32_t cell = tensix_first_cell(space) + first;

    if (!o || !counts_as_reader(&o->by)) {
        return;
    }
    tensix_add_cells(&o->read, cell, count);
    for (uint32_t n = 0; o->unwritten && n < count; n++, cell++) {
        accuse(o, TENSIX_MARK_UNWRITTEN, cell);
        accuse(o, TENSIX_MARK_RELEASED, cell);
    }
}

void tensix_observe_read_lreg(TensixCore *c, uint32_t lreg, uint32_t lanes)
{
    TensixObserver *o = c->observer;

    tensix_observe_read(c, TENSIX_SPACE_LREG, lreg, 1);
    if (o && o->unwritten && counts_as_reader(&o->by)) {
        lanes &= o->unwritten->lanes[lreg] & ~o->written_lanes[lreg];
        o->accused_lanes[lreg] |= lanes;
        o->accuses |= lanes != 0;
    }
}

/*
 * A tile of which nothing was computed: a reduction leaves rows as ZEROACC has
 * left them, and masks say that they are packed as zeroes.
 */
static bool none_computed(const TensixObserver *o, uint32_t row, uint32_t rows)
{
    uint32_t first = row - row % rows;

    for (uint32_t cell = first; cell < first + rows; cell++) {
        if (!has_mark(o, TENSIX_MARK_CLEARED, cell) &&
            !has_mark(o, TENSIX_MARK_UNWRITTEN, cell)) {
            return false;
        }
    }
    return true;
}

void tensix_observe_pack(TensixCore *c, uint32_t row, uint32_t count, bool wide)
{
    enum { TILE_ROWS = 64 };       /* of Dst16b: 32 x 32 datums */
    TensixObserver *o = c->observer;
    bool pairs = wide || c->s.dst16b_is_high_half;
    uint32_t rows = pairs ? 2 * TILE_ROWS : TILE_ROWS;

    for (uint32_t n = 0; o && o->unwritten && n < count; n++) {
        if (none_computed(o, row + n, rows)) {
            accuse(o, TENSIX_MARK_CLEARED, row + n);
        }
    }
}

void tensix_observe_clear(TensixCore *c, uint32_t row, uint32_t count,
                          TensixMark wrong)
{
    TensixObserver *o = c->observer;

    for (uint32_t n = row; o && o->unwritten && wrong < TENSIX_MARKS &&
                           n < row + count; n++) {
        accuse(o, wrong, n);
    }
    tensix_observe_write(c, TENSIX_SPACE_DST, row, count);
    if (o && o->unwritten) {
        set_rows(o->cleared, row, count);
        o->marks_writes = true;
    }
}

static void drop_accusations(TensixObserver *o)
{
    memset(o->accused, 0, sizeof(o->accused));
    memset(o->accused_lanes, 0, sizeof(o->accused_lanes));
    o->accused_l1.count = 0;
    o->accuses = false;
}

/* Reports what the present agent read, and clears it. */
static void finish_reads(TensixCore *c)
{
    TensixObserver *o = c->observer;

    clear_cells(&o->read);
    if (o->accuses) {
        tensix_unwritten_report(c);
        drop_accusations(o);
    }
}

/* What is written in a way that matters; cells are noted apart from it. */
static void finish_writes(TensixObserver *o)
{
    clear_cells(&o->touched);
    if (o->marks_writes) {
        memset(o->written_lanes, 0, sizeof(o->written_lanes));
        memset(o->cleared, 0, sizeof(o->cleared));
        memset(o->wide, 0, sizeof(o->wide));
        o->marks_writes = false;
    }
}

/* --- the active agent --- */

/* Instructions and what harts do note what they write. */
static uint32_t compared_by(const TensixActor *by)
{
    return by->kind <= TENSIX_BY_HART ? 0 : TENSIX_ALL_SPACES;
}

void tensix_observe_begin(TensixCore *c, TensixActor by)
{
    TensixObserver *o = c->observer;

    if (o) {
        o->by = by;
        o->by.event = ++o->events;
        tensix_observe_compare(c, compared_by(&by));
    }
}

void tensix_observe_compare(TensixCore *c, uint32_t spaces)
{
    if (c->observer && spaces) {
        c->observer->compared |= spaces;
        renew_copy(c);
    }
}

void tensix_observe_watches(TensixCore *c)
{
    if (c->observer) {
        renew_copy(c);
    }
}

/* A hart's access may let instructions land first: it continues after them. */
void tensix_observe_instruction(TensixCore *c, const TensixInsn *i)
{
    TensixObserver *o = c->observer;
    TensixActor outer;

    if (o) {
        if (o->by.kind != TENSIX_BY_NONE) {
            outer = o->by;
            tensix_observe_end(c);
            o->outer = outer;
        }
        tensix_set_instruction(&o->by, i);
        o->by.event = ++o->events;
        o->insn = i;
    }
}

void tensix_observe_issued(TensixCore *c, const TensixInsn *i)
{
    const TensixActor by = tensix_instruction_actor(i);

    if (c->observer && c->observer->issued) {
        c->observer->issued(c->observer->opaque, &(const TensixExecuted) {
            .insn = i, .by = &by,
        });
    }
}

/* Before what it has read and written is settled. */
static void post_executed(TensixObserver *o)
{
    bool reports = o->insn ? !o->retries : o->touched.words || o->read.words;

    if (o->executed && reports) {
        o->executed(o->opaque, &(const TensixExecuted) {
            .insn = o->insn, .by = &o->by, .read = &o->read,
            .written = &o->touched, .timing = &o->timing,
            .configures = o->configures,
        });
    }
}

/* Nothing but these words, which no watch compares. */
static bool accesses_alone(const TensixObserver *o, uint64_t words)
{
    return !((o->read.words | o->touched.words) & ~words) && !o->compared &&
           !o->configures && o->outer.kind == TENSIX_BY_NONE;
}

/* LRegs and nothing else, as most vector instructions; and no watch. */
static bool accesses_lregs_alone(const TensixObserver *o)
{
    return accesses_alone(o, 1ull << LREG_WORD) &&
           !(o->touched.bits[LREG_WORD] >> TENSIX_LREGS) && !o->unwritten &&
           !o->watch_count && o->insn;
}

/* What tensix_observe_end() comes to for these, once they are posted. */
static void end_lregs(TensixCore *c, uint32_t written)
{
    add_lregs(&c->observer->stale, written);
    update_lregs(c, written);
    c->observer->by.kind = TENSIX_BY_NONE;
    c->observer->insn = NULL;
}

void tensix_observe_known_executed(TensixCore *c, const TensixKnownLregs *known,
                                   bool done)
{
    TensixObserver *o = c->observer;

    if (done) {
        o->executed_lregs(o->lregs_opaque, o->insn, known->read,
                          known->written);
    }
    if (done && accesses_alone(o, 0)) {
        end_lregs(c, known->written);
    } else {
        tensix_observe_lregs(o, known->read, known->written);
        o->retries = true;         /* or it has been posted */
        tensix_observe_end(c);
    }
}

void tensix_observe_executed(TensixCore *c, bool done)
{
    TensixObserver *o = c->observer;

    if (o) {
        o->retries = !done;
        if (accesses_lregs_alone(o)) {
            post_executed(o);
            end_lregs(c, o->touched.bits[LREG_WORD]);
            o->read.bits[LREG_WORD] = o->touched.bits[LREG_WORD] = 0;
            o->read.words = o->touched.words = 0;
            return;
        }
    }
    tensix_observe_end(c);
}

void tensix_observe_end(TensixCore *c)
{
    TensixObserver *o = c->observer;

    if (!o || o->by.kind == TENSIX_BY_NONE) {
        return;
    }
    for (uint32_t spaces = o->compared; spaces; spaces &= spaces - 1) {
        touch_changed(c, __builtin_ctz(spaces));
    }
    post_executed(o);
    if (o->watch_count && o->touched.words | o->read.words) {
        check_watches(c);
    }
    finish_reads(c);
    if (o->touched.words) {
        update_cells(c);
        finish_writes(o);
    }
    tensix_unwritten_released(c);
    o->compared = 0;
    tensix_observe_compare(c, compared_by(&o->outer));
    o->by = o->outer;
    o->outer = (TensixActor) { .kind = TENSIX_BY_NONE };
    o->insn = NULL;
    o->configures = false;
}

/* --- L1 --- */

/* The part of the access, TENSIX_WATCH_*, that is watched.  False: none. */
static bool check_l1_watch(TensixObserver *o, const TensixWatch *w,
                           const TensixL1Access *a, uint32_t part)
{
    bool is_read = part == TENSIX_WATCH_READ;
    const uint8_t *new = is_read ? a->old : a->new;
    uint32_t first = a->address > w->first ? a->address : w->first;
    uint32_t end = a->address + a->size < w->first + w->count
                   ? a->address + a->size : w->first + w->count;
    uint32_t at = first - a->address;
    TensixHit hit = { .id = w->id, .by = *a->by, .space = TENSIX_SPACE_L1,
                      .is_read = is_read, .was_valid = a->old != NULL,
                      .is_valid = true };

    if (w->space != TENSIX_SPACE_L1 || first >= end ||
        !(a->accesses & w->accesses & part)) {
        return false;
    }
    tensix_hit_values(&hit, (a->old ? a->old : new) + at, new + at,
                      end - first);
    hit.index = first + hit.offset;
    hit.offset = 0;
    stop_at(o, &hit);
    return true;
}

void tensix_observe_l1(TensixObserver *o, const TensixL1Access *a)
{
    for (uint32_t n = 0; n < o->watch_count; n++) {
        if (!check_l1_watch(o, &o->watches[n], a, TENSIX_WATCH_WRITE)) {
            check_l1_watch(o, &o->watches[n], a, TENSIX_WATCH_READ);
        }
    }
}

/* What nothing has written of it becomes the instruction's accusation. */
static void accuse_l1(TensixObserver *o, uint32_t address, uint32_t size)
{
    TensixBytes bytes = tensix_unwritten_l1_read(o->unwritten, address, size);

    if (!o->accused_l1.count) {
        o->accused_l1.first = bytes.first;
    }
    o->accused_l1.count += bytes.count;
    o->accuses |= bytes.count != 0;
}

void tensix_observe_read_l1(TensixCore *c, uint32_t address, uint32_t size)
{
    TensixObserver *o = c->observer;

    if (!o || !size || !counts_as_reader(&o->by) ||
        address > c->host.l1_size || size > c->host.l1_size - address) {
        return;
    }
    if (o->read_l1) {
        o->read_l1(o->opaque, &(const TensixL1Access) {
            .by = &o->by, .accesses = TENSIX_WATCH_READ, .address = address,
            .size = size, .old = c->host.l1 + address,
            .new = c->host.l1 + address,
        });
    }
    if (o->unwritten) {
        accuse_l1(o, address, size);
    }
}

/* --- breakpoints --- */

static bool is_same(const TensixInsn *a, const TensixInsn *b)
{
    return a->valid && a->word == b->word && a->origin.pc == b->origin.pc &&
           a->origin.hart == b->origin.hart &&
           a->mop_position == b->mop_position && a->replay_slot == b->replay_slot;
}

static bool matches(const TensixBreak *b, const TensixInsn *i)
{
    return b->threads >> i->thread & 1 && (i->word & b->mask) == b->value;
}

/* Stops before i, once. */
static void check_breaks(TensixObserver *o, const TensixInsn *i)
{
    if (is_same(&o->passed[i->thread], i)) {
        return;
    }
    for (uint32_t n = 0; n < o->break_count; n++) {
        if (matches(&o->breaks[n], i)) {
            TensixHit hit = { .id = o->breaks[n].id, .is_break = true,
                              .by = tensix_instruction_actor(i) };

            o->passed[i->thread] = *i;
            o->passed[i->thread].valid = 1;
            stop_at(o, &hit);
        }
    }
}

bool tensix_observe_holds(TensixCore *c, const TensixInsn *i)
{
    if (!c->observer->stopping) {
        check_breaks(c->observer, i);
    }
    if (!c->observer->stopping) {
        return false;
    }
    tensix_retry(c, i, TENSIX_WAIT_OBSERVER, 0);
    return true;
}

void tensix_observe_passed(TensixCore *c, uint32_t thread)
{
    c->observer->passed[thread].valid = 0;
}

void tensix_observe_resume(TensixCore *c)
{
    if (c->observer) {
        c->observer->stopping = false;
    }
}

/* --- observers --- */

void tensix_observe_restart(TensixCore *c)
{
    TensixObserver *o = c->observer;

    if (!o) {
        return;
    }
    for (uint32_t s = 0; s < TENSIX_SPACE_L1; s++) {
        memcpy(&o->before[before_at(s, 0)], cell_now(c, s, 0), space_bytes(s));
    }
    memcpy(o->row_was_valid, c->s.dst_row_valid, sizeof(o->row_was_valid));
    clear_cells(&o->stale);
    memset(o->last, 0, sizeof(o->last));
    memset(o->passed, 0, sizeof(o->passed));
    clear_cells(&o->read);
    drop_accusations(o);
    finish_writes(o);
    memcpy(o->src_client, c->s.src_client, sizeof(o->src_client));
}

TensixActor tensix_observe_writer(const TensixObserver *o, TensixSpace space,
                                   uint32_t index)
{
    return o->last[tensix_first_cell(space) + index];
}

uint32_t tensix_observe_missed(TensixCore *c)
{
    for (uint32_t s = 0; s < TENSIX_SPACE_L1; s++) {
        for (uint32_t n = 0; n < tensix_spaces[s].cells; n++) {
            if (differs(c, s, n) &&
                !tensix_has_cell(&c->observer->stale,
                                 tensix_first_cell(s) + n)) {
                return s << 16 | n;
            }
        }
    }
    renew_copy(c);
    return UINT32_MAX;
}
