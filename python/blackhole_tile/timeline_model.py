# SPDX-License-Identifier: GPL-2.0-or-later
"""From events to tracks: spans with a start and an end, counters, arrows.

Positions on the axis grow with each event.  With the axis "order" an event is
one position behind the one before.  With "virtual-ns" (-icount) there are
SCALE positions in a nanosecond of the machine's time, and events of one
nanosecond follow each other in its first ones; if they are more, they run
over.  Estimated cycles: timeline_cycles.py.
"""

from __future__ import annotations

from typing import Dict, Iterable, List, Optional, Tuple

from .timeline_file import NO_POSITION, Kind, TimelineFile
from .timeline_places import place_text
from .timeline_recorded import Recorded
from .timeline_tracks import Open, Sample, Span, Track
from .timeline_zones import HartTrack, keyed

SCALE = 1000
THREADS = 3
UNPACK_SELECT = 23                 # bit of UNPACR: which unpacker
BANK_CONDITIONS = 0xf << 5         # of STALLWAIT
REPLAY_LENGTH = (4, 0x3f)          # fields of REPLAY: low bit, mask
REPLAY_DEPTH = 32
NO_POSITIONS = ('time', 'cycle', 'clock', 'occupy', 'mop_word', 'slot',
                'issued', 'run', 'path')


class Thread:
    """A thread of the coprocessor: what it waits in, expands and executes."""

    def __init__(self) -> None:
        self.queues: Dict[bool, List[Tuple[int, int, int]]] = {True: [],
                                                               False: []}
        self.mop_depth = 0                 # 1 while a MOP is expanded
        self.replay_left = 0
        self.waiting = False
        self.wait: Tuple[int, ...] = ()
        self.wait_at = 0
        self.flying: List[Tuple[int, int, Open, str]] = []


class Axis:
    """Where all tiles are; how many pushes there have been."""

    def __init__(self) -> None:
        self.at = self.time = self.pushes = 0


