/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SFPI's vectors: vFloat and the integers.
 *
 * An assignment writes enabled lanes only, so the old value is an operand of
 * it; a declaration with a value has no old one.  What the arithmetic of vFloat
 * returns is not a vector yet but a type that says how to make one (Mad), so
 * that a * b + c becomes one SFPMAD, and -a no instruction.
 */

#ifndef BLACKHOLE_TILE_SFPI_VECTOR_HPP
#define BLACKHOLE_TILE_SFPI_VECTOR_HPP

#include "blackhole-tile/sfpi/emit.hpp"

namespace sfpi {

using hw::Lanes;

template <typename T, typename U>
concept same = __is_same(T, U);

/* T without const and reference */
template <typename T> struct Bare { using type = T; };
template <typename T> struct Bare<const T> { using type = T; };
template <typename T> struct Bare<T &> { using type = typename Bare<T>::type; };
template <typename T> using bare = typename Bare<T>::type;

template <typename T>
concept integer = same<bare<T>, int> || same<bare<T>, unsigned> ||
                  same<bare<T>, long> || same<bare<T>, unsigned long> ||
                  same<bare<T>, short> || same<bare<T>, unsigned short> ||
                  same<bare<T>, signed char> || same<bare<T>, unsigned char> ||
                  same<bare<T>, bool> || same<bare<T>, char>;
template <typename T>
concept number = integer<T> || same<bare<T>, float> || same<bare<T>, double>;

sfpi_inline uint32_t bits_of(float f)
{
    return __builtin_bit_cast(uint32_t, f);
}

/* A vector of any type */
class vVal {
public:
    mutable Lanes v;

    sfpi_inline vVal() { hw::undefined(v); }
    sfpi_inline explicit vVal(Lanes lanes, int) : v(lanes) {}
    sfpi_inline vVal(const vVal &) = default;
    sfpi_inline vVal &operator=(const vVal &other)
    {
        hw::move<true>(v, other.v);
        return *this;
    }
    sfpi_inline Lanes get() const { return v; }
};

template <typename T>
concept vector = __is_base_of(vVal, bare<T>);

/* T of these lanes */
template <typename T>
sfpi_inline T make(Lanes lanes)
{
    T result;

    result.v = lanes;
    return result;
}

class vFloat;

/* --- terms of a sum --- */

/* A term is Lanes, an LReg that cannot be written, or one of those negated. */
template <typename A> struct Negated { A a; };

template <typename T> struct Sign {
    static constexpr bool negative = false;
    sfpi_inline static T plain(T t) { return t; }
};
template <typename A> struct Sign<Negated<A>> {
    static constexpr bool negative = true;
    sfpi_inline static A plain(Negated<A> t) { return t.a; }
};

/* +-a * b +- c */
template <unsigned Mod, typename A, typename B, typename C> struct Mad {
    A a;
    B b;
    C c;

    template <bool keep> sfpi_inline void into(Lanes &d) const
    {
        hw::mad<keep, Mod>(d, a, b, c);
    }
};

template <typename A> struct Minus {
    A a;

    template <bool keep> sfpi_inline void into(Lanes &d) const
    {
        hw::negate<keep>(d, a);
    }
};

/* A constant register, by SFPI's index of it; Type is what it is read as. */
template <typename Type, unsigned N> class vCReg {
public:
    template <bool keep> sfpi_inline void into(Lanes &d) const
    {
        hw::move<keep>(d, hw::Fixed<N>());
    }
    sfpi_inline operator Type() const;
    sfpi_inline void operator=(const Type &value) const;
};

template <typename T> struct IsMad { static constexpr bool value = false; };
template <unsigned M, typename A, typename B, typename C>
struct IsMad<Mad<M, A, B, C>> { static constexpr bool value = true; };
template <typename T> struct IsProduct { static constexpr bool value = false; };
template <unsigned M, typename A, typename B>
struct IsProduct<Mad<M, A, B, hw::Zero>> {
    static constexpr bool value = true;
};
template <typename T> struct IsMinus { static constexpr bool value = false; };
template <typename A> struct IsMinus<Minus<A>> {
    static constexpr bool value = true;
};
template <typename T> struct IsCReg { static constexpr bool value = false; };
template <unsigned N> struct IsCReg<vCReg<vFloat, N>> {
    static constexpr bool value = true;
};

/* What becomes a vFloat when it is needed */
template <typename T>
concept node = IsMad<bare<T>>::value || IsMinus<bare<T>>::value ||
               IsCReg<bare<T>>::value;
template <typename T> struct IsDest { static constexpr bool value = false; };
template <typename T>
concept floats = __is_base_of(vFloat, bare<T>) || node<T> ||
                 IsDest<bare<T>>::value;

/* --- vFloat --- */

class sFloat16a {
public:
    uint16_t bits;

