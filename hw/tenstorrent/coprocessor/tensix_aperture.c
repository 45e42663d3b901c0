/*
 * The register-file aperture: a simulator-only window on the coprocessor.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_aperture.h
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_aperture.h"
#include "../trace.h"

static MemTxResult aperture_read(void *opaque, hwaddr addr, uint64_t *data,
                                 unsigned size, MemTxAttrs attrs)
{
    TensixApertureState *s = opaque;
    uint8_t buf[sizeof(uint64_t)] = { 0 };

    tensix_aperture_read(tensix_cop_lock(s->cop), addr, buf, size);
    tensix_cop_release(s->cop);
    *data = ldn_le_p(buf, size);
    trace_tensix_aperture_read(addr, *data, size);
    return MEMTX_OK;
}

static MemTxResult aperture_write(void *opaque, hwaddr addr, uint64_t data,
                                  unsigned size, MemTxAttrs attrs)
{
    TensixApertureState *s = opaque;
    uint8_t buf[sizeof(uint64_t)];

    if (attrs.debug) {
        return MEMTX_OK;
    }
    trace_tensix_aperture_write(addr, data, size);
    stn_le_p(buf, size, data);
    tensix_aperture_write(tensix_cop_lock(s->cop), addr, buf, size);
    tensix_cop_unlock(s->cop);
    return MEMTX_OK;
}

static const MemoryRegionOps aperture_ops = {
    .read_with_attrs = aperture_read,
    .write_with_attrs = aperture_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

static void tensix_aperture_init(Object *obj)
{
    TensixApertureState *s = TENSIX_APERTURE(obj);

    memory_region_init_io(&s->mmio, obj, &aperture_ops, s, "tensix-aperture",
                          TENSIX_APERTURE_SIZE);
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->mmio);
}

static void tensix_aperture_realize(DeviceState *dev, Error **errp)
{
    tensix_access_check_links(dev, errp);
}

static const Property tensix_aperture_properties[] = {
    DEFINE_PROP_LINK("cop", TensixApertureState, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
};

/* The state is the coprocessor's: it resets and migrates it. */
static void tensix_aperture_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);

    dc->desc = "Tensix register-file aperture";
    dc->realize = tensix_aperture_realize;
    device_class_set_props(dc, tensix_aperture_properties);
}

static const TypeInfo tensix_aperture_types[] = {
    {
        .name = TYPE_TENSIX_APERTURE,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixApertureState),
        .instance_init = tensix_aperture_init,
        .class_init = tensix_aperture_class_init,
    },
};

DEFINE_TYPES(tensix_aperture_types)