class TileModel:
    """spans, samples: what there is to show of one tile."""

    def __init__(self, file: TimelineFile, tile: str, axis: Axis) -> None:
        self.file, self.tile, self.axis = file, tile, axis
        self.spans: List[Span] = []
        self.samples: List[Sample] = []
        self.cycle = 0
        self.actor = 'unknown'
        self.last_insn: Optional[Open] = None
        self.last_of: Dict[str, str] = {}
        self.changes: Dict[str, Tuple[int, str]] = {}
        self.tracks: Dict[str, Track] = {}
        self.harts: Dict[int, HartTrack] = {}
        self.recorded = Recorded(file)
        self.threads = [Thread() for _ in range(THREADS)]
        self.units: Dict[str, Tuple[Open, Optional[int]]] = {}
        self.handlers = {name[3:]: getattr(self, name) for name in dir(self)
                         if name.startswith('on_')}

    # --- helpers ---

    @property
    def at(self) -> int:
        """The position of the current event."""
        return self.axis.at

    def track(self, name: str) -> Track:
        """The track of that name."""
        if name not in self.tracks:
            self.tracks[name] = Track(name, self.close)
        return self.tracks[name]

    def hart_track(self, number: int) -> HartTrack:
        """The track of that hart."""
        if number not in self.harts:
            self.harts[number] = HartTrack(self.track(self.hart(number)),
                                           keyed(number, self.file.frames))
        return self.harts[number]

    def close(self, track: str, span: Open, end: int) -> None:
        """Keeps a span that has ended."""
        self.spans.append(Span(track, span.start, max(end, span.start + 1),
                               span.name, span.details, span.flow,
                               span.is_push, span.place, self.tile))

    def count(self, track: str, value: int) -> None:
        """A counter's new value."""
        self.samples.append(Sample(track, self.at, value, self.tile))

    def hart(self, number: int) -> str:
        """Its name."""
        return self.file.name('hart', number)

    def after(self) -> int:
        """Where an instruction ends that begins here."""
        return self.at + 1

    # --- the walk ---

    def see(self, name: str, numbers: Tuple[int, ...]) -> None:
        """The tile's next event."""
        handler = self.handlers.get(name)
        if handler:
            handler(numbers)
        self.recorded.see(name, numbers)

    def finish(self) -> None:
        """Ends what has not ended."""
        for unit in list(self.units):
            self.close_unit(unit, self.at + 1)
        for track in list(self.tracks.values()):
            track.end(self.at + 1, 0)
        self.spans.reverse()           # of equal ones the outer ended last

    def on_time(self, n: Tuple[int, ...]) -> None:
        """A loaded snapshot may go back; the axis never does."""
        self.axis.time = n[0] | n[1] << 32

    def on_cycle(self, n: Tuple[int, ...]) -> None:
        """An event "cycle"."""
        self.cycle = n[0] | n[1] << 32
        for unit, (_, end) in list(self.units.items()):
            if end is not None and self.cycle >= end:
                self.close_unit(unit, self.at + 1)

    # --- words on their way ---

    def on_push(self, n: Tuple[int, ...]) -> None:
        """An event "push"."""
        word, thread, _, _, pc, hart, level = n
        self.axis.pushes += 1
        self.hart_track(hart).at(self.at, pc)
        track = self.track(self.hart(hart))
        depth = len(track.stack)
        frames = self.file.frames(hart, pc)
        details: Dict[str, object] = {'word': self.file.insn_text(word),
                                      'pc': '0x%08x' % pc, 'thread': thread}
        if frames:
            details['source'] = place_text(frames)
        track.begin(Open(self.at, 'push ' + self.file.mnemonic(word), details,
                         self.axis.pushes, True,
                         frames[0] if frames else None))
        track.end(self.at + 1, depth)
        behind = not self.hart(hart).startswith('trisc')
        self.threads[thread].queues[behind].append((word, pc,
                                                    self.axis.pushes))
        self.level(thread, behind, level)

    def level(self, thread: int, behind: bool, level: int) -> None:
        """Words in a FIFO."""
        self.count('FIFO %d%s' % (thread, ' behind MOP' if behind else ''),
                   level)

    def taken(self, n: Tuple[int, ...]) -> int:
        """The number of the push that a word is from; 0: an expander."""
        word, thread, mop, replay, pc, hart = n[:6]
        behind = not self.hart(hart).startswith('trisc')
        queue = self.threads[thread].queues[behind]
        if mop != NO_POSITION or replay != NO_POSITION:
            return 0
        for place, (its_word, its_pc, number) in enumerate(queue):
            if (its_word, its_pc) == (word, pc):
                del queue[:place + 1]
                self.level(thread, behind, len(queue))
                return number
        return 0

    def on_mop(self, n: Tuple[int, ...]) -> None:
        """An event "mop"."""
        thread = self.threads[n[1]]
        track = self.track('thread %d' % n[1])
        track.end(self.at, 0)
        track.begin(self.open_insn('MOP', n))
        thread.mop_depth, thread.replay_left = 1, 0

    def on_mop_cfg(self, n: Tuple[int, ...]) -> None:
        """An event "mop cfg"."""
        self.taken(n)

    def on_mop_end(self, n: Tuple[int, ...]) -> None:
        """An event "mop end"."""
        if n[0] < THREADS:
            self.threads[n[0]].mop_depth = 0
            self.threads[n[0]].replay_left = 0
            self.track('thread %d' % n[0]).end(self.at, 0)

    def on_replay(self, n: Tuple[int, ...]) -> None:
        """An event "replay"."""
        thread = self.threads[n[1]]
        low, mask = REPLAY_LENGTH
        span = self.open_insn('REPLAY records' if n[0] & 1 else 'REPLAY', n)
        self.track('thread %d' % n[1]).end(self.at, thread.mop_depth)
        self.track('thread %d' % n[1]).begin(span)
        thread.replay_left = (n[0] >> low & mask) or REPLAY_DEPTH

    def on_load(self, n: Tuple[int, ...]) -> None:
        """Those that are executed as well are counted when they are."""
        self.taken(n)
        self.replayed(n[1])

    def replayed(self, number: int) -> None:
        """One word of a REPLAY is done."""
        thread = self.threads[number]
        if thread.replay_left:
            thread.replay_left -= 1
            if not thread.replay_left:
                self.track('thread %d' % number).end(self.after(),
                                                     thread.mop_depth)

    def on_flush(self, n: Tuple[int, ...]) -> None:
        """An event "flush"."""
        if n[0] < THREADS:
            self.threads[n[0]].queues[False].clear()
            self.level(n[0], False, 0)
            self.on_mop_end(n)

    def insn_details(self, n: Tuple[int, ...]) -> Dict[str, object]:
        """What to show of an instruction."""
        word, _, mop, replay, pc, hart = n[:6]
        details: Dict[str, object] = {'word': self.file.insn_text(word),
                                      'from': '%s pc 0x%08x'
                                              % (self.hart(hart), pc)}
        frames = self.file.frames(hart, pc)
        if frames:
            details['source'] = place_text(frames)
        if mop != NO_POSITION:
            details['MOP word'] = mop
        if replay != NO_POSITION:
            details['REPLAY slot'] = replay
        for key, origin in self.recorded.origins(n).items():
            details[key] = '%s pc 0x%08x%s' % (self.hart(origin[0]), origin[1],
                                               self.file.place(*origin))
        return details

    def open_insn(self, name: str, n: Tuple[int, ...]) -> Open:
        """A span of an instruction that begins here."""
        frames = self.file.frames(*self.recorded.writer(n))
        return Open(self.at, name, self.insn_details(n), self.taken(n),
                    False, frames[0] if frames else None)

    # --- execution ---

    def unit_of(self, word: int) -> str:
        """The unit that executes this word."""
        opcode = self.file.opcodes.get(word >> 24)
        name = self.file.name('unit', opcode.unit if opcode else 0)
        if name == 'unpack' and word >> UNPACK_SELECT & 1:
            return 'unpack 1'
        return name

    def begin_unit(self, unit: str, span: Open, _thread: int) -> None:
        """The unit executes this, of that thread."""
        if unit in self.units:
            self.close_unit(unit, self.at)
        self.units[unit] = (span, None)

    def close_unit(self, unit: str, at: int) -> None:
        """Ends what the unit does."""
        span, end = self.units.pop(unit)
        self.close(unit, span, at if end is not None else span.start + 1)

    def start_insn(self, n: Tuple[int, ...]) -> Open:
        """On the thread's track and on the unit's."""
        word, number = n[0], n[1]
        thread = self.threads[number]
        track, unit = self.track('thread %d' % number), self.unit_of(word)
        span = self.open_insn(self.file.mnemonic(word), n)
        depth = thread.mop_depth + (thread.replay_left > 0)
        track.end(self.at, depth)
        if n[3] == NO_POSITION and thread.replay_left == 0:
            track.end(self.at, thread.mop_depth)
        depth = len(track.stack)
        track.begin(Open(self.at, span.name, span.details, span.flow, False,
                         span.place))
        track.end(self.after(), depth)
        self.begin_unit(unit, span, number)
        if n[3] != NO_POSITION:
            self.replayed(number)
        return span

    def on_fly(self, n: Tuple[int, ...]) -> None:
        """An event "fly"."""
        span = self.start_insn(n)
        self.threads[n[1]].flying.append((n[0], n[4], span,
                                          self.unit_of(n[0])))

    def on_execute(self, n: Tuple[int, ...]) -> None:
        """An event "execute"."""
        thread = self.threads[n[1]]
        self.actor = 'thread %d: %s' % (n[1], self.file.mnemonic(n[0]))
        self.last_of[self.unit_of(n[0])] = self.actor
        for place, (word, pc, span, unit) in enumerate(thread.flying):
            if (word, pc) == (n[0], n[4]):
                del thread.flying[place]
                if unit in self.units and self.units[unit][0] is span:
                    self.units[unit] = (span, 0)
                    self.close_unit(unit, self.at)
                self.last_insn = span
                return
        self.last_insn = self.start_insn(n)

    def on_occupy(self, n: Tuple[int, ...]) -> None:
        """An event "occupy"."""
        unit = self.file.name('unit', n[1])
        if unit in self.units and n[2] > 1:
            span = self.units[unit][0]
            self.units[unit] = (span, self.cycle + n[2])

    def on_violation(self, n: Tuple[int, ...]) -> None:
        """An event "violation"."""
        track = self.track('violations')
        track.begin(Open(self.at, self.file.name('category', n[6]),
                         self.insn_details(n),
                         place=next(iter(self.file.frames(n[5], n[4])), None)))
        track.end(self.at + 1, 0)

    # --- waits ---

    def on_wait(self, n: Tuple[int, ...]) -> None:
        """An event "wait"."""
        number, reason, detail, word = n[:4]
        if number >= THREADS:
            return
        self.end_wait(number)
        thread = self.threads[number]
        name = self.file.name('wait', reason)
        if n[6]:
            name = self.file.mnemonic(n[6])
        frames = self.file.frames(n[5], n[4])
        details: Dict[str, object] = {
            'word': self.file.insn_text(word),
            'from': '%s pc 0x%08x' % (self.hart(n[5]), n[4])}
        if frames:
            details['source'] = place_text(frames)
        details.update({'reason': self.file.name('wait', reason),
                        'detail': detail})
        self.track('thread %d waits' % number).begin(
            Open(self.at, name, details, place=frames[0] if frames else None))
        thread.waiting, thread.wait, thread.wait_at = True, n, self.at

    def end_wait(self, number: int) -> None:
        """The thread waits no longer."""
        thread = self.threads[number]
        track = self.track('thread %d waits' % number)
        if thread.waiting and track.stack:
            track.stack[-1].details['ended by'] = self.ender(thread)
        track.end(self.at, 0)
        thread.waiting = False

    def on_pass(self, n: Tuple[int, ...]) -> None:
        """An event "pass"."""
        if n[0] < THREADS:
            self.end_wait(n[0])

    def ender(self, thread: Thread) -> str:
        """The agent of the change that this kind of wait is for."""
        name = self.file.name('wait', thread.wait[1])
        latched = self.file.mnemonic(thread.wait[6]) if thread.wait[6] else ''
        what = ('semaphore' if latched == 'SEMWAIT' else
                'bank' if 'bank' in name or
                (latched == 'STALLWAIT' and thread.wait[6] & BANK_CONDITIONS)
                else 'mutex' if name == 'mutex' else
                'l1' if name.startswith('L1') else '')
        at, who = self.changes.get(what, (-1, ''))
        if at >= thread.wait_at:
            return who
        return 'the end of what a unit did' if latched == 'STALLWAIT' or \
            'another instruction' in name else 'unknown'

    # --- what changes ---

    def changed(self, what: str) -> None:
        """The last agent that changed something of this kind."""
        self.changes[what] = (self.at, self.actor)

    def on_actor(self, n: Tuple[int, ...]) -> None:
        """An event "actor"."""
        self.actor = '%s pc 0x%08x' % (self.hart(n[0]), n[1])
        self.hart_track(n[0]).at(self.at, n[1])
        self.last_insn = None

    def on_semaphore(self, n: Tuple[int, ...]) -> None:
        """An event "semaphore"."""
        self.changed('semaphore')
        self.count('semaphore %d' % n[0], n[1])

    def on_mutex(self, n: Tuple[int, ...]) -> None:
        """An event "mutex"."""
        self.changed('mutex')
        self.count('mutex %d owner' % n[0], n[1])

    def on_bank(self, n: Tuple[int, ...]) -> None:
        """An UNPACR's bank arrives when its time is over: others act."""
        unit = 'unpack 1' if n[0] else 'unpack'
        self.changed('bank')
        if n[2] and ': UNPACR' not in self.actor and unit in self.last_of:
            self.changes['bank'] = (self.at, self.last_of[unit])
        self.count('Src%s[%d] owner' % ('AB'[n[0] & 1], n[1]), n[2])

    def on_l1_write(self, n: Tuple[int, ...]) -> None:
        """An event "l1 write"."""
        self.changed('l1')
        if self.last_insn:
            details = self.last_insn.details
            details.setdefault('L1 address', '0x%05x' % n[0])
            written = details.get('L1 bytes', 0)
            details['L1 bytes'] = (written if isinstance(written, int)
                                   else 0) + n[1]

    def on_move(self, n: Tuple[int, ...]) -> None:
        """An event "move"."""
        self.instant('mover', 'move', {'destination': '0x%x' % n[0],
                                       'source': '0x%x' % n[1],
                                       'bytes': n[2], 'mode': n[3],
                                       'by': self.actor})

    def on_register(self, n: Tuple[int, ...]) -> None:
        """An event "register"."""
        agent, hart, pc, access, address, value, size = n
        details: Dict[str, object] = {
            'value': '0x%x' % value, 'bytes': size,
            'by': self.file.name('agent', agent)}
        if hart < len(self.file.names['hart']):
            details['for'] = '%s pc 0x%08x' % (self.hart(hart), pc)
        self.instant('registers', '%s 0x%08x' % (
            self.file.name('access', access), address), details)

    def on_noc(self, n: Tuple[int, ...]) -> None:
        """An event "noc"."""
        kinds = ('read', 'atomic', 'write')
        self.instant('NoC %d' % n[0], kinds[n[2]] if n[2] < 3 else 'request',
                     {'initiator': n[1], 'ctrl': '0x%08x' % n[3],
                      'length': n[4]})

    def on_noc_address(self, n: Tuple[int, ...]) -> None:
        """Belongs to the request before it."""
        if self.spans and self.spans[-1].track.startswith('NoC'):
            self.spans[-1].details['return' if n[0] else 'target'] = \
                'tile (%d,%d) 0x%x' % (n[1], n[2], n[3] | n[4] << 32)

    def instant(self, track: str, name: str,
                details: Dict[str, object]) -> None:
        """A span of one position."""
        self.close(track, Open(self.at, name, details), self.at + 1)

    def on_fifo(self, n: Tuple[int, ...]) -> None:
        """An event "fifo"."""
        self.level(n[0], False, n[1])
        self.level(n[0], True, n[2])

    def on_loaded(self, _: Tuple[int, ...]) -> None:
        """An event "loaded": harts are elsewhere, nothing has seen where."""
        for track in self.harts.values():
            track.reset(self.at)
        self.instant('machine', 'a snapshot was loaded', {})

    def on_reset(self, _: Tuple[int, ...]) -> None:
        """An event "reset"."""
        self.instant('machine', 'reset', {})

    # --- harts ---

    def on_call(self, n: Tuple[int, ...]) -> None:
        """An event "call"."""
        self.hart_track(n[0]).call(self.at, n[1], n[2])

    def on_return(self, n: Tuple[int, ...]) -> None:
        """An event "return"."""
        self.hart_track(n[0]).ret(self.at, n[2])

    def on_indirect(self, n: Tuple[int, ...]) -> None:
        """An event "indirect"."""
        self.hart_track(n[0]).indirect(self.at, n[1], n[2])

    def on_hart(self, n: Tuple[int, ...]) -> None:
        """An event "hart"."""
        hart, turn, cause, detail, pc, by = n[:6]
        track, turn_name = self.hart_track(hart), self.file.name('turn', turn)
        if turn_name == 'stalls':
            track.at(self.at, pc)
            track.waits(self.at, 'waits: ' + self.file.name('stall', cause),
                        {'detail': detail, 'pc': '0x%08x' % pc})
        elif turn_name == 'wakes':
            track.continues(self.at, self.actor if
                          by >= len(self.file.names.get('hart', [])) else
                          self.hart(by))
        elif turn_name == 'pauses':
            track.waits(self.at, turn_name, {'pc': '0x%08x' % pc})
        elif turn_name == 'interrupted':
            track.interrupted(self.at, pc)
        elif turn_name == 'returns':
            track.back_from_interrupt(self.at, pc)
        elif turn_name == 'resumes':
            track.at(self.at, pc)
        else:
            track.reset(self.at)
            if turn_name == 'held':
                track.waits(self.at, turn_name, {})
            elif turn_name == 'starts':
                track.at(self.at, pc)


