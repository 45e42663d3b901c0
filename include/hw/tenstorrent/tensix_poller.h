/*
 * Polls a tile for as long as something in it may come to an end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * No event says that a wait has become hopeless or that the tile has come to
 * rest, so the watches for that poll; but only after an event that may lead
 * there, and as long as each poll asks for another one.  On an axis
 * (tensix_axis.h) the time of the next poll is state, and neither a stop of the
 * machine nor a look at it makes a difference.  Never with -accel qtest, where
 * all is the host's doing.
 */

#ifndef HW_TENSTORRENT_TENSIX_POLLER_H
#define HW_TENSTORRENT_TENSIX_POLLER_H

#include "hw/tenstorrent/tensix_cop.h"

typedef struct TensixPollerOps {
    /* Begins it; this is also called when the machine goes on, off the axis. */
    TensixBusEvent event;
    void (*begin)(void *opaque);   /* may call tensix_poller_begin(); anywhere */
    int64_t (*poll)(void *opaque); /* virtual ns until the next one; 0: none */
    void (*resumed)(void *opaque); /* the machine goes on; NULL: no matter */
} TensixPollerOps;

typedef struct TensixPoller {
    TensixCopState *cop;           /* of the tile */
    const TensixPollerOps *ops;    /* NULL: it never polls */
    void *opaque;
    QEMUTimer *timer;              /* state on an axis: VMSTATE_TIMER_PTR() */
    Notifier event;
    VMChangeStateEntry *vm_state;
} TensixPoller;

void tensix_poller_start(TensixPoller *p, TensixCopState *cop,
                         const TensixPollerOps *ops, void *opaque);
void tensix_poller_stop(TensixPoller *p);

static inline bool tensix_poller_polls(const TensixPoller *p)
{
    return p->ops;
}

/* Polls after so many virtual ns, or when a poll is due before.  Any thread. */
void tensix_poller_begin(TensixPoller *p, int64_t ns);

/* Is what is polled on an axis? */
bool tensix_poller_has_axis(const TensixPoller *p);

/* Instructions that the coprocessor has executed since reset. */
uint64_t tensix_poller_executed(const TensixPoller *p);

#endif
