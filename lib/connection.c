/*
 * Requests to the emulator, and the requests that its device makes in turn.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One request at a time, over tt-umd's socket protocol (tensix_wire.h). L1 of
 * the own tile is read through a mapping instead; writes never are, since the
 * emulator has to see that code changes. While the library waits, and now and
 * then when it does not, it serves the device's DMA: always in the thread of
 * the caller.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "hw/tenstorrent/tensix_host_mailbox.h"
#include "hw/tenstorrent/tensix_wire.h"
#include "library.h"

enum {
    CHUNK = TENSIX_HOST_MAILBOX_DATA, /* bytes a request */
    MAX_DMA = 1 << 20,             /* bytes of a DMA request */
    MAX_DMA_FRAME = MAX_DMA + 4096,
    CALLS_PER_POLL = 16,           /* fast ones, until DMA is polled ... */
    POLL_US = 20,                  /* ... or clocks for so long */
    DMA_PER_POLL = 16,             /* as many as two NIUs have under way */
    CLOCK_BATCH = 64,              /* instructions: see tile_clock() */
    CLOCK_MOST_SHIFT = 31,         /* of a request: log2 of them */
    SMALL_ANSWER = 64 << 10,       /* bytes of room for any */
    STATUS_US = 100 * 1000,        /* between two polls */
    REFUSED = 1,                   /* status of an answer */
};

/* --- files --- */

static void serve_request(TileLibrary *l);
static void poll_dma(TileLibrary *l);

void report_long_wait(TileLibrary *l)
{
    pid_t pid = l->emulator.pid;
    char process[32] = "of another process";   /* from which this was forked */

    if (!l->patience_lost) {
        if (pid) {
            snprintf(process, sizeof(process), "(process %d)", (int)pid);
        }
        dprintf(STDERR_FILENO, "blackhole-tile: %s waits for the emulator %s "
                "for %d s now; is the machine stopped, by gdb perhaps?\n",
                l->function, process, PATIENCE_MS / 1000);
        l->patience_lost = true;
    }
}

void wait_for(TileLibrary *l, int file, short events)
{
    struct pollfd files[] = {
        { .fd = file, .events = events },
        { .fd = l->emulator.dma, .events = POLLIN },
    };
    int ready = poll(files, 2, PATIENCE_MS);

    if (ready == 0) {
        report_long_wait(l);
    } else if (ready > 0 && files[1].revents) {
        serve_request(l);
    }
}

static bool would_block(void)
{
    return errno == EAGAIN || errno == EINTR;
}

static bool enlarge(Buffer *buffer, uint32_t size)
{
    uint8_t *data;

    if (size <= buffer->size) {
        return true;
    }
    data = realloc(buffer->data, size);
    if (!data) {
        return false;
    }
    *buffer = (Buffer) { data, size };
    return true;
}

/* --- requests --- */

