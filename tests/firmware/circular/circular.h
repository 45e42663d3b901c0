/*
 * Circular: tiles through circular buffers, as kernels of the field have them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BRISC reads tiles into the buffer "in", TRISC0 unpacks them, TRISC1 adds each
 * to itself, TRISC2 packs into the buffer "out", NCRISC writes them to memory.
 * A producer reserves a page, fills and pushes it; a consumer waits for a page,
 * uses and pops it.  Pages received and acked are counted in two registers of an
 * overlay stream, by harts or by STOREREG.  SHARED->mistake leaves out one of
 * these steps.  tests/functional/test_bounds_field.py is the host's side.
 */

#ifndef CIRCULAR_H
#define CIRCULAR_H

#include "blackhole-tile/noc.h"
#include "blackhole-tile/tile.h"

enum {
    PAGES = 2,
    PAGE_BYTES = TILE_DATUMS * 2,  /* bf16 */
    IN_BASE = 0x30000, IN_STREAM = 8,
    OUT_BASE = 0x38000, OUT_STREAM = 9,
    FROM = 0x40000, TO = 0x80000,
    GPR_COUNT = 20,
};

enum {
    NO_MISTAKE,
    NO_RESERVE,                    /* BRISC fills pages that are in use */
    NO_WAIT,                       /* TRISC0 unpacks pages that are not full */
    NO_PUSH,                       /* BRISC fills one more page */
    NO_POP,                        /* NCRISC keeps the last page */
};

typedef struct {
    /* set by the host; TRISC0 and BRISC begin when they are let */
    volatile uint32_t tiles, mistake, unpack, read;
    volatile uint32_t pushed;      /* pages by BRISC */
    volatile uint32_t early;       /* TRISC0 has unpacked without a wait */
    volatile uint32_t ended, finished;     /* BRISC, NCRISC */
} CircularShared;

#define SHARED ((CircularShared *)SHARED_BASE)

#define STREAM_REG(stream, offset) \
    REG32(0xFFB40000 + (stream) * 0x1000 + (offset))
#define PAGES_ACKED(stream) STREAM_REG(stream, 0x20)
#define PAGES_RECEIVED(stream) STREAM_REG(stream, 0x28)

static inline uint32_t page(uint32_t base, uint32_t number)
{
    return base + number % PAGES * PAGE_BYTES;
}

/* Until there is space for the page of this number */
static inline void reserve_page(unsigned stream, uint32_t number)
{
    while (number - PAGES_ACKED(stream) >= PAGES) {
        fence();
    }
}

/* Until the page of this number is full */
static inline void wait_page(unsigned stream, uint32_t number)
{
    while (PAGES_RECEIVED(stream) <= number) {
        fence();
    }
}

/* By the thread, when its units have done what `until` names */
#define COUNT_PAGES(reg, count, until) do { \
        TTINSN(STALLWAIT, .stall_res = BLOCK_SCALAR, .wait_res = (until)); \
        PUSH_OWN = TT(SETDMAREG, .RegIndex16b = 2 * GPR_COUNT, \
                      .Payload_SigSel = (count)); \
        TTINSN(STALLWAIT, .stall_res = BLOCK_SCALAR, \
               .wait_res = UNTIL_SCALAR_DONE); \
        TTINSN(STOREREG, .TdmaDataRegIndex = GPR_COUNT, \
               .RegAddr = ((uint32_t)(uintptr_t)&(reg) - 0xFFB00000) / 4); \
    } while (0)

#endif
