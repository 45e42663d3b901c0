/*
 * Executes an instruction that has passed its gate.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "tensix_soft_reset.h"
#include "frontend/frontend.h"
#include "tensix_internal.h"

/* Is the instruction's unit held by a soft-reset bit?  (BH SoftReset.md) */
static bool unit_in_reset(const TensixCore *c, uint32_t word)
{
    static const uint32_t bits[TENSIX_UNITS] = {
        [TENSIX_UNIT_THCON] = RESET_TDMA_GLUE | RESET_THCON,
        [TENSIX_UNIT_XMOV] = RESET_TDMA_GLUE | RESET_MOVER,
        [TENSIX_UNIT_UNPACK] = RESET_TDMA_GLUE | RESET_UNPACKERS,
        [TENSIX_UNIT_PACK] = RESET_TDMA_GLUE | RESET_PACKERS,
        [TENSIX_UNIT_MATRIX] = RESET_FPU_SFPU,
        [TENSIX_UNIT_VECTOR] = RESET_FPU_SFPU,
    };

    return !tensix_traits_of(word)->runs_in_reset &&
           c->s.soft_reset & bits[tensix_insns[word >> 24].unit];
}

static TensixResult exec_no_such_opcode(TensixCore *c, const TensixInsn *i)
{
    return tensix_violation(c, i, TENSIX_UNDEFINED_BEHAVIOUR,
                            "no such opcode: 0x%02x", i->word >> 24);
}

TensixResult tensix_execute(TensixCore *c, const TensixInsn *i)
{
    const TensixInsnDef *def = &tensix_insns[i->word >> 24];

    if (!def->mnemonic) {
        return exec_no_such_opcode(c, i);
    }
    if (c->s.soft_reset && unit_in_reset(c, i->word)) {
        return tensix_retry(c, i, TENSIX_WAIT_UNIT_RESET, def->unit);
    }
    return tensix_execute_again(c, i, def->unit);
}
