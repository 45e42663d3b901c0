/*
 * The recorder: a ring of events, the latest of which overwrite the oldest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "record/fresh.h"
#include "record/record.h"

const TensixEventDef tensix_events[TENSIX_EVENTS] = {
#define EVENT(kind, name, form, details) \
    [TENSIX_EVENT_##kind] = { name, TENSIX_FORM_##form, details },
#include "record/event_table.h.inc"
#undef EVENT
};

const char *const tensix_hart_turn_names[TENSIX_HART_TURNS] = {
    [TENSIX_HART_STALLS] = "stalls",
    [TENSIX_HART_WAKES] = "wakes",
    [TENSIX_HART_HELD] = "held",
    [TENSIX_HART_RELEASED] = "released",
    [TENSIX_HART_STARTS] = "starts",
    [TENSIX_HART_PAUSES] = "pauses",
    [TENSIX_HART_RESUMES] = "resumes",
    [TENSIX_HART_INTERRUPTED] = "interrupted",
    [TENSIX_HART_RETURNS] = "returns",
};

void tensix_record_set_ring(TensixRecorder *r, TensixEvent *ring,
                            uint64_t places)
{
    memset(r, 0, sizeof(*r));
    r->ring = ring ? ring : r->own;
    r->end = r->ring + (ring ? places : sizeof(r->own) / sizeof(r->own[0]));
    r->next = r->ring;
    memset(r->ring, 0, (size_t)(r->end - r->ring) * sizeof(*r->ring));
}

void tensix_record_all(TensixRecorder *r, void (*full)(void *opaque),
                       void *opaque)
{
    memset(r->wait, 0, sizeof(r->wait));
    r->all = full;
    r->full = full;
    r->opaque = opaque;
    r->taken = tensix_record_count(r);
    r->cycle = 0;
}

void tensix_record_lap(TensixRecorder *r)
{
    if (r->all) {
        r->full(r->opaque);
    }
    r->laps++;
    r->next = r->ring;
}

uint64_t tensix_record_first(const TensixRecorder *r)
{
    uint64_t count = tensix_record_count(r);
    uint64_t places = r->end - r->ring;

    return count > places ? count - places : 0;
}

void tensix_record_event(TensixRecorder *r, const TensixEvent *event)
{
    *tensix_record_next(r) = *event;
}

TensixEvent *tensix_record_insn(TensixRecorder *r, TensixEventKind kind,
                                const TensixInsn *insn, uint32_t extra)
{
    return tensix_record_fresh(r, kind, insn, extra);
}

const TensixInsn *tensix_record_executed(const TensixRecorder *r)
{
    const TensixEvent *e = r->next;

    do {
        e = (e == r->ring ? r->end : e) - 1;
    } while (e->kind != TENSIX_EVENT_EXECUTE);
    return &e->insn;
}

void tensix_record_wait(TensixRecorder *r, const TensixInsn *insn,
                        TensixRecordedWait wait)
{
    if (!memcmp(&r->wait[insn->thread], &wait, sizeof(wait))) {
        return;
    }
    r->wait[insn->thread] = wait;
    tensix_record(r, WAIT, insn->thread, wait.reason, wait.detail, wait.word,
                  insn->origin.pc, insn->origin.hart, wait.latched);
}

void tensix_record_passed(TensixRecorder *r, uint32_t thread)
{
    if (r->wait[thread].reason) {
        memset(&r->wait[thread], 0, sizeof(r->wait[thread]));
        tensix_record(r, PASS, thread);
    }
}

void tensix_record_cycle(TensixRecorder *r, uint64_t cycle)
{
    if (r->cycle != cycle) {
        r->cycle = cycle;
        tensix_record(r, CYCLE, (uint32_t)cycle, (uint32_t)(cycle >> 32));
    }
}
