# SPDX-License-Identifier: GPL-2.0-or-later
"""A hart's functions on its track: calls and returns are events, so callers
contain callees.  Inlined functions are zones as well, from the first event in
them to the next one elsewhere.

A tail call leaves no event if it is a direct jump: the new function
takes the place of the old one with the first event in it.
"""

from __future__ import annotations

from typing import Callable, Dict, List, NamedTuple, Optional

from .timeline_places import Frames
from .timeline_tracks import Open, Track

MOST_CALLS = 100                   # deeper ones are not shown
INSN_BYTES = 4


class Call(NamedTuple):
    """number: of the call; entry: where the function began, None if no agent
    saw; back: where it returns to; pc: where it is, or has called the next."""
    number: int
    entry: Optional[int]
    back: Optional[int]
    pc: int


class Zone(NamedTuple):
    """number: of the call; depth: of inlining in it."""
    number: int
    depth: int
    name: str


class HartTrack:
    """frames_of(pc): where that is.  Positions grow from call to call."""

    def __init__(self, track: Track, frames_of: Callable[[int], Frames]) \
            -> None:
        self.track, self.frames_of = track, frames_of
        self.calls: List[Call] = []
        self.zones: List[Zone] = []
        self.count = 0

    # --- the stack ---

    def enter(self, entry: Optional[int], back: Optional[int],
              pc: int) -> None:
        """One more call."""
        self.count += 1
        self.calls.append(Call(self.count, entry, back, pc))

    def function(self, pc: int) -> str:
        """The function that is no inlined one."""
        frames = self.frames_of(pc)
        return frames[-1].function if frames else ''

    def move(self, pc: int) -> None:
        """The hart is at this pc, in the function it was in or in another that
        no agent saw it jump to."""
        if not self.calls:
            self.enter(None, None, pc)
            return
        last = self.calls[-1]
        if self.function(pc) != self.function(last.pc):
            self.calls.pop()
            self.enter(None, last.back, pc)
        else:
            self.calls[-1] = last._replace(pc=pc)

    # --- events ---

    def at(self, at: int, pc: int) -> None:
        """The hart does something at this pc."""
        self.move(pc)
        self.show(at)

    def call(self, at: int, pc: int, target: int) -> None:
        """An event "call"."""
        self.move(pc)
        self.enter(target, pc + INSN_BYTES, target)
        self.show(at)

    def ret(self, at: int, target: int) -> None:
        """An event "return"; of a call that no agent saw, perhaps."""
        place = len(self.calls) - 1
        while place >= 0 and self.calls[place].back != target:
            place -= 1
        if place > 0:
            del self.calls[place:]
            self.calls[-1] = self.calls[-1]._replace(pc=target)
        else:
            self.calls.clear()
            self.enter(None, None, target)
        self.show(at)

    def indirect(self, at: int, pc: int, target: int) -> None:
        """A jump to another function, or within one (a switch)."""
        self.move(pc)
        if self.function(pc) != self.function(target):
            back = self.calls.pop().back
            self.enter(target, back, target)
        self.show(at)

    def interrupted(self, at: int, handler: int) -> None:
        """Nothing returns to -1 but from an interrupt."""
        self.enter(handler, -1, handler)
        self.show(at)

    def back_from_interrupt(self, at: int, target: int) -> None:
        """An mret."""
        while len(self.calls) > 1 and self.calls.pop().back != -1:
            pass
        self.at(at, target)

    def reset(self, at: int) -> None:
        """Nothing is left of it."""
        self.calls.clear()
        self.zones.clear()
        self.track.end(at, 0)

    # --- what shows ---

    def wanted(self) -> List[Zone]:
        """The zones of all calls, the outermost first."""
        found = []
        for call in self.calls[:MOST_CALLS]:
            names = [frame.function or frame.where()
                     for frame in reversed(self.frames_of(call.pc))] or \
                ['runs' if call.entry is None else '0x%08x' % call.entry]
            found += [Zone(call.number, depth, name)
                      for depth, name in enumerate(names)]
        return found

    def show(self, at: int) -> None:
        """Ends the zones that the hart has left, begins those it is in."""
        wanted = self.wanted()
        same = 0
        self.continues(at)
        while same < min(len(wanted), len(self.zones)) and \
                wanted[same] == self.zones[same]:
            same += 1
        self.track.end(at, same)
        for zone in wanted[same:]:
            self.track.begin(Open(at, zone.name, self.details(zone)))
        self.zones = wanted

    def details(self, zone: Zone) -> Dict[str, object]:
        """Where the zone was called from."""
        if zone.depth:
            return {'inlined': 'yes'}
        place = next(n for n, call in enumerate(self.calls)
                     if call.number == zone.number)
        caller = self.frames_of(self.calls[place - 1].pc) if place else ()
        back = self.calls[place].back
        if back is None or back < 0 or not caller:
            return {}
        return {'called at': caller[0].text()}

    def waits(self, at: int, name: str, details: Dict[str, object]) -> None:
        """The hart is stopped in what it is in."""
        self.continues(at)
        self.track.begin(Open(at, name, details))

    def continues(self, at: int, ended_by: str = '') -> None:
        """It did so, or not."""
        waiting = self.track.stack[len(self.zones):]
        if waiting and ended_by:
            waiting[0].details['ended by'] = ended_by
        self.track.end(at, len(self.zones))


def keyed(hart: int, frames: Callable[[int, int], Frames]) \
        -> Callable[[int], Frames]:
    """frames() of one hart."""
    return lambda pc: frames(hart, pc)
