/*
 * Vector Unit: configuration, reset values, PRNG seed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPCONFIG.md, BH SoftReset.md, BH LReg.md.
 */

#include <string.h>

#include "num/num_prng.h"
#include "observe/note.h"
#include "vector/vector_ops.h"
#include "derived/update.h"

/* SFPCONFIG's Mod1. */
enum {
    CONFIG_IMM_IS_VALUE = 1 << 0,
    CONFIG_OPERATION = 3 << 1,     /* 0: replace */
    CONFIG_OR = 1 << 1,
    CONFIG_AND = 2 << 1,
    CONFIG_XOR = 3 << 1,
    CONFIG_IMM_IS_LANE_MASK = 1 << 3,
};

/* SFPCONFIG's VD. */
enum {
    CONFIG_TEMPLATE = 0,           /* 0..3 */
    CONFIG_SEQUENCE = 4,           /* 4..7 */
    CONFIG_MISC = 8,
    CONFIG_NOTHING = 9,            /* 9, 10 */
    CONFIG_LREG = 11,              /* 11..14 */
    CONFIG_LANE_CONFIG = 15,
    CONFIG_MISC_MASK = 0xfff,
    CONFIG_IMM_MASK = 0xffff,
};

/* FP32 bits of the programmable constants' defaults, LReg 11..14. */
static const uint32_t default_constant[] = {
    0xbf800000,                    /* -1.0 */
    0x3b000000,                    /* 1 / 512 */
    0xbf2cc4c7,                    /* -0.67487759 */
    0xbeb08ff9,                    /* -0.34484843 */
};

enum {
    LREG8_BITS = 0x3f56594b,       /* 0.8373 */
    LREG10_BITS = 0x3f800000,      /* 1.0 */
};

/*
 * Column k of the 4 by 8 grid takes part if its bit is set in the result: by
 * the immediate lane mask and by the flags of the lanes in row 0 alone; rows
 * 1 to 3 follow, ROW_MASK does not count.
 */
static uint32_t config_columns(const TensixVectorUnit *vu, uint32_t mod,
                               uint32_t imm)
{
    uint32_t columns = ~vu->use_lane_flags | vu->lane_flags;

    for (int k = 0; k < VECTOR_COLUMNS; k++) {
        if (mod & CONFIG_IMM_IS_LANE_MASK && !(imm >> (k * 2) & 1)) {
            columns &= ~(1u << k);
        }
    }
    return columns & 0xff;
}

static uint32_t combine(uint32_t old, uint32_t value, uint32_t mod)
{
    switch (mod & CONFIG_OPERATION) {
    case CONFIG_OR:
        return old | value;
    case CONFIG_AND:
        return old & value;
    case CONFIG_XOR:
        return old ^ value;
    default:
        return value;
    }
}

/* The destination's word of one lane, for a vd that does something. */
static uint32_t *config_cell(TensixVectorUnit *vu, uint32_t vd, unsigned lane)
{
    if (vd < CONFIG_SEQUENCE) {
        return &vu->load_macro.instruction_template[vd - CONFIG_TEMPLATE][lane];
    }
    if (vd < CONFIG_MISC) {
        return &vu->load_macro.sequence[vd - CONFIG_SEQUENCE][lane];
    }
    if (vd == CONFIG_MISC) {
        return &vu->load_macro.misc[lane];
    }
    if (vd == CONFIG_LANE_CONFIG) {
        return &vu->lane_config[lane];
    }
    return &vu->lreg[vd][lane];
}

/* What the destination becomes; value is LReg[0] or the immediate. */
static uint32_t config_result(uint32_t vd, uint32_t mod, uint32_t old,
                              uint32_t value)
{
    uint32_t kept;

    switch (vd) {
    case CONFIG_MISC:
        return combine(old, value, mod) & CONFIG_MISC_MASK;
    case CONFIG_LANE_CONFIG:
        /* an immediate does not reach the high bits: they stay */
        kept = mod & CONFIG_IMM_IS_VALUE ? old & ~(uint32_t)CONFIG_IMM_MASK : 0;
        return (combine(old, value, mod) | kept) & VECTOR_LANE_CONFIG_MASK;
    default:
        return value;
    }
}

/* Where the value comes from in lane `lane`. */
static uint32_t config_value(const TensixVectorUnit *vu,
                             const TensixVectorOp *op,
                             unsigned lane)
{
    if (!(op->mod & CONFIG_IMM_IS_VALUE) || op->vd < CONFIG_SEQUENCE) {
        return vu->lreg[0][lane % VECTOR_COLUMNS];
    }
    if (op->vd >= CONFIG_LREG && op->vd < CONFIG_LANE_CONFIG) {
        return default_constant[op->vd - CONFIG_LREG];
    }
    return op->imm;
}

/*
 * Exempt from the backdoor: VD 12..15 are SFPCONFIG's own destinations.  A
 * scheduled one may have a VD of 16, which is no destination.
 */
void tensix_vector_SFPCONFIG(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t columns = config_columns(vu, op->mod, op->imm);

    if ((op->vd >= CONFIG_NOTHING && op->vd < CONFIG_LREG) ||
        op->vd > CONFIG_LANE_CONFIG) {
        tensix_violation(c, op->insn, TENSIX_NON_CONTRACTUAL,
                         "SFPCONFIG destination %u does nothing",
                         (unsigned)op->vd);
        return;
    }
    TENSIX_NOTE(tensix_observe_compare(c, 1 << TENSIX_SPACE_LREG));
    for (unsigned lane = 0; lane < TENSIX_LANES; lane++) {
        uint32_t *cell = config_cell(vu, op->vd, lane);

        if (columns >> lane % VECTOR_COLUMNS & 1) {
            *cell = config_result(op->vd, op->mod, *cell,
                                  config_value(vu, op, lane));
        }
    }
    if (op->vd == CONFIG_LANE_CONFIG) {
        tensix_vector_summarise(vu);
    }
}

VECTOR_EXEC(SFPCONFIG)

static void fill_lreg(TensixVectorUnit *vu, uint32_t lreg, uint32_t value)
{
    for (int lane = 0; lane < TENSIX_LANES; lane++) {
        vu->lreg[lreg][lane] = value;
    }
}

void tensix_vector_reset(TensixCore *c)
{
    TensixVectorUnit *vu = &c->s.vu;

    memset(vu, 0, sizeof(*vu));
    memset(&c->s.macro, 0, sizeof(c->s.macro));
    tensix_set_macro_active(c, false);
    fill_lreg(vu, 8, LREG8_BITS);
    fill_lreg(vu, 10, LREG10_BITS);
    for (int k = 0; k < 4; k++) {
        fill_lreg(vu, CONFIG_LREG + k, default_constant[k]);
    }
    for (int lane = 0; lane < TENSIX_LANES; lane++) {
        vu->lreg[15][lane] = 2 * lane;
    }
    tensix_prng_seed(vu, 0);
}
