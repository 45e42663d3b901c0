# SPDX-License-Identifier: GPL-2.0-or-later
"""Timelines of estimated cycles (timing=published): each agent has its own
clock, and events are in the order in which the machine did them.  Here they
come in the order of cycles, SCALE positions each.

CLOCK says what clock a hart's events after it are at, ISSUED and RUN, after an
instruction's events, when it issued, and when its unit executed it.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, NamedTuple, Tuple

from .timeline_file import Kind, TimelineFile
from .timeline_model import SCALE, Axis, Model, TileModel
from .timeline_places import Epoch
from .timeline_streams import Stream
from .timeline_tracks import Open

Numbers = Tuple[int, ...]
Event = Tuple[Kind, Numbers]
# Events of the model's order, in which nothing takes time
UNTIMED = ('wait', 'pass', 'occupy', 'cycle', 'time')
# Of a thread, before the instruction that it issues then: (number of the
# thread's number)
OF_THREAD = {'mop': 1, 'mop_cfg': 1, 'replay': 1, 'load': 1, 'slot': 0,
             'mop_end': 0, 'execute': 1}
CHANGES = ('semaphore', 'mutex', 'bank', 'l1_write', 'move', 'violation')
NEXT = ('semaphore', 'mutex')      # others see them a cycle later
BY_MATRIX = 1                      # owner of a bank
PATH = 'critical path'


class Timed(NamedTuple):
    """An event at a cycle; number: of those of one cycle, in their order."""
    cycle: int
    number: int
    stream: Stream
    epoch: Epoch
    event: Event


def wide(numbers: Numbers, low: int) -> int:
    """A number of two words."""
    return numbers[low] | numbers[low + 1] << 32


class Order:
    """The events of a tile with their cycles."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.now = self.count = 0
        self.found: List[Timed] = []
        self.of_thread: Dict[int, List[Event]] = {}
        self.of_hart: Dict[int, List[Event]] = {}
        self.issued: Dict[int, Numbers] = {}
        self.executes = -1             # the thread whose changes follow

    def add(self, cycle: int, event: Event) -> None:
        """It has its cycle."""
        self.found.append(Timed(cycle, self.count, self.stream,
                                self.stream.epoch, event))
        self.count += 1

    def see(self, kind: Kind, n: Numbers) -> None:
        """The next one as the machine wrote it."""
        name = kind.name
        if name in UNTIMED:
            return
        if name == 'clock':
            self.now = wide(n, 1)
            for event in self.of_hart.pop(n[0], []):
                self.add(self.now, event)
        elif name in OF_THREAD:
            self.of_thread.setdefault(n[OF_THREAD[name]], []).append((kind, n))
            if name == 'execute':
                self.executes = n[1]
        elif name == 'issued':
            self.issued[n[0]] = n
            self.of_thread.setdefault(n[0], []).append((kind, n))
        elif name == 'run':
            self.run(kind, n)
        elif name in CHANGES and self.executes >= 0:
            self.of_thread[self.executes].append((kind, n))
        elif name == 'hart':
            self.of_hart.setdefault(n[0], []).append((kind, n))
        else:
            self.add(self.now, (kind, n))

    def run(self, kind: Kind, n: Numbers) -> None:
        """All of an instruction is known."""
        issued = self.issued.pop(n[0], None)
        if issued is None:
            return
        at = wide(issued, 1)
        for event in self.of_thread.pop(n[0], []):
            name, numbers = event[0].name, event[1]
            filled = name == 'bank' and numbers[2] == BY_MATRIX
            self.add(at + (n[2] + n[4] if filled else n[2] + 1
                           if name == 'bank' else name in NEXT), event)
        self.add(at, (kind, n))
        self.executes = -1

    def finish(self) -> None:
        """What never came to its cycle is at the last one."""
        for events in [*self.of_thread.values(), *self.of_hart.values()]:
            for event in events:
                self.add(self.now, event)


class CyclesTile(TileModel):
    """A tile's tracks.  Threads do not wait for units of other threads: each
    has its own track of a unit."""

    def __init__(self, file: TimelineFile, tile: str, axis: Axis) -> None:
        super().__init__(file, tile, axis)
        self.begun: Dict[int, Tuple[str, Open]] = {}
        self.running: Dict[str, Tuple[Open, int]] = {}

    def after(self) -> int:
        """The next cycle."""
        return (self.at // SCALE + 1) * SCALE

    def begin_unit(self, unit: str, span: Open, thread: int) -> None:
        """Its time follows."""
        self.begun[thread] = '%s of thread %d' % (unit, thread), span

    def on_issued(self, n: Numbers) -> None:
        """An event "issued"."""
        if n[3] and n[0] in self.begun:
            span, at = self.begun[n[0]][1], wide(n, 1)
            track = 'thread %d waits' % n[0]
            self.close(track, Open((at - n[3]) * SCALE,
                                   self.file.name('late', n[4]),
                                   dict(span.details), place=span.place),
                       at * SCALE)

    def on_run(self, n: Numbers) -> None:
        """An event "run"."""
        if n[0] not in self.begun:
            return
        track, span = self.begun.pop(n[0])
        start = self.axis.time + n[2]
        self.end_run(track, start * SCALE)
        span.start = start * SCALE
        self.running[track] = span, (start + max(n[3], 1)) * SCALE

    def end_run(self, track: str, at: int) -> None:
        """Moves follow each other before the time of the first is over."""
        if track in self.running:
            span, end = self.running.pop(track)
            self.close(track, span, min(end, at))

    def on_path(self, n: Numbers) -> None:
        """An event "path"."""
        frames = self.file.frames(n[1], n[2])
        span = Open(wide(n, 3) * SCALE, self.file.name('worker', n[0]), {},
                    place=frames[0] if frames else None)
        self.close(PATH, span, wide(n, 5) * SCALE)

    def finish(self) -> None:
        """Ends what has not ended."""
        for track, (_, end) in list(self.running.items()):
            self.end_run(track, end)
        super().finish()


class CyclesModel(Model):
    """All tiles, on one axis."""

    of_tile = CyclesTile

    def events(self, axis: Axis) -> Iterator[Event]:
        """In the order of cycles."""
        orders: Dict[str, Order] = {}
        for kind, numbers in self.file.events():
            stream = self.file.stream
            order = orders.setdefault(stream.tile, Order(stream))
            order.see(kind, numbers)
        for order in orders.values():
            order.finish()
        for timed in sorted((timed for order in orders.values()
                             for timed in order.found),
                            key=lambda timed: timed[:2]):
            axis.time = timed.cycle
            self.file.stream = timed.stream
            timed.stream.epoch = timed.epoch
            yield timed.event


def model_of(file: TimelineFile) -> Model:
    """Of a timeline's file, by its axis."""
    return CyclesModel(file) if file.axis == 'cycles' else Model(file)
