/*
 * Deadlock: told when nothing in the tile can ever go on by itself.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_deadlock.h
 *
 * Polled as long as a hart or a thread waits.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/core/cpu.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/tensix_busy.h"
#include "hw/tenstorrent/tensix_deadlock.h"
#include "migration/vmstate.h"
#include "qapi/qapi-events-tenstorrent-state.h"
#include "system/system.h"
#include "../inspect/tensix_inspect.h"
#include "../inspect/tensix_verdict.h"

#define LOOK_PERIOD_NS (20 * SCALE_MS)

enum { LOOKS = 5 };                /* that must find the same */

typedef enum Verdict {
    GOES_ON,                       /* and nobody waits */
    SOMEBODY_WAITS,                /* who may be helped yet */
    NO_HART_RUNS,
    ALL_SPIN,
} Verdict;

static TensixStandstill take_standstill(const TensixDeadlockState *s)
{
    TensixStandstill now;

    memset(&now, 0, sizeof(now));  /* also what lies between: it is compared */
    now.executed = tensix_poller_executed(&s->poller);
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        TensixHart *hart = tensix_cop_hart(s->cop, i);

        now.stall[i] = tensix_hart_stall_cause(hart);
        now.pc[i] = now.stall[i] ? tensix_hart_pc(hart, 0) : 0;
        now.detail[i] = tensix_hart_stall_detail(hart);
        now.held[i] = tensix_hart_is_held(hart);
        now.paused[i] = tensix_hart_is_paused(hart);
    }
    return now;
}

static bool any_hart_runs(const TensixDeadlockState *s)
{
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        if (tensix_hart_will_run(tensix_cop_hart(s->cop, i))) {
            return true;
        }
    }
    return false;
}

static bool all_held(const TensixDeadlockState *s)
{
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        if (!tensix_hart_is_held(tensix_cop_hart(s->cop, i))) {
            return false;
        }
    }
    return true;
}

/* Has a thread instructions, or may a hart's stall last for good? */
static bool somebody_waits(const TensixWhyNode *nodes, bool hopelessly,
                           bool *thread_waits)
{
    bool hart_waits = false;

    *thread_waits = false;
    for (uint32_t n = 0; n < TENSIX_WHY_NODES; n++) {
        const TensixWhyNode *node = &nodes[n];

        if (n >= TENSIX_WHY_THREADS_BASE) {
            *thread_waits |= !node->idle;
        } else if (hopelessly) {
            hart_waits |= tensix_why_hopeless(nodes, n);
        } else {
            hart_waits |= node->present && node->blocked;
        }
    }
    return *thread_waits || hart_waits;
}

/* Whatever is busy in the machine may end a wait, also from another tile. */
static Verdict look(TensixDeadlockState *s)
{
    TensixWhyNode nodes[TENSIX_WHY_NODES] = { };
    bool thread_waits;

    tensix_query_graph(s->cop, nodes);
    if (all_held(s) || !somebody_waits(nodes, false, &thread_waits)) {
        return GOES_ON;
    }
    if (tensix_busy(tensix_busy_machine(OBJECT(s->cop)))) {
        return SOMEBODY_WAITS;
    }
    if (!any_hart_runs(s)) {
        return NO_HART_RUNS;
    }
    return somebody_waits(nodes, true, &thread_waits) ? ALL_SPIN
                                                      : SOMEBODY_WAITS;
}

