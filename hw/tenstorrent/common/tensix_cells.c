/*
 * Large arrays in VMState.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hw/tenstorrent/tensix_cells.h"
#include "migration/qemu-file-types.h"

static void swap16(uint16_t *cell, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cell[i] = be16_to_cpu(cell[i]);
    }
}

static void swap32(uint32_t *cell, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cell[i] = be32_to_cpu(cell[i]);
    }
}

/* From big endian to the host's order, or back. */
static void swap_cells(void *cells, size_t size, size_t cell)
{
    if (cell == sizeof(uint16_t)) {
        swap16(cells, size / cell);
    } else {
        assert(cell == sizeof(uint32_t));
        swap32(cells, size / cell);
    }
}

static int get_cells(QEMUFile *f, void *pv, size_t size,
                     const VMStateField *field)
{
    if (qemu_get_buffer(f, pv, size) != size) {
        return -EIO;
    }
    swap_cells(pv, size, field->num);
    return 0;
}

static int put_cells(QEMUFile *f, void *pv, size_t size,
                     const VMStateField *field, JSONWriter *vmdesc)
{
    uint32_t chunk[1024];

    for (size_t at = 0, n; at < size; at += n) {
        n = MIN(size - at, sizeof(chunk));
        memcpy(chunk, (const uint8_t *)pv + at, n);
        swap_cells(chunk, n, field->num);
        qemu_put_buffer(f, (const uint8_t *)chunk, n);
    }
    return 0;
}

const VMStateInfo tensix_cells_info = {
    .name = "cells",
    .get = get_cells,
    .put = put_cells,
};
