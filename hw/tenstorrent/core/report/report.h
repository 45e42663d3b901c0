/*
 * What an instruction reports: violations, retries, traces.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_REPORT_H
#define TENSIX_REPORT_H

#include "tensix_core_struct.h"

/* Reports those bits of i's word, as something that has no effect. */
void tensix_report_reserved(TensixCore *c, const TensixInsn *i, uint32_t bits);

/*
 * Reports a violation by instruction i and returns TENSIX_DONE, so that
 * `return tensix_violation(...)` drops the instruction.  fmt as for printf.
 */
TensixResult tensix_violation(TensixCore *c, const TensixInsn *i,
                              TensixCategory category, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Records why i cannot continue, and no more; returns TENSIX_RETRY. */
TensixResult tensix_retry(TensixCore *c, const TensixInsn *i,
                          TensixWaitReason reason, uint32_t detail);

/* After a reset nothing has written MopCfg or the ring of REPLAY. */
void tensix_recorded_reset(TensixState *s);

static inline void tensix_trace(TensixCore *c, TensixTracePoint point,
                                const TensixInsn *i)
{
    if (c->host.trace_enabled && *c->host.trace_enabled && c->host.trace) {
        c->host.trace(c->host.opaque, point, i);
    }
}

#endif
