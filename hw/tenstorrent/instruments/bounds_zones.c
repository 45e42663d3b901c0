/*
 * Bounds: accesses that run out of a buffer or continue in its red zone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory next to a buffer may belong to the program, so an access there counts
 * only if it continues what the same stream has done in the buffer: the same
 * hart, unit's instruction or NoC channel, in the same direction; or the same
 * instruction of a hart, whose steps through an array other accesses interrupt.
 */

#include "qemu/osdep.h"
#include "bounds_internal.h"

enum { MOST_STREAMS = 1 << 14 };

typedef struct BoundsStream {
    uint64_t key;                  /* first: the search's key */
    const TensixBuffer *buffer;    /* of the latest access; NULL: none */
    uint64_t address;
    int64_t step;                  /* from the access before; 0: not known */
    uint32_t size;
} BoundsStream;

/* --- streams --- */

static uint64_t key_of(const BoundsAccess *a, bool has_pc, uint32_t what)
{
    uint32_t who = (uint32_t)a->space << 12 | a->by->kind << 8 |
                   a->by->hart << 4 | a->by->channel;

    return (uint64_t)(who << 2 | a->writes << 1 | has_pc) << 32 | what;
}

/* An instruction's: thread, opcode and the bit that chooses an unpacker. */
static uint64_t agent_key(const BoundsAccess *a)
{
    return key_of(a, false, a->by->kind == TENSIX_BY_INSTRUCTION
                            ? a->by->thread << 9 | a->by->word >> 23 : 0);
}

static uint64_t site_key(const BoundsAccess *a)
{
    return a->by->kind == TENSIX_BY_INSTRUCTION ? agent_key(a)
                                                : key_of(a, true, a->by->pc);
}

static BoundsStream *stream_of(TensixBounds *b, uint64_t key)
{
    BoundsStream *s = g_hash_table_lookup(b->streams, &key);

    if (!s) {
        s = g_new0(BoundsStream, 1);
        s->key = key;
        g_hash_table_add(b->streams, s);
    }
    return s;
}

/* A hart's access may be posted twice, and the same place may be polled. */
static void record_access(BoundsStream *s, const BoundsAccess *a,
                     const TensixBuffer *buffer)
{
    if (s->buffer == buffer && s->address == a->address &&
        s->size == a->size) {
        return;
    }
    s->step = s->buffer == buffer ? a->address - s->address : 0;
    s->buffer = buffer;
    s->address = a->address;
    s->size = a->size;
}

/* --- red zones --- */

static bool in_zone(const TensixBuffer *buffer, uint64_t address)
{
    uint64_t end = buffer->address + buffer->size;

    return address < buffer->address
           ? buffer->address - address <= BOUNDS_ZONE
           : address >= end && address - end < BOUNDS_ZONE;
}

/* Streams end when a buffer is removed, so theirs is still declared. */
static bool continues(const BoundsStream *s, const BoundsAccess *a)
{
    return s->buffer && in_zone(s->buffer, a->address) &&
           (a->address == s->address + s->size ||
            a->address + a->size == s->address ||
            (s->step && a->address - s->address == s->step));
}

/* The buffer whose stream this access outside of all buffers continues. */
static const TensixBuffer *left_buffer(BoundsStream *const streams[2],
                                       const BoundsAccess *a)
{
    return continues(streams[0], a) ? streams[0]->buffer
           : continues(streams[1], a) ? streams[1]->buffer : NULL;
}

/* --- text --- */

static const char *const agents[TENSIX_AGENTS] = {
    [TENSIX_BY_NOC] = "the NoC ",
    [TENSIX_BY_TDMA] = "TDMA ",
};

void bounds_append_access(GString *text, const BoundsAccess *a)
{
    g_string_append_printf(text, "%s%s %u byte%s", agents[a->by->kind] ?: "",
                           a->writes ? "writes" : "reads", a->size,
                           a->size == 1 ? "" : "s");
}

/* " at offset 0xff0 of out (L1 0x20000, 4096 bytes)" */
static void append_place(GString *text, const BoundsAccess *a,
                         const TensixBuffer *buffer)
{
    bool before = a->address < buffer->address;
    g_autofree char *where = buffer->has_bank
                             ? g_strdup_printf("DRAM bank %u", buffer->bank)
                             : g_strdup("L1");

    g_string_append_printf(
        text, " at offset %s0x%" PRIx64 " of %s (%s 0x%" PRIx64 ", %" PRIu64
        " bytes)", before ? "-" : "",
        before ? buffer->address - a->address : a->address - buffer->address,
        buffer->name, where, buffer->address, buffer->size);
}

static char *text_of(const BoundsAccess *a, const TensixBuffer *buffer,
                     uint64_t end)
{
    GString *text = g_string_new(NULL);

    bounds_append_access(text, a);
    append_place(text, a, buffer);
    if (a->address < buffer->address) {
        g_string_append(text, ", before its start");
    } else if (a->address >= end) {
        g_string_append(text, ", past its end");
    } else {
        g_string_append_printf(text, ", the last %" PRIu64 " past its end",
                               a->address + a->size - end);
    }
    if (a->space != BOUNDS_L1) {
        g_string_append_printf(text, "; NIU %u, transaction ID %u", a->noc,
                               a->id);
    }
    return g_string_free(text, false);
}

/* --- checks --- */

char *bounds_check_zones(TensixBounds *b, const BoundsAccess *a)
{
    const TensixBuffer *in = bounds_buffer_at(b, a), *left;
    uint64_t end = in ? bounds_end(b, in) : 0;
    BoundsStream *streams[2];

    if (g_hash_table_size(b->streams) > MOST_STREAMS) {
        bounds_streams_restart(b);
    }
    streams[0] = stream_of(b, agent_key(a));
    streams[1] = stream_of(b, site_key(a));
    left = in ? NULL : left_buffer(streams, a);
    record_access(streams[0], a, in ?: left);
    record_access(streams[1], a, in ?: left);
    if (left) {
        return text_of(a, left, left->address + left->size);
    }
    return in && a->address + a->size > end ? text_of(a, in, end) : NULL;
}

/* --- life cycle --- */

void bounds_streams_init(TensixBounds *b)
{
    b->streams = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                       NULL);
}

void bounds_streams_restart(TensixBounds *b)
{
    g_hash_table_remove_all(b->streams);
}

void bounds_streams_finish(TensixBounds *b)
{
    g_hash_table_destroy(b->streams);
}
