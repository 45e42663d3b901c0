/*
 * Tensix coprocessor: push windows, GPRs, configuration, MOP configuration.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH PushTensixInstruction.md, BackendConfiguration.md, WH ScalarUnit.md and
 * MOPExpander.md.
 */

#include "qemu/osdep.h"
#include "hw/tenstorrent/tensix_hart_direct.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "tensix_cop_internal.h"
#include "../trace.h"

#define PUSH_WINDOW_SIZE 0x10000
#define GPR_WINDOW_SIZE 0x1000
#define CFG_WINDOW_SIZE 0x10000
#define MOP_CFG_WINDOW_SIZE (TENSIX_MOP_CFG_WORDS * 4)
#define GPR_BYTES_PER_THREAD (TENSIX_GPRS * 4)
#define GPR_BYTES (TENSIX_THREADS * GPR_BYTES_PER_THREAD)

static void bad_access(const TensixCopPort *port, const char *what,
                       hwaddr offset, MemTxAttrs attrs)
{
    if (!attrs.debug) {
        tensix_report_access(port->hart, attrs, TENSIX_BAD_ACCESS,
                             "%s at offset 0x%x", what, (unsigned)offset);
    }
}

/* --- Auto TTSync --- */

/* Inside the core. */
static bool must_wait(const TensixCopState *cop, const TensixHart *hart,
                      uint32_t resources, bool is_store)
{
    return hart->id >= TENSIX_HART_TRISC0 &&
           tensix_ttsync_must_wait(cop->core, tensix_hart_thread(hart),
                                   resources, is_store);
}

void tensix_cop_ttsync(TensixCopState *cop, TensixHart *hart, MemTxAttrs attrs,
                       uint32_t resources, bool is_store)
{
    bool wait;

    if (!tensix_hart_may_block(hart, attrs)) {
        return;
    }
    tensix_cop_lock(cop);
    wait = must_wait(cop, hart, resources, is_store);
    if (wait) {
        tensix_hart_announce_stall(hart, TENSIX_STALL_TTSYNC);
    }
    tensix_cop_release(cop);
    if (wait) {
        tensix_hart_stall(hart, TENSIX_STALL_TTSYNC, resources, 0);
    }
}

/* --- stores that a delay puts off --- */

static bool is_late(TensixCopPort *port, MemTxAttrs attrs,
                    TensixStoreRegion region, uint32_t offset, uint32_t value,
                    uint32_t size)
{
    TensixHartStore store;
    TensixActor by;
    bool late;

    if (!port->cop->delayed) {
        return false;
    }
    by = tensix_access_actor(port->hart, attrs);
    store = (TensixHartStore) {
        .by = tensix_actor_origin(&by), .region = region, .offset = offset,
        .size = size, .value = value,
    };
    late = tensix_late_store(tensix_cop_lock(port->cop), &store);
    tensix_cop_unlock(port->cop);
    return late;
}

static void end_late_stores(TensixCopPort *port, MemTxAttrs attrs,
                            TensixStoreRegion region)
{
    if (port->cop->delayed && !attrs.debug) {
        tensix_late_load(tensix_cop_lock(port->cop), port->hart_id, region);
        tensix_cop_release(port->cop);
    }
}

/* --- without the BQL --- */

static void end_direct(TensixCopState *cop)
{
    tensix_cop_lock_end_push(&cop->lock);
}

/*
 * Enters the core as a push does; false: a store to it might have more effects
 * than its own, as threads could run on, or is observed.
 */
static bool begin_direct(TensixCopState *cop)
{
    if (!tensix_cop_lock_begin_push(&cop->lock)) {
        return false;
    }
    if (tensix_is_settled(cop->core) && !cop->signals->changed &&
        !cop->put_off && !tensix_cop_access_to_do(cop) &&
        QLIST_EMPTY(&cop->lock.entered.notifiers) &&
        QLIST_EMPTY(&cop->lock.leaving.notifiers)) {
        return true;
    }
    end_direct(cop);
    return false;
}

/* --- push --- */

static MemTxResult push_read(void *opaque, hwaddr offset, uint64_t *data,
                             unsigned size, MemTxAttrs attrs)
{
    *data = 0;
    bad_access(opaque, "load from an instruction push window", offset, attrs);
    return MEMTX_OK;
}

