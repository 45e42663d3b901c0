/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SFPI's conversions between vectors, and random bits.
 */

#ifndef BLACKHOLE_TILE_SFPI_CONVERT_HPP
#define BLACKHOLE_TILE_SFPI_CONVERT_HPP

#include "blackhole-tile/sfpi/dest.hpp"

namespace sfpi {

/* T = f(c), one instruction */
#define SFPI_FROM(T, c, word) \
    __extension__({ \
        T result_; \
        SFPI_UNARY(false, result_.v, (c).v, word); \
        result_; \
    })

/* LLK's older code has numbers: 0 to nearest, 1 stochastic */
class RoundMode {
public:
    enum Values {
        NearestAway, NearestStochastic, Zero, Nearest = NearestAway,
        NearestEven = NearestAway, Stochastic = NearestStochastic,
    };
    unsigned v;
    sfpi_inline constexpr RoundMode(Values value) : v(value) {}
    sfpi_inline constexpr RoundMode(int value) : v(value) {}
};

/* VB is VC: the stalling logic examines it (BH SFPSTOCHRND.md) */
#define SFPI_ROUNDED(T, x, mode, round, ...) \
    __extension__({ \
        T rounded_; \
        __asm__ volatile("sfp %1" SFPI_D SFPI_C(2) SFPI_B(2) \
                         : "=f"(rounded_.v) \
                         : "i"(TT(SFP_STOCH_RND, .instr_mod1 = (mode), \
                                  ##__VA_ARGS__, .rnd_mode = (round).v)), \
                         "f"((x).v)); \
        rounded_; \
    })

#define SFPI_CONVERSION(name, T, mode) \
    sfpi_inline T name(const vFloat &x, RoundMode round = \
                       RoundMode::NearestStochastic) \
    { \
        return SFPI_ROUNDED(T, x, mode, round); \
    }
SFPI_CONVERSION(float_to_fp16a, vFloat, 0)
SFPI_CONVERSION(float_to_fp16b, vFloat, SFP_STOCH_RND_FP32_TO_BF16)
SFPI_CONVERSION(float_to_uint8, vUInt, 2)
SFPI_CONVERSION(float_to_int8, vInt, 3)
SFPI_CONVERSION(float_to_uint16, vUInt, 6)
SFPI_CONVERSION(float_to_int16, vInt, 7)
#undef SFPI_CONVERSION

/* The magnitude is shifted to the right by `descale`, and bounded. */
sfpi_inline vUInt int32_to_uint8(const vInt &x, unsigned descale,
                                 RoundMode round = RoundMode::Stochastic)
{
    return SFPI_ROUNDED(vUInt, x, 8 | 4, round, .imm8_math = descale);
}

sfpi_inline vInt int32_to_int8(const vInt &x, unsigned descale,
                               RoundMode round = RoundMode::Stochastic)
{
    return SFPI_ROUNDED(vInt, x, 8 | 5, round, .imm8_math = descale);
}

/*
 * By the lane's five low bits of `descale`.  That the stalling logic misses VB
 * is nowhere said (BH SFPMAD.md lists what it misses).
 */
template <unsigned mode>
sfpi_inline Lanes descaled(Lanes x, Lanes descale, RoundMode round)
{
    Lanes d;

    __asm__ volatile("sfp %1" SFPI_D SFPI_C(2) SFPI_B(3)
                     : "=f"(d)
                     : "i"(TT(SFP_STOCH_RND, .instr_mod1 = mode,
                              .rnd_mode = round.v)), "f"(x), "f"(descale));
    return d;
}

sfpi_inline vUInt int32_to_uint8(const vInt &x, const vUInt &descale,
                                 RoundMode round = RoundMode::Stochastic)
{
    return make<vUInt>(descaled<4>(x.v, descale.v, round));
}

sfpi_inline vInt int32_to_int8(const vInt &x, const vUInt &descale,
                               RoundMode round = RoundMode::Stochastic)
{
    return make<vInt>(descaled<5>(x.v, descale.v, round));
}

/* From sign and magnitude, whatever the type says */
template <integers T>
sfpi_inline vFloat int32_to_float(const T &x, RoundMode round =
                                  RoundMode::NearestStochastic)
{
    return SFPI_FROM(vFloat, x, TT(SFPCAST, .instr_mod1 = round.v));
}

sfpi_inline vSMag int_to_smag(const vInt &x)
{
    vSMag converted;

    to_sign_magnitude(converted.v, x.v);
    return converted;
}

sfpi_inline vInt smag_to_int(const vSMag &x)
{
    vInt converted;

    to_twos_complement(converted.v, x.v);
    return converted;
}

/* convert<T>(x): the number, in T's form */
template <vector T>
sfpi_inline T convert(const vFloat &x, RoundMode round =
                      RoundMode::NearestStochastic)
{
    if constexpr (same<T, vFloat>) {
        return x;
    } else if constexpr (same<T, vFloat16a>) {
        return make<T>(float_to_fp16a(x, round).v);
    } else if constexpr (same<T, vFloat16b>) {
        return make<T>(float_to_fp16b(x, round).v);
    } else if constexpr (same<T, vUInt8>) {
        return make<T>(float_to_uint8(x, round).v);
    } else if constexpr (same<T, vMag> || same<T, vUInt16>) {
        return make<T>(float_to_uint16(x, round).v);
    } else if constexpr (same<T, vSMag8>) {
        return make<T>(float_to_int8(x, round).v);
    } else {
        static_assert(same<T, vSMag> || same<T, vSMag16>,
                      "no such conversion of a vFloat");
        return make<T>(float_to_int16(x, round).v);
    }
}

template <vector T>
sfpi_inline T convert(const vSMag &x, RoundMode round =
                      RoundMode::NearestStochastic)
{
    if constexpr (__is_base_of(vSMag, T)) {
        return make<T>(x.v);
    } else if constexpr (same<T, vInt>) {
        return smag_to_int(x);
    } else {
        return convert<T>(int32_to_float(x, round), round);
    }
}

template <vector T>
sfpi_inline T convert(const vInt &x, RoundMode round =
                      RoundMode::NearestStochastic)
{
    if constexpr (same<T, vInt>) {
        return x;
    } else {
        return convert<T>(int_to_smag(x), round);
    }
}

template <vector T>
sfpi_inline T convert(const vMag &x, RoundMode round =
                      RoundMode::NearestStochastic)
{
    if constexpr (same<T, vInt>) {
        return reinterpret<vInt>(x);
    } else {
        return convert<T>(reinterpret<vSMag>(x), round);
    }
}

/* The nearest integer of |x| < 2^22, ties to even, as either type */
struct FloatInt {
    vFloat first;
    vInt second;
    sfpi_inline operator vFloat() const { return first; }
    sfpi_inline operator vInt() const { return second; }
};

sfpi_inline FloatInt round(const vFloat &x)
{
    vFloat magic = 12582912.0f;        /* 1.5 * 2^23 */
    vFloat sum = x + magic;

    return { sum - magic, reinterpret<vInt>(sum) - reinterpret<vInt>(magic) };
}

/* 32 bits of each lane's generator, which moves on */
sfpi_inline vInt rand()
{
    constexpr unsigned FROM_SPECIAL = 8, GENERATOR = 9;
    vInt bits;

    SFPI_UNARY(false, bits.v, hw::Fixed<GENERATOR>(),
               TT(SFPMOV, .instr_mod1 = FROM_SPECIAL));
    return bits;
}

}

#endif
