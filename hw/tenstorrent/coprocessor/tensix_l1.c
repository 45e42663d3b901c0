/*
 * L1 of a tile, for everybody but harts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gdb, a monitor, qtest and the loader of an image write through the memory API
 * alone; the region reports their writes afterwards.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "hw/tenstorrent/tensix_l1.h"
#include "tensix_cop_internal.h"

enum {
    PAGE = 4096,                   /* of translated code, at least */
};

/* This thread writes here: what the region says is known already. */
static __thread bool writing;

static uint8_t *bytes_of(TensixCopState *cop, uint32_t address)
{
    return (uint8_t *)memory_region_get_ram_ptr(cop->l1) + address;
}

uint32_t tensix_l1_code(TensixCopState *cop, uint32_t pc)
{
    return tensix_l1_has(pc, sizeof(uint32_t)) ? ldl_le_p(bytes_of(cop, pc)) : 0;
}

static bool is_observed(const TensixCopState *cop)
{
    return unlikely(tensix_bus_has_listener(cop->bus, TENSIX_ON_L1));
}

/* Inside the core. */
static void post(TensixCopState *cop, const TensixActor *by, uint32_t accesses,
                 uint32_t address, const void *old, const void *new,
                 uint32_t size)
{
    tensix_bus_post(cop->bus, TENSIX_ON_L1, &(TensixL1Access) {
        .by = by, .accesses = accesses, .address = address, .size = size,
        .old = old, .new = new,
    });
}

/* Outside. */
static void lock_and_post(TensixCopState *cop, const TensixActor *by,
                          uint32_t accesses, uint32_t address, const void *old,
                          const void *new, uint32_t size)
{
    if (is_observed(cop)) {
        tensix_cop_lock(cop);
        post(cop, by, accesses, address, old, new, size);
        tensix_cop_release(cop);
    }
}

/* --- inside the core --- */

static void written(TensixCopState *cop, uint32_t address, uint32_t size)
{
    writing = true;
    address_space_cache_invalidate(&cop->l1_cache, address, size);
    writing = false;
}

void tensix_l1_flush_slow(TensixCopState *cop)
{
    TensixL1Written w = cop->written;

    cop->written.size = 0;
    written(cop, w.address, w.size);
}

/* A packer writes adjacent bytes: one report to QEMU serves for many writes. */
static void copy_in(TensixCopState *cop, uint32_t address, const void *data,
                    uint32_t size)
{
    TensixL1Written *w = &cop->written;

    if (address != w->address + w->size) {
        tensix_l1_flush(cop);
        w->address = address;
    }
    address_space_write_cached(&cop->l1_cache, address, data, size);
    w->size += size;
}

void tensix_l1_core_write(void *opaque, uint32_t address, const void *data,
                          uint32_t size)
{
    TensixCopState *cop = opaque;

    if (is_observed(cop)) {
        post(cop, &cop->observer->by, TENSIX_WATCH_WRITE, address,
             bytes_of(cop, address), data, size);
    }
    copy_in(cop, address, data, size);
    tensix_cop_end_words(cop);
}

/* Harts may make atomic accesses at the same time (thread=multi). */
static bool replace(TensixCopState *cop, uint32_t address, uint32_t expected,
                    uint32_t value)
{
    uint32_t *word = (uint32_t *)bytes_of(cop, address);

    if (qatomic_cmpxchg(word, expected, value) != expected) {
        return false;
    }
    written(cop, address, sizeof(*word));
    return true;
}

bool tensix_l1_core_replace(void *opaque, uint32_t address, uint32_t expected,
                            uint32_t value)
{
    TensixCopState *cop = opaque;
    bool replaced = replace(cop, address, expected, value);

    tensix_cop_end_words(cop);
    if (replaced && is_observed(cop)) {
        post(cop, &cop->observer->by, TENSIX_WATCH_WRITE, address, &expected,
             &value, sizeof(value));
    }
    return replaced;
}

/* --- outside --- */

/*
 * Page by page, those that differ: a program that is loaded again leaves the
 * code translated from it as it is.
 */
static void copy_changed(TensixCopState *cop, uint32_t address,
                         const uint8_t *data, uint32_t size)
{
    while (size) {
        uint32_t part = MIN(size, PAGE - address % PAGE);

        if (memcmp(bytes_of(cop, address), data, part)) {
            copy_in(cop, address, data, part);
            tensix_l1_flush(cop);
        }
        address += part;
        data += part;
        size -= part;
    }
}

void tensix_l1_write(TensixCopState *cop, const TensixActor *by,
                     uint32_t address, const void *data, uint32_t size)
{
    g_assert(bql_locked() && tensix_l1_has(address, size));
    lock_and_post(cop, by, TENSIX_WATCH_WRITE, address, bytes_of(cop, address),
                  data, size);
    copy_changed(cop, address, data, size);
}

static void post_read(TensixCopState *cop, const TensixActor *by,
                      uint32_t address, uint32_t size)
{
    const uint8_t *data = bytes_of(cop, address);

    lock_and_post(cop, by, TENSIX_WATCH_READ, address, data, data, size);
}

void tensix_l1_read(TensixCopState *cop, const TensixActor *by,
                    uint32_t address, void *data, uint32_t size)
{
    g_assert(bql_locked() && tensix_l1_has(address, size));
    post_read(cop, by, address, size);
    memcpy(data, bytes_of(cop, address), size);
}

uint32_t tensix_l1_modify(TensixCopState *cop, const TensixActor *by,
                          uint32_t address,
                          uint32_t (*fn)(void *opaque, uint32_t word),
                          void *opaque)
{
    const uint32_t *word = (const uint32_t *)bytes_of(cop, address);
    uint32_t old, new;

    g_assert(bql_locked() && tensix_l1_has(address, sizeof(*word)));
    post_read(cop, by, address, sizeof(*word));
    do {
        old = qatomic_read(word);
        new = cpu_to_le32(fn(opaque, le32_to_cpu(old)));
    } while (!replace(cop, address, old, new));
    lock_and_post(cop, by, TENSIX_WATCH_WRITE, address, &old, &new,
                  sizeof(new));
    return le32_to_cpu(old);
}

/* --- users of the memory API alone --- */

/* After the write; with the BQL, outside the core. */
static void region_written(void *opaque, hwaddr address, hwaddr size)
{
    TensixCopState *cop = opaque;
    const TensixActor by = tensix_agent(cop->resetting ? TENSIX_BY_LOADER
                                                       : TENSIX_BY_DEBUGGER);

    if (!writing) {
        lock_and_post(cop, &by, TENSIX_WATCH_WRITE, address, NULL,
                      bytes_of(cop, address), size);
    }
}

void tensix_l1_observe(TensixCopState *cop, bool observe)
{
    cop->l1->written_opaque = cop;
    cop->l1->written = observe ? region_written : NULL;
}