static MemTxResult push_write(void *opaque, hwaddr offset, uint64_t data,
                              unsigned size, MemTxAttrs attrs)
{
    TensixCopPort *port = opaque;

    if (attrs.debug) {
        return MEMTX_OK;
    }
    tensix_cop_push_locked(port, data, tensix_hart_access_pc(port->hart),
                           attrs, 0);
    return MEMTX_OK;
}

static const TensixDirectOps push_direct = { .store = tensix_cop_push_direct };

static const MemoryRegionOps push_ops = {
    .read_with_attrs = push_read,
    .write_with_attrs = push_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 4, .max_access_size = 4 },
};

/* --- GPRs --- */

/* Byte offset into TensixState.gpr, or GPR_BYTES if there is nothing. */
static uint32_t gpr_offset(const TensixCopPort *port, hwaddr offset)
{
    if (port->hart->id == TENSIX_HART_BRISC) {
        return MIN(offset, GPR_BYTES);
    }
    return port->thread * GPR_BYTES_PER_THREAD + offset % GPR_BYTES_PER_THREAD;
}

static MemTxResult gpr_read(void *opaque, hwaddr offset, uint64_t *data,
                            unsigned size, MemTxAttrs attrs)
{
    TensixCopPort *port = opaque;
    uint32_t at = gpr_offset(port, offset);
    TensixState *state;

    *data = 0;
    tensix_cop_ttsync(port->cop, port->hart, attrs, TENSIX_RESOURCE_GPR, false);
    if (at == GPR_BYTES) {
        bad_access(port, "load beyond the GPRs", offset, attrs);
        return MEMTX_OK;
    }
    end_late_stores(port, attrs, TENSIX_STORE_GPR);
    state = tensix_core_state(tensix_cop_lock(port->cop));
    memcpy(data, (uint8_t *)state->gpr + at, size);
    tensix_cop_release(port->cop);
    return MEMTX_OK;
}

static MemTxResult gpr_write(void *opaque, hwaddr offset, uint64_t data,
                             unsigned size, MemTxAttrs attrs)
{
    TensixCopPort *port = opaque;
    uint32_t at = gpr_offset(port, offset);
    TensixState *state;

    if (attrs.debug) {
        return MEMTX_OK;
    }
    tensix_cop_ttsync(port->cop, port->hart, attrs, TENSIX_RESOURCE_GPR, true);
    if (at == GPR_BYTES) {
        bad_access(port, "store beyond the GPRs", offset, attrs);
        return MEMTX_OK;
    }
    if (is_late(port, attrs, TENSIX_STORE_GPR, at, data, size)) {
        return MEMTX_OK;
    }
    state = tensix_core_state(tensix_cop_lock(port->cop));
    tensix_observe_compare(port->cop->core, 1 << TENSIX_SPACE_GPR);
    memcpy((uint8_t *)state->gpr + at, &data, size);
    tensix_cop_unlock(port->cop);
    return MEMTX_OK;
}

static bool gpr_load_direct(void *opaque, uint32_t offset, uint32_t *value,
                            uintptr_t ra)
{
    TensixCopPort *port = opaque;
    uint32_t at = gpr_offset(port, offset);
    bool done;

    if (!begin_direct(port->cop)) {
        return false;
    }
    done = at < GPR_BYTES &&
           !must_wait(port->cop, port->hart, TENSIX_RESOURCE_GPR, false);
    if (done) {
        memcpy(value, (uint8_t *)port->cop->state->gpr + at, sizeof(*value));
    }
    end_direct(port->cop);
    return done;
}

static bool gpr_store_direct(void *opaque, uint32_t offset, uint32_t value,
                             uintptr_t ra)
{
    TensixCopPort *port = opaque;
    uint32_t at = gpr_offset(port, offset);
    bool done;

    if (!begin_direct(port->cop)) {
        return false;
    }
    done = at < GPR_BYTES &&
           !must_wait(port->cop, port->hart, TENSIX_RESOURCE_GPR, true);
    if (done) {
        memcpy((uint8_t *)tensix_core_state(port->cop->core)->gpr + at, &value,
               sizeof(value));
    }
    end_direct(port->cop);
    return done;
}

