# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace for Perfetto: protobuf messages, written by hand.

A trace is a sequence of packets (field 1 of the message Trace).  The first
describe tracks; events follow, ordered by time.  Numbers of fields are those
of Perfetto's public schema, protos/perfetto/trace.
"""

from __future__ import annotations

from typing import (BinaryIO, Callable, Dict, Generic, Iterable, Iterator,
                    List, Tuple, TypeVar, Union)

from .timeline_model import Model, order_of
from .timeline_places import Frame
from .timeline_tracks import Sample, Span

VARINT, FIXED64, BYTES = 0, 1, 2

TRACE_PACKET = 1
PACKET_TIMESTAMP, PACKET_SEQUENCE, PACKET_EVENT = 8, 10, 11
PACKET_INTERNED, PACKET_FLAGS, PACKET_TRACK = 12, 13, 60
FLAG_CLEARED, FLAG_NEEDS = 1, 2

TRACK_UUID, TRACK_NAME, TRACK_PROCESS, TRACK_PARENT = 1, 2, 3, 5
TRACK_COUNTER, TRACK_ORDERING, TRACK_RANK, TRACK_DESCRIPTION = 8, 11, 12, 14
ORDERING_EXPLICIT = 3
PROCESS_PID, PROCESS_NAME = 1, 6
COUNTER_UNIT, UNIT_COUNT = 3, 2

EVENT_ANNOTATION, EVENT_TYPE, EVENT_NAME_IID, EVENT_TRACK = 4, 9, 10, 11
EVENT_COUNTER, EVENT_LOCATION, EVENT_FLOW, EVENT_FLOW_END = 30, 34, 47, 48
TYPE_BEGIN, TYPE_END, TYPE_COUNTER = 1, 2, 4

ANNOTATION_IID, ANNOTATION_INT, ANNOTATION_STRING = 1, 4, 6
INTERNED_NAMES, INTERNED_ANNOTATIONS = 2, 3
INTERNED_LOCATIONS = 4
ENTRY_IID, ENTRY_NAME = 1, 2
LOCATION_FILE, LOCATION_FUNCTION, LOCATION_LINE = 2, 3, 4

SEQUENCE = 1


def varint(value: int) -> bytes:
    """A negative number is its two's complement of 64 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    """A field that is a number."""
    return varint(field << 3 | VARINT) + varint(value)


def fixed64(field: int, value: int) -> bytes:
    """A field of eight bytes."""
    return varint(field << 3 | FIXED64) + value.to_bytes(8, 'little')


def message(field: int, value: Union[bytes, str]) -> bytes:
    """A nested message, or text."""
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | BYTES) + varint(len(data)) + data


def name_entry(text: str) -> bytes:
    """An entry of interned names."""
    return message(ENTRY_NAME, text)


def location_entry(frame: Frame) -> bytes:
    """A source line."""
    return (message(LOCATION_FILE, frame.file)
            + message(LOCATION_FUNCTION, frame.function)
            + number(LOCATION_LINE, frame.line))


Entry = TypeVar('Entry')


class Interned(Generic[Entry]):
    """What occurs often is written once: {entry: number}, from 1."""

    def __init__(self, field: int, encode: Callable[[Entry], bytes]) -> None:
        self.field, self.encode = field, encode
        self.known: Dict[Entry, int] = {}
        self.news: List[bytes] = []

    def iid(self, entry: Entry) -> int:
        """Its number."""
        found = self.known.get(entry)
        if found is None:
            found = self.known[entry] = len(self.known) + 1
            self.news.append(message(self.field, number(ENTRY_IID, found)
                                     + self.encode(entry)))
        return found

    def take(self) -> bytes:
        """What has not been written yet."""
        news, self.news = b''.join(self.news), []
        return news


