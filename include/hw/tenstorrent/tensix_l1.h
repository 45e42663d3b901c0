/*
 * L1 of a tile, for everybody but harts: one way to write it and one to read it,
 * so that watches, writers, uninitialised reads and the timeline see every agent.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Harts' loads and stores do not come here: TCG makes them.  Watchpoints tell of
 * them where a watch is (tensix_hart_debug.h).
 */

#ifndef HW_TENSTORRENT_TENSIX_L1_H
#define HW_TENSTORRENT_TENSIX_L1_H

#include "hw/tenstorrent/tensix_cop.h"

/* Are these bytes all in L1? */
static inline bool tensix_l1_has(uint64_t address, uint64_t size)
{
    return address < TENSIX_L1_SIZE && size <= TENSIX_L1_SIZE - address;
}

/*
 * Copies `size` bytes to or from L1, which has them.  Code there is translated
 * anew.  Outside the core; BQL held.
 */
void tensix_l1_write(TensixCopState *cop, const TensixActor *by,
                     uint32_t address, const void *data, uint32_t size);
void tensix_l1_read(TensixCopState *cop, const TensixActor *by,
                    uint32_t address, void *data, uint32_t size);

/*
 * Replaces an aligned word of L1 by fn(opaque, word), in one step also as harts on
 * other host threads see it.  Returns the word before.  As above.
 */
uint32_t tensix_l1_modify(TensixCopState *cop, const TensixActor *by,
                          uint32_t address,
                          uint32_t (*fn)(void *opaque, uint32_t word),
                          void *opaque);

/* The instruction at that pc; 0: it is not in L1.  No access that is observed. */
uint32_t tensix_l1_code(TensixCopState *cop, uint32_t pc);

/* --- for the coprocessor device --- */

/* The core's l1_write and l1_replace: inside the core, BQL or not. */
void tensix_l1_core_write(void *opaque, uint32_t address, const void *data,
                          uint32_t size);
bool tensix_l1_core_replace(void *opaque, uint32_t address, uint32_t expected,
                            uint32_t value);

/* What the memory API alone writes is observed from now on, or no longer. */
void tensix_l1_observe(TensixCopState *cop, bool observe);

#endif
