/*
 * The chip as a PCI Express device: configuration space, BARs, and the windows
 * in them that lead to tiles.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BAR0: 202 windows of 2 MiB and their registers; BAR2: address translation for
 * the device's own requests (iatu.c); BAR4: 8 windows of 4 GiB. Where the BARs
 * are is ttsim's choice (docs/libttsim_api.md), and clients read it from the
 * configuration space. Layout of the registers: tt-umd,
 * device/arch/blackhole_implementation.hpp, TLB_2M_OFFSET and TLB_4G_OFFSET.
 */

#include <string.h>

#include "library.h"

#define BAR0 0x100000000ull
#define BAR2 0x120000000ull
#define BAR4 0x800000000ull
#define BAR_64BIT 4u               /* memory, 64 bits of address */
#define NO_DEVICE 0xffffffffu

/* --- configuration space --- */

enum {
    CONFIG_ID = 0,                 /* indices of words */
    CONFIG_CLASS = 2,
    CONFIG_BAR = 4,
    CONFIG_INTERRUPT = 15,
    DEVICE_ID = 0xb1401e52,
    CLASS = 0x12000000,            /* processing accelerator */
    NO_INTERRUPT = 0xff,
};

/* What software may change of each word. */
static const uint32_t config_writable[CONFIG_WORDS] = {
    [1] = 0xffff,                  /* command */
    [3] = 0xffff,
    [CONFIG_BAR] = (uint32_t)-(512 * MIB), NO_DEVICE,
    (uint32_t)-(1 * MIB), NO_DEVICE,
    0, (uint32_t)(-(32 * GIB) >> 32),
    [CONFIG_INTERRUPT] = 0xff,
};

void bars_reset(TileLibrary *l)
{
    static const uint64_t bar[] = { BAR0, BAR2, BAR4 };

    memset(l->config, 0, sizeof(l->config));
    memset(l->tlb, 0, sizeof(l->tlb));
    memset(l->iatu, 0, sizeof(l->iatu));
    l->config[CONFIG_ID] = DEVICE_ID;
    l->config[CONFIG_CLASS] = CLASS;
    l->config[CONFIG_INTERRUPT] = NO_INTERRUPT;
    for (unsigned n = 0; n < 3; n++) {
        l->config[CONFIG_BAR + 2 * n] = (uint32_t)bar[n] | BAR_64BIT;
        l->config[CONFIG_BAR + 2 * n + 1] = bar[n] >> 32;
    }
}

/* The word's index; CONFIG_WORDS, after a complaint, if there is none. */
static unsigned config_index(TileLibrary *l, uint32_t offset)
{
    if (offset % 4) {
        complain(l, UNDEFINED_BEHAVIOR, offset, "misaligned offset=0x%x",
                 offset);
        return CONFIG_WORDS;
    }
    if (offset / 4 >= CONFIG_WORDS) {
        complain(l, UNIMPLEMENTED, offset, "offset=0x%x: nothing there",
                 offset);
        return CONFIG_WORDS;
    }
    return offset / 4;
}

uint32_t config_read(TileLibrary *l, uint32_t function, uint32_t offset)
{
    unsigned n;

    if (function) {
        return NO_DEVICE;          /* no other bus, device or function */
    }
    n = config_index(l, offset);
    return n < CONFIG_WORDS ? l->config[n] : 0;
}

void config_write(TileLibrary *l, uint32_t function, uint32_t offset,
                  uint32_t value)
{
    unsigned n = function ? CONFIG_WORDS : config_index(l, offset);

    if (n < CONFIG_WORDS) {
        uint32_t mask = config_writable[n];

        l->config[n] = (l->config[n] & ~mask) | (value & mask);
    }
}

/* --- NIUs of tiles that have no L1 --- */

enum {
    NIU_NODE_ID = 0x44,            /* x, y, width, height, first by x */
    NIU_CFG_0 = 0x100,
    NIU_CFG_0_TRANSLATES = 1 << 14,
    PCIE_X = 2,
    PCIE_Y = 0,
    PCIE_UNUSED_X = 11,
    PCIE_TRANSLATED_X = 19,
    PCIE_TRANSLATED_Y = 24,
    ARC_X = 8,
    NOC_WIDTH = 17,
    NOC_HEIGHT = 12,
};

#define HIGH_NIU 0xffffffffff000000ull  /* NoC address; of either NoC's NIU */

