/*
 * Hazards of the Vector Unit: results of two cycles, and LaneConfig.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Spec 001 5.1 and 5.2, BH SFPMAD.md ("Instruction scheduling").  Hardware
 * stalls an instruction that reads what the one before writes in its second
 * cycle, but its stalling logic mistakes what some instructions read.  Where it
 * stalls for another operand all is well.
 */

#include "hazard/hazard_internal.h"
#include "vector/vector.h"
#include "config/config.h"

enum {
    IADD_IMM = 1 << 0,
    SHFT_IMM_OF_VC = 5,            /* ARG_IMM and ARG_IMM_USE_VC */
    INDIRECT_VD = 1 << 3,          /* of the MAD sub-unit's instructions */

    SHFT2_COPY4 = 2,               /* SUBVEC_SHFLROR1_AND_COPY4 */
    SHFT2_SHFLSHR1 = 4,
    SHFT2_LREG = 5,
    SHFT2_IMM = 6,

    CONFIG_IMM = 1 << 0,           /* SFPCONFIG: the value is Imm16 */
    CONFIG_TEMPLATES = 4,          /* VD below it: always from LReg[0] */
    CONFIG_LANE_CONFIG = 15,
    LREG_BITS = 0xf,
    ALL_LREGS = 0xff,
    LREGS_0_TO_3 = 0xf,
    LREGS_1_TO_3 = 0xe,
    LREGS_OF_LUT = 0x7f,
};

/* LRegs that an instruction reads, and those that the logic thinks it does. */
typedef struct Reads {
    uint32_t hidden, seen;
    TensixHazardRule rule;               /* for the hidden ones */
} Reads;

static uint32_t lreg(uint32_t index)
{
    return 1u << index;
}

/* --- what is read --- */

/* SFPAND and SFPOR */
static Reads logic_reads(const TensixVectorOp *op)
{
    bool is_and = op->insn->word >> 24 == TENSIX_OP_SFPAND;

    if (!(op->mod & VECTOR_USE_VB)) {
        return (Reads) { .seen = lreg(op->vd) | lreg(op->vc) };
    }
    return (Reads) {
        lreg(op->vb), lreg(op->vd) | lreg(op->vc),
        is_and ? HAZARD_AND_VB : HAZARD_OR_VB,
    };
}

static Reads iadd_reads(const TensixVectorOp *op)
{
    return (Reads) {
        op->mod & IADD_IMM ? 0 : lreg(op->vd), lreg(op->vc), HAZARD_IADD_VD,
    };
}

static Reads shft_reads(const TensixVectorOp *op)
{
    bool only_vc = (op->mod & SHFT_IMM_OF_VC) == SHFT_IMM_OF_VC;

    return (Reads) {
        only_vc ? 0 : lreg(op->vd), lreg(op->vc), HAZARD_SHFT_VD,
    };
}

static Reads config_reads(const TensixVectorOp *op)
{
    bool value = op->vd < CONFIG_TEMPLATES || !(op->mod & CONFIG_IMM);

    return (Reads) { value ? lreg(0) : 0, 0, HAZARD_CONFIG_LREG0 };
}

/* SFPSWAP_MOD1_SWAP compares nothing; second cycles come late enough. */
static Reads swap_reads(const TensixVectorOp *op)
{
    return (Reads) {
        op->mod ? lreg(op->vc) | lreg(op->vd) : 0, 0, HAZARD_SWAP_FIRST,
    };
}

static Reads shft2_reads(const TensixVectorOp *op)
{
    if (op->mod < SHFT2_COPY4) {
        return (Reads) { .seen = LREGS_0_TO_3 };
    }
    if (op->mod <= SHFT2_SHFLSHR1) {
        return (Reads) {
            lreg(op->vc) | (op->mod == SHFT2_COPY4 ? LREGS_1_TO_3 : 0), 0,
            HAZARD_SHFT2_SHUFFLE,
        };
    }
    if (op->mod > SHFT2_IMM) {
        return (Reads) { 0 };
    }
    return (Reads) {
        lreg(op->vb),
        lreg(op->vd) | (op->mod == SHFT2_LREG ? lreg(op->vc) : 0),
        HAZARD_SHFT2_VB,
    };
}

/* Instructions whose operands the logic sees as they are. */
static uint32_t seen_reads(TensixVectorReads reads, const TensixVectorOp *op)
{
    switch (reads) {
    case VECTOR_READS_VD:
        return lreg(op->vd);
    case VECTOR_READS_VC:
        return lreg(op->vc);
    case VECTOR_READS_VD_VC:
        return lreg(op->vd) | lreg(op->vc);
    case VECTOR_READS_VA_VB_VC:
        return lreg(op->va) | lreg(op->vb) | lreg(op->vc);
    case VECTOR_READS_ALL:
        return ALL_LREGS;
    case VECTOR_READS_LUT:
        return LREGS_0_TO_3;
    case VECTOR_READS_LUTFP32:
        return LREGS_OF_LUT;
    default:
        return 0;
    }
}