/* The next bytes of FRAME, of which DONE are sent; or what sendmsg() says. */
static ssize_t send_some(int file, TensixWireFrame *frame, size_t done)
{
    size_t head = done < frame->head_size ? done : frame->head_size;
    size_t tail = done - head;
    struct iovec pieces[] = {
        { frame->head + head, frame->head_size - head },
        { (uint8_t *)frame->tail.data + tail, frame->tail.size - tail },
    };
    struct msghdr message = { .msg_iov = pieces, .msg_iovlen = 2 };

    return sendmsg(file, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static bool send_request(TileLibrary *l, const TensixWireRequest *request)
{
    TensixWireFrame frame;
    size_t done = 0;

    if (!tensix_wire_put_request(&frame, request)) {
        return false;
    }
    while (done < frame.head_size + frame.tail.size) {
        ssize_t n = send_some(l->emulator.host, &frame, done);

        if (n < 0 && !would_block()) {
            return false;
        }
        if (n < 0) {
            wait_for(l, l->emulator.host, POLLOUT);
        } else {
            done += n;
        }
    }
    return true;
}

/*
 * Until NEED bytes are in l->answer, of which *HAVE were before. There is one
 * answer at a time, so what comes along belongs to it.
 */
static bool receive(TileLibrary *l, uint32_t *have, uint32_t need)
{
    if (!enlarge(&l->answer, need < SMALL_ANSWER ? SMALL_ANSWER : need)) {
        return false;
    }
    while (*have < need) {
        ssize_t n;

        wait_for(l, l->emulator.host, POLLIN);
        n = recv(l->emulator.host, l->answer.data + *have,
                 l->answer.size - *have, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && !would_block())) {
            return false;
        }
        *have += n > 0 ? n : 0;
    }
    return true;
}

/* The data stay in l->answer until the next request; HAVE bytes are there. */
static bool receive_response(TileLibrary *l, uint32_t have,
                             TensixWireResponse *response)
{
    uint32_t size;

    return receive(l, &have, TENSIX_WIRE_PREFIX) &&
           tensix_wire_length(l->answer.data, &size) &&
           receive(l, &have, TENSIX_WIRE_PREFIX + size) &&
           have == TENSIX_WIRE_PREFIX + size &&
           tensix_wire_get_response(response, l->answer.data +
                                    TENSIX_WIRE_PREFIX, size);
}

/* The first bytes of an answer, with the files that come along. */
static ssize_t receive_files(TileLibrary *l,
                             int files[TENSIX_HOST_MAILBOX_FILES])
{
    union {
        char bytes[CMSG_SPACE(TENSIX_HOST_MAILBOX_FILES * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec text = { l->answer.data, l->answer.size };
    struct msghdr message = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes),
    };
    ssize_t n;
    struct cmsghdr *header;

    do {
        wait_for(l, l->emulator.host, POLLIN);
        n = recvmsg(l->emulator.host, &message,
                    MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (n < 0 && would_block());
    header = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(TENSIX_HOST_MAILBOX_FILES * sizeof(int))) {
        memcpy(files, CMSG_DATA(header),
               TENSIX_HOST_MAILBOX_FILES * sizeof(int));
    }
    return n;
}

/* An emulator without mailboxes answers with a status, and no files. */
static bool ask_for_mailbox(TileLibrary *l)
{
    TensixWireRequest request = { .command = TENSIX_WIRE_MAILBOX };
    TensixWireResponse response;
    int files[TENSIX_HOST_MAILBOX_FILES] = { -1, -1 };
    uint32_t size = 0;
    ssize_t n;
    bool good;

    l->emulator.asked_for_mailbox = true;
    if (!enlarge(&l->answer, SMALL_ANSWER) || !send_request(l, &request)) {
        return false;
    }
    n = receive_files(l, files);
    good = n > 0 && receive_response(l, n, &response);
    if (good && response.data.size == sizeof(size)) {
        memcpy(&size, response.data.data, sizeof(size));
    }
    if (files[0] >= 0) {
        mailbox_map(&l->emulator, files[0], files[1], size);
    }
    return good;
}

static bool transact_by_socket(TileLibrary *l, const TensixWireRequest *request,
                               TensixWireResponse *response)
{
    return send_request(l, request) && receive_response(l, 0, response);
}

static bool transact_somehow(TileLibrary *l, const TensixWireRequest *request,
                             TensixWireResponse *response)
{
    if (!l->emulator.asked_for_mailbox && !ask_for_mailbox(l)) {
        return false;
    }
    if (!mailbox_takes(&l->emulator, request)) {
        return transact_by_socket(l, request, response);
    }
    /* No system call is certain to serve DMA */
    if (++l->unserved >= CALLS_PER_POLL) {
        poll_dma(l);
    }
    return l->emulator.mailbox && mailbox_transact(l, request, response);
}

/* False: the emulator is lost, and this has been said. */
static bool transact(TileLibrary *l, const TensixWireRequest *request,
                     TensixWireResponse *response)
{
    if (l->state != LIBRARY_RUNNING) {
        return false;
    }
    l->patience_lost = false;
    if (!transact_somehow(l, request, response)) {
        emulator_lost(l);
        return false;
    }
    return true;
}

/* Says why the emulator refused; its text names the place. */
static void complain_of(TileLibrary *l, const TensixWireRequest *r,
                        const TensixWireResponse *response)
{
    complain(l, UNDEFINED_BEHAVIOR,
             r->address ^ (uint64_t)(r->y << 6 | r->x) << 48, "%.*s",
             (int)response->data.size, (const char *)response->data.data);
}

static void read_chunk(TileLibrary *l, TensixWireRequest *request, void *data)
{
    TensixWireResponse response;

    if (!transact(l, request, &response)) {
        memset(data, 0, request->size);
    } else if (response.status) {
        complain_of(l, request, &response);
        memset(data, 0, request->size);
    } else if (response.data.size != request->size) {
        memset(data, 0, request->size);
        emulator_lost(l);
    } else {
        memcpy(data, response.data.data, request->size);
    }
}

static void write_chunk(TileLibrary *l, TensixWireRequest *request,
                        const void *data)
{
    TensixWireResponse response;

    request->data = (TensixWireBytes) { data, request->size };
    if (transact(l, request, &response) && response.status) {
        complain_of(l, request, &response);
    }
}

/* In chunks. No rest of an access to MMIO is ever cut: it is shorter. */
static void access_tile(TileLibrary *l, TensixWireRequest request,
                        uint8_t *data, uint32_t size)
{
    while (size > 0) {
        request.size = size < CHUNK ? size : CHUNK;
        if (request.command == TENSIX_WIRE_WRITE) {
            write_chunk(l, &request, data);
        } else {
            read_chunk(l, &request, data);
        }
        request.address += request.size;
        data += request.size;
        size -= request.size;
    }
}

/* --- violations --- */

uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000ull + now.tv_nsec / 1000;
}

/* Each line after a prefix that no test takes for an error of ours. */
static void print_lines(const char *text, uint32_t size)
{
    while (size > 0) {
        const char *end = memchr(text, '\n', size);
        uint32_t length = end ? end - text : size;

        dprintf(STDERR_FILENO, "blackhole-tile: %.*s\n", (int)length, text);
        length += end != NULL;
        text += length;
        size -= length;
    }
}

void tile_status(TileLibrary *l)
{
    TensixWireRequest request = { .command = TENSIX_WIRE_STATUS };
    TensixWireResponse response;

    if (l->log >= 0 && transact(l, &request, &response) && !response.status) {
        print_lines(response.data.data, response.data.size);
    }
}

static void poll_status(TileLibrary *l)
{
    if (l->log >= 0 && now_us() - l->status_time >= STATUS_US) {
        tile_status(l);
        l->status_time = now_us();
    }
}

/* --- tiles --- */

/* A word in one piece, as the harts write it. */
static void copy_l1(TileLibrary *l, void *data, const uint8_t *l1,
                    uint32_t size)
{
    if (size == sizeof(uint32_t) && (uintptr_t)l1 % sizeof(uint32_t) == 0) {
        uint32_t word = __atomic_load_n((const uint32_t *)l1,
                                        __ATOMIC_ACQUIRE);

        memcpy(data, &word, sizeof(word));
        polls_read(&l->polls, l1 - l->emulator.l1, word);
    } else {
        memcpy(data, l1, size);
    }
}

static bool is_own_l1(const TileLibrary *l, uint32_t x, uint32_t y,
                      uint64_t address, uint32_t size)
{
    return x == l->x && y == l->y && address < L1_SIZE &&
           size <= L1_SIZE - address && l->state == LIBRARY_RUNNING;
}

static void clock_machine(TileLibrary *l, uint64_t n)
{
    TensixWireRequest request = { .command = TENSIX_WIRE_CLOCK, .address = n };
    TensixWireResponse response;

    if (transact(l, &request, &response) && response.status) {
        complain(l, SYSTEM, 0, "%.*s", (int)response.data.size,
                 (const char *)response.data.data);
    }
}

/*
 * Clients ask for a few clocks after each read.  Where the machine runs freely
 * the emulator is asked for some of these together, so that polling costs it
 * nothing; in lockstep each one counts.
 */
void tile_clock(TileLibrary *l, uint32_t n)
{
    uint64_t owed = (uint64_t)l->clocks_owed + n;

    if (owed < CLOCK_BATCH && !l->lockstep) {
        l->clocks_owed = owed;
        if (++l->unserved >= CALLS_PER_POLL ||
            now_us() - l->dma_time >= POLL_US) {
            poll_dma(l);
        }
        return;
    }
    if (n <= CLOCK_BATCH && !l->lockstep && polls_wait(l)) {
        l->clocks_owed = owed;
        return;
    }
    l->clocks_owed = 0;
    if (l->lockstep) {
        family_send_snapshots(l);
    }
    for (; owed >> CLOCK_MOST_SHIFT; owed -= 1ull << CLOCK_MOST_SHIFT) {
        clock_machine(l, 1ull << CLOCK_MOST_SHIFT);
    }
    clock_machine(l, owed);
    poll_status(l);
}

void tile_read(TileLibrary *l, uint32_t x, uint32_t y, uint64_t address,
               void *data, uint32_t size)
{
    if (is_own_l1(l, x, y, address, size)) {
        copy_l1(l, data, l->emulator.l1 + address, size);
        if (__atomic_load_n(&l->emulator.page->cached, __ATOMIC_ACQUIRE)) {
            family_state_read(l);
        }
        if (++l->unserved >= CALLS_PER_POLL) {
            poll_dma(l);
        }
        return;
    }
    family_send_snapshots(l);
    access_tile(l, (TensixWireRequest) {
        .command = TENSIX_WIRE_READ, .x = x, .y = y, .address = address,
    }, data, size);
    poll_status(l);
}

void tile_write(TileLibrary *l, uint32_t x, uint32_t y, uint64_t address,
                const void *data, uint32_t size)
{
    family_send_snapshots(l);
    access_tile(l, (TensixWireRequest) {
        .command = TENSIX_WIRE_WRITE, .x = x, .y = y, .address = address,
    }, (uint8_t *)data, size);
    polls_written(&l->polls);
    poll_status(l);
}

bool tile_hello(TileLibrary *l)
{
    uint32_t word;

    access_tile(l, (TensixWireRequest) {
        .command = TENSIX_WIRE_READ, .x = l->x, .y = l->y,
    }, (uint8_t *)&word, sizeof(word));
    return l->state == LIBRARY_RUNNING;
}

/* --- the device's own requests --- */

static bool receive_dma(TileLibrary *l, void *data, size_t size)
{
    uint8_t *bytes = data;

    while (size > 0) {
        ssize_t n = recv(l->emulator.dma, bytes, size, 0);

        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return false;
        }
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? n : 0;
    }
    return true;
}

static bool send_dma(TileLibrary *l, const void *data, size_t size)
{
    const uint8_t *bytes = data;

    while (size > 0) {
        ssize_t n = send(l->emulator.dma, bytes, size, MSG_NOSIGNAL);

        if (n < 0 && errno != EINTR) {
            return false;
        }
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? n : 0;
    }
    return true;
}

static void call_back(TileLibrary *l, bool is_write, uint64_t paddr,
                      uint8_t *data, uint32_t size)
{
    l->server = pthread_self();
    __atomic_store_n(&l->serving, true, __ATOMIC_RELEASE);
    if (is_write) {
        l->dma_write(paddr, data, size);
    } else {
        l->dma_read(paddr, data, size);
    }
    __atomic_store_n(&l->serving, false, __ATOMIC_RELEASE);
}

/* NULL, or why it cannot be done. */
static const char *do_dma(TileLibrary *l, const TensixWireRequest *request,
                          uint8_t *data)
{
    bool is_write = request->command == TENSIX_WIRE_WRITE;
    uint64_t address = request->address;
    uint32_t size = request->size;

    if (!(is_write ? (void *)l->dma_write : (void *)l->dma_read)) {
        return "the host has set no DMA callback";
    }
    while (size > 0) {
        uint64_t paddr;
        uint32_t n = iatu_translate(l, address, size, &paddr);

        if (n == 0) {
            return "beyond the windows that lead to the host";
        }
        call_back(l, is_write, paddr, data, n);
        address += n;
        data += n;
        size -= n;
    }
    return NULL;
}

void host_memory(TileLibrary *l, uint64_t address, void *data, uint32_t size,
                 bool is_write)
{
    TensixWireRequest request = {
        .command = is_write ? TENSIX_WIRE_WRITE : TENSIX_WIRE_READ,
        .address = address, .size = size,
    };
    const char *error = do_dma(l, &request, data);

    if (error) {
        complain(l, UNDEFINED_BEHAVIOR, address, "%s of the host's memory at "
                 "0x%llx size=%u: %s", is_write ? "write" : "read",
                 (unsigned long long)address, size, error);
        if (!is_write) {
            memset(data, 0, size);
        }
    }
}

static const char *check_dma(const TensixWireRequest *request)
{
    if (request->command == TENSIX_WIRE_READ && request->size <= MAX_DMA) {
        return NULL;
    }
    if (request->command == TENSIX_WIRE_WRITE &&
        request->size == request->data.size) {
        return NULL;
    }
    return "no such DMA request";
}

static bool answer_dma(TileLibrary *l, const TensixWireRequest *request)
{
    bool is_read = request->command == TENSIX_WIRE_READ;
    const char *error = check_dma(request);
    TensixWireResponse response = { 0 };
    TensixWireFrame frame;

    if (!error && is_read && !enlarge(&l->dma, request->size)) {
        error = "no memory";
    }
    if (!error) {
        error = do_dma(l, request, is_read ? l->dma.data
                                           : (uint8_t *)request->data.data);
    }
    if (error) {
        response = (TensixWireResponse) { REFUSED, { error, strlen(error) } };
        complain(l, UNDEFINED_BEHAVIOR, request->address, "DMA %s of "
                 "address=0x%llx size=%u: %s", is_read ? "read" : "write",
                 (unsigned long long)request->address, request->size, error);
    } else if (is_read) {
        response.data = (TensixWireBytes) { l->dma.data, request->size };
    }
    return tensix_wire_put_response(&frame, &response) &&
           send_dma(l, frame.head, frame.head_size) &&
           send_dma(l, frame.tail.data, frame.tail.size);
}

/* One request. An end here is the first that a host which polls L1 hears of. */
static void serve_request(TileLibrary *l)
{
    uint8_t prefix[TENSIX_WIRE_PREFIX];
    TensixWireRequest request;
    uint32_t size;

    if (!receive_dma(l, prefix, sizeof(prefix)) ||
        !tensix_wire_length(prefix, &size) || size > MAX_DMA_FRAME ||
        !enlarge(&l->dma, size) ||
        !receive_dma(l, l->dma.data, size) ||
        !tensix_wire_get_request(&request, l->dma.data, size) ||
        !answer_dma(l, &request)) {
        emulator_lost(l);
    }
}

void serve_dma(TileLibrary *l)
{
    struct pollfd file = { .fd = l->emulator.dma, .events = POLLIN };

    /* A kernel may ask for ever */
    for (unsigned n = 0; n < DMA_PER_POLL && l->state == LIBRARY_RUNNING &&
                         poll(&file, 1, 0) > 0; n++) {
        serve_request(l);
    }
}

/* Has the device sent a request? A poll takes longer than a fast call. */
static void poll_dma(TileLibrary *l)
{
    l->unserved = 0;
    l->dma_time = now_us();
    serve_dma(l);
}
