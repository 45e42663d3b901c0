/*
 * Violations: a line for each site, then the action of the policy.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/lockable.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qapi/error.h"
#include "qapi/qapi-events-tenstorrent-state.h"
#include "exec/gdbstub.h"
#include "hw/qdev-properties.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "hw/tenstorrent/tensix_report.h"
#include "system/cpus.h"
#include "system/runstate.h"
#include "system/system.h"
#include "tensix_sites.h"
#include "tensix_summary.h"
#include "tensix_suppress.h"
#include "../trace.h"

/* QEMU ends with its exit_status: a process has one. */
static TensixReporter *ended_by;

/* --- texts --- */

/* Of several tiles a report names its own; takes the text, to be freed. */
static char *name_tile(const TensixReporter *r, char *text)
{
    const char *rest;
    char *named;

    if (!r->tile || !strstart(text, "tensix: ", &rest)) {
        return text;
    }
    named = g_strdup_printf("tensix: %s: %s", r->tile, rest);
    g_free(text);
    return named;
}

void tensix_report_print(const TensixReporter *r, const char *fmt, ...)
{
    g_autofree char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = name_tile(r, g_strdup_vprintf(fmt, ap));
    va_end(ap);
    fputs(text, stderr);
}

char *tensix_report_tile_path(const TensixReporter *r)
{
    return r->tile ? object_get_canonical_path(OBJECT(r)->parent) : NULL;
}

static bool is_insn(const TensixViolation *v)
{
    return v->thread < TENSIX_THREADS;
}

static bool is_harts(const TensixViolation *v)
{
    return v->origin.hart < TENSIX_HART_NONE;
}

/* "TRISC2 in main(), trisc2.c:25: ", "thread 2: ", nothing */
static void append_culprit(GString *line, TensixSources *sources,
                           const TensixViolation *v)
{
    if (is_harts(v)) {
        g_autofree char *name = g_ascii_strup(
            tensix_hart_names[v->origin.hart], -1);
        g_autofree char *place = tensix_sources_short_location(
            sources, v->origin.hart, v->origin.pc);

        g_string_append_printf(line, "%s %s: ", name, place);
    } else if (is_insn(v)) {
        g_string_append_printf(line, "thread %u: ", v->thread);
    }
}

char *tensix_report_line(TensixSources *sources, const TensixViolation *v)
{
    g_autofree char *text = tensix_sources_annotate(sources, v->text);
    GString *line = g_string_new(NULL);

    g_string_append_printf(line, "tensix: %s: ",
                           tensix_category_names[v->category]);
    append_culprit(line, sources, v);
    g_string_append(line, text);
    return g_string_free(line, false);
}

/* The pc, and all functions that it is in if the line has not named them. */
static void append_pc(GString *details, TensixSources *sources,
                      const TensixViolation *v)
{
    g_autoptr(GPtrArray) frames = tensix_sources_frames(
        sources, v->origin.hart, v->origin.pc);

    if (!frames->len && !is_insn(v)) {
        return;                    /* the line has it */
    }
    g_string_append_printf(details, "%s pc 0x%08x",
                           tensix_hart_names[v->origin.hart], v->origin.pc);
    if (frames->len > 1) {
        g_autofree char *place = tensix_sources_location(
            sources, v->origin.hart, v->origin.pc);

        g_string_append_printf(details, " in %s", place);
    }
}

static void append_insn(GString *details, TensixSources *sources,
                        const TensixViolation *v)
{
    char text[TENSIX_DISAS_NAMED], expansion[TENSIX_EXPANSION_TEXT];
    g_autofree char *annotated = NULL;

    tensix_disas_named(text, sizeof(text), v->word);
    tensix_expansion_text(expansion, v->mop_position, v->replay_slot,
                          &v->recorded);
    annotated = tensix_sources_annotate(sources, expansion);
    g_string_append_printf(details, "%sthread %u, word 0x%08x (%s)%s",
                           details->len ? ", " : "", v->thread, v->word, text,
                           annotated);
}

