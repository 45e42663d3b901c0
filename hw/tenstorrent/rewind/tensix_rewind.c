/*
 * Going back: the machine's history, and how gdb's packets use it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The machine is in one of three modes.  It runs live: into new instructions,
 * or once more through known ones.  It scans: it is executed again from one
 * snapshot to the next, and the last breakpoint or watchpoint hit on the way is
 * remembered; if there is none, the same is done from the previous snapshot.
 * It seeks: it is executed again up to a place, where it stops.  While it scans
 * or seeks, only the time is visible from outside: if it is interrupted, the
 * machine returns to where the search began, after which nothing was skipped.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "exec/gdbstub.h"
#include "semihosting/console.h"
#include "system/qtest.h"
#include "system/runstate.h"
#include "tensix_history.h"
#include "tensix_rewind_internal.h"
#include "../trace.h"

typedef enum Mode {
    LIVE,
    SCAN,
    SEEK,
} Mode;

typedef enum Question {
    NOTHING,
    BACK_STEP,
    BACK_CONTINUE,
} Question;

/* Where to stop, and what gdb is shown then. */
typedef struct Goal {
    int64_t place;                 /* TENSIX_AXIS_NOWHERE: none */
    const TensixHart *hart;
    bool is_watch;
    vaddr address;                 /* of a watchpoint, with its length */
    vaddr length;
} Goal;

struct TensixRewind {
    TensixAxis *axis;
    TensixHistory *history;
    TensixTurns *turns;
    TensixReportAgain again;
    int64_t interval;              /* instructions between two snapshots */

    Mode mode;
    int64_t frontier;              /* nothing after it is known */
    Question asked;                /* by gdb, to be answered */
    Question question;             /* the last one */
    const TensixHart *asking_hart;
    const char *lost;              /* why there is no history any more */
    bool broken;                   /* the machine: until it is reset */
    bool resumed;                  /* after a stop, and no turn since */
    TensixSnapshot *stopped;       /* when it stopped */

    int64_t scan_begin, scan_end;
    Goal goal;                     /* of the seek; found by the scan so far */
};

static const TensixHart *hart_shown(const TensixRewind *r)
{
    return r->goal.hart ?: r->asking_hart;
}

/* --- what may be heard outside --- */

static void set_again(TensixRewind *r, TensixReportAgain again)
{
    if (r->again == again) {
        return;
    }
    r->again = again;
    for (unsigned i = 0; i < tensix_turns_count(r->turns); i++) {
        tensix_turns_hart(r->turns, i)->reporter->again = again;
    }
    qemu_semihosting_console_mute(again != TENSIX_REPORT_NEW);
}

static void set_mode(TensixRewind *r, Mode mode)
{
    r->mode = mode;
    tensix_axis_set_again(r->axis, mode != LIVE);
    if (mode != LIVE) {
        set_again(r, TENSIX_REPORT_SEARCH);
    }
}

/* --- ends of the history --- */

static void discard_stop(TensixRewind *r)
{
    tensix_history_drop(r->history, r->stopped);
    r->stopped = NULL;
}

static void begin_history(TensixRewind *r, const char *why)
{
    if (tensix_history_length(r->history)) {
        warn_report("rewind: history begins at instruction %" PRId64 ": %s",
                    tensix_axis_place(), why);
    }
    tensix_history_clear(r->history);
    tensix_axis_discard(r->axis);
    discard_stop(r);
    r->frontier = tensix_axis_place();
    r->lost = NULL;
}

/* The machine is half of what it was: only a reset helps. */
static void give_up_machine(TensixRewind *r)
{
    error_report("rewind: a snapshot could not be loaded; reset the machine");
    r->broken = true;
}

static bool load(TensixRewind *r, unsigned i)
{
    if (tensix_history_load(r->history, i)) {
        return true;
    }
    give_up_machine(r);
    set_mode(r, LIVE);
    qemu_system_vmstop_request_prepare();
    qemu_system_vmstop_request(RUN_STATE_INTERNAL_ERROR);
    return false;
}

/* --- stops --- */

static CPUWatchpoint *watchpoint_of(const Goal *goal)
{
    CPUWatchpoint *wp;

    if (goal->is_watch) {
        QTAILQ_FOREACH(wp, &goal->hart->cpu->watchpoints, entry) {
            if ((wp->flags & BP_GDB) && wp->vaddr == goal->address &&
                wp->len == goal->length) {
                return wp;
            }
        }
    }
    return NULL;
}

static bool arrive(TensixRewind *r)
{
    const TensixHart *hart = hart_shown(r);

    set_mode(r, LIVE);
    set_again(r, TENSIX_REPORT_AGAIN);
    tensix_axis_set_limit(r->axis, INT64_MAX);
    tensix_axis_stop(r->axis, hart, watchpoint_of(&r->goal));
    return false;
}