static uint32_t node_id(unsigned noc, uint32_t x, uint32_t y)
{
    if (noc) {
        x = NOC_WIDTH - 1 - x;
        y = NOC_HEIGHT - 1 - y;
    }
    return x | y << 6 | NOC_WIDTH << 12 | NOC_HEIGHT << 19 |
           (uint32_t)!noc << 28;
}

/* Two registers: where the tile is, and whether it translates. */
static bool read_niu(unsigned noc, uint32_t x, uint32_t y, uint64_t offset,
                     uint32_t size, uint32_t *value)
{
    if (size == sizeof(*value) && offset == NIU_NODE_ID) {
        *value = node_id(noc, x, y);
    } else if (size == sizeof(*value) && offset == NIU_CFG_0) {
        *value = NIU_CFG_0_TRANSLATES;
    } else {
        return false;
    }
    return true;
}

/* --- windows --- */

/* Where a window leads: a tile, or a rectangle of tiles. */
typedef struct Target {
    uint64_t address;
    uint32_t x, y;                 /* of a rectangle: its end */
    uint32_t x_start, y_start;
    bool multicast;
    unsigned noc;
} Target;

/* Bits of a window's registers; those of 2 MiB begin 11 later. */
typedef struct TlbLayout {
    unsigned x_end, y_end, x_start, y_start, noc, multicast;
    unsigned shift;                /* log2 of the window's bytes */
} TlbLayout;

static const TlbLayout layout_2m = { 43, 49, 55, 61, 67, 69, 21 };
static const TlbLayout layout_4g = { 32, 38, 44, 50, 56, 58, 32 };

enum {
    COORDINATE_BITS = 6,
    TABLE_ENTRIES = 32,
    ROWS_UNTRANSLATED = 2,         /* X is not, in these first rows */
};

static uint32_t bits(const uint32_t *word, unsigned low, unsigned width)
{
    uint64_t pair = word[low / 32];

    if (low / 32 + 1 < TLB_WORDS) {
        pair |= (uint64_t)word[low / 32 + 1] << 32;
    }
    return (pair >> low % 32) & ((1ull << width) - 1);
}

static Target target_of(const TileLibrary *l, unsigned index, uint64_t offset,
                        const TlbLayout *layout)
{
    const uint32_t *word = &l->tlb[index * TLB_WORDS];
    uint64_t local = word[0] | (uint64_t)word[1] << 32;

    local &= (1ull << layout->x_end) - 1;
    return (Target) {
        .address = local << layout->shift | offset,
        .x = bits(word, layout->x_end, COORDINATE_BITS),
        .y = bits(word, layout->y_end, COORDINATE_BITS),
        .x_start = bits(word, layout->x_start, COORDINATE_BITS),
        .y_start = bits(word, layout->y_start, COORDINATE_BITS),
        .multicast = bits(word, layout->multicast, 1),
        .noc = bits(word, layout->noc, 1),
    };
}

/*
 * Firmware's tables lead the same coordinates of both NoCs to the same tile,
 * except in the rows whose X they leave alone: there NoC 1 counts from the east
 * (docs/noc.rst). The library's own tile may be in these rows (lib/1x2).
 */
static uint32_t x_on_noc_0(const TileLibrary *l, Target t)
{
    bool own = t.x == l->x && t.y == l->y;

    return t.noc && t.y % TABLE_ENTRIES < ROWS_UNTRANSLATED && !own
           ? NOC_WIDTH - 1 - t.x : t.x;
}

/* Tensix tiles are in two blocks of columns (BH NoC/README.md). */
static bool is_tensix(const TileLibrary *l, uint32_t x, uint32_t y)
{
    bool column = (x >= 1 && x <= 7) || (x >= 10 && x <= 16);

    return (x == l->x && y == l->y) || (column && y >= 2 && y <= 11);
}

static void multicast(TileLibrary *l, Target t, const void *data,
                      uint32_t size)
{
    if (t.x_start > t.x || t.y_start > t.y) {
        complain(l, UNDEFINED_BEHAVIOR, t.x | t.y << COORDINATE_BITS,
                 "multicast start (%u,%u) past end (%u,%u)", t.x_start,
                 t.y_start, t.x, t.y);
        return;
    }
    for (uint32_t y = t.y_start; y <= t.y; y++) {
        for (uint32_t x = t.x_start; x <= t.x; x++) {
            if (is_tensix(l, x, y)) {
                tile_write(l, x, y, t.address, data, size);
            }
        }
    }
}

