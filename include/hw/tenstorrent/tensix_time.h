/*
 * Estimated cycles of a tile, by published figures.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Type "tensix-time", an instrument: timing=published of the machine.
 */

#ifndef HW_TENSTORRENT_TENSIX_TIME_H
#define HW_TENSTORRENT_TENSIX_TIME_H

#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_hart_time.h"

#define TYPE_TENSIX_TIME "tensix-time"

/* What figures are called wherever they are shown. */
#define TENSIX_TIME_UNIT "estimated cycles (published figures)"

/* What an instruction of a thread issues late for. */
typedef enum TensixThreadWaitFor {
    TENSIX_THREAD_FOR_PUSH,        /* it had not been pushed */
    TENSIX_THREAD_FOR_UNITS,       /* STALLWAIT: instructions, banks, harts */
    TENSIX_THREAD_FOR_SEMAPHORE,
    TENSIX_THREAD_FOR_STREAM,
    TENSIX_THREAD_FOR_MUTEX,
    TENSIX_THREAD_FOR_UNIT,        /* its unit, busy */
    TENSIX_THREAD_FOR_OPERAND,     /* a vector register */
    TENSIX_THREAD_FOR_BANK,        /* of SrcA or SrcB, at the gate */
    TENSIX_THREAD_WAITS,
} TensixThreadWaitFor;

extern const char *const tensix_thread_wait_names[TENSIX_THREAD_WAITS];

/* The same of waits at the gate by condition, as performance counters have it. */
typedef enum TensixWaitedFor {
    TENSIX_WAITED_SRCA_CLEAR,      /* a bank is the unpackers' */
    TENSIX_WAITED_SRCB_CLEAR,
    TENSIX_WAITED_SRCA_VALID,      /* a bank is the Matrix Unit's */
    TENSIX_WAITED_SRCB_VALID,
    TENSIX_WAITED_THCON_IDLE,
    TENSIX_WAITED_UNPACK_IDLE,
    TENSIX_WAITED_PACK_IDLE,
    TENSIX_WAITED_MATH_IDLE,       /* the Matrix Unit */
    TENSIX_WAITED_NONZERO_SEM,
    TENSIX_WAITED_NONFULL_SEM,
    TENSIX_WAITED_MOVE_IDLE,
    TENSIX_WAITED_SFPU_IDLE,
    TENSIX_WAITED_OTHER,           /* no counter has it */
    TENSIX_WAITED_FOR,
} TensixWaitedFor;

typedef struct TensixThreadTimes {
    uint64_t first, last;          /* its instructions have issued and ended */
    uint64_t insns;
    uint64_t waited[TENSIX_THREAD_WAITS];
    uint64_t waited_for[TENSIX_WAITED_FOR];
    uint64_t held[TENSIX_UNITS];   /* at the gate, though pushed, by unit */
    uint64_t busy[TENSIX_PORTS];   /* with its instructions, */
    uint64_t blocked[TENSIX_PORTS];    /* with one whose bank is not free, */
    uint64_t transfers[TENSIX_PORTS];  /* and of busy: moves L1's bytes, */
    uint64_t src_writes[TENSIX_SRCS];  /* of that: to SrcA, SrcB */
    uint64_t sums;                 /* of that: the Matrix Unit's arithmetic */
    uint64_t bytes;                /* of L1 that it has unpacked and packed */
} TensixThreadTimes;

/* Flits of data that a NIU has read from the tile's L1, and written to it. */
typedef struct TensixNocFlits {
    uint64_t outgoing, incoming;
} TensixNocFlits;

typedef struct TensixTimes {
    uint64_t now;                  /* the latest of the tile's clocks, */
    TensixStamp end;               /* and how it came to that */
    const TensixTimePath *path;
    uint64_t hart[TENSIX_NUM_HARTS];
    const TensixHartTime *of_hart; /* of each of them */
    TensixThreadTimes thread[TENSIX_THREADS];
    const TensixNocFlits *noc;     /* TENSIX_PATH_NOCS */
    uint64_t *const *spent;        /* by hart and word of L1: see tensix_time.c */
} TensixTimes;

/* False: the tile is not timed.  In the core's lock. */
bool tensix_time_get(TensixCopState *cop, TensixTimes *times);

bool tensix_time_is_counted(TensixBus *bus);

/* A timeline: what follows is by this hart. */
void tensix_time_record_clock(TensixRecorder *recorder, const TensixHart *hart);

/* As events of a timeline, the first interval first.  In the core's lock. */
void tensix_time_record_path(TensixCopState *cop);

/* "unpack1"; of an agent (tensix_time_path.h), to be freed. */
const char *tensix_time_port_name(unsigned port);
char *tensix_time_agent_name(unsigned agent);

/*
 * For what goes back to a state of the past (a history, delays), which clocks do
 * not: false with errp set if the tile of this bus is timed.
 */
bool tensix_time_can_go_back(TensixBus *bus, Error **errp);

#endif