static Reads reads_of(const TensixVectorOp *op)
{
    TensixVectorReads reads = tensix_vector_rows[op->insn->word >> 24].reads;

    switch (reads) {
    case VECTOR_READS_VB_BY_MOD:
        return logic_reads(op);
    case VECTOR_READS_IADD:
        return iadd_reads(op);
    case VECTOR_READS_SHFT:
        return shft_reads(op);
    case VECTOR_READS_CONFIG:
        return config_reads(op);
    case VECTOR_READS_SWAP:
        return swap_reads(op);
    case VECTOR_READS_SHFT2:
        return shft2_reads(op);
    default:
        return (Reads) { .seen = seen_reads(reads, op) };
    }
}

/* --- the rules --- */

/* Lanes that work; shuffles and SFPCONFIG read those of others too. */
static uint32_t lanes_of(const HazardCheck *h)
{
    const TensixVectorUnit *vu = &h->c->s.vu;
    uint32_t lanes = ~(vu->use_lane_flags & ~vu->lane_flags);

    if ((h->i->word >> 24) == TENSIX_OP_SFPSHFT2 || (h->i->word >> 24) == TENSIX_OP_SFPCONFIG) {
        return VECTOR_ALL_LANES;
    }
    return h->c->s.vu.lane_config_any ? lanes & ~tensix_vector_row_masked(vu) : lanes;
}

static void check_late(const HazardCheck *h, const TensixVectorOp *op)
{
    const TensixHazardLregs *late = &h->t->late;
    Reads r = reads_of(op);
    bool disabled = CFG_GET(h->c, h->i->thread, CHICKEN_BITS_sfpu_scbd_disable);
    bool stalls = !disabled && (late->indirect ? r.seen : r.seen & late->lregs);

    if (!tensix_hazard_near(h, &late->by, 1) || stalls ||
        !(late->lanes & lanes_of(h))) {
        return;
    }
    if (r.hidden & late->lregs) {
        tensix_hazard_report(h, r.rule, &late->by);
    } else if (disabled && r.seen & late->lregs) {
        tensix_hazard_report(h, HAZARD_SCOREBOARD_OFF, &late->by);
    }
}

/* LRegs that a result with an indirect VD really goes to. */
static uint32_t indirect_lregs(const TensixVectorUnit *vu, uint32_t lanes)
{
    uint32_t lregs = 0;

    for (unsigned l = 0; l < TENSIX_LANES; l++) {
        if (lanes >> l & 1) {
            lregs |= lreg(vu->lreg[7][l] & LREG_BITS);
        }
    }
    return lregs & ALL_LREGS;
}

static void note_late_result(const HazardCheck *h, const TensixVectorOp *op)
{
    TensixHazardLregs *late = &h->t->late;
    bool indirect = op->mod & INDIRECT_VD;

    if (tensix_vector_sub_unit(h->i->word) != VECTOR_SUB_MAD) {
        return;
    }
    late->by = tensix_hazard_site(h);
    late->lanes = lanes_of(h);
    late->indirect = indirect;
    late->lregs = indirect ? indirect_lregs(&h->c->s.vu, late->lanes)
                           : lreg(op->vd) & ALL_LREGS;
}

static uint32_t backdoor_lanes(const TensixCore *c)
{
    return c->s.vu.lane_config_any
           ? tensix_vector_config_lanes(&c->s.vu,
                                        VECTOR_DISABLE_BACKDOOR_LOAD) : 0;
}

static void check_backdoor(const HazardCheck *h, const TensixVectorOp *op)
{
    const TensixHazardThread *t = h->t;

    if (tensix_hazard_near(h, &t->backdoor, 1) &&
        (h->i->word >> 24) != TENSIX_OP_SFPCONFIG && (h->i->word >> 24) != TENSIX_OP_SFPNOP &&
        op->vd >= VECTOR_BACKDOOR_VD && backdoor_lanes(h->c) != t->backdoor_lanes) {
        tensix_hazard_report(h, HAZARD_BACKDOOR, &t->backdoor);
    }
}

static void note_backdoor(const HazardCheck *h, const TensixVectorOp *op)
{
    if ((h->i->word >> 24) == TENSIX_OP_SFPCONFIG && op->vd == CONFIG_LANE_CONFIG) {
        h->t->backdoor = tensix_hazard_site(h);
        h->t->backdoor_lanes = backdoor_lanes(h->c);
    }
}

void tensix_hazard_vector(const HazardCheck *h)
{
    TensixVectorOp op;

    if (tensix_vector_rows[(h->i->word >> 24)].is_vector) {
        op = tensix_vector_decode(h->i);
        check_late(h, &op);
        check_backdoor(h, &op);
        note_late_result(h, &op);
        note_backdoor(h, &op);
    }
}
