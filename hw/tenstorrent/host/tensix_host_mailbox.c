/*
 * Requests of a client through shared memory (tensix_host_mailbox.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thread for each mailbox polls it and carries requests out with the BQL held,
 * as the main loop does for the socket.  The client may write to the memory at
 * any time: each field is read once, and data are copied before they are used,
 * so that what is checked, done and observed is the same.  It can delay no
 * thread but this one, since the bell is rung without waiting.
 *
 * The session has one reference, the thread the other.  Once the session has
 * closed the mailbox, with the BQL held, the thread carries out nothing more.
 */

#include "qemu/osdep.h"
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "qapi/error.h"
#include "qemu/bitmap.h"
#include "qemu/main-loop.h"
#include "qemu/memfd.h"
#include "qemu/processor.h"
#include "qemu/rcu.h"
#include "qemu/sockets.h"
#include "qemu/thread.h"
#include "system/system.h"
#include "hw/tenstorrent/tensix_host_mailbox.h"
#include "tensix_host_internal.h"
#include "../trace.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

#define SPIN_NS (50 * SCALE_US)

enum {
    POLLS = 64,                    /* between two readings of the clock */
    GAP = 64,                      /* pauses: about a microsecond */
};

struct HostMailbox {
    TensixHostState *host;
    HostWaiter waiter;
    Notifier exit;
    int references;
    bool closed;                   /* set with the BQL held */
    bool busy;                     /* likewise: between parts of an access */

    TensixHostMailbox *shared;
    int memory, bell, clients_bell;
    uint32_t number;               /* of the latest request */
    unsigned status;
    TensixWireRequest request;
    HostAccess access;
    uint8_t *data;                 /* as large as the shared ones */
    uint32_t answer_size;
    unsigned long *held;           /* bitmap of harts, before a write */
    QemuSemaphore ran;
};

/* --- its parts --- */

static bool make_memory(HostMailbox *m)
{
    void *shared;

    m->memory = qemu_memfd_create("tensix-host-mailbox", sizeof(*m->shared),
                                  false, 0, F_SEAL_SHRINK | F_SEAL_GROW |
                                  F_SEAL_SEAL, NULL);
    if (m->memory < 0) {
        return false;
    }
    shared = mmap(NULL, sizeof(*m->shared), PROT_READ | PROT_WRITE, MAP_SHARED,
                  m->memory, 0);
    if (shared == MAP_FAILED) {
        return false;
    }
    m->shared = shared;
    return true;
}

static bool make_bell(HostMailbox *m)
{
    int pair[2];

    if (qemu_socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0) {
        return false;
    }
    m->bell = pair[0];
    m->clients_bell = pair[1];
    return true;
}

static void close_file(int *file)
{
    if (*file >= 0) {
        close(*file);
        *file = -1;
    }
}

static void release(HostMailbox *m)
{
    if (qatomic_fetch_dec(&m->references) != 1) {
        return;
    }
    if (m->shared) {
        munmap(m->shared, sizeof(*m->shared));
    }
    close_file(&m->memory);
    close_file(&m->bell);
    close_file(&m->clients_bell);
    qemu_sem_destroy(&m->ran);
    g_free(m->held);
    g_free(m->data);
    g_free(m);
}

/* --- waiting for a request --- */

static bool is_requested(const HostMailbox *m)
{
    return qatomic_load_acquire(&m->shared->request.number) != m->number;
}

static bool spin(const HostMailbox *m)
{
    int64_t end = get_clock() + SPIN_NS;

    do {
        for (int i = 0; i < POLLS; i++) {
            if (is_requested(m)) {
                return true;
            }
            cpu_relax();
        }
    } while (!qatomic_read(&m->closed) && get_clock() < end);
    return false;
}

/* At most for a second, to check whether the mailbox was closed. */
static void futex(const HostMailbox *m, int operation, uint32_t value)
{
    struct timespec second = { .tv_sec = 1 };

    syscall(SYS_futex, &m->shared->request.number, operation, value, &second,
            NULL, 0);
}

