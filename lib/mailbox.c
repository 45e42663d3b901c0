/*
 * Requests through memory that is shared with the emulator's device
 * (tensix_host_mailbox.h), without system calls while both sides are awake.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hw/tenstorrent/tensix_host_mailbox.h"
#include "hw/tenstorrent/tensix_wire.h"
#include "library.h"

enum {
    SPIN_US = 50,
    RINGS = 64,                    /* taken at a time */
};

void mailbox_map(Emulator *e, int memory, int bell, uint32_t size)
{
    void *mailbox = MAP_FAILED;

    if (size == sizeof(TensixHostMailbox)) {
        mailbox = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory,
                       0);
    }
    close(memory);
    if (mailbox == MAP_FAILED) {
        close(bell);
        return;
    }
    e->mailbox = mailbox;
    e->bell = bell;
}

void mailbox_unmap(Emulator *e)
{
    if (e->mailbox) {
        munmap(e->mailbox, sizeof(*e->mailbox));
        e->mailbox = NULL;
    }
    close_file(&e->bell);
}

bool mailbox_takes(const Emulator *e, const TensixWireRequest *request)
{
    uint8_t command = request->command;
    bool is_access = command == TENSIX_WIRE_READ ||
                     command == TENSIX_WIRE_WRITE;

    return e->mailbox && (command == TENSIX_WIRE_CLOCK ||
                          (is_access &&
                           request->size <= TENSIX_HOST_MAILBOX_DATA));
}

/* --- a request --- */

/* A client that dies over it has sent nothing: the number is last. */
static uint32_t post(Emulator *e, const TensixWireRequest *request)
{
    TensixHostMailbox *m = e->mailbox;
    uint32_t number = m->request.number + 1;

    m->command = request->command;
    m->x = request->x;
    m->y = request->y;
    m->address = request->address;
    m->size = request->size;
    m->request.cpu = sched_getcpu();
    if (request->command == TENSIX_WIRE_WRITE) {
        tensix_host_mailbox_put(m, request->data.data, request->size);
    }
    __atomic_store_n(&m->request.number, number, __ATOMIC_RELEASE);
    /* The device: `sleeps`, then our number */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&m->answer.sleeps, __ATOMIC_RELAXED)) {
        syscall(SYS_futex, &m->request.number, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    return number;
}

static bool is_answered(const TensixHostMailbox *m, uint32_t number)
{
    return __atomic_load_n(&m->answer.number, __ATOMIC_ACQUIRE) == number;
}

static bool spin(const TensixHostMailbox *m, uint32_t number)
{
    uint64_t end = now_us() + SPIN_US;

    do {
        if (is_answered(m, number)) {
            return true;
        }
    } while (now_us() < end);
    return false;
}

/* On one processor, a side that spins keeps the other from running. */
bool mailbox_shares_processor(const Emulator *e)
{
    return !e->mailbox ||
           __atomic_load_n(&e->mailbox->answer.cpu, __ATOMIC_RELAXED) ==
           (uint32_t)sched_getcpu();
}

/* Takes the rings; false: the emulator has ended. */
static bool take_rings(const Emulator *e)
{
    char rings[RINGS];
    ssize_t n = recv(e->bell, rings, sizeof(rings), MSG_DONTWAIT);

    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/*
 * False: the emulator is lost.  A DMA callback that forks, or DMA that fails,
 * takes the mailbox away meanwhile.
 */
static bool sleep_until_answered(TileLibrary *l, uint32_t number)
{
    TensixHostMailbox *m = l->emulator.mailbox;
    bool good = true;

    while (good && !is_answered(m, number)) {
        __atomic_store_n(&m->request.sleeps, 1, __ATOMIC_RELAXED);
        /* The device: its number, then `sleeps` */
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (!is_answered(m, number)) {
            wait_for(l, l->emulator.bell, POLLIN);
            good = l->emulator.mailbox == m && take_rings(&l->emulator);
        }
    }
    if (good) {
        __atomic_store_n(&m->request.sleeps, 0, __ATOMIC_RELAXED);
    }
    return good;
}

bool mailbox_transact(TileLibrary *l, const TensixWireRequest *request,
                      TensixWireResponse *response)
{
    TensixHostMailbox *m = l->emulator.mailbox;
    uint32_t number = post(&l->emulator, request);

    if ((mailbox_shares_processor(&l->emulator) || !spin(m, number)) &&
        !sleep_until_answered(l, number)) {
        return false;
    }
    *response = (TensixWireResponse) {
        m->status, { m->data, m->answer_size },
    };
    return response->data.size <= TENSIX_HOST_MAILBOX_DATA;
}
