/*
 * SFPI on the stock compiler: one instruction of the Vector Unit each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * To the compiler a vector is a `float` in one of fa0 to fa7, which stand for
 * LReg0 to LReg7; runtime/kernel.mk fixes all other registers of that kind.
 * Each function below is an assembler statement whose word is completed by the
 * assembler, once the registers are known.  The compiler's own copies (fmv.s)
 * become SFPMOV of all lanes; whatever else it does with such a register is an
 * error (runtime/sfpi.awk).  (BH VectorUnit.md, SFPMAD.md)
 */

#ifndef BLACKHOLE_TILE_SFPI_EMIT_HPP
#define BLACKHOLE_TILE_SFPI_EMIT_HPP

#include "blackhole-tile/kernel.h"

/*
 * Without SRA, which is left to the function that all of it ends up in: gcc
 * loses the debug locations of variables that are replaced before inlining.
 */
#define sfpi_inline \
    __attribute__((always_inline, optimize("no-tree-sra"))) inline

/*
 * sfp WORD, sees=L, also=L, late=L: an instruction.  `late` is the LReg whose
 * result takes two cycles; `sees` and `also` are LRegs whose reading the
 * hardware's stalling logic does not notice, which takes an SFPNOP.  8: not
 * known, as after a label (runtime/sfpi.awk).
 */
__asm__(
    ".irp n,0,1,2,3,4,5,6,7\n"
    ".set lreg.fa\\n,\\n\n"
    ".endr\n"
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    ".set lreg.\\n,\\n\n"
    ".endr\n"
    ".set sfpi.late,8\n"
    ".macro sfp.word word:req\n"
    ".set sfpi.words,sfpi.words+1\n"
    ".loc_mark_labels 1\n"
    ".Lsfp\\@:\n"
    ".loc_mark_labels 0\n"
    ".4byte ((((\\word)&0xffffffff)<<2)|(((\\word)&0xffffffff)>>30))"
    "&0xffffffff\n"
    ".endm\n"
    ".macro sfp word:req,sees=-2,also=-2,late=-1\n"
    ".if (sfpi.late==\\sees)||(sfpi.late==\\also)||"
    "((sfpi.late==8)&&(\\sees>=0))\n"
    "sfp.word 0x8f000000\n"
    ".endif\n"
    "sfp.word \\word\n"
    ".set sfpi.late,\\late\n"
    ".endm\n"
    /* a word of which the hart works out a part */
    ".macro sfp.push word:req,place:req,port:req\n"
    ".if sfpi.late==8\n"
    "sfp.word 0x8f000000\n"
    ".endif\n"
    "add \\place,\\place,\\word\n"
    "sw \\place,0(\\port)\n"
    ".set sfpi.words,sfpi.words+1\n"
    ".set sfpi.late,-1\n"
    ".endm\n"
    ".macro fmv.s to:req,from:req\n"
    "sfp 0x7c000002+(lreg.\\to<<4)+(lreg.\\from<<8)\n"
    ".endm\n");