    template <integer T>
    sfpi_inline explicit sFloat16a(T value) : bits(value) {}
    sfpi_inline uint32_t get() const { return bits; }
};

class sFloat16b {
public:
    uint16_t bits;

    template <integer T>
    sfpi_inline explicit sFloat16b(T value) : bits(value) {}
    sfpi_inline explicit sFloat16b(float f) : bits(bits_of(f) >> 16) {}
    sfpi_inline explicit sFloat16b(double f) : sFloat16b((float)f) {}
    sfpi_inline uint32_t get() const { return bits; }
};
using s2vFloat16a = sFloat16a;
using s2vFloat16b = sFloat16b;

template <typename T>
concept float_term = floats<T> || number<T> || same<bare<T>, sFloat16a> ||
                     same<bare<T>, sFloat16b>;

class vFloat : public vVal {
public:
    sfpi_inline vFloat() = default;
    sfpi_inline vFloat(const vFloat &) = default;
    sfpi_inline vFloat &operator=(const vFloat &) = default;

    template <number T> sfpi_inline vFloat(T f)
    {
        hw::load_bits<false>(v, bits_of(f));
    }
    sfpi_inline vFloat(sFloat16a f)
    {
        hw::load_immediate<false>(v, SFPLOADI_FP16, f.get());
    }
    sfpi_inline vFloat(sFloat16b f)
    {
        hw::load_immediate<false>(v, SFPLOADI_BF16, f.get());
    }
    template <node T> sfpi_inline vFloat(const T &expression)
    {
        expression.template into<false>(v);
    }

