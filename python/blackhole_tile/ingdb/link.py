# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine that gdb is attached to: asked by `monitor`, or by memory."""

from __future__ import annotations

import functools
import re
import struct
from typing import Any, Dict, List, Sequence

import gdb

from ..grid import SCREEN_COLUMNS
from ..memory_map import HARTS
from ..registers import Registers
from .insns import Table
from .text import Tree, tree

DUMP = re.compile(r'^[0-9a-f]+:((?: 0x[0-9a-f]{8})+)\s*$', re.M)
TOPIC = re.compile(r'^info tensix ([\w-]+) -- (.*)$', re.M)
FORMAT = re.compile(r'^format: (\w+)', re.M)
NO_TOPIC = 'topics?'                 # a name that no topic has
ERROR = 'info tensix: '


class LinkState:
    """What registers.Registers needs of a Tile's state."""

    def __init__(self, link: 'Link'):
        self.link = link

    def _fields(self, topic: str, names: Sequence[str]
                ) -> List[Dict[str, int]]:
        return [{name: group.get(name, 0) for name in names}
                for group in self.link.inspect(topic).values()]

    def config(self, names: Sequence[str]) -> List[Dict[str, int]]:
        """Values of these fields in bank 0 and bank 1."""
        return self._fields('config', names)

    def thread_config(self, names: Sequence[str]) -> List[Dict[str, int]]:
        """Values of these fields of the three threads."""
        return self._fields('thread-config', names)


class Link:
    """What registers.Registers needs of a Tile, by way of gdb; and what the
    other modules ask."""

    def __init__(self) -> None:
        self.state = LinkState(self)
        self.registers = Registers(
            self, self.state)           # type: ignore[arg-type]

    @staticmethod
    def hmp(line: str) -> str:
        """What the machine's monitor answers.  Raises gdb.GdbError."""
        try:
            return gdb.execute('monitor ' + line, to_string=True)
        except gdb.error as error:     # not attached, or running
            raise gdb.GdbError(str(error)) from None

    def info(self, words: str) -> str:
        """Text of `info tensix WORDS`.  Raises gdb.GdbError with what the
        machine says if it does not like them."""
        text = self.hmp('info tensix ' + words)
        if text.startswith(ERROR):
            raise gdb.GdbError(text.rstrip())
        return text

    def inspect(self, topic: str) -> Tree:
        """A topic as a tree."""
        return tree(self.info(topic))

    def topics(self) -> Dict[str, str]:
        """{topic of `info tensix`: what the machine says about it}"""
        return dict(TOPIC.findall(self.hmp('info tensix ' + NO_TOPIC)))

    def read(self, address: int, size: int) -> bytes:
        """Bytes of BRISC's address space, windows above 4 GiB included;
        address and size in words."""
        lines = DUMP.findall(self.hmp(f'xp /{size // 4}xw {address:#x}'))
        words = [int(word, 16) for line in lines for word in line.split()]
        if len(words) != size // 4:
            raise gdb.GdbError(f'the machine does not show {size} bytes at '
                               f'{address:#x}')
        return struct.pack(f'<{len(words)}I', *words)

    def configured(self, words: str) -> str:
        """The format that the configuration gives a register file now."""
        found = FORMAT.search(self.info(words))
        return found[1] if found else 'raw'

    @functools.cached_property
    def instructions(self) -> Table:
        """The machine's instructions."""
        return Table(self.inspect('instructions'))

    @functools.cached_property
    def fields(self) -> Tree:
        """{'config': {name: where}, 'thread-config': {name: where}}"""
        return self.inspect('fields')

    def invalidate(self) -> None:
        """Another machine may be there now."""
        for name in ('instructions', 'fields'):
            self.__dict__.pop(name, None)


LINK = Link()


def memory(start: int, size: int) -> bytes:
    """Bytes as the selected hart sees them."""
    try:
        return gdb.selected_inferior().read_memory(start, size).tobytes()
    except gdb.error as error:
        raise gdb.GdbError(str(error)) from None


def integer(expression: str) -> int:
    """Value of an expression of the program's language; of an array, where
    it is."""
    try:
        value = gdb.parse_and_eval(expression)
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY and \
                value.address is not None:
            value = value.address
        return int(value)
    except gdb.error as error:
        raise gdb.GdbError(f'{expression}: {error}') from None


def address(expression: str) -> int:
    """The same as an address of a hart."""
    return integer(expression) & 0xFFFFFFFF


def screen_width() -> int:
    """Columns that text may have."""
    return gdb.parameter('width') or SCREEN_COLUMNS


def arguments(line: str) -> List[str]:
    """Words of a command."""
    return gdb.string_to_argv(line)


def hart_of(inferior: Any) -> str:
    """The hart that an inferior of scripts/tile.gdb is, "tile1-brisc" of
    another tile than the first; '' for others."""
    tile, number = divmod(inferior.pid - 1, len(HARTS))
    if tile < 0:
        return ''
    return (f'tile{tile}-' if tile else '') + HARTS[number]
