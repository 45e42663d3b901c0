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

#ifndef BLACKHOLE_TILE_SFPI_FUNCTIONS_HPP
#define BLACKHOLE_TILE_SFPI_FUNCTIONS_HPP

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

namespace sfpi {

using oracle::Value;
using oracle::Mask;

template <typename T> struct Plain { using type = T; };
template <typename T> struct Plain<const T> { using type = T; };
template <typename T> struct Plain<T &> : Plain<T> {};
template <typename T> struct Plain<const T &> { using type = T; };
template <typename T> using plain = typename Plain<T>::type;
template <typename T> constexpr bool is_number = !__is_class(plain<T>) &&
                                                 !__is_enum(plain<T>);
template <typename T> concept a_number = is_number<T>;
template <typename T> constexpr bool is_real = __is_same(plain<T>, float) ||
                                               __is_same(plain<T>, double);
template <typename T> concept whole = a_number<T> && !is_real<T>;

struct vVal {
    Value v;
    vVal() : v(oracle::fresh()) {}
    explicit vVal(Value value, int) : v(value) {}
};
template <typename T> concept a_vector = __is_base_of(vVal, plain<T>);

template <typename T> T make(Value v)
{
    T t;

    t.v = v;
    return t;
}

/* a * b, not rounded yet */
struct Product {
    Value a, b;
};
struct Constant {
    Value v;
};
template <typename T> struct ProgrammedConstant;
class DestVector;

struct sFloat16a {
    uint32_t bits;
    template <whole T> explicit sFloat16a(T b) : bits((uint16_t)b) {}
};
struct sFloat16b {
    uint32_t bits;
    template <whole T> explicit sFloat16b(T b) : bits((uint16_t)b) {}
    explicit sFloat16b(float f) : bits(__builtin_bit_cast(uint32_t, f) >> 16) {}
};

struct vFloat : vVal {
    vFloat() = default;
    vFloat(const vFloat &o) : vVal(oracle::copy(o.v), 0) {}
    vFloat(Product p) : vVal(oracle::fma(p.a, p.b, oracle::ZERO), 0) {}
    vFloat(Constant c) : vVal(oracle::copy(c.v), 0) {}
    vFloat(sFloat16a f) : vVal(oracle::record(
        oracle::SHORT, 0, SFPLOADI_FP16,
        { oracle::fresh(), 0, 0, 0, f.bits }), 0) {}
    vFloat(sFloat16b f) : vVal(oracle::constant(f.bits << 16), 0) {}
    template <a_number T> vFloat(T f)
        : vVal(oracle::constant(__builtin_bit_cast(uint32_t, (float)f)), 0) {}
    template <typename T> requires requires(T t) { t.programmed; }
    vFloat(const T &t) : vVal(oracle::copy(t.programmed), 0) {}
    vFloat &operator=(const vFloat &o)
    {
        oracle::assign(v, o.v);
        return *this;
    }
    template <typename T> vFloat &operator+=(const T &t)
    {
        return *this = *this + t;
    }
    template <typename T> vFloat &operator-=(const T &t)
    {
        return *this = *this - t;
    }
    template <typename T> vFloat &operator*=(const T &t)
    {
        return *this = *this * t;
    }
    vFloat &operator++() { return *this += 1.0f; }
    vFloat &operator--() { return *this -= 1.0f; }
    vFloat operator++(int) { vFloat old = *this; *this += 1.0f; return old; }
    vFloat operator--(int) { vFloat old = *this; *this -= 1.0f; return old; }
};

template <typename T> constexpr bool is_float =
    __is_base_of(vFloat, plain<T>) || __is_same(plain<T>, Product) ||
    __is_same(plain<T>, Constant) || __is_same(plain<T>, DestVector) ||
    __is_same(plain<T>, ProgrammedConstant<vFloat>);
template <typename T> concept a_float = is_float<T>;
template <typename T> concept a_term =
    a_float<T> || a_number<T> || __is_same(plain<T>, sFloat16a) ||
    __is_same(plain<T>, sFloat16b);

template <a_term T> Value value_of(const T &t)
{
    if constexpr (__is_base_of(vFloat, T)) {
        return t.v;
    } else if constexpr (__is_same(T, Constant)) {
        return t.v;
    } else {
        return vFloat(t).v;
    }
}

template <a_term L, a_term R> requires (a_float<L> || a_float<R>)
Product operator*(const L &l, const R &r)
{
    Value a = value_of(l);

    return { a, value_of(r) };
}

/* Of two products the right one is rounded first. */
template <a_term L, a_term R> requires (a_float<L> || a_float<R>)
vFloat operator+(const L &l, const R &r)
{
    if constexpr (__is_same(L, Product)) {
        return make<vFloat>(oracle::fma(l.a, l.b, value_of(r)));
    } else if constexpr (__is_same(R, Product)) {
        return make<vFloat>(oracle::fma(r.a, r.b, value_of(l)));
    } else {
        Value a = value_of(l);

        return make<vFloat>(oracle::fma(a, oracle::ONE, value_of(r)));
    }
}

template <a_float T> vFloat operator-(const T &t)
{
    return make<vFloat>(oracle::negated(value_of(t)));
}

template <a_term L, a_term R> requires (a_float<L> || a_float<R>)
vFloat operator-(const L &l, const R &r)
{
    if constexpr (a_number<R>) {
        return l + -(float)r;
    } else if constexpr (__is_same(R, Product)) {
        return l + Product{ oracle::negated(r.a), r.b };
    } else {
        return l + -r;
    }
}

template <a_float T> vFloat operator+(const T &t) { return vFloat(t); }

/* --- integers --- */

enum Sort { SIGNED, UNSIGNED, SIGN_MAGNITUDE, MAGNITUDE };

template <Sort S> struct Integer : vVal {
    Integer() = default;
    Integer(const Integer &o) : vVal(oracle::copy(o.v), 0) {}
    template <whole T> Integer(T n)
        : vVal(oracle::constant((uint32_t)n), 0) {}
    Integer(Mask m) : vVal(oracle::masked(m.m, 1), 0) {}
    template <Sort O> Integer(const Integer<O> &o)
        : vVal(oracle::copy(o.v), 0) {}
    template <typename T> requires requires(T t) { t.programmed; }
    Integer(const T &t) : vVal(oracle::copy(t.programmed), 0) {}
    Integer &operator=(const Integer &o)
    {
        oracle::assign(v, o.v);
        return *this;
    }
#define COMPOUND(op) \
    template <typename T> Integer &operator op##=(const T &t) \
    { \
        return *this = *this op t; \
    }
    COMPOUND(+) COMPOUND(-) COMPOUND(&) COMPOUND(|) COMPOUND(^)
    COMPOUND(<<) COMPOUND(>>)
#undef COMPOUND
    Integer &operator++() { return *this += 1; }
    Integer &operator--() { return *this -= 1; }
};
using vInt = Integer<SIGNED>;
using vUInt = Integer<UNSIGNED>;
using vSMag = Integer<SIGN_MAGNITUDE>;
using vMag = Integer<MAGNITUDE>;
struct vUInt16 : vMag {};
struct vUInt8 : vUInt16 {};
struct vSMag16 : vSMag {};
struct vSMag8 : vSMag16 {};

template <typename T> constexpr bool is_signed_magnitude =
    __is_base_of(vSMag, T);
template <typename T> concept a_sign_magnitude = is_signed_magnitude<T>;
template <typename T> constexpr bool is_integer =
    __is_base_of(vInt, T) || __is_base_of(vUInt, T) ||
    __is_base_of(vMag, T) || is_signed_magnitude<T>;
template <typename T> concept an_integer = is_integer<plain<T>>;
template <typename T> concept a_whole = an_integer<T> || whole<T>;

template <typename L, typename R> struct Wider { using type = L; };
template <whole L, typename R> struct Wider<L, R> { using type = R; };
template <an_integer R> struct Wider<vMag, R> { using type = R; };
template <> struct Wider<vInt, vUInt> { using type = vUInt; };
template <whole R> struct Wider<vSMag, R> { using type = vUInt; };
/* vUInt16 and its like are what they are made of */
template <typename T> struct Base { using type = T; };
template <typename T> requires (__is_base_of(vMag, T))
struct Base<T> { using type = vMag; };
template <a_sign_magnitude T> struct Base<T> { using type = vSMag; };
template <typename L, typename R>
using wider = typename Wider<typename Base<plain<L>>::type,
                             typename Base<plain<R>>::type>::type;

template <typename T> concept an_integer_constant =
    __is_same(plain<T>, ProgrammedConstant<vInt>);

template <typename T> Value integer_of(const T &t)
{
    if constexpr (an_integer<T>) {
        return t.v;
    } else if constexpr (an_integer_constant<T>) {
        return t.programmed;
    } else {
        return oracle::constant((uint32_t)t);
    }
}

#define BINARY(op, function) \
    template <a_whole L, a_whole R> requires (an_integer<L> || an_integer<R>) \
    auto operator op(const L &l, const R &r) \
    { \
        Value a = integer_of(l); \
        return make<wider<L, R>>(oracle::function(a, integer_of(r))); \
    }
BINARY(+, plus)
BINARY(-, minus)
BINARY(&, both)
BINARY(|, either)
BINARY(^, odd)
#undef BINARY
#define WITH_CONSTANT(op, function) \
    template <an_integer_constant L, an_integer R> \
    vInt operator op(const L &l, const R &r) \
    { \
        return make<vInt>(oracle::function(integer_of(l), integer_of(r))); \
    } \
    template <an_integer L, an_integer_constant R> \
    vInt operator op(const L &l, const R &r) \
    { \
        return make<vInt>(oracle::function(integer_of(l), integer_of(r))); \
    }
WITH_CONSTANT(+, plus)
WITH_CONSTANT(-, minus)
WITH_CONSTANT(&, both)
WITH_CONSTANT(|, either)
WITH_CONSTANT(^, odd)
#undef WITH_CONSTANT

template <Sort S> auto operator~(const Integer<S> &t)
{
    return make<Integer<S>>(oracle::inverted(t.v));
}
template <Sort S> auto operator-(const Integer<S> &t) { return 0 - t; }
template <Sort S, a_whole R>
auto operator<<(const Integer<S> &l, const R &r)
{
    return make<Integer<S>>(oracle::shifted(l.v, integer_of(r), false));
}
template <Sort S, a_whole R>
auto operator>>(const Integer<S> &l, const R &r)
{
    Value by = oracle::minus(oracle::constant(0), integer_of(r));

    return make<Integer<S>>(oracle::shifted(l.v, by, S == SIGNED));
}

template <a_vector T, typename V> T reinterpret(const V &value)
{
    if constexpr (a_float<V>) {
        return make<T>(oracle::copy(value_of(value)));
    } else {
        return make<T>(oracle::copy(value.v));
    }
}
template <a_vector T, typename V> T as(const V &value)
{
    return reinterpret<T>(value);
}

/* --- conditions --- */

inline Mask truth(Mask m) { return m; }
template <an_integer T> Mask truth(const T &t)
{
    return !Mask{ oracle::equal(t.v, oracle::constant(0)) };
}
template <an_integer T> Mask operator&&(Mask a, const T &b)
{
    return a && truth(b);
}
template <an_integer T> Mask operator&&(const T &a, Mask b)
{
    return truth(a) && b;
}
template <an_integer T> Mask operator||(Mask a, const T &b)
{
    return a || truth(b);
}
template <an_integer T> Mask operator||(const T &a, Mask b)
{
    return truth(a) || b;
}
template <an_integer T> Mask operator!(const T &t) { return !truth(t); }

/* A number that is compared with sign and magnitude has that form, too. */
template <typename T, typename Other> Value comparand(const T &t)
{
    if constexpr (is_signed_magnitude<Other> && whole<T>) {
        return oracle::sign_magnitude(integer_of(t));
    } else {
        return integer_of(t);
    }
}

/* a < b of integers: by the difference, which has to fit */
inline Mask below(Value a, Value b)
{
    return { oracle::sign_mask(oracle::minus(a, b)) };
}

inline Mask above(Value a, Value b)
{
    return !(below(a, b) || Mask{ oracle::equal(a, b) });
}

#define COMPARE(op, of_floats, of_integers) \
    template <a_term L, a_term R> requires (a_float<L> || a_float<R>) \
    Mask operator op(const L &l, const R &r) \
    { \
        Value a = value_of(l), b = value_of(r); \
        return of_floats; \
    } \
    template <a_whole L, a_whole R> requires (an_integer<L> || an_integer<R>) \
    Mask operator op(const L &l, const R &r) \
    { \
        Value a = comparand<L, R>(l), b = comparand<R, L>(r); \
        return of_integers; \
    }
COMPARE(==, Mask{ oracle::equal(a, b) }, Mask{ oracle::equal(a, b) })
COMPARE(!=, !Mask{ oracle::equal(a, b) }, !Mask{ oracle::equal(a, b) })
COMPARE(<=, Mask{ oracle::at_most(a, b) }, !above(a, b))
COMPARE(>=, Mask{ oracle::at_most(b, a) }, !below(a, b))
COMPARE(<, !Mask{ oracle::at_most(b, a) }, below(a, b))
COMPARE(>, !Mask{ oracle::at_most(a, b) }, above(a, b))
#undef COMPARE

struct vBool : Mask {
    enum Cond { EQ, NE, LT, GE, GT, LE };

