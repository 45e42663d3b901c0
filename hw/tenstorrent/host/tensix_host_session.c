/*
 * A client of tensix-host: its requests one after the other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All happens in steps of some microseconds; after SLICE_NS of them the main
 * loop gets its turn.  The character device hands over 4 KiB at a time, so the
 * rest of a frame is taken from a socket's channel directly.
 *
 * Of long writes and answers (HOST_LONG) one part at a time is in memory: a
 * write is done while its data come, an answer is read while it is sent.
 */

#include "qemu/osdep.h"
#include "qemu/bitmap.h"
#include "qemu/main-loop.h"
#include "qemu/madvise.h"
#include "chardev/char-socket.h"
#include "qemu/bswap.h"
#include "system/runstate.h"
#include "hw/tenstorrent/tensix_host_mailbox.h"
#include "tensix_host_internal.h"
#include "../trace.h"

#define SLICE_NS (1 * SCALE_MS)

enum {
    /* What is taken at a time, beyond the frame at hand */
    AHEAD = 4096,
    IN_KEPT = 4 << 20,             /* buffer kept for the next request */
    SENT_AT_ONCE = 1 << 20,
    /* Where a long frame has all but its data */
    START_OF_LONG = TENSIX_WIRE_PREFIX + 4096,
};

/*
 * Bytes of a long buffer that are no longer needed: to free all of it at
 * once would take the kernel some 20 ms.
 */
static void give_back(const void *bytes, size_t size)
{
    size_t page = qemu_real_host_page_size();
    uintptr_t begin = ROUND_UP((uintptr_t)bytes, page);
    uintptr_t end = ROUND_DOWN((uintptr_t)bytes + size, page);

    if (begin < end) {
        qemu_madvise((void *)begin, end - begin, QEMU_MADV_DONTNEED);
    }
}

/* --- answers --- */

/* In one piece if it is small: fewer system calls on both sides. */
static void answer_frame(HostSession *session)
{
    TensixWireFrame *f = &session->out;

    if (f->tail.size <= HOST_SMALL - TENSIX_WIRE_MAX_HEAD) {
        memcpy(session->small, f->head, f->head_size);
        memcpy(session->small + f->head_size, f->tail.data, f->tail.size);
    }
    session->sent = session->dropped = 0;
    session->filled = f->tail.size;
    session->phase = HOST_ANSWERS;
}

/* bytes: NULL, or what session owns from now on. */
static void answer(HostSession *session, unsigned status, void *bytes,
                   uint32_t size)
{
    TensixWireResponse response = {
        .status = status, .data = { .data = bytes, .size = size },
    };

    trace_tensix_host_answer(session, status, size);
    session->bytes = bytes;
    if (!tensix_wire_put_response(&session->out, &response)) {
        g_assert_not_reached();
    }
    answer_frame(session);
}

static void G_GNUC_PRINTF(3, 4)
answer_error(HostSession *session, unsigned status, const char *fmt, ...)
{
    char *text;
    va_list ap;

    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    g_clear_pointer(&session->bytes, g_free);
    answer(session, status, text, strlen(text));
}

/* --- requests --- */

/* The access that the request wants, of which `room` bytes are at data. */
static void set_access(HostSession *session, void *data, uint32_t room)
{
    const TensixWireRequest *r = &session->request;

    session->access = (HostAccess) {
        .at = { .x = r->x, .y = r->y, .addr = r->address },
        .data = data, .size = r->size, .room = room,
        .is_write = r->command == TENSIX_WIRE_WRITE,
    };
    tensix_host_held_harts(session->host, session->held);
}

/* A part of a long answer. */
static uint32_t answer_room(uint32_t size)
{
    return size > HOST_LONG ? HOST_PART : size;
}

static void begin_access(HostSession *session)
{
    const TensixWireRequest *r = &session->request;
    const char *error = tensix_host_check_request(r);
    bool is_write = r->command == TENSIX_WIRE_WRITE;

    if (!error && !is_write) {
        session->bytes = g_try_malloc(MAX(answer_room(r->size), 1));
        error = session->bytes ? NULL : "no memory for the answer";
    }
    if (error) {
        answer_error(session, EINVAL, "%s", error);
        return;
    }
    if (is_write) {
        set_access(session, (void *)r->data.data, r->size);
    } else {
        set_access(session, session->bytes, answer_room(r->size));
    }
    session->phase = HOST_ACCESSES;
}

static void access_failed(HostSession *session, const char *error)
{
    g_autofree char *text = tensix_host_describe(&session->request, error);

    answer_error(session, EFAULT, "%s", text);
}