/* The line, and what it leaves out, if that is anything, between two texts. */
static char *with_details(TensixSources *sources, const TensixViolation *v,
                          const char *before, const char *after)
{
    g_autofree char *line = tensix_report_line(sources, v);
    g_autoptr(GString) details = g_string_new(NULL);

    if (is_harts(v)) {
        append_pc(details, sources, v);
    }
    if (is_insn(v)) {
        append_insn(details, sources, v);
    }
    return details->len ? g_strconcat(line, before, details->str, after, NULL)
                        : g_steal_pointer(&line);
}

char *tensix_report_lines(TensixSources *sources, const TensixViolation *v)
{
    return with_details(sources, v, "\n  ", "");
}

/* For the log, the trace and QMP, where a line is a violation. */
static char *one_line(const TensixReporter *r, const TensixViolation *v)
{
    return name_tile(r, with_details(r->sources, v, " [", "]"));
}

void tensix_report_set_action(TensixReporter *r, TensixViolationAction action)
{
    qatomic_set(&r->action, action);
}

void tensix_report_set_check(TensixReporter *r, bool check)
{
    r->check = check;
}

void tensix_report_set_suppress(TensixReporter *r, TensixSuppress *suppress)
{
    QEMU_LOCK_GUARD(&r->lock);
    tensix_suppress_free(r->suppress);
    r->suppress = suppress;
}

void tensix_report_set_tile(TensixReporter *r, TensixSources *sources,
                            const char *tile)
{
    r->sources = sources;
    r->tile = tile;
}

/* --- carrying out the policy --- */

enum { OTHERS_SHOWN = 8 };         /* texts; beyond them there is a number */

/*
 * The harts finish the blocks that they are in.  As pause_all_vcpus() does it,
 * without waiting: a later pause or cont finds a CPU as if it had been asked.
 */
static void stop_harts(void)
{
    CPUState *cpu;

    if (!runstate_is_running()) {
        return;
    }
    CPU_FOREACH(cpu) {
        qatomic_set(&cpu->stop, true);
        qemu_cpu_kick(cpu);
    }
}

/* False, and the text is kept for later, if another was first. */
static bool is_first(TensixReporter *r, uint32_t hart, const char *text)
{
    QEMU_LOCK_GUARD(&r->lock);

    if (r->stop_requested) {
        if (r->others++ < OTHERS_SHOWN) {
            g_string_append_printf(r->other_lines, "%s\n", text);
        }
        return false;
    }
    r->cpu = hart < TENSIX_HART_NONE ? r->hart_cpu[hart] : NULL;
    g_string_printf(r->line, "%s\n", text);
    qatomic_set(&r->stop_requested, true);
    return true;
}

/* Violations between the first one and the moment when all harts stopped. */
static void report_others(TensixReporter *r)
{
    QEMU_LOCK_GUARD(&r->lock);
    if (r->others) {
        tensix_report_print(r, "tensix: before every hart had stopped, %u "
                            "more:\n%s", r->others, r->other_lines->str);
    }
    r->others = 0;
    g_string_truncate(r->other_lines, 0);
    qatomic_set(&r->stop_requested, false);
}

static void carry_out(void *opaque)
{
    TensixReporter *r = opaque;

    if (qatomic_read(&r->exit_status)) {
        return;                    /* the shutdown is on its way */
    }
    if (runstate_is_running()) {
        vm_stop(RUN_STATE_DEBUG);
    }
    report_others(r);
}

/* Before gdb's own: it sets the hart that gdb will report. */
static void vm_state_changed(void *opaque, bool running, RunState state)
{
    TensixReporter *r = opaque;

    if (running) {
        report_others(r);
    } else if (state == RUN_STATE_DEBUG && r->stop_requested && r->cpu &&
               gdb_attached_to_cpu(r->cpu)) {
        gdb_put_console(r->line->str);
        gdb_set_stop_cpu(r->cpu);
    }
}

bool tensix_report_is_stopping(const TensixReporter *r)
{
    return qatomic_read(&r->stop_requested) && !r->core_continues;
}

/* The text, and how it came to that. */
static void report_first(TensixReporter *r, const char *text)
{
    tensix_report_print(r, "%s\n", text);
    if (tensix_bus_has_listener(r->bus, TENSIX_ON_STOP)) {
        g_autoptr(GString) recent = g_string_new(NULL);
        g_autofree char *annotated = NULL;

        tensix_bus_post(r->bus, TENSIX_ON_STOP, recent);
        annotated = tensix_sources_annotate(r->sources, recent->str);
        fputs(annotated, stderr);
    }
}

