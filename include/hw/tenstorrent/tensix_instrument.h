/*
 * Instruments: objects that observe a tile.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Type "tensix-instrument", abstract.  An instrument subscribes to the event
 * bus of its tile when it is attached and unsubscribes when it is detached; the
 * tile does not know it.
 *
 * QEMU interface:
 *  + -object TYPE,id=ID[,tile=PATH], object-add, object-del
 *  + property "tile": QOM path of the tile; without it, the machine's only tile
 *
 * An object that exists before the machine is attached once the machine is
 * ready, and an error then ends QEMU.  One that is created later is attached at
 * once.
 *
 * A tile has one of a type at most.  What the machine made without having been
 * asked for it makes way for an object that users create, and does not come
 * back when that is deleted.
 */

#ifndef HW_TENSTORRENT_TENSIX_INSTRUMENT_H
#define HW_TENSTORRENT_TENSIX_INSTRUMENT_H

#include "hw/tenstorrent/tensix_bus.h"

#define TYPE_TENSIX_INSTRUMENT "tensix-instrument"
OBJECT_DECLARE_TYPE(TensixInstrument, TensixInstrumentClass, TENSIX_INSTRUMENT)

struct TensixInstrument {
    Object parent_obj;

    char *tile_path;               /* property "tile", or NULL */
    Object *tile;                  /* set before attach(), NULL after detach() */
    Object *cop;                   /* the tile's coprocessor, and its bus */
    TensixBus *bus;
    QLIST_ENTRY(TensixInstrument) next;        /* of the bus */
    bool attached;
    bool pending;                  /* machine_done attaches it */
    bool is_default;               /* makes way for one that users create */
    Notifier machine_done;
};

struct TensixInstrumentClass {
    ObjectClass parent_class;

    bool of_machine;               /* of all tiles: attached to the first */
    /*
     * Acquires what may be refused, before attach(); NULL: nothing.  False:
     * errp is set, and the instrument is not attached.
     */
    bool (*prepare)(TensixInstrument *i, Error **errp);
    /*
     * Begins to observe i->tile.  The BQL is held and no hart runs here and in
     * detach(), which is called before the object goes away.
     */
    void (*attach)(TensixInstrument *i);
    void (*detach)(TensixInstrument *i);
};

/*
 * For the setter of a property that is fixed once the object is attached: `*text`
 * becomes a copy of value, or errp is set to `fixed`.
 */
void tensix_instrument_set_text(Object *obj, char **text, const char *value,
                                const char *fixed, Error **errp);

/*
 * The one of this type that is attached to the tile of this bus, or NULL: there
 * is one at most.
 */
Object *tensix_instrument_find(TensixBus *bus, const char *type);

/*
 * Creates an instrument as the child `name` of a tile whose parts exist, and
 * attaches it, for an option of the machine.  Pairs of a property's name and
 * its value as a string follow, then NULL.  NULL with errp set if that fails.
 * To be deleted with object_unparent().
 */
Object *tensix_instrument_create(Object *tile, const char *type,
                                 const char *name, Error **errp, ...)
                                 G_GNUC_NULL_TERMINATED;

/* Not asked for: it makes way for another.  False: it is NULL. */
bool tensix_instrument_default(Object *instrument);

/* In detach(): does QEMU end?  Else the object alone is deleted. */
bool tensix_instrument_at_exit(const TensixInstrument *i);

#endif
