# SPDX-License-Identifier: GPL-2.0-or-later
"""Convenience functions, for expressions and conditions of breakpoints."""

from __future__ import annotations

import struct
from typing import Any

import gdb

from . import views

DOUBLE, LONG_LONG = 'd', 'q'
LREG_DEFAULT = 'fp32'


def text_of(value: Any) -> str:
    """A format's name, which is a string in gdb's expressions."""
    return value if isinstance(value, str) else value.string()


def array_value(rows: list) -> gdb.Value:
    """An array of gdb's own, of double or of long long."""
    numbers = [x for row in rows for x in row]
    kind = DOUBLE if isinstance(numbers[0], float) else LONG_LONG
    data = struct.pack(f'<{len(numbers)}{kind}', *numbers)
    element = gdb.lookup_type('double' if kind == DOUBLE else 'long long')
    return gdb.Value(data, element.array(len(rows[0]) - 1)
                     .array(len(rows) - 1))


# gdb calls invoke() with what an expression gives: pylint counts otherwise
# pylint: disable=arguments-differ

class Dest(gdb.Function):
    """A number in Dest.

$_dest(ROW, COLUMN [, FORMAT]), FORMAT a string; without one: the format that
the configuration gives Dest."""

    def __init__(self) -> None:
        super().__init__('_dest')

    def invoke(self, row: Any, column: Any, form: Any = '') -> Any:
        """The number."""
        return views.dest_row(int(row), text_of(form))[
            views.index(int(column), 16, 'column')]


class Src(gdb.Function):
    """A number in SrcA or SrcB.

$_srca(ROW, COLUMN [, FORMAT [, BANK]]) and $_srcb(...)"""

    def __init__(self, name: str):
        self.name = name
        super().__init__('_' + name)

    def invoke(self, row: Any, column: Any, form: Any = '',
               bank: Any = 0) -> Any:
        """The number."""
        return views.src_row(self.name, int(row), text_of(form), int(bank))[
            views.index(int(column), 16, 'column')]


class LReg(gdb.Function):
    """A lane of a vector register.

$_lreg(N, LANE [, FORMAT]), FORMAT a string: "fp32" (default), "s32", "int32",
"raw"."""

    def __init__(self) -> None:
        super().__init__('_lreg')

    def invoke(self, number: Any, lane: Any,
               form: Any = LREG_DEFAULT) -> Any:
        """The number."""
        return views.lreg(int(number), text_of(form))[
            views.index(int(lane), 32, 'lane')]


class Tile(gdb.Function):
    """A tile in memory, an array of 32 x 32 numbers.

$_tile(ADDRESS, FORMAT), FORMAT a string: print $_tile(0x10000, "bfp8")[3]"""

    def __init__(self) -> None:
        super().__init__('_tile')

    def invoke(self, address: Any, form: Any) -> gdb.Value:
        """The array."""
        rows, _ = views.tile(int(address) & 0xFFFFFFFF, text_of(form))
        return array_value(rows)


def register() -> None:
    """All of them."""
    Dest()
    Src('srca')
    Src('srcb')
    LReg()
    Tile()
