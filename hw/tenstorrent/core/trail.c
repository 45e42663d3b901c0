/*
 * What the core remembers beside its state.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "derived/update.h"
#include "tensix_internal.h"

void tensix_get_trail(const TensixCore *c, TensixTrail *trail)
{
    trail->signals = c->signals;
    trail->hazards = c->hazards;
    trail->reported = c->reported;
}

void tensix_set_trail(TensixCore *c, const TensixTrail *trail)
{
    c->signals = trail->signals;
    c->hazards = trail->hazards;
    c->reported = trail->reported;
    tensix_update_slow(c);
}

/* --- validation: reports index names and threads --- */

static bool site_valid(const TensixHazardSite *site)
{
    return tensix_insn_valid(&site->insn);
}

static bool records_valid(const TensixHazardThread *t)
{
    bool valid = true;

    for (unsigned n = 0; n < TENSIX_HAZARD_RECORDS; n++) {
        valid = valid && site_valid(&t->dst_write[n].by) &&
                site_valid(&t->dst_store[n].by) &&
                site_valid(&t->load[n].by) && site_valid(&t->stream[n].by);
    }
    return valid;
}

static bool thread_trail_valid(const TensixHazardThread *t)
{
    return records_valid(t) && site_valid(&t->late.by) &&
           site_valid(&t->backdoor) && site_valid(&t->read_config.by) &&
           site_valid(&t->config.by) && site_valid(&t->pack) &&
           site_valid(&t->state_id);
}

bool tensix_trail_valid(const TensixTrail *trail)
{
    const TensixHazards *hazards = &trail->hazards;
    bool valid = true;

    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        valid = valid && thread_trail_valid(&hazards->thread[thread]);
    }
    for (unsigned n = 0; n < TENSIX_SRCS * TENSIX_SRC_BANKS; n++) {
        valid = valid && site_valid(&hazards->given[0][0] + n) &&
                site_valid(&hazards->taken[0][0] + n);
    }
    return valid;
}
