/*
 * What the instruction at a gate waits for, as text.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>

#include "config/config.h"
#include "views/why.h"
#include "tensix_internal.h"

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

uint32_t tensix_why_stream(const TensixCore *c, uint32_t thread)
{
    return tensix_sync_stream(c, thread,
                              c->s.thread[thread].gate.stream_select);
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
                 (unsigned)tensix_why_stream(c, thread),
                 (unsigned)g->target);
        break;
    default:
        snprintf(buf, size, "STALLWAIT: conditions 0x%x",
                 (unsigned)g->condition_mask);
        break;
    }
}

const char *const tensix_wait_names[TENSIX_WAIT_REASONS] = {
    [TENSIX_WAIT_NONE] = "",
    [TENSIX_WAIT_LATCHED] = "latched wait",
    [TENSIX_WAIT_MUTEX] = "mutex",
    [TENSIX_WAIT_SRCA_MATRIX] =
        "SrcA bank to be given to the Matrix Unit (data valid)",
    [TENSIX_WAIT_SRCB_MATRIX] =
        "SrcB bank to be given to the Matrix Unit (data valid)",
    [TENSIX_WAIT_SRCA_UNPACK] =
        "SrcA bank to be given back to the unpackers",
    [TENSIX_WAIT_SRCB_UNPACK] =
        "SrcB bank to be given back to the unpackers",
    [TENSIX_WAIT_UNIT_RESET] = "its unit to leave soft reset",
    [TENSIX_WAIT_UNIT_BUSY] = "its unit to take another instruction",
    [TENSIX_WAIT_L1] = "L1 word",
    [TENSIX_WAIT_MMIO] = "register",
    [TENSIX_WAIT_OBSERVER] = "the machine to go on: tensix_break or "
                             "tensix_watch stopped it",
};

void tensix_wait_text(const TensixCore *c, uint32_t thread, char *buf,
                      size_t size)
{
    const TensixGate *g = &c->s.thread[thread].gate;

    if (!g->pending.valid || g->wait_reason == TENSIX_WAIT_NONE) {
        snprintf(buf, size, "%s", "");
    } else if (g->wait_reason == TENSIX_WAIT_LATCHED) {
        latched_text(c, thread, buf, size);
    } else if (g->wait_reason == TENSIX_WAIT_MUTEX) {
        snprintf(buf, size, "mutex %u", (unsigned)g->wait_detail);
    } else if (g->wait_reason == TENSIX_WAIT_L1 ||
               g->wait_reason == TENSIX_WAIT_MMIO) {
        snprintf(buf, size, "%s 0x%x", tensix_wait_names[g->wait_reason],
                 (unsigned)g->wait_detail);
    } else {
        snprintf(buf, size, "%s", tensix_wait_names[g->wait_reason]);
    }
}
