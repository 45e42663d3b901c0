/*
 * Tensix coprocessor: the core as a device.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface:
 *  + sysbus MMIO regions TENSIX_COP_*: push windows, GPRs, configuration and
 *    MOP configuration, one per hart that sees them (tensix_cop_mmio.c)
 *  + link properties "hart[0]" to "hart[4]", "l1", "bus" and "reporter"
 *  + property "schedule-seed": 0 is the eager schedule
 */

#include "qemu/osdep.h"
#include "qemu/memalign.h"
#include "qemu/module.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_access.h"
#include "hw/tenstorrent/tensix_busy.h"
#include "hw/tenstorrent/tensix_hart_debug.h"
#include "hw/tenstorrent/tensix_jumps.h"
#include "tensix_cop_internal.h"

/* --- parts --- */

TensixCore *tensix_cop_core(const TensixCopState *cop)
{
    return cop->core;
}

const TensixState *tensix_cop_state(const TensixCopState *cop)
{
    return cop->state;
}

TensixRecorder *tensix_cop_recorder(const TensixCopState *cop)
{
    return cop->recorder;
}

TensixHart *tensix_cop_hart(const TensixCopState *cop, unsigned index)
{
    return cop->hart[index];
}

TensixBus *tensix_cop_bus(const TensixCopState *cop)
{
    return cop->bus;
}

TensixReporter *tensix_cop_reporter(const TensixCopState *cop)
{
    return cop->reporter;
}

GHashTable *tensix_cop_marks(const TensixCopState *cop)
{
    return cop->marks;
}

bool tensix_cop_is_busy(const TensixCopState *cop)
{
    return cop->signals->backlog || cop->put_off;
}

uint32_t tensix_cop_way_changes(const TensixCopState *cop)
{
    return cop->way_changes;
}

/* --- for clients --- */

void tensix_cop_on_enter(TensixCopState *cop, Notifier *n)
{
    notifier_list_add(&cop->lock.entered, n);
}

bool tensix_cop_is_entered(const TensixCopState *cop)
{
    return cop->lock.inside;
}

void tensix_cop_set_timeline(TensixCopState *cop, void (*full)(void *opaque),
                             void *opaque)
{
    tensix_set_timeline(cop->core, full, opaque);
    cop->way_changes++;
}

void tensix_cop_set_hazards(TensixCopState *cop, bool enabled)
{
    cop->hazards = enabled;
    tensix_set_hazards(cop->core, enabled);
    cop->way_changes++;
}

void tensix_cop_set_stream_read(TensixCopState *cop,
                                uint32_t (*fn)(void *opaque, uint32_t stream,
                                               uint32_t offset),
                                void *opaque)
{
    cop->stream_read = fn;
    cop->stream_opaque = opaque;
}

/* --- device --- */

static void on_listener(Notifier *n, void *data)
{
    TensixCopState *cop = container_of(n, TensixCopState, first_listener);
    const TensixBusEvent *event = data;

    if (*event == TENSIX_ON_PUSH) {
        tensix_cop_choose_push(cop);
    }
    tensix_cop_choose_direct(cop);
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        if (*event == TENSIX_ON_JUMP) {
            tensix_hart_choose_jumps(cop->hart[i]);
        } else if (*event == TENSIX_ON_LOAD_STORE) {
            tensix_hart_debug_watch(cop->hart[i]);
        }
    }
}

static void connect_harts(TensixCopState *cop)
{
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        tensix_hart_set_status(cop->hart[i], tensix_cop_status, cop);
    }
}

static void tensix_cop_init(Object *obj)
{
    TensixCopState *cop = TENSIX_COP(obj);

    cop->core = tensix_core_init(
        qemu_memalign(TENSIX_CORE_ALIGN, tensix_core_size()));
    cop->state = tensix_core_state(cop->core);
    cop->signals = tensix_core_signals(cop->core);
    cop->marks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                       qemu_vfree);
    tensix_cop_lock_init(&cop->lock);
    tensix_recent_init(cop);
}

static void tensix_cop_finalize(Object *obj)
{
    TensixCopState *cop = TENSIX_COP(obj);

    tensix_recent_finish(cop);
    g_hash_table_destroy(cop->marks);
    qemu_vfree(cop->core);
}

/* In random order or with delays no push goes short. */
static void choose_schedule(TensixCopState *cop)
{
    bool eager = !cop->seed && !cop->delayed;

    tensix_set_schedule(cop->core, eager ? 0 : cop->seed ?: 1);
    cop->has_fast_path = eager && !mttcg_enabled();
    cop->lock.pusher = cop->has_fast_path || cop->delayed
                       ? cop->hart[TENSIX_HART_BRISC]->cpu : NULL;
    cop->lock.shared = eager && mttcg_enabled();
    tensix_cop_choose_direct(cop);
    tensix_cop_choose_push(cop);
}

