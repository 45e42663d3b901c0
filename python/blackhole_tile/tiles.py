# SPDX-License-Identifier: GPL-2.0-or-later
"""Tiles: a matrix as unpackers and packer want it, and back.

A tile is 32 x 32 numbers in four faces of 16 x 16: upper left, upper right,
lower left, lower right; each face row by row.  A matrix is a series of tiles,
by rows of tiles or (as the right operand of a product is often kept) by
columns of tiles; block floats have a section of exponents in each tile.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Sequence, Tuple

from .arrays import array, flat, rows_of, shape_of
from .formats import Format, FormatError, format_named

TILE, FACE = 32, 16
DATUMS = TILE * TILE                 # numbers of a tile


def datums_of(matrix: Sequence[Sequence], row: int, column: int) -> list:
    """The 1024 numbers of the tile whose upper left corner is at (row,
    column) of a matrix, face by face."""
    return [x for face_row in (0, FACE) for face_column in (0, FACE)
            for line in matrix[row + face_row:row + face_row + FACE]
            for x in line[column + face_column:column + face_column + FACE]]


def place(matrix: List[list], row: int, column: int,
          values: Sequence) -> None:
    """The reverse: puts a tile's numbers into a matrix."""
    for n in range(0, len(values), FACE):
        face, line = n // 256, n // FACE % FACE
        left = column + face % 2 * FACE
        matrix[row + face // 2 * FACE + line][left:left + FACE] = \
            values[n:n + FACE]


def corners(rows: int, columns: int,
            by_column: bool) -> Iterator[Tuple[int, int]]:
    """Upper left corners of the tiles of a matrix, in order."""
    down, right = range(0, rows, TILE), range(0, columns, TILE)
    if by_column:
        return ((r, c) for c in right for r in down)
    return ((r, c) for r in down for c in right)


def check_shape(shape: Sequence[int]) -> None:
    """Raises FormatError unless a matrix of that shape consists of tiles."""
    if len(shape) != 2 or not all(shape) or any(n % TILE for n in shape):
        raise FormatError(f'tiles make up matrices whose sizes are multiples '
                          f'of {TILE}, not {"x".join(map(str, shape))}')


def tiled(matrix: Sequence[Sequence],
          encode: Callable[[Sequence], bytes],
          by_column: bool = False) -> bytes:
    """Bytes of all tiles of a list of rows; encode: of 1024 numbers."""
    return b''.join(encode(datums_of(matrix, r, c)) for r, c in
                    corners(len(matrix), len(matrix[0]), by_column))


def untiled(data: bytes, rows: int, columns: int, size: int,
            decode: Callable[[bytes], list], by_column: bool = False) -> list:
    """List of rows from the bytes of tiles of `size` bytes each."""
    matrix = [[0] * columns for _ in range(rows)]
    for n, corner in enumerate(corners(rows, columns, by_column)):
        place(matrix, *corner, decode(data[n * size:(n + 1) * size]))
    return matrix


def tilize(matrix: Any, name: str, by_column: bool = False) -> bytes:
    """Bytes of a matrix (an array of two axes, multiples of 32) as tiles of
    that format."""
    check_shape(shape_of(matrix))
    return tiled(rows_of(matrix), format_named(name).encode, by_column)


def untilize(data: bytes, shape: Sequence[int], name: str,
             by_column: bool = False) -> Any:
    """Array of that shape (rows, columns) from the bytes of its tiles."""
    check_shape(shape)
    fmt = format_named(name)
    rows, columns = shape
    wanted = rows * columns // DATUMS * fmt.size(DATUMS)
    if len(data) != wanted:
        raise FormatError(f'{rows}x{columns} of {name} are {wanted} bytes of '
                          f'tiles, not {len(data)}')
    matrix = untiled(data, rows, columns, fmt.size(DATUMS), fmt.decode,
                     by_column)
    return array(flat(matrix), shape, fmt.dtype)


def encode(values: Any, name: str) -> bytes:
    """Bytes of an array in C order, without any tiles: as a hart's program
    sees an array.  Block floats get one section of exponents."""
    return format_named(name).encode(flat(values))


def decode(data: bytes, shape: Sequence[int], name: str) -> Any:
    """Array of that shape from such bytes."""
    fmt: Format = format_named(name)
    return array(fmt.decode(data), shape, fmt.dtype)


def transposed(matrix: Any) -> list:
    """Rows from columns."""
    return [list(column) for column in zip(*rows_of(matrix))]
