/*
 * A client that polls: it reads words of L1 again and again, with clocks in between.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each request for clocks interrupts the harts.  So those of such a client are put
 * off as long as its word changes, and while it does not for as long again as it
 * is since its last write: the harts run meanwhile, and a change ends the wait.
 * Right after a write the first word read counts as polled: a short program ends
 * before any request.  Clocks without a read in between are no poll.
 */

#include <poll.h>
#include <string.h>
#include <time.h>

#include "library.h"

enum {
    LEAST_US = 200,                /* put off at a time */
    MOST_US = 1000,
    SLEEP_US = 50,                 /* what is shorter is not slept */
};

void polls_written(Polls *p)
{
    memset(p, 0, sizeof(*p));
    p->since = p->clocked = now_us();
}

static unsigned count(const Polls *p)
{
    return p->next < POLLED_WORDS ? p->next : POLLED_WORDS;
}

void polls_read(Polls *p, uint32_t address, uint32_t value)
{
    unsigned n = 0;

    while (n < count(p) && p->address[n] != address) {
        n++;
    }
    p->again = n < count(p);
    if (!p->again) {
        n = p->next++ % POLLED_WORDS;
    }
    p->address[n] = address;
    p->value[n] = value;
    p->unclocked = true;
}

static bool is_as_read(const TileLibrary *l, unsigned n)
{
    const uint8_t *word = l->emulator.l1 + l->polls.address[n];

    return __atomic_load_n((const uint32_t *)word, __ATOMIC_ACQUIRE) ==
           l->polls.value[n];
}

/* All that the client may poll in turn.  Serving DMA may end the emulator. */
static bool is_unchanged(const TileLibrary *l)
{
    unsigned n = 0;

    while (n < count(&l->polls) && l->state == LIBRARY_RUNNING &&
           is_as_read(l, n)) {
        n++;
    }
    return n == count(&l->polls);
}

static void wait_for_dma(TileLibrary *l, uint64_t us)
{
    struct pollfd file = { .fd = l->emulator.dma, .events = POLLIN };
    struct timespec time = { .tv_nsec = us * 1000 };

    if (us >= SLEEP_US) {
        ppoll(&file, 1, &time, NULL);
    }
    serve_dma(l);
}

/* For how long requests are put off, in us since the last one. */
static uint64_t pause_of(const Polls *p, uint64_t now)
{
    uint64_t since = now - p->since;

    if (!p->unclocked || (!p->again && p->next != 1)) {
        return 0;
    }
    return since < LEAST_US ? LEAST_US : since < MOST_US ? since : MOST_US;
}

/* A thread that sleeps wakes up too late for a short program. */
static bool stays_awake(const TileLibrary *l, uint64_t now, uint64_t end)
{
    return end - now < SLEEP_US ||
           (now - l->polls.clocked < LEAST_US &&
            !mailbox_shares_processor(&l->emulator));
}

bool polls_wait(TileLibrary *l)
{
    Polls *p = &l->polls;
    uint64_t now = now_us();
    uint64_t end = p->clocked + pause_of(p, now);

    p->unclocked = false;
    while (now < end && is_unchanged(l)) {
        wait_for_dma(l, stays_awake(l, now, end) ? 0 : SLEEP_US);
        now = now_us();
    }
    if (now < end) {
        return true;
    }
    p->clocked = now;
    return false;
}