class Writer:
    """Writes packets of one sequence into a file."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.names = Interned(INTERNED_NAMES, name_entry)
        self.details = Interned(INTERNED_ANNOTATIONS, name_entry)
        self.locations = Interned(INTERNED_LOCATIONS, location_entry)
        self.uuids: Dict[Tuple[str, str], int] = {}
        self.uuid = 0              # the last one, of a track or a process
        self.processes = 0
        self.cleared = False

    def packet(self, body: bytes) -> None:
        """One packet of the trace."""
        flags = FLAG_NEEDS | (0 if self.cleared else FLAG_CLEARED)
        self.cleared = True
        news = (self.names.take() + self.details.take()
                + self.locations.take())
        if news:
            body += message(PACKET_INTERNED, news)
        self.file.write(message(TRACE_PACKET, number(PACKET_SEQUENCE, SEQUENCE)
                                + number(PACKET_FLAGS, flags) + body))

    def next_uuid(self) -> int:
        """One that nothing has yet."""
        self.uuid += 1
        return self.uuid

    def describe(self, tile: str, tracks: List[str], counters: List[str],
                 title: str) -> None:
        """The tile is a process; all its tracks are its children."""
        root = self.next_uuid()
        self.processes += 1
        self.packet(message(PACKET_TRACK, number(TRACK_UUID, root)
                    + message(TRACK_PROCESS, number(PROCESS_PID,
                                                    self.processes)
                              + message(PROCESS_NAME, title))
                    + number(TRACK_ORDERING, ORDERING_EXPLICIT)))
        for rank, name in enumerate(tracks + counters):
            uuid = self.uuids[tile, name] = self.next_uuid()
            body = (number(TRACK_UUID, uuid)
                    + number(TRACK_PARENT, root) + message(TRACK_NAME, name)
                    + number(TRACK_RANK, rank))
            if rank >= len(tracks):
                body += message(TRACK_COUNTER,
                                number(COUNTER_UNIT, UNIT_COUNT))
            self.packet(message(PACKET_TRACK, body))

    def event(self, at: int, body: bytes) -> None:
        """One event."""
        self.packet(number(PACKET_TIMESTAMP, at) + message(PACKET_EVENT, body))

    def annotations(self, details: Dict[str, object]) -> bytes:
        """Details of a slice."""
        out = b''
        for key, value in details.items():
            body = number(ANNOTATION_IID, self.details.iid(key))
            if isinstance(value, int):
                body += number(ANNOTATION_INT, value)
            else:
                body += message(ANNOTATION_STRING, str(value))
            out += message(EVENT_ANNOTATION, body)
        return out

    def begin(self, span: Span) -> None:
        """Opens a span."""
        body = (number(EVENT_TYPE, TYPE_BEGIN)
                + number(EVENT_TRACK, self.uuids[span.tile, span.track])
                + number(EVENT_NAME_IID, self.names.iid(span.name))
                + self.annotations(span.details))
        if span.place and span.place.file:
            body += number(EVENT_LOCATION, self.locations.iid(span.place))
        if span.flow:
            body += fixed64(EVENT_FLOW if span.is_push else EVENT_FLOW_END,
                            span.flow)
        self.event(span.start, body)

    def end(self, span: Span) -> None:
        """Closes it."""
        self.event(span.end, number(EVENT_TYPE, TYPE_END)
                   + number(EVENT_TRACK, self.uuids[span.tile, span.track]))

    def sample(self, sample: Sample) -> None:
        """A value of a counter."""
        self.event(sample.at, number(EVENT_TYPE, TYPE_COUNTER)
                   + number(EVENT_TRACK,
                            self.uuids[sample.tile, sample.track])
                   + number(EVENT_COUNTER, sample.value))


def in_order(spans: Iterable[Span]) -> Iterator[Tuple[int, bool, Span]]:
    """(time, is it the end, span): where one ends and another begins, the end
    comes first; of spans that begin together the longest does."""
    keys = []
    for n, span in enumerate(spans):
        keys.append(((span.start, 1, -span.end, n), False, span))
        keys.append(((span.end, 0, -span.start, -n), True, span))
    keys.sort(key=lambda key: key[0])
    return ((key[0], is_end, span) for key, is_end, span in keys)


def write_trace(model: Model, file: BinaryIO, axis: str) -> None:
    """An arrow goes to one place: that on the thread's track."""
    writer = Writer(file)
    spans = [span if span.is_push or span.track.startswith('thread')
             else span._replace(flow=0) for span in model.spans]
    tiles = {s.tile for s in spans} | {s.tile for s in model.samples}
    for tile in sorted(tiles) or ['']:
        writer.describe(tile,
                        sorted({s.track for s in spans if s.tile == tile},
                               key=order_of),
                        sorted({s.track for s in model.samples
                                if s.tile == tile}),
                        'Tensix tile%s; %s' % (' ' + tile if tile else '',
                                               axis))
    samples = iter(model.samples)
    sample = next(samples, None)
    for at, is_end, span in in_order(spans):
        while sample and sample.at <= at:
            writer.sample(sample)
            sample = next(samples, None)
        (writer.end if is_end else writer.begin)(span)
    while sample:
        writer.sample(sample)
        sample = next(samples, None)