/* Host software takes it that what it released has begun. */
static void access_done(HostSession *session)
{
    const HostAccess *a = &session->access;

    if (a->is_write && a->at.addr >= HOST_MMIO_BASE &&
        tensix_noc_tile(session->host->noc_port->noc, a->at)) {
        tensix_host_settle(session->host);
    }
    if (!a->is_write) {
        answer(session, 0, session->bytes, a->size);
        session->filled = a->done;
    } else {
        session->phase = HOST_RUNS;
        if (!tensix_host_run_released(session->host, &session->waiter,
                                      session->held)) {
            answer(session, 0, NULL, 0);
        }
    }
}

/* A long answer's last byte: once the first ones are sent none may fail. */
static const char *check_end(HostSession *session)
{
    HostAccess last = session->access;
    uint8_t byte;

    if (last.size <= HOST_LONG) {
        return NULL;
    }
    last.at.addr += last.size - 1;
    last.data = &byte;
    last.size = last.room = 1;
    return tensix_host_access_part(session->host, &last);
}

static const char *access_part(HostSession *session)
{
    HostAccess *a = &session->access;
    uint8_t *before = a->data;
    const char *error = NULL;

    if (a->done == 0 && !a->is_write) {
        error = check_end(session);
    }
    if (!error && a->room) {
        error = tensix_host_access_part(session->host, a);
    }
    if (a->is_write && a->size > IN_KEPT) {
        give_back(before, a->data - before);
    }
    return error;
}

static void continue_access(HostSession *session)
{
    const HostAccess *a = &session->access;
    const char *error = access_part(session);

    if (error && session->filled) {
        qemu_chr_fe_disconnect(&session->chr);
        session->phase = HOST_RECEIVES;
    } else if (error) {
        access_failed(session, error);
    } else if (a->room == 0 && session->filled) {
        session->filled = a->done;
        session->phase = HOST_ANSWERS;
    } else if (a->room == 0) {
        access_done(session);
    }
}

/* The next part of a long answer, in place of the one that was sent. */
static void fill_answer(HostSession *session)
{
    HostAccess *a = &session->access;

    session->dropped = session->filled;
    a->data = session->bytes;
    a->room = MIN(a->size - a->done, HOST_PART);
    session->phase = HOST_ACCESSES;
}

static void send_device_info(HostSession *session)
{
    TensixWireDeviceInfo info = tensix_host_device_info(session->host);

    tensix_wire_put_device_info(&session->out, &info);
    answer_frame(session);
}

/* An empty one: the client makes it from the device's. */
static void send_cluster(HostSession *session)
{
    TensixWireCluster cluster = { .descriptor = { .data = "" } };

    tensix_wire_put_cluster(&session->out, &cluster);
    answer_frame(session);
}

/*
 * A client may end QEMU only if host-exit=on says so, or as a simulation server
 * (sim_server kill); else its connection.
 */
static void shut_down(HostSession *session)
{
    session->shut_down = session->host->exit || session->host->server;
    session->last = !session->shut_down;
    answer(session, 0, NULL, 0);
}

static void run_clock(HostSession *session)
{
    if (!session->request.address) {
        answer(session, 0, NULL, 0);
        return;
    }
    session->phase = HOST_RUNS;
    tensix_host_run(session->host, &session->waiter, NULL,
                    session->request.address, 0);
}

static void ran(HostWaiter *waiter)
{
    HostSession *session = container_of(waiter, HostSession, waiter);

    answer(session, 0, NULL, 0);
    qemu_bh_schedule(session->bh);
}

static void send_violations(HostSession *session)
{
    char *text = tensix_host_violations_take(&session->host->violations);

    answer(session, 0, text, strlen(text));
}

/* NULL, or why the client does not get one. */
static const char *make_mailbox(HostSession *session)
{
    int files[TENSIX_HOST_MAILBOX_FILES];

    if (session->mailbox) {
        return "this client has a mailbox";
    }
    if (session->host->runs.lockstep) {
        return "no mailbox in lockstep";
    }
    session->mailbox = tensix_host_mailbox_new(session->host);
    if (!session->mailbox) {
        return "no memory or files for a mailbox";
    }
    tensix_host_mailbox_files(session->mailbox, files);
    if (qemu_chr_fe_set_msgfds(&session->chr, files,
                               TENSIX_HOST_MAILBOX_FILES) < 0) {
        tensix_host_mailbox_close(session->mailbox);
        session->mailbox = NULL;
        return "files cannot be passed over this connection";
    }
    return NULL;
}

