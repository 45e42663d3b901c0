# SPDX-License-Identifier: GPL-2.0-or-later
"""Where in a program a pc of a timeline is: functions, files and lines.

The file has what the machine knew of it.  Where that is nothing, the symbols
of an ELF give at least the function.
"""

from __future__ import annotations

import bisect
import os
import re
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple

from .elf import ElfError, read_elf

Key = Tuple[int, int]              # number of a hart, pc
TEXT_BYTES = 28                    # of an event TEXT


def printable(name: str) -> str:
    """With "?" for what is no letter, digit or sign."""
    return name if name.isprintable() else ''.join(
        sign if sign.isprintable() else '?' for sign in name)


class Frame(NamedTuple):
    """function, file: "" if unknown; line."""
    function: str
    file: str = ''
    line: int = 0

    def where(self) -> str:
        """"a.c:12", or "" if that is not known."""
        return '%s:%d' % (self.file, self.line) if self.file else ''

    def text(self) -> str:
        """"main (a.c:12)", or as much of it as is known."""
        if not (self.file and self.function):
            return self.function or self.where()
        return '%s (%s)' % (self.function, self.where())


Frames = Tuple[Frame, ...]         # the innermost first


def place_text(frames: Frames) -> str:
    """"push (b.h:3), inlined in main (a.c:12)"."""
    return ', inlined in '.join(frame.text() for frame in frames)


def parse_line(text: str) -> int:
    """0: not known."""
    return int(text) if re.fullmatch('[0-9]{1,10}', text) else 0


def parse_frames(text: str) -> Frames:
    """What the machine has written: a line a frame.  An ELF may have names
    that would be commands to a terminal."""
    found = []
    for row in text.split('\n'):
        function, file, line = (row.split('\t', 2) + ['', ''])[:3]
        found.append(Frame(printable(function.split('+0x')[0]),
                           printable(file), parse_line(line)))
    return tuple(found)


class Epoch:
    """places: of the events before number `end`."""

    def __init__(self) -> None:
        self.end = 0
        self.places: Dict[Key, Frames] = {}

    def add(self, numbers: Sequence[int], texts: Iterator[bytes]) -> None:
        """A PLACE event, and the TEXT events after it."""
        hart, pc, size = numbers[:3]
        text = b''
        while len(text) < size:
            part = next(texts, b'')
            if not part:
                break
            text += part
        self.places[hart, pc] = parse_frames(
            text[:size].decode('utf-8', 'replace'))


class Functions:
    """Which function of an ELF a pc is in, by its symbols."""

    def __init__(self, path: str) -> None:
        if os.path.exists(path) and not os.path.isfile(path):
            raise ElfError('%s: is no ordinary file' % path)
        elf = read_elf(path)
        named: Dict[int, str] = {}
        for name, address in elf.symbols.items():
            if not name.startswith(('.', '$')) and any(
                    start <= address < start + len(data)
                    for start, data in elf.segments):
                named.setdefault(address, name)
        self.starts = sorted(named)
        self.names = [printable(named[start]) for start in self.starts]

    def at(self, pc: int) -> Frames:
        """The function alone, or none."""
        n = bisect.bisect_right(self.starts, pc) - 1
        return (Frame(self.names[n]),) if n >= 0 else ()


def read_functions(paths: Dict[str, str],
                   notes: List[str]) -> Dict[str, Functions]:
    """{hart: Functions}; what cannot be read is noted."""
    found = {}
    for hart, path in paths.items():
        try:
            found[hart] = Functions(path)
        except (OSError, ElfError) as error:
            notes.append('%s: functions are not named by symbols: %s'
                         % (hart, error))
    return found