/* Strides make other shapes than rectangles of a multicast. */
static void check_strides(TileLibrary *l, unsigned index)
{
    uint32_t stride = index < TLB_STRIDED_COUNT
                      ? l->tlb[TLB_COUNT * TLB_WORDS + index] : 0;

    if (stride) {
        complain(l, UNIMPLEMENTED, index, "multicast with strides (0x%x) in "
                 "window %u: the whole rectangle gets it", stride, index);
    }
}

/* The emulator knows hosts on NoC 0 only: it answers for NIU 0. */
static bool is_high_niu_1(Target t)
{
    return t.noc && t.address >= HIGH_NIU && t.y == PCIE_Y &&
           (t.x == PCIE_X || t.x == PCIE_UNUSED_X || t.x == ARC_X);
}

static void read_high_niu_1(TileLibrary *l, Target t, void *data,
                            uint32_t size)
{
    uint64_t offset = t.address - HIGH_NIU;
    uint32_t value;

    if (read_niu(t.noc, t.x, t.y, offset, size, &value)) {
        memcpy(data, &value, sizeof(value));
    } else {
        complain(l, UNIMPLEMENTED, offset, "read of NIU %u of (%u,%u), offset "
                 "0x%llx size=%u", t.noc, t.x, t.y,
                 (unsigned long long)offset, size);
        memset(data, 0, size);
    }
}

/* The way back to the host: it need not pass through the emulator. */
static bool is_host_memory(Target t)
{
    bool raw = t.x == PCIE_X && t.y == PCIE_Y;
    bool translated = t.x == PCIE_TRANSLATED_X && t.y == PCIE_TRANSLATED_Y;

    return (raw || translated) && t.address < HIGH_NIU;
}

static void access_tile(TileLibrary *l, Target t, void *data, uint32_t size,
                        bool is_write)
{
    t.x = x_on_noc_0(l, t);
    if (is_host_memory(t)) {
        host_memory(l, t.address, data, size, is_write);
    } else if (is_write) {
        tile_write(l, t.x, t.y, t.address, data, size);
    } else if (is_high_niu_1(t)) {
        read_high_niu_1(l, t, data, size);
    } else {
        tile_read(l, t.x, t.y, t.address, data, size);
    }
}

static void access_window(TileLibrary *l, unsigned index, uint64_t offset,
                          const TlbLayout *layout, void *data, uint32_t size,
                          bool is_write)
{
    Target t = target_of(l, index, offset, layout);

    if (!t.multicast) {
        access_tile(l, t, data, size, is_write);
    } else if (is_write) {
        check_strides(l, index);
        multicast(l, t, data, size);
    } else {
        complain(l, UNDEFINED_BEHAVIOR, index,
                 "multicast read in window %u", index);
        memset(data, 0, size);
    }
}

/* --- BARs --- */

/* Does an access within one window or block of registers; its bytes. */
typedef uint32_t RegionAccess(TileLibrary *l, uint64_t offset, void *data,
                              uint32_t size, bool is_write);

static uint32_t at_most(uint32_t size, uint64_t limit)
{
    return limit < size ? (uint32_t)limit : size;
}

static uint32_t access_2m(TileLibrary *l, uint64_t offset, void *data,
                          uint32_t size, bool is_write)
{
    uint64_t within = offset % (2 * MIB);

    size = at_most(size, 2 * MIB - within);
    access_window(l, offset / (2 * MIB), within, &layout_2m, data, size,
                  is_write);
    return size;
}

static uint32_t access_4g(TileLibrary *l, uint64_t offset, void *data,
                          uint32_t size, bool is_write)
{
    uint64_t within = offset % (4 * GIB);

    size = at_most(size, 4 * GIB - within);
    access_window(l, TLB_2M_COUNT + offset / (4 * GIB), within, &layout_4g,
                  data, size, is_write);
    return size;
}

static uint32_t access_bytes(void *memory, void *data, uint32_t size,
                             bool is_write)
{
    if (is_write) {
        memcpy(memory, data, size);
    } else {
        memcpy(data, memory, size);
    }
    return size;
}

static uint32_t access_tlb(TileLibrary *l, uint64_t offset, void *data,
                           uint32_t size, bool is_write)
{
    return access_bytes((uint8_t *)l->tlb + offset, data, size, is_write);
}

