/*
 * Vector Unit: decoding by opcode.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "vector/vector_decode.h"

const TensixVectorRow tensix_vector_rows[256] = {
#define VECTOR(m, its_unit, ...) \
    [TENSIX_OP_##m] = { .is_vector = 1, .unit = VECTOR_SUB_##its_unit },
#include "decode/vector_table.h.inc"
#undef VECTOR
};

TensixVectorOp tensix_vector_decode(const TensixInsn *i)
{
    switch (i->word >> 24) {
#define VECTOR(m, ...) \
    case TENSIX_OP_##m: \
        return tensix_vector_decode_##m(i);
#include "decode/vector_table.h.inc"
#undef VECTOR
    default:
        return (TensixVectorOp) { .insn = i };
    }
}
