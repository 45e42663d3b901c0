/*
 * Vector Unit: which LRegs an instruction reads and writes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the logic that stalls thinks of this is in hazard_vector.c.
 * tests/unit/test-unwritten.c compares with what instructions do.
 */

#include "observe/observe.h"
#include "vector/vector_cells.h"
#include "vector/vector_lregs.h"
#include "vector/vector_macro.h"

/* Bits and values of the instructions' modes. */
enum {
    MODE_IMM = 1 << 0,             /* SFPSETEXP, SFPIADD and their kin */
    SETCC_CLEAR = 1 << 3,
    MOV_ALL_LANES = 2,
    MOV_FROM_SPECIAL = 1 << 3,
    SHFT_IMM_OF_VC = 1 << 2,
    RND_FLAVOUR = 7, RND_USE_IMM5 = 1 << 3,
    RND_INT32_TO_UINT8 = 4, RND_INT32_TO_INT8 = 5,
    ARECIP_COND_RECIP = 1,
    COMPARE_SET_CC = 1 << 0, COMPARE_MUTATE_STACK = 1 << 1,
    COMPARE_SET_VD = 1 << 3,
    MAD_INDIRECT_VA = 1 << 2, MAD_INDIRECT_VD = 1 << 3,
    LUTFP32_FP16 = 1 << 1, LUTFP32_3ENTRY = 10,
    CONFIG_TEMPLATES = 4,          /* VD below it: always from LReg[0] */
    SHFT2_COPY4 = 0, SHFT2_CHAINED_COPY4, SHFT2_SHFLROR1_AND_COPY4,
    SHFT2_SHFT_LREG = 5, SHFT2_SHFT_IMM = 6,
};

/* Registers, a bit each. */
enum {
    LREGS_0_TO_3 = 0x0f,
    LREGS_4_TO_7 = 0xf0,
    LREGS_OF_LUT = 0x7f,
    LREGS_RESULTS = 0x100ff,       /* that take results */
    LREG_SHIFTED_IN = 3,           /* of the modes that shift four */
    LREG_INDEX = 7, INDEX_MASK = 15,
};

static uint32_t bit_of(uint32_t index)
{
    return 1u << index;
}

static uint32_t opcode_of(const TensixVectorOp *op)
{
    return op->insn->word >> 24;
}

static bool is_mad(const TensixVectorOp *op)
{
    return tensix_vector_sub_unit(op->insn->word) == VECTOR_SUB_MAD;
}

/* LRegs that LReg[7] names in these lanes. */
static uint32_t indirect(const TensixVectorUnit *vu, uint32_t lanes)
{
    uint32_t lregs = 0;

    for (unsigned l = 0; l < TENSIX_LANES; l++) {
        if (lanes >> l & 1) {
            lregs |= bit_of(vu->lreg[LREG_INDEX][l] & INDEX_MASK);
        }
    }
    return lregs;
}

/* --- lanes --- */

/* Does it act in lanes that are not enabled, too? */
static bool is_unconditional(const TensixVectorOp *op)
{
    switch (opcode_of(op)) {
    case TENSIX_OP_SFPMOV:
        return op->mod == MOV_ALL_LANES;
    case TENSIX_OP_SFPLOAD:
    case TENSIX_OP_SFPLOADMACRO:
    case TENSIX_OP_SFPSTORE:
        return op->mod == FMT_INT32_ALL;
    case TENSIX_OP_SFPGT:
    case TENSIX_OP_SFPLE:
        return op->mod & COMPARE_MUTATE_STACK;
    default:
        return opcode_of(op) == TENSIX_OP_SFPCONFIG;
    }
}

/* Lanes in which it acts as itself; in others its word may become a template. */
static uint32_t acting_lanes(const TensixVectorUnit *vu,
                             const TensixVectorOp *op)
{
    uint32_t lanes = op->scheduled ? op->lanes : VECTOR_ALL_LANES;

    if (!op->scheduled && op->vd >= VECTOR_BACKDOOR_VD &&
        opcode_of(op) != TENSIX_OP_SFPCONFIG) {
        lanes = tensix_vector_config_lanes(vu, VECTOR_DISABLE_BACKDOOR_LOAD);
    }
    return is_unconditional(op) ? lanes
                                : lanes & tensix_vector_enabled(vu, op);
}

/* --- reads --- */

