# SPDX-License-Identifier: GPL-2.0-or-later
"""`print` of an object of C whose type is called tile_FORMAT: a tile; and of
sfpi.h's vectors.

    typedef struct { unsigned char bytes[1088]; } tile_bfp8;
"""

from __future__ import annotations

import re
from typing import Any, Iterator, Optional, Tuple, Union

import gdb
import gdb.printing

from ..formats import FORMATS
from ..tiles import DATUMS
from . import vectors, views
from .functions import array_value

TILE_TYPE = re.compile(r'tile_(\w+)')


class TilePrinter:
    """The tile's 32 rows as an array's elements."""

    def __init__(self, value: Any, form: str):
        self.value, self.form = value, form

    def to_string(self) -> str:
        """What is before the rows."""
        return f'tile of {self.form}'

    def children(self) -> Iterator[Tuple[str, Any]]:
        """The rows."""
        size = FORMATS[self.form].size(DATUMS)
        inferior = gdb.selected_inferior()
        data = inferior.read_memory(int(self.value.address), size).tobytes()
        for n, row in enumerate(views.tile_of(data, self.form)):
            yield str(n), array_value([row])[0]

    @staticmethod
    def display_hint() -> str:
        """Rows, not members."""
        return 'array'


def printer(value: Any) -> Optional[TilePrinter]:
    """For tiles in memory, no others."""
    name = value.type.unqualified().name or ''
    found = TILE_TYPE.fullmatch(name)
    if not found or found[1] not in FORMATS or value.address is None or \
            value.type.sizeof < FORMATS[found[1]].size(DATUMS):
        return None
    return TilePrinter(value, found[1])


class Printers(gdb.printing.PrettyPrinter):
    """`info pretty-printer` lists them as tensix."""

    def __init__(self) -> None:
        super().__init__('tensix')

    def __call__(self, value: Any
                 ) -> Union[TilePrinter, vectors.VectorPrinter, None]:
        return printer(value) or vectors.printer(value)


def register() -> None:
    """Before others."""
    gdb.printing.register_pretty_printer(None, Printers(), replace=True)
