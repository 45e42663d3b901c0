/*
 * What happened in the tile: the latest events, and a file of all of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The file: lines of text up to an empty one, then events as they lie in the
 * ring (TensixEvent), the last of which is END.  The lines name all that is a
 * number in an event, so that whoever reads the file needs no table of his own.
 */

#include "qemu/osdep.h"
#include <glib-unix.h>
#include <sys/file.h>
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/memalign.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "hw/core/cpu.h"
#include "hw/tenstorrent/tensix_jumps.h"
#include "hw/tenstorrent/tensix_timeline.h"
#include "system/cpu-timers.h"
#include "system/system.h"
#include "tensix_cop_internal.h"
#include "tensix_timeline_places.h"

typedef struct TensixTimeline {
    TensixCopState *cop;
    TensixEvent *ring;
    GString *description;          /* lines of the head */
    Notifier exit;                 /* the file is ended then */
    Notifier turn, jump, stop;
    char *name;                    /* of the file, NULL: none is written */
    int fd;
    int64_t stamped;               /* virtual ns of the last TIME event */
    TensixPlaces *places;          /* of the events in the file */
    uint64_t lost;                 /* events that could not be written */
} TensixTimeline;

/* --- recording --- */

/* Is somebody else's push in the core possible, in another thread? */
static bool push_may_be_under_way(const TensixCopState *cop)
{
    return !cop->inside && !(current_cpu && qemu_cpu_is_self(current_cpu));
}

/*
 * Whoever is inside has locked the core.  A hart's thread that is not inside
 * pushes nothing meanwhile, and with a thread per hart pushes take the BQL.
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

void tensix_timeline_actor(TensixCopState *cop, const TensixActor *by)
{
    if (cop->recorder->all) {
        tensix_cop_record(cop, &(const TensixEvent) {
            .kind = TENSIX_EVENT_ACTOR,
            .number = { by->hart, by->pc },
        });
    }
}

static void record_turn(TensixCopState *cop, const TensixTurnEvent *event)
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
    record_turn(container_of(n, TensixTimeline, turn)->cop, data);
}

static void hart_jumps(Notifier *n, void *data)
{
    static const TensixEventKind kinds[] = {
        [TENSIX_JUMP_CALL] = TENSIX_EVENT_CALL,
        [TENSIX_JUMP_RETURN] = TENSIX_EVENT_RETURN,
        [TENSIX_JUMP_INDIRECT] = TENSIX_EVENT_INDIRECT,
    };
    TensixCopState *cop = container_of(n, TensixTimeline, jump)->cop;
    const TensixJumpEvent *event = data;

    tensix_timeline_stamp_now(cop);
    tensix_cop_record(cop, &(const TensixEvent) {
        .kind = kinds[event->jump],
        .number = { event->hart->id, event->pc, event->target },
    });
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

/* A violation's thread may be inside; the others stand still or wait. */
static void tell_recent(Notifier *notifier, void *data)
{
    TensixCopState *cop = container_of(notifier, TensixTimeline, stop)->cop;
    GString *text = data;
    uint64_t end = tensix_record_count(cop->recorder);
    uint64_t n = tensix_cop_recent(cop, TENSIX_RECENT_LINES);

    g_string_append_printf(text, "the latest %" PRIu64 " of %" PRIu64
                           " events:\n", end - n, end);
    for (; n < end; n++) {
        g_string_append_printf(text, "  %" PRIu64 " ", n);
        tensix_cop_event_text(text, tensix_record_get(cop->recorder, n));
        g_string_append_c(text, '\n');
    }
}

/* --- the file --- */

static bool write_all(int fd, const void *data, size_t size)
{
    return qemu_write_full(fd, data, size) == size;
}

/* The ring's events from number `taken` on, up to its end or to the newest. */
static uint64_t take_run(TensixRecorder *r)
{
    uint64_t places = r->end - r->ring;
    uint64_t left = tensix_record_count(r) - r->taken;

    return MIN(left, places - r->taken % places);
}

/* An error is told once; what cannot be written is counted. */
static void write_events(TensixTimeline *t, const TensixEvent *event,
                         uint64_t count)
{
    if (!t->lost && !write_all(t->fd, event, count * sizeof(*event))) {
        error_report("timeline: %s: %s; events are lost", t->name,
                     strerror(errno));
        t->lost += count;
    } else if (t->lost) {
        t->lost += count;
    }
}

/* The core calls this when the ring is full. */
static void take_events(void *opaque)
{
    TensixTimeline *t = opaque;
    TensixRecorder *r = t->cop->recorder;
    uint64_t run;

    while ((run = take_run(r))) {
        tensix_places_note(t->places, tensix_record_get(r, r->taken), run);
        write_events(t, tensix_record_get(r, r->taken), run);
        r->taken += run;
    }
}

