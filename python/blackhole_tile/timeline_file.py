# SPDX-License-Identifier: GPL-2.0-or-later
"""The file that -M blackhole-tile,timeline=FILE writes: a head, and events.

The head is text, lines "key=value" up to an empty one, and names all that is a
number in an event.  Events are eight little-endian words: the kind, then seven
numbers.  The last one is END.
"""

from __future__ import annotations

import struct
from typing import Dict, Iterator, List, NamedTuple, Tuple

MAGIC = b'tensix timeline 1\n'
EVENT = struct.Struct('<8I')
MOST_HEAD = 1 << 20
NO_POSITION = 0xffffffff
INSN_NAMES = ('word', 'thread', 'mop', 'replay', 'pc', 'hart')
AXES = ('order', 'virtual-ns')


class TimelineError(Exception):
    """A file that is no timeline, or not all of one."""


class Kind(NamedTuple):
    """name; is it an instruction's; names of its seven numbers or fewer."""
    name: str
    is_insn: bool
    names: Tuple[str, ...]


class Opcode(NamedTuple):
    """mnemonic, number of the unit."""
    mnemonic: str
    unit: int


class TimelineFile:
    """kinds: {number: Kind}; names: {'hart': [...], ...} of what is a number
    in an event; opcodes: {number: Opcode}; images: {hart: path of its ELF};
    complete: does it end as it should."""

    def __init__(self, path: str, partial: bool = False) -> None:
        with open(path, 'rb') as file:
            data = file.read()
        self.path = path
        self.axis = ''
        self.kinds: Dict[int, Kind] = {}
        self.opcodes: Dict[int, Opcode] = {}
        self.images: Dict[str, str] = {}
        self.names: Dict[str, List[str]] = {}
        self.body = data[self.read_head(data):]
        self.complete = self.ends_well()
        if not self.complete and not partial:
            raise TimelineError(
                '%s: ends without its last event: the machine still runs, was '
                'killed, or could not write; --partial takes what is there'
                % path)

    def fail(self, why: str) -> TimelineError:
        """The error that says why this is no timeline."""
        return TimelineError('%s: is no timeline of a Tensix tile: %s'
                             % (self.path, why))

    def read_head(self, data: bytes) -> int:
        """Reads it; returns where the events begin."""
        if not data.startswith(MAGIC):
            raise self.fail('it does not begin with "%s"'
                            % MAGIC.decode().strip())
        end = data.find(b'\n\n', 0, MOST_HEAD)
        if end < 0:
            raise self.fail('its head has no end')
        head = data[len(MAGIC):end].decode('utf-8', 'replace')
        for line in head.split('\n'):
            key, _, value = line.partition('=')
            try:
                self.read_line(key, value)
            except (ValueError, IndexError) as error:
                raise self.fail('line "%s" in its head' % line) from error
        if self.axis not in AXES:
            raise self.fail('its head names no axis that there is')
        if not {'execute', 'push', 'end'} <= {k.name for k in
                                              self.kinds.values()}:
            raise self.fail('its head lacks kinds of events')
        return end + 2

    def read_line(self, key: str, value: str) -> None:
        """One line of the head."""
        if key == 'axis':
            self.axis = value
        elif key == 'event_bytes' and int(value) != EVENT.size:
            raise ValueError(value)
        elif key == 'kind':
            number, name, form, *names = value.split()
            self.kinds[int(number)] = Kind(name, form == 'insn', tuple(names))
        elif key == 'opcode':
            opcode, unit, name = value.split()
            self.opcodes[int(opcode)] = Opcode(name, int(unit))
        elif key.startswith('image.'):
            self.images[key[len('image.'):]] = value
        elif key in ('hart', 'unit', 'turn', 'stall', 'wait', 'category'):
            number, _, name = value.partition(' ')
            known = self.names.setdefault(key, [])
            if int(number) != len(known):
                raise ValueError(value)
            known.append(name)

    def ends_well(self) -> bool:
        """Is the last event END?"""
        if len(self.body) < EVENT.size or len(self.body) % EVENT.size:
            return False
        kind = self.kinds.get(EVENT.unpack_from(self.body, len(self.body) -
                                                EVENT.size)[0])
        return kind is not None and kind.name == 'end'

    def __len__(self) -> int:
        return len(self.body) // EVENT.size

    def name(self, what: str, number: int) -> str:
        """Of a hart, unit, turn, stall, wait or category."""
        known = self.names.get(what, [])
        return known[number] if number < len(known) else '%s %d' % (what,
                                                                    number)

    def mnemonic(self, word: int) -> str:
        """The instruction's name."""
        opcode = self.opcodes.get(word >> 24)
        return opcode.mnemonic if opcode else 'no such opcode'

    def insn_text(self, word: int) -> str:
        """Mnemonic and operand bits."""
        return '%s 0x%06x' % (self.mnemonic(word), word & 0xffffff)

    def events(self) -> Iterator[Tuple[Kind, Tuple[int, ...]]]:
        """(kind, its seven numbers) in their order."""
        whole = len(self) * EVENT.size
        for at, row in enumerate(EVENT.iter_unpack(self.body[:whole])):
            kind = self.kinds.get(row[0])
            if kind is None:
                raise self.fail('event %d is of kind %d, which its head does '
                                'not have' % (at, row[0]))
            if kind.is_insn and row[2] > 2:
                raise self.fail('event %d is of thread %d' % (at, row[2]))
            yield kind, row[1:]

    def event_text(self, kind: Kind, numbers: Tuple[int, ...]) -> str:
        """One event in a line."""
        if not kind.is_insn:
            return self.numbers_text(kind, numbers)
        word, thread, mop, replay, pc, hart, extra = numbers
        text = '%s thread %d, %s pc 0x%08x' % (kind.name, thread,
                                               self.name('hart', hart), pc)
        if mop != NO_POSITION:
            text += ', MOP word %d' % mop
        if replay != NO_POSITION:
            text += ', REPLAY slot %d' % replay
        text += ': ' + self.insn_text(word)
        if kind.names:
            text += ' (%s %d)' % (kind.names[0], extra)
        return text

    def numbers_text(self, kind: Kind, numbers: Tuple[int, ...]) -> str:
        """The same of an event that is no instruction."""
        parts = [kind.name]
        for name, number in zip(kind.names, numbers):
            known = {'hart': 'hart', 'by': 'hart', 'turn': 'turn',
                     'reason': 'wait', 'port': 'unit'}.get(name)
            parts.append('%s %s' % (name, self.name(known, number) if known
                                    else '%d' % number if number < 0x1000
                                    else '0x%x' % number))
        return ' '.join(parts)
