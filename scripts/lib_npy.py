# SPDX-License-Identifier: GPL-2.0-or-later
"""Matrices in .npy files, and in raw ones, by the standard library alone.

A matrix is a list of rows, each a list of numbers.
"""

import array
import ast
import struct
import sys

MAGIC = b'\x93NUMPY'
ALIGN = 64                           # of the data, in version 1.0 files
CODES = {'f2': 'e', 'f4': 'f', 'f8': 'd', 'i1': 'b', 'u1': 'B', 'i2': 'h',
         'u2': 'H', 'i4': 'i', 'u4': 'I', 'i8': 'q', 'u8': 'Q', 'b1': '?'}


class MatrixFileError(Exception):
    """A file that does not hold a matrix that can be read."""


def numbers(data, kind, swapped):
    """Numbers of type `kind`, as CODES has it, from bytes."""
    code, size = CODES[kind], int(kind[1])
    if kind in ('f2', 'b1'):
        order = '>' if swapped else '<'
        return list(struct.unpack(f'{order}{len(data) // size}{code}', data))
    values = array.array(code)
    values.frombytes(data)
    if swapped != (sys.byteorder == 'big'):
        values.byteswap()
    return values.tolist()


def rows_of(values, rows, columns, by_column=False):
    if by_column:
        return [values[i::rows] for i in range(rows)]
    return [values[i * columns:(i + 1) * columns] for i in range(rows)]


def header_of(data, path):
    """The header's dictionary and where the numbers start."""
    if data[:6] != MAGIC or len(data) < 12:
        raise MatrixFileError(f'{path} is no .npy file')
    wide = data[6] > 1
    size = struct.unpack_from('<I' if wide else '<H', data, 8)[0]
    start = (12 if wide else 10) + size
    try:
        header = ast.literal_eval(
            data[start - size:start].decode('latin-1').strip())
    except (ValueError, SyntaxError):
        header = None
    if not isinstance(header, dict):
        raise MatrixFileError(f'{path} has a damaged header')
    return header, start


def read_npy(path):
    """Matrix in a .npy file of integers or floats, in either order."""
    with open(path, 'rb') as file:
        data = file.read()
    header, start = header_of(data, path)
    shape, kind = header.get('shape'), str(header.get('descr'))
    if not isinstance(shape, tuple) or len(shape) != 2 or \
            not all(isinstance(n, int) and n > 0 for n in shape):
        raise MatrixFileError(f'{path} has the shape {shape}; a matrix has '
                              f'two sizes')
    if kind[1:] not in CODES:
        raise MatrixFileError(f'{path} holds numbers of type {kind}; '
                              f'supported are {" ".join(CODES)}')
    size = shape[0] * shape[1] * int(kind[2])
    if len(data) - start < size:
        raise MatrixFileError(f'{path} is too short: {shape[0]} x {shape[1]} '
                              f'of {kind} take {size} bytes, it has '
                              f'{len(data) - start}')
    values = numbers(data[start:start + size], kind[1:], kind[0] == '>')
    return rows_of(values, *shape, header.get('fortran_order'))


def read_raw(path, rows, columns):
    """Matrix from little-endian 32-bit floats, row by row."""
    with open(path, 'rb') as file:
        data = file.read()
    if len(data) != 4 * rows * columns:
        raise MatrixFileError(f'{path} has {len(data)} bytes, {rows} x '
                              f'{columns} floats have {4 * rows * columns}')
    return rows_of(numbers(data, 'f4', False), rows, columns)


def little_endian(matrix, code):
    values = array.array(code, [x for row in matrix for x in row])
    if sys.byteorder == 'big':
        values.byteswap()
    return values.tobytes()


def write(path, matrix, integer):
    """32-bit integers or floats; without a header unless it ends in .npy."""
    text = ''
    with open(path, 'wb') as file:
        if path.endswith('.npy'):
            text = repr({'descr': '<i4' if integer else '<f4',
                         'fortran_order': False,
                         'shape': (len(matrix), len(matrix[0]))})
            text += ' ' * (-(len(text) + 11) % ALIGN) + '\n'
            file.write(MAGIC + b'\x01\x00' + struct.pack('<H', len(text)) +
                       text.encode('latin-1'))
        file.write(little_endian(matrix, 'i' if integer else 'f'))
