# SPDX-License-Identifier: GPL-2.0-or-later
"""Number formats of L1: bytes from numbers, numbers from bytes.

Each Format encodes an array of numbers to the bytes that unpackers and the
packer use, and decodes such bytes.  `code` is what configuration fields hold
for it (spec FACTS appendix A, BH PACR.md, WH FormatConversion).  Tensix's own
integers (int8, int16, int32) are sign and magnitude; what a hart's program
sees as intN_t is s8, s16, s32.

Block floats (bfpN) share an exponent among sixteen numbers that follow each
other: a row of a face.  All exponents of a tile come first, a byte each, then
the numbers, N bits each with the first one in the low bits.

numpy knows none of these but fp32, fp16 and the integers of harts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional

import numpy

ROW = 16                             # numbers that share an exponent
BF16_ROUND, BF16_LOW, BF16_QUIET = 0x7FFF, 16, 0x40
FP32_MAGNITUDE, FP32_INFINITY, FP32_LOW = 0x7FFFFFFF, 0x7F800000, 0x1FFF
FP16_BIAS, FP32_BIAS = 15, 127
E4M3_BIAS, E4M3_LARGEST, E4M3_NORMAL = 7, 0x7F, 2.0 ** -6
E5M2_INFINITY, E5M2_NAN = 0x7C, 0x7E
SIGN_8 = 0x80
LARGEST_INTEGER = 2.0 ** 63


class FormatError(ValueError):
    """Numbers that a format cannot hold, or bytes that are no whole number
    of its elements."""


def numbers_of(values: Any) -> Any:
    """Array of one axis, in C order, from numbers or an array of any depth.
    Raises FormatError."""
    try:
        found = numpy.asarray(values).ravel()
    except ValueError as error:          # rows of different lengths
        raise FormatError(str(error)) from None
    if found.dtype == object:            # integers of more than 64 bits
        found = found.astype(float)
    if found.dtype.kind not in 'biuf':
        raise FormatError(f'{found.dtype} are no numbers')
    return found


def words32(values: Any) -> Any:
    """Bits of the numbers as fp32.  Too large ones become infinite."""
    with numpy.errstate(over='ignore'):
        return values.astype('<f4').view('<u4')


def floats32(words: Any) -> Any:
    """Numbers from their bits as fp32."""
    return words.astype('<u4').view('<f4')


def little(words: Any, bits: int) -> bytes:
    """Little-endian bytes of unsigned integers of so many bits."""
    return words.astype(f'<u{bits // 8}').tobytes()


# --- floats ---

def encode_fp32(values: Any) -> bytes:
    """IEEE single precision."""
    return words32(values).tobytes()


def encode_tf32(values: Any) -> bytes:
    """fp32 without the 13 bits of mantissa that SrcA and SrcB do not hold."""
    words = words32(values)
    return little(words - (words & FP32_LOW), 32)


def encode_bf16(values: Any) -> bytes:
    """High half of fp32, rounded to nearest, ties to even; NaN stays one."""
    words = words32(values)
    high = words >> BF16_LOW
    nan = words & FP32_MAGNITUDE > FP32_INFINITY
    rounded = (words & FP32_MAGNITUDE) + BF16_ROUND + (high & 1) >> BF16_LOW
    return little(numpy.where(nan, high | BF16_QUIET,
                              rounded | high & 0x8000), 16)


def decode_bf16(data: bytes) -> Any:
    """Exact."""
    return floats32(numpy.frombuffer(data, '<u2').astype('<u4') << BF16_LOW)


def encode_fp16(values: Any) -> bytes:
    """IEEE half precision, rounded to nearest, ties to even."""
    with numpy.errstate(over='ignore'):
        halves = values.astype('<f2')
    refuse(numpy.isinf(halves) & numpy.isfinite(values), values, 'fp16')
    return halves.tobytes()


def refuse(wrong: Any, values: Any, name: str) -> None:
    """Raises FormatError with the first number for which `wrong` holds."""
    if wrong.any():
        raise FormatError(f'{values[wrong][0]:g} is too large for {name}')


def small_float(magnitudes: Any, bits: int, bias: int) -> Any:
    """Exponent, and below it a mantissa of so many bits, of finite numbers
    that are not negative; rounded to nearest, ties to even."""
    fractions, exponents = numpy.frexp(magnitudes)
    exponents = exponents + bias - 1
    normal = exponents * (1 << bits) + numpy.rint(
        (fractions * 2 - 1) * (1 << bits))
    denormal = numpy.rint(numpy.ldexp(magnitudes, bits + bias - 1))
    return numpy.where((exponents < 1) | (magnitudes == 0), denormal,
                       normal).astype(numpy.int64)


def signs(values: Any) -> Any:
    """Bit 7, set for what is negative; minus zero too."""
    return numpy.where(numpy.signbit(values), SIGN_8, 0)


def finite_codes(values: Any, bits: int, bias: int) -> Any:
    """small_float() of the magnitudes, 0 for what is not finite."""
    return small_float(numpy.where(numpy.isfinite(values), numpy.abs(values),
                                   0), bits, bias)


def encode_e5m2(values: Any) -> bytes:
    """The high byte of an fp16, rounded to nearest, ties to even; NaN and
    infinity too."""
    values = values.astype(float)
    codes = finite_codes(values, 2, FP16_BIAS)
    refuse(codes >= E5M2_INFINITY, values, 'e5m2')
    codes = numpy.select([numpy.isnan(values), numpy.isinf(values)],
                         [E5M2_NAN, E5M2_INFINITY], codes)
    return little(signs(values) | codes, 8)


def decode_e5m2(data: bytes) -> Any:
    """Exact.  (The unpackers take 0x7F for the largest NaN.)"""
    words = numpy.frombuffer(data, 'u1').astype('<u2') << 8
    return words.view('<f2').astype('<f4')


def encode_e4m3(values: Any) -> bytes:
    """Four bits of exponent with a bias of 7, no infinity; what is below the
    least normal number, 2^-6, is zero."""
    values = values.astype(float)
    codes = finite_codes(values, 3, E4M3_BIAS)
    refuse(numpy.isinf(values) | (codes > E4M3_LARGEST), values, 'e4m3')
    codes = numpy.where(numpy.abs(values) < E4M3_NORMAL, 0, codes)
    return little(signs(values) | numpy.where(numpy.isnan(values),
                                              E4M3_LARGEST, codes), 8)


def decode_e4m3(data: bytes) -> Any:
    """An exponent of 0 is a zero, as Tensix computes with it."""
    codes = numpy.frombuffer(data, 'u1').astype(int)
    exponents = codes >> 3 & 0xF
    values = numpy.ldexp(8.0 + (codes & 7), exponents - E4M3_BIAS - 3)
    values = numpy.where(exponents, values, 0.0)
    return numpy.where(codes & SIGN_8, -values, values)


# --- block floats ---

@dataclass(frozen=True)
class Block:
    """`width` bits a number: sign, then a magnitude with its leading bit.
    `bias` of the exponents: 127, or 15 (five bits) in the "A" formats."""
    width: int
    bias: int

    @property
    def largest(self) -> int:
        """Magnitude of all ones."""
        return (1 << self.width - 1) - 1

    @property
    def shifts(self) -> Any:
        """Where the numbers are that share a byte."""
        return numpy.arange(0, 8, self.width)

    def units(self, exponents: Any) -> Any:
        """Value of a magnitude's last bit under each exponent: a column."""
        return numpy.ldexp(1.0, exponents.astype(int) - self.bias -
                           (self.width - 2))[:, None]

    def exponents(self, rows: Any) -> Any:
        """Those of the rows' largest numbers."""
        largest = numpy.abs(rows).max(axis=1, initial=0)
        if not numpy.isfinite(largest).all():
            raise FormatError('block floats have no infinity and no NaN')
        shared = numpy.frexp(largest)[1] - 1 + self.bias
        shared = numpy.where(largest, shared, 0)
        refuse(shared > (0x1F if self.bias == FP16_BIAS else 0xFF), largest,
               'a block float')
        return numpy.maximum(shared, 0)

    def encode(self, values: Any) -> bytes:
        """One section of exponents, then all numbers: to nearest, ties to
        even; what would need another exponent gets the largest magnitude.  A
        zero has no sign (with one it would be minus infinity)."""
        if len(values) % ROW:
            raise FormatError(f'{len(values)} numbers are no whole rows of '
                              f'{ROW} that share an exponent')
        rows = values.astype(float).reshape(-1, ROW)
        exponents = self.exponents(rows)
        datums = numpy.minimum(numpy.rint(
            numpy.abs(rows) / self.units(exponents)), self.largest).astype(int)
        datums |= ((datums != 0) & (rows < 0)) * (self.largest + 1)
        shared = datums.reshape(-1, 8 // self.width) << self.shifts
        return little(exponents, 8) + little(shared.sum(axis=1), 8)

    def decode(self, data: bytes) -> Any:
        """The reverse of encode(), exact.  A zero with a sign is minus
        infinity."""
        all_bytes = numpy.frombuffer(data, 'u1')
        count = len(data) // (ROW * self.width // 8 + 1)
        datums = all_bytes[count:, None] >> self.shifts & 2 * self.largest + 1
        datums = datums.reshape(-1, ROW)
        values = (datums & self.largest) * self.units(all_bytes[:count])
        return numpy.where(datums <= self.largest, values, numpy.where(
            values, -values, -numpy.inf)).ravel()


# --- integers ---

def integers(values: Any) -> Any:
    """To nearest, ties to even, as 64 bits."""
    if values.dtype.kind == 'f':
        if not numpy.isfinite(values).all():
            raise FormatError('integers have no infinity and no NaN')
        values = numpy.rint(values)
    if values.dtype.kind in 'fu' and (values >= LARGEST_INTEGER).any() or \
            values.dtype.kind == 'f' and (values < -LARGEST_INTEGER).any():
        raise FormatError('integers have 64 bits at most')
    return values.astype('<i8')


def sign_magnitude(bits: int) -> Callable[[Any], bytes]:
    """Encoder of integers of so many bits."""
    sign = 1 << bits - 1

    def encode(values: Any) -> bytes:
        whole = integers(values)
        if ((whole >= sign) | (whole <= -sign)).any():
            raise FormatError(f'int{bits} goes from {1 - sign} to {sign - 1}')
        return little(numpy.where(whole < 0, sign - whole, whole), bits)
    return encode


def from_sign_magnitude(bits: int) -> Callable[[bytes], Any]:
    """Decoder of integers of so many bits."""
    sign = 1 << bits - 1

    def decode(data: bytes) -> Any:
        whole = numpy.frombuffer(data, f'<u{bits // 8}').astype('<i8')
        return numpy.where(whole >= sign, sign - whole, whole)
    return decode


def plain(kind: str) -> Callable[[Any], bytes]:
    """Encoder of integers as harts store them."""
    limits = numpy.iinfo(kind)

    def encode(values: Any) -> bytes:
        whole = integers(values)
        if ((whole < limits.min) | (whole > limits.max)).any():
            raise FormatError(f'{kind[0]}{limits.bits} goes from {limits.min} '
                              f'to {limits.max}')
        return whole.astype('<' + kind).tobytes()
    return encode


def from_plain(kind: str) -> Callable[[bytes], Any]:
    """Decoder of numbers that numpy knows."""
    return lambda data: numpy.frombuffer(data, '<' + kind)


# --- the table ---

@dataclass(frozen=True)
class Format:
    """name; code: in configuration fields, None for what only harts use;
    bits: of a number, without shared exponents; kind: numpy's name of the
    type of decoded numbers, f4 for example; block: of block floats."""
    name: str
    code: Optional[int]
    bits: int
    kind: str
    encode_array: Callable[[Any], bytes]
    decode_bytes: Callable[[bytes], Any]
    block: Optional[Block] = None

    @property
    def integer(self) -> bool:
        """Are its numbers integers?"""
        return self.kind[0] != 'f'

    @property
    def dtype(self) -> str:
        """numpy's name of the type of decoded numbers."""
        return '<' + self.kind

    def size(self, count: int) -> int:
        """Bytes of so many numbers with their exponents: 2048 of a tile of
        1024 in bf16, 1088 in bfp8."""
        if self.block and count % ROW:
            raise FormatError(f'{self.name} shares exponents among {ROW} '
                              f'numbers; {count} are no whole rows')
        return count * self.bits // 8 + (count // ROW if self.block else 0)

    def encode(self, values: Any) -> bytes:
        """Bytes of numbers or of an array, in C order.  Raises FormatError
        for what the format cannot hold."""
        return self.encode_array(numbers_of(values))

    def decode(self, data: bytes) -> Any:
        """Array of one axis from bytes.  Raises FormatError if some are left
        over."""
        unit = self.size(ROW) if self.block else self.bits // 8
        if len(data) % unit:
            raise FormatError(f'{len(data)} bytes are no whole number of '
                              f'{self.name}')
        with numpy.errstate(over='ignore'):
            return self.decode_bytes(data).astype(self.dtype)


def block_format(name: str, code: int, width: int, bias: int) -> Format:
    """Row of a block float."""
    block = Block(width, bias)
    return Format(name, code, width, 'f4', block.encode, block.decode, block)


def integer_format(bits: int, code: int) -> Format:
    """Row of sign and magnitude."""
    return Format(f'int{bits}', code, bits, f'i{bits // 8}',
                  sign_magnitude(bits), from_sign_magnitude(bits))


def hart_format(name: str, kind: str, code: Optional[int] = None) -> Format:
    """Row of an integer of a hart's program."""
    return Format(name, code, 8 * int(kind[1]), kind, plain(kind),
                  from_plain(kind))


FP32, FP16, BFP8A, BFP4A, TF32, BF16, BFP8, BFP4 = range(8)
INT32, INT16, FP8, BFP2A, INT8, BFP2 = 8, 9, 10, 11, 14, 15

ROWS = (
    Format('fp32', FP32, 32, 'f4', encode_fp32, from_plain('f4')),
    Format('tf32', TF32, 32, 'f4', encode_tf32, from_plain('f4')),
    Format('bf16', BF16, 16, 'f4', encode_bf16, decode_bf16),
    Format('fp16', FP16, 16, 'f2', encode_fp16, from_plain('f2')),
    Format('e5m2', FP8, 8, 'f4', encode_e5m2, decode_e5m2),
    Format('e4m3', FP8, 8, 'f4', encode_e4m3, decode_e4m3),
    block_format('bfp8', BFP8, 8, FP32_BIAS),
    block_format('bfp4', BFP4, 4, FP32_BIAS),
    block_format('bfp2', BFP2, 2, FP32_BIAS),
    block_format('bfp8a', BFP8A, 8, FP16_BIAS),
    block_format('bfp4a', BFP4A, 4, FP16_BIAS),
    block_format('bfp2a', BFP2A, 2, FP16_BIAS),
    integer_format(32, INT32), integer_format(16, INT16),
    integer_format(8, INT8),
    # with the "unsigned" bits of the configuration set
    hart_format('uint8', 'u1', INT8), hart_format('uint16', 'u2', INT16),
    hart_format('u8', 'u1'), hart_format('u16', 'u2'),
    hart_format('u32', 'u4'), hart_format('s8', 'i1'),
    hart_format('s16', 'i2'), hart_format('s32', 'i4'),
)
FORMATS: Dict[str, Format] = {row.name: row for row in ROWS}


def format_named(name: str) -> Format:
    """Format of that name.  Raises FormatError, which lists the names."""
    if name not in FORMATS:
        raise FormatError(f'no format {name}; there are {" ".join(FORMATS)}')
    return FORMATS[name]
