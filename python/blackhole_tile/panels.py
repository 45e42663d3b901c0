# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers of a register file or of L1 with what a picture needs to know.

    panel = find('dest:bf16:0+64', tile, Symbols({}))
    panel.values, panel.valid, panel.title

A register file's rows have 16 numbers; 64 rows are a tile of four faces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

import numpy

from . import notebook, npy
from .cli import UseError
from .places import Source, Symbols, number
from .registers import DEST_ROWS, LANES, LREGS, SRC_BANKS
from .state import Rows
from .tiles import FACE, TILE

if TYPE_CHECKING:
    from .machine import Tile

TILE_ROWS = TILE * TILE // FACE      # of a register file
TILES_ACROSS = 4                     # in a picture
LANE_COLUMNS = 8                     # lanes are a grid of 4 x 8
ROWS = re.compile(r'([0-9]\w*)(?:\+([0-9]\w*))?')


@dataclass(frozen=True)
class Panel:
    """values: float array (rows, columns).  valid: bool array of the same
    shape, False in rows that are not valid.  first: number of the first row.
    axes: what columns and rows are.  faces, tiles: borders are drawn every so
    many columns and rows.  labels: (column, row, text) to be put there."""
    title: str
    values: Any
    format: str
    valid: Any
    first: int = 0
    axes: Tuple[str, str] = ('column', 'row')
    faces: Tuple[int, int] = (FACE, FACE)
    tiles: Tuple[int, int] = (TILE, TILE)
    labels: Tuple[Tuple[int, int, str], ...] = ()

    def _repr_html_(self) -> str:
        return notebook.grid(self.title, self.values.tolist(), self.first,
                             self.valid.all(axis=1).tolist())


def mosaic(values: Any) -> Any:
    """Array (64 * n, 16) of a register file's rows as n tiles of 32 x 32, four
    beside each other."""
    tiles = values.reshape(-1, 2, 2, FACE, FACE).transpose(0, 1, 3, 2, 4)
    tiles = tiles.reshape(-1, TILE, TILE)
    across = min(len(tiles), TILES_ACROSS)
    missing = -len(tiles) % across
    tiles = numpy.concatenate(
        [tiles, numpy.zeros((missing, TILE, TILE), tiles.dtype)])
    return tiles.reshape(-1, across, TILE, TILE).transpose(0, 2, 1, 3).reshape(
        -1, across * TILE)


def in_tiles(panel: Panel) -> Panel:
    """A register file's panel with its rows laid out as tiles.  Places that no
    row fills are not valid.  Others come back as they are."""
    rows, columns = panel.values.shape
    if columns != FACE or rows % TILE_ROWS or panel.first % TILE_ROWS:
        return panel
    count = rows // TILE_ROWS
    return replace(
        panel, values=mosaic(panel.values), valid=mosaic(panel.valid), first=0,
        axes=('', ''), labels=tuple(
            (n % TILES_ACROSS * TILE, n // TILES_ACROSS * TILE,
             f'row {panel.first + n * TILE_ROWS}') for n in range(count)),
        title=f'{panel.title}, as {count} tile{"s" if count > 1 else ""}')


# --- where numbers come from ---

def row_range(text: str, rows: int) -> Tuple[int, int]:
    """(first, count) of ROW or ROW+COUNT, '' being all."""
    match = ROWS.fullmatch(text) if text else None
    if text and not match:
        raise UseError(f'{text!r} is not of the form ROW or ROW+COUNT')
    if match is None:
        return 0, rows
    first, count = number(match[1]), number(match[2] or '1')
    if not (count and first + count <= rows):
        raise UseError(f'{text}: there are rows 0 to {rows - 1}')
    return first, count


def numbers(found: Rows) -> Any:
    """Float array of rows as the machine sent them."""
    return numpy.array([row.cells if row.values is None else row.numbers()
                        for row in found.rows], float)


def of_rows(found: Rows, name: str, where: str, **more: Any) -> Panel:
    """A register file's rows as a panel."""
    values = numbers(found)
    valid = numpy.array([row.valid is not False for row in found.rows])
    count = int((~valid).sum())
    note = f', {count} rows not valid' if count else ''
    return Panel(f'{name}, {found.format}{where}{note}', values, found.format,
                 numpy.repeat(valid[:, None], values.shape[1], axis=1), **more)


def dest(tile: 'Tile', form: Optional[str], rest: List[str]) -> List[Panel]:
    """dest[:FORMAT[:ROW+COUNT]]"""
    rows = len(tile.state.dest(form=form).rows) if rest else DEST_ROWS
    first, count = row_range(rest[0] if rest else '', rows)
    found = tile.state.dest(first if rest else None, count if rest else None,
                            form)
    last = first + len(found.rows) - 1
    return [of_rows(found, 'Dest', f', rows {first} to {last}', first=first)]


