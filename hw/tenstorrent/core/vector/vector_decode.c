/*
 * Vector Unit: decoding by opcode.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "vector/vector_decode.h"

const TensixVuRow tensix_vu_rows[256] = {
#define VECTOR(m, its_unit, its_reads, mod, vd, va, vb, vc, imm) \
    [TENSIX_OP_##m] = { \
        .is_vector = 1, .unit = VU_UNIT_##its_unit, .reads = VU_READS_##its_reads, \
    },
#include "vector/vector_table.h.inc"
#undef VECTOR
};

TensixVuOp tensix_vu_decode(const TensixInsn *i)
{
    switch (i->word >> 24) {
#define VECTOR(m, unit, reads, mod, vd, va, vb, vc, imm) \
    case TENSIX_OP_##m: \
        return tensix_vu_decode_##m(i);
#include "vector/vector_table.h.inc"
#undef VECTOR
    default:
        return (TensixVuOp) { .insn = i };
    }
}
