/*
 * Loops in which a hart of a Tensix tile waits.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Such a loop stores nothing and reads no register that the round before has
 * written: all rounds are the same as long as memory, devices and CSRs read the
 * same. The shortest is a jump to itself; a loop that counts is none. Any load
 * may be in it: polls of L1, of devices, of clocks and of CSRs are found.
 */

#include "qemu/osdep.h"
#include "tensix.h"

/* What one instruction does to registers; x0 counts for none */
typedef struct TensixLoopInsn {
    uint32_t reads, writes;     /* masks of registers */
    bool is_jump;
    int32_t offset;             /* of a jump or branch */
} TensixLoopInsn;

int32_t riscv_tensix_branch_offset(uint32_t insn)
{
    return deposit32(deposit32(deposit32(extract32(insn, 8, 4) << 1, 5, 6,
                                         extract32(insn, 25, 6)),
                               11, 1, extract32(insn, 7, 1)),
                     12, 20, sextract32(insn, 31, 1));
}

int32_t riscv_tensix_jal_offset(uint32_t insn)
{
    return deposit32(deposit32(deposit32(extract32(insn, 21, 10) << 1, 11, 1,
                                         extract32(insn, 20, 1)),
                               12, 8, extract32(insn, 12, 8)),
                     20, 12, sextract32(insn, 31, 1));
}

/* False: nothing that a loop in which a hart waits could contain */
static bool tensix_loop_insn(uint32_t insn, TensixLoopInsn *i)
{
    uint32_t rd = 1u << extract32(insn, 7, 5);
    uint32_t rs1 = 1u << extract32(insn, 15, 5);
    uint32_t rs2 = 1u << extract32(insn, 20, 5);

    *i = (TensixLoopInsn) { .reads = rs1, .writes = rd };
    switch (insn & 0x7f) {
    case 0x03:                  /* loads */
    case 0x13:                  /* operations with an immediate */
        return true;
    case 0x33:                  /* operations */
        i->reads |= rs2;
        return true;
    case 0x17:                  /* AUIPC */
    case 0x37:                  /* LUI */
    case 0x0f:                  /* FENCE */
        i->reads = 0;
        return true;
    case 0x63:                  /* branches */
        *i = (TensixLoopInsn) { rs1 | rs2, 0, true,
                                riscv_tensix_branch_offset(insn) };
        return true;
    case 0x6f:                  /* JAL, as a jump only */
        *i = (TensixLoopInsn) { 0, 0, true, riscv_tensix_jal_offset(insn) };
        return rd == 1;
    case 0x73:                  /* CSRRS and the like that write nothing */
        return extract32(insn, 12, 2) >= 2 && rs1 == 1;
    default:
        return false;
    }
}

bool riscv_tensix_loop_waits(RISCVTensixCodeFn *code_at, void *opaque,
                             uint32_t pc, int32_t diff)
{
    uint32_t written = 0, carried = 0, sure = 1;
    int32_t joined = diff;      /* before it, a branch may have skipped */

    if (diff > 0 || diff < -RISCV_TENSIX_LOOP_MAX || (diff & 3)) {
        return false;
    }
    for (int32_t at = diff; at <= 0; at += 4) {
        TensixLoopInsn i;

        if (!tensix_loop_insn(code_at(opaque, pc + at), &i)) {
            return false;
        }
        carried |= i.reads & ~sure;
        written |= i.writes;
        if (at >= joined) {
            sure |= i.writes;
        }
        if (i.is_jump && i.offset > 0 && at + i.offset <= 0) {
            joined = MAX(joined, at + i.offset);
        }
    }
    return !(written & carried & ~1);
}
