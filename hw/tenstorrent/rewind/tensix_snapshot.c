/*
 * A snapshot of the machine in memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "exec/cpu-common.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "io/channel-buffer.h"
#include "migration/global_state.h"
#include "migration/qemu-file.h"
#include "migration/savevm.h"
#include "tensix_snapshot.h"

enum { PAGE = 4096 };

typedef struct Page {
    unsigned users;
    uint8_t data[PAGE];
} Page;

/* --- pages --- */

static Page *page_at(const GPtrArray *pages, guint i)
{
    return pages && i < pages->len ? g_ptr_array_index(pages, i) : NULL;
}

/* The last page of some bytes is filled up with zeroes. */
static Page *make_page(const uint8_t *data, size_t size)
{
    Page *page = g_new0(Page, 1);

    page->users = 1;
    memcpy(page->data, data, size);
    return page;
}

static bool page_holds(const Page *page, const uint8_t *data, size_t size)
{
    return page && !memcmp(page->data, data, size) &&
           (size == PAGE || buffer_is_zero(page->data + size, PAGE - size));
}

static size_t append_pages(GPtrArray *pages, const GPtrArray *like,
                           const uint8_t *data, size_t size)
{
    size_t made = 0;

    for (size_t at = 0; at < size; at += PAGE) {
        size_t n = MIN(size - at, PAGE);
        Page *page = page_at(like, pages->len);

        if (page_holds(page, data + at, n)) {
            page->users++;
        } else {
            page = make_page(data + at, n);
            made += sizeof(Page);
        }
        g_ptr_array_add(pages, page);
    }
    return made;
}

static size_t drop_pages(GPtrArray *pages)
{
    size_t freed = 0;

    for (guint i = 0; i < pages->len; i++) {
        Page *page = page_at(pages, i);

        if (!--page->users) {
            freed += sizeof(Page);
            g_free(page);
        }
    }
    g_ptr_array_free(pages, true);
    return freed;
}

/* --- memory --- */

/*
 * Of what belongs to the machine: a user may add and delete a memory backend,
 * which no device uses, and blocks are ordered by their size.
 */
typedef struct MemoryCopy {
    GPtrArray *pages;
    const GPtrArray *like;
    guint next;
    size_t made;
} MemoryCopy;

static int save_block(RAMBlock *block, void *opaque)
{
    MemoryCopy *copy = opaque;

    if (qemu_ram_is_migratable(block)) {
        copy->made += append_pages(copy->pages, copy->like,
                                   qemu_ram_get_host_addr(block),
                                   qemu_ram_get_used_length(block));
    }
    return 0;
}

/*
 * Only what differs: pages that are the same stay as clean as they were, and
 * what was translated from them is executed again.
 */
static int load_block(RAMBlock *block, void *opaque)
{
    MemoryCopy *copy = opaque;
    uint8_t *data = qemu_ram_get_host_addr(block);
    size_t size = qemu_ram_is_migratable(block)
                  ? qemu_ram_get_used_length(block) : 0;
    ram_addr_t start = memory_region_get_ram_addr(block->mr);

    for (size_t at = 0; at < size; at += PAGE) {
        const Page *page = page_at(copy->pages, copy->next++);
        size_t n = MIN(size - at, PAGE);

        if (page && memcmp(data + at, page->data, n)) {
            memcpy(data + at, page->data, n);
            tensix_axis_discard_code(start + at, n);
            memory_region_set_dirty(block->mr, at, n);
        }
    }
    return 0;
}

/* --- devices --- */

static size_t save_devices(TensixSnapshot *s, const GPtrArray *like)
{
    QIOChannelBuffer *buffer = qio_channel_buffer_new(0);
    QEMUFile *file = qemu_file_new_output(QIO_CHANNEL(buffer));
    bool saved;
    size_t made;

    global_state_store_running();
    saved = qemu_save_device_state(file) >= 0 && qemu_fflush(file) >= 0;
    assert(saved);                 /* no device's pre_save fails */
    s->devices_size = buffer->usage;
    made = append_pages(s->devices, like, buffer->data, buffer->usage);
    qemu_fclose(file);
    object_unref(OBJECT(buffer));
    return made;
}

