/*
 * Violations: where they are told, and what happens then.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_REPORT_H
#define HW_TENSTORRENT_TENSIX_REPORT_H

#include "hw/tenstorrent/core/tensix_core.h"

/* -M blackhole-tile,on-violation=log|stop|exit */
typedef enum TensixOnViolation {
    TENSIX_ON_VIOLATION_LOG,
    TENSIX_ON_VIOLATION_STOP,
    TENSIX_ON_VIOLATION_EXIT,
} TensixOnViolation;

enum { TENSIX_VIOLATION_EXIT_STATUS = 3 };

/* Once, when the machine is made. */
void tensix_report_set_policy(TensixOnViolation policy);

/*
 * Reports one violation in a line with category, hart, pc, word, mnemonic and
 * expansion: in the guest-error log (unimp for category unimplemented), or on
 * stderr if the policy is to stop or to exit; both are requests then, as below.
 * Callable from any thread, with or without the BQL, from inside the core.
 */
void tensix_report(const TensixViolation *violation);

/*
 * Prints the line and asks for a stop of the machine, with gdb shown this hart
 * (TENSIX_HART_NONE: any), or for an end of QEMU with this status, which no
 * exit of the guest's own overtakes.  Both return at once; no hart runs on
 * beyond the block that it is in.  Only the first line since the machine ran
 * counts: others are told once everything stands still.  From any thread, with
 * or without the BQL.
 */
void tensix_report_stop(uint32_t hart, const char *line);
void tensix_report_exit(uint32_t hart, const char *line, int status);

/* Has a stop or an end been asked for that has not been carried out yet? */
bool tensix_report_is_stopping(void);

/* tensix_report() for an access by hart `hart` (TensixHartIndex) at pc. */
void tensix_report_hart(TensixCategory category, uint32_t hart, uint32_t pc,
                        const char *fmt, ...) G_GNUC_PRINTF(4, 5);

#endif
