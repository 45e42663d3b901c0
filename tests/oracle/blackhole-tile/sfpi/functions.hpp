/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The oracle's functions.  (record.hpp)
 */

#ifndef BLACKHOLE_TILE_SFPI_FUNCTIONS_HPP
#define BLACKHOLE_TILE_SFPI_FUNCTIONS_HPP

#include "blackhole-tile/sfpi/vector.hpp"

namespace sfpi {

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
