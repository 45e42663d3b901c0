/*
 * Observation: tables of spaces and of agents, what an event has accessed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "observe/lregs.h"
#include "observe/observe.h"

const TensixSpaceDef tensix_spaces[TENSIX_SPACES] = {
#define S(space, name, cells, bytes, member) \
    [TENSIX_SPACE_##space] = { \
        name, cells, bytes, offsetof(TensixCellNumbers, space), \
        offsetof(TensixCellBytes, space), offsetof(TensixState, member) },
    TENSIX_OBSERVED_SPACES(S)
#undef S
    [TENSIX_SPACE_L1] = { "l1", 0, 1, TENSIX_OBSERVED_CELLS },
};

const char *const tensix_agent_names[TENSIX_AGENTS] = {
    [TENSIX_BY_NONE] = "none",
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

void tensix_add_cells(TensixCellSet *cells, uint32_t first, uint32_t count)
{
    while (count) {
        uint32_t at = first % TENSIX_MAP_BITS;
        uint32_t n = count < TENSIX_MAP_BITS - at ? count : TENSIX_MAP_BITS - at;
        uint64_t bits = n < TENSIX_MAP_BITS ? (1ull << n) - 1 : UINT64_MAX;

        cells->bits[first / TENSIX_MAP_BITS] |= bits << at;
        cells->words |= 1ull << first / TENSIX_MAP_BITS;
        first += n;
        count -= n;
    }
}

bool tensix_cells_meet(const TensixCellSet *a, const TensixCellSet *b)
{
    for (uint64_t words = a->words & b->words; words; words &= words - 1) {
        uint32_t word = __builtin_ctzll(words);

        if (a->bits[word] & b->bits[word]) {
            return true;
        }
    }
    return false;
}

bool tensix_executed_reads(const TensixExecuted *e, TensixSpace space,
                           uint32_t index)
{
    return space < TENSIX_READ_SPACES &&
           tensix_has_cell(e->read, tensix_first_cell(space) + index);
}

bool tensix_executed_writes(const TensixExecuted *e, TensixSpace space,
                            uint32_t index)
{
    return tensix_has_cell(e->written, tensix_first_cell(space) + index);
}

/* Where in a cell old and new are worth showing: the first that differs. */
static uint32_t first_difference(const uint8_t *old, const uint8_t *new,
                                 uint32_t size)
{
    uint32_t at = 0;

    while (at < size && old[at] == new[at]) {
        at++;
    }
    return at == size ? 0 : at - at % sizeof(uint32_t);
}

void tensix_hit_values(TensixHit *hit, const uint8_t *old, const uint8_t *new,
                       uint32_t size)
{
    uint32_t at = first_difference(old, new, size);

    hit->offset = at;
    hit->size = size - at < TENSIX_HIT_BYTES ? size - at : TENSIX_HIT_BYTES;
    memcpy(hit->old, old + at, hit->size);
    memcpy(hit->new, new + at, hit->size);
}

TensixActor tensix_instruction_actor(const TensixInsn *i)
{
    TensixActor by;

    tensix_set_instruction(&by, i);
    return by;
}
