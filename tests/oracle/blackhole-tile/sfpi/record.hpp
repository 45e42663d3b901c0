/*
 * A second SFPI: what a kernel computes is recorded in L1 while the kernel runs
 * on a hart, and tests/functional/oracle.py makes words of it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Nothing here is taken from include/blackhole-tile/sfpi: constructs are spelled
 * in other instructions where there are others (masks in place of flags, bits in
 * place of SFPSETEXP and its like).  A value is a number, from FIRST on; a
 * record is eight words.  tests/oracle/README.md
 */

#ifndef BLACKHOLE_TILE_SFPI_RECORD_HPP
#define BLACKHOLE_TILE_SFPI_RECORD_HPP

#include "blackhole-tile/tile.h"

#define sfpi_inline inline
#undef ttinsn
#define ttinsn(word) oracle::raw(word)

namespace oracle {

/* Places in L1, and the first value that is no LReg */
enum { COUNT = 0x30000, LOG = 0x30020, FIRST = 16 };
/* oracle.py has the same ones, in the same order */
enum Kind {
    CONSTANT, SHORT, COPY, UNARY, UPDATE, FMA, WORD, FLAGS, SAVE, RESTORE,
    LOAD, STORE, PIN, FIXED, RAW, PLACE,
};
enum Name {
    SFPMOV_, SFPAND_, SFPOR_, SFPXOR_, SFPIADD_, SFPSHFT_, SFPABS_, SFPLZ_,
    SFPLE_, SFPDIVP2_, SFPCAST_, SFP_STOCH_RND_, SFPARECIP_, SFPSHFT2_,
    SFPMAD_, SFPMUL24_, SFPLUT_, SFPLUTFP32_, SFPTRANSP_, SFPCONFIG_,
};

using Value = uint32_t;
constexpr Value ZERO = 9, ONE = 10;

inline Value values = FIRST;

inline Value fresh()
{
    return values++;
}

struct Operands {
    Value d, a, b, c;
    uint32_t imm;
};

[[gnu::noinline]] inline Value record(Kind kind, unsigned name, unsigned mod,
                                      const Operands &o)
{
    volatile uint32_t *at = &REG32(LOG) + 8 * REG32(COUNT);

    at[0] = kind;
    at[1] = name;
    at[2] = mod;
    at[3] = o.d;
    at[4] = o.a;
    at[5] = o.b;
    at[6] = o.c;
    at[7] = o.imm;
    REG32(COUNT) = REG32(COUNT) + 1;
    return o.d;
}

/* A word of the kernel's own, TTINSN()'s or pushed; how many there were */
inline unsigned raw_words;

[[gnu::noinline]] inline void raw(uint32_t word)
{
    record(RAW, 0, 0, { 0, 0, 0, 0, word });
    raw_words++;
}

[[gnu::noinline]] inline Value constant(uint32_t bits)
{
    return record(CONSTANT, 0, 0, { fresh(), 0, 0, 0, bits });
}

/* In all lanes */
[[gnu::noinline]] inline Value copy(Value v)
{
    return record(COPY, 0, 0, { fresh(), 0, 0, v, 0 });
}

/* In the lanes that are enabled */
[[gnu::noinline]] inline void assign(Value d, Value v)
{
    record(UNARY, SFPMOV_, 0, { d, 0, 0, v, 0 });
}

[[gnu::noinline]] inline Value unary(Name name, unsigned mod, Value c,
                                     uint32_t imm = 0)
{
    return record(UNARY, name, mod, { fresh(), 0, 0, c, imm });
}

/* f(d, c) as a separate value */
[[gnu::noinline]] inline Value update(Name name, unsigned mod, Value d, Value c)
{
    return record(UPDATE, name, mod, { copy(d), 0, 0, c, 0 });
}

[[gnu::noinline]] inline Value fma(Value a, Value b, Value c)
{
    return record(FMA, SFPMAD_, 0, { fresh(), a, b, c, 0 });
}

inline Value negated(Value v) { return unary(SFPMOV_, 1, v); }
inline Value both(Value a, Value b) { return update(SFPAND_, 0, a, b); }
inline Value either(Value a, Value b) { return update(SFPOR_, 0, a, b); }
inline Value odd(Value a, Value b) { return update(SFPXOR_, 0, a, b); }
inline Value inverted(Value a) { return odd(a, constant(0xFFFFFFFF)); }
inline Value masked(Value a, uint32_t m) { return both(a, constant(m)); }

inline Value plus(Value a, Value b) { return update(SFPIADD_, 4, a, b); }
/* SFPIADD: VC - VD */
inline Value minus(Value a, Value b) { return update(SFPIADD_, 6, b, a); }

/* To the left; the sign is kept to the right if `arithmetic` */
inline Value shifted(Value a, Value by, bool arithmetic)
{
    return update(SFPSHFT_, arithmetic ? 2 : 0, a, by);
}

inline Value shifted_by(Value a, int by, bool arithmetic = false)
{
    return shifted(a, constant(by), arithmetic);
}

/* All bits, or none */
inline Value sign_mask(Value a) { return shifted_by(a, -31, true); }
/* By sign and magnitude */
inline Value at_most(Value a, Value b) { return update(SFPLE_, 8, a, b); }
inline Value equal(Value a, Value b)
{
    return both(at_most(a, b), at_most(b, a));
}

inline Value chosen(Value mask, Value yes, Value no)
{
    return either(both(yes, mask), both(no, inverted(mask)));
}

/* Bit 31 is the highest one, not a sign */
inline Value at_most_unsigned(Value a, Value b)
{
    Value low = at_most(masked(a, 0x7FFFFFFF), masked(b, 0x7FFFFFFF));

    return chosen(sign_mask(odd(a, b)), sign_mask(b), low);
}

/* Two's complement of sign and magnitude, and the other way round */
inline Value twos_complement(Value x)
{
    Value sign = sign_mask(x);

    return minus(odd(masked(x, 0x7FFFFFFF), sign), sign);
}

inline Value magnitude(Value x)
{
    Value sign = sign_mask(x);

    return minus(odd(x, sign), sign);
}

inline Value sign_magnitude(Value x)
{
    return either(magnitude(x), masked(x, 0x80000000));
}

/* --- lanes: a mask of each region is kept in unused rows of Dest --- */

enum { NO_SLOT = -1 };
inline int slot = NO_SLOT;         /* of the lanes that are enabled */
inline int depth;

inline void enable_all()
{
    record(WORD, 0, 0, { 0, 0, 0, 0,
                         TT(SFPENCC, .imm12_math = SFPENCC_ALL_LANES,
                            .instr_mod1 = SFPENCC_SET_BOTH) });
}

inline Value restored(int from)
{
    return from == NO_SLOT ? constant(0xFFFFFFFF) :
           record(RESTORE, 0, 0, { fresh(), 0, 0, 0, (uint32_t)from });
}

inline void save(Value mask, int to)
{
    record(SAVE, 0, 0, { 0, 0, 0, mask, (uint32_t)to });
}

inline void enable(Value mask)
{
    record(FLAGS, 0, 0, { 0, 0, 0, mask, 0 });
}

struct Mask {
    Value m;
};
inline Mask operator!(Mask m) { return { inverted(m.m) }; }
inline Mask operator&&(Mask a, Mask b) { return { both(a.m, b.m) }; }
inline Mask operator||(Mask a, Mask b) { return { either(a.m, b.m) }; }

class Region {
    int outer, here, rest;

public:
    Region() : outer(slot), here(2 * depth), rest(slot) { depth++; }
    Region(const Region &) = delete;
    ~Region()
    {
        enable_all();
        if (outer != NO_SLOT) {
            enable(restored(outer));
        }
        slot = outer;
        depth--;
    }
    void narrow(Mask condition)
    {
        enable_all();
        Value all = restored(rest);
        Value some = both(all, condition.m);

        save(some, here);
        rest = here + 1;
        save(both(all, inverted(condition.m)), rest);
        enable(some);
        slot = here;
    }
    void others()
    {
        enable_all();
        Value all = restored(rest);

        save(all, here);
        enable(all);
        slot = here;
    }
    void narrow_more(Mask condition)
    {
        enable_all();
        Value some = both(restored(slot), condition.m);

        save(some, here);
        enable(some);
        slot = here;
    }
};

}

#define v_if(...) { oracle::Region region_; \
        region_.narrow(sfpi::truth(__VA_ARGS__)); {
#define v_elseif(...) } region_.others(); \
        region_.narrow(sfpi::truth(__VA_ARGS__)); {
#define v_else } region_.others(); {
#define v_endif } }
#define v_block { oracle::Region region_;
#define v_and(...) region_.narrow_more(sfpi::truth(__VA_ARGS__))
#define v_endblock }

#endif
