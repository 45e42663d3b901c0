/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SFPI's functions: parts of a number, conversions, tables, lanes.
 */

#ifndef BLACKHOLE_TILE_SFPI_FUNCTIONS_HPP
#define BLACKHOLE_TILE_SFPI_FUNCTIONS_HPP

#include "blackhole-tile/sfpi/convert.hpp"

namespace sfpi {

/* T = f(d, c), one instruction */
#define SFPI_FROM_BOTH(T, d, c, word) \
    __extension__({ \
        T result_ = make<T>((d).v); \
        SFPI_UPDATE(result_.v, (c).v, word); \
        result_; \
    })

/* --- sign, exponent, mantissa --- */

class ExponentMode {
public:
    enum Values { Unbiased, Biased, Debias = Unbiased, NoDebias = Biased };
    Values v;
    sfpi_inline constexpr ExponentMode(Values value) : v(value) {}
};

sfpi_inline vInt exexp(const vFloat &x, ExponentMode mode =
                       ExponentMode::Unbiased)
{
    return SFPI_FROM(vInt, x, TT(SFPEXEXP, .instr_mod1 = mode.v));
}

sfpi_inline vInt exexp_nodebias(const vFloat &x)
{
    return exexp(x, ExponentMode::Biased);
}

enum class MantissaMode { FractionOnly, WithUnitBit, ImplicitOne = WithUnitBit };

sfpi_inline vMag exman(const vFloat &x, MantissaMode mode =
                       MantissaMode::FractionOnly)
{
    return SFPI_FROM(vMag, x, TT(SFPEXMAN, .instr_mod1 =
                                 mode == MantissaMode::FractionOnly));
}

sfpi_inline vInt exman8(const vFloat &x)
{
    return exman(x, MantissaMode::WithUnitBit);
}

sfpi_inline vInt exman9(const vFloat &x)
{
    return exman(x);
}

template <typename T> sfpi_inline vUInt exsgn(const T &x)
{
    return reinterpret<vUInt>(x) >> 31;
}

sfpi_inline vFloat setexp(const vFloat &x, int exponent)
{
    return SFPI_FROM(vFloat, x, TT(SFPSETEXP, .instr_mod1 = 1,
                                   .imm12_math = (uint32_t)exponent & 0xFF));
}

template <integers T>
sfpi_inline vFloat setexp(const vFloat &x, const T &exponent)
{
    return SFPI_FROM_BOTH(vFloat, exponent, x, TT(SFPSETEXP));
}

sfpi_inline vFloat copyexp(const vFloat &x, const vFloat &exponent)
{
    return SFPI_FROM_BOTH(vFloat, exponent, x,
                          TT(SFPSETEXP, .instr_mod1 = 2));
}

sfpi_inline vFloat addexp(const vFloat &x, int exponent)
{
    return SFPI_FROM(vFloat, x, TT(SFPDIVP2, .instr_mod1 = 1,
                                   .imm12_math = (uint32_t)exponent & 0xFFF));
}

sfpi_inline vFloat setman(const vFloat &x, int mantissa)
{
    return SFPI_FROM(vFloat, x, TT(SFPSETMAN, .instr_mod1 = 1,
                                   .imm12_math = (uint32_t)mantissa));
}

template <vector T>
sfpi_inline vFloat setman(const vFloat &x, const T &mantissa)
{
    return SFPI_FROM_BOTH(vFloat, mantissa, x, TT(SFPSETMAN));
}

sfpi_inline vFloat copyman(const vFloat &x, const vFloat &mantissa)
{
    return setman(x, mantissa);
}

/* Of sign and magnitude, as of vFloat, the sign is bit 31. */
template <typename T> struct WithSign { using type = bare<T>; };
template <node T> struct WithSign<T> { using type = vFloat; };
template <> struct WithSign<vUInt> { using type = vSMag; };

template <typename T> requires (vector<T> || node<T>)
sfpi_inline auto setsgn(const T &x, int sign)
{
    using R = typename WithSign<T>::type;

    return SFPI_FROM(R, R(x), TT(SFPSETSGN, .instr_mod1 = 1,
                                 .imm12_math = (uint32_t)sign & 1));
}

template <typename T, vector S> requires (vector<T> || node<T>)
sfpi_inline auto copysgn(const T &x, const S &sign)
{
    using R = typename WithSign<T>::type;

    return SFPI_FROM_BOTH(R, sign, R(x), TT(SFPSETSGN));
}

template <typename T, vector S> requires (vector<T> || node<T>)
sfpi_inline auto setsgn(const T &x, const S &sign)
{
    return copysgn(x, sign);
}

/* The sign is bit 0 of an integer. */
template <typename T, integers S> requires (vector<T> || node<T>)
sfpi_inline auto setsgn2(const T &x, const S &sign)
{
    return copysgn(x, reinterpret<vSMag>(sign) << 31);
}

template <floats T> sfpi_inline vFloat abs(const T &x)
{
    return SFPI_FROM(vFloat, vFloat(x), TT(SFPABS, .instr_mod1 =
                                           SFPABS_FLOAT));
}

sfpi_inline vMag abs(const vInt &x)
{
    return SFPI_FROM(vMag, x, TT(SFPABS, .instr_mod1 = SFPABS_INTEGER));
}

sfpi_inline vMag abs(const vSMag &x)
{
    return reinterpret<vMag>(setsgn(x, 0));
}

/* x * 2^n; Fast adds to the exponent, which wraps */
enum class LdexpMode { Correct, Fast };

sfpi_inline vFloat ldexp(const vFloat &x, int n,
                         LdexpMode = LdexpMode::Correct)
{
    return addexp(x, n);
}

sfpi_inline vFloat ldexp(const vFloat &x, const vInt &n,
                         LdexpMode mode = LdexpMode::Correct)
{
    constexpr int BIAS = 127;

    if (mode == LdexpMode::Fast) {
        return setexp(x, exexp(x, ExponentMode::Biased) + n);
    }
    return x * setexp(vFloat(0.0f), n + BIAS);
}

/* --- bits --- */

enum class LZMode { All, IgnoreSign };

template <vector T> sfpi_inline vMag lz(const T &x, LZMode mode = LZMode::All)
{
    return SFPI_FROM(vMag, x, TT(SFPLZ, .instr_mod1 =
                                 mode == LZMode::IgnoreSign ? 4 : 0));
}

template <vector T> sfpi_inline vInt lz_nosgn(const T &x)
{
    return lz(x, LZMode::IgnoreSign);
}

enum class ShiftMode { Logical, Arithmetic };

template <integer_term D>
sfpi_inline vUInt shft(const vUInt &x, const D &distance)
{
    return shifted<0>(x, distance);
}

template <integer_term D> sfpi_inline vInt shft(const vInt &x, const D &distance)
{
    return shifted<hw::SHIFT_ARITHMETIC>(x, distance);
}

template <integers T, integer_term D>
sfpi_inline T shft(const T &x, const D &distance, ShiftMode mode)
{
    T logical = shifted<0>(x, distance);

    return mode == ShiftMode::Logical ? logical :
           shifted<hw::SHIFT_ARITHMETIC>(x, distance);
}

enum class FractionalHalf { Low, High };

template <bool first, typename A, typename B> struct Either { using type = A; };
template <typename A, typename B>
struct Either<false, A, B> { using type = B; };

template <vector A, vector B>
sfpi_inline auto fractional_mul(const A &a, const B &b, FractionalHalf half =
                                FractionalHalf::Low)
{
    constexpr bool is_signed = same<A, vInt> && same<B, vInt>;
    typename Either<is_signed, vInt, vMag>::type product_;

    if (half == FractionalHalf::Low) {
        hw::mul24<false, 0>(product_.v, a.v, b.v);
    } else {
        hw::mul24<false, 1>(product_.v, a.v, b.v);
    }
    return product_;
}

/* --- what kind of number --- */

sfpi_inline auto is_finite(const vFloat &x) { return exexp_nodebias(x) < 255; }
sfpi_inline auto is_zero(const vFloat &x)
{
    return reinterpret<vUInt>(x) << 1 == 0;
}
sfpi_inline auto is_nan(const vFloat &x)
{
    return exexp_nodebias(x) >= 255 && exman(x) != 0;
}
sfpi_inline auto is_inf(const vFloat &x)
{
    return exexp_nodebias(x) >= 255 && exman(x) == 0;
}
sfpi_inline auto is_subnormal(const vFloat &x)
{
    return exexp_nodebias(x) == 0 && exman(x) != 0;
}
sfpi_inline auto is_normal(const vFloat &x)
{
    vInt exponent = exexp_nodebias(x);

    return exponent < 255 && exponent != 0;
}
sfpi_inline auto is_neg(const vFloat &x) { return reinterpret<vInt>(x) < 0; }
sfpi_inline auto is_pos(const vFloat &x) { return reinterpret<vInt>(x) >= 0; }

/* --- approximations and tables --- */

enum class RecipMode { All, IfNegative };

/* IfNegative: 1 / |x| of negative x, others stay (VB is x; BH SFPARECIP.md) */
sfpi_inline vFloat approx_recip(const vFloat &x, RecipMode mode =
                                RecipMode::All)
{
    vFloat result_;

    if (mode == RecipMode::All) {
        return SFPI_FROM(vFloat, x, TT(SFPARECIP));
    }
    __asm__ volatile("sfp %1" SFPI_D SFPI_C(2) SFPI_B(2)
                     : "=f"(result_.v)
                     : "i"(TT(SFPARECIP, .instr_mod1 = 1)), "f"(x.v));
    return result_;
}

template <bool all> sfpi_inline vFloat approx_recip(const vFloat &x)
{
    return approx_recip(x, all ? RecipMode::All : RecipMode::IfNegative);
}

/* e^|x| with the sign of x, below 2 */
sfpi_inline vFloat approx_exp(const vFloat &x)
{
    return SFPI_FROM(vFloat, x, TT(SFPARECIP, .instr_mod1 = 2));
}

/* The tables are LReg0 to 2, or those and LReg4 to 6; x is LReg3. */
enum { LUT_KEEP_SIGN = 4 };

template <unsigned mode>
sfpi_inline vFloat lut_8_bits(const vFloat &x, const vUInt &t0,
                              const vUInt &t1, const vUInt &t2)
{
    SFPI_IN(0, l0, t0.v);
    SFPI_IN(1, l1, t1.v);
    SFPI_IN(2, l2, t2.v);
    SFPI_IN(3, l3, x.v);
    vFloat result_;

    __asm__ volatile("sfp %1" SFPI_LOAD ",late=lreg.%0"
                     : "=f"(result_.v)
                     : "i"(TT(SFPLUT, .instr_mod0 = mode)), "f"(l0), "f"(l1),
                     "f"(l2), "f"(l3));
    return result_;
}

sfpi_inline vFloat lut(const vFloat &x, const vUInt &t0, const vUInt &t1,
                       const vUInt &t2)
{
    return lut_8_bits<LUT_KEEP_SIGN>(x, t0, t1, t2);
}

sfpi_inline vFloat lut_sign(const vFloat &x, const vUInt &t0, const vUInt &t1,
                            const vUInt &t2)
{
    return lut_8_bits<0>(x, t0, t1, t2);
}

/*
 * With three tables SFPLUTFP32 writes the LReg whose number LReg7 holds (BH
 * SFPLUTFP32.md), here LReg3.
 */
template <unsigned mode>
sfpi_inline vFloat lut_three(const vFloat &x, const vUInt &t0, const vUInt &t1,
                             const vUInt &t2)
{
    constexpr unsigned THREE_ENTRIES = 10, X = 3;
    SFPI_IN(0, l0, t0.v);
    SFPI_IN(1, l1, t1.v);
    SFPI_IN(2, l2, t2.v);
    SFPI_IN(3, l3, x.v);
    SFPI_IN(7, l7, vUInt(X).v);

    __asm__ volatile("sfp %1" SFPI_D ",late=8"
                     : "+f"(l3)
                     : "i"(TT(SFPLUTFP32, .instr_mod1 = THREE_ENTRIES | mode)),
                     "f"(l0), "f"(l1), "f"(l2), "f"(l7));
    return make<vFloat>(l3);
}

sfpi_inline vFloat lut2(const vFloat &x, const vUInt &t0, const vUInt &t1,
                        const vUInt &t2)
{
    return lut_three<LUT_KEEP_SIGN>(x, t0, t1, t2);
}

sfpi_inline vFloat lut2_sign(const vFloat &x, const vUInt &t0, const vUInt &t1,
                             const vUInt &t2)
{
    return lut_three<0>(x, t0, t1, t2);
}

template <unsigned mode>
sfpi_inline vFloat lut_six(const vFloat &x, const vVal &a0, const vVal &a1,
                           const vVal &a2, const vVal &b0, const vVal &b1,
                           const vVal &b2)
{
    SFPI_IN(0, l0, a0.v);
    SFPI_IN(1, l1, a1.v);
    SFPI_IN(2, l2, a2.v);
    SFPI_IN(3, l3, x.v);
    SFPI_IN(4, l4, b0.v);
    SFPI_IN(5, l5, b1.v);
    SFPI_IN(6, l6, b2.v);
    vFloat result_;

    __asm__ volatile("sfp %1" SFPI_D ",late=lreg.%0"
                     : "=f"(result_.v)
                     : "i"(TT(SFPLUTFP32, .instr_mod1 = mode)), "f"(l0),
                     "f"(l1), "f"(l2), "f"(l3), "f"(l4), "f"(l5), "f"(l6));
    return result_;
}

/* Three entries of fp32, or six of 16 bits; the last bound is 3 or 4 */
#define SFPI_LUT2(name, sign) \
    sfpi_inline vFloat name(const vFloat &x, const vFloat &a0, \
                            const vFloat &a1, const vFloat &a2, \
                            const vFloat &b0, const vFloat &b1, \
                            const vFloat &b2) \
    { \
        return lut_six<sign>(x, a0, a1, a2, b0, b1, b2); \
    } \
    sfpi_inline vFloat name(const vFloat &x, const vUInt &a0, \
                            const vUInt &a1, const vUInt &a2, \
                            const vUInt &b0, const vUInt &b1, \
                            const vUInt &b2, int mode = 1) \
    { \
        if (mode == 1) { \
            return lut_six<2 | sign>(x, a0, a1, a2, b0, b1, b2); \
        } \
        return lut_six<3 | sign>(x, a0, a1, a2, b0, b1, b2); \
    }
SFPI_LUT2(lut2, LUT_KEEP_SIGN)
SFPI_LUT2(lut2_sign, 0)
#undef SFPI_LUT2

/* c0 + c1 x + c2 x^2 ... */
sfpi_inline vFloat polynomial(const vFloat &)
{
    return 0.0f;
}

template <float_term C>
sfpi_inline vFloat polynomial(const vFloat &, const C &c0)
{
    return vFloat(c0);
}

template <float_term C, float_term... More>
sfpi_inline vFloat polynomial(const vFloat &x, const C &c0, const More &...more)
{
    return polynomial(x, more...) * x + c0;
}

/* --- pairs, smaller and larger --- */

template <vector A, vector B> sfpi_inline void vec_swap(A &a, B &b)
{
    hw::swap(a.v, b.v, 0);
}

template <vector T> sfpi_inline void swap(T &a, T &b)
{
    vec_swap(a, b);
}

/* a becomes the smaller one, in SFPGT's order */
template <vector A, vector B> sfpi_inline void vec_min_max(A &a, B &b)
{
    hw::swap(a.v, b.v, SFPSWAP_MIN_MAX);
}

template <typename T> struct Pair {
    T first, second;
};

void no_such_mask() __attribute__((error(
    "min_max(): the mask is a constant: 0 to 15, or 32 bits, 8 for each")));

/* SFPSWAP's mode for rows in which VD becomes the larger one; 0: none */
sfpi_inline constexpr unsigned swap_mode(unsigned rows)
{
    return 0x9562730084000001 >> 4 * (rows & 15) & 15;
}

/* A bit for each row of 8 lanes, of a mask of those or of lanes; 16: none */
sfpi_inline constexpr unsigned rows_of(uint32_t mask)
{
    unsigned rows = (mask & 1) | (mask >> 7 & 2) | (mask >> 14 & 4) |
                    (mask >> 21 & 8);
    uint32_t lanes = (rows & 1) * 0xFFu | (rows & 2) * 0x7F80u |
                     (rows & 4) * 0x3FC000u | (rows & 8) * 0x1FE00000u;

    return mask < 16 ? mask : mask == lanes ? rows : 16;
}

/* The smaller ones, the larger ones; the other way round in rows of the mask */
template <vector T>
sfpi_inline Pair<T> min_max(const T &a, const T &b, uint32_t mask = 0)
{
    T first = a, second = b;
    unsigned rows = rows_of(mask), mode = swap_mode(rows);

    if (!__builtin_constant_p(mask) || rows > 15) {
        no_such_mask();
    } else if (mode) {
        hw::swap(first.v, second.v, mode);
    } else {
        hw::swap(second.v, first.v, swap_mode(~rows));
    }
    return { first, second };
}

template <float_term A, float_term B> requires (floats<A> || floats<B>)
sfpi_inline vFloat min(const A &a, const B &b)
{
    vFloat smaller = a, larger = b;

    vec_min_max(smaller, larger);
    return smaller;
}

template <float_term A, float_term B> requires (floats<A> || floats<B>)
sfpi_inline vFloat max(const A &a, const B &b)
{
    vFloat smaller = a, larger = b;

    vec_min_max(smaller, larger);
    return larger;
}

/* Sign and magnitude have SFPSWAP's order. */
template <typename T>
concept sign_magnitude = __is_base_of(vSMag, T);

template <sign_magnitude T> sfpi_inline T min(const T &a, const T &b)
{
    return min_max(a, b).first;
}

template <sign_magnitude T> sfpi_inline T max(const T &a, const T &b)
{
    return min_max(a, b).second;
}

/*
 * Of an unsigned number whose bit 31 is the sign in that order.  With a bound
 * below 2^31 the inverse of both is ordered, else both are, the other way round.
 */
template <bool is_min>
sfpi_inline vUInt bounded(const vUInt &x, unsigned bound)
{
    unsigned flip = bound >> 31 ? 0 : ~0u;
    vSMag a = reinterpret<vSMag>(flip ? ~x : x);
    vSMag b = bound ^ flip;
    Pair<vSMag> both = min_max(a, b);
    vSMag one = (flip != 0) == is_min ? both.first : both.second;

    return reinterpret<vUInt>(flip ? ~one : one);
}

sfpi_inline vUInt min(const vUInt &x, unsigned bound)
{
    return bounded<true>(x, bound);
}

sfpi_inline vUInt max(const vUInt &x, unsigned bound)
{
    return bounded<false>(x, bound);
}

template <float_term L, float_term H>
sfpi_inline vFloat clamp(const vFloat &x, const L &low, const H &high)
{
    return min(max(x, low), high);
}

template <sign_magnitude T>
sfpi_inline T clamp(const T &x, const T &low, const T &high)
{
    return min(max(x, low), high);
}

sfpi_inline vUInt clamp(const vUInt &x, unsigned low, unsigned high)
{
    return min(max(x, low), high);
}

sfpi_inline vFloat symmetric_clamp(const vFloat &x, float bound)
{
    return copysgn(min(abs(x), bound), x);
}

sfpi_inline vFloat rectified_linear_unit(const vFloat &x)
{
    return max(x, 0.0f);
}

/* --- across lanes --- */

/* SFPTRANSP transposes LReg4 to 7 as well. */
template <vector T> sfpi_inline void subvec_transp(T &a, T &b, T &c, T &d)
{
    SFPI_IN(0, l0, a.v);
    SFPI_IN(1, l1, b.v);
    SFPI_IN(2, l2, c.v);
    SFPI_IN(3, l3, d.v);

    __asm__ volatile("sfp %4"
                     : "+f"(l0), "+f"(l1), "+f"(l2), "+f"(l3)
                     : "i"(TT(SFPTRANSP)) : "fa4", "fa5", "fa6", "fa7");
    a.v = l0;
    b.v = l1;
    c.v = l2;
    d.v = l3;
}

#define SFPI_SHUFFLE(name, mode) \
    template <vector T> sfpi_inline T name(const T &x) \
    { \
        T result_; \
        __asm__ volatile("sfp %1" SFPI_D SFPI_C(2) ",sees=lreg.%2\n" \
                         "sfp.word 0x8f000000" \
                         : "=f"(result_.v) \
                         : "i"(TT(SFPSHFT2, .instr_mod1 = (mode))), \
                         "f"(x.v)); \
        return result_; \
    }
SFPI_SHUFFLE(subvec_shflror1, 3)
SFPI_SHUFFLE(subvec_shflshr1, 4)
#undef SFPI_SHUFFLE

}

#endif
