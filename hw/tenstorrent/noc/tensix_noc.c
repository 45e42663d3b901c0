/*
 * The two NoCs as one Tensix tile sees them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_noc.h
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/bswap.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/tensix_noc.h"
#include "migration/vmstate.h"

#define PAGE_BYTES 4096
#define DEFAULT_MAX_PAGES (1u << 18)
#define MMIO_BASE 0xff000000u
#define TILE_ADDRESS_END 0x100000000ull

/* Key of a page of another tile; in the order of migration. */
typedef struct NocKey {
    uint32_t tile;                 /* y << 6 | x */
    uint64_t page;                 /* address / PAGE_BYTES */
} NocKey;

typedef struct NocPage {
    uint8_t data[PAGE_BYTES];
} NocPage;

static gint key_compare(gconstpointer a, gconstpointer b, gpointer user_data)
{
    const NocKey *p = a, *q = b;

    if (p->tile != q->tile) {
        return p->tile < q->tile ? -1 : 1;
    }
    return p->page < q->page ? -1 : p->page > q->page;
}

static GTree *new_pages(void)
{
    return g_tree_new_full(key_compare, NULL, g_free, g_free);
}

/* --- which tile --- */

bool tensix_noc_is_own(const TensixNocState *s, TensixNocAddress a)
{
    return a.x == s->x && a.y == s->y;
}

TensixTileKind tensix_noc_kind(const TensixNocState *s, TensixNocAddress a)
{
    bool cpu_or_dram_column = a.x == 0 || a.x == 8 || a.x == 9;

    if (tensix_noc_is_own(s, a)) {
        return TENSIX_TILE_TENSIX;
    }
    if (a.x < TENSIX_NOC_COLUMNS && !cpu_or_dram_column &&
        a.y >= 2 && a.y < TENSIX_NOC_ROWS) {
        return TENSIX_TILE_TENSIX;
    }
    if ((a.x == 2 && a.y == 0) || (a.x == 19 && a.y == 24)) {
        return TENSIX_TILE_PCIE;
    }
    if (a.y == 1 || (a.y == 25 && a.x >= 20 && a.x < 32)) {
        return TENSIX_TILE_ETHERNET;
    }
    return TENSIX_TILE_OTHER;
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

static const char *access_own(TensixNocState *s, TensixNocAddress a,
                              MemTxAttrs attrs, void *data, uint32_t size,
                              bool is_write)
{
    const char *error = check_own(a, size);

    if (error) {
        return error;
    }
    if (address_space_rw(&s->as, a.addr, attrs, data, size, is_write) !=
        MEMTX_OK) {
        return "nothing there that the NoC can reach";
    }
    return NULL;
}

/* --- the host --- */

/* Of accesses that cannot wait for an answer, or have nobody to ask. */
#define NO_HOST_MEMORY \
    "no host's memory can be reached behind the PCI Express tile"

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

static NocPage *find_page(TensixNocState *s, TensixNocAddress a)
{
    NocKey key = { .tile = a.y << 6 | a.x, .page = a.addr / PAGE_BYTES };

    return g_tree_lookup(s->pages, &key);
}

/* NULL if no further page may be had. */
static NocPage *make_page(TensixNocState *s, TensixNocAddress a)
{
    NocPage *page = find_page(s, a);
    NocKey *key;

    if (page || g_tree_nnodes(s->pages) >= s->max_pages) {
        return page;
    }
    key = g_new(NocKey, 1);
    *key = (NocKey) { .tile = a.y << 6 | a.x, .page = a.addr / PAGE_BYTES };
    page = g_new0(NocPage, 1);
    g_tree_insert(s->pages, key, page);
    return page;
}

static const char *access_page(TensixNocState *s, TensixNocAddress a,
                               void *data, uint32_t size, bool is_write)
{
    NocPage *page = is_write ? make_page(s, a) : find_page(s, a);
    uint32_t offset = a.addr % PAGE_BYTES;

    if (is_write && !page) {
        return "more memory of other tiles than max-pages";
    }
    if (is_write) {
        memcpy(page->data + offset, data, size);
    } else if (page) {
        memcpy(data, page->data + offset, size);
    } else {
        memset(data, 0, size);
    }
    return NULL;
}

static const char *access_other(TensixNocState *s, TensixNocAddress a,
                                void *data, uint32_t size, bool is_write)
{
    uint8_t *bytes = data;
    const char *error = NULL;

    while (size && !error) {
        uint32_t n = MIN(size, PAGE_BYTES - a.addr % PAGE_BYTES);

        error = access_page(s, a, bytes, n, is_write);
        bytes += n;
        a.addr += n;
        size -= n;
    }
    return error;
}

static const char *access_by_kind(TensixNocState *s, TensixNocAddress a,
                                  MemTxAttrs attrs, void *data, uint32_t size,
                                  bool is_write)
{
    if (tensix_noc_is_own(s, a)) {
        return access_own(s, a, attrs, data, size, is_write);
    }
    if (tensix_noc_kind(s, a) == TENSIX_TILE_PCIE) {
        return NO_HOST_MEMORY;
    }
    return access_other(s, a, data, size, is_write);
}

static const char *access_tile(TensixNocState *s, TensixNocAddress a,
                               MemTxAttrs attrs, void *data, uint32_t size,
                               bool is_write)
{
    const char *error = access_by_kind(s, a, attrs, data, size, is_write);

    if (error && !is_write) {
        memset(data, 0, size);
    }
    return error;
}

/* Whoever makes a request hears of its failure. */
static const MemTxAttrs request_attrs = { .requester_id = TENSIX_NOC_REQUESTER };

const char *tensix_noc_read(TensixNocState *s, TensixNocAddress a, void *data,
                            uint32_t size)
{
    return access_tile(s, a, request_attrs, data, size, false);
}

const char *tensix_noc_write(TensixNocState *s, TensixNocAddress a,
                             const void *data, uint32_t size)
{
    return access_tile(s, a, request_attrs, (void *)data, size, true);
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

/* Mapping and unmapping, unlike a plain pointer, tells who executes L1. */
static const char *modify_own(TensixNocState *s, TensixNocAddress a,
                              uint32_t (*fn)(void *, uint32_t), void *opaque,
                              uint32_t *old)
{
    hwaddr len = sizeof(uint32_t);
    void *host;

    if (a.addr > TENSIX_L1_SIZE - sizeof(uint32_t)) {
        return "atomics need an address in L1";
    }
    host = address_space_map(&s->as, a.addr, &len, true,
                             MEMTXATTRS_UNSPECIFIED);
    if (!host || len < sizeof(uint32_t)) {
        return "L1 cannot be reached";
    }
    modify_word(host, fn, opaque, old);
    address_space_unmap(&s->as, host, len, true, len);
    return NULL;
}

const char *tensix_noc_modify(TensixNocState *s, TensixNocAddress a,
                              uint32_t (*fn)(void *opaque, uint32_t word),
                              void *opaque, uint32_t *old)
{
    NocPage *page;

    a.addr &= ~3ull;
    if (tensix_noc_is_own(s, a)) {
        return modify_own(s, a, fn, opaque, old);
    }
    if (tensix_noc_kind(s, a) == TENSIX_TILE_PCIE) {
        return NO_HOST_MEMORY;
    }
    page = make_page(s, a);
    if (!page) {
        return "more memory of other tiles than max-pages";
    }
    modify_word(page->data + a.addr % PAGE_BYTES, fn, opaque, old);
    return NULL;
}

/* --- the window --- */

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
    const char *error = access_tile(opaque, window_address(offset), attrs,
                                    bytes, size, false);

    *data = ldq_le_p(bytes);
    return error ? MEMTX_ERROR : MEMTX_OK;
}

static MemTxResult window_write(void *opaque, hwaddr offset, uint64_t data,
                                unsigned size, MemTxAttrs attrs)
{
    uint8_t bytes[8];

    stq_le_p(bytes, data);
    return access_tile(opaque, window_address(offset), attrs, bytes, size, true)
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

    s->pages = new_pages();
    memory_region_init_io(&s->window, obj, &window_ops, s,
                          "tensix-noc-window", TENSIX_NOC_WINDOW_SIZE);
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->window);
}

