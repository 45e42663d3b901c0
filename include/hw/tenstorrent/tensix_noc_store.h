/*
 * Sparse memory: spaces of 2^64 bytes that read 0 where nothing was written.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Kept in pieces of 64 KiB, found by a hash.  Whole packets and bulk accesses
 * are copied at memcpy()'s speed; a snapshot has only pages of 4 KiB that were
 * written.  Which granules of 16 bytes were written is kept beside the data.
 */

#ifndef HW_TENSTORRENT_TENSIX_NOC_STORE_H
#define HW_TENSTORRENT_TENSIX_NOC_STORE_H

#include "migration/vmstate.h"

enum {
    TENSIX_NOC_STORE_PAGE = 4096,
    TENSIX_NOC_STORE_PIECE = 65536,
    TENSIX_NOC_STORE_GRANULE = 16,
    TENSIX_NOC_STORE_SPACES = 256,
};

typedef struct TensixNocPiece TensixNocPiece;

typedef struct TensixNocStore {
    GHashTable *pieces;            /* TensixNocPiece, a set */
    TensixNocPiece *last;          /* used, or NULL */
    uint32_t max_pages;            /* a piece is 16 */
} TensixNocStore;

void tensix_noc_store_init(TensixNocStore *s);
void tensix_noc_store_finish(TensixNocStore *s);
void tensix_noc_store_clear(TensixNocStore *s);

void tensix_noc_store_read(TensixNocStore *s, uint32_t space, uint64_t addr,
                           void *data, uint32_t size);

/*
 * How many bytes of this range are in granules that were never written; *first
 * is the address of the first of them, if there are any.
 */
uint32_t tensix_noc_store_unwritten(TensixNocStore *s, uint32_t space,
                                    uint64_t addr, uint32_t size,
                                    uint64_t *first);

/* False: max_pages do not allow it; what comes before was written. */
bool tensix_noc_store_write(TensixNocStore *s, uint32_t space, uint64_t addr,
                            const void *data, uint32_t size);

/* The word at an aligned address, to be changed; NULL: likewise. */
uint32_t *tensix_noc_store_word(TensixNocStore *s, uint32_t space,
                                uint64_t addr);

/* The contents as a field of a struct. */
extern const VMStateInfo vmstate_info_tensix_noc_store;

#define VMSTATE_TENSIX_NOC_STORE(field, state) \
    VMSTATE_SINGLE(field, state, 0, vmstate_info_tensix_noc_store, \
                   TensixNocStore)

#endif