static uint32_t access_iatu(TileLibrary *l, uint64_t offset, void *data,
                            uint32_t size, bool is_write)
{
    return access_bytes(l->iatu + offset, data, size, is_write);
}

/* --- the PCI Express tile's own NIUs --- */

enum { NIU_BYTES = 0x2000 };

static uint32_t access_niu(TileLibrary *l, unsigned noc, uint64_t offset,
                           void *data, uint32_t size, bool is_write)
{
    uint32_t value = 0;

    size = at_most(size, 4 - offset % 4);
    if (is_write || !read_niu(noc, PCIE_X, PCIE_Y, offset, size, &value)) {
        complain(l, UNIMPLEMENTED, offset, "%s of NIU %u, offset 0x%llx "
                 "size=%u", is_write ? "write" : "read", noc,
                 (unsigned long long)offset, size);
    }
    if (!is_write) {
        memcpy(data, &value, size);
    }
    return size;
}

static uint32_t access_niu_0(TileLibrary *l, uint64_t offset, void *data,
                             uint32_t size, bool is_write)
{
    return access_niu(l, 0, offset, data, size, is_write);
}

static uint32_t access_niu_1(TileLibrary *l, uint64_t offset, void *data,
                             uint32_t size, bool is_write)
{
    return access_niu(l, 1, offset, data, size, is_write);
}

/* --- the ARC tile: its memory and its registers, as the NoC leads there --- */

static uint32_t access_arc(TileLibrary *l, uint64_t address, void *data,
                           uint32_t size, bool is_write)
{
    if (is_write) {
        tile_write(l, ARC_X, PCIE_Y, address, data, size);
    } else {
        tile_read(l, ARC_X, PCIE_Y, address, data, size);
    }
    return size;
}

static uint32_t access_csm(TileLibrary *l, uint64_t offset, void *data,
                           uint32_t size, bool is_write)
{
    return access_arc(l, 0x10000000 + offset, data, size, is_write);
}

static uint32_t access_apb(TileLibrary *l, uint64_t offset, void *data,
                           uint32_t size, bool is_write)
{
    return access_arc(l, 0x80000000 + offset, data, size, is_write);
}

typedef struct Region {
    uint64_t base, size;
    RegionAccess *access;
} Region;

/* By address. */
static const Region regions[] = {
    { BAR0, TLB_2M_COUNT * 2 * MIB, access_2m },
    { BAR0 + 0x1fc00000, TLB_REGISTERS * 4, access_tlb },
    { BAR0 + 0x1fd04000, NIU_BYTES, access_niu_0 },
    { BAR0 + 0x1fd14000, NIU_BYTES, access_niu_1 },
    { BAR0 + 0x1fe80000, MIB / 2, access_csm },
    { BAR0 + 0x1ff00000, MIB, access_apb },
    { BAR2 + 0x1000, IATU_BYTES, access_iatu },
    { BAR4, TLB_4G_COUNT * 4 * GIB, access_4g },
};

/* Up to where the next region begins. */
static uint32_t access_nothing(TileLibrary *l, uint64_t paddr, void *data,
                               uint32_t size, bool is_write)
{
    for (unsigned n = 0; n < sizeof(regions) / sizeof(regions[0]); n++) {
        if (paddr < regions[n].base) {
            size = at_most(size, regions[n].base - paddr);
            break;
        }
    }
    complain(l, UNIMPLEMENTED, paddr, "%s of paddr=0x%llx size=%u: nothing "
             "there", is_write ? "write" : "read", (unsigned long long)paddr,
             size);
    if (!is_write) {
        memset(data, 0, size);
    }
    return size;
}

static uint32_t access_region(TileLibrary *l, uint64_t paddr, void *data,
                              uint32_t size, bool is_write)
{
    for (unsigned n = 0; n < sizeof(regions) / sizeof(regions[0]); n++) {
        uint64_t offset = paddr - regions[n].base;

        if (paddr >= regions[n].base && offset < regions[n].size) {
            size = at_most(size, regions[n].size - offset);
            return regions[n].access(l, offset, data, size, is_write);
        }
    }
    return access_nothing(l, paddr, data, size, is_write);
}

void bars_access(TileLibrary *l, uint64_t paddr, void *data, uint32_t size,
                 bool is_write)
{
    uint8_t *bytes = data;

    while (size > 0) {
        uint32_t done = access_region(l, paddr, bytes, size, is_write);

        paddr += done;
        bytes += done;
        size -= done;
    }
}
