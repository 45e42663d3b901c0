/*
 * Deadlock: reported when nothing in the tile can ever make progress.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU interface: see include/hw/tenstorrent/tensix_deadlock.h
 *
 * Polled as long as a hart or a thread waits.
 */

#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_deadlock.h"
#include "hw/tenstorrent/tensix_poller.h"
#include "migration/vmstate.h"
#include "qapi/qapi-events-tenstorrent-state.h"
#include "system/system.h"
#include "../inspect/tensix_inspect.h"
#include "../inspect/tensix_query.h"
#include "../inspect/tensix_verdict.h"

#define POLL_PERIOD_NS (20 * SCALE_MS)

enum {
    SAMPLES = 5,                   /* that must find the same */
    DEADLOCK_EXIT_STATUS = 4,
};

OBJECT_DECLARE_SIMPLE_TYPE(TensixDeadlockState, TENSIX_DEADLOCK)

/* What would be different if anything had made progress. */
typedef struct TensixStandstill {
    uint64_t executed;             /* Tensix instructions */
    uint32_t stall[TENSIX_NUM_HARTS], detail[TENSIX_NUM_HARTS];
    uint32_t pc[TENSIX_NUM_HARTS]; /* of a stalled one */
    bool held[TENSIX_NUM_HARTS], paused[TENSIX_NUM_HARTS];
} TensixStandstill;

/*
 * No state of the tile, but on an axis: elsewhere what was reported is reported
 * again after a migration.
 */
struct TensixDeadlockState {
    TensixPoller parent_obj;

    TensixDeadlockAction action;
    bool unfinished;               /* reported when QEMU ends */
    Notifier exit;
    TensixStandstill last, reported;
    bool has_reported;
    uint32_t samples;              /* that found the same deadlock */
};

typedef enum Verdict {
    CONTINUES,                     /* and nothing waits */
    MAY_CONTINUE,                  /* what waits may be helped yet */
    NO_HART_RUNS,
    ALL_SPIN,
} Verdict;

static TensixStandstill take_standstill(const TensixDeadlockState *s)
{
    TensixStandstill now;

    memset(&now, 0, sizeof(now));  /* also what lies between: it is compared */
    now.executed = tensix_poller_executed(&s->parent_obj);
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        TensixHart *hart = tensix_cop_hart(s->parent_obj.cop, i);

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
        if (tensix_hart_will_run(tensix_cop_hart(s->parent_obj.cop, i))) {
            return true;
        }
    }
    return false;
}

static bool all_held(const TensixDeadlockState *s)
{
    for (int i = 0; i < TENSIX_NUM_HARTS; i++) {
        if (!tensix_hart_is_held(tensix_cop_hart(s->parent_obj.cop, i))) {
            return false;
        }
    }
    return true;
}

/* Has a thread instructions, or may a hart's stall last for good? */
static bool anything_waits(const TensixWhyNode *nodes, bool unresolvable,
                           bool *thread_waits)
{
    bool hart_waits = false;

    *thread_waits = false;
    for (uint32_t n = 0; n < TENSIX_WHY_NODES; n++) {
        const TensixWhyNode *node = &nodes[n];

        if (n >= TENSIX_WHY_THREADS_BASE) {
            *thread_waits |= !node->idle;
        } else if (unresolvable) {
            hart_waits |= tensix_why_unresolvable(nodes, n);
        } else {
            hart_waits |= node->present && node->blocked;
        }
    }
    return *thread_waits || hart_waits;
}

/* Whatever is busy in the machine may end a wait, also from another tile. */
static Verdict find_verdict(TensixDeadlockState *s)
{
    TensixWhyNode nodes[TENSIX_WHY_NODES] = { };
    bool thread_waits;

    tensix_query_graph(s->parent_obj.cop, nodes);
    if (all_held(s) || !anything_waits(nodes, false, &thread_waits)) {
        return CONTINUES;
    }
    if (tensix_poller_finds_busy(&s->parent_obj)) {
        return MAY_CONTINUE;
    }
    if (!any_hart_runs(s)) {
        return NO_HART_RUNS;
    }
    return anything_waits(nodes, true, &thread_waits) ? ALL_SPIN
                                                         : MAY_CONTINUE;
}

static TensixWhy *query_why(TensixDeadlockState *s)
{
    TensixWhy *why;

    tensix_cop_lock(s->parent_obj.cop);
    why = tensix_query_why(s->parent_obj.cop);
    tensix_cop_release(s->parent_obj.cop);
    return why;
}

