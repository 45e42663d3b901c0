/*
 * The two NoCs of a chip.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_noc.h
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/bswap.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_noc_port.h"
#include "migration/vmstate.h"

#define DEFAULT_MAX_PAGES (1u << 18)

/* For accesses that cannot wait for an answer, or that no device answers. */
#define NO_HOST_MEMORY \
    "no host's memory can be reached behind the PCI Express tile"

/* --- which tile --- */

TensixNocAddress tensix_noc_raw(TensixNocAddress a)
{
    tensix_noc_translate(&a.x, &a.y);
    return a;
}

/* Raw coordinates may be of no tile at all. */
static TensixNocPort *tile_at(const TensixNocState *s, TensixNocAddress raw)
{
    return raw.x < TENSIX_NOC_COLUMNS && raw.y < TENSIX_NOC_ROWS
           ? s->tile[tensix_noc_tile_number(raw.x, raw.y)] : NULL;
}

TensixNocPort *tensix_noc_tile(const TensixNocState *s,
                               TensixNocAddress a)
{
    return tile_at(s, tensix_noc_raw(a));
}

TensixTileKind tensix_noc_kind(const TensixNocState *s, TensixNocAddress a)
{
    a = tensix_noc_raw(a);
    return tile_at(s, a) ? TENSIX_TILE_TENSIX : tensix_noc_tile_kind(a.x, a.y);
}

bool tensix_noc_add(TensixNocState *s, TensixNocPort *tile, uint32_t x,
                    uint32_t y, Error **errp)
{
    unsigned n = tensix_noc_tile_number(x, y);

    if (x >= TENSIX_NOC_COLUMNS || y >= TENSIX_NOC_ROWS) {
        error_setg(errp, "no tile at (%u,%u), the NoC has %u columns and %u "
                   "rows", x, y, TENSIX_NOC_COLUMNS, TENSIX_NOC_ROWS);
        return false;
    }
    if (s->tile[n]) {
        error_setg(errp, "two tiles at (%u,%u)", x, y);
        return false;
    }
    s->tile[n] = tile;
    tensix_arc_enable_column(&s->arc, x);
    return true;
}

