# SPDX-License-Identifier: GPL-2.0-or-later
"""Register files and tiles as numbers in a format, for commands and
functions."""

from __future__ import annotations

from typing import Any, List, Tuple

import gdb

from ..formats import Format, FormatError, format_named
from ..grid import Style, rows_text
from ..registers import (DEST_VIEWS, LREG_VIEWS, LREGS, SRC_BANKS, SRC_VIEWS,
                         View)
from ..tiles import DATUMS, TILE, untilize
from .link import LINK, memory


def view_of(views: dict, name: str, what: str) -> View:
    """Raises gdb.GdbError, which lists the names."""
    if name not in views:
        raise gdb.GdbError(f'{what} cannot be seen as {name}, but as '
                           f'{" ".join(views)}')
    return views[name]


def index(number: int, limit: int, what: str) -> int:
    """Raises gdb.GdbError unless 0 <= number < limit."""
    if not 0 <= number < limit:
        raise gdb.GdbError(f'there is no {what} {number}, but 0 to '
                           f'{limit - 1}')
    return number


def lreg(number: int, form: str) -> list:
    """The 32 lanes of a register."""
    view_of(LREG_VIEWS, form, 'LReg')
    index(number, LREGS, 'LReg')
    return LINK.registers.lregs(form)[number].tolist()


def dest_row(row: int, form: str) -> list:
    """The 16 columns of a row; form '': the configured one."""
    form = form or LINK.configured('dest 0 1')
    view = view_of(DEST_VIEWS, form, 'Dest')
    index(row, 512 if view.wide else 1024, 'row of Dest')
    return LINK.registers.dest(form, row, 1)[0].tolist()


def src_row(name: str, row: int, form: str, bank: int) -> list:
    """A row of 'srca' or 'srcb'."""
    index(bank, SRC_BANKS, 'bank')
    form = form or LINK.configured(f'{name} 0 1 bank {bank}')
    view_of(SRC_VIEWS, form, name)
    rows = getattr(LINK.registers, name)(form, bank).tolist()
    return rows[index(row, len(rows), f'row of {name}')]


def tile_format(name: str) -> Format:
    """Raises gdb.GdbError, which lists the names."""
    try:
        return format_named(name)
    except FormatError as error:
        raise gdb.GdbError(str(error)) from None


def tile_of(data: bytes, name: str) -> List[list]:
    """32 rows of 32 numbers from the bytes of a tile."""
    return untilize(data, (TILE, TILE), name).tolist()


def tile(address: int, name: str) -> Tuple[List[list], int]:
    """(rows of the tile at an address that the selected hart sees, bytes)"""
    size = tile_format(name).size(DATUMS)
    return tile_of(memory(address, size), name), size


def tile_text(rows: List[list], first: int, count: int, width: int) -> str:
    """So many rows of a tile as lines that fit."""
    index(first, TILE, 'row of a tile')
    return rows_text(rows[first:first + count], Style(width=width), first)
