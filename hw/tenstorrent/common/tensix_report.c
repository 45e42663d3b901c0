/*
 * Violations: one line in the log, then what on-violation asks for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "exec/gdbstub.h"
#include "hw/core/cpu.h"
#include "hw/tenstorrent/tensix_report.h"
#include "system/cpus.h"
#include "system/runstate.h"
#include "../trace.h"

static TensixOnViolation on_violation;

/* ", MOP word 3, REPLAY slot 7", or nothing. */
static void append_expansion(GString *line, const TensixViolation *v)
{
    if (v->mop_position != TENSIX_NO_POSITION) {
        g_string_append_printf(line, ", MOP word %u", v->mop_position);
    }
    if (v->replay_slot != TENSIX_NO_POSITION) {
        g_string_append_printf(line, ", REPLAY slot %u", v->replay_slot);
    }
}

static GString *violation_line(const TensixViolation *v)
{
    GString *line = g_string_new(NULL);
    char text[96];

    g_string_append_printf(line, "tensix: %s: %s pc 0x%08x",
                           tensix_category_names[v->category],
                           tensix_hart_names[v->origin.hart], v->origin.pc);
    if (v->thread < TENSIX_THREADS) {
        tensix_disas(text, sizeof(text), v->word);
        g_string_append_printf(line, ", thread %u, word 0x%08x (%s)", v->thread,
                               v->word, text);
        append_expansion(line, v);
    }
    g_string_append_printf(line, ": %s", v->text);
    return line;
}

/* --- carrying out what the policy asks for --- */

enum { OTHERS_TOLD = 8 };          /* lines; beyond them there is a number */

/*
 * A request: reports come out of the middle of an instruction, from threads
 * with and without the BQL, from timers, from inside the core.  Nobody there
 * may wait for the harts or give the BQL away, so the machine is stopped by a
 * bottom half in the main loop.
 */
static struct {
    QemuMutex lock;                /* for what follows */
    bool asked;                    /* to stop or to exit, not yet done */
    uint32_t hart;                 /* whose violation asked */
    uint32_t others;               /* violations since */
    GString *other_lines;          /* of the first few */
    QEMUBH *bh;
    int exit_status;               /* if not 0: QEMU ends with it */
} request;

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

/* False, and the line is kept for later, if somebody else was first. */
static bool is_first(uint32_t hart, const char *line)
{
    QEMU_LOCK_GUARD(&request.lock);

    if (request.asked) {
        if (request.others++ < OTHERS_TOLD) {
            g_string_append_printf(request.other_lines, "%s\n", line);
        }
        return false;
    }
    request.hart = hart;
    qatomic_set(&request.asked, true);
    return true;
}

/* What violated between the first one and the moment that all stood still. */
static void tell_others(void)
{
    QEMU_LOCK_GUARD(&request.lock);

    if (request.others) {
        fprintf(stderr, "tensix: before every hart had stopped, %u more:\n%s",
                request.others, request.other_lines->str);
    }
    request.others = 0;
    g_string_truncate(request.other_lines, 0);
    qatomic_set(&request.asked, false);
}

static void carry_out(void *opaque)
{
    if (qatomic_read(&request.exit_status)) {
        return;                    /* the shutdown is on its way */
    }
    if (runstate_is_running()) {
        vm_stop(RUN_STATE_DEBUG);
    }
    tell_others();
}

/* Before gdb's own: it tells the debugger about the hart that it finds. */
static void vm_state_changed(void *opaque, bool running, RunState state)
{
    CPUState *cpu = qemu_get_cpu(request.hart);

    if (running) {
        tell_others();
    } else if (state == RUN_STATE_DEBUG && request.asked && cpu &&
               gdb_attached_to_cpu(cpu)) {
        gdb_set_stop_cpu(cpu);
    }
}

/* As high as any: handlers of a stop are called from high to low. */
#define BEFORE_GDB 100

void tensix_report_set_policy(TensixOnViolation policy)
{
    on_violation = policy;
    qemu_mutex_init(&request.lock);
    request.other_lines = g_string_new(NULL);
    request.bh = qemu_bh_new(carry_out, NULL);
    qemu_add_vm_change_state_handler_prio(vm_state_changed, NULL, BEFORE_GDB);
}

bool tensix_report_is_stopping(void)
{
    return qatomic_read(&request.asked);
}

void tensix_report_stop(uint32_t hart, const char *line)
{
    if (is_first(hart, line)) {
        fprintf(stderr, "%s\n", line);
        stop_harts();
        qemu_bh_schedule(request.bh);
    }
}

void tensix_report_exit(uint32_t hart, const char *line, int status)
{
    if (is_first(hart, line)) {
        fprintf(stderr, "%s\n", line);
        qatomic_cmpxchg(&request.exit_status, 0, status);
        stop_harts();
        qemu_system_shutdown_request_with_code(SHUTDOWN_CAUSE_GUEST_PANIC,
                                               status);
    }
}

/*
 * Another hart may be on its way to an exit of its own: its semihosting calls
 * exit(0) in its own thread.  Registered before main() and so called last.
 */
static void last_word(void)
{
    int status = qatomic_read(&request.exit_status);

    if (status) {
        tell_others();
        fflush(NULL);
        _exit(status);
    }
}

static void __attribute__((constructor)) register_last_word(void)
{
    atexit(last_word);
}

/* --- reports --- */

static bool is_wanted(int mask)
{
    return on_violation != TENSIX_ON_VIOLATION_LOG ||
           qemu_loglevel_mask(mask) ||
           trace_event_get_state_backends(TRACE_TENSIX_VIOLATION);
}

void tensix_report(const TensixViolation *v)
{
    int mask = v->category == TENSIX_UNIMPLEMENTED ? LOG_UNIMP
                                                   : LOG_GUEST_ERROR;
    g_autoptr(GString) line = NULL;

    if (!is_wanted(mask)) {
        return;                    /* a guest may violate all the time */
    }
    line = violation_line(v);
    trace_tensix_violation(line->str);
    switch (on_violation) {
    case TENSIX_ON_VIOLATION_LOG:
        qemu_log_mask(mask, "%s\n", line->str);
        break;
    case TENSIX_ON_VIOLATION_STOP:
        tensix_report_stop(v->origin.hart, line->str);
        break;
    case TENSIX_ON_VIOLATION_EXIT:
        tensix_report_exit(v->origin.hart, line->str,
                           TENSIX_VIOLATION_EXIT_STATUS);
        break;
    }
}

void tensix_report_hart(TensixCategory category, uint32_t hart, uint32_t pc,
                        const char *fmt, ...)
{
    TensixViolation v = {
        .category = category, .thread = TENSIX_THREADS,
        .origin = { .pc = pc, .hart = hart },
        .mop_position = TENSIX_NO_POSITION, .replay_slot = TENSIX_NO_POSITION,
        .mnemonic = "",
    };
    g_autofree char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    v.text = text;
    tensix_report(&v);
}