void tensix_noc_remove(TensixNocState *s, uint32_t x, uint32_t y)
{
    s->tile[tensix_noc_tile_number(x, y)] = NULL;
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

/* --- tiles that are only memory --- */

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

    if (kind == TENSIX_TILE_ARC) {
        return tensix_arc_check(raw.addr, size);
    }
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

/* NULL, unless no NIU has such a register that can be read there. */
static const char *read_niu(TensixNocAddress raw, void *data, uint32_t size)
{
    uint64_t offset = raw.addr - TENSIX_NOC_NIU_BASE;

    if (size == sizeof(uint32_t) && offset == TENSIX_NIU_NODE_ID) {
        stl_le_p(data, tensix_noc_node_id(0, raw.x, raw.y));
    } else if (size == sizeof(uint32_t) && offset == TENSIX_NIU_CFG_0) {
        stl_le_p(data, TENSIX_NIU_CFG_0_TRANSLATES);
    } else {
        return "no register of this tile's NIU that is modelled";
    }
    return NULL;
}

static bool has_high_niu(TensixTileKind kind)
{
    return kind == TENSIX_TILE_PCIE || kind == TENSIX_TILE_PCIE_UNUSED ||
           kind == TENSIX_TILE_ARC;
}

/* Of the store: DRAM banks, then the other tiles. */
static uint32_t space_of(TensixTileKind kind, TensixNocAddress raw)
{
    return kind == TENSIX_TILE_DRAM
           ? tensix_noc_dram_bank(raw.x, raw.y)
           : TENSIX_DRAM_BANKS + tensix_noc_tile_number(raw.x, raw.y);
}

QEMU_BUILD_BUG_ON(TENSIX_DRAM_BANKS + TENSIX_NOC_TILES >
                  TENSIX_NOC_STORE_SPACES);

static const char *access_memory(TensixNocState *s, TensixNocAddress raw,
                                void *data, uint32_t size, bool is_write)
{
    TensixTileKind kind = tensix_noc_tile_kind(raw.x, raw.y);
    const char *error;
    uint32_t space;

    if (!is_write && raw.addr >= TENSIX_NOC_NIU_BASE && has_high_niu(kind)) {
        return read_niu(raw, data, size);
    }
    error = check_memory(kind, raw, size);
    if (error) {
        return error;
    }
    if (kind == TENSIX_TILE_ARC) {
        return tensix_arc_access(&s->arc, raw.addr, data, size, is_write);
    }
    space = space_of(kind, raw);
    if (!is_write) {
        tensix_noc_store_read(&s->store, space, raw.addr, data, size);
        return NULL;
    }
    return tensix_noc_store_write(&s->store, space, raw.addr, data, size)
           ? NULL : TOO_MANY_PAGES;
}

const char *tensix_noc_check_memory(TensixNocAddress a, uint32_t size)
{
    TensixNocAddress raw = tensix_noc_raw(a);

    return check_memory(tensix_noc_tile_kind(raw.x, raw.y), raw, size);
}

uint32_t tensix_noc_unwritten(TensixNocState *s, TensixNocAddress a,
                              uint32_t size, uint64_t *first)
{
    TensixNocAddress raw = tensix_noc_raw(a);
    TensixTileKind kind = tensix_noc_tile_kind(raw.x, raw.y);

    if (tile_at(s, raw) || kind == TENSIX_TILE_ARC ||
        check_memory(kind, raw, size)) {
        return 0;
    }
    return tensix_noc_store_unwritten(&s->store, space_of(kind, raw), raw.addr,
                                      size, first);
}

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

static const char *modify_memory(TensixNocState *s, TensixNocAddress raw,
                                uint32_t (*fn)(void *, uint32_t), void *opaque,
                                uint32_t *old)
{
    TensixTileKind kind = tensix_noc_tile_kind(raw.x, raw.y);
    const char *error = kind == TENSIX_TILE_ARC
                        ? "atomics at the ARC tile are not modelled"
                        : check_memory(kind, raw, sizeof(uint32_t));
    uint32_t *word = error ? NULL
                     : tensix_noc_store_word(&s->store, space_of(kind, raw),
                                             raw.addr);

    if (!word) {
        return error ?: TOO_MANY_PAGES;
    }
    modify_word(word, fn, opaque, old);
    return NULL;
}

/* --- any tile --- */

const char *tensix_noc_access(TensixNocState *s, const TensixActor *by,
                              MemTxAttrs attrs, TensixNocAddress a,
                              void *data, uint32_t size, bool is_write)
{
    TensixNocAddress raw = tensix_noc_raw(a);
    TensixNocPort *tile = tile_at(s, raw);
    const char *error = tile
                        ? tensix_noc_port_serve(tile, by, attrs, raw, data,
                                                size, is_write)
                        : access_memory(s, raw, data, size, is_write);

    if (error && !is_write) {
        memset(data, 0, size);
    }
    return error;
}

const char *tensix_noc_modify(TensixNocState *s, const TensixActor *by,
                              TensixNocAddress a,
                              uint32_t (*fn)(void *, uint32_t),
                              void *opaque, uint32_t *old)
{
    TensixNocAddress raw = tensix_noc_raw(a);
    TensixNocPort *tile = tile_at(s, raw);

    raw.addr &= ~3ull;
    return tile ? tensix_noc_port_atomic(tile, by, raw, fn, opaque, old)
                : modify_memory(s, raw, fn, opaque, old);
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
    const char *error = tensix_noc_access(opaque, &outside, attrs,
                                          window_address(offset), bytes,
                                          size, false);

    *data = ldq_le_p(bytes);
    return error ? MEMTX_ERROR : MEMTX_OK;
}

static MemTxResult window_write(void *opaque, hwaddr offset, uint64_t data,
                                unsigned size, MemTxAttrs attrs)
{
    uint8_t bytes[8];

    stq_le_p(bytes, data);
    return tensix_noc_access(opaque, &outside, attrs,
                             window_address(offset), bytes, size, true)
           ? MEMTX_ERROR : MEMTX_OK;
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
    tensix_arc_init(&s->arc);
    memory_region_init_io(&s->window, obj, &window_ops, s,
                          "tensix-noc-window", TENSIX_NOC_WINDOW_SIZE);
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->window);
}

static void tensix_noc_finalize(Object *obj)
{
    TensixNocState *s = TENSIX_NOC(obj);

    tensix_noc_store_finish(&s->store);
    tensix_arc_finish(&s->arc);
}

static const VMStateDescription vmstate_tensix_noc = {
    .name = TYPE_TENSIX_NOC,
    .version_id = 2,
    .minimum_version_id = 2,
    .fields = (const VMStateField[]) {
        VMSTATE_TENSIX_NOC_STORE(store, TensixNocState),
        VMSTATE_TENSIX_NOC_STORE(arc.memory, TensixNocState),
        VMSTATE_END_OF_LIST()
    }
};

static const Property tensix_noc_properties[] = {
    DEFINE_PROP_UINT32("x", TensixNocState, x, 1),
    DEFINE_PROP_UINT32("y", TensixNocState, y, 2),
    DEFINE_PROP_UINT32("max-pages", TensixNocState, store.max_pages,
                       DEFAULT_MAX_PAGES),
};

static void tensix_noc_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);

    dc->desc = "NoCs of Tensix tiles, with memory for all other tiles";
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
