/*
 * The recorder: a ring of events, the latest of which overwrite the oldest.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * It is always on.  Events of negligible cost are always recorded: executed
 * instructions, violations, and what the host adds.  All others
 * (TensixRecorder.all) are for a timeline: the host drains the ring each time
 * that it is full, so that no event is lost.
 *
 * An event says what happened and no more.  The changes that it reports were
 * caused by the instruction of the last EXECUTE event, or by the hart of a
 * later ACTOR event.  To add an event, add a row to event_table.h.inc and call
 * tensix_record().
 */

#ifndef TENSIX_RECORD_H
#define TENSIX_RECORD_H

#include "tensix_state.h"

/* Kinds of events; 0 is a place in the ring that was never used. */
typedef enum TensixEventKind {
    TENSIX_EVENT_NONE,
#define EVENT(kind, name, form, details) TENSIX_EVENT_##kind,
#include "record/event_table.h.inc"
#undef EVENT
    TENSIX_EVENTS,
} TensixEventKind;

/* What a HART event says that the hart does from now on. */
typedef enum TensixHartTurn {
    TENSIX_HART_STALLS,            /* cause, detail: the host's */
    TENSIX_HART_WAKES,             /* tries again */
    TENSIX_HART_HELD,              /* by soft reset */
    TENSIX_HART_RELEASED,
    TENSIX_HART_STARTS,            /* at its reset pc */
    TENSIX_HART_PAUSES,
    TENSIX_HART_RESUMES,
    TENSIX_HART_INTERRUPTED,
    TENSIX_HART_RETURNS,           /* from the interrupt */
    TENSIX_HART_TURNS,
} TensixHartTurn;

extern const char *const tensix_hart_turn_names[TENSIX_HART_TURNS];

/* What an event's numbers are. */
typedef enum TensixEventForm {
    TENSIX_FORM_INSN,              /* .insn, and .number[TENSIX_EVENT_EXTRA] */
    TENSIX_FORM_NUMBERS,           /* .number[] */
} TensixEventForm;

enum {
    TENSIX_EVENT_NUMBERS = 7,
    TENSIX_EVENT_EXTRA = 6,        /* after an instruction; not of EXECUTE */
};

/*
 * One event, as it lies in the ring and in the file of a timeline.  The kind is
 * where an instruction's `valid` is.
 */
typedef struct TensixEvent {
    union {
        struct {
            uint32_t kind;         /* TensixEventKind */
            uint32_t number[TENSIX_EVENT_NUMBERS];
        };
        TensixInsn insn;
    };
} TensixEvent;

_Static_assert(sizeof(TensixEvent) == 32, "events lie side by side in a file");
_Static_assert(TENSIX_EVENT_EXECUTE == 1, "the insn of a push is its event");

/* What a kind is called, and its numbers, between spaces, in their order. */
typedef struct TensixEventDef {
    const char *name;
    TensixEventForm form;
    const char *details;
} TensixEventDef;

extern const TensixEventDef tensix_events[TENSIX_EVENTS];

/* The same wait is not recorded each time that it is examined. */
typedef struct TensixRecordedWait {
    uint32_t reason, detail;       /* TensixWaitReason; 0: none */
    uint32_t word, latched;
} TensixRecordedWait;

typedef struct TensixRecorder {
    TensixEvent *next;             /* the place of the next event, or end */
    TensixEvent *end;              /* of the ring */
    TensixEvent *ring;             /* NULL until tensix_reset() is called */
    uint64_t laps;                 /* so often next has wrapped */
    uint64_t taken;                /* all: events that the host has got */
    uint64_t cycle;                /* all: that of the last CYCLE event */
    bool all;                      /* a timeline is made */
    TensixRecordedWait wait[TENSIX_THREADS];
    void (*full)(void *opaque);    /* all: takes events */
    void *opaque;
    TensixEvent own[64];           /* the ring of a core that was given none */
} TensixRecorder;

/* The ring is full: calls the host, and begins again at its start. */
void tensix_record_lap(TensixRecorder *r);

static inline bool tensix_record_full(const TensixRecorder *r)
{
    return r->next == r->end;
}

/*
 * The place of the next event, which the caller fills at once.  Each instruction
 * comes by here: a pointer costs less than a number and a mask.
 */
static inline TensixEvent *tensix_record_next(TensixRecorder *r)
{
    if (__builtin_expect(tensix_record_full(r), false)) {
        tensix_record_lap(r);
    }
    return r->next++;
}

/* How many events there have been, also such as are no longer in the ring. */
static inline uint64_t tensix_record_count(const TensixRecorder *r)
{
    return r->laps * (uint64_t)(r->end - r->ring) + (r->next - r->ring);
}

/* Event number n, which is in the ring. */
static inline const TensixEvent *tensix_record_get(const TensixRecorder *r,
                                                   uint64_t n)
{
    return &r->ring[n % (uint64_t)(r->end - r->ring)];
}

/*
 * A ring of `places` events, a power of 2, which outlives the recorder; NULL: its
 * own, of one place.  What was recorded before is discarded.
 */
void tensix_record_set_ring(TensixRecorder *r, TensixEvent *ring,
                            uint64_t places);

/*
 * Begins to record all, or stops: `full` is then called with opaque whenever the
 * ring is full of events from number `taken` on, and sets `taken`.  NULL: stops.
 */
void tensix_record_all(TensixRecorder *r, void (*full)(void *opaque),
                       void *opaque);

/* Events that are still in the ring, oldest first: numbers *first..count - 1. */
uint64_t tensix_record_first(const TensixRecorder *r);

/* An event with these numbers (those that are left out are 0). */
void tensix_record_event(TensixRecorder *r, const TensixEvent *event);

#define tensix_record(r, event_kind, ...) \
    tensix_record_event((r), &(const TensixEvent) { \
        .kind = TENSIX_EVENT_##event_kind, .number = { __VA_ARGS__ } })

/* An event about an instruction, with a number whose meaning the kind says. */
TensixEvent *tensix_record_insn(TensixRecorder *r, TensixEventKind kind,
                                const TensixInsn *insn, uint32_t extra);

/* all: insn waits at its gate for that; recorded once for each wait. */
void tensix_record_wait(TensixRecorder *r, const TensixInsn *insn,
                        TensixRecordedWait wait);

/* all: the thread's instruction has passed its gate. */
void tensix_record_passed(TensixRecorder *r, uint32_t thread);

/* The EXECUTE event of this instruction was wrong: it waits, and did nothing. */
static inline void tensix_record_undo(TensixRecorder *r, const TensixInsn *insn)
{
    const TensixEvent *event = (const TensixEvent *)insn;

    if (r->next == event + 1) {
        r->next--;
    }
}

/*
 * The instruction of the last EXECUTE event: to be called right after a push has
 * recorded and executed one, whose violations alone may follow it.
 */
const TensixInsn *tensix_record_executed(const TensixRecorder *r);

/* all: the order has come to this cycle. */
void tensix_record_cycle(TensixRecorder *r, uint64_t cycle);

#endif
