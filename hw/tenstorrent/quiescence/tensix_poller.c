/*
 * Polls a tile for as long as something in it may come to an end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "hw/tenstorrent/tensix_axis.h"
#include "hw/tenstorrent/tensix_poller.h"
#include "system/qtest.h"
#include "system/runstate.h"

bool tensix_poller_has_axis(const TensixPoller *p)
{
    return tensix_axis_has(tensix_cop_hart(p->cop, 0));
}

uint64_t tensix_poller_executed(const TensixPoller *p)
{
    uint64_t executed = 0;

    for (int u = 0; u < TENSIX_UNITS; u++) {
        executed += tensix_cop_state(p->cop)->executed[u];
    }
    return executed;
}

void tensix_poller_begin(TensixPoller *p, int64_t ns)
{
    if (!timer_pending(p->timer) &&
        (runstate_is_running() || !tensix_poller_has_axis(p))) {
        timer_mod(p->timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + ns);
    }
}

static void poll(void *opaque)
{
    TensixPoller *p = opaque;
    int64_t ns = p->ops->poll(p->opaque);

    if (ns) {
        tensix_poller_begin(p, ns);
    }
}

static void event_happened(Notifier *n, void *data)
{
    TensixPoller *p = container_of(n, TensixPoller, event);

    p->ops->begin(p->opaque);
}

/* What waited before a stop, or in a state that was loaded, still does. */
static void vm_state_changed(void *opaque, bool running, RunState state)
{
    TensixPoller *p = opaque;

    if (running && p->ops->resumed) {
        p->ops->resumed(p->opaque);
    }
    if (running && !tensix_poller_has_axis(p)) {
        p->ops->begin(p->opaque);
    }
}

void tensix_poller_start(TensixPoller *p, TensixCopState *cop,
                         const TensixPollerOps *ops, void *opaque)
{
    p->cop = cop;
    p->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, poll, p);
    if (!qtest_enabled()) {
        p->ops = ops;
        p->opaque = opaque;
        p->vm_state = qemu_add_vm_change_state_handler(vm_state_changed, p);
        p->event.notify = event_happened;
        tensix_bus_subscribe(tensix_cop_bus(cop), ops->event, &p->event);
    }
}

void tensix_poller_stop(TensixPoller *p)
{
    if (tensix_poller_polls(p)) {
        notifier_remove(&p->event);
        qemu_del_vm_change_state_handler(p->vm_state);
    }
    timer_free(p->timer);
}
