# SPDX-License-Identifier: GPL-2.0-or-later
"""Number formats of L1: bytes from numbers, numbers from bytes.

Each Format encodes a sequence of numbers to the bytes that unpackers and the
packer use, and decodes such bytes.  `code` is what configuration fields hold
for it (spec FACTS appendix A, BH PACR.md, WH FormatConversion).  Tensix's own
integers (int8, int16, int32) are sign and magnitude; what a hart's program
sees as intN_t is s8, s16, s32.

Block floats (bfpN) share an exponent among sixteen numbers that follow each
other: a row of a face.  All exponents of a tile come first, a byte each, then
the numbers, N bits each with the first one in the low bits.
"""

from __future__ import annotations

import array
import math
import struct
import sys
from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Sequence

from . import npy

ROW = 16                             # numbers that share an exponent
BF16_ROUND, BF16_LOW = 0x7FFF, 16
FP16_BIAS, FP32_BIAS = 15, 127
E4M3_BIAS, E4M3_LARGEST, E4M3_NORMAL = 7, 0x7F, 2.0 ** -6
E5M2_INFINITY, E5M2_NAN = 0x7C, 0x7E


class FormatError(ValueError):
    """Numbers that a format cannot hold, or bytes that are no whole number
    of its elements."""


def words32(values: Sequence[float]) -> array.array:
    """Bits of the numbers as fp32.  Too large ones become infinite."""
    return array.array('I', array.array('f', values).tobytes())


def floats32(words: Sequence[int]) -> List[float]:
    """Numbers from their bits as fp32."""
    return array.array('f', array.array('I', words).tobytes()).tolist()


def little(values: array.array) -> bytes:
    """Little-endian bytes."""
    if sys.byteorder == 'big':
        values.byteswap()
    return values.tobytes()


# --- floats ---

def encode_fp32(values: Sequence[float]) -> bytes:
    """IEEE single precision."""
    return little(words32(values))


def encode_tf32(values: Sequence[float]) -> bytes:
    """fp32 without the 13 bits of mantissa that SrcA and SrcB do not hold."""
    return little(array.array('I', [x & ~0x1FFF for x in words32(values)]))


def round_to_bf16(word: int) -> int:
    """To nearest, ties to even, of bits of fp32; NaN stays one."""
    if word & 0x7FFFFFFF > 0x7F800000:
        return word >> BF16_LOW | 0x40
    return (word + BF16_ROUND + (word >> BF16_LOW & 1)) >> BF16_LOW & 0xFFFF


def encode_bf16(values: Sequence[float]) -> bytes:
    """High half of fp32, rounded to nearest, ties to even."""
    return little(array.array('H', [round_to_bf16(x)
                                    for x in words32(values)]))


def decode_bf16(data: bytes) -> List[float]:
    """Exact."""
    return floats32([x << BF16_LOW for x in npy.numbers(data, 'u2')])


def encode_fp16(values: Sequence[float]) -> bytes:
    """IEEE half precision, rounded to nearest, ties to even."""
    try:
        return struct.pack(f'<{len(values)}e', *values)
    except OverflowError:
        raise FormatError('a number is too large for fp16') from None


def half_bits(values: Sequence[float]) -> List[int]:
    """Bits of fp16 numbers."""
    return npy.numbers(encode_fp16(values), 'u2')


def halves(words: Sequence[int]) -> List[float]:
    """Numbers from their bits as fp16."""
    return npy.numbers(little(array.array('H', words)), 'f2')


def small_float(value: float, bits: int, bias: int) -> int:
    """Exponent, and below it a mantissa of so many bits, of a finite number's
    magnitude; rounded to nearest, ties to even."""
    fraction, exponent = math.frexp(abs(value))
    exponent += bias - 1
    if exponent < 1 or not value:        # a denormal
        return round(math.ldexp(abs(value), bits + bias - 1))
    return (exponent << bits) + round((fraction * 2 - 1) * (1 << bits))


def sign_of(value: float) -> int:
    """Bit 7, set for what is negative; minus zero too."""
    return 0x80 if math.copysign(1, value) < 0 else 0


def to_e5m2(value: float) -> int:
    """One number; NaN and infinity too."""
    if math.isnan(value):
        return sign_of(value) | E5M2_NAN
    if math.isinf(value):
        return sign_of(value) | E5M2_INFINITY
    code = small_float(value, 2, FP16_BIAS)
    if code >= E5M2_INFINITY:
        raise FormatError(f'{value} is too large for e5m2')
    return sign_of(value) | code


def encode_e5m2(values: Sequence[float]) -> bytes:
    """The high byte of an fp16, rounded to nearest, ties to even."""
    return bytes(map(to_e5m2, values))


def decode_e5m2(data: bytes) -> List[float]:
    """Exact.  (The unpackers take 0x7F for the largest NaN.)"""
    return halves([x << 8 for x in data])


def to_e4m3(value: float) -> int:
    """One number: four bits of exponent with a bias of 7, no infinity; what
    is below the least normal number, 2^-6, is zero."""
    if math.isnan(value):
        return sign_of(value) | E4M3_LARGEST
    code = E4M3_LARGEST + 1 if math.isinf(value) else \
        small_float(value, 3, E4M3_BIAS)
    if code > E4M3_LARGEST:
        raise FormatError(f'{value} is too large for e4m3')
    return sign_of(value) | (code if abs(value) >= E4M3_NORMAL else 0)


