/*
 * Sites of violations: which have been seen, and how often.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A site is a category, a hart, its pc and the word, if an instruction did it.
 * What no running hart did, an access of a debugger or a test for example, has
 * no place: there each text is a site.
 * The counts are this process's: no snapshot has them.
 */

#ifndef HW_TENSTORRENT_TENSIX_SITES_H
#define HW_TENSTORRENT_TENSIX_SITES_H

#include "hw/tenstorrent/core/tensix_core.h"
#include "hw/tenstorrent/tensix_source.h"
#include "qapi/qapi-types-tenstorrent-state.h"

typedef struct TensixSites TensixSites;

/* What is to be reported of one violation. */
typedef struct TensixSiteSummary {
    bool is_new;                   /* a site with lines */
    bool is_one_too_many;          /* the hart's first site without lines */
    uint64_t count;                /* how often the site has; 0: no event */
} TensixSiteSummary;

TensixSites *tensix_sites_new(void);
void tensix_sites_free(TensixSites *sites);

/*
 * Counts one violation.  A site that is not known yet is new and has a count;
 * later it has the count alone, when it reaches 10, 100 and so on.  At most 32
 * sites of a hart have lines; after 1024 sites all are taken for known.
 * Callers are serialised.
 */
TensixSiteSummary tensix_sites_add(TensixSites *sites, const TensixViolation *v,
                                   bool has_location);

/* Has its site been counted? */
bool tensix_sites_has(const TensixSites *sites, const TensixViolation *v,
                      bool has_location);
uint64_t tensix_sites_total(const TensixSites *sites);

/*
 * Calls fn for each group of sites of one category, hart and source line, with
 * its count and its most frequent violation.
 */
typedef void TensixSitesFn(void *opaque, uint64_t count,
                           const TensixViolation *v);
void tensix_sites_each(TensixSites *sites, TensixSources *sources,
                       TensixSitesFn *fn, void *opaque);

/* What is printed of that violation, without newline, to be freed; or NULL. */
char *tensix_sites_text(TensixSiteSummary summary, TensixSources *sources,
                        const TensixViolation *v);

/*
 * What the sites' own lines have not reported: how many violations there were,
 * and the sites that violated more than once, the most frequent ones first.
 * Sites of one category, hart and source line are combined.  NULL if there is
 * nothing to report.
 */
GString *tensix_sites_summary(TensixSites *sites, TensixSources *sources);

/* All sites, the most frequent ones first; qapi_free_TensixViolations(). */
TensixViolations *tensix_sites_list(TensixSites *sites);

/* The instruction that did it, or NULL; qapi_free_TensixInsnInfo(). */
TensixInsnInfo *tensix_sites_insn(const TensixViolation *v);

#endif
