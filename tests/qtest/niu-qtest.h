/*
 * What the qtests of the NoC share: registers, and requests as harts make them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef NIU_QTEST_H
#define NIU_QTEST_H

#include "tile-qtest.h"

#define NIU(noc) (0xffb20000u + 0x10000 * (noc))
#define INIT(noc, i) (NIU(noc) + 0x800 * (i))
#define COUNTER(noc, n) (NIU(noc) + 0x200 + 4 * (n))
#define NOC_VIEW 5
#define NOC_WINDOW 0x1000000000000ull

enum {
    TARG_LO = 0x00, TARG_MID = 0x04, TARG_HI = 0x08,
    RET_LO = 0x0c, RET_MID = 0x10, RET_HI = 0x14,
    TAG = 0x18, CTRL = 0x1c, LEN = 0x20, LEN_1 = 0x24, DATA = 0x28,
    CMD = 0x40, NODE_ID = 0x44, ENDPOINT_ID = 0x48, CLEAR_IDS = 0x60,
    NIU_CFG_0 = 0x100, ROUTER_CFG_1 = 0x108, ROUTER_CFG_3 = 0x110,
    ID_LOGICAL = 0x148,
    RTZ_CFG = 0x178, RTZ_CLR = 0x17c, RTZ_NUM = 0x378, RTZ_SOURCE = 0x37c,

    READ = 0, ATOMIC = 1, WRITE = 2, BE = 1 << 2, INLINE = 1 << 3,
    RESP = 1 << 4, BRCST = 1 << 5, SRC_INCLUDE = 1 << 17,

    ATOMIC_RESP = 0, WR_ACK = 1, RD_RESP = 2, RD_WORDS = 3, ACCEPTED = 4,
    RD_SENT = 5, WR_SENT = 10, POSTED_WR_SENT = 11, OUTSTANDING = 16,
    SLV_WR_ACK = 49, SLV_RD_RESP = 50,

    DRAM = 17 | 12 << 6,
    OTHER_TENSIX = 4 | 5 << 6,
};

/* Coordinates of the tile under test. */
#define OWN_X (1 + tile_number())
#define OWN_Y 2
#define OWN (OWN_Y << 6 | OWN_X)

typedef struct Request {
    unsigned noc, init;
    uint32_t ctrl, tag, len, len_1, data;
    uint32_t targ_hi, ret_hi;
    uint64_t targ, ret;
} Request;

/* Words as BRISC accesses them */
uint32_t get(Tile *t, uint32_t addr);
void put(Tile *t, uint32_t addr, uint32_t value);

/* The second: one that is done at once. */
void start_request(Tile *t, Request r);
void send_request(Tile *t, Request r);

/* Where the simulator shows an address of a tile. */
uint64_t window(uint32_t tile, uint64_t addr);

uint32_t counter(Tile *t, unsigned noc, unsigned n);

/* What is said of tiles that are only memory is none. */
unsigned violations(Tile *t);

#endif