/* Instructions of one operand, VC, and some with more. */
static uint32_t vc_reads(const TensixVectorOp *op)
{
    uint32_t flavour = op->mod & RND_FLAVOUR;

    switch (opcode_of(op)) {
    case TENSIX_OP_SFPSETCC:
        return op->mod & (SETCC_CLEAR | MODE_IMM) ? 0 : bit_of(op->vc);
    case TENSIX_OP_SFPMOV:
        return op->mod & MOV_FROM_SPECIAL ? 0 : bit_of(op->vc);
    case TENSIX_OP_SFP_STOCH_RND:
        return bit_of(op->vc) |
               (!(op->mod & RND_USE_IMM5) && (flavour == RND_INT32_TO_UINT8 ||
                                              flavour == RND_INT32_TO_INT8)
                ? bit_of(op->vb) : 0);
    case TENSIX_OP_SFPARECIP:
        return bit_of(op->vc) |
               (op->mod == ARECIP_COND_RECIP ? bit_of(op->vb) : 0);
    default:
        return bit_of(op->vc);
    }
}

/* SFPSETEXP, SFPSETMAN and SFPSETSGN; comparisons; SFPXOR. */
static uint32_t two_reads(const TensixVectorOp *op)
{
    const uint32_t uses = COMPARE_SET_CC | COMPARE_MUTATE_STACK | COMPARE_SET_VD;
    uint32_t both = bit_of(op->vb) | bit_of(op->vc);

    switch (opcode_of(op)) {
    case TENSIX_OP_SFPXOR:
        return both;
    case TENSIX_OP_SFPGT:
    case TENSIX_OP_SFPLE:
        return op->mod & uses ? both : 0;
    default:
        return op->mod & MODE_IMM ? bit_of(op->vc) : both;
    }
}

static uint32_t mad_reads(const TensixVectorUnit *vu, const TensixVectorOp *op,
                          uint32_t lanes)
{
    return bit_of(op->vb) | bit_of(op->vc) |
           (op->mod & MAD_INDIRECT_VA ? bit_of(LREG_INDEX) | indirect(vu, lanes)
                                      : bit_of(op->va));
}

static uint32_t shift_reads(const TensixVectorOp *op)
{
    if (!(op->mod & MODE_IMM)) {
        return bit_of(op->vb) | bit_of(op->vc);
    }
    return bit_of(op->mod & SHFT_IMM_OF_VC ? op->vc : op->vb);
}

static uint32_t shuffle_reads(const TensixVectorOp *op)
{
    switch (op->mod) {
    case SHFT2_COPY4:
    case SHFT2_CHAINED_COPY4:
        return 0;
    case SHFT2_SHFT_LREG:
        return bit_of(op->vb) | bit_of(op->vc);
    case SHFT2_SHFT_IMM:
        return bit_of(op->vb);
    default:
        return op->mod < SHFT2_SHFT_LREG ? bit_of(op->vc) : 0;
    }
}

static uint32_t sfpconfig_reads(const TensixVectorOp *op)
{
    return op->vd < CONFIG_TEMPLATES || !(op->mod & MODE_IMM) ? bit_of(0) : 0;
}

static uint32_t lutfp32_reads(const TensixVectorOp *op)
{
    return (op->mod & LUTFP32_3ENTRY) == LUTFP32_3ENTRY ? LREGS_0_TO_3
                                                        : LREGS_OF_LUT;
}

/* As the table has it, but for what only the stalling logic believes. */
static uint32_t operands(const TensixVectorUnit *vu, const TensixVectorOp *op,
                         uint32_t lanes)
{
    switch ((TensixVectorReads)tensix_vector_rows[opcode_of(op)].reads) {
    case VECTOR_READS_VD:          /* VC of SFPADDI and SFPMULI */
        return is_mad(op) ? bit_of(op->vc)
                          : op->mod == FMT_ZERO ? 0 : bit_of(op->vd);
    case VECTOR_READS_VC:
        return vc_reads(op);
    case VECTOR_READS_VD_VC:
        return two_reads(op);
    case VECTOR_READS_VA_VB_VC:
        return mad_reads(vu, op, lanes);
    case VECTOR_READS_VB_BY_MOD:
        return bit_of(op->vb) | bit_of(op->vc);
    case VECTOR_READS_LUT:
        return LREGS_0_TO_3;
    case VECTOR_READS_LUTFP32:
        return lutfp32_reads(op);
    case VECTOR_READS_IADD:
        return bit_of(op->vc) | (op->mod & MODE_IMM ? 0 : bit_of(op->vb));
    case VECTOR_READS_SHFT:
        return shift_reads(op);
    case VECTOR_READS_CONFIG:
        return sfpconfig_reads(op);
    case VECTOR_READS_SWAP:
        return op->mod ? bit_of(op->vc) | bit_of(op->vd) : 0;
    case VECTOR_READS_SHFT2:
        return shuffle_reads(op);
    default:
        return 0;
    }
}

