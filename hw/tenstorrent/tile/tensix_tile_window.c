/*
 * A tile's address space in one piece.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hw/tenstorrent/tensix_tile.h"

#define WINDOW_SHIFT 40

/* BRISC sees the windows for tests as well. */
static MemTxResult window_read(void *tile, hwaddr addr, uint64_t *data,
                               unsigned size, MemTxAttrs attrs)
{
    AddressSpace *as = TENSIX_TILE(tile)->hart[TENSIX_HART_BRISC].cpu->as;
    uint8_t bytes[8] = { 0 };
    MemTxResult result = address_space_read(as, addr, attrs, bytes, size);

    *data = ldq_le_p(bytes);
    return result;
}

static MemTxResult window_write(void *tile, hwaddr addr, uint64_t data,
                                unsigned size, MemTxAttrs attrs)
{
    AddressSpace *as = TENSIX_TILE(tile)->hart[TENSIX_HART_BRISC].cpu->as;
    uint8_t bytes[8];

    stq_le_p(bytes, data);
    return address_space_write(as, addr, attrs, bytes, size);
}

static const MemoryRegionOps window_ops = {
    .read_with_attrs = window_read,
    .write_with_attrs = window_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

/* One region: an address space cannot hold all those of 16 tiles. */
void tensix_tile_map_window(TensixTile *first, TensixTile *tile)
{
    memory_region_init_io(&tile->window, OBJECT(tile), &window_ops, tile,
                          "tensix-tile-window", 1ull << WINDOW_SHIFT);
    /* it leads to other regions of the tile */
    tile->window.disable_reentrancy_guard = true;
    memory_region_add_subregion(&first->hart[TENSIX_HART_BRISC].root,
                                (hwaddr)tile->number << WINDOW_SHIFT,
                                &tile->window);
}
