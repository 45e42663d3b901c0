/*
 * Bounds: what its files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_BOUNDS_INTERNAL_H
#define HW_TENSTORRENT_BOUNDS_INTERNAL_H

#include "qemu/bitmap.h"
#include "qemu/thread.h"
#include "hw/tenstorrent/tensix_bounds.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_instrument.h"

enum {
    BOUNDS_ZONE = 64,              /* bytes before and after a buffer */
    BOUNDS_BANKS = 8,              /* of DRAM */
    BOUNDS_L1_ZONES = TENSIX_L1_SIZE / BOUNDS_ZONE,
};

#define BOUNDS_BANK_SIZE (1ull << 32)

/* L1, or a bank of DRAM: BOUNDS_DRAM + its number. */
enum { BOUNDS_L1, BOUNDS_DRAM };

/* One access to memory by a hart, an instruction, the NoC or TDMA. */
typedef struct BoundsAccess {
    const TensixActor *by;
    uint64_t address;
    uint32_t size;
    bool writes;
    unsigned space;                /* BOUNDS_L1, ... */
    uint32_t noc, id;              /* of DRAM: NIU and transaction */
} BoundsAccess;

/* Counters of a circular buffer: pages that were pushed, and popped. */
typedef enum BoundsCount {
    BOUNDS_RECEIVED,
    BOUNDS_ACKED,
    BOUNDS_COUNTS,
} BoundsCount;

/* Users of a circular buffer: 0 none, 1 + TensixHartIndex, another tile. */
enum {
    BOUNDS_REMOTE = TENSIX_HART_NONE + 2,
    BOUNDS_USERS,
};

/* What is wrong: to be reported as this actor's. */
typedef struct BoundsFinding {
    TensixActor by;
    char *text;
} BoundsFinding;

/* The circular buffer whose pages an overlay stream counts. */
typedef struct BoundsCircular {
    /* since 0 was stored; modulo 2^16 if that is not known */
    uint64_t count[BOUNDS_COUNTS];
    bool known[BOUNDS_COUNTS];
    uint8_t user[BOUNDS_COUNTS];   /* the producer and the consumer; 0: none */
    /* pushes up to which it has written or read pages, and the latest access */
    uint64_t used[BOUNDS_COUNTS];
    TensixActor used_by[BOUNDS_COUNTS];
    /* by user: the first read of a page that was not received; text or NULL */
    BoundsFinding early[BOUNDS_USERS];
} BoundsCircular;

struct TensixBounds {
    TensixInstrument parent_obj;

    TensixCopState *cop;
    TensixReporter *reporter;
    Notifier l1, dram, load_store, store, reset, load;

    QemuMutex lock;                /* for what follows; taken after the BQL */
    GPtrArray *buffers;            /* TensixBuffer */
    GHashTable *streams;           /* BoundsStream: latest accesses of each */
    BoundsCircular circular[TENSIX_STREAMS];
    /* zones of L1 near a buffer; also read without the lock */
    DECLARE_BITMAP(near, BOUNDS_L1_ZONES);
};

/* --- bounds_buffers.c --- */

/* Is an access that begins there worth a check?  Any thread. */
bool bounds_is_near(const TensixBounds *b, uint32_t address);

/* Where a buffer is: BOUNDS_L1, ... */
unsigned bounds_space_of(const TensixBuffer *buffer);

typedef bool BoundsMatch(const TensixBuffer *buffer, const void *what);

/* The first buffer that matches what is searched for, or NULL.  Lock held. */
const TensixBuffer *bounds_find(const TensixBounds *b, BoundsMatch *matches,
                                const void *what);

/* The buffer that has the first byte of an access, or NULL.  Lock held. */
const TensixBuffer *bounds_buffer_at(const TensixBounds *b,
                                     const BoundsAccess *a);

/* Where memory ends that this buffer and those that overlap it share. */
uint64_t bounds_end(const TensixBounds *b, const TensixBuffer *buffer);

/* --- bounds_zones.c --- */

/*
 * What is wrong with an access, to be freed, or NULL; the access is remembered.
 * Lock held.
 */
char *bounds_check_zones(TensixBounds *b, const BoundsAccess *a);

/* "the NoC writes 64 bytes" */
void bounds_append_access(GString *text, const BoundsAccess *a);

void bounds_streams_init(TensixBounds *b);
void bounds_streams_restart(TensixBounds *b);
void bounds_streams_finish(TensixBounds *b);

/* --- bounds_circular.c --- */

/* As bounds_check_zones(), for pages of circular buffers. */
char *bounds_check_pages(TensixBounds *b, const BoundsAccess *a);

/*
 * A value is stored to a counter of a stream: adds what is wrong to findings,
 * BoundsFinding with texts to be freed.  Lock held.
 */
void bounds_count_pages(TensixBounds *b, unsigned stream, BoundsCount which,
                        uint32_t value, const TensixActor *by,
                        GArray *findings);

/* Adds circular buffers that are in use.  Lock held. */
void bounds_find_left(TensixBounds *b, GArray *findings);

/* The counters of all streams are 0, or not known.  Lock held. */
void bounds_circular_restart(TensixBounds *b, bool known);

/* A buffer that the stream counts is declared.  Lock held. */
void bounds_circular_declared(TensixBounds *b, unsigned stream);

#endif
