/*
 * Opcode to function, once per level of vector instructions (isa.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "frontend/frontend.h"
#include "frontend/timing.h"
#include "observe/lregs.h"
#include "vector/vector_lregs.h"
#include "tensix_internal.h"

static TensixResult exec_unimplemented(TensixCore *c, const TensixInsn *i)
{
    return tensix_violation(c, i, TENSIX_UNIMPLEMENTED,
                            "the model does not execute %s",
                            tensix_insns[i->word >> 24].mnemonic);
}

/* --- reserved operand bits --- */

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

#define INSN(op, mnemonic, unit, block, class, page, ...) \
    static TensixResult exec_##mnemonic(TensixCore *c, const TensixInsn *i) \
    { \
        uint32_t bits = i->word & TENSIX_RESERVED(mnemonic); \
        \
        if (__builtin_expect(bits != 0, false) && \
            !tensix_traits_##mnemonic().checks_reserved) { \
            return exec_with_reserved(c, i, tensix_exec_##mnemonic, bits); \
        } \
        return tensix_exec_##mnemonic(c, i); \
    }
#define UNIMP(op, mnemonic, ...)
#include "decode/insn_table.h.inc"
#undef INSN
#undef UNIMP

/* Vector instructions check their reserved bits themselves, at no cost. */
#define CHECKS_ITSELF(unit) (TENSIX_UNIT_##unit == TENSIX_UNIT_VECTOR)

#define INSN(op, mnemonic, unit, block, class, page, ...) \
    [op] = CHECKS_ITSELF(unit) || !TENSIX_RESERVED(mnemonic) \
           ? tensix_exec_##mnemonic : exec_##mnemonic,
#define UNIMP(op, mnemonic, ...) [op] = exec_unimplemented,

#ifndef TENSIX_OBSERVED
static TensixResult exec_busy(TensixCore *c, const TensixInsn *i)
{
    return tensix_vector_exec_busy(c, i, tensix_exec_table[0][i->word >> 24]);
}

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

/* The instruction, unless SFPLOADMACRO takes its place, and its LRegs. */
static TensixResult exec_noted(TensixCore *c, const TensixInsn *i)
{
    if (tensix_vector_rows[i->word >> 24].is_vector &&
        !tensix_vector_note_known(c, i->word)) {
        TensixVectorOp op = tensix_vector_decode(i);

        op.plain = tensix_vector_is_plain(c, &op);
        tensix_vector_note_lregs(c, &op);
    }
    return functions[i->word >> 24](c, i);
}

static void record_gprs(TensixCore *c, const TensixInsn *i)
{
    uint64_t gprs = tensix_insn_gprs_written(i->word);

    for (; gprs; gprs &= gprs - 1) {
        tensix_observe_write(c, TENSIX_SPACE_GPR, i->thread * TENSIX_GPRS +
                             __builtin_ctzll(gprs), 1);
    }
}

/* The LRegs of the word, if they are known and its observer wants no more. */
static inline const TensixKnownLregs *known_lregs(const TensixCore *c,
                                                  const TensixInsn *i)
{
    const TensixObserver *o = c->observer;

    return o && o->executed_lregs && o->by.kind == TENSIX_BY_NONE &&
                   !c->s.macro.active
               ? tensix_vector_known(c, i->word) : NULL;
}

static TensixResult exec_known(TensixCore *c, const TensixInsn *i,
                               const TensixKnownLregs *known)
{
    TensixResult result;

    tensix_observe_known(c->observer, i);
    result = functions[i->word >> 24](c, i);
    tensix_observe_known_executed(c, known, result == TENSIX_DONE);
    return result;
}

/* Every instruction, with what comes before and after it. */
static __attribute__((noinline))
TensixResult exec_noting(TensixCore *c, const TensixInsn *i)
{
    const bool is_vector = tensix_vector_rows[i->word >> 24].is_vector;
    TensixResult result;

    tensix_observe_instruction(c, i);
    if (!is_vector && c->observer && c->observer->times &&
        !tensix_insn_is_timed(i->word)) {
        tensix_timing(c, i, &c->observer->timing);
    }
    if (c->s.macro.active) {
        /* SFPLOADMACRO notes what it schedules, which ends later */
        tensix_observe_compare(c, 1 << TENSIX_SPACE_LREG);
        result = tensix_vector_exec_busy(c, i, exec_noted);
    } else {
        result = exec_noted(c, i);
    }
    if (!is_vector && result == TENSIX_DONE) {
        record_gprs(c, i);
    }
    tensix_observe_executed(c, result == TENSIX_DONE);
    return result;
}

static TensixResult exec_observed(TensixCore *c, const TensixInsn *i)
{
    const TensixKnownLregs *known = known_lregs(c, i);

    return known ? exec_known(c, i, known) : exec_noting(c, i);
}

TensixExecTable tensix_exec_table[2] = {
    { [0 ... 255] = exec_observed },
    { [0 ... 255] = exec_observed },
};
#endif
