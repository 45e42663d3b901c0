/*
 * A Tensix tile: five harts, L1, the coprocessor and the devices around them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Type "tensix-tile", a SysBus device without a fixed place: a board maps
 * its region, names its neighbours and sets its options.
 *
 * QEMU interface:
 *  + sysbus region: what BRISC sees, and above 4 GiB the windows for tests
 *    (docs/memory-map.rst)
 *  + property "number": of the tile in its machine; tiles other than 0 have it
 *    in the names of their memories and CPUs
 *  + property "several": the machine has others: reports name this one by its
 *    coordinates, where a chip must have a Tensix tile
 *  + properties "x", "y": raw coordinates on NoC 0, default (1,2)
 *  + property "l1": link to a RAM region of TENSIX_L1_SIZE; without it the tile
 *    makes one
 *  + property "noc": link to the NoC that connects the tiles
 *  + properties "brisc" to "trisc2", "on-violation", "hazards", "writers",
 *    "unwritten", "races", "bounds", "check", "on-deadlock", "leaks",
 *    "schedule", "timing", "coverage", "timeline": as the options of machine
 *    blackhole-tile
 *  + children and links: "bus", "reporter", "brisc-hart" and so on, "l1",
 *    "noc-memory", and the devices of tile_devices[]
 */

#ifndef HW_TENSTORRENT_TENSIX_TILE_H
#define HW_TENSTORRENT_TENSIX_TILE_H

#include "hw/sysbus.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/tensix_noc.h"
#include "qapi/qapi-types-tenstorrent.h"
#include "qapi/qapi-types-tenstorrent-state.h"
#include "qom/object.h"

#define TYPE_TENSIX_TILE "tensix-tile"
OBJECT_DECLARE_SIMPLE_TYPE(TensixTile, TENSIX_TILE)

typedef struct TensixTileOptions {
    char *image[TENSIX_NUM_HARTS];
    TensixViolationAction on_violation;
    TensixDeadlockAction on_deadlock;
    TensixLeaks leaks;
    TensixReporting unwritten;
    TensixReporting races;
    TensixReporting bounds;
    TensixChecks check;            /* all: those three, hazards, unfinished */
    bool unfinished;               /* what is is reported when QEMU ends */
    char *suppress;                /* file of rules, or NULL */
    bool hazards;                  /* are reported */
    bool writers;                  /* are recorded */
    uint64_t schedule_seed;        /* 0: eager */
    char *timing;                  /* off, published, a file; NULL: off */
    char *coverage;                /* file, or NULL */
    char *timeline;                /* file to begin with, or NULL */
} TensixTileOptions;

struct TensixTile {
    SysBusDevice parent_obj;

    /* what the board sets before the tile is realized */
    uint32_t number, x, y;
    bool several;                  /* tiles in the machine */
    MemoryRegion *l1;              /* NULL: own_l1 */
    TensixNocState *noc;
    TensixTurns *turns;            /* of all tiles */
    TensixSources *sources;        /* of the ELFs that the harts execute */
    bool has_host;                 /* software outside may end any wait */
    TensixTileOptions options;

    char name[32];                 /* "tile (2,2)" */
    MemoryRegion own_l1;
    TensixBus bus;
    TensixReporter reporter;
    TensixHart hart[TENSIX_NUM_HARTS];
    MemoryRegion noc_view;         /* what reaches the tile over the NoC */
    MemoryRegion noc_l1;
    MemoryRegion noc_unmapped;
    MemoryRegion window;
    GPtrArray *taps;               /* tensix_tile_registers.c */
    Notifier registers_listener;
    Notifier machine_done;
    uint32_t snapshot_format;      /* tensix_tile_snapshot.c */
};

/* Its device of this name; NULL before the tile is realized. */
Object *tensix_tile_device(const TensixTile *tile, const char *name);

/*
 * Maps another tile's address space into that of the first one, at the tile's
 * number << 40 bits, in one piece.  Both are realized.
 */
void tensix_tile_map_window(TensixTile *first, TensixTile *tile);

/* The tile's parts are found as if they were the owner's, by their names. */
void tensix_tile_name_parts(TensixTile *tile, Object *owner);

/* --- for the files of the tile --- */

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
    uint32_t views;                /* TENSIX_MASK_*, or TILE_SYSTEM; TILE_PUSH */
    hwaddr base;                   /* in the view; above 4 GiB in TILE_SYSTEM */
} TileDevice;

/* Only qtest, gdb and the monitor: BRISC's address space above 4 GiB. */
#define TILE_SYSTEM (1u << TENSIX_NUM_VIEWS)

/* Its stores are TENSIX_ON_PUSH, not TENSIX_ON_REGISTER. */
#define TILE_PUSH (TILE_SYSTEM << 1)

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
bool tensix_tile_load_image(TensixHart *hart, const char *file,
                            uint32_t *entry, Error **errp);

/*
 * When the machine is ready: which harts leave reset at power-on.  -device
 * loader,cpu-num=N gives an image as well.
 */
void tensix_tile_choose_starters(Notifier *machine_done, void *data);

/*
 * Accesses to a device's region that is mapped at base in container, of this
 * view, are TENSIX_ON_REGISTER.
 */
void tensix_tile_init_taps(TensixTile *tile);
void tensix_tile_tap(TensixTile *tile, const char *device, unsigned view,
                     MemoryRegion *container, MemoryRegion *mr, hwaddr base);

/* Sets what an option asks of this device, before it is realized. */
void tensix_tile_set_options(TensixTile *tile, const char *name,
                             DeviceState *dev);

/* When all devices exist: images in memory, a timeline that begins with it. */
bool tensix_tile_begin(TensixTile *tile, Error **errp);

/* All properties (tensix_tile_options.c). */
void tensix_tile_add_properties(DeviceClass *dc);

/* The number of the format of snapshots (tensix_tile_snapshot.c). */
extern const VMStateDescription vmstate_tensix_tile;

#endif