    template <typename T> vBool(const T &t) : Mask(truth(t)) {}
    template <typename L, typename R> vBool(Cond cond, const L &l, const R &r)
        : Mask(cond == EQ ? l == r : cond == NE ? l != r : cond == LT ? l < r :
               cond == GE ? l >= r : cond == GT ? l > r : l <= r) {}
};

/* --- constants, Dest, LRegs --- */

template <typename T> struct ProgrammedConstant {
    Value programmed;
    void operator=(const T &value) const
    {
        Value source = oracle::copy(value.v);

        oracle::record(oracle::PIN, 0, 0, { 0, 0, 0, source, 0 });
        oracle::record(oracle::FIXED, oracle::SFPCONFIG_, 0,
                       { 0, 0, 0, 0, programmed });
    }
};
constexpr Constant vConst0p8373{ 8 }, vConst0{ 9 }, vConst1{ 10 },
    vConstNeg1{ 11 };
constexpr ProgrammedConstant<vFloat> vConstFloatPrgm0{ 12 },
    vConstFloatPrgm1{ 13 }, vConstFloatPrgm2{ 14 };
constexpr ProgrammedConstant<vInt> vConstIntPrgm0{ 12 }, vConstIntPrgm1{ 13 },
    vConstIntPrgm2{ 14 }, vConstTileId{ 15 };

enum class DataLayout {
    Default, FSrcB, F32, F16a, F16b, I32, U32, U16, SM32, SM16, M32, LO16, HI16,
};

/* instr_mod0 of SFPLOAD and SFPSTORE, 0 if the type decides */
constexpr unsigned FORMATS[] = { 0, 0, 3, 1, 2, 4, 4, 6, 4, 8, 4, 9, 7 };

class DestVector {
    uint32_t row;
    DataLayout layout;

