/*
 * The T harts' window on the coprocessor's eight semaphores.
 * (WH TensixCoprocessor/SyncUnit.md, "RISCV access to semaphores")
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_semaphores.h
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_semaphores.h"
#include "hw/tenstorrent/tensix_recent.h"
#include "../trace.h"

static TensixHart *semaphores_hart(TensixSemaphoresPort *p)
{
    return p->dev->hart[p->hart];
}

/* Is there a semaphore, and is it accessed as a word?  Reports if not. */
static bool semaphores_check(TensixSemaphoresPort *p, hwaddr addr,
                             unsigned size, MemTxAttrs attrs)
{
    if (addr >= TENSIX_SEMAPHORES * sizeof(uint32_t)) {
        tensix_access_undescribed(semaphores_hart(p), "semaphore window",
                                  addr + TENSIX_SEMAPHORES_BASE, attrs);
        return false;
    }
    return tensix_access_is_word(semaphores_hart(p), "semaphore", size, attrs);
}

static MemTxResult semaphores_read(void *opaque, hwaddr addr, uint64_t *data,
                                   unsigned size, MemTxAttrs attrs)
{
    TensixSemaphoresPort *p = opaque;
    uint32_t index = addr / sizeof(uint32_t);

    *data = 0;
    if (semaphores_check(p, addr, size, attrs)) {
        TensixCopState *cop = p->dev->cop;

        *data = tensix_semaphore_read(tensix_cop_lock(cop), index);
        tensix_cop_release(cop);
        trace_tensix_semaphore_read(tensix_hart_name(p->hart), index, *data);
        if (tensix_hart_may_block(semaphores_hart(p), attrs)) {
            tensix_hart_polls(semaphores_hart(p),
                              TENSIX_POLLED(TENSIX_POLLED_SEMAPHORE, index),
                              *data);
        }
    }
    return MEMTX_OK;
}

/* Bit 0 clear: post; set: get. */
static MemTxResult semaphores_write(void *opaque, hwaddr addr, uint64_t data,
                                    unsigned size, MemTxAttrs attrs)
{
    TensixSemaphoresPort *p = opaque;
    uint32_t index = addr / sizeof(uint32_t);

    if (!attrs.debug && semaphores_check(p, addr, size, attrs)) {
        TensixCopState *cop = p->dev->cop;
        TensixHart *hart = semaphores_hart(p);
        TensixActor by = tensix_access_actor(hart, attrs);

        trace_tensix_semaphore_write(tensix_hart_name(p->hart), index,
                                     data & 1 ? "get" : "post");
        tensix_cop_record_actor(cop, &by);
        tensix_semaphore_write(tensix_cop_lock(cop), index, data,
                               tensix_actor_origin(&by));
        tensix_cop_unlock(cop);
    }
    return MEMTX_OK;
}

static const MemoryRegionOps semaphores_ops = {
    .read_with_attrs = semaphores_read,
    .write_with_attrs = semaphores_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

static void tensix_semaphores_init(Object *obj)
{
    TensixSemaphoresState *s = TENSIX_SEMAPHORE_WINDOW(obj);

    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        TensixSemaphoresPort *p = &s->port[i];

        p->dev = s;
        p->hart = TENSIX_HART_TRISC0 + i;
        memory_region_init_io(&p->mmio, obj, &semaphores_ops, p,
                              "tensix-semaphores", TENSIX_SEMAPHORES_SIZE);
        sysbus_init_mmio(SYS_BUS_DEVICE(obj), &p->mmio);
    }
}

static void tensix_semaphores_realize(DeviceState *dev, Error **errp)
{
    tensix_access_check_links(dev, errp);
}

static const Property tensix_semaphores_properties[] = {
    TENSIX_PROP_HARTS(TensixSemaphoresState),
    DEFINE_PROP_LINK("cop", TensixSemaphoresState, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
};

/* The state is the coprocessor's: it resets and migrates it. */
static void tensix_semaphores_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);

    dc->desc = "Tensix semaphore window";
    dc->realize = tensix_semaphores_realize;
    device_class_set_props(dc, tensix_semaphores_properties);
}

static const TypeInfo tensix_semaphores_types[] = {
    {
        .name = TYPE_TENSIX_SEMAPHORE_WINDOW,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixSemaphoresState),
        .instance_init = tensix_semaphores_init,
        .class_init = tensix_semaphores_class_init,
    },
};

DEFINE_TYPES(tensix_semaphores_types)
