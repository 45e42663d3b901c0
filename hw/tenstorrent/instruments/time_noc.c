/*
 * Estimated cycles: requests to the NoCs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH NoC/README.md, "Performance": a flit a cycle, latencies of hops, no
 * congestion.  A packet is a header flit and its data.  What an answer waits
 * for at its other end, DRAM apart, is not published.
 */

#include "qemu/osdep.h"
#include "time_internal.h"

/* To the router, from router to router, and to the other NIU. */
static uint64_t way(const TensixTime *t, uint32_t hops)
{
    return 2 * t->figure[TIME_NIU] + (uint64_t)hops * t->figure[TIME_HOP];
}

static uint32_t flits_of(const TensixNocEvent *e)
{
    return e->packets + e->flits;
}

/* Requests leave one after the other, from then on. */
static TensixStamp leaves(TensixTime *t, const TensixNocEvent *e)
{
    TensixHart *hart = tensix_cop_hart(t->cop, tensix_actor_hart(e->by));
    const TimeNoc *noc = &t->noc[e->noc];
    const TensixPathWork work = {
        TENSIX_PATH_NOC + e->noc, e->by->hart, e->by->pc,
    };

    return tensix_time_path_work(
        &t->path, tensix_later(tensix_hart_stamp(hart, 1), noc->sent), work);
}

/* The data of reads comes one after the other, too. */
static TensixStamp data_is_here(TensixTime *t, const TensixNocEvent *e,
                                TensixStamp asked)
{
    TensixStamp last = t->noc[e->noc].answered[TENSIX_NOC_READ_DATA];
    TensixStamp first = tensix_after(asked, way(t, e->back));

    return tensix_after(tensix_later(first, last), flits_of(e));
}

/* One a cycle each; what other tiles move here is not counted. */
static void count_flits(TensixTime *t, const TensixNocEvent *e)
{
    TensixNocFlits *flits = &t->flits[e->noc];

    if (e->answer == TENSIX_NOC_READ_DATA) {
        flits->incoming += e->flits;
    } else if (e->answer == TENSIX_NOC_WRITE_ACK) {
        flits->outgoing += e->flits;
    }
}

void time_noc_request(TensixTime *t, const TensixNocEvent *e)
{
    TensixStamp *answered = &t->noc[e->noc].answered[e->answer];
    bool reads = e->answer == TENSIX_NOC_READ_DATA;
    TensixStamp from, there;

    if (tensix_actor_hart(e->by) >= TENSIX_NUM_HARTS) {
        return;
    }
    count_flits(t, e);
    from = leaves(t, e);
    t->noc[e->noc].sent = tensix_after(from, reads ? e->packets : flits_of(e));
    there = tensix_after(from, (reads ? 1 : flits_of(e)) + way(t, e->hops) +
                               (e->is_dram ? t->figure[TIME_DRAM] : 0));
    t->landed = there;
    if (reads) {
        *answered = t->landed = data_is_here(t, e, there);
    } else if (!e->posted) {
        *answered = tensix_later(*answered,
                                 tensix_after(there, way(t, e->back) + 1));
    }
}

TensixStamp time_noc_seen(const TensixTime *t, uint32_t offset)
{
    enum { NIU = 0x10000, COUNTERS = 0x200, BEHIND = 0x300 };
    enum { DATA_FLITS = 3, ACCEPTED = 4, BY_ID = 16 };  /* counters */
    const TimeNoc *noc = &t->noc[offset / NIU % TENSIX_PATH_NOCS];
    uint32_t counter = (offset % NIU - COUNTERS) / sizeof(uint32_t);

    if (offset % NIU < COUNTERS || offset % NIU >= BEHIND) {
        return (TensixStamp) { };
    }
    if (counter <= DATA_FLITS) {
        return noc->answered[MIN(counter, TENSIX_NOC_READ_DATA)];
    }
    if (counter < BY_ID) {
        return counter == ACCEPTED ? (TensixStamp) { } : noc->sent;
    }
    return tensix_later(noc->answered[TENSIX_NOC_ATOMIC_RESPONSE],
                        tensix_later(noc->answered[TENSIX_NOC_WRITE_ACK],
                                     noc->answered[TENSIX_NOC_READ_DATA]));
}