    template <typename T> unsigned format() const
    {
        return layout != DataLayout::Default ? FORMATS[(int)layout] :
               __is_base_of(vUInt16, T) ? 6 : __is_base_of(vSMag16, T) ? 8 :
               an_integer<T> ? 4 : 0;
    }
    template <typename T> T load() const
    {
        Value v = oracle::record(oracle::LOAD, 0, format<T>(),
                                 { oracle::fresh(), 0, 0, 0, row });

        if (__is_same(T, vInt) && layout == DataLayout::SM32) {
            v = oracle::twos_complement(v);
        } else if (__is_same(T, vSMag) && layout == DataLayout::I32) {
            v = oracle::sign_magnitude(v);
        }
        return make<T>(v);
    }

public:
    constexpr DestVector(uint32_t r, DataLayout l = DataLayout::Default)
        : row(r), layout(l) {}
    template <DataLayout L> DestVector mode() const { return { row, L }; }
    operator vFloat() const { return load<vFloat>(); }
    operator vUInt16() const { return load<vUInt16>(); }
    operator vSMag16() const { return load<vSMag16>(); }
    template <Sort S> operator Integer<S>() const { return load<Integer<S>>(); }
    template <a_vector T> void operator=(const T &t) const
    {
        Value v = t.v;

        if (__is_same(T, vInt) && layout == DataLayout::SM32) {
            v = oracle::sign_magnitude(v);
        } else if (__is_same(T, vSMag) && layout == DataLayout::I32) {
            v = oracle::twos_complement(v);
        }
        oracle::record(oracle::STORE, 0, format<T>(), { 0, 0, 0, v, row });
    }
    template <a_float T> requires (!a_vector<T>)
    void operator=(const T &t) const { *this = vFloat(t); }
    void operator=(float f) const { *this = vFloat(f); }
};

struct DestFile {
    constexpr DestVector operator[](int i) const
    {
        return { (uint32_t)i * 2 };
    }
    void operator+=(unsigned vectors) const
    {
        for (; vectors; vectors--) {
            oracle::record(oracle::WORD, 0, 0,
                           { 0, 0, 0, 0, TT(INCRWC, .rwc_d = 2) });
        }
    }
    void operator++(int) const { *this += 1; }
};
constexpr DestFile dst_reg;
using s2vFloat16a = sFloat16a;
using s2vFloat16b = sFloat16b;

enum class LRegs { LReg0, LReg1, LReg2, LReg3, LReg4, LReg5, LReg6, LReg7 };
inline struct {
    Value value;
    unsigned raw_words;
} in_lreg[8];

/* What was put there, or what the kernel's words have left there since */
struct LReg {
    int n;
    template <a_vector T> void operator=(const T &t) const
    {
        in_lreg[n] = { oracle::copy(t.v), oracle::raw_words };
        oracle::record(oracle::PLACE, 0, 0,
                       { 0, 0, 0, in_lreg[n].value, (uint32_t)n });
    }
    template <a_vector T> operator T() const
    {
        bool is_known = in_lreg[n].value &&
                        in_lreg[n].raw_words == oracle::raw_words;

        return make<T>(oracle::copy(is_known ? in_lreg[n].value : n));
    }
    void in_use() const {}
};
struct LRegFile {
    LReg operator[](LRegs n) const { return { (int)n }; }
};
constexpr LRegFile l_reg;

/* --- functions --- */

template <typename T> vInt exexp_nodebias(const T &x)
{
    return make<vInt>(oracle::masked(oracle::shifted_by(value_of(x), -23),
                                     255));
}
template <typename T> vInt exexp(const T &x) { return exexp_nodebias(x) - 127; }
template <typename T> vInt exman9(const T &x)
{
    return make<vInt>(oracle::masked(value_of(x), 0x7FFFFF));
}
template <typename T> vInt exman8(const T &x) { return exman9(x) | 0x800000; }
template <typename T> vUInt exman(const T &x) { return exman9(x); }
template <typename T> vUInt exsgn(const T &x)
{
    return as<vUInt>(x) >> 31;
}

/* x with these bits of another */
inline vFloat mixed(Value x, Value other, uint32_t bits)
{
    return make<vFloat>(oracle::either(oracle::masked(x, ~bits),
                                       oracle::masked(other, bits)));
}
inline vFloat setexp(const vFloat &x, int exponent)
{
    return mixed(x.v, oracle::constant(exponent << 23), 0x7F800000);
}
template <an_integer T> vFloat setexp(const vFloat &x, const T &exponent)
{
    return mixed(x.v, oracle::shifted_by(exponent.v, 23), 0x7F800000);
}
inline vFloat copyexp(const vFloat &x, const vFloat &other)
{
    return mixed(x.v, other.v, 0x7F800000);
}
inline vFloat addexp(const vFloat &x, int n)
{
    return make<vFloat>(oracle::unary(oracle::SFPDIVP2_, 1, x.v, n & 0xFFF));
}
inline vFloat setman(const vFloat &x, int mantissa)
{
    return mixed(x.v, oracle::constant(mantissa << 11), 0x7FFFFF);
}
template <a_vector T> vFloat setman(const vFloat &x, const T &mantissa)
{
    return mixed(x.v, mantissa.v, 0x7FFFFF);
}
inline vFloat copyman(const vFloat &x, const vFloat &other)
{
    return mixed(x.v, other.v, 0x7FFFFF);
}
inline vFloat setsgn(const vFloat &x, int sign)
{
    return mixed(x.v, oracle::constant((uint32_t)sign << 31), 0x80000000);
}
template <Sort S> Integer<S> setsgn(const Integer<S> &x, int sign)
{
    return as<Integer<S>>(setsgn(as<vFloat>(x), sign));
}
template <an_integer T> vFloat setsgn2(const vFloat &x, const T &sign)
{
    return mixed(x.v, oracle::shifted_by(sign.v, 31), 0x80000000);
}
template <a_vector T> vFloat copysgn(const vFloat &x, const T &sign)
{
    return mixed(x.v, sign.v, 0x80000000);
}
template <a_vector T> vFloat setsgn(const vFloat &x, const T &sign)
{
    return copysgn(x, sign);
}
template <a_float T> vFloat abs(const T &x)
{
    return make<vFloat>(oracle::unary(oracle::SFPABS_, SFPABS_FLOAT,
                                      value_of(x)));
}
inline vMag abs(const vInt &x) { return make<vMag>(oracle::magnitude(x.v)); }

template <a_vector T> vUInt lz(const T &x)
{
    return make<vUInt>(oracle::unary(oracle::SFPLZ_, 0, x.v));
}
template <a_vector T> vInt lz_nosgn(const T &x)
{
    return lz(make<vInt>(oracle::masked(x.v, 0x7FFFFFFF)));
}

enum class ShiftMode { Logical, Arithmetic };
template <Sort S, a_whole D>
Integer<S> shft(const Integer<S> &x, const D &by,
                ShiftMode mode = S == SIGNED ? ShiftMode::Arithmetic :
                                 ShiftMode::Logical)
{
    return make<Integer<S>>(oracle::shifted(
        x.v, integer_of(by), mode == ShiftMode::Arithmetic));
}

enum class LdexpMode { Correct, Fast };
inline vFloat ldexp(const vFloat &x, int n) { return addexp(x, n); }
inline vFloat ldexp(const vFloat &x, const vInt &n,
                    LdexpMode mode = LdexpMode::Correct)
{
    Value high = oracle::shifted_by(n.v, 23);

    if (mode == LdexpMode::Fast) {
        return mixed(x.v, oracle::plus(x.v, high), 0x7F800000);
    }
    Value power = oracle::plus(high, oracle::constant(0x3F800000));

    return x * make<vFloat>(oracle::masked(power, 0x7F800000));
}

enum class FractionalHalf { Low, High };
template <a_vector T>
vMag fractional_mul(const T &a, const T &b,
                    FractionalHalf half = FractionalHalf::Low)
{
    return make<vMag>(oracle::record(
        oracle::FMA, oracle::SFPMUL24_, (int)half,
        { oracle::fresh(), a.v, b.v, oracle::ZERO, 0 }));
}

inline Value size_of(const vFloat &x)
{
    return oracle::masked(x.v, 0x7FFFFFFF);
}
/* Whether a <= |x| */
inline Mask reaches(const vFloat &x, uint32_t a)
{
    return { oracle::at_most(oracle::constant(a), size_of(x)) };
}
inline Mask is_finite(const vFloat &x) { return !reaches(x, 0x7F800000); }
inline Mask is_nan(const vFloat &x) { return reaches(x, 0x7F800001); }
inline Mask is_inf(const vFloat &x)
{
    return reaches(x, 0x7F800000) && !is_nan(x);
}
inline Mask is_zero(const vFloat &x) { return !reaches(x, 1); }
inline Mask is_subnormal(const vFloat &x)
{
    return reaches(x, 1) && !reaches(x, 0x800000);
}
inline Mask is_normal(const vFloat &x)
{
    return reaches(x, 0x800000) && is_finite(x);
}
inline Mask is_neg(const vFloat &x) { return { oracle::sign_mask(x.v) }; }
inline Mask is_pos(const vFloat &x) { return !is_neg(x); }

struct RoundMode {
    enum Values { Nearest = 0, NearestAway = 0, Stochastic = 1, Zero = 2 };
    unsigned v;
    constexpr RoundMode(int value) : v(value) {}
};

/* SFP_STOCH_RND has its rounding and its shift outside of the mode. */
inline Value rounded(Value x, unsigned mode, RoundMode round, unsigned by = 0)
{
    return oracle::unary(oracle::SFP_STOCH_RND_, mode, x, by << 8 | round.v);
}
#define ROUNDED(name, T, mode) \
    inline T name(const vFloat &x, RoundMode round) \
    { \
        return make<T>(rounded(x.v, mode, round)); \
    }
ROUNDED(float_to_fp16a, vFloat, 0)
ROUNDED(float_to_fp16b, vFloat, 1)
ROUNDED(float_to_uint8, vUInt, 2)
ROUNDED(float_to_int8, vInt, 3)
ROUNDED(float_to_uint16, vUInt, 6)
ROUNDED(float_to_int16, vInt, 7)
#undef ROUNDED
inline vUInt int32_to_uint8(const vInt &x, unsigned by, RoundMode round)
{
    return make<vUInt>(rounded(x.v, 12, round, by));
}
inline vInt int32_to_int8(const vInt &x, unsigned by, RoundMode round)
{
    return make<vInt>(rounded(x.v, 13, round, by));
}
/* The shift is the second operand. */
inline Value rounded_by(const vInt &x, unsigned mode, const vUInt &by,
                        RoundMode round)
{
    return oracle::record(oracle::UNARY, oracle::SFP_STOCH_RND_, mode,
                          { oracle::fresh(), 0, by.v, x.v, round.v });
}
inline vUInt int32_to_uint8(const vInt &x, const vUInt &by, RoundMode round)
{
    return make<vUInt>(rounded_by(x, 4, by, round));
}
inline vInt int32_to_int8(const vInt &x, const vUInt &by, RoundMode round)
{
    return make<vInt>(rounded_by(x, 5, by, round));
}
template <a_vector T> T convert(const vFloat &x, RoundMode round)
{
    constexpr unsigned mode =
        __is_same(T, vUInt8) ? 2 : __is_same(T, vSMag8) ? 3 :
        __is_base_of(vMag, T) ? 6 : 7;

    static_assert(an_integer<T>);
    return make<T>(rounded(x.v, mode, round));
}
template <an_integer T> vFloat int32_to_float(const T &x, RoundMode round)
{
    return make<vFloat>(oracle::unary(oracle::SFPCAST_, round.v, x.v));
}
inline vSMag int_to_smag(const vInt &x)
{
    return make<vSMag>(oracle::sign_magnitude(x.v));
}
template <a_vector T> T convert(const vSMag &x)
{
    static_assert(__is_same(T, vInt) || is_signed_magnitude<T>);
    return make<T>(__is_same(T, vInt) ? oracle::twos_complement(x.v) :
                   oracle::copy(x.v));
}
template <a_vector T> T convert(const vInt &x, RoundMode round)
{
    static_assert(__is_same(T, vFloat));
    return int32_to_float(int_to_smag(x), round);
}

struct FloatInt {
    vFloat f;
    vInt n;
    operator vFloat() const { return f; }
    operator vInt() const { return n; }
};
/* 1.5 * 2^23 is added, and taken away. */
inline FloatInt round(const vFloat &x)
{
    Value magic = oracle::constant(0x4B400000);
    Value sum = oracle::fma(oracle::ONE, x.v, magic);

    return { make<vFloat>(oracle::fma(oracle::constant(0xBF800000), magic, sum)),
             make<vInt>(oracle::plus(sum, oracle::constant(-0x4B400000))) };
}

/* SFPMOV of what is not an LReg */
inline vInt rand()
{
    return make<vInt>(oracle::unary(oracle::SFPMOV_, 8, 9));
}

enum class RecipMode { All, IfNegative };

inline vFloat approx_recip(const vFloat &x, RecipMode mode = RecipMode::All)
{
    Value r = oracle::unary(oracle::SFPARECIP_, 0, x.v);

    return mode == RecipMode::All ? make<vFloat>(r) :
           make<vFloat>(oracle::chosen(oracle::sign_mask(x.v),
                                       oracle::masked(r, 0x7FFFFFFF), x.v));
}
template <bool all> vFloat approx_recip(const vFloat &x)
{
    return approx_recip(x, all ? RecipMode::All : RecipMode::IfNegative);
}
inline vFloat approx_exp(const vFloat &x)
{
    return make<vFloat>(oracle::unary(oracle::SFPARECIP_, 2, x.v));
}

inline void pin(Value v, unsigned lreg)
{
    oracle::record(oracle::PIN, 0, 0, { 0, 0, 0, v, lreg });
}

/* The tables are LReg0 to 2, or those and LReg4 to 6; the input is LReg3. */
template <typename... T>
vFloat table(oracle::Name name, unsigned mod, const vFloat &x, const T &...t)
{
    Value tables[] = { oracle::copy(t.v)... }, input = oracle::copy(x.v);
    unsigned n = 0;

    for (Value v : tables) {
        pin(v, n < 3 ? n : n + 1);
        n++;
    }
    pin(input, 3);
    return make<vFloat>(oracle::record(oracle::FIXED, name, mod,
                                       { oracle::fresh(), 0, 0, 0, 0 }));
}
enum { KEEP_SIGN = 4 };

inline vFloat lut2(const vFloat &x, const vFloat &a, const vFloat &b,
                   const vFloat &c, const vFloat &d, const vFloat &e,
                   const vFloat &f)
{
    return table(oracle::SFPLUTFP32_, KEEP_SIGN, x, a, b, c, d, e, f);
}
/* The last bound of six pieces is 3 in mode 1, 4 in mode 2 */
inline vFloat lut2(const vFloat &x, const vUInt &a, const vUInt &b,
                   const vUInt &c, const vUInt &d, const vUInt &e,
                   const vUInt &f, int mode = 1)
{
    return table(oracle::SFPLUTFP32_, KEEP_SIGN | (mode == 1 ? 2 : 3), x, a, b,
                 c, d, e, f);
}
inline vFloat lut2_sign(const vFloat &x, const vUInt &a, const vUInt &b,
                        const vUInt &c, const vUInt &d, const vUInt &e,
                        const vUInt &f, int mode = 1)
{
    return table(oracle::SFPLUTFP32_, mode == 1 ? 2 : 3, x, a, b, c, d, e, f);
}
/* LReg7 has the number of the LReg that is written: the input's */
inline vFloat lut2(const vFloat &x, const vUInt &a, const vUInt &b,
                   const vUInt &c)
{
    Value input = oracle::copy(x.v), number = oracle::constant(3);

    pin(oracle::copy(a.v), 0);
    pin(oracle::copy(b.v), 1);
    pin(oracle::copy(c.v), 2);
    pin(input, 3);
    pin(number, 7);
    return make<vFloat>(oracle::record(
        oracle::FIXED, oracle::SFPLUTFP32_, 10 | KEEP_SIGN,
        { input, 0, 0, 0, 0 }));
}
inline vFloat lut(const vFloat &x, const vUInt &a, const vUInt &b,
                  const vUInt &c)
{
    return table(oracle::SFPLUT_, KEEP_SIGN, x, a, b, c);
}
inline vFloat lut_sign(const vFloat &x, const vUInt &a, const vUInt &b,
                       const vUInt &c)
{
    return table(oracle::SFPLUT_, 0, x, a, b, c);
}

inline vFloat polynomial(const vFloat &) { return 0.0f; }
template <a_term C> vFloat polynomial(const vFloat &, const C &c)
{
    return vFloat(c);
}
template <a_term C, a_term... More>
vFloat polynomial(const vFloat &x, const C &c, const More &...more)
{
    return polynomial(x, more...) * x + c;
}

/* --- pairs, and across lanes --- */

template <a_vector T> void vec_swap(T &a, T &b)
{
    T old = a;

    a = b;
    b = old;
}
/* The smaller number in a, where `up` has bits; else in b */
inline void order(Value a, Value b, Value up)
{
    Value first = oracle::inverted(oracle::odd(oracle::at_most(a, b), up));
    Value low = oracle::chosen(first, a, b), high = oracle::chosen(first, b, a);

    oracle::assign(a, low);
    oracle::assign(b, high);
}
template <a_vector T> void vec_min_max(T &a, T &b)
{
    order(a.v, b.v, oracle::constant(0xFFFFFFFF));
}
template <a_vector T> void swap(T &a, T &b) { vec_swap(a, b); }

template <typename T> struct Two {
    T first, second;
};

/* LReg15 is twice the lane's number; a bit of `rows` belongs to 8 lanes. */
template <a_vector T> Two<T> min_max(const T &a, const T &b, uint32_t mask = 0)
{
    constexpr Value TWICE_THE_LANE = 15;
    uint32_t rows = 0;
    Two<T> two = { a, b };

    for (unsigned row = 0; row < 4; row++) {
        rows |= (mask >> (mask < 16 ? row : 8 * row) & 1) << row;
    }
    Value row = oracle::shifted_by(TWICE_THE_LANE, -4);
    Value by = oracle::minus(oracle::constant(0), row);
    Value bit = oracle::masked(oracle::shifted(oracle::constant(rows), by,
                                               false), 1);

    order(two.first.v, two.second.v,
          oracle::plus(bit, oracle::constant(0xFFFFFFFF)));
    return two;
}
template <a_term A, a_term B> requires (a_float<A> || a_float<B>)
vFloat min(const A &a, const B &b)
{
    Value x = value_of(a), y = value_of(b);

    return make<vFloat>(oracle::chosen(oracle::at_most(x, y), x, y));
}
template <a_term A, a_term B> requires (a_float<A> || a_float<B>)
vFloat max(const A &a, const B &b)
{
    Value x = value_of(a), y = value_of(b);

    return make<vFloat>(oracle::chosen(oracle::at_most(x, y), y, x));
}
template <a_sign_magnitude T> T min(const T &a, const T &b)
{
    return make<T>(oracle::chosen(oracle::at_most(a.v, b.v), a.v, b.v));
}
template <a_sign_magnitude T> T max(const T &a, const T &b)
{
    return make<T>(oracle::chosen(oracle::at_most(a.v, b.v), b.v, a.v));
}
inline vUInt min(const vUInt &x, unsigned bound)
{
    Value b = oracle::constant(bound);

    return make<vUInt>(oracle::chosen(oracle::at_most_unsigned(x.v, b), x.v,
                                      b));
}
inline vUInt max(const vUInt &x, unsigned bound)
{
    Value b = oracle::constant(bound);

    return make<vUInt>(oracle::chosen(oracle::at_most_unsigned(x.v, b), b,
                                      x.v));
}
inline vUInt clamp(const vUInt &x, unsigned low, unsigned high)
{
    return min(max(x, low), high);
}
template <a_sign_magnitude T> T clamp(const T &x, const T &low, const T &high)
{
    return min(max(x, low), high);
}
template <a_term L, a_term H>
vFloat clamp(const vFloat &x, const L &low, const H &high)
{
    return min(max(x, low), high);
}

inline vFloat symmetric_clamp(const vFloat &x, float bound)
{
    return setsgn(min(abs(x), bound), x);
}
inline vFloat rectified_linear_unit(const vFloat &x)
{
    return make<vFloat>(oracle::both(x.v, oracle::inverted(
        oracle::sign_mask(x.v))));
}

template <a_vector T> void subvec_transp(T &a, T &b, T &c, T &d)
{
    pin(a.v, 0);
    pin(b.v, 1);
    pin(c.v, 2);
    pin(d.v, 3);
    oracle::record(oracle::FIXED, oracle::SFPTRANSP_, 0, { 0, 0, 0, 0, 0 });
}
template <a_vector T> T subvec_shflror1(const T &x)
{
    return make<T>(oracle::unary(oracle::SFPSHFT2_, 3, x.v));
}
template <a_vector T> T subvec_shflshr1(const T &x)
{
    return make<T>(oracle::unary(oracle::SFPSHFT2_, 4, x.v));
}

}

#endif