static TensixUnfinishedList *query_unfinished(TensixDeadlockState *s)
{
    TensixUnfinishedList *list;

    tensix_cop_lock(s->parent_obj.cop);
    list = tensix_query_unfinished(s->parent_obj.cop);
    tensix_cop_release(s->parent_obj.cop);
    return list;
}

/* Waits and their instructions are in the report already. */
static void append_unfinished(TensixDeadlockState *s, GString *text)
{
    g_autoptr(TensixUnfinishedList) list = query_unfinished(s);

    for (const TensixUnfinishedList *at = list; at; at = at->next) {
        if (at->value->kind > TENSIX_UNFINISHED_KIND_INSTRUCTION) {
            g_string_append_printf(text, "  unfinished: %s\n", at->value->text);
        }
    }
}

static bool was_reported(const TensixDeadlockState *s,
                         const TensixStandstill *now)
{
    return s->has_reported && !memcmp(now, &s->reported, sizeof(*now));
}

static void report(TensixDeadlockState *s, Verdict verdict)
{
    static const char *const texts[] = {
        [NO_HART_RUNS] = "no hart can run any more",
        [ALL_SPIN] = "all harts that can run only spin",
    };
    g_autoptr(GString) text = g_string_new("tensix: deadlock: ");
    g_autoptr(GString) why = g_string_new(NULL);
    g_autoptr(TensixWhy) data = NULL;
    TensixReporter *reporter = tensix_cop_reporter(s->parent_obj.cop);
    g_autofree char *path = tensix_report_tile_path(reporter);
    const strList *line;

    if (reporter->again) {
        return;                    /* it was reported the first time */
    }
    data = query_why(s);
    tensix_inspect_why(s->parent_obj.cop, data, why);
    qapi_event_send_tensix_deadlock(s->action, texts[verdict], data->summary,
                                    why->str, data->nodes, data->cycle, path);
    line = data->summary;
    g_string_append_printf(text, "%s\n", line ? line->value : texts[verdict]);
    tensix_report_finding(reporter, "deadlock",
                          line ? line->value : texts[verdict]);
    for (line = line ? line->next : NULL; line; line = line->next) {
        g_string_append_printf(text, "  %s\n", line->value);
    }
    tensix_verdict_table(s->parent_obj.cop, data, text);
    append_unfinished(s, text);
    g_string_truncate(text, text->len - 1);        /* no second end of line */
    switch (s->action) {
    case TENSIX_DEADLOCK_ACTION_STOP:
        tensix_report_stop(reporter, TENSIX_HART_NONE, text->str);
        break;
    case TENSIX_DEADLOCK_ACTION_EXIT:
        tensix_report_exit(reporter, TENSIX_HART_NONE, text->str,
                           DEADLOCK_EXIT_STATUS);
        break;
    default:
        tensix_report_print(reporter, "%s\n", text->str);
        break;
    }
}

/* When QEMU ends: what is unfinished, unless a deadlock's report has said so. */
static void report_unfinished(Notifier *n, void *data)
{
    TensixDeadlockState *s = container_of(n, TensixDeadlockState, exit);
    TensixStandstill now = take_standstill(s);
    TensixReporter *r = tensix_cop_reporter(s->parent_obj.cop);
    g_autoptr(TensixUnfinishedList) list = NULL;

    if (s->unfinished && !was_reported(s, &now)) {
        list = query_unfinished(s);
        for (const TensixUnfinishedList *at = list; at; at = at->next) {
            if (tensix_report_finding(r, "unfinished", at->value->text)) {
                tensix_report_print(r, "tensix: unfinished: %s\n",
                                    at->value->text);
            }
        }
    }
}

/*
 * Poll again?  Not if nothing waits, and not after the report.  A hart that was
 * woken without cause and stalls again makes no new report.
 */
static bool consider(TensixDeadlockState *s, Verdict verdict)
{
    TensixStandstill now = take_standstill(s);
    bool same = !memcmp(&now, &s->last, sizeof(now));

    s->last = now;
    if (verdict < NO_HART_RUNS || !same) {
        s->samples = 0;
        return verdict != CONTINUES;
    }
    if (was_reported(s, &now)) {
        return false;
    }
    if (++s->samples < SAMPLES) {
        return true;
    }
    s->samples = 0;
    s->reported = now;
    s->has_reported = true;
    report(s, verdict);
    return false;
}

