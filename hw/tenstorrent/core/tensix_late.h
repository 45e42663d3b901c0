/*
 * Stores of harts that a delay puts off.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hart's store to GPRs or configuration is processed some time after it, in
 * order with the hart's other accesses to that region, and in no order with what
 * the hart pushes (BH MemoryOrdering.md).  With tensix_set_delays() only, whose
 * argument is the first member of a TensixLateDelays.
 */

#ifndef TENSIX_LATE_H
#define TENSIX_LATE_H

#include "tensix_core.h"

/* A TensixDelayKind: a store, at the pc of the site. */
enum { TENSIX_DELAY_STORE = TENSIX_DELAY_PORT + TENSIX_PORTS };

typedef enum TensixStoreRegion {
    TENSIX_STORE_GPR,
    TENSIX_STORE_CONFIG,
    TENSIX_STORE_REGIONS,
} TensixStoreRegion;

typedef struct TensixHartStore {
    TensixOrigin by;
    TensixStoreRegion region;
    uint32_t offset;               /* bytes in TensixState.gpr, or in the window */
    uint32_t size, value;
} TensixHartStore;

enum { TENSIX_LATE_STORES = 4 };   /* entries of a hart's store queue */

typedef struct TensixLateQueue {
    uint32_t count;
    struct {
        TensixHartStore store;
        uint64_t due;              /* cycle */
    } entry[TENSIX_LATE_STORES];
} TensixLateQueue;

typedef struct TensixLateDelays {
    TensixDelays delays;
    /* each store; NULL: not called.  Inside the core. */
    void (*stored)(void *opaque, TensixOrigin by);
    /* the core's: by hart, the oldest, which the others wait for, first */
    TensixLateQueue queue[TENSIX_PUSHERS][TENSIX_STORE_REGIONS];
} TensixLateDelays;

/* True: the store is put off.  False: it is to be made now. */
bool tensix_late_store(TensixCore *c, const TensixHartStore *store);

/* The hart loads from the region: its stores there are processed before. */
void tensix_late_load(TensixCore *c, uint32_t hart, TensixStoreRegion region);

/* All stores are processed now, if there are delays. */
void tensix_late_finish(TensixCore *c);

#endif