class Model:
    """spans, samples: what there is to show, of all tiles."""

    of_tile = TileModel

    def __init__(self, file: TimelineFile) -> None:
        self.file = file
        self.spans: List[Span] = []
        self.samples: List[Sample] = []
        for tile in self.read().values():
            tile.finish()
            self.spans += tile.spans
            self.samples += tile.samples
        self.spans.sort(key=lambda s: (s.start, -s.end))
        self.samples.sort(key=lambda s: s.at)

    def read(self) -> Dict[str, TileModel]:
        """Walks through all events."""
        tiles: Dict[str, TileModel] = {}
        axis = Axis()
        for kind, numbers in self.events(axis):
            if kind.name not in NO_POSITIONS:
                axis.at = max(axis.at + 1, axis.time * SCALE)
            name = self.file.stream.tile
            if name not in tiles:
                tiles[name] = self.of_tile(self.file, name, axis)
            tiles[name].see(kind.name, numbers)
        return tiles

    def events(self, _axis: Axis) -> Iterable[Tuple[Kind, Tuple[int, ...]]]:
        """All of them, in the order of the axis."""
        return self.file.events()


def positions(file: TimelineFile) -> int:
    """Of one unit of the axis, as users count it."""
    return SCALE if file.axis == 'cycles' else 1


def order_of(track: str) -> Tuple[int, str]:
    """Harts first, then threads, units, the rest."""
    starts = ('critical path', 'violations', 'brisc', 'ncrisc', 'trisc',
              'thread', 'unpack', 'matrix', 'vector', 'pack')
    for rank, start in enumerate(starts):
        if track.startswith(start):
            return rank, track
    return len(starts), track


