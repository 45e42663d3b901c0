/*
 * The row of snapshots that one can go back to.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "hw/tenstorrent/tensix_cop_observe.h"
#include "hw/tenstorrent/tensix_recent.h"
#include "tensix_history.h"
#include "../trace.h"

enum { MOST_SNAPSHOTS = 100 };

struct TensixHistory {
    GPtrArray *cops;               /* TensixCopState, one a tile */
    GPtrArray *row;                /* of TensixSnapshot */
    unsigned now;
    size_t bytes;
    uint64_t most_bytes;
    uint64_t line, lines;          /* the machine's; how many there were */
    uint32_t way_changes;          /* up to which it is that */
    TensixSnapshot *mark;          /* not in the row; or NULL, */
    const TensixSnapshot *marked;  /* and the one of the row before it */
};

static TensixSnapshot *at(const TensixHistory *h, unsigned i)
{
    return g_ptr_array_index(h->row, i);
}

TensixHistory *tensix_history_new(GPtrArray *cops)
{
    TensixHistory *h = g_new0(TensixHistory, 1);

    h->cops = cops;
    h->row = g_ptr_array_new();
    return h;
}

void tensix_history_set_memory(TensixHistory *h, uint64_t most_bytes)
{
    h->most_bytes = most_bytes;
}

void tensix_history_free(TensixHistory *h)
{
    tensix_history_unmark(h);
    tensix_history_clear(h);
    g_ptr_array_free(h->row, true);
    g_ptr_array_unref(h->cops);
    g_free(h);
}

unsigned tensix_history_length(const TensixHistory *h)
{
    return h->row->len;
}

size_t tensix_history_bytes(const TensixHistory *h)
{
    return h->bytes;
}

const TensixSnapshot *tensix_history_at(const TensixHistory *h, unsigned i)
{
    return at(h, i);
}

unsigned tensix_history_now(const TensixHistory *h)
{
    return h->now;
}

void tensix_history_pass(TensixHistory *h)
{
    h->now++;
}

/* --- forgetting --- */

static void discard_snapshot(TensixHistory *h, unsigned i)
{
    if (at(h, i) == h->marked) {
        h->marked = NULL;
    }
    tensix_snapshot_free(at(h, i), &h->bytes);
    g_ptr_array_remove_index(h->row, i);
    h->now -= h->now > i;
}

void tensix_history_clear(TensixHistory *h)
{
    while (h->row->len) {
        discard_snapshot(h, h->row->len - 1);
    }
    h->now = 0;
}

void tensix_history_cut(TensixHistory *h)
{
    while (h->row->len > h->now + 1) {
        discard_snapshot(h, h->row->len - 1);
    }
}

void tensix_history_discard(TensixHistory *h, unsigned i)
{
    while (i-- && h->row->len) {
        discard_snapshot(h, 0);
    }
}

/* How much of the way to go back, for its distance, the loss would cost. */
static double loss(const TensixHistory *h, unsigned i, int64_t place)
{
    int64_t next = i + 1 < h->row->len ? at(h, i + 1)->place : place;

    return (next - at(h, i - 1)->place) /
           (1.0 + llabs(place - at(h, i)->place));
}

/*
 * The one whose loss costs least, or 0: the beginning is dropped.  After an
 * input there is no other way to its snapshot.
 */
static unsigned least_loss(const TensixHistory *h)
{
    int64_t place = at(h, h->now)->place;
    unsigned least = 0;

    for (unsigned i = 1; i < h->row->len; i++) {
        if (i != h->now && !at(h, i)->is_input && at(h, i) != h->marked &&
            (!least || loss(h, i, place) < loss(h, least, place))) {
            least = i;
        }
    }
    return least;
}

static bool has_room(const TensixHistory *h)
{
    return h->row->len <= 1 || (h->row->len <= MOST_SNAPSHOTS &&
                                h->bytes <= h->most_bytes);
}

static void make_room(TensixHistory *h)
{
    while (!has_room(h)) {
        unsigned i = least_loss(h);

        if (!i && (!h->now || at(h, 0) == h->marked)) {
            break;                 /* the machine, or the mark, is after it */
        }
        discard_snapshot(h, i);
    }
}

/* --- lines --- */

static bool takes_slow_path(const TensixHistory *h)
{
    for (unsigned i = 0; i < h->cops->len; i++) {
        const TensixCopState *cop = g_ptr_array_index(h->cops, i);

        if (tensix_cop_is_observed(cop) || tensix_cop_records_all(cop)) {
            return true;
        }
    }
    return false;
}

static uint32_t way_changes(const TensixHistory *h)
{
    uint32_t changes = 0;

    for (unsigned i = 0; i < h->cops->len; i++) {
        const TensixCopState *cop = g_ptr_array_index(h->cops, i);

        changes += tensix_cop_way_changes(cop);
    }
    return changes;
}

static void be_on_line(TensixHistory *h, uint64_t line)
{
    h->line = line;
    h->way_changes = way_changes(h);
}

static uint64_t line_of_now(TensixHistory *h)
{
    if (h->way_changes != way_changes(h)) {
        be_on_line(h, ++h->lines);
    }
    return h->line;
}

static void go_to_line(TensixHistory *h, const TensixSnapshot *s)
{
    be_on_line(h, s->observed == takes_slow_path(h) ? s->line : ++h->lines);
}

/* --- taking and loading --- */

TensixSnapshot *tensix_history_capture(TensixHistory *h)
{
    const TensixSnapshot *like = h->row->len ? at(h, h->now) : NULL;
    TensixSnapshot *s = tensix_snapshot_take(like, &h->bytes);

    s->observed = takes_slow_path(h);
    s->line = line_of_now(h);
    return s;
}

void tensix_history_drop(TensixHistory *h, TensixSnapshot *s)
{
    tensix_snapshot_free(s, &h->bytes);
}

void tensix_history_add(TensixHistory *h, bool is_input)
{
    int64_t start = get_clock();
    size_t bytes = h->bytes;
    TensixSnapshot *s = tensix_history_capture(h);

    s->is_input = is_input;
    h->now += h->row->len > 0;
    g_ptr_array_insert(h->row, h->now, s);
    trace_tensix_rewind_snapshot(s->place, h->bytes - bytes,
                                 (get_clock() - start) / SCALE_US);
    make_room(h);
}

bool tensix_history_load(TensixHistory *h, unsigned i)
{
    const TensixSnapshot *s = at(h, i);
    int64_t start = get_clock();

    if (!tensix_snapshot_load(s)) {
        return false;
    }
    go_to_line(h, s);
    h->now = i;
    trace_tensix_rewind_load(s->place, (get_clock() - start) / SCALE_US);
    return true;
}

/* --- the mark --- */

void tensix_history_mark(TensixHistory *h)
{
    tensix_history_unmark(h);
    h->mark = tensix_history_capture(h);
    h->marked = at(h, h->now);
}

void tensix_history_unmark(TensixHistory *h)
{
    tensix_history_drop(h, h->mark);
    h->mark = NULL;
    h->marked = NULL;
}

bool tensix_history_return(TensixHistory *h)
{
    guint i;

    if (!h->marked || !tensix_snapshot_load(h->mark)) {
        return false;
    }
    go_to_line(h, h->mark);
    g_ptr_array_find(h->row, h->marked, &i);
    h->now = i;
    return true;
}
