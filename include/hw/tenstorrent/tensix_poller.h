/*
 * Polls a tile for as long as something in it may come to an end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Type "tensix-poller", abstract: an instrument.  No event says that a wait has
 * become unresolvable or that the tile has come to rest, so the watches for
 * that poll; but only after an event that may lead there, and as long as each
 * poll asks for another one.  On an axis (tensix_axis.h) the time of the next
 * poll is state, so that neither a stop of the machine nor an inspection makes
 * a difference.  Never with -accel qtest, where the host drives everything.
 *
 * Its VMState has the section's name of its class and the tile's number.  A
 * snapshot with a section whose object the machine lacks is refused, as QEMU
 * does with any; without one, the object continues as after a reset.  On an
 * axis the history needs the section: it begins where the object is created,
 * and the object cannot be deleted.
 */

#ifndef HW_TENSTORRENT_TENSIX_POLLER_H
#define HW_TENSTORRENT_TENSIX_POLLER_H

#include "hw/resettable.h"
#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_instrument.h"

#define TYPE_TENSIX_POLLER "tensix-poller"
OBJECT_DECLARE_TYPE(TensixPoller, TensixPollerClass, TENSIX_POLLER)

struct TensixPoller {
    TensixInstrument parent_obj;

    TensixCopState *cop;           /* of the tile */
    QEMUTimer *timer;              /* state on an axis: VMSTATE_TIMER_PTR() */
    Notifier event;
    void (*begin)(TensixPoller *p); /* the class's: each push posts an event */
    VMChangeStateEntry *vm_state;
    GPtrArray *devices;            /* that may be busy; NULL: not found yet */
    ResettableState reset;
};

struct TensixPollerClass {
    TensixInstrumentClass parent_class;

    const VMStateDescription *vmsd;
    TensixBusEvent event;          /* begins it */
    bool of_machine;               /* other tiles' devices count as busy, too */
    /*
     * May call tensix_poller_begin(): at each event, off the axis also when the
     * machine continues, and when it is created while the machine runs;
     * anywhere.
     */
    void (*begin)(TensixPoller *p);
    int64_t (*poll)(TensixPoller *p); /* virtual ns until the next; 0: none */
    void (*resumed)(TensixPoller *p); /* the machine runs again; or NULL */
    /* What else it subscribes to; not with -accel qtest. */
    void (*start)(TensixPoller *p);
    void (*stop)(TensixPoller *p);
};

/* Polls after so many virtual ns, or when a poll is due before.  Any thread. */
void tensix_poller_begin(TensixPoller *p, int64_t ns);

/* Is what is polled on an axis?  VMStateDescription.needed, too. */
bool tensix_poller_has_axis(void *poller);

/*
 * Is any device busy?  The first call finds them, with the machine running: no
 * device comes later.  BQL held, perhaps inside the coprocessor's lock.
 */
bool tensix_poller_finds_busy(TensixPoller *p);

/* Instructions that the coprocessor has executed since reset. */
uint64_t tensix_poller_executed(const TensixPoller *p);

#endif
