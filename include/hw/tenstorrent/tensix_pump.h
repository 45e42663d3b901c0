/*
 * A pump: does long work of a device a slice at a time, in the main loop.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whatever a guest can ask for, one access may hold the BQL for a millisecond
 * or so, because monitors, debuggers and the other harts wait for it.  A device
 * that is asked for more does a part, leaves the rest in its state and arms its
 * pump; the pump's callback does the next part and arms it again.
 */

#ifndef HW_TENSTORRENT_TENSIX_PUMP_H
#define HW_TENSTORRENT_TENSIX_PUMP_H

#include "qemu/timer.h"
#include "system/runstate.h"

typedef struct TensixPump {
    QEMUTimer *timer;
    QEMUClockType clock;
    QEMUTimerCB *fn;
    void *opaque;
    VMChangeStateEntry *vm_state;
    bool held_up;                  /* fell due while the machine was stopped */
} TensixPump;

/* fn is called with the BQL held, never from within tensix_pump_arm(). */
void tensix_pump_init(TensixPump *p, QEMUTimerCB *fn, void *opaque);
void tensix_pump_finish(TensixPump *p);

/*
 * Calls fn soon: after a virtual time that lets harts have a turn between two
 * slices, and that is the same in each run under -icount.  Not while the
 * machine is stopped.  No effect if it is armed already.
 */
void tensix_pump_arm(TensixPump *p);

void tensix_pump_cancel(TensixPump *p);

/* Of a struct whose field is a TensixPump. */
#define VMSTATE_TENSIX_PUMP(field, state) \
    VMSTATE_TIMER_PTR(field.timer, state), \
    VMSTATE_BOOL(field.held_up, state)

#endif