/* False: the session has closed it. */
static bool sleep_until_requested(const HostMailbox *m)
{
    uint32_t *sleeps = &m->shared->answer.sleeps;

    while (!qatomic_read(&m->closed) && !is_requested(m)) {
        qatomic_set(sleeps, 1);
        smp_mb();                  /* the client: its number, then `sleeps` */
        futex(m, FUTEX_WAIT, m->number);
    }
    qatomic_set(sleeps, 0);
    return !qatomic_read(&m->closed);
}

/* On one processor, a side that spins keeps the other from running. */
static bool is_shared_processor(const HostMailbox *m)
{
    return qatomic_read(&m->shared->request.cpu) == (uint32_t)sched_getcpu();
}

static bool await_request(const HostMailbox *m)
{
    return (!is_shared_processor(m) && spin(m)) || sleep_until_requested(m);
}

/* --- a request --- */

/* False: it cannot be done; the reason is the answer. */
static bool refuse(HostMailbox *m, unsigned status, const char *error)
{
    m->status = status;
    m->answer_size = MIN(strlen(error), TENSIX_HOST_MAILBOX_DATA);
    memcpy(m->data, error, m->answer_size);
    return false;
}

static bool take_request(HostMailbox *m)
{
    TensixWireRequest *r = &m->request;
    const TensixHostMailbox *shared = m->shared;
    uint32_t command;
    const char *error;

    m->number = qatomic_load_acquire(&shared->request.number);
    command = qatomic_read(&shared->command);
    m->status = m->answer_size = 0;
    *r = (TensixWireRequest) {
        .command = command,
        .x = qatomic_read(&shared->x), .y = qatomic_read(&shared->y),
        .address = qatomic_read(&shared->address),
        .size = qatomic_read(&shared->size),
    };
    r->data = (TensixWireBytes) { m->data, r->size };
    trace_tensix_host_request(m, command, r->x, r->y, r->address, r->size);
    if (command == TENSIX_WIRE_CLOCK) {
        return true;
    }
    if (command != TENSIX_WIRE_READ && command != TENSIX_WIRE_WRITE) {
        return refuse(m, ENOSYS, "no command for a mailbox");
    }
    if (r->size > TENSIX_HOST_MAILBOX_DATA) {
        return refuse(m, EINVAL, "more data than a mailbox holds");
    }
    error = tensix_host_check_request(r);
    if (error) {
        return refuse(m, EINVAL, error);
    }
    if (command == TENSIX_WIRE_WRITE) {
        memcpy(m->data, shared->data, r->size);
    }
    return true;
}

static void set_access(HostMailbox *m)
{
    const TensixWireRequest *r = &m->request;

    m->access = (HostAccess) {
        .at = { .x = r->x, .y = r->y, .addr = r->address },
        .data = m->data, .size = r->size, .room = r->size,
        .is_write = r->command == TENSIX_WIRE_WRITE,
    };
    if (m->access.is_write) {
        tensix_host_held_harts(m->host, m->held);
    }
}

/* The BQL is not fair: a waiter has to find it free. */
static void let_others_run(void)
{
    bql_unlock();
    for (int i = 0; i < GAP; i++) {
        cpu_relax();
    }
    bql_lock();
}

/* In parts, between which other threads may have the BQL. */
static const char *access_parts(HostMailbox *m)
{
    const char *error = tensix_host_access_part(m->host, &m->access);

    m->busy = true;
    while (!error && m->access.room && !m->closed) {
        let_others_run();
        if (!m->closed) {
            error = tensix_host_access_part(m->host, &m->access);
        }
    }
    m->busy = false;
    return error;
}

/* True: a run has begun, and the answer waits for its end. */
static bool access_tile(HostMailbox *m)
{
    const char *error;

    set_access(m);
    m->host->accessed = true;
    error = m->access.room ? access_parts(m) : NULL;
    if (error) {
        g_autofree char *text = tensix_host_describe(&m->request, error);

        refuse(m, EFAULT, text);
        return false;
    }
    m->answer_size = m->access.is_write ? 0 : m->access.done;
    m->waiter.any_thread = true;
    return m->access.is_write && !m->closed &&
           tensix_host_run_released(m->host, &m->waiter, m->held);
}

