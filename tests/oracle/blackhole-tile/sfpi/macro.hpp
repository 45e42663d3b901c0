/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The oracle's SFPLOADMACRO: a plain load, then what the macro would schedule,
 * one instruction after the other in the order of their delays, as words of the
 * kernel's own.  LReg7 is in place of LReg16, LReg6 a copy of the operand that
 * SFPSWAP would write.  (record.hpp; BH SFPLOADMACRO.md)
 */

#ifndef BLACKHOLE_TILE_SFPI_MACRO_HPP
#define BLACKHOLE_TILE_SFPI_MACRO_HPP

#include "blackhole-tile/sfpi/functions.hpp"

namespace oracle {

enum { SIMPLE, MAD, ROUND, STORED, SUB_UNITS, STAGED = 7, SPARE = 6 };

struct Slot {
    unsigned instruction = 0, delay = 0;
    bool staged = false, second = false;
};

inline uint32_t templates[4], store_format, as_loaded;
inline Slot slots[4][SUB_UNITS];

inline uint32_t with(uint32_t word, unsigned low, uint32_t lreg)
{
    return (word & ~(15u << low)) | lreg << low;
}

inline void words(uint32_t word)
{
    raw(word);
    raw(TT(SFPNOP));
}

/* b: the loaded LReg is VB, which a simple instruction has in VD's place */
inline void simple(uint32_t word, Slot s, unsigned loaded)
{
    unsigned to = s.staged ? STAGED : loaded;
    unsigned old = s.second ? loaded : word >> 4 & 15;

    if (to != old) {
        words(with(with(TT(SFPMOV), 8, old), 4, to));
    }
    words(with(s.second ? word : with(word, 8, loaded), 4, to));
}

/* The larger number stays in the loaded LReg. */
inline void swap_with(uint32_t word, unsigned loaded)
{
    words(with(with(TT(SFPMOV), 8, word >> 4 & 15), 4, SPARE));
    words(with(with(word, 8, loaded), 4, SPARE));
}

inline void scheduled(unsigned unit, Slot s, unsigned loaded, unsigned format,
                      unsigned row)
{
    uint32_t word = s.instruction >= 4 ? templates[s.instruction - 4] :
                                         TT(SFPNOP);

    if (unit == STORED) {
        raw(TT(SFPSTORE, .dest_reg_addr = row, .sfpu_addr_mode = 7,
               .instr_mod0 = format,
               .lreg_ind = s.staged ? STAGED : loaded));
    } else if (word >> 24 == TT(SFPSWAP) >> 24) {
        swap_with(word, loaded);
    } else if (unit == SIMPLE) {
        simple(word, s, loaded);
    } else {
        words(with(with(word, s.second ? 12 : 8, loaded), 4,
                   s.staged ? STAGED : loaded));
    }
}

inline void run_macro(unsigned n, unsigned loaded, unsigned format,
                      unsigned row)
{
    unsigned stores = as_loaded >> n & 1 ? format : store_format;

    raw(TT(SFPLOAD, .dest_reg_addr = row, .sfpu_addr_mode = 7,
           .instr_mod0 = format, .lreg_ind = loaded));
    for (unsigned delay = 0; delay < 8; delay++) {
        for (unsigned unit = 0; unit < SUB_UNITS; unit++) {
            Slot s = slots[n][unit];

            if (s.instruction && s.delay == delay) {
                scheduled(unit, s, loaded, stores, row);
            }
        }
    }
}

}

namespace sfpi {

enum { MACRO_NONE = 0, MACRO_NOP = 2, MACRO_STORE = 3, MACRO_TEMPLATE = 4 };

struct MacroSlot {
    unsigned instruction = 0, delay = 0;
    bool vd_is_lreg16 = false, loaded_is_vb = false;

    oracle::Slot slot() const
    {
        return { instruction, delay, vd_is_lreg16, loaded_is_vb };
    }
};
struct MacroSequence {
    MacroSlot simple, mad, round, store;
};

template <unsigned N> void macro_template(uint32_t word)
{
    oracle::templates[N] = word;
}
template <unsigned N, MacroSequence S> void macro_sequence()
{
    oracle::slots[N][oracle::SIMPLE] = S.simple.slot();
    oracle::slots[N][oracle::MAD] = S.mad.slot();
    oracle::slots[N][oracle::ROUND] = S.round.slot();
    oracle::slots[N][oracle::STORED] = S.store.slot();
}
template <DataLayout Store = DataLayout::FSrcB>
void macro_misc(unsigned as_loaded = 0, unsigned = 0)
{
    oracle::store_format = FORMATS[(int)Store];
    oracle::as_loaded = as_loaded;
}
template <unsigned N, LRegs To, DataLayout Layout = DataLayout::FSrcB>
void load_macro(int vector)
{
    oracle::run_macro(N, (unsigned)To, FORMATS[(int)Layout], 2 * vector);
}
template <unsigned> void macro_wait() {}

}

#endif
