/*
 * Observation: the spaces of cells, and sets of cells.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Cells are numbered: those of one space follow those of the one before.
 */

#include "observe/observe.h"

enum { MAP_BITS = 64 };

enum {
    FIRST_SRCA = TENSIX_DST_ROWS,
    FIRST_SRCB = FIRST_SRCA + TENSIX_SRC_CELLS,
    FIRST_LREG = FIRST_SRCB + TENSIX_SRC_CELLS,
    FIRST_GPR = FIRST_LREG + TENSIX_LREGS,
    FIRST_CONFIG = FIRST_GPR + TENSIX_THREADS * TENSIX_GPRS,
    FIRST_THREAD_CONFIG = FIRST_CONFIG + TENSIX_CFG_BANKS * TENSIX_CFG_WORDS,
    FIRST_SEMAPHORE = FIRST_THREAD_CONFIG +
                      TENSIX_THREADS * TENSIX_THREAD_CFG_WORDS,
    FIRST_MUTEX = FIRST_SEMAPHORE + TENSIX_SEMAPHORES,
};

_Static_assert(FIRST_MUTEX + TENSIX_MUTEXES == TENSIX_OBSERVED_CELLS,
               "spaces follow each other");

const TensixSpaceDef tensix_spaces[TENSIX_SPACES] = {
    [TENSIX_SPACE_DST] = { "dest", TENSIX_DST_ROWS, TENSIX_COLUMNS * 2 },
    [TENSIX_SPACE_SRCA] = { "srca", TENSIX_SRC_CELLS, TENSIX_COLUMNS * 4,
                            FIRST_SRCA },
    [TENSIX_SPACE_SRCB] = { "srcb", TENSIX_SRC_CELLS, TENSIX_COLUMNS * 4,
                            FIRST_SRCB },
    [TENSIX_SPACE_LREG] = { "lreg", TENSIX_LREGS, TENSIX_LANES * 4, FIRST_LREG },
    [TENSIX_SPACE_GPR] = { "gpr", TENSIX_THREADS * TENSIX_GPRS, 4, FIRST_GPR },
    [TENSIX_SPACE_CONFIG] = { "config", TENSIX_CFG_BANKS * TENSIX_CFG_WORDS, 4,
                              FIRST_CONFIG },
    [TENSIX_SPACE_THREAD_CONFIG] = {
        "thread-config", TENSIX_THREADS * TENSIX_THREAD_CFG_WORDS, 2,
        FIRST_THREAD_CONFIG },
    [TENSIX_SPACE_SEMAPHORE] = { "semaphore", TENSIX_SEMAPHORES,
                                 sizeof(TensixSemaphore), FIRST_SEMAPHORE },
    [TENSIX_SPACE_MUTEX] = { "mutex", TENSIX_MUTEXES, 4, FIRST_MUTEX },
    [TENSIX_SPACE_L1] = { "l1", 0, 1, TENSIX_OBSERVED_CELLS },
};

const char *const tensix_agent_names[TENSIX_AGENTS] = {
    [TENSIX_BY_NOBODY] = "nobody",
    [TENSIX_BY_INSTRUCTION] = "instruction",
    [TENSIX_BY_HART] = "hart",
    [TENSIX_BY_NOC] = "noc",
    [TENSIX_BY_TDMA] = "tdma",
    [TENSIX_BY_RISC_DBG] = "risc-dbg",
    [TENSIX_BY_DEBUG_BUS] = "debug-bus",
    [TENSIX_BY_TIMESTAMPER] = "timestamper",
    [TENSIX_BY_HOST] = "host",
    [TENSIX_BY_DEBUGGER] = "debugger",
    [TENSIX_BY_LOADER] = "loader",
};

/* --- sets of cells --- */

uint32_t tensix_next_cell(const uint64_t *bits, uint32_t from, uint32_t end)
{
    uint64_t left = from < end ? bits[from / MAP_BITS] >> from % MAP_BITS : 0;

    if (left) {
        from += __builtin_ctzll(left);
        return from < end ? from : end;
    }
    for (uint32_t n = from / MAP_BITS + 1; n * MAP_BITS < end; n++) {
        if (bits[n]) {
            from = n * MAP_BITS + __builtin_ctzll(bits[n]);
            return from < end ? from : end;
        }
    }
    return end;
}

static bool has_cell(const TensixCellSet *cells, uint32_t cell)
{
    return cells->bits[cell / MAP_BITS] >> cell % MAP_BITS & 1;
}

bool tensix_executed_reads(const TensixExecuted *e, TensixSpace space,
                           uint32_t index)
{
    return space < TENSIX_READ_SPACES &&
           has_cell(e->read, tensix_first_cell(space) + index);
}

bool tensix_executed_writes(const TensixExecuted *e, TensixSpace space,
                            uint32_t index)
{
    return has_cell(e->written, tensix_first_cell(space) + index);
}
