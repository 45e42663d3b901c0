/*
 * The T harts' window on the coprocessor's Dest register file.
 * (BH TensixCoprocessor/Dst.md, "RISCV access to Dst")
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + properties "hart[0]".."hart[4]": links to the harts
 *  + property "cop": link to the coprocessor device, which owns the state
 *  + sysbus regions 0..2: the 32 KiB at 0xFFBD8000 of TRISC 0..2
 */

#ifndef HW_TENSTORRENT_TENSIX_DEST_WINDOW_H
#define HW_TENSTORRENT_TENSIX_DEST_WINDOW_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "qom/object.h"

#define TYPE_TENSIX_DEST_WINDOW "tensix-dest-window"
OBJECT_DECLARE_SIMPLE_TYPE(TensixDestWindowState, TENSIX_DEST_WINDOW)

enum { TENSIX_DEST_WINDOW_SIZE = 0x8000 };

/* One T hart's view; opaque of its region. */
typedef struct TensixDestWindowPort {
    TensixDestWindowState *dev;
    uint32_t thread;
    MemoryRegion mmio;
} TensixDestWindowPort;

struct TensixDestWindowState {
    SysBusDevice parent_obj;

    TensixHart *hart[TENSIX_NUM_HARTS];
    TensixCopState *cop;
    TensixDestWindowPort port[TENSIX_THREADS];
};

#endif
