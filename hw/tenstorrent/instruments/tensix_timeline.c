/*
 * What happened in the tile: a file of all events.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tiles whose timelines have one file's name share it (tensix_timeline_file.h).
 *
 * QEMU interface:
 *  + -object tensix-timeline,id=ID,file=FILE[,registers=on][,tile=PATH]
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_recent.h"
#include "hw/tenstorrent/tensix_time.h"
#include "hw/tenstorrent/tensix_tiles.h"
#include "hw/tenstorrent/tensix_timeline.h"
#include "qom/object_interfaces.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "system/system.h"
#include "tensix_timeline_file.h"
#include "tensix_timeline_places.h"

OBJECT_DECLARE_SIMPLE_TYPE(TensixTimeline, TENSIX_TIMELINE)

struct TensixTimeline {
    TensixInstrument parent_obj;

    char *name;                    /* property "file" */
    bool registers;                /* property: their accesses, too */
    TensixCopState *cop;           /* attached: */
    TensixRecorder *recorder;      /* the core's */
    TensixSources *sources;
    Notifier exit;                 /* the file is ended then */
    Notifier jump, elf, push, l1, turn, registers_accessed, enter;
    TensixTimelineFile *file;      /* NULL: none is written */
    TensixTimelinePlace place;     /* the tile's */
    bool has_others;               /* the machine has other tiles */
    bool is_timed;                 /* estimated cycles, not virtual time */
    int64_t stamped;               /* virtual ns of the last TIME event */
    TensixPlaces *places;          /* of the events in the file */
};

/* --- what only a timeline records --- */

/* Without -icount virtual time is the host's, which says nothing here. */
static int64_t time_now(const TensixTimeline *t)
{
    return icount_enabled() && !t->is_timed
           ? qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) : -1;
}

static TensixEvent time_event(int64_t now, uint64_t order)
{
    return (TensixEvent) {
        .kind = TENSIX_EVENT_TIME,
        .number = { (uint32_t)now, (uint32_t)(now >> 32), (uint32_t)order,
                    (uint32_t)(order >> 32) },
    };
}

/* Is a TIME event due?  Then it counts as recorded. */
static bool next_time(TensixTimeline *t, TensixEvent *event)
{
    int64_t now = time_now(t);
    uint64_t order = tensix_timeline_file_order(t->file, t);
    bool due = now != t->stamped || order;

    t->stamped = now;
    *event = time_event(MAX(now, 0), order);
    return due;
}

static TensixHart *hart_that_runs(const TensixTimeline *t)
{
    for (unsigned n = 0; n < TENSIX_NUM_HARTS; n++) {
        TensixHart *hart = tensix_cop_hart(t->cop, n);

        if (tensix_hart_is_running_here(hart)) {
            return hart;
        }
    }
    return NULL;
}

/* hart: of the event that follows; NULL: not known. */
static void stamp(TensixTimeline *t, const TensixHart *hart)
{
    TensixEvent event;

    hart = hart ?: hart_that_runs(t);
    if (t->is_timed && hart) {
        tensix_time_record_clock(t->recorder, hart);
    }
    if (next_time(t, &event)) {
        tensix_record_event(t->recorder, &event);
    }
}

static void core_is_entered(Notifier *n, void *data)
{
    stamp(container_of(n, TensixTimeline, enter), NULL);
}

static void word_is_pushed(Notifier *n, void *data)
{
    stamp(container_of(n, TensixTimeline, push), NULL);
}

/* For the tiles' order: another tile may wake a hart of this one. */
static void hart_turns(Notifier *n, void *data)
{
    TensixTimeline *t = container_of(n, TensixTimeline, turn);
    const TensixTurnEvent *turn = data;
    TensixEvent event;

    if (t->is_timed) {
        tensix_time_record_clock(t->recorder, turn->hart);
    }
    if (t->has_others && next_time(t, &event)) {
        tensix_cop_record(t->cop, &event);
    }
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

    stamp(t, event->hart);
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
                   a->by->kind == TENSIX_BY_NONE;

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
        stamp(t, NULL);
        tensix_cop_record(t->cop, &(const TensixEvent) {
            .kind = TENSIX_EVENT_REGISTER,
            .number = { e->by.kind, tensix_actor_hart(&e->by), e->by.pc, e->store,
                        e->address, e->value, e->size },
        });
    }
}

/* --- the file --- */

/* The ring's events from number `taken` on, up to its end or to the newest. */
static uint64_t take_run(TensixRecorder *r)
{
    uint64_t places = r->end - r->ring;
    uint64_t left = tensix_record_count(r) - r->taken;

    return MIN(left, places - r->taken % places);
}

/* The core calls this when the ring is full. */
static void take_events(void *opaque)
{
    TensixTimeline *t = opaque;
    TensixRecorder *r = t->recorder;
    uint64_t run;

    while ((run = take_run(r))) {
        tensix_places_record(t->places, tensix_record_get(r, r->taken), run);
        tensix_timeline_file_write(t->file, &t->place,
                                   tensix_record_get(r, r->taken), run);
        r->taken += run;
    }
}

