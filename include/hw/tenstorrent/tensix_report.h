/*
 * Violations: where they are reported, and what happens then.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Type "tensix-reporter", one a machine.  What harts and the coprocessor
 * violate goes to the reporter of their link property "reporter".
 *
 * QEMU interface:
 *  + property "bus": link to the tile's event bus
 *  + QMP events TENSIX_VIOLATION, TENSIX_STOP (for violations)
 */

#ifndef HW_TENSTORRENT_TENSIX_REPORT_H
#define HW_TENSTORRENT_TENSIX_REPORT_H

#include "hw/core/cpu.h"
#include "hw/qdev-core.h"
#include "hw/tenstorrent/tensix_bus.h"
#include "hw/tenstorrent/tensix_source.h"
#include "qapi/qapi-types-tenstorrent-instruments.h"
#include "qapi/qapi-types-tenstorrent-state.h"
#include "qom/object.h"

#define TYPE_TENSIX_REPORTER "tensix-reporter"
OBJECT_DECLARE_SIMPLE_TYPE(TensixReporter, TENSIX_REPORTER)

enum { TENSIX_VIOLATION_EXIT_STATUS = 3 };

/* Has what is executed now been executed before (tensix_rewind.h)? */
typedef enum TensixReportAgain {
    TENSIX_REPORT_NEW,
    TENSIX_REPORT_AGAIN,           /* reported before; a stop is made again */
    TENSIX_REPORT_SEARCH,          /* nothing comes of it */
} TensixReportAgain;

/*
 * Reports are made during an instruction, from threads with and
 * without the BQL, from timers, from inside the core.  None of them may wait
 * for the harts or give the BQL away, so what the policy asks for is a request:
 * the machine is stopped by a bottom half in the main loop.
 */
struct TensixReporter {
    DeviceState parent_obj;

    TensixViolationAction action;  /* the policy, read by any thread */
    QEMUBH *bh;
    VMChangeStateEntry *vm_state;
    Notifier exit;
    TensixSources *sources;        /* the machine's; NULL: lines have no places */
    const char *tile;              /* "tile (2,2)"; NULL: the only one */
    CPUState *hart_cpu[TENSIX_HART_NONE];  /* each hart sets its own */
    /* by the instruction whose access to a register is being made, or NULL */
    const TensixViolation *accessing;
    const TensixActor *sender;     /* of the NoC's access that is made, or NULL */
    TensixBus *bus;
    int exit_status;               /* if not 0: QEMU ends with it */
    TensixReportAgain again;       /* set in the harts' thread, BQL held */
    uint32_t known;                /* violations of that, not reported again */
    bool core_continues;           /* while harts come to a stop */

    QemuMutex lock;                /* for what follows */
    bool stop_requested;           /* to stop or to exit, not yet done */
    CPUState *cpu;                 /* whose violation asked, or NULL */
    GString *line;                 /* why, for the debugger's console */
    uint32_t others;               /* violations since */
    GString *other_lines;          /* of the first few */
    struct TensixSites *sites;
    struct TensixSites *suppressed;  /* by rules of suppress */
    struct TensixSuppress *suppress;  /* NULL: there are none */
    GPtrArray *findings;           /* TensixFinding: what is no violation */
    uint32_t suppressed_findings;
    bool check;                    /* check=all: the summary and status 3 */
    bool summarised;               /* the machine's summary has it */
    bool failed;                   /* there are findings */
};

/* A finding that is no violation: "deadlock", "unfinished". */
typedef struct TensixFinding {
    const char *kind;              /* not copied */
    char *text;
} TensixFinding;

/* What a violation does besides being reported (tensix_reports.h). */
void tensix_report_set_action(TensixReporter *r, TensixViolationAction action);

/*
 * Reports one violation.  The policy log: with -d guest_errors (unimp for
 * category unimplemented) each one in a line of the log, else the first of each
 * site on stderr; the counts are reported when QEMU ends.  To stop or to exit:
 * on stderr; both are requests, as below.
 * Callable from any thread, with or without the BQL, from inside the core.
 */
void tensix_report(TensixReporter *r, const TensixViolation *violation);

/*
 * All sites that have violated since QEMU started, whatever the policy; to be
 * freed with qapi_free_TensixViolations().  Any thread.
 */
TensixViolations *tensix_report_sites(TensixReporter *r);

/*
 * "tensix: CATEGORY: TRISC2 in main(), trisc2.c:25: what happened", to be freed;
 * and the same with an indented line of pc, word, expansion and all functions, if
 * there is more to say.  sources may be NULL.
 */
char *tensix_report_line(TensixSources *sources,
                         const TensixViolation *violation);
char *tensix_report_lines(TensixSources *sources,
                          const TensixViolation *violation);

/* Reports a violation by this agent, or by one that it was set to work by. */
void tensix_report_by(TensixReporter *r, const TensixActor *by,
                      TensixCategory category, const char *fmt, ...)
                      G_GNUC_PRINTF(4, 5);

/*
 * With check=all: a summary of all findings when QEMU ends, which then ends with
 * status 3 instead of 0.
 */
void tensix_report_set_check(TensixReporter *r, bool check);

/*
 * Rules for violations and findings that are neither reported nor acted on,
 * instead of those of before: takes them (tensix_suppress.h).
 */
void tensix_report_set_suppress(TensixReporter *r,
                                struct TensixSuppress *suppress);

/* Adds a finding to the summary; false: a rule suppresses it.  BQL held. */
bool tensix_report_finding(TensixReporter *r, const char *kind,
                           const char *text);

/*
 * Prints the text and asks for a stop of the machine, with gdb shown this hart
 * (TENSIX_HART_NONE: any), or for an end of QEMU with this status, which no
 * exit of the guest's own overtakes.  Both return at once; no hart runs on
 * beyond the block that it is in.  Only the first text since the machine ran
 * counts: others are reported once everything is stopped.  From any thread,
 * with or without the BQL.
 */
void tensix_report_stop(TensixReporter *r, uint32_t hart, const char *text);
void tensix_report_exit(TensixReporter *r, uint32_t hart, const char *text,
                        int status);

/*
 * Prints a report about the guest on stderr.  Its lines begin with "tensix: " as
 * docs/reports.rst shows them; warn_report() is for reports about the emulator
 * and its options.
 */
void tensix_report_print(const TensixReporter *r, const char *fmt, ...)
                         G_GNUC_PRINTF(2, 3);

/* Of several tiles: the QOM path of this one, to be freed; else NULL. */
char *tensix_report_tile_path(const TensixReporter *r);

/*
 * The source lines that reports name, and of several tiles this one's name (else
 * NULL), which are not copied; before anything is reported.
 */
void tensix_report_set_tile(TensixReporter *r, TensixSources *sources,
                            const char *tile);

/* Has a stop or an end been asked for that has not been carried out yet? */
bool tensix_report_is_stopping(const TensixReporter *r);

#endif