static QIOChannelBuffer *joined_devices(const TensixSnapshot *s)
{
    QIOChannelBuffer *buffer = qio_channel_buffer_new(s->devices->len * PAGE);

    for (guint i = 0; i < s->devices->len; i++) {
        memcpy(buffer->data + i * PAGE, page_at(s->devices, i)->data, PAGE);
    }
    buffer->usage = s->devices_size;
    return buffer;
}

static bool load_devices(const TensixSnapshot *s)
{
    QIOChannelBuffer *buffer = joined_devices(s);
    QEMUFile *file = qemu_file_new_input(QIO_CHANNEL(buffer));
    bool loaded;

    qemu_get_be32(file);           /* magic */
    qemu_get_be32(file);           /* version */
    keep_code_at_load(true);
    loaded = load_device_state(file) >= 0;
    keep_code_at_load(false);
    qemu_fclose(file);
    object_unref(OBJECT(buffer));
    return loaded;
}

/* --- the host's clock --- */

/*
 * Section "timer" begins with two offsets to clocks of the host and a zero
 * between them (cpu-timers.c), which no snapshot has in common with another.
 */
typedef struct HostClock {
    size_t begin, end;
} HostClock;

static HostClock find_host_clock(const QIOChannelBuffer *buffer)
{
    static const char name[] = "\5timer";      /* with its length */
    enum { NAME = 6, NUMBERS = 8, OFFSETS = 24 };
    const uint8_t *at = memmem(buffer->data, buffer->usage, name, NAME);
    size_t begin;

    if (!at) {
        return (HostClock) { };
    }
    begin = at - buffer->data + NAME + NUMBERS;
    return (HostClock) { begin, MIN(begin + OFFSETS, buffer->usage) };
}

static QIOChannelBuffer *comparable_devices(const TensixSnapshot *s)
{
    QIOChannelBuffer *buffer = joined_devices(s);
    HostClock clock = find_host_clock(buffer);

    memset(buffer->data + clock.begin, 0, clock.end - clock.begin);
    return buffer;
}

static bool devices_equal(const TensixSnapshot *s, const TensixSnapshot *t)
{
    g_autoptr(QIOChannelBuffer) a = comparable_devices(s);
    g_autoptr(QIOChannelBuffer) b = comparable_devices(t);

    return a->usage == b->usage && !memcmp(a->data, b->data, a->usage);
}

static bool memory_equal(const TensixSnapshot *s, const TensixSnapshot *t)
{
    for (guint i = 0; i < s->memory->len; i++) {
        const Page *a = page_at(s->memory, i), *b = page_at(t->memory, i);

        if (a != b && (!b || memcmp(a->data, b->data, PAGE))) {
            return false;
        }
    }
    return s->memory->len == t->memory->len;
}

bool tensix_snapshot_equal(const TensixSnapshot *s, const TensixSnapshot *t)
{
    return s->place == t->place && memory_equal(s, t) && devices_equal(s, t);
}

char *tensix_snapshot_digest(const TensixSnapshot *s)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autoptr(QIOChannelBuffer) devices = comparable_devices(s);

    g_checksum_update(sum, devices->data, devices->usage);
    for (guint i = 0; i < s->memory->len; i++) {
        g_checksum_update(sum, page_at(s->memory, i)->data, PAGE);
    }
    return g_strdup(g_checksum_get_string(sum));
}

/* --- snapshots --- */

TensixSnapshot *tensix_snapshot_take(const TensixSnapshot *like,
                                     size_t *bytes)
{
    TensixSnapshot *s = g_new0(TensixSnapshot, 1);
    MemoryCopy copy;

    s->place = tensix_axis_place();
    s->devices = g_ptr_array_new();
    s->memory = g_ptr_array_new();
    copy = (MemoryCopy) {
        .pages = s->memory, .like = like ? like->memory : NULL,
        .made = sizeof(TensixSnapshot),
    };
    qemu_ram_foreach_block(save_block, &copy);
    copy.made += save_devices(s, like ? like->devices : NULL);
    *bytes += copy.made;
    return s;
}

void tensix_snapshot_free(TensixSnapshot *s, size_t *bytes)
{
    if (s) {
        *bytes -= drop_pages(s->memory) + drop_pages(s->devices) +
                  sizeof(TensixSnapshot);
        g_free(s);
    }
}

bool tensix_snapshot_load(const TensixSnapshot *s)
{
    MemoryCopy copy = { .pages = s->memory };

    qemu_ram_foreach_block(load_block, &copy);
    return load_devices(s);
}
