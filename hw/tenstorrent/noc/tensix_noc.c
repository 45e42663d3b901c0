/*
 * The two NoCs as one Tensix tile sees them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_noc.h
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/bitmap.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/tensix_l1.h"
#include "hw/tenstorrent/tensix_noc.h"
#include "migration/vmstate.h"

#define DEFAULT_MAX_PAGES (1u << 18)
#define MMIO_BASE 0xff000000u
#define TILE_ADDRESS_END 0x100000000ull

/* Registers of a Tensix tile that a host would release its harts by */
#define SOFT_RESET_ADDRESS 0xffb121b0u
#define SOFT_RESET_ALL 0x47800u

/* Of accesses that cannot wait for an answer, or have nobody to ask. */
#define NO_HOST_MEMORY \
    "no host's memory can be reached behind the PCI Express tile"

/* --- which tile --- */

/* The same place by NoC 0's raw coordinates. */
static TensixNocAddress raw_place(TensixNocAddress a)
{
    tensix_noc_translate(&a.x, &a.y);
    return a;
}

static bool raw_is_own(const TensixNocState *s, TensixNocAddress a)
{
    return a.x == s->x && a.y == s->y;
}

bool tensix_noc_is_own(const TensixNocState *s, TensixNocAddress a)
{
    return raw_is_own(s, raw_place(a));
}

TensixTileKind tensix_noc_kind(const TensixNocState *s, TensixNocAddress a)
{
    a = raw_place(a);
    return raw_is_own(s, a) ? TENSIX_TILE_TENSIX
                            : tensix_noc_tile_kind(a.x, a.y);
}

