/*
 * A pump: does long work of a device a slice at a time, in the main loop.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_pump.h"
#include "system/qtest.h"

/*
 * Between the end of a slice and the next one.  A slice is about 1 ms of host
 * time, so this is no loss; it must not be 0, or the timer list would run the
 * same timer for ever.
 */
#define PUMP_GAP_NS 10000

/* Real time continues while the machine is stopped; its devices do not. */
static void expired(void *opaque)
{
    TensixPump *p = opaque;

    p->held_up = !runstate_is_running();
    if (!p->held_up) {
        p->fn(p->opaque);
    }
}

static void vm_state_changed(void *opaque, bool running, RunState state)
{
    TensixPump *p = opaque;

    if (running && p->held_up) {
        p->held_up = false;
        tensix_pump_arm(p);
    }
}

/* With -accel qtest the virtual clock is stopped. */
void tensix_pump_init(TensixPump *p, QEMUTimerCB *fn, void *opaque)
{
    p->clock = qtest_enabled() ? QEMU_CLOCK_REALTIME : QEMU_CLOCK_VIRTUAL;
    p->timer = timer_new_ns(p->clock, expired, p);
    p->fn = fn;
    p->opaque = opaque;
    p->vm_state = qemu_add_vm_change_state_handler(vm_state_changed, p);
}

void tensix_pump_finish(TensixPump *p)
{
    qemu_del_vm_change_state_handler(p->vm_state);
    timer_free(p->timer);
}

void tensix_pump_arm(TensixPump *p)
{
    if (!timer_pending(p->timer)) {
        timer_mod(p->timer, qemu_clock_get_ns(p->clock) + PUMP_GAP_NS);
    }
}

void tensix_pump_cancel(TensixPump *p)
{
    p->held_up = false;
    timer_del(p->timer);
}
