/*
 * Reports: violations, waits, traces.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdarg.h>
#include <stdio.h>

#include "tensix_internal.h"

enum { VIOLATION_TEXT_SIZE = 752 };

const char *const tensix_category_names[TENSIX_CATEGORIES] = {
    [TENSIX_UNDEFINED_BEHAVIOUR] = "undefined-behaviour",
    [TENSIX_UNPREDICTABLE_VALUE] = "unpredictable-value",
    [TENSIX_NON_CONTRACTUAL] = "non-contractual",
    [TENSIX_UNIMPLEMENTED] = "unimplemented",
    [TENSIX_BAD_ACCESS] = "bad-access",
    [TENSIX_HAZARD] = "hazard",
    [TENSIX_UNWRITTEN] = "unwritten",
    [TENSIX_RACE] = "race",
    [TENSIX_LEAK] = "leak",
    [TENSIX_BOUNDS] = "bounds",
};

TensixViolation tensix_insn_violation(const TensixCore *c, const TensixInsn *i,
                                      TensixCategory category, const char *text)
{
    const char *mnemonic = tensix_insns[i->word >> 24].mnemonic;

    return (TensixViolation) {
        .category = category,
        .thread = i->thread,
        .word = i->word,
        .origin = i->origin,
        .mop_position = i->mop_position,
        .replay_slot = i->replay_slot,
        .recorded = tensix_recorded(c, i),
        .mnemonic = mnemonic ? mnemonic : "",
        .text = text,
    };
}

TensixResult tensix_violation(TensixCore *c, const TensixInsn *i,
                              TensixCategory category, const char *fmt, ...)
{
    char text[VIOLATION_TEXT_SIZE];
    TensixViolation v = tensix_insn_violation(c, i, category, text);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    tensix_record_insn(&c->record, TENSIX_EVENT_VIOLATION, i, category);
    c->host.violation(c->host.opaque, &v);
    return TENSIX_DONE;
}

void tensix_report_reserved(TensixCore *c, const TensixInsn *i, uint32_t bits)
{
    tensix_violation(c, i, TENSIX_NON_CONTRACTUAL,
                     "operand bits 0x%06x are reserved", (unsigned)bits);
}

TensixResult tensix_retry(TensixCore *c, const TensixInsn *i,
                          TensixWaitReason reason, uint32_t detail)
{
    TensixGate *g = &c->s.thread[i->thread].gate;

    g->wait_reason = reason;
    g->wait_detail = detail;
    return TENSIX_RETRY;
}