static bool stop_at_beginning(TensixRewind *r)
{
    r->goal = (Goal) { .place = TENSIX_AXIS_NOWHERE };
    if (!load(r, 0)) {
        return false;
    }
    gdb_stop_is_beginning();
    return arrive(r);
}

/* --- seeking --- */

/* The last snapshot that is not after the place. */
static unsigned snapshot_for(const TensixRewind *r, int64_t place)
{
    unsigned i = tensix_history_length(r->history);

    while (--i && tensix_history_at(r->history, i)->place > place) {
        /* an older one */
    }
    return i;
}

static bool seek(TensixRewind *r)
{
    unsigned i = snapshot_for(r, r->goal.place);
    int64_t from = tensix_history_at(r->history, i)->place;

    if (from > r->goal.place) {
        return stop_at_beginning(r);
    }
    trace_tensix_rewind_search("seek", from, r->goal.place);
    set_mode(r, SEEK);
    tensix_axis_set_limit(r->axis, r->goal.place);
    return load(r, i);
}

/* --- scanning --- */

static const TensixSnapshot *next_snapshot(const TensixRewind *r)
{
    unsigned next = tensix_history_now(r->history) + 1;

    return next < tensix_history_length(r->history)
           ? tensix_history_at(r->history, next) : NULL;
}

/*
 * Nothing is executed that has not been before: it could be the guest's end.
 * Where that is sure the last turn may end as it likes, and can be compared.
 */
static int64_t scan_limit(const TensixRewind *r)
{
    const TensixSnapshot *next = next_snapshot(r);

    return next && !next->is_input ? r->frontier : r->scan_end;
}

/* From the last snapshot before `end`; each is scanned once. */
static bool scan(TensixRewind *r, int64_t end)
{
    unsigned i = tensix_history_length(r->history);

    do {
        if (!i) {
            return stop_at_beginning(r);
        }
        r->scan_begin = tensix_history_at(r->history, --i)->place;
    } while (r->scan_begin >= end);
    trace_tensix_rewind_search("scan", r->scan_begin, end);
    r->scan_end = end;
    set_mode(r, SCAN);
    if (!load(r, i)) {
        return false;
    }
    tensix_axis_set_limit(r->axis, scan_limit(r));
    return true;
}

/*
 * gdb itself takes back the instruction that hit a watchpoint, to see what it
 * changes: it is shown the place after it.
 */
static bool record_hit(void *opaque, const TensixHart *hart, int64_t place,
                       const CPUWatchpoint *wp)
{
    TensixRewind *r = opaque;

    if (r->mode == SCAN && place < r->scan_end) {
        r->goal = (Goal) {
            .place = place + (wp != NULL), .hart = hart, .is_watch = wp,
            .address = wp ? wp->vaddr : 0, .length = wp ? wp->len : 0,
        };
    }
    return r->mode != LIVE;
}

/*
 * What was executed again has to come to the same as the first time.  A
 * snapshot of an input does not say what was before that, and on another line
 * the coprocessor has other cycles.
 */
static bool is_reproduced(TensixRewind *r)
{
    const TensixSnapshot *then = next_snapshot(r);
    TensixSnapshot *now;
    bool same;

    if (!then || then->is_input || then->place != tensix_axis_place()) {
        return true;
    }
    now = tensix_history_capture(r->history);
    same = now->line != then->line || tensix_snapshot_equal(now, then);
    tensix_history_drop(r->history, now);
    return same;
}

static bool discard_unreachable(TensixRewind *r)
{
    tensix_history_discard(r->history, tensix_history_now(r->history) + 1);
    warn_report("rewind: what happened before instruction %" PRId64 " came out "
                "differently when it was executed again; history begins there",
                tensix_history_at(r->history, 0)->place);
    return stop_at_beginning(r);
}

static bool scanned_all(TensixRewind *r)
{
    if (!is_reproduced(r)) {
        return discard_unreachable(r);
    }
    return r->goal.place == TENSIX_AXIS_NOWHERE ? scan(r, r->scan_begin)
                                                : seek(r);
}

/* --- requests of gdb --- */

static bool answer(TensixRewind *r)
{
    Question asked = r->asked;

    r->asked = NOTHING;
    r->goal = (Goal) { .place = TENSIX_AXIS_NOWHERE };
    if (asked == BACK_CONTINUE) {
        return scan(r, tensix_axis_place());
    }
    r->goal.place = tensix_axis_last(r->asking_hart);
    return seek(r);
}

/* --- running --- */

