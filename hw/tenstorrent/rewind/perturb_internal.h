/*
 * Runs of a program with delays: what its files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_PERTURB_INTERNAL_H
#define HW_TENSTORRENT_PERTURB_INTERNAL_H

#include "hw/tenstorrent/tensix_instrument.h"
#include "hw/tenstorrent/tensix_perturb.h"
#include "hw/tenstorrent/tensix_tile.h"
#include "qapi/qapi-types-tenstorrent-state.h"
#include "tensix_snapshot.h"

OBJECT_DECLARE_SIMPLE_TYPE(TensixPerturb, TENSIX_PERTURB)

/* What a run began with; when it has ended, how much of that it took. */
typedef struct PerturbRun {
    int64_t place;                 /* instructions of all harts */
    int64_t time;                  /* virtual, in nanoseconds */
    uint64_t cycles;               /* of the coprocessor */
    uint32_t known;                /* violations that were not reported */
} PerturbRun;

struct TensixPerturb {
    TensixInstrument parent_obj;

    TensixCopState *cop;
    TensixReporter *reporter;
    TensixTurns *turns;
    GPtrArray *devices;            /* that may be busy; or NULL */
    TensixAxis *axis;
    TensixDelays delays;           /* the core's */
    Notifier release;              /* of a hart from reset */
    TensixSnapshot *start;         /* each run begins here; NULL: none yet */
    size_t bytes;                  /* of it */
    QEMUTimer *deadline;           /* of a run */

    /* the request */
    TensixWordConditionList *until;
    bool until_idle;               /* and the whole tile */
    TensixMemoryRangeList *results;
    TensixDelayRangeList *ranges;
    bool seeded;                   /* the ranges are of seeds */
    bool reports;                  /* violations, as any run does */
    GPtrArray *writes;             /* before each run; or NULL */
    const TensixDelayRangeList *range;     /* the current one; NULL: done */
    uint32_t number, cycles;       /* its number, and the delay or seed */
    bool running, timed_out;
    int64_t passed;                /* place up to which cycles have passed */
    int64_t progressed_at;         /* where not all waited, the last time */
    PerturbRun now, base;
    GByteArray *wanted;            /* results of the first run, or NULL */
    GHashTable *sites, *stores;    /* of the first run */
    TensixBandList *bands, **bands_end;
    TensixBand *band;              /* the last one */
};

/* What the harts do that can run: the least idle of them. */
typedef enum PerturbActivity {
    PERTURB_STALLED,               /* there is none */
    PERTURB_SPINNING,
    PERTURB_WORKING,
} PerturbActivity;

PerturbActivity perturb_activity(const TensixPerturb *p);

/* Has the run ended?  If so, how.  Between two turns of the harts. */
bool perturb_ended(TensixPerturb *p, TensixVariantEnd *end);

/* The bytes of all results; to be freed. */
GByteArray *perturb_results(const TensixPerturb *p);

/* How many of them differ from those of the first run. */
uint64_t perturb_differing(const TensixPerturb *p);

/* Sites of the first run (perturb_sites.c): new, record, as a list. */
GHashTable *perturb_sites_new(void);
void perturb_record_site(void *opaque, const TensixInsn *i);
TensixPerturbSiteList *perturb_sites_list(const TensixPerturb *p);
void perturb_record_store(void *opaque, TensixOrigin by);
TensixPerturbStoreList *perturb_stores_list(const TensixPerturb *p);

/* What is stored before each run (perturb_writes.c).  NULL: errp is set. */
GPtrArray *perturb_writes_parse(const TensixMemoryWriteList *list,
                                Error **errp);
void perturb_writes_apply(const GPtrArray *writes);

/* A TensixDelayKind by its name in QMP. */
uint32_t perturb_delayed(TensixDelayed what);

#endif