namespace sfpi {
namespace hw {

using Lanes = float;

/* An LReg that is not one of the eight: its number is all there is. */
template <unsigned N>
struct Fixed {
};
using Zero = Fixed<LREG_ZERO>;
using One = Fixed<LREG_ONE>;

/* What an operand with the constraints "fi" takes */
sfpi_inline Lanes arg(Lanes v)
{
    return v;
}

template <unsigned N>
sfpi_inline constexpr int arg(Fixed<N>)
{
    return N;
}

/* %0 and the like at an operand's place in the word */
#define SFPI_D "+(lreg.%0<<4)"
#define SFPI_C(n) "+(lreg.%" #n "<<8)"
#define SFPI_B(n) "+(lreg.%" #n "<<12)"
#define SFPI_A(n) "+(lreg.%" #n "<<16)"
#define SFPI_LOAD "+(lreg.%0<<20)"

/*
 * Writes d.  With `keep` its lanes that are disabled must stay as they are:
 * the compiler has to know that the old value is read.
 */
#define SFPI_WRITE(keep, d, text, ...) \
    do { \
        if constexpr (keep) { \
            __asm__ volatile(text : "+f"(d) : __VA_ARGS__); \
        } else { \
            __asm__ volatile(text : "=f"(d) : __VA_ARGS__); \
        } \
    } while (0)

/* Not initialised, and no warning about it */
sfpi_inline void undefined(Lanes &d)
{
    __asm__("" : "=f"(d));
}

/* --- instructions with a destination and one source --- */

/* d = f(c); WORD has everything but the LRegs */
#define SFPI_UNARY(keep, d, c, word) \
    SFPI_WRITE(keep, d, "sfp %1" SFPI_D SFPI_C(2), "i"(word), "fi"(::sfpi::hw::arg(c)))

template <bool keep, typename C>
sfpi_inline void move(Lanes &d, C c)
{
    SFPI_UNARY(keep, d, c, TT(SFPMOV));
}

template <bool keep, typename C>
sfpi_inline void negate(Lanes &d, C c)
{
    SFPI_UNARY(keep, d, c, TT(SFPMOV, .instr_mod1 = 1));
}

template <bool keep, typename C>
sfpi_inline void invert(Lanes &d, C c)
{
    SFPI_UNARY(keep, d, c, TT(SFPNOT));
}

/* d = f(d, c), of which c alone is seen by the stalling logic */
#define SFPI_UPDATE_LATE(d, c, word) \
    __asm__ volatile("sfp %1" SFPI_D SFPI_C(2) ",sees=lreg.%0" \
                     : "+f"(d) : "i"(word), "fi"(::sfpi::hw::arg(c)))
#define SFPI_UPDATE(d, c, word) \
    __asm__ volatile("sfp %1" SFPI_D SFPI_C(2) \
                     : "+f"(d) : "i"(word), "fi"(::sfpi::hw::arg(c)))

template <typename C>
sfpi_inline void and_with(Lanes &d, C c)
{
    SFPI_UPDATE(d, c, TT(SFPAND));
}

template <typename C>
sfpi_inline void or_with(Lanes &d, C c)
{
    SFPI_UPDATE(d, c, TT(SFPOR));
}

template <typename C>
sfpi_inline void xor_with(Lanes &d, C c)
{
    SFPI_UPDATE(d, c, TT(SFPXOR));
}

/* d = c + d, and d = c - d; flags as SFPIADD's mode says */
enum { IADD_LT0 = 0, IADD_MINUS_D = 2, IADD_NO_CC = 4, IADD_GTE0 = 8 };

template <unsigned mode, typename C>
sfpi_inline void add_to(Lanes &d, C c)
{
    SFPI_UPDATE_LATE(d, c, TT(SFPIADD, .instr_mod1 = mode));
}

template <bool keep, unsigned mode, typename C>
sfpi_inline void add_constant(Lanes &d, C c, int value)
{
    SFPI_UNARY(keep, d, c, TT(SFPIADD, .instr_mod1 = 1 | mode,
                              .imm12_math = (uint32_t)value & 0xFFF));
}

enum { SHIFT_ARITHMETIC = 2 };

template <unsigned mode, typename C>
sfpi_inline void shift_by(Lanes &d, C c)
{
    SFPI_UPDATE_LATE(d, c, TT(SFPSHFT, .instr_mod1 = mode));
}

template <bool keep, unsigned mode, typename C>
sfpi_inline void shift_constant(Lanes &d, C c, int value)
{
    SFPI_UNARY(keep, d, c, TT(SFPSHFT, .instr_mod1 = 5 | mode,
                              .imm12_math = (uint32_t)value & 0xFFF));
}

/* --- multiply and add --- */

enum { NEGATE_A = 1, NEGATE_C = 2 };

#define SFPI_MAD(keep, d, a, b, c, word) \
    SFPI_WRITE(keep, d, "sfp %1" SFPI_D SFPI_A(2) SFPI_B(3) SFPI_C(4) \
               ",late=lreg.%0", "i"(word), "fi"(::sfpi::hw::arg(a)), "fi"(::sfpi::hw::arg(b)), \
               "fi"(::sfpi::hw::arg(c)))

template <bool keep, unsigned mod, typename A, typename B, typename C>
sfpi_inline void mad(Lanes &d, A a, B b, C c)
{
    if constexpr (__is_same(C, Zero)) {
        SFPI_MAD(keep, d, a, b, c, TT(SFPMUL, .instr_mod1 = mod));
    } else if constexpr (__is_same(A, One)) {
        SFPI_MAD(keep, d, a, b, c, TT(SFPADD, .instr_mod1 = mod));
    } else {
        SFPI_MAD(keep, d, a, b, c, TT(SFPMAD, .instr_mod1 = mod));
    }
}

template <bool keep, unsigned mode>
sfpi_inline void mul24(Lanes &d, Lanes a, Lanes b)
{
    SFPI_MAD(keep, d, a, b, Zero(), TT(SFPMUL24, .instr_mod1 = mode));
}

/* --- flags of the lanes --- */

#define SFPI_FLAGS(word) __asm__ volatile("sfp %0" : : "i"(word))

enum { SETCC_LT0 = 0, SETCC_NE0 = 2, SETCC_GTE0 = 4, SETCC_EQ0 = 6 };

template <unsigned mode>
sfpi_inline void set_flags(Lanes c)
{
    __asm__ volatile("sfp %0+(lreg.%1<<8)"
                     : : "i"(TT(SFPSETCC, .instr_mod1 = mode)), "f"(c));
}

/* Lanes in which d > c, and in which d <= c */
template <typename C>
sfpi_inline void flags_greater(Lanes d, C c)
{
    __asm__ volatile("sfp %0+(lreg.%1<<4)+(lreg.%2<<8)"
                     : : "i"(TT(SFPGT, .instr_mod1 = 1)), "f"(d),
                     "fi"(::sfpi::hw::arg(c)));
}

template <typename C>
sfpi_inline void flags_at_most(Lanes d, C c)
{
    __asm__ volatile("sfp %0+(lreg.%1<<4)+(lreg.%2<<8)"
                     : : "i"(TT(SFPLE, .instr_mod1 = 1)), "f"(d),
                     "fi"(::sfpi::hw::arg(c)));
}

sfpi_inline void push_flags()
{
    SFPI_FLAGS(TT(SFPPUSHC));
}

sfpi_inline void pop_flags()
{
    SFPI_FLAGS(TT(SFPPOPC));
}

/* Of the lanes that were pushed, those that are disabled now */
sfpi_inline void complement_flags()
{
    SFPI_FLAGS(TT(SFPCOMPC));
}

/* The same, and it is popped */
sfpi_inline void pop_complement()
{
    enum { TOP_AND_NOT_FLAGS = 5 };

    SFPI_FLAGS(TT(SFPPUSHC, .instr_mod1 = TOP_AND_NOT_FLAGS));
    pop_flags();
}

/* --- constants --- */

/* The word of an instruction with the LReg at bit `low`, at run time */
#define SFPI_PUSH(keep, d, word, low) \
    do { \
        uint32_t word_ = (word); \
        SFPI_WRITE(keep, d, "li t5,lreg.%0<<" #low "\n" \
                   "lui t6,0xffe40\n" \
                   "sfp.push %1,t5,t6", "r"(word_) SFPI_TEMPORARIES); \
    } while (0)
#define SFPI_TEMPORARIES : "t5", "t6", "memory"

template <bool keep>
sfpi_inline void load_immediate(Lanes &d, uint32_t mode, uint32_t half)
{
    if (__builtin_constant_p(half)) {
        SFPI_WRITE(keep, d, "sfp %1" SFPI_LOAD,
                   "i"(TT(SFPLOADI, .imm16 = half, .instr_mod0 = mode)));
    } else {
        SFPI_PUSH(keep, d, TT(SFPLOADI, .instr_mod0 = mode) + half, 20);
    }
}

/* All enabled lanes become `bits`, by one instruction if one can do it. */
template <bool keep>
sfpi_inline void load_bits(Lanes &d, uint32_t bits)
{
    uint32_t high = bits >> 16, low = bits & 0xFFFF;

    if (__builtin_constant_p(bits) && low == 0) {
        load_immediate<keep>(d, SFPLOADI_BF16, high);
    } else if (__builtin_constant_p(bits) && high == 0) {
        load_immediate<keep>(d, SFPLOADI_UINT16, low);
    } else if (__builtin_constant_p(bits) && bits >= 0xFFFF8000) {
        load_immediate<keep>(d, SFPLOADI_INT16, low);
    } else {
        load_immediate<keep>(d, SFPLOADI_UPPER, high);
        load_immediate<true>(d, SFPLOADI_LOWER, low);
    }
}

/* --- Dest --- */

template <bool keep>
sfpi_inline void load(Lanes &d, uint32_t row, uint32_t format, uint32_t mode)
{
    if (__builtin_constant_p(row) && __builtin_constant_p(mode)) {
        SFPI_WRITE(keep, d, "sfp %1" SFPI_LOAD,
                   "i"(TT(SFPLOAD, .dest_reg_addr = row,
                          .sfpu_addr_mode = mode, .instr_mod0 = format)));
    } else {
        SFPI_PUSH(keep, d, TT(SFPLOAD, .instr_mod0 = format) +
                  (mode << 13) + (row & 0x1FFF), 20);
    }
}

sfpi_inline void store(Lanes s, uint32_t row, uint32_t format, uint32_t mode)
{
    if (__builtin_constant_p(row) && __builtin_constant_p(mode)) {
        __asm__ volatile("sfp %0+(lreg.%1<<20)"
                         : : "i"(TT(SFPSTORE, .dest_reg_addr = row,
                                    .sfpu_addr_mode = mode,
                                    .instr_mod0 = format)), "f"(s));
    } else {
        uint32_t word = TT(SFPSTORE, .instr_mod0 = format) + (mode << 13) +
                        (row & 0x1FFF);

        __asm__ volatile("li t5,lreg.%1<<20\n"
                         "lui t6,0xffe40\n"
                         "sfp.push %0,t5,t6"
                         : : "r"(word), "f"(s) : "t5", "t6", "memory");
    }
}

/* --- pairs, and instructions with fixed LRegs --- */

/* Which one gets the smaller number, and where, is SFPSWAP's mode. */
sfpi_inline void swap(Lanes &d, Lanes &c, unsigned mode)
{
    __asm__ volatile("sfp %2" SFPI_D SFPI_C(1) ",sees=lreg.%0,also=lreg.%1"
                     : "+f"(d), "+f"(c)
                     : "i"(TT(SFPSWAP, .instr_mod1 = mode)));
}

/* A variable in LReg n */
#define SFPI_IN(n, name, value) \
    register Lanes name __asm__("fa" #n) = (value)

}
}

#endif
