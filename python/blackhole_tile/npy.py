# SPDX-License-Identifier: GPL-2.0-or-later
"""Arrays in .npy files, and in raw ones, with errors that name the file."""

from __future__ import annotations

import os
import tokenize
from typing import Any

import numpy

from . import files

KINDS = 'biuf'                       # of numbers: bool, integers, floats
DAMAGE = (ValueError, TypeError, EOFError, MemoryError, OverflowError,
          SyntaxError, tokenize.TokenError)     # what numpy says of it


class ArrayFileError(Exception):
    """A file that does not hold an array that can be read."""


def read(path: str) -> Any:
    """Array of integers or floats of a .npy file.  Raises ArrayFileError and
    OSError."""
    with open(path, 'rb') as file:
        try:
            found = numpy.lib.format.read_array(file, allow_pickle=False)
        except DAMAGE as error:
            raise ArrayFileError(f'{path}: no .npy file that can be read: '
                                 f'{error}') from None
    return checked(found, path)


def checked(found: Any, path: str, axes: int = 0) -> Any:
    """An array of numbers with so many axes.  Raises ArrayFileError."""
    if found.dtype.kind not in KINDS:
        raise ArrayFileError(f'{path}: holds numbers of type {found.dtype}, '
                             f'not integers or floats')
    if found.ndim < axes:
        raise ArrayFileError(f'{path}: holds one number, no rows')
    return found


def read_rows(path: str) -> Any:
    """The same of one axis or more; rows are read when they are used."""
    try:
        found = numpy.lib.format.open_memmap(path, 'r')
    except DAMAGE as error:
        raise ArrayFileError(f'{path}: no .npy file that can be read: '
                             f'{error}') from None
    return checked(found, path, 1)


def read_matrix(path: str) -> Any:
    """The same of two axes, neither of them empty."""
    found = read(path)
    if found.ndim != 2 or not found.size:
        raise ArrayFileError(f'{path}: has the shape {found.shape}; a matrix '
                             f'has two sizes')
    return found


def read_raw(path: str, rows: int, columns: int) -> Any:
    """Matrix from little-endian 32-bit floats, row by row."""
    size = os.path.getsize(path)
    if size != 4 * rows * columns:
        raise ArrayFileError(f'{path}: has {size} bytes, {rows} x {columns} '
                             f'floats have {4 * rows * columns}')
    return numpy.fromfile(path, '<f4').reshape(rows, columns)


def write(path: str, values: Any) -> None:
    """Writes an array as a .npy file; without a header, in C order, unless
    the name ends in .npy.  Raises OSError."""
    with files.write(path) as file:
        if path.endswith('.npy'):
            numpy.save(file, values, allow_pickle=False)
        else:
            file.write(values.tobytes())
