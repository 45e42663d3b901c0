/*
 * Vector Unit: lane predication.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH VectorUnit.md (Lane Predication Masks), BH SFPENCC.md, BH SFPCONFIG.md.
 */

#include "vector/vector_ops.h"

/* SFPENCC's Mod1 and Imm2. */
enum {
    ENCC_EC = 1 << 0,              /* invert UseLaneFlagsForLaneEnable */
    ENCC_EI = 1 << 1,              /* set it from ENCC_IMM_E; beats EC */
    ENCC_RI = 1 << 3,              /* LaneFlags from ENCC_IMM_R, not true */
    ENCC_IMM_E = 1 << 0,
    ENCC_IMM_R = 1 << 1,
};

const uint32_t tensix_lane_bit[TENSIX_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,
    1u << 7,  1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13,
    1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20,
    1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27,
    1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

uint32_t tensix_vector_config_lanes(const TensixVectorUnit *vu, uint32_t bits)
{
    uint32_t lanes = 0;

    for (int i = 0; i < TENSIX_LANES; i++) {
        lanes |= vu->lane_config[i] & bits ? tensix_lane_bit[i] : 0;
    }
    return lanes;
}

/* ROW_MASK of column k's lane in row 0 counts for the whole column. */
uint32_t tensix_vector_row_masked(const TensixVectorUnit *vu)
{
    uint32_t lanes = 0;

    for (int column = 0; column < VECTOR_COLUMNS; column++) {
        uint32_t rows = vu->lane_config[column] >> VECTOR_ROW_MASK_LOW;

        for (int row = 0; row < VECTOR_ROWS; row++) {
            lanes |= (rows >> row & 1) << (row * VECTOR_COLUMNS + column);
        }
    }
    return lanes;
}

uint32_t tensix_vector_backdoor_taken(TensixVectorUnit *vu, uint32_t vd,
                                      uint32_t word)
{
    uint32_t normal = tensix_vector_config_lanes(vu,
                                                 VECTOR_DISABLE_BACKDOOR_LOAD);

    for (int i = 0; i < TENSIX_LANES; i++) {
        if (!(normal & tensix_lane_bit[i])) {
            vu->load_macro.instruction_template[vd - VECTOR_BACKDOOR_VD][i] = word;
        }
    }
    return normal;
}

void tensix_vector_check_dest_index(TensixCore *c, const TensixVectorOp *op)
{
    if (c->s.vu.lane_config_any & VECTOR_ENABLE_DEST_INDEX) {
        tensix_violation(
            c, op->insn, TENSIX_UNPREDICTABLE_VALUE,
            "result for LReg[%u] with ENABLE_DEST_INDEX set (TEN-2932)",
            (unsigned)op->vd);
    }
}

/* Not predicated. */
void tensix_vector_SFPENCC(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_backdoor(vu, op);
    uint32_t use = vu->use_lane_flags;

    if (op->mod & ENCC_EI) {
        use = op->imm & ENCC_IMM_E ? VECTOR_ALL_LANES : 0;
    } else if (op->mod & ENCC_EC) {
        use = ~use;
    }
    vu->use_lane_flags = (vu->use_lane_flags & ~lanes) | (use & lanes);
    tensix_vector_set_flags(
        vu, op->mod & ENCC_RI && !(op->imm & ENCC_IMM_R) ? 0 : VECTOR_ALL_LANES,
        lanes);
}

VECTOR_EXEC_LANES(SFPENCC)