static unsigned tile_number(TensixNocAddress raw)
{
    return raw.y * TENSIX_NOC_COLUMNS + raw.x;
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

static const char *access_own(TensixNocState *s, const TensixActor *by,
                              MemTxAttrs attrs, TensixNocAddress a, void *data,
                              uint32_t size, bool is_write)
{
    const char *error = check_own(a, size);

    if (error) {
        return error;
    }
    if (!tensix_l1_has(a.addr, size)) {
        return address_space_rw(&s->as, a.addr, attrs, data, size,
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

/* --- the host --- */

void tensix_noc_set_host(TensixNocState *s, const TensixNocHostOps *ops,
                         void *opaque)
{
    assert(!ops || !s->host_ops);
    s->host_ops = ops;
    s->host = opaque;
}

bool tensix_noc_has_host(const TensixNocState *s)
{
    return s->host_ops;
}

const char *tensix_noc_host_start(TensixNocState *s, TensixNocHostRequest *r)
{
    if (!s->host_ops) {
        return NO_HOST_MEMORY;
    }
    s->host_ops->start(s->host, r);
    return NULL;
}

void tensix_noc_host_cancel(TensixNocState *s, TensixNocHostRequest *r)
{
    s->host_ops->cancel(s->host, r);
}

/* --- all other tiles --- */

#define TOO_MANY_PAGES "more memory of other tiles than max-pages"

/* NULL: there is memory of this size at a raw place. */
static const char *check_memory(TensixTileKind kind, TensixNocAddress raw,
                                uint32_t size)
{
    static const char *const errors[TENSIX_TILE_KINDS] = {
        [TENSIX_TILE_NONE] = "there is no such tile",
        [TENSIX_TILE_EMPTY] = "there is a router and no tile",
        [TENSIX_TILE_PCIE] = NO_HOST_MEMORY,
        [TENSIX_TILE_PCIE_UNUSED] =
            "this PCI Express tile is not the one that has a host",
    };

    if (kind == TENSIX_TILE_DRAM &&
        (raw.addr >= TENSIX_DRAM_BANK_SIZE ||
         size > TENSIX_DRAM_BANK_SIZE - raw.addr)) {
        return "beyond the 4 GiB of a DRAM bank";
    }
    if (!errors[kind] && size && raw.addr > UINT64_MAX - (size - 1)) {
        return "beyond the last address of a tile";
    }
    return errors[kind];
}

/* Of the store: DRAM banks, then the other tiles. */
static uint32_t space_of(TensixTileKind kind, TensixNocAddress raw)
{
    return kind == TENSIX_TILE_DRAM ? tensix_noc_dram_bank(raw.x, raw.y)
                                    : TENSIX_DRAM_BANKS + tile_number(raw);
}

QEMU_BUILD_BUG_ON(TENSIX_DRAM_BANKS + TENSIX_NOC_TILES >
                  TENSIX_NOC_STORE_SPACES);

static const char *access_other(TensixNocState *s, TensixNocAddress raw,
                                void *data, uint32_t size, bool is_write)
{
    TensixTileKind kind = tensix_noc_tile_kind(raw.x, raw.y);
    const char *error = check_memory(kind, raw, size);
    uint32_t space;

    if (error) {
        return error;
    }
    space = space_of(kind, raw);
    if (!is_write) {
        tensix_noc_store_read(&s->store, space, raw.addr, data, size);
        return NULL;
    }
    return tensix_noc_store_write(&s->store, space, raw.addr, data, size)
           ? NULL : TOO_MANY_PAGES;
}

static const char *access_tile(TensixNocState *s, const TensixActor *by,
                               MemTxAttrs attrs, TensixNocAddress a, void *data,
                               uint32_t size, bool is_write)
{
    TensixNocAddress raw = raw_place(a);
    const char *error = raw_is_own(s, raw)
                        ? access_own(s, by, attrs, raw, data, size, is_write)
                        : access_other(s, raw, data, size, is_write);

    if (error && !is_write) {
        memset(data, 0, size);
    }
    return error;
}

uint32_t tensix_noc_unwritten(TensixNocState *s, TensixNocAddress a,
                              uint32_t size, uint64_t *first)
{
    TensixNocAddress raw = raw_place(a);
    TensixTileKind kind = tensix_noc_tile_kind(raw.x, raw.y);

    if (raw_is_own(s, raw) || check_memory(kind, raw, size)) {
        return 0;
    }
    return tensix_noc_store_unwritten(&s->store, space_of(kind, raw), raw.addr,
                                      size, first);
}

/* --- who expects more than memory --- */

/*
 * Somebody addresses this very tile: perhaps a host that will wait for what it
 * does.  Said once a tile.
 */
static void tell_memory_only(TensixNocState *s, TensixNocAddress a)
{
    TensixNocAddress raw = raw_place(a);
    TensixTileKind kind = tensix_noc_kind(s, raw);

    if (raw_is_own(s, raw) || kind == TENSIX_TILE_DRAM ||
        check_memory(kind, raw, 0) ||
        test_and_set_bit(tile_number(raw), s->told_memory)) {
        return;
    }
    qemu_log_mask(LOG_UNIMP, "tensix: noc: tile (%u,%u), %s, is memory only: "
                  "nothing runs there\n", a.x, a.y,
                  tensix_noc_tile_name(kind));
}

static bool releases_harts(TensixNocState *s, TensixNocAddress raw,
                           const void *data, uint32_t size)
{
    return raw.addr == SOFT_RESET_ADDRESS && size == sizeof(uint32_t) &&
           (ldl_le_p(data) & SOFT_RESET_ALL) != SOFT_RESET_ALL &&
           tensix_noc_tile_kind(raw.x, raw.y) == TENSIX_TILE_TENSIX &&
           !raw_is_own(s, raw);
}

/* Whoever waits for these harts learns that they never run. */
static void tell_released(TensixNocState *s, const TensixActor *by,
                          TensixNocAddress a, const void *data, uint32_t size)
{
    TensixNocAddress raw = raw_place(a);

    if (releases_harts(s, raw, data, size) &&
        !test_and_set_bit(tile_number(raw), s->told_reset)) {
        tensix_report_by(s->reporter, by, TENSIX_UNIMPLEMENTED,
                         "harts of tile (%u,%u) are released from reset: "
                         "only tile (%u,%u) has any", a.x, a.y, s->x, s->y);
    }
}

const char *tensix_noc_read(TensixNocState *s, const TensixActor *by,
                            TensixNocAddress a, void *data, uint32_t size)
{
    tell_memory_only(s, a);
    return access_tile(s, by, attrs_of(by), a, data, size, false);
}

const char *tensix_noc_write(TensixNocState *s, const TensixActor *by,
                             TensixNocAddress a, const void *data,
                             uint32_t size)
{
    tell_memory_only(s, a);
    return tensix_noc_broadcast(s, by, a, data, size);
}

const char *tensix_noc_broadcast(TensixNocState *s, const TensixActor *by,
                                 TensixNocAddress a, const void *data,
                                 uint32_t size)
{
    tell_released(s, by, a, data, size);
    return access_tile(s, by, attrs_of(by), a, (void *)data, size, true);
}

/* --- atomics --- */

static void modify_word(void *host, uint32_t (*fn)(void *, uint32_t),
                        void *opaque, uint32_t *old)
{
    uint32_t before = qatomic_read((uint32_t *)host);
    uint32_t seen = before;

    do {
        uint32_t after = cpu_to_le32(fn(opaque, le32_to_cpu(seen)));

        before = seen;
        seen = qatomic_cmpxchg((uint32_t *)host, before, after);
    } while (seen != before);
    if (old) {
        *old = le32_to_cpu(before);
    }
}

static const char *modify_own(TensixNocState *s, const TensixActor *by,
                              TensixNocAddress a,
                              uint32_t (*fn)(void *, uint32_t), void *opaque,
                              uint32_t *old)
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

static const char *modify_other(TensixNocState *s, TensixNocAddress raw,
                                uint32_t (*fn)(void *, uint32_t), void *opaque,
                                uint32_t *old)
{
    TensixTileKind kind = tensix_noc_tile_kind(raw.x, raw.y);
    const char *error = check_memory(kind, raw, sizeof(uint32_t));
    uint32_t *word = error ? NULL
                     : tensix_noc_store_word(&s->store, space_of(kind, raw),
                                             raw.addr);

    if (!word) {
        return error ?: TOO_MANY_PAGES;
    }
    modify_word(word, fn, opaque, old);
    return NULL;
}

const char *tensix_noc_modify(TensixNocState *s, const TensixActor *by,
                              TensixNocAddress a,
                              uint32_t (*fn)(void *opaque, uint32_t word),
                              void *opaque, uint32_t *old)
{
    TensixNocAddress raw = raw_place(a);

    raw.addr &= ~3ull;
    if (raw_is_own(s, raw)) {
        return modify_own(s, by, raw, fn, opaque, old);
    }
    tell_memory_only(s, a);
    return modify_other(s, raw, fn, opaque, old);
}

/* --- the window, for tests and monitors --- */

static const TensixActor outside = {
    .event = 1, .kind = TENSIX_BY_DEBUGGER, .hart = TENSIX_HART_NONE,
};

static TensixNocAddress window_address(hwaddr offset)
{
    uint32_t tile = offset >> TENSIX_NOC_WINDOW_SHIFT;

    return (TensixNocAddress) {
        .x = extract32(tile, 0, 6),
        .y = extract32(tile, 6, 6),
        .addr = extract64(offset, 0, TENSIX_NOC_WINDOW_SHIFT),
    };
}

static MemTxResult window_read(void *opaque, hwaddr offset, uint64_t *data,
                               unsigned size, MemTxAttrs attrs)
{
    uint8_t bytes[8] = { 0 };
    const char *error = access_tile(opaque, &outside, attrs,
                                    window_address(offset), bytes, size,
                                    false);

    *data = ldq_le_p(bytes);
    return error ? MEMTX_ERROR : MEMTX_OK;
}

static MemTxResult window_write(void *opaque, hwaddr offset, uint64_t data,
                                unsigned size, MemTxAttrs attrs)
{
    uint8_t bytes[8];

    stq_le_p(bytes, data);
    return access_tile(opaque, &outside, attrs, window_address(offset), bytes,
                       size, true) ? MEMTX_ERROR : MEMTX_OK;
}

static const MemoryRegionOps window_ops = {
    .read_with_attrs = window_read,
    .write_with_attrs = window_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

/* --- QOM --- */

static void tensix_noc_init(Object *obj)
{
    TensixNocState *s = TENSIX_NOC(obj);

    tensix_noc_store_init(&s->store);
    memory_region_init_io(&s->window, obj, &window_ops, s,
                          "tensix-noc-window", TENSIX_NOC_WINDOW_SIZE);
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->window);
}

static void tensix_noc_finalize(Object *obj)
{
    tensix_noc_store_finish(&TENSIX_NOC(obj)->store);
}

static void tensix_noc_realize(DeviceState *dev, Error **errp)
{
    TensixNocState *s = TENSIX_NOC(dev);

    if (!s->noc_memory || !s->reporter || !s->cop) {
        error_setg(errp, "%s: link property noc-memory, reporter or cop is not set",
                   TYPE_TENSIX_NOC);
        return;
    }
    if (s->x >= TENSIX_NOC_COLUMNS || s->y >= TENSIX_NOC_ROWS) {
        error_setg(errp, "%s: no tile at (%u,%u), the NoC has %u columns and "
                   "%u rows", TYPE_TENSIX_NOC, s->x, s->y, TENSIX_NOC_COLUMNS,
                   TENSIX_NOC_ROWS);
        return;
    }
    address_space_init(&s->as, s->noc_memory, TYPE_TENSIX_NOC);
}

static void tensix_noc_unrealize(DeviceState *dev)
{
    address_space_destroy(&TENSIX_NOC(dev)->as);
}

static const VMStateDescription vmstate_tensix_noc = {
    .name = TYPE_TENSIX_NOC,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_TENSIX_NOC_STORE(store, TensixNocState),
        VMSTATE_END_OF_LIST()
    }
};

static const Property tensix_noc_properties[] = {
    DEFINE_PROP_LINK("noc-memory", TensixNocState, noc_memory,
                     TYPE_MEMORY_REGION, MemoryRegion *),
    DEFINE_PROP_LINK("reporter", TensixNocState, reporter,
                     TYPE_TENSIX_REPORTER, TensixReporter *),
    DEFINE_PROP_LINK("cop", TensixNocState, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
    DEFINE_PROP_UINT32("x", TensixNocState, x, 1),
    DEFINE_PROP_UINT32("y", TensixNocState, y, 2),
    DEFINE_PROP_UINT32("max-pages", TensixNocState, store.max_pages,
                       DEFAULT_MAX_PAGES),
};

static void tensix_noc_class_init(ObjectClass *oc, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);

    dc->desc = "NoC of a Tensix tile, with memory for all other tiles";
    dc->realize = tensix_noc_realize;
    dc->unrealize = tensix_noc_unrealize;
    dc->vmsd = &vmstate_tensix_noc;
    device_class_set_props(dc, tensix_noc_properties);
}

static const TypeInfo tensix_noc_types[] = {
    {
        .name = TYPE_TENSIX_NOC,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixNocState),
        .instance_init = tensix_noc_init,
        .instance_finalize = tensix_noc_finalize,
        .class_init = tensix_noc_class_init,
    },
};

DEFINE_TYPES(tensix_noc_types)
