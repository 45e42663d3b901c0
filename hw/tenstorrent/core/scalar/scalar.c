/*
 * Scalar Unit (ThCon): arithmetic on the Tensix GPRs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WH ScalarUnit.md and the pages of the instructions.  A thread sees only its
 * own 64 GPRs; every instruction completes at once, so nothing here waits.
 */

#include "tensix_internal.h"

/* Operands of ADDDMAREG and its five relatives, which share one layout. */
typedef struct ScalarOperands {
    uint32_t left;
    uint32_t right;                /* GPR, or the 6-bit constant */
    uint32_t mode;                 /* of BITWOP, SHIFT and CMP: 3 bits */
    uint32_t *result;
} ScalarOperands;

static ScalarOperands scalar_operands(TensixCore *c, const TensixInsn *i)
{
    uint32_t *gpr = c->s.gpr[i->thread];
    uint32_t right = OPERAND(i, BITWOPDMAREG, OpBRegIndex);

    return (ScalarOperands) {
        .left = gpr[OPERAND(i, BITWOPDMAREG, OpARegIndex)],
        .right = OPERAND(i, BITWOPDMAREG, OpBisConst) ? right : gpr[right],
        .mode = OPERAND(i, BITWOPDMAREG, OpSel) & 7,
        .result = &gpr[OPERAND(i, BITWOPDMAREG, ResultRegIndex)],
    };
}

static TensixResult bad_mode(TensixCore *c, const TensixInsn *i, uint32_t mode)
{
    return tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                            "mode %u is not defined", (unsigned)mode);
}

/* ADDDMAREG: result := left + right, 32 bits (ADDDMAREG.md). */
TensixResult tensix_exec_ADDDMAREG(TensixCore *c, const TensixInsn *i)
{
    ScalarOperands o = scalar_operands(c, i);

    *o.result = o.left + o.right;
    return TENSIX_DONE;
}

/* SUBDMAREG: result := left - right, 32 bits (SUBDMAREG.md). */
TensixResult tensix_exec_SUBDMAREG(TensixCore *c, const TensixInsn *i)
{
    ScalarOperands o = scalar_operands(c, i);

    *o.result = o.left - o.right;
    return TENSIX_DONE;
}

/* MULDMAREG: 16 by 16 bits unsigned, 32-bit product (MULDMAREG.md). */
TensixResult tensix_exec_MULDMAREG(TensixCore *c, const TensixInsn *i)
{
    ScalarOperands o = scalar_operands(c, i);

    *o.result = (o.left & 0xffff) * (o.right & 0xffff);
    return TENSIX_DONE;
}

/* BITWOPDMAREG: and, or, exclusive or; other modes undefined (BITWOPDMAREG.md). */
TensixResult tensix_exec_BITWOPDMAREG(TensixCore *c, const TensixInsn *i)
{
    enum { BITWOP_AND, BITWOP_OR, BITWOP_XOR };
    ScalarOperands o = scalar_operands(c, i);

    switch (o.mode) {
    case BITWOP_AND:
        *o.result = o.left & o.right;
        return TENSIX_DONE;
    case BITWOP_OR:
        *o.result = o.left | o.right;
        return TENSIX_DONE;
    case BITWOP_XOR:
        *o.result = o.left ^ o.right;
        return TENSIX_DONE;
    default:
        return bad_mode(c, i, o.mode);
    }
}

/*
 * SHIFTDMAREG: logical shift left or right by the low five bits of the right
 * operand, GPR or constant; other modes undefined (SHIFTDMAREG.md).
 */
TensixResult tensix_exec_SHIFTDMAREG(TensixCore *c, const TensixInsn *i)
{
    enum { SHIFT_LEFT, SHIFT_RIGHT };
    ScalarOperands o = scalar_operands(c, i);
    uint32_t amount = o.right & 31;

    switch (o.mode) {
    case SHIFT_LEFT:
        *o.result = o.left << amount;
        return TENSIX_DONE;
    case SHIFT_RIGHT:
        *o.result = o.left >> amount;
        return TENSIX_DONE;
    default:
        return bad_mode(c, i, o.mode);
    }
}

