/*
 * Samples where a program spends its CPU time, for scripts/bench --kernels.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Preloaded into the emulator (LD_PRELOAD): each thread has a timer on its own
 * CPU clock, whose signal counts the place that it interrupts.  At the end the
 * counts go to the file $BENCH_SAMPLES: file, offset in it, samples.  Without
 * it nothing is different.
 */

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    PLACES = 1 << 16,              /* hashed by pc */
    PERIOD_NS = 1000 * 1000,       /* the kernel may make it longer */
};

#ifdef REG_RIP
#define PC_OF(context) ((uintptr_t)(context)->uc_mcontext.gregs[REG_RIP])
#else                              /* not x86: Arm's name */
#define PC_OF(context) ((uintptr_t)(context)->uc_mcontext.pc)
#endif

typedef struct Place {
    uintptr_t pc;
    uint32_t samples;
} Place;

static Place places[PLACES];

/* Of several threads, at any time. */
static void count(uintptr_t pc)
{
    for (uint32_t n = 0, at = pc * 0x9e3779b1u >> 16; n < PLACES; n++, at++) {
        Place *p = &places[at % PLACES];
        uintptr_t none = 0;

        if (__atomic_load_n(&p->pc, __ATOMIC_RELAXED) == pc ||
            __atomic_compare_exchange_n(&p->pc, &none, pc, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) || none == pc) {
            __atomic_fetch_add(&p->samples, 1, __ATOMIC_RELAXED);
            return;
        }
    }
}

static void sample(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    count(PC_OF((ucontext_t *)context));
}

/* QEMU's threads begin with all signals blocked. */
static void sample_this_thread(void)
{
    const struct itimerspec period = {
        .it_interval.tv_nsec = PERIOD_NS, .it_value.tv_nsec = PERIOD_NS,
    };
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF,
    };
    sigset_t set;
    timer_t timer;

    event._sigev_un._tid = syscall(SYS_gettid);
    sigemptyset(&set);
    sigaddset(&set, SIGPROF);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    if (!timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer)) {
        timer_settime(timer, 0, &period, NULL);
    }
}

typedef struct Start {
    void *(*routine)(void *argument);
    void *argument;
} Start;

static void *start_thread(void *opaque)
{
    Start start = *(Start *)opaque;

    free(opaque);
    sample_this_thread();
    return start.routine(start.argument);
}

/* In place of libc's, which it calls. */
__attribute__((visibility("default")))
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*routine)(void *), void *argument)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                  void *) = dlsym(RTLD_NEXT, "pthread_create");
    Start *start = malloc(sizeof(*start));

    *start = (Start) { routine, argument };
    return create(thread, attributes, start_thread, start);
}

static __attribute__((constructor)) void begin(void)
{
    const struct sigaction action = {
        .sa_sigaction = sample, .sa_flags = SA_SIGINFO | SA_RESTART,
    };

    if (getenv("BENCH_SAMPLES")) {
        sigaction(SIGPROF, &action, NULL);
        sample_this_thread();
    }
}

/* An address without a file is translated code. */
static void write_place(FILE *file, const Place *p)
{
    Dl_info info;

    if (dladdr((void *)p->pc, &info)) {
        fprintf(file, "%s %" PRIxPTR " %" PRIu32 "\n", info.dli_fname,
                p->pc - (uintptr_t)info.dli_fbase, p->samples);
    } else {
        fprintf(file, "- %" PRIxPTR " %" PRIu32 "\n", p->pc, p->samples);
    }
}

static __attribute__((destructor)) void end(void)
{
    const char *path = getenv("BENCH_SAMPLES");
    FILE *file = path ? fopen(path, "a") : NULL;

    for (uint32_t n = 0; file && n < PLACES; n++) {
        if (places[n].samples) {
            write_place(file, &places[n]);
        }
    }
    if (file) {
        fclose(file);
    }
}
