/*
 * NoC overlay of a Tensix tile: the registers of its 64 streams.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What software makes of idle streams, general-purpose registers and credit
 * counters (WH NoC/Overlay/AsGeneralUse.md, with Blackhole's numbers of
 * registers).  A stream that is started is reported as unimplemented.
 *
 * QEMU interface:
 *  + properties "hart[0]".."hart[4]": links to the harts
 *  + property "cop": link to the coprocessor, whose STREAMWAIT and STREAMWRCFG
 *    read streams
 *  + sysbus regions 0..5: the registers at 0xFFB40000 as each view sees them
 */

#ifndef HW_TENSTORRENT_TENSIX_STREAMS_H
#define HW_TENSTORRENT_TENSIX_STREAMS_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_regs.h"
#include "qom/object.h"

#define TYPE_TENSIX_OVERLAY "tensix-overlay"
OBJECT_DECLARE_SIMPLE_TYPE(TensixOverlayState, TENSIX_OVERLAY)

enum {
    TENSIX_STREAM_SIZE = 0x1000,   /* bytes a stream */
    TENSIX_STREAM_REGS = 512,      /* words that can be registers */
};

typedef struct TensixStream {
    struct TensixOverlayState *dev;
    uint32_t number;
    char *name;                    /* "tensix-streamN" */
    TensixRegBlock regs;
    uint32_t value[TENSIX_STREAM_REGS];
} TensixStream;

/* What one view sees of all streams; opaque of its region. */
typedef struct TensixOverlayPort {
    struct TensixOverlayState *dev;
    uint32_t view;
    MemoryRegion mr;
} TensixOverlayPort;

struct TensixOverlayState {
    SysBusDevice parent_obj;

    TensixHart *hart[TENSIX_NUM_HARTS];
    TensixCopState *cop;
    TensixOverlayPort port[TENSIX_NUM_VIEWS];
    TensixStream stream[TENSIX_STREAMS];
};

#endif
