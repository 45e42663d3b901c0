# SPDX-License-Identifier: GPL-2.0-or-later
"""Statements of SFPI and what they have to compute, by numpy.

Operands are a, b and the old r, 32 lanes of 32 bits each; I(), U() and F() see
one as another type.  An expectation gets them as unsigned integers and returns
r's bits; it is written from the pages of the instructions, not from sfpi.h.
"""

from typing import Any, Callable, List, NamedTuple, Sequence

import numpy

SIGN, NAN = 0x80000000, 0x7FC00000


class Case(NamedTuple):
    """One statement.  nests: it may be in a v_if"""
    text: str
    wanted: Callable[[Any, Any, Any], Any]
    nests: bool = True


def floats(bits: Any) -> Any:
    """What arithmetic makes of an operand: denormals are zeroes."""
    bits = numpy.asarray(bits, numpy.uint32)
    zero = bits & 0x7F800000 == 0
    return numpy.where(zero, bits & SIGN, bits).astype(
        numpy.uint32).view(numpy.float32).astype(float)


def bits(values: Any) -> Any:
    """The result of arithmetic: one NaN, no denormals."""
    found = numpy.asarray(values, float).astype(numpy.float32).view(
        numpy.uint32)
    found = numpy.where(numpy.isnan(values), NAN, found)
    return numpy.where(found & 0x7F800000 == 0, found & SIGN, found)


def constant(value: float) -> int:
    """The bits of a constant"""
    return int(numpy.float32(value).view(numpy.uint32))


def mad(a: Any, b: Any, c: Any) -> Any:
    """a * b + c of bits"""
    with numpy.errstate(all='ignore'):
        return bits(floats(a) * floats(b) + floats(c))


def negative(a: Any) -> Any:
    """The other sign"""
    return a ^ SIGN


def signed(a: Any) -> Any:
    """Two's complement"""
    return numpy.asarray(a).astype(numpy.uint32).view(
        numpy.int32).astype(numpy.int64)


def order(a: Any) -> Any:
    """Where SFPGT sees a number: by sign and magnitude, -0 below +0"""
    a = numpy.asarray(a, numpy.int64)
    return numpy.where(a & SIGN, -(a & 0x7FFFFFFF) - 1, a)


