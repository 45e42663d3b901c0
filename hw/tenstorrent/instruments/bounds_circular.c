/*
 * Bounds: pages of circular buffers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * tt-metal keeps two counters of each circular buffer in registers of an
 * overlay stream: pages received (pushed) and pages acked (popped), both modulo
 * 2^16.  Pages between them are held: full, and the consumer's.  The others are
 * free: the producer's.  Reservations and waits are loads of the counters in a
 * loop and cannot be recognised, so what counts is which page an access is in,
 * and whether its user is the one that pushes or the one that pops.
 */

#include "qemu/osdep.h"
#include "bounds_internal.h"

enum { COUNTS = 1 << 16 };

typedef BoundsCircular Circular;

/* --- producer or consumer, and which pages --- */

/* The hart that an access is made for; a thread of the coprocessor has one. */
static unsigned user_of(const TensixActor *by)
{
    if (!tensix_actor_is_here(by)) {
        return BOUNDS_REMOTE;
    }
    return 1 + (by->kind == TENSIX_BY_INSTRUCTION
                ? TENSIX_HART_TRISC0 + by->thread : by->hart);
}

static bool is_known(const Circular *c)
{
    return c->known[BOUNDS_RECEIVED] && c->known[BOUNDS_ACKED];
}

static uint64_t held_pages(const Circular *c)
{
    return c->count[BOUNDS_RECEIVED] - c->count[BOUNDS_ACKED];
}

static uint64_t pages_of(const TensixBuffer *buffer)
{
    return buffer->size / buffer->page;
}

/* The number of the push that fills, or has filled, a page of the buffer. */
static uint64_t push_of(const Circular *c, const TensixBuffer *buffer,
                        uint64_t page)
{
    uint64_t pages = pages_of(buffer), acked = c->count[BOUNDS_ACKED];

    return acked + (page + pages - acked % pages) % pages;
}

/* --- text --- */

static void append_buffer(GString *text, const TensixBuffer *buffer)
{
    g_string_append_printf(
        text, "%s (L1 0x%" PRIx64 ", %" PRIu64 " pages of %u bytes)",
        buffer->name, buffer->address, pages_of(buffer), buffer->page);
}

static void append_counts(GString *text, const Circular *c)
{
    g_string_append_printf(text, " (%" PRIu64 " pages received, %" PRIu64
                           " acked)", c->count[BOUNDS_RECEIVED],
                           c->count[BOUNDS_ACKED]);
}

static char *page_text(const Circular *c, const TensixBuffer *buffer,
                       const BoundsAccess *a, uint64_t page)
{
    GString *text = g_string_new(NULL);

    bounds_append_access(text, a);
    g_string_append_printf(text, " page %" PRIu64 " of ", page);
    append_buffer(text, buffer);
    g_string_append(text, a->writes ? ", which is not acked"
                                    : ", which is not received");
    append_counts(text, c);
    return g_string_free(text, false);
}

static char *count_text(const Circular *c, const TensixBuffer *buffer,
                        BoundsCount which, unsigned delta)
{
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "%s %u page%s of ",
                           which == BOUNDS_RECEIVED ? "pushes" : "pops", delta,
                           delta == 1 ? "" : "s");
    append_buffer(text, buffer);
    g_string_append_printf(text, which == BOUNDS_RECEIVED
                           ? ", which has space for %" PRIu64
                           : ", which holds %" PRIu64,
                           which == BOUNDS_RECEIVED
                           ? pages_of(buffer) - held_pages(c) : held_pages(c));
    append_counts(text, c);
    return g_string_free(text, false);
}

static char *left_text(const Circular *c, const TensixBuffer *buffer,
                       BoundsCount which)
{
    GString *text = g_string_new(NULL);
    uint64_t pages = c->used[which] - c->count[which];

    append_buffer(text, buffer);
    g_string_append_printf(text, ": %" PRIu64 " page%s %s", pages,
                           pages == 1 ? "" : "s",
                           which == BOUNDS_RECEIVED
                           ? "written and not pushed" : "read and not popped");
    append_counts(text, c);
    return g_string_free(text, false);
}

