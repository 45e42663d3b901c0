/*
 * A Tensix tile's place on the NoCs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_noc_port.h
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/tensix_l1.h"
#include "hw/tenstorrent/tensix_noc_port.h"

#define MMIO_BASE 0xff000000u
#define TILE_ADDRESS_END 0x100000000ull

/* Registers of a Tensix tile that a host would release its harts by */
#define SOFT_RESET_ADDRESS 0xffb121b0u
#define SOFT_RESET_ALL 0x47800u

bool tensix_noc_port_is_own(const TensixNocPort *s, TensixNocAddress a)
{
    a = tensix_noc_raw(a);
    return a.x == s->x && a.y == s->y;
}

/* --- this tile --- */

static const char *check_own(TensixNocAddress a, uint32_t size)
{
    if (a.addr < TENSIX_L1_SIZE && size <= TENSIX_L1_SIZE - a.addr) {
        return NULL;
    }
    if (a.addr >= MMIO_BASE && a.addr < TILE_ADDRESS_END) {
        return size == 4 && a.addr % 4 == 0
               ? NULL : "MMIO takes aligned words only";
    }
    return "outside L1 and MMIO of this tile";
}

static MemTxAttrs attrs_of(const TensixActor *by)
{
    return tensix_attrs(by->kind == TENSIX_BY_HOST ? TENSIX_REQUESTER_HOST
                                                   : TENSIX_REQUESTER_NOC);
}

/*
 * As the tile at a sees it: hart and pc are of another tile, or its own.  The
 * NIUs, whose actors alone are of a tile, have the coordinates raw.
 */
static TensixActor actor_at(const TensixNocPort *s, const TensixActor *by,
                            TensixNocAddress a)
{
    TensixActor seen = *by;

    if (by->kind == TENSIX_BY_NOC && tensix_actor_is_here(by)) {
        seen.tile_x = s->x;
        seen.tile_y = s->y;
    }
    if (seen.tile_x == a.x && seen.tile_y == a.y) {
        seen.tile_x = seen.tile_y = 0;
    }
    return seen;
}

/* Devices get the sender from the reporter. */
static MemTxResult access_device(TensixNocPort *s, const TensixActor *by,
                                 MemTxAttrs attrs, hwaddr addr, void *data,
                                 uint32_t size, bool is_write)
{
    const TensixActor *before = s->reporter->sender;
    MemTxResult result;

    s->reporter->sender = by;
    result = address_space_rw(&s->as, addr, attrs, data, size, is_write);
    s->reporter->sender = before;
    return result;
}

const char *tensix_noc_port_serve(TensixNocPort *s, const TensixActor *by,
                                  MemTxAttrs attrs, TensixNocAddress a,
                                  void *data, uint32_t size, bool is_write)
{
    const char *error = check_own(a, size);

    if (error) {
        return error;
    }
    if (!tensix_l1_has(a.addr, size)) {
        return access_device(s, by, attrs, a.addr, data, size,
                             is_write) == MEMTX_OK
               ? NULL : "nothing there that the NoC can reach";
    }
    if (is_write) {
        tensix_l1_write(s->cop, by, a.addr, data, size);
    } else {
        tensix_l1_read(s->cop, by, a.addr, data, size);
    }
    return NULL;
}

const char *tensix_noc_port_atomic(TensixNocPort *s, const TensixActor *by,
                                   TensixNocAddress a,
                                   uint32_t (*fn)(void *, uint32_t),
                                   void *opaque, uint32_t *old)
{
    uint32_t before;

    if (!tensix_l1_has(a.addr, sizeof(before))) {
        return "atomics need an address in L1";
    }
    before = tensix_l1_modify(s->cop, by, a.addr, fn, opaque);
    if (old) {
        *old = before;
    }
    return NULL;
}

/* --- software that expects more than memory --- */

/* A tile that is not modelled? */
static bool is_memory(const TensixNocPort *s, TensixNocAddress a)
{
    return !tensix_noc_tile(s->noc, a) && !tensix_noc_check_memory(a, 0);
}

static unsigned number_of(TensixNocAddress a)
{
    TensixNocAddress raw = tensix_noc_raw(a);

    return tensix_noc_tile_number(raw.x, raw.y);
}

/* This very tile is addressed, perhaps by a host that waits for what it does. */
static void report_memory_only(TensixNocPort *s, TensixNocAddress a)
{
    TensixTileKind kind = tensix_noc_kind(s->noc, a);

    if (kind != TENSIX_TILE_DRAM && kind != TENSIX_TILE_ARC &&
        is_memory(s, a) &&
        !test_and_set_bit(number_of(a), s->reported_memory)) {
        qemu_log_mask(LOG_UNIMP, "tensix: noc: tile (%u,%u), %s, is memory "
                      "only: nothing runs there\n", a.x, a.y,
                      tensix_noc_tile_name(kind));
    }
}

