# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors in units of the last place (ulp), and references to measure against.

A reference takes and returns numpy.longdouble (64 bits of significand on x86),
so that its own error is below 2^-20 ulp of fp32.  erfc() and gelu() are from
the C library's erfc() in double: below 2^-18 ulp of fp32.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, NamedTuple

import numpy

LONG = numpy.longdouble
LOWEST_EXPONENT, HIGHEST_EXPONENT = -126, 127    # of bf16 and of fp32


class Precision(NamedTuple):
    """A format with fp32's exponent.  bits: of the significand"""
    name: str
    bits: int

    def largest(self) -> Any:
        """The largest finite number"""
        return numpy.ldexp(LONG(2) - numpy.ldexp(LONG(1), 1 - self.bits),
                           HIGHEST_EXPONENT)

    def unit(self, exact: Any) -> Any:
        """One ulp at each finite number; of denormals and 0, the smallest"""
        exact = numpy.asarray(exact, LONG)
        exponent = numpy.frexp(numpy.abs(exact))[1] - 1
        exponent = numpy.where(exact == 0, LOWEST_EXPONENT, exponent)
        return numpy.ldexp(LONG(1), numpy.clip(
            exponent, LOWEST_EXPONENT, HIGHEST_EXPONENT) + 1 - self.bits)

    def rounded(self, exact: Any) -> Any:
        """To nearest, ties to even, as IEEE 754 has it: longdouble again"""
        exact = numpy.asarray(exact, LONG)
        with numpy.errstate(all='ignore'):
            unit = self.unit(numpy.where(numpy.isfinite(exact), exact, 0))
            near = numpy.rint(exact / unit) * unit
            near = numpy.where(numpy.isfinite(exact), near, exact)
            far = numpy.abs(near) > self.largest()
        return numpy.where(far, numpy.copysign(LONG(numpy.inf), exact), near)

    def errors(self, found: Any, exact: Any) -> Any:
        """|found - exact| in ulp.  An infinity or NaN that should be one is
        right; any other is infinitely wrong."""
        with numpy.errstate(all='ignore'):
            found = numpy.asarray(found, LONG)
            exact = numpy.asarray(exact, LONG)
            wanted = self.rounded(exact)
            plain = numpy.isfinite(found) & numpy.isfinite(wanted)
            size = numpy.abs(found - exact) / self.unit(
                numpy.where(plain, exact, 0))
        same = (found == wanted) | numpy.isnan(found) & numpy.isnan(wanted)
        return numpy.where(plain, size, numpy.where(same, 0, numpy.inf)
                           ).astype(float)


PRECISIONS = {p.name: p for p in (Precision('bf16', 8), Precision('fp32', 24))}


def erfc(x: Any) -> Any:
    """By the C library"""
    each = map(math.erfc, numpy.asarray(x, float).ravel().tolist())
    return numpy.array(list(each), LONG).reshape(numpy.shape(x))


def gelu(x: Any) -> Any:
    """x / 2 * erfc(-x / sqrt 2); its limit, -0, for -infinity"""
    scaled = numpy.asarray(-x, float) / math.sqrt(2)
    return numpy.where(numpy.isneginf(x), LONG(-0.0), x / 2 * erfc(scaled))


def silu(x: Any) -> Any:
    """x / (1 + e^-x); its limit, -0, for -infinity"""
    return numpy.where(numpy.isneginf(x), LONG(-0.0), x / (1 + numpy.exp(-x)))


REFERENCES: Dict[str, Callable[[Any], Any]] = {
    'abs': numpy.abs,
    'atan': numpy.arctan,
    'cos': numpy.cos,
    'erfc': erfc,
    'exp': numpy.exp,
    'exp2': numpy.exp2,
    'expm1': numpy.expm1,
    'gelu': gelu,
    'identity': lambda x: x,
    'log': numpy.log,
    'log1p': numpy.log1p,
    'neg': lambda x: -x,
    'reciprocal': lambda x: 1 / x,
    'relu': lambda x: numpy.where(x < 0, LONG(0), x),
    'rsqrt': lambda x: 1 / numpy.sqrt(x),
    'sigmoid': lambda x: 1 / (1 + numpy.exp(-x)),
    'silu': silu,
    'sin': numpy.sin,
    'softplus': lambda x: numpy.maximum(x, 0) +
    numpy.log1p(numpy.exp(-numpy.abs(x))),
    'sqrt': numpy.sqrt,
    'square': lambda x: x * x,
    'tanh': numpy.tanh,
}


def exact_values(reference: Callable[[Any], Any], x: Any) -> Any:
    """The reference of numbers, without numpy's warnings"""
    with numpy.errstate(all='ignore'):
        return reference(numpy.asarray(x, LONG))
