# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the estimated cycles of a timeline go."""

from __future__ import annotations

from typing import BinaryIO, Dict, Iterable, List, Tuple

from .timeline_cycles import PATH
from .timeline_file import TimelineError
from .timeline_model import Model, positions
from .timeline_tracks import Span

MOST = 12                          # rows of a table
Key = Tuple[str, ...]


def line_of(span: Span) -> str:
    """Its source line."""
    return span.place.text() if span.place else 'unknown'


def table(title: str, rows: Iterable[Tuple[Key, int]], of_all: int) -> str:
    """The rows with most cycles, and their share."""
    sums: Dict[Key, int] = {}
    for key, cycles in rows:
        sums[key] = sums.get(key, 0) + cycles
    text = ['\n' + title]
    for key, cycles in sorted(sums.items(), key=lambda row: (-row[1], row[0])
                              )[:MOST]:
        text.append('%8d %3d %%  %s' % (cycles, cycles * 100 // of_all,
                                        '  '.join(key)))
    return '\n'.join(text) + '\n'


def report(model: Model, tile: str) -> str:
    """Of one tile."""
    step = positions(model.file)
    spans = [span for span in model.spans if span.tile == tile]
    path: List[Span] = [span for span in spans if span.track == PATH]
    if not path:
        return 'no critical path: the file ends before\n'
    end = path[-1].end // step
    first = path[0].start // step

    def cycles(span: Span) -> int:
        return (span.end - span.start) // step

    products = sum(cycles(span) for span in spans
                   if span.track.startswith('matrix')
                   and span.name == 'MVMUL')
    return ''.join((
        '%s%d estimated cycles (published figures)\n'
        % ('tile %s: ' % tile if tile else '', end),
        'MVMUL in %d cycles, %d %% of its peak\n'
        % (products, products * 100 // end),
        table('critical path, from cycle %d on' % first,
              (((span.name,), cycles(span)) for span in path), end),
        table('critical path by source line',
              (((span.name, line_of(span)), cycles(span)) for span in path
               if span.place), end),
        table('waits of threads',
              (((span.track[:len('thread 0')], span.name, line_of(span)),
                cycles(span)) for span in spans
               if span.track.endswith(' waits')), end),
        table('busy units', (((span.track,), cycles(span)) for span in spans
                             if ' of thread ' in span.track), end)))


def write_bottleneck(model: Model, out: BinaryIO) -> None:
    """All tiles."""
    if model.file.axis != 'cycles':
        raise TimelineError(
            '%s: has no estimated cycles: record it with timing=published, '
            '-icount shift=0,sleep=off' % model.file.path)
    for tile in sorted({span.tile for span in model.spans}):
        out.write(report(model, tile).encode())
