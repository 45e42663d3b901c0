/*
 * The latest events of a tile, for a stop, a monitor and a timeline.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/memalign.h"
#include "hw/tenstorrent/tensix_recent.h"
#include "tensix_cop_internal.h"

/* --- recording --- */

/* May another thread be pushing a word? */
static bool push_may_be_under_way(const TensixCopState *cop)
{
    return !cop->lock.inside && tensix_cop_lock_has_rival(&cop->lock);
}

/*
 * A thread that is inside has locked the core.  A hart's thread that is not inside
 * pushes nothing meanwhile; another hart's may.
 */
void tensix_cop_record(TensixCopState *cop, const TensixEvent *event)
{
    bool lock = push_may_be_under_way(cop);

    if (lock) {
        tensix_cop_lock(cop);
    }
    tensix_record_event(cop->recorder, event);
    if (lock) {
        tensix_cop_release(cop);
    }
}

bool tensix_cop_records_all(const TensixCopState *cop)
{
    return cop->recorder->all;
}

void tensix_cop_record_actor(TensixCopState *cop, const TensixActor *by)
{
    if (cop->recorder->all) {
        tensix_cop_record(cop, &(const TensixEvent) {
            .kind = TENSIX_EVENT_ACTOR,
            .number = { tensix_actor_hart(by), by->pc },
        });
    }
}

void tensix_cop_record_turn(TensixCopState *cop, const TensixTurnEvent *event)
{
    TensixHart *hart = event->hart;
    uint32_t by = TENSIX_HART_NONE;

    for (uint32_t n = 0; n < TENSIX_NUM_HARTS; n++) {
        if (tensix_hart_is_running_here(cop->hart[n])) {
            by = n;
        }
    }
    tensix_cop_record(cop, &(const TensixEvent) {
        .kind = TENSIX_EVENT_HART,
        .number = { hart->id, event->turn, event->cause, event->detail,
                    event->pc, by },
    });
}

static void hart_turns(Notifier *n, void *data)
{
    tensix_cop_record_turn(container_of(n, TensixCopState, turn), data);
}

/* --- the latest events --- */

static void append_hart(GString *text, const TensixEvent *event)
{
    uint32_t turn = MIN(event->number[1], TENSIX_HART_TURNS - 1);

    g_string_append_printf(text, "hart %s %s, pc 0x%08x",
                           tensix_hart_name(event->number[0]),
                           tensix_hart_turn_names[turn], event->number[4]);
    if (turn == TENSIX_HART_STALLS || turn == TENSIX_HART_WAKES) {
        g_string_append_printf(text, ": %s (%u)",
                               tensix_stall_name(event->number[2]),
                               event->number[3]);
    }
}

void tensix_cop_event_text(GString *text, const TensixEvent *event)
{
    char line[128 + TENSIX_DISAS_NAMED];

    if (event->kind == TENSIX_EVENT_HART) {
        append_hart(text, event);
    } else {
        tensix_event_text(line, sizeof(line), event);
        g_string_append(text, line);
    }
}

uint64_t tensix_cop_recent(const TensixCopState *cop, uint64_t count)
{
    uint64_t end = tensix_record_count(cop->recorder);
    uint64_t first = tensix_record_first(cop->recorder);

    return MAX(first, end - MIN(end, MIN(count, TENSIX_RECENT_MOST)));
}

/* A violation's thread may be inside, by a push if it has no BQL. */
static void report_recent(Notifier *notifier, void *data)
{
    TensixCopState *cop = container_of(notifier, TensixCopState, stop);
    GString *text = data;
    bool lock = bql_locked() && push_may_be_under_way(cop);
    uint64_t end, n;

    if (lock) {
        tensix_cop_lock(cop);
    }
    end = tensix_record_count(cop->recorder);
    n = tensix_cop_recent(cop, TENSIX_RECENT_LINES);
    g_string_append_printf(text, "the latest %" PRIu64 " of %" PRIu64
                           " events:\n", end - n, end);
    for (; n < end; n++) {
        g_string_append_printf(text, "  %" PRIu64 " ", n);
        tensix_cop_event_text(text, tensix_record_get(cop->recorder, n));
        g_string_append_c(text, '\n');
    }
    if (lock) {
        tensix_cop_release(cop);
    }
}

/* --- life cycle --- */

void tensix_recent_init(TensixCopState *cop)
{
    cop->ring = qemu_memalign(TENSIX_CORE_ALIGN,
                              TENSIX_RECENT_EVENTS * sizeof(*cop->ring));
    cop->recorder = tensix_core_recorder(cop->core);
    tensix_record_set_ring(cop->recorder, cop->ring, TENSIX_RECENT_EVENTS);
}

void tensix_recent_finish(TensixCopState *cop)
{
    qemu_vfree(cop->ring);
}

void tensix_recent_watch(TensixCopState *cop)
{
    cop->turn.notify = hart_turns;
    cop->stop.notify = report_recent;
    tensix_bus_subscribe(cop->bus, TENSIX_ON_TURN, &cop->turn);
    tensix_bus_subscribe(cop->bus, TENSIX_ON_STOP, &cop->stop);
}

void tensix_recent_unwatch(TensixCopState *cop)
{
    notifier_remove(&cop->stop);
    notifier_remove(&cop->turn);
}
