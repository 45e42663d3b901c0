# SPDX-License-Identifier: GPL-2.0-or-later
"""Arrays: numpy's where numpy is installed, else nested lists.

Whatever this package returns as an array can be indexed as a[row][column] and
has a len().  With numpy it is an ndarray of the type that a format names; with
the standard library alone it is a list of lists of numbers.  What the package
takes may be either, whichever is installed.
"""

from __future__ import annotations

import math
from typing import Any, Iterable, Sequence

try:
    import numpy
except ImportError:                     # the standard library is enough
    numpy = None                        # type: ignore[assignment]

Shape = Sequence[int]


def nested(values: Sequence, shape: Shape) -> list:
    """Lists in lists, the last axis innermost, from a flat sequence."""
    for size in reversed(tuple(shape)[1:]):
        values = [list(values[n:n + size])
                  for n in range(0, len(values), size)] if size else []
    return list(values)


def array(values: Iterable, shape: Shape, dtype: str = '<f8') -> Any:
    """Array of that shape from numbers in C order.  dtype: numpy's name of
    the type of an element, '<f4' for example; ignored without numpy."""
    values = list(values)
    if math.prod(shape) != len(values):
        raise ValueError(f'{len(values)} numbers have no shape '
                         f'{"x".join(map(str, shape))}')
    if numpy is not None:
        return numpy.array(values, dtype=dtype).reshape(tuple(shape))
    return nested(values, shape)


def shape_of(values: Any) -> tuple:
    """Sizes of an array along each axis; () for a number."""
    if hasattr(values, 'shape'):
        return tuple(values.shape)
    if not hasattr(values, '__len__'):
        return ()
    inner = {shape_of(item) for item in values}
    if len(inner) > 1:
        raise ValueError('rows of different lengths are no array')
    return (len(values), *(inner.pop() if inner else ()))


def flat(values: Any) -> list:
    """Numbers of an array, of any depth, in C order."""
    if hasattr(values, 'ravel'):
        return values.ravel().tolist()
    shape = shape_of(values)
    if not shape:
        return [values]
    for _ in shape[1:]:
        values = [x for row in values for x in row]
    return list(values)


def rows_of(matrix: Any) -> list:
    """List of lists of numbers from an array of two axes."""
    shape = shape_of(matrix)
    if len(shape) != 2:
        raise ValueError(f'a matrix has two sizes, not '
                         f'{"x".join(map(str, shape)) or "none"}')
    return nested(flat(matrix), shape)
