/*
 * Blackhole's grid of tiles: what is where, and by which coordinates.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sources: BH NoC/Coordinates.md (areas, the algorithm);
 * tt-zephyr-platforms lib/tenstorrent/bh_arc/noc_init.c (the tables); tt-umd
 * tests/soc_descs/blackhole_140_arch.yaml (the same tiles by type).
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "hw/registerfields.h"
#include "hw/tenstorrent/tensix_noc_tiles.h"

FIELD(NODE_ID, X, 0, 6)
FIELD(NODE_ID, Y, 6, 6)
FIELD(NODE_ID, WIDTH, 12, 7)
FIELD(NODE_ID, HEIGHT, 19, 7)
FIELD(NODE_ID, X_FIRST, 28, 1)

enum {
    DRAM_WEST = 0,
    CPU_COLUMN = 8,
    DRAM_EAST = 9,

    PCIE_ROW = 0,
    PCIE_X = 2,
    PCIE_UNUSED_X = 11,
    ETHERNET_ROW = 1,
    SECURITY_Y = 2,

    BANKS_IN_A_COLUMN = TENSIX_DRAM_BANKS / 2,
};

/* --- DRAM: three tiles lead to each bank --- */

/* By row; the banks of the eastern column follow those of the western one. */
static const uint8_t bank_of_row[TENSIX_NOC_ROWS] = {
    [0] = 0, [1] = 0, [11] = 0,
    [2] = 1, [10] = 1, [3] = 1,
    [9] = 2, [4] = 2, [8] = 2,
    [5] = 3, [7] = 3, [6] = 3,
};

unsigned tensix_noc_dram_bank(uint32_t x, uint32_t y)
{
    return bank_of_row[y] + (x == DRAM_EAST ? BANKS_IN_A_COLUMN : 0);
}

/* --- kinds --- */

static TensixTileKind kind_in_cpu_column(uint32_t y)
{
    static const uint8_t kinds[TENSIX_NOC_ROWS] = {
        [0] = TENSIX_TILE_ARC,
        [2] = TENSIX_TILE_SECURITY,
        [3] = TENSIX_TILE_L2CPU,
        [5] = TENSIX_TILE_L2CPU,
        [7] = TENSIX_TILE_L2CPU,
        [9] = TENSIX_TILE_L2CPU,
    };

    return kinds[y] ?: TENSIX_TILE_EMPTY;
}

TensixTileKind tensix_noc_tile_kind(uint32_t x, uint32_t y)
{
    if (x >= TENSIX_NOC_COLUMNS || y >= TENSIX_NOC_ROWS) {
        return TENSIX_TILE_NONE;
    }
    if (x == DRAM_WEST || x == DRAM_EAST) {
        return TENSIX_TILE_DRAM;
    }
    if (x == CPU_COLUMN) {
        return kind_in_cpu_column(y);
    }
    if (y == PCIE_ROW) {
        return x == PCIE_X ? TENSIX_TILE_PCIE
               : x == PCIE_UNUSED_X ? TENSIX_TILE_PCIE_UNUSED
               : TENSIX_TILE_EMPTY;
    }
    return y == ETHERNET_ROW ? TENSIX_TILE_ETHERNET : TENSIX_TILE_TENSIX;
}

const char *tensix_noc_tile_name(TensixTileKind kind)
{
    static const char *const names[TENSIX_TILE_KINDS] = {
        [TENSIX_TILE_NONE] = "no tile",
        [TENSIX_TILE_EMPTY] = "a router without a tile",
        [TENSIX_TILE_TENSIX] = "a Tensix tile",
        [TENSIX_TILE_ETHERNET] = "an Ethernet tile",
        [TENSIX_TILE_DRAM] = "a DRAM tile",
        [TENSIX_TILE_PCIE] = "the PCI Express tile",
        [TENSIX_TILE_PCIE_UNUSED] = "a PCI Express tile without a host",
        [TENSIX_TILE_ARC] = "the ARC tile",
        [TENSIX_TILE_L2CPU] = "an L2CPU tile",
        [TENSIX_TILE_SECURITY] = "the security tile",
    };

    return names[kind];
}

/* --- translated coordinates --- */

static const uint8_t x_table[TENSIX_NOC_TABLE_ENTRIES] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
    [17] = DRAM_WEST, [18] = DRAM_EAST,
    [19] = PCIE_X,
    [20] = 1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11,  /* Ethernet */
};

static const uint8_t y_table[TENSIX_NOC_TABLE_ENTRIES] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    [12] = 0, 1, 11, 2, 10, 3, 9, 4, 8, 5, 7, 6,      /* DRAM, bank by bank */
    [24] = PCIE_ROW, [25] = ETHERNET_ROW,
    [26] = 3, 9, 5, 7,                                /* L2CPU */
    [30] = SECURITY_Y,
};

unsigned tensix_noc_table_x(unsigned noc, unsigned i)
{
    return noc ? TENSIX_NOC_COLUMNS - 1 - x_table[i] : x_table[i];
}

unsigned tensix_noc_table_y(unsigned noc, unsigned i)
{
    return noc ? TENSIX_NOC_ROWS - 1 - y_table[i] : y_table[i];
}

void tensix_noc_translate(uint32_t *x, uint32_t *y)
{
    uint32_t row = *y % TENSIX_NOC_TABLE_ENTRIES;

    if (!extract32(TENSIX_NOC_ROW_MASK, row, 1)) {
        *x = x_table[*x % TENSIX_NOC_TABLE_ENTRIES];
    }
    *y = y_table[row];
}

uint32_t tensix_noc_node_id(unsigned noc, uint32_t x, uint32_t y)
{
    uint32_t v = 0;

    v = FIELD_DP32(v, NODE_ID, X, noc ? TENSIX_NOC_COLUMNS - 1 - x : x);
    v = FIELD_DP32(v, NODE_ID, Y, noc ? TENSIX_NOC_ROWS - 1 - y : y);
    v = FIELD_DP32(v, NODE_ID, WIDTH, TENSIX_NOC_COLUMNS);
    v = FIELD_DP32(v, NODE_ID, HEIGHT, TENSIX_NOC_ROWS);
    return FIELD_DP32(v, NODE_ID, X_FIRST, !noc);
}
