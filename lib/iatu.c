/*
 * Outbound address translation: what the device asks the PCI Express tile for,
 * and where that is in the host's memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Addresses at the tile are 64 windows of 2^58 bytes. Windows 0 to 3 go to the
 * host as they are; 4 to 7 through the regions that the host sets up in BAR2,
 * of which the lowest that matches counts, and are the same where none does.
 * Region n has its registers at 0x200 * n (ttsim, src/tile.cpp, and tt-umd,
 * device/tt_device/tt_sim_tt_device.cpp, use them so).
 */

#include <string.h>

#include "library.h"

enum {
    REGIONS = 16,
    REGION_STRIDE = 0x200,
    CTRL_1 = 0x00,
    CTRL_2 = 0x04,
    LOWER_BASE = 0x08,
    UPPER_BASE = 0x0c,
    LOWER_LIMIT = 0x10,
    LOWER_TARGET = 0x14,
    UPPER_TARGET = 0x18,
    UPPER_LIMIT = 0x20,
    WINDOW_SHIFT = 58,
    FIRST_TRANSLATED = 4,
    WINDOWS = 8,
};

#define REGION_ENABLE (1u << 31)       /* of CTRL_2 */
#define INCREASE_REGION_SIZE (1u << 13) /* of CTRL_1 */

static uint64_t reg(const TileLibrary *l, unsigned region, unsigned offset)
{
    uint32_t value;

    memcpy(&value, l->iatu + region * REGION_STRIDE + offset, sizeof(value));
    return value;
}

static uint64_t base_of(const TileLibrary *l, unsigned region)
{
    return reg(l, region, UPPER_BASE) << 32 | reg(l, region, LOWER_BASE);
}

/* The last address; below 4 GiB of the base's unless the region is large. */
static uint64_t limit_of(const TileLibrary *l, unsigned region)
{
    bool large = reg(l, region, CTRL_1) & INCREASE_REGION_SIZE;

    return reg(l, region, large ? UPPER_LIMIT : UPPER_BASE) << 32 |
           reg(l, region, LOWER_LIMIT);
}

static uint32_t at_most(uint32_t size, uint64_t limit)
{
    return limit < size ? (uint32_t)limit : size;
}

/* Through the regions; no piece runs into the beginning of a lower one. */
static uint32_t translate(const TileLibrary *l, uint64_t offset, uint32_t size,
                          uint64_t *paddr)
{
    for (unsigned n = 0; n < REGIONS; n++) {
        uint64_t base = base_of(l, n), limit = limit_of(l, n);

        if (!(reg(l, n, CTRL_2) & REGION_ENABLE) || limit < base) {
            continue;
        }
        if (offset >= base && offset <= limit) {
            *paddr = (reg(l, n, UPPER_TARGET) << 32 |
                      reg(l, n, LOWER_TARGET)) + (offset - base);
            return at_most(size - 1, limit - offset) + 1;
        }
        if (offset < base) {
            size = at_most(size, base - offset);
        }
    }
    *paddr = offset;
    return size;
}

uint32_t iatu_translate(const TileLibrary *l, uint64_t address, uint32_t size,
                        uint64_t *paddr)
{
    uint64_t window = address >> WINDOW_SHIFT;
    uint64_t offset = address & ((1ull << WINDOW_SHIFT) - 1);

    if (window >= WINDOWS) {
        return 0;
    }
    size = at_most(size, (1ull << WINDOW_SHIFT) - offset);
    if (window < FIRST_TRANSLATED) {
        *paddr = offset;
        return size;
    }
    return translate(l, offset, size, paddr);
}
