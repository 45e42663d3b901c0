# SPDX-License-Identifier: GPL-2.0-or-later
"""The file that -M blackhole-tile,timeline=FILE writes: a head, and events.

The head is text, lines "key=value" up to an empty one, and names all that is a
number in an event.  Events are eight little-endian words: the kind, then seven
numbers.  The last one is END.  PLACE and TEXT events say where in programs
the pcs of the events before them are.  Several tiles: timeline_streams.py.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from . import files
from .timeline_places import (Frames, Functions, Key, place_text, printable,
                              read_functions)
from .timeline_streams import EVENT, Stream, segments, split

MAGIC = b'tensix timeline 1\n'
REPORTED = 4096                      # events between two reports of progress
MOST_HEAD = 1 << 20
NO_POSITION = 0xffffffff
INSNS = ('execute', 'push', 'fly', 'load', 'mop', 'mop_cfg', 'replay',
         'violation')              # kinds of events that are instructions'
AXES = ('order', 'virtual-ns', 'cycles')


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
    complete: does it end as it should; notes: what to know of it."""

    def __init__(self, path: str, partial: bool = False,
                 elfs: Optional[Dict[str, str]] = None) -> None:
        data = files.read(path)
        self.path = path
        self.axis = ''
        self.kinds: Dict[int, Kind] = {}
        self.opcodes: Dict[int, Opcode] = {}
        self.images: Dict[str, str] = {}
        self.names: Dict[str, List[str]] = {}
        start = self.read_head(data)
        rest = (len(data) - start) % EVENT.size     # of one that was cut
        self.report: Optional[Callable[[int, int, str], None]] = None
        self.body = data[start:len(data) - rest]
        self.complete = not rest and self.ends_well()
        if not self.complete and not partial:
            raise TimelineError(
                '%s: ends without its last event: the machine still runs, was '
                'killed, or could not write; --partial takes what is there'
                % path)
        self.notes: List[str] = []
        self.streams = split(self.body, self.kind_numbered('tile'))
        for stream in self.streams:
            stream.read_epochs(self.kind_numbered('place'),
                               self.kind_numbered('text'))
        self.stream = Stream('')
        self.functions = self.read_symbols(elfs or {})

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
            line = printable(line)
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
            if name in INSNS and form != 'insn':
                raise ValueError(form)
            self.kinds[int(number)] = Kind(name, form == 'insn', tuple(names))
        elif key == 'opcode':
            opcode, unit, name = value.split()
            self.opcodes[int(opcode)] = Opcode(name, int(unit))
        elif key.startswith('image.'):
            self.images[key[len('image.'):]] = value
        elif key in ('hart', 'unit', 'turn', 'stall', 'wait', 'category',
                     'agent', 'access', 'late', 'worker'):
            number, _, name = value.partition(' ')
            known = self.names.setdefault(key, [])
            if int(number) != len(known):
                raise ValueError(value)
            known.append(name)

    def ends_well(self) -> bool:
        """Is the last event END?"""
        if not self.body:
            return False
        kind = self.kinds.get(EVENT.unpack_from(self.body, len(self.body) -
                                                EVENT.size)[0])
        return kind is not None and kind.name == 'end'

    def __len__(self) -> int:
        return len(self.body) // EVENT.size

    def kind_numbered(self, name: str) -> int:
        """-1: the file's machine has no such events."""
        return next((number for number, kind in self.kinds.items()
                     if kind.name == name), -1)

    # --- places ---

    def read_symbols(self, elfs: Dict[str, str]) -> Dict[str, Functions]:
        """For what the file says nothing of: only then are ELFs read."""
        wanted = dict(elfs)
        if not any(stream.epochs for stream in self.streams):
            wanted = {**self.images, **elfs}
        return read_functions(wanted, self.notes)

    def frames(self, hart: int, pc: int) -> Frames:
        """Where the pc of an event that events() gave last is; () if no agent
        knows."""
        found = self.stream.epoch.places.get((hart, pc))
        if found:
            return found
        functions = self.functions.get(self.name('hart', hart))
        return functions.at(pc) if functions else ()

    def place(self, hart: int, pc: int) -> str:
        """The same as text, with " in " before it; or ""."""
        frames = self.frames(hart, pc)
        return ' in ' + place_text(frames) if frames else ''

    # --- texts ---

    def name(self, what: str, number: int) -> str:
        """Of a hart, unit, turn, and what else the head names."""
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
        """(kind, its seven numbers) in their order; self.stream: whose."""
        count = sum(len(stream) for stream in self.streams)
        for at, row in enumerate(self.rows()):
            if self.report and at % REPORTED == 0:
                self.report(at, count, 'events')
            kind = self.kinds.get(row[0])
            if kind is None:
                raise self.fail('event %d is of kind %d, which its head does '
                                'not have' % (at, row[0]))
            if kind.is_insn and row[2] > 2:
                raise self.fail('event %d is of thread %d' % (at, row[2]))
            if kind.name not in ('place', 'text'):
                yield kind, row[1:]

    def rows(self) -> Iterator[Tuple[int, ...]]:
        """Of all tiles, in the order of time."""
        for stream in self.streams:
            stream.rewind()
        for part in segments(self.streams, self.kind_numbered('time')):
            self.stream = self.streams[part.stream]
            yield from self.stream.rows(part.first, part.end)

    def event_text(self, kind: Kind, numbers: Tuple[int, ...],
                   origins: Optional[Dict[str, Key]] = None) -> str:
        """One event in a line; origins: where an expander's word was written
        down, of a MOP or REPLAY."""
        origins = origins or {}
        if not kind.is_insn:
            return self.numbers_text(kind, numbers)
        word, thread, mop, replay, pc, hart, extra = numbers
        text = '%s thread %d, %s pc 0x%08x%s' % (
            kind.name, thread, self.name('hart', hart), pc,
            self.place(hart, pc))
        if mop != NO_POSITION:
            text += ', MOP word %d' % mop + self.origin_text(
                origins.get('MOP word from'))
        if replay != NO_POSITION:
            text += ', REPLAY slot %d' % replay + self.origin_text(
                origins.get('REPLAY slot from'))
        text += ': ' + self.insn_text(word)
        if kind.names:
            text += ' (%s %d)' % (kind.names[0], extra)
        return text

    def origin_text(self, origin: Optional[Key]) -> str:
        """After the position in an expander."""
        return '' if origin is None else ' from %s pc 0x%08x%s' % (
            self.name('hart', origin[0]), origin[1], self.place(*origin))

    def numbers_text(self, kind: Kind, numbers: Tuple[int, ...]) -> str:
        """The same of an event that is no instruction."""
        parts = [kind.name]
        named = dict(zip(kind.names, numbers))
        for name, number in named.items():
            known = {'hart': 'hart', 'by': 'hart', 'turn': 'turn',
                     'reason': 'wait', 'port': 'unit', 'agent': 'agent',
                     'access': 'access', 'late': 'late',
                     'worker': 'worker'}.get(name)
            parts.append('%s %s' % (name, self.name(known, number) if known
                                    else '%d' % number if number < 0x1000
                                    else '0x%x' % number))
            if name in ('pc', 'target') and 'hart' in named:
                parts[-1] += self.place(named['hart'], number)
        return ' '.join(parts)
