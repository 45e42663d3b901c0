/*
 * The file of a timeline, of one tile or of several.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The file: lines of text up to an empty one, then events as they lie in the
 * ring (TensixEvent), the last of which is END.  The lines name all that is a
 * number in an event, so that a reader of the file needs no table.
 */

#include "qemu/osdep.h"
#include <sys/file.h>
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "hw/tenstorrent/tensix_hart.h"
#include "hw/tenstorrent/tensix_time.h"
#include "hw/tenstorrent/qemu_compat.h"
#include "tensix_timeline_file.h"

/* Only in files: begins a block of a tile's events. */
enum { BLOCK = TENSIX_EVENTS };

#define READER_NS NANOSECONDS_PER_SECOND
#define READER_BYTES (256 * KiB)

struct TensixTimelineFile {
    char *name;
    int fd;
    bool has_tiles;
    unsigned users;
    uint64_t order;                /* the last number */
    const void *last_user;         /* that got it */
    QemuMutex lock;                /* for what follows, and writing */
    uint64_t lost;                 /* events that could not be written */
};

/* --- events --- */

/* Can something be written before the deadline?  errno is set if not. */
static bool await_reader(int fd, int64_t deadline)
{
    GPollFD poll = { .fd = fd, .events = G_IO_OUT };
    int64_t left = deadline - get_clock();

    if (left <= 0 || qemu_poll_ns(&poll, 1, left) <= 0) {
        errno = ETIMEDOUT;
        return false;
    }
    return true;
}

/*
 * The descriptor does not block: the BQL is held, and the reader of a pipe may
 * have stopped.  It gets READER_NS for each READER_BYTES.
 */
static bool write_all(int fd, const void *data, size_t size)
{
    int64_t deadline = get_clock() + READER_NS;
    size_t done = 0, since = 0;

    while (done < size) {
        ssize_t n = RETRY_ON_EINTR(write(fd, data + done, size - done));

        if (n == 0 ||
            (n < 0 && (errno != EAGAIN || !await_reader(fd, deadline)))) {
            return false;
        }
        done += MAX(n, 0);
        if (done - since >= READER_BYTES) {
            since = done;
            deadline = get_clock() + READER_NS;
        }
    }
    return true;
}

/* An error is reported once; what cannot be written is counted. */
static void write_events(TensixTimelineFile *f, const TensixEvent *event,
                         uint64_t count)
{
    if (!f->lost && !write_all(f->fd, event, count * sizeof(*event))) {
        error_report("timeline: %s: %s; events are lost", f->name,
                     strerror(errno));
        f->lost += count;
    } else if (f->lost) {
        f->lost += count;
    }
}

void tensix_timeline_file_write(TensixTimelineFile *f,
                                const TensixTimelinePlace *place,
                                const TensixEvent *event, uint64_t count)
{
    QEMU_LOCK_GUARD(&f->lock);
    if (f->has_tiles && count) {
        write_events(f, &(const TensixEvent) {
            .kind = BLOCK, .number = { place->x, place->y, count }
        }, 1);
    }
    write_events(f, event, count);
}

/* An event between the two steps gets this number, and this one another. */
uint64_t tensix_timeline_file_order(TensixTimelineFile *f, const void *user)
{
    if (!f->has_tiles || qatomic_read(&f->last_user) == user) {
        return 0;
    }
    qatomic_set(&f->last_user, user);
    return qatomic_inc_fetch(&f->order);
}

bool tensix_timeline_file_is_called(const TensixTimelineFile *f,
                                    const char *name)
{
    return !strcmp(f->name, name);
}

/* --- the head of the file --- */

/* "kind 1 execute insn": numbers of an instruction, then those named here. */
static void append_kinds(GString *head, bool has_tiles)
{
    for (int kind = TENSIX_EVENT_NONE + 1; kind < TENSIX_EVENTS; kind++) {
        const TensixEventDef *def = &tensix_events[kind];

        g_string_append_printf(head, "kind=%d %s %s %s%s\n", kind, def->name,
                               def->form == TENSIX_FORM_INSN ? "insn"
                                                             : "numbers",
                               def->details,
                               has_tiles && kind == TENSIX_EVENT_TIME
                               ? " order_low order_high" : "");
    }
    if (has_tiles) {
        g_string_append_printf(head, "kind=%d tile numbers x y events\n", BLOCK);
    }
}

static void append_names(GString *head, const char *key, int count,
                         const char *(*name)(unsigned n))
{
    for (int n = 0; n < count; n++) {
        g_string_append_printf(head, "%s=%d %s\n", key, n, name(n));
    }
}

static const char *turn_name(unsigned n)
{
    return tensix_hart_turn_names[n];
}

static const char *wait_name(unsigned n)
{
    return tensix_wait_names[n];
}

static const char *unit_name(unsigned n)
{
    return n == TENSIX_PORT_UNPACK1 ? "unpack 1" : tensix_unit_names[n];
}

static const char *agent_name(unsigned n)
{
    return tensix_agent_names[n];
}