def encode_e4m3(values: Sequence[float]) -> bytes:
    """See to_e4m3()."""
    return bytes(map(to_e4m3, values))


def from_e4m3(code: int) -> float:
    """One number; an exponent of 0 is a zero, as Tensix computes with it."""
    exponent, mantissa = code >> 3 & 0xF, code & 7
    value = math.ldexp(8 + mantissa, exponent - E4M3_BIAS - 3) \
        if exponent else 0.0
    return -value if code & 0x80 else value


def decode_e4m3(data: bytes) -> List[float]:
    """See from_e4m3()."""
    return list(map(from_e4m3, data))


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

    def unit(self, exponent: int) -> float:
        """Value of a magnitude's last bit under that exponent."""
        return math.ldexp(1.0, exponent - self.bias - (self.width - 2))

    def exponent(self, row: Sequence[float]) -> int:
        """That of the row's largest number."""
        largest = max(abs(x) for x in row)
        if not largest < math.inf:
            raise FormatError('block floats have no infinity and no NaN')
        shared = math.frexp(largest)[1] - 1 + self.bias if largest else 0
        if shared > (0x1F if self.bias == FP16_BIAS else 0xFF):
            raise FormatError(f'{largest} is too large for a block float')
        return max(shared, 0)

    def encode_row(self, row: Sequence[float], exponent: int) -> List[int]:
        """To nearest, ties to even; what would need another exponent gets the
        largest magnitude.  A zero has no sign (with one it would be minus
        infinity)."""
        unit, sign = self.unit(exponent), 1 << self.width - 1
        magnitudes = [min(self.largest, round(abs(x) / unit)) for x in row]
        return [m | sign if m and x < 0 else m
                for m, x in zip(magnitudes, row)]

    def encode(self, values: Sequence[float]) -> bytes:
        """One section of exponents, then all numbers."""
        if len(values) % ROW:
            raise FormatError(f'{len(values)} numbers are no whole rows of '
                              f'{ROW} that share an exponent')
        exponents, datums, step = bytearray(), [], 8 // self.width
        for n in range(0, len(values), ROW):
            row = values[n:n + ROW]
            exponents.append(self.exponent(row))
            datums += self.encode_row(row, exponents[-1])
        groups = (datums[at:at + step] for at in range(0, len(datums), step))
        return bytes(exponents) + bytes(
            sum(x << self.width * n for n, x in enumerate(group))
            for group in groups)

    def number(self, datum: int, unit: float) -> float:
        """A zero with a sign is minus infinity."""
        magnitude, negative = datum & self.largest, datum > self.largest
        if negative:
            return -magnitude * unit if magnitude else -math.inf
        return magnitude * unit

    def decode(self, data: bytes) -> List[float]:
        """The reverse of encode(), exact."""
        step, row_bytes = 8 // self.width, ROW * self.width // 8
        rows = len(data) // (row_bytes + 1)
        mask = (1 << self.width) - 1
        datums = [byte >> self.width * n & mask
                  for byte in data[rows:] for n in range(step)]
        units = [self.unit(exponent) for exponent in data[:rows]]
        return [self.number(x, units[n // ROW]) for n, x in enumerate(datums)]


# --- integers ---

def integers(values: Sequence[float]) -> List[int]:
    """To nearest, ties to even."""
    try:
        return [round(x) for x in values]
    except (ValueError, OverflowError):
        raise FormatError('integers have no infinity and no NaN') from None


def sign_magnitude(bits: int) -> Callable[[Sequence[float]], bytes]:
    """Encoder of integers of so many bits."""
    sign, kind = 1 << bits - 1, f'u{bits // 8}'

    def encode(values: Sequence[float]) -> bytes:
        whole = integers(values)
        if any(abs(x) >= sign for x in whole):
            raise FormatError(f'int{bits} goes from {1 - sign} to {sign - 1}')
        return npy.to_bytes([abs(x) | (sign if x < 0 else 0)
                             for x in whole], kind)
    return encode


def from_sign_magnitude(bits: int) -> Callable[[bytes], List[int]]:
    """Decoder of integers of so many bits."""
    sign, kind = 1 << bits - 1, f'u{bits // 8}'

    def decode(data: bytes) -> List[int]:
        return [-(x - sign) if x >= sign else x
                for x in npy.numbers(data, kind)]
    return decode


def plain(kind: str) -> Callable[[Sequence[float]], bytes]:
    """Encoder of integers as harts store them."""
    def encode(values: Sequence[float]) -> bytes:
        try:
            return npy.to_bytes(integers(values), kind)
        except npy.ArrayFileError as error:
            raise FormatError(str(error)) from None
    return encode


def from_plain(kind: str) -> Callable[[bytes], list]:
    """Decoder of numbers that Python knows."""
    return lambda data: npy.numbers(data, kind)


# --- the table ---

@dataclass(frozen=True)
class Format:
    """name; code: in configuration fields, None for what only harts use;
    bits: of a number, without shared exponents; kind: of decoded numbers, as
    in npy.CODES; block: of block floats."""
    name: str
    code: Optional[int]
    bits: int
    kind: str
    encode: Callable[[Sequence[float]], bytes]
    decode_bytes: Callable[[bytes], list]
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

    def decode(self, data: bytes) -> list:
        """Numbers from bytes.  Raises FormatError if some are left over."""
        unit = self.size(ROW) if self.block else self.bits // 8
        if len(data) % unit:
            raise FormatError(f'{len(data)} bytes are no whole number of '
                              f'{self.name}')
        return self.decode_bytes(data)


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
