/*
 * Ends of kernels: told when the tile has come to rest after it has worked.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A kernel has ended if the coprocessor has executed instructions since the last
 * end, and
 *
 * - no thread has an instruction, though harts may wait for mail or a PCBuf;
 * - nothing in the tile is busy (tensix_busy.h);
 *
 * for 5 ms of virtual time.  What it left behind is what differs from the state
 * at the last end, or when a TRISC left reset since, or after reset.  Not with
 * -accel qtest, where all is the host's doing.
 *
 * QEMU interface:
 *  + property "cop": link to the coprocessor of the tile
 *  + property "leaks": TensixLeaks
 *  + QMP event TENSIX_KERNEL_END
 */

#ifndef HW_TENSTORRENT_TENSIX_KERNEL_H
#define HW_TENSTORRENT_TENSIX_KERNEL_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_poller.h"
#include "qapi/qapi-types-tenstorrent-state.h"
#include "qom/object.h"

#define TYPE_TENSIX_KERNEL "tensix-kernel"
OBJECT_DECLARE_SIMPLE_TYPE(TensixKernelState, TENSIX_KERNEL)

struct TensixKernelState {
    SysBusDevice parent_obj;

    TensixCopState *cop;
    uint32_t leaks;                /* TensixLeaks */
    TensixPoller poller;
    Notifier release;
    uint64_t number;               /* of kernels that have ended (migrated) */
    uint64_t seen;                 /* instructions at the last end (migrated) */
    TensixState *before;           /* leaks=report: at the kernel's begin */
    bool before_is_old;            /* another state was loaded */
    uint64_t executed;             /* at the last look */
    uint32_t looks;                /* that found the same rest */
    bool stands;                   /* it found threads that nobody helps */
};

#endif
