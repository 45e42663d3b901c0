/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SFPLOADMACRO: a load of Dest that schedules up to four instructions, one for
 * each sub-unit.  Names are those of the page's LoadMacroConfig.  A sequence
 * says which instruction of the four templates a sub-unit executes, and how
 * many cycles later; the loaded LReg replaces its VC or VB, and its VD.
 *
 * The compiler knows that the loaded LReg is written, and nothing of what is
 * scheduled: macro_wait() lets it finish.  (BH SFPLOADMACRO.md, SFPCONFIG.md)
 */

#ifndef BLACKHOLE_TILE_SFPI_MACRO_HPP
#define BLACKHOLE_TILE_SFPI_MACRO_HPP

#include "blackhole-tile/sfpi/dest.hpp"

namespace sfpi {

enum MacroInstruction : uint8_t {
    MACRO_NONE = 0, MACRO_NOP = 2, MACRO_STORE = 3, MACRO_TEMPLATE = 4,
};

/*
 * What a sub-unit executes: MACRO_STORE, or MACRO_TEMPLATE + n.  In the store's
 * slot loaded_is_vb keeps the template's VD.
 */
struct MacroSlot {
    unsigned instruction = MACRO_NONE, delay = 0;
    bool vd_is_lreg16 = false, loaded_is_vb = false;

    constexpr uint32_t bits() const
    {
        return instruction | delay << 3 | vd_is_lreg16 << 6 |
               loaded_is_vb << 7;
    }
    constexpr bool is_valid() const
    {
        return instruction < 8 && instruction != 1 && delay < 8;
    }
};

struct MacroSequence {
    MacroSlot simple, mad, round, store;

    constexpr uint32_t bits() const
    {
        return simple.bits() | mad.bits() << 8 | round.bits() << 16 |
               store.bits() << 24;
    }
    constexpr bool is_valid() const
    {
        return simple.is_valid() && mad.is_valid() && round.is_valid() &&
               store.is_valid() && store.instruction != MACRO_NOP;
    }
};

/* InstructionTemplate[N]; lanes 0 to 7 have to be enabled, here and below. */
template <unsigned N> sfpi_inline void macro_template(uint32_t word)
{
    static_assert(N < 4, "macro_template(): 0 to 3");
    vCReg<vUInt, N>() = vUInt(word);
}

/* Sequence[N]: of macro N */
template <unsigned N, MacroSequence S> sfpi_inline void macro_sequence()
{
    static_assert(N < 4, "macro_sequence(): 0 to 3");
    static_assert(S.is_valid(), "macro_sequence(): no such instruction, or a "
                                "delay above 7");
    vCReg<vUInt, 4 + N>() = vUInt(S.bits());
}

/*
 * Misc: the format of stores; macros (a bit each) that store as they load;
 * sub-units whose delays count instructions, not cycles.
 */
template <DataLayout Store = DataLayout::FSrcB>
sfpi_inline void macro_misc(unsigned as_loaded = 0, unsigned by_instruction = 0)
{
    static_assert(dest_format(Store) >= 0, "macro_misc(): name the format");
    vCReg<vUInt, 8>() = vUInt(dest_format(Store) | as_loaded << 4 |
                              by_instruction << 8);
}

/* The compiler keeps no vector in the LReg that is loaded. */
#define SFPI_LOAD_MACRO(number) \
    if constexpr (To == LRegs::LReg##number) { \
        __asm__ volatile("sfp %0,late=8" : : "i"(word) : "fa" #number); \
    }

/* Macro N with a vector of Dest, as dst_reg[vector].mode<Layout>() */
template <unsigned N, LRegs To, DataLayout Layout = DataLayout::FSrcB>
sfpi_inline void load_macro(int vector, int address_mode = STAY_ADDR_MOD)
{
    constexpr unsigned to = (unsigned)To;

    static_assert(N < 4 && to < 8, "load_macro(): macro 0 to 3, LReg0 to 7");
    static_assert(dest_format(Layout) >= 0, "load_macro(): name the format");
    const uint32_t word = TT(SFPLOADMACRO, .lreg_ind = N << 2 | (to & 3),
                             .instr_mod0 = (unsigned)dest_format(Layout)) +
                          (address_mode << 13) +
                          (vector * SFP_DESTREG_STRIDE & 0x1FFF) + (to >> 2);

    SFPI_LOAD_MACRO(0)
    SFPI_LOAD_MACRO(1)
    SFPI_LOAD_MACRO(2)
    SFPI_LOAD_MACRO(3)
    SFPI_LOAD_MACRO(4)
    SFPI_LOAD_MACRO(5)
    SFPI_LOAD_MACRO(6)
    SFPI_LOAD_MACRO(7)
}
#undef SFPI_LOAD_MACRO

/* Cycles in which only what is scheduled executes */
template <unsigned Cycles> sfpi_inline void macro_wait()
{
#pragma GCC unroll 16
    for (unsigned i = 0; i < Cycles; i++) {
        SFPI_FLAGS(TT(SFPNOP));
    }
}

}

#endif
