/*
 * TENSIX_ON_REGISTER: each access to the registers of a tile's devices.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * While the event has a subscriber, a region lies above each mapping of a
 * device, forwards what arrives and posts it when the device has answered.  A
 * device that stalls the hart leaves by a long jump, and nothing is posted until
 * the hart's retry succeeds.  Without a subscriber these regions are disabled,
 * and an access goes to the device as it does otherwise.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_tile.h"
#include "exec/memop.h"

/* One mapping of a device's region, and the region above it. */
typedef struct RegisterTap {
    TensixTile *tile;
    const char *device;
    MemoryRegion *container, *target;
    hwaddr base;                   /* in the container */
    uint32_t view;
    MemoryRegionOps ops;           /* sizes are the target's */
    MemoryRegion mr;
} RegisterTap;

static TensixActor actor_of(const RegisterTap *tap, MemTxAttrs attrs)
{
    unsigned hart = tensix_attrs_of_hart(attrs)
                    ? attrs.requester_id - TENSIX_REQUESTER_HART : 0;

    return tensix_access_actor(&tap->tile->hart[hart], attrs);
}

/* The actor is known before the access, which may reset the hart. */
static TensixRegisterEvent begin_event(const RegisterTap *tap, hwaddr offset,
                                       unsigned size, MemTxAttrs attrs)
{
    return (TensixRegisterEvent) {
        .attrs = attrs, .by = actor_of(tap, attrs), .device = tap->device,
        .view = tap->view, .address = tap->base + offset, .size = size,
    };
}

static MemTxResult end_event(const RegisterTap *tap, TensixRegisterEvent *event,
                             MemTxResult result)
{
    if (result == MEMTX_OK && !event->attrs.debug) {
        tensix_bus_post(&tap->tile->bus, TENSIX_ON_REGISTER, event);
    }
    return result;
}

static MemTxResult tap_read(void *opaque, hwaddr offset, uint64_t *data,
                            unsigned size, MemTxAttrs attrs)
{
    RegisterTap *tap = opaque;
    TensixRegisterEvent event = begin_event(tap, offset, size, attrs);
    MemTxResult result = memory_region_dispatch_read(
        tap->target, offset, data, size_memop(size) | MO_LE, attrs);

    event.value = *data;
    return end_event(tap, &event, result);
}

static MemTxResult tap_write(void *opaque, hwaddr offset, uint64_t data,
                             unsigned size, MemTxAttrs attrs)
{
    RegisterTap *tap = opaque;
    TensixRegisterEvent event = begin_event(tap, offset, size, attrs);
    MemTxResult result = memory_region_dispatch_write(
        tap->target, offset, data, size_memop(size) | MO_LE, attrs);

    event.value = data;
    event.store = true;
    return end_event(tap, &event, result);
}

static void init_region(RegisterTap *tap)
{
    tap->ops = (MemoryRegionOps) {
        .read_with_attrs = tap_read,
        .write_with_attrs = tap_write,
        .endianness = DEVICE_LITTLE_ENDIAN,
        .valid = tap->target->ops->valid,
        .impl = { .min_access_size = 1, .max_access_size = 8,
                  .unaligned = tap->target->ops->impl.unaligned },
    };
    memory_region_init_io(&tap->mr, OBJECT(tap->tile), &tap->ops, tap,
                          "tensix-register-tap",
                          memory_region_size(tap->target));
    /* a stall leaves by a long jump, and a device may access another */
    tap->mr.disable_reentrancy_guard = true;
    memory_region_add_subregion_overlap(tap->container, tap->base, &tap->mr, 1);
}

static void enable(TensixTile *tile, bool enabled)
{
    memory_region_transaction_begin();
    for (unsigned i = 0; i < tile->taps->len; i++) {
        RegisterTap *tap = g_ptr_array_index(tile->taps, i);

        if (!tap->ops.read_with_attrs) {
            init_region(tap);
        }
        memory_region_set_enabled(&tap->mr, enabled);
    }
    memory_region_transaction_commit();
}

static void on_listener(Notifier *n, void *data)
{
    TensixTile *tile = container_of(n, TensixTile, registers_listener);
    const TensixBusEvent *event = data;

    if (*event == TENSIX_ON_REGISTER) {
        enable(tile, tensix_bus_has_listener(&tile->bus, TENSIX_ON_REGISTER));
    }
}

void tensix_tile_tap(TensixTile *tile, const char *device, unsigned view,
                     MemoryRegion *container, MemoryRegion *mr, hwaddr base)
{
    RegisterTap *tap = g_new0(RegisterTap, 1);

    tap->tile = tile;
    tap->device = device;
    tap->container = container;
    tap->target = mr;
    tap->base = base;
    tap->view = view;
    g_ptr_array_add(tile->taps, tap);
}

void tensix_tile_init_taps(TensixTile *tile)
{
    tile->taps = g_ptr_array_new();
    tile->registers_listener.notify = on_listener;
    tensix_bus_on_listener(&tile->bus, &tile->registers_listener);
}
