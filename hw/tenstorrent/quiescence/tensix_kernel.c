/*
 * Ends of kernels: told when the tile has come to rest after it has worked.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_kernel.h
 *
 * Polled from when a hart begins to wait, as long as something works on that
 * may end without a hart's doing.
 */

#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "qemu/memalign.h"
#include "qapi/error.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/tensix_busy.h"
#include "hw/tenstorrent/tensix_kernel.h"
#include "migration/vmstate.h"
#include "qapi/qapi-events-tenstorrent-state.h"
#include "../inspect/tensix_query.h"

#define REST_PERIOD_NS (1 * SCALE_MS)
#define WORK_PERIOD_NS (10 * SCALE_MS)

enum {
    LOOKS = 5,                     /* that must find the same rest */
    LINES = 32,                    /* of what a kernel left behind */
};

/* What a look finds. */
typedef enum Finding {
    RESTS,
    WORKS,                         /* and may come to rest by itself */
    STANDS,                        /* until a hart or the host does something */
} Finding;

/* --- the state before a kernel --- */

static void drop_before(TensixKernelState *s)
{
    qemu_vfree(s->before);
    s->before = NULL;
}

/* Inside the core's lock. */
static void take_before(TensixKernelState *s)
{
    if (s->leaks == TENSIX_LEAKS_REPORT) {
        drop_before(s);
        s->before = tensix_query_copy(tensix_cop_state(s->cop));
    }
    s->before_is_old = false;
}

/* A TRISC leaves reset: a kernel begins, unless one is under way. */
static void hart_is_released(Notifier *n, void *data)
{
    TensixKernelState *s = container_of(n, TensixKernelState, release);
    const TensixHart *hart = data;

    tensix_cop_lock(s->cop);
    if (hart->id >= TENSIX_HART_TRISC0 &&
        tensix_poller_executed(&s->poller) == s->seen) {
        take_before(s);
    }
    tensix_cop_release(s->cop);
}

/* --- telling --- */

static void append_changes(GString *text, const TensixChangeList *list)
{
    unsigned n = 0;

    for (; list; list = list->next) {
        if (n++ < LINES) {
            g_string_append_printf(text, "\n  %s: 0x%x, was 0x%x",
                                   list->value->name, list->value->after,
                                   list->value->before);
        }
    }
    if (n > LINES) {
        g_string_append_printf(text, "\n  and %u more", n - LINES);
    }
}

static void report(const TensixKernelState *s, const TensixChangeList *list)
{
    g_autoptr(GString) text = g_string_new(NULL);

    append_changes(text, list);
    tensix_report_print(tensix_cop_reporter(s->cop),
                        "tensix: leaks: kernel %" PRIu64 " left behind%s%s\n",
                        s->number, list ? ":" : " nothing", text->str);
}

/* Inside the core's lock. */
static void tell(const TensixKernelState *s)
{
    bool compares = s->leaks == TENSIX_LEAKS_REPORT && s->before;
    const TensixReporter *reporter = tensix_cop_reporter(s->cop);
    g_autofree char *path = tensix_report_tile_path(reporter);
    g_autoptr(TensixChangeList) list = NULL;

    if (reporter->again) {
        return;                    /* it was told the first time */
    }
    if (compares) {
        list = tensix_query_changes(s->before, tensix_cop_state(s->cop));
        report(s, list);
    }
    qapi_event_send_tensix_kernel_end(s->number, s->executed - s->seen,
                                      compares, list, path);
}

/* Inside the core's lock. */
static void end_kernel(TensixKernelState *s)
{
    s->number++;
    tell(s);
    s->seen = s->executed;
    take_before(s);
}

/* --- looking --- */

/*
 * Inside the core's lock.  Between kernels, too, harts wait for mail and for
 * words in PCBufs.
 */
