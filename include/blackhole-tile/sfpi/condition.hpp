/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SFPI's conditions: v_if and what belongs to it.
 *
 * A condition is a type; narrow<false>() disables the lanes in which it does
 * not hold, narrow<true>() those in which it does.  Lanes that are disabled
 * stay so, therefore the parts of an `and` come one after the other; an `or` is
 * what is left of the lanes in which neither part holds, which takes the flag
 * stack.
 *
 * Numbers are compared in the order of SFPGT, by sign and magnitude, without
 * arithmetic: -NaN < -inf < -0 < +0 < inf < NaN.  vInt and vUInt are compared by
 * their difference, which has to fit.
 */

#ifndef BLACKHOLE_TILE_SFPI_CONDITION_HPP
#define BLACKHOLE_TILE_SFPI_CONDITION_HPP

#include "blackhole-tile/sfpi/vector.hpp"

namespace sfpi {

enum class Is { EQ, NE, LT, GE, GT, LE };

constexpr Is opposite(Is is)
{
    constexpr Is of[] = { Is::NE, Is::EQ, Is::GE, Is::LT, Is::LE, Is::GT };

    return of[(int)is];
}

/* Compared with 0 */
template <Is is> sfpi_inline void narrow_zero(Lanes a)
{
    if constexpr (is == Is::GT) {
        hw::flags_greater(a, hw::Zero());
    } else if constexpr (is == Is::LE) {
        hw::flags_at_most(a, hw::Zero());
    } else {
        hw::set_flags<is == Is::EQ ? hw::SETCC_EQ0 :
                      is == Is::NE ? hw::SETCC_NE0 :
                      is == Is::LT ? hw::SETCC_LT0 : hw::SETCC_GTE0>(a);
    }
}

/* Equal bits, or not; or the order of sign and magnitude */
template <Is is> sfpi_inline void narrow_ordered(Lanes a, Lanes b)
{
    if constexpr (is == Is::GT) {
        hw::flags_greater(a, b);
    } else if constexpr (is == Is::LT) {
        hw::flags_greater(b, a);
    } else if constexpr (is == Is::LE) {
        hw::flags_at_most(a, b);
    } else if constexpr (is == Is::GE) {
        hw::flags_at_most(b, a);
    } else {
        Lanes different = a;

        hw::xor_with(different, b);
        narrow_zero<is>(different);
    }
}

/* By the difference: a - b < 0, or b - a < 0 */
template <Is is> sfpi_inline void narrow_difference(Lanes a, Lanes b)
{
    constexpr bool swapped = is == Is::GT || is == Is::LE;
    constexpr bool less = is == Is::LT || is == Is::GT;

    if constexpr (is == Is::EQ || is == Is::NE) {
        narrow_ordered<is>(a, b);
    } else {
        Lanes difference = swapped ? a : b;

        hw::add_to<hw::IADD_MINUS_D | (less ? hw::IADD_LT0 : hw::IADD_GTE0)>(
            difference, swapped ? b : a);
    }
}

template <Is is> struct CompareFloats {
    Lanes a, b;

    template <bool negated> sfpi_inline void narrow() const
    {
        narrow_ordered<negated ? opposite(is) : is>(a, b);
    }
};

template <Is is> struct CompareFloat {
    Lanes a;
    float b;

    template <bool negated> sfpi_inline void narrow() const
    {
        constexpr Is what = negated ? opposite(is) : is;
        uint32_t bits = bits_of(b);

        if (__builtin_constant_p(bits) && bits == 0) {
            narrow_zero<what>(a);
        } else {
            narrow_ordered<what>(a, vFloat(b).v);
        }
    }
};

template <Is is> struct CompareIntegers {
    Lanes a, b;

    template <bool negated> sfpi_inline void narrow() const
    {
        narrow_difference<negated ? opposite(is) : is>(a, b);
    }
};

template <Is is> struct CompareInteger {
    Lanes a;
    int b;

    template <bool negated> sfpi_inline void narrow() const
    {
        constexpr Is what = negated ? opposite(is) : is;

        if constexpr (what == Is::GT || what == Is::LE) {
            if (__builtin_constant_p(b) && b == 0) {
                narrow_zero<what>(a);
            } else {
                narrow_difference<what>(a, vInt(b).v);
            }
        } else if (__builtin_constant_p(b) && b == 0) {
            narrow_zero<what>(a);
        } else if (SFPI_IS_IMM12(-b)) {
            constexpr bool equal = what == Is::EQ || what == Is::NE;
            Lanes difference;

            hw::add_constant<false, equal ? hw::IADD_NO_CC :
                             what == Is::LT ? hw::IADD_LT0 :
                             hw::IADD_GTE0>(difference, a, -b);
            if constexpr (equal) {
                narrow_zero<what>(difference);
            }
        } else {
            narrow_difference<what>(a, vInt(b).v);
        }
    }
};

template <typename L, typename R> struct And;
template <typename L, typename R> struct Or;

template <typename T> struct Not {
    T t;

    template <bool negated> sfpi_inline void narrow() const
    {
        t.template narrow<!negated>();
    }
};

/* Lanes in which l or r, each negated or not, holds */
template <bool negated, typename L, typename R>
sfpi_inline void narrow_either(const L &l, const R &r)
{
    hw::push_flags();
    l.template narrow<!negated>();
    r.template narrow<!negated>();
    hw::pop_complement();
}

template <bool negated, typename L, typename R>
sfpi_inline void narrow_both(const L &l, const R &r)
{
    l.template narrow<negated>();
    r.template narrow<negated>();
}

template <typename L, typename R> struct And {
    L l;
    R r;

    template <bool negated> sfpi_inline void narrow() const
    {
        if constexpr (negated) {
            narrow_either<true>(l, r);
        } else {
            narrow_both<false>(l, r);
        }
    }
};

template <typename L, typename R> struct Or {
    L l;
    R r;

    template <bool negated> sfpi_inline void narrow() const
    {
        if constexpr (negated) {
            narrow_both<true>(l, r);
        } else {
            narrow_either<false>(l, r);
        }
    }
};

template <typename T> struct IsCondition {
    static constexpr bool value = false;
};
template <Is is> struct IsCondition<CompareFloats<is>> {
    static constexpr bool value = true;
};
template <Is is> struct IsCondition<CompareFloat<is>> {
    static constexpr bool value = true;
};
template <Is is> struct IsCondition<CompareIntegers<is>> {
    static constexpr bool value = true;
};
template <Is is> struct IsCondition<CompareInteger<is>> {
    static constexpr bool value = true;
};
template <typename T> struct IsCondition<Not<T>> {
    static constexpr bool value = true;
};
template <typename L, typename R> struct IsCondition<And<L, R>> {
    static constexpr bool value = true;
};
template <typename L, typename R> struct IsCondition<Or<L, R>> {
    static constexpr bool value = true;
};
template <typename T>
concept condition = IsCondition<bare<T>>::value;
/* An integer holds if it is not 0. */
template <typename T>
concept holds = condition<T> || integers<T>;

template <holds T> sfpi_inline auto truth(const T &t)
{
    if constexpr (condition<T>) {
        return t;
    } else {
        return CompareInteger<Is::NE>{ t.v, 0 };
    }
}

template <Is is, float_term L, float_term R>
sfpi_inline auto compare(const L &l, const R &r)
{
    if constexpr (number<R>) {
        return CompareFloat<is>{ vFloat(l).v, (float)r };
    } else {
        return CompareFloats<is>{ vFloat(l).v, vFloat(r).v };
    }
}

template <Is is, integer_term L, integer_term R>
sfpi_inline auto compare(const L &l, const R &r)
{
    if constexpr (integer<R> && __is_base_of(vSMag, L)) {
        unsigned size = (unsigned)r << 1 >> 1;

        return CompareInteger<is>{ l.v, (int)(r < 0 ? -size : size) };
    } else if constexpr (integer<R>) {
        return CompareInteger<is>{ l.v, (int)r };
    } else {
        return CompareIntegers<is>{ l.v, r.v };
    }
}

/* l OP r, and the same the other way round for a number on the left */
#define SFPI_COMPARISON(op, is, mirrored) \
    template <float_term L, float_term R> requires (floats<L> || floats<R>) \
    sfpi_inline auto operator op(const L &l, const R &r) \
    { \
        if constexpr (number<L>) { \
            return compare<Is::mirrored>(r, l); \
        } else { \
            return compare<Is::is>(l, r); \
        } \
    } \
    template <integer_term L, integer_term R> \
        requires (vector<L> || vector<R>) \
    sfpi_inline auto operator op(const L &l, const R &r) \
    { \
        if constexpr (integer<L>) { \
            return compare<Is::mirrored>(r, l); \
        } else { \
            return compare<Is::is>(l, r); \
        } \
    }
SFPI_COMPARISON(==, EQ, EQ)
SFPI_COMPARISON(!=, NE, NE)
SFPI_COMPARISON(<, LT, GT)
SFPI_COMPARISON(>=, GE, LE)
SFPI_COMPARISON(>, GT, LT)
SFPI_COMPARISON(<=, LE, GE)
#undef SFPI_COMPARISON

template <holds L, holds R> sfpi_inline auto operator&&(const L &l, const R &r)
{
    auto x = truth(l);
    auto y = truth(r);

    return And<decltype(x), decltype(y)>{ x, y };
}

template <holds L, holds R> sfpi_inline auto operator||(const L &l, const R &r)
{
    auto x = truth(l);
    auto y = truth(r);

    return Or<decltype(x), decltype(y)>{ x, y };
}

template <holds T> sfpi_inline auto operator!(const T &t)
{
    auto x = truth(t);

    return Not<decltype(x)>{ x };
}

/* A condition that has been worked out: 1 where it holds, else 0 */
class vBool : public vInt {
public:
    enum Cond { EQ, NE, LT, GE, GT, LE };

