/*
 * Work on a file that may lie: in its own thread, for a limited time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How long libdw's functions take depends on the file, and none can be
 * interrupted.  The requesting thread holds the BQL: it stops waiting, and the
 * work ends when it can.
 */

#ifndef TENSIX_JOB_H
#define TENSIX_JOB_H

#include <time.h>
#include "qemu/thread.h"

typedef struct TensixJob TensixJob;

/* At the beginning of what `work` needs, which is zeroed before it is used. */
struct TensixJob {
    void (*work)(TensixJob *job);
    void (*discard)(TensixJob *job);    /* frees it, if it was given up */
    int64_t limit_ns;                   /* of the CPU's time */
    int64_t used_ns;                    /* result: of the CPU's time */
    bool stop;                          /* given up: `work` should return */
    /* private */
    QemuMutex lock;
    QemuCond end;
    bool started, ended;
    clockid_t clock;                    /* the CPU's time of the thread */
};

/*
 * Runs it to its end; true then, and the job is the caller's.  False: it was
 * given up after limit_ns, or after a second of the host's time, or there is no
 * thread; the job belongs to its thread, or is freed.
 */
bool tensix_job_run(TensixJob *job);

static inline bool tensix_job_stops(const TensixJob *job)
{
    return job && qatomic_read(&job->stop);
}

#endif
