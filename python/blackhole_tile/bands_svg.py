# SPDX-License-Identifier: GPL-2.0-or-later
"""A picture of which delays change a result, drawn as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List

from .timeline_svg import Picture
from .timeline_tracks import Span

if TYPE_CHECKING:
    from .delays import Band

LEFT = 290                           # width of the names
COLOURS = {'done': '#eef3ee', 'differs': '#d9534f', 'deadlock': '#5b4b8a',
           'time-out': '#c98b1e'}


class BandsPicture(Picture):
    """A row for each delay, cycles from left to right."""

    left = LEFT

    def colour(self, name: str) -> str:
        """By outcome."""
        return COLOURS[name]


def write(path: str, rows: Dict[str, List['Band']]) -> None:
    """{name: bands}, from top to bottom."""
    delays = [band.delay for bands in rows.values() for band in bands]
    picture = BandsPicture(min(delay.first for delay in delays),
                           max(delay.last for delay in delays) + 1)
    for name, bands in rows.items():
        picture.row(name, [Span('', band.first, band.last + 1, band.outcome,
                                {}, 0, False) for band in bands])
    picture.axis('delay in cycles')
    with open(path, 'wb') as out:
        picture.write(out)
