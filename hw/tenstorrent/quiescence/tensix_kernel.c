/*
 * Ends of kernels: reported when the tile has become idle after it has worked.
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
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_cop_observe.h"
#include "hw/tenstorrent/tensix_kernel.h"
#include "hw/tenstorrent/tensix_poller.h"
#include "migration/vmstate.h"
#include "qapi/qapi-events-tenstorrent-state.h"
#include "system/qtest.h"
#include "../inspect/tensix_query.h"
#include "tensix_left.h"

/* Of VMState: older than the type. */
#define SECTION "tensix-kernel"

#define IDLE_PERIOD_NS (1 * SCALE_MS)
#define WORK_PERIOD_NS (10 * SCALE_MS)

enum {
    SAMPLES = 5,                  /* polls that must find the same idle state */
};

/* TensixKernelState.seen of a state that was loaded without it. */
#define NOT_SEEN UINT64_MAX

typedef struct TensixKernelState {
    TensixPoller parent_obj;

    TensixLeaks leaks;
    Notifier release, load, thread_idle, execute, store;
    TensixChangers *changers;      /* of the kernel; NULL with leaks=off */
    TensixLeft *left;              /* by the kernel before; likewise */
    uint64_t number;               /* of kernels that have ended (migrated) */
    uint64_t seen;                 /* instructions at the last end (migrated) */
    TensixState *before;           /* leaks=report: at the kernel's begin */
    bool before_is_old;            /* another state was loaded without it */
    bool partial;                  /* before is of the middle of the kernel */
    uint64_t executed;             /* at the last poll */
    uint32_t samples;              /* polls that found the same idle state */
    bool stuck;               /* it found threads that have no possible waker */
} TensixKernelState;

DECLARE_INSTANCE_CHECKER(TensixKernelState, TENSIX_KERNEL, TYPE_TENSIX_LEAKS)

/* What a poll finds. */
typedef enum Finding {
    IDLE,
    WORKS,                         /* and may become idle */
    STUCK,                         /* until a hart or the host does something */
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
        s->before = tensix_query_copy(tensix_cop_state(s->parent_obj.cop));
    }
    if (s->changers) {
        tensix_changers_begin(s->changers);
    }
    s->before_is_old = s->partial = false;
}

/* A TRISC leaves reset: a kernel begins, unless one is under way. */
static void hart_is_released(Notifier *n, void *data)
{
    TensixKernelState *s = container_of(n, TensixKernelState, release);
    const TensixHart *hart = data;

    tensix_cop_lock(s->parent_obj.cop);
    if (hart->id >= TENSIX_HART_TRISC0 &&
        tensix_poller_executed(&s->parent_obj) == s->seen) {
        take_before(s);
    }
    tensix_cop_release(s->parent_obj.cop);
}

/* --- changes and their writers --- */

static void executed(Notifier *n, void *data)
{
    tensix_changers_executed(
        container_of(n, TensixKernelState, execute)->changers, data);
}

static void register_accessed(Notifier *n, void *data)
{
    TensixKernelState *s = container_of(n, TensixKernelState, store);

    tensix_cop_lock(s->parent_obj.cop);
    tensix_changers_stored(s->changers, data);
    tensix_cop_release(s->parent_obj.cop);
}

static const TensixSubscription changes[] = {
    { TENSIX_ON_EXECUTE, executed, offsetof(TensixKernelState, execute) },
    { TENSIX_ON_REGISTER, register_accessed, offsetof(TensixKernelState, store) },
    { }
};

/* Inside the core's lock, BQL held. */
static void follow_changes(TensixKernelState *s)
{
    s->changers = tensix_changers_new(tensix_cop_state(s->parent_obj.cop));
    s->left = tensix_left_new();
    tensix_bus_subscribe_all(tensix_cop_bus(s->parent_obj.cop), changes, s);
    tensix_cop_choose_observer(s->parent_obj.cop);
}

/* The same. */
static void end_changes(TensixKernelState *s)
{
    tensix_bus_unsubscribe_all(tensix_cop_bus(s->parent_obj.cop), changes, s);
    tensix_cop_choose_observer(s->parent_obj.cop);
    g_clear_pointer(&s->changers, tensix_changers_free);
    g_clear_pointer(&s->left, tensix_left_free);
}

/* Follows them as long as it is on the bus and something is done with them. */
static void choose_changes(TensixKernelState *s, bool on_bus)
{
    bool wanted = on_bus && s->leaks != TENSIX_LEAKS_OFF;

    if (wanted == !!s->changers) {
        return;
    }
    tensix_cop_lock(s->parent_obj.cop);
    if (wanted) {
        follow_changes(s);
    } else {
        end_changes(s);
    }
    tensix_cop_release(s->parent_obj.cop);
}

/* --- reports --- */

/* Inside the core's lock; to be freed with qapi_free_TensixLeakList(). */
static TensixLeakList *report_leaks(const TensixKernelState *s)
{
    TensixReporter *reporter = tensix_cop_reporter(s->parent_obj.cop);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *lines = NULL;
    TensixLeakList *list;

    list = tensix_left_report(s->left, s->changers, s->number, s->partial,
                              s->before, tensix_cop_state(s->parent_obj.cop),
                              text);
    lines = tensix_sources_annotate(reporter->sources, text->str);
    tensix_report_print(reporter, "%s\n", lines);
    return list;
}

