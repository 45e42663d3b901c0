/*
 * What happened in the tile: a file of all events.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The file: lines of text up to an empty one, then events as they lie in the
 * ring (TensixEvent), the last of which is END.  The lines name all that is a
 * number in an event, so that whoever reads the file needs no table of his own.
 *
 * QEMU interface:
 *  + -object tensix-timeline,id=ID,file=FILE[,registers=on][,tile=PATH]
 */

#include "qemu/osdep.h"
#include <glib-unix.h>
#include <sys/file.h>
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_recent.h"
#include "hw/tenstorrent/tensix_timeline.h"
#include "qom/object_interfaces.h"
#include "system/cpu-timers.h"
#include "system/system.h"
#include "tensix_timeline_places.h"

OBJECT_DECLARE_SIMPLE_TYPE(TensixTimeline, TENSIX_TIMELINE)

struct TensixTimeline {
    TensixInstrument parent_obj;

    char *file;                    /* property "file" */
    bool registers;                /* property: their accesses, too */
    TensixCopState *cop;           /* attached: */
    TensixRecorder *recorder;      /* the core's */
    TensixSources *sources;
    Notifier exit;                 /* the file is ended then */
    Notifier jump, elf, push, l1, registers_accessed, enter;
    int fd;
    int64_t stamped;               /* virtual ns of the last TIME event */
    TensixPlaces *places;          /* of the events in the file */
    uint64_t lost;                 /* events that could not be written */
};

/* --- what only a timeline records --- */

/* Without -icount virtual time is the host's, which says nothing here. */
static void stamp(TensixTimeline *t)
{
    int64_t now;

    if (!icount_enabled()) {
        return;
    }
    now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    if (now != t->stamped) {
        t->stamped = now;
        tensix_record(t->recorder, TIME, (uint32_t)now, (uint32_t)(now >> 32));
    }
}

static void core_is_entered(Notifier *n, void *data)
{
    stamp(container_of(n, TensixTimeline, enter));
}

static void word_is_pushed(Notifier *n, void *data)
{
    stamp(container_of(n, TensixTimeline, push));
}

static void hart_jumps(Notifier *n, void *data)
{
    static const TensixEventKind kinds[] = {
        [TENSIX_JUMP_CALL] = TENSIX_EVENT_CALL,
        [TENSIX_JUMP_RETURN] = TENSIX_EVENT_RETURN,
        [TENSIX_JUMP_INDIRECT] = TENSIX_EVENT_INDIRECT,
    };
    TensixTimeline *t = container_of(n, TensixTimeline, jump);
    const TensixJumpEvent *event = data;

    stamp(t);
    tensix_cop_record(t->cop, &(const TensixEvent) {
        .kind = kinds[event->jump],
        .number = { event->hart->id, event->pc, event->target },
    });
}

/* Writes for a hart or by an instruction, which is the last one executed. */
static void l1_is_accessed(Notifier *n, void *data)
{
    TensixTimeline *t = container_of(n, TensixTimeline, l1);
    const TensixL1Access *a = data;
    bool by_insn = a->by->kind == TENSIX_BY_INSTRUCTION ||
                   a->by->kind == TENSIX_BY_NOBODY;

    if (!(a->accesses & TENSIX_WATCH_WRITE) || a->by->kind == TENSIX_BY_HART ||
        (!by_insn && tensix_actor_hart(a->by) >= TENSIX_HART_NONE)) {
        return;
    }
    if (!by_insn) {
        tensix_record(t->recorder, ACTOR, a->by->hart, a->by->pc);
    }
    tensix_record(t->recorder, L1_WRITE, a->address, a->size);
}

