# SPDX-License-Identifier: GPL-2.0-or-later
"""How far a result is from what it should be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Tuple

import numpy


@dataclass(frozen=True)
class Tolerance:
    """A number may differ by `absolute`, plus `relative` times the magnitude
    of the wanted one."""
    absolute: float = 0.0
    relative: float = 0.0

    @staticmethod
    def parse(text: str) -> 'Tolerance':
        """X[,R].  Raises ValueError, as argparse wants it."""
        parts = [float(part) for part in text.split(',')]
        if len(parts) > 2 or not all(0 <= part < math.inf for part in parts):
            raise ValueError(text)
        return Tolerance(*parts)

    def allowed(self, wanted: Any) -> Any:
        """Array like `wanted`; what is not finite has to be equal."""
        finite = numpy.where(numpy.isfinite(wanted), abs(wanted), 0.0)
        with numpy.errstate(over='ignore'):
            return self.absolute + self.relative * finite


def errors(values: Any, wanted: Any) -> Any:
    """How far two arrays of floats are apart: 0 where they are equal, NaN and
    NaN too; infinity where they are not and one of them is not finite."""
    same = (values == wanted) | numpy.isnan(values) & numpy.isnan(wanted)
    with numpy.errstate(invalid='ignore', over='ignore'):
        apart = abs(values - wanted)
    apart = numpy.where(numpy.isfinite(apart), apart, math.inf)
    return numpy.where(same, 0.0, apart)


def value_text(value: Any) -> str:
    """An integer in full, a float with six digits."""
    return f'{value:g}' if value.dtype.kind == 'f' else str(int(value))


def as_floats(values: Any, wanted: Any) -> Tuple[Any, Any]:
    """Both, in the shape of the first."""
    with numpy.errstate(invalid='ignore'):     # a NaN that signals
        return (values.astype(float),
                wanted.astype(float).reshape(values.shape))


def wrong_numbers(values: Any, wanted: Any, tolerance: Tolerance) -> Any:
    """Array of bool, like `values`: which numbers differ by more than that."""
    values, wanted = as_floats(values, wanted)
    apart = errors(values, wanted)
    return (apart > tolerance.allowed(wanted)) | numpy.isinf(apart)


def compare(values: Any, wanted: Any, tolerance: Tolerance) -> Tuple[int, str]:
    """(how many numbers differ by more than that; the first of them and the
    worst, for people).  `wanted` has as many numbers, in any shape."""
    typed = values, wanted.reshape(values.shape)
    wrong = wrong_numbers(values, wanted, tolerance)
    values, wanted = as_floats(values, wanted)

    def shown(index: int) -> str:
        """number N, or [row, column]"""
        place = [int(n) for n in numpy.unravel_index(index, values.shape)]
        name = f'number {index}' if len(place) == 1 else str(place)
        is_now, should_be = (value_text(x.flat[index]) for x in typed)
        return f'{name} is {is_now} instead of {should_be}'

    if not wrong.any():
        return 0, ''
    first = int(numpy.argmax(wrong))
    worst = int(numpy.argmax(numpy.where(wrong, errors(values, wanted),
                                         -1.0)))
    text = f'the first of them, {shown(first)}'
    if first != worst:
        text += f'; the worst, {shown(worst)}'
    return int(wrong.sum()), text
