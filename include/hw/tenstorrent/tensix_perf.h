/*
 * Performance counters of a Tensix tile: a part of the tile control device.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * hw/tenstorrent/control/perf_table.h.inc has a row for each counter and says
 * what it counts here.
 */

#ifndef HW_TENSTORRENT_TENSIX_PERF_H
#define HW_TENSTORRENT_TENSIX_PERF_H

#include "hw/tenstorrent/tensix_cop.h"
#include "hw/tenstorrent/tensix_regs.h"
#include "hw/tenstorrent/tensix_time.h"

/* In the order of their outputs, PERF_CNT_OUT. */
typedef enum TensixPerfBank {
    TENSIX_PERF_INSTRN_THREAD,
    TENSIX_PERF_TDMA_UNPACK,
    TENSIX_PERF_TDMA_PACK,
    TENSIX_PERF_L1,
    TENSIX_PERF_FPU,
    TENSIX_PERF_BANKS,
} TensixPerfBank;

enum {
    TENSIX_PERF_REGS = 3,          /* of a bank: period, mode, control */
};

/* Estimated cycles of threads, and of NoCs; 0 without timing=published. */
typedef struct TensixPerfTimes {
    TensixThreadTimes thread[TENSIX_THREADS];
    TensixNocFlits noc[TENSIX_PATH_NOCS];
} TensixPerfTimes;

/* All counters of a bank count at once; a select says which one is read. */
typedef struct TensixPerfCounts {
    bool running;
    uint64_t started;              /* on the starter's clock */
    uint64_t cycles;               /* until it stopped */
    uint64_t executed[TENSIX_THREADS][TENSIX_UNITS]; /* instructions */
    TensixPerfTimes from, until;   /* when it started, and stopped */
} TensixPerfCounts;

typedef struct TensixPerf {
    TensixPerfCounts bank[TENSIX_PERF_BANKS];

    /* not migrated */
    TensixCopState *cop;
    const uint32_t *value;         /* the registers of tile control */
    Notifier execute;
    bool subscribed;
    TensixOnce reported;           /* counters that are not modelled */
} TensixPerf;

extern const VMStateDescription vmstate_tensix_perf;

void tensix_perf_init(TensixPerf *p, TensixCopState *cop, const uint32_t *value);
void tensix_perf_finish(TensixPerf *p);

/* Nothing counts any more: a reset.  BQL held. */
void tensix_perf_reset(TensixPerf *p);

/* State has been loaded. */
void tensix_perf_loaded(TensixPerf *p);

/*
 * A store to one of a bank's registers, or to PERF_CNT_ALL, took effect; now: on
 * its agent's clock.
 */
void tensix_perf_stored(TensixPerf *p, const TensixAccess *a, uint32_t old,
                        uint32_t new, uint64_t now);

/* A word of PERF_CNT_OUT. */
uint32_t tensix_perf_read(TensixPerf *p, const TensixAccess *a, uint64_t now);

#endif
