/*
 * Vector Unit: comparisons, and the stack of lane flags.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPSETCC.md, SFPGT.md, SFPLE.md, SFPPUSHC.md, SFPPOPC.md, SFPCOMPC.md.
 */

#include "vector/vector_ops.h"

/* SFPSETCC's Mod1: bits that beat the comparison, else which comparison. */
enum {
    SETCC_IMM = 1 << 0,
    SETCC_NE0 = 1 << 1,            /* else LT0 */
    SETCC_INVERT = 1 << 2,         /* EQ0, GTE0 */
    SETCC_CLEAR = 1 << 3,
};

/* Mod1 of SFPGT and SFPLE. */
enum {
    COMPARE_SET_CC = 1 << 0,
    COMPARE_MUTATE_STACK = 1 << 1,
    COMPARE_MUTATE_OR = 1 << 2,    /* else AND */
    COMPARE_SET_VD = 1 << 3,
};

/* Mod1 of SFPPUSHC and SFPPOPC; 1 to 12 are boolean operations. */
enum {
    STACK_PLAIN = 0,
    STACK_BOOLEAN_LAST = 12,
    STACK_INVERT = 13,
    STACK_TRUE = 14,
    STACK_FALSE = 15,
};

/* LT0 and NE0, and what is the contrary of each. */
static uint32_t setcc_compare(const uint32_t *x, uint32_t mod)
{
    uint32_t flags = mod & SETCC_NE0 ? tensix_vector_nonzero(x) : tensix_vector_signs(x);

    return mod & SETCC_INVERT ? ~flags : flags;
}

void tensix_vector_SFPSETCC(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t flags;

    if (op->mod & SETCC_CLEAR) {
        flags = 0;
    } else if (op->mod & SETCC_IMM) {
        flags = op->imm & 1 ? VECTOR_ALL_LANES : 0;
    } else {
        flags = setcc_compare(vu->lreg[op->vc], op->mod);
    }
    flags &= vu->use_lane_flags;
    if (op->plain) {
        /* enabled are lanes whose flag is set or not used: others have 0 */
        vu->lane_flags &= flags;
    } else {
        tensix_vector_set_flags(vu, flags, tensix_vector_issue(vu, op));
    }
}

/* The top of the stack changes in disabled lanes as well. */
static void compare_mutate(TensixVectorUnit *vu, uint32_t mod, uint32_t result,
                           uint32_t lanes)
{
    uint32_t *top;

    if (!vu->flag_stack_depth) {
        return;
    }
    top = &vu->flag_stack[vu->flag_stack_depth - 1].lane_flags;
    *top = mod & COMPARE_MUTATE_OR ? *top | (result & lanes) : *top & (result | ~lanes);
}

/* SFPGT and SFPLE with their result. */
static void compare(TensixCore *c, const TensixVectorOp *op,
                    uint32_t result)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_backdoor(vu, op);
    uint32_t enabled = lanes ? lanes & tensix_vector_enabled(vu, op) : 0;
    TensixLanes r;

    if (op->mod & COMPARE_SET_VD) {
        tensix_vector_expand(&r, result);
        tensix_vector_result(c, op, &r, enabled);
    }
    if (op->mod & COMPARE_SET_CC) {
        tensix_vector_set_flags(vu, result, enabled);
    }
    if (op->mod & COMPARE_MUTATE_STACK) {
        compare_mutate(vu, op->mod, result, lanes);
    }
}

void tensix_vector_SFPGT(TensixCore *c, const TensixVectorOp *op)
{
    const TensixVectorUnit *vu = &c->s.vu;

    compare(c, op, tensix_vector_smaller(vu->lreg[op->vc], vu->lreg[op->vb]));
}

void tensix_vector_SFPLE(TensixCore *c, const TensixVectorOp *op)
{
    const TensixVectorUnit *vu = &c->s.vu;

    compare(c, op, ~tensix_vector_smaller(vu->lreg[op->vc], vu->lreg[op->vb]));
}

/* BooleanOp() of BH SFPPUSHC.md for all lanes; mod 1..12. */
static uint32_t boolean_op(uint32_t mod, uint32_t a, uint32_t b)
{
    switch (mod) {
    case 1:
        return b;
    case 2:
        return ~b;
    case 3:
        return a & b;
    case 4:
        return a | b;
    case 5:
        return a & ~b;
    case 6:
        return a | ~b;
    case 7:
        return ~a & b;
    case 8:
        return ~a | b;
    case 9:
        return ~a & ~b;
    case 10:
        return ~a | ~b;
    case 11:
        return a ^ b;
    default:
        return ~(a ^ b);
    }
}

/* `value` in the chosen lanes, the old one in the others. */
static uint32_t choose_lanes(uint32_t lanes, uint32_t value, uint32_t old)
{
    return (value & lanes) | (old & ~lanes);
}

/*
 * Lanes in which a stack instruction acts.  The hardware has a stack per
 * lane; a backdoor write in some lanes only would give them different depths,
 * which this model does not have.
 */
