/*
 * Hazards: reports of broken rules that hardware does not enforce.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The checker's memory; no part of the state.  It treats each thread's
 * instructions as a stream: all distances are in instructions of the thread,
 * each of which takes at least a cycle, so that neither the schedule nor a
 * hart's speed influences the reports.  (hazard.c)
 */

#ifndef TENSIX_HAZARD_H
#define TENSIX_HAZARD_H

#include "tensix_state.h"

enum {
    TENSIX_HAZARD_RECORDS = 4,     /* of a kind, by thread */
    TENSIX_HAZARD_SITES = 512,     /* reports that are not repeated */
};

/* An instruction that went before. */
typedef struct TensixHazardSite {
    TensixInsn insn;               /* valid: there was one */
    uint64_t position;             /* of the thread's instructions */
} TensixHazardSite;

/* Rows of Dst16b, or of Dst32b if wide, that it wrote. */
typedef struct TensixHazardRows {
    TensixHazardSite by;
    uint32_t first, count;
    bool wide;
} TensixHazardRows;

/* GPRs that it writes, a bit each. */
typedef struct TensixHazardGprs {
    TensixHazardSite by;
    uint64_t gprs;
} TensixHazardGprs;

/* Words of configuration that it changed, and the users of what changed. */
typedef struct TensixHazardConfig {
    TensixHazardSite by;
    uint32_t first, words;
    uint32_t users;                /* HazardUser, a bit each */
} TensixHazardConfig;

/* LRegs that it wrote in so many lanes, a bit each. */
typedef struct TensixHazardLregs {
    TensixHazardSite by;
    uint32_t lregs, lanes;
    bool indirect;                 /* the stalling logic takes them for all */
} TensixHazardLregs;

typedef struct TensixHazardThread {
    uint64_t position;             /* of the instruction at hand, from 1 */
    bool again;                    /* it is retried: it had to wait */
    bool mop_ended;                /* the last one came out of a MOP */
    uint32_t wait_block, wait_conditions;  /* latched, perhaps still */
    TensixHazardLregs late;        /* the last result of two cycles */
    TensixHazardSite backdoor;     /* the last SFPCONFIG of LaneConfig */
    uint32_t backdoor_lanes;       /* with DISABLE_BACKDOOR_LOAD before it */
    TensixHazardRows dst_write[TENSIX_HAZARD_RECORDS];
    TensixHazardRows dst_store[TENSIX_HAZARD_RECORDS];
    TensixHazardGprs load[TENSIX_HAZARD_RECORDS];
    TensixHazardGprs read_config;
    TensixHazardConfig config;     /* the last WRCFG or CFGSHIFTMASK */
    TensixHazardConfig stream[TENSIX_HAZARD_RECORDS];
    TensixHazardSite pack;         /* the last PACR, if it may be in flight */
    TensixHazardSite state_id;     /* the last SETC16 that changed it */
} TensixHazardThread;

typedef struct TensixHazards {
    TensixHazardThread thread[TENSIX_THREADS];
    /* giver and taker of a bank of the Matrix Unit's */
    TensixHazardSite given[TENSIX_SRCS][TENSIX_SRC_BANKS];
    TensixHazardSite taken[TENSIX_SRCS][TENSIX_SRC_BANKS];
    uint32_t site[TENSIX_HAZARD_SITES];    /* hashes of what was reported */
} TensixHazards;

struct TensixCore;

/*
 * i has passed its thread's gate and is executed next: what came before it in
 * its thread has been executed.  Only while c->reports_hazards is set.
 * (hazard.c)
 */
void tensix_hazard_issue(struct TensixCore *c, const TensixInsn *i);

/* i was not executed, and will be issued again. */
void tensix_hazard_retry(struct TensixCore *c, const TensixInsn *i);

/* As if no instruction had been issued yet. */
void tensix_hazard_discard(struct TensixCore *c);

#endif
