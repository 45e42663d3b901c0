/*
 * Tensix instructions from a hart.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * TT(MNEMONIC, .operand = value, ...) is the word of an instruction; operands
 * that are not named are 0.  Their names are those of LLK's assembly.yaml
 * (decode/insn_fields.h.inc lists them).  A constant that its field cannot hold
 * is an error, also in FIELD() of config.h; values that are known at run time
 * only are checked with BLACKHOLE_TILE_DEBUG (make DEBUG=1).
 */

#ifndef BLACKHOLE_TILE_INSN_H
#define BLACKHOLE_TILE_INSN_H

#include "decode/tensix_fields.h"
#include "blackhole-tile/names.h"

/*
 * Executes one instruction that is known at compile time: the word, rotated
 * left by two, is an instruction of the hart.  What is known at run time only
 * is pushed: PUSH_OWN = TT(...).
 */
#define TTINSN(...) ttinsn(TT(__VA_ARGS__))
#define ttinsn(word) \
    __asm__ volatile __inline__(TTINSN_LINE ".word %0" \
                     : : "i"((uint32_t)(((word) << 2) | ((word) >> 30))) \
                     : "memory")
/*
 * The assembler gives lines to instructions and labels only; without a label a
 * .word would pass for one of the line before it.
 */
#define TTINSN_LINE ".loc_mark_labels 1\n.Lttinsn%=:\n.loc_mark_labels 0\n"

#define TT_NOP TT(NOP)

/* SETDMAREG of half a GPR, immediate form; half 2 * n is the low one of n. */
#define TT_SET_GPR_HALF(half, value) \
    TT(SETDMAREG, .RegIndex16b = (half), \
       .Payload_SigSel = (value) & 0x3FFF, \
       .Payload_SigSelSize = (value) >> 14)

/* GPR result = left + right */
#define TT_ADD_GPR(result, left, right) \
    TT(ADDDMAREG, .ResultRegIndex = (result), .OpARegIndex = (left), \
       .OpBRegIndex = (right))

/* Everything of this thread is stopped while semaphore i is ZERO or FULL. */
#define TT_SEM_WAIT(i, condition) \
    TT(SEMWAIT, .stall_res = BLOCK_ALL, .sem_sel = SEM_MASK(i), \
       .wait_sem_cond = (condition))

/* The bits of a number as fp32.  No function: gdb would show a line of it. */
#define fp32_bits(value) (((union { float number; uint32_t bits; }) \
                           { .number = (value) }).bits)

/* All lanes of an LReg (0 to 7) become the number, in full precision. */
#define SFP_LOAD_FP32(lreg, number) do { \
        TTINSN(SFPLOADI, .lreg_ind = (lreg), .instr_mod0 = SFPLOADI_UPPER, \
               .imm16 = fp32_bits(number) >> 16); \
        TTINSN(SFPLOADI, .lreg_ind = (lreg), .instr_mod0 = SFPLOADI_LOWER, \
               .imm16 = fp32_bits(number) & 0xFFFF); \
    } while (0)

#endif
