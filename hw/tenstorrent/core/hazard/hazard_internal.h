/*
 * Hazards: what the files of the checker share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TENSIX_HAZARD_INTERNAL_H
#define TENSIX_HAZARD_INTERNAL_H

#include "tensix_internal.h"

/* One instruction that is about to be executed. */
typedef struct HazardCheck {
    TensixCore *c;
    const TensixInsn *i;
    TensixHazardThread *t;
    const TensixTraits *traits;    /* its row's */
} HazardCheck;

/* Operand of the instruction at hand. */
#define HAZARD_OPERAND(h, mnemonic, field) OPERAND((h)->i, mnemonic, field)

/* Reports, once a site, that the instruction breaks a rule with `first`. */
void tensix_hazard_report(const HazardCheck *h, TensixHazardRule rule,
                          const TensixHazardSite *first);

/* The rule that the instruction there makes hold. */
static inline TensixHazardRule tensix_hazard_of(const TensixHazardSite *site)
{
    return tensix_traits_of(site->insn.word)->hazard;
}

/* The instruction at hand, to be remembered. */
TensixHazardSite tensix_hazard_site(const HazardCheck *h);

/* How many instructions of the thread are between it and that one? */
static inline uint64_t tensix_hazard_between(const HazardCheck *h,
                                             const TensixHazardSite *first)
{
    return h->t->position - first->position - 1;
}

/* Was that one this thread's instruction, and are fewer than n between? */
static inline bool tensix_hazard_near(const HazardCheck *h,
                                      const TensixHazardSite *first, uint64_t n)
{
    return first->insn.valid && tensix_hazard_between(h, first) < n;
}

/* The unit's rules: each checks the instruction, then records it. */
void tensix_hazard_vector(const HazardCheck *h);   /* hazard_vector.c */
void tensix_hazard_macro(const HazardCheck *h);    /* hazard_macro.c */
void tensix_hazard_dst(const HazardCheck *h);      /* hazard_dst.c */
void tensix_hazard_banks(const HazardCheck *h);    /* hazard_dst.c */
void tensix_hazard_config(const HazardCheck *h);   /* hazard_config.c */
void tensix_hazard_gprs(const HazardCheck *h);     /* hazard_config.c */

#endif
