/*
 * PIC of a Tensix tile: 32 software and 4 hardware interrupts for BRISC and
 * NCRISC.  (OLD PIC.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + properties "hart[0]".."hart[4]": links to the harts
 *  + sysbus regions 0..5: the registers at 0xFFB13000 as each view sees them
 *  + GPIO inputs 0..3: levels of the hardware interrupts (0 overlay, 1 and 2
 *    NIU of NoC 0 and 1, 3 watchdog and ECC scrubber)
 */

#ifndef HW_TENSTORRENT_TENSIX_PIC_H
#define HW_TENSTORRENT_TENSIX_PIC_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_regs.h"
#include "qom/object.h"

#define TYPE_TENSIX_PIC "tensix-pic"
OBJECT_DECLARE_SIMPLE_TYPE(TensixPicState, TENSIX_PIC)

enum {
    TENSIX_PIC_SIZE = 0x138,
    TENSIX_PIC_SW_INTS = 32,
    TENSIX_PIC_HW_INTS = 4,
    TENSIX_PIC_INTS = TENSIX_PIC_SW_INTS + TENSIX_PIC_HW_INTS,
    TENSIX_PIC_TARGETS = 2,        /* BRISC, NCRISC: hart index = target */

    TENSIX_PIC_INT_OVERLAY = 0,
    TENSIX_PIC_INT_NIU0 = 1,
    TENSIX_PIC_INT_NIU1 = 2,
    TENSIX_PIC_INT_WATCHDOG = 3,
};

struct TensixPicState {
    SysBusDevice parent_obj;

    TensixHart *hart[TENSIX_NUM_HARTS];
    TensixRegBlock regs;
    TensixRegPort port[TENSIX_NUM_VIEWS];
    Notifier irq_ready;

    uint32_t value[TENSIX_PIC_SIZE / 4];
    uint32_t hw_level;             /* one bit a hardware interrupt */
    uint32_t next[TENSIX_PIC_TARGETS];  /* where round robin continues */
};

/*
 * Interrupts the harts that can be interrupted now.  To be called when a hart
 * may have become able to (it left soft reset); BQL held.
 */
void tensix_pic_update(TensixPicState *s);

#endif