static void tell(TensixDeadlockState *s, Verdict verdict)
{
    static const char *const texts[] = {
        [NO_HART_RUNS] = "no hart can run any more",
        [ALL_SPIN] = "all harts that can run only spin",
    };
    g_autoptr(GString) text = g_string_new("tensix: deadlock: ");
    g_autoptr(GString) why = g_string_new(NULL);
    g_autoptr(TensixWhy) data = NULL;
    TensixReporter *reporter = tensix_cop_reporter(s->cop);
    g_autofree char *path = tensix_report_tile_path(reporter);
    const strList *line;

    if (reporter->again) {
        return;                    /* it was told the first time */
    }
    tensix_cop_lock(s->cop);
    data = tensix_query_why(s->cop);
    tensix_cop_release(s->cop);
    tensix_inspect_why(s->cop, data, why);
    qapi_event_send_tensix_deadlock(s->action, texts[verdict], data->summary,
                                    why->str, data->nodes, data->cycle, path);
    line = data->summary;
    g_string_append_printf(text, "%s\n", line ? line->value : texts[verdict]);
    for (line = line ? line->next : NULL; line; line = line->next) {
        g_string_append_printf(text, "  %s\n", line->value);
    }
    tensix_verdict_table(s->cop, data, text);
    g_string_truncate(text, text->len - 1);        /* no second end of line */
    switch (s->action) {
    case TENSIX_DEADLOCK_ACTION_STOP:
        tensix_report_stop(reporter, TENSIX_HART_NONE, text->str);
        break;
    case TENSIX_DEADLOCK_ACTION_EXIT:
        tensix_report_exit(reporter, TENSIX_HART_NONE, text->str,
                           TENSIX_DEADLOCK_EXIT_STATUS);
        break;
    default:
        tensix_report_print(reporter, "%s\n", text->str);
        break;
    }
}

/* When QEMU ends: what still waits, unless a report has said so. */
static void report_unfinished(Notifier *n, void *data)
{
    TensixDeadlockState *s = container_of(n, TensixDeadlockState, exit);
    TensixStandstill now = take_standstill(s);
    g_autoptr(TensixWhy) why = NULL;
    g_autoptr(strList) list = NULL;
    const TensixReporter *reporter = tensix_cop_reporter(s->cop);
    const strList *line;

    if (s->has_told && !memcmp(&now, &s->told, sizeof(now))) {
        return;
    }
    tensix_cop_lock(s->cop);
    why = tensix_query_why(s->cop);
    tensix_cop_release(s->cop);
    list = tensix_verdict_waits(s->cop, why);
    for (line = list; line; line = line->next) {
        tensix_report_print(reporter, "tensix: unfinished: %s\n", line->value);
    }
}

/*
 * Looks again later?  Not if nobody waits, and not after all has been said.  A
 * hart that was woken for nothing and stalls again is no news.
 */
static bool consider(TensixDeadlockState *s, Verdict verdict)
{
    TensixStandstill now = take_standstill(s);
    bool same = !memcmp(&now, &s->last, sizeof(now));

    s->last = now;
    if (verdict < NO_HART_RUNS || !same) {
        s->looks = 0;
        return verdict != GOES_ON;
    }
    if (s->has_told && !memcmp(&now, &s->told, sizeof(now))) {
        return false;
    }
    if (++s->looks < LOOKS) {
        return true;
    }
    s->told = now;
    s->has_told = true;
    tell(s, verdict);
    return false;
}

static void wait_begins(void *opaque)
{
    TensixDeadlockState *s = opaque;

    tensix_poller_begin(&s->poller, LOOK_PERIOD_NS);
}

static int64_t look_again(void *opaque)
{
    TensixDeadlockState *s = opaque;
    Verdict verdict;

    tensix_cop_lock(s->cop);
    verdict = look(s);
    tensix_cop_release(s->cop);
    return consider(s, verdict) ? LOOK_PERIOD_NS : 0;
}

static const TensixPollerOps poller_ops = {
    .event = TENSIX_ON_WAIT,
    .begin = wait_begins,
    .poll = look_again,
};

/* --- QOM --- */

static void tensix_deadlock_reset_hold(Object *obj, ResetType type)
{
    TensixDeadlockState *s = TENSIX_DEADLOCK(obj);

    s->has_told = false;
    s->looks = 0;
}