/* The main loop ends it: the sooner it does, the more a client polls. */
static bool run_clock(HostMailbox *m)
{
    if (m->request.address) {
        m->waiter.any_thread = false;
        tensix_host_run(m->host, &m->waiter, NULL, m->request.address, 0);
    }
    return m->request.address;
}

/* BQL held; true: a run has begun. */
static bool carry_out(HostMailbox *m)
{
    if (m->closed) {
        return false;
    }
    return m->request.command == TENSIX_WIRE_CLOCK ? run_clock(m)
                                                   : access_tile(m);
}

static void ring(const HostMailbox *m)
{
    send(m->bell, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void answer(HostMailbox *m)
{
    TensixHostMailbox *shared = m->shared;

    trace_tensix_host_answer(m, m->status, m->answer_size);
    tensix_host_mailbox_put(shared, m->data, m->answer_size);
    qatomic_set(&shared->status, m->status);
    qatomic_set(&shared->answer_size, m->answer_size);
    qatomic_set(&shared->answer.cpu, sched_getcpu());
    qatomic_store_release(&shared->answer.number, m->number);
    smp_mb();                      /* the client: `sleeps`, then our number */
    if (qatomic_read(&shared->request.sleeps)) {
        ring(m);
    }
}

/* In another thread, most often: ours waits, and would wake up later. */
static void ran(HostWaiter *waiter)
{
    HostMailbox *m = container_of(waiter, HostMailbox, waiter);

    answer(m);
    qemu_sem_post(&m->ran);
}

static void answer_request(HostMailbox *m)
{
    bool runs = false;

    if (take_request(m)) {
        bql_lock();
        runs = carry_out(m);
        bql_unlock();
    }
    if (runs) {
        qemu_sem_wait(&m->ran);
    } else {
        answer(m);
    }
}

static void *serve(void *opaque)
{
    HostMailbox *m = opaque;

    rcu_register_thread();
    while (!qatomic_read(&m->closed) && await_request(m)) {
        answer_request(m);
    }
    rcu_unregister_thread();
    release(m);
    return NULL;
}

/* --- its life --- */

static void close_at_exit(Notifier *notifier, void *data)
{
    BQL_LOCK_GUARD();
    qatomic_set(&container_of(notifier, HostMailbox, exit)->closed, true);
}

static HostMailbox *alloc(TensixHostState *s)
{
    HostMailbox *m = g_new0(HostMailbox, 1);

    m->host = s;
    m->waiter.ran = ran;
    m->references = 1;
    m->memory = m->bell = m->clients_bell = -1;
    m->data = g_malloc(TENSIX_HOST_MAILBOX_DATA);
    m->held = bitmap_new(tensix_host_harts(s));
    qemu_sem_init(&m->ran, 0);
    return m;
}

HostMailbox *tensix_host_mailbox_new(TensixHostState *s)
{
    HostMailbox *m = alloc(s);
    QemuThread thread;

    if (!make_memory(m) || !make_bell(m)) {
        release(m);
        return NULL;
    }
    m->exit.notify = close_at_exit;
    qemu_add_exit_notifier(&m->exit);
    qatomic_inc(&m->references);
    qemu_thread_create(&thread, "tensix-mailbox", serve, m,
                       QEMU_THREAD_DETACHED);
    return m;
}

void tensix_host_mailbox_files(const HostMailbox *m,
                               int files[TENSIX_HOST_MAILBOX_FILES])
{
    files[0] = m->memory;
    files[1] = m->clients_bell;
}

void tensix_host_mailbox_sent(HostMailbox *m)
{
    close_file(&m->memory);
    close_file(&m->clients_bell);
}

void tensix_host_mailbox_close(HostMailbox *m)
{
    qatomic_set(&m->closed, true);
    tensix_host_run_cancel(m->host, &m->waiter);
    qemu_remove_exit_notifier(&m->exit);
    qemu_sem_post(&m->ran);
    futex(m, FUTEX_WAKE, 1);
    release(m);
}

bool tensix_host_mailbox_is_busy(const HostMailbox *m)
{
    return m->busy;
}