/* Inside the core's lock. */
static void report(const TensixKernelState *s)
{
    bool compares = s->leaks == TENSIX_LEAKS_REPORT && s->before;
    TensixReporter *reporter = tensix_cop_reporter(s->parent_obj.cop);
    g_autofree char *path = tensix_report_tile_path(reporter);
    g_autoptr(TensixLeakList) list = NULL;

    if (reporter->again) {
        return;                    /* it was reported the first time */
    }
    if (compares) {
        list = report_leaks(s);
    }
    if (s->changers) {
        tensix_left_check_uninit(s->changers, reporter);
    }
    qapi_event_send_tensix_kernel_end(s->number, s->executed - s->seen,
                                      compares && !s->partial,
                                      s->partial ? NULL : list, path);
}

/* Inside the core's lock. */
static void end_kernel(TensixKernelState *s)
{
    s->number++;
    report(s);
    s->seen = s->executed;
    take_before(s);
}

/* --- polling --- */

/*
 * Inside the core's lock.  Between kernels, too, harts wait for mail and for
 * words in PCBufs.
 */
static Finding find_activity(TensixKernelState *s)
{
    const TensixCore *core = tensix_cop_core(s->parent_obj.cop);

    if (tensix_poller_finds_busy(&s->parent_obj)) {
        return WORKS;
    }
    for (uint32_t t = 0; t < TENSIX_THREADS; t++) {
        if (!tensix_thread_idle(core, t)) {
            return tensix_polls(core) ? WORKS : STUCK;
        }
    }
    return IDLE;
}

/* Inside the core's lock.  Nanoseconds until the next poll; 0: none. */
static int64_t consider(TensixKernelState *s)
{
    Finding finding = find_activity(s);
    uint64_t executed = tensix_poller_executed(&s->parent_obj);
    bool same = executed == s->executed;

    s->executed = executed;
    qatomic_store_release(&s->stuck, finding == STUCK);
    if (executed == s->seen) {
        return 0;                  /* no kernel */
    }
    if (finding != IDLE || !same) {
        s->samples = 0;
        return finding == WORKS ? WORK_PERIOD_NS
               : finding == IDLE ? IDLE_PERIOD_NS : 0;
    }
    if (++s->samples < SAMPLES) {
        return IDLE_PERIOD_NS;
    }
    s->samples = 0;
    end_kernel(s);
    return 0;
}

static int64_t poll_kernel(TensixPoller *p)
{
    TensixKernelState *s = TENSIX_KERNEL(p);
    int64_t next;

    tensix_cop_lock(s->parent_obj.cop);
    next = consider(s);
    tensix_cop_release(s->parent_obj.cop);
    return next;
}

/*
 * May a poll find an end?  A needless poll is not free: it ends a round of the
 * harts, after which their waits count from zero.
 */
static bool may_end(const TensixKernelState *s)
{
    uint64_t executed = tensix_poller_executed(&s->parent_obj);

    if (qatomic_load_acquire(&s->stuck) && executed == s->executed) {
        return false;
    }
    return executed != s->seen || tensix_cop_is_busy(s->parent_obj.cop) ||
           tensix_is_busy(tensix_cop_core(s->parent_obj.cop));
}

/* From any thread, with or without the BQL. */
static void idle_begins(TensixPoller *p)
{
    if (may_end(TENSIX_KERNEL(p))) {
        tensix_poller_begin(p, IDLE_PERIOD_NS);
    }
}

/* The host, or the NoC, has ended a wait that had no possible waker. */
static void thread_idles(Notifier *n, void *data)
{
    TensixKernelState *s = container_of(n, TensixKernelState, thread_idle);

    if (s->stuck) {
        idle_begins(&s->parent_obj);
    }
}

/* What follows is loaded after this, if the snapshot has it. */
static void load_begins(Notifier *n, void *data)
{
    TensixKernelState *s = container_of(n, TensixKernelState, load);

    s->before_is_old = true;
    if (s->changers) {
        tensix_changers_discard(s->changers);
    }
    s->seen = NOT_SEEN;
    s->samples = 0;
    s->stuck = false;
}

/* Inside the core's lock. */
static void replace_before(TensixKernelState *s)
{
    uint64_t executed = tensix_poller_executed(&s->parent_obj);

    if (s->seen == NOT_SEEN) {
        s->seen = executed;
    }
    take_before(s);
    s->partial = executed != s->seen;
}

/* Another state may have been loaded, which waits as it is. */
static void resumed(TensixPoller *p)
{
    TensixKernelState *s = TENSIX_KERNEL(p);

    if (s->before_is_old) {
        tensix_cop_lock(p->cop);
        replace_before(s);
        tensix_cop_release(p->cop);
        idle_begins(p);
    }
}

/* --- life cycle --- */