/* What the client has to know to be as long as ours. */
static void open_mailbox(HostSession *session)
{
    const char *error = make_mailbox(session);
    uint32_t *size;

    if (error) {
        answer_error(session, EOPNOTSUPP, "%s", error);
        return;
    }
    size = g_new(uint32_t, 1);
    stl_le_p(size, sizeof(TensixHostMailbox));
    answer(session, 0, size, sizeof(*size));
}

static const struct {
    uint8_t command;
    bool accesses;                 /* more than the chip's description */
    void (*begin)(HostSession *session);
} commands[] = {
    { TENSIX_WIRE_READ, true, begin_access },
    { TENSIX_WIRE_WRITE, true, begin_access },
    { TENSIX_WIRE_GET_DEVICE_INFO, false, send_device_info },
    { TENSIX_WIRE_GET_CLUSTER_DESCRIPTOR, false, send_cluster },
    { TENSIX_WIRE_SHUTDOWN, false, shut_down },
    { TENSIX_WIRE_CLOCK, true, run_clock },
    { TENSIX_WIRE_STATUS, true, send_violations },
    { TENSIX_WIRE_MAILBOX, false, open_mailbox },
};

static void begin_request(HostSession *session)
{
    TensixWireRequest *r = &session->request;

    if (!tensix_wire_get_request(r, session->in + TENSIX_WIRE_PREFIX,
                                 session->frame - TENSIX_WIRE_PREFIX)) {
        answer_error(session, EBADMSG, "the frame is no request");
        return;
    }
    trace_tensix_host_request(session, r->command, r->x, r->y, r->address,
                              r->size);
    for (unsigned i = 0; i < ARRAY_SIZE(commands); i++) {
        if (commands[i].command == r->command) {
            session->host->accessed |= commands[i].accesses;
            commands[i].begin(session);
            return;
        }
    }
    answer_error(session, ENOSYS, "unknown command %u", r->command);
}

/* --- long writes --- */

static void refuse_long(HostSession *session, unsigned status, char *text)
{
    session->refused = status;
    session->refusal = text;
}

static void begin_long(HostSession *session)
{
    TensixWireRequest *r = &session->request;
    const uint8_t *frame = session->in + TENSIX_WIRE_PREFIX;
    const char *error = NULL;

    session->phase = HOST_TAKES;
    session->lead = session->rest;
    if (!tensix_wire_get_request_start(r, frame,
                                       session->in_used - TENSIX_WIRE_PREFIX,
                                       session->rest - TENSIX_WIRE_PREFIX)) {
        refuse_long(session, EBADMSG, g_strdup("the frame is no request"));
        return;
    }
    trace_tensix_host_request(session, r->command, r->x, r->y, r->address,
                              r->size);
    error = r->command == TENSIX_WIRE_WRITE ? tensix_host_check_request(r)
                                            : "only a write may be so long";
    if (error) {
        refuse_long(session, EINVAL, g_strdup(error));
        return;
    }
    session->host->accessed = true;
    set_access(session, NULL, 0);
    if (r->size) {
        session->lead = (const uint8_t *)r->data.data - session->in;
    }
}

/* Writes what has come of the data; how many bytes. */
static uint32_t take_data(HostSession *session, uint32_t have)
{
    HostAccess *a = &session->access;
    uint32_t before = a->done;
    const char *error;

    a->data = session->in;
    a->room = MIN(have, a->size - a->done);
    error = tensix_host_access_part(session->host, a);
    have = a->done - before;
    if (error) {
        refuse_long(session, EFAULT, tensix_host_describe(&session->request,
                                                          error));
        session->lead = session->rest;
    }
    return have;
}

static void end_long(HostSession *session)
{
    if (session->refused) {
        answer(session, session->refused, session->refusal,
               strlen(session->refusal));
        session->refused = 0;
        session->refusal = NULL;
    } else {
        access_done(session);
    }
}

/* False: more has to come first. */
static bool continue_input(HostSession *session)
{
    uint32_t have = MIN(session->in_used, session->rest);

    if (have == 0) {
        return false;
    }
    if (session->lead) {
        have = MIN(have, session->lead);
        session->lead -= have;
    } else if (session->access.done < session->access.size) {
        have = take_data(session, have);
    }
    session->rest -= have;
    session->in_used -= have;
    memmove(session->in, session->in + have, session->in_used);
    if (session->rest == 0) {
        end_long(session);
    }
    return have > 0 || session->refused;
}

/* --- receiving --- */