/* Where the pcs in the file are; ELFs are read meanwhile. */
static void write_places(TensixTimeline *t)
{
    g_autoptr(GArray) events = tensix_places_take(t->places, t->sources);

    tensix_timeline_file_write(t->file, &t->place,
                               (const TensixEvent *)events->data, events->len);
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

/* --- life cycle --- */

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
    { TENSIX_ON_TURN, hart_turns, offsetof(TensixTimeline, turn) },
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

/* What the tile is like when its part of the file begins is no older. */
static void write_order(TensixTimeline *t)
{
    uint64_t order = tensix_timeline_file_order(t->file, t);

    if (order) {
        const TensixEvent event = time_event(MAX(time_now(t), 0), order);

        tensix_timeline_file_write(t->file, &t->place, &event, 1);
    }
}

static void begin(TensixTimeline *t)
{
    t->stamped = -1;
    tensix_cop_lock(t->cop);
    write_order(t);
    tensix_cop_set_timeline(t->cop, take_events, t);
    subscribe(t);
    record_harts(t);
    tensix_cop_release(t->cop);
}

static void end(TensixTimeline *t)
{
    if (!t->file) {
        return;
    }
    tensix_cop_lock(t->cop);
    unsubscribe(t);
    tensix_time_record_path(t->cop);
    take_events(t);
    tensix_cop_set_timeline(t->cop, NULL, NULL);
    tensix_cop_release(t->cop);
    write_places(t);
    tensix_timeline_file_unref(t->file);
    t->file = NULL;
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

/* --- one file for several tiles --- */

/* That another tile writes; NULL: none does. */
static TensixTimelineFile *find_file(const TensixTimeline *t, const char *name)
{
    g_autoptr(GPtrArray) tiles = tensix_tiles_below(
        t->parent_obj.tile->parent);

    for (unsigned n = 0; n < tiles->len; n++) {
        TensixCopState *cop = g_ptr_array_index(tiles, n);
        Object *other = tensix_instrument_find(tensix_cop_bus(cop),
                                               TYPE_TENSIX_TIMELINE);
        TensixTimelineFile *file = other ? TENSIX_TIMELINE(other)->file : NULL;

        if (file && tensix_timeline_file_is_called(file, name)) {
            return file;
        }
    }
    return NULL;
}

static TensixTimelineFile *get_file_called(const TensixTimeline *t,
                                           const char *name, Error **errp)
{
    TensixTimelineFile *file = find_file(t, name);

    return file ? tensix_timeline_file_ref(file)
                : tensix_timeline_file_new(
                      name, t->sources,
                      (TensixTimelineKind) { t->has_others, t->is_timed },
                      errp);
}

static TensixTimelinePlace place_of(Object *tile)
{
    return (TensixTimelinePlace) {
        .x = object_property_get_uint(tile, "x", &error_abort),
        .y = object_property_get_uint(tile, "y", &error_abort),
    };
}

static bool tensix_timeline_prepare(TensixInstrument *i, Error **errp)
{
    TensixTimeline *t = TENSIX_TIMELINE(i);

    if (!t->name || !*t->name) {
        error_setg(errp, "file=FILE is missing");
        return false;
    }
    t->cop = TENSIX_COP(i->cop);
    t->sources = tensix_cop_reporter(t->cop)->sources;
    t->recorder = tensix_cop_recorder(t->cop);
    t->has_others = tensix_cop_reporter(t->cop)->tile;
    t->is_timed = tensix_time_is_counted(i->bus);
    t->place = place_of(i->tile);
    t->file = get_file_called(t, t->name, errp);
    return t->file;
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
static bool change_file(TensixTimeline *t, const char *name, Error **errp)
{
    TensixTimelineFile *file;

    if (!strcmp(t->name, name)) {
        end(t);                    /* else its lock would be in the way */
    }
    file = get_file_called(t, name, errp);
    if (file) {
        end(t);
        t->file = file;
        begin(t);
    }
    return file;
}

/* --- type --- */

/* Empty if none is written, for an error, or because QEMU ends. */
static char *get_file(Object *obj, Error **errp)
{
    TensixTimeline *t = TENSIX_TIMELINE(obj);
    bool written = t->file || !TENSIX_INSTRUMENT(t)->attached;

    return g_strdup(written && t->name ? t->name : "");
}

static void set_file(Object *obj, const char *value, Error **errp)
{
    TensixTimeline *t = TENSIX_TIMELINE(obj);

    if (!TENSIX_INSTRUMENT(t)->attached || change_file(t, value, errp)) {
        g_free(t->name);
        t->name = g_strdup(value);
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

    t->places = tensix_places_new();
    t->exit.notify = end_at_exit;
    t->enter.notify = core_is_entered;
}

static void tensix_timeline_finalize(Object *obj)
{
    TensixTimeline *t = TENSIX_TIMELINE(obj);

    tensix_places_free(t->places);
    g_free(t->name);
}

static void tensix_timeline_class_init(ObjectClass *oc, TensixClassData *data)
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