void tensix_report_stop(TensixReporter *r, uint32_t hart, const char *text)
{
    if (is_first(r, hart, text)) {
        report_first(r, text);
        stop_harts();
        qemu_bh_schedule(r->bh);
    }
}

void tensix_report_exit(TensixReporter *r, uint32_t hart, const char *text,
                        int status)
{
    if (is_first(r, hart, text)) {
        report_first(r, text);
        qatomic_cmpxchg(&r->exit_status, 0, status);
        qatomic_cmpxchg(&ended_by, NULL, r);
        stop_harts();
        qemu_system_shutdown_request_with_code(SHUTDOWN_CAUSE_GUEST_PANIC,
                                               status);
    }
}

/*
 * Another hart may be about to exit: its semihosting calls exit(0) in
 * its own thread.  Registered before main() and so called last.
 */
static void last_word(int status, void *opaque)
{
    TensixReporter *r = qatomic_read(&ended_by);

    if (r && (r->exit_status || !status)) {
        report_others(r);
        fflush(NULL);
        _exit(r->exit_status ?: TENSIX_VIOLATION_EXIT_STATUS);
    }
}

static void __attribute__((constructor)) register_last_word(void)
{
    on_exit(last_word, NULL);
}

/* --- reports --- */

/* One of the violations, and where: else the text distinguishes sites. */
static bool has_location(const TensixViolation *v)
{
    return is_insn(v) || (is_harts(v) && v->origin.pc);
}

/* Does a rule match its site?  Then that is counted apart. */
static bool is_suppressed(TensixReporter *r, const TensixViolation *v)
{
    bool has_place = has_location(v);
    g_autofree char *text = NULL;

    QEMU_LOCK_GUARD(&r->lock);
    if (!r->suppress || tensix_sites_has(r->sites, v, has_place)) {
        return false;
    }
    if (!tensix_sites_has(r->suppressed, v, has_place)) {
        text = tensix_report_lines(r->sources, v);
        if (!tensix_suppress_matches(
                r->suppress, tensix_category_names[v->category], text)) {
            return false;
        }
    }
    tensix_sites_add(r->suppressed, v, has_place);
    return true;
}

bool tensix_report_finding(TensixReporter *r, const char *kind,
                           const char *text)
{
    TensixFinding *finding;

    QEMU_LOCK_GUARD(&r->lock);
    if (tensix_suppress_matches(r->suppress, kind, text)) {
        r->suppressed_findings++;
        return false;
    }
    finding = g_new(TensixFinding, 1);
    *finding = (TensixFinding) { .kind = kind, .text = g_strdup(text) };
    g_ptr_array_add(r->findings, finding);
    return true;
}

static TensixSiteSummary count_site(TensixReporter *r, const TensixViolation *v)
{
    QEMU_LOCK_GUARD(&r->lock);

    return tensix_sites_add(r->sites, v, has_location(v));
}

/* QMP's monitors take an event from any thread. */
static void report_in_event(const TensixReporter *r, const TensixViolation *v,
                            uint64_t count)
{
    g_autoptr(TensixInsnInfo) insn = tensix_sites_insn(v);
    g_autofree char *path = tensix_report_tile_path(r);

    qapi_event_send_tensix_violation((TensixViolationCategory)v->category,
                                     MIN(v->origin.hart, TENSIX_HART_NONE),
                                     v->origin.pc, insn, v->text, count,
                                     path);
}

/* What stops the machine: a break with this number, or the policy (0). */
static void stop_in_event(const TensixReporter *r, const TensixViolation *v,
                          uint32_t id)
{
    g_autoptr(TensixInsnInfo) insn = tensix_sites_insn(v);
    g_autofree char *line = one_line(r, v);
    g_autofree char *path = tensix_report_tile_path(r);
    bool by_hart = !insn && is_harts(v);
    TensixActorInfo by = {
        .sort = insn ? TENSIX_WRITER_SORT_INSTRUCTION
                     : by_hart ? TENSIX_WRITER_SORT_HART
                               : TENSIX_WRITER_SORT_NONE,
        .has_hart = by_hart, .hart = (TensixHartName)v->origin.hart,
        .has_pc = by_hart, .pc = v->origin.pc, .instruction = insn,
    };

    qapi_event_send_tensix_stop(TENSIX_STOP_REASON_VIOLATION, id != 0, id, &by,
                                NULL, true,
                                (TensixViolationCategory)v->category, line,
                                path);
}