static const TensixDirectOps gpr_direct = {
    .load = gpr_load_direct,
    .store = gpr_store_direct,
};

static const MemoryRegionOps gpr_ops = {
    .read_with_attrs = gpr_read,
    .write_with_attrs = gpr_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

/* --- back-end configuration --- */

/* The configuration bank or banks that an offset touches, for Auto TTSync. */
static uint32_t cfg_resources(hwaddr offset)
{
    uint32_t word = offset / 4;

    if (word < TENSIX_CFG_GLOBAL_BASE) {
        return TENSIX_RESOURCE_CFG0;
    }
    if (word >= TENSIX_CFG_WORDS &&
        word < TENSIX_CFG_WORDS + TENSIX_CFG_GLOBAL_BASE) {
        return TENSIX_RESOURCE_CFG1;
    }
    return TENSIX_RESOURCE_CFG;
}

static MemTxResult cfg_read(void *opaque, hwaddr offset, uint64_t *data,
                            unsigned size, MemTxAttrs attrs)
{
    TensixCopPort *port = opaque;
    uint32_t word;

    tensix_cop_ttsync(port->cop, port->hart, attrs, cfg_resources(offset),
                      false);
    end_late_stores(port, attrs, TENSIX_STORE_CONFIG);
    word = tensix_cfg_read(tensix_cop_lock(port->cop), offset & ~3u);
    tensix_cop_release(port->cop);
    *data = word >> (offset & 3) * 8;
    return MEMTX_OK;
}

static MemTxResult cfg_write(void *opaque, hwaddr offset, uint64_t data,
                             unsigned size, MemTxAttrs attrs)
{
    TensixCopPort *port = opaque;
    bool stored;

    if (attrs.debug) {
        return MEMTX_OK;
    }
    tensix_cop_ttsync(port->cop, port->hart, attrs, cfg_resources(offset),
                      true);
    if (size != 4 || (offset & 3)) {
        bad_access(port, "store to configuration narrower than a word", offset,
                   attrs);
        return MEMTX_OK;
    }
    if (is_late(port, attrs, TENSIX_STORE_CONFIG, offset, data, size)) {
        return MEMTX_OK;
    }
    stored = tensix_cfg_write(tensix_cop_lock(port->cop), offset, data);
    tensix_cop_unlock(port->cop);
    if (!stored) {
        bad_access(port, "store to read-only configuration", offset,
                   attrs);
    }
    return MEMTX_OK;
}

static bool cfg_store_direct(void *opaque, uint32_t offset, uint32_t value,
                             uintptr_t ra)
{
    TensixCopPort *port = opaque;
    bool done;

    if (!begin_direct(port->cop)) {
        return false;
    }
    done = !must_wait(port->cop, port->hart, cfg_resources(offset), true) &&
           tensix_cfg_write(port->cop->core, offset, value);
    end_direct(port->cop);
    return done;
}

static const TensixDirectOps cfg_direct = { .store = cfg_store_direct };

static const MemoryRegionOps cfg_ops = {
    .read_with_attrs = cfg_read,
    .write_with_attrs = cfg_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

/* --- MOP configuration --- */

static MemTxResult mop_cfg_read(void *opaque, hwaddr offset, uint64_t *data,
                                unsigned size, MemTxAttrs attrs)
{
    *data = 0;
    bad_access(opaque, "load from write-only MopCfg", offset, attrs);
    return MEMTX_OK;
}

static MemTxResult mop_cfg_write(void *opaque, hwaddr offset, uint64_t data,
                                 unsigned size, MemTxAttrs attrs)
{
    TensixCopPort *port = opaque;
    TensixActor by;

    if (attrs.debug) {
        return MEMTX_OK;
    }
    by = tensix_access_actor(port->hart, attrs);
    tensix_mop_cfg_write(tensix_cop_lock(port->cop), port->thread, offset / 4,
                         data, tensix_actor_origin(&by));
    tensix_cop_unlock(port->cop);
    trace_tensix_mop_cfg_write(port->thread, offset / 4, data);
    return MEMTX_OK;
}

static const MemoryRegionOps mop_cfg_ops = {
    .read_with_attrs = mop_cfg_read,
    .write_with_attrs = mop_cfg_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
    .impl = { .min_access_size = 4, .max_access_size = 4 },
};

/* --- all of them --- */

typedef struct RegionInfo {
    const char *name;
    const MemoryRegionOps *ops;
    const TensixDirectOps *direct; /* or NULL */
    uint64_t size;
    uint32_t hart, thread;
} RegionInfo;

#define T_REGIONS(base, text, ops, direct, bytes) \
    [base] = { text "-t0", ops, direct, bytes, TENSIX_HART_TRISC0, 0 }, \
    [base + 1] = { text "-t1", ops, direct, bytes, TENSIX_HART_TRISC1, 1 }, \
    [base + 2] = { text "-t2", ops, direct, bytes, TENSIX_HART_TRISC2, 2 }

static const RegionInfo region_infos[TENSIX_COP_REGIONS] = {
    [TENSIX_COP_PUSH_B0] = { "tensix-push-b0", &push_ops, &push_direct,
                             PUSH_WINDOW_SIZE, TENSIX_HART_BRISC, 0 },
    [TENSIX_COP_PUSH_B1] = { "tensix-push-b1", &push_ops, &push_direct,
                             PUSH_WINDOW_SIZE, TENSIX_HART_BRISC, 1 },
    [TENSIX_COP_PUSH_B2] = { "tensix-push-b2", &push_ops, &push_direct,
                             PUSH_WINDOW_SIZE, TENSIX_HART_BRISC, 2 },
    T_REGIONS(TENSIX_COP_PUSH_T0, "tensix-push", &push_ops, &push_direct,
              PUSH_WINDOW_SIZE),
    [TENSIX_COP_GPR_B] = { "tensix-gpr-b", &gpr_ops, &gpr_direct,
                           GPR_WINDOW_SIZE, TENSIX_HART_BRISC, 0 },
    T_REGIONS(TENSIX_COP_GPR_T0, "tensix-gpr", &gpr_ops, &gpr_direct,
              GPR_WINDOW_SIZE),
    [TENSIX_COP_CFG_B] = { "tensix-cfg-b", &cfg_ops, &cfg_direct,
                           CFG_WINDOW_SIZE, TENSIX_HART_BRISC, 0 },
    T_REGIONS(TENSIX_COP_CFG_T0, "tensix-cfg", &cfg_ops, &cfg_direct,
              CFG_WINDOW_SIZE),
    T_REGIONS(TENSIX_COP_MOP_CFG_T0, "tensix-mop-cfg", &mop_cfg_ops, NULL,
              MOP_CFG_WINDOW_SIZE),
};

void tensix_cop_init_regions(TensixCopState *cop)
{
    for (int i = 0; i < TENSIX_COP_REGIONS; i++) {
        const RegionInfo *info = &region_infos[i];

        cop->port[i] = (TensixCopPort) {
            .cop = cop, .hart = cop->hart[info->hart], .thread = info->thread,
            .hart_id = info->hart,
        };
        memory_region_init_io(&cop->region[i], OBJECT(cop), info->ops,
                              &cop->port[i], info->name, info->size);
        /* A stalled hart leaves by longjmp and would never clear the guard. */
        cop->region[i].disable_reentrancy_guard = info->ops != &mop_cfg_ops;
        sysbus_init_mmio(SYS_BUS_DEVICE(cop), &cop->region[i]);
        if (info->direct) {
            tensix_hart_offer_direct(cop->hart[info->hart], &cop->region[i],
                                     info->direct, &cop->port[i]);
        }
    }
}

/* Instruments observe pushes, and other accesses at their regions. */
void tensix_cop_choose_direct(TensixCopState *cop)
{
    bool direct = (cop->has_fast_path || cop->lock.shared) &&
                  !icount_enabled() &&
                  !tensix_bus_has_listener(cop->bus, TENSIX_ON_PUSH) &&
                  !tensix_bus_has_listener(cop->bus, TENSIX_ON_REGISTER);

    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        tensix_hart_set_direct(cop->hart[i], direct);
    }
}
