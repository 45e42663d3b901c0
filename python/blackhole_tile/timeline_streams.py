# SPDX-License-Identifier: GPL-2.0-or-later
"""The events of a timeline's file by tile, and the order of all of them.

A machine with several tiles writes blocks: an event "tile" (x, y, number of
events), then so many events of that tile.  The blocks of one tile are in the
order of time, those of different tiles are not; but where another tile than
before has events, a TIME event has the next number, of the whole file: what
follows it in its tile's blocks, up to the next such one, comes after all that
has smaller numbers.
"""

from __future__ import annotations

import struct
from typing import Dict, Iterator, List, NamedTuple, Tuple

from .timeline_places import TEXT_BYTES, Epoch

EVENT = struct.Struct('<8I')
KIND = struct.Struct('<I28x')
LAST = 1 << 64                     # after any number of a TIME event


class Stream:
    """The events of one tile, named by its place; '': of the only tile, or of
    no tile.  epoch: where the pcs of the row are that rows() gave last."""

    def __init__(self, tile: str) -> None:
        self.tile = tile
        self.body = bytearray()
        self.epochs: List[Epoch] = []
        self.epoch = Epoch()
        self.later: Iterator[Epoch] = iter(())

    def __len__(self) -> int:
        return len(self.body) // EVENT.size

    def read_epochs(self, place: int, text: int) -> None:
        """Runs of PLACE events, with the TEXT events after them; kinds."""
        found = self.epochs
        for at, (kind,) in enumerate(KIND.iter_unpack(self.body)):
            if kind == place:
                if not found or found[-1].end != at:
                    found.append(Epoch())
                numbers = EVENT.unpack_from(self.body, at * EVENT.size)[1:]
                found[-1].add(numbers, self.texts(at + 1, text))
            if kind in (place, text) and found:
                found[-1].end = at + 1

    def texts(self, at: int, text: int) -> Iterator[bytes]:
        """What TEXT events from number `at` on say."""
        for start in range(at * EVENT.size, len(self.body), EVENT.size):
            if KIND.unpack_from(self.body, start)[0] != text:
                return
            end = start + EVENT.size
            yield bytes(self.body[end - TEXT_BYTES:end])

    def rewind(self) -> None:
        """Before the first call of rows()."""
        self.later = iter(self.epochs)
        self.epoch = next(self.later, Epoch())

    def rows(self, first: int, end: int) -> Iterator[Tuple[int, ...]]:
        """Kind and numbers of events first..end-1; in their order."""
        part = memoryview(self.body)[first * EVENT.size:end * EVENT.size]
        for at, row in enumerate(EVENT.iter_unpack(part), first):
            if at == self.epoch.end and at:
                self.epoch = next(self.later, self.epoch)
            yield row


class Segment(NamedTuple):
    """Events first..end-1 of a stream, all in a row."""
    order: int
    stream: int
    first: int
    end: int


def split(body: bytes, tile: int) -> List[Stream]:
    """The streams of a file; tile: the kind of event that begins a block, -1:
    none does."""
    rest = Stream('')
    streams: Dict[str, Stream] = {'': rest}
    at = 0
    while tile >= 0 and at + EVENT.size <= len(body):
        kind, x, y, count = EVENT.unpack_from(body, at)[:4]
        at += EVENT.size
        if kind == tile:
            name = '(%d,%d)' % (x, y)
            end = at + count * EVENT.size
            streams.setdefault(name, Stream(name)).body += body[at:end]
            at = end
        else:
            rest.body += body[at - EVENT.size:at]
    if tile < 0:
        rest.body += body
    return [streams[name] for name in sorted(streams)]


def segments(streams: List[Stream], time: int) -> List[Segment]:
    """In the order of time; time: the kind of TIME events."""
    found: List[Segment] = []
    for n, stream in enumerate(streams):
        starts = [(0 if stream.tile else LAST, 0)]
        if stream.tile:
            starts += [(row[3] | row[4] << 32, at) for at, row in
                       enumerate(EVENT.iter_unpack(stream.body))
                       if row[0] == time and (row[3] or row[4])]
        ends = [at for _, at in starts[1:]] + [len(stream)]
        found += [Segment(order, n, first, end)
                  for (order, first), end in zip(starts, ends)]
    return sorted(found)