/* Logged by -d: every one.  Else the first of each site, and a count. */
static void report_in_log(TensixReporter *r, const TensixViolation *v,
                          TensixSiteSummary summary)
{
    int mask = v->category == TENSIX_UNIMPLEMENTED ? LOG_UNIMP
                                                   : LOG_GUEST_ERROR;

    if (qemu_loglevel_mask(mask)) {
        g_autofree char *line = one_line(r, v);

        qemu_log("%s\n", line);
    } else {
        g_autofree char *text = tensix_sites_text(summary, r->sources, v);

        if (text) {
            tensix_report_print(r, "%s\n", text);
        }
    }
}

TensixViolations *tensix_report_sites(TensixReporter *r)
{
    QEMU_LOCK_GUARD(&r->lock);

    return tensix_sites_list(r->sites);
}

/* At the end of QEMU: what is not on stderr yet. */
static void report_counts(Notifier *n, void *data)
{
    TensixReporter *r = container_of(n, TensixReporter, exit);
    g_autoptr(GString) text = NULL;

    tensix_summary_print(r);
    if (r->failed) {
        qatomic_cmpxchg(&ended_by, NULL, r);
    }
    QEMU_LOCK_GUARD(&r->lock);
    if (r->check || r->action != TENSIX_VIOLATION_ACTION_LOG) {
        return;                    /* each one has been reported */
    }
    text = tensix_sites_summary(r->sites, r->sources);
    if (text) {
        tensix_report_print(r, "%s\n", text->str);
    }
}

static void report_in_trace(TensixReporter *r, const TensixViolation *v)
{
    if (trace_event_get_state_backends(TRACE_TENSIX_VIOLATION)) {
        g_autofree char *line = one_line(r, v);

        trace_tensix_violation(line);
    }
}

/* What was reported before is not repeated, save as the reason for a stop. */
static bool is_known(const TensixReporter *r, TensixViolationAction action)
{
    return r->again == TENSIX_REPORT_SEARCH ||
           (r->again == TENSIX_REPORT_AGAIN &&
            action == TENSIX_VIOLATION_ACTION_LOG);
}

void tensix_report(TensixReporter *r, const TensixViolation *v)
{
    TensixViolationAction action = qatomic_read(&r->action);
    TensixViolationEvent event = { v, has_location(v) };
    TensixSiteSummary summary;
    g_autofree char *text = NULL;

    if (is_known(r, action)) {
        r->known++;
        return;
    }
    if (is_suppressed(r, v)) {
        return;
    }
    summary = count_site(r, v);
    report_in_trace(r, v);
    if (summary.count) {
        report_in_event(r, v, summary.count);
    }
    tensix_bus_post(r->bus, TENSIX_ON_VIOLATION, &event);
    if (action == TENSIX_VIOLATION_ACTION_LOG && !event.stop) {
        report_in_log(r, v, summary);
        return;
    }
    text = tensix_report_lines(r->sources, v);
    if (action != TENSIX_VIOLATION_ACTION_EXIT) {
        stop_in_event(r, v, event.stop);
        tensix_report_stop(r, v->origin.hart, text);
    } else {
        tensix_report_exit(r, v->origin.hart, text,
                           TENSIX_VIOLATION_EXIT_STATUS);
    }
}

/* A report of an agent that an instruction started is the instruction's. */
static TensixViolation violation_by(const TensixActor *by)
{
    TensixViolation v = {
        .thread = TENSIX_THREADS, .origin = tensix_actor_origin(by),
        .mop_position = TENSIX_NO_POSITION, .replay_slot = TENSIX_NO_POSITION,
        .recorded = { { .hart = TENSIX_HART_NONE },
                      { .hart = TENSIX_HART_NONE } },
        .mnemonic = "",
    };

    if (by->word && tensix_actor_is_here(by)) {
        v.word = by->word;
        v.thread = by->thread;
        v.mop_position = by->mop_position;
        v.replay_slot = by->replay_slot == TENSIX_NO_SLOT ? TENSIX_NO_POSITION
                                                          : by->replay_slot;
        v.mnemonic = tensix_insns[by->word >> 24].mnemonic ?: "";
    }
    return v;
}

