/*
 * Accesses of a hart to words of devices without the BQL and the memory API.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A device offers them beside its MemoryRegion.  They are used without -icount,
 * and while no instrument observes registers: the region then gets only what they
 * refuse.
 */

#ifndef HW_TENSTORRENT_TENSIX_HART_DIRECT_H
#define HW_TENSTORRENT_TENSIX_HART_DIRECT_H

#include "hw/tenstorrent/tensix_hart.h"

/*
 * Aligned words, at an offset in the region.  False: nothing has been done, and
 * the region is accessed.  A NULL one refuses all.  ra: GETPC() of the access,
 * by which it may leave to be retried.  BQL not held.
 */
typedef struct TensixDirectOps {
    bool (*store)(void *opaque, uint32_t offset, uint32_t value, uintptr_t ra);
    bool (*load)(void *opaque, uint32_t offset, uint32_t *value, uintptr_t ra);
} TensixDirectOps;

/* The region takes this hart's accesses; at most one of each 64 KiB does. */
void tensix_hart_offer_direct(TensixHart *hart, MemoryRegion *mr,
                              const TensixDirectOps *ops, void *opaque);

/* That is where it is in the hart's view, if it has been offered. */
void tensix_hart_map_direct(TensixHart *hart, MemoryRegion *mr,
                            uint32_t address);

/* Are they used?  While the hart is stopped. */
void tensix_hart_set_direct(TensixHart *hart, bool used);

#endif