static void tensix_noc_finalize(Object *obj)
{
    g_tree_destroy(TENSIX_NOC(obj)->pages);
}

static void tensix_noc_realize(DeviceState *dev, Error **errp)
{
    TensixNocState *s = TENSIX_NOC(dev);

    if (!s->noc_memory) {
        error_setg(errp, "%s: link property noc-memory is not set",
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

static int tensix_noc_pre_load(void *opaque)
{
    TensixNocState *s = opaque;

    g_tree_destroy(s->pages);
    s->pages = new_pages();
    return 0;
}

static const VMStateDescription vmstate_noc_key = {
    .name = "tensix-noc/key",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(tile, NocKey),
        VMSTATE_UINT64(page, NocKey),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_noc_page = {
    .name = "tensix-noc/page",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8_ARRAY(data, NocPage, PAGE_BYTES),
        VMSTATE_END_OF_LIST()
    }
};

/* As VMSTATE_GTREE_V wants them: value, key */
static const VMStateDescription vmstate_noc_pages[] = {
    vmstate_noc_page, vmstate_noc_key
};

static const VMStateDescription vmstate_tensix_noc = {
    .name = TYPE_TENSIX_NOC,
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_load = tensix_noc_pre_load,
    .fields = (const VMStateField[]) {
        VMSTATE_GTREE_V(pages, TensixNocState, 1, vmstate_noc_pages,
                        NocKey, NocPage),
        VMSTATE_END_OF_LIST()
    }
};

static const Property tensix_noc_properties[] = {
    DEFINE_PROP_LINK("noc-memory", TensixNocState, noc_memory,
                     TYPE_MEMORY_REGION, MemoryRegion *),
    DEFINE_PROP_UINT32("x", TensixNocState, x, 1),
    DEFINE_PROP_UINT32("y", TensixNocState, y, 2),
    DEFINE_PROP_UINT32("max-pages", TensixNocState, max_pages,
                       DEFAULT_MAX_PAGES),
};

static void tensix_noc_class_init(ObjectClass *oc, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);

    dc->desc = "NoC of a Tensix tile, with memory for all other tiles";
    dc->realize = tensix_noc_realize;
    dc->vmsd = &vmstate_tensix_noc;
    device_class_set_props(dc, tensix_noc_properties);
}

static const TypeInfo tensix_noc_type = {
    .name = TYPE_TENSIX_NOC,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(TensixNocState),
    .instance_init = tensix_noc_init,
    .instance_finalize = tensix_noc_finalize,
    .class_init = tensix_noc_class_init,
};

static void tensix_noc_register_types(void)
{
    type_register_static(&tensix_noc_type);
}

type_init(tensix_noc_register_types)
