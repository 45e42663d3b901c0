/*
 * Debug hardware of a Tensix tile: the debug interface of the harts, the debug
 * bus and its sampler.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Its registers are in tile control's block (0xFFB12048..8C), which asks here.
 *
 * QEMU interface:
 *  + properties "hart[0]".."hart[4]": links to the harts
 *  + property "cop": link to the coprocessor device
 *  + property "pcbuf": link to the PCBufs, whose state the bus shows
 *  + property "tile-ctrl": link to tile control
 */

#ifndef HW_TENSTORRENT_TENSIX_DEBUG_H
#define HW_TENSTORRENT_TENSIX_DEBUG_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_pump.h"
#include "hw/tenstorrent/tensix_tile_ctrl.h"
#include "qom/object.h"

#define TYPE_TENSIX_DEBUG "tensix-debug"
OBJECT_DECLARE_SIMPLE_TYPE(TensixDebugState, TENSIX_DEBUG)

/* Of the sampler: where it writes next, in units of 16 bytes of L1. */
typedef struct TensixDebugSampler {
    TensixActor by;                /* the debug bus, for its trigger */
    uint32_t next, end;
    bool running;
    uint64_t last;                 /* clock of the last sample */
    TensixPump pump;
} TensixDebugSampler;

struct TensixDebugState {
    SysBusDevice parent_obj;

    TensixHart *hart[TENSIX_NUM_HARTS];
    TensixCopState *cop;
    TensixPCBufState *pcbuf;
    TensixTileCtrlState *tile_ctrl;
    TensixDebugSampler sampler;
    TensixOnce reported;           /* words of the bus that show nothing */
};

#endif