    sfpi_inline vBool(const vBool &) = default;
    sfpi_inline vBool &operator=(const vBool &) = default;
    template <holds T> requires (!same<T, vBool>)
    sfpi_inline vBool(const T &t) : vInt(truth(t)) {}
    template <typename L, typename R>
    sfpi_inline vBool(Cond cond, const L &l, const R &r)
        : vBool(cond == EQ ? vBool(l == r) : cond == NE ? vBool(l != r) :
                cond == LT ? vBool(l < r) : cond == GE ? vBool(l >= r) :
                cond == GT ? vBool(l > r) : vBool(l <= r)) {}
};

/* The lanes of a v_if, until v_endif */
class Lanes_ {
    unsigned depth = 0;

public:
    sfpi_inline Lanes_() = default;
    Lanes_(const Lanes_ &) = delete;
    sfpi_inline ~Lanes_()
    {
#pragma GCC unroll 8
        while (depth--) {
            hw::pop_flags();
        }
    }
    sfpi_inline void push()
    {
        hw::push_flags();
        depth++;
    }
    template <holds T> sfpi_inline void narrow(const T &t)
    {
        truth(t).template narrow<false>();
    }
    sfpi_inline void others()
    {
        hw::complement_flags();
    }
};

}

/* The condition is worked out in the lanes that are enabled so far. */
#define v_if(...) \
    { \
        sfpi::Lanes_ sfpi_lanes; \
        sfpi_lanes.push(); \
        sfpi_lanes.narrow(__VA_ARGS__); \
        {
#define v_elseif(...) \
        } \
        sfpi_lanes.others(); \
        sfpi_lanes.push(); \
        sfpi_lanes.narrow(__VA_ARGS__); \
        {
#define v_else \
        } \
        sfpi_lanes.others(); \
        {
#define v_endif \
        } \
    }
/* Lanes that v_and() narrows, until v_endblock */
#define v_block \
    { \
        sfpi::Lanes_ sfpi_lanes; \
        sfpi_lanes.push();
#define v_and(...) sfpi_lanes.narrow(__VA_ARGS__)
#define v_endblock }

#endif