/* --- accesses --- */

typedef struct Byte {
    uint64_t address;
    const TensixBuffer *of;        /* and perhaps of another one */
} Byte;

static bool is_circular_at(const TensixBuffer *buffer, const void *what)
{
    const Byte *byte = what;

    return buffer != byte->of && buffer->has_stream &&
           byte->address >= buffer->address &&
           byte->address - buffer->address < buffer->size;
}

/* The only circular buffer that has this byte: some share memory in turn. */
static const TensixBuffer *circular_at(const TensixBounds *b, uint64_t address)
{
    Byte byte = { .address = address };

    byte.of = bounds_find(b, is_circular_at, &byte);
    return bounds_find(b, is_circular_at, &byte) ? NULL : byte.of;
}

static void record_use(Circular *c, BoundsCount which, uint64_t push,
                         const TensixActor *by)
{
    if (push >= c->used[which]) {
        c->used[which] = push + 1;
        c->used_by[which] = *by;
    }
}

/* A page with data, which the producer must not write. */
static bool check_held(Circular *c, const BoundsAccess *a, uint64_t push)
{
    unsigned user = user_of(a->by);
    bool produces = user == c->user[BOUNDS_RECEIVED];
    bool consumes = user == c->user[BOUNDS_ACKED];

    if (!a->writes && consumes) {
        record_use(c, BOUNDS_ACKED, push, a->by);
    }
    return !a->writes || !produces || consumes;
}

/* A page without data, which the consumer must not read. */
static bool check_free(Circular *c, const BoundsAccess *a, uint64_t push)
{
    unsigned user = user_of(a->by);
    bool produces = user == c->user[BOUNDS_RECEIVED];

    if (a->writes) {
        record_use(c, BOUNDS_RECEIVED, push, a->by);
    }
    return a->writes || produces || user != c->user[BOUNDS_ACKED];
}

/* A user that has not pushed or popped yet may turn out to be the consumer. */
static void record_early(Circular *c, const TensixBuffer *buffer,
                           const BoundsAccess *a, uint64_t page)
{
    unsigned user = user_of(a->by);

    if (!a->writes && !c->user[BOUNDS_ACKED] && !c->early[user].text) {
        c->early[user].by = *a->by;
        c->early[user].text = page_text(c, buffer, a, page);
    }
}

static char *check_page(Circular *c, const TensixBuffer *buffer,
                        const BoundsAccess *a, uint64_t page)
{
    uint64_t push = push_of(c, buffer, page);

    if (push < c->count[BOUNDS_RECEIVED]) {
        return check_held(c, a, push) ? NULL : page_text(c, buffer, a, page);
    }
    record_early(c, buffer, a, page);
    return check_free(c, a, push) ? NULL : page_text(c, buffer, a, page);
}

char *bounds_check_pages(TensixBounds *b, const BoundsAccess *a)
{
    const TensixBuffer *buffer = a->space == BOUNDS_L1
                                 ? circular_at(b, a->address) : NULL;
    Circular *c = buffer ? &b->circular[buffer->stream] : NULL;
    char *text = NULL;
    uint64_t page, last;

    if (!c || !is_known(c)) {
        return NULL;
    }
    page = (a->address - buffer->address) / buffer->page;
    last = MIN((a->address + a->size - 1 - buffer->address) / buffer->page,
               pages_of(buffer) - 1);
    for (; page <= last && !text; page++) {
        text = check_page(c, buffer, a, page);
    }
    return text;
}

/* --- counters --- */

static bool is_counted_by(const TensixBuffer *buffer, const void *what)
{
    const unsigned *stream = what;

    return buffer->has_stream && buffer->stream == *stream;
}

static const TensixBuffer *buffer_of(const TensixBounds *b, unsigned stream)
{
    return bounds_find(b, is_counted_by, &stream);
}

static void add_finding(GArray *findings, const TensixActor *by, char *text)
{
    BoundsFinding finding = { .by = *by, .text = text };

    g_array_append_val(findings, finding);
}

static bool is_left(const Circular *c, BoundsCount which)
{
    return is_known(c) && c->count[which] && c->used[which] > c->count[which];
}

