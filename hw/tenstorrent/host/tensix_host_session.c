/*
 * A client of tensix-host: its requests one after the other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All happens in steps of some microseconds; after SLICE_NS of them the main
 * loop gets its turn.  The character device hands over 4 KiB at a time, so the
 * rest of a long frame is taken from a socket's channel directly.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/madvise.h"
#include "chardev/char-socket.h"
#include "system/runstate.h"
#include "tensix_host_internal.h"
#include "../trace.h"

#define SLICE_NS (1 * SCALE_MS)

enum {
    /* What is taken at a time, beyond the frame at hand */
    AHEAD = 4096,
    IN_KEPT = 4 << 20,             /* buffer kept for the next request */
    SENT_AT_ONCE = 1 << 20,
    /* The longest frame that may end: tt-umd has writes of up to 1 GiB */
    SKIPPED_MAX = (1 << 30) + 4096,
    /* What a hart that is released executes before the write is answered */
    RELEASED_INSNS = 4096,
    RELEASED_NS = 200 * SCALE_MS,  /* one without a program executes slowly */
    ARCH_BLACKHOLE = 3,            /* tt-umd: api/umd/device/types/arch.hpp */
    BACKEND_TTSIM = 0,
};

/*
 * Bytes that nobody needs any more of a long buffer: to free all of it at once
 * would take the kernel some 20 ms.
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
    session->sent = 0;
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

static uint32_t held_harts(const TensixHostState *s)
{
    uint32_t mask = 0;

    for (unsigned i = 0; i < TENSIX_NUM_HARTS; i++) {
        mask |= tensix_hart_is_held(s->hart[i]) << i;
    }
    return mask;
}

static const char too_long[] = "more than 64 MiB";

/* NULL, or why there cannot be such an access */
static const char *check_access(const TensixWireRequest *r)
{
    if (r->size > TENSIX_WIRE_MAX_DATA) {
        return too_long;
    }
    if (r->command == TENSIX_WIRE_WRITE && r->data.size < r->size) {
        return "less data than its size says";
    }
    if (r->x >= TENSIX_NOC_COORDINATES || r->y >= TENSIX_NOC_COORDINATES) {
        return "coordinates beyond 63";
    }
    if (r->size && r->address > UINT64_MAX - (r->size - 1)) {
        return "beyond the end of the address space";
    }
    return NULL;
}

static void begin_access(HostSession *session)
{
    const TensixWireRequest *r = &session->request;
    const char *error = check_access(r);
    bool is_write = r->command == TENSIX_WIRE_WRITE;

    if (!error && !is_write) {
        session->bytes = g_try_malloc(MAX(r->size, 1));
        error = session->bytes ? NULL : "no memory for the answer";
    }
    if (error) {
        answer_error(session, EINVAL, "%s", error);
        return;
    }
    session->access = (HostAccess) {
        .at = { .x = r->x, .y = r->y, .addr = r->address },
        .data = is_write ? (uint8_t *)r->data.data : session->bytes,
        .size = r->size, .is_write = is_write,
    };
    session->held = held_harts(session->host);
    session->phase = HOST_ACCESSES;
}

static void access_failed(HostSession *session, const char *error)
{
    const TensixWireRequest *r = &session->request;

    answer_error(session, EFAULT, "%s of %u bytes at (%u,%u) 0x%" PRIx64 ": %s",
                 session->access.is_write ? "write" : "read", r->size, r->x,
                 r->y, r->address, error);
}

/* Host software takes it that what it released has begun. */
static void access_done(HostSession *session)
{
    const HostAccess *a = &session->access;
    uint32_t released = session->held & ~held_harts(session->host);

    if (a->is_write && a->at.addr >= HOST_MMIO_BASE &&
        tensix_noc_is_own(session->host->noc, a->at)) {
        tensix_host_settle(session->host);
    }
    if (!a->is_write) {
        answer(session, 0, session->bytes, a->size);
    } else if (released) {
        session->phase = HOST_RUNS;
        tensix_host_run(session, released, RELEASED_INSNS, RELEASED_NS);
    } else {
        answer(session, 0, NULL, 0);
    }
}

