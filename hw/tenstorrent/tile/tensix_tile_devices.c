/*
 * The block diagram of a Tensix tile: where each device is in each view of
 * memory (BH BabyRISCV/README.md, "Memory map"), and what it is wired to.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_tile.h"
#include "hw/tenstorrent/tensix_aperture.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_debug.h"
#include "hw/tenstorrent/tensix_dest_window.h"
#include "hw/tenstorrent/tensix_mailbox.h"
#include "hw/tenstorrent/tensix_niu.h"
#include "hw/tenstorrent/tensix_noc_port.h"
#include "hw/tenstorrent/tensix_pcbuf.h"
#include "hw/tenstorrent/tensix_pic.h"
#include "hw/tenstorrent/tensix_semaphores.h"
#include "hw/tenstorrent/tensix_streams.h"
#include "hw/tenstorrent/tensix_tdma.h"
#include "hw/tenstorrent/tensix_tile_ctrl.h"
#include "hw/tenstorrent/tensix_ttsync.h"

/* BRISC sees a window a thread, this far apart. */
#define THREAD_WINDOW 0x10000

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
    /* name, type, first region, one a, views, base */
    { "cop", TYPE_TENSIX_COP, TENSIX_COP_PUSH_B0, TILE_ONE,
      TENSIX_MASK_B | TILE_PUSH, PUSH_BASE },
    { "cop", TYPE_TENSIX_COP, TENSIX_COP_PUSH_B1, TILE_ONE,
      TENSIX_MASK_B | TILE_PUSH, PUSH_BASE + THREAD_WINDOW },
    { "cop", TYPE_TENSIX_COP, TENSIX_COP_PUSH_B2, TILE_ONE,
      TENSIX_MASK_B | TILE_PUSH, PUSH_BASE + 2 * THREAD_WINDOW },
    { "cop", TYPE_TENSIX_COP, TENSIX_COP_PUSH_T0, TILE_PER_THREAD,
      TENSIX_MASK_T | TILE_PUSH, PUSH_BASE },
    { "cop", TYPE_TENSIX_COP, TENSIX_COP_GPR_B, TILE_ONE, TENSIX_MASK_B,
      GPR_BASE },
    { "cop", TYPE_TENSIX_COP, TENSIX_COP_GPR_T0, TILE_PER_THREAD,
      TENSIX_MASK_T, GPR_BASE },
    { "cop", TYPE_TENSIX_COP, TENSIX_COP_CFG_B, TILE_ONE, TENSIX_MASK_B,
      CFG_BASE },
    { "cop", TYPE_TENSIX_COP, TENSIX_COP_CFG_T0, TILE_PER_THREAD,
      TENSIX_MASK_T, CFG_BASE },
    { "cop", TYPE_TENSIX_COP, TENSIX_COP_MOP_CFG_T0, TILE_PER_THREAD,
      TENSIX_MASK_T, MOP_CFG_BASE },

    { "pcbuf", TYPE_TENSIX_PCBUF, 0, TILE_ONE, TENSIX_MASK_B, PCBUF_BASE },
    { "pcbuf", TYPE_TENSIX_PCBUF, 1, TILE_ONE, TENSIX_MASK_B,
      PCBUF_BASE + THREAD_WINDOW },
    { "pcbuf", TYPE_TENSIX_PCBUF, 2, TILE_ONE, TENSIX_MASK_B,
      PCBUF_BASE + 2 * THREAD_WINDOW },
    { "pcbuf", TYPE_TENSIX_PCBUF, 3, TILE_PER_THREAD, TENSIX_MASK_T,
      PCBUF_BASE },
    { "ttsync", TYPE_TENSIX_TTSYNC, 0, TILE_PER_THREAD, TENSIX_MASK_T,
      PCBUF_BASE + TENSIX_TTSYNC_BASE },
    { "semaphores", TYPE_TENSIX_SEMAPHORE_WINDOW, 0, TILE_PER_THREAD,
      TENSIX_MASK_T, PCBUF_BASE + TENSIX_SEMAPHORES_BASE },
    { "mailbox", TYPE_TENSIX_MAILBOX, 0, TILE_ONE, TENSIX_MASK_B,
      MAILBOX_BASE },
    { "mailbox", TYPE_TENSIX_MAILBOX, 1, TILE_PER_THREAD, TENSIX_MASK_T,
      MAILBOX_BASE },
    { "dest-window", TYPE_TENSIX_DEST_WINDOW, 0, TILE_PER_THREAD,
      TENSIX_MASK_T, DEST_BASE },

    { "tdma", TYPE_TENSIX_TDMA, 0, TILE_PER_VIEW, TENSIX_MASK_BT, TDMA_BASE },
    { "pic", TYPE_TENSIX_PIC, 0, TILE_PER_VIEW, TENSIX_MASK_ALL, PIC_BASE },
    { "tile-ctrl", TYPE_TENSIX_TILE_CTRL, 0, TILE_PER_VIEW, TENSIX_MASK_ALL,
      TILE_CTRL_BASE },
    { "tile-ctrl", TYPE_TENSIX_TILE_CTRL, TENSIX_NUM_VIEWS, TILE_PER_VIEW,
      TENSIX_MASK_ALL, PC_SNAPSHOT_BASE },

    { "noc-port", TYPE_TENSIX_NOC_PORT },
    { "niu0", TYPE_TENSIX_NIU0, 0, TILE_PER_VIEW, TENSIX_MASK_ALL, NIU0_BASE },
    { "niu1", TYPE_TENSIX_NIU1, 0, TILE_PER_VIEW, TENSIX_MASK_ALL, NIU1_BASE },
    { "overlay", TYPE_TENSIX_OVERLAY, 0, TILE_PER_VIEW, TENSIX_MASK_ALL,
      OVERLAY_BASE },

    { "aperture", TYPE_TENSIX_APERTURE, 0, TILE_ONE, TILE_SYSTEM,
      TENSIX_APERTURE_BASE },

    { "debug", TYPE_TENSIX_DEBUG },
};

