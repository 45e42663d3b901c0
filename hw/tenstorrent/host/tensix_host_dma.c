/*
 * The tile's requests to the PCI Express tile, answered by host software.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The same frames in the other direction: the device asks, READ or WRITE with
 * the address that the tile used, and the other side answers in order. There is
 * no time limit: only the request waits for an answer. Not answered are
 * at most the packets that NIUs have under way.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "tensix_host_internal.h"

enum { ANSWER_MAX = TENSIX_NOC_HOST_MAX + 4096 };

/* Asked and not answered yet; request is NULL once it was cancelled. */
typedef struct HostQuestion {
    TensixNocHostRequest *request;
} HostQuestion;

/* --- asking --- */

static void send_more(HostDma *dma);

static gboolean may_send(void *do_not_use, GIOCondition condition,
                         void *opaque)
{
    HostDma *dma = opaque;

    dma->watch = 0;
    send_more(dma);
    return G_SOURCE_REMOVE;
}

static void send_more(HostDma *dma)
{
    int n = 1;

    while (dma->open && !dma->watch && dma->out->len && n > 0) {
        n = qemu_chr_fe_write(&dma->chr, dma->out->data, dma->out->len);
        if (n > 0) {
            g_byte_array_remove_range(dma->out, 0, MIN(n, dma->out->len));
        }
    }
    if (dma->open && n <= 0) {
        dma->watch = qemu_chr_fe_add_watch(&dma->chr, G_IO_OUT | G_IO_HUP,
                                           may_send, dma);
    }
}

static void send_request(HostDma *dma, TensixNocHostRequest *r)
{
    TensixWireRequest request = {
        .command = r->is_write ? TENSIX_WIRE_WRITE : TENSIX_WIRE_READ,
        .address = r->at.addr,
        .size = r->size,
        .data = { .data = r->data, .size = r->is_write ? r->size : 0 },
    };
    HostQuestion *question = g_new(HostQuestion, 1);
    TensixWireFrame frame;

    question->request = r;
    g_queue_push_tail(&dma->asked, question);
    tensix_wire_put_request(&frame, &request);
    g_byte_array_append(dma->out, frame.head, frame.head_size);
    g_byte_array_append(dma->out, frame.tail.data, frame.tail.size);
    send_more(dma);
}

static void start(void *opaque, TensixNocHostRequest *r)
{
    HostDma *dma = opaque;

    if (dma->open) {
        send_request(dma, r);
    } else {
        r->done(r, "no host software is connected (host-dma)");
    }
}

static void cancel(void *opaque, TensixNocHostRequest *r)
{
    HostDma *dma = opaque;

    for (GList *link = dma->asked.head; link; link = link->next) {
        HostQuestion *question = link->data;

        if (question->request == r) {
            question->request = NULL;
        }
    }
}

static const TensixNocHostOps dma_ops = { .start = start, .cancel = cancel };

/* --- answers --- */

static void answered(HostDma *dma, const char *error)
{
    g_autofree HostQuestion *question = g_queue_pop_head(&dma->asked);
    TensixNocHostRequest *r = question->request;

    if (r) {
        r->done(r, error);
    }
    if (g_queue_is_empty(&dma->asked)) {
        tensix_host_dma_is_done(dma->host);
    }
}

static char *refusal(const TensixWireResponse *response)
{
    return g_strdup_printf("the host refused it with status %u%s%.*s",
                           response->status, response->data.size ? ": " : "",
                           (int)MIN(response->data.size, 256),
                           (const char *)response->data.data);
}

static void take_answer(HostDma *dma, const TensixWireResponse *response)
{
    const HostQuestion *question = g_queue_peek_head(&dma->asked);
    TensixNocHostRequest *r = question->request;
    g_autofree char *error = NULL;

    if (response->status) {
        error = refusal(response);
    } else if (r && !r->is_write && response->data.size < r->size) {
        error = g_strdup("the host answered with less data than were asked "
                         "for");
    } else if (r && !r->is_write) {
        memcpy(r->data, response->data.data, r->size);
    }
    answered(dma, error);
}