    template <number T> sfpi_inline vFloat &operator=(T f)
    {
        hw::load_bits<true>(v, bits_of(f));
        return *this;
    }
    template <node T> sfpi_inline vFloat &operator=(const T &expression)
    {
        expression.template into<true>(v);
        return *this;
    }
    template <typename T> requires IsDest<T>::value
    sfpi_inline vFloat &operator=(const T &dest)
    {
        dest.template read<vFloat, true>(v);
        return *this;
    }
    template <float_term T> sfpi_inline vFloat &operator+=(const T &other);
    template <float_term T> sfpi_inline vFloat &operator-=(const T &other);
    template <float_term T> sfpi_inline vFloat &operator*=(const T &other);
    sfpi_inline vFloat &operator++();
    sfpi_inline vFloat &operator--();
    sfpi_inline vFloat operator++(int);
    sfpi_inline vFloat operator--(int);
};

/* A vector of numbers that a smaller format can hold */
class vFloat16a : public vFloat {
public:
    using vFloat::vFloat;
    sfpi_inline explicit vFloat16a(const vFloat &f) : vFloat(f) {}
};
class vFloat16b : public vFloat {
public:
    using vFloat::vFloat;
    sfpi_inline explicit vFloat16b(const vFloat &f) : vFloat(f) {}
};

/* A term of what an operator gets; a sum or a product is worked out here. */
template <float_term T> sfpi_inline auto term(const T &t)
{
    if constexpr (number<T>) {
        return vFloat((float)t).v;
    } else {
        return vFloat(t).v;
    }
}
sfpi_inline Lanes term(const vFloat &t)
{
    return t.v;
}
template <typename A> sfpi_inline Negated<A> term(const Minus<A> &t)
{
    return { t.a };
}
template <unsigned N> sfpi_inline hw::Fixed<N> term(const vCReg<vFloat, N> &)
{
    return {};
}

template <typename T> sfpi_inline auto minus(T t) { return Negated<T>{ t }; }
template <typename A> sfpi_inline A minus(Negated<A> t) { return t.a; }

template <typename A, typename B> sfpi_inline auto product(A a, B b)
{
    constexpr bool negative = Sign<A>::negative != Sign<B>::negative;
    auto x = Sign<A>::plain(a);
    auto y = Sign<B>::plain(b);

    return Mad<negative ? hw::NEGATE_A : 0, decltype(x), decltype(y),
               hw::Zero>{ x, y, {} };
}

/* p + c, where p is a product; and the negative of a product */
template <unsigned M, typename A, typename B, typename C>
sfpi_inline auto plus(Mad<M, A, B, hw::Zero> p, C c)
{
    auto z = Sign<C>::plain(c);

    return Mad<M | (Sign<C>::negative ? hw::NEGATE_C : 0), A, B,
               decltype(z)>{ p.a, p.b, z };
}
template <unsigned M, typename A, typename B>
sfpi_inline auto minus(Mad<M, A, B, hw::Zero> p)
{
    return Mad<M ^ hw::NEGATE_A, A, B, hw::Zero>{ p.a, p.b, {} };
}

/* A product stays one; all else is a term. */
template <float_term T> sfpi_inline auto summand(const T &t)
{
    if constexpr (IsProduct<bare<T>>::value) {
        return t;
    } else {
        return term(t);
    }
}

template <typename L, typename R> sfpi_inline auto sum(L l, R r)
{
    if constexpr (IsProduct<L>::value && IsProduct<R>::value) {
        Lanes c;

        r.template into<false>(c);
        return plus(l, c);
    } else if constexpr (IsProduct<L>::value) {
        return plus(l, r);
    } else if constexpr (IsProduct<R>::value) {
        return plus(r, l);
    } else {
        return plus(product(hw::One(), l), r);
    }
}

template <float_term L, float_term R> requires (floats<L> || floats<R>)
sfpi_inline auto operator*(const L &l, const R &r)
{
    return product(term(l), term(r));
}

template <float_term L, float_term R> requires (floats<L> || floats<R>)
sfpi_inline auto operator+(const L &l, const R &r)
{
    return sum(summand(l), summand(r));
}

template <float_term L, float_term R> requires (floats<L> || floats<R>)
sfpi_inline auto operator-(const L &l, const R &r)
{
    return sum(summand(l), minus(summand(r)));
}

template <floats T> sfpi_inline auto operator-(const T &t)
{
    auto m = minus(term(t));

    if constexpr (Sign<decltype(m)>::negative) {
        return Minus<decltype(m.a)>{ m.a };
    } else {
        vFloat plain;

        plain.v = m;
        return plain;
    }
}

template <floats T> sfpi_inline vFloat operator+(const T &t)
{
    return t;
}

template <float_term T> vFloat &vFloat::operator+=(const T &other)
{
    return *this = *this + other;
}

template <float_term T> vFloat &vFloat::operator-=(const T &other)
{
    return *this = *this - other;
}

template <float_term T> vFloat &vFloat::operator*=(const T &other)
{
    return *this = *this * other;
}

vFloat &vFloat::operator++() { return *this += 1.0f; }
vFloat &vFloat::operator--() { return *this -= 1.0f; }

vFloat vFloat::operator++(int)
{
    vFloat old = *this;

    *this += 1.0f;
    return old;
}

vFloat vFloat::operator--(int)
{
    vFloat old = *this;

    *this -= 1.0f;
    return old;
}

/* --- integers --- */

/* All of them hold 32 bits; the type says which instructions are meant. */
#define SFPI_INTEGER(Name) \
    sfpi_inline Name() = default; \
    sfpi_inline Name(const Name &) = default; \
    sfpi_inline Name &operator=(const Name &) = default; \
    template <integer T> sfpi_inline Name(T value) \
    { \
        hw::load_bits<false>(v, (uint32_t)value); \
    } \
    template <vector T> requires (!__is_base_of(vFloat, T)) \
    sfpi_inline Name(const T &other) : vVal(other) {} \
    /* a condition: 1 where it holds, else 0 */ \
    template <typename T> \
        requires requires(const T &t) { t.template narrow<false>(); } \
    sfpi_inline Name(const T &condition) \
    { \
        hw::load_bits<false>(v, 0); \
        hw::push_flags(); \
        condition.template narrow<false>(); \
        hw::load_bits<true>(v, 1); \
        hw::pop_flags(); \
    } \
    template <integer T> sfpi_inline Name &operator=(T value) \
    { \
        hw::load_bits<true>(v, (uint32_t)value); \
        return *this; \
    } \
    template <typename T> requires IsDest<T>::value \
    sfpi_inline Name &operator=(const T &dest) \
    { \
        dest.template read<Name, true>(v); \
        return *this; \
    } \
    template <typename T> sfpi_inline Name &operator+=(const T &other) \
    { \
        return *this = *this + other; \
    } \
    template <typename T> sfpi_inline Name &operator-=(const T &other) \
    { \
        return *this = *this - other; \
    } \
    template <typename T> sfpi_inline Name &operator&=(const T &other) \
    { \
        hw::and_with(v, Name(other).v); \
        return *this; \
    } \
    template <typename T> sfpi_inline Name &operator|=(const T &other) \
    { \
        hw::or_with(v, Name(other).v); \
        return *this; \
    } \
    template <typename T> sfpi_inline Name &operator^=(const T &other) \
    { \
        hw::xor_with(v, Name(other).v); \
        return *this; \
    } \
    template <typename T> sfpi_inline Name &operator<<=(const T &distance) \
    { \
        return *this = *this << distance; \
    } \
    template <typename T> sfpi_inline Name &operator>>=(const T &distance) \
    { \
        return *this = *this >> distance; \
    } \
    sfpi_inline Name &operator++() { return *this += 1; } \
    sfpi_inline Name &operator--() { return *this -= 1; } \
    sfpi_inline Name operator++(int) \
    { \
        Name old = *this; \
        *this += 1; \
        return old; \
    } \
    sfpi_inline Name operator--(int) \
    { \
        Name old = *this; \
        *this -= 1; \
        return old; \
    }

class vInt : public vVal {
public:
    static constexpr unsigned SHIFT = hw::SHIFT_ARITHMETIC;
    SFPI_INTEGER(vInt)
};
class vUInt : public vVal {
public:
    static constexpr unsigned SHIFT = 0;
    SFPI_INTEGER(vUInt)
};
/* Sign and magnitude; and what has no sign */
class vSMag : public vVal {
public:
    static constexpr unsigned SHIFT = 0;
    SFPI_INTEGER(vSMag)
};
class vMag : public vVal {
public:
    static constexpr unsigned SHIFT = 0;
    SFPI_INTEGER(vMag)
};
#undef SFPI_INTEGER

/* Vectors of integers that a smaller format of Dest holds */
#define SFPI_NARROW(Name, Wide) \
    class Name : public Wide { \
    public: \
        using Wide::Wide; \
    };
SFPI_NARROW(vUInt16, vMag)
SFPI_NARROW(vUInt8, vUInt16)
SFPI_NARROW(vSMag16, vSMag)
SFPI_NARROW(vSMag8, vSMag16)
#undef SFPI_NARROW

template <typename T>
concept integers = vector<T> && !floats<T>;
template <typename T>
concept integer_term = integers<T> || integer<T>;
template <typename T> struct IsIntCReg { static constexpr bool value = false; };
template <unsigned N> struct IsIntCReg<vCReg<vInt, N>> {
    static constexpr bool value = true;
};
template <typename T>
concept integer_constant = IsIntCReg<bare<T>>::value;

/* Of two operands, the type of the result; vInt with vUInt is a vUInt. */
template <typename L, typename R> struct Result { using type = L; };
template <integer L, typename R> struct Result<L, R> { using type = R; };
template <typename R> struct Result<vMag, R> { using type = R; };
template <integer R> struct Result<vMag, R> { using type = vMag; };
template <> struct Result<vInt, vUInt> { using type = vUInt; };
template <integer R> struct Result<vSMag, R> { using type = vUInt; };

/* The type without what it says about the size */
template <typename T> struct Wide { using type = bare<T>; };
template <typename T> requires (__is_base_of(vMag, bare<T>))
struct Wide<T> { using type = vMag; };
template <typename T> requires (__is_base_of(vSMag, bare<T>))
struct Wide<T> { using type = vSMag; };
template <typename L, typename R>
using result = typename Result<typename Wide<L>::type,
                               typename Wide<R>::type>::type;

constexpr int IMM12_MIN = -2048, IMM12_MAX = 2047;

#define SFPI_IS_IMM12(value) \
    (__builtin_constant_p(value) && (int)(value) >= IMM12_MIN && \
     (int)(value) <= IMM12_MAX)

template <integer_term L, integer_term R> requires (vector<L> || vector<R>)
sfpi_inline auto operator+(const L &l, const R &r)
{
    using T = result<L, R>;

    if constexpr (integer<L>) {
        return r + l;
    } else if constexpr (integer<R>) {
        T sum;

        if (SFPI_IS_IMM12(r)) {
            hw::add_constant<false, hw::IADD_NO_CC>(sum.v, l.v, (int)r);
        } else {
            sum.v = T(r).v;
            hw::add_to<hw::IADD_NO_CC>(sum.v, l.v);
        }
        return sum;
    } else {
        T sum = make<T>(r.v);

        hw::add_to<hw::IADD_NO_CC>(sum.v, l.v);
        return sum;
    }
}

template <integer_term L, integer_term R> requires (vector<L> || vector<R>)
sfpi_inline auto operator-(const L &l, const R &r)
{
    using T = result<L, R>;

    if constexpr (integer<R>) {
        return l + -(int)r;
    } else {
        T difference = make<T>(r.v);

        hw::add_to<hw::IADD_NO_CC | hw::IADD_MINUS_D>(difference.v,
                                                      T(l).v);
        return difference;
    }
}

template <integer_term L, integer_term R> requires (vector<L> || vector<R>)
sfpi_inline auto operator&(const L &l, const R &r)
{
    using T = result<L, R>;
    T both = make<T>(T(l).v);

    hw::and_with(both.v, T(r).v);
    return both;
}

template <integer_term L, integer_term R> requires (vector<L> || vector<R>)
sfpi_inline auto operator|(const L &l, const R &r)
{
    using T = result<L, R>;
    T either = make<T>(T(l).v);

    hw::or_with(either.v, T(r).v);
    return either;
}

template <integer_term L, integer_term R> requires (vector<L> || vector<R>)
sfpi_inline auto operator^(const L &l, const R &r)
{
    using T = result<L, R>;
    T one = make<T>(T(l).v);

    hw::xor_with(one.v, T(r).v);
    return one;
}

/* A constant register is copied first. */
#define SFPI_CONSTANT(op) \
    template <integer_constant L, integer_term R> \
    sfpi_inline auto operator op(const L &l, const R &r) \
    { \
        return vInt(l) op r; \
    } \
    template <integer_term L, integer_constant R> \
    sfpi_inline auto operator op(const L &l, const R &r) \
    { \
        return l op vInt(r); \
    }
SFPI_CONSTANT(+)
SFPI_CONSTANT(-)
SFPI_CONSTANT(&)
SFPI_CONSTANT(|)
SFPI_CONSTANT(^)
#undef SFPI_CONSTANT

template <integers T> sfpi_inline T operator~(const T &t)
{
    T inverted;

    hw::invert<false>(inverted.v, t.v);
    return inverted;
}

template <integers T> sfpi_inline auto operator-(const T &t) { return T(0) - t; }
template <integers T> sfpi_inline T operator+(const T &t) { return t; }

/* To the left, or, if the distance is negative, to the right */
template <unsigned mode, integers T, integer_term D>
sfpi_inline T shifted(const T &t, const D &distance)
{
    T moved;

    if constexpr (vector<D>) {
        moved.v = t.v;
        hw::shift_by<mode>(moved.v, distance.v);
    } else if (__builtin_constant_p(distance)) {
        hw::shift_constant<false, mode>(moved.v, t.v, (int)distance);
    } else {
        moved.v = t.v;
        hw::shift_by<mode>(moved.v, vInt((int)distance).v);
    }
    return moved;
}

template <integers T, integer_term D>
sfpi_inline T operator<<(const T &t, const D &distance)
{
    return shifted<0>(t, distance);
}

/* Of a vInt: with its sign */
template <integers T, integer_term D>
sfpi_inline T operator>>(const T &t, const D &distance)
{
    if constexpr (vector<D>) {
        return shifted<T::SHIFT>(t, vInt(0) - distance);
    } else {
        return shifted<T::SHIFT>(t, -(int)distance);
    }
}

/* --- bits as another type --- */

template <vector T, typename V> requires (vector<V> || floats<V>)
sfpi_inline T reinterpret(const V &value)
{
    if constexpr (vector<V>) {
        return make<T>(value.v);
    } else {
        return make<T>(vFloat(value).v);
    }
}

template <vector T, typename V> requires (vector<V> || floats<V>)
sfpi_inline T as(const V &value)
{
    return reinterpret<T>(value);
}

/* --- constant registers --- */

template <typename Type, unsigned N> vCReg<Type, N>::operator Type() const
{
    Type value;

    into<false>(value.v);
    return value;
}

/* SFPCONFIG takes LReg0's first eight lanes, for all four rows */
template <typename Type, unsigned N>
void vCReg<Type, N>::operator=(const Type &value) const
{
    SFPI_IN(0, source, value.v);

    __asm__ volatile("sfp %0,sees=0"
                     : : "i"(TT(SFPCONFIG, .config_dest = N)), "f"(source));
}

constexpr vCReg<vFloat, 8> vConst0p8373;
constexpr vCReg<vFloat, LREG_ZERO> vConst0;
constexpr vCReg<vFloat, LREG_ONE> vConst1;
constexpr vCReg<vFloat, 11> vConstNeg1;
constexpr vCReg<vFloat, 12> vConstFloatPrgm0;
constexpr vCReg<vFloat, 13> vConstFloatPrgm1;
constexpr vCReg<vFloat, 14> vConstFloatPrgm2;
constexpr vCReg<vInt, 12> vConstIntPrgm0;
constexpr vCReg<vInt, 13> vConstIntPrgm1;
constexpr vCReg<vInt, 14> vConstIntPrgm2;
constexpr vCReg<vInt, 15> vConstTileId;

}

#endif
