/*
 * Cells that have not been written since reset, and their readers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Marks are per row of Dst, SrcA and SrcB, per lane of an LReg, per byte of L1.
 * A mark goes with the first write to any part of the row or lane, and with the
 * first read, which is reported.  Harts store to L1 in threads of their own, so marks
 * of L1 are changed atomically.
 */

#include <stdio.h>
#include <string.h>

#include "decode/traits.h"
#include "observe/observe.h"
#include "tensix_core_struct.h"
#include "tensix_internal.h"

enum {
    MARK_BITS = 64,
    FIRST_CONSTANT = 8, CONSTANTS = 8, /* LRegs that have a value from the start */
};

/* `count` bits from `first` on, all in one word. */
static uint64_t bits_of(uint32_t first, uint32_t count)
{
    uint64_t ones = count == MARK_BITS ? UINT64_MAX : (1ull << count) - 1;

    return ones << first % MARK_BITS;
}

/* How many of the bits from `at` on, of `left`, lie in at's word. */
static uint32_t in_word(uint32_t at, uint32_t left)
{
    uint32_t room = MARK_BITS - at % MARK_BITS;

    return left < room ? left : room;
}

void tensix_unwritten_reset(TensixUnwritten *u)
{
    memset(u->marks, 0, sizeof(u->marks));
    memset(u->marks[TENSIX_MARK_UNWRITTEN], 0xff,
           sizeof(u->marks[TENSIX_MARK_UNWRITTEN]));
    for (uint32_t n = 0; n < TENSIX_LREGS; n++) {
        u->lanes[n] = n - FIRST_CONSTANT < CONSTANTS ? 0 : TENSIX_ALL_LANES;
    }
    if (u->l1) {
        memset(u->l1, 0xff, u->l1_size / 8);
    }
}

void tensix_unwritten_clear(TensixUnwritten *u)
{
    memset(u->marks, 0, sizeof(u->marks));
    memset(u->lanes, 0, sizeof(u->lanes));
    if (u->l1) {
        memset(u->l1, 0, u->l1_size / 8);
    }
}

uint32_t tensix_unwritten_lanes(const TensixCore *c, uint32_t lreg)
{
    const TensixObserver *o = c->observer;

    return o && o->unwritten ? o->unwritten->lanes[lreg] : 0;
}

/* --- what is written --- */

static void set_mark(TensixUnwritten *u, TensixMark mark, uint32_t cell)
{
    u->marks[mark][cell / MARK_BITS] |= bits_of(cell, 1);
}

/* How an instruction has left a row of Dst. */
static TensixMark mark_of_row(const TensixObserver *o, uint32_t row)
{
    uint64_t bit = bits_of(row, 1);

    if (o->cleared[row / MARK_BITS] & bit) {
        return TENSIX_MARK_CLEARED;
    }
    return o->wide[row / MARK_BITS] & bit ? TENSIX_MARK_WIDE
                                          : TENSIX_MARK_NARROW;
}

/* ZEROSRC, UNPACR_NOP and moves leave what may well be used again. */
static bool is_fill(const TensixActor *by)
{
    return by->kind == TENSIX_BY_INSTRUCTION &&
           tensix_traits_of(by->word)->banks_over == BANKS_UNPACR;
}

void tensix_unwritten_written(TensixCore *c, TensixSpace space, uint32_t index)
{
    const TensixObserver *o = c->observer;
    TensixUnwritten *u = o->unwritten;
    uint32_t cell = tensix_first_cell(space) + index;

    for (unsigned mark = 0; mark < TENSIX_MARKS; mark++) {
        u->marks[mark][cell / MARK_BITS] &= ~bits_of(cell, 1);
    }
    if (space == TENSIX_SPACE_LREG) {
        u->lanes[index] &= o->written_lanes[index] ? ~o->written_lanes[index] : 0;
    } else if (space == TENSIX_SPACE_DST &&
               o->by.kind == TENSIX_BY_INSTRUCTION) {
        set_mark(u, mark_of_row(o, index), index);
    } else if (is_fill(&o->by)) {
        set_mark(u, TENSIX_MARK_FILLED, cell);
    }
}

/* --- banks that are released --- */

static void release_bank(TensixUnwritten *u, TensixSpace space, uint32_t bank)
{
    uint32_t first = tensix_first_cell(space) + bank * TENSIX_SRC_ROWS;

    for (uint32_t cell = first; cell < first + TENSIX_SRC_ROWS; cell++) {
        if (u->marks[TENSIX_MARK_FILLED][cell / MARK_BITS] & bits_of(cell, 1)) {
            set_mark(u, TENSIX_MARK_RELEASED, cell);
        }
    }
}