/* Where the pcs in the file are; ELFs are read meanwhile. */
static void write_places(TensixTimeline *t)
{
    g_autoptr(GArray) events = tensix_places_take(t->places,
                                                  t->cop->reporter->sources);

    write_events(t, (const TensixEvent *)events->data, events->len);
}

/* A push that fills the ring takes events, too: none may be made meanwhile. */
void tensix_timeline_settle_places(TensixCopState *cop)
{
    if (cop->timeline->name) {
        tensix_cop_lock(cop);
        take_events(cop->timeline);
        write_places(cop->timeline);
        tensix_cop_release(cop);
    }
}

/* "kind 1 execute insn": numbers of an instruction, then those named here. */
static void append_kinds(GString *head)
{
    for (int kind = TENSIX_EVENT_NONE + 1; kind < TENSIX_EVENTS; kind++) {
        const TensixEventDef *def = &tensix_events[kind];

        g_string_append_printf(head, "kind=%d %s %s %s\n", kind, def->name,
                               def->form == TENSIX_FORM_INSN ? "insn"
                                                             : "numbers",
                               def->details);
    }
}

static void append_names(GString *head, const char *key, int count,
                         const char *(*name)(unsigned n))
{
    for (int n = 0; n < count; n++) {
        g_string_append_printf(head, "%s=%d %s\n", key, n, name(n));
    }
}

static const char *turn_name(unsigned n)
{
    return tensix_hart_turn_names[n];
}

static const char *wait_name(unsigned n)
{
    return tensix_wait_names[n];
}

static const char *unit_name(unsigned n)
{
    return n == TENSIX_PORT_UNPACK1 ? "unpack 1" : tensix_unit_names[n];
}

static const char *category_name(unsigned n)
{
    return tensix_category_names[n];
}

/* Opcodes that exist: number, unit, mnemonic. */
static void append_opcodes(GString *head)
{
    for (int op = 0; op < ARRAY_SIZE(tensix_insns); op++) {
        if (tensix_insns[op].mnemonic) {
            g_string_append_printf(head, "opcode=%d %d %s\n", op,
                                   tensix_insns[op].unit,
                                   tensix_insns[op].mnemonic);
        }
    }
}

static GString *make_head(const TensixTimeline *t)
{
    GString *head = g_string_new("tensix timeline 1\n");

    g_string_append_printf(head, "axis=%s\nevent_bytes=%zu\n",
                           icount_enabled() ? "virtual-ns" : "order",
                           sizeof(TensixEvent));
    g_string_append(head, t->description->str);
    append_kinds(head);
    append_opcodes(head);
    append_names(head, "hart", TENSIX_NUM_HARTS, tensix_hart_name);
    append_names(head, "unit", TENSIX_PORTS, unit_name);
    append_names(head, "turn", TENSIX_HART_TURNS, turn_name);
    append_names(head, "stall", TENSIX_STALL_CAUSES, tensix_stall_name);
    append_names(head, "wait", TENSIX_WAIT_REASONS, wait_name);
    append_names(head, "category", TENSIX_CATEGORIES, category_name);
    g_string_append_c(head, '\n');
    return head;
}

void tensix_timeline_describe(TensixCopState *cop, const char *key,
                              const char *value)
{
    g_autofree char *line = g_strdelimit(g_strdup(value), "\r\n", ' ');

    g_string_append_printf(cop->timeline->description, "%s=%s\n", key, line);
}

/*
 * Opens the file for this machine alone, then empties it; -1: errp is set.  To
 * wait for who reads a pipe would stop the main loop: there has to be one.
 */
static int open_file(const char *file, Error **errp)
{
    int fd = qemu_create(file, O_WRONLY | O_BINARY | O_NONBLOCK, 0666, errp);

    if (fd < 0) {
        return -1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        error_setg(errp, "timeline: %s is being written by another machine",
                   file);
        close(fd);
        return -1;
    }
    if (ftruncate(fd, 0) < 0 && errno != EINVAL) {     /* a pipe has no length */
        error_setg_errno(errp, errno, "timeline: %s", file);
        close(fd);
        return -1;
    }
    if (!g_unix_set_fd_nonblocking(fd, false, NULL)) {
        error_setg_errno(errp, errno, "timeline: %s", file);
        close(fd);
        return -1;
    }
    return fd;
}

static void choose_jumps(TensixTimeline *t)
{
    for (int n = 0; n < TENSIX_NUM_HARTS; n++) {
        tensix_hart_choose_jumps(t->cop->hart[n]);
    }
}

