# SPDX-License-Identifier: GPL-2.0-or-later
"""Spans on tracks: those of one track are nested."""

from __future__ import annotations

from typing import Callable, Dict, List, NamedTuple, Optional

from .timeline_places import Frame


class Span(NamedTuple):
    """Something that lasts; flow: number of the push that it is or is from;
    place: the line that it is from; tile: '' if there is only one."""
    track: str
    start: int
    end: int
    name: str
    details: Dict[str, object]
    flow: int
    is_push: bool
    place: Optional[Frame] = None
    tile: str = ''


class Sample(NamedTuple):
    """A counter's value from a position on."""
    track: str
    at: int
    value: int
    tile: str = ''


class Open:
    """A span whose end has not come."""

    def __init__(self, start: int, name: str, details: Dict[str, object],
                 flow: int = 0, is_push: bool = False,
                 place: Optional[Frame] = None) -> None:
        self.start, self.name, self.details = start, name, details
        self.flow, self.is_push, self.place = flow, is_push, place


class Track:
    """Spans that are nested: what begins later ends earlier.  close(name of
    the track, span, end) gets those that have ended."""

    def __init__(self, name: str,
                 close: Callable[[str, Open, int], None]) -> None:
        self.name, self.close = name, close
        self.stack: List[Open] = []

    def begin(self, span: Open) -> None:
        """Opens a span."""
        self.stack.append(span)

    def end(self, at: int, depth: int) -> None:
        """Ends all spans deeper than that."""
        while len(self.stack) > depth:
            self.close(self.name, self.stack.pop(), at)
