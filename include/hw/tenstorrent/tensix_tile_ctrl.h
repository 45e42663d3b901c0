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
#include "hw/tenstorrent/tensix_perf.h"
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

/* Offsets of the registers that TensixTileDebugOps answers for. */
enum {
    TENSIX_DBG_L1_MEM_REG0 = 0x048,
    TENSIX_DBG_L1_MEM_REG1 = 0x04c,
    TENSIX_DBG_L1_MEM_REG2 = 0x050,
    TENSIX_DBG_BUS_CTRL = 0x054,
    TENSIX_DBG_RD_DATA = 0x05c,
    TENSIX_RISC_DBG_CNTL_0 = 0x080,
    TENSIX_RISC_DBG_CNTL_1 = 0x084,
    TENSIX_RISC_DBG_STATUS_0 = 0x088,
    TENSIX_RISC_DBG_STATUS_1 = 0x08c,
};

/*
 * The registers of debug hardware.  Their words are in the block; write stores
 * them itself.  BQL held.
 */
typedef struct TensixTileDebugOps {
    uint32_t (*read)(void *opaque, const TensixAccess *a);
    void (*write)(void *opaque, const TensixAccess *a, uint32_t value);
} TensixTileDebugOps;

struct TensixTileCtrlState {
    SysBusDevice parent_obj;

    TensixHart *hart[TENSIX_NUM_HARTS];
    TensixCopState *cop;
    TensixPCBufState *pcbuf;
    TensixMailboxState *mailbox;
    TensixTdmaState *tdma;
    TensixPicState *pic;
    const TensixTileDebugOps *debug_ops;
    void *debug_opaque;
    TensixRegBlock regs, snapshot;
    TensixRegPort port[TENSIX_NUM_VIEWS], snapshot_port[TENSIX_NUM_VIEWS];
    uint32_t no_state[TENSIX_NUM_HARTS];  /* the snapshots are not stored */

    uint32_t value[TENSIX_TILE_CTRL_SIZE / 4];
    uint64_t clock_base;           /* tensix_clock() at the last reset */
    uint32_t clock_high;           /* latched */
    TensixTimestamper timestamper;
    TensixPerf perf;
};

/* Sets the device that has the registers of debug hardware. */
void tensix_tile_ctrl_set_debug(TensixTileCtrlState *s,
                                const TensixTileDebugOps *ops, void *opaque);

#endif