static const char *access_name(unsigned n)
{
    return n ? "store" : "load";
}

static const char *category_name(unsigned n)
{
    return tensix_category_names[n];
}

/* Opcodes that exist: number, unit, mnemonic. */
static void append_opcodes(GString *head)
{
    for (int op = 0; op < ARRAY_SIZE(tensix_insns); op++) {
        if (tensix_insns[op].mnemonic) {
            g_string_append_printf(head, "opcode=%d %d %s\n", op,
                                   tensix_insns[op].unit,
                                   tensix_insns[op].mnemonic);
        }
    }
}

/* Functions are named by the file's readers: from the images. */
static void append_images(GString *head, TensixSources *sources)
{
    for (int n = 0; n < TENSIX_NUM_HARTS; n++) {
        g_autofree char *image = tensix_sources_image(sources, n);

        if (image) {
            g_string_append_printf(head, "image.%s=%s\n", tensix_hart_name(n),
                                   g_strdelimit(image, "\r\n", ' '));
        }
    }
}

static const char *late_name(unsigned n)
{
    return tensix_thread_wait_names[n];
}

static void append_workers(GString *head)
{
    for (unsigned n = 0; n < TENSIX_PATH_AGENTS; n++) {
        g_autofree char *name = tensix_time_agent_name(n);

        g_string_append_printf(head, "worker=%u %s\n", n, name);
    }
}

static const char *axis_of(TensixTimelineKind kind)
{
    return kind.is_timed ? "cycles" : icount_enabled() ? "virtual-ns" : "order";
}

static GString *make_head(TensixSources *sources, TensixTimelineKind kind)
{
    GString *head = g_string_new("tensix timeline 1\n");

    g_string_append_printf(head, "axis=%s\nevent_bytes=%zu\n", axis_of(kind),
                           sizeof(TensixEvent));
    append_images(head, sources);
    append_kinds(head, kind.has_tiles);
    append_opcodes(head);
    append_names(head, "hart", TENSIX_NUM_HARTS, tensix_hart_name);
    append_names(head, "unit", TENSIX_PORTS, unit_name);
    append_names(head, "turn", TENSIX_HART_TURNS, turn_name);
    append_names(head, "stall", TENSIX_STALL_CAUSES, tensix_stall_name);
    append_names(head, "wait", TENSIX_WAIT_REASONS, wait_name);
    append_names(head, "category", TENSIX_CATEGORIES, category_name);
    append_names(head, "agent", TENSIX_AGENTS, agent_name);
    append_names(head, "access", 2, access_name);
    append_names(head, "late", TENSIX_THREAD_WAITS, late_name);
    append_workers(head);
    g_string_append_c(head, '\n');
    return head;
}

/* --- life cycle --- */

/*
 * Opens the file for this machine alone, then empties it; -1: errp is set.  To
 * wait for a pipe's reader would stop the main loop: there has to be one.
 */
static int open_file(const char *file, Error **errp)
{
    int fd = qemu_create(file, O_WRONLY | O_BINARY | O_NONBLOCK, 0666, errp);

    if (fd < 0) {
        return -1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        error_setg(errp, "timeline: %s is being written by another machine",
                   file);
        close(fd);
        return -1;
    }
    if (ftruncate(fd, 0) < 0 && errno != EINVAL) {     /* a pipe has no length */
        error_setg_errno(errp, errno, "timeline: %s", file);
        close(fd);
        return -1;
    }
    return fd;
}

/* The file with its head in it; -1: errp is set. */
static int begin_file(const char *file, const GString *head, Error **errp)
{
    int fd = open_file(file, errp);

    if (fd >= 0 && !write_all(fd, head->str, head->len)) {
        error_setg_errno(errp, errno, "timeline: %s", file);
        close(fd);
        return -1;
    }
    return fd;
}

TensixTimelineFile *tensix_timeline_file_new(const char *name,
                                             TensixSources *sources,
                                             TensixTimelineKind kind,
                                             Error **errp)
{
    g_autoptr(GString) head = make_head(sources, kind);
    int fd = begin_file(name, head, errp);
    TensixTimelineFile *f;

    if (fd < 0) {
        return NULL;
    }
    f = g_new0(TensixTimelineFile, 1);
    f->name = g_strdup(name);
    f->fd = fd;
    f->has_tiles = kind.has_tiles;
    f->users = 1;
    qemu_mutex_init(&f->lock);
    return f;
}

TensixTimelineFile *tensix_timeline_file_ref(TensixTimelineFile *f)
{
    f->users++;
    return f;
}

void tensix_timeline_file_unref(TensixTimelineFile *f)
{
    static const TensixEvent last = { .kind = TENSIX_EVENT_END };

    if (--f->users) {
        return;
    }
    write_events(f, &last, 1);
    close(f->fd);
    if (f->lost) {
        error_report("timeline: %s: %" PRIu64 " events were lost", f->name,
                     f->lost);
    }
    qemu_mutex_destroy(&f->lock);
    g_free(f->name);
    g_free(f);
}
