/*
 * What clients read about the chip: its SoC descriptor, what is fused off.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "hw/tenstorrent/tensix_file.h"
#include "tensix_host_internal.h"

#define MAX_DESCRIPTOR (16 * MiB)

enum {
    ARCH_BLACKHOLE = 3,            /* tt-umd: api/umd/device/types/arch.hpp */
    BACKEND_TTSIM = 0,
    /* Masks have a bit for each unit that is fused off */
    NO_ETHERNET = (1 << 14) - 1,
    NO_L2CPU = (1 << 4) - 1,
    NO_SECOND_PCIE = 1 << 1,
    ALL_COLUMNS = 14,
    COLUMNS_BETWEEN = TENSIX_NOC_EAST_FIRST - TENSIX_NOC_WEST_LAST - 1,
};

#define WORKERS "\nfunctional_workers: ["

static bool has_tile(const TensixNocState *noc, uint32_t x, uint32_t y)
{
    return noc->tile[tensix_noc_tile_number(x, y)];
}

/* "x-y, x-y" of the machine's Tensix tiles, row by row. */
static char *list_tiles(const TensixNocState *noc)
{
    GString *list = g_string_new(NULL);

    for (unsigned i = 0; i < TENSIX_NOC_TILES; i++) {
        uint32_t x = i % TENSIX_NOC_COLUMNS, y = i / TENSIX_NOC_COLUMNS;

        if (has_tile(noc, x, y)) {
            g_string_append_printf(list, "%s%u-%u", list->len ? ", " : "",
                                   x, y);
        }
    }
    return g_string_free(list, false);
}

/* The built-in descriptor has one tile: this machine's take its place. */
static char *built_in_descriptor(const TensixNocState *noc)
{
    g_autofree char *tiles = list_tiles(noc);
    const char *text = tensix_host_soc_descriptor;
    const char *begin = strstr(text, WORKERS) + strlen(WORKERS);

    return g_strdup_printf("%.*s%s%s", (int)(begin - text), text, tiles,
                           strchr(begin, ']'));
}

bool tensix_host_find_soc_descriptor(TensixHostState *s, Error **errp)
{
    ERRP_GUARD();
    size_t size;

    s->soc_descriptor = s->soc_descriptor_file
        ? tensix_file_read(s->soc_descriptor_file, MAX_DESCRIPTOR, NULL, &size,
                           errp)
        : built_in_descriptor(s->noc_port->noc);
    if (!s->soc_descriptor) {
        error_prepend(errp, "%s: soc-descriptor: '%s': ", TYPE_TENSIX_HOST,
                      s->soc_descriptor_file);
    }
    return s->soc_descriptor;
}

static bool column_has_tile(const TensixNocState *noc, uint32_t x)
{
    for (uint32_t y = 0; y < TENSIX_NOC_ROWS; y++) {
        if (has_tile(noc, x, y)) {
            return true;
        }
    }
    return false;
}

/* By column from the west. */
static uint32_t columns_without_tiles(const TensixNocState *noc)
{
    uint32_t mask = 0;

    for (unsigned i = 0; i < ALL_COLUMNS; i++) {
        uint32_t x = TENSIX_NOC_WEST_FIRST + i;

        if (x > TENSIX_NOC_WEST_LAST) {
            x += COLUMNS_BETWEEN;
        }
        if (!column_has_tile(noc, x)) {
            mask |= 1u << i;
        }
    }
    return mask;
}

TensixWireDeviceInfo tensix_host_device_info(const TensixHostState *s)
{
    return (TensixWireDeviceInfo) {
        .arch = ARCH_BLACKHOLE,
        .backend_type = BACKEND_TTSIM,
        .noc_translation_enabled = true,
        .tensix_harvesting_mask = columns_without_tiles(s->noc_port->noc),
        /* The bits count the descriptor's banks: a file may list fewer */
        .dram_harvesting_mask = s->soc_descriptor_file
                                ? 0 : TENSIX_DRAM_FUSED_OFF,
        .eth_harvesting_mask = NO_ETHERNET,
        .l2cpu_harvesting_mask = NO_L2CPU,
        .pcie_harvesting_mask = NO_SECOND_PCIE,
        .soc_descriptor = {
            .data = s->soc_descriptor, .size = strlen(s->soc_descriptor),
        },
        .simulator = {
            .data = s->simulator,
            .size = s->simulator ? strlen(s->simulator) : 0,
        },
    };
}