/* Another tile's hart or instruction is named, but it is no place in this one. */
static char *G_GNUC_PRINTF(2, 0) text_by(const TensixActor *by,
                                         const char *fmt, va_list ap)
{
    GString *text = g_string_new(NULL);

    if (!tensix_actor_is_here(by)) {
        g_string_append_printf(text, "from %s pc 0x%08x",
                               tensix_hart_names[by->hart], by->pc);
        tensix_actor_tile_text(by, text);
        g_string_append(text, ": ");
    }
    g_string_append_vprintf(text, fmt, ap);
    return g_string_free(text, false);
}

void tensix_report_by(TensixReporter *r, const TensixActor *by,
                      TensixCategory category, const char *fmt, ...)
{
    TensixViolation v = violation_by(by);
    g_autofree char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = text_by(by, fmt, ap);
    va_end(ap);
    v.category = category;
    v.text = text;
    tensix_report(r, &v);
}

/* --- QOM --- */

/* As high as any: handlers of a stop are called from high to low. */
#define BEFORE_GDB 100

static void tensix_reporter_realize(DeviceState *dev, Error **errp)
{
    TensixReporter *r = TENSIX_REPORTER(dev);

    if (!r->bus) {
        error_setg(errp, "%s: link property bus is not set",
                   TYPE_TENSIX_REPORTER);
        return;
    }
    r->bh = qemu_bh_new(carry_out, r);
    r->vm_state = qemu_add_vm_change_state_handler_prio(vm_state_changed, r,
                                                        BEFORE_GDB);
    r->exit.notify = report_counts;
    qemu_add_exit_notifier(&r->exit);
}

static void tensix_reporter_unrealize(DeviceState *dev)
{
    TensixReporter *r = TENSIX_REPORTER(dev);

    qemu_remove_exit_notifier(&r->exit);
    qemu_del_vm_change_state_handler(r->vm_state);
    qemu_bh_delete(r->bh);
}

static void free_finding(gpointer data)
{
    g_free(((TensixFinding *)data)->text);
    g_free(data);
}

static void tensix_reporter_init(Object *obj)
{
    TensixReporter *r = TENSIX_REPORTER(obj);

    qemu_mutex_init(&r->lock);
    r->line = g_string_new(NULL);
    r->other_lines = g_string_new(NULL);
    r->sites = tensix_sites_new();
    r->suppressed = tensix_sites_new();
    r->findings = g_ptr_array_new_with_free_func(free_finding);
}

static void tensix_reporter_finalize(Object *obj)
{
    TensixReporter *r = TENSIX_REPORTER(obj);

    qemu_mutex_destroy(&r->lock);
    g_string_free(r->line, true);
    g_string_free(r->other_lines, true);
    tensix_sites_free(r->sites);
    tensix_sites_free(r->suppressed);
    tensix_suppress_free(r->suppress);
    g_ptr_array_free(r->findings, true);
}

static const Property tensix_reporter_properties[] = {
    DEFINE_PROP_LINK("bus", TensixReporter, bus, TYPE_TENSIX_BUS, TensixBus *),
};

/* What it has been asked for is done before a state is saved. */
static void tensix_reporter_class_init(ObjectClass *oc, TensixClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);

    dc->desc = "reporter of violations of a Tensix tile";
    dc->realize = tensix_reporter_realize;
    dc->unrealize = tensix_reporter_unrealize;
    dc->user_creatable = false;
    device_class_set_props(dc, tensix_reporter_properties);
}

static const TypeInfo tensix_reporter_types[] = {
    {
        .name = TYPE_TENSIX_REPORTER,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(TensixReporter),
        .instance_init = tensix_reporter_init,
        .instance_finalize = tensix_reporter_finalize,
        .class_init = tensix_reporter_class_init,
    },
};

DEFINE_TYPES(tensix_reporter_types)
