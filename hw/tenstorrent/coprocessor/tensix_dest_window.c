/*
 * The T harts' window on the coprocessor's Dest register file.
 * (BH TensixCoprocessor/Dst.md, "RISCV access to Dst")
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_dest_window.h
 *
 * The shape of the window (element size and conversions) follows the thread's
 * RISC_DEST_ACCESS_CTRL; the core knows it.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_dest_window.h"
#include "../trace.h"

static void dest_window_undefined(TensixDestWindowPort *p, const char *what,
                                  hwaddr addr, unsigned size, MemTxAttrs attrs)
{
    TensixHart *hart = p->dev->hart[TENSIX_HART_TRISC0 + p->thread];

    if (!attrs.debug) {
        tensix_report_access(hart, attrs, TENSIX_UNDEFINED_BEHAVIOUR,
                             "Dest window: %s of %u bytes at 0x%" HWADDR_PRIx
                             " does not fit RISC_DEST_ACCESS_CTRL_SEC%u", what,
                             size, addr, p->thread);
    }
}

static MemTxResult dest_window_read(void *opaque, hwaddr addr, uint64_t *data,
                                    unsigned size, MemTxAttrs attrs)
{
    TensixDestWindowPort *p = opaque;
    TensixCore *core = tensix_cop_lock(p->dev->cop);
    uint8_t buf[sizeof(uint64_t)] = { 0 };
    bool defined = attrs.debug
        ? tensix_dest_window_peek(core, p->thread, addr, buf, size)
        : tensix_dest_window_read(core, p->thread, addr, buf, size);

    tensix_cop_release(p->dev->cop);
    *data = ldn_le_p(buf, size);
    if (!defined) {
        dest_window_undefined(p, "load", addr, size, attrs);
    }
    trace_tensix_dest_window_read(p->thread, addr, *data, size);
    return MEMTX_OK;
}

static MemTxResult dest_window_write(void *opaque, hwaddr addr, uint64_t data,
                                     unsigned size, MemTxAttrs attrs)
{
    TensixDestWindowPort *p = opaque;
    uint8_t buf[sizeof(uint64_t)];
    bool defined;

    if (attrs.debug) {
        return MEMTX_OK;
    }
    trace_tensix_dest_window_write(p->thread, addr, data, size);
    stn_le_p(buf, size, data);
    defined = tensix_dest_window_write(tensix_cop_lock(p->dev->cop), p->thread,
                                       addr, buf, size);
    tensix_cop_unlock(p->dev->cop);
    if (!defined) {
        dest_window_undefined(p, "store", addr, size, attrs);
    }
    return MEMTX_OK;
}

/*
 * Scalar accesses have up to 4 bytes; a vector load or store of TRISC2 comes
 * as one access an element.
 */
static const MemoryRegionOps dest_window_ops = {
    .read_with_attrs = dest_window_read,
    .write_with_attrs = dest_window_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

static void tensix_dest_window_init(Object *obj)
{
    TensixDestWindowState *s = TENSIX_DEST_WINDOW(obj);

    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        TensixDestWindowPort *p = &s->port[i];

        p->dev = s;
        p->thread = i;
        memory_region_init_io(&p->mmio, obj, &dest_window_ops, p,
                              "tensix-dest-window", TENSIX_DEST_WINDOW_SIZE);
        sysbus_init_mmio(SYS_BUS_DEVICE(obj), &p->mmio);
    }
}

static void tensix_dest_window_realize(DeviceState *dev, Error **errp)
{
    tensix_access_check_links(dev, errp);
}

static const Property tensix_dest_window_properties[] = {
    TENSIX_PROP_HARTS(TensixDestWindowState),
    DEFINE_PROP_LINK("cop", TensixDestWindowState, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
};

/* The state is the coprocessor's: it resets and migrates it. */
static void tensix_dest_window_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);

    dc->desc = "Tensix Dest window";
    dc->realize = tensix_dest_window_realize;
    device_class_set_props(dc, tensix_dest_window_properties);
}

static const TypeInfo tensix_dest_window_types[] = {
    {
        .name = TYPE_TENSIX_DEST_WINDOW,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixDestWindowState),
        .instance_init = tensix_dest_window_init,
        .class_init = tensix_dest_window_class_init,
    },
};

DEFINE_TYPES(tensix_dest_window_types)
