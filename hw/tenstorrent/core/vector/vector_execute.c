/*
 * Vector Unit: execution by opcode.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "vector/sfpu_ops.h"

static TensixVuFn *const functions[256] = {
#define VECTOR(m, unit, reads, mod, vd, va, vb, vc, imm) \
    [TENSIX_OP_##m] = tensix_vu_##m,
#include "vector/vector_table.h.inc"
#undef VECTOR
};

void tensix_vu_execute(TensixCore *c, const TensixVuOp *op)
{
    functions[op->insn->word >> 24](c, op);
}

TensixResult tensix_vu_exec_rare(TensixCore *c, const TensixInsn *i)
{
    TensixVuOp op = tensix_vu_decode(i);

    tensix_vu_execute(c, &op);
    return TENSIX_DONE;
}

TensixResult tensix_vu_exec_other(TensixCore *c, const TensixInsn *i,
                                  uint32_t reserved)
{
    tensix_vu_exec_rare(c, i);
    if (reserved) {
        tensix_report_reserved(c, i, reserved);
    }
    return TENSIX_DONE;
}
