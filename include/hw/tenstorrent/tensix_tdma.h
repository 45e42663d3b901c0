/*
 * TDMA-RISC of a Tensix tile: the mover's command queue, register addresses
 * and scalers for PACR_SETREG and UNPACR_NOP.  (WH TDMA-RISC.md)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + properties "hart[0]".."hart[4]": links to the harts
 *  + property "cop": link to the coprocessor device (Auto TTSync)
 *  + sysbus regions 0..5: the registers at 0xFFB11000 as each view sees them;
 *    only those of BRISC and the TRISCs exist on the bus
 */

#ifndef HW_TENSTORRENT_TENSIX_TDMA_H
#define HW_TENSTORRENT_TENSIX_TDMA_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_regs.h"
#include "qom/object.h"

#define TYPE_TENSIX_TDMA "tensix-tdma"
OBJECT_DECLARE_SIMPLE_TYPE(TensixTdmaState, TENSIX_TDMA)

enum {
    TENSIX_TDMA_SIZE = 0x40,
    TENSIX_TDMA_PARAMS = 4,
    TENSIX_TDMA_THREADS = 4,       /* BRISC, TRISC0, 1, 2 */
    TENSIX_TDMA_SCALERS = 4,
};

struct TensixTdmaState {
    SysBusDevice parent_obj;

    TensixHart *hart[TENSIX_NUM_HARTS];
    TensixCopState *cop;
    TensixRegBlock regs;
    TensixRegPort port[TENSIX_NUM_VIEWS];

    uint32_t value[TENSIX_TDMA_SIZE / 4];
    uint32_t mov_cmd_base[TENSIX_TDMA_THREADS];
    bool held;                     /* soft reset bit 8 */
};

/*
 * Soft reset bit 8: entering it clears the parameters, and while it is held
 * all stores are discarded.  (BH SoftReset.md)  BQL held.
 */
void tensix_tdma_hold_reset(TensixTdmaState *s, bool held);

#endif
