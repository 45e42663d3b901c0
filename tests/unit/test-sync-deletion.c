/*
 * Does a random schedule find what a kernel forgot?  Each synchronisation of
 * correct programs is left out in turn.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A deletion is found if some of FEW seeds ends otherwise than the whole
 * program, not at all, or with a report.  What hardware does not need is in
 * the programs' tables (sync-kernels.c), with the reason, and is counted apart.
 */

#include <string.h>

#include "sync-program.h"
#include "tap.h"

enum { SEEDS = 400, FEW = 20, WANTED = 90 /* per cent */ };

static SyncRun r;
static SyncOutcome want, got;

/* Ends otherwise than `want`, or not, or with a report. */
static bool differs(const SyncKernel *k, int missing, uint64_t seed)
{
    bool ends = sync_run(&r, k, missing, seed);

    sync_outcome(&r, &got);
    return !ends || r.f.violation_count || memcmp(&got, &want, sizeof(got));
}

static bool as_oracle(const SyncKernel *k)
{
    static uint8_t out[FIXTURE_L1_SIZE];
    unsigned size = k->oracle(out);

    return !memcmp(&want.l1[(SYNC_OUT_UNIT + 1) * 16], out, size);
}

static void test_whole(const SyncKernel *k)
{
    unsigned wrong = 0;

    ok(sync_run(&r, k, SYNC_NO_SITE, 0), "%s ends", k->name);
    ok(!r.f.violation_count, "%s reports nothing: %s", k->name,
       r.f.violation_text);
    ok(!r.unnamed, "%s: all that synchronises has a site", k->name);
    sync_outcome(&r, &want);
    ok(as_oracle(k), "%s: as plain C computes it", k->name);
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        wrong += differs(k, SYNC_NO_SITE, seed);
    }
    ok_eq(wrong, 0, "%s: the same under %u seeds", k->name, SEEDS);
}

/* Sites whose deletion can matter, and those of them that were found. */
typedef struct Share {
    unsigned matter, found, redundant;
} Share;

static unsigned count_found(const SyncKernel *k, int site)
{
    unsigned found = 0;

    for (unsigned seed = 1; seed <= FEW; seed++) {
        found += differs(k, site, seed);
    }
    return found;
}

static void test_deletions(const SyncKernel *k, Share *share)
{
    const SyncSite *s;

    for (unsigned site = 0; (s = sync_site_of(k, site)); site++) {
        unsigned found = count_found(k, site);

        ok(r.used, "%s without %s is another program", k->name, s->name);
        diag("%s without %s: %u of %u seeds%s%s", k->name, s->name, found, FEW,
             s->no_matter ? "; cannot matter: " : "",
             s->no_matter ? s->no_matter : "");
        if (s->no_matter) {
            ok(!found, "%s without %s is as good", k->name, s->name);
            share->redundant++;
        } else {
            share->matter++;
            share->found += found > 0;
        }
    }
}

int main(void)
{
    Share share = { 0 };

    for (unsigned n = 0; n < sync_kernel_count; n++) {
        test_whole(&sync_kernels[n]);
        test_deletions(&sync_kernels[n], &share);
    }
    diag("%u of %u deletions found by %u seeds, %u cannot matter", share.found,
         share.matter, FEW, share.redundant);
    ok(share.found * 100 >= share.matter * WANTED, "%u %% found, wanted %u %%",
       share.found * 100 / share.matter, WANTED);
    return done_testing();
}
