/*
 * Accesses of a hart to words of devices without the BQL and the memory API.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "tensix_cpu.h"
#include "hw/tenstorrent/tensix_hart_direct.h"

static const TensixDirect **place_of(TensixHart *hart, uint32_t address)
{
    return &hart->direct.at[(address - TENSIX_DIRECT_BASE) /
                            TENSIX_DIRECT_WINDOW];
}

void tensix_hart_offer_direct(TensixHart *hart, MemoryRegion *mr,
                              const TensixDirectOps *ops, void *opaque)
{
    TensixHartDirect *d = &hart->direct;

    g_assert(d->offers < TENSIX_DIRECT_WINDOWS);
    d->offer[d->offers++] = (TensixDirect) {
        .mr = mr, .ops = ops, .opaque = opaque, .size = memory_region_size(mr),
    };
}

void tensix_hart_map_direct(TensixHart *hart, MemoryRegion *mr,
                            uint32_t address)
{
    for (unsigned n = 0; n < hart->direct.offers; n++) {
        TensixDirect *d = &hart->direct.offer[n];

        if (d->mr == mr) {
            g_assert(address >= TENSIX_DIRECT_BASE &&
                     address < TENSIX_DIRECT_END && !*place_of(hart, address));
            d->address = address;
            *place_of(hart, address) = d;
        }
    }
}

void tensix_hart_set_direct(TensixHart *hart, bool used)
{
    hart->direct.used = used;
}

/* A debugger's watchpoints are the region's. */
static const TensixDirect *direct_at(CPUState *cs, uint32_t address)
{
    TensixHart *hart = riscv_tensix_cpu(cpu_env(cs))->opaque;
    const TensixDirect *d;

    if (address < TENSIX_DIRECT_BASE || address >= TENSIX_DIRECT_END ||
        address % sizeof(uint32_t) || !hart->direct.used ||
        cs->singlestep_enabled || !QTAILQ_EMPTY(&cs->watchpoints)) {
        return NULL;
    }
    d = *place_of(hart, address);
    return d && address - d->address < d->size ? d : NULL;
}

bool tensix_hart_io_store(CPUState *cs, vaddr address, uint32_t value,
                          uintptr_t ra)
{
    const TensixDirect *d = direct_at(cs, address);

    return d && d->ops->store &&
           d->ops->store(d->opaque, (uint32_t)address - d->address, value, ra);
}

bool tensix_hart_io_load(CPUState *cs, vaddr address, uint32_t *value,
                         uintptr_t ra)
{
    const TensixDirect *d = direct_at(cs, address);

    return d && d->ops->load &&
           d->ops->load(d->opaque, (uint32_t)address - d->address, value, ra);
}
