/*
 * L1 of a tile, for everybody but harts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * gdb, a monitor, qtest and the loader of an image write through the memory API
 * alone; the region says so behind their writes.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "hw/tenstorrent/tensix_l1.h"
#include "tensix_cop_internal.h"

/* This thread writes here: what the region says is known already. */
static __thread bool writing;

static uint8_t *bytes_of(TensixCopState *cop, uint32_t address)
{
    return (uint8_t *)memory_region_get_ram_ptr(cop->l1) + address;
}

static bool is_observed(const TensixCopState *cop)
{
    return unlikely(tensix_bus_wants(cop->bus, TENSIX_ON_L1));
}

/* Inside the core. */
static void post_write(TensixCopState *cop, const TensixActor *by,
                       uint32_t address, const void *old, const void *new,
                       uint32_t size)
{
    if (is_observed(cop)) {
        tensix_bus_post(cop->bus, TENSIX_ON_L1, &(TensixL1Access) {
            .by = by, .accesses = TENSIX_WATCH_WRITE, .address = address,
            .size = size, .old = old, .new = new,
        });
    }
}

/* --- inside the core --- */

static void record_write(TensixCopState *cop, uint32_t address, uint32_t size)
{
    if (cop->recorder->all) {
        tensix_record(cop->recorder, L1_WRITE, address, size);
    }
}

static void copy_in(TensixCopState *cop, uint32_t address, const void *data,
                    uint32_t size)
{
    writing = true;
    address_space_write_cached(&cop->l1_cache, address, data, size);
    address_space_cache_invalidate(&cop->l1_cache, address, size);
    writing = false;
}

void tensix_l1_core_write(void *opaque, uint32_t address, const void *data,
                          uint32_t size)
{
    TensixCopState *cop = opaque;

    post_write(cop, &cop->observer->by, address, bytes_of(cop, address), data,
               size);
    record_write(cop, address, size);
    copy_in(cop, address, data, size);
}

/* Harts may make atomic accesses at the same time (thread=multi). */
static bool replace(TensixCopState *cop, uint32_t address, uint32_t expected,
                    uint32_t value)
{
    uint32_t *word = (uint32_t *)bytes_of(cop, address);

    if (qatomic_cmpxchg(word, expected, value) != expected) {
        return false;
    }
    writing = true;
    address_space_cache_invalidate(&cop->l1_cache, address, sizeof(*word));
    writing = false;
    return true;
}

bool tensix_l1_core_replace(void *opaque, uint32_t address, uint32_t expected,
                            uint32_t value)
{
    TensixCopState *cop = opaque;
    bool replaced = replace(cop, address, expected, value);

    if (replaced) {
        post_write(cop, &cop->observer->by, address, &expected, &value,
                   sizeof(value));
        record_write(cop, address, sizeof(value));
    }
    return replaced;
}

/* --- outside --- */

/* A timeline has the harts' doings, and not those of a host. */
static void tell_write(TensixCopState *cop, const TensixActor *by,
                       uint32_t address, const void *old, const void *new,
                       uint32_t size)
{
    bool records = cop->recorder->all && by->hart < TENSIX_HART_NONE;

    if (is_observed(cop) || records) {
        tensix_cop_lock(cop);
        post_write(cop, by, address, old, new, size);
        if (records) {
            tensix_record(cop->recorder, ACTOR, by->hart, by->pc);
            record_write(cop, address, size);
        }
        tensix_cop_release(cop);
    }
}

void tensix_l1_write(TensixCopState *cop, const TensixActor *by,
                     uint32_t address, const void *data, uint32_t size)
{
    g_assert(bql_locked() && tensix_l1_has(address, size));
    tell_write(cop, by, address, bytes_of(cop, address), data, size);
    copy_in(cop, address, data, size);
}

static void tell_read(TensixCopState *cop, const TensixActor *by,
                      uint32_t address, uint32_t size)
{
    const uint8_t *data = bytes_of(cop, address);

    if (is_observed(cop)) {
        tensix_cop_lock(cop);
        tensix_bus_post(cop->bus, TENSIX_ON_L1, &(TensixL1Access) {
            .by = by, .accesses = TENSIX_WATCH_READ, .address = address,
            .size = size, .old = data, .new = data,
        });
        tensix_cop_release(cop);
    }
}

void tensix_l1_read(TensixCopState *cop, const TensixActor *by,
                    uint32_t address, void *data, uint32_t size)
{
    g_assert(bql_locked() && tensix_l1_has(address, size));
    tell_read(cop, by, address, size);
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
    tell_read(cop, by, address, sizeof(*word));
    do {
        old = qatomic_read(word);
        new = cpu_to_le32(fn(opaque, le32_to_cpu(old)));
    } while (!replace(cop, address, old, new));
    tell_write(cop, by, address, &old, &new, sizeof(new));
    return le32_to_cpu(old);
}

/* --- whoever uses the memory API alone --- */

/* Behind the write; with the BQL, outside the core. */
static void region_written(void *opaque, hwaddr address, hwaddr size)
{
    TensixCopState *cop = opaque;
    const TensixActor by = tensix_agent(cop->resetting ? TENSIX_BY_LOADER
                                                       : TENSIX_BY_DEBUGGER);

    if (!writing) {
        tensix_cop_lock(cop);
        post_write(cop, &by, address, NULL, bytes_of(cop, address), size);
        tensix_cop_release(cop);
    }
}

void tensix_l1_observe(TensixCopState *cop, bool observe)
{
    cop->l1->written_opaque = cop;
    cop->l1->written = observe ? region_written : NULL;
}
