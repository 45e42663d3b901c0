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

void tensix_report_set_policy(TensixOnViolation policy);

/*
 * Reports one violation: always a line in the guest-error log (unimp for
 * category unimplemented) with category, hart, pc, word, mnemonic and
 * expansion; then stops the machine or ends QEMU if the policy says so.
 * Callable from any thread, with or without the BQL.
 */
void tensix_report(const TensixViolation *violation);

/* The same for an access by RISC-V hart `hart` (TensixHartIndex) at pc. */
void tensix_report_hart(TensixCategory category, uint32_t hart, uint32_t pc,
                        const char *fmt, ...) G_GNUC_PRINTF(4, 5);

#endif
