# SPDX-License-Identifier: GPL-2.0-or-later
"""A picture of a part of a timeline, drawn as SVG."""

from __future__ import annotations

import zlib
from typing import BinaryIO, Dict, List, Optional, Tuple
from xml.sax.saxutils import escape

from .timeline_model import Model, order_of, positions
from .timeline_tracks import Sample, Span

WIDTH, LEFT, ROW, STEP, TOP = 1200, 130, 15, 11, 24
DEFAULT_LENGTH = 400               # positions
LETTER = 5.2                       # width of one in a label
Row = Tuple[str, str]              # a tile, and a track of it
TICKS = 8


def colour(name: str) -> str:
    """The same name has the same colour, a light one."""
    if name.startswith('waits') or name in ('SEMWAIT', 'STALLWAIT'):
        return '#e8a0a0'
    return 'hsl(%d,55%%,78%%)' % (zlib.crc32(name.encode()) % 300 + 30)


class Picture:
    """Rows from top to bottom, positions first..last from left to right."""

    left = LEFT                    # width of the names

    def __init__(self, first: int, last: int, step: int = 1) -> None:
        self.first, self.last, self.step = first, last, step
        self.parts: List[str] = []
        self.bottom = TOP

    def x(self, at: int) -> float:
        """Where a position is."""
        part = (at - self.first) / max(self.last - self.first, 1)
        return self.left + min(max(part, 0), 1) * \
            (WIDTH - self.left - 10)

    def colour(self, name: str) -> str:
        """Of a span with that name."""
        return colour(name)

    def text(self, x: float, y: float, text: str) -> None:
        """A label."""
        self.parts.append('<text x="%.1f" y="%.1f">%s</text>'
                          % (x, y, escape(text)))

    def row(self, name: str, spans: List[Span]) -> None:
        """Nested spans are below each other."""
        open_ends: List[int] = []
        deepest = 0
        self.text(4, self.bottom + ROW - 4, name)
        for span in spans:
            while open_ends and open_ends[-1] <= span.start:
                open_ends.pop()
            self.box(span, len(open_ends))
            open_ends.append(span.end)
            deepest = max(deepest, len(open_ends))
        self.bottom += ROW + STEP * max(deepest - 1, 0) + 3

    def box(self, span: Span, depth: int) -> None:
        """One span."""
        left, right = self.x(span.start), self.x(span.end)
        y = self.bottom + depth * STEP
        self.parts.append(
            '<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s">'
            '<title>%s</title></rect>'
            % (left, y, max(right - left, .7), STEP, self.colour(span.name),
               escape('%s %d..%d' % (span.name, span.start, span.end))))
        if right - left > 18:
            self.text(left + 2, y + STEP - 2.5,
                      span.name[:int((right - left - 3) / LETTER)])

    def counter(self, name: str, samples: List[Sample], before: int) -> None:
        """A row with a line."""
        most = max([before, 1] + [sample.value for sample in samples])
        height = ROW - 3
        value = before
        points = []
        for at, new in [(self.first, before)] + [(s.at, s.value)
                                                 for s in samples] + \
                [(self.last, None)]:
            points.append('%.1f,%.1f' % (self.x(at), self.bottom + height
                                         - height * value / most))
            value = value if new is None else new
            points.append('%.1f,%.1f' % (self.x(at), self.bottom + height
                                         - height * value / most))
        self.text(4, self.bottom + ROW - 4, '%s (%d)' % (name, most))
        self.parts.append('<polyline points="%s"/>' % ' '.join(points))
        self.bottom += ROW + 3

    def axis(self, text: str) -> None:
        """Positions above, lines through all rows."""
        for n in range(TICKS + 1):
            at = self.first + (self.last - self.first) * n // TICKS
            self.parts.append('<path d="M%.1f %dV%d"/>'
                              % (self.x(at), TOP - 4, self.bottom))
            self.text(self.x(at) - 10, TOP - 8,
                      str(at // self.step))
        self.text(4, TOP - 8, text)

    def write(self, out: BinaryIO) -> None:
        """In the form that was asked for."""
        out.write(('<svg xmlns="http://www.w3.org/2000/svg" width="%d" '
                   'height="%d" font-family="sans-serif" font-size="9">\n'
                   '<style>polyline{fill:none;stroke:#246}path{stroke:#ddd}'
                   'rect{stroke:#888;stroke-width:.4}</style>\n'
                   '<rect width="100%%" height="100%%" fill="#fff"/>\n%s\n'
                   '</svg>\n' % (WIDTH, self.bottom + 6,
                                 '\n'.join(self.parts))).encode())


def write_picture(model: Model, out: BinaryIO, first: Optional[int],
                  last: Optional[int]) -> None:
    """Draws positions first..last."""
    step = positions(model.file)
    first = (first or 0) * step
    last = first + DEFAULT_LENGTH * step if last is None else last * step
    picture = Picture(first, last, step)
    rows: Dict[Row, List[Span]] = {}
    for span in model.spans:
        if span.end > first and span.start < last:
            rows.setdefault((span.tile, span.track), []).append(span)
    for row in sorted(rows, key=lambda row: (row[0], order_of(row[1]))):
        picture.row(' '.join(row).strip(), rows[row])
    before: Dict[Row, int] = {}
    seen: Dict[Row, List[Sample]] = {}
    for sample in model.samples:
        row = sample.tile, sample.track
        if sample.at < first:
            before[row] = sample.value
        elif sample.at <= last:
            seen.setdefault(row, []).append(sample)
    for row in sorted(seen):
        picture.counter(' '.join(row).strip(), seen[row], before.get(row, 0))
    picture.axis(model.file.axis)
    picture.write(out)
