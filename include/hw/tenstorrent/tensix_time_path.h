/*
 * How an estimated clock came to what it shows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An agent (a hart, thread, NoC or unit with a thread's instructions) that has waited
 * begins a link, which names the link of what it waited for.  Followed back from the
 * latest clock these links are the critical path: in each interval the one agent
 * without which the end would have come earlier.  The latest links are kept.
 *
 * Times come with -icount: one thread runs all harts, and nothing here is locked.
 */

#ifndef HW_TENSTORRENT_TENSIX_TIME_PATH_H
#define HW_TENSTORRENT_TENSIX_TIME_PATH_H

#include "hw/tenstorrent/tensix_hart.h"

/*
 * A stamp is passed in two registers.  To store both at once GCC's vectorizer
 * joins them by way of the stack, which stalls the host.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"     /* of Clang */
#pragma GCC optimize("no-tree-slp-vectorize")
#pragma GCC diagnostic pop

/* A cycle, and the link that leads to it; 0: the start, or not known. */
typedef struct TensixStamp {
    uint64_t at, link;
} TensixStamp;

/* Agents: harts, threads as they issue, units with a thread's words, NoCs. */
enum {
    TENSIX_PATH_THREAD = TENSIX_NUM_HARTS,
    TENSIX_PATH_UNIT = TENSIX_PATH_THREAD + TENSIX_THREADS,
    TENSIX_PATH_NOC = TENSIX_PATH_UNIT + TENSIX_THREADS * TENSIX_PORTS,
    TENSIX_PATH_NOCS = 2,
    TENSIX_PATH_AGENTS = TENSIX_PATH_NOC + TENSIX_PATH_NOCS,
};

/* The agent, and where its work was pushed; a hart's own work has no place. */
typedef struct TensixPathWork {
    uint16_t agent;
    uint16_t hart;                 /* TENSIX_HART_NONE: no place */
    uint32_t pc;
} TensixPathWork;

typedef struct TensixPathLink {
    uint64_t since;                /* the agent continues */
    uint64_t before;               /* the link at whose end it does */
    TensixPathWork work;
} TensixPathLink;

/*
 * A link as it is kept, in 16 bytes: words begin two each, and what they write
 * leaves the host's caches.
 */
typedef struct TensixKeptLink {
    uint64_t since;                /* its low bits, and tensix_kept_by() */
    uint32_t pc;
    uint32_t back;                 /* links to that before it, or UINT32_MAX */
} TensixKeptLink;

typedef struct TensixTimePath {
    uint64_t count;                /* of links so far */
    TensixKeptLink *ring;          /* the latest of them */
} TensixTimePath;

static inline TensixStamp tensix_later(TensixStamp a, TensixStamp b)
{
    return b.at > a.at ? b : a;
}

/*
 * *to = from, one half at a time: a copy of both waits until the halves, which
 * were stored one by one, have left the host's store buffer.
 */
static inline void tensix_set_stamp(TensixStamp *to, TensixStamp from)
{
    to->at = from.at;
    to->link = from.link;
}

static inline TensixStamp tensix_after(TensixStamp stamp, uint64_t cycles)
{
    stamp.at += cycles;
    return stamp;
}

void tensix_time_path_init(TensixTimePath *path);
void tensix_time_path_free(TensixTimePath *path);

enum { TENSIX_PATH_LINKS = 1 << 20 };      /* that are kept */

enum { TENSIX_KEPT_BY_BITS = 16 };         /* of since: agent and hart */

static inline uint32_t tensix_kept_by(TensixPathWork work)
{
    return work.agent << 8 | work.hart;
}

/* NULL: none, or it is kept no longer. */
static inline TensixKeptLink *tensix_time_path_link(const TensixTimePath *path,
                                                    uint64_t n)
{
    return n && path->count - n < TENSIX_PATH_LINKS
           ? &path->ring[n % TENSIX_PATH_LINKS] : NULL;
}

/* Work at pc by these begins at the stamp: its link is another one's. */
static inline TensixStamp tensix_time_path_begin(TensixTimePath *path,
                                                 TensixStamp stamp, uint32_t by,
                                                 uint32_t pc)
{
    const uint64_t n = ++path->count;
    TensixKeptLink *next = &path->ring[n % TENSIX_PATH_LINKS];

    next->since = stamp.at << TENSIX_KEPT_BY_BITS | by;
    next->pc = pc;
    next->back = MIN(n - stamp.link, UINT32_MAX);
    return (TensixStamp) { stamp.at, n };
}

/* The same, or it continues, if it is that of the stamp's link. */
static inline TensixStamp tensix_time_path_by(TensixTimePath *path,
                                              TensixStamp stamp, uint32_t by,
                                              uint32_t pc)
{
    const TensixKeptLink *link = tensix_time_path_link(path, stamp.link);

    return link && link->pc == pc && (uint16_t)link->since == by
           ? stamp : tensix_time_path_begin(path, stamp, by, pc);
}

static inline TensixStamp tensix_time_path_work(TensixTimePath *path,
                                                TensixStamp stamp,
                                                TensixPathWork work)
{
    return tensix_time_path_by(path, stamp, tensix_kept_by(work), work.pc);
}

/* The same of two with work at one pc: most begin with both. */
static inline void tensix_time_path_both(TensixTimePath *path,
                                         TensixStamp stamp, uint32_t pc,
                                         uint32_t by_a, uint32_t by_b,
                                         TensixStamp *at_a, TensixStamp *at_b)
{
    enum { AHEAD = 64 };           /* links: the ring is larger than caches */
    const TensixKeptLink *link = tensix_time_path_link(path, stamp.link);

    __builtin_prefetch(&path->ring[(path->count + AHEAD) % TENSIX_PATH_LINKS], 1);
    if (unlikely(link && link->pc == pc)) {
        *at_a = tensix_time_path_by(path, stamp, by_a, pc);
        *at_b = tensix_time_path_by(path, stamp, by_b, pc);
    } else {
        *at_a = tensix_time_path_begin(path, stamp, by_a, pc);
        *at_b = tensix_time_path_begin(path, stamp, by_b, pc);
    }
}

/*
 * The path's next interval, the last one first: of stamp, which becomes the one
 * before.  False: the rest is not known, or there is none.
 */
bool tensix_time_path_back(const TensixTimePath *path, TensixStamp *stamp,
                           TensixPathLink *link);

#endif
