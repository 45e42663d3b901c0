/*
 * Manual TTSync of a Tensix tile: loads by which a TRISC waits for its thread
 * of the coprocessor.  (BH BabyRISCV/ManualTTSync.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + properties "hart[0]".."hart[4]": links to the harts
 *  + property "cop": link to the coprocessor device
 *  + property "pcbuf": link to the PCBuf device, whose override ends waits
 *  + sysbus regions 0..2: TRISC 0..2's PC_BUF_BASE + 0x04..0x1F
 */

#ifndef HW_TENSTORRENT_TENSIX_TTSYNC_H
#define HW_TENSTORRENT_TENSIX_TTSYNC_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_pcbuf.h"
#include "qom/object.h"

#define TYPE_TENSIX_TTSYNC "tensix-ttsync"
OBJECT_DECLARE_SIMPLE_TYPE(TensixTTSyncState, TENSIX_TTSYNC)

enum {
    TENSIX_TTSYNC_BASE = 0x04,     /* in the T hart's PC_BUF window */
    TENSIX_TTSYNC_SIZE = 0x1c,
};

/* One T hart's view; opaque of its region. */
typedef struct TensixTTSyncPort {
    TensixTTSyncState *dev;
    uint32_t thread;
    MemoryRegion mmio;
} TensixTTSyncPort;

struct TensixTTSyncState {
    SysBusDevice parent_obj;

    TensixHart *hart[TENSIX_NUM_HARTS];
    TensixCopState *cop;
    TensixPCBufState *pcbuf;
    TensixTTSyncPort port[TENSIX_THREADS];
};

#endif
