# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `tensix` of gdb and what is after it."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Optional, Sequence

import gdb

from ..formats import FORMATS
from ..registers import LREG_VIEWS, REGISTER_FORMATS
from ..tiles import TILE
from . import tables, vectors, views
from .functions import LREG_DEFAULT
from .link import LINK, address, arguments, integer, screen_width
from .text import table

REGISTER_TOPICS = ('dest', 'srca', 'srcb', 'lregs')

def starting_with(names: Iterable[str], word: Optional[str]) -> List[str]:
    """For completion.  word: gdb asks with None first, about characters that
    end words."""
    return [name for name in names
            if word is not None and name.startswith(word)]


def at_most(words: Sequence[str], least: int, most: int, usage: str) -> None:
    """Raises gdb.GdbError with the usage if the number of words is wrong."""
    if not least <= len(words) <= most:
        raise gdb.GdbError('usage: ' + usage)


class Tensix(gdb.Command):
    """The Tensix coprocessor of the blackhole-tile that gdb is attached to.

Every topic of the machine's `info tensix` is a command here, as in
`tensix dest 0 8 bf16` or `tensix why`; the others are gdb's own."""

    def __init__(self) -> None:
        super().__init__('tensix', gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)

    def invoke(self, line: str, _from_tty: bool) -> None:
        """What is no command below: a topic of a newer machine, perhaps."""
        if line:
            print(LINK.info(line), end='')
        else:
            gdb.execute('help tensix')


class Topic(gdb.Command):
    """A topic of `info tensix`."""

    def __init__(self, name: str):
        self.topic = name
        super().__init__('tensix ' + name, gdb.COMMAND_DATA)

    def invoke(self, line: str, _from_tty: bool) -> None:
        """Passes the words on."""
        print(LINK.info(f'{self.topic} {line}'.rstrip()), end='')

    def complete(self, _text: str, word: Optional[str]) -> List[str]:
        """Formats of register files."""
        return starting_with(REGISTER_FORMATS, word) \
            if self.topic in REGISTER_TOPICS else []


class LRegs(Topic):
    """`info tensix lregs`, then which variables of sfpi.h's are in them."""

    def invoke(self, line: str, from_tty: bool) -> None:
        """Prints both."""
        super().invoke(line, from_tty)
        for text in vectors.variables():
            print(text)


class Threads(gdb.Command):
    """The five harts, each with its inferior, place and wait, and the
three threads of the coprocessor."""

    def __init__(self) -> None:
        super().__init__('tensix threads', gdb.COMMAND_DATA,
                         gdb.COMPLETE_NONE)

    def invoke(self, line: str, _from_tty: bool) -> None:
        """Prints it."""
        at_most(arguments(line), 0, 0, 'no words after this command')
        print(tables.threads())


class LReg(gdb.Command):
    """A vector register: four rows of eight lanes.

tensix lreg N [FORMAT]     FORMAT: fp32 (default), int32, s32, raw

As `tensix lregs N 1 FORMAT`."""

    def __init__(self) -> None:
        super().__init__('tensix lreg', gdb.COMMAND_DATA)

    def invoke(self, line: str, _from_tty: bool) -> None:
        """Prints it."""
        words = arguments(line)
        at_most(words, 1, 2, 'tensix lreg N [FORMAT]')
        form = words[1] if len(words) > 1 else LREG_DEFAULT
        print(LINK.info(f'lregs {integer(words[0])} 1 {form}'), end='')

    def complete(self, _text: str, word: Optional[str]) -> List[str]:
        """Formats."""
        return starting_with(LREG_VIEWS, word)


class Cfg(gdb.Command):
    """Configuration by name: in each bank, or of each thread.

tensix cfg NAME            the value in both banks or of the three threads
tensix cfg /REGEX/         the fields that match
tensix cfg                 all fields that are not 0"""

    def __init__(self) -> None:
        super().__init__('tensix cfg', gdb.COMMAND_DATA)

    def invoke(self, line: str, _from_tty: bool) -> None:
        """Prints it."""
        words = arguments(line)
        at_most(words, 0, 1, 'tensix cfg [NAME|/REGEX/]')
        found = False
        for topic in ('config', 'thread-config'):
            rows = list(self.rows(topic, words[0] if words else None))
            if rows:
                header = list(LINK.inspect(topic))
                print(table(['field', 'word', 'bits', *header], rows))
                found = True
        if not found:
            print('no field matches' if words else 'all fields are 0')

    @staticmethod
    def chosen(fields: Dict[str, Any], wanted: Optional[str]) -> List[str]:
        """Names of the topic's fields that are meant."""
        if wanted is None:
            return list(fields)
        if wanted.startswith('/'):
            try:
                pattern = re.compile(wanted.strip('/'), re.I)
            except re.error as error:
                raise gdb.GdbError(f'{wanted}: {error}') from None
            return [name for name in fields if pattern.search(name)]
        if not any(wanted in names for names in LINK.fields.values()):
            raise gdb.GdbError(f'no configuration field {wanted}; '
                               f'tensix cfg /part of a name/ shows some')
        return [wanted] if wanted in fields else []

    def rows(self, topic: str, wanted: Optional[str]) -> Iterable[list]:
        """[name, word, bits, value in each bank or of each thread]"""
        groups, fields = LINK.inspect(topic), LINK.fields[topic]
        for name in self.chosen(fields, wanted):
            values = [group.get(name, 0) for group in groups.values()]
            if wanted is not None or any(values):
                yield [name, fields[name]['word'], fields[name]['bits'],
                       *map(hex, values)]

    def complete(self, _text: str, word: Optional[str]) -> List[str]:
        """Names of fields."""
        return [name for names in LINK.fields.values()
                for name in starting_with(names, word)]


class Tile(gdb.Command):
    """A tile of 32 x 32 numbers in memory, as rows and columns of its matrix.

tensix tile ADDRESS FORMAT [ROW [COUNT]]

ADDRESS is an expression, seen by the selected hart: L1 or its data RAM.
FORMAT is one of the formats of L1: bf16, fp32, bfp8, int8, ..."""

    def __init__(self) -> None:
        super().__init__('tensix tile', gdb.COMMAND_DATA)

    def invoke(self, line: str, _from_tty: bool) -> None:
        """Prints it."""
        words = arguments(line)
        at_most(words, 2, 4, 'tensix tile ADDRESS FORMAT [ROW [COUNT]]')
        first, count = [integer(word) for word in words[2:]] + \
            [0, TILE][len(words) - 2:]
        start, form = address(words[0]), words[1]
        rows, size = views.tile(start, form)
        text = views.tile_text(rows, first, count, screen_width())
        print(f'tile at {start:#x}, {form}, {size} bytes to '
              f'{start + size:#x}\n{text}')

    def complete(self, _text: str, word: Optional[str]) -> List[str]:
        """Formats."""
        return starting_with(FORMATS, word)


def documented(kind: type, text: str, *words: Any) -> gdb.Command:
    """A command of that kind with its own help text."""
    return type(kind.__name__, (kind,), {'__doc__': text})(*words)


def register() -> None:
    """What needs no machine."""
    Tensix()
    LReg()
    Cfg()
    Tile()
    Threads()


def register_topics() -> None:
    """The machine's topics, each as a command."""
    for name, text in LINK.topics().items():
        documented(LRegs if name == 'lregs' else Topic,
                   f'{text}\n\nAs `info tensix {name}` in the '
                   f"machine's monitor.", name)
