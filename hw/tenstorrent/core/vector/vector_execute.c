/*
 * Vector Unit: execution by opcode.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "vector/vector_ops.h"

static TensixVectorFn *const functions[256] = {
#define VECTOR(m, ...) \
    [TENSIX_OP_##m] = tensix_vector_##m,
#include "decode/vector_table.h.inc"
#undef VECTOR
};

void tensix_vector_execute(TensixCore *c, const TensixVectorOp *op)
{
    functions[op->insn->word >> 24](c, op);
}

TensixResult tensix_vector_exec_rare(TensixCore *c, const TensixInsn *i)
{
    TensixVectorOp op = tensix_vector_decode(i);

    tensix_vector_execute(c, &op);
    return TENSIX_DONE;
}

TensixResult tensix_vector_exec_other(TensixCore *c, const TensixInsn *i,
                                      uint32_t empty)
{
    tensix_vector_exec_rare(c, i);
    if (i->word & empty) {
        tensix_report_reserved(c, i, i->word & empty);
    }
    return TENSIX_DONE;
}