/* False: this is no answer, and what follows cannot be interpreted. */
static bool take_frame(HostDma *dma, uint32_t length)
{
    TensixWireResponse response;

    if (g_queue_is_empty(&dma->asked) ||
        !tensix_wire_get_response(&response, dma->in->data +
                                  TENSIX_WIRE_PREFIX, length)) {
        return false;
    }
    take_answer(dma, &response);
    g_byte_array_remove_range(dma->in, 0, TENSIX_WIRE_PREFIX + length);
    return true;
}

/* Bytes of the frame at hand without its length; false: none can be so long. */
static bool frame_length(const HostDma *dma, uint32_t *length)
{
    return tensix_wire_length(dma->in->data, length) && *length <= ANSWER_MAX;
}

static void take_frames(HostDma *dma)
{
    bool good = true;
    uint32_t length;

    while (good && dma->open && dma->in->len >= TENSIX_WIRE_PREFIX) {
        good = frame_length(dma, &length);
        if (good && dma->in->len < TENSIX_WIRE_PREFIX + length) {
            return;
        }
        good = good && take_frame(dma, length);
    }
    if (!good) {
        qemu_chr_fe_disconnect(&dma->chr);
    }
}

/*
 * In lockstep an answer takes effect between two runs: when it came must make
 * no difference.
 */
static int can_receive(void *opaque)
{
    HostDma *dma = opaque;

    return dma->open && !tensix_host_runs_in_lockstep(dma->host)
           ? ANSWER_MAX : 0;
}

static void receive(void *opaque, const uint8_t *buf, int size)
{
    HostDma *dma = opaque;

    g_byte_array_append(dma->in, buf, size);
    take_frames(dma);
}

/* --- connection --- */

/* Requests to a peer that has disconnected get no answer. */
static void clean_up(void *opaque)
{
    HostDma *dma = opaque;

    for (unsigned n = g_queue_get_length(&dma->asked); n; n--) {
        answered(dma, "the host has closed the connection");
    }
}

static void discard(HostDma *dma)
{
    g_byte_array_set_size(dma->in, 0);
    g_byte_array_set_size(dma->out, 0);
    if (dma->watch) {
        g_source_remove(dma->watch);
        dma->watch = 0;
    }
}

/* Comes from the middle of a write as well: a bottom half cleans up. */
static void event(void *opaque, QEMUChrEvent event)
{
    HostDma *dma = opaque;

    if (event == CHR_EVENT_OPENED && !dma->open) {
        clean_up(dma);
        discard(dma);
        qemu_bh_cancel(dma->bh);   /* it would be for what is asked now */
        dma->open = true;
    } else if (event == CHR_EVENT_CLOSED && dma->open) {
        dma->open = false;
        qemu_bh_schedule(dma->bh);
    }
}

void tensix_host_dma_init(TensixHostState *s)
{
    HostDma *dma = &s->dma;

    dma->host = s;
    dma->in = g_byte_array_new();
    dma->out = g_byte_array_new();
    dma->bh = qemu_bh_new(clean_up, dma);
    g_queue_init(&dma->asked);
    tensix_noc_set_host(s->noc_port->noc, &dma_ops, dma);
    qemu_chr_fe_set_handlers(&dma->chr, can_receive, receive, event, NULL, dma,
                             NULL, true);
}

void tensix_host_dma_finish(TensixHostState *s)
{
    HostDma *dma = &s->dma;

    dma->open = false;
    clean_up(dma);
    discard(dma);
    tensix_noc_set_host(s->noc_port->noc, NULL, NULL);
    qemu_chr_fe_deinit(&dma->chr, false);
    qemu_bh_delete(dma->bh);
    g_byte_array_unref(dma->in);
    g_byte_array_unref(dma->out);
}
