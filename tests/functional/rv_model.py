# SPDX-License-Identifier: GPL-2.0-or-later
"""What the baby RISC-Vs' instructions give, from the manuals, in Python.

Integers: the RISC-V manual.  Floating point: OLD InstructionSet.md (always to
nearest even, denormals are zero on the way in and out) in exact fractions.
"""

from fractions import Fraction

M32 = 0xffffffff
QUIET_NAN, INF = 0x7fc00000, 0x7f800000


def signed(x):
    return x - (1 << 32) if x & 0x80000000 else x


def rol(x, n):
    n &= 31
    return (x << n | x >> (32 - n)) & M32 if n else x


def clz(x):
    return 32 - x.bit_length()


def ctz(x):
    return (x & -x).bit_length() - 1 if x else 32


def bytes_of(x):
    return [x >> 8 * i & 0xff for i in range(4)]


def word_of(values):
    return sum(v << 8 * i for i, v in enumerate(values))


def orc_b(x):
    return word_of([0xff if b else 0 for b in bytes_of(x)])


def rev8(x):
    return word_of(bytes_of(x)[::-1])


def brev8(x):
    return word_of([int(f'{b:08b}'[::-1], 2) for b in bytes_of(x)])


def grevi(x, amount):
    """Bitmanip 0.94: bit i goes to bit i xor amount."""
    return sum((x >> i & 1) << (i ^ amount) for i in range(32))


def div(a, b):
    a, b = signed(a), signed(b)
    if b == 0:
        return M32
    quotient = abs(a) // abs(b)
    return (-quotient if (a < 0) != (b < 0) else quotient) & M32


def rem(a, b):
    a, b = signed(a), signed(b)
    if b == 0:
        return a & M32
    rest = abs(a) % abs(b)
    return (-rest if a < 0 else rest) & M32


def sext(x, bits):
    return (x & (1 << bits) - 1 ^ 1 << bits - 1) - (1 << bits - 1) & M32


# --- binary32 ---

def split(x):
    return x >> 31, x >> 23 & 0xff, x & 0x7fffff


def is_nan(x):
    return x & 0x7fffffff > INF


def is_inf(x):
    return x & 0x7fffffff == INF


def flush(x):
    return x & 0x80000000 if not x & INF else x


def value(x):
    sign, exponent, mantissa = split(flush(x))
    if exponent == 0:
        return Fraction(0)
    number = Fraction(mantissa | 1 << 23) * Fraction(2) ** (exponent - 150)
    return -number if sign else number


def round_to(number, sign_of_zero, mantissa_bits, exponent_bits):
    """Nearest even, then denormals to zero: the bits of an IEEE format."""
    sign_bit = mantissa_bits + exponent_bits
    bias = (1 << exponent_bits - 1) - 1
    if number == 0:
        return sign_of_zero << sign_bit
    sign = (number < 0) << sign_bit
    number = abs(number)
    exponent = 0
    while number >= 2:
        number /= 2
        exponent += 1
    while number < 1:
        number *= 2
        exponent -= 1
    scaled = number * (1 << mantissa_bits)
    mantissa = scaled.numerator // scaled.denominator
    rest = scaled - mantissa
    if rest > Fraction(1, 2) or rest == Fraction(1, 2) and mantissa & 1:
        mantissa += 1
    if mantissa == 2 << mantissa_bits:
        mantissa, exponent = 1 << mantissa_bits, exponent + 1
    if exponent > bias:
        return sign | (1 << exponent_bits) - 1 << mantissa_bits
    if exponent < 1 - bias:
        return sign
    return sign | exponent + bias << mantissa_bits | \
        mantissa & (1 << mantissa_bits) - 1


def round_f32(number, sign_of_zero=0):
    return round_to(number, sign_of_zero, 23, 8)


def fadd(a, b):
    if is_nan(a) or is_nan(b) or \
            is_inf(a) and is_inf(b) and (a ^ b) & 0x80000000:
        return QUIET_NAN
    if is_inf(a) or is_inf(b):
        return a if is_inf(a) else b
    both_negative = a >> 31 & b >> 31
    return round_f32(value(a) + value(b), both_negative)


def fsub(a, b):
    return fadd(a, b if is_nan(b) else b ^ 0x80000000)


def fmul(a, b):
    sign = (a ^ b) >> 31
    if is_nan(a) or is_nan(b):
        return QUIET_NAN
    if is_inf(a) or is_inf(b):
        other = b if is_inf(a) else a
        return QUIET_NAN if value(other) == 0 and not is_inf(other) \
            else sign << 31 | INF
    return round_f32(value(a) * value(b), sign)


# --- binary16, by way of exact fractions ---

def half_value(x):
    sign, exponent, mantissa = x >> 15, x >> 10 & 31, x & 0x3ff
    if exponent == 0:
        return Fraction(0)
    number = Fraction(mantissa | 1 << 10) * Fraction(2) ** (exponent - 25)
    return -number if sign else number


def round_f16(number, sign_of_zero=0):
    return round_to(number, sign_of_zero, 10, 5)
