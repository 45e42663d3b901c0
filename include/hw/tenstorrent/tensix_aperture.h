/*
 * The register-file aperture: every register file of the coprocessor as plain
 * memory, for qtest, gdb and the monitor.  It exists in the simulator only and
 * no hart can reach it.  Its map: docs/memory-map.rst.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + property "cop": link to the coprocessor device, which owns the state
 *  + sysbus region 0: the aperture, TENSIX_APERTURE_SIZE bytes, accesses of 1
 *    to 8 bytes at any alignment
 */

#ifndef HW_TENSTORRENT_TENSIX_APERTURE_H
#define HW_TENSTORRENT_TENSIX_APERTURE_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "qom/object.h"

#define TYPE_TENSIX_APERTURE "tensix-aperture"
OBJECT_DECLARE_SIMPLE_TYPE(TensixApertureState, TENSIX_APERTURE)

#define TENSIX_APERTURE_BASE 0xf00000000ull

struct TensixApertureState {
    SysBusDevice parent_obj;

    TensixCopState *cop;
    MemoryRegion mmio;
};

#endif
