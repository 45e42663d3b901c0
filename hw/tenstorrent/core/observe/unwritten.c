/*
 * What nobody has written since reset, and who reads it all the same.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Marks are per row of Dst, SrcA and SrcB, per LReg and per byte of L1.  A mark
 * goes with the first write to any part of the row or register, and with the
 * first read, which is told.  Harts store to L1 in threads of their own, so marks
 * of L1 are changed atomically.
 */

#include <stdio.h>
#include <string.h>

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
    uint32_t constants = TENSIX_READ_CELLS - TENSIX_LREGS + FIRST_CONSTANT;

    memset(u->cells, 0xff, sizeof(u->cells));
    for (uint32_t n = constants; n < constants + CONSTANTS; n++) {
        u->cells[n / MARK_BITS] &= ~bits_of(n, 1);
    }
    if (u->l1) {
        memset(u->l1, 0xff, u->l1_size / 8);
    }
}

void tensix_unwritten_clear(TensixUnwritten *u)
{
    memset(u->cells, 0, sizeof(u->cells));
    if (u->l1) {
        memset(u->l1, 0, u->l1_size / 8);
    }
}

uint32_t tensix_unwritten_lregs(const TensixCore *c)
{
    const TensixObserver *o = c->observer;
    uint32_t cell = TENSIX_READ_CELLS - TENSIX_LREGS, lregs = 0;

    for (uint32_t n = 0; o && o->unwritten && n < TENSIX_LREGS; n++, cell++) {
        lregs |= (o->unwritten->cells[cell / MARK_BITS] >> cell % MARK_BITS & 1)
                 << n;
    }
    return lregs;
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
                 "which nobody has written since reset", (unsigned)bytes.first);
    } else {
        snprintf(buf, TENSIX_UNWRITTEN_TEXT, "reads %u bytes of L1 that nobody "
                 "has written since reset, the first at 0x%x",
                 (unsigned)bytes.count, (unsigned)bytes.first);
    }
}

/* --- reports --- */

/* By an instruction, or by the hart whose access it is. */
static void tell_read(TensixCore *c, const char *text)
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

static void tell_cells(TensixCore *c, TensixSpace space, uint32_t first,
                       uint32_t last, uint32_t count)
{
    char text[TENSIX_UNWRITTEN_TEXT + 16], from[40], to[40];

    cell_text(from, sizeof(from), space, first);
    cell_text(to, sizeof(to), space, last);
    if (count == 1) {
        snprintf(text, sizeof(text),
                 "reads %s, which nobody has written since reset", from);
    } else {
        snprintf(text, sizeof(text),
                 "reads %s to %s: nobody has written %u of them since reset",
                 from, to, (unsigned)count);
    }
    tell_read(c, text);
}

/* Those of one space; cell: its first one among all cells. */
static void tell_space(TensixCore *c, TensixSpace space, uint32_t cell)
{
    const uint64_t *accused = c->observer->accused;
    uint32_t first = 0, last = 0, count = 0;

    for (uint32_t n = 0; n < tensix_spaces[space].cells; n++) {
        if (accused[(cell + n) / MARK_BITS] & bits_of(cell + n, 1)) {
            first = count ? first : n;
            last = n;
            count++;
        }
    }
    if (count) {
        tell_cells(c, space, first, last, count);
    }
}

/* What has been read once is not told again. */
static void clear_accused(TensixObserver *o)
{
    for (unsigned n = 0; n < TENSIX_READ_WORDS; n++) {
        o->unwritten->cells[n] &= ~o->accused[n];
    }
}

void tensix_unwritten_tell(TensixCore *c)
{
    TensixObserver *o = c->observer;
    char text[TENSIX_UNWRITTEN_TEXT];
    uint32_t cell = 0;

    if (!o->unwritten) {
        return;
    }
    for (uint32_t space = 0; space < TENSIX_READ_SPACES; space++) {
        tell_space(c, space, cell);
        cell += tensix_spaces[space].cells;
    }
    if (o->accused_l1.count) {
        tensix_unwritten_l1_text(text, o->accused_l1);
        tell_read(c, text);
    }
    clear_accused(o);
}