/* CMPDMAREG: unsigned >, <, ==, giving 1 or 0; others undefined (CMPDMAREG.md). */
TensixResult tensix_exec_CMPDMAREG(TensixCore *c, const TensixInsn *i)
{
    enum { CMP_GT, CMP_LT, CMP_EQ };
    ScalarOperands o = scalar_operands(c, i);

    switch (o.mode) {
    case CMP_GT:
        *o.result = o.left > o.right;
        return TENSIX_DONE;
    case CMP_LT:
        *o.result = o.left < o.right;
        return TENSIX_DONE;
    case CMP_EQ:
        *o.result = o.left == o.right;
        return TENSIX_DONE;
    default:
        return bad_mode(c, i, o.mode);
    }
}

static void set_half(uint32_t *words, uint32_t half, uint32_t value)
{
    uint32_t shift = (half & 1) * 16;

    words[half >> 1] = (words[half >> 1] & ~(0xffffu << shift)) |
                       (value << shift);
}

/* SETDMAREG_Immediate.md: one 16-bit half of a GPR := 16-bit value. */
static TensixResult setdmareg_immediate(TensixCore *c, const TensixInsn *i)
{
    uint32_t value = OPERAND(i, SETDMAREG, Payload_SigSelSize) << 14 |
                     OPERAND(i, SETDMAREG, Payload_SigSel);

    set_half(c->s.gpr[i->thread], OPERAND(i, SETDMAREG, RegIndex16b), value);
    return TENSIX_DONE;
}

/* SETDMAREG_Special.md: sub-fields of Payload_SigSel. */
enum {
    SIGSEL_SOURCE_LOW = 3,         /* InputSource, above InputHalfReg */
    SIGSEL_SOURCE_MASK = 15,
    FIRST_ZERO_SOURCE = 10,        /* sources 0 to 9 read packer state */
};

enum { RESULT_16B, RESULT_32B, RESULT_128B, RESULT_TILE_HEADER };

/* The bits of a tile header that ResultSize 3 replaces, word by word. */
static const uint32_t tile_header_mask[4] = {
    0x0000ffff, /* TileSize */
    0x00ff0000, /* DataFormat, DisableZeroCompression, SpareBits */
    0xffffffff, /* AllZeroFlags */
    0,
};

/* Writes 16 to 128 bits of zero as ResultSize says. */
static void special_clear(uint32_t *gpr, uint32_t half, uint32_t size)
{
    uint32_t *quad = &gpr[(half >> 1) & 0x3c];

    switch (size) {
    case RESULT_16B:
        set_half(gpr, half, 0);
        break;
    case RESULT_32B:
        gpr[half >> 1] = 0;
        break;
    default:
        for (unsigned w = 0; w < 4; w++) {
            quad[w] &= size == RESULT_128B ? 0 : ~tile_header_mask[w];
        }
    }
}

/*
 * SETDMAREG_Special.md: InputSource 0 to 9 read counters of the packer, which
 * are not modelled; 10 to 15 give zero.
 */
static TensixResult setdmareg_special(TensixCore *c, const TensixInsn *i)
{
    uint32_t source = OPERAND(i, SETDMAREG, Payload_SigSel) >>
                          SIGSEL_SOURCE_LOW &
                      SIGSEL_SOURCE_MASK;

    if (source < FIRST_ZERO_SOURCE) {
        return tensix_violation(c, i, TENSIX_UNIMPLEMENTED,
                                "packer state, InputSource %u, is not modelled",
                                (unsigned)source);
    }
    special_clear(c->s.gpr[i->thread], OPERAND(i, SETDMAREG, RegIndex16b),
                  OPERAND(i, SETDMAREG, Payload_SigSelSize));
    return TENSIX_DONE;
}

/* SETDMAREG: 16 bits of a GPR from the word, or GPRs from packer state. */
TensixResult tensix_exec_SETDMAREG(TensixCore *c, const TensixInsn *i)
{
    return OPERAND(i, SETDMAREG, SetSignalsMode) ? setdmareg_special(c, i)
                                                 : setdmareg_immediate(c, i);
}

/* DMANOP: occupies the unit for a cycle (DMANOP.md). */
TensixResult tensix_exec_DMANOP(TensixCore *c, const TensixInsn *i)
{
    return TENSIX_DONE;
}

/*
 * FLUSHDMA waits for the thread's memory requests, unpackers and packer
 * (FLUSHDMA.md).  Each of those finishes inside its instruction, before
 * this one is checked.
 */
TensixResult tensix_exec_FLUSHDMA(TensixCore *c, const TensixInsn *i)
{
    return TENSIX_DONE;
}
