/*
 * Hazards of the Vector Unit: results of two cycles, LaneConfig, lane flags.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Spec 001 5.1 and 5.2, BH SFPMAD.md ("Instruction scheduling").  Hardware
 * stalls an instruction that reads what the one before writes in its second
 * cycle, but its stalling logic mistakes what some instructions read.  Where it
 * stalls for another operand all is well.
 */

#include "hazard/hazard_internal.h"
#include "vector/vector_lregs.h"
#include "config/config.h"

enum {
    CONFIG_LANE_CONFIG = 15,       /* SFPCONFIG's VD */
    ALL_LREGS = 0xff,
};

/* Lanes that work, and those of others that it reads. */
static uint32_t lanes_of(const HazardCheck *h, const TensixVectorUse *use)
{
    const TensixVectorUnit *vu = &h->c->s.vu;
    uint32_t lanes = ~(vu->use_lane_flags & ~vu->lane_flags);

    if (use->other_lanes) {
        return VECTOR_ALL_LANES;
    }
    return vu->lane_config_any ? lanes & ~tensix_vector_row_masked(vu) : lanes;
}

static void check_late(const HazardCheck *h, const TensixVectorUse *use)
{
    const TensixHazardLregs *late = &h->t->late;
    uint32_t seen = use->seen | use->also_seen;
    uint32_t hidden = use->rule ? use->hidden | use->also_hidden : 0;
    bool disabled, stalls;

    if (!tensix_hazard_near(h, &late->by, 1)) {
        return;
    }
    disabled = CFG_GET(h->c, h->i->thread, CHICKEN_BITS_sfpu_scbd_disable);
    stalls = !disabled && (late->indirect ? seen : seen & late->lregs);
    if (stalls || !(late->lanes & lanes_of(h, use))) {
        return;
    }
    if (hidden & late->lregs) {
        tensix_hazard_report(h, use->rule, &late->by);
    } else if (disabled && seen & late->lregs) {
        tensix_hazard_report(h, HAZARD_SCOREBOARD_OFF, &late->by);
    }
}

static void record_late_result(const HazardCheck *h, const TensixVectorUse *use)
{
    TensixHazardLregs *late = &h->t->late;
    uint32_t lanes;

    if (tensix_vector_sub_unit(h->i->word) != VECTOR_SUB_MAD) {
        return;
    }
    lanes = lanes_of(h, use);
    late->by = tensix_hazard_site(h);
    late->lanes = lanes;
    late->indirect = use->writes & VECTOR_INDIRECT;
    late->lregs = ALL_LREGS &
                  (late->indirect ? tensix_vector_indirect(&h->c->s.vu, lanes)
                                  : use->writes);
}

static uint32_t backdoor_lanes(const TensixCore *c)
{
    return c->s.vu.lane_config_any
           ? tensix_vector_config_lanes(&c->s.vu,
                                        VECTOR_DISABLE_BACKDOOR_LOAD) : 0;
}

static void check_backdoor(const HazardCheck *h, const TensixVectorOp *op,
                           const TensixVectorUse *use)
{
    const TensixHazardThread *t = h->t;

    if (tensix_hazard_near(h, &t->backdoor, 1) && !use->configures &&
        op->vd >= VECTOR_BACKDOOR_VD &&
        backdoor_lanes(h->c) != t->backdoor_lanes) {
        tensix_hazard_report(h, HAZARD_BACKDOOR, &t->backdoor);
    }
}

static void record_backdoor(const HazardCheck *h, const TensixVectorOp *op,
                            const TensixVectorUse *use)
{
    if (use->configures && op->vd == CONFIG_LANE_CONFIG) {
        h->t->backdoor = tensix_hazard_site(h);
        h->t->backdoor_lanes = backdoor_lanes(h->c);
    }
}

/*
 * No lane uses its flag after reset, so a condition that is set before SFPENCC
 * excludes none.
 */
static void check_lane_flags(const HazardCheck *h, const TensixVectorUse *use)
{
    static const TensixHazardSite none;

    if (use->sets_flags && !h->c->s.vu.use_lane_flags) {
        tensix_hazard_report(h, HAZARD_LANE_FLAGS, &none);
    }
}

void tensix_hazard_vector(const HazardCheck *h)
{
    TensixVectorOp op;
    TensixVectorUse use;

    if (tensix_vector_rows[h->i->word >> 24].is_vector) {
        op = tensix_vector_decode(h->i);
        use = tensix_vector_use(&op);
        check_late(h, &use);
        check_backdoor(h, &op, &use);
        check_lane_flags(h, &use);
        record_late_result(h, &use);
        record_backdoor(h, &op, &use);
    }
}
