/*
 * Interface "tensix-busy": a device that may have work under way.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A device has work under way if it will change what the guest can see although
 * no other device and no hart does anything first: it holds the rest of a
 * request, a timer or a bottom half is to continue it, a host owes it an answer.
 * Each device with a TensixPump, a timer or a bottom half for such work
 * implements this interface; test_layers.py fails if one does not.
 *
 * A hart is busy unless it is stalled, held or paused, or only spins.  What only
 * another agent can end is no work: a thread of the coprocessor at a wait, an
 * interrupt that its hart does not take.
 */

#ifndef HW_TENSTORRENT_TENSIX_BUSY_H
#define HW_TENSTORRENT_TENSIX_BUSY_H

#include "qom/object.h"

#define TYPE_TENSIX_BUSY "tensix-busy"
typedef struct TensixBusyClass TensixBusyClass;
DECLARE_CLASS_CHECKERS(TensixBusyClass, TENSIX_BUSY, TYPE_TENSIX_BUSY)

struct TensixBusyClass {
    InterfaceClass parent_class;

    /* BQL held, perhaps inside the coprocessor's lock: it takes no lock. */
    bool (*busy)(const Object *obj);
};

/* Of the TypeInfo of a type that implements it; QEMU does not write there. */
#define TENSIX_BUSY_INTERFACES                                             \
    ((InterfaceInfo *)(const InterfaceInfo[]) { { TYPE_TENSIX_BUSY }, { } })

/*
 * Of the object and all below it, those that may be busy; is any?  BQL held.
 * The walk visits every object, also memory regions: what polls walks once.
 */
GPtrArray *tensix_busy_devices(Object *root);
bool tensix_busy_any(const GPtrArray *devices);

/* The object's ancestor, or itself, that has the whole machine below it. */
Object *tensix_busy_machine(Object *obj);

#endif