static void find_left(const Circular *c, const TensixBuffer *buffer,
                      GArray *findings)
{
    for (unsigned which = 0; which < BOUNDS_COUNTS; which++) {
        if (is_left(c, which)) {
            add_finding(findings, &c->used_by[which],
                        left_text(c, buffer, which));
        }
    }
}

static void drop_uses(Circular *c)
{
    for (unsigned n = 0; n < BOUNDS_USERS; n++) {
        g_clear_pointer(&c->early[n].text, g_free);
    }
    memset(c->used, 0, sizeof(c->used));
    memset(c->user, 0, sizeof(c->user));
}

/*
 * A counter is set to 0, as firmware does between kernels; the other one is not
 * known before that is done to it, too.
 */
static void begin_again(Circular *c, BoundsCount which)
{
    drop_uses(c);
    c->count[which] = 0;
    c->known[which] = true;
    if (c->count[!which]) {
        c->known[!which] = false;
    }
}

/* Does the store count pages, and not begin again or err? */
static bool is_possible(const Circular *c, const TensixBuffer *buffer,
                        BoundsCount which, unsigned delta)
{
    return which == BOUNDS_RECEIVED
           ? held_pages(c) + delta <= pages_of(buffer)
           : delta <= held_pages(c);
}

/* The first pop identifies the consumer. */
static void find_early(Circular *c, GArray *findings)
{
    BoundsFinding *early = &c->early[c->user[BOUNDS_ACKED]];

    if (early->text && c->user[BOUNDS_RECEIVED] != c->user[BOUNDS_ACKED]) {
        add_finding(findings, &early->by, g_steal_pointer(&early->text));
    }
}

static void count_pages(Circular *c, const TensixBuffer *buffer,
                        BoundsCount which, unsigned delta,
                        const TensixActor *by, GArray *findings)
{
    if (!is_possible(c, buffer, which, delta)) {
        add_finding(findings, by, count_text(c, buffer, which, delta));
        c->known[which] = false;   /* what follows would follow from it */
        return;
    }
    c->count[which] += delta;
    if (delta) {
        c->user[which] = user_of(by);
        find_early(c, findings);
    }
}

static bool is_program(const TensixActor *by)
{
    return by->kind == TENSIX_BY_INSTRUCTION || by->kind == TENSIX_BY_HART ||
           by->kind == TENSIX_BY_NOC || by->kind == TENSIX_BY_TDMA;
}

void bounds_count_pages(TensixBounds *b, unsigned stream, BoundsCount which,
                        uint32_t value, const TensixActor *by,
                        GArray *findings)
{
    const TensixBuffer *buffer = buffer_of(b, stream);
    Circular *c = &b->circular[stream];
    unsigned delta = (value - c->count[which]) % COUNTS;
    bool counts = buffer && is_known(c) && is_program(by);

    if (value % COUNTS == 0 &&
        !(counts && is_possible(c, buffer, which, delta))) {
        if (counts) {
            find_left(c, buffer, findings);
        }
        begin_again(c, which);
    } else if (counts) {
        count_pages(c, buffer, which, delta, by, findings);
    } else if (is_program(by)) {
        c->count[which] += delta;
    } else {
        c->known[which] = false;
    }
}

void bounds_find_left(TensixBounds *b, GArray *findings)
{
    for (unsigned n = 0; n < TENSIX_STREAMS; n++) {
        const TensixBuffer *buffer = buffer_of(b, n);

        if (buffer) {
            find_left(&b->circular[n], buffer, findings);
        }
    }
}

/* --- life cycle --- */

void bounds_circular_restart(TensixBounds *b, bool known)
{
    for (unsigned n = 0; n < TENSIX_STREAMS; n++) {
        Circular *c = &b->circular[n];

        drop_uses(c);
        memset(c->count, 0, sizeof(c->count));
        c->known[BOUNDS_RECEIVED] = c->known[BOUNDS_ACKED] = known;
    }
}

void bounds_circular_declared(TensixBounds *b, unsigned stream)
{
    drop_uses(&b->circular[stream]);
}