def src(name: str, tile: 'Tile', form: Optional[str],
        rest: List[str]) -> List[Panel]:
    """srca[:FORMAT[:BANK]], srcb likewise."""
    banks = list(range(SRC_BANKS)) if not rest else [number(rest[0])]
    if any(not 0 <= bank < SRC_BANKS for bank in banks):
        raise UseError(f'{name} has banks 0 and 1')
    found = [tile.state.src(name, bank, form=form) for bank in banks]
    return [of_rows(rows, f'S{name[1:3]}{name[3].upper()} bank {bank}',
                    f', {rows.owner or "no unit"}\'s')
            for bank, rows in zip(banks, found)]


def lregs(tile: 'Tile', form: Optional[str], rest: List[str]) -> List[Panel]:
    """lregs[:FORMAT]"""
    if rest:
        raise UseError('lregs: nothing comes after the format')
    return [of_rows(tile.state.lregs(form), 'LReg', '', axes=('lane', 'LReg'),
                    faces=(LANE_COLUMNS, 1), tiles=(LANES, LREGS))]


def memory(text: str, tile: 'Tile', symbols: Symbols) -> List[Panel]:
    """PLACE:SHAPE:FORMAT[:tiles|:columns]"""
    source = Source.parse(text, symbols) if ':' in text else Source(text)
    if source.data is None or source.where is None:
        raise UseError(f'{text!r}: there are dest, srca, srcb, lregs and '
                       f'PLACE:SHAPE:FORMAT')
    values = source.read(tile).astype(float)
    if values.ndim == 1:
        values = values.reshape(-1, 1 if len(values) % TILE else TILE)
    if values.ndim != 2:
        raise UseError(f'{text!r}: a picture has one or two axes')
    shape = 'x'.join(map(str, source.data.shape))
    return [Panel(f'{source.where.text}, {shape} {source.data.form}'
                  f'{", from tiles" if source.data.layout else ""}',
                  values, source.data.form, numpy.ones(values.shape, bool))]


def find(text: str, tile: 'Tile', symbols: Symbols) -> List[Panel]:
    """The panels that a text names.  Raises UseError and TileError."""
    name, *rest = text.split(':')
    form = (rest.pop(0) or None) if rest else None
    if name in ('dest', 'srca', 'srcb', 'lregs'):
        if len(rest) > 1:
            raise UseError(f'{text!r}: nothing comes after {rest[0]}')
        if name == 'dest':
            return dest(tile, form, rest)
        if name == 'lregs':
            return lregs(tile, form, rest)
        return src(name, tile, form, rest)
    return memory(text, tile, symbols)


def of_file(path: str) -> List[Panel]:
    """Panels of a .npy file of one or two axes, or more of them."""
    values = npy.read(path).astype(float)
    if not 1 <= values.ndim <= 3:
        raise UseError(f'{path} has {values.ndim} axes')
    if not values.size:
        raise UseError(f'{path} has no numbers')
    parts = values if values.ndim == 3 else [numpy.atleast_2d(values)]
    return [Panel(path if len(parts) == 1 else f'{path}, {n}', part, 'file',
                  numpy.ones(part.shape, bool))
            for n, part in enumerate(parts)]


def minus(left: List[Panel], right: List[Panel]) -> List[Panel]:
    """Differences, panel by panel.  What is not valid on either side is not
    valid.  Raises UseError if they are not alike."""
    if len(left) != len(right):
        raise UseError(f'{len(left)} and {len(right)} arrays have no '
                       f'difference')
    return [difference(*pair) for pair in zip(left, right)]


def difference(a: Panel, b: Panel) -> Panel:
    """a - b; NaN where exactly one of them is, 0 where both are equal."""
    if a.values.shape != b.values.shape:
        raise UseError(f'{a.title} and {b.title} differ in shape: '
                       f'{a.values.shape} and {b.values.shape}')
    both = numpy.isnan(a.values) & numpy.isnan(b.values)
    same = (a.values == b.values) | both
    with numpy.errstate(invalid='ignore'):
        values = numpy.where(same, 0.0, a.values - b.values)
    count = int((values != 0).sum())
    sizes = abs(values[(values != 0) & ~numpy.isnan(values)])
    most = f', by {sizes.max():g} at most' if sizes.size else ''
    return replace(a, values=values, valid=a.valid & b.valid,
                   title=f'{a.title}\nminus {b.title}: {count} differ{most}')
