# SPDX-License-Identifier: GPL-2.0-or-later
"""Exact numbers, formats and the words of the table, docs/rounding.csv."""

import csv
import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Callable, Dict, List, Optional, Sequence

from blackhole_tile.testing import ROOT

TABLE = os.path.join(ROOT, 'docs', 'rounding.csv')
COLUMNS = ('instruction', 'from', 'to', 'rounding', 'denormals', 'overflow',
           'nan', 'page')
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Float:
    """Sign, exponent, mantissa.  top: the largest exponent is infinity's."""
    exponent: int
    mantissa: int
    top: bool = True

    @property
    def bias(self) -> int:
        return (1 << self.exponent - 1) - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent) - 1) << self.mantissa

    @property
    def ones(self) -> int:
        return (1 << self.exponent + self.mantissa) - 1

    def split(self, word: int) -> 'tuple[int, int, int]':
        return (word >> self.exponent + self.mantissa & 1,
                word >> self.mantissa & (1 << self.exponent) - 1,
                word & (1 << self.mantissa) - 1)

    def value(self, word: int) -> Fraction:
        """Exact, of a word that is neither denormal nor special."""
        sign, exponent, mantissa = self.split(word)
        size = Fraction((1 << self.mantissa) + mantissa, 1 << self.mantissa)
        return (-1) ** sign * size * Fraction(2) ** (exponent - self.bias)

    def place(self, value: Fraction) -> Fraction:
        """What the last bit of the mantissa is worth beside a number."""
        exponent = 0
        while abs(value) >= Fraction(2) ** (exponent + 1):
            exponent += 1
        while abs(value) < Fraction(2) ** exponent:
            exponent -= 1
        return Fraction(2) ** (exponent - self.mantissa)


FP32, TF32, BF16 = Float(8, 23), Float(8, 10), Float(8, 7)
FP16, E5M2 = Float(5, 10, False), Float(5, 2, False)


@dataclass(frozen=True)
class Integer:
    """Sign and magnitude, or unsigned."""
    sign: int = 1 << 31              # 0: negative numbers lose their sign

    def value(self, word: int) -> Fraction:
        size = word & ~self.sign
        return Fraction(-size if word & self.sign else size)

    @staticmethod
    def place(_: Fraction) -> Fraction:
        return Fraction(1)


def all_ones(rest: Fraction, dropped: int) -> bool:
    return rest == 1 - Fraction(1, 1 << dropped)


# How a magnitude of q last places and a rest below 1 is rounded up
UP: Dict[str, Callable[[int, Fraction, int, bool], Optional[bool]]] = {
    'nearest even': lambda q, rest, _d, _n:
        rest > HALF or rest == HALF and bool(q & 1),
    'nearest away': lambda _q, rest, _d, _n: rest >= HALF,
    'truncated': lambda _q, _rest, _d, _n: False,
    'truncated but ones': lambda _q, rest, d, _n: all_ones(rest, d),
    'floor': lambda _q, rest, _d, negative: negative and rest > 0,
    'stochastic': lambda _q, rest, _d, _n: None if rest else False,
    'exact': lambda _q, _rest, _d, _n: False,
}


def rounded(value: Fraction, place: Fraction, rule: str,
            dropped: int) -> List[Fraction]:
    """The results that a rule of the table allows."""
    size = abs(value) / place
    whole = size.numerator // size.denominator
    up = UP[rule](whole, size - whole, dropped, value < 0)
    sign = -1 if value < 0 else 1
    return [sign * (whole + more) * place
            for more in ((0, 1) if up is None else (int(up),))]


def rows() -> List[Dict[str, str]]:
    """All rows of the page's table."""
    with open(TABLE, encoding='utf-8', newline='') as file:
        _, *found = csv.reader(file)
    return [dict(zip(COLUMNS, cells, strict=True)) for cells in found]


def float_inputs(source: Float, kept: int) -> List[int]:
    """Words around ties of a mantissa of so many bits, of both signs."""
    dropped = source.mantissa - kept
    rests: Sequence[int] = (0,)
    if dropped > 0:
        half = 1 << dropped - 1
        rests = sorted({0, half - 1, half, half | 1, 2 * half - 1})
    bits = source.exponent + source.mantissa
    return [sign << bits | source.bias << source.mantissa |
            (base << max(dropped, 0)) | rest
            for sign in (0, 1) for base in (2, 3) for rest in rests]