/* CLEARDVALID may give a bank away and continue reading it. */
void tensix_unwritten_released(TensixCore *c)
{
    TensixObserver *o = c->observer;

    if (!memcmp(o->src_client, c->s.src_client, sizeof(o->src_client))) {
        return;
    }
    for (uint32_t n = 0; o->unwritten && n < TENSIX_SRCS * TENSIX_SRC_BANKS;
         n++) {
        uint32_t src = n / TENSIX_SRC_BANKS, bank = n % TENSIX_SRC_BANKS;

        if (o->src_client[src][bank] == TENSIX_CLIENT_MATRIX_UNIT &&
            c->s.src_client[src][bank] == TENSIX_CLIENT_UNPACKERS &&
            c->s.matrix_bank[src] != bank) {
            release_bank(o->unwritten, TENSIX_SPACE_SRCA + src, bank);
        }
    }
    memcpy(o->src_client, c->s.src_client, sizeof(o->src_client));
}

/* --- L1 --- */

/* Clears bits of one word and returns those that were set. */
static uint64_t take_bits(TensixUnwritten *u, uint32_t at, uint32_t count)
{
    uint64_t *word = &u->l1[at / MARK_BITS], bits = bits_of(at, count);

    if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bits)) {
        return 0;
    }
    return __atomic_fetch_and(word, ~bits, __ATOMIC_RELAXED) & bits;
}

TensixBytes tensix_unwritten_l1_read(TensixUnwritten *u, uint32_t address,
                                     uint32_t size)
{
    TensixBytes bytes = { 0 };
    uint32_t end = size < u->l1_size - address ? address + size : u->l1_size;

    if (!u->l1 || address >= u->l1_size) {
        return bytes;
    }
    for (uint32_t at = address, n; at < end; at += n) {
        uint64_t found;

        n = in_word(at, end - at);
        found = take_bits(u, at, n);
        if (found && !bytes.count) {
            bytes.first = at / MARK_BITS * MARK_BITS + __builtin_ctzll(found);
        }
        bytes.count += __builtin_popcountll(found);
    }
    return bytes;
}

void tensix_unwritten_l1_written(TensixUnwritten *u, uint32_t address,
                                 uint32_t size)
{
    tensix_unwritten_l1_read(u, address, size);
}

void tensix_unwritten_l1_text(char *buf, TensixBytes bytes)
{
    if (bytes.count == 1) {
        snprintf(buf, TENSIX_UNWRITTEN_TEXT, "reads the byte of L1 at 0x%x, "
                 "which nothing has written since reset",
                 (unsigned)bytes.first);
    } else {
        snprintf(buf, TENSIX_UNWRITTEN_TEXT, "reads %u bytes of L1 that "
                 "nothing has written since reset, the first at 0x%x",
                 (unsigned)bytes.count, (unsigned)bytes.first);
    }
}

/* --- reports --- */

/* By an instruction, or by the hart whose access it is. */
static void report_text(TensixCore *c, const char *text)
{
    const TensixObserver *o = c->observer;
    const TensixViolation v = {
        .category = TENSIX_UNWRITTEN, .thread = TENSIX_THREADS,
        .origin = { o->by.pc, o->by.hart },
        .mop_position = TENSIX_NO_POSITION, .replay_slot = TENSIX_NO_POSITION,
        .mnemonic = "", .text = text,
    };

    if (o->insn) {
        tensix_violation(c, o->insn, TENSIX_UNWRITTEN, "%s", text);
    } else {
        c->host.violation(c->host.opaque, &v);
    }
}

/* "row 4 of Dest", "row 3 of SrcA bank 1", "LReg[2]". */
static void cell_text(char *buf, size_t size, TensixSpace space, uint32_t index)
{
    switch (space) {
    case TENSIX_SPACE_DST:
        snprintf(buf, size, "row %u of Dest", (unsigned)index);
        break;
    case TENSIX_SPACE_LREG:
        snprintf(buf, size, "LReg[%u]", (unsigned)index);
        break;
    default:
        snprintf(buf, size, "row %u of Src%c bank %u",
                 (unsigned)(index % TENSIX_SRC_ROWS),
                 space == TENSIX_SPACE_SRCA ? 'A' : 'B',
                 (unsigned)(index / TENSIX_SRC_ROWS));
        break;
    }
}

/* What is wrong: of one cell, after its name; of several, before and after. */
typedef struct MarkText {
    const char *verb, *one, *several, *end;
} MarkText;

static const MarkText texts[TENSIX_MARKS] = {
    [TENSIX_MARK_UNWRITTEN] = {
        "reads", "which nothing has written since reset", "nothing has written",
        " since reset" },
    [TENSIX_MARK_RELEASED] = {
        "reads", "which the Matrix Unit has released since UNPACR filled it",
        "the Matrix Unit has released", " since UNPACR filled them" },
    [TENSIX_MARK_CLEARED] = {
        "packs", "which no instruction has computed since ZEROACC, nor any "
        "other row of its tile", "no instruction has computed",
        " since ZEROACC, nor any other row of their tile" },
    [TENSIX_MARK_NARROW] = {
        "clears, as rows of 32 bits,", "which was written with 16 bits",
        "an instruction has written", " with 16 bits" },
    [TENSIX_MARK_WIDE] = {
        "clears, as rows of 16 bits,", "which was written with 32 bits",
        "an instruction has written", " with 32 bits" },
};

