/*
 * The ARC tile as host software finds it once the chip's firmware has booted:
 * boot status, telemetry, queues of messages.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * There is no ARC processor: what its firmware publishes is state here, and
 * messages are answered at once.  Telemetry says which tiles the machine has:
 * columns without a modelled Tensix tile, Ethernet and L2CPU are fused off.
 *
 * Facts: tt-umd, device/api/umd/device/arch/blackhole_implementation.hpp
 * (addresses) and types/telemetry.hpp (tags); ttsim, src/tile.cpp (the queues).
 */

#ifndef HW_TENSTORRENT_TENSIX_ARC_H
#define HW_TENSTORRENT_TENSIX_ARC_H

#include "hw/tenstorrent/tensix_noc_store.h"

typedef struct TensixArc {
    TensixNocStore memory;         /* CSM and registers, at their addresses */
} TensixArc;

void tensix_arc_init(TensixArc *arc);
void tensix_arc_finish(TensixArc *arc);

/* A column of Tensix tiles, by raw x, is not fused off. */
void tensix_arc_enable_column(TensixArc *arc, uint32_t x);

/* NULL, or why there cannot be such an access: nothing is there. */
const char *tensix_arc_check(uint64_t addr, uint32_t size);

/*
 * Copies size bytes; a store may send a message.  NULL, or why it cannot be
 * done.  BQL held.
 */
const char *tensix_arc_access(TensixArc *arc, uint64_t addr, void *data,
                              uint32_t size, bool is_write);

#endif
