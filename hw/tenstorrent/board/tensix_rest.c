/*
 * Is anything in the tile at work?
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix_rest.h"

bool tensix_rest_devices_work(const TensixCopState *cop,
                              TensixNiuState *const *niu)
{
    return cop->signals->backlog || cop->put_off ||
           niu[0]->jobs || niu[1]->jobs ||
           !QTAILQ_EMPTY(&niu[0]->host_packets) ||
           !QTAILQ_EMPTY(&niu[1]->host_packets);
}

bool tensix_rest_can_run(const TensixHart *hart)
{
    return !hart->held && !hart->paused &&
           (qatomic_read(&hart->stall) == TENSIX_STALL_NONE ||
            hart->restart || hart->irq_pending);
}

bool tensix_rest_only_spins(const TensixHart *hart)
{
    return !hart->restart && !hart->irq_pending && tensix_hart_spins(hart);
}

uint64_t tensix_rest_executed(const TensixCopState *cop)
{
    uint64_t executed = 0;

    for (int u = 0; u < TENSIX_UNITS; u++) {
        executed += cop->state->executed[u];
    }
    return executed;
}
