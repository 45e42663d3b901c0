/*
 * Tile control, debug and status registers of a Tensix tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + properties "hart[0]".."hart[4]": links to the harts
 *  + property "cop": link to the coprocessor device
 *  + properties "pcbuf", "mailbox", "tdma", "pic": links to the devices that
 *    soft reset and the registers here act on
 *  + property "noc-memory": link to the MemoryRegion that the NoC sees; the
 *    timestamper writes L1 through it
 *  + sysbus regions 0..5: the registers at 0xFFB12000 as each view sees them
 *    (five harts, then the NoC)
 *  + sysbus regions 6..10, 11: the pc snapshots at 0xFFB13138, same order
 */

#ifndef HW_TENSTORRENT_TENSIX_TILE_CTRL_H
#define HW_TENSTORRENT_TENSIX_TILE_CTRL_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_mailbox.h"
#include "hw/tenstorrent/tensix_pcbuf.h"
#include "hw/tenstorrent/tensix_pic.h"
#include "hw/tenstorrent/tensix_regs.h"
#include "hw/tenstorrent/tensix_tdma.h"
#include "hw/tenstorrent/tensix_timestamper.h"
#include "qom/object.h"

#define TYPE_TENSIX_TILE_CTRL "tensix-tile-ctrl"
OBJECT_DECLARE_SIMPLE_TYPE(TensixTileCtrlState, TENSIX_TILE_CTRL)

enum {
    TENSIX_TILE_CTRL_SIZE = 0x1000,
    TENSIX_PC_SNAPSHOT_SIZE = TENSIX_NUM_HARTS * 4,
    TENSIX_SOFT_RESET_ALL_HARTS = 0x47800,
};

struct TensixTileCtrlState {
    SysBusDevice parent_obj;

    TensixHart *hart[TENSIX_NUM_HARTS];
    TensixCopState *cop;
    TensixPCBufState *pcbuf;
    TensixMailboxState *mailbox;
    TensixTdmaState *tdma;
    TensixPicState *pic;
    MemoryRegion *noc_memory;
    AddressSpace noc_as;
    TensixRegBlock regs, snapshot;
    TensixRegPort port[TENSIX_NUM_VIEWS], snapshot_port[TENSIX_NUM_VIEWS];
    uint32_t no_state[TENSIX_NUM_HARTS];  /* the snapshots are not stored */

    uint32_t value[TENSIX_TILE_CTRL_SIZE / 4];
    uint64_t clock_base;           /* tensix_clock() at the last reset */
    uint32_t clock_high;           /* latched */
    TensixTimestamper timestamper;
};

#endif
