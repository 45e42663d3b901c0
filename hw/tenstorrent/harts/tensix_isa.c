/*
 * Which instructions a baby RISC-V lacks (OLD InstructionSet.md).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU's decoder is given the extensions that the cores implement in part;
 * this table takes away the instructions that they do not.
 */

#include "qemu/osdep.h"
#include "tensix_isa.h"

#define LACKING(mask, match, harts, text) \
    { mask, match, harts, TENSIX_UNDEFINED_BEHAVIOUR, text }

static const TensixIsaRule rules[] = {
    LACKING(0xf800007f, 0x18000053, TENSIX_MASK_HARTS, "fdiv does not exist"),
    LACKING(0xf800007f, 0x58000053, TENSIX_MASK_HARTS, "fsqrt does not exist"),
    LACKING(0x0000707f, 0x0000100f, TENSIX_MASK_HARTS,
            "fence.i does not exist"),
    LACKING(0xfe00707f, 0x08007033, TENSIX_MASK_HARTS, "packh does not exist"),
    LACKING(0xfff0707f, 0x08f01013, TENSIX_MASK_HARTS, "zip does not exist"),
    LACKING(0xfff0707f, 0x08f05013, TENSIX_MASK_HARTS, "unzip does not exist"),
    LACKING(0xffffffff, 0x10500073, TENSIX_MASK_HARTS, "wfi does not exist"),
    LACKING(0xffffffff, 0x10200073, TENSIX_MASK_HARTS, "sret does not exist"),
    LACKING(0xfe007fff, 0x12000073, TENSIX_MASK_HARTS,
            "sfence.vma does not exist"),
    LACKING(0xffffffff, 0x30200073, TENSIX_MASK_T,
            "mret exists on BRISC and NCRISC only"),
    LACKING(0xf000707f, 0x80002057, TENSIX_MASK_T2,
            "vector integer division does not exist"),
    LACKING(0xf000707f, 0x80006057, TENSIX_MASK_T2,
            "vector integer division does not exist"),
    LACKING(0xfc00707f, 0x80001057, TENSIX_MASK_T2, "vfdiv does not exist"),
    LACKING(0xfc00707f, 0x80005057, TENSIX_MASK_T2, "vfdiv does not exist"),
    LACKING(0xfc00707f, 0x84005057, TENSIX_MASK_T2, "vfrdiv does not exist"),
    LACKING(0xfc0ff07f, 0x4c001057, TENSIX_MASK_T2, "vfsqrt does not exist"),
    LACKING(0xfc0ff07f, 0x4c021057, TENSIX_MASK_T2, "vfrsqrt7 does not exist"),
    LACKING(0xfc0ff07f, 0x4c029057, TENSIX_MASK_T2, "vfrec7 does not exist"),
};

static const TensixIsaRule bfloat = {
    .category = TENSIX_UNIMPLEMENTED,
    .text = "Zfh arithmetic on BF16 (cfg0.EnBFloat)",
};

enum {
    OPCODE_MASK = 0x7f,
    OPCODE_FMADD = 0x43,
    OPCODE_FMSUB = 0x47,
    OPCODE_FNMSUB = 0x4b,
    OPCODE_FNMADD = 0x4f,
    OPCODE_OP_FP = 0x53,
    FMT_HALF = 2,
    FUNCT5_FSGNJ = 0x04,
    FUNCT5_FCVT_FF = 0x08,
    FUNCT5_FMV_XF = 0x1c,
    FUNCT5_FMV_FX = 0x1e,
};

/* Does the instruction compute in the format that cfg0.EnBFloat selects? */
static bool is_half_arithmetic(uint32_t insn)
{
    uint32_t funct5 = insn >> 27;

    switch (insn & OPCODE_MASK) {
    case OPCODE_FMADD:
    case OPCODE_FMSUB:
    case OPCODE_FNMSUB:
    case OPCODE_FNMADD:
        return extract32(insn, 25, 2) == FMT_HALF;
    case OPCODE_OP_FP:
        if (funct5 == FUNCT5_FCVT_FF) {
            return true;
        }
        return extract32(insn, 25, 2) == FMT_HALF && funct5 != FUNCT5_FSGNJ &&
               funct5 != FUNCT5_FMV_XF && funct5 != FUNCT5_FMV_FX;
    default:
        return false;
    }
}

const TensixIsaRule *tensix_isa_rule(const TensixHart *hart, uint32_t insn)
{
    uint32_t self = 1u << hart->id;

    if ((hart->csr.cfg0 & TENSIX_CFG0_EN_BFLOAT) && is_half_arithmetic(insn)) {
        return &bfloat;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(rules); i++) {
        if ((insn & rules[i].mask) == rules[i].match &&
            (rules[i].harts & self)) {
            return &rules[i];
        }
    }
    return NULL;
}