static void begin_anew(TensixKernelState *s)
{
    tensix_cop_lock(s->parent_obj.cop);
    s->seen = tensix_poller_executed(&s->parent_obj);
    s->executed = s->seen;
    s->samples = 0;
    s->stuck = false;
    take_before(s);
    tensix_cop_release(s->parent_obj.cop);
}

/* After the coprocessor's, which is in an earlier phase. */
static void tensix_kernel_reset_exit(Object *obj, ResetType type)
{
    begin_anew(TENSIX_KERNEL(obj));
}

static const TensixSubscription subscriptions[] = {
    { TENSIX_ON_RELEASE, hart_is_released, offsetof(TensixKernelState, release) },
    { TENSIX_ON_LOAD, load_begins, offsetof(TensixKernelState, load) },
    { TENSIX_ON_THREAD_IDLE, thread_idles,
      offsetof(TensixKernelState, thread_idle) },
    { }
};

static void start(TensixPoller *p)
{
    tensix_bus_subscribe_all(tensix_cop_bus(p->cop), subscriptions, p);
    choose_changes(TENSIX_KERNEL(p), true);
    begin_anew(TENSIX_KERNEL(p));
}

static void stop(TensixPoller *p)
{
    tensix_bus_unsubscribe_all(tensix_cop_bus(p->cop), subscriptions, p);
    choose_changes(TENSIX_KERNEL(p), false);
}

/* --- what it has seen; on an axis, where ends come again, its polls, too --- */

static int seen_post_load(void *opaque, int version_id)
{
    TensixKernelState *s = opaque;

    s->before_is_old = s->leaks == TENSIX_LEAKS_REPORT;
    return s->samples < SAMPLES ? 0 : -EINVAL;
}

static const VMStateDescription vmstate_seen = {
    .name = SECTION "/seen",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = tensix_poller_has_axis,
    .post_load = seen_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_TIMER_PTR(parent_obj.timer, TensixKernelState),
        VMSTATE_UINT64(executed, TensixKernelState),
        VMSTATE_UINT32(samples, TensixKernelState),
        VMSTATE_BOOL(stuck, TensixKernelState),
        VMSTATE_END_OF_LIST()
    },
};

static bool before_needed(void *opaque)
{
    return ((TensixKernelState *)opaque)->before;
}

static int before_pre_load(void *opaque)
{
    TensixKernelState *s = opaque;

    drop_before(s);
    s->before = tensix_query_copy(tensix_cop_state(s->parent_obj.cop));
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
    .name = SECTION "/before",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = before_needed,
    .pre_load = before_pre_load,
    .post_load = before_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_POINTER(before, TensixKernelState, vmstate_tensix_state,
                               TensixState),
        VMSTATE_BOOL(partial, TensixKernelState),
        VMSTATE_END_OF_LIST()
    },
};

/* Any number is one that may have been. */
static const VMStateDescription vmstate_tensix_kernel = {
    .name = SECTION,
    .version_id = 1,
    .minimum_version_id = 1,
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

/* --- type --- */

static int get_leaks(Object *obj, Error **errp)
{
    return TENSIX_KERNEL(obj)->leaks;
}

/* In the middle of a kernel what it has left so far does not count. */
static void set_leaks(Object *obj, int value, Error **errp)
{
    TensixKernelState *s = TENSIX_KERNEL(obj);
    bool differs = value != s->leaks;

    s->leaks = value;
    if (differs && TENSIX_INSTRUMENT(obj)->attached) {
        choose_changes(s, !qtest_enabled());
        tensix_cop_lock(s->parent_obj.cop);
        drop_before(s);
        take_before(s);
        s->partial = tensix_poller_executed(&s->parent_obj) != s->seen;
        tensix_cop_release(s->parent_obj.cop);
    }
}

static void tensix_kernel_init(Object *obj)
{
    TENSIX_KERNEL(obj)->leaks = TENSIX_LEAKS_REPORT;
}

static void tensix_kernel_finalize(Object *obj)
{
    drop_before(TENSIX_KERNEL(obj));
}

static void tensix_kernel_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixPollerClass *pc = TENSIX_POLLER_CLASS(oc);

    pc->vmsd = &vmstate_tensix_kernel;
    pc->event = TENSIX_ON_IDLE;
    pc->begin = idle_begins;
    pc->poll = poll_kernel;
    pc->resumed = resumed;
    pc->start = start;
    pc->stop = stop;
    RESETTABLE_CLASS(oc)->phases.exit = tensix_kernel_reset_exit;
    object_class_property_add_enum(oc, "leaks", "TensixLeaks",
                                   &TensixLeaks_lookup, get_leaks, set_leaks);
    object_class_property_set_description(oc, "leaks",
        "what is done about what a kernel left behind");
}

static const TypeInfo tensix_kernel_types[] = {
    {
        .name = TYPE_TENSIX_LEAKS,
        .parent = TYPE_TENSIX_POLLER,
        .instance_size = sizeof(TensixKernelState),
        .instance_init = tensix_kernel_init,
        .instance_finalize = tensix_kernel_finalize,
        .class_init = tensix_kernel_class_init,
    },
};

DEFINE_TYPES(tensix_kernel_types)
