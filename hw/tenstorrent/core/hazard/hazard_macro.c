/*
 * Hazards inside what one SFPLOADMACRO schedules.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPLOADMACRO.md, BH SFPMAD.md and BH SFPSHFT2.md: nothing stalls scheduled
 * instructions.  Only those of one macro are compared.  What comes from
 * different ones may well want the registers as they are in between:
 * tt-llk's kernels do.  What meets in one cycle is reported without this
 * (vector_macro.c).
 */

#include "hazard/hazard_internal.h"
#include "vector/vector.h"
#include "vector/vector_macro.h"

/* One sub-unit's part of a macro; word 0: it does nothing. */
typedef struct Part {
    uint32_t word, delay;
    uint32_t vd;                   /* what it writes or, a store, reads */
} Part;

static Part part_of(const TensixLoadMacro *m, uint32_t macro, uint32_t unit,
                    uint32_t vd, unsigned lane)
{
    TensixMacroPlan plan = tensix_vector_macro_plan(m, macro, unit, lane);
    bool can = tensix_vector_sub_unit(plan.word) == unit;
    Part p = {
        .word = can ? plan.word : 0,
        .delay = tensix_vector_macro_delay(&plan),
        .vd = plan.sequence & SEQ_VD_16 ? VECTOR_LREG_MACRO : vd,
    };

    if (unit == VECTOR_SUB_STORE && plan.sequence & SEQ_KEEP_VD &&
        !(plan.sequence & SEQ_VD_16)) {
        p.vd = TENSIX_FIELD(p.word, SFPSTORE, lreg_ind);
    }
    return p;
}

/* Does it take its sub-unit for a second cycle? */
static bool has_two_cycles(const Part *p)
{
    return p->word && tensix_insn_occupancy(p->word) > 1;
}

/* Does it execute one cycle after the other? */
static bool follows(const Part *p, const Part *other)
{
    return p->word && p->delay == other->delay + 1;
}

/* The lane whose configuration counts: the first one that has any. */
static unsigned configured_lane(const TensixLoadMacro *m, uint32_t macro)
{
    unsigned lane = 0;

    while (lane < TENSIX_LANES - 1 && !m->sequence[macro][lane]) {
        lane++;
    }
    return lane;
}

/* All that is Simple or Round takes the loaded register as VB or VC. */
static bool mad_is_read(const Part *part, uint32_t vd)
{
    const Part *mad = &part[VECTOR_SUB_MAD], *store = &part[VECTOR_SUB_STORE];

    if (!mad->word) {
        return false;
    }
    return (follows(store, mad) && store->vd == mad->vd) ||
           (mad->vd == vd && (follows(&part[VECTOR_SUB_SIMPLE], mad) ||
                              follows(&part[VECTOR_SUB_ROUND], mad)));
}

static bool swap_is_disturbed(const Part *part)
{
    const Part *swap = &part[VECTOR_SUB_SIMPLE], *mad = &part[VECTOR_SUB_MAD];

    return has_two_cycles(swap) &&
           ((mad->word && mad->delay == swap->delay) ||
            follows(&part[VECTOR_SUB_ROUND], swap));
}

static bool shuffle_is_disturbed(const Part *part)
{
    const Part *round = &part[VECTOR_SUB_ROUND];

    return has_two_cycles(round) && follows(&part[VECTOR_SUB_SIMPLE], round);
}

void tensix_hazard_macro(const HazardCheck *h)
{
    const TensixLoadMacro *m = &h->c->s.vu.load_macro;
    uint32_t macro, vd;
    TensixHazardSite site;
    Part part[TENSIX_MACRO_UNITS];

    macro = tensix_vector_macro_index(h->i->word);
    vd = tensix_vector_macro_vd(h->i->word);
    for (uint32_t unit = 0; unit < TENSIX_MACRO_UNITS; unit++) {
        part[unit] = part_of(m, macro, unit, vd, configured_lane(m, macro));
    }
    site = tensix_hazard_site(h);
    if (mad_is_read(part, vd)) {
        site.insn.word = part[VECTOR_SUB_MAD].word;
        tensix_hazard_report(h, HAZARD_MACRO_MAD, &site);
    }
    if (swap_is_disturbed(part)) {
        site.insn.word = part[VECTOR_SUB_SIMPLE].word;
        tensix_hazard_report(h, HAZARD_MACRO_SWAP, &site);
    }
    if (shuffle_is_disturbed(part)) {
        site.insn.word = part[VECTOR_SUB_ROUND].word;
        tensix_hazard_report(h, HAZARD_MACRO_SHFT2, &site);
    }
}