const unsigned tile_device_count = ARRAY_SIZE(tile_devices);

/* --- wires --- */

/* To each hart, and from each hart. */
#define TO_HARTS(device)                                                    \
    { device, "hart[0]", "brisc-hart" }, { device, "hart[1]", "ncrisc-hart" }, \
    { device, "hart[2]", "trisc0-hart" },                                   \
    { device, "hart[3]", "trisc1-hart" },                                   \
    { device, "hart[4]", "trisc2-hart" }
#define FROM_HARTS(property, target)                                        \
    { "brisc-hart", property, target }, { "ncrisc-hart", property, target }, \
    { "trisc0-hart", property, target },                                    \
    { "trisc1-hart", property, target },                                    \
    { "trisc2-hart", property, target }

const TileWire tile_wires[] = {
    /* device, its property, what it leads to */
    FROM_HARTS("l1", "l1"),
    FROM_HARTS("bus", "bus"),
    FROM_HARTS("reporter", "reporter"),
    { "reporter", "bus", "bus" },

    TO_HARTS("cop"),
    { "cop", "l1", "l1" },
    { "cop", "bus", "bus" },
    { "cop", "reporter", "reporter" },

    TO_HARTS("pcbuf"),
    { "pcbuf", "cop", "cop" },
    TO_HARTS("ttsync"),
    { "ttsync", "cop", "cop" },
    { "ttsync", "pcbuf", "pcbuf" },
    TO_HARTS("semaphores"),
    { "semaphores", "cop", "cop" },
    TO_HARTS("mailbox"),
    TO_HARTS("dest-window"),
    { "dest-window", "cop", "cop" },

    TO_HARTS("tdma"),
    { "tdma", "cop", "cop" },
    TO_HARTS("pic"),
    TO_HARTS("tile-ctrl"),
    { "tile-ctrl", "cop", "cop" },
    { "tile-ctrl", "pcbuf", "pcbuf" },
    { "tile-ctrl", "mailbox", "mailbox" },
    { "tile-ctrl", "tdma", "tdma" },
    { "tile-ctrl", "pic", "pic" },

    { "noc-port", "noc", "noc" },
    { "noc-port", "noc-memory", "noc-memory" },
    { "noc-port", "reporter", "reporter" },
    { "noc-port", "cop", "cop" },
    TO_HARTS("niu0"),
    { "niu0", "noc-port", "noc-port" },
    { "niu0", "pic", "pic" },
    { "niu0", "cop", "cop" },
    TO_HARTS("niu1"),
    { "niu1", "noc-port", "noc-port" },
    { "niu1", "pic", "pic" },
    { "niu1", "cop", "cop" },
    TO_HARTS("overlay"),
    { "overlay", "cop", "cop" },

    { "aperture", "cop", "cop" },
    TO_HARTS("debug"),
    { "debug", "cop", "cop" },
    { "debug", "pcbuf", "pcbuf" },
    { "debug", "tile-ctrl", "tile-ctrl" },
};

const unsigned tile_wire_count = ARRAY_SIZE(tile_wires);