static void go_on_accessing(HostSession *session)
{
    HostAccess *a = &session->access;
    uint32_t before = a->done;
    const char *error = NULL;

    if (a->done < a->size) {
        error = tensix_host_access_part(session->host, a);
    }
    if (a->is_write && a->size > IN_KEPT) {
        give_back(a->data + before, a->done - before);
    }
    if (error) {
        access_failed(session, error);
    } else if (a->done == a->size) {
        access_done(session);
    }
}

static void tell_device_info(HostSession *session)
{
    const char *text = session->host->soc_descriptor;
    TensixWireDeviceInfo info = {
        .arch = ARCH_BLACKHOLE,
        .backend_type = BACKEND_TTSIM,
        .noc_translation_enabled = true,
        .soc_descriptor = { .data = text, .size = strlen(text) },
    };

    tensix_wire_put_device_info(&session->out, &info);
    answer_frame(session);
}

/* An empty one: the client makes it from the device's. */
static void tell_cluster(HostSession *session)
{
    TensixWireCluster cluster = { .descriptor = { .data = "" } };

    tensix_wire_put_cluster(&session->out, &cluster);
    answer_frame(session);
}

static void shut_down(HostSession *session)
{
    session->shut_down = true;
    answer(session, 0, NULL, 0);
}

static void run_clock(HostSession *session)
{
    if (!session->request.address) {
        answer(session, 0, NULL, 0);
        return;
    }
    session->phase = HOST_RUNS;
    tensix_host_run(session, TENSIX_MASK_HARTS, session->request.address, 0);
}

void tensix_host_session_ran(HostSession *session, const char *error)
{
    if (error) {
        answer_error(session, EAGAIN, "%s", error);
    } else {
        answer(session, 0, NULL, 0);
    }
    qemu_bh_schedule(session->bh);
}

static void tell_violations(HostSession *session)
{
    char *text = tensix_host_violations_take(&session->host->violations,
                                             session->host->reporter->sources);

    answer(session, 0, text, strlen(text));
}

static const struct {
    uint8_t command;
    void (*begin)(HostSession *session);
} commands[] = {
    { TENSIX_WIRE_READ, begin_access },
    { TENSIX_WIRE_WRITE, begin_access },
    { TENSIX_WIRE_GET_DEVICE_INFO, tell_device_info },
    { TENSIX_WIRE_GET_CLUSTER_DESCRIPTOR, tell_cluster },
    { TENSIX_WIRE_SHUTDOWN, shut_down },
    { TENSIX_WIRE_CLOCK, run_clock },
    { TENSIX_WIRE_STATUS, tell_violations },
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
            commands[i].begin(session);
            return;
        }
    }
    answer_error(session, ENOSYS, "unknown command %u", r->command);
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
    answer_error(session, EMSGSIZE, "%s", why);
}

/* Of a frame that is too long only the last bytes are a frame to be answered. */
static void skip(HostSession *session)
{
    if (session->skipped > session->in_used) {
        session->skipped -= session->in_used;
        session->in_used = 0;
    } else {
        session->frame = session->skipped;
        session->skipped = 0;
        answer_error(session, EMSGSIZE, "%s", too_long);
    }
}

static void find_frame(HostSession *session)
{
    uint32_t length;

    if (session->skipped) {
        skip(session);
        return;
    }
    if (session->frame || session->in_used < TENSIX_WIRE_PREFIX) {
        return;
    }
    if (!tensix_wire_length(session->in, &length)) {
        if (length > SKIPPED_MAX) {
            give_up(session, "the frame is longer than a request can be");
        } else {
            session->skipped = TENSIX_WIRE_PREFIX + length;
            skip(session);
        }
        return;
    }
    session->frame = TENSIX_WIRE_PREFIX + length;
    if (session->frame + AHEAD > session->in_size &&
        !set_room(session, session->frame + AHEAD)) {
        give_up(session, "no memory for the frame");
    }
}

