/*
 * Vector Unit (SFPU): what its instruction files share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An instruction is: decode its word into a TensixVectorOp; ask tensix_vector_issue()
 * for the lanes it works in; compute 32 results into a TensixLanes, with modes
 * resolved before the lane loop; write them with tensix_vector_write().  Reading VA,
 * VB and VC is indexing vu->lreg: the constants LReg 8 to 15 are kept there.
 */

#ifndef TENSIX_VECTOR_H
#define TENSIX_VECTOR_H

#include "tensix_core_struct.h"
#include "decode/isa.h"
#include "num/simd.h"
#include "vector/vector_decode.h"

enum {
    VECTOR_ALL_LANES = 0xffffffffu,
    VECTOR_LREG_WRITABLE = 8,          /* LReg 0..7 take ordinary results */
    VECTOR_BACKDOOR_VD = 12,           /* VD from here on: InstructionTemplate */
    VECTOR_LREG_MACRO = 16,            /* SFPLOADMACRO's extra register */
    VECTOR_COLUMNS = 8,                /* lanes are a grid of 4 rows of 8 */
    VECTOR_ROWS = 4,
};

/* LaneConfig, 18 bits (BH SFPCONFIG.md). */
enum {
    VECTOR_ENABLE_FP16A_INF = 1 << 0,
    VECTOR_DISABLE_BACKDOOR_LOAD = 1 << 1,
    VECTOR_ENABLE_DEST_INDEX = 1 << 2,
    VECTOR_CAPTURE_DEFAULT_DEST_INDEX = 1 << 3,
    VECTOR_BLOCK_DEST_WR_FROM_SFPU = 1 << 4,
    VECTOR_BLOCK_SFPU_RD_FROM_DEST = 1 << 5,
    VECTOR_DEST_RD_COL_EXCHANGE = 1 << 6,
    VECTOR_DEST_WR_COL_EXCHANGE = 1 << 7,
    VECTOR_EXCHANGE_SRCB_SRCC = 1 << 8,
    VECTOR_BLOCK_DEST_MOV_LOW = 9,     /* 2 bits */
    VECTOR_ROW_MASK_LOW = 12,          /* 4 bits, one a row of lanes */
    VECTOR_LANE_CONFIG_MASK = 0x3ffff,
};

/* One value a lane; loops over x[] vectorise, and no vector crosses a line. */
typedef struct TensixLanes {
    uint32_t x[TENSIX_LANES] __attribute__((aligned(64)));
} TensixLanes;

/* Bit i set for lane i; constants the vectoriser keeps in registers. */
extern const uint32_t tensix_lane_bit[TENSIX_LANES]
    TENSIX_ISA_SYMBOL("tensix_lane_bit");

/* All ones in the lanes whose bit is set in `lanes`, else zero. */
static inline void tensix_vector_expand(TensixLanes *mask, uint32_t lanes)
{
    SIMD_EACH(l) {
        simd_store(&mask->x[l],
                   simd_select(simd_mask(lanes >> l), ~(SimdU) { 0 },
                                            (SimdU) { 0 }));
    }
}

/* Bit i: the sign bit of lane i. */
static inline uint32_t tensix_vector_signs(const uint32_t *x)
{
    uint32_t bits = 0;

    SIMD_EACH(l) {
        bits |= simd_bits(simd_negative(simd_load(&x[l]))) << l;
    }
    return bits;
}

/* What op->plain says: the common case, which instructions are built for. */
static inline bool tensix_vector_is_plain(const TensixCore *c,
                                          const TensixVectorOp *op)
{
    return op->vd < VECTOR_LREG_WRITABLE && !c->s.vu.lane_config_any;
}

/* Lanes whose LaneConfig has (one of) the bits.  (vector_cc.c) */
uint32_t tensix_vector_config_lanes(const TensixVectorUnit *vu, uint32_t bits)
    TENSIX_ISA_SYMBOL("tensix_vector_config_lanes");

/* Lanes that LaneConfig's ROW_MASK disables.  (vector_cc.c) */
uint32_t tensix_vector_row_masked(const TensixVectorUnit *vu)
    TENSIX_ISA_SYMBOL("tensix_vector_row_masked");

/* Lanes that LaneFlags disables. */
static inline uint32_t tensix_vector_off(const TensixVectorUnit *vu)
{
    return vu->use_lane_flags & ~vu->lane_flags;
}