static bool set_room(HostSession *session, uint32_t size)
{
    uint8_t *in = g_try_realloc(session->in, size);

    if (!in) {
        return false;
    }
    session->in = in;
    session->in_size = size;
    return true;
}

/* There is no telling where the next frame begins. */
static void give_up(HostSession *session, const char *why)
{
    session->last = true;
    session->frame = session->in_used;
    session->rest = 0;
    answer_error(session, EMSGSIZE, "%s", why);
}

static void find_frame(HostSession *session)
{
    uint32_t length, room;

    if (session->frame || session->rest ||
        session->in_used < TENSIX_WIRE_PREFIX) {
        return;
    }
    if (!tensix_wire_length(session->in, &length)) {
        give_up(session, "the frame is longer than a request can be");
        return;
    }
    length += TENSIX_WIRE_PREFIX;
    if (length > HOST_LONG + START_OF_LONG) {
        session->rest = length;
    } else {
        session->frame = length;
    }
    room = (session->rest ? HOST_PART : length) + AHEAD;
    if (room > session->in_size && !set_room(session, room)) {
        give_up(session, "no memory for the frame");
    }
}

/* Bytes that have to be there for the next step. */
static uint32_t wanted(const HostSession *session)
{
    if (session->rest) {
        return session->phase == HOST_TAKES ? MIN(session->rest, HOST_PART)
                                            : START_OF_LONG;
    }
    return session->frame ?: TENSIX_WIRE_PREFIX;
}

/* Those of them that have yet to come. */
static uint32_t missing(const HostSession *session)
{
    uint32_t want = wanted(session);

    return want > session->in_used ? want - session->in_used : 0;
}

static bool takes_bytes(const HostSession *session)
{
    return session->phase == HOST_RECEIVES || session->phase == HOST_TAKES;
}

static int can_receive(void *opaque)
{
    HostSession *session = opaque;

    if (!takes_bytes(session) || session->disconnected || !missing(session) ||
        !tensix_host_is_ready(session->host)) {
        return 0;
    }
    return session->in_size - session->in_used;
}

/* Takes what a socket has of the frame at hand; its end is for its chardev. */
static void take_more(HostSession *session, int64_t end)
{
    Chardev *chr = qemu_chr_fe_get_driver(&session->chr);
    QIOChannel *ioc = NULL;

    if (object_dynamic_cast(OBJECT(chr), TYPE_CHARDEV_SOCKET)) {
        ioc = SOCKET_CHARDEV(chr)->ioc;
    }
    while (ioc && (session->frame || session->rest) && missing(session) &&
           get_clock() < end) {
        ssize_t n = qio_channel_read(ioc, (char *)session->in +
                                     session->in_used,
                                     MIN(missing(session), SENT_AT_ONCE), NULL);

        if (n <= 0) {
            return;
        }
        session->in_used += n;
    }
}

/* --- sending --- */

static gboolean may_send(void *do_not_use, GIOCondition condition,
                         void *opaque)
{
    HostSession *session = opaque;

    session->watch = 0;
    qemu_bh_schedule(session->bh);
    return G_SOURCE_REMOVE;
}

/* What comes next of the answer. */
static TensixWireBytes unsent(const HostSession *session)
{
    const TensixWireFrame *f = &session->out;
    uint64_t sent = session->sent;
    const uint8_t *data = f->tail.data;

    if (f->tail.size <= HOST_SMALL - TENSIX_WIRE_MAX_HEAD) {
        return (TensixWireBytes) { session->small + sent,
                                   f->head_size + f->tail.size - sent };
    }
    if (sent < f->head_size) {
        return (TensixWireBytes) { f->head + sent, f->head_size - sent };
    }
    sent -= f->head_size;
    return (TensixWireBytes) { data + sent - session->dropped,
                               session->filled - sent };
}

static void drop_frame(HostSession *session)
{
    uint32_t used = session->frame;

    session->in_used -= used;
    memmove(session->in, session->in + used, session->in_used);
    session->frame = 0;
    if (session->in_size > IN_KEPT) {
        set_room(session, 2 * AHEAD);
    }
}

static void answered(HostSession *session)
{
    drop_frame(session);
    if (session->mailbox) {
        tensix_host_mailbox_sent(session->mailbox);
    }
    g_clear_pointer(&session->bytes, g_free);
    session->filled = 0;
    session->phase = HOST_RECEIVES;
    if (session->shut_down) {
        qemu_system_shutdown_request(SHUTDOWN_CAUSE_HOST_QMP_QUIT);
    }
    if (session->last) {
        qemu_chr_fe_disconnect(&session->chr);
    }
}