/*
 * A debugger, monitor or test may have written to memory, registers or devices
 * while the machine was stopped: what follows depends on that.
 */
static void check_for_input(TensixRewind *r)
{
    TensixSnapshot *now = tensix_history_capture(r->history);
    bool moved = now->place != r->stopped->place;
    bool same = !moved && tensix_snapshot_equal(now, r->stopped);

    tensix_history_drop(r->history, now);
    discard_stop(r);
    if (moved) {
        begin_history(r, "another state was loaded");
    } else if (!same) {
        tensix_history_cut(r->history);
        r->frontier = tensix_axis_place();
        tensix_history_add(r->history, true);
    }
}

static void check_on_resume(TensixRewind *r)
{
    r->resumed = false;
    if (r->lost) {
        begin_history(r, r->lost);
    }
    if (r->stopped) {
        check_for_input(r);
    }
    if (!tensix_history_length(r->history)) {
        r->frontier = tensix_axis_place();
        tensix_history_add(r->history, true);
    }
}

/* Goes past snapshots that were taken here; false: one could not be loaded. */
static bool pass_snapshots(TensixRewind *r)
{
    const TensixSnapshot *next;

    while ((next = next_snapshot(r)) && next->place <= tensix_axis_place()) {
        if (next->is_input && r->mode == LIVE) {
            if (!load(r, tensix_history_now(r->history) + 1)) {
                return false;
            }
        } else {
            tensix_history_pass(r->history);
        }
    }
    return true;
}

/* Also through known history: one step back is often followed by another. */
static void take_if_due(TensixRewind *r)
{
    const TensixSnapshot *last =
        tensix_history_at(r->history, tensix_history_now(r->history));

    if (tensix_axis_place() - last->place >= r->interval) {
        tensix_history_add(r->history, false);
    }
}

/*
 * The end of known history must not be noticeable, nor may an input be passed.
 */
static void run_live(TensixRewind *r)
{
    const TensixSnapshot *next = next_snapshot(r);
    int64_t place = tensix_axis_place();
    int64_t limit = INT64_MAX;

    if (place < r->frontier) {
        limit = r->frontier;
        if (next && next->is_input) {
            limit = MIN(limit, next->place);
        }
    } else {
        r->frontier = place;
    }
    set_again(r, place < r->frontier ? TENSIX_REPORT_AGAIN
                                     : TENSIX_REPORT_NEW);
    tensix_axis_set_limit(r->axis, limit);
}

/* Something has come from outside into a past that is executed again. */
static bool give_up(TensixRewind *r)
{
    begin_history(r, r->lost);
    tensix_history_add(r->history, true);
    r->goal = (Goal) { .place = TENSIX_AXIS_NOWHERE };
    return arrive(r);
}

static bool before_turn(void *opaque)
{
    TensixRewind *r = opaque;
    int64_t place = tensix_axis_place();

    if (r->broken) {
        return false;
    }
    if (r->lost && r->mode != LIVE) {
        return give_up(r);
    }
    if (r->resumed || r->lost) {
        check_on_resume(r);
    }
    if (r->asked) {
        return answer(r);
    }
    if (r->mode == SCAN && place >= r->scan_end) {
        return scanned_all(r);
    }
    if (r->mode == SEEK && place >= r->goal.place) {
        return arrive(r);
    }
    if (!pass_snapshots(r)) {
        return false;
    }
    take_if_due(r);
    if (r->mode == LIVE) {
        run_live(r);
    }
    return true;
}

/*
 * The place that the search had come to means nothing: a hit between it and
 * where the search began may not have been found yet.  What has come from
 * outside, a reset for instance, is not undone.
 */
static void interrupt_search(TensixRewind *r)
{
    set_mode(r, LIVE);
    set_again(r, TENSIX_REPORT_AGAIN);
    tensix_axis_set_limit(r->axis, INT64_MAX);
    if (!r->lost && !tensix_history_return(r->history)) {
        give_up_machine(r);
    }
}

/* What only saves the machine resumes it: then the search begins anew. */
static void stop_search(TensixRewind *r)
{
    bool searched = tensix_rewind_is_searching(r);

    if (r->mode != LIVE) {
        interrupt_search(r);
    }
    if (searched && runstate_check(RUN_STATE_SAVE_VM)) {
        r->asked = r->question;
    } else {
        r->asked = NOTHING;
        tensix_history_unmark(r->history);
    }
}

static void vm_state(void *opaque, bool running)
{
    TensixRewind *r = opaque;

    if (running) {
        r->resumed = true;
        r->broken = false;
        return;
    }
    stop_search(r);
    r->frontier = MAX(r->frontier, tensix_axis_place());
    if (r->resumed && r->stopped) {
        return;                    /* no turn since: still to be compared */
    }
    discard_stop(r);
    if (tensix_history_length(r->history) && !r->lost && !r->broken) {
        r->stopped = tensix_history_capture(r->history);
    }
}