/* The aperture, which is no part of the hardware, has no 32-bit address. */
static void register_is_accessed(Notifier *n, void *data)
{
    TensixTimeline *t = container_of(n, TensixTimeline, registers_accessed);
    const TensixRegisterEvent *e = data;

    if (e->address <= UINT32_MAX) {
        stamp(t);
        tensix_cop_record(t->cop, &(const TensixEvent) {
            .kind = TENSIX_EVENT_REGISTER,
            .number = { e->by.kind, tensix_actor_hart(&e->by), e->by.pc, e->store,
                        e->address, e->value, e->size },
        });
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
        error_report("timeline: %s: %s; events are lost", t->file,
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
    TensixRecorder *r = t->recorder;
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
    g_autoptr(GArray) events = tensix_places_take(t->places, t->sources);

    write_events(t, (const TensixEvent *)events->data, events->len);
}

/* A push that fills the ring takes events, too: none may be made meanwhile. */
static void elf_changes(Notifier *n, void *data)
{
    TensixTimeline *t = container_of(n, TensixTimeline, elf);

    tensix_cop_lock(t->cop);
    take_events(t);
    write_places(t);
    tensix_cop_release(t->cop);
}

/* --- the head of the file --- */

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

static const char *agent_name(unsigned n)
{
    return tensix_agent_names[n];
}

static const char *access_name(unsigned n)
{
    return n ? "store" : "load";
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

/* Functions are named by the file's readers: from the images. */
static void append_images(GString *head, TensixSources *sources)
{
    for (int n = 0; n < TENSIX_NUM_HARTS; n++) {
        g_autofree char *image = tensix_sources_image(sources, n);

        if (image) {
            g_string_append_printf(head, "image.%s=%s\n", tensix_hart_name(n),
                                   g_strdelimit(image, "\r\n", ' '));
        }
    }
}

static GString *make_head(const TensixTimeline *t)
{
    GString *head = g_string_new("tensix timeline 1\n");

    g_string_append_printf(head, "axis=%s\nevent_bytes=%zu\n",
                           icount_enabled() ? "virtual-ns" : "order",
                           sizeof(TensixEvent));
    append_images(head, t->sources);
    append_kinds(head);
    append_opcodes(head);
    append_names(head, "hart", TENSIX_NUM_HARTS, tensix_hart_name);
    append_names(head, "unit", TENSIX_PORTS, unit_name);
    append_names(head, "turn", TENSIX_HART_TURNS, turn_name);
    append_names(head, "stall", TENSIX_STALL_CAUSES, tensix_stall_name);
    append_names(head, "wait", TENSIX_WAIT_REASONS, wait_name);
    append_names(head, "category", TENSIX_CATEGORIES, category_name);
    append_names(head, "agent", TENSIX_AGENTS, agent_name);
    append_names(head, "access", 2, access_name);
    g_string_append_c(head, '\n');
    return head;
}

/* --- life cycle --- */

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

/* The file with its head in it; -1: errp is set. */
static int begin_file(TensixTimeline *t, const char *file, Error **errp)
{
    g_autoptr(GString) head = make_head(t);
    int fd = open_file(file, errp);

    if (fd >= 0 && !write_all(fd, head->str, head->len)) {
        error_setg_errno(errp, errno, "timeline: %s", file);
        close(fd);
        return -1;
    }
    return fd;
}

static void record_harts(TensixTimeline *t)
{
    for (int n = 0; n < TENSIX_NUM_HARTS; n++) {
        TensixHart *hart = tensix_cop_hart(t->cop, n);
        TensixHartTurn turn = tensix_hart_is_held(hart) ? TENSIX_HART_HELD
                              : tensix_hart_is_paused(hart) ? TENSIX_HART_PAUSES
                              : tensix_hart_stall_cause(hart) ? TENSIX_HART_STALLS
                              : TENSIX_HART_STARTS;

        tensix_cop_record_turn(t->cop, &(TensixTurnEvent) {
            hart, turn, tensix_hart_stall_cause(hart),
            tensix_hart_stall_detail(hart), tensix_hart_pc(hart, 0)
        });
    }
}

static const TensixSubscription subscriptions[] = {
    { TENSIX_ON_JUMP, hart_jumps, offsetof(TensixTimeline, jump) },
    { TENSIX_ON_ELF, elf_changes, offsetof(TensixTimeline, elf) },
    { TENSIX_ON_PUSH, word_is_pushed, offsetof(TensixTimeline, push) },
    { TENSIX_ON_L1, l1_is_accessed, offsetof(TensixTimeline, l1) },
    { }
};

static const TensixSubscription register_subscription[] = {
    { TENSIX_ON_REGISTER, register_is_accessed,
      offsetof(TensixTimeline, registers_accessed) },
    { }
};

static void subscribe(TensixTimeline *t)
{
    tensix_bus_subscribe_all(t->parent_obj.bus, subscriptions, t);
    if (t->registers) {
        tensix_bus_subscribe_all(t->parent_obj.bus, register_subscription, t);
    }
    tensix_cop_on_enter(t->cop, &t->enter);
    qemu_add_exit_notifier(&t->exit);
}

static void unsubscribe(TensixTimeline *t)
{
    tensix_bus_unsubscribe_all(t->parent_obj.bus, subscriptions, t);
    if (t->registers) {
        tensix_bus_unsubscribe_all(t->parent_obj.bus, register_subscription, t);
    }
    notifier_remove(&t->enter);
    qemu_remove_exit_notifier(&t->exit);
}

static void begin(TensixTimeline *t)
{
    t->stamped = -1;
    t->lost = 0;
    tensix_cop_lock(t->cop);
    tensix_cop_set_timeline(t->cop, take_events, t);
    subscribe(t);
    record_harts(t);
    tensix_cop_release(t->cop);
}

static void end(TensixTimeline *t)
{
    static const TensixEvent last = { .kind = TENSIX_EVENT_END };

    if (t->fd < 0) {
        return;
    }
    tensix_cop_lock(t->cop);
    unsubscribe(t);
    take_events(t);
    tensix_cop_set_timeline(t->cop, NULL, NULL);
    tensix_cop_release(t->cop);
    write_places(t);
    write_events(t, &last, 1);
    close(t->fd);
    t->fd = -1;
    if (t->lost) {
        error_report("timeline: %s: %" PRIu64 " events were lost", t->file,
                     t->lost);
    }
}

/* exit() may be a hart's, by semihosting, with or without the BQL. */
static void end_at_exit(Notifier *n, void *data)
{
    TensixTimeline *t = container_of(n, TensixTimeline, exit);

    BQL_LOCK_GUARD();
    if (!tensix_cop_is_entered(t->cop)) {
        end(t);
    }
}

static bool tensix_timeline_prepare(TensixInstrument *i, Error **errp)
{
    TensixTimeline *t = TENSIX_TIMELINE(i);

    if (!t->file) {
        error_setg(errp, "file=FILE is missing");
        return false;
    }
    t->cop = TENSIX_COP(i->cop);
    t->sources = tensix_cop_reporter(t->cop)->sources;
    t->recorder = tensix_cop_recorder(t->cop);
    t->fd = begin_file(t, t->file, errp);
    return t->fd >= 0;
}

static void tensix_timeline_attach(TensixInstrument *i)
{
    begin(TENSIX_TIMELINE(i));
}

static void tensix_timeline_detach(TensixInstrument *i)
{
    end(TENSIX_TIMELINE(i));
}

/* Another file that cannot be opened leaves the one that is being written. */
static bool change_file(TensixTimeline *t, const char *file, Error **errp)
{
    int fd;

    if (!strcmp(t->file, file)) {
        end(t);                    /* else its lock would be in the way */
    }
    fd = begin_file(t, file, errp);
    if (fd >= 0) {
        end(t);
        t->fd = fd;
        begin(t);
    }
    return fd >= 0;
}

/* --- type --- */

/* Empty if none is written, for an error, or because QEMU ends. */
static char *get_file(Object *obj, Error **errp)
{
    TensixTimeline *t = TENSIX_TIMELINE(obj);
    bool written = t->fd >= 0 || !TENSIX_INSTRUMENT(t)->attached;

    return g_strdup(written && t->file ? t->file : "");
}

static void set_file(Object *obj, const char *value, Error **errp)
{
    TensixTimeline *t = TENSIX_TIMELINE(obj);

    if (!TENSIX_INSTRUMENT(t)->attached || change_file(t, value, errp)) {
        g_free(t->file);
        t->file = g_strdup(value);
    }
}

static bool get_registers(Object *obj, Error **errp)
{
    return TENSIX_TIMELINE(obj)->registers;
}

static void set_registers(Object *obj, bool value, Error **errp)
{
    TensixTimeline *t = TENSIX_TIMELINE(obj);

    if (TENSIX_INSTRUMENT(t)->attached) {
        error_setg(errp, "timeline: registers cannot change while a file is "
                   "written");
        return;
    }
    t->registers = value;
}

static void tensix_timeline_init(Object *obj)
{
    TensixTimeline *t = TENSIX_TIMELINE(obj);

    t->fd = -1;
    t->places = tensix_places_new();
    t->exit.notify = end_at_exit;
    t->enter.notify = core_is_entered;
}

static void tensix_timeline_finalize(Object *obj)
{
    TensixTimeline *t = TENSIX_TIMELINE(obj);

    tensix_places_free(t->places);
    g_free(t->file);
}

static void tensix_timeline_class_init(ObjectClass *oc, void *data)
{
    TensixInstrumentClass *ic = TENSIX_INSTRUMENT_CLASS(oc);

    ic->prepare = tensix_timeline_prepare;
    ic->attach = tensix_timeline_attach;
    ic->detach = tensix_timeline_detach;
    object_class_property_add_str(oc, "file", get_file, set_file);
    object_class_property_set_description(oc, "file",
        "that all events are written to (the tool timeline reads it)");
    object_class_property_add_bool(oc, "registers", get_registers,
                                   set_registers);
    object_class_property_set_description(oc, "registers",
        "on: accesses to registers of the tile's devices are events, too");
}

static const TypeInfo tensix_timeline_types[] = {
    {
        .name = TYPE_TENSIX_TIMELINE,
        .parent = TYPE_TENSIX_INSTRUMENT,
        .instance_size = sizeof(TensixTimeline),
        .instance_init = tensix_timeline_init,
        .instance_finalize = tensix_timeline_finalize,
        .class_init = tensix_timeline_class_init,
    },
};

DEFINE_TYPES(tensix_timeline_types)
