/*
 * Which RISC-V instructions a hart must not execute, and the CSR that says.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_ISA_H
#define HW_TENSTORRENT_TENSIX_ISA_H

#include "hw/tenstorrent/tensix_hart.h"

/* Bits of CSR cfg0 (BH CSRs.md) that the model uses. */
enum {
    TENSIX_CFG0_PMC_CLR_ON_RD = 1u << 8,
    TENSIX_CFG0_DIS_TT_STATUS_REG = 1u << 29,
    TENSIX_CFG0_EN_BFLOAT = 1u << 30,
    TENSIX_CFG0_RESET = 16u << 13,
};

/* Why a hart must not execute an instruction. */
typedef struct TensixIsaRule {
    uint32_t mask, match;
    uint32_t harts;                /* where it is missing: TENSIX_MASK_* */
    TensixCategory category;
    const char *text;
} TensixIsaRule;

/*
 * The rule that forbids this hart the instruction, or NULL if it may be tried
 * (QEMU's decoder may still not know it).
 */
const TensixIsaRule *tensix_isa_rule(const TensixHart *hart, uint32_t insn);

#endif
