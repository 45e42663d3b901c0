/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SFPI's dst_reg[] and l_reg[].
 *
 * dst_reg[i] is the vector of Dest i vectors after the counter, which dst_reg++
 * moves on; its format is that of the configuration, or what mode<>() says.
 */

#ifndef BLACKHOLE_TILE_SFPI_DEST_HPP
#define BLACKHOLE_TILE_SFPI_DEST_HPP

#include "blackhole-tile/sfpi/condition.hpp"

namespace sfpi {

enum class DataLayout {
    Default, FSrcB, F32, F16a, F16b, I32, U32, U16, SM32, SM16, M32, LO16, HI16,
};

/* What instr_mod0 of SFPLOAD and SFPSTORE is for each; -1: the vector's type */
constexpr int dest_format(DataLayout layout)
{
    constexpr int of[] = { -1, 0, 3, 1, 2, 4, 4, 6, 4, 8, 4, 9, 7 };

    return of[(int)layout];
}

/* Two's complement to sign and magnitude, and back: SFPCAST's -0 is no 0 */
sfpi_inline void to_sign_magnitude(Lanes &d, Lanes x)
{
    SFPI_UNARY(false, d, x, TT(SFPCAST, .instr_mod1 = 3));
}

sfpi_inline void to_twos_complement(Lanes &d, Lanes x)
{
    vInt value = make<vInt>(x);

    v_if (value < 0) {
        SFPI_UNARY(true, value.v, value.v, TT(SFPSETSGN, .instr_mod1 = 1));
        value = 0 - value;
    } v_endif;
    d = value.v;
}

/* Rows of Dest from one vector to the next: even columns, odd columns */
constexpr int SFP_DESTREG_STRIDE = 2;
/* An address modifier that does not move the counters (LLK's ADDR_MOD_7) */
constexpr int STAY_ADDR_MOD = 7;

template <DataLayout Layout> class DestVector {
    int row, address_mode;

    template <typename T> static constexpr uint32_t format_of()
    {
        if constexpr (dest_format(Layout) >= 0) {
            return dest_format(Layout);
        } else if constexpr (same<T, vFloat16a>) {
            return SFP_FORMAT_FP16;
        } else if constexpr (same<T, vFloat16b>) {
            return SFP_FORMAT_BF16;
        } else if constexpr (__is_base_of(vUInt16, T)) {
            return dest_format(DataLayout::U16);
        } else if constexpr (__is_base_of(vSMag16, T)) {
            return dest_format(DataLayout::SM16);
        } else {
            return integers<T> ? SFP_FORMAT_INT32 : SFP_FORMAT_CONFIGURED;
        }
    }
    /* Dest has the other form of a number with a sign */
    template <typename T> static constexpr bool is_converted()
    {
        return (same<T, vInt> && Layout == DataLayout::SM32) ||
               (same<T, vSMag> && Layout == DataLayout::I32);
    }
    template <typename T> sfpi_inline void read_converted(Lanes &d) const
    {
        Lanes stored;

        hw::load<false>(stored, row, format_of<T>(), address_mode);
        if constexpr (same<T, vInt>) {
            to_twos_complement(d, stored);
        } else {
            to_sign_magnitude(d, stored);
        }
    }

public:
    sfpi_inline constexpr DestVector(int r, int m = STAY_ADDR_MOD)
        : row(r), address_mode(m) {}
    template <DataLayout New = Layout>
    sfpi_inline constexpr DestVector<New> mode(int m = -1) const
    {
        return DestVector<New>(row, m >= 0 ? m : address_mode);
    }
    template <typename T, bool keep> sfpi_inline void read(Lanes &d) const
    {
        if constexpr (!is_converted<T>()) {
            hw::load<keep>(d, row, format_of<T>(), address_mode);
        } else if constexpr (keep) {
            Lanes converted;

            read_converted<T>(converted);
            hw::move<true>(d, converted);
        } else {
            read_converted<T>(d);
        }
    }
    template <vector T> sfpi_inline operator T() const
    {
        Lanes lanes;

        read<T, false>(lanes);
        return make<T>(lanes);
    }
    template <vector T> sfpi_inline void operator=(const T &value) const
    {
        Lanes lanes = value.v;

        if constexpr (!is_converted<T>()) {
        } else if constexpr (same<T, vInt>) {
            to_sign_magnitude(lanes, value.v);
        } else {
            to_twos_complement(lanes, value.v);
        }
        hw::store(lanes, row, format_of<T>(), address_mode);
    }
    template <node T> sfpi_inline void operator=(const T &value) const
    {
        *this = vFloat(value);
    }
    template <number T> sfpi_inline void operator=(T value) const
    {
        if constexpr (integer<T>) {
            *this = vInt(value);
        } else {
            *this = vFloat(value);
        }
    }
    sfpi_inline void operator=(sFloat16a value) const
    {
        *this = vFloat(value);
    }
    sfpi_inline void operator=(sFloat16b value) const
    {
        *this = vFloat(value);
    }
    sfpi_inline void operator=(const DestVector &other) const
    {
        *this = vFloat(other);
    }
    template <typename T> sfpi_inline void operator+=(const T &other) const
    {
        *this = *this + other;
    }
    template <typename T> sfpi_inline void operator-=(const T &other) const
    {
        *this = *this - other;
    }
    template <typename T> sfpi_inline void operator*=(const T &other) const
    {
        *this = *this * other;
    }
};
template <DataLayout Layout> struct IsDest<DestVector<Layout>> {
    static constexpr bool value = true;
};

class DestFile {
public:
    sfpi_inline constexpr DestVector<DataLayout::Default>
    operator[](int i) const
    {
        return { i * SFP_DESTREG_STRIDE };
    }
    /* INCRWC has four bits for the rows: some take several of them. */
    sfpi_inline void operator+=(unsigned vectors) const
    {
        constexpr unsigned MOST = 7;

        for (unsigned i = 0; i < vectors / MOST; i++) {
            SFPI_FLAGS(TT(INCRWC, .rwc_d = MOST * SFP_DESTREG_STRIDE));
        }
        vectors %= MOST;
        if (!__builtin_constant_p(vectors)) {
            PUSH_OWN = TT(INCRWC) + (TT(INCRWC, .rwc_d = SFP_DESTREG_STRIDE) -
                                     TT(INCRWC)) * vectors;
        } else if (vectors) {
            SFPI_FLAGS(TT(INCRWC, .rwc_d = vectors * SFP_DESTREG_STRIDE));
        }
    }
    sfpi_inline void operator++() const { *this += 1; }
    sfpi_inline void operator++(int) const { *this += 1; }
};

enum class LRegs : uint8_t {
    LReg0, LReg1, LReg2, LReg3, LReg4, LReg5, LReg6, LReg7, LRegCount,
};

/* The LReg itself: what an earlier instruction left there, or a later needs */
class LReg {
    LRegs n;

public:
    sfpi_inline constexpr explicit LReg(LRegs number) : n(number) {}
    template <vector T> sfpi_inline operator T() const;
    template <vector T> sfpi_inline T operator=(const T &value) const;
    template <node T> sfpi_inline vFloat operator=(const T &value) const
    {
        return *this = vFloat(value);
    }
    sfpi_inline void in_use() const { *this = vInt(*this); }
};

/* One statement for each: a register variable lives in its own block only. */
#define SFPI_READ(number) \
    case LRegs::LReg##number: { \
        register Lanes lanes __asm__("fa" #number); \
        __asm__ volatile("" : "=f"(lanes)); \
        copy = lanes; \
        break; \
    }
#define SFPI_FILL(number) \
    case LRegs::LReg##number: { \
        register Lanes lanes __asm__("fa" #number) = value.v; \
        __asm__ volatile("" : : "f"(lanes)); \
        break; \
    }
#define SFPI_EACH(one) \
    one(0) one(1) one(2) one(3) one(4) one(5) one(6) one(7)

template <vector T> LReg::operator T() const
{
    Lanes copy;

    switch (n) {
    SFPI_EACH(SFPI_READ)
    default:
        hw::undefined(copy);
    }
    return make<T>(copy);
}

template <vector T> T LReg::operator=(const T &value) const
{
    switch (n) {
    SFPI_EACH(SFPI_FILL)
    default:
        break;
    }
    return value;
}
#undef SFPI_READ
#undef SFPI_FILL
#undef SFPI_EACH

class LRegFile {
public:
    sfpi_inline constexpr LReg operator[](LRegs n) const { return LReg(n); }
};

constexpr DestFile dst_reg;
constexpr LRegFile l_reg;

}

#endif
