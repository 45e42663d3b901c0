/*
 * Opcode to function, once per level of vector instructions (isa.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "tensix_internal.h"

static TensixResult exec_unimplemented(TensixCore *c, const TensixInsn *i)
{
    return tensix_violation(c, i, TENSIX_UNIMPLEMENTED,
                            "the model does not execute %s",
                            tensix_insns[i->word >> 24].mnemonic);
}

#define INSN(op, mnemonic, unit, block, class, page) \
    [op] = tensix_exec_##mnemonic,
#define UNIMP(op, mnemonic, unit, block, class, page) [op] = exec_unimplemented,

TensixExecFn *const tensix_exec_table[256] = {
#include "insn_table.h.inc"
};

TensixExecFn *const tensix_exec_busy_table[256] = {
    [0 ... 255] = tensix_exec_busy,
};
