/*
 * What units note of their writes, in the build that is observed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In all other builds these are nothing.
 */

#ifndef TENSIX_NOTE_H
#define TENSIX_NOTE_H

#include "observe/observe.h"
#include "tensix_internal.h"

#ifdef TENSIX_OBSERVED
#define TENSIX_NOTE(...) do { __VA_ARGS__; } while (0)
#else
#define TENSIX_NOTE(...) do { } while (0)
#endif

/* Has an observer stopped the coprocessor? */
static inline bool tensix_observe_stopping(const TensixCore *c)
{
    return c->observer && c->observer->stopping;
}

/* Rows of Dst's storage are written, or made undefined. */
#define TENSIX_WRITES_DST(c, row, count) \
    TENSIX_NOTE(tensix_observe_write(c, TENSIX_SPACE_DST, row, count))

/* Rows of Dst's storage that are read for their content. */
#define TENSIX_READS_DST(c, row, count) \
    TENSIX_NOTE(tensix_observe_read(c, TENSIX_SPACE_DST, row, count))

/* They are rows of Dst32b; ZEROACC clears rows (tensix_observe_clear()). */
#define TENSIX_WIDE_DST(c, row, count) \
    TENSIX_NOTE(tensix_observe_wide(c, row, count))
#define TENSIX_CLEARS_DST(c, row, count, wrong) \
    TENSIX_NOTE(tensix_observe_clear(c, row, count, wrong))

/* The same of a bank of SrcA or SrcB. */
#define TENSIX_WRITES_SRC(c, src, bank, row, count) \
    TENSIX_NOTE(tensix_observe_write_src(c, src, bank, row, count))
#define TENSIX_READS_SRC(c, src, bank, row, count) \
    TENSIX_NOTE(tensix_observe_read(c, tensix_observe_src_space(src), \
                                    tensix_observe_src_cell(bank, row), count))

/* Bytes of L1 that are read. */
#define TENSIX_READS_L1(c, address, size) \
    TENSIX_NOTE(tensix_observe_read_l1(c, address, size))

/*
 * Cells of configuration, semaphores and mutexes, by units that are built once:
 * a test of the observer where they are written.
 */
static inline void tensix_note_write(TensixCore *c, TensixSpace space,
                                     uint32_t first, uint32_t count)
{
    if (__builtin_expect(c->observer != NULL, false)) {
        tensix_observe_write(c, space, first, count);
    }
}

static inline TensixSpace tensix_observe_src_space(uint32_t src)
{
    return src == TENSIX_SRCA ? TENSIX_SPACE_SRCA : TENSIX_SPACE_SRCB;
}

static inline uint32_t tensix_observe_src_cell(uint32_t bank, uint32_t row)
{
    return bank % TENSIX_SRC_BANKS * TENSIX_SRC_ROWS + row;
}

static inline void tensix_observe_write_src(TensixCore *c, uint32_t src,
                                            uint32_t bank, uint32_t row,
                                            uint32_t count)
{
    tensix_observe_write(c, tensix_observe_src_space(src),
                         tensix_observe_src_cell(bank, row), count);
}

#endif