static Finding look(const TensixKernelState *s)
{
    if (tensix_busy(OBJECT(s->cop)->parent)) {
        return WORKS;
    }
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        if (!tensix_thread_idle(tensix_cop_core(s->cop), t)) {
            return tensix_polls(tensix_cop_core(s->cop)) ? WORKS : STANDS;
        }
    }
    return RESTS;
}

/* Inside the core's lock.  Nanoseconds until the next look; 0: none. */
static int64_t consider(TensixKernelState *s)
{
    Finding finding = look(s);
    uint64_t executed = tensix_poller_executed(&s->poller);
    bool same = executed == s->executed;

    s->executed = executed;
    s->stands = finding == STANDS;
    if (executed == s->seen) {
        return 0;                  /* no kernel */
    }
    if (finding != RESTS || !same) {
        s->looks = 0;
        return finding == WORKS ? WORK_PERIOD_NS
               : finding == RESTS ? REST_PERIOD_NS : 0;
    }
    if (++s->looks < LOOKS) {
        return REST_PERIOD_NS;
    }
    s->looks = 0;
    end_kernel(s);
    return 0;
}

static int64_t look_for_end(void *opaque)
{
    TensixKernelState *s = opaque;
    int64_t next;

    tensix_cop_lock(s->cop);
    next = consider(s);
    tensix_cop_release(s->cop);
    return next;
}

/*
 * May a look find an end?  A look for nothing is not free: it ends a round of the
 * harts, after which they begin to wait anew.
 */
static bool may_end(const TensixKernelState *s)
{
    uint64_t executed = tensix_poller_executed(&s->poller);

    if (s->stands && executed == s->executed) {
        return false;
    }
    return executed != s->seen || tensix_cop_is_busy(s->cop) ||
           tensix_is_busy(tensix_cop_core(s->cop));
}

/* From any thread, with or without the BQL. */
static void rest_begins(void *opaque)
{
    TensixKernelState *s = opaque;

    if (may_end(s)) {
        tensix_poller_begin(&s->poller, REST_PERIOD_NS);
    }
}

/* Another state may have been loaded, which waits as it is. */
static void resumed(void *opaque)
{
    TensixKernelState *s = opaque;

    if (s->before_is_old) {
        tensix_cop_lock(s->cop);
        take_before(s);
        tensix_cop_release(s->cop);
        rest_begins(s);
    }
}

static const TensixPollerOps poller_ops = {
    .event = TENSIX_ON_REST,
    .begin = rest_begins,
    .poll = look_for_end,
    .resumed = resumed,
};

/* --- QOM --- */

/* Behind the coprocessor's, which is a phase before. */
static void tensix_kernel_reset_exit(Object *obj, ResetType type)
{
    TensixKernelState *s = TENSIX_KERNEL(obj);

    tensix_cop_lock(s->cop);
    s->seen = tensix_poller_executed(&s->poller);
    s->executed = s->seen;
    s->looks = 0;
    s->stands = false;
    take_before(s);
    tensix_cop_release(s->cop);
}

static void tensix_kernel_realize(DeviceState *dev, Error **errp)
{
    TensixKernelState *s = TENSIX_KERNEL(dev);

    if (!s->cop) {
        error_setg(errp, "%s: link property cop is not set",
                   TYPE_TENSIX_KERNEL);
        return;
    }
    if (s->leaks >= TENSIX_LEAKS__MAX) {
        error_setg(errp, "%s: leaks must be less than %d", TYPE_TENSIX_KERNEL,
                   TENSIX_LEAKS__MAX);
        return;
    }
    tensix_poller_start(&s->poller, s->cop, &poller_ops, s);
    if (tensix_poller_polls(&s->poller)) {
        s->release.notify = hart_is_released;
        tensix_bus_subscribe(tensix_cop_bus(s->cop), TENSIX_ON_RELEASE, &s->release);
    }
}

static void tensix_kernel_unrealize(DeviceState *dev)
{
    TensixKernelState *s = TENSIX_KERNEL(dev);

    if (tensix_poller_polls(&s->poller)) {
        notifier_remove(&s->release);
    }
    tensix_poller_stop(&s->poller);
}