static bool releases_harts(TensixNocAddress a, const void *data, uint32_t size)
{
    return a.addr == SOFT_RESET_ADDRESS && size == sizeof(uint32_t) &&
           (ldl_le_p(data) & SOFT_RESET_ALL) != SOFT_RESET_ALL;
}

/* Software that waits for these harts learns that they never run. */
static void report_released(TensixNocPort *s, const TensixActor *by,
                            TensixNocAddress a, const void *data, uint32_t size)
{
    if (releases_harts(a, data, size) &&
        tensix_noc_kind(s->noc, a) == TENSIX_TILE_TENSIX &&
        is_memory(s, a) && tensix_once(&s->reported_reset, number_of(a))) {
        tensix_report_by(s->reporter, by, TENSIX_UNIMPLEMENTED,
                         "harts of tile (%u,%u) are released from reset: the "
                         "machine has no such tile (see option tiles=)",
                         a.x, a.y);
    }
}

const char *tensix_noc_port_read(TensixNocPort *s, const TensixActor *by,
                                 TensixNocAddress a, void *data, uint32_t size)
{
    TensixActor seen = actor_at(s, by, a);

    report_memory_only(s, a);
    return tensix_noc_access(s->noc, &seen, attrs_of(by), a, data, size,
                             false);
}

const char *tensix_noc_port_write(TensixNocPort *s, const TensixActor *by,
                                  TensixNocAddress a, const void *data,
                                  uint32_t size)
{
    report_memory_only(s, a);
    return tensix_noc_port_broadcast(s, by, a, data, size);
}

const char *tensix_noc_port_broadcast(TensixNocPort *s, const TensixActor *by,
                                      TensixNocAddress a, const void *data,
                                      uint32_t size)
{
    TensixActor seen = actor_at(s, by, a);

    report_released(s, by, a, data, size);
    return tensix_noc_access(s->noc, &seen, attrs_of(by), a, (void *)data,
                             size, true);
}

const char *tensix_noc_port_modify(TensixNocPort *s, const TensixActor *by,
                                   TensixNocAddress a,
                                   uint32_t (*fn)(void *opaque, uint32_t word),
                                   void *opaque, uint32_t *old)
{
    TensixActor seen = actor_at(s, by, a);

    report_memory_only(s, a);
    return tensix_noc_modify(s->noc, &seen, a, fn, opaque, old);
}

/* --- QOM --- */

static void tensix_noc_port_realize(DeviceState *dev, Error **errp)
{
    TensixNocPort *s = TENSIX_NOC_PORT(dev);

    if (tensix_access_check_links(dev, errp) &&
        tensix_noc_add(s->noc, s, s->x, s->y, errp)) {
        address_space_init(&s->as, s->noc_memory, TYPE_TENSIX_NOC_PORT);
        tensix_once_init(&s->reported_reset, tensix_cop_hart(s->cop, 0));
    }
}

static void tensix_noc_port_unrealize(DeviceState *dev)
{
    TensixNocPort *s = TENSIX_NOC_PORT(dev);

    tensix_once_finish(&s->reported_reset);
    tensix_noc_remove(s->noc, s->x, s->y);
    address_space_destroy(&s->as);
}

static const Property tensix_noc_port_properties[] = {
    DEFINE_PROP_LINK("noc", TensixNocPort, noc, TYPE_TENSIX_NOC,
                     TensixNocState *),
    DEFINE_PROP_LINK("noc-memory", TensixNocPort, noc_memory,
                     TYPE_MEMORY_REGION, MemoryRegion *),
    DEFINE_PROP_LINK("reporter", TensixNocPort, reporter,
                     TYPE_TENSIX_REPORTER, TensixReporter *),
    DEFINE_PROP_LINK("cop", TensixNocPort, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
    DEFINE_PROP_UINT32("x", TensixNocPort, x, 1),
    DEFINE_PROP_UINT32("y", TensixNocPort, y, 2),
};

static void tensix_noc_port_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);

    dc->desc = "a Tensix tile's place on the NoCs";
    dc->realize = tensix_noc_port_realize;
    dc->unrealize = tensix_noc_port_unrealize;
    device_class_set_props(dc, tensix_noc_port_properties);
}

static const TypeInfo tensix_noc_port_types[] = {
    {
        .name = TYPE_TENSIX_NOC_PORT,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixNocPort),
        .class_init = tensix_noc_port_class_init,
    },
};

DEFINE_TYPES(tensix_noc_port_types)