static void tensix_deadlock_realize(DeviceState *dev, Error **errp)
{
    TensixDeadlockState *s = TENSIX_DEADLOCK(dev);

    if (!s->cop) {
        error_setg(errp, "%s: link property cop is not set",
                   TYPE_TENSIX_DEADLOCK);
        return;
    }
    if (s->action >= TENSIX_DEADLOCK_ACTION__MAX) {
        error_setg(errp, "%s: action must be less than %d",
                   TYPE_TENSIX_DEADLOCK, TENSIX_DEADLOCK_ACTION__MAX);
        return;
    }
    tensix_poller_start(&s->poller, s->cop, &poller_ops, s);
    if (tensix_poller_polls(&s->poller) && s->unfinished) {
        s->exit.notify = report_unfinished;
        qemu_add_exit_notifier(&s->exit);
    }
}

static void tensix_deadlock_unrealize(DeviceState *dev)
{
    TensixDeadlockState *s = TENSIX_DEADLOCK(dev);

    if (tensix_poller_polls(&s->poller) && s->unfinished) {
        qemu_remove_exit_notifier(&s->exit);
    }
    tensix_poller_stop(&s->poller);
}

/* --- what it has seen: state on an axis, where all is told once --- */

static bool seen_needed(void *opaque)
{
    return tensix_poller_has_axis(&((TensixDeadlockState *)opaque)->poller);
}

/* What was seen is only compared with what is seen next. */
static int seen_post_load(void *opaque, int version_id)
{
    return ((TensixDeadlockState *)opaque)->looks < LOOKS ? 0 : -EINVAL;
}

static const VMStateDescription vmstate_standstill = {
    .name = TYPE_TENSIX_DEADLOCK "/standstill",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(executed, TensixStandstill),
        VMSTATE_UINT32_ARRAY(stall, TensixStandstill, TENSIX_NUM_HARTS),
        VMSTATE_UINT32_ARRAY(detail, TensixStandstill, TENSIX_NUM_HARTS),
        VMSTATE_UINT32_ARRAY(pc, TensixStandstill, TENSIX_NUM_HARTS),
        VMSTATE_BOOL_ARRAY(held, TensixStandstill, TENSIX_NUM_HARTS),
        VMSTATE_BOOL_ARRAY(paused, TensixStandstill, TENSIX_NUM_HARTS),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription vmstate_tensix_deadlock = {
    .name = TYPE_TENSIX_DEADLOCK,
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = seen_needed,
    .post_load = seen_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_TIMER_PTR(poller.timer, TensixDeadlockState),
        VMSTATE_STRUCT(last, TensixDeadlockState, 1, vmstate_standstill,
                       TensixStandstill),
        VMSTATE_STRUCT(told, TensixDeadlockState, 1, vmstate_standstill,
                       TensixStandstill),
        VMSTATE_BOOL(has_told, TensixDeadlockState),
        VMSTATE_UINT32(looks, TensixDeadlockState),
        VMSTATE_END_OF_LIST()
    },
};

static const Property tensix_deadlock_properties[] = {
    DEFINE_PROP_LINK("cop", TensixDeadlockState, cop, TYPE_TENSIX_COP,
                     TensixCopState *),
    DEFINE_PROP_UINT32("action", TensixDeadlockState, action,
                       TENSIX_DEADLOCK_ACTION_LOG),
    DEFINE_PROP_BOOL("unfinished", TensixDeadlockState, unfinished, true),
};

static void tensix_deadlock_class_init(ObjectClass *oc, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);

    dc->desc = "watch for deadlocks of a Tensix tile";
    dc->realize = tensix_deadlock_realize;
    dc->unrealize = tensix_deadlock_unrealize;
    dc->vmsd = &vmstate_tensix_deadlock;
    dc->user_creatable = false;
    rc->phases.hold = tensix_deadlock_reset_hold;
    device_class_set_props(dc, tensix_deadlock_properties);
}

static const TypeInfo tensix_deadlock_types[] = {
    {
        .name = TYPE_TENSIX_DEADLOCK,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(TensixDeadlockState),
        .class_init = tensix_deadlock_class_init,
    },
};

DEFINE_TYPES(tensix_deadlock_types)