static void tensix_kernel_finalize(Object *obj)
{
    drop_before(TENSIX_KERNEL(obj));
}

/* --- what it has seen: state on an axis, where ends come again --- */

static bool seen_needed(void *opaque)
{
    return tensix_poller_has_axis(&((TensixKernelState *)opaque)->poller);
}

static int seen_post_load(void *opaque, int version_id)
{
    TensixKernelState *s = opaque;

    s->before_is_old = s->leaks == TENSIX_LEAKS_REPORT;
    return s->looks < LOOKS ? 0 : -EINVAL;
}

static const VMStateDescription vmstate_seen = {
    .name = TYPE_TENSIX_KERNEL "/seen",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = seen_needed,
    .post_load = seen_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_TIMER_PTR(poller.timer, TensixKernelState),
        VMSTATE_UINT64(executed, TensixKernelState),
        VMSTATE_UINT32(looks, TensixKernelState),
        VMSTATE_BOOL(stands, TensixKernelState),
        VMSTATE_END_OF_LIST()
    },
};

static bool before_needed(void *opaque)
{
    return seen_needed(opaque) && ((TensixKernelState *)opaque)->before;
}

static int before_pre_load(void *opaque)
{
    TensixKernelState *s = opaque;

    drop_before(s);
    s->before = tensix_query_copy(tensix_cop_state(s->cop));
    return 0;
}

/* A machine that does not report leaks has no use for it. */
static int before_post_load(void *opaque, int version_id)
{
    TensixKernelState *s = opaque;
    bool valid = tensix_state_valid(s->before);

    if (!valid || s->leaks != TENSIX_LEAKS_REPORT) {
        drop_before(s);
    }
    s->before_is_old = false;
    return valid ? 0 : -EINVAL;
}

static const VMStateDescription vmstate_before = {
    .name = TYPE_TENSIX_KERNEL "/before",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = before_needed,
    .pre_load = before_pre_load,
    .post_load = before_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_POINTER(before, TensixKernelState, vmstate_tensix_state,
                               TensixState),
        VMSTATE_END_OF_LIST()
    },
};

/* Without what was seen; the coprocessor may be loaded later. */
static int tensix_kernel_pre_load(void *opaque)
{
    TensixKernelState *s = opaque;

    s->before_is_old = true;
    s->looks = 0;
    s->stands = false;
    return 0;
}

/* Any number is one that may have been. */
static const VMStateDescription vmstate_tensix_kernel = {
    .name = TYPE_TENSIX_KERNEL,
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_load = tensix_kernel_pre_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(number, TensixKernelState),
        VMSTATE_UINT64(seen, TensixKernelState),
        VMSTATE_END_OF_LIST()
    },
    .subsections = (const VMStateDescription * const[]) {
        &vmstate_seen,
        &vmstate_before,
        NULL
    },
};

static const Property tensix_kernel_properties[] = {
    DEFINE_PROP_LINK("cop", TensixKernelState, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
    DEFINE_PROP_UINT32("leaks", TensixKernelState, leaks, TENSIX_LEAKS_OFF),
};

static void tensix_kernel_class_init(ObjectClass *oc, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);

    dc->desc = "watch for ends of kernels of a Tensix tile";
    dc->realize = tensix_kernel_realize;
    dc->unrealize = tensix_kernel_unrealize;
    dc->vmsd = &vmstate_tensix_kernel;
    dc->user_creatable = false;
    rc->phases.exit = tensix_kernel_reset_exit;
    device_class_set_props(dc, tensix_kernel_properties);
}

static const TypeInfo tensix_kernel_types[] = {
    {
        .name = TYPE_TENSIX_KERNEL,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixKernelState),
        .instance_finalize = tensix_kernel_finalize,
        .class_init = tensix_kernel_class_init,
    },
};

DEFINE_TYPES(tensix_kernel_types)
