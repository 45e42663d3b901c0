/*
 * Opcode to function, once per level of vector instructions (isa.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "frontend/frontend.h"
#include "observe/observe.h"
#include "vector/vector.h"
#include "tensix_internal.h"

static TensixResult exec_unimplemented(TensixCore *c, const TensixInsn *i)
{
    return tensix_violation(c, i, TENSIX_UNIMPLEMENTED,
                            "the model does not execute %s",
                            tensix_insns[i->word >> 24].mnemonic);
}

/* --- reserved operand bits --- */

/* TENSIX_RESERVED() is none of these: an initialiser has no inline functions. */
#define FIELD_BITS(m) (0u TENSIX_FIELDS_##m(TENSIX_FIELD_MASK))
#define HAS_NONE(m) (FIELD_BITS(m) == 0xffffffu || \
                     TENSIX_OP_##m == TENSIX_OP_NOP || \
                     TENSIX_OP_##m == TENSIX_OP_DMANOP)

/* An instruction that waits will come again. */
static __attribute__((noinline))
TensixResult exec_with_reserved(TensixCore *c, const TensixInsn *i,
                                TensixExecFn *exec, uint32_t bits)
{
    TensixResult result = exec(c, i);

    if (result == TENSIX_DONE) {
        tensix_report_reserved(c, i, bits);
    }
    return result;
}

#define INSN(op, mnemonic, unit, block, class, page) \
    static TensixResult exec_##mnemonic(TensixCore *c, const TensixInsn *i) \
    { \
        uint32_t bits = i->word & TENSIX_RESERVED(mnemonic); \
        \
        if (__builtin_expect(bits != 0, false)) { \
            return exec_with_reserved(c, i, tensix_exec_##mnemonic, bits); \
        } \
        return tensix_exec_##mnemonic(c, i); \
    }
#define UNIMP(op, mnemonic, unit, block, class, page)
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP

/* Vector instructions and PACR look themselves, where it costs nothing. */
#define CHECKS_ITSELF(unit, m) (TENSIX_UNIT_##unit == TENSIX_UNIT_VECTOR || \
                                TENSIX_OP_##m == TENSIX_OP_PACR)

#define INSN(op, mnemonic, unit, block, class, page) \
    [op] = CHECKS_ITSELF(unit, mnemonic) || HAS_NONE(mnemonic) \
           ? tensix_exec_##mnemonic : exec_##mnemonic,
#define UNIMP(op, mnemonic, unit, block, class, page) [op] = exec_unimplemented,

#ifdef TENSIX_OBSERVED
static TensixExecTable functions;
#define FUNCTIONS functions
#else
#define FUNCTIONS tensix_exec_table[0]
#endif

static TensixResult exec_busy(TensixCore *c, const TensixInsn *i)
{
    return tensix_vector_exec_busy(c, i, FUNCTIONS[i->word >> 24]);
}

#ifndef TENSIX_OBSERVED
TensixExecTable tensix_exec_table[2] = {
    {
#include "decode/insn_table.h.inc"
    },
    { [0 ... 255] = exec_busy },
};
#else
static TensixExecTable functions = {
#include "decode/insn_table.h.inc"
};

/* Vector instructions that do not write LReg[VD], or not always. */
static bool spares_vd(uint32_t opcode)
{
    return opcode == TENSIX_OP_SFPSTORE || opcode == TENSIX_OP_SFPSETCC ||
           opcode == TENSIX_OP_SFPPUSHC || opcode == TENSIX_OP_SFPPOPC ||
           opcode == TENSIX_OP_SFPENCC || opcode == TENSIX_OP_SFPCOMPC ||
           opcode == TENSIX_OP_SFPNOP || opcode == TENSIX_OP_SFPLE ||
           opcode == TENSIX_OP_SFPGT || opcode == TENSIX_OP_SFPCONFIG ||
           opcode == TENSIX_OP_SFPTRANSP || opcode == TENSIX_OP_SFPLOADMACRO;
}

/* An instruction writes its VD also where that changes nothing. */
static void note_vd(TensixCore *c, const TensixInsn *i)
{
    TensixVectorOp op = tensix_vector_decode(i);

    if (tensix_vector_rows[i->word >> 24].is_vector &&
        !spares_vd(i->word >> 24) && op.vd < VECTOR_LREG_WRITABLE &&
        tensix_vector_enabled(&c->s.vu, &op)) {
        tensix_observe_mark(c, TENSIX_SPACE_LREG, op.vd, 1);
    }
}

/* Every instruction, with what comes before and after it. */
static TensixResult exec_observed(TensixCore *c, const TensixInsn *i)
{
    TensixResult result;

    tensix_observe_instruction(c, i);
    result = (c->s.macro.active ? exec_busy : functions[i->word >> 24])(c, i);
    if (result == TENSIX_DONE) {
        note_vd(c, i);
    }
    tensix_observe_end(c);
    return result;
}

TensixExecTable tensix_exec_table[2] = {
    { [0 ... 255] = exec_observed },
    { [0 ... 255] = exec_observed },
};
#endif