static void report_cells(TensixCore *c, TensixMark mark, TensixSpace space,
                         uint32_t first, uint32_t last, uint32_t count)
{
    char text[2 * TENSIX_UNWRITTEN_TEXT], from[40], to[40];
    const MarkText *t = &texts[mark];

    cell_text(from, sizeof(from), space, first);
    cell_text(to, sizeof(to), space, last);
    if (count == 1) {
        snprintf(text, sizeof(text), "%s %s, %s", t->verb, from, t->one);
    } else {
        snprintf(text, sizeof(text), "%s %s to %s: %s %u of them%s", t->verb,
                 from, to, t->several, (unsigned)count, t->end);
    }
    report_text(c, text);
}

/* Those of one space; cell: its first one among all cells. */
static void report_space(TensixCore *c, TensixMark mark, TensixSpace space,
                         uint32_t cell)
{
    const uint64_t *accused = c->observer->accused[mark];
    uint32_t first = 0, last = 0, count = 0;

    for (uint32_t n = 0; n < tensix_spaces[space].cells; n++) {
        if (accused[(cell + n) / MARK_BITS] & bits_of(cell + n, 1)) {
            first = count ? first : n;
            last = n;
            count++;
        }
    }
    if (count) {
        report_cells(c, mark, space, first, last, count);
    }
}

static void report_lanes(TensixCore *c, uint32_t lreg, uint32_t lanes)
{
    char text[TENSIX_UNWRITTEN_TEXT];
    unsigned count = __builtin_popcount(lanes);

    snprintf(text, sizeof(text), "reads LReg[%u] in %u lane%s, the first %u, "
             "that no instruction has written since reset", (unsigned)lreg, count,
             count == 1 ? "" : "s", (unsigned)__builtin_ctz(lanes));
    report_text(c, text);
}

/* Registers that were never written in one report; lanes of others apart. */
static void report_lregs(TensixCore *c)
{
    TensixObserver *o = c->observer;
    uint32_t first = 0, last = 0, count = 0;

    for (uint32_t n = 0; n < TENSIX_LREGS; n++) {
        if (!o->accused_lanes[n]) {
            continue;
        }
        if (o->unwritten->lanes[n] != TENSIX_ALL_LANES) {
            report_lanes(c, n, o->accused_lanes[n]);
            continue;
        }
        first = count ? first : n;
        last = n;
        count++;
    }
    if (count) {
        report_cells(c, TENSIX_MARK_UNWRITTEN, TENSIX_SPACE_LREG, first, last,
                     count);
    }
}

/*
 * The Matrix Unit's turn moves to the other bank all the same (WH SETRWC.md), the
 * unpackers' does not.  A bank that arrives later counts as given.
 */
void tensix_unwritten_release(TensixCore *c, uint32_t srcs)
{
    char text[TENSIX_UNWRITTEN_TEXT];

    for (uint32_t src = 0; c->observer->unwritten && src < TENSIX_SRCS; src++) {
        uint32_t bank = c->s.matrix_bank[src] % TENSIX_SRC_BANKS;

        if (srcs >> src & 1 && !c->s.order.hand_over_at[src][bank] &&
            c->s.src_client[src][bank] == TENSIX_CLIENT_UNPACKERS) {
            snprintf(text, sizeof(text), "releases Src%c bank %u, which no "
                     "unpacker has given to the Matrix Unit",
                     src == TENSIX_SRCA ? 'A' : 'B', (unsigned)bank);
            report_text(c, text);
        }
    }
}

/* What has been reported once is not reported again. */
static void clear_accused(TensixObserver *o)
{
    for (unsigned mark = 0; mark < TENSIX_MARKS; mark++) {
        for (unsigned n = 0; n < TENSIX_READ_WORDS; n++) {
            o->unwritten->marks[mark][n] &= ~o->accused[mark][n];
        }
    }
    for (uint32_t n = 0; n < TENSIX_LREGS; n++) {
        o->unwritten->lanes[n] &= ~o->accused_lanes[n];
    }
}

void tensix_unwritten_report(TensixCore *c)
{
    TensixObserver *o = c->observer;
    char text[TENSIX_UNWRITTEN_TEXT];

    if (!o->unwritten) {
        return;
    }
    for (unsigned mark = 0; mark < TENSIX_MARKS; mark++) {
        for (uint32_t space = 0; space < TENSIX_SPACE_LREG; space++) {
            report_space(c, mark, space, tensix_first_cell(space));
        }
    }
    report_lregs(c);
    if (o->accused_l1.count) {
        tensix_unwritten_l1_text(text, o->accused_l1);
        report_text(c, text);
    }
    clear_accused(o);
}
