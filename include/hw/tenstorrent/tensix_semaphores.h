/*
 * The T harts' window on the coprocessor's eight semaphores.
 * (WH TensixCoprocessor/SyncUnit.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + properties "hart[0]".."hart[4]": links to the harts
 *  + property "cop": link to the coprocessor device, which owns the state
 *  + sysbus regions 0..2: TRISC 0..2's PC_BUF_BASE + 0x20..0xFFFF: one word a
 *    semaphore, and after them addresses that no page describes
 */

#ifndef HW_TENSTORRENT_TENSIX_SEMAPHORES_H
#define HW_TENSTORRENT_TENSIX_SEMAPHORES_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "qom/object.h"

#define TYPE_TENSIX_SEMAPHORE_WINDOW "tensix-semaphore-window"
OBJECT_DECLARE_SIMPLE_TYPE(TensixSemaphoresState, TENSIX_SEMAPHORE_WINDOW)

enum {
    TENSIX_SEMAPHORES_BASE = 0x20, /* in the T hart's PC_BUF window */
    TENSIX_SEMAPHORES_SIZE = 0x10000 - TENSIX_SEMAPHORES_BASE,
};

/* One T hart's view; opaque of its region. */
typedef struct TensixSemaphoresPort {
    TensixSemaphoresState *dev;
    TensixHartIndex hart;
    MemoryRegion mmio;
} TensixSemaphoresPort;

struct TensixSemaphoresState {
    SysBusDevice parent_obj;

    TensixHart *hart[TENSIX_NUM_HARTS];
    TensixCopState *cop;
    TensixSemaphoresPort port[TENSIX_THREADS];
};

#endif