void tensix_cop_set_delays(TensixCopState *cop, TensixDelays *delays)
{
    cop->delayed = delays;
    tensix_set_delays(cop->core, delays);
    choose_schedule(cop);
}

void tensix_cop_set_seed(TensixCopState *cop, uint64_t seed)
{
    cop->seed = seed;
    tensix_cop_set_delays(cop, NULL);
}

static void tensix_cop_realize(DeviceState *dev, Error **errp)
{
    TensixCopState *cop = TENSIX_COP(dev);

    if (!tensix_access_check_links(dev, errp)) {
        return;
    }
    address_space_init(&cop->l1_as, cop->l1, "tensix-l1");
    address_space_cache_init(&cop->l1_cache, &cop->l1_as, 0,
                             memory_region_size(cop->l1), true);
    tensix_cop_set_callbacks(cop);
    tensix_cop_run_init(cop);
    tensix_cop_init_regions(cop);
    tensix_cop_registers_init(cop);
    choose_schedule(cop);
    connect_harts(cop);
    tensix_gdb_register(cop);
    tensix_cop_observe_init(cop);
    tensix_recent_watch(cop);
    cop->first_listener.notify = on_listener;
    tensix_bus_on_listener(cop->bus, &cop->first_listener);
}

static void tensix_cop_unrealize(DeviceState *dev)
{
    TensixCopState *cop = TENSIX_COP(dev);

    notifier_remove(&cop->first_listener);
    tensix_recent_unwatch(cop);
    tensix_cop_observe_finish(cop);
    tensix_cop_run_finish(cop);
    tensix_cop_registers_finish(cop);
    address_space_cache_destroy(&cop->l1_cache);
    address_space_destroy(&cop->l1_as);
}

/* Loaders write to L1 in the next phase. */
static void tensix_cop_reset_enter(Object *obj, ResetType type)
{
    TENSIX_COP(obj)->resetting = true;
    tensix_bus_post(TENSIX_COP(obj)->bus, TENSIX_ON_RESET, NULL);
}

static void tensix_cop_reset_exit(Object *obj, ResetType type)
{
    TENSIX_COP(obj)->resetting = false;
}

static void tensix_cop_reset_hold(Object *obj, ResetType type)
{
    TensixCopState *cop = TENSIX_COP(obj);

    tensix_cop_run_reset(cop);
    tensix_reset(cop->core);
    choose_schedule(cop);
    tensix_set_hazards(cop->core, cop->hazards);
    cop->signals->changed = 0;
    cop->access = (TensixCopAccess) { .state = TENSIX_COP_ACCESS_NONE };
}

static const Property tensix_cop_properties[] = {
    TENSIX_PROP_HARTS(TensixCopState),
    DEFINE_PROP_LINK("l1", TensixCopState, l1, TYPE_MEMORY_REGION,
                     MemoryRegion *),
    DEFINE_PROP_LINK("bus", TensixCopState, bus, TYPE_TENSIX_BUS, TensixBus *),
    DEFINE_PROP_LINK("reporter", TensixCopState, reporter,
                     TYPE_TENSIX_REPORTER, TensixReporter *),
    DEFINE_PROP_UINT64("schedule-seed", TensixCopState, seed, 0),
};

/* A thread that waits is not under way: what can end that is busy instead. */
static bool tensix_cop_busy(const Object *obj)
{
    const TensixCopState *cop = TENSIX_COP(obj);

    return cop->signals->backlog || cop->put_off ||
           tensix_needs_time(cop->core);
}

static void tensix_cop_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);
    TensixBusyClass *bc = TENSIX_BUSY_CLASS(oc);

    bc->busy = tensix_cop_busy;
    dc->desc = "Tensix coprocessor";
    dc->realize = tensix_cop_realize;
    dc->unrealize = tensix_cop_unrealize;
    dc->vmsd = &vmstate_tensix_cop;
    dc->user_creatable = false;
    device_class_set_props(dc, tensix_cop_properties);
    rc->phases.enter = tensix_cop_reset_enter;
    rc->phases.hold = tensix_cop_reset_hold;
    rc->phases.exit = tensix_cop_reset_exit;
}

static const TypeInfo tensix_cop_types[] = {
    {
        .name = TYPE_TENSIX_COP,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixCopState),
        .instance_align = __alignof(TensixCopState),
        .instance_init = tensix_cop_init,
        .instance_finalize = tensix_cop_finalize,
        .class_init = tensix_cop_class_init,
        .interfaces = TENSIX_BUSY_INTERFACES,
    },
};

DEFINE_TYPES(tensix_cop_types)
