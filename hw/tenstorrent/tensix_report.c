/*
 * Violations: one line in the log, then what on-violation asks for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/log.h"
#include "exec/gdbstub.h"
#include "hw/core/cpu.h"
#include "hw/tenstorrent/tensix_report.h"
#include "system/cpus.h"
#include "system/runstate.h"
#include "trace.h"

static TensixOnViolation on_violation;

void tensix_report_set_policy(TensixOnViolation policy)
{
    on_violation = policy;
}

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

/* Stops with gdb, if there is one, at the hart the word came from. */
static void stop_machine(const TensixViolation *v)
{
    CPUState *cpu = qemu_get_cpu(v->origin.hart);

    if (cpu && gdb_attached_to_cpu(cpu)) {
        gdb_set_stop_cpu(cpu);
    }
    vm_stop(RUN_STATE_DEBUG);
}

void tensix_report(const TensixViolation *v)
{
    g_autoptr(GString) line = violation_line(v);

    trace_tensix_violation(line->str);
    if (on_violation == TENSIX_ON_VIOLATION_LOG) {
        qemu_log_mask(v->category == TENSIX_UNIMPLEMENTED ? LOG_UNIMP
                                                          : LOG_GUEST_ERROR,
                      "%s\n", line->str);
        return;
    }
    fprintf(stderr, "%s\n", line->str);
    if (on_violation == TENSIX_ON_VIOLATION_EXIT) {
        qemu_system_shutdown_request_with_code(SHUTDOWN_CAUSE_GUEST_PANIC,
                                               TENSIX_VIOLATION_EXIT_STATUS);
        cpu_stop_current();        /* or the guest might leave by itself */
    } else {
        stop_machine(v);
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
