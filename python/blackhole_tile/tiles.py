# SPDX-License-Identifier: GPL-2.0-or-later
"""Tiles: a matrix as unpackers and packer want it, and back.

A tile is 32 x 32 numbers in four faces of 16 x 16: upper left, upper right,
lower left, lower right; each face row by row.  A matrix is a series of tiles,
by rows of tiles or (as the right operand of a product is often kept) by
columns of tiles; block floats have a section of exponents in each tile.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy

from .formats import FormatError, format_named

TILE, FACE = 32, 16
DATUMS = TILE * TILE                 # numbers of a tile
# Axes of a matrix cut into tiles and faces: rows of tiles, of faces in a tile
# and in a face, then columns likewise
BY_ROW, BY_COLUMN = (0, 3, 1, 4, 2, 5), (3, 0, 1, 4, 2, 5)


def check_shape(shape: Sequence[int]) -> None:
    """Raises FormatError unless a matrix of that shape consists of tiles."""
    if len(shape) != 2 or not all(shape) or any(n % TILE for n in shape):
        raise FormatError(f'tiles make up matrices whose sizes are multiples '
                          f'of {TILE}, not {"x".join(map(str, shape))}')


def cut(rows: int, columns: int) -> Sequence[int]:
    """Shape of such a matrix with its tiles and faces as separate axes."""
    faces = TILE // FACE
    return (rows // TILE, faces, FACE, columns // TILE, faces, FACE)


def tilize(matrix: Any, name: str, by_column: bool = False) -> bytes:
    """Bytes of a matrix (an array of two axes, multiples of 32) as tiles of
    that format."""
    values = numpy.asarray(matrix)
    check_shape(values.shape)
    order = BY_COLUMN if by_column else BY_ROW
    tiles = values.reshape(cut(*values.shape)).transpose(order)
    fmt = format_named(name)
    return b''.join(map(fmt.encode, tiles.reshape(-1, DATUMS)))


def untilize(data: bytes, shape: Sequence[int], name: str,
             by_column: bool = False) -> Any:
    """Array of that shape (rows, columns) from the bytes of its tiles."""
    check_shape(shape)
    fmt = format_named(name)
    count, size = shape[0] * shape[1] // DATUMS, fmt.size(DATUMS)
    if len(data) != count * size:
        raise FormatError(f'{shape[0]}x{shape[1]} of {name} are '
                          f'{count * size} bytes of tiles, not {len(data)}')
    order = BY_COLUMN if by_column else BY_ROW
    axes = [cut(*shape)[axis] for axis in order]
    tiles = numpy.concatenate([fmt.decode(data[n * size:(n + 1) * size])
                               for n in range(count)])
    return tiles.reshape(axes).transpose(numpy.argsort(order)).reshape(shape)


def encode(values: Any, name: str) -> bytes:
    """Bytes of an array in C order, without any tiles: as a hart's program
    sees an array.  Block floats get one section of exponents."""
    return format_named(name).encode(values)


def decode(data: bytes, shape: Sequence[int], name: str) -> Any:
    """Array of that shape from such bytes."""
    return format_named(name).decode(data).reshape(shape)