/* False: the client has to take something first. */
static bool continue_answer(HostSession *session)
{
    TensixWireBytes next = unsent(session);
    int n = qemu_chr_fe_write(&session->chr, next.data,
                              MIN(next.size, SENT_AT_ONCE));

    if (session->disconnected) {
        return false;
    }
    if (n <= 0) {
        session->watch = qemu_chr_fe_add_watch(&session->chr,
                                               G_IO_OUT | G_IO_HUP, may_send,
                                               session);
        if (!session->watch) {     /* a kind of device that drops nothing */
            qemu_chr_fe_disconnect(&session->chr);
        }
        return false;
    }
    session->sent += n;
    if (session->bytes && session->out.tail.size > IN_KEPT &&
        session->out.tail.size <= HOST_LONG) {
        give_back(next.data, n);
    }
    if (session->sent == session->out.head_size + session->out.tail.size) {
        answered(session);
    } else if (session->sent == session->out.head_size + session->filled) {
        fill_answer(session);
    }
    return true;
}

/* --- going on --- */

/* False: nothing more to be done before something else happens. */
static bool step(HostSession *session)
{
    switch (session->phase) {
    case HOST_RECEIVES:
        find_frame(session);
        if (session->phase == HOST_RECEIVES) {
            if (!(session->frame || session->rest) || missing(session)) {
                return false;
            }
            if (session->rest) {
                begin_long(session);
            } else {
                begin_request(session);
            }
        }
        return true;
    case HOST_TAKES:
        return continue_input(session);
    case HOST_ACCESSES:
        continue_access(session);
        return true;
    case HOST_RUNS:
        return false;
    case HOST_ANSWERS:
        return !session->watch && continue_answer(session);
    }
    g_assert_not_reached();
}

static void run_session(HostSession *session, int64_t end)
{
    while (!session->disconnected && step(session)) {
        if (get_clock() > end) {
            qemu_bh_schedule(session->bh);
            return;
        }
    }
}

static void receive(void *opaque, const uint8_t *buf, int size)
{
    HostSession *session = opaque;
    int64_t end = get_clock() + SLICE_NS;

    memcpy(session->in + session->in_used, buf, size);
    session->in_used += size;
    find_frame(session);
    take_more(session, end);
    run_session(session, end);
}

/* --- connection --- */

static void discard(HostSession *session)
{
    if (session->phase == HOST_RUNS) {
        tensix_host_run_cancel(session->host, &session->waiter);
    }
    if (session->watch) {
        g_source_remove(session->watch);
        session->watch = 0;
    }
    g_clear_pointer(&session->bytes, g_free);
    g_clear_pointer(&session->refusal, g_free);
    g_clear_pointer(&session->mailbox, tensix_host_mailbox_close);
    session->refused = 0;
    session->phase = HOST_RECEIVES;
    session->frame = session->in_used = session->rest = session->filled = 0;
    session->last = session->shut_down = session->disconnected = false;
}

static void session_bh(void *opaque)
{
    HostSession *session = opaque;

    if (!session->disconnected) {
        run_session(session, get_clock() + SLICE_NS);
        qemu_chr_fe_accept_input(&session->chr);
        return;
    }
    discard(session);
    if (session->of_listener) {
        tensix_host_drop_session(session);
    }
}

/* Comes from the middle of a write as well: a bottom half cleans up. */
static void event(void *opaque, QEMUChrEvent event)
{
    HostSession *session = opaque;

    if (event == CHR_EVENT_OPENED) {
        discard(session);
        session->open = true;
    } else if (event == CHR_EVENT_CLOSED && session->open) {
        session->open = false;
        session->disconnected = true;
        qemu_bh_schedule(session->bh);
        tensix_host_client_left(session);
    }
}

void tensix_host_session_init(HostSession *session, TensixHostState *s)
{
    session->host = s;
    session->waiter.ran = ran;
    session->held = bitmap_new(tensix_host_harts(s));
    session->bh = qemu_bh_new(session_bh, session);
    session->small = g_malloc(HOST_SMALL);
    session->in_size = 2 * AHEAD;
    session->in = g_malloc(session->in_size);
}

void tensix_host_session_serve(HostSession *session)
{
    qemu_chr_fe_set_handlers(&session->chr, can_receive, receive, event, NULL,
                             session, NULL, true);
}

void tensix_host_session_finish(HostSession *session)
{
    if (session->bh) {
        discard(session);
        qemu_bh_delete(session->bh);
    }
    qemu_chr_fe_deinit(&session->chr, session->of_listener);
    g_free(session->held);
    g_free(session->in);
    g_free(session->small);
}
