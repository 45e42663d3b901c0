/*
 * Reports: violations, waits, traces.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdarg.h>
#include <stdio.h>

#include "tensix_internal.h"

enum { VIOLATION_TEXT_SIZE = 400 };

TensixResult tensix_violation(TensixCore *c, const TensixInsn *i,
                              TensixCategory category, const char *fmt, ...)
{
    const char *mnemonic = tensix_insns[i->word >> 24].mnemonic;
    char text[VIOLATION_TEXT_SIZE];
    TensixViolation v = {
        .category = category,
        .thread = i->thread,
        .word = i->word,
        .origin = i->origin,
        .mop_position = i->mop_position,
        .replay_slot = i->replay_slot,
        .mnemonic = mnemonic ? mnemonic : "",
        .text = text,
    };
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (c->host.violation) {
        c->host.violation(c->host.opaque, &v);
    }
    return TENSIX_DONE;
}

TensixResult tensix_retry(TensixCore *c, const TensixInsn *i,
                          TensixWaitReason reason, uint32_t detail)
{
    TensixGate *g = &c->s.thread[i->thread].gate;

    g->wait_reason = reason;
    g->wait_detail = detail;
    return TENSIX_RETRY;
}

void tensix_trace(TensixCore *c, TensixTracePoint point, const TensixInsn *i)
{
    if (c->host.trace_enabled && c->host.trace) {
        c->host.trace(c->host.opaque, point, i);
    }
}

static void semwait_text(const TensixCore *c, const TensixGate *g, char *buf,
                         size_t size)
{
    size_t used = snprintf(buf, size, "SEMWAIT:");

    for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
        const TensixSemaphore *sem = &c->s.semaphore[i];

        if ((g->semaphore_mask & (1u << i)) && used < size) {
            used += snprintf(buf + used, size - used,
                             " semaphore %u is %u of %u", i,
                             (unsigned)sem->value, (unsigned)sem->max);
        }
    }
}

static void latched_text(const TensixCore *c, uint32_t thread, char *buf,
                         size_t size)
{
    const TensixGate *g = &c->s.thread[thread].gate;

    switch (g->opcode) {
    case TENSIX_OP_SEMWAIT:
        semwait_text(c, g, buf, size);
        break;
    case TENSIX_OP_STREAMWAIT:
        snprintf(buf, size, "STREAMWAIT: stream %u below %u",
                 (unsigned)tensix_sync_stream(c, thread, g->stream_select),
                 (unsigned)g->target);
        break;
    default:
        snprintf(buf, size, "STALLWAIT: conditions 0x%x",
                 (unsigned)g->condition_mask);
        break;
    }
}

void tensix_wait_text(const TensixCore *c, uint32_t thread, char *buf,
                      size_t size)
{
    static const char *const texts[TENSIX_WAIT_REASONS] = {
        [TENSIX_WAIT_NONE] = "",
        [TENSIX_WAIT_LATCHED] = "latched wait",
        [TENSIX_WAIT_MUTEX] = "mutex",
        [TENSIX_WAIT_SRCA_MATRIX] = "SrcA bank to be given to the Matrix Unit",
        [TENSIX_WAIT_SRCB_MATRIX] = "SrcB bank to be given to the Matrix Unit",
        [TENSIX_WAIT_SRCA_UNPACK] =
            "SrcA bank to be given back to the unpackers",
        [TENSIX_WAIT_SRCB_UNPACK] =
            "SrcB bank to be given back to the unpackers",
        [TENSIX_WAIT_UNIT_RESET] = "its unit to leave soft reset",
        [TENSIX_WAIT_UNIT_BUSY] = "its unit to take another instruction",
        [TENSIX_WAIT_L1] = "L1 word",
        [TENSIX_WAIT_MMIO] = "register",
    };
    const TensixGate *g = &c->s.thread[thread].gate;

    if (!g->pending.valid || g->wait_reason == TENSIX_WAIT_NONE) {
        snprintf(buf, size, "%s", "");
    } else if (g->wait_reason == TENSIX_WAIT_LATCHED) {
        latched_text(c, thread, buf, size);
    } else if (g->wait_reason == TENSIX_WAIT_MUTEX) {
        snprintf(buf, size, "mutex %u", (unsigned)g->wait_detail);
    } else if (g->wait_reason >= TENSIX_WAIT_L1) {
        snprintf(buf, size, "%s 0x%x", texts[g->wait_reason],
                 (unsigned)g->wait_detail);
    } else {
        snprintf(buf, size, "%s", texts[g->wait_reason]);
    }
}