static void start_recording(TensixTimeline *t)
{
    tensix_cop_lock(t->cop);
    tensix_set_timeline(t->cop->core, take_events, t);
    t->cop->way_changes++;
    tensix_cop_stamp_pushes(t->cop, true);
    for (int n = 0; n < TENSIX_NUM_HARTS; n++) {
        TensixHart *hart = t->cop->hart[n];
        TensixHartTurn turn = tensix_hart_is_held(hart) ? TENSIX_HART_HELD
                              : hart->paused ? TENSIX_HART_PAUSES
                              : hart->stall ? TENSIX_HART_STALLS
                              : TENSIX_HART_STARTS;

        record_turn(t->cop, &(TensixTurnEvent) {
            hart, turn, hart->stall, hart->stall_detail, tensix_hart_pc(hart, 0)
        });
    }
    tensix_cop_release(t->cop);
    tensix_bus_subscribe(t->cop->bus, TENSIX_ON_JUMP, &t->jump);
    choose_jumps(t);
}

bool tensix_timeline_start(TensixCopState *cop, const char *file, Error **errp)
{
    TensixTimeline *t = cop->timeline;
    g_autoptr(GString) head = make_head(t);
    int fd;

    if (t->name && !strcmp(t->name, file)) {
        tensix_timeline_stop(cop); /* else its lock would be in the way */
    }
    fd = open_file(file, errp);
    if (fd < 0) {
        return false;
    }
    if (!write_all(fd, head->str, head->len)) {
        error_setg_errno(errp, errno, "timeline: %s", file);
        close(fd);
        return false;
    }
    tensix_timeline_stop(cop);
    t->fd = fd;
    t->name = g_strdup(file);
    t->stamped = -1;
    t->lost = 0;
    start_recording(t);
    return true;
}

void tensix_timeline_stop(TensixCopState *cop)
{
    static const TensixEvent end = { .kind = TENSIX_EVENT_END };
    TensixTimeline *t = cop->timeline;

    if (!t->name) {
        return;
    }
    notifier_remove(&t->jump);
    choose_jumps(t);
    tensix_cop_lock(cop);
    take_events(t);
    tensix_set_timeline(cop->core, NULL, NULL);
    cop->way_changes++;
    tensix_cop_stamp_pushes(cop, false);
    tensix_cop_release(cop);
    write_places(t);
    write_events(t, &end, 1);
    close(t->fd);
    if (t->lost) {
        error_report("timeline: %s: %" PRIu64 " events were lost", t->name,
                     t->lost);
    }
    g_free(t->name);
    t->name = NULL;
}

const char *tensix_timeline_file(const TensixCopState *cop)
{
    return cop->timeline->name;
}

/* Without -icount virtual time is the host's, which says nothing of the tile. */
void tensix_timeline_stamp_now(TensixCopState *cop)
{
    TensixTimeline *t = cop->timeline;
    int64_t now;

    if (!icount_enabled()) {
        return;
    }
    now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    if (now != t->stamped) {
        t->stamped = now;
        tensix_record(cop->recorder, TIME, (uint32_t)now, (uint32_t)(now >> 32));
    }
}

/* --- life --- */

/* exit() may be a hart's, by semihosting, with or without the BQL. */
static void end_at_exit(Notifier *n, void *data)
{
    TensixTimeline *t = container_of(n, TensixTimeline, exit);

    BQL_LOCK_GUARD();
    if (!t->cop->inside) {
        tensix_timeline_stop(t->cop);
    }
}

void tensix_timeline_init(TensixCopState *cop)
{
    TensixTimeline *t = g_new0(TensixTimeline, 1);

    t->cop = cop;
    t->ring = qemu_memalign(TENSIX_CORE_ALIGN,
                            TENSIX_RECENT_EVENTS * sizeof(*t->ring));
    t->description = g_string_new(NULL);
    t->places = tensix_places_new();
    t->exit.notify = end_at_exit;
    t->turn.notify = hart_turns;
    t->jump.notify = hart_jumps;
    t->stop.notify = tell_recent;
    cop->timeline = t;
    cop->recorder = tensix_core_recorder(cop->core);
    tensix_record_set_ring(cop->recorder, t->ring, TENSIX_RECENT_EVENTS);
}

void tensix_timeline_watch(TensixCopState *cop)
{
    tensix_bus_subscribe(cop->bus, TENSIX_ON_TURN, &cop->timeline->turn);
    tensix_bus_subscribe(cop->bus, TENSIX_ON_STOP, &cop->timeline->stop);
    qemu_add_exit_notifier(&cop->timeline->exit);
}

void tensix_timeline_unwatch(TensixCopState *cop)
{
    tensix_timeline_stop(cop);
    qemu_remove_exit_notifier(&cop->timeline->exit);
    notifier_remove(&cop->timeline->stop);
    notifier_remove(&cop->timeline->turn);
}

void tensix_timeline_finish(TensixCopState *cop)
{
    qemu_vfree(cop->timeline->ring);
    g_string_free(cop->timeline->description, true);
    tensix_places_free(cop->timeline->places);
    g_free(cop->timeline);
}
