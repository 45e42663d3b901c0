# SPDX-License-Identifier: GPL-2.0-or-later
"""Arrays in .npy files, and in raw ones, by the standard library alone.

The format is numpy's, version 1.0 (2.0 and 3.0 are read too).
"""

from __future__ import annotations

import array
import ast
import math
import struct
import sys
from typing import Sequence, Tuple

from .arrays import nested

MAGIC = b'\x93NUMPY'
ALIGN = 64                           # of the data, in version 1.0 files
CODES = {'f2': 'e', 'f4': 'f', 'f8': 'd', 'i1': 'b', 'u1': 'B', 'i2': 'h',
         'u2': 'H', 'i4': 'i', 'u4': 'I', 'i8': 'q', 'u8': 'Q', 'b1': '?'}


class ArrayFileError(Exception):
    """A file that does not hold an array that can be read."""


def numbers(data: bytes, kind: str, swapped: bool = False) -> list:
    """Numbers of type `kind`, as CODES has it, from little-endian bytes, or
    from big-endian ones if `swapped`."""
    code, size = CODES[kind], int(kind[1])
    if kind in ('f2', 'b1'):
        order = '>' if swapped else '<'
        return list(struct.unpack(f'{order}{len(data) // size}{code}', data))
    values = array.array(code)
    values.frombytes(data)
    if swapped != (sys.byteorder == 'big'):
        values.byteswap()
    return values.tolist()


def to_bytes(values: Sequence, kind: str) -> bytes:
    """The reverse: little-endian.  Raises ArrayFileError if a number does not
    fit."""
    try:
        return struct.pack(f'<{len(values)}{CODES[kind]}', *values)
    except (struct.error, OverflowError, TypeError) as error:
        raise ArrayFileError(f'no numbers of type {kind}: {error}') from None


def by_rows(values: list, shape: Tuple[int, ...]) -> list:
    """C order from Fortran order."""
    if len(shape) < 2:
        return values
    strides, step = [], 1
    for size in shape:
        strides.append(step)
        step *= size
    places = [0]
    for size, stride in zip(shape, strides):
        places = [at + n * stride for at in places for n in range(size)]
    return [values[at] for at in places]


def header_of(data: bytes, path: str) -> Tuple[dict, int]:
    """The header's dictionary and where the numbers start."""
    if data[:6] != MAGIC or len(data) < 12:
        raise ArrayFileError(f'{path} is no .npy file')
    wide = data[6] > 1
    size = struct.unpack_from('<I' if wide else '<H', data, 8)[0]
    start = (12 if wide else 10) + size
    try:
        header = ast.literal_eval(
            data[start - size:start].decode('latin-1').strip())
    except (ValueError, SyntaxError):
        header = None
    if not isinstance(header, dict):
        raise ArrayFileError(f'{path} has a damaged header')
    return header, start


def read(path: str) -> Tuple[list, Tuple[int, ...]]:
    """(numbers in C order, shape) of a .npy file of integers or floats."""
    with open(path, 'rb') as file:
        data = file.read()
    header, start = header_of(data, path)
    shape, kind = header.get('shape'), str(header.get('descr'))
    if not isinstance(shape, tuple) or \
            not all(isinstance(n, int) and n >= 0 for n in shape):
        raise ArrayFileError(f'{path} has the shape {shape}')
    if kind[1:] not in CODES:
        raise ArrayFileError(f'{path} holds numbers of type {kind}; '
                             f'supported are {" ".join(CODES)}')
    size = math.prod(shape) * int(kind[2])
    if len(data) - start < size:
        raise ArrayFileError(
            f'{path} is too short: {" x ".join(map(str, shape))} of {kind} '
            f'take {size} bytes, it has {len(data) - start}')
    values = numbers(data[start:start + size], kind[1:], kind[0] == '>')
    return (by_rows(values, shape) if header.get('fortran_order') else values,
            shape)


def read_matrix(path: str) -> list:
    """Rows of numbers of a .npy file with two axes, neither of them empty."""
    values, shape = read(path)
    if len(shape) != 2 or 0 in shape:
        raise ArrayFileError(f'{path} has the shape {shape}; a matrix has '
                             f'two sizes')
    return nested(values, shape)


def read_raw(path: str, rows: int, columns: int) -> list:
    """Rows of numbers from little-endian 32-bit floats, row by row."""
    with open(path, 'rb') as file:
        data = file.read()
    if len(data) != 4 * rows * columns:
        raise ArrayFileError(f'{path} has {len(data)} bytes, {rows} x '
                             f'{columns} floats have {4 * rows * columns}')
    return nested(numbers(data, 'f4'), (rows, columns))


def write(path: str, values: Sequence, shape: Sequence[int],
          kind: str) -> None:
    """Numbers in C order as a .npy file; without a header unless the name
    ends in .npy.  kind: as CODES has it."""
    data = to_bytes(values, kind)
    order = '|' if kind[1] == '1' else '<'
    text = repr({'descr': order + kind, 'fortran_order': False,
                 'shape': tuple(shape)})
    text += ' ' * (-(len(text) + 11) % ALIGN) + '\n'
    with open(path, 'wb') as file:
        if path.endswith('.npy'):
            file.write(MAGIC + b'\x01\x00' + struct.pack('<H', len(text)) +
                       text.encode('latin-1'))
        file.write(data)


def write_matrix(path: str, matrix: Sequence[Sequence], integer: bool) -> None:
    """Rows of numbers as 32-bit integers or floats."""
    write(path, [x for row in matrix for x in row],
          (len(matrix), len(matrix[0])), 'i4' if integer else 'f4')