static uint32_t stack_lanes(TensixCore *c, const TensixVectorOp *op)
{
    uint32_t lanes = tensix_vector_backdoor(&c->s.vu, op);

    if (lanes && lanes != VECTOR_ALL_LANES && op->mod == STACK_PLAIN) {
        tensix_violation(c, op->insn, TENSIX_UNIMPLEMENTED,
                         "flag stacks of different depth: lanes 0x%x only",
                         (unsigned)lanes);
        return 0;
    }
    return lanes;
}

static void push(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;

    if (vu->flag_stack_depth >= TENSIX_FLAG_STACK_DEPTH) {
        tensix_violation(c, op->insn, TENSIX_UNDEFINED_BEHAVIOUR,
                         "SFPPUSHC on a full flag stack");
        return;
    }
    vu->flag_stack[vu->flag_stack_depth++] = (TensixFlagStackEntry) {
        .lane_flags = vu->lane_flags, .use_lane_flags = vu->use_lane_flags,
    };
}

/* What SFPPUSHC's other modes make of the top. */
static TensixFlagStackEntry push_mutated(TensixVectorUnit *vu, uint32_t mod,
                                         uint32_t lanes,
                                         TensixFlagStackEntry top)
{
    if (mod >= STACK_TRUE) {
        top.use_lane_flags = VECTOR_ALL_LANES;
        top.lane_flags = mod == STACK_TRUE ? VECTOR_ALL_LANES : 0;
        return top;
    }
    top.use_lane_flags = vu->use_lane_flags;
    if (mod == STACK_INVERT) {
        vu->lane_flags ^= lanes;
        top.lane_flags = vu->lane_flags;
    } else {
        top.lane_flags = boolean_op(mod, top.lane_flags, vu->lane_flags);
    }
    return top;
}

void tensix_vector_SFPPUSHC(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = stack_lanes(c, op);
    TensixFlagStackEntry *top, new;

    if (!lanes) {
        return;
    }
    if (op->mod == STACK_PLAIN) {
        push(c, op);
        return;
    }
    if (!vu->flag_stack_depth) {
        tensix_violation(c, op->insn, TENSIX_UNDEFINED_BEHAVIOUR,
                         "SFPPUSHC mode %u on an empty flag stack", (unsigned)op->mod);
        return;
    }
    top = &vu->flag_stack[vu->flag_stack_depth - 1];
    new = push_mutated(vu, op->mod, lanes, *top);
    top->lane_flags = choose_lanes(lanes, new.lane_flags, top->lane_flags);
    top->use_lane_flags = choose_lanes(lanes, new.use_lane_flags,
                                       top->use_lane_flags);
}

/* The top, or what an empty stack reads as. */
static TensixFlagStackEntry stack_top(const TensixVectorUnit *vu,
                                      uint32_t empty)
{
    if (!vu->flag_stack_depth) {
        return (TensixFlagStackEntry) { .lane_flags = empty,
                                       .use_lane_flags = empty };
    }
    return vu->flag_stack[vu->flag_stack_depth - 1];
}

/* What SFPPOPC makes of the current flags, given the top. */
static TensixFlagStackEntry popped(const TensixVectorUnit *vu, uint32_t mod,
                                   TensixFlagStackEntry top)
{
    if (mod == STACK_PLAIN) {
        return top;
    }
    if (mod <= STACK_BOOLEAN_LAST) {
        top.lane_flags = boolean_op(mod, vu->lane_flags, top.lane_flags);
        return top;
    }
    if (mod == STACK_INVERT) {
        return (TensixFlagStackEntry) {
            .lane_flags = ~vu->lane_flags, .use_lane_flags = vu->use_lane_flags,
        };
    }
    return (TensixFlagStackEntry) {
        .lane_flags = mod == STACK_TRUE ? VECTOR_ALL_LANES : 0,
        .use_lane_flags = VECTOR_ALL_LANES,
    };
}

void tensix_vector_SFPPOPC(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = stack_lanes(c, op);
    TensixFlagStackEntry new = popped(vu, op->mod, stack_top(vu, 0));

    if (lanes && op->mod == STACK_PLAIN) {
        if (vu->flag_stack_depth) {
            vu->flag_stack_depth--;
        } else {
            tensix_violation(c, op->insn, TENSIX_UNDEFINED_BEHAVIOUR,
                             "SFPPOPC on an empty flag stack");
        }
    }
    vu->lane_flags = choose_lanes(lanes, new.lane_flags, vu->lane_flags);
    vu->use_lane_flags = choose_lanes(lanes, new.use_lane_flags,
                                      vu->use_lane_flags);
}

/* Not predicated; an empty stack reads as all true. */
void tensix_vector_SFPCOMPC(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_backdoor(vu, op);
    TensixFlagStackEntry top = stack_top(vu, VECTOR_ALL_LANES);

    tensix_vector_set_flags(vu,
                            top.use_lane_flags & vu->use_lane_flags & top.lane_flags &
                            ~vu->lane_flags, lanes);
}

VECTOR_EXEC_LANES(SFPSETCC)
VECTOR_EXEC(SFPGT)
VECTOR_EXEC(SFPLE)
VECTOR_EXEC_LANES(SFPPUSHC)
VECTOR_EXEC_LANES(SFPPOPC)
VECTOR_EXEC_LANES(SFPCOMPC)
