/*
 * Machine "blackhole-tile": one Tensix tile of a Tenstorrent Blackhole.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_BLACKHOLE_TILE_H
#define HW_TENSTORRENT_BLACKHOLE_TILE_H

#include "hw/boards.h"
#include "hw/tenstorrent/tensix_deadlock.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/tensix_report.h"
#include "hw/tenstorrent/tensix_rewind.h"
#include "qom/object.h"

#define TYPE_BLACKHOLE_TILE MACHINE_TYPE_NAME("blackhole-tile")
OBJECT_DECLARE_SIMPLE_TYPE(BlackholeTile, BLACKHOLE_TILE)

/* Options of host software (blackhole_tile_host.c) */
typedef struct TileHostOptions {
    char *chardev, *dma, *socket, *soc_descriptor;
    bool exit, lockstep;
} TileHostOptions;

struct BlackholeTile {
    MachineState parent_obj;

    TensixTurns *turns;
    TensixSources *sources;        /* of what the harts execute */
    TensixBus bus;
    TensixReporter reporter;
    TensixHart hart[TENSIX_NUM_HARTS];
    MemoryRegion noc_view;         /* what reaches the tile over the NoC */
    MemoryRegion noc_l1;
    MemoryRegion noc_unmapped;
    MemoryRegion system_alias;     /* BRISC's address space for qtest, xp */
    Notifier machine_done;

    char *image[TENSIX_NUM_HARTS];
    TensixOnViolation on_violation;
    TensixDeadlockAction on_deadlock;
    TensixLeaks leaks;
    TensixUnwrittenReads unwritten;
    bool hazards;                  /* told */
    bool writers;                  /* kept */
    uint64_t schedule_seed;        /* 0: eager */
    char *timeline;                /* file to begin with, or NULL */
    TileHostOptions host;
    TensixRewindOptions rewind_options;
    TensixRewind *rewind;          /* or NULL */
};

/* How the regions of a row are spread over its views. */
typedef enum TileSpread {
    TILE_ONE,                      /* all views see the same region */
    TILE_PER_VIEW,                 /* view v (TensixHartIndex, NoC) sees + v */
    TILE_PER_THREAD,               /* the T hart of thread t sees + t */
} TileSpread;

/*
 * One mapping of a device's regions.  Rows with the same name are one device,
 * made at its first row; devices are made in the order of the table.
 */
typedef struct TileDevice {
    const char *name;              /* QOM name, and in tile_wires[] */
    const char *type;
    unsigned region;               /* sysbus MMIO index of the first */
    TileSpread spread;
    uint32_t views;                /* TENSIX_MASK_*, or TILE_SYSTEM */
    hwaddr base;                   /* in the view; above 4 GiB in TILE_SYSTEM */
} TileDevice;

/* Only qtest, gdb and the monitor: BRISC's address space above 4 GiB. */
#define TILE_SYSTEM (1u << TENSIX_NUM_VIEWS)

extern const TileDevice tile_devices[];
extern const unsigned tile_device_count;

/*
 * One link property of a device (or of "brisc-hart" and so on), and the device,
 * hart or memory that it leads to: "l1", "noc-memory" or the name of a device
 * that is made earlier.
 */
typedef struct TileWire {
    const char *device, *property, *target;
} TileWire;

extern const TileWire tile_wires[];
extern const unsigned tile_wire_count;

/*
 * Loads an ELF through this hart's view and stores its entry; false with errp
 * set if it is not one, or does not fit the hart's memory.
 */
bool blackhole_tile_load_image(TensixHart *hart, const char *file,
                               uint32_t *entry, Error **errp);

/*
 * Whoever sets an option asks: true before the machine is made; later an option
 * would be kept and have no effect, and errp says so.
 */
bool blackhole_tile_can_set(const char *option, Error **errp);

/* brisc-symbols= and so on: more ELFs for source lines (.._symbols.c) */
void blackhole_tile_add_symbol_properties(ObjectClass *oc);

/* rewind= and the like: the machine's properties and their defaults ... */
void blackhole_tile_add_rewind_properties(ObjectClass *oc);
void blackhole_tile_init_rewind_options(BlackholeTile *tile);

/* ... and what they ask for, when all devices exist; false: not possible */
bool blackhole_tile_begin_rewind(BlackholeTile *tile, Error **errp);
void blackhole_tile_end_rewind(BlackholeTile *tile);

/* host=, host-socket= and the like: the machine's properties ... */
void blackhole_tile_add_host_properties(ObjectClass *oc);
void blackhole_tile_forget_host_options(BlackholeTile *tile);

/* ... and the device's, before it is realized; false: no such chardev */
bool blackhole_tile_set_host_options(BlackholeTile *tile, DeviceState *dev,
                                     Error **errp);

#endif
