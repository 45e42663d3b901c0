/*
 * What the instruction at a gate waits for, as text.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdarg.h>
#include <stdio.h>

#include "config/config.h"
#include "views/why.h"
#include "tensix_internal.h"

const char *tensix_semaphore_name(const TensixCore *c, uint32_t index)
{
    /* tt-llk's ckernel_structs.h */
    static const char *const llk[TENSIX_SEMAPHORES] = {
        "FPU_SFPU", "MATH_PACK", "UNPACK_TO_DEST", "UNPACK_OPERAND_SYNC",
        "PACK_DONE", "UNPACK_SYNC", "UNPACK_MATH_DONE", "MATH_DONE",
    };
    const char *own = c->host.semaphore_name
                      ? c->host.semaphore_name(c->host.opaque, index) : NULL;

    return own ? own : llk[index];
}

enum { SEMWAIT_WHILE_ZERO = 1, SEMWAIT_WHILE_FULL = 2 };

/* Appends to what buf has so far; the new length, at most size. */
__attribute__((format(printf, 4, 5)))
static size_t append(char *buf, size_t size, size_t used, const char *fmt, ...)
{
    va_list ap;

    if (used < size) {
        va_start(ap, fmt);
        used += vsnprintf(buf + used, size - used, fmt, ap);
        va_end(ap);
    }
    return used < size ? used : size;
}

static size_t semaphore_condition(const TensixSemaphore *sem, uint32_t mask,
                                  char *buf, size_t size, size_t used)
{
    if (mask & SEMWAIT_WHILE_ZERO) {
        used = append(buf, size, used, " is not 0%s",
                      mask & SEMWAIT_WHILE_FULL ? " and" : "");
    }
    if (mask & SEMWAIT_WHILE_FULL) {
        used = append(buf, size, used, " is below its maximum of %u",
                      (unsigned)sem->max);
    }
    return used;
}

static void semwait_text(const TensixCore *c, const TensixGate *g, char *buf,
                         size_t size)
{
    size_t used = append(buf, size, 0, "SEMWAIT until");

    for (unsigned i = 0; i < TENSIX_SEMAPHORES; i++) {
        if (g->semaphore_mask & (1u << i)) {
            used = append(buf, size, used, "%s %s (semaphore %u)",
                          g->semaphore_mask & ((1u << i) - 1) ? "," : "",
                          tensix_semaphore_name(c, i), i);
            used = semaphore_condition(&c->s.semaphore[i], g->condition_mask,
                                       buf, size, used);
        }
    }
}

/* STALLWAIT's conditions C0 to C12 (BH STALLWAIT.md) */
static const char *const condition_names[] = {
    "the Scalar Unit is idle", "unpacker 0 is idle", "unpacker 1 is idle",
    "the packer is idle", "the Matrix Unit is idle",
    "unpacker 0 has its bank of SrcA", "unpacker 1 has its bank of SrcB",
    "the Matrix Unit has its bank of SrcA",
    "the Matrix Unit has its bank of SrcB", "the Mover is idle",
    "stores of harts to configuration are over", "the Vector Unit is idle",
    "the Configuration Unit is idle",
};

static void stallwait_text(uint32_t mask, char *buf, size_t size)
{
    enum { CONDITIONS = sizeof(condition_names) / sizeof(condition_names[0]) };
    size_t used = append(buf, size, 0, "STALLWAIT until");

    for (unsigned i = 0; i < CONDITIONS; i++) {
        if (mask & (1u << i)) {
            used = append(buf, size, used, "%s %s",
                          mask & ((1u << i) - 1) ? " and" : "",
                          condition_names[i]);
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

    switch (tensix_latch_of(g->opcode)) {
    case TENSIX_LATCH_SEMAPHORES:
        semwait_text(c, g, buf, size);
        break;
    case TENSIX_LATCH_STREAM:
        snprintf(buf, size, "STREAMWAIT until stream %u has reached %u",
                 (unsigned)tensix_why_stream(c, thread),
                 (unsigned)g->target);
        break;
    default:
        stallwait_text(g->condition_mask, buf, size);
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
    [TENSIX_WAIT_OBSERVER] = "the machine to continue: tensix_break or "
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
