/*
 * A NoC request as it is executed; internal to this layer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_NOC_TENSIX_NIU_REQUEST_H
#define HW_TENSTORRENT_NOC_TENSIX_NIU_REQUEST_H

#include "qemu/units.h"
#include "hw/registerfields.h"
#include "hw/tenstorrent/tensix_niu.h"
#include "hw/tenstorrent/tensix_unfinished.h"

/* Registers of one initiator */
REG32(TARG_ADDR_LO, 0x00)
REG32(TARG_ADDR_MID, 0x04)
REG32(TARG_ADDR_HI, 0x08)
    FIELD(ADDR_HI, X, 0, 6)
    FIELD(ADDR_HI, Y, 6, 6)
    FIELD(ADDR_HI, START_X, 12, 6)
    FIELD(ADDR_HI, START_Y, 18, 6)
REG32(RET_ADDR_LO, 0x0c)
REG32(PACKET_TAG, 0x18)
    FIELD(PACKET_TAG, TO_OVERLAY, 6, 1)
    FIELD(PACKET_TAG, HEADER_STORE, 9, 1)
    FIELD(PACKET_TAG, ID, 10, 4)
REG32(CTRL, 0x1c)
    FIELD(CTRL, TYPE, 0, 2)
    FIELD(CTRL, WR_BE, 2, 1)
    FIELD(CTRL, WR_INLINE, 3, 1)
    FIELD(CTRL, RESP_MARKED, 4, 1)
    FIELD(CTRL, BRCST, 5, 1)
    FIELD(CTRL, SRC_INCLUDE, 17, 1)
    FIELD(CTRL, L1_ACC, 31, 1)
REG32(AT_LEN_BE, 0x20)
REG32(AT_LEN_BE_1, 0x24)
REG32(AT_DATA, 0x28)
REG32(BRCST_EXCLUDE, 0x2c)
REG32(NIU_CFG_0, 0x100)
    FIELD(NIU_CFG_0, TRANSLATE, 14, 1)
REG32(ROUTER_CFG_1, 0x108)         /* columns that opt out of broadcasts */
REG32(ROUTER_CFG_3, 0x110)         /* rows */
REG32(X_ID_TABLE, 0x118)
REG32(Y_ID_TABLE, 0x130)
REG32(ID_COL_MASK, 0x150)
REG32(ID_ROW_MASK, 0x154)
REG32(DDR_COORD_TABLE, 0x158)
REG32(DDR_COORD_TABLE_5, 0x16c)
    FIELD(DDR_COORD_TABLE_5, EAST, 10, 1)
    FIELD(DDR_COORD_TABLE_5, WEST, 11, 1)
REG32(DDR_COORD_COL_SWAP, 0x170)

enum {
    TYPE_READ,
    TYPE_ATOMIC,
    TYPE_WRITE,
};

enum {
    FLIT_BYTES = 64,
    LENGTH_LIMIT = 2 * MiB,        /* counters of 8 bits allow no more */
};

typedef struct NiuRequest {
    TensixNiuState *niu;
    const TensixAccess *access;
    TensixNiuHostOrigin origin;
    const uint32_t *reg;           /* the initiator's registers, as sent */
    uint32_t ctrl, tag, data;
    uint64_t length;               /* bytes, or byte enables */
    uint32_t packets;
    TensixNocAddress targ, ret;
    uint32_t targ_hi, ret_hi;
    bool posted;
    bool broken;                   /* reported: moves no data */
    /* receivers and their packets */
    TensixNocAddress to[TENSIX_NOC_TILES];
    unsigned receivers;
} NiuRequest;

/*
 * tensix_niu_places.c.  The place that three registers of an initiator name, by
 * NoC 0's coordinates: translated if the NIU is configured to.
 */
TensixNocAddress niu_read_address(const TensixNiuState *s, const uint32_t *reg);

/*
 * Adds to r->to every receiver of a write or an atomic to `to`, hi being the
 * register of its coordinates: one place, or all of a rectangle.
 */
void niu_find_receivers(NiuRequest *r, uint32_t hi, TensixNocAddress to);

/* Adds n to a counter of each receiver that is modelled. */
void niu_count_received(const NiuRequest *r, unsigned counter, uint32_t n);

/* The NIU that the request finds there on its NoC; NULL: no modelled tile's. */
TensixNiuState *niu_at(const NiuRequest *r, TensixNocAddress a);

/* Tensix and Ethernet tiles have L1, and MMIO registers above it. */
bool niu_has_l1(const NiuRequest *r, TensixNocAddress a);
bool niu_is_mmio(const NiuRequest *r, TensixNocAddress a);

/*
 * tensix_niu_seen.c: the request has begun, and is answered unless it is posted;
 * software loads that counter, or what says which counters are 0.
 */
void tensix_niu_expects(const NiuRequest *r);
void tensix_niu_seen(TensixNiuState *s, unsigned counter);
void tensix_niu_seen_all(TensixNiuState *s);
void tensix_niu_unfinished(Object *obj, TensixUnfinishedList ***tail);
bool tensix_niu_unseen_valid(const TensixNiuState *s);
extern const VMStateDescription vmstate_tensix_niu_unseen;

/* tensix_niu_post.c: posts the request, which is about to begin. */
void niu_post_request(const NiuRequest *r);

/* Posts an access to a DRAM bank, if that is one. */
void niu_accesses(const NiuRequest *r, TensixNocAddress a, uint32_t size,
                  bool writes);

/* Do the packets go to the host behind the PCI Express tile? */
bool niu_waits_for_host(const NiuRequest *r);

#endif
