/*
 * Bounds: the declared buffers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/clone-visitor.h"
#include "qapi/error.h"
#include "qapi/qapi-visit-tenstorrent-state.h"
#include "qapi/util.h"
#include "qemu/lockable.h"
#include "bounds_internal.h"

enum {
    MOST_BUFFERS = 256,
    MOST_PAGES = 0x7fff,           /* half of what 16 bits can count */
};

static uint64_t end_of(const TensixBuffer *buffer)
{
    return buffer->address + buffer->size;
}

static const TensixBuffer *buffer_at(const TensixBounds *b, unsigned n)
{
    return g_ptr_array_index(b->buffers, n);
}

/* --- searching --- */

bool bounds_is_near(const TensixBounds *b, uint32_t address)
{
    uint32_t zone = address / BOUNDS_ZONE;

    return zone < BOUNDS_L1_ZONES &&
           qatomic_read(&b->near[BIT_WORD(zone)]) & BIT_MASK(zone);
}

unsigned bounds_space_of(const TensixBuffer *buffer)
{
    return buffer->has_bank ? BOUNDS_DRAM + buffer->bank : BOUNDS_L1;
}

const TensixBuffer *bounds_find(const TensixBounds *b, BoundsMatch *matches,
                                const void *what)
{
    for (unsigned n = 0; n < b->buffers->len; n++) {
        if (matches(buffer_at(b, n), what)) {
            return buffer_at(b, n);
        }
    }
    return NULL;
}

static bool has_first_byte(const TensixBuffer *buffer, const void *what)
{
    const BoundsAccess *a = what;

    return a->space == bounds_space_of(buffer) &&
           a->address >= buffer->address && a->address < end_of(buffer);
}

const TensixBuffer *bounds_buffer_at(const TensixBounds *b,
                                     const BoundsAccess *a)
{
    return bounds_find(b, has_first_byte, a);
}

static bool overlaps_end(const TensixBuffer *buffer, const void *what)
{
    const TensixBuffer *other = what;
    uint64_t end = end_of(other);

    return bounds_space_of(buffer) == bounds_space_of(other) &&
           buffer->address < end && end_of(buffer) > end;
}

uint64_t bounds_end(const TensixBounds *b, const TensixBuffer *buffer)
{
    const TensixBuffer *next;

    while ((next = bounds_find(b, overlaps_end, buffer))) {
        buffer = next;
    }
    return end_of(buffer);
}

/* --- declaring --- */

static void mark_near(unsigned long *near, const TensixBuffer *buffer)
{
    uint64_t first = buffer->address / BOUNDS_ZONE;
    uint64_t last = (end_of(buffer) - 1) / BOUNDS_ZONE;

    first -= first > 0;
    last += last < BOUNDS_L1_ZONES - 1;
    bitmap_set(near, first, last - first + 1);
}

/*
 * Threads read b->near without the lock meanwhile: a zone that is near a buffer
 * before and after the change is so in between, too.
 */
static void update_near(TensixBounds *b)
{
    DECLARE_BITMAP(near, BOUNDS_L1_ZONES) = { 0 };

    for (unsigned n = 0; n < b->buffers->len; n++) {
        if (!buffer_at(b, n)->has_bank) {
            mark_near(near, buffer_at(b, n));
        }
    }
    for (unsigned n = 0; n < ARRAY_SIZE(near); n++) {
        qatomic_set(&b->near[n], near[n]);
    }
}

/* What was accessed before cannot be compared with buffers that are new. */
static void buffers_changed(TensixBounds *b)
{
    update_near(b);
    bounds_streams_restart(b);
}

static bool has_name(const TensixBuffer *buffer, const void *name)
{
    return !strcmp(buffer->name, name);
}

static bool remove_name(TensixBounds *b, const char *name)
{
    return g_ptr_array_remove(b->buffers,
                              (gpointer)bounds_find(b, has_name, name));
}

static bool has_stream_of(const TensixBuffer *buffer, const void *what)
{
    const TensixBuffer *other = what;

    return buffer->has_stream && buffer->stream == other->stream &&
           strcmp(buffer->name, other->name);
}

static bool check_circular(const TensixBounds *b, const TensixBuffer *buffer,
                           Error **errp)
{
    const TensixBuffer *other = buffer->has_stream
                                ? bounds_find(b, has_stream_of, buffer) : NULL;

    if (buffer->has_stream != buffer->has_page ||
        (buffer->has_stream && buffer->has_bank) ||
        (buffer->has_stream && (buffer->stream >= TENSIX_STREAMS ||
                                !buffer->page || buffer->size % buffer->page ||
                                buffer->size / buffer->page > MOST_PAGES))) {
        error_setg(errp, "buffer '%s': a circular buffer is in L1 and has a "
                   "stream below %u and 1 to %u whole pages", buffer->name,
                   TENSIX_STREAMS, MOST_PAGES);
        return false;
    }
    if (other) {
        error_setg(errp, "buffer '%s': stream %u counts the pages of '%s'",
                   buffer->name, buffer->stream, other->name);
    }
    return !other;
}

static bool check(const TensixBounds *b, const TensixBuffer *buffer,
                  Error **errp)
{
    uint64_t end = buffer->has_bank ? BOUNDS_BANK_SIZE : TENSIX_L1_SIZE;

    if (!*buffer->name || !buffer->size || buffer->address >= end ||
        buffer->size > end - buffer->address ||
        (buffer->has_bank && buffer->bank >= BOUNDS_BANKS)) {
        error_setg(errp, "buffer '%s': must have a name and bytes that are in "
                   "L1, or in one of %u DRAM banks", buffer->name,
                   BOUNDS_BANKS);
        return false;
    }
    return check_circular(b, buffer, errp);
}

bool tensix_bounds_declare(TensixBounds *b, const TensixBuffer *buffer,
                           Error **errp)
{
    QEMU_LOCK_GUARD(&b->lock);
    if (!check(b, buffer, errp)) {
        return false;
    }
    if (!remove_name(b, buffer->name) && b->buffers->len == MOST_BUFFERS) {
        error_setg(errp, "a tile has %u buffers at most", MOST_BUFFERS);
        return false;
    }
    g_ptr_array_add(b->buffers, QAPI_CLONE(TensixBuffer, buffer));
    buffers_changed(b);
    if (buffer->has_stream) {
        bounds_circular_declared(b, buffer->stream);
    }
    return true;
}

bool tensix_bounds_remove(TensixBounds *b, const char *name)
{
    QEMU_LOCK_GUARD(&b->lock);
    if (!remove_name(b, name)) {
        return false;
    }
    buffers_changed(b);
    return true;
}

TensixBufferList *tensix_bounds_list(TensixBounds *b)
{
    TensixBufferList *list = NULL, **tail = &list;

    QEMU_LOCK_GUARD(&b->lock);
    for (unsigned n = 0; n < b->buffers->len; n++) {
        QAPI_LIST_APPEND(tail, QAPI_CLONE(TensixBuffer, buffer_at(b, n)));
    }
    return list;
}
