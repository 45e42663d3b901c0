/*
 * The two NoCs of a chip: its modelled tiles, and memory in place of all
 * others.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Eight DRAM banks of 4 GiB lie behind three tiles each.  What is behind the
 * PCI Express tile is up to a host.  A Tensix tile that is modelled is reached
 * as its own NoC view shows it (tensix_noc_port.h), the ARC tile is as its
 * firmware leaves it (tensix_arc.h); every other tile is memory of 2^64 bytes
 * and nothing else, which is said when it is first addressed; a place with no
 * tile is refused.  All memory reads 0 where nothing has been written.
 *
 * QEMU interface:
 *  + properties "x", "y": raw coordinates of the first modelled tile, for its
 *    board, default (1,2)
 *  + property "max-pages": 4 KiB pages that other tiles may have in all, taken
 *    16 at a time; writes beyond are lost and reported, default 1 GiB
 *  + sysbus region 0: simulator-only window on all tiles, for tests and hosts:
 *    offset = tile << 36 | address, tile = y << 6 | x, coordinates as of a
 *    TensixNocAddress; a modelled tile shows what the NoC sees of it; addresses
 *    of 2^36 and above are out of its reach
 */

#ifndef HW_TENSTORRENT_TENSIX_NOC_H
#define HW_TENSTORRENT_TENSIX_NOC_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_arc.h"
#include "hw/tenstorrent/tensix_noc_store.h"
#include "hw/tenstorrent/tensix_noc_tiles.h"
#include "hw/tenstorrent/tensix_origin.h"
#include "qom/object.h"

#define TYPE_TENSIX_NOC "tensix-noc"
OBJECT_DECLARE_SIMPLE_TYPE(TensixNocState, TENSIX_NOC)

typedef struct TensixNocPort TensixNocPort;

#define TENSIX_NOC_WINDOW_BASE 0x1000000000000ull
#define TENSIX_NOC_WINDOW_SIZE 0x1000000000000ull
#define TENSIX_NOC_WINDOW_SHIFT 36

/*
 * A place: coordinates 0..63, raw ones of NoC 0 or translated ones, and a byte
 * address in that tile.
 */
typedef struct TensixNocAddress {
    uint32_t x, y;
    uint64_t addr;
} TensixNocAddress;

enum { TENSIX_NOC_HOST_MAX = 16384 };  /* bytes: one packet */

/*
 * A packet for the host behind the PCI Express tile.  Its creator owns it
 * until done() is called or the host has been asked to discard it.
 */
typedef struct TensixNocHostRequest TensixNocHostRequest;
struct TensixNocHostRequest {
    bool is_write;
    TensixNocAddress at;           /* the tile, and the address as it saw it */
    uint32_t size;                 /* bytes: 1 to TENSIX_NOC_HOST_MAX */
    uint8_t *data;                 /* to be written, or to be filled in */
    /*
     * Called once for each start(), at once or at any later time, also while
     * the machine is stopped.  error: NULL, or why it could not be done.  BQL
     * held.  The request may be freed when this returns.
     */
    void (*done)(TensixNocHostRequest *r, const char *error);
};

/*
 * The host: what tensix_noc_set_host() is given.  BQL held.  start() must not
 * wait; requests may be under way side by side and done in any order.
 * cancel(): the request, started and not done, is about to go (reset, a loaded
 * snapshot); the host must not touch it any more, nor call done().
 */
typedef struct TensixNocHostOps {
    void (*start)(void *opaque, TensixNocHostRequest *r);
    void (*cancel)(void *opaque, TensixNocHostRequest *r);
} TensixNocHostOps;

struct TensixNocState {
    SysBusDevice parent_obj;

    uint32_t x, y;                 /* of the first modelled tile */
    MemoryRegion window;
    TensixNocPort *tile[TENSIX_NOC_TILES];  /* NULL: not modelled */
    TensixNocStore store;          /* of the others */
    TensixArc arc;                 /* but for the ARC tile */

    const TensixNocHostOps *host_ops;  /* NULL: no host */
    void *host;
};

/*
 * Puts a tile at raw coordinates, or takes it away (NULL).  False with errp set:
 * there is no place for a Tensix tile, or there is one already.
 */
bool tensix_noc_add(TensixNocState *s, TensixNocPort *tile, uint32_t x,
                    uint32_t y, Error **errp);
void tensix_noc_remove(TensixNocState *s, uint32_t x, uint32_t y);

/* The modelled tile at a place, or NULL. */
TensixNocPort *tensix_noc_tile(const TensixNocState *s,
                               TensixNocAddress a);

/* What is there; a modelled tile is a Tensix tile wherever it is. */
TensixTileKind tensix_noc_kind(const TensixNocState *s,
                               TensixNocAddress a);

/* The same place by NoC 0's raw coordinates. */
TensixNocAddress tensix_noc_raw(TensixNocAddress a);

/* NULL: size bytes of memory are at a place that is no modelled tile. */
const char *tensix_noc_check_memory(TensixNocAddress a, uint32_t size);

/*
 * Copies size bytes from or to a place, for `by`.  NULL, or why it cannot be
 * done (then a load gives zeroes and a store may be incomplete).  BQL held: up
 * to some MiB at a time.
 */
const char *tensix_noc_access(TensixNocState *s, const TensixActor *by,
                              MemTxAttrs attrs, TensixNocAddress a,
                              void *data, uint32_t size, bool is_write);

/*
 * How many of these bytes of DRAM or of another tile were never written, to
 * 16 bytes; *first: the address of the first of them.  0 for a modelled tile,
 * and for a place that cannot be read.  BQL held.
 */
uint32_t tensix_noc_unwritten(TensixNocState *s, TensixNocAddress a,
                              uint32_t size, uint64_t *first);

/*
 * Replaces the aligned 32-bit word at a place of L1 by fn(opaque, word), in
 * one step also as harts on other host threads see it.  *old, unless NULL:
 * the word before.  NULL, or why it cannot be done.  BQL held.
 */
const char *tensix_noc_modify(TensixNocState *s, const TensixActor *by,
                              TensixNocAddress a,
                              uint32_t (*fn)(void *opaque, uint32_t word),
                              void *opaque, uint32_t *old);

/*
 * Connects the host, or with ops NULL takes it away; it has to be done with all
 * requests then.  One at a time.
 */
void tensix_noc_set_host(TensixNocState *s, const TensixNocHostOps *ops,
                         void *opaque);
bool tensix_noc_has_host(const TensixNocState *s);

/*
 * Hands a request to the host, with all fields set.  NULL, or why that cannot
 * be done (then done() is not called).  BQL held.
 */
const char *tensix_noc_host_start(TensixNocState *s,
                                  TensixNocHostRequest *r);
void tensix_noc_host_cancel(TensixNocState *s, TensixNocHostRequest *r);

#endif