/* --- writes --- */

/* Instructions without a result in LReg[VD]. */
static bool has_no_result(const TensixVectorOp *op)
{
    switch (opcode_of(op)) {
    case TENSIX_OP_SFPSTORE:
    case TENSIX_OP_SFPSETCC:
    case TENSIX_OP_SFPPUSHC:
    case TENSIX_OP_SFPPOPC:
    case TENSIX_OP_SFPENCC:
    case TENSIX_OP_SFPCOMPC:
    case TENSIX_OP_SFPNOP:
    case TENSIX_OP_SFPCONFIG:
    case TENSIX_OP_SFPTRANSP:
        return true;
    case TENSIX_OP_SFPGT:
    case TENSIX_OP_SFPLE:
        return !(op->mod & COMPARE_SET_VD);
    case TENSIX_OP_SFPSWAP:
        return !op->mod;
    case TENSIX_OP_SFPSHFT2:
        return op->mod <= SHFT2_SHFLROR1_AND_COPY4 || op->mod > SHFT2_SHFT_IMM;
    default:
        return false;
    }
}

static uint32_t results(const TensixVectorUnit *vu, const TensixVectorOp *op,
                        uint32_t lanes)
{
    switch (opcode_of(op)) {
    case TENSIX_OP_SFPLOADMACRO:
        return bit_of(tensix_vector_macro_vd(op->insn->word));
    case TENSIX_OP_SFPSWAP:
        return op->mod ? bit_of(op->vc) | bit_of(op->vd) : 0;
    case TENSIX_OP_SFPSHFT2:
        if (op->mod == SHFT2_SHFLROR1_AND_COPY4) {
            return bit_of(LREG_SHIFTED_IN);
        }
        break;
    default:
        break;
    }
    if (has_no_result(op)) {
        return 0;
    }
    return is_mad(op) && op->mod & MAD_INDIRECT_VD && op->vd != VECTOR_LREG_MACRO
           ? indirect(vu, lanes) : bit_of(op->vd);
}

/* --- both, and moves --- */

static void find_moves(const TensixVectorOp *op, TensixVectorLregs *l)
{
    switch (opcode_of(op)) {
    case TENSIX_OP_SFPTRANSP:
        l->moves[0] = LREGS_0_TO_3;
        l->moves[1] = LREGS_4_TO_7;
        break;
    case TENSIX_OP_SFPSWAP:
        l->moves[0] = op->mod ? 0 : bit_of(op->vc) | bit_of(op->vd);
        break;
    case TENSIX_OP_SFPSHFT2:
        l->moves[0] = op->mod <= SHFT2_SHFLROR1_AND_COPY4 ? LREGS_0_TO_3 : 0;
        break;
    default:
        break;
    }
}

TensixVectorLregs tensix_vector_lregs(const TensixVectorUnit *vu,
                                      const TensixVectorOp *op)
{
    uint32_t lanes = acting_lanes(vu, op);
    TensixVectorLregs l = { 0 };

    if (lanes) {
        l.reads = operands(vu, op, lanes);
        l.writes = results(vu, op, lanes) & LREGS_RESULTS;
        find_moves(op, &l);
    }
    if (lanes && is_mad(op) && op->mod & MAD_INDIRECT_VD) {
        l.reads |= bit_of(LREG_INDEX);
    }
    return l;
}

static void note(TensixCore *c, uint32_t lregs,
                 void (*fn)(TensixCore *c, TensixSpace space, uint32_t first,
                            uint32_t count))
{
    for (uint32_t n = 0; n < TENSIX_LREGS; n++) {
        if (lregs >> n & 1) {
            fn(c, TENSIX_SPACE_LREG, n, 1);
        }
    }
}

/* What nobody wrote stays so, as long as it is moved among its like. */
static void note_move(TensixCore *c, uint32_t lregs)
{
    uint32_t written = lregs & ~tensix_unwritten_lregs(c);

    note(c, written, tensix_observe_read);
    note(c, written ? lregs & LREGS_RESULTS : 0, tensix_observe_mark);
}

void tensix_vector_note_lregs(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorLregs l = tensix_vector_lregs(&c->s.vu, op);

    note(c, l.reads, tensix_observe_read);
    note(c, l.writes, tensix_observe_mark);
    for (unsigned n = 0; n < VECTOR_MOVES; n++) {
        note_move(c, l.moves[n]);
    }
}
