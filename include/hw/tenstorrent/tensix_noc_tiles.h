/*
 * Blackhole's grid of tiles: what is where, and by which coordinates.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "Raw" coordinates are NoC 0's (BH NoC/Coordinates.md); NoC 1 counts from the
 * opposite corner.  Translated coordinates are what firmware's tables in each
 * NIU make of them: the same on both NoCs, and of 0..63 in each axis.
 */

#ifndef HW_TENSTORRENT_TENSIX_NOC_TILES_H
#define HW_TENSTORRENT_TENSIX_NOC_TILES_H

enum {
    TENSIX_NOC_COLUMNS = 17,
    TENSIX_NOC_ROWS = 12,
    TENSIX_NOC_TILES = TENSIX_NOC_COLUMNS * TENSIX_NOC_ROWS,
    TENSIX_NOC_COORDINATES = 64,
    TENSIX_NOC_NOWHERE = TENSIX_NOC_COORDINATES - 1,  /* x of no tile, y = 0 */

    TENSIX_DRAM_BANKS = 8,
    /*
     * What firmware and descriptor of a P100A report: seven banks. Without
     * bank 7 the translated coordinates of the others stay as they are.
     */
    TENSIX_DRAM_FUSED_OFF = 1 << 7,
    TENSIX_NOC_TABLE_ENTRIES = 32,
    TENSIX_NOC_ROW_MASK = 3,       /* rows whose X is not translated */

    /* Tensix tiles are in two blocks of columns */
    TENSIX_NOC_WEST_FIRST = 1,
    TENSIX_NOC_WEST_LAST = 7,
    TENSIX_NOC_EAST_FIRST = 10,
    TENSIX_NOC_EAST_LAST = 16,

    TENSIX_NOC_ARC_X = 8,
    TENSIX_NOC_ARC_Y = 0,

    /* Registers of every NIU, by offset */
    TENSIX_NIU_NODE_ID = 0x44,
    TENSIX_NIU_CFG_0 = 0x100,
    TENSIX_NIU_CFG_0_TRANSLATES = 1 << 14,
};

/* Where tiles that are neither Tensix, Ethernet nor DRAM have their NIU */
#define TENSIX_NOC_NIU_BASE 0xffffffffff000000ull

#define TENSIX_DRAM_BANK_SIZE (1ull << 32)

typedef enum TensixTileKind {
    TENSIX_TILE_NONE,              /* no such coordinates */
    TENSIX_TILE_EMPTY,             /* a router and nothing else */
    TENSIX_TILE_TENSIX,
    TENSIX_TILE_ETHERNET,
    TENSIX_TILE_DRAM,
    TENSIX_TILE_PCIE,              /* the one that is connected to a host */
    TENSIX_TILE_PCIE_UNUSED,
    TENSIX_TILE_ARC,
    TENSIX_TILE_L2CPU,
    TENSIX_TILE_SECURITY,
    TENSIX_TILE_KINDS,
} TensixTileKind;

/* What is at raw coordinates, whatever they are. */
TensixTileKind tensix_noc_tile_kind(uint32_t x, uint32_t y);

/* Raw coordinates of the grid as one number below TENSIX_NOC_TILES. */
static inline unsigned tensix_noc_tile_number(uint32_t x, uint32_t y)
{
    return y * TENSIX_NOC_COLUMNS + x;
}

/* What a NIU's register NODE_ID says at raw coordinates. */
uint32_t tensix_noc_node_id(unsigned noc, uint32_t x, uint32_t y);

/* For messages. */
const char *tensix_noc_tile_name(TensixTileKind kind);

/* The memory that a DRAM tile leads to: 0 to TENSIX_DRAM_BANKS - 1. */
unsigned tensix_noc_dram_bank(uint32_t x, uint32_t y);

/*
 * Entry i of the table for X or Y as firmware programs it for NoC 0 or 1 of a
 * chip of which nothing is fused off, PCI Express tile (2,0) being connected.
 */
unsigned tensix_noc_table_x(unsigned noc, unsigned i);
unsigned tensix_noc_table_y(unsigned noc, unsigned i);

/*
 * Translated coordinates to raw ones by these tables.  Raw coordinates stay
 * what they are, so a host may use either.
 */
void tensix_noc_translate(uint32_t *x, uint32_t *y);

#endif