/* IsLaneEnabled() of BH VectorUnit.md for all lanes. */
static inline uint32_t tensix_vector_enabled(const TensixVectorUnit *vu,
                                             const TensixVectorOp *op)
{
    uint32_t off = op->everywhere ? 0 : tensix_vector_off(vu);

    if (__builtin_expect(op->plain && !off, true)) {
        return VECTOR_ALL_LANES;       /* computed elsewhere */
    }
    return ~(op->plain ? off : off | tensix_vector_row_masked(vu));
}

/* tensix_vector_backdoor() for a VD of 12..15.  (vector_cc.c) */
uint32_t tensix_vector_backdoor_taken(TensixVectorUnit *vu, uint32_t vd,
                                      uint32_t word)
    TENSIX_ISA_SYMBOL("tensix_vector_backdoor_taken");

/*
 * Lanes in which op acts as itself.  In the others, VD 12..15 writes its word
 * to InstructionTemplate[VD - 12] instead, enabled or not (BH SFPCONFIG.md,
 * DISABLE_BACKDOOR_LOAD).
 */
static inline uint32_t tensix_vector_backdoor(TensixVectorUnit *vu,
                                              const TensixVectorOp *op)
{
    if (op->scheduled) {
        return op->lanes;
    }
    return op->plain || op->vd < VECTOR_BACKDOOR_VD ? VECTOR_ALL_LANES
                                   : tensix_vector_backdoor_taken(vu, op->vd,
                                                                  op->insn->word);
}

/* Lanes in which op acts as itself and which are enabled. */
static inline uint32_t tensix_vector_issue(TensixVectorUnit *vu,
                                           const TensixVectorOp *op)
{
    uint32_t lanes = tensix_vector_backdoor(vu, op);

    return lanes ? lanes & tensix_vector_enabled(vu, op) : 0;
}

/* LaneFlags of `lanes` become those of `flags`; the others stay. */
static inline void tensix_vector_set_flags(TensixVectorUnit *vu, uint32_t flags,
                                           uint32_t lanes)
{
    vu->lane_flags = (vu->lane_flags & ~lanes) | (flags & lanes);
}

/* Can an ordinary result go to this LReg? */
static inline bool tensix_vector_writable(uint32_t vd)
{
    return vd < VECTOR_LREG_WRITABLE || vd == VECTOR_LREG_MACRO;
}

/* LReg[vd] takes r in `lanes`; vd has been checked by tensix_vector_writable(). */
static inline void tensix_vector_write(TensixVectorUnit *vu, uint32_t vd,
                                       const TensixLanes *r, uint32_t lanes)
{
    uint32_t *d = vu->lreg[vd];

    if (lanes == VECTOR_ALL_LANES) {
        SIMD_EACH(l) {
            simd_store(&d[l], simd_load(&r->x[l]));
        }
        return;
    }
    SIMD_EACH(l) {
        simd_store(&d[l],
                   simd_select(simd_mask(lanes >> l), simd_load(&r->x[l]),
                                      simd_load(&d[l])));
    }
}

/*
 * Erratum TEN-2932 (ttsim): reports op's result, which is for LReg 4..7, if a
 * lane has ENABLE_DEST_INDEX; hardware stores something else.  Not for loads,
 * SFPCONFIG, SFPSWAP and SFPTRANSP.  (vector_cc.c)
 */
void tensix_vector_check_dest_index(TensixCore *c, const TensixVectorOp *op)
    TENSIX_ISA_SYMBOL("tensix_vector_check_dest_index");

/* Reset values of BH SoftReset.md; also SFPU's state at power-on. */
void tensix_vector_reset(TensixCore *c)
    TENSIX_ISA_SYMBOL("tensix_vector_reset");

/*
 * Executes i, by exec, in a cycle in which something that SFPLOADMACRO scheduled
 * may run as well.  (vector_macro.c)
 */
TensixResult tensix_vector_exec_busy(TensixCore *c, const TensixInsn *i,
                                 TensixExecFn *exec)
    TENSIX_ISA_SYMBOL("tensix_vector_exec_busy");

/*
 * Lets so much time pass that of what SFPLOADMACRO scheduled only that is left
 * which waits for further instructions.  (vector_macro.c)
 */
void tensix_vector_drain(TensixCore *c) TENSIX_ISA_SYMBOL("tensix_vector_drain");

/* A copy after tensix_vector_drain(); *c is unchanged.  (vector_drained.c) */
TensixCore tensix_drained_copy(const TensixCore *c);

#endif
