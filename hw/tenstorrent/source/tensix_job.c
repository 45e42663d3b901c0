/*
 * Work on a file that may lie: in its own thread, for a limited time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The limit is time of the CPU: a busy host makes no file unreadable, a disk
 * that does not answer does.
 */

#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "qemu/timer.h"
#include "tensix_job.h"

enum {
    POLL_MS = 2,
};

/* Without any CPU time */
#define IDLE_LIMIT_NS (2 * NANOSECONDS_PER_SECOND)

static int64_t used_ns(const TensixJob *job)
{
    struct timespec t;

    return clock_gettime(job->clock, &t) < 0 ? 0
           : t.tv_sec * NANOSECONDS_PER_SECOND + t.tv_nsec;
}

static void job_free(TensixJob *job)
{
    qemu_cond_destroy(&job->end);
    qemu_mutex_destroy(&job->lock);
    job->discard(job);
}

static void begin(TensixJob *job)
{
    QEMU_LOCK_GUARD(&job->lock);
    job->started = !pthread_getcpuclockid(pthread_self(), &job->clock);
}

/* The owner of the job now: this thread if it was given up. */
static bool finish(TensixJob *job)
{
    QEMU_LOCK_GUARD(&job->lock);
    job->used_ns = used_ns(job);
    job->ended = true;
    qemu_cond_signal(&job->end);
    return job->stop;
}

static gpointer thread_main(gpointer opaque)
{
    TensixJob *job = opaque;

    begin(job);
    job->work(job);
    if (finish(job)) {
        job_free(job);
    }
    return NULL;
}

/* Signals are for QEMU's own threads.  False: the host has no more threads. */
static bool start(TensixJob *job)
{
    sigset_t all, before;
    GThread *thread;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread = g_thread_try_new("tensix-source", thread_main, job, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (thread) {
        g_thread_unref(thread);
    }
    return thread;
}

static bool await(TensixJob *job)
{
    int64_t used = 0, progress_at = get_clock();

    QEMU_LOCK_GUARD(&job->lock);
    while (!job->ended) {
        if (job->started && used_ns(job) != used) {
            used = used_ns(job);
            progress_at = get_clock();
        }
        if (used > job->limit_ns || get_clock() - progress_at > IDLE_LIMIT_NS) {
            qatomic_set(&job->stop, true);
            return false;
        }
        qemu_cond_timedwait(&job->end, &job->lock, POLL_MS);
    }
    return true;
}

bool tensix_job_run(TensixJob *job)
{
    qemu_mutex_init(&job->lock);
    qemu_cond_init(&job->end);
    if (!start(job)) {
        job_free(job);
        return false;
    }
    if (!await(job)) {
        return false;
    }
    qemu_cond_destroy(&job->end);
    qemu_mutex_destroy(&job->lock);
    return true;
}
