/*
 * The block diagram of a Tensix tile: which device is where in whose view of
 * memory (BH BabyRISCV/README.md, "Memory map").
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A device is linked to the devices above it and to the harts by its link
 * properties: "hart[0]".."hart[4]", "l1", "noc-memory", and the names here.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/blackhole_tile.h"
#include "hw/tenstorrent/tensix_aperture.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_dest_window.h"
#include "hw/tenstorrent/tensix_mailbox.h"
#include "hw/tenstorrent/tensix_niu.h"
#include "hw/tenstorrent/tensix_noc.h"
#include "hw/tenstorrent/tensix_pcbuf.h"
#include "hw/tenstorrent/tensix_pic.h"
#include "hw/tenstorrent/tensix_semaphores.h"
#include "hw/tenstorrent/tensix_streams.h"
#include "hw/tenstorrent/tensix_tdma.h"
#include "hw/tenstorrent/tensix_tile_ctrl.h"
#include "hw/tenstorrent/tensix_ttsync.h"

/* The same register block at the same address for each T hart. */
#define FOR_T(name, type, region, base)                      \
    { name, type, (region) + 0, TENSIX_MASK_T0, base },      \
    { name, type, (region) + 1, TENSIX_MASK_T1, base },      \
    { name, type, (region) + 2, TENSIX_MASK_T2, base }

/* BRISC has a window for each thread. */
#define FOR_B(name, type, region, base)                               \
    { name, type, (region) + 0, TENSIX_MASK_B, (base) + 0x00000 },    \
    { name, type, (region) + 1, TENSIX_MASK_B, (base) + 0x10000 },    \
    { name, type, (region) + 2, TENSIX_MASK_B, (base) + 0x20000 }

#define GPR_BASE 0xFFE00000
#define PUSH_BASE 0xFFE40000
#define PCBUF_BASE 0xFFE80000
#define MAILBOX_BASE 0xFFEC0000
#define CFG_BASE 0xFFEF0000
#define MOP_CFG_BASE 0xFFB80000
#define DEST_BASE 0xFFBD8000
#define TDMA_BASE 0xFFB11000
#define TILE_CTRL_BASE 0xFFB12000
#define PIC_BASE 0xFFB13000
#define PC_SNAPSHOT_BASE 0xFFB13138
#define NIU0_BASE 0xFFB20000
#define NIU1_BASE 0xFFB30000
#define OVERLAY_BASE 0xFFB40000

const TileDevice tile_devices[] = {
    FOR_B("cop", TYPE_TENSIX_COP, TENSIX_COP_PUSH_B0, PUSH_BASE),
    FOR_T("cop", TYPE_TENSIX_COP, TENSIX_COP_PUSH_T0, PUSH_BASE),
    { "cop", TYPE_TENSIX_COP, TENSIX_COP_GPR_B, TENSIX_MASK_B, GPR_BASE },
    FOR_T("cop", TYPE_TENSIX_COP, TENSIX_COP_GPR_T0, GPR_BASE),
    { "cop", TYPE_TENSIX_COP, TENSIX_COP_CFG_B, TENSIX_MASK_B, CFG_BASE },
    FOR_T("cop", TYPE_TENSIX_COP, TENSIX_COP_CFG_T0, CFG_BASE),
    FOR_T("cop", TYPE_TENSIX_COP, TENSIX_COP_MOP_CFG_T0, MOP_CFG_BASE),

    FOR_B("pcbuf", TYPE_TENSIX_PCBUF, 0, PCBUF_BASE),
    FOR_T("pcbuf", TYPE_TENSIX_PCBUF, 3, PCBUF_BASE),
    FOR_T("ttsync", TYPE_TENSIX_TTSYNC, 0, PCBUF_BASE + TENSIX_TTSYNC_BASE),
    FOR_T("semaphores", TYPE_TENSIX_SEMAPHORE_WINDOW, 0,
          PCBUF_BASE + TENSIX_SEMAPHORES_BASE),
    { "mailbox", TYPE_TENSIX_MAILBOX, 0, TENSIX_MASK_B, MAILBOX_BASE },
    FOR_T("mailbox", TYPE_TENSIX_MAILBOX, 1, MAILBOX_BASE),
    FOR_T("dest-window", TYPE_TENSIX_DEST_WINDOW, 0, DEST_BASE),

    { "tdma", TYPE_TENSIX_TDMA, TILE_PER_VIEW, TENSIX_MASK_BT, TDMA_BASE },
    { "pic", TYPE_TENSIX_PIC, TILE_PER_VIEW, TENSIX_MASK_ALL, PIC_BASE },
    { "tile-ctrl", TYPE_TENSIX_TILE_CTRL, TILE_PER_VIEW, TENSIX_MASK_ALL,
      TILE_CTRL_BASE },
    { "tile-ctrl", TYPE_TENSIX_TILE_CTRL, TILE_PER_VIEW_2, TENSIX_MASK_ALL,
      PC_SNAPSHOT_BASE },

    { "noc", TYPE_TENSIX_NOC, 0, TILE_SYSTEM, TENSIX_NOC_WINDOW_BASE },
    { "niu0", TYPE_TENSIX_NIU0, TILE_PER_VIEW, TENSIX_MASK_ALL, NIU0_BASE },
    { "niu1", TYPE_TENSIX_NIU1, TILE_PER_VIEW, TENSIX_MASK_ALL, NIU1_BASE },
    { "overlay", TYPE_TENSIX_OVERLAY, TILE_PER_VIEW, TENSIX_MASK_ALL,
      OVERLAY_BASE },

    { "aperture", TYPE_TENSIX_APERTURE, 0, TILE_SYSTEM, TENSIX_APERTURE_BASE },
};

const unsigned tile_device_count = ARRAY_SIZE(tile_devices);