/* Bytes of the frame that have yet to come, as far as its length is known. */
static uint32_t missing(const HostSession *session)
{
    uint32_t want = session->frame ?: TENSIX_WIRE_PREFIX;

    return want > session->in_used ? want - session->in_used : 0;
}

static int can_receive(void *opaque)
{
    HostSession *session = opaque;

    if (session->phase != HOST_RECEIVES || session->gone ||
        !missing(session) || !tensix_host_is_ready(session->host)) {
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
    while (ioc && session->frame && missing(session) && get_clock() < end) {
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

    if (f->tail.size <= HOST_SMALL - TENSIX_WIRE_MAX_HEAD) {
        return (TensixWireBytes) { session->small + sent,
                                   f->head_size + f->tail.size - sent };
    }
    if (sent < f->head_size) {
        return (TensixWireBytes) { f->head + sent, f->head_size - sent };
    }
    sent -= f->head_size;
    return (TensixWireBytes) { (const uint8_t *)f->tail.data + sent,
                               f->tail.size - sent };
}

static void drop_frame(HostSession *session)
{
    /* One for which there was no memory has not been received */
    uint32_t used = MIN(session->frame ?: UINT32_MAX, session->in_used);

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
    g_clear_pointer(&session->bytes, g_free);
    session->phase = HOST_RECEIVES;
    if (session->shut_down) {
        qemu_system_shutdown_request(SHUTDOWN_CAUSE_HOST_QMP_QUIT);
    }
    if (session->last) {
        qemu_chr_fe_disconnect(&session->chr);
    }
}

/* False: the client has to take something first. */
static bool go_on_answering(HostSession *session)
{
    TensixWireBytes next = unsent(session);
    int n = qemu_chr_fe_write(&session->chr, next.data,
                              MIN(next.size, SENT_AT_ONCE));

    if (session->gone) {
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
    if (session->bytes && session->out.tail.size > IN_KEPT) {
        give_back(next.data, n);
    }
    if (session->sent == session->out.head_size + session->out.tail.size) {
        answered(session);
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
            if (!session->frame || missing(session)) {
                return false;
            }
            begin_request(session);
        }
        return true;
    case HOST_ACCESSES:
        go_on_accessing(session);
        return true;
    case HOST_RUNS:
        return false;
    case HOST_ANSWERS:
        return !session->watch && go_on_answering(session);
    }
    g_assert_not_reached();
}

static void go_on(HostSession *session, int64_t end)
{
    while (!session->gone && step(session)) {
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
    go_on(session, end);
}

/* --- connection --- */

static void forget(HostSession *session)
{
    if (session->phase == HOST_RUNS) {
        tensix_host_run_cancel(session);
    }
    if (session->watch) {
        g_source_remove(session->watch);
        session->watch = 0;
    }
    g_clear_pointer(&session->bytes, g_free);
    session->phase = HOST_RECEIVES;
    session->frame = session->in_used = session->skipped = 0;
    session->last = session->shut_down = session->gone = false;
}

static void session_bh(void *opaque)
{
    HostSession *session = opaque;

    if (!session->gone) {
        go_on(session, get_clock() + SLICE_NS);
        qemu_chr_fe_accept_input(&session->chr);
        return;
    }
    forget(session);
    if (session->of_listener) {
        tensix_host_drop_session(session);
    }
}

/* Comes from the middle of a write as well: a bottom half cleans up. */
static void event(void *opaque, QEMUChrEvent event)
{
    HostSession *session = opaque;

    if (event == CHR_EVENT_OPENED) {
        forget(session);
        session->open = true;
    } else if (event == CHR_EVENT_CLOSED && session->open) {
        session->open = false;
        session->gone = true;
        qemu_bh_schedule(session->bh);
        tensix_host_client_gone(session->host);
    }
}

void tensix_host_session_init(HostSession *session, TensixHostState *s)
{
    session->host = s;
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
        forget(session);
        qemu_bh_delete(session->bh);
    }
    qemu_chr_fe_deinit(&session->chr, session->of_listener);
    g_free(session->in);
    g_free(session->small);
}