static void record_input(void *opaque, const char *what)
{
    TensixRewind *r = opaque;

    qatomic_set(&r->lost, what);
}

/* Reads of memory change nothing, and those of a poll come all the time. */
static bool only_reads(const char *command)
{
    return g_str_has_prefix(command, "read") ||
           g_str_has_prefix(command, "b64read") ||
           g_str_equal(command, "endianness");
}

/* While the machine is stopped check_for_input() will find it. */
static void record_qtest(void *opaque, const char *command)
{
    if (runstate_is_running() && !only_reads(command)) {
        record_input(opaque, "qtest wrote while the machine ran");
    }
}

static const TensixAxisOps axis_ops = {
    .before_turn = before_turn,
    .hit = record_hit,
    .vm_state = vm_state,
    .input = record_input,
};

void tensix_rewind_reset(TensixRewind *r)
{
    record_input(r, "the machine was reset, or another state loaded");
}

/* --- gdb --- */

/* A guest that has requested its end is stopped, and has a past. */
static bool ask(TensixRewind *r, Question question, const CPUState *cpu)
{
    check_on_resume(r);
    if (runstate_check(RUN_STATE_SHUTDOWN)) {
        runstate_set(RUN_STATE_PAUSED);
    }
    if (runstate_needs_reset()) {
        return false;              /* no client would resume it */
    }
    tensix_history_mark(r->history);
    r->asked = r->question = question;
    r->asking_hart = tensix_axis_hart(r->axis, cpu);
    tensix_axis_wake(r->axis);
    return true;
}

static bool step_back(void *opaque, CPUState *cpu)
{
    return ask(opaque, BACK_STEP, cpu);
}

/* At the beginning there is no hart that has hit something. */
static bool continue_back(void *opaque)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (gdb_attached_to_cpu(cpu)) {
            return ask(opaque, BACK_CONTINUE, cpu);
        }
    }
    return false;
}

static bool searching(void *opaque)
{
    return tensix_rewind_is_searching(opaque);
}

static const GDBReverseOps reverse_ops = {
    .step = step_back,
    .cont = continue_back,
    .searching = searching,
};

/* --- */

char *tensix_rewind_digest(TensixRewind *r, Error **errp)
{
    g_autofree char *digest = NULL;
    TensixSnapshot *now;

    if (runstate_is_running()) {
        error_setg(errp, "the machine runs: stop it first");
        return NULL;
    }
    now = tensix_history_capture(r->history);
    digest = tensix_snapshot_digest(now);
    tensix_history_drop(r->history, now);
    return g_strdup_printf("%" PRId64 " %s", tensix_axis_place(), digest);
}

char *tensix_rewind_status(const TensixRewind *r)
{
    const TensixHistory *h = r->history;
    unsigned n = tensix_history_length(h);

    return g_strdup_printf("%" PRId64 " %" PRId64 " %u %zu",
                           n ? tensix_history_at(h, 0)->place : r->frontier,
                           r->frontier, n, tensix_history_bytes(h));
}

static void set_core_continues(const TensixRewind *r, bool continues)
{
    for (unsigned i = 0; i < tensix_turns_count(r->turns); i++) {
        tensix_turns_hart(r->turns, i)->reporter->core_continues = continues;
    }
}

void tensix_rewind_configure(TensixRewind *r,
                             const TensixRewindOptions *options)
{
    r->interval = options->interval;
    tensix_history_set_memory(r->history, options->memory);
}

TensixRewind *tensix_rewind_new(TensixTurns *turns, GPtrArray *cops,
                                const TensixRewindOptions *options)
{
    TensixRewind *r = g_new0(TensixRewind, 1);

    r->axis = tensix_axis_new(turns, &axis_ops, r);
    r->turns = turns;
    r->history = tensix_history_new(cops);
    r->resumed = runstate_is_running();
    tensix_rewind_configure(r, options);
    set_core_continues(r, true);
    gdb_set_reverse(&reverse_ops, r);
    qtest_set_listener(record_qtest, r);
    return r;
}

bool tensix_rewind_is_searching(const TensixRewind *r)
{
    return r->mode != LIVE || r->asked;
}

void tensix_rewind_free(TensixRewind *r)
{
    gdb_set_reverse(NULL, NULL);
    qtest_set_listener(NULL, NULL);
    set_again(r, TENSIX_REPORT_NEW);
    set_core_continues(r, false);
    discard_stop(r);
    tensix_history_free(r->history);
    tensix_axis_free(r->axis);
    g_free(r);
}
