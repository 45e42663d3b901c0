/*
 * Reads and writes of other tiles' memory by one of the tile's two NIUs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *   Noc noc = noc_open(0);
 *
 *   noc_read(&noc, NOC_DRAM(3), offset, l1_address, bytes);
 *   noc_wait(&noc);
 *
 * One hart uses an NIU at a time; request initiator 0.  (BH NoC pages)
 */

#ifndef BLACKHOLE_TILE_NOC_H
#define BLACKHOLE_TILE_NOC_H

#include "blackhole-tile/map.h"

/*
 * Where a tile is, in translated coordinates, and its parts; a bank of DRAM, 0
 * to 7
 */
#define NOC_TILE(x, y) ((uint32_t)(y) << 6 | (x))
#define NOC_X(tile) ((tile) & 0x3f)
#define NOC_Y(tile) ((tile) >> 6)
#define NOC_DRAM(bank) NOC_TILE(17 + (bank) / 4, 12 + (bank) % 4 * 3)

/* Registers of an NIU */
enum {
    NIU_TARGET = 0x00,
    NIU_TARGET_MIDDLE = 0x04,
    NIU_TARGET_TILE = 0x08,
    NIU_RETURN = 0x0C,
    NIU_RETURN_MIDDLE = 0x10,
    NIU_RETURN_TILE = 0x14,
    NIU_CONTROL = 0x1C,
    NIU_LENGTH = 0x20,
    NIU_DATA = 0x28,
    NIU_START = 0x40,
    NIU_OWN_TILE = 0x148,          /* NOC_ID_LOGICAL */
    NIU_WRITES_ACKED = 0x204,
    NIU_READS_DONE = 0x208,
};

enum {
    NIU_BASE = 0xFFB20000,
    NIU_STEP = 0x10000,
    NOC_READ = 0x2090,             /* marked for a response, static channel */
    NOC_WRITE = 0x2092,
    NOC_MULTICAST = 0x20B2,        /* a write to a rectangle of tiles */
    NOC_ADD = 0x2081,              /* an atomic operation, no response */
    NOC_ADD_WORD = 0x107C,         /* ... on word 0 of 16 bytes */
    NOC_PACKET = 16384,            /* bytes of one request at most */
};

/* This tile, as the registers of its NIU have it */
#define NOC_OWN_TILE REG32(NIU_BASE + NIU_OWN_TILE)

/* An NIU, and how far its counters will have come when all is done */
typedef struct Noc {
    uint32_t niu;
    uint32_t reads, writes;
} Noc;

static inline volatile uint32_t *noc_reg(const Noc *noc, uint32_t offset)
{
    return &REG32(noc->niu + offset);
}

/* NIU 0 or 1; nothing of this hart's may be under way there. */
static inline Noc noc_open(unsigned number)
{
    Noc noc = { .niu = NIU_BASE + number * NIU_STEP };

    noc.reads = *noc_reg(&noc, NIU_READS_DONE);
    noc.writes = *noc_reg(&noc, NIU_WRITES_ACKED);
    return noc;
}

/* One request of at most NOC_PACKET bytes. */
static inline void noc_request(const Noc *noc, uint32_t control,
                               uint32_t tile, uint64_t remote, uint32_t local,
                               uint32_t bytes)
{
    uint32_t middle = remote >> 32;
    uint32_t own = *noc_reg(noc, NIU_OWN_TILE);
    bool read = control == NOC_READ;

    while (*noc_reg(noc, NIU_START)) {
        fence();
    }
    *noc_reg(noc, NIU_TARGET) = read ? (uint32_t)remote : local;
    *noc_reg(noc, NIU_TARGET_MIDDLE) = read ? middle : 0;
    *noc_reg(noc, NIU_TARGET_TILE) = read ? tile : own;
    *noc_reg(noc, NIU_RETURN) = read ? local : (uint32_t)remote;
    *noc_reg(noc, NIU_RETURN_MIDDLE) = read ? 0 : middle;
    *noc_reg(noc, NIU_RETURN_TILE) = read ? own : tile;
    *noc_reg(noc, NIU_CONTROL) = control;
    *noc_reg(noc, NIU_LENGTH) = bytes;
    *noc_reg(noc, NIU_START) = 1;
}

static inline void noc_transfer(Noc *noc, uint32_t control, uint32_t tile,
                                uint64_t remote, uint32_t local,
                                uint32_t bytes)
{
    while (bytes) {
        uint32_t part = bytes < NOC_PACKET ? bytes : NOC_PACKET;

        noc_request(noc, control, tile, remote, local, part);
        *(control == NOC_READ ? &noc->reads : &noc->writes) += 1;
        remote += part;
        local += part;
        bytes -= part;
    }
}

/*
 * From `remote` of another tile, in bytes, to `local` in L1.  For reads of DRAM
 * both addresses have the same remainder by 64, in L1 by 16.  A DRAM bank has
 * 4 GiB: the machine reports a request beyond that as a violation.
 */
static inline void noc_read(Noc *noc, uint32_t tile, uint64_t remote,
                            uint32_t local, uint32_t bytes)
{
    noc_transfer(noc, NOC_READ, tile, remote, local, bytes);
}

/* From `local` in L1 to another tile; the same remainder by 16. */
static inline void noc_write(Noc *noc, uint32_t tile, uint64_t remote,
                             uint32_t local, uint32_t bytes)
{
    noc_transfer(noc, NOC_WRITE, tile, remote, local, bytes);
}

/*
 * From `local` in L1 to the same address of all Tensix tiles between two corners,
 * this tile excepted; `receivers` is how many these are.  At most NOC_PACKET
 * bytes, the same remainder by 16.
 */
static inline void noc_multicast(Noc *noc, uint32_t first, uint32_t last,
                                 unsigned receivers, uint32_t remote,
                                 uint32_t local, uint32_t bytes)
{
    noc_request(noc, NOC_MULTICAST, first << 12 | last, remote, local, bytes);
    noc->writes += receivers;
}

/*
 * Adds to a word of another tile's L1, in one step: a semaphore.  noc_wait() does
 * not wait for it.
 */
static inline void noc_add(const Noc *noc, uint32_t tile, uint32_t remote,
                           uint32_t value)
{
    while (*noc_reg(noc, NIU_START)) {
        fence();
    }
    *noc_reg(noc, NIU_TARGET) = remote;
    *noc_reg(noc, NIU_TARGET_MIDDLE) = 0;
    *noc_reg(noc, NIU_TARGET_TILE) = tile;
    *noc_reg(noc, NIU_CONTROL) = NOC_ADD;
    *noc_reg(noc, NIU_LENGTH) = NOC_ADD_WORD | remote / 4 % 4;
    *noc_reg(noc, NIU_DATA) = value;
    *noc_reg(noc, NIU_START) = 1;
}

/* Until all that was asked for has been done and answered */
static inline void noc_wait(const Noc *noc)
{
    while ((int32_t)(*noc_reg(noc, NIU_READS_DONE) - noc->reads) < 0 ||
           (int32_t)(*noc_reg(noc, NIU_WRITES_ACKED) - noc->writes) < 0) {
        fence();
    }
}

#endif
