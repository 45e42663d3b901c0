/*
 * Machine "blackhole-tile": Tensix tiles of a Tenstorrent Blackhole.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_BLACKHOLE_TILE_H
#define HW_TENSTORRENT_BLACKHOLE_TILE_H

#include "hw/boards.h"
#include "hw/tenstorrent/tensix_rewind.h"
#include "hw/tenstorrent/tensix_tile.h"
#include "qom/object.h"

#define TYPE_BLACKHOLE_TILE MACHINE_TYPE_NAME("blackhole-tile")
OBJECT_DECLARE_SIMPLE_TYPE(BlackholeTile, BLACKHOLE_TILE)

enum {
    BLACKHOLE_TILE_COLUMNS = 4,    /* of option tiles=, at most */
    BLACKHOLE_TILE_ROWS = 4,
    BLACKHOLE_TILES = BLACKHOLE_TILE_COLUMNS * BLACKHOLE_TILE_ROWS,
};

/* Options of host software (blackhole_tile_host.c) */
typedef struct TileHostOptions {
    char *chardev, *dma, *socket, *soc_descriptor;
    bool exit, lockstep, server;
} TileHostOptions;

struct BlackholeTile {
    MachineState parent_obj;

    uint32_t columns, rows;        /* tiles=COLUMNSxROWS */
    TensixTile *tile[BLACKHOLE_TILES];  /* columns * rows, row by row */
    MemoryRegion system_alias;     /* the first tile, for qtest, xp */
    TensixNocState noc;
    TensixTurns *turns;
    TensixSources *sources;        /* of what the harts execute */

    TileHostOptions host;
    bool rewind;                   /* options rewind=on, ... */
    TensixRewindOptions rewind_options;
};

static inline unsigned blackhole_tile_count(const BlackholeTile *m)
{
    return m->columns * m->rows;
}

/*
 * For the setter of an option: true before the machine is made; later an option
 * would be kept and have no effect, and errp says so.
 */
bool blackhole_tile_can_set(const char *option, Error **errp);

/* All properties of the machine (.._options.c) */
void blackhole_tile_add_properties(ObjectClass *oc);

/* False with errp set: an option of QEMU is set that has no effect here. */
bool blackhole_tile_check_options(const BlackholeTile *m, Error **errp);

/* Gives tile n, which is not yet realized, the options of the first one. */
bool blackhole_tile_copy_options(BlackholeTile *m, unsigned n, Error **errp);

/* brisc-symbols= and so on: more ELFs for source lines (.._symbols.c) */
void blackhole_tile_add_symbol_properties(ObjectClass *oc);

/* rewind= and the like: the machine's properties and their defaults ... */
void blackhole_tile_add_rewind_properties(ObjectClass *oc);
void blackhole_tile_init_rewind_options(BlackholeTile *m);

/* ... and what they ask for, when all devices exist; false: not possible */
bool blackhole_tile_begin_rewind(BlackholeTile *m, Error **errp);

/* host=, host-socket= and the like: the machine's properties ... */
void blackhole_tile_add_host_properties(ObjectClass *oc);
void blackhole_tile_free_host_options(BlackholeTile *m);

/* ... and the server "host-server"; false: no such chardev, and so on */
bool blackhole_tile_has_host(const BlackholeTile *m);
bool blackhole_tile_make_host(BlackholeTile *m, Error **errp);

#endif
