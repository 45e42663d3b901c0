/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The oracle's vectors, conditions, Dest and LRegs.  (record.hpp)
 */

#ifndef BLACKHOLE_TILE_SFPI_VECTOR_HPP
#define BLACKHOLE_TILE_SFPI_VECTOR_HPP

#include "blackhole-tile/sfpi/record.hpp"

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

}

#endif