def choose(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition is true, else b"""
    return numpy.where(condition, a, b)


def shifted(a: Any, distance: Any, arithmetic: bool = False) -> Any:
    """To the left, or to the right if the distance is negative"""
    a, distance = numpy.broadcast_arrays(
        numpy.asarray(a, numpy.int64), numpy.asarray(distance, numpy.int64))
    right = signed(a) if arithmetic else a
    return choose(distance >= 0, a << (distance & 31),
                  right >> (-distance & 31)) & 0xFFFFFFFF


def leading(a: Any) -> Any:
    """Zeroes in front"""
    return numpy.array([32 - int(x).bit_length() for x in a])


def to_bf16(a: Any) -> Any:
    """Nearest, ties away; denormals and -0 are 0, NaN infinite"""
    a = numpy.asarray(a, numpy.int64)
    rounded = a + 0x8000 & 0xFFFF0000
    special = a & 0x7F800000 == 0x7F800000
    rounded = choose(special, a & SIGN | 0x7F800000, rounded)
    return choose(a & 0x7F800000 == 0, 0, rounded)


def to_integer(a: Any, most: int, sign: bool) -> Any:
    """Magnitude to nearest, ties away, bounded; below 1/2: 0"""
    with numpy.errstate(all='ignore'):
        size = numpy.abs(floats(a))
        size = numpy.where(numpy.isnan(size), most,
                           numpy.minimum(numpy.floor(size + 0.5), most))
    size = size.astype(numpy.int64)
    return choose((a & SIGN != 0) & sign & (size != 0), size | SIGN, size)


def from_sign_magnitude(a: Any) -> Any:
    """SFPCAST to fp32: nearest, ties to even"""
    size = (a & 0x7FFFFFFF).astype(float).astype(numpy.float32)
    return size.view(numpy.uint32) | a & SIGN


def to_sign_magnitude(a: Any) -> Any:
    """SFPCAST of two's complement"""
    return choose(a & SIGN, SIGN | -signed(a) & 0xFFFFFFFF, a) & 0xFFFFFFFF


def from_smag(a: Any) -> Any:
    """Two's complement; -0 is 0"""
    return choose(a & SIGN, -(a & 0x7FFFFFFF).astype(numpy.int64), a)


def smaller(a: Any, b: Any) -> Any:
    """SFPSWAP's"""
    return choose(order(a) <= order(b), a, b)


def larger(a: Any, b: Any) -> Any:
    """SFPSWAP's"""
    return choose(order(a) <= order(b), b, a)


ONE, HALF, THREE = constant(1), constant(0.5), constant(3)


def arithmetic() -> List[Case]:
    """Of vFloat"""
    return [Case(text, wanted) for text, wanted in (
        ('r = a * b;', lambda a, b, r: mad(a, b, 0)),
        ('r = a + b;', lambda a, b, r: mad(ONE, a, b)),
        ('r = a - b;', lambda a, b, r: mad(ONE, a, negative(b))),
        ('r = a * b + r;', mad),
        # the next instruction reads what the hardware does not stall for
        ('vFloat t = a * b; r = F(I(a) + I(t));',
         lambda a, b, r: mad(a, b, 0) + a),
        ('vInt d = I(b) & 15; vFloat t = a * b; r = F(U(t) << d);',
         lambda a, b, r: mad(a, b, 0).astype(numpy.int64) << (b & 15)),
        ('vFloat t = a * b; vec_min_max(r, t);',
         lambda a, b, r: smaller(r, mad(a, b, 0))),
        ('vFloat t = a * b; vec_min_max(t, r);',
         lambda a, b, r: larger(mad(a, b, 0), r)),
        ('r = r + a * b;', mad),
        ('r = a * b - r;', lambda a, b, r: mad(a, b, negative(r))),
        ('r = r - a * b;', lambda a, b, r: mad(negative(a), b, r)),
        ('r = -a * b + r;', lambda a, b, r: mad(negative(a), b, r)),
        ('r = -a * -b - -r;', mad),
        ('r = -a + b;', lambda a, b, r: mad(negative(ONE), a, b)),
        ('r = -(a * b);', lambda a, b, r: negative(mad(a, b, 0))),
        ('r = -(a - b);', lambda a, b, r: negative(
            mad(ONE, a, negative(b)))),
        ('r = a * b + a * r;', lambda a, b, r: mad(a, b, mad(a, r, 0))),
        ('r = (a + b) * r;', lambda a, b, r: mad(mad(ONE, a, b), r, 0)),
        ('r = -a;', lambda a, b, r: negative(a)),
        ('r = +a;', lambda a, b, r: a),
        ('r += a;', lambda a, b, r: mad(ONE, r, a)),
        ('r -= a;', lambda a, b, r: mad(ONE, r, negative(a))),
        ('r *= a;', lambda a, b, r: mad(r, a, 0)),
        ('r = a; r++; ++r; r--;', lambda a, b, r: mad(
            ONE, mad(ONE, mad(ONE, a, ONE), ONE), negative(ONE))),
        ('r = 2.0f * a + 0.5f;', lambda a, b, r: mad(constant(2), a, HALF)),
        ('r = 1.5f - a;', lambda a, b, r: mad(ONE, constant(1.5),
                                              negative(a))),
        ('r = a * vConst1 + vConst0;', lambda a, b, r: mad(a, ONE, 0)),
        ('r = vConst1 * a - vConst1;', lambda a, b, r: mad(
            ONE, a, negative(ONE))),
        ('r = vConst0p8373 + vConst0;',
         lambda a, b, r: 0 * a + constant(0.8373)),
        ('r = vConst1;', lambda a, b, r: 0 * a + ONE),
        ('r = 0.1f;', lambda a, b, r: 0 * a + constant(0.1)),
        ('r = sFloat16a(0x3E00);', lambda a, b, r: 0 * a + constant(1.5)),
        ('r = a; r *= sFloat16a(0x3E00);', lambda a, b, r: mad(
            a, constant(1.5), 0)),
        ('r = a * sFloat16b(0x4049) - b;', lambda a, b, r: mad(
            a, 0x40490000, negative(b))),
        ('r = sFloat16b(0x4049);', lambda a, b, r: 0 * a + 0x40490000),
        ('r = a; vFloat t = r; t += b; r = t;',
         lambda a, b, r: mad(ONE, a, b)),
        ('r = polynomial(a, 3.0f, 0.5f);', lambda a, b, r: mad(
            HALF, a, THREE)),
    )]


def integers() -> List[Case]:
    """Of vInt and vUInt"""
    return [Case(text, wanted) for text, wanted in (
        ('r = F(I(a) + I(b));', lambda a, b, r: a + b),
        ('r = F(I(a) - I(b));', lambda a, b, r: a - b),
        ('r = F(I(a) + 2047);', lambda a, b, r: a + 2047),
        ('r = F(I(a) + 2048);', lambda a, b, r: a + 2048),
        ('r = F(I(a) - 123456);', lambda a, b, r: a - 123456),
        ('r = F(7 - I(a));', lambda a, b, r: 7 - a),
        ('r = F(I(a) & I(b));', lambda a, b, r: a & b),
        ('r = F(I(a) | I(b));', lambda a, b, r: a | b),
        ('r = F(I(a) ^ I(b));', lambda a, b, r: a ^ b),
        ('r = F(~I(a));', lambda a, b, r: ~a),
        ('r = F(-I(a));', lambda a, b, r: -a),
        ('r = F(I(a) & 0x7FFFFF);', lambda a, b, r: a & 0x7FFFFF),
        ('r = F(I(a) | -1000);', lambda a, b, r: a | 0xFFFFFC18),
        ('r = F(U(a) ^ 0x80000001u);', lambda a, b, r: a ^ 0x80000001),
        ('vInt t = I(r); t &= I(a); t |= 4; t ^= I(b); t += 1; r = F(t);',
         lambda a, b, r: ((r & a | 4) ^ b) + 1),
        ('r = F(I(a) << 3);', lambda a, b, r: a << 3),
        ('r = F(I(a) >> 3);', lambda a, b, r: shifted(a, -3, True)),
        ('r = F(U(a) >> 3);', lambda a, b, r: shifted(a, -3)),
        ('r = F(U(a) << (I(b) & 15));', lambda a, b, r: a << (b & 15)),
        ('r = F(U(a) >> (U(b) & 15));', lambda a, b, r: shifted(
            a, -(b & 15).astype(numpy.int64))),
        ('r = F(I(a) >> (I(b) & 15));', lambda a, b, r: shifted(
            a, -(b & 15).astype(numpy.int64), True)),
        ('r = F(shft(U(a), -7));', lambda a, b, r: shifted(a, -7)),
        ('r = F(shft(I(a), (I(b) & 31) - 16));', lambda a, b, r: shifted(
            a, (b & 31).astype(numpy.int64) - 16, True)),
        ('r = F(shft(I(a), -5, ShiftMode::Logical));',
         lambda a, b, r: shifted(a, -5)),
        ('vInt t = a < b; r = F(t);', lambda a, b, r: choose(
            order(a) < order(b), 1, 0)),
        ('vInt t = I(a) & 1 && a > b; r = F(t);', lambda a, b, r: choose(
            order(a) > order(b), a & 1, 0)),
        ('r = F(vInt(1234567));', lambda a, b, r: 0 * a + 1234567),
        ('r = F(vInt(-40000));', lambda a, b, r: 0 * a - 40000),
        ('r = F(vInt(-3));', lambda a, b, r: 0 * a - 3),
        ('r = F(vUInt(0xFFFF));', lambda a, b, r: 0 * a + 0xFFFF),
        ('r = F(I(a) - vConstTileId);',
         lambda a, b, r: a - numpy.arange(32) * 2),
        ('r = F(vConstTileId & I(a));',
         lambda a, b, r: a & numpy.arange(32) * 2),
        ('r = F(vInt(vConstTileId));', lambda a, b, r: numpy.arange(32) * 2),
        ('r = F(abs(I(a)));', lambda a, b, r: abs(signed(a))),
        ('r = F(lz(U(a)));', lambda a, b, r: leading(a)),
        ('r = F(lz_nosgn(I(a)));', lambda a, b, r: leading(
            a & 0x7FFFFFFF)),
        ('r = F(fractional_mul(U(a), U(b)));', lambda a, b, r: (
            (a & 0x7FFFFF).astype(numpy.int64) * (b & 0x7FFFFF)) & 0x7FFFFF),
        ('r = F(fractional_mul(U(a), U(b), FractionalHalf::High));',
         lambda a, b, r: (a & 0x7FFFFF).astype(numpy.int64) *
         (b & 0x7FFFFF) >> 23),
    )]


def parts() -> List[Case]:
    """Sign, exponent, mantissa, conversions, pairs"""
    return [Case(*row) for row in (
        ('r = F(exexp(a));', lambda a, b, r: (a >> 23 & 255) - 127),
        ('r = F(exexp_nodebias(a));', lambda a, b, r: a >> 23 & 255),
        ('r = F(exman8(a));', lambda a, b, r: a & 0x7FFFFF | 0x800000),
        ('r = F(exman9(a));', lambda a, b, r: a & 0x7FFFFF),
        ('r = F(exsgn(a));', lambda a, b, r: a >> 31),
        ('r = setexp(a, 130);', lambda a, b, r: a & 0x807FFFFF | 130 << 23),
        ('r = setexp(a, I(b));', lambda a, b, r: a & 0x807FFFFF |
         (b & 255) << 23),
        ('r = copyexp(a, b);', lambda a, b, r: a & 0x807FFFFF |
         b & 0x7F800000),
        ('r = addexp(a, 3);', lambda a, b, r: choose(
            a >> 23 & 255 == 255, a,
            a & 0x807FFFFF | (a >> 23) + 3 << 23 & 0x7F800000)),
        ('r = setman(a, 0x123);', lambda a, b, r: a & 0xFF800000 |
         0x123 << 11),
        ('r = setman(a, U(b));', lambda a, b, r: a & 0xFF800000 |
         b & 0x7FFFFF),
        ('r = setsgn(a, 1);', lambda a, b, r: a | SIGN),
        ('r = F(setsgn(I(a) + 1, 1));', lambda a, b, r: a + 1 | SIGN),
        ('r = setsgn(a, 0);', lambda a, b, r: a & (SIGN - 1)),
        ('r = setsgn(a, b);', lambda a, b, r: a & 0x7FFFFFFF | b & SIGN),
        ('r = copysgn(-a, b);', lambda a, b, r: a & 0x7FFFFFFF | b & SIGN),
        ('r = abs(a);', lambda a, b, r: choose(
            a > 0xFF800000, a, a & 0x7FFFFFFF)),
        ('r = float_to_fp16b(a, 0);', lambda a, b, r: to_bf16(a)),
        # dropped bits that are all ones round away (docs/rounding.rst)
        ('r = float_to_fp16b(a, RoundMode::Zero);', lambda a, b, r: choose(
            a & 0x7F800000 == 0, 0, choose(
                a & 0x7F800000 == 0x7F800000, a & SIGN | 0x7F800000,
                a + (a & 0xFFFF == 0xFFFF) & 0xFFFF0000))),
        ('r = F(float_to_int16(a, 0));', lambda a, b, r: to_integer(
            a, 32767, True)),
        ('r = F(float_to_uint16(a, 0));', lambda a, b, r: to_integer(
            a, 65535, False)),
        ('r = F(float_to_uint8(a, 0));', lambda a, b, r: to_integer(
            a, 255, False)),
        ('r = F(float_to_int8(a, 0));', lambda a, b, r: to_integer(
            a, 127, True)),
        ('r = F(int32_to_uint8(I(a) & 0xFF00, 8, 0));',
         lambda a, b, r: a >> 8 & 255),
        ('r = F(int32_to_int8(I(a) & 0xFF00, 8, 0));',
         lambda a, b, r: numpy.minimum(a >> 8 & 255, 127)),
        ('r = copyman(a, b);', lambda a, b, r: a & 0xFF800000 |
         b & 0x7FFFFF),
        ('r = F(int_to_smag(I(a) >> 1));', lambda a, b, r: to_sign_magnitude(
            shifted(a, -1, True))),
        ('r = subvec_shflror1(a);', lambda a, b, r: numpy.roll(
            a.reshape(4, 8), 1, 1).ravel()),
        ('vFloat t = a * b; r = subvec_shflror1(t);',
         lambda a, b, r: numpy.roll(mad(a, b, 0).reshape(
             4, 8), 1, 1).ravel(), False),
        ('r = subvec_shflror1(a) * b;', lambda a, b, r: mad(numpy.roll(
            a.reshape(4, 8), 1, 1).ravel(), b, 0)),
        ('r = subvec_shflshr1(a);', lambda a, b, r: (numpy.roll(
            a.reshape(4, 8), 1, 1) * [0, *[1] * 7]).ravel()),
        ('vFloat t = a; subvec_transp(a, b, r, t); r = b;',
         lambda a, b, r: numpy.concatenate([
             a[8:16], b[8:16], r[8:16], a[8:16]]), False),
        ('r = int32_to_float(I(a), 0);',
         lambda a, b, r: from_sign_magnitude(a)),
        ('r = convert<vFloat>(I(a) >> 4, RoundMode::Nearest);',
         lambda a, b, r: from_sign_magnitude(to_sign_magnitude(
             shifted(a, -4, True)))),
        ('r = F(convert<vInt>(as<vSMag>(a)));',
         lambda a, b, r: from_smag(a)),
        ('r = min(a, b);', lambda a, b, r: smaller(a, b)),
        ('r = max(a, b);', lambda a, b, r: larger(a, b)),
        ('r = clamp(a, -1.0f, 3.0f);', lambda a, b, r: smaller(larger(
            a, constant(-1)), THREE)),
        ('vec_min_max(r, a);', lambda a, b, r: smaller(r, a)),
        ('vec_min_max(a, r);', lambda a, b, r: larger(r, a)),
        ('vec_swap(a, r);', lambda a, b, r: a),
        ('swap(a, r);', lambda a, b, r: a),
        *[(f'auto two = min_max(a, b, {mask:#x}); r = two.{name};',
           lambda a, b, r, rows=rows, name=name: choose(
               (rows >> numpy.arange(32) // 8 & 1 == 0) == (name == 'first'),
               smaller(a, b), larger(a, b)))
          for rows in range(16) for mask, name in (
              (rows, 'first'),
              (sum(0xFF << 8 * row for row in range(4) if rows >> row & 1),
               'second'))],
        ('r = symmetric_clamp(a, 3.0f);', lambda a, b, r: choose(
            a > 0xFF800000, a, a & SIGN | smaller(
                a & 0x7FFFFFFF, THREE))),
        ('r = rectified_linear_unit(a);', lambda a, b, r: choose(
            a & SIGN, 0, a)),
        ('r = a; vec_swap(r, b); r = r * 2;', lambda a, b, r: mad(
            b, constant(2), 0)),
    )]


def unsigned_bound(a: Any, bound: int, pick: Callable[[Any, int], Any]) -> Any:
    """min or max of unsigned numbers"""
    return pick(numpy.asarray(a, numpy.int64), bound)


def rounded(a: Any) -> Any:
    """To the nearest integer, ties to even, by 1.5 * 2^23"""
    magic = constant(12582912)
    return mad(ONE, mad(ONE, a, magic), negative(magic))


def newer() -> List[Case]:
    """What SFPI has had since 2026: types with a size, round(), ldexp()"""
    few = 'F(I(a) & 0x807FFFFF | 0x40000000)'        # 2 to 4, and negative

    def small(a: Any) -> Any:
        return a & 0x807FFFFF | 0x40000000

    return [Case(text, wanted) for text, wanted in (
        ('r = round(a);', lambda a, b, r: rounded(a)),
        (f'vInt n = round({few}); r = F(n);', lambda a, b, r:
         numpy.rint(floats(small(a))).astype(numpy.int64)),
        ('r = ldexp(a, 3);', lambda a, b, r: choose(
            a >> 23 & 255 == 255, a,
            a & 0x807FFFFF | (a >> 23) + 3 << 23 & 0x7F800000)),
        ('r = ldexp(a, I(b) & 15);', lambda a, b, r: mad(
            a, (b & 15) + 127 << 23, 0)),
        ('r = ldexp(a, I(b) & 15, LdexpMode::Fast);', lambda a, b, r:
         a & 0x807FFFFF | (a >> 23) + (b & 15) << 23 & 0x7F800000),
        ('r = setsgn2(a, I(b));', lambda a, b, r: a & 0x7FFFFFFF |
         (b & 1) << 31),
        ('r = polynomial(a);', lambda a, b, r: 0 * a),
        ('r = F(min(as<vSMag>(a), as<vSMag>(b)));',
         lambda a, b, r: smaller(a, b)),
        ('r = F(max(as<vSMag>(a), as<vSMag>(b)));',
         lambda a, b, r: larger(a, b)),
        ('r = F(clamp(as<vSMag>(a), as<vSMag>(b), vSMag(0x40000000)));',
         lambda a, b, r: smaller(larger(a, b), 0x40000000)),
        *[(f'r = F({name}(U(a), {bound:#x}u));',
           lambda a, b, r, pick=pick, bound=bound: unsigned_bound(
               a, bound, pick))
          for name, pick in (('min', numpy.minimum), ('max', numpy.maximum))
          for bound in (0x3F808000, 0xBF818000)],
        ('r = F(clamp(U(a), 5, 0x90000000u));', lambda a, b, r:
         numpy.clip(a, 5, 0x90000000)),
        ('r = F(abs(I(a)) >> 4);', lambda a, b, r: abs(signed(a)) >> 4),
        ('r = F((I(a) & U(b)) >> 3);', lambda a, b, r: (a & b) >> 3),
        ('r = F((U(b) | I(a)) >> 3);', lambda a, b, r: (a | b) >> 3),
        ('r = F((as<vSMag>(a) & -16) >> 3);',
         lambda a, b, r: (a & 0xFFFFFFF0) >> 3),
        ('r = F(convert<vUInt16>(a, RoundMode::Nearest) + 1);',
         lambda a, b, r: to_integer(a, 65535, False) + 1),
        ('r = F(convert<vUInt8>(a, RoundMode::Nearest));',
         lambda a, b, r: to_integer(a, 255, False)),
        ('r = F(convert<vSMag16>(a, RoundMode::Nearest));',
         lambda a, b, r: to_integer(a, 32767, True)),
        ('r = F(convert<vSMag16>(as<vSMag>(a)));', lambda a, b, r: a),
        ('r = F(convert<vSMag8>(a, RoundMode::Nearest));',
         lambda a, b, r: to_integer(a, 127, True)),
        ('r = F(int32_to_uint8(I(a) & 0xFFFF, U(b) & 7, 0));',
         lambda a, b, r: descaled(a & 0xFFFF, b & 7, 255)),
        ('vInt d = I(r) & 0xFFFF; vFloat t = a * b; '
         'r = F(int32_to_int8(d, U(t), 0));',
         lambda a, b, r: descaled(r & 0xFFFF, mad(a, b, 0), 127)),
        ('vBool t = a < b; v_if (t && !(I(a) & 1)) { r = a; } v_endif;',
         lambda a, b, r: choose((order(a) < order(b)) & (a & 1 == 0), a, r)),
        *[(f'vBool t(vBool::{name}, a, b); v_if (t) {{ r = a; }} v_endif;',
           lambda a, b, r, true=true: choose(true(order(a), order(b)), a, r))
          for name, true in (
              ('EQ', numpy.equal), ('NE', numpy.not_equal),
              ('LT', numpy.less), ('GE', numpy.greater_equal),
              ('GT', numpy.greater), ('LE', numpy.less_equal))],
        ('v_if (as<vSMag>(I(a) & 0x80000001) == -1) { r = a; } v_endif;',
         lambda a, b, r: choose(a & 0x80000001 == 0x80000001, a, r)),
        # Dest's form of a number with a sign, and the sizes of types
        ('dst_reg[100].mode<DataLayout::SM32>() = I(a) >> 1; '
         'r = F(vInt(dst_reg[100]));',
         lambda a, b, r: to_sign_magnitude(shifted(a, -1, True))),
        ('dst_reg[100].mode<DataLayout::I32>() = as<vSMag>(a); '
         'r = F(vInt(dst_reg[100]));',
         lambda a, b, r: from_smag(a)),
        ('dst_reg[100] = I(a); vInt d = 5; '
         'd = dst_reg[100].mode<DataLayout::SM32>(); r = F(d);',
         lambda a, b, r: from_smag(a)),
        ('dst_reg[100] = I(a) >> 1; '
         'vSMag d = dst_reg[100].mode<DataLayout::I32>(); r = F(d);',
         lambda a, b, r: to_sign_magnitude(shifted(a, -1, True))),
        ('dst_reg[100] = as<vUInt16>(U(a) & 0xFFFF); '
         'vUInt d = dst_reg[100].mode<DataLayout::U16>(); r = F(d);',
         lambda a, b, r: a & 0xFFFF),
        ('dst_reg[100].mode<DataLayout::U16>() = U(a) & 0xFFFF; '
         'vUInt16 d = dst_reg[100]; r = F(d);', lambda a, b, r: a & 0xFFFF),
        ('dst_reg[100] = as<vSMag16>(I(a) & 0x80007FFF); '
         'vSMag d = dst_reg[100].mode<DataLayout::SM16>(); r = F(d);',
         lambda a, b, r: a & 0x80007FFF),
        ('dst_reg[100].mode<DataLayout::SM16>() = as<vSMag>'
         '(I(a) & 0x80007FFF); vSMag16 d = dst_reg[100]; r = F(d);',
         lambda a, b, r: a & 0x80007FFF),
    )]


def descaled(size: Any, by: Any, most: int) -> Any:
    """A magnitude, shifted to the right by five bits of a lane: to nearest,
    ties away; dropped bits count as at most 31 (BH SFPSTOCHRND)"""
    by = numpy.asarray(by, numpy.int64) & 31
    size = numpy.asarray(size, numpy.int64)
    half_ = choose(by > 0, 1 << numpy.maximum(by - 1, 0), 0)
    return numpy.minimum(size + half_ >> by, most)


def comparison(text: str, true: Callable[[Any, Any], Any]) -> Case:
    """r = 1 where it is true, else 2"""
    return Case(f'v_if ({text}) {{ r = 1.0f; }} v_else {{ r = 2.0f; }} '
                'v_endif;', lambda a, b, r: choose(true(a, b), ONE,
                                                   constant(2)))


def comparisons() -> List[Case]:
    """Conditions, alone and combined"""
    def less(a: Any, b: Any) -> Any:
        return order(a) < order(b)

    return [comparison(text, true) for text, true in (
        ('a < b', less),
        ('a > b', lambda a, b: less(b, a)),
        ('a <= b', lambda a, b: ~less(b, a)),
        ('a >= b', lambda a, b: ~less(a, b)),
        ('a == b', lambda a, b: a == b),
        ('a != b', lambda a, b: a != b),
        ('a < 0.0f', lambda a, b: a & SIGN != 0),
        ('a >= 0.0f', lambda a, b: a & SIGN == 0),
        ('a > 0.0f', lambda a, b: (a & SIGN == 0) & (a != 0)),
        ('a <= 0.0f', lambda a, b: (a & SIGN != 0) | (a == 0)),
        ('a == 0.0f', lambda a, b: a == 0),
        ('a != 0', lambda a, b: a != 0),
        ('a == -0.0f', lambda a, b: a == SIGN),
        ('a > -0.0f', lambda a, b: a & SIGN == 0),
        ('a < -0.0f', lambda a, b: less(a, SIGN + 0 * a)),
        ('a < 3.0f', lambda a, b: less(a, THREE)),
        ('3.0f < a', lambda a, b: less(THREE, a)),
        ('a == 3.0f', lambda a, b: a == THREE),
        ('(I(a) & 255) < (I(b) & 255)', lambda a, b: a & 255 < b & 255),
        ('(I(a) & 255) >= (I(b) & 255)', lambda a, b: a & 255 >= b & 255),
        ('(I(a) & 255) > (I(b) & 255)', lambda a, b: a & 255 > b & 255),
        ('(I(a) & 255) <= (I(b) & 255)', lambda a, b: a & 255 <= b & 255),
        ('I(a) == I(b)', lambda a, b: a == b),
        ('I(a) < 0', lambda a, b: signed(a) < 0),
        ('I(a) > 0', lambda a, b: signed(a) > 0),
        ('I(a) <= 0', lambda a, b: signed(a) <= 0),
        ('(I(a) >> 8) < 100', lambda a, b: signed(a) >> 8 < 100),
        ('(I(a) >> 8) >= -100', lambda a, b: signed(a) >> 8 >= -100),
        ('(I(a) >> 8) > 100', lambda a, b: signed(a) >> 8 > 100),
        ('5 >= (I(a) & 7)', lambda a, b: 5 >= a & 7),
        ('(I(a) & 255) != 0x81', lambda a, b: a & 255 != 0x81),
        ('(I(a) & 0xFFFFF) == 0x12345', lambda a, b: a & 0xFFFFF == 0x12345),
        ('I(a) & 1', lambda a, b: a & 1 != 0),
        ('a < b && a > 0.0f', lambda a, b: less(a, b) & less(0 * a, a)),
        ('a < b || a > 3.0f', lambda a, b: less(a, b) | less(THREE, a)),
        ('!(a < b)', lambda a, b: ~less(a, b)),
        ('!(a < b && b > 1.0f)', lambda a, b: ~(less(a, b) & less(ONE, b))),
        ('!(a < b || b > 1.0f)', lambda a, b: ~(less(a, b) | less(ONE, b))),
        ('(a < b || I(a) & 1) && (a > 0.5f || !(I(b) & 2))',
         lambda a, b: (less(a, b) | (a & 1 != 0)) &
         (less(HALF, a) | (b & 2 == 0))),
        ('a > 0.0f && (b > 0.0f && (a < b || a > 3.0f))',
         lambda a, b: less(0 * a, a) & less(0 * b, b) &
         (less(a, b) | less(THREE, a))),
        ('!(!(a < b) || !(I(a) & 1)) || b < 0.0f',
         lambda a, b: less(a, b) & (a & 1 != 0) | (b & SIGN != 0)),
        ('is_nan(a)', lambda a, b: a & 0x7FFFFFFF > 0x7F800000),
        ('is_inf(a)', lambda a, b: a & 0x7FFFFFFF == 0x7F800000),
        ('is_finite(a)', lambda a, b: a & 0x7F800000 != 0x7F800000),
        ('is_neg(a)', lambda a, b: a & SIGN != 0),
        ('is_pos(a)', lambda a, b: a & SIGN == 0),
        ('is_normal(a)', lambda a, b: (a & 0x7F800000 != 0x7F800000) &
         (a & 0x7F800000 != 0)),
        ('is_subnormal(a)', lambda a, b: (a & 0x7F800000 == 0) &
         (a & 0x7FFFFF != 0)),
        ('is_zero(a)', lambda a, b: a & 0x7FFFFFFF == 0),
    )]


def twice(a: Any, _: Any, r: Any) -> Any:
    """Of the loop in chains()"""
    for _ in range(2):
        r, a = smaller(r, a), larger(r, a)
        r = mad(r, constant(2), 0)
    return r


def chains() -> List[Case]:
    """v_elseif, v_block, v_and"""
    def less(a: Any, b: Any) -> Any:
        return order(a) < order(b)

    return [
        Case('v_if (a < b) { r = a; } v_elseif (b < 1.0f) { r = b; } '
             'v_elseif (I(a) & 1) { r = 3.0f; } v_else { r = -r; } v_endif;',
             lambda a, b, r: choose(less(a, b), a, choose(
                 less(b, ONE), b, choose(a & 1 != 0, THREE, negative(r))))),
        Case('v_if (a < b) { a = b; } v_endif; r = a * 2.0f;',
             lambda a, b, r: mad(choose(less(a, b), b, a), constant(2), 0)),
        Case('v_if (a > 0.0f) { v_if (b > 0.0f) { r = a; } v_else '
             '{ r = b; } v_endif; r += 1.0f; } v_else { r = 0.5f; } v_endif;',
             lambda a, b, r: choose(less(0 * a, a), mad(
                 ONE, choose(less(0 * b, b), a, b), ONE), HALF)),
        # what comes before an instruction is at the end of the loop
        Case('static volatile unsigned n = 2; for (unsigned i = n; i; i--) '
             '{ vec_min_max(r, a); r = r * 2.0f; }', twice),
        Case('v_block { v_and (a < b); r = a; v_and (a > 0.0f); r = 1.0f; } '
             'v_endblock;',
             lambda a, b, r: choose(less(a, b), choose(
                 less(0 * a, a), ONE, a), r)),
    ]


def half(bits16: Any) -> Any:
    """A table's 16 bits: exponent 31 is 0, 0 is no exception"""
    bits16 = numpy.asarray(bits16, numpy.int64)
    exponent = bits16 >> 10 & 31
    size = (1 + (bits16 & 0x3FF) / 1024) * numpy.exp2(exponent - 15.)
    size = numpy.where(exponent == 31, 0, size)
    return bits(numpy.where(bits16 & 0x8000, -size, size))


def piece(a: Any, bounds: Sequence[float], slopes: Sequence[Any],
          offsets: Sequence[Any], keep: bool) -> Any:
    """A piece of |a|, and a's sign if it is to be kept"""
    size = a & 0x7FFFFFFF
    index = sum((order(size) >= constant(bound)).astype(int)
                for bound in bounds)
    found = mad(numpy.array(slopes)[index], size,
                numpy.array(offsets)[index])
    return found & 0x7FFFFFFF | a & SIGN if keep else found


SIX = (0x3C003800, 0x40003400, 0x44003A00), (0xB800BC00, 0x2C003000,
                                             0x00007C00)
TABLES = ', '.join(f'vUInt({word:#x}u)' for row in SIX for word in row)
LOW_HIGH = [[half(word >> shift & 0xFFFF) for word in row
             for shift in (0, 16)] for row in SIX]


def tables() -> List[Case]:
    """SFPLUTFP32, LRegs, constant registers"""
    return [Case(text, wanted) for text, wanted in (
        ('r = lut2(a, vFloat(0.5f), vFloat(1.5f), vFloat(-2.0f), '
         'vFloat(1.0f), vFloat(0.25f), vFloat(3.0f));', lambda a, b, r: piece(
             a, (1, 2), [constant(x) for x in (0.5, 1.5, -2)],
             [constant(x) for x in (1, 0.25, 3)], True)),
        (f'r = lut2_sign(a, {TABLES}, 1);', lambda a, b, r: piece(
            a, (0.5, 1, 1.5, 2, 3), *LOW_HIGH, False)),
        (f'r = lut2(a, {TABLES}, 2);', lambda a, b, r: piece(
            a, (0.5, 1, 1.5, 2, 4), *LOW_HIGH, True)),
        ('r = lut2(a, vUInt(0x3C003800u), vUInt(0x40003400u), '
         'vUInt(0x3000B800u));', lambda a, b, r: piece(
             a, (1, 2), [half(x) for x in (0x3C00, 0x4000, 0x3000)],
             [half(x) for x in (0x3800, 0x3400, 0xB800)], True)),
        ('vFloat t = a; l_reg[LRegs::LReg6] = t; '
         'r = vFloat(l_reg[LRegs::LReg6]) * 1.0f;',
         lambda a, b, r: mad(a, ONE, 0)),
    )]


MACRO = ('dst_reg[100].mode<DataLayout::F32>() = a; '
         'dst_reg[101].mode<DataLayout::F32>() = b; '
         'vConstFloatPrgm0 = 3.0f; vConstFloatPrgm1 = 0.75f; '
         'vConstFloatPrgm2 = -8.0f; '
         'macro_template<0>(TT(SFPSWAP, .lreg_dest = 14, .instr_mod1 = 1)); '
         'macro_template<1>(TT(SFPMAD, .lreg_src_a = 12, .lreg_src_c = 13)); '
         'macro_template<2>(TT(SFP_STOCH_RND, .instr_mod1 = 6)); '
         'macro_template<3>(TT(SFPSHFT, .imm12_math = 15, .instr_mod1 = 1)); '
         'macro_sequence<1, MacroSequence{ .simple = { MACRO_TEMPLATE }, '
         '.store = { MACRO_STORE, 2 } }>(); '
         'macro_sequence<2, MacroSequence{ '
         '.simple = { MACRO_TEMPLATE + 3, 3, true, true }, '
         '.mad = { MACRO_TEMPLATE + 1, 0, false, true }, '
         '.round = { MACRO_TEMPLATE + 2, 2 }, '
         '.store = { MACRO_STORE, 4, true } }>(); ')


def flushed(a: Any) -> Any:
    """As Dest holds fp32: denormals are zeroes"""
    return choose(a & 0x7F800000 == 0, a & SIGN, a)


def macros() -> List[Case]:
    """SFPLOADMACRO: a product, an integer and a shift; and a maximum"""
    def integer(a: Any) -> Any:
        return to_integer(mad(a, THREE, constant(0.75)), 65535, False)

    return [Case(MACRO + text, wanted, False) for text, wanted in (
        ('macro_misc<DataLayout::F32>(); '
         'load_macro<1, LRegs::LReg2, DataLayout::F32>(100); '
         'macro_wait<4>(); r = dst_reg[100].mode<DataLayout::F32>();',
         lambda a, b, r: larger(flushed(a), constant(-8) + 0 * a)),
        ('macro_misc<DataLayout::I32>(); '
         'load_macro<2, LRegs::LReg5, DataLayout::F32>(100); '
         'macro_wait<6>(); vInt d = l_reg[LRegs::LReg5]; '
         'r = F(vInt(dst_reg[100]) ^ d);',
         lambda a, b, r: integer(a) << 15 ^ integer(a)),
        # the other seven LRegs stay as they are
        ('macro_misc<DataLayout::I32>(); vInt c = I(a) ^ I(b), '
         'd = I(a) & I(b), e = I(a) << 2, f = I(a) >> 3, g = I(b) << 5, '
         'h = I(b) >> 7; load_macro<2, LRegs::LReg0, DataLayout::F32>(100); '
         'macro_wait<6>(); c = c - d + e - f + g - h; r = F(c ^ I(r));',
         lambda a, b, r: (a ^ b) - (a & b) + (a << 2) - (signed(a) >> 3) +
         (b << 5) - (signed(b) >> 7) & 0xFFFFFFFF ^ r),
        # two under way, in different LRegs; each stores as it loads
        ('macro_misc<DataLayout::F32>(4, 15); '
         'load_macro<2, LRegs::LReg0, DataLayout::I32>(100); '
         'macro_wait<1>(); '
         'load_macro<2, LRegs::LReg1, DataLayout::I32>(101); '
         'macro_wait<6>(); r = F(vInt(dst_reg[100]) ^ vInt(dst_reg[101]));',
         lambda a, b, r: (integer(a) ^ integer(b)) << 15),
    )]


def compared() -> List[Case]:
    """Without an expectation: for the oracle"""
    return [Case(text, lambda a, b, r: None) for text in (
        'r = approx_recip(a);',
        'r = approx_recip(a, RecipMode::IfNegative);',
        'r = approx_recip<false>(a) * b;',
        'r = approx_exp(a);',
        # eight vectors: the oracle needs more for the condition
        'vFloat c = a + b, d = a - b, e = a * b, f = a * r, g = b * r; '
        'v_if (c < d && e > 0.0f) { e = f; } v_endif; '
        'r = c * d + e; r = r * f + g; r = r * a + b;',
        'r = F(rand());',
        'vInt d = rand(); r = float_to_fp16b(a, RoundMode::Stochastic) + F(d);',
        'r = lut(a, vUInt(0x3080u), vUInt(0xFF12u), vUInt(0x9A27u));',
        'r = lut_sign(a, vUInt(0x3080u), vUInt(0xFF12u), vUInt(0x9A27u));',
    )]


def cases() -> List[Case]:
    """All that have an expectation"""
    # SFPCONFIG takes the first eight lanes: all have to be enabled
    constants = Case(
        'vConstFloatPrgm0 = 0.75f; vConstIntPrgm1 = 3; '
        'r = a * vConstFloatPrgm0 + b; r = F(I(r) + vInt(vConstIntPrgm1));',
        lambda a, b, r: mad(a, constant(0.75), b) + 3, False)
    late = Case('vFloat t = a * b; vConstFloatPrgm1 = t; '
                'r = vConstFloatPrgm1;', lambda a, b, r: numpy.tile(
                    mad(a, b, 0)[:8], 4), False)
    # LRegs are named: what else is live may be in one of them
    words = Case('l_reg[LRegs::LReg5] = a; l_reg[LRegs::LReg6] = b; '
                 'TTINSN(SFPAND, .lreg_c = 5, .lreg_dest = 6); '
                 'TTINSN(SFPNOT, .lreg_c = 6, .lreg_dest = 7); '
                 'r = l_reg[LRegs::LReg7];', lambda a, b, r: ~(a & b), False)
    return [*arithmetic(), *integers(), *parts(), *newer(), *comparisons(),
            *chains(), *tables(), *macros(), constants, late, words]