static void wait_begins(TensixPoller *p)
{
    tensix_poller_begin(p, POLL_PERIOD_NS);
}

static int64_t poll_deadlock(TensixPoller *p)
{
    TensixDeadlockState *s = TENSIX_DEADLOCK(p);
    Verdict verdict;

    tensix_cop_lock(p->cop);
    verdict = find_verdict(s);
    tensix_cop_release(p->cop);
    return consider(s, verdict) ? POLL_PERIOD_NS : 0;
}

/* --- life cycle --- */

static void tensix_deadlock_reset_exit(Object *obj, ResetType type)
{
    TensixDeadlockState *s = TENSIX_DEADLOCK(obj);

    s->has_reported = false;
    s->samples = 0;
}

static void start(TensixPoller *p)
{
    qemu_add_exit_notifier(&TENSIX_DEADLOCK(p)->exit);
}

/* Objects of users go away before exit notifiers are called. */
static void stop(TensixPoller *p)
{
    TensixDeadlockState *s = TENSIX_DEADLOCK(p);

    qemu_remove_exit_notifier(&s->exit);
    if (tensix_instrument_at_exit(TENSIX_INSTRUMENT(p))) {
        report_unfinished(&s->exit, NULL);
    }
}

/* --- what it has seen: state on an axis, where all is reported once --- */

/* What was seen is only compared with what is seen next. */
static int seen_post_load(void *opaque, int version_id)
{
    return ((TensixDeadlockState *)opaque)->samples < SAMPLES ? 0 : -EINVAL;
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
    .needed = tensix_poller_has_axis,
    .post_load = seen_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_TIMER_PTR(parent_obj.timer, TensixDeadlockState),
        VMSTATE_STRUCT(last, TensixDeadlockState, 1, vmstate_standstill,
                       TensixStandstill),
        VMSTATE_STRUCT(reported, TensixDeadlockState, 1, vmstate_standstill,
                       TensixStandstill),
        VMSTATE_BOOL(has_reported, TensixDeadlockState),
        VMSTATE_UINT32(samples, TensixDeadlockState),
        VMSTATE_END_OF_LIST()
    },
};

/* --- type --- */

static int get_action(Object *obj, Error **errp)
{
    return TENSIX_DEADLOCK(obj)->action;
}

static void set_action(Object *obj, int value, Error **errp)
{
    TENSIX_DEADLOCK(obj)->action = value;
}

static bool get_unfinished(Object *obj, Error **errp)
{
    return TENSIX_DEADLOCK(obj)->unfinished;
}

static void set_unfinished(Object *obj, bool value, Error **errp)
{
    TENSIX_DEADLOCK(obj)->unfinished = value;
}

static void tensix_deadlock_init(Object *obj)
{
    TensixDeadlockState *s = TENSIX_DEADLOCK(obj);

    s->unfinished = true;
    s->exit.notify = report_unfinished;
}

static void tensix_deadlock_class_init(ObjectClass *oc, TensixClassData *data)
{
    TensixPollerClass *pc = TENSIX_POLLER_CLASS(oc);

    pc->vmsd = &vmstate_tensix_deadlock;
    pc->event = TENSIX_ON_WAIT;
    pc->of_machine = true;
    pc->begin = wait_begins;
    pc->poll = poll_deadlock;
    pc->start = start;
    pc->stop = stop;
    RESETTABLE_CLASS(oc)->phases.exit = tensix_deadlock_reset_exit;
    object_class_property_add_enum(oc, "action", "TensixDeadlockAction",
                                   &TensixDeadlockAction_lookup, get_action,
                                   set_action);
    object_class_property_set_description(oc, "action",
        "what a deadlock does besides being reported");
    object_class_property_add_bool(oc, "unfinished", get_unfinished,
                                   set_unfinished);
    object_class_property_set_description(oc, "unfinished",
        "report what still waits when QEMU ends");
}

static const TypeInfo tensix_deadlock_types[] = {
    {
        .name = TYPE_TENSIX_DEADLOCK,
        .parent = TYPE_TENSIX_POLLER,
        .instance_size = sizeof(TensixDeadlockState),
        .instance_init = tensix_deadlock_init,
        .class_init = tensix_deadlock_class_init,
    },
};

DEFINE_TYPES(tensix_deadlock_types)
