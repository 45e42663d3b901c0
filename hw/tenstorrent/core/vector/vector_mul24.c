/*
 * Vector Unit: multiplication of 23-bit integers (MAD sub-unit).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BH SFPMUL24.md.  The product goes through the adder of the floating-point
 * path, where a VC with a nonzero exponent field makes itself felt.
 */

#include "vector/vector_ops.h"

/* Mod1. */
enum {
    MUL24_UPPER = 1 << 0,
    MUL24_INDIRECT_VA = 1 << 2,
    MUL24_INDIRECT_VD = 1 << 3,
};

enum {
    LREG_INDEX = 7,
    INDEX_MASK = 15,
    BITS23 = 0x7fffff,
    PRODUCT_EXPONENT = 129,
    GUARD_BITS = 3,
    ROUND_LIMIT = 0xffff,
    ROUND_ONE = 1 << 16,
};

/* Mul24ShiftAdd() of the page: p plus z's mantissa, both shifted. */
static uint32_t shift_add(uint32_t p, uint32_t z)
{
    uint32_t exponent = z >> 23 & 0xff;
    uint32_t larger = exponent > PRODUCT_EXPONENT ? exponent : PRODUCT_EXPONENT;
    uint32_t by = (larger - exponent) & 31;
    uint32_t exact = ((z & BITS23) | 1u << 23) << GUARD_BITS;
    uint32_t addend = exact >> by;

    if (!exponent) {
        return p;
    }
    p >>= (larger - PRODUCT_EXPONENT) & 31;
    if (!addend) {
        return p;
    }
    p += addend + ((addend << by ^ exact) > ROUND_LIMIT ? ROUND_ONE : 0);
    return p & BITS23;
}

static uint32_t multiply24(uint32_t a, uint32_t b, bool upper)
{
    uint64_t wide = (uint64_t)(a & BITS23) * (b & BITS23);

    return upper ? (uint32_t)(wide >> 23) : (uint32_t)wide & BITS23;
}

void tensix_vector_SFPMUL24(TensixCore *c, const TensixVectorOp *op)
{
    TensixVectorUnit *vu = &c->s.vu;
    uint32_t lanes = tensix_vector_issue(vu, op);
    bool upper = op->mod & MUL24_UPPER;
    TensixLanes r;

    for (int l = 0; l < TENSIX_LANES; l++) {
        uint32_t va = op->mod & MUL24_INDIRECT_VA ? vu->lreg[LREG_INDEX][l] & INDEX_MASK
                                                  : op->va;

        r.x[l] = shift_add(multiply24(vu->lreg[va][l], vu->lreg[op->vb][l],
                                      upper),
                           vu->lreg[op->vc][l]);
    }
    if (tensix_vector_nonzero(vu->lreg[op->vc]) & lanes) {
        tensix_violation(c, op->insn, TENSIX_NON_CONTRACTUAL,
                         "SFPMUL24 adds LReg[%u], which is not 0",
                         (unsigned)op->vc);
    }
    tensix_vector_mad_result(c, op, &r, lanes, op->mod & MUL24_INDIRECT_VD);
}

VECTOR_EXEC(SFPMUL24)
